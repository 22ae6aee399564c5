// SPDX-License-Identifier: GPL-2.0
/*
 * Eviction: which folios of a lruvec go.
 */
#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "../internal.h"
#include "command.h"
#include "evict.h"
#include "internal.h"
#include "walk.h"

/**
 * DOC: eviction
 *
 * A visit has a budget of pages to look at and works in batches that never take
 * more than what is still to be freed. For each batch the policy names a list. Folios
 * from its tail are handed to shrink_folio_list(), and what was refused is put back.
 * Folios that turn out to have been read again are moved to the youngest generation
 * instead.
 *
 * shrink_folio_list() looks at the accessed bits of mapped folios through rmap, and sets
 * PG_referenced if there was one. Then the folio is put into the youngest generation: the
 * first time in its own tier, since the use that brought it in does not count, later a
 * tier up. What is refused for another reason keeps its tier.
 */

/* Policy: what comes next goes unasked then, since the rest would say the same. */
static bool out_of_patience(const struct lru_gen_evict *e)
{
	return !e->asks && lru_gen_found_in_use(&e->lruvec->lrugen);
}

/*
 * Policy: a folio that comes to the tail of NEW before a walk has seen it used goes
 * unasked: its accessed bits would only tell of the fault that mapped it. Where there are
 * no walks, all are asked.
 */
static bool goes_unseen(const struct lru_gen_evict *e, struct folio *folio)
{
	if (out_of_patience(e))
		return true;
	return e->at.tier == LRU_GEN_NEW && !folio_test_referenced(folio) &&
	       lru_gen_can_walk() && lru_gen_has(LRU_GEN_PART_FIRST_USE);
}

/* What the request has no use for, or may not take. */
static bool is_foreign(const struct lru_gen_evict *e, struct folio *folio)
{
	return folio_zonenum(folio) > e->sc->reclaim_idx ||
	       ((e->blind || !e->sc->may_unmap) && folio_mapped(folio));
}

static bool take_folio(struct lru_gen_evict *e, struct folio *folio)
{
	/* A reference first: whoever frees the folio relies on PG_lru. */
	if (!folio_try_get(folio))
		return false;
	if (!folio_test_clear_lru(folio)) {
		folio_put(folio);
		return false;
	}
	lru_gen_take_folio(e->lruvec, folio, &e->moved);
	list_add(&folio->lru, goes_unseen(e, folio) ? &e->unseen : &e->taken);
	return true;
}

/* Pages of others passed over with lru_lock held once. */
#define FOREIGN_MAX	1024

static bool batch_full(const struct lru_gen_evict *e)
{
	return e->nr_taken >= e->nr_want ||
	       e->nr_scanned - e->nr_foreign >= LRU_GEN_LOCK_BATCHES * SWAP_CLUSTER_MAX ||
	       e->nr_foreign >= FOREIGN_MAX;
}

/*
 * Take from the tail of one list. What must stay, because of its zone or because it is
 * mapped, goes to the head: so the order of the list is what it was, but for where it
 * begins, and none is met twice before all were met.
 */
static void take_from(struct lru_gen_evict *e, struct list_head *list)
{
	unsigned long left = e->lruvec->lrugen.policy.ages.heap[e->at.gen][e->at.tier][e->type].nr;

	while (!list_empty(list) && !batch_full(e) && left) {
		struct folio *folio = lru_to_folio(list);
		unsigned long nr = folio_nr_pages(folio);

		left -= min(left, nr);
		e->nr_scanned += nr;
		if (is_foreign(e, folio)) {
			list_move(&folio->lru, list);
			e->nr_foreign += nr;
		} else if (lru_gen_folio_refs(folio) && !out_of_patience(e)) {
			lru_gen_spare_folio(e->lruvec, folio, lru_gen_tier_for_use(e), &e->moved);
			e->nr_sorted += nr;
		} else if (take_folio(e, folio)) {
			e->nr_taken += nr;
		} else {
			list_move(&folio->lru, list);
			e->nr_skipped += nr;
		}
	}
}

static unsigned long nr_missing(const struct lru_gen_evict *e)
{
	unsigned long have = e->sc->nr_reclaimed;

	return have < e->nr_goal ? e->nr_goal - have : 0;
}

