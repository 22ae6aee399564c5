// SPDX-License-Identifier: GPL-2.0
/*
 * Whose turn it is: the order of the memcgs of a node.
 */
#include <kunit/static_stub.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/spinlock.h>

#include "internal.h"

/**
 * DOC: memcg_lru
 *
 * Deficit round robin. A memcg on a node is a member of the node's order. Those
 * that have something to give are in the old generation until they have had their
 * turn in the round under way, and in the young one afterwards; when the old one
 * is empty, the two change places and the next round begins. A member that has
 * credit left after its turn, see credit.c, goes back to the tail of the old
 * generation, so whoever reclaims may stop at any time.
 *
 * Each generation is spread over shards, and a thread starts at a random one, so
 * that threads meet different members. Members that are protected are set aside,
 * and looked at again from time to time, or when it is that or nothing. Those
 * that have no folio are parked until they get one: they cost nothing.
 *
 * Where a round asks nobody, since all have to wait for credit, those that would ask nobody
 * either are skipped: all get the credit of these rounds at once.
 *
 * No step takes longer than the number of shards, save for the recheck of those
 * that are protected.
 */

/* How often protection is looked at again. */
#define RECHECK_INTERVAL	(HZ / 10)

/* Rounds missed by a member while it was in hand that are made up for. */
#define MAX_DUE			4U

static struct list_head *list_of(struct memcg_lru *lru, const struct memcg_lru_member *m)
{
	return &lru->lists[m->gen][m->shard];
}

static unsigned int old_gen(const struct memcg_lru *lru)
{
	return lru->round % 2;
}

static unsigned int young_gen(const struct memcg_lru *lru)
{
	return !old_gen(lru);
}

/* Take @m off the list it is on. */
static void leave(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	lockdep_assert_held(&lru->lock);
	if (m->place == MEMCG_LRU_LISTED)
		lru->nr[m->gen]--;
	else if (m->place == MEMCG_LRU_SPARED)
		lru->nr_spared--;
	else if (m->place == MEMCG_LRU_PARKED)
		lru->nr_parked--;
	list_del_init(&m->link);
}

static void enlist(struct memcg_lru *lru, struct memcg_lru_member *m, unsigned int gen)
{
	leave(lru, m);
	m->gen = gen;
	lru->nr[gen]++;
	WRITE_ONCE(m->place, MEMCG_LRU_LISTED);
	list_add_tail(&m->link, list_of(lru, m));
}

static void set_aside(struct memcg_lru *lru, struct memcg_lru_member *m,
		      enum memcg_lru_place place)
{
	leave(lru, m);
	WRITE_ONCE(m->place, place);
	if (place == MEMCG_LRU_SPARED)
		lru->nr_spared++;
	else
		lru->nr_parked++;
	list_add_tail(&m->link, place == MEMCG_LRU_SPARED ? &lru->spared : &lru->parked);
}

/* It comes back to the order, with what is due from this round on. */
static void rejoin(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	m->round = lru->round;
	m->due = 0;
	m->nr_skipped = lru->nr_skipped;
	enlist(lru, m, young_gen(lru));
}

/**
 * memcg_lru_init() - set up the order of a node
 * @lru: zeroed, or set up before: a node may come and go, its members stay
 *
 * Context: nobody else uses it.
 */
void memcg_lru_init(struct memcg_lru *lru)
{
	unsigned int gen, shard;

	if (lru->parked.next)
		return;
	spin_lock_init(&lru->lock);
	memcg_lru_slab_init(&lru->root_slab);
	INIT_LIST_HEAD(&lru->parked);
	INIT_LIST_HEAD(&lru->spared);
	for (gen = 0; gen < ARRAY_SIZE(lru->lists); gen++)
		for (shard = 0; shard < MEMCG_LRU_NR_SHARDS; shard++)
			INIT_LIST_HEAD(&lru->lists[gen][shard]);
}

