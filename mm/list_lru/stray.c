// SPDX-License-Identifier: GPL-2.0
/*
 * Give a memcg a list, and keep the objects of a memcg that could not get one.
 */
#include <linux/cleanup.h>
#include <linux/list_lru.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * DOC: list_lru strays
 *
 * A list is made under spinlocks, so there may be no memory for it. The object then
 * becomes a stray: it joins the list of strays that each list_lru has on each node.
 * Global reclaim walks the strays after the root's list, and they count as the root's.
 *
 * The next object that is put on the list_lru for the same memcg tries again. The memcg
 * that gets its list gathers its strays in the same critical section, so a memcg either
 * has a list and no stray, or strays and no list. This needs the owner of each stray,
 * which list_lru.owner or mem_cgroup_from_slab_obj() tells; the scan is as long as there
 * are strays.
 *
 * A stray is admitted under D of its memcg and L of the strays. A list is published under
 * D, and under both if D shows that the memcg ever had a stray. A thread that finds no
 * list locks the strays and then searches once more, see list_lru_still().
 *
 * A memcg that goes offline takes its strays home before its directory closes; here the
 * allocation may sleep.
 */

/* M: lists leave their memcg, or the system. */
DEFINE_MUTEX(list_lru_gone);

/* S: the nodes of list_lrus that have had strays; innermost, interrupts off. */
static DEFINE_SPINLOCK(stray_lock);
static LIST_HEAD(stray_nodes);

static int nid_of(const struct list_lru_node *nlru)
{
	return nlru - nlru->whole->node;
}

/**
 * list_lru_announce() - tell the shrinker that a list has objects
 * @nlru: the list_lru on the node
 * @l: the list
 *
 * Context: holds L.
 */
void list_lru_announce(struct list_lru_node *nlru, struct list_lru_one *l)
{
	lockdep_assert_held(&l->lock);
	if (list_lru_is_sub(nlru, l))
		set_shrinker_bit(list_lru_dir_memcg(list_lru_sub_of(l)->dir),
				 nid_of(nlru), nlru->shrinker_id);
}

/**
 * list_lru_strays_init() - set up the strays of a list_lru on a node
 * @nlru: the list_lru on the node
 * @lru: the list_lru
 *
 * Context: nobody else uses it.
 */
void list_lru_strays_init(struct list_lru_node *nlru, struct list_lru *lru)
{
	list_lru_one_init(&nlru->strays, lru->key);
	INIT_LIST_HEAD(&nlru->stray_link);
	nlru->whole = lru;
}

static struct list_lru_sub *new_sub(struct list_lru_node *nlru, struct list_lru_dir *dir,
				    gfp_t gfp)
{
	struct list_lru_sub *sub = list_lru_mem_alloc(sizeof(*sub), gfp);

	if (!sub)
		return NULL;
	list_lru_one_init(&sub->one, nlru->whole->key);
	sub->nlru = nlru;
	sub->dir = dir;
	return sub;
}

/* @sub is in a directory: have it among the lists of the node, too. */
static void link_sub(struct list_lru_sub *sub)
{
	lockdep_assert_held(&sub->one.lock);
	spin_lock(&sub->nlru->lock);
	list_add_tail(&sub->link, &sub->nlru->subs);
	spin_unlock(&sub->nlru->lock);
}

static struct mem_cgroup *owner_of(struct list_lru *lru, struct list_head *object)
{
	return lru->owner ? lru->owner(object) : mem_cgroup_from_slab_obj(object);
}

/* Whether @object is looked for on the list of @dir. Context: RCU. */
static bool belongs(struct list_head *object, struct list_lru_node *nlru,
		    struct list_lru_dir *dir)
{
	struct mem_cgroup *memcg = owner_of(nlru->whole, object);
	struct list_lru_dir *d;

	for (; list_lru_by_memcg(nlru->whole, memcg); memcg = parent_mem_cgroup(memcg)) {
		d = &memcg->nodeinfo[nid_of(nlru)]->lists;
		if (d == dir)
			return true;
		if (list_lru_dir_find(d, nlru) != LIST_LRU_AWAY)
			return false;
	}
	return false;
}

/* The strays that belong on @sub, which is in @dir, move there. */
static void gather(struct list_lru_sub *sub, struct list_lru_dir *dir)
{
	struct list_lru_one *strays = &sub->nlru->strays;
	struct list_head *object, *next;

	lockdep_assert_held(&sub->one.lock);
	lockdep_assert_held(&strays->lock);
	guard(rcu)();
	list_for_each_safe(object, next, &strays->list) {
		if (!belongs(object, sub->nlru, dir))
			continue;
		list_move_tail(object, &sub->one.list);
		sub->one.nr_items++;
		strays->nr_items--;
	}
}

