// SPDX-License-Identifier: GPL-2.0
/*
 * Aging: when a generation is opened, and how long one is kept.
 */
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>

#include "command.h"
#include "evict.h"
#include "internal.h"
#include "walk.h"

/**
 * DOC: aging
 *
 * Use is looked for by evidence rather than by the clock: each time a part of the lruvec
 * has come in, accessed bits are collected, what is known is renewed and a generation is
 * opened. So an idle lruvec does not age.
 */

/* Pages moved by a merger with lru_lock held once. */
#define MERGE_BATCH	(4 * SWAP_CLUSTER_MAX)

/*
 * R: what has been used within this time, in jiffies, is not evicted by the
 * system, which kills a process when there is nothing else left. Zero is off.
 */
unsigned long lru_gen_min_ttl __read_mostly;

/**
 * lru_gen_too_young() - whether min_ttl protects what a generation has to give
 * @w: window
 * @slot: slot of the generation
 *
 * A folio comes to the youngest generation when it is first or again found in use.
 *
 * Context: any.
 * Return: true if its folios must not be evicted yet.
 */
bool lru_gen_too_young(const struct lru_gen_window *w, unsigned int slot)
{
	unsigned long ttl = READ_ONCE(lru_gen_min_ttl);

	return ttl && time_before(jiffies, READ_ONCE(w->youngest[slot]) + ttl);
}

/* Open the generation after @seq, for which there has to be room. */
static void open_after(struct lruvec *lruvec, unsigned long seq)
{
	lockdep_assert_held(&lruvec->lru_lock);
	while (!lru_gen_merge(lruvec, MERGE_BATCH))
		lru_gen_relax(lruvec);
	/* Another thread may have done it meanwhile. */
	if (lruvec->lrugen.max_seq == seq && lru_gen_open(lruvec))
		lru_gen_account_open(lruvec);
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

/**
 * lru_gen_inform() - let the policy know what it will be asked about
 * @e: the visit
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_inform(const struct lru_gen_evict *e)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;
	struct lru_gen_place at = { .tier = LRU_GEN_OLD };

	lockdep_assert_held(&e->lruvec->lru_lock);
	WRITE_ONCE(w->nr_total, nr_agable(e));
	lru_gen_policy_ask(&w->policy, e->swappiness, w->nr_total);
	lru_gen_expect_uses(&w->policy);
	for (at.type = 0; at.type < LRU_GEN_NR_TYPES; at.type++)
		lru_gen_note_used(&w->policy, &at, atomic_long_xchg(&w->nr_marked[at.type], 0));
	at.type = LRU_GEN_ANON;
	for (at.tier = 0; at.tier < MAX_NR_TIERS; at.tier++)
		lru_gen_note_soon(&w->policy, &at, atomic_long_xchg(&w->nr_freed[at.tier], 0));
}

/* One thread ends an interval: the first one that comes. */
static void end_interval(struct lru_gen_evict *e, u32 nr_intervals)
{
	struct lru_gen_policy *p = &e->lruvec->lrugen.policy;

	spin_lock_irq(&e->lruvec->lru_lock);
	if (p->nr_intervals == nr_intervals) {
		lru_gen_inform(e);
		lru_gen_end_interval(p);
		open_after(e->lruvec, e->lruvec->lrugen.max_seq);
	}
	spin_unlock_irq(&e->lruvec->lru_lock);
}

/*
 * Policy: who walks. Direct reclaim, which somebody waits for, does not join a
 * walk that another thread has begun; kswapd does, with an mm of its own. Of those
 * who took part, one ends the interval.
 */
static void look(struct lru_gen_evict *e, u32 nr_intervals)
{
	if (!current_is_kswapd() && lru_gen_walk_under_way(e->lruvec))
		return;
	if (lru_gen_walk(e->lruvec, false))
		end_interval(e, nr_intervals);
}

/*
 * Policy: whether memory in use would look idle beside that of others. Where nothing comes
 * in, no interval ends. A look each time that twice as much has passed is enough, since
 * idle times are compared by their ratio.
 */
static bool looks_idle(const struct lru_gen_window *w, unsigned long seq)
{
	unsigned long opened = READ_ONCE(w->birth[lru_gen_slot(w, seq)]);
	unsigned long before = READ_ONCE(w->birth[lru_gen_slot(w, seq - 1)]);
	unsigned long passed = jiffies - opened;

	return passed && passed / 2 >= opened - before;
}

/*
 * Not the end of an interval: what is known of the law is not renewed. What is found in
 * use comes to a generation that begins with the look, or it would seem to be idle for
 * all the time in which nobody looked. Where there are no walks, eviction alone looks.
 */
static void look_by_time(struct lruvec *lruvec, unsigned long seq)
{
	if (lru_gen_walk_under_way(lruvec))
		return;
	spin_lock_irq(&lruvec->lru_lock);
	open_after(lruvec, seq);
	spin_unlock_irq(&lruvec->lru_lock);
	if (lru_gen_can_walk())
		lru_gen_walk(lruvec, false);
}

/**
 * lru_gen_age() - look for use, if it is time to
 * @e: the visit
 *
 * A visit that is to keep what is used more than that of others looks by time, too.
 * Not while min_ttl goes by the ages of generations: more of them are shorter ones.
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 */
void lru_gen_age(struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	u32 nr_intervals = READ_ONCE(w->policy.nr_intervals);
	unsigned long seq = READ_ONCE(w->max_seq);

	/* Whoever is wrong about it walks in vain, or a batch later. */
	if (data_race(lru_gen_interval_over(&w->policy)))
		look(e, nr_intervals);
	else if (e->most_rate != LRU_GEN_ANY_RATE && !READ_ONCE(lru_gen_min_ttl) &&
		 looks_idle(w, seq))
		look_by_time(e->lruvec, seq);
}

/* Whether a type that the command is about takes up all slots. */
static bool window_full(const struct lru_gen_command *cmd)
{
	struct lruvec *lruvec = cmd->lruvec;
	const struct lru_gen_window *w = &lruvec->lrugen;
	bool full;

	spin_lock_irq(&lruvec->lru_lock);
	lru_gen_close(lruvec);
	full = w->policy.ages.nr_gens == MAX_NR_GENS &&
	       (cmd->swappiness || lru_gen_size(w, LRU_GEN_FILE, lru_gen_min_seq(w)));
	spin_unlock_irq(&lruvec->lru_lock);
	return full;
}

/**
 * lru_gen_command_age() - look for use and open a generation by command
 * @cmd: the command
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 * Return: 0, also if the generation named is not the youngest any more; -EINVAL
 * if it is yet to come; -ERANGE if the window is full and must stay as it is;
 * -EINTR if a signal came before the generation was opened.
 */
int lru_gen_command_age(const struct lru_gen_command *cmd)
{
	unsigned long max_seq = READ_ONCE(cmd->lruvec->lrugen.max_seq);

	if (cmd->seq != max_seq)
		return cmd->seq > max_seq ? -EINVAL : 0;
	if (!cmd->amount && window_full(cmd))
		return -ERANGE;
	/* While the multi-gen LRU is off, accessed bits belong to the classic LRU. */
	if (lru_gen_enabled())
		lru_gen_walk(cmd->lruvec, cmd->amount);
	if (signal_pending(current))
		return -EINTR;
	spin_lock_irq(&cmd->lruvec->lru_lock);
	if (cmd->lruvec->lrugen.max_seq == cmd->seq)
		open_after(cmd->lruvec, cmd->seq);
	spin_unlock_irq(&cmd->lruvec->lru_lock);
	return 0;
}

/**
 * struct lru_gen_expiry - the search for something that min_ttl lets go
 * @sc: kswapd's request
 * @nr_kept: pages found that it does not
 */
struct lru_gen_expiry {
	struct scan_control *sc;
	unsigned long nr_kept;
};

static bool type_expired(const struct lru_gen_window *w, enum lru_gen_type type)
{
	unsigned long seq = lru_gen_min_seq(w);

	for (; seq <= READ_ONCE(w->max_seq); seq++)
		if (lru_gen_size(w, type, seq) && !lru_gen_too_young(w, lru_gen_slot(w, seq)))
			return true;
	return false;
}

static bool lruvec_expired(struct lruvec *lruvec, void *arg)
{
	struct lru_gen_expiry *x = arg;
	struct lru_gen_evict e = {
		.lruvec = lruvec,
		.sc = x->sc,
	};
	unsigned long nr;
	int type;

	lru_gen_set_request(&e, sc_swappiness(x->sc, lruvec_memcg(lruvec)));
	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		if (!e.may_evict[type])
			continue;
		nr = lru_gen_total(&lruvec->lrugen, type, MAX_NR_ZONES - 1);
		if (nr && type_expired(&lruvec->lrugen, type))
			return true;
		x->nr_kept += nr;
	}
	return false;
}

