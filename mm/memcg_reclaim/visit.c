// SPDX-License-Identifier: GPL-2.0
/*
 * One visit: a memcg is reclaimed from.
 */
#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/swap.h>
#include <linux/vmpressure.h>

#include "../internal.h"
#include "../lru_gen/evict.h"
#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/memcg_reclaim.h>

/**
 * DOC: visit
 *
 * The only place that knows what protects a memcg, how many of its pages are
 * looked at, that it has slab and who is told of the pressure. Whose turn it is
 * and how much is wanted is settled before.
 */

/*
 * Slab is asked for this part at a time, as a shift. A shrinker defers what is less than its
 * batch, 1,024 objects of a file system, and of what it has deferred it does the priority's
 * part only. In smaller steps small caches would never be reached, in larger ones they would go
 * sooner than with the classic LRU. A choice, not tuned.
 */
#define SLAB_STEP		3

/* A part of a memcg is told in units of 2 ^ -SHARE_SHIFT. */
#define SHARE_SHIFT		20

/* Protection is handed down from the target: work it out in that order. */
static void calculate_protection(struct mem_cgroup *target, struct mem_cgroup *memcg)
{
	struct mem_cgroup *above = target, *next;

	while (above != memcg) {
		for (next = memcg; parent_mem_cgroup(next) != above; )
			next = parent_mem_cgroup(next);
		mem_cgroup_calculate_protection(target, next);
		above = next;
	}
}

/* Pages of @nr that are not covered by memory.min and memory.low. */
static unsigned long unprotected(struct mem_cgroup *memcg, struct scan_control *sc,
				 unsigned long nr)
{
	unsigned long min, low, kept, usage;

	mem_cgroup_protection(sc->target_mem_cgroup, memcg, &min, &low);
	kept = min;
	if (!sc->memcg_low_reclaim && low > min) {
		kept = low;
		sc->memcg_low_skipped = 1;
	}
	if (!kept)
		return nr;
	usage = max(mem_cgroup_size(memcg), kept);
	return mul_u64_u64_div_u64(nr, usage - kept, usage + 1);
}

/* Whether all it has is protected, as far as this request goes. */
static bool is_covered(struct memcg_visit *v)
{
	struct scan_control *sc = v->sc;

	calculate_protection(sc->target_mem_cgroup, v->memcg);
	if (mem_cgroup_below_min(sc->target_mem_cgroup, v->memcg))
		return true;
	v->low = mem_cgroup_below_low(sc->target_mem_cgroup, v->memcg);
	if (!v->low || sc->memcg_low_reclaim)
		return false;
	sc->memcg_low_skipped = 1;
	return true;
}

/* Whether each folio is on a list of generations. */
static bool on_generations(void)
{
	return lru_gen_enabled() && !lru_gen_switching();
}

static unsigned long classic_size(const struct memcg_visit *v, enum lru_list lru)
{
	unsigned long nr = 0;
	int zone;

	for (zone = 0; zone <= v->sc->reclaim_idx; zone++)
		nr += mem_cgroup_get_zone_lru_size(v->lruvec, lru, zone);
	return nr;
}

/* Pages of the types that can be evicted now, whatever zones and types a request takes. */
static unsigned long evictable_by_any(const struct memcg_visit *v)
{
	int nid = lruvec_pgdat(v->lruvec)->node_id, zone;
	unsigned long nr = 0;

	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		nr += mem_cgroup_get_zone_lru_size(v->lruvec, LRU_INACTIVE_FILE, zone);
		nr += mem_cgroup_get_zone_lru_size(v->lruvec, LRU_ACTIVE_FILE, zone);
		if (!can_reclaim_anon_pages(v->memcg, nid, NULL))
			continue;
		nr += mem_cgroup_get_zone_lru_size(v->lruvec, LRU_INACTIVE_ANON, zone);
		nr += mem_cgroup_get_zone_lru_size(v->lruvec, LRU_ACTIVE_ANON, zone);
	}
	return nr;
}

