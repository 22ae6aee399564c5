// SPDX-License-Identifier: GPL-2.0
/*
 * Show the objects of a list to whoever may free them.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/list_lru.h>
#include <linux/rcupdate.h>

#include "internal.h"

/**
 * DOC: list_lru walk
 *
 * A walk holds a reference to the list, not only its lock: the callback may drop the
 * lock and sleep, and it is the list's own. Should the memcg go meanwhile, the list is
 * found empty, or as that of the parent; either way the walk ends as usual and the
 * list is freed with the last reference.
 */

/**
 * struct list_lru_walk - a walk
 * @isolate: is shown each object and says what has become of it
 * @arg: what it is given
 * @left: objects that may still be shown
 * @nr_isolated: objects that have been taken off
 *
 * Private to the thread that walks.
 */
struct list_lru_walk {
	list_lru_walk_cb isolate;
	void *arg;
	unsigned long *left;
	unsigned long nr_isolated;
};

/* Which object is shown after one: the next, the first once more, or none. */
enum step {
	STEP_NEXT,
	STEP_RESTART,
	STEP_STOP,
};

static enum step show(struct list_lru_walk *w, struct list_lru_one *l,
		      struct list_head *item)
{
	switch (w->isolate(item, l, &l->lock, w->arg)) {
	case LRU_REMOVED:
		w->nr_isolated++;
		return STEP_NEXT;
	case LRU_REMOVED_RETRY:
		w->nr_isolated++;
		return STEP_RESTART;
	case LRU_RETRY:
		return STEP_RESTART;
	case LRU_ROTATE:
		list_move_tail(item, &l->list);
		return STEP_NEXT;
	case LRU_SKIP:
		return STEP_NEXT;
	case LRU_STOP:
		return STEP_STOP;
	}
	WARN_ONCE(1, "list_lru: %ps gave an answer that is none\n", w->isolate);
	return STEP_STOP;
}

/* One list, as long as any object may be shown. Context: L, dropped by the callback. */
static void walk_list(struct list_lru_walk *w, struct list_lru_one *l)
{
	struct list_head *item = l->list.next, *next;
	enum step step;

	while (item != &l->list && *w->left) {
		--*w->left;	/* first, so that those who retry come to an end */
		next = item->next;
		step = show(w, l, item);
		lockdep_assert_held(&l->lock);
		if (step == STEP_STOP)
			return;
		item = step == STEP_NEXT ? next : l->list.next;
	}
}

/* The list to walk after @l: that of the strays, or none. A reference is passed on. */
static struct list_lru_one *walk_on(struct list_lru_walk *w, struct list_lru_node *nlru,
				    struct list_lru_one *l)
{
	struct list_lru_one *next = *w->left ? list_lru_get_strays(nlru, l) : NULL;

	list_lru_put(nlru, l);
	return next;
}

/* The list that belongs to @owner, referenced; NULL if there is none. */
static struct list_lru_one *get_list(struct list_lru *lru, int node,
				     struct mem_cgroup *owner)
{
	struct list_lru_one *l;

	guard(rcu)();
	l = list_lru_own(lru, node, owner);
	return l && refcount_inc_not_zero(&l->refs) ? l : NULL;
}

/* Told in list_lru.h. Context: as @show_to; takes L. */
unsigned long list_lru_walk_one(struct list_lru *lru, int node, struct mem_cgroup *owner,
				list_lru_walk_cb show_to, void *arg, unsigned long *left)
{
	struct list_lru_walk w = { show_to, arg, left };
	struct list_lru_one *l = get_list(lru, node, owner);

	for (; l; l = walk_on(&w, &lru->node[node], l)) {
		spin_lock(&l->lock);
		walk_list(&w, l);
		spin_unlock(&l->lock);
	}
	return w.nr_isolated;
}
EXPORT_SYMBOL_GPL(list_lru_walk_one);

/* The same for lists whose lock is taken with interrupts off. */
unsigned long list_lru_walk_one_irq(struct list_lru *lru, int node,
				    struct mem_cgroup *owner, list_lru_walk_cb show_to,
				    void *arg, unsigned long *left)
{
	struct list_lru_walk w = { show_to, arg, left };
	struct list_lru_one *l = get_list(lru, node, owner);

	for (; l; l = walk_on(&w, &lru->node[node], l)) {
		spin_lock_irq(&l->lock);
		walk_list(&w, l);
		spin_unlock_irq(&l->lock);
	}
	return w.nr_isolated;
}

/**
 * list_lru_walk_node() - walk the lists of a node, those of memcgs last
 * @lru: the list_lru
 * @node: the node
 * @show_to: is shown each object, see list_lru_walk_one()
 * @arg: what it is given
 * @left: objects that may be shown; what is left of them
 *
 * Context: as @show_to; takes L.
 *
 * Return: how many objects have been taken off.
 */
unsigned long list_lru_walk_node(struct list_lru *lru, int node, list_lru_walk_cb show_to,
				 void *arg, unsigned long *left)
{
	unsigned long nr = list_lru_walk_one(lru, node, NULL, show_to, arg, left);
	struct list_lru_walk w = { show_to, arg, left };
	struct list_lru_node *nlru = &lru->node[node];
	struct list_lru_sub *sub = NULL;

	while (*left && (sub = list_lru_next_sub(nlru, sub))) {
		spin_lock(&sub->one.lock);
		walk_list(&w, &sub->one);
		spin_unlock(&sub->one.lock);
	}
	if (sub)
		list_lru_put(nlru, &sub->one);
	return nr + w.nr_isolated;
}
EXPORT_SYMBOL_GPL(list_lru_walk_node);