/* Pages of the type in hand that are to be freed, if all of them can be. */
static unsigned long nr_wanted(const struct lru_gen_evict *e)
{
	unsigned long nr = nr_missing(e);

	return e->type == LRU_GEN_ANON ? DIV_ROUND_UP(nr, 1 + e->swap_waives) : nr;
}

/* Let the policy, and the next choice, know what has become of the batch. */
static void note_batch(struct lru_gen_evict *e, unsigned long nr_reclaimed)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;
	unsigned long *vain = &e->nr_vain[e->type][e->at.tier];
	unsigned long nr_kept;

	/* What was found in use is young now. */
	nr_kept = e->nr_taken + e->nr_skipped - min(e->nr_found - e->nr_sorted, e->nr_taken);
	w->nr_spared = nr_reclaimed ? 0 : w->nr_spared + e->nr_found;
	if (e->nr_found > nr_reclaimed)
		w->found = jiffies;
	w->nr_owed += (long)e->nr_found - (long)nr_reclaimed;
	w->nr_owed = max(w->nr_owed, -(long)(w->nr_total / 2));
	*vain = nr_reclaimed ? 0 : *vain + nr_kept + e->nr_foreign;
	WRITE_ONCE(w->nr_vain, nr_reclaimed ? 0 : w->nr_vain + nr_kept);
	lru_gen_note_gone(&w->policy, &e->at, e->expected, nr_reclaimed);
}

/* What was to go first has been met, or has gone otherwise. */
static void count_next(struct lru_gen_evict *e)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;

	if (e->at.tier == LRU_GEN_OLD)
		w->nr_next[e->type] -= min(w->nr_next[e->type], e->nr_scanned - e->nr_foreign);
}

static void take_batch(struct lru_gen_evict *e)
{
	lockdep_assert_held(&e->lruvec->lru_lock);
	e->nr_want = min3(nr_wanted(e), e->nr_budget, SWAP_CLUSTER_MAX);
	e->nr_scanned = 0;
	e->nr_taken = 0;
	e->nr_sorted = 0;
	e->nr_skipped = 0;
	e->nr_foreign = 0;
	memset(&e->moved, 0, sizeof(e->moved));
	take_from(e, lru_gen_list(&e->lruvec->lrugen, &e->at));
	count_next(e);
	lru_gen_account_moved(e->lruvec, &e->moved);
	lru_gen_count_protected(e->lruvec, e->type, e->at.tier, e->nr_sorted);
	lru_gen_close(e->lruvec);
	lru_gen_account_scan(e);
	e->nr_met[e->type][e->at.tier] += e->nr_foreign;
	e->nr_found = e->nr_sorted;
	if (!e->nr_taken)
		note_batch(e, 0);
}

/*
 * Policy: when flushers are woken. Dirty folios that nobody has queued for writeback
 * have kept the visit from as many pages as it has freed since it woke them last. A
 * batch that is dirty to its last page is such a case, and so is one with clean pages
 * among as many dirty ones.
 */
static void wake_flushers(struct lru_gen_evict *e, const struct reclaim_stat *stat,
			  unsigned long nr_reclaimed)
{
	e->nr_unqueued += stat->nr_unqueued_dirty;
	e->nr_freed += nr_reclaimed;
	if (!e->nr_unqueued || e->nr_unqueued < e->nr_freed)
		return;
	e->nr_unqueued = 0;
	e->nr_freed = 0;
	wakeup_flusher_threads(WB_REASON_VMSCAN);
	/* A v1 memcg has no dirty throttling but this. */
	if (!writeback_throttling_sane(e->sc))
		reclaim_throttle(lruvec_pgdat(e->lruvec), VMSCAN_THROTTLE_WRITEBACK);
}

static void add_stat(struct reclaim_stat *sum, const struct reclaim_stat *stat)
{
	sum->nr_dirty += stat->nr_dirty;
	sum->nr_unqueued_dirty += stat->nr_unqueued_dirty;
	sum->nr_congested += stat->nr_congested;
	sum->nr_writeback += stat->nr_writeback;
	sum->nr_immediate += stat->nr_immediate;
	sum->nr_demoted += stat->nr_demoted;
	sum->nr_pageout += stat->nr_pageout;
}

