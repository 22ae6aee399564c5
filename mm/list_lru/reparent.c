// SPDX-License-Identifier: GPL-2.0
/*
 * Lists that go, with their memcg or with their list_lru.
 */
#include <linux/list_lru.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>

#include "internal.h"

/**
 * DOC: list_lru of memcgs that go
 *
 * A memcg that goes leaves its objects to its parent. Its directory is closed, so that
 * no list is added, and then each of its lists is dealt with, whatever number of
 * list_lrus there is in the system: one without objects is given up; one for which the
 * parent has none becomes the parent's, as it is; else the objects are moved to the
 * list of the parent. In each case it leaves the directory under its own lock. So who
 * finds a list in the directory, and then locks it, has either all of the objects or
 * a list that has been given up, and then finds the right one.
 *
 * All that comes before the objects are charged to the parent. Who looks for one then
 * begins with the parent, and does not see a list of the memcg's; as long as it was on
 * that one, it would be taken off with the lock of another.
 */

/* M: lists leave their memcg, or the system. */
static DEFINE_MUTEX(list_lru_gone);

/* Nobody finds @sub any more. Context: holds M and L, interrupts are off. */
static void give_up(struct list_lru_sub *sub)
{
	lockdep_assert_held(&sub->one.lock);
	list_lru_dir_erase(sub->dir, sub);
	sub->one.nr_items = LIST_LRU_DEAD;
}

/* Objects of @src go before those of @dst: they are wanted less. */
static void splice(struct list_lru_one *src, struct list_lru_one *dst)
{
	lockdep_assert_held(&src->lock);
	lockdep_assert_held(&dst->lock);
	list_splice_init(&src->list, &dst->list);
	dst->nr_items += src->nr_items;
	src->nr_items = 0;
}

/* @sub becomes the list of @dir, unless there is one, or none can be. */
static struct list_lru_sub *offer(struct list_lru_sub *sub, struct list_lru_dir *dir)
{
	struct list_lru_sub *known;

	lockdep_assert_held(&sub->one.lock);
	spin_lock(&dir->lock);
	known = list_lru_dir_add(dir, sub->nlru, sub);
	spin_unlock(&dir->lock);
	return known;
}

/* The list for the objects of @sub: it itself, if it now is that of an ancestor. */
static struct list_lru_one *heir_of(struct list_lru_sub *sub, struct mem_cgroup *memcg,
				    int nid)
{
	struct list_lru_dir *dir, *old = sub->dir;
	struct list_lru_sub *known;

	for (; memcg && !mem_cgroup_is_root(memcg); memcg = parent_mem_cgroup(memcg)) {
		dir = &memcg->nodeinfo[nid]->lists;
		known = offer(sub, dir);
		if (known == sub) {
			list_lru_dir_erase(old, sub);
			sub->dir = dir;
		}
		if (!IS_ERR(known))
			return &known->one;
		WRITE_ONCE(sub->nlru->away, true);
	}
	return &sub->nlru->lru;
}

/* Leave the objects of @sub to @memcg or an ancestor. Context: holds M and L. */
static void bequeath(struct list_lru_sub *sub, struct mem_cgroup *memcg, int nid)
{
	struct list_lru_one *heir = heir_of(sub, memcg, nid);

	if (heir == &sub->one) {
		list_lru_announce(sub->nlru, heir, nid);
		return;
	}
	spin_lock_nested(&heir->lock, SINGLE_DEPTH_NESTING);
	splice(&sub->one, heir);
	list_lru_announce(sub->nlru, heir, nid);
	give_up(sub);
	spin_unlock(&heir->lock);
}

static void reparent_sub(struct list_lru_sub *sub, struct mem_cgroup *parent, int nid)
{
	bool gone;

	spin_lock_irq(&sub->one.lock);
	if (sub->one.nr_items)
		bequeath(sub, parent, nid);
	else
		give_up(sub);
	gone = !list_lru_alive(&sub->one);
	spin_unlock_irq(&sub->one.lock);
	if (gone)
		list_lru_put(sub->nlru, &sub->one);
}

static void reparent_node(struct mem_cgroup *memcg, struct mem_cgroup *parent, int nid)
{
	struct list_lru_dir *dir = &memcg->nodeinfo[nid]->lists;
	struct list_lru_sub *sub;
	unsigned int at = 0;

	if (!list_lru_dir_close(dir))
		return;
	mutex_lock(&list_lru_gone);
	while ((sub = list_lru_dir_next(dir, &at)))
		reparent_sub(sub, parent, nid);
	mutex_unlock(&list_lru_gone);
}

/**
 * memcg_reparent_list_lrus() - leave the objects of a memcg to its parent
 * @memcg: the memcg, which goes; what is charged to it stays so until this is done
 * @parent: the memcg above
 *
 * Context: may sleep; takes M, L, D and N.
 */
void memcg_reparent_list_lrus(struct mem_cgroup *memcg, struct mem_cgroup *parent)
{
	int nid;

	for_each_node(nid)
		reparent_node(memcg, parent, nid);
}

static void forget_sub(struct list_lru_sub *sub)
{
	spin_lock_irq(&sub->one.lock);
	give_up(sub);
	spin_unlock_irq(&sub->one.lock);
	list_lru_put(sub->nlru, &sub->one);
}

/* @lru can be where another one is later, which nobody is to find away. */
static void forgive(struct list_lru *lru)
{
	struct mem_cgroup *memcg = NULL;
	int nid;

	while ((memcg = mem_cgroup_iter(NULL, memcg, NULL)))
		for_each_node(nid)
			list_lru_dir_forgive(&memcg->nodeinfo[nid]->lists,
					     &lru->node[nid]);
}

/**
 * list_lru_forget() - take a list_lru away from all memcgs
 * @lru: the list_lru, which nobody uses any more
 *
 * Context: may sleep; takes M, L, D and N if any memcg has used it.
 */
void list_lru_forget(struct list_lru *lru)
{
	struct list_lru_sub *sub, *next;
	bool away = false;
	int nid;

	for_each_node(nid) {
		away |= READ_ONCE(lru->node[nid].away);
		if (!list_lru_has_subs(&lru->node[nid]))
			continue;
		mutex_lock(&list_lru_gone);
		list_for_each_entry_safe(sub, next, &lru->node[nid].subs, link)
			forget_sub(sub);
		mutex_unlock(&list_lru_gone);
	}
	if (away)
		forgive(lru);
}
