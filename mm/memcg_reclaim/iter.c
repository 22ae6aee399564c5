// SPDX-License-Identifier: GPL-2.0
/*
 * Whose turn it is in a subtree: the order that all its reclaimers share.
 */
#include <kunit/static_stub.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>

#include "../lru_gen/evict.h"
#include "internal.h"

/**
 * DOC: iter
 *
 * A memcg with something to give has two shares: its own folios, and all that is
 * in its subtree. The first stands in its own queue, the second in the queue of
 * the memcg above. A queue is ordered by what its shares have given by now as parts
 * of their weights; who has given the least is next. To find who is next in a
 * subtree is to go down from its top, the first of each queue in turn::
 *
 *      top:  [ a.all ] [ top.self ] [ b.all ]
 *                |
 *                v
 *        a:  [ a.self ] [ a1.all ]        next: a
 *
 * So there is no position that could be lost. Reclaimers who come at the same time
 * find different memcgs, because what is asked for is charged at once and what was
 * not given is returned afterwards; one who stops early leaves the rest to the
 * memcg. Who goes leaves the order of the others as it is, who comes or comes back
 * stands with those that are next. Memcgs without folios are in no queue and cost
 * nothing, however many there are.
 *
 * A weight is what a memcg could give beyond its protection, in pages of the types that
 * can be evicted at all. Only a visit knows it. While lists grow between two visits, the
 * part of the pages that counts is taken to be the same. What a memcg has given ahead of
 * the others is kept in pages when its weight changes.
 *
 * What is charged in a subtree says nothing about its place among its neighbours:
 * what a memcg loses to its own limit does not spare it the next time one above it
 * has hit its own.
 *
 * The bound: of two shares in a queue that have the same weight throughout and give
 * what they are asked for, neither gives more than the other by more than the
 * largest request, plus what is asked of both at that moment.
 * tests/iter_kunit.c checks it.
 */

static struct memcg_iter_share *share_of(const struct rb_node *node)
{
	return rb_entry(node, struct memcg_iter_share, node);
}

static bool comes_before(struct rb_node *a, const struct rb_node *b)
{
	return (s64)(share_of(a)->pass - share_of(b)->pass) < 0;
}

static void enqueue(struct memcg_iter *at, struct memcg_iter_share *share)
{
	rb_add_cached(&share->node, &at->queue, comes_before);
}

static void dequeue(struct memcg_iter *at, struct memcg_iter_share *share)
{
	rb_erase_cached(&share->node, &at->queue);
}

/* Move @share by @by turnovers in the queue of @at; it may be gone by now. */
static void move(struct memcg_iter *at, struct memcg_iter_share *share, s64 by)
{
	if (!share->weight)
		return;
	dequeue(at, share);
	share->pass += by;
	enqueue(at, share);
}

/* @nr pages as a part of what @share has, which is no more than all of it. */
static s64 turnovers(const struct memcg_iter_share *share, unsigned long nr)
{
	if (nr >= share->weight)
		return MEMCG_ITER_TURNOVER;
	return mul_u64_u64_div_u64(nr, MEMCG_ITER_TURNOVER, share->weight);
}

static void charge_share(struct memcg_iter *at, struct memcg_iter_share *share, long nr)
{
	s64 by = turnovers(share, abs(nr));

	move(at, share, nr < 0 ? -by : by);
}

/* Charge @nr pages to @it, and to all it is part of below @top. */
static void charge(struct memcg_iter *top, struct memcg_iter *it, long nr)
{
	lockdep_assert_held(&it->root->lock);
	charge_share(it, &it->self, nr);
	for (; it != top; it = it->parent)
		charge_share(it->parent, &it->all, nr);
}

static void set_weight(struct memcg_iter *at, struct memcg_iter_share *share,
		       unsigned long weight)
{
	unsigned long old = share->weight;
	s64 ahead = share->pass - at->now;

	if (!old) {
		share->pass = at->now;
		share->weight = weight;
		enqueue(at, share);
		return;
	}
	if (!weight)
		dequeue(at, share);
	else if (ahead > 0)
		/* What it has given ahead of the others is as many pages as before. */
		move(at, share, min(mul_u64_u64_div_u64(ahead, old, weight),
				    MEMCG_ITER_TURNOVER) - ahead);
	share->weight = weight;
}

/* Give @it, and all it is part of, a new weight; 0 if it has no pages. */
static void weigh(struct memcg_iter *it, unsigned long weight, unsigned long nr_pages)
{
	unsigned long old = it->self.weight;
	int come = !!weight - !!old;

	lockdep_assert_held(&it->root->lock);
	/* One page more or less of a list that is not short changes nothing. */
	WRITE_ONCE(it->mark, weight ? 2 * max(nr_pages, weight) : 0);
	if (weight == old)
		return;
	set_weight(it, &it->self, weight);
	for (; it; it = it->parent) {
		WRITE_ONCE(it->nr, it->nr + come);
		if (it->parent)
			set_weight(it->parent, &it->all, it->all.weight - old + weight);
	}
}

/**
 * memcg_iter_add() - let a memcg have a place in its subtrees
 * @it: that of the memcg, zeroed
 * @parent: that of the memcg above; NULL for the root, which comes first
 *
 * Context: process context, before the memcg can have folios.
 */
