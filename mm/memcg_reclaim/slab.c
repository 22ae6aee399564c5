// SPDX-License-Identifier: GPL-2.0
/*
 * Slab that has no turn: that of no memcg, and all of it before a kill.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "../internal.h"
#include "../lru_gen/evict.h"
#include "internal.h"

/**
 * DOC: slab
 *
 * Shrinkers pass over their objects in turn. They free those that were not used since they
 * came by last, and leave the others for the next time. So whatever is freed was idle for
 * as long as it takes to pass over all objects, and the law that goes for idle pages says at
 * which rate it is used. The first time takes as long as the system runs.
 *
 * While pages are used at a higher rate than that, slab is asked in their place, for
 * what the request lacks. The sooner all objects have been passed over, the higher is
 * the rate, and pages give again. Slab that is small, or gives nothing, has no such part in
 * it. Apart from all this it gives in proportion to the pages scanned.
 */

/*
 * It is asked for so many pages at least. *Derived*: these hold a batch of a file system's
 * shrinker, 1,024 objects, if an object takes a kilobyte.
 */
#define MIN_PAGES	((unsigned long)SZ_1M >> PAGE_SHIFT)

/* It is asked for this part of all at most, as a shift. A choice, not tuned. */
#define MOST_PART	3

/*
 * For so long, in jiffies, what was asked for is taken to be about to come: objects are
 * freed after a grace period. A choice, not tuned.
 */
#define COMING		max(HZ / 20, 1)

/* It gives nothing if it was asked so often in vain. A choice, not tuned. */
#define MOST_VAIN	4U

/* A page holds ten objects or more. If not one of these goes, it is not idle. */
static void note_given(struct memcg_lru_slab *s, unsigned long nr_pages, unsigned long nr_freed)
{
	/* Shrinkers put off what is less than their batch. */
	if (nr_freed < nr_pages && nr_pages < MIN_PAGES)
		return;
	WRITE_ONCE(s->nr_vain, nr_freed < nr_pages ? min(READ_ONCE(s->nr_vain) + 1, MOST_VAIN) : 0);
}

/* With DEFAULT_SEEKS, twice what a priority stands for. */
static unsigned long part_of(unsigned long nr, int priority)
{
	return nr >> max(priority - 1, 0);
}

/**
 * memcg_lru_slab_asked() - shrinkers have been asked
 * @s: the slab of the node
 * @nr_slab: pages of it
 * @priority: how much of it, as memcg_visit_slab() was told
 * @nr_freed: objects that were freed
 *
 * Of two who come at the same time, one may not be counted.
 *
 * Context: any; takes no lock.
 */
void memcg_lru_slab_asked(struct memcg_lru_slab *s, unsigned long nr_slab, int priority,
			  unsigned long nr_freed)
{
	unsigned int part = part_of(MEMCG_LRU_ALL_SLAB, priority);
	unsigned int left = READ_ONCE(s->left);
	bool over = part >= left;

	note_given(s, part_of(nr_slab, priority), nr_freed);
	if (cmpxchg(&s->left, left, over ? MEMCG_LRU_ALL_SLAB : left - part) != left)
		return;
	if (left == MEMCG_LRU_ALL_SLAB)
		WRITE_ONCE(s->began, jiffies);
	if (!over)
		return;
	WRITE_ONCE(s->before, READ_ONCE(s->began));
	WRITE_ONCE(s->took, jiffies - READ_ONCE(s->began));
}

/**
 * memcg_lru_slab_idle() - for how long the next objects are idle, if they are
 * @s: the slab of the node
 *
 * Shrinkers are taken to have come to all of it at an even pace.
 *
 * Context: any; takes no lock.
 * Return: time since shrinkers passed over them, in jiffies.
 */
unsigned long memcg_lru_slab_idle(const struct memcg_lru_slab *s)
{
	unsigned int done = MEMCG_LRU_ALL_SLAB - READ_ONCE(s->left);

	return jiffies - READ_ONCE(s->before) -
	       mult_frac(READ_ONCE(s->took), done, MEMCG_LRU_ALL_SLAB);
}

