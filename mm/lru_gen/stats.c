// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the folios of each generation.
 */
#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/string.h>

#include "internal.h"

/**
 * DOC: stats
 *
 * Eviction counts, by type and tier, the pages it let go, those it moved up
 * instead, and those that came back. All of it is put on the account of the
 * generation that is the oldest at the time. When that generation is closed, its
 * counts go into decaying averages, each newer generation weighing as much as
 * all before it together.
 *
 * Without CONFIG_LRU_GEN_STATS there is one set of counts, handed on from one
 * oldest generation to the next. With it each generation keeps its own until its
 * place in the window is taken.
 */

static struct lru_gen_history *oldest_of(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	return lru_gen_history_of(w, lru_gen_min_seq(w));
}

/**
 * lru_gen_count_refaulted() - count pages that came back after eviction
 * @lruvec: lruvec they were evicted from
 * @type: their type
 * @tier: the tier they were evicted in
 * @nr: how many
 *
 * Context: any; takes no lock.
 */
void lru_gen_count_refaulted(struct lruvec *lruvec, enum lru_gen_type type,
			     unsigned int tier, unsigned int nr)
{
	atomic_add(nr, &oldest_of(lruvec)->refaulted[type][tier]);
}

/**
 * lru_gen_count_evicted() - count pages that went
 * @lruvec: their lruvec
 * @type: their type
 * @tier: the tier they were in
 * @nr: how many
 *
 * Context: any; takes no lock.
 */
void lru_gen_count_evicted(struct lruvec *lruvec, enum lru_gen_type type,
			   unsigned int tier, unsigned int nr)
{
	atomic_add(nr, &oldest_of(lruvec)->evicted[type][tier]);
}

/**
 * lru_gen_count_protected() - count pages moved up when eviction met them
 * @lruvec: their lruvec
 * @type: their type
 * @tier: the tier they were in
 * @nr: how many
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_count_protected(struct lruvec *lruvec, enum lru_gen_type type,
			     unsigned int tier, unsigned int nr)
{
	u32 *count = &oldest_of(lruvec)->protected[type][tier];

	lockdep_assert_held(&lruvec->lru_lock);
	WRITE_ONCE(*count, *count + nr);
}

/**
 * lru_gen_count_walk() - count what a page-table walk has seen
 * @lruvec: lruvec it was made for
 * @nr: what it counted, by enum lru_gen_walk_item
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_count_walk(struct lruvec *lruvec, const unsigned long *nr)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long *walk = lru_gen_history_of(w, w->max_seq)->walk;
	int i;

	lockdep_assert_held(&lruvec->lru_lock);
	for (i = 0; i < LRU_GEN_NR_WALK_ITEMS; i++)
		WRITE_ONCE(walk[i], walk[i] + nr[i]);
}

/**
 * lru_gen_read_tally() - what eviction did to a tier
 * @w: window
 * @type: type of the folios
 * @tier: their tier
 * @seq: a generation with a history, see lru_gen_has_history()
 *
 * Context: any; without lru_lock the values may be a moment old.
 * Return: the counts, in pages.
 */
struct lru_gen_tally lru_gen_read_tally(struct lru_gen_window *w,
					enum lru_gen_type type, unsigned int tier,
					unsigned long seq)
{
	struct lru_gen_history *h = lru_gen_history_of(w, seq);

	return (struct lru_gen_tally) {
		.refaulted = (u32)atomic_read(&h->refaulted[type][tier]),
		.evicted = (u32)atomic_read(&h->evicted[type][tier]),
		.protected = READ_ONCE(h->protected[type][tier]),
	};
}

static void blend(u32 *average, u64 nr)
{
	WRITE_ONCE(*average, min((*average + nr) / 2, (u64)U32_MAX));
}

/* Off what was read, not to zero: others go on counting meanwhile. */
static void hand_on(struct lru_gen_history *h, enum lru_gen_type type,
		    unsigned int tier, const struct lru_gen_tally *t)
{
	atomic_sub(t->refaulted, &h->refaulted[type][tier]);
	atomic_sub(t->evicted, &h->evicted[type][tier]);
	WRITE_ONCE(h->protected[type][tier], 0);
}

static void carry_tier(struct lru_gen_window *w, enum lru_gen_type type, unsigned int tier,
		       unsigned long seq)
{
	struct lru_gen_stats *stats = &w->stats;
	struct lru_gen_tally t = lru_gen_read_tally(w, type, tier, seq);

	blend(&stats->avg_refaulted[type][tier], t.refaulted);
	blend(&stats->avg_total[type][tier], t.evicted + t.protected);
	if (LRU_GEN_NR_HISTORY == 1)
		hand_on(&stats->history[0], type, tier, &t);
}

/**
 * lru_gen_stats_carry() - close the account of a generation
 * @lruvec: lruvec
 * @seq: the generation, which has been the oldest
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_stats_carry(struct lruvec *lruvec, unsigned long seq)
{
	unsigned int tier;
	int type;

	lockdep_assert_held(&lruvec->lru_lock);
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (tier = 0; tier < MAX_NR_TIERS; tier++)
			carry_tier(&lruvec->lrugen, type, tier, seq);
}

/**
 * lru_gen_stats_open() - begin the account of a generation
 * @lruvec: lruvec
 * @seq: generation that is about to become the youngest
 *
 * Its place is taken from one that has left the window.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_stats_open(struct lruvec *lruvec, unsigned long seq)
{
	struct lru_gen_history *h = lru_gen_history_of(&lruvec->lrugen, seq);

	lockdep_assert_held(&lruvec->lru_lock);
	if (LRU_GEN_NR_HISTORY > 1)
		memset(h, 0, sizeof(*h));
}
