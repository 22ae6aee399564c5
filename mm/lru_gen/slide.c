// SPDX-License-Identifier: GPL-2.0
/*
 * How the window of generations slides.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/swap.h>

#include "internal.h"

/**
 * DOC: slide
 *
 * A generation is opened at the young end. Where all slots are taken, the two oldest
 * become one first: the smaller gives its folios to the larger, at the end that keeps
 * lists in order. And what has been new for its time becomes old, in its generation unless
 * it was used.
 */

/**
 * lru_gen_open() - add a generation at the young end
 * @lruvec: lruvec
 *
 * Context: lruvec->lru_lock held.
 * Return: false if there is no free slot; see lru_gen_merge().
 */
bool lru_gen_open(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	lockdep_assert_held(&lruvec->lru_lock);
	if (w->policy.ages.nr_gens == MAX_NR_GENS)
		return false;

	lru_gen_stats_open(lruvec, w->max_seq + 1);
	lru_gen_ages_open(&w->policy.ages);
	WRITE_ONCE(w->birth[w->policy.ages.order[0]], jiffies);
	WRITE_ONCE(w->youngest[w->policy.ages.order[0]], jiffies);
	WRITE_ONCE(w->max_seq, w->max_seq + 1);
	return true;
}

/**
 * lru_gen_close() - drop empty generations at the old end
 * @lruvec: lruvec
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_close(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long oldest = lru_gen_min_seq(w);

	lockdep_assert_held(&lruvec->lru_lock);
	while (lru_gen_ages_close(&w->policy.ages))
		lru_gen_stats_carry(lruvec, oldest++);
}

/* Returns how many more pages may be moved. */
static unsigned long merge_list(struct lru_gen_window *w, const struct lru_gen_place *from,
				unsigned long most)
{
	const struct lru_gen_merger *m = &w->policy.ages.merger;
	struct lru_gen_place to = { .gen = m->to, .tier = from->tier, .type = from->type };
	struct list_head *list = lru_gen_list(w, from);

	while (most && !list_empty(list)) {
		struct folio *folio = m->older ? list_first_entry(list, struct folio, lru) :
						 lru_to_folio(list);

		lru_gen_merge_folio(w, folio, from);
		if (m->older)
			list_move_tail(&folio->lru, lru_gen_list(w, &to));
		else
			list_move(&folio->lru, lru_gen_list(w, &to));
		most -= min_t(unsigned long, most, folio_nr_pages(folio));
	}
	return most;
}

/**
 * lru_gen_merge() - go on to make the two oldest generations one, if no slot is free
 * @lruvec: lruvec
 * @most: pages to move at most, and the rest of a large folio
 *
 * Context: lruvec->lru_lock held.
 * Return: true once a generation can be opened; false to be called again.
 */
bool lru_gen_merge(struct lruvec *lruvec, unsigned long most)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct lru_gen_ages *a = &w->policy.ages;
	unsigned long oldest = lru_gen_min_seq(w);
	struct lru_gen_place at;

	lockdep_assert_held(&lruvec->lru_lock);
	if (!lru_gen_merge_start(a))
		return true;
	WRITE_ONCE(w->birth[a->merger.to], w->birth[a->order[a->nr_gens - 1]]);
	WRITE_ONCE(w->youngest[a->merger.to], w->youngest[a->order[a->nr_gens - 2]]);
	at.gen = a->merger.from;
	for (at.type = 0; at.type < LRU_GEN_NR_TYPES; at.type++)
		for (at.tier = 0; at.tier < MAX_NR_TIERS; at.tier++) {
			most = merge_list(w, &at, most);
			if (!list_empty(lru_gen_list(w, &at)))
				return false;
		}
	lru_gen_merge_end(a);
	lru_gen_stats_carry(lruvec, oldest);
	return true;
}

/* The folio of NEW that has been idle for longest; there is one. */
static struct folio *oldest_new(struct lru_gen_window *w)
{
	const struct lru_gen_ages *a = &w->policy.ages;
	struct lru_gen_place anon = { .tier = LRU_GEN_NEW, .type = LRU_GEN_ANON };
	struct lru_gen_place file = { .tier = LRU_GEN_NEW, .type = LRU_GEN_FILE };
	bool has_anon = lru_gen_tail(a, &anon), has_file = lru_gen_tail(a, &file);

	if (has_anon && (!has_file || lru_gen_tail_age(a, &anon) > lru_gen_tail_age(a, &file)))
		return lru_to_folio(lru_gen_list(w, &anon));
	return lru_to_folio(lru_gen_list(w, &file));
}

/* Batches moved by one call: about a millisecond. */
#define TRIM_BATCHES	64

/* Of what is NEW beyond @goal, as much as is to be moved with lru_lock held once. */
static void trim_batch(struct lruvec *lruvec, unsigned long goal)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct lru_gen_moved moved = { };
	unsigned int most = LRU_GEN_LOCK_BATCHES * SWAP_CLUSTER_MAX;
	unsigned int used = lru_gen_tier_above(LRU_GEN_NEW);

	for (; most && lru_gen_nr_of(&w->policy.ages, LRU_GEN_NEW) > goal; most--) {
		struct folio *folio = oldest_new(w);

		if (lru_gen_folio_refs(folio))
			lru_gen_spare_folio(lruvec, folio, used, &moved);
		else
			lru_gen_age_folio(lruvec, folio);
	}
	lru_gen_account_moved(lruvec, &moved);
}

/**
 * lru_gen_trim_new() - leave NEW its share
 * @lruvec: lruvec
 * @goal: pages that it may have
 *
 * What is older becomes OLD in its generation, or in the youngest if it is marked as used.
 * Accessed bits cannot be asked for here; a walk or eviction will. Where memory filled up without
 * reclaim, nearly all is NEW: it takes several calls, for nobody is to wait for all of it.
 *
 * Context: lruvec->lru_lock held; it may be released for a moment.
 * Return: whether there was anything to do.
 */
bool lru_gen_trim_new(struct lruvec *lruvec, unsigned long goal)
{
	const struct lru_gen_ages *a = &lruvec->lrugen.policy.ages;
	unsigned int left = TRIM_BATCHES;

	lockdep_assert_held(&lruvec->lru_lock);
	if (lru_gen_nr_of(a, LRU_GEN_NEW) <= goal)
		return false;
	trim_batch(lruvec, goal);
	while (--left && lru_gen_nr_of(a, LRU_GEN_NEW) > goal) {
		lru_gen_relax(lruvec);
		trim_batch(lruvec, goal);
	}
	return true;
}

/**
 * lru_gen_init_lruvec() - set up the window of a new lruvec
 * @lruvec: lruvec, zeroed
 *
 * Context: process context or boot; nobody else knows @lruvec yet.
 */
void lru_gen_init_lruvec(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct list_head *lists = w->lists[0][0];
	int i;

	lru_gen_policy_init(&w->policy);
	w->max_seq = MIN_NR_GENS;
	w->enabled = lru_gen_enabled();
	for (i = 0; i < MAX_NR_GENS; i++) {
		w->birth[i] = jiffies;
		w->youngest[i] = jiffies;
	}
	for (i = 0; i < LRU_GEN_NR_PLACES * LRU_GEN_NR_TYPES; i++)
		INIT_LIST_HEAD(&lists[i]);
}