/**
 * memcg_lru_slab_priority() - how much slab to ask for in place of pages
 * @nr: pages that are missing
 * @nr_slab: pages of slab
 *
 * Context: any.
 * Return: the priority for memcg_visit_slab(); negative if there is too little slab.
 */
int memcg_lru_slab_priority(unsigned long nr, unsigned long nr_slab)
{
	nr = max(nr, MIN_PAGES);
	if (nr_slab >> MOST_PART < MIN_PAGES)
		return -1;
	return clamp_t(int, ilog2(max(nr_slab / nr, 1UL)) + 1, MOST_PART + 1, DEF_PRIORITY);
}

/**
 * memcg_lru_slab_reserve() - take from what has been asked for already
 * @s: the slab of the node
 * @nr: pages that are missing
 *
 * Two who come at the same time may take the same.
 *
 * Context: any; takes no lock.
 * Return: how many of these are about to come.
 */
unsigned long memcg_lru_slab_reserve(struct memcg_lru_slab *s, unsigned long nr)
{
	unsigned long coming = READ_ONCE(s->nr_coming);

	if (time_after(jiffies, READ_ONCE(s->asked) + COMING))
		coming = 0;
	nr = min(nr, coming);
	WRITE_ONCE(s->nr_coming, coming - nr);
	return nr;
}

/**
 * memcg_lru_slab_expect() - say that more was asked for than was missing
 * @s: the slab of the node
 * @nr: pages more
 *
 * Context: any; takes no lock.
 */
void memcg_lru_slab_expect(struct memcg_lru_slab *s, unsigned long nr)
{
	WRITE_ONCE(s->nr_coming, READ_ONCE(s->nr_coming) + nr);
	WRITE_ONCE(s->asked, jiffies);
}

/**
 * memcg_lru_slab_most_rate() - which pages stay, since slab is used less
 * @s: the slab of the node
 * @nr_slab: pages of it
 *
 * Context: any; takes no lock.
 * Return: those that are used at a higher rate, see lru_gen_rate(); LRU_GEN_ANY_RATE if
 * none do.
 */
u64 memcg_lru_slab_most_rate(const struct memcg_lru_slab *s, unsigned long nr_slab)
{
	if (READ_ONCE(s->nr_vain) >= MOST_VAIN || memcg_lru_slab_priority(0, nr_slab) < 0)
		return LRU_GEN_ANY_RATE;
	return div64_u64(LRU_GEN_LAW_RATE, memcg_lru_slab_idle(s) + 1ULL);
}

/**
 * memcg_lru_slab_pages() - how much slab belongs to no memcg
 * @nid: node
 *
 * The root's counter has that of all memcgs, and may be a moment old.
 *
 * Context: any.
 * Return: pages.
 */
unsigned long memcg_lru_slab_pages(int nid)
{
	struct pglist_data *pgdat = NODE_DATA(nid);
	struct lruvec *lruvec = mem_cgroup_lruvec(root_mem_cgroup, pgdat);
	unsigned long nr = node_page_state_pages(pgdat, NR_SLAB_RECLAIMABLE_B);

	return nr - min(nr, lruvec_page_state(lruvec, NR_SLAB_RECLAIMABLE_B) >> PAGE_SHIFT);
}

/* Pages of the node that can be evicted, in the zones that the request takes. */
static unsigned long eligible_pages(int nid, const struct scan_control *sc)
{
	struct zone *zones = NODE_DATA(nid)->node_zones;
	unsigned long nr = 0;
	int i;

	for (i = 0; i <= sc->reclaim_idx; i++)
		if (populated_zone(&zones[i]))
			nr += zone_reclaimable_pages(&zones[i]);
	return nr;
}

/**
 * memcg_lru_slab_due() - of how many scanned pages slab owes its part
 * @nid: node
 * @sc: the request
 * @nr_scanned: pages that were scanned
 * @nr_pages: pages of the node
 *
 * Slab lies in low zones, and a request for these finds few folios there: what it scans is
 * counted as that part of the node which it is of the zones. Otherwise the zones' last folios
 * would go before their slab, and the page allocator, which does not count slab as
 * reclaimable, would kill.
 *
 * Context: any.
 * Return: pages.
 */
