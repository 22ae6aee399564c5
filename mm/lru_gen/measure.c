// SPDX-License-Identifier: GPL-2.0
/*
 * What can be read off a window.
 */
#include <linux/list.h>
#include <linux/minmax.h>

#include "evict.h"
#include "internal.h"

/**
 * DOC: measure
 *
 * Sizes, for those who decide and those who look. Nothing here writes. Without
 * lru_lock a value may be a moment old, which every caller can live with: it
 * looks again once it holds the lock.
 */

/**
 * lru_gen_size() - size of a generation
 * @w: window
 * @type: type of folios counted
 * @seq: generation
 *
 * Context: any; without lru_lock the value may be a moment old.
 * Return: pages; 0 if there is no such generation.
 */
unsigned long lru_gen_size(const struct lru_gen_window *w,
			   enum lru_gen_type type, unsigned long seq)
{
	unsigned int slot = lru_gen_slot(w, seq), tier;
	unsigned long nr = 0;

	if (seq < lru_gen_min_seq(w) || seq > READ_ONCE(w->max_seq))
		return 0;
	for (tier = 0; tier < MAX_NR_TIERS; tier++)
		nr += READ_ONCE(w->policy.ages.heap[slot][tier][type].nr);
	return nr;
}

/**
 * lru_gen_list_shown() - where users see the folios of a list
 * @at: the list
 *
 * What has been used again is what users know as the active list.
 *
 * Return: LRU_{INACTIVE,ACTIVE}_{ANON,FILE}.
 */
enum lru_list lru_gen_list_shown(const struct lru_gen_place *at)
{
	enum lru_list lru = at->type == LRU_GEN_FILE ? LRU_INACTIVE_FILE : LRU_INACTIVE_ANON;

	return at->tier >= LRU_GEN_KEPT ? lru + LRU_ACTIVE : lru;
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
	unsigned long nr = 0;
	int zone;

	for (zone = 0; zone <= highest; zone++)
		nr += max(READ_ONCE(w->nr_pages[type][zone]), 0L);
	return nr;
}

/**
 * lru_gen_is_empty() - whether a lruvec has no folio in any generation
 * @lruvec: lruvec
 *
 * Context: any; with lruvec->lru_lock held it stays so.
 * Return: whether it has not.
 */
bool lru_gen_is_empty(const struct lruvec *lruvec)
{
	return !lru_gen_total(&lruvec->lrugen, LRU_GEN_ANON, MAX_NR_ZONES - 1) &&
	       !lru_gen_total(&lruvec->lrugen, LRU_GEN_FILE, MAX_NR_ZONES - 1);
}

/* The list with that number, of those of all slots, tiers and types. */
static bool list_valid(const struct lru_gen_window *w, unsigned int number)
{
	const struct lru_gen_heap *heap = w->policy.ages.heap[0][0];
	const struct list_head *list = w->lists[0][0];

	return list_empty(&list[number]) == !heap[number].nr;
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
	const struct lru_gen_ages *a = &w->policy.ages;
	unsigned int i;

	if (a->nr_gens < MIN_NR_GENS || a->nr_gens > MAX_NR_GENS)
		return false;
	for (i = 0; i < LRU_GEN_NR_PLACES * LRU_GEN_NR_TYPES; i++)
		if (!list_valid(w, i))
			return false;
	return true;
}