void memcg_iter_add(struct memcg_iter *it, struct memcg_iter *parent)
{
	spin_lock_init(&it->lock);
	it->queue = RB_ROOT_CACHED;
	it->parent = parent;
	/* Pairs with the read in memcg_walk_slab(). */
	smp_store_release(&it->root, parent ? parent->root : it);
}

/**
 * memcg_iter_weigh() - set the weight of a memcg
 * @it: that of the memcg
 * @weight: pages it could give; with 0, no request finds it until it gets some
 * @nr_pages: pages on its lists
 *
 * Context: any; takes the lock of the tree.
 */
void memcg_iter_weigh(struct memcg_iter *it, unsigned long weight, unsigned long nr_pages)
{
	unsigned long flags;

	spin_lock_irqsave(&it->root->lock, flags);
	weigh(it, weight, nr_pages);
	spin_unlock_irqrestore(&it->root->lock, flags);
}

/**
 * memcg_iter_grow() - tell that a memcg has got its first pages, or far more
 * @it: that of the memcg
 * @nr_pages: pages on its lists
 *
 * Context: any; takes the lock of the tree.
 */
void memcg_iter_grow(struct memcg_iter *it, unsigned long nr_pages)
{
	unsigned long flags, weight = nr_pages;

	spin_lock_irqsave(&it->root->lock, flags);
	if (it->self.weight)
		weight = mul_u64_u64_div_u64(it->self.weight, 2 * nr_pages, it->mark);
	weigh(it, max(weight, 1UL), nr_pages);
	spin_unlock_irqrestore(&it->root->lock, flags);
}

/**
 * memcg_iter_hold() - keep a memcg from being freed
 * @it: that of the memcg
 *
 * Context: any.
 * Return: false if it is about to be.
 */
bool memcg_iter_hold(struct memcg_iter *it)
{
	KUNIT_STATIC_STUB_REDIRECT(memcg_iter_hold, it);
	return css_tryget(&memcg_iter_memcg(it)->css);
}

/* Who has given the least of what there is in the subtree of @it. */
static struct memcg_iter *first_below(struct memcg_iter *it)
{
	struct rb_node *node;

	lockdep_assert_held(&it->root->lock);
	while ((node = rb_first_cached(&it->queue))) {
		struct memcg_iter_share *share = share_of(node);

		if ((s64)(share->pass - it->now) > 0)
			it->now = share->pass;
		if (share == &it->self)
			return it;
		it = container_of(share, struct memcg_iter, all);
	}
	return NULL;
}

/*
 * A memcg that alone has something in its subtree, as most that hit their limit
 * are: whose turn it is needs no lock. Its holder asks, so it stays.
 */
static bool take_alone(struct memcg_iter_turn *t)
{
	if (READ_ONCE(t->top->nr) != 1 || !READ_ONCE(t->top->mark))
		return false;
	if (!memcg_iter_hold(t->top))
		return false;
	t->it = t->top;
	t->nr = t->limit;
	t->alone = true;
	return true;
}

/**
 * memcg_iter_take() - begin the turn of whoever is next
 * @t: the turn; its top and limit are given, the rest is set
 *
 * What it will be asked for, nr pages, is charged already.
 *
 * Context: any; takes the lock of the tree.
 * Return: false if nobody has anything. Else the memcg is held.
 */
bool memcg_iter_take(struct memcg_iter_turn *t)
{
	struct memcg_iter *top = t->top, *it;
	unsigned long flags;

	t->alone = false;
	if (take_alone(t))
		return true;
	spin_lock_irqsave(&top->root->lock, flags);
	while ((it = first_below(top)) && !memcg_iter_hold(it))
		/* It is about to be let go. */
		weigh(it, 0, 0);
	t->it = it;
	if (it) {
		t->nr = min3(t->limit, MEMCG_LRU_BATCH, it->self.weight);
		charge(top, it, t->nr);
	}
	spin_unlock_irqrestore(&top->root->lock, flags);
	return it;
}

/* Nobody compares, and its neighbours need to know its weight only roughly. */
static bool needs_no_settling(const struct memcg_iter_turn *t, unsigned long weight)
{
	unsigned long known = READ_ONCE(t->it->self.weight);

	return t->alone && weight <= 2 * known && known <= 2 * weight;
}

/**
 * memcg_iter_settle() - end a turn
 * @t: the turn
 * @weight: pages it could give, as it has turned out
 * @nr_pages: pages on its lists
 * @nr: pages it is charged in place of what was asked for; negative if some are given back
 *
 * Context: any; takes the lock of the tree.
 */
void memcg_iter_settle(struct memcg_iter_turn *t, unsigned long weight,
		       unsigned long nr_pages, long nr)
{
	struct memcg_iter *it = t->it;
	unsigned long flags;

	if (needs_no_settling(t, weight))
		return;
	spin_lock_irqsave(&it->root->lock, flags);
	/* Whether it has become empty is not for us to say. */
	if (it->self.weight)
		weigh(it, max(weight, 1UL), nr_pages);
	if (!t->alone)
		charge(t->top, it, nr - (long)t->nr);
	spin_unlock_irqrestore(&it->root->lock, flags);
}