/* Returns the pages freed; what is left of both lists is in e->taken then. */
static unsigned long shrink_taken(struct lru_gen_evict *e, struct reclaim_stat *sum)
{
	struct pglist_data *pgdat = lruvec_pgdat(e->lruvec);
	unsigned long nr_reclaimed;
	struct reclaim_stat stat;
	struct folio *folio;

	nr_reclaimed = shrink_folio_list(&e->taken, pgdat, e->sc, sum, false);
	/* Others are activated to get them out of the way: dirty, pinned, failed. */
	e->nr_found += sum->nr_ref_activate + sum->nr_ref_keep;
	if (list_empty(&e->unseen))
		return nr_reclaimed;
	nr_reclaimed += shrink_folio_list(&e->unseen, pgdat, e->sc, &stat, true);
	add_stat(sum, &stat);
	/* Nobody has asked if they are in use. */
	list_for_each_entry(folio, &e->unseen, lru)
		folio_clear_referenced(folio);
	list_splice_init(&e->unseen, &e->taken);
	return nr_reclaimed;
}

/* Of what was written, only what is free at once has been waited for. */
static void waive(struct lru_gen_evict *e, const struct reclaim_stat *stat,
		  unsigned long nr_reclaimed)
{
	unsigned long nr_swapped = min(stat->nr_pageout, nr_reclaimed);

	e->nr_goal -= min(nr_swapped * e->swap_waives, nr_missing(e));
}

static void evict_taken(struct lru_gen_evict *e)
{
	struct lruvec *lruvec = e->lruvec;
	unsigned long nr_reclaimed;
	struct reclaim_stat stat;
	struct folio *folio;

	nr_reclaimed = shrink_taken(e, &stat);
	spin_lock_irq(&lruvec->lru_lock);
	list_for_each_entry(folio, &e->taken, lru)
		lru_gen_send_back(e, folio);
	move_folios_to_lru(lruvec, &e->taken);
	lru_gen_account_steal(e, &stat, nr_reclaimed);
	note_batch(e, nr_reclaimed);
	spin_unlock_irq(&lruvec->lru_lock);
	wake_flushers(e, &stat, nr_reclaimed);
	waive(e, &stat, nr_reclaimed);
}

/* Returns false if there was nothing to take from. */
static bool evict_batch(struct lru_gen_evict *e)
{
	const struct lru_gen_policy *p = &e->lruvec->lrugen.policy;
	unsigned long nr_soon = min(nr_missing(e), SWAP_CLUSTER_MAX);
	bool found;

	e->nr_taken = 0;
	spin_lock_irq(&e->lruvec->lru_lock);
	lru_gen_inform(e);
	/* A command names generations by their numbers. */
	if (e->last_seq == ULONG_MAX)
		lru_gen_merge(e->lruvec, LRU_GEN_MERGE_RATE * SWAP_CLUSTER_MAX);
	/* NEW has to be down to its share, and what may go of it, before lists are compared. */
	lru_gen_trim_new(e->lruvec, lru_gen_new_share(p) + nr_soon);
	found = lru_gen_choose_list(e);
	if (found && e->at.tier != LRU_GEN_NEW &&
	    lru_gen_trim_new(e->lruvec, lru_gen_new_share(p)))
		found = lru_gen_choose_list(e);
	/* Policy: others have what is used less. */
	found = found && e->rate <= e->most_rate;
	if (found)
		take_batch(e);
	if (found && e->rate)
		e->rate_taken = e->rate;
	spin_unlock_irq(&e->lruvec->lru_lock);

	if (e->nr_taken)
		evict_taken(e);
	if (found)
		e->nr_budget -= min(e->nr_scanned - e->nr_foreign, e->nr_budget);
	return found;
}

static void begin_visit(struct lru_gen_evict *e)
{
	lru_gen_set_request(e, sc_swappiness(e->sc, lruvec_memcg(e->lruvec)));
	INIT_LIST_HEAD(&e->taken);
	INIT_LIST_HEAD(&e->unseen);
}