/* Whoever was killed last may have given back enough since kswapd looked. */
static bool has_recovered(struct pglist_data *pgdat, const struct scan_control *sc)
{
	int i;

	for (i = 0; i <= sc->reclaim_idx; i++) {
		struct zone *zone = pgdat->node_zones + i;

		if (managed_zone(zone) &&
		    zone_watermark_ok_safe(zone, sc->order, high_wmark_pages(zone),
					   sc->reclaim_idx))
			return true;
	}
	return false;
}

static void kill_somebody(struct pglist_data *pgdat, const struct scan_control *sc)
{
	struct oom_control oc = { .gfp_mask = sc->gfp_mask };

	if (mutex_trylock(&oom_lock)) {
		if (!has_recovered(pgdat, sc))
			out_of_memory(&oc);
		mutex_unlock(&oom_lock);
	}
}

/*
 * Whether kswapd has freed nothing in all of its passes but the last, in which slab was
 * asked for as much as there is of it. As long as slab or folios that have expired
 * give something, nobody has to be killed.
 */
static bool nothing_left(const struct scan_control *sc)
{
	return sc->priority == 1 && !sc->nr_reclaimed;
}

/**
 * __lru_gen_kswapd_age() - kill a process rather than evict a working set
 * @pgdat: node that kswapd balances
 * @sc: kswapd's request
 *
 * Only when min_ttl_ms is set, and there is nothing else that could be freed.
 *
 * Context: kswapd.
 */
void __lru_gen_kswapd_age(struct pglist_data *pgdat, struct scan_control *sc)
{
	struct lru_gen_expiry x = { .sc = sc };

	if (!READ_ONCE(lru_gen_min_ttl) || !nothing_left(sc))
		return;
	if (!lru_gen_any_lruvec(lruvec_expired, pgdat->node_id, &x) && x.nr_kept)
		kill_somebody(pgdat, sc);
}
