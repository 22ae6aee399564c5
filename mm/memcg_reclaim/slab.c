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
#include <linux/sched/sysctl.h>
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
 * as long as it takes to pass over all objects. The law that goes for pages says at which rate
 * it is used: as pages that were used once and are idle for as long, since most names are looked
 * up once. The first time takes as long as the system runs.
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

/* Whoever waits for it waits so long at a time, in jiffies. A choice, not tuned. */
#define PAUSE		max(HZ / 100, 1)

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
 * Shrinkers are taken to have come to all of it at an even pace. Who comes while @before and
 * @took are set may read one that is new and one that is not.
 *
 * Context: any; takes no lock.
 * Return: time since shrinkers passed over them, in jiffies.
 */
unsigned long memcg_lru_slab_idle(const struct memcg_lru_slab *s)
{
	unsigned int done = MEMCG_LRU_ALL_SLAB - READ_ONCE(s->left);
	unsigned long passed = mult_frac(READ_ONCE(s->took), done, MEMCG_LRU_ALL_SLAB);
	unsigned long since = jiffies - READ_ONCE(s->before);

	return since - min(since, passed);
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
	return div64_u64(LRU_GEN_NEW_RATE, memcg_lru_slab_idle(s) + 1ULL);
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

/* The watermark that pgdat_balanced() asks for. */
static unsigned long wanted_free(const struct zone *zone)
{
	return sysctl_numa_balancing_mode & NUMA_BALANCING_MEMORY_TIERING ?
	       promo_wmark_pages(zone) : high_wmark_pages(zone);
}

/**
 * memcg_lru_slab_short() - what a node lacks until it is balanced
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
		unsigned long wanted = wanted_free(zone);

		if (managed_zone(zone))
			nr += wanted - min(wanted, zone_page_state(zone, NR_FREE_PAGES));
	}
	return nr;
}

/**
 * memcg_lru_slab_suffices() - whether an allocation that comes now needs no reclaim
 * @nid: node
 * @sc: the request
 * @order: of the allocation
 *
 * Context: any.
 * Return: whether a zone that the request takes is above its low watermark.
 */
bool memcg_lru_slab_suffices(int nid, const struct scan_control *sc, unsigned int order)
{
	int i, idx = sc->reclaim_idx;

	for (i = 0; i <= idx; i++) {
		struct zone *zone = &NODE_DATA(nid)->node_zones[i];

		if (managed_zone(zone) &&
		    zone_watermark_ok_safe(zone, order, low_wmark_pages(zone), idx))
			return true;
	}
	return false;
}

/*
 * A proactive request gets the pages it asks for, and objects, which are freed later, would come
 * on top of these. A large page is made of pages that can be moved.
 */
static bool wants_pages(const struct scan_control *sc)
{
	return sc->proactive || sc->hibernation_mode || sc->order > PAGE_ALLOC_COSTLY_ORDER;
}

/*
 * A request of so high a priority is in trouble; kswapd is if allocations have to reclaim, too. In
 * the end it takes pages anyway, or it would count a failure.
 */
static bool in_trouble(int nid, const struct scan_control *sc)
{
	if (memcg_oom_is_next(sc))
		return true;
	if (sc->priority >= DEF_PRIORITY - 2)
		return false;
	return !current_is_kswapd() || sc->priority < DEF_PRIORITY / 2 ||
	       !memcg_lru_slab_suffices(nid, sc, sc->order);
}

/**
 * memcg_lru_slab_stands_in() - whether slab may be asked in place of pages in use
 * @nid: node
 * @sc: the request
 *
 * A request that is in trouble takes whatever there is. One that only lacks adjacent pages is
 * not kept waiting for objects.
 *
 * Context: any.
 * Return: whether it may.
 */
bool memcg_lru_slab_stands_in(int nid, const struct scan_control *sc)
{
	if (wants_pages(sc) || !(sc->gfp_mask & __GFP_FS) || in_trouble(nid, sc))
		return false;
	return current_is_kswapd() || !sc->order || !memcg_lru_slab_suffices(nid, sc, 0);
}

/* As reclaim_throttle(): reclaim may depend on threads of the kernel. */
static bool may_wait(const struct scan_control *sc)
{
	return !(current->flags & (PF_USER_WORKER | PF_KTHREAD)) &&
	       !(sc->gfp_mask & __GFP_NORETRY);
}

/**
 * memcg_lru_slab_pause() - give objects time to be freed
 * @sc: the request
 *
 * Context: process context, may sleep.
 */
void memcg_lru_slab_pause(const struct scan_control *sc)
{
	if (current_is_kswapd())
		schedule_timeout_idle(PAUSE);
	else if (may_wait(sc))
		schedule_timeout_killable(PAUSE);
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
