// SPDX-License-Identifier: GPL-2.0
/*
 * Eviction: which folios of a lruvec go.
 */
#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/swap.h>

#include "../internal.h"
#include "internal.h"

/**
 * DOC: eviction
 *
 * A visit has a budget of pages to look at and works in batches that never take
 * more than what the request still lacks. For each batch it chooses a type by
 * the age of its oldest generation, takes folios from the tail of that
 * generation's lists, hands them to shrink_folio_list() and puts back what was
 * refused. Folios read again since they came in are moved up instead. When no
 * type has anything old, the visit asks for aging.
 */

/*
 * Policy: which type to evict from.
 *
 * Ages are comparable, since both types share their generations. Swappiness
 * says how much older than file cache anonymous memory has to be: at 100 as old,
 * at 60 more than twice as old. At the ends the choice no longer depends on age.
 */
static bool choose_type(struct lru_gen_evict *e, unsigned long *seq)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	const u64 weight[] = {
		e->swappiness, MAX_SWAPPINESS - e->swappiness,
	};
	u64 rank, best = 0;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		unsigned long oldest = lru_gen_oldest(w, type, e->sc->reclaim_idx);

		if (!e->may_evict[type] || oldest == w->max_seq)
			continue;
		rank = (jiffies - w->birth[lru_gen_index(oldest)] + 1) * weight[type] + 1;
		if (rank <= best)
			continue;
		best = rank;
		e->type = type;
		*seq = oldest;
	}
	return best;
}

/* The working set is kept from the system's own reclaim, not from a limit. */
static bool is_protected(const struct lru_gen_evict *e, unsigned long seq)
{
	return root_reclaim(e->sc) && !e->sc->proactive &&
	       lru_gen_too_young(&e->lruvec->lrugen, seq);
}

static bool take_folio(struct lru_gen_evict *e, struct folio *folio)
{
	if (!e->sc->may_unmap && folio_mapped(folio))
		return false;
	/* A reference first: whoever frees the folio relies on PG_lru. */
	if (!folio_try_get(folio))
		return false;
	if (!folio_test_clear_lru(folio)) {
		folio_put(folio);
		return false;
	}
	lru_gen_take_folio(e->lruvec, folio);
	list_add(&folio->lru, &e->taken);
	return true;
}

static bool batch_full(const struct lru_gen_evict *e)
{
	return e->nr_taken >= e->nr_want ||
	       e->nr_scanned >= LRU_GEN_LOCK_BATCHES * SWAP_CLUSTER_MAX;
}

/* Take from the tail of one list; what cannot be taken goes to its head. */
static void take_from(struct lru_gen_evict *e, struct list_head *list)
{
	LIST_HEAD(skipped);

	while (!list_empty(list) && !batch_full(e)) {
		struct folio *folio = lru_to_folio(list);
		long nr = folio_nr_pages(folio);

		e->nr_scanned += nr;
		if (lru_gen_folio_refs(folio)) {
			lru_gen_promote_folio(e->lruvec, folio);
			e->nr_sorted += nr;
		} else if (take_folio(e, folio)) {
			e->nr_taken += nr;
		} else {
			list_move(&folio->lru, &skipped);
			e->nr_skipped += nr;
		}
	}
	list_splice(&skipped, list);
}

static unsigned long nr_missing(const struct lru_gen_evict *e)
{
	unsigned long have = e->sc->nr_reclaimed;

	/* kswapd walks all memcgs; each gives by its size, not first come. */
	if (current_is_kswapd())
		have -= e->nr_before;
	return have < e->sc->nr_to_reclaim ? e->sc->nr_to_reclaim - have : 0;
}

static void take_batch(struct lru_gen_evict *e, unsigned long seq)
{
	struct lru_gen_window *w = &e->lruvec->lrugen;
	int zone;

	lockdep_assert_held(&e->lruvec->lru_lock);
	e->nr_want = min3(nr_missing(e), e->nr_budget, SWAP_CLUSTER_MAX);
	e->nr_scanned = 0;
	e->nr_taken = 0;
	e->nr_sorted = 0;
	e->nr_skipped = 0;
	for (zone = e->sc->reclaim_idx; zone >= 0 && !batch_full(e); zone--)
		take_from(e, &w->lists[lru_gen_index(seq)][e->type][zone]);
	lru_gen_close(e->lruvec, e->type);
	lru_gen_account_scan(e);
}

/* Nobody has queued these for writeback: see that somebody does. */
static void wake_flushers(const struct lru_gen_evict *e,
			  const struct reclaim_stat *stat)
{
	if (stat->nr_unqueued_dirty != e->nr_taken)
		return;
	wakeup_flusher_threads(WB_REASON_VMSCAN);
	/* A v1 memcg has no dirty throttling but this. */
	if (!writeback_throttling_sane(e->sc))
		reclaim_throttle(lruvec_pgdat(e->lruvec), VMSCAN_THROTTLE_WRITEBACK);
}

