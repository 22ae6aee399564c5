// SPDX-License-Identifier: GPL-2.0
/*
 * Lists that go, with their memcg or with their list_lru.
 */
#include <linux/cleanup.h>
#include <linux/list_lru.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>

#include "internal.h"

/**
 * DOC: list_lru of memcgs that go
 *
 * A memcg that goes leaves its objects to its parent. Its strays get a list, see
 * stray.c. Then its directory is closed, so that no list is added, and each of its lists
 * is dealt with, whatever number of list_lrus there is in the system: one without objects
 * is given up; one for which the parent has none becomes the parent's, as it is; else
 * the objects are moved to the list of the parent. In each case it leaves the directory
 * under its own lock. A thread that finds a list in the directory, and then locks it, has
 * either all of the objects or a list that has been given up, and then searches again.
 *
 * All that comes before the objects are charged to the parent. Who looks for one then
 * begins with the parent, and does not see a list of the memcg's; as long as it was on
 * that one, it would be taken off with the lock of another.
 */

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

/* The list for the objects of @sub: it itself, if it now is that of an ancestor. */
static struct list_lru_one *heir_of(struct list_lru_sub *sub, struct mem_cgroup *memcg,
				    int nid)
{
	struct list_lru_dir *dir, *old = sub->dir;
	struct list_lru_sub *known;

	for (; memcg && !mem_cgroup_is_root(memcg); memcg = parent_mem_cgroup(memcg)) {
		dir = &memcg->nodeinfo[nid]->lists;
		known = list_lru_offer(sub, dir);
		if (known == sub) {
			list_lru_dir_erase(old, sub);
			sub->dir = dir;
		}
		if (!known)	/* no room: they become strays */
			return &sub->nlru->strays;
		if (known != LIST_LRU_AWAY)
			return &known->one;
	}
	return &sub->nlru->lru;
}

/* The objects of @sub go to @heir. False if it is the heir no longer. */
static bool leave_to(struct list_lru_sub *sub, struct list_lru_one *heir,
		     struct mem_cgroup *memcg, int nid)
{
	const struct list_lru_place p = { sub->nlru->whole, nid, memcg };
	bool may;

	guard(rcu)();
	spin_lock_nested(&heir->lock, SINGLE_DEPTH_NESTING);
	may = list_lru_admit(&p, heir);
	if (may) {
		splice(&sub->one, heir);
		list_lru_announce(sub->nlru, heir);
		give_up(sub);
	}
	spin_unlock(&heir->lock);
	return may;
}

/* Leave the objects of @sub to @memcg or an ancestor. Context: holds M and L. */
static void bequeath(struct list_lru_sub *sub, struct mem_cgroup *memcg, int nid)
{
	struct list_lru_one *heir;

	do {
		heir = heir_of(sub, memcg, nid);
		if (heir == &sub->one) {
			list_lru_announce(sub->nlru, heir);
			return;
		}
	} while (!leave_to(sub, heir, memcg, nid));
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

/* Objects without a list would be looked for with the parent from then on. */
static void close_dir(struct list_lru_dir *dir, int nid)
{
	unsigned int nr_strays = 0;

	while (!list_lru_dir_close(dir, &nr_strays)) {
		mutex_lock(&list_lru_gone);
		list_lru_strays_home(dir, nid);
		mutex_unlock(&list_lru_gone);
	}
}

static void reparent_node(struct mem_cgroup *memcg, struct mem_cgroup *parent, int nid)
{
	struct list_lru_dir *dir = &memcg->nodeinfo[nid]->lists;
	struct list_lru_sub *sub;
	unsigned int at = 0;

	close_dir(dir, nid);
	if (!list_lru_dir_used(dir))
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

/**
 * list_lru_forget() - take a list_lru away from all memcgs
 * @lru: the list_lru, which nobody uses any more
 *
 * Context: may sleep; takes M, L, D and N if any memcg has used it.
 */
void list_lru_forget(struct list_lru *lru)
{
	struct list_lru_sub *sub, *next;
	struct list_lru_node *nlru;
	int nid;

	for_each_node(nid) {
		nlru = &lru->node[nid];
		if (!list_lru_has_subs(nlru) && !list_lru_has_strayed(nlru))
			continue;
		mutex_lock(&list_lru_gone);
		list_for_each_entry_safe(sub, next, &nlru->subs, link)
			forget_sub(sub);
		list_lru_forget_strays(nlru);
		mutex_unlock(&list_lru_gone);
	}
}
