// SPDX-License-Identifier: GPL-2.0
/*
 * Aging: when a generation is opened, and how long one is kept.
 */
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "command.h"
#include "internal.h"
#include "walk.h"

/**
 * DOC: aging
 *
 * Use is looked for, and forgotten, by evidence rather than by the clock. Accessed
 * bits are collected each time a part of the lruvec has been evicted, and what
 * they tell of moves up. A generation is opened, by which everything falls by a
 * class, when what comes back was needed more than what was kept, or when most of
 * what was kept is in the top class, where no difference shows. So an idle lruvec
 * does not age.
 */

/* Folios moved by a fold with lru_lock held once. */
#define FOLD_BATCH	(4 * SWAP_CLUSTER_MAX)

/*
 * R: what has been used within this time, in jiffies, is not evicted by the
 * system, which kills a process when there is nothing else left. Zero is off.
 */
unsigned long lru_gen_min_ttl __read_mostly;

/**
 * lru_gen_too_young() - whether min_ttl protects what a list has to give
 * @span: when the folios of the list came to it
 *
 * A folio comes to its list when it is first or again found in use.
 *
 * Context: any.
 * Return: true if the folio at the tail must not be evicted yet.
 */
bool lru_gen_too_young(const struct lru_gen_span *span)
{
	unsigned long ttl = READ_ONCE(lru_gen_min_ttl);

	return ttl && time_before(jiffies, READ_ONCE(span->oldest) + ttl);
}

/* Let both windows have room for one more generation. */
static void make_room(struct lruvec *lruvec, enum lru_gen_type type)
{
	lockdep_assert_held(&lruvec->lru_lock);
	lru_gen_close(lruvec, type);
	while (lru_gen_width(&lruvec->lrugen, type) == MAX_NR_GENS &&
	       !lru_gen_fold(lruvec, type, FOLD_BATCH))
		lru_gen_relax(lruvec);
}

/* Take the counts of use since the last walk, and begin anew. */
static void take_counts(struct lru_gen_window *w, struct lru_gen_seen *seen)
{
	unsigned int class;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (class = 0; class < LRU_GEN_NR_CLASSES; class++) {
			seen->fresh[type][class] = atomic_long_xchg(&w->nr_fresh[type][class], 0);
			seen->young[type][class] = atomic_long_xchg(&w->nr_young[type][class], 0);
		}
}

/* One thread closes an interval: the first one that comes. @nr_walks tells which it is. */
static void close_interval(struct lru_gen_evict *e, struct lru_gen_seen *seen,
			   unsigned long nr_walks)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;

	spin_lock_irq(&e->lruvec->lru_lock);
	if (w->feedback.nr_walks == nr_walks) {
		take_counts(w, seen);
		lru_gen_note_near(&w->feedback, atomic_long_xchg(&w->nr_near, 0));
		lru_gen_note_walk(&w->feedback, seen);
	}
	spin_unlock_irq(&e->lruvec->lru_lock);
}

/* Collect use, and judge by it, unless others end the round. */
static void collect(struct lru_gen_evict *e, bool full)
{
	unsigned long nr_walks = READ_ONCE(e->lruvec->lrugen.feedback.nr_walks);
	struct lru_gen_seen seen;
	struct lru_gen_survey s;

	lru_gen_survey_all(e, &s);
	memcpy(seen.nr, s.nr, sizeof(seen.nr));
	if (lru_gen_walk(e->lruvec, full))
		close_interval(e, &seen, nr_walks);
}

/*
 * Policy: who walks. Direct reclaim, which somebody waits for, does not join a
 * walk that another thread has begun; kswapd does, with an mm of its own. Of those
 * who took part, one closes the interval: a second time, there would be nothing
 * in it to judge by, and what was to be forgotten would be kept.
 */
static void look(struct lru_gen_evict *e)
{
	if (!current_is_kswapd() && lru_gen_walk_under_way(e->lruvec))
		return;
	collect(e, false);
}