/**
 * memcg_lru_add() - make a memcg a member, parked
 * @lru: the order of its node
 * @m: the member, zeroed
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_add(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	unsigned long flags;

	INIT_LIST_HEAD(&m->link);
	m->shard = get_random_u32_below(MEMCG_LRU_NR_SHARDS);
	spin_lock_irqsave(&lru->lock, flags);
	set_aside(lru, m, MEMCG_LRU_PARKED);
	spin_unlock_irqrestore(&lru->lock, flags);
}

/**
 * memcg_lru_del() - let a member go
 * @lru: the order of its node
 * @m: the member, or what has been one
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_del(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	if (m->place != MEMCG_LRU_OUT)
		leave(lru, m);
	WRITE_ONCE(m->place, MEMCG_LRU_OUT);
	spin_unlock_irqrestore(&lru->lock, flags);
}

/**
 * memcg_lru_park() - set a member aside that has nothing to give
 * @lru: the order of its node
 * @m: the member; a debt is remembered, credit is not
 *
 * Context: lock of its lruvec held, so that no folio comes meanwhile; takes
 * lru->lock.
 */
void memcg_lru_park(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	if (m->place != MEMCG_LRU_OUT) {
		m->credit = min_t(s64, m->credit, 0);
		set_aside(lru, m, MEMCG_LRU_PARKED);
	}
	spin_unlock_irqrestore(&lru->lock, flags);
}

/**
 * memcg_lru_wake() - list a member that has got something to give
 * @lru: the order of its node
 * @m: the member
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_wake(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	if (m->place == MEMCG_LRU_PARKED)
		rejoin(lru, m);
	spin_unlock_irqrestore(&lru->lock, flags);
}

/**
 * memcg_lru_scrape() - ask a member for all it has
 * @lru: the order of its node
 * @m: the member, whose cgroup has been removed
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_scrape(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	m->removed = true;
	if (m->place == MEMCG_LRU_LISTED || m->place == MEMCG_LRU_SPARED)
		enlist(lru, m, old_gen(lru));
	spin_unlock_irqrestore(&lru->lock, flags);
}

/**
 * memcg_lru_hold() - keep the memcg of a member from being freed
 * @m: the member
 *
 * Context: any.
 * Return: false if it is about to be.
 */
bool memcg_lru_hold(struct memcg_lru_member *m)
{
	KUNIT_STATIC_STUB_REDIRECT(memcg_lru_hold, m);
	return css_tryget(&lruvec_memcg(memcg_lru_lruvec(m))->css);
}

static void unspare(struct memcg_lru *lru)
{
	struct memcg_lru_member *m, *next;

	lockdep_assert_held(&lru->lock);
	list_for_each_entry_safe(m, next, &lru->spared, link) {
		m->round = lru->round - 1;
		m->nr_skipped = lru->nr_skipped;
		enlist(lru, m, old_gen(lru));
	}
}

/* Rounds that would ask none of those that have had a turn in the last one. */
static unsigned int nr_idle_rounds(const struct memcg_lru *lru)
{
	return lru->asked || !lru->nearest ? 0 : lru->nearest - 1;
}

/* All have had their turn: the next round begins. */
static void begin_round(struct memcg_lru *lru)
{
	lockdep_assert_held(&lru->lock);
	lru->round++;
	lru->nr_skipped += nr_idle_rounds(lru);
	lru->asked = false;
	lru->nearest = 0;
	if (lru->nr_weighed) {
		lru->mean = div_u64(lru->weight, lru->nr_weighed);
		lru->weighed = jiffies;
	}
	lru->weight = 0;
	lru->nr_weighed = 0;
	if (jiffies - lru->rechecked < RECHECK_INTERVAL)
		return;
	lru->rechecked = jiffies;
	unspare(lru);
}

/* The next in the old generation, from @shard on. */
static struct memcg_lru_member *first_old(struct memcg_lru *lru, unsigned int shard)
{
	struct list_head *lists = lru->lists[old_gen(lru)];
	unsigned int i;

	for (i = 0; i < MEMCG_LRU_NR_SHARDS; i++) {
		struct list_head *list = &lists[(shard + i) % MEMCG_LRU_NR_SHARDS];

		if (!list_empty(list))
			return list_first_entry(list, struct memcg_lru_member, link);
	}
	return NULL;
}