/* Pages that the request could evict. */
static unsigned long evictable(const struct memcg_visit *v)
{
	int nid = lruvec_pgdat(v->lruvec)->node_id;
	unsigned long nr;

	if (on_generations())
		return lru_gen_evictable(v->lruvec, v->sc);
	nr = classic_size(v, LRU_INACTIVE_FILE) + classic_size(v, LRU_ACTIVE_FILE);
	if (v->sc->may_swap && can_reclaim_anon_pages(v->memcg, nid, v->sc))
		nr += classic_size(v, LRU_INACTIVE_ANON) + classic_size(v, LRU_ACTIVE_ANON);
	return nr;
}

/**
 * memcg_visit_begin() - find out what a memcg has to give
 * @v: the visit; nr_pages, nr_share, weight and low are set
 *
 * The weight depends on the memcg and its protection only: requests that may not take
 * all zones and types do not change its place in an order.
 *
 * Context: process context.
 * Return: false if memory.min or memory.low protects the memcg, slab included.
 */
bool memcg_visit_begin(struct memcg_visit *v)
{
	v->nr_share = 0;
	v->nr_pages = evictable(v);
	v->weight = evictable_by_any(v);
	if (is_covered(v))
		return false;
	v->nr_share = unprotected(v->memcg, v->sc, v->nr_pages);
	v->weight = unprotected(v->memcg, v->sc, v->weight);
	return true;
}

/*
 * Policy: how many pages are looked at. Who gives nothing is asked whether that is still so:
 * to look at all it has, in each pass, would keep those waiting whom others can serve, if
 * only from what memory.low protects. Before an OOM kill, all of it is looked at.
 */
static unsigned long nr_look(const struct memcg_visit *v)
{
	const struct scan_control *sc = v->sc;
	unsigned long share = v->nr_share >> sc->priority;
	bool last_resort = sc->memcg_full_walk && !sc->memcg_low_skipped;

	if (lru_gen_gives_nothing(v->lruvec) && !last_resort)
		return v->nr_want;
	return max(MEMCG_VISIT_LOOKS * v->nr_want, share);
}

static void evict_generations(struct memcg_visit *v)
{
	struct lru_gen_quota quota = {
		.nr_free = v->nr_want,
		.nr_look = nr_look(v),
		.swap_waives = v->swap_waives,
		.most_rate = v->most_rate,
		.asks = v->asks,
	};

	lru_gen_evict(v->lruvec, v->sc, &quota);
	v->nr_waived = quota.nr_waived;
	v->rate = quota.rate;
}

static void evict(struct memcg_visit *v)
{
	unsigned long scanned = v->sc->nr_scanned, reclaimed = v->sc->nr_reclaimed;

	/* The classic LRU, and the switch, settle themselves how much they take. */
	if (on_generations())
		evict_generations(v);
	else
		shrink_lruvec(v->lruvec, v->sc);
	v->nr_scanned = v->sc->nr_scanned - scanned;
	v->nr_reclaimed = v->sc->nr_reclaimed - reclaimed;
}

static void account(const struct memcg_visit *v)
{
	unsigned long nr[] = {
		v->nr_pages, v->nr_share, v->nr_want, v->nr_scanned, v->nr_reclaimed,
	};

	struct scan_control *sc = v->sc;

	if (v->low)
		memcg_memory_event(v->memcg, MEMCG_LOW);
	if (!sc->proactive)
		vmpressure(sc->gfp_mask, v->memcg, false, v->nr_scanned, v->nr_reclaimed);
	if (trace_memcg_reclaim_visit_enabled())
		trace_memcg_reclaim_visit(lruvec_pgdat(v->lruvec)->node_id,
					  mem_cgroup_id(v->memcg), sc->priority, nr, v->low);
}

/*
 * The lowest priority that asks a memcg for no more of its slab than of its folios: what it
 * has beyond its protection. Objects are freed after a grace period, so that many requests
 * may ask before the first of them shows in the memcg's usage. shrink_slab() asks for twice
 * the part that a priority stands for.
 */
