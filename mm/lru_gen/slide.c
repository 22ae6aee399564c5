// SPDX-License-Identifier: GPL-2.0
/*
 * How the window of generations slides.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mmzone.h>

#include "internal.h"

/**
 * DOC: slide
 *
 * A generation is opened at the young end, and everything falls by a class; it is
 * closed at the old end once it is empty. No folio is touched by either. Where that is
 * not possible, the two oldest are merged.
 */

/* The generation that falls to class 0 is no longer "active" to users. */
static void retire_active(struct lruvec *lruvec, enum lru_gen_type type)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long seq = lru_gen_base(w) + 1;
	enum lru_list lru = lru_gen_list_shown(w, type, seq);
	int zone;

	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		long nr = w->nr_pages[lru_gen_index(seq)][type][zone];

		if (!nr)
			continue;
		lru_gen_account_size(lruvec, lru, zone, -nr);
		lru_gen_account_size(lruvec, lru - LRU_ACTIVE, zone, nr);
	}
}

/**
 * lru_gen_open() - add a generation at the young end
 * @lruvec: lruvec
 *
 * Context: lruvec->lru_lock held.
 * Return: false if the window is full for a type; see lru_gen_fold().
 */
bool lru_gen_open(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	lockdep_assert_held(&lruvec->lru_lock);
	if (!lru_gen_has_room(w))
		return false;

	retire_active(lruvec, LRU_GEN_ANON);
	retire_active(lruvec, LRU_GEN_FILE);
	lru_gen_stats_open(lruvec, w->max_seq + 1);
	lru_gen_note_open(&w->feedback);
	WRITE_ONCE(w->birth[lru_gen_index(w->max_seq + 1)], jiffies);
	WRITE_ONCE(w->max_seq, w->max_seq + 1);
	return true;
}

/**
 * lru_gen_close() - drop empty generations at the old end
 * @lruvec: lruvec
 * @type: type whose window is narrowed
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_close(struct lruvec *lruvec, enum lru_gen_type type)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	lockdep_assert_held(&lruvec->lru_lock);
	while (lru_gen_width(w, type) > LRU_GEN_NR_CLASSES &&
	       !lru_gen_size(w, type, w->min_seq[type], MAX_NR_ZONES - 1)) {
		lru_gen_stats_carry(lruvec, type);
		WRITE_ONCE(w->min_seq[type], w->min_seq[type] + 1);
	}
}

/* Returns how many more folios may be moved. */
static int fold_zone(struct lru_gen_window *w, struct list_head *from, struct list_head *to,
		     int nr)
{
	for (; nr && !list_empty(from); nr--) {
		struct folio *folio = list_first_entry(from, struct folio, lru);
		unsigned int index = lru_gen_folio_index(folio);

		lru_gen_restamp(w, folio, index, (index + 1) % MAX_NR_GENS);
		list_move_tail(&folio->lru, to);
	}
	return nr;
}

/**
 * lru_gen_fold() - merge the oldest generation into the next one
 * @lruvec: lruvec
 * @type: type whose window is narrowed
 * @nr: folios to move at most
 *
 * For a type that cannot be evicted at present and would keep the window full.
 * What was oldest stays oldest: folios go to the tail, the youngest first.
 *
 * Context: lruvec->lru_lock held.
 * Return: true once the window of @type has room; false to be called again.
 */
bool lru_gen_fold(struct lruvec *lruvec, enum lru_gen_type type, int nr)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned int from = lru_gen_index(w->min_seq[type]), to = (from + 1) % MAX_NR_GENS;
	bool was_empty = lru_gen_list_empty(w, to, type);
	int zone;

	lockdep_assert_held(&lruvec->lru_lock);
	lru_gen_span_fold(&w->spans[to][type], &w->spans[from][type], was_empty);
	lru_gen_span_fold(&w->times[to][type], &w->times[from][type], was_empty);
	for (zone = 0; zone < MAX_NR_ZONES; zone++)
		nr = fold_zone(w, &w->lists[from][type][zone], &w->lists[to][type][zone], nr);
	lru_gen_close(lruvec, type);
	return lru_gen_width(w, type) < MAX_NR_GENS;
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

	w->max_seq = LRU_GEN_TOP_CLASS;
	w->enabled = lru_gen_enabled();
	for (i = 0; i < MAX_NR_GENS; i++)
		w->birth[i] = jiffies;
	for (i = 0; i < LRU_GEN_NR_LISTS * MAX_NR_ZONES; i++)
		INIT_LIST_HEAD(&lists[i]);
}
