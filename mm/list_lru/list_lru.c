// SPDX-License-Identifier: GPL-2.0
/*
 * Put reclaimable objects on their list, take them off, count them.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/list_lru.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * DOC: list_lru
 *
 * A list_lru holds objects that can be freed when memory is wanted, the oldest
 * first. It has a list for each node, and one more for each memcg that has objects
 * on this node, if it is aware of memcgs. Every list has its own lock and its own
 * count, so that memcgs that share a file system do not meet at either.
 *
 * Which list an object is on follows from the memcg and the node, by memcg.c. When a
 * list has been found but has been given up before its lock was had, the search is
 * repeated: what took its place is to be seen by then.
 */

/* Where a slab object belongs. Context: RCU. */
static struct list_lru_place place_of(struct list_lru *lru, void *object)
{
	struct list_lru_place p = { lru, page_to_nid(virt_to_page(object)) };

	if (list_lru_aware(lru))
		p.memcg = mem_cgroup_from_slab_obj(object);
	return p;
}

/* The list, locked; made if it is missing and @make says so. */
static struct list_lru_one *lock_list(const struct list_lru_place *p, bool make) __acquires(L)
{
	struct list_lru_one *l;

	for (;;) {
		l = list_lru_pick(p, make);
		spin_lock(&l->lock);
		if (likely(list_lru_alive(l)) && list_lru_still(p, l))
			return l;
		spin_unlock(&l->lock);
	}
}

/* The list, locked, to put an object on. */
static struct list_lru_one *lock_to_add(const struct list_lru_place *p) __acquires(L)
{
	struct list_lru_one *l;

	for (;;) {
		l = lock_list(p, true);
		if (likely(list_lru_admit(p, l)))
			return l;
		spin_unlock(&l->lock);
	}
}

/* Whether @object has been put there, or was on a list. Context: RCU; takes L. */
static bool put_on(const struct list_lru_place *p, struct list_head *object)
{
	struct list_lru_one *l = lock_to_add(p);
	bool was_off = list_empty(object);

	if (was_off) {
		list_add_tail(object, &l->list);
		if (++l->nr_items == 1)
			list_lru_announce(&p->lru->node[p->nid], l);
	}
	spin_unlock(&l->lock);
	return was_off;
}

/* Whether @object has been taken off, or was on no list. Context: RCU; takes L. */
static bool take_off(const struct list_lru_place *p, struct list_head *object)
{
	struct list_lru_one *l = lock_list(p, false);
	bool was_on = !list_empty(object);

	if (was_on)
		list_lru_isolate(l, object);
	spin_unlock(&l->lock);
	return was_on;
}

/*
 * These are told in list_lru.h. Context: any; they take L, without touching interrupts.
 * The caller sees to it that @owner stays.
 */
bool list_lru_add(struct list_lru *lru, struct list_head *object, int node,
		  struct mem_cgroup *owner)
{
	const struct list_lru_place p = { lru, node, owner };

	guard(rcu)();
	return put_on(&p, object);
}
EXPORT_SYMBOL_GPL(list_lru_add);

bool list_lru_add_obj(struct list_lru *lru, struct list_head *object)
{
	struct list_lru_place p;

	guard(rcu)();
	p = place_of(lru, object);
	return put_on(&p, object);
}
EXPORT_SYMBOL_GPL(list_lru_add_obj);

bool list_lru_del(struct list_lru *lru, struct list_head *object, int node,
		  struct mem_cgroup *owner)
{
	const struct list_lru_place p = { lru, node, owner };

	guard(rcu)();
	return take_off(&p, object);
}
EXPORT_SYMBOL_GPL(list_lru_del);

bool list_lru_del_obj(struct list_lru *lru, struct list_head *object)
{
	struct list_lru_place p;

	guard(rcu)();
	p = place_of(lru, object);
	return take_off(&p, object);
}
EXPORT_SYMBOL_GPL(list_lru_del_obj);

/* One object less. If there is none, the object is on a list that is not locked. */
static void take_from(struct list_lru_one *l)
{
	lockdep_assert_held(&l->lock);
	VM_WARN_ON_ONCE(l->nr_items <= 0);
	l->nr_items--;
}

