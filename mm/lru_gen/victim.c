// SPDX-License-Identifier: GPL-2.0
/*
 * From which list of a lruvec the next batch is taken.
 */
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "../internal.h"
#include "evict.h"
#include "internal.h"

/**
 * DOC: victim
 *
 * What can be freed at once goes first. For the rest the policy is told which lists may
 * give, and names one. A debugfs command names a generation instead, and has what is older
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

/* A list of generation @seq that has folios; false if there is none. */
static bool list_in(struct lru_gen_evict *e, unsigned long seq)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	struct lru_gen_place at = { .gen = lru_gen_slot(w, seq) };

	for (at.tier = 0; at.tier < MAX_NR_TIERS; at.tier++)
		for (at.type = 0; at.type < LRU_GEN_NR_TYPES; at.type++)
			if (e->may_evict[at.type] &&
			    w->policy.ages.heap[at.gen][at.tier][at.type].nr) {
				e->at = at;
				return true;
			}
	return false;
}

/* The list a debugfs command takes from next: the oldest one, use or not. */
static bool oldest_list(struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	unsigned long seq;

	for (seq = lru_gen_min_seq(w); seq <= min(e->last_seq, w->max_seq); seq++)
		if (list_in(e, seq))
			return true;
	return false;
}

/*
 * min_ttl keeps the working set from the system's own reclaim, not from a limit. Lists
 * that are too young are passed over, so that others give while there are any.
 */
static bool may_be_young(const struct lru_gen_evict *e)
{
	return !READ_ONCE(lru_gen_min_ttl) || !root_reclaim(e->sc) || e->sc->proactive;
}

/* Much of it is there to be OLD first, and some of that is already. */
static bool new_is_large(const struct lru_gen_evict *e)
{
	const struct lru_gen_policy *p = &e->lruvec->lrugen.policy;

	return lru_gen_nr_of(&p->ages, LRU_GEN_OLD) &&
	       lru_gen_nr_of(&p->ages, LRU_GEN_NEW) > lru_gen_new_share(p) + SWAP_CLUSTER_MAX;
}

/*
 * What can't be freed now, for whatever reason, would be chosen again and again: once
 * this visit has met all of a tier without freeing any, others come.
 */
static bool may_give(const struct lru_gen_evict *e, enum lru_gen_type type, unsigned int tier)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	struct lru_gen_place at = { .type = type, .tier = tier };
	unsigned long met = e->nr_met[type][tier];

	if (!e->may_evict[type] || e->nr_vain[type][tier] >= w->policy.ages.nr[tier][type])
		return false;
	/* Not before it is down to its share: what goes from NEW is not asked if it is in use. */
	if (tier == LRU_GEN_NEW && !e->blind && new_is_large(e))
		return false;
	return may_be_young(e) ||
	       (lru_gen_tail_beyond(&w->policy.ages, &at, met) && !lru_gen_too_young(w, at.gen));
}

/* What can be freed at once is at the tail of OLD; it may have left in another way. */
static bool next_list(struct lru_gen_evict *e)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;
	const struct lru_gen_ages *a = &w->policy.ages;
	struct lru_gen_place at = { .tier = LRU_GEN_OLD };

	for (at.type = 0; at.type < LRU_GEN_NR_TYPES; at.type++) {
		unsigned long *nr = &w->nr_next[at.type];

		*nr = min_t(unsigned long, *nr, a->nr[LRU_GEN_OLD][at.type]);
		if (!*nr || !may_give(e, at.type, LRU_GEN_OLD) || !lru_gen_tail(a, &at) ||
		    a->heap[at.gen][at.tier][at.type].nr <= e->nr_met[at.type][at.tier])
			continue;
		e->at = at;
		return true;
	}
	return false;
}

/**
 * lru_gen_is_blind() - whether nothing is known yet of what is mapped
 * @lruvec: lruvec
 *
 * The first look tells nothing, since accessed bits are as old as memory is. A second later
 * they tell. Each look opens a generation.
 *
 * Context: any; the value may be a moment old.
 * Return: whether it was just now, or is still to come; false if nothing else is there, or
 * nothing can be freed.
 */
bool lru_gen_is_blind(const struct lruvec *lruvec)
{
	const struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long seq = READ_ONCE(w->max_seq);
	unsigned long looked = READ_ONCE(w->birth[lru_gen_slot(w, seq)]);

	if (READ_ONCE(w->all_mapped) || lru_gen_gives_nothing(lruvec))
		return false;
	return seq == MIN_NR_GENS || (seq == MIN_NR_GENS + 1 && time_before(jiffies, looked + HZ));
}