/* Who has asked for it would not hear of the result any more. */
static bool is_cancelled(const struct lru_gen_evict *e)
{
	return e->sc->proactive && signal_pending(current);
}

static void run_visit(struct lru_gen_evict *e)
{
	struct blk_plug plug;

	blk_start_plug(&plug);
	while (e->nr_budget && nr_missing(e) && !is_cancelled(e)) {
		lru_gen_age(e);
		if (!evict_batch(e))
			break;
		cond_resched();
	}
	blk_finish_plug(&plug);
}

/**
 * lru_gen_evict() - evict folios of a lruvec
 * @lruvec: lruvec
 * @sc: request; nr_reclaimed and the counters in nr are advanced
 * @quota: how much; nr_waived is set
 *
 * Frees at most what was asked for plus the rest of a large folio.
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 */
void lru_gen_evict(struct lruvec *lruvec, struct scan_control *sc,
		   struct lru_gen_quota *quota)
{
	unsigned long nr_goal = sc->nr_reclaimed + quota->nr_free;
	struct lru_gen_evict e = {
		.lruvec = lruvec,
		.sc = sc,
		.last_seq = ULONG_MAX,
		.nr_goal = nr_goal,
		.nr_budget = quota->nr_look,
		.swap_waives = quota->swap_waives,
		.most_rate = quota->most_rate,
		.asks = quota->asks,
		.rate = LRU_GEN_ANY_RATE,
		.rate_taken = LRU_GEN_ANY_RATE,
	};

	begin_visit(&e);
	/* Policy: proactive reclaim has time to see what is in use. */
	e.blind = sc->proactive && lru_gen_is_blind(lruvec);
	run_visit(&e);
	quota->nr_waived = nr_goal - e.nr_goal;
	quota->rate = e.rate_taken == LRU_GEN_ANY_RATE ? e.rate : e.rate_taken;
}

/* Pages of the generations that a command may take from. */
static unsigned long nr_up_to(const struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	unsigned long nr = 0, seq;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (seq = lru_gen_min_seq(w);
		     e->may_evict[type] && seq <= min(e->last_seq, READ_ONCE(w->max_seq)); seq++)
			nr += lru_gen_size(w, type, seq);
	return nr;
}

/* Each folio is met twice at most: the first use found does not count. */
static int evict_up_to(struct lru_gen_evict *e)
{
	e->nr_budget = 2 * nr_up_to(e);
	while (e->nr_budget && nr_missing(e)) {
		if (signal_pending(current))
			return -EINTR;
		if (!evict_batch(e))
			break;
		cond_resched();
	}
	return 0;
}

/**
 * lru_gen_command_evict() - evict the oldest generations by command
 * @cmd: the command
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 * Return: 0, also if less was there than asked for; -EINVAL if the generation
 * named is one of the youngest MIN_NR_GENS; -EINTR if a signal came.
 */
int lru_gen_command_evict(const struct lru_gen_command *cmd)
{
	unsigned long max_seq = READ_ONCE(cmd->lruvec->lrugen.max_seq);
	struct scan_control sc = {
		.nr_to_reclaim = cmd->amount,
		.gfp_mask = GFP_KERNEL,
		.reclaim_idx = MAX_NR_ZONES - 1,
		.may_writepage = 1,
		.may_unmap = 1,
		.may_swap = 1,
		.proactive = 1,
	};
	struct lru_gen_evict e = {
		.lruvec = cmd->lruvec,
		.sc = &sc,
		.last_seq = cmd->seq,
		.nr_goal = cmd->amount,
		.most_rate = LRU_GEN_ANY_RATE,
	};
	unsigned int flags;
	int err;

	if (max_seq < MIN_NR_GENS || cmd->seq > max_seq - MIN_NR_GENS)
		return -EINVAL;
	lru_add_drain();
	set_task_reclaim_state(current, &sc.reclaim_state);
	flags = memalloc_noreclaim_save();
	begin_visit(&e);
	if (cmd->swappiness >= 0)
		lru_gen_set_request(&e, cmd->swappiness);
	err = evict_up_to(&e);
	memalloc_noreclaim_restore(flags);
	set_task_reclaim_state(current, NULL);
	return err;
}
