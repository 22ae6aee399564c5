// SPDX-License-Identifier: GPL-2.0
/*
 * From which list of a lruvec the next batch is taken.
 */
#include <linux/memcontrol.h>
#include <linux/string.h>

#include "evict.h"
#include "internal.h"

/**
 * DOC: victim
 *
 * What choose.c decides is put to it here in numbers, and its answer found among
 * the lists. A debugfs command names a generation instead, and has what is older
 * emptied first, in use or not.
 */

/**
 * lru_gen_gives_nothing() - whether eviction has met all folios of a lruvec in vain
 * @lruvec: lruvec
 *
 * They may be pinned, or wait for writeback. The idea is that of zone_reclaimable() in
 * older kernels.
 *
 * Context: any; the value may be a moment old.
 * Return: false again once a page of it has been freed.
 */
bool lru_gen_gives_nothing(const struct lruvec *lruvec)
{
	const struct lru_gen_window *w = &lruvec->lrugen;

	return READ_ONCE(w->nr_vain) > READ_ONCE(w->nr_total);
}

/* The list a debugfs command takes from next: the oldest one, use or not. */
static bool oldest_list(struct lru_gen_evict *e, unsigned long *seq)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	int type;

	for (*seq = lru_gen_first(w); *seq <= e->last_seq; (*seq)++)
		for (type = 0; type < LRU_GEN_NR_TYPES; type++)
			if (e->may_evict[type] && *seq >= w->min_seq[type] &&
			    lru_gen_size(w, type, *seq, e->sc->reclaim_idx)) {
				e->type = type;
				return true;
			}
	return false;
}

/* The list of a type that has a class: of those at the bottom, the oldest. */
static unsigned long seq_of(const struct lru_gen_window *w, const struct lru_gen_survey *s,
			    const struct lru_gen_victim *v)
{
	return v->class ? lru_gen_base(w) + v->class : s->oldest[v->type];
}

/* What is to choose from, in numbers. */
static void tell_lists(const struct lru_gen_evict *e, const struct lru_gen_survey *s,
		       struct lru_gen_lists *l)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	struct lru_gen_victim v = { };
	unsigned int index;

	memcpy(l->nr, s->nr, sizeof(l->nr));
	l->nr_pages = s->nr_total;
	l->swappiness = e->swappiness;
	for (v.type = 0; v.type < LRU_GEN_NR_TYPES; v.type++) {
		for (v.class = 0; v.class < LRU_GEN_NR_CLASSES; v.class++) {
			index = lru_gen_index(seq_of(w, s, &v));
			l->age[v.type][v.class] = w->feedback.clock -
						  w->spans[index][v.type].oldest;
		}
	}
}

/*
 * What can't be freed now, for whatever reason, would be chosen again and again: once
 * this visit has met all of a class without freeing any, others come.
 */
static bool pass_over_vain(const struct lru_gen_evict *e, struct lru_gen_survey *s)
{
	unsigned int class;
	bool left = false;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		for (class = 0; class < LRU_GEN_NR_CLASSES; class++) {
			if (e->nr_vain[type][class] >= s->nr[type][class])
				s->nr[type][class] = 0;
			left |= s->nr[type][class];
		}
	}
	return left;
}

/* The list of a type that has a class has nothing to give that min_ttl lets go. */
static bool is_kept(const struct lru_gen_evict *e, const struct lru_gen_survey *s,
		    const struct lru_gen_victim *v)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;

	return lru_gen_too_young(&w->times[lru_gen_index(seq_of(w, s, v))][v->type]);
}

/*
 * min_ttl keeps the working set from the system's own reclaim, not from a limit. Lists
 * that are too young are passed over, so that others give while there are any.
 */
static bool pass_over_young(const struct lru_gen_evict *e, struct lru_gen_survey *s)
{
	struct lru_gen_victim v = { };
	bool left = false;

	if (!root_reclaim(e->sc) || e->sc->proactive)
		return true;
	for (v.type = 0; v.type < LRU_GEN_NR_TYPES; v.type++) {
		for (v.class = 0; v.class < LRU_GEN_NR_CLASSES; v.class++) {
			if (is_kept(e, s, &v))
				s->nr[v.type][v.class] = 0;
			left |= s->nr[v.type][v.class];
		}
	}
	return left;
}

/* Pages that aging, and what is known of refaults, go by. */
static unsigned long nr_agable(const struct lru_gen_evict *e)
{
	unsigned long nr = 0;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (e->may_age[type])
			nr += lru_gen_total(&e->lruvec->lrugen, type, MAX_NR_ZONES - 1);
	return nr;
}

/* By class, age and measured use. */
static bool best_list(struct lru_gen_evict *e, unsigned long *seq)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;
	struct lru_gen_survey s;
	struct lru_gen_lists l;
	struct lru_gen_victim v;

	lru_gen_survey(e, &s);
	if (!s.nr_total)
		return false;
	WRITE_ONCE(w->nr_total, nr_agable(e));
	if (!pass_over_vain(e, &s) || !pass_over_young(e, &s))
		return false;
	tell_lists(e, &s, &l);
	lru_gen_choose_victim(&w->feedback, &l, &v);
	e->type = v.type;
	e->preferred = v.preferred;
	*seq = seq_of(w, &s, &v);
	return true;
}

/**
 * lru_gen_choose_list() - choose the list to take from next
 * @e: the visit; its type is set
 * @seq: generation of the list
 *
 * Context: lruvec->lru_lock held.
 * Return: false if there is nothing to take.
 */
bool lru_gen_choose_list(struct lru_gen_evict *e, unsigned long *seq)
{
	lockdep_assert_held(&e->lruvec->lru_lock);
	return e->last_seq == ULONG_MAX ? best_list(e, seq) : oldest_list(e, seq);
}