static int slab_floor(struct mem_cgroup *memcg, struct scan_control *sc)
{
	unsigned long part = unprotected(memcg, sc, BIT(SHARE_SHIFT));

	return part < BIT(SHARE_SHIFT) ? SHARE_SHIFT - ilog2(max(part, 1UL)) + 1 : 0;
}

static unsigned long shrink(struct mem_cgroup *memcg, int nid, struct scan_control *sc,
			    int priority)
{
	if (!memcg_is_charged(memcg))
		return 0;
	return shrink_slab(sc->gfp_mask, nid, memcg, max(priority, slab_floor(memcg, sc)));
}

/**
 * memcg_visit_slab() - reclaim from the slab of a memcg
 * @memcg: the memcg; the root stands for all that belongs to none
 * @nid: node
 * @sc: the request
 * @priority: 0 asks for all, n for 2 ^ -n of it
 *
 * memory.min and memory.low protect slab as they protect folios. What is freed is
 * found in the request's reclaim_state.
 *
 * Context: process context, may sleep.
 * Return: objects that were freed.
 */
unsigned long memcg_visit_slab(struct mem_cgroup *memcg, int nid, struct scan_control *sc,
			       int priority)
{
	struct memcg_visit v = { .memcg = memcg, .sc = sc };

	if (!memcg_is_charged(memcg) || is_covered(&v))
		return 0;
	if (v.low)
		memcg_memory_event(memcg, MEMCG_LOW);
	return shrink(memcg, nid, sc, priority);
}

/**
 * memcg_visit_slab_owed() - for how many pages slab owes its part
 * @sc: the request
 * @nr_scanned: pages scanned
 *
 * A request of the system asks for twice the part of slab: the classic LRU, whose kswapd comes
 * to low priorities, asks for still more. Below a limit it is as much as of pages.
 *
 * Context: any.
 * Return: pages.
 */
unsigned long memcg_visit_slab_owed(struct scan_control *sc, unsigned long nr_scanned)
{
	return root_reclaim(sc) ? 2 * nr_scanned : nr_scanned;
}

/**
 * memcg_visit_slab_priority() - how much slab is due for the pages scanned
 * @nr_owed: memcg_visit_slab_owed() since slab was asked last
 * @nr_pages: pages of which these were a part
 * @lowest: the priority of a request that finds too little
 *
 * shrink_slab() asks a shrinker with DEFAULT_SEEKS for twice the part that a priority stands
 * for. As long as the request finds enough it is a step, also if all of few folios were scanned:
 * these are no reason to ask for all slab.
 *
 * Context: any.
 * Return: priority; negative as long as too little has been scanned.
 */
int memcg_visit_slab_priority(unsigned long nr_owed, unsigned long nr_pages, int lowest)
{
	if (!nr_pages || lowest <= SLAB_STEP)
		return lowest;
	return nr_owed < DIV_ROUND_UP(nr_pages, BIT(SLAB_STEP)) ? -1 : SLAB_STEP + 1;
}

/**
 * memcg_visit_slab_turns() - how many memcgs are asked, of some that take turns
 * @nr_owed: memcg_visit_slab_owed() since one of them was asked last
 * @nr_pages: pages of which these were a part
 * @nr: memcgs that take turns
 *
 * Each of them is to be asked for its part. A few are asked for a step each, rather than one
 * of them for what all owe.
 *
 * Context: any.
 * Return: so many; zero as long as too little has been scanned.
 */
unsigned long memcg_visit_slab_turns(unsigned long nr_owed, unsigned long nr_pages,
				     unsigned long nr)
{
	u64 steps = mul_u64_u64_div_u64((u64)nr_owed << SLAB_STEP, nr, max(nr_pages, 1UL));

	return min_t(u64, steps, nr);
}

