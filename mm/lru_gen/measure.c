// SPDX-License-Identifier: GPL-2.0
/*
 * What can be read off a window.
 */
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "evict.h"
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
 * lru_gen_list_shown() - where users see the folios of a generation
 * @w: window
 * @type: their type
 * @seq: the generation
 *
 * What has been used more than once is what users know as the active list.
 *
 * Return: LRU_{INACTIVE,ACTIVE}_{ANON,FILE}.
 */
enum lru_list lru_gen_list_shown(const struct lru_gen_window *w,
				 enum lru_gen_type type, unsigned long seq)
{
	enum lru_list lru = type == LRU_GEN_FILE ? LRU_INACTIVE_FILE : LRU_INACTIVE_ANON;

	return lru_gen_class(w, seq) ? lru + LRU_ACTIVE : lru;
}

/**
 * lru_gen_rise_of() - what uses do to the folios of a list
 * @w: window
 * @index: index of the list
 * @nr_uses: uses of each
 *
 * Context: lruvec->lru_lock held, for as long as the answer is to be of use.
 * Return: where the folios come from, and where they go.
 */
struct lru_gen_rise lru_gen_rise_of(const struct lru_gen_window *w, unsigned int index,
				    unsigned int nr_uses)
{
	unsigned int old = lru_gen_class(w, lru_gen_seq_at(w, index));
	unsigned int new = min(old + nr_uses, LRU_GEN_TOP_CLASS);

	return (struct lru_gen_rise){
		.from = index,
		.to = lru_gen_index(lru_gen_base(w) + new),
		.old = old,
		.new = new,
	};
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

/* How long the next folio to go has been on its list, in pages evicted since. */
static unsigned long age_of(const struct lru_gen_window *w, enum lru_gen_type type,
			    unsigned long seq)
{
	return READ_ONCE(w->feedback.clock) -
	       READ_ONCE(w->spans[lru_gen_index(seq)][type].oldest);
}

static void survey_type(const struct lru_gen_evict *e, enum lru_gen_type type,
			enum zone_type highest, struct lru_gen_survey *s)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	unsigned long seq = READ_ONCE(w->min_seq[type]);
	unsigned long longest = 0;

	s->oldest[type] = lru_gen_base(w);
	for (; seq <= READ_ONCE(w->max_seq); seq++) {
		unsigned long nr = lru_gen_size(w, type, seq, highest);

		s->nr[type][lru_gen_class(w, seq)] += nr;
		s->nr_total += nr;
		if (!nr || lru_gen_class(w, seq))
			continue;
		/* Of two that are as old by evictions, the one opened first is older in time. */
		if (s->nr[type][0] > nr && age_of(w, type, seq) <= longest)
			continue;
		longest = age_of(w, type, seq);
		s->oldest[type] = seq;
	}
}

/**
 * lru_gen_survey() - count what a visit can choose from
 * @e: the visit; its types and zones are counted
 * @s: what was found
 *
 * Context: any; without lru_lock it may be a moment old.
 */
void lru_gen_survey(const struct lru_gen_evict *e, struct lru_gen_survey *s)
{
	int type;

	memset(s, 0, sizeof(*s));
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (e->may_evict[type])
			survey_type(e, type, e->sc->reclaim_idx, s);
}

/**
 * lru_gen_survey_all() - count what any request can choose from
 * @e: a visit
 * @s: what was found, in all zones and of all types that can be evicted
 *
 * What is measured over time must not depend on who has come by.
 *
 * Context: any; without lru_lock it may be a moment old.
 */
void lru_gen_survey_all(const struct lru_gen_evict *e, struct lru_gen_survey *s)
{
	int type;

	memset(s, 0, sizeof(*s));
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (e->may_age[type])
			survey_type(e, type, MAX_NR_ZONES - 1, s);
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
	unsigned long seq;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		if (lru_gen_width(w, type) < LRU_GEN_NR_CLASSES ||
		    lru_gen_width(w, type) > MAX_NR_GENS)
			return false;
		for (seq = w->min_seq[type]; seq <= w->max_seq; seq++)
			if (lru_gen_list_empty(w, lru_gen_index(seq), type) !=
			    !lru_gen_size(w, type, seq, MAX_NR_ZONES - 1))
				return false;
	}
	return true;
}
