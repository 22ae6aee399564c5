// SPDX-License-Identifier: GPL-2.0
/*
 * What can be read off a window.
 */
#include <linux/list.h>
#include <linux/minmax.h>

#include "internal.h"

/**
 * DOC: measure
 *
 * Sizes and positions, for those who decide. Nothing here writes. Without
 * lru_lock a value may be a moment old, which every caller can live with: it
 * looks again once it holds the lock.
 */

/**
 * lru_gen_size() - size of a generation
 * @w: window
 * @type: type of folios counted
 * @seq: generation
 * @highest: highest zone counted
 *
 * Context: any; without lru_lock the value may be a moment old.
 * Return: pages.
 */
unsigned long lru_gen_size(const struct lru_gen_window *w,
			   enum lru_gen_type type, unsigned long seq,
			   enum zone_type highest)
{
	unsigned long nr = 0;
	int zone;

	for (zone = 0; zone <= highest; zone++)
		nr += max(READ_ONCE(w->nr_pages[lru_gen_index(seq)][type][zone]), 0L);
	return nr;
}

/**
 * lru_gen_total() - size of all generations together
 * @w: window
 * @type: type of folios counted
 * @highest: highest zone counted
 *
 * Context: any; without lru_lock the value may be a moment old.
 * Return: pages.
 */
unsigned long lru_gen_total(const struct lru_gen_window *w,
			    enum lru_gen_type type, enum zone_type highest)
{
	unsigned long seq = READ_ONCE(w->min_seq[type]);
	unsigned long nr = 0;

	for (; seq <= READ_ONCE(w->max_seq); seq++)
		nr += lru_gen_size(w, type, seq, highest);
	return nr;
}

/**
 * lru_gen_nr_evictable() - what a visit could get at by aging and eviction
 * @e: the visit
 *
 * Context: any; without lru_lock the value may be a moment old.
 * Return: pages of the types it may evict, in the zones it is asked for.
 */
unsigned long lru_gen_nr_evictable(const struct lru_gen_evict *e)
{
	unsigned long nr = 0;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (e->may_evict[type])
			nr += lru_gen_total(&e->lruvec->lrugen, type,
					    e->sc->reclaim_idx);
	return nr;
}

/**
 * lru_gen_oldest() - the generation eviction takes from next
 * @w: window
 * @type: type of folios wanted
 * @highest: highest zone wanted
 *
 * Return: its number, or max_seq if there is nothing old in these zones.
 */
unsigned long lru_gen_oldest(const struct lru_gen_window *w,
			     enum lru_gen_type type, enum zone_type highest)
{
	unsigned long seq = READ_ONCE(w->min_seq[type]);

	for (; lru_gen_is_old(w, seq); seq++)
		if (lru_gen_size(w, type, seq, highest))
			return seq;
	return READ_ONCE(w->max_seq);
}

/**
 * lru_gen_window_valid() - check the invariants that can be read off cheaply
 * @lruvec: lruvec
 *
 * Context: lruvec->lru_lock held.
 * Return: false if one is broken.
 */
bool lru_gen_window_valid(const struct lruvec *lruvec)
{
	const struct lru_gen_window *w = &lruvec->lrugen;
	const struct list_head *lists = w->lists[0][0];
	const long *sizes = w->nr_pages[0][0];
	int i, type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (lru_gen_width(w, type) < MIN_NR_GENS ||
		    lru_gen_width(w, type) > MAX_NR_GENS)
			return false;

	for (i = 0; i < LRU_GEN_NR_LISTS; i++)
		if (list_empty(&lists[i]) != !sizes[i])
			return false;
	return true;
}
