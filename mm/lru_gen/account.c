// SPDX-License-Identifier: GPL-2.0
/*
 * What is counted.
 */
#include <kunit/static_stub.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include <trace/events/vmscan.h>

#include "../internal.h"
#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/lru_gen.h>

/**
 * DOC: accounting
 *
 * The only place of the multi-generational LRU that bumps vmstat, memcg events
 * and tracepoints. What is counted, and on whose account, is as on the classic
 * LRU: pages isolated are scanned, pages moved up instead are refilled.
 */

static u64 memcg_id(const struct lruvec *lruvec)
{
	struct mem_cgroup *memcg = lruvec_memcg((struct lruvec *)lruvec);

	return memcg ? mem_cgroup_id(memcg) : 0;
}

/* Limit reclaim is not the system's doing and stays out of its vmstat. */
static void count(const struct lru_gen_evict *e, enum vm_event_item item,
		  unsigned long nr)
{
	if (!cgroup_reclaim(e->sc))
		__count_vm_events(item, nr);
	__count_memcg_events(e->memcg, item, nr);
}

/**
 * lru_gen_account_size() - change the size of a list as users see it
 * @lruvec: lruvec
 * @lru: LRU_{INACTIVE,ACTIVE}_{ANON,FILE}
 * @zone: zone of the folios
 * @nr: pages, negative when the list shrinks
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_account_size(struct lruvec *lruvec, enum lru_list lru,
			  enum zone_type zone, long nr)
{
	KUNIT_STATIC_STUB_REDIRECT(lru_gen_account_size, lruvec, lru, zone, nr);
	update_lru_size(lruvec, lru, zone, nr);
}

/**
 * lru_gen_account_moved() - let users see what lru_lock was held for
 * @lruvec: lruvec
 * @moved: what has been moved
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_account_moved(struct lruvec *lruvec, const struct lru_gen_moved *moved)
{
	enum lru_list lru;
	int zone;

	for_each_evictable_lru(lru)
		for (zone = 0; zone < MAX_NR_ZONES; zone++)
			if (moved->shown[lru][zone])
				lru_gen_account_size(lruvec, lru, zone, moved->shown[lru][zone]);
}

/**
 * lru_gen_account_scan() - count a batch that has just been isolated
 * @e: the visit; its batch is counted
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_account_scan(const struct lru_gen_evict *e)
{
	struct pglist_data *pgdat = lruvec_pgdat(e->lruvec);

	lockdep_assert_held(&e->lruvec->lru_lock);
	__mod_node_page_state(pgdat, NR_ISOLATED_ANON + e->type, e->nr_taken);
	count(e, PGSCAN_KSWAPD + reclaimer_offset(), e->nr_taken);
	count(e, PGREFILL, e->nr_sorted);
	__count_vm_events(PGSCAN_ANON + e->type, e->nr_taken);
	trace_mm_vmscan_lru_isolate(e->sc->reclaim_idx, e->sc->order, e->nr_want,
				    e->nr_scanned, e->nr_skipped, e->nr_taken,
				    e->type ? LRU_INACTIVE_FILE : LRU_INACTIVE_ANON);
}

static void trace_steal(const struct lru_gen_evict *e, struct reclaim_stat *stat,
			unsigned long nr_reclaimed)
{
	struct pglist_data *pgdat = lruvec_pgdat(e->lruvec);
	unsigned long nr[] = {
		e->nr_scanned, e->nr_taken, e->nr_sorted, nr_reclaimed,
	};

	trace_mm_vmscan_lru_shrink_inactive(pgdat->node_id, e->nr_scanned,
					    nr_reclaimed, stat, e->sc->priority,
					    e->type);
	if (trace_lru_gen_evict_enabled())
		trace_lru_gen_evict(pgdat->node_id, memcg_id(e->lruvec), e->type, nr);
}

/**
 * lru_gen_account_steal() - count what became of an isolated batch
 * @e: the visit; its batch is counted
 * @stat: what shrink_folio_list() found
 * @nr_reclaimed: pages it freed
 *
 * The request's own counters (sc->nr) let shrink_node() throttle on dirty and
 * writeback folios exactly as it does after a pass over the classic lists.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_account_steal(const struct lru_gen_evict *e,
			   struct reclaim_stat *stat, unsigned long nr_reclaimed)
{
	struct pglist_data *pgdat = lruvec_pgdat(e->lruvec);
	struct scan_control *sc = e->sc;

	lockdep_assert_held(&e->lruvec->lru_lock);
	__mod_node_page_state(pgdat, NR_ISOLATED_ANON + e->type, -(long)e->nr_taken);
	__mod_lruvec_state(e->lruvec, PGDEMOTE_KSWAPD + reclaimer_offset(),
			   stat->nr_demoted);
	count(e, PGSTEAL_KSWAPD + reclaimer_offset(), nr_reclaimed);
	__count_vm_events(PGSTEAL_ANON + e->type, nr_reclaimed);

	/* A folio that was demoted is charged to its memcg as before. */
	sc->nr_reclaimed += nr_reclaimed - (root_reclaim(sc) ? 0 : stat->nr_demoted);
	sc->nr.dirty += stat->nr_dirty;
	sc->nr.congested += stat->nr_congested;
	sc->nr.unqueued_dirty += stat->nr_unqueued_dirty;
	sc->nr.writeback += stat->nr_writeback;
	sc->nr.immediate += stat->nr_immediate;
	sc->nr.taken += e->nr_taken;
	if (e->type == LRU_GEN_FILE)
		sc->nr.file_taken += e->nr_taken;
	trace_steal(e, stat, nr_reclaimed);
}