static struct memcg_lru_member *next_in_turn(struct memcg_lru *lru, unsigned int shard)
{
	lockdep_assert_held(&lru->lock);
	if (!lru->nr[old_gen(lru)])
		begin_round(lru);
	return first_old(lru, shard);
}

/* It counts as having had its turn, from now on. */
static void begin_turn(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	m->due = min(m->due + lru->round - m->round, MAX_DUE);
	m->round = lru->round;
	enlist(lru, m, young_gen(lru));
}

/**
 * memcg_lru_take() - begin the turn of whoever is next
 * @lru: the order
 * @shard: where to look first
 *
 * Context: any; takes lru->lock.
 * Return: the member, whose memcg is held; NULL if there is none.
 */
struct memcg_lru_member *memcg_lru_take(struct memcg_lru *lru, unsigned int shard)
{
	struct memcg_lru_member *m;
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	while ((m = next_in_turn(lru, shard)) && !memcg_lru_hold(m)) {
		/* It is about to be let go. */
		leave(lru, m);
		WRITE_ONCE(m->place, MEMCG_LRU_OUT);
	}
	if (m)
		begin_turn(lru, m);
	spin_unlock_irqrestore(&lru->lock, flags);
	return m;
}

/**
 * memcg_lru_take_parked() - hold the member that has been parked longest
 * @lru: the order
 *
 * The next call comes to another one.
 *
 * Context: any; takes lru->lock.
 * Return: the member, whose memcg is held; NULL if there is none.
 */
struct memcg_lru_member *memcg_lru_take_parked(struct memcg_lru *lru)
{
	struct memcg_lru_member *m;
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	m = list_first_entry_or_null(&lru->parked, struct memcg_lru_member, link);
	if (m)
		list_move_tail(&m->link, &lru->parked);
	if (m && !memcg_lru_hold(m))
		m = NULL;
	spin_unlock_irqrestore(&lru->lock, flags);
	return m;
}

/**
 * memcg_lru_again() - let a member have another turn in this round
 * @lru: the order
 * @m: the member
 *
 * If it has had one in this round; otherwise it will have one anyway.
 *
 * Context: lru->lock held.
 */
void memcg_lru_again(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	lockdep_assert_held(&lru->lock);
	if (m->place == MEMCG_LRU_LISTED && m->round == lru->round)
		enlist(lru, m, old_gen(lru));
}

/**
 * memcg_lru_end_turns() - let a member have no other turn in this round
 * @lru: the order
 * @m: the member
 *
 * Context: lru->lock held.
 */
void memcg_lru_end_turns(struct memcg_lru *lru, struct memcg_lru_member *m)
{
	lockdep_assert_held(&lru->lock);
	if (m->place == MEMCG_LRU_LISTED && m->round == lru->round)
		enlist(lru, m, young_gen(lru));
}

/**
 * memcg_lru_skip() - end a turn in which a member has nothing to give
 * @lru: the order
 * @m: the member
 * @spare: whether it is because of its protection
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_skip(struct memcg_lru *lru, struct memcg_lru_member *m, bool spare)
{
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	m->due = 0;
	m->credit = min_t(s64, m->credit, 0);
	if (spare && m->place == MEMCG_LRU_LISTED)
		set_aside(lru, m, MEMCG_LRU_SPARED);
	spin_unlock_irqrestore(&lru->lock, flags);
}

/**
 * memcg_lru_unspare() - look at the protected members again, now
 * @lru: the order
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_unspare(struct memcg_lru *lru)
{
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	unspare(lru);
	spin_unlock_irqrestore(&lru->lock, flags);
}

/**
 * memcg_lru_size() - how many members are listed
 * @lru: the order
 *
 * Context: any; the number may be a moment old.
 * Return: how many.
 */
unsigned int memcg_lru_size(struct memcg_lru *lru)
{
	return READ_ONCE(lru->nr[0]) + READ_ONCE(lru->nr[1]);
}