/* False, and nothing is done, if @dir has had strays, but for the caller who @gathers. */
static bool add_sub(struct list_lru_dir *dir, struct list_lru_sub *sub, bool gathers,
		    struct list_lru_sub **known)
{
	bool may;

	spin_lock(&dir->lock);
	may = gathers || !dir->nr_strays;
	if (may)
		*known = list_lru_dir_add(dir, sub);
	spin_unlock(&dir->lock);
	return may;
}

/**
 * list_lru_offer() - let a list become that of a memcg, unless it has one
 * @sub: the list
 * @dir: directory of the memcg on the node
 *
 * Context: holds L of @sub, taken with interrupts off; takes D, and L of the strays if the
 * memcg has had any.
 *
 * Return: the list that the memcg has now, @sub or another; LIST_LRU_AWAY if its objects
 * are with the parent; NULL if there is no room in the directory.
 */
struct list_lru_sub *list_lru_offer(struct list_lru_sub *sub, struct list_lru_dir *dir)
{
	struct list_lru_one *strays = &sub->nlru->strays;
	struct list_lru_sub *known;

	lockdep_assert_held(&sub->one.lock);
	if (add_sub(dir, sub, false, &known))
		return known;
	spin_lock_nested(&strays->lock, SINGLE_DEPTH_NESTING);
	add_sub(dir, sub, true, &known);
	if (known == sub)
		gather(sub, dir);
	spin_unlock(&strays->lock);
	return known;
}

/**
 * list_lru_make() - make the list of a memcg
 * @nlru: the list_lru on a node
 * @dir: directory of the memcg on this node
 * @gfp: how to allocate
 *
 * Context: as @gfp says; takes L, D and N.
 *
 * Return: as list_lru_offer(); NULL, too, if there is no memory.
 */
struct list_lru_sub *list_lru_make(struct list_lru_node *nlru, struct list_lru_dir *dir,
				   gfp_t gfp)
{
	struct list_lru_sub *new = new_sub(nlru, dir, gfp), *sub;
	unsigned long flags;

	if (!new)
		return NULL;
	spin_lock_irqsave(&new->one.lock, flags);
	sub = list_lru_offer(new, dir);
	if (sub == new) {
		link_sub(new);
		if (new->one.nr_items)
			list_lru_announce(nlru, &new->one);
	}
	spin_unlock_irqrestore(&new->one.lock, flags);
	if (sub != new)
		kfree(new);
	return sub;
}

/**
 * list_lru_admit_stray() - let an object be a stray
 * @nlru: the list_lru on a node
 * @dir: directory of the memcg of the object on this node
 *
 * Context: holds L of the strays; takes D and S.
 *
 * Return: false if it must not be one: the memcg has got a list, or has gone offline.
 */
bool list_lru_admit_stray(struct list_lru_node *nlru, struct list_lru_dir *dir)
{
	unsigned long flags;

	if (!list_lru_dir_note_stray(dir, nlru))
		return false;
	spin_lock_irqsave(&stray_lock, flags);
	if (list_empty(&nlru->stray_link))
		list_add_tail_rcu(&nlru->stray_link, &stray_nodes);
	spin_unlock_irqrestore(&stray_lock, flags);
	return true;
}

static bool has_list(struct list_lru_node *nlru, struct list_lru_dir *dir)
{
	guard(rcu)();
	return list_lru_dir_find(dir, nlru);
}

/**
 * list_lru_strays_home() - give a memcg its strays
 * @dir: directory of the memcg on a node, open
 * @nid: the node
 *
 * Context: may sleep; holds M; takes L, D and N.
 */
void list_lru_strays_home(struct list_lru_dir *dir, int nid)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOFAIL;
	struct list_lru_node *nlru;

	list_for_each_entry_rcu(nlru, &stray_nodes, stray_link,
				lockdep_is_held(&list_lru_gone)) {
		if (nid_of(nlru) != nid)
			continue;
		while (!has_list(nlru, dir)) {
			list_lru_dir_reserve(dir, gfp);
			list_lru_make(nlru, dir, gfp);
		}
	}
}

/**
 * list_lru_has_strayed() - whether there have been strays
 * @nlru: the list_lru on a node
 *
 * Context: any.
 *
 * Return: true if there has been one.
 */
bool list_lru_has_strayed(struct list_lru_node *nlru)
{
	return !list_empty_careful(&nlru->stray_link);
}

/**
 * list_lru_forget_strays() - no longer look for strays
 * @nlru: the list_lru on a node, which has no objects any more
 *
 * Context: process; holds M; takes S.
 */
void list_lru_forget_strays(struct list_lru_node *nlru)
{
	lockdep_assert_held(&list_lru_gone);
	VM_WARN_ON_ONCE(nlru->strays.nr_items);
	spin_lock_irq(&stray_lock);
	list_del_init(&nlru->stray_link);
	spin_unlock_irq(&stray_lock);
}