/**
 * memcg_visit_slab_due() - whether memcgs that take turns are asked for slab now
 * @owed: memcg_visit_slab_owed() since one of them was asked last; none if one is now
 * @t: the memcgs; priority is set
 *
 * Context: any. Threads that meet here lose a few of the pages owed.
 * Return: how many are asked, one at least; zero as long as too little has been scanned.
 */
unsigned int memcg_visit_slab_due(atomic_long_t *owed, struct memcg_slab_turns *t)
{
	unsigned long nr = atomic_long_read(owed);
	unsigned long turns = max(memcg_visit_slab_turns(nr, t->nr_pages, t->nr), 1UL);

	t->priority = memcg_visit_slab_priority(DIV_ROUND_UP(nr * t->nr, turns), t->nr_pages,
						t->lowest);
	if (t->priority < 0)
		return 0;
	atomic_long_set(owed, 0);
	return turns;
}

/*
 * Folios were taken by turns, slab is owed in proportion. If the folios gave nothing, the
 * request's priority says how much slab is needed. Threads that meet here lose a few
 * of the pages counted.
 */
static void press_slab(struct memcg_visit *v)
{
	unsigned int *scanned = &v->lruvec->member.slab_scanned;
	unsigned long nr = READ_ONCE(*scanned) + memcg_visit_slab_owed(v->sc, v->nr_scanned);
	int lowest = v->nr_reclaimed ? DEF_PRIORITY : v->sc->priority;
	int priority = memcg_visit_slab_priority(nr, v->nr_pages, lowest);

	WRITE_ONCE(*scanned, priority < 0 ? nr : 0);
	if (priority >= 0)
		shrink(v->memcg, lruvec_pgdat(v->lruvec)->node_id, v->sc, priority);
}

/**
 * memcg_visit() - reclaim from a memcg
 * @v: the visit; nr_scanned, nr_reclaimed and nr_waived are set
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 */
void memcg_visit(struct memcg_visit *v)
{
	if (v->nr_want)
		evict(v);
	if (v->slab)
		press_slab(v);
	if (v->nr_want)
		account(v);
}

/*
 * Policy: how many pages a walk through all memcgs looks at in each.
 *
 * The share that the priority asks for. A request for a number of pages goes
 * round the memcgs until it has them, and wants no less than a batch from each;
 * save from those with protection, and when protection is given up, since then
 * each is to give in proportion. kswapd visits every memcg, so that small ones
 * wait for a higher priority.
 */
static unsigned long walk_budget(struct mem_cgroup *memcg, struct scan_control *sc,
				 unsigned long nr)
{
	unsigned long share;

	if (!memcg)
		return nr >> sc->priority;
	/* A removed memcg is scraped bare, else it lingers. */
	if (!mem_cgroup_online(memcg))
		return nr;

	share = unprotected(memcg, sc, nr);
	if (current_is_kswapd() || sc->memcg_low_reclaim || share < nr)
		return share >> sc->priority;
	return min(max(nr >> sc->priority, SWAP_CLUSTER_MAX), nr);
}

/**
 * __lru_gen_reclaim() - reclaim from a lruvec that a walk has come to
 * @lruvec: lruvec
 * @sc: request; nr_reclaimed and the counters in nr are advanced
 *
 * Takes at most what the request lacks plus the rest of a large folio. kswapd
 * walks on, and each memcg gives by its size, not first come.
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 */
void __lru_gen_reclaim(struct lruvec *lruvec, struct scan_control *sc)
{
	unsigned long have = current_is_kswapd() ? 0 : sc->nr_reclaimed;
	struct lru_gen_quota quota = {
		.nr_free = sc->nr_to_reclaim - min(have, sc->nr_to_reclaim),
		.most_rate = LRU_GEN_ANY_RATE,
	};
	unsigned long nr;

	lru_add_drain();
	nr = lru_gen_evictable(lruvec, sc);
	quota.nr_look = walk_budget(lruvec_memcg(lruvec), sc, nr);
	lru_gen_evict(lruvec, sc, &quota);
}