static void evict_taken(struct lru_gen_evict *e)
{
	struct lruvec *lruvec = e->lruvec;
	unsigned long nr_reclaimed;
	struct reclaim_stat stat;

	nr_reclaimed = shrink_folio_list(&e->taken, lruvec_pgdat(lruvec), e->sc,
					 &stat, false);
	spin_lock_irq(&lruvec->lru_lock);
	move_folios_to_lru(lruvec, &e->taken);
	lru_gen_account_steal(e, &stat, nr_reclaimed);
	spin_unlock_irq(&lruvec->lru_lock);
	wake_flushers(e, &stat);
}

/**
 * enum evict_result - what a batch came to
 * @EVICT_NONE_OLD: there was nothing old to take from
 * @EVICT_PROTECTED: what is oldest must not go yet
 * @EVICT_DONE: folios were looked at
 */
enum evict_result {
	EVICT_NONE_OLD,
	EVICT_PROTECTED,
	EVICT_DONE,
};

static enum evict_result evict_batch(struct lru_gen_evict *e)
{
	enum evict_result result = EVICT_NONE_OLD;
	unsigned long seq;

	e->nr_taken = 0;
	spin_lock_irq(&e->lruvec->lru_lock);
	if (choose_type(e, &seq)) {
		result = is_protected(e, seq) ? EVICT_PROTECTED : EVICT_DONE;
		if (result == EVICT_DONE)
			take_batch(e, seq);
	}
	spin_unlock_irq(&e->lruvec->lru_lock);

	if (e->nr_taken)
		evict_taken(e);
	if (result == EVICT_DONE)
		e->nr_budget -= min(e->nr_scanned, e->nr_budget);
	return result;
}

/* Pages of @nr that are not covered by memory.min and memory.low. */
static unsigned long unprotected(struct lru_gen_evict *e, unsigned long nr)
{
	unsigned long min, low, kept, usage;

	mem_cgroup_protection(e->sc->target_mem_cgroup, e->memcg, &min, &low);
	kept = min;
	if (!e->sc->memcg_low_reclaim && low > min) {
		kept = low;
		e->sc->memcg_low_skipped = 1;
	}
	if (!kept)
		return nr;
	usage = max(mem_cgroup_size(e->memcg), kept);
	return mul_u64_u64_div_u64(nr, usage - kept, usage + 1);
}

/*
 * Policy: how many pages a visit looks at.
 *
 * The share that the priority asks for. A request for a number of pages goes
 * round the memcgs until it has them, and wants no less than a batch from each;
 * save from those with protection, and when protection is given up, since then
 * each is to give in proportion. kswapd visits every memcg, so that small ones
 * wait for a higher priority.
 */
static unsigned long visit_budget(struct lru_gen_evict *e)
{
	unsigned long nr = lru_gen_nr_evictable(e);
	unsigned long share;

	if (!e->memcg)
		return nr >> e->sc->priority;
	/* A removed memcg is scraped bare, else it lingers. */
	if (!mem_cgroup_online(e->memcg))
		return nr;

	share = unprotected(e, nr);
	if (current_is_kswapd() || e->sc->memcg_low_reclaim || share < nr)
		return share >> e->sc->priority;
	return min(max(nr >> e->sc->priority, SWAP_CLUSTER_MAX), nr);
}

static void begin_visit(struct lru_gen_evict *e)
{
	struct pglist_data *pgdat = lruvec_pgdat(e->lruvec);

	e->memcg = lruvec_memcg(e->lruvec);
	e->nr_before = e->sc->nr_reclaimed;
	e->swappiness = sc_swappiness(e->sc, e->memcg);
	e->may_evict[LRU_GEN_FILE] = true;
	e->may_evict[LRU_GEN_ANON] = e->swappiness && e->sc->may_swap &&
		can_reclaim_anon_pages(e->memcg, pgdat->node_id, e->sc);
	INIT_LIST_HEAD(&e->taken);
	e->nr_budget = visit_budget(e);
}

/**
 * __lru_gen_reclaim() - reclaim from a lruvec
 * @lruvec: lruvec
 * @sc: request; nr_reclaimed and the counters in nr are advanced
 *
 * Takes at most what the request lacks plus the rest of a large folio.
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 */
void __lru_gen_reclaim(struct lruvec *lruvec, struct scan_control *sc)
{
	struct lru_gen_evict e = {
		.lruvec = lruvec,
		.sc = sc,
	};
	enum evict_result result;
	struct blk_plug plug;

	lru_add_drain();
	begin_visit(&e);
	blk_start_plug(&plug);
	while (e.nr_budget && nr_missing(&e)) {
		result = evict_batch(&e);
		if (result == EVICT_PROTECTED ||
		    (result == EVICT_NONE_OLD && !lru_gen_age(&e)))
			break;
		cond_resched();
	}
	blk_finish_plug(&plug);
}