unsigned long memcg_lru_slab_due(int nid, const struct scan_control *sc,
				 unsigned long nr_scanned, unsigned long nr_pages)
{
	unsigned long eligible;

	/* It takes all zones that there are. */
	if (!nr_scanned || sc->reclaim_idx + 1 >= NODE_DATA(nid)->nr_zones)
		return nr_scanned;
	eligible = eligible_pages(nid, sc);
	if (eligible >= nr_pages)
		return nr_scanned;
	return nr_scanned < eligible ? mult_frac(nr_scanned, nr_pages, eligible) : nr_pages;
}

/**
 * memcg_lru_slab_short() - what a node lacks to its high watermarks
 * @nid: node
 * @sc: the request
 *
 * Context: any.
 * Return: pages, of the zones that the request takes.
 */
unsigned long memcg_lru_slab_short(int nid, const struct scan_control *sc)
{
	unsigned long nr = 0;
	int i;

	for (i = 0; i <= sc->reclaim_idx; i++) {
		struct zone *zone = &NODE_DATA(nid)->node_zones[i];

		if (managed_zone(zone))
			nr += high_wmark_pages(zone) - min(high_wmark_pages(zone),
							   zone_page_state(zone, NR_FREE_PAGES));
	}
	return nr;
}

/**
 * memcg_lru_slab_ask() - reclaim from slab that belongs to no memcg
 * @lru: order of the node
 * @nid: node
 * @sc: the request; nr_reclaimed is advanced by what was freed at once
 * @priority: how much, as for memcg_visit_slab()
 *
 * Context: process context, may sleep.
 */
void memcg_lru_slab_ask(struct memcg_lru *lru, int nid, struct scan_control *sc, int priority)
{
	unsigned long nr_slab = memcg_lru_slab_pages(nid);
	unsigned long nr = memcg_visit_slab(root_mem_cgroup, nid, sc, priority);

	/* Who may not enter a file system learns nothing of what its shrinkers have. */
	if (sc->gfp_mask & __GFP_FS)
		memcg_lru_slab_asked(&lru->root_slab, nr_slab, priority, nr);
	flush_reclaim_state(sc);
}

/* Whether the page allocator would give up. It does not count slab: should_reclaim_retry(). */
static bool is_kill_near(int nid, const struct scan_control *sc)
{
	int i, idx = sc->reclaim_idx;

	for (i = 0; i <= idx; i++) {
		struct zone *zone = &NODE_DATA(nid)->node_zones[i];
		unsigned long nr;

		if (!managed_zone(zone))
			continue;
		nr = zone_reclaimable_pages(zone) + zone_page_state_snapshot(zone, NR_FREE_PAGES);
		if (__zone_watermark_ok(zone, 0, min_wmark_pages(zone), idx, 0, nr))
			return false;
	}
	return true;
}

/* Returns whether objects were freed. */
static bool ask_all_for_slab(int nid, struct scan_control *sc, int priority)
{
	struct mem_cgroup *memcg = mem_cgroup_iter(NULL, NULL, NULL);
	bool gives = false;

	do {
		gives |= !!memcg_visit_slab(memcg, nid, sc, priority);
		cond_resched();
	} while ((memcg = mem_cgroup_iter(NULL, memcg, NULL)));
	return gives;
}

/**
 * memcg_lru_slab_wait() - wait for slab rather than have somebody killed
 * @nid: node
 * @sc: the request
 *
 * Folios are all but gone from the zones, and slab gives, but after a grace period. More is
 * asked for each time.
 *
 * Context: process context, may sleep.
 */
void memcg_lru_slab_wait(int nid, struct scan_control *sc)
{
	int priority;

	if (current_is_kswapd() || sc->proactive)
		return;
	for (priority = DEF_PRIORITY / 2; priority >= 0; priority--) {
		if (!is_kill_near(nid, sc) || fatal_signal_pending(current))
			return;
		if (ask_all_for_slab(nid, sc, priority))
			schedule_timeout_killable(1);
	}
}