/**
 * lru_gen_found_in_use() - whether eviction finds in use what it asks
 * @w: window
 *
 * Where so many pages were found in use, and none was freed, use tells no page from another. So
 * it does where so many more were found than freed: in the long run, to ask costs no more than
 * a page found for each page freed. What is in use may come in a row, so what was freed counts
 * until all pages have been met once, half of them freed.
 *
 * Context: lruvec->lru_lock held.
 * Return: whether it does.
 */
bool lru_gen_found_in_use(const struct lru_gen_window *w)
{
	unsigned long most = lru_gen_patience(&w->policy);

	return w->nr_spared > most || w->nr_owed > (long)most;
}

static struct lru_gen_may who_may(const struct lru_gen_evict *e)
{
	struct lru_gen_may may = { };
	unsigned int tier;
	int type;

	memcpy(may.met, e->nr_met, sizeof(may.met));
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (tier = 0; tier < MAX_NR_TIERS; tier++)
			if (may_give(e, type, tier))
				may.tiers[type] |= BIT(tier);
	return may;
}

/* By what is known of use; of what is mapped, if nothing is, only where all is mapped. */
static bool best_list(struct lru_gen_evict *e)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;
	struct lru_gen_may may = who_may(e);

	if (next_list(e))
		return true;
	if (e->blind) {
		may.tiers[LRU_GEN_ANON] = 0;
		if (lru_gen_choose(&w->policy, &may, &e->at))
			return true;
		WRITE_ONCE(w->all_mapped, true);
		e->blind = false;
		memset(e->nr_met, 0, sizeof(e->nr_met));
		memset(e->nr_vain, 0, sizeof(e->nr_vain));
		may = who_may(e);
	}
	return lru_gen_choose(&w->policy, &may, &e->at);
}

/*
 * What differs by less is not told apart. *Tuned*: looks tell times to the second, and memcgs that
 * are filled one after the other, and idle since, are to give alike.
 */
#define LOOK_ERROR	(3 * HZ)

static bool tail_is_mapped(struct lru_gen_evict *e)
{
	struct list_head *list = lru_gen_list(&e->lruvec->lrugen, &e->at);

	return !list_empty(list) && folio_mapped(lru_to_folio(list));
}

/*
 * For how long it is known whether the tail of the list was used, in jiffies. The first look at
 * what is mapped tells that it was used before, not when. So nothing is known of what came in
 * before the last look and after the one before, but since that look. What is read is known from
 * when it came in.
 */
static unsigned long known_for(struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	const struct lru_gen_ages *a = &w->policy.ages;

	if (e->at.tier > LRU_GEN_OLD || e->at.gen != a->order[1] || !tail_is_mapped(e))
		return U32_MAX;
	return jiffies - w->birth[a->order[0]] + LOOK_ERROR;
}

/*
 * Policy: for how long the tail of the list has been idle, in jiffies. What is known of use
 * was counted by pages that came in. Where they come faster now than when the tail was used,
 * less time than that is as long by this count.
 */
static u32 idle_time(struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	const struct lru_gen_ages *a = &w->policy.ages;
	/* The youngest generation may have been opened a moment ago. */
	unsigned int since = a->order[1];
	u32 came = a->clock - a->birth[since];
	u32 idle = min3(jiffies - w->youngest[e->at.gen], known_for(e), U32_MAX - 1UL);
	u32 passed = min(jiffies - w->birth[since], U32_MAX - 1UL) + 1;

	return came ? (u32)min_t(u64, idle, div_u64((u64)e->age * passed, came)) : idle;
}

/* Policy: where memory is found in use, none of it counts as idle for longer than since then. */
static u64 rate_since_found(const struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;

	if (!lru_gen_found_in_use(w))
		return 0;
	return div64_u64(LRU_GEN_LAW_RATE / 100 * w->policy.cost[e->type],
			 jiffies - w->found + 1ULL);
}

/**
 * lru_gen_choose_list() - choose the list to take from next
 * @e: the visit; its list is set
 *
 * Context: lruvec->lru_lock held.
 * Return: false if there is nothing to take.
 */
bool lru_gen_choose_list(struct lru_gen_evict *e)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;
	bool found;

	lockdep_assert_held(&e->lruvec->lru_lock);
	found = e->last_seq == ULONG_MAX ? best_list(e) : oldest_list(e);
	if (!found)
		return false;
	e->type = e->at.type;
	e->seq = lru_gen_seq_at(w, e->at.gen);
	e->expected = lru_gen_expected(&w->policy, &e->at);
	e->age = lru_gen_tail_age(&w->policy.ages, &e->at);
	/* What has been written back is free at once, and was taken before. */
	if (w->nr_next[e->type] && e->at.tier == LRU_GEN_OLD)
		e->rate = 0;
	else
		e->rate = lru_gen_rate(&w->policy, &e->at, idle_time(e));
	e->rate = max(e->rate, rate_since_found(e));
	return true;
}
