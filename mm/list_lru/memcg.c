// SPDX-License-Identifier: GPL-2.0
/*
 * Whose list an object is on.
 */
#include <linux/list_lru.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../internal.h"
#include "internal.h"

/**
 * DOC: list_lru of memcgs
 *
 * A memcg gets a list when the first object that is charged to it is put on the
 * list_lru on this node: neither when such an object is allocated, nor on other nodes,
 * nor for its ancestors. So what there is follows what is used, and not how many memcgs
 * or list_lrus there are.
 *
 * An object is put on the list of the memcg it is charged to, or of the nearest
 * ancestor, if the memcgs below have gone offline and their directories say "away", see
 * dir.c; the root has a list in any case. If there is no memory for the list, the object
 * becomes a stray, see stray.c. A search gives the same list when the object is deleted,
 * because the object is moved whenever an answer changes, under the lock of the list.
 */

static struct list_lru_dir *dir_of(struct mem_cgroup *memcg, int nid)
{
	return &memcg->nodeinfo[nid]->lists;
}

/**
 * list_lru_pick() - the list an object belongs on
 * @p: the object's list_lru, node and memcg
 * @make: whether it is going to be put there, or has been
 *
 * Context: RCU; takes L, D and N if a list is made.
 *
 * Return: the list, that of the strays if the memcg has none. It may be given up, or a
 * list of the memcg take its place, before its lock is had.
 */
struct list_lru_one *list_lru_pick(const struct list_lru_place *p, bool make)
{
	struct list_lru_node *nlru = &p->lru->node[p->nid];
	struct mem_cgroup *memcg = p->memcg;
	struct list_lru_sub *sub;

	for (; list_lru_by_memcg(p->lru, memcg); memcg = parent_mem_cgroup(memcg)) {
		sub = list_lru_dir_find(dir_of(memcg, p->nid), nlru);
		if (!sub && make)
			sub = list_lru_make(nlru, dir_of(memcg, p->nid), GFP_ATOMIC);
		if (!sub)
			return &nlru->strays;
		if (sub != LIST_LRU_AWAY)
			return &sub->one;
	}
	return &nlru->lru;
}

/**
 * list_lru_stays_stray() - let an object be a stray
 * @p: the object's list_lru, node and memcg
 *
 * Context: RCU; holds L of the strays; takes D and S.
 *
 * Return: false if it must not be one: there is a list for it.
 */
bool list_lru_stays_stray(const struct list_lru_place *p)
{
	struct list_lru_node *nlru = &p->lru->node[p->nid];
	struct mem_cgroup *memcg = p->memcg;
	struct list_lru_sub *sub;

	for (; list_lru_by_memcg(p->lru, memcg); memcg = parent_mem_cgroup(memcg)) {
		sub = list_lru_dir_find(dir_of(memcg, p->nid), nlru);
		if (sub != LIST_LRU_AWAY)
			return !sub && list_lru_admit_stray(nlru, dir_of(memcg, p->nid));
	}
	return false;
}

/**
 * list_lru_own() - the list that belongs to a memcg
 * @lru: the list_lru
 * @nid: the node
 * @memcg: the memcg; NULL, or the root, for what is charged to nobody
 *
 * Context: RCU.
 *
 * Return: the list, or NULL if there is none.
 */
struct list_lru_one *list_lru_own(struct list_lru *lru, int nid,
				  struct mem_cgroup *memcg)
{
	struct list_lru_sub *sub;

	if (!list_lru_by_memcg(lru, memcg))
		return list_lru_root(lru, nid);
	sub = list_lru_dir_find(dir_of(memcg, nid), &lru->node[nid]);
	return IS_ERR_OR_NULL(sub) ? NULL : &sub->one;
}

/**
 * list_lru_put() - drop a reference to a list
 * @nlru: the list_lru on the node
 * @l: the list
 *
 * Context: any; takes N if it is the last one.
 */
void list_lru_put(struct list_lru_node *nlru, struct list_lru_one *l)
{
	struct list_lru_sub *sub;
	unsigned long flags;
	bool last;

	if (refcount_dec_not_one(&l->refs))
		return;
	sub = list_lru_sub_of(l);
	spin_lock_irqsave(&nlru->lock, flags);
	last = refcount_dec_and_test(&l->refs);
	if (last)
		list_del(&sub->link);
	spin_unlock_irqrestore(&nlru->lock, flags);
	if (last)
		kfree_rcu(sub, rcu);
}

/* The list after @link that has references, and one more now. */
static struct list_lru_sub *get_after(struct list_lru_node *nlru, struct list_head *link)
{
	struct list_lru_sub *sub;

	lockdep_assert_held(&nlru->lock);
	while ((link = link->next) != &nlru->subs) {
		sub = list_entry(link, struct list_lru_sub, link);
		if (refcount_inc_not_zero(&sub->one.refs))
			return sub;
	}
	return NULL;
}

/**
 * list_lru_next_sub() - go through the lists of memcgs
 * @nlru: the list_lru on a node
 * @sub: the list before, NULL for the first; its reference is dropped
 *
 * Context: any; takes N.
 *
 * Return: the next one, referenced, or NULL.
 */
struct list_lru_sub *list_lru_next_sub(struct list_lru_node *nlru,
				       struct list_lru_sub *sub)
{
	struct list_lru_sub *next;
	unsigned long flags;

	spin_lock_irqsave(&nlru->lock, flags);
	next = get_after(nlru, sub ? &sub->link : &nlru->subs);
	spin_unlock_irqrestore(&nlru->lock, flags);
	if (sub)
		list_lru_put(nlru, &sub->one);
	return next;
}

/**
 * list_lru_count_subs() - objects on the lists of memcgs
 * @nlru: the list_lru on a node
 *
 * Context: any; takes N.
 *
 * Return: how many there are.
 */
unsigned long list_lru_count_subs(struct list_lru_node *nlru)
{
	struct list_lru_sub *sub;
	unsigned long nr = 0, flags;

	spin_lock_irqsave(&nlru->lock, flags);
	list_for_each_entry(sub, &nlru->subs, link)
		nr += max(READ_ONCE(sub->one.nr_items), 0L);
	spin_unlock_irqrestore(&nlru->lock, flags);
	return nr;
}

/**
 * list_lru_memcg_init() - set up what memcgs need of a list_lru
 * @lru: the list_lru
 * @shrinker: who is told that a memcg has objects, or NULL
 *
 * Context: nobody else uses it.
 */
void list_lru_memcg_init(struct list_lru *lru, struct shrinker *shrinker)
{
	struct list_lru_node *nlru;
	int nid;

	lru->owner = NULL;
	for_each_node(nid) {
		nlru = &lru->node[nid];
		spin_lock_init(&nlru->lock);
		INIT_LIST_HEAD(&nlru->subs);
		list_lru_strays_init(nlru, lru);
		nlru->shrinker_id = shrinker ? shrinker->id : -1;
	}
}

/**
 * memcg_list_lru_alloc() - prepare for objects of a memcg
 * @memcg: the memcg
 * @lru: the list_lru they may be put on
 * @gfp: how to allocate
 *
 * Helps where many list_lrus are used by one memcg. Objects can be put on a list
 * without it, or although there was no memory.
 *
 * Context: as @gfp says; takes D.
 *
 * Return: 0.
 */
int memcg_list_lru_alloc(struct mem_cgroup *memcg, struct list_lru *lru, gfp_t gfp)
{
	if (list_lru_by_memcg(lru, memcg))
		list_lru_dir_reserve(dir_of(memcg, numa_mem_id()),
				     gfp & GFP_RECLAIM_MASK);
	return 0;
}