/**
 * list_lru_isolate() - take an object off the list that is walked
 * @l: the list
 * @object: the object
 *
 * Context: from the callback of a walk, L held.
 */
void list_lru_isolate(struct list_lru_one *l, struct list_head *object)
{
	take_from(l);
	list_del_init(object);
}
EXPORT_SYMBOL_GPL(list_lru_isolate);

/**
 * list_lru_isolate_move() - take an object from the list that is walked to another
 * @l: the list
 * @object: the object
 * @to: the other one, private to the caller
 *
 * Context: from the callback of a walk, L held.
 */
void list_lru_isolate_move(struct list_lru_one *l, struct list_head *object,
			   struct list_head *to)
{
	take_from(l);
	list_move(object, to);
}
EXPORT_SYMBOL_GPL(list_lru_isolate_move);

/* Objects of a list, at a glance. */
static unsigned long count(struct list_lru_one *l)
{
	return max(READ_ONCE(l->nr_items), 0L);
}

static unsigned long count_root(struct list_lru *lru, int node)
{
	return count(list_lru_root(lru, node)) + list_lru_nr_strays(&lru->node[node]);
}

unsigned long list_lru_count_one(struct list_lru *lru, int node, struct mem_cgroup *owner)
{
	struct list_lru_one *l;

	guard(rcu)();
	l = list_lru_own(lru, node, owner);
	if (l == list_lru_root(lru, node))
		return count_root(lru, node);
	return l ? count(l) : 0;
}
EXPORT_SYMBOL_GPL(list_lru_count_one);

/**
 * list_lru_count_node() - objects on a node, of all memcgs
 * @lru: the list_lru
 * @node: the node
 *
 * Takes as long as there are memcgs that have any; nobody keeps the sum, because
 * all of them would have to write it.
 *
 * Context: any but an interrupt; takes N.
 *
 * Return: how many objects there are.
 */
unsigned long list_lru_count_node(struct list_lru *lru, int node)
{
	return count_root(lru, node) + list_lru_count_subs(&lru->node[node]);
}
EXPORT_SYMBOL_GPL(list_lru_count_node);

/**
 * list_lru_one_init() - set up a list
 * @l: the list
 * @key: class of its lock, NULL for the usual one
 *
 * Context: nobody else uses it.
 */
void list_lru_one_init(struct list_lru_one *l, struct lock_class_key *key)
{
	INIT_LIST_HEAD(&l->list);
	spin_lock_init(&l->lock);
	if (key)
		lockdep_set_class(&l->lock, key);
	refcount_set(&l->refs, 1);
	l->nr_items = 0;
}

/**
 * __list_lru_init() - set up a list_lru
 * @lru: the list_lru
 * @by_memcg: whether each memcg gets lists of its own
 * @class: of the locks of its lists, NULL for the usual one
 * @tell: the shrinker which is told that a memcg has objects, or NULL
 *
 * Context: may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int __list_lru_init(struct list_lru *lru, bool by_memcg, struct lock_class_key *class,
		    struct shrinker *tell)
{
	struct list_lru_node *nodes;
	int n;

	nodes = kcalloc(nr_node_ids, sizeof(*nodes), GFP_KERNEL);
	lru->node = nodes;
	if (!nodes)
		return -ENOMEM;
	for_each_node(n)
		list_lru_one_init(&nodes[n].lru, class);
	list_lru_set_aware(lru, by_memcg);
	list_lru_set_key(lru, class);
	list_lru_memcg_init(lru, tell);
	return 0;
}
EXPORT_SYMBOL_GPL(__list_lru_init);

/**
 * list_lru_destroy() - give up a list_lru
 * @lru: the list_lru; nobody puts objects on it any more. One that has never been
 *	set up, but is zeroed, or has been given up before, is left alone
 *
 * Context: may sleep; takes M if memcgs have lists.
 */
void list_lru_destroy(struct list_lru *lru)
{
	if (lru->node) {
		list_lru_forget(lru);
		kfree(lru->node);
	}
	lru->node = NULL;
}
EXPORT_SYMBOL_GPL(list_lru_destroy);
