// SPDX-License-Identifier: GPL-2.0
/*
 * What a request may evict.
 */
#include <linux/cgroup.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "evict.h"
#include "internal.h"

/**
 * DOC: request
 *
 * A request is limited by its zones, its context and by swappiness. What it may not
 * evict it does not count as evictable, and does not look at.
 *
 * Aging serves all requests. It goes by what can be evicted at all: file folios, and anon
 * folios while there is swap, or a lower tier, and the memcg may use it.
 */

/* Whether anon folios can be written, or moved to another node, in this context. */
static bool can_move_anon(const struct lru_gen_evict *e, int nid)
{
	const struct scan_control *sc = e->sc;

	return can_demote(nid, e->sc) || ((sc->gfp_mask & __GFP_IO) && sc->may_writepage);
}

/* As the classic LRU has it: file folios and free memory are below the high watermarks. */
static bool node_is_out_of_files(struct pglist_data *pgdat)
{
	unsigned long left = sum_zone_node_page_state(pgdat->node_id, NR_FREE_PAGES);
	unsigned long enough = 0;
	enum zone_type z = 0;

	left += node_page_state(pgdat, NR_INACTIVE_FILE);
	left += node_page_state(pgdat, NR_ACTIVE_FILE);
	/* A zone without pages has no watermark. */
	while (z < MAX_NR_ZONES)
		enough += high_wmark_pages(&pgdat->node_zones[z++]);
	return left <= enough;
}

/*
 * Policy: swappiness 0. Anon folios go once file folios are nearly gone: by the node's
 * watermarks, or when a request has come to its last pass and would fail. They never go
 * for memory.reclaim and debugfs, nor below a limit of cgroup v1: there, 0 is documented
 * to prevent swapping whatever happens (Documentation/admin-guide/cgroup-v1/memory.rst).
 */
static bool may_swap_at_zero(const struct lru_gen_evict *e)
{
	const struct scan_control *sc = e->sc;

	if (sc->proactive)
		return false;
	if (cgroup_reclaim(e->sc))
		return !sc->priority && !lru_gen_memcg_v1();
	return !sc->priority || node_is_out_of_files(lruvec_pgdat(e->lruvec));
}

/**
 * lru_gen_set_request() - find out what a visit may evict
 * @e: the visit; its lruvec and request are set, what it may evict will be
 * @swappiness: 0..200
 *
 * Swappiness is a ratio of costs. At its ends one cost is nothing, and whatever
 * is said of use would not count; so 200 weighs as 199 does, and 0 as 1 if anon folios
 * may go at all.
 *
 * Context: any.
 */
void lru_gen_set_request(struct lru_gen_evict *e, int swappiness)
{
	int nid = lruvec_pgdat(e->lruvec)->node_id;
	bool has_room;

	e->memcg = lruvec_memcg(e->lruvec);
	has_room = can_reclaim_anon_pages(e->memcg, nid, e->sc);
	e->may_age[LRU_GEN_FILE] = true;
	e->may_age[LRU_GEN_ANON] = has_room && mem_cgroup_swappiness(e->memcg);
	e->may_evict[LRU_GEN_FILE] = true;
	e->may_evict[LRU_GEN_ANON] = has_room && e->sc->may_swap && can_move_anon(e, nid) &&
				     (swappiness || may_swap_at_zero(e));
	e->swappiness = clamp(swappiness, 1, MAX_SWAPPINESS - 1);
}

/**
 * lru_gen_evictable() - how much a request could evict from a lruvec
 * @lruvec: lruvec
 * @sc: the request: its zones and types of folios are counted
 *
 * Context: any; the value may be a moment old.
 * Return: pages.
 */
unsigned long lru_gen_evictable(struct lruvec *lruvec, struct scan_control *sc)
{
	struct lru_gen_evict e = {
		.lruvec = lruvec,
		.sc = sc,
	};
	unsigned long nr = 0;
	int type;

	lru_gen_set_request(&e, sc_swappiness(sc, lruvec_memcg(lruvec)));
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (e.may_evict[type])
			nr += lru_gen_total(&lruvec->lrugen, type, sc->reclaim_idx);
	return nr;
}