/* A window that is full of folios to be drained first waits, and that is well. */
static void forget(struct lru_gen_evict *e)
{
	struct lruvec *lruvec = e->lruvec;
	struct lru_gen_window *w = &lruvec->lrugen;
	int type;

	spin_lock_irq(&lruvec->lru_lock);
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (!e->may_age[type])
			make_room(lruvec, type);
	if (lru_gen_has_room(w) && lru_gen_decay_due(&w->feedback) && lru_gen_open(lruvec))
		lru_gen_account_open(lruvec);
	spin_unlock_irq(&lruvec->lru_lock);
}

/* Refaults are counted where they happen, and known where it is asked. */
static bool walk_due(struct lru_gen_window *w)
{
	const struct lru_gen_feedback *now = &w->feedback;
	struct lru_gen_feedback fb = {
		.clock = READ_ONCE(now->clock),
		.walked = READ_ONCE(now->walked),
		.nr_near = READ_ONCE(now->nr_near),
		.back = READ_ONCE(now->back),
		.has_walked = READ_ONCE(now->has_walked),
	};

	/* Another thread has closed an interval between the two reads. */
	if ((long)(fb.clock - fb.walked) < 0)
		return false;
	lru_gen_note_near(&fb, atomic_long_read(&w->nr_near));
	return lru_gen_walk_due(&fb, READ_ONCE(w->nr_total));
}

/**
 * lru_gen_age() - look for use, and forget it, if it is time to
 * @e: the visit
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 */
void lru_gen_age(struct lru_gen_evict *e)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;

	if (walk_due(w))
		look(e);
	if (READ_ONCE(w->feedback.nr_decays))
		forget(e);
}

/* Whether a type that the command is about fills its window. */
static bool window_full(const struct lru_gen_command *cmd)
{
	struct lruvec *lruvec = cmd->lruvec;
	int type = cmd->swappiness ? LRU_GEN_ANON : LRU_GEN_FILE;
	bool full = false;

	spin_lock_irq(&lruvec->lru_lock);
	for (; type < LRU_GEN_NR_TYPES; type++) {
		lru_gen_close(lruvec, type);
		if (lru_gen_width(&lruvec->lrugen, type) == MAX_NR_GENS)
			full = true;
	}
	spin_unlock_irq(&lruvec->lru_lock);
	return full;
}

static void open_after(struct lruvec *lruvec, unsigned long seq)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	spin_lock_irq(&lruvec->lru_lock);
	make_room(lruvec, LRU_GEN_ANON);
	make_room(lruvec, LRU_GEN_FILE);
	/* Another thread may have done it meanwhile. */
	if (w->max_seq == seq && lru_gen_open(lruvec))
		lru_gen_account_open(lruvec);
	spin_unlock_irq(&lruvec->lru_lock);
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
	struct scan_control sc = { .reclaim_idx = MAX_NR_ZONES - 1 };
	struct lru_gen_evict e = {
		.lruvec = cmd->lruvec,
		.sc = &sc,
		.may_age = { true, true },
	};

	if (cmd->seq != max_seq)
		return cmd->seq > max_seq ? -EINVAL : 0;
	if (!cmd->amount && window_full(cmd))
		return -ERANGE;
	/* While the multi-gen LRU is off, accessed bits belong to the classic LRU. */
	if (lru_gen_enabled())
		collect(&e, cmd->amount);
	if (signal_pending(current))
		return -EINTR;
	open_after(cmd->lruvec, cmd->seq);
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
	unsigned long seq = READ_ONCE(w->min_seq[type]);

	for (; seq <= READ_ONCE(w->max_seq); seq++)
		if (lru_gen_size(w, type, seq, MAX_NR_ZONES - 1) &&
		    !lru_gen_too_young(&w->times[lru_gen_index(seq)][type]))
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