/**
 * lru_gen_account_open() - report that a generation was opened
 * @lruvec: its lruvec
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_account_open(struct lruvec *lruvec)
{
	lockdep_assert_held(&lruvec->lru_lock);
	if (trace_lru_gen_open_enabled())
		trace_lru_gen_open(lruvec_pgdat(lruvec)->node_id, memcg_id(lruvec),
				   lruvec->lrugen.max_seq, lru_gen_min_seq(&lruvec->lrugen));
}

/**
 * lru_gen_account_refault() - count a folio that has come back
 * @folio: the folio, charged and placed
 * @v: what was made of it
 *
 * Context: process context.
 */
void lru_gen_account_refault(struct folio *folio, const struct lru_gen_verdict *v)
{
	struct lruvec *lruvec = folio_lruvec(folio);
	int type = folio_is_file_lru(folio) ? LRU_GEN_FILE : LRU_GEN_ANON;
	int nr = folio_nr_pages(folio);

	if (folio_test_active(folio))
		mod_lruvec_state(lruvec, WORKINGSET_ACTIVATE_BASE + type, nr);
	if (v->workingset)
		mod_lruvec_state(lruvec, WORKINGSET_RESTORE_BASE + type, nr);
	if (trace_lru_gen_refault_enabled())
		trace_lru_gen_refault(folio_nid(folio), memcg_id(lruvec), type, v->tier, v->near);
}

/**
 * lru_gen_account_walk() - count a walk of page tables
 * @lruvec: lruvec it was made for
 * @r: what it found
 * @complete: whether no mm was left out
 *
 * Context: process context; takes lruvec->lru_lock.
 */
void lru_gen_account_walk(struct lruvec *lruvec, const struct lru_gen_walk_result *r,
			  bool complete)
{
	unsigned long nr[] = {
		r->nr_mms, r->nr_skipped, r->nr[LRU_GEN_WALK_TOTAL], r->nr[LRU_GEN_WALK_YOUNG],
	};

	spin_lock_irq(&lruvec->lru_lock);
	lru_gen_count_walk(lruvec, r->nr);
	spin_unlock_irq(&lruvec->lru_lock);
	if (trace_lru_gen_walk_enabled())
		trace_lru_gen_walk(lruvec_pgdat(lruvec)->node_id, memcg_id(lruvec), nr, complete);
}

/**
 * lru_gen_account_switch() - report a switch of the LRU at run time
 * @on: whether generations are in use now
 * @nr_pages: pages that were moved
 * @start: when the switch began, in jiffies
 *
 * Context: any.
 */
void lru_gen_account_switch(bool on, unsigned long nr_pages, unsigned long start)
{
	trace_lru_gen_switch(on, nr_pages, jiffies_to_msecs(jiffies - start));
}
