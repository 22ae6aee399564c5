// SPDX-License-Identifier: GPL-2.0
/*
 * Aging: when a generation is opened, and how long one is kept.
 */
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/swap.h>

#include "internal.h"

/**
 * DOC: aging
 *
 * Opening a generation makes the oldest young one old, and thereby evictable.
 * It is done when, and only when, a visit finds no old folio of any type it may
 * evict: generations are numbered by need, not by the clock, and an idle lruvec
 * does not age. What has been used meanwhile is found by rmap when eviction
 * reaches it, and goes to the youngest generation.
 */

/* Folios moved by a fold with lru_lock held once. */
#define FOLD_BATCH	(4 * SWAP_CLUSTER_MAX)

/*
 * R: what has been used within this time, in jiffies, is not evicted by the
 * system, which kills a process when there is nothing else left. Zero is off.
 */
unsigned long lru_gen_min_ttl __read_mostly;

/**
 * lru_gen_too_young() - whether min_ttl protects a generation
 * @w: window
 * @seq: an old generation of it
 *
 * Its folios were last known to be in use before the next one was opened.
 *
 * Context: any.
 * Return: true if it must not be evicted yet.
 */
bool lru_gen_too_young(const struct lru_gen_window *w, unsigned long seq)
{
	unsigned long ttl = READ_ONCE(lru_gen_min_ttl);

	return ttl && time_before(jiffies,
				  READ_ONCE(w->birth[lru_gen_index(seq + 1)]) + ttl);
}

/* Another thread may have opened one since this visit found nothing old. */
static bool found_old(const struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (e->may_evict[type] &&
		    lru_gen_oldest(w, type, e->sc->reclaim_idx) != w->max_seq)
			return true;
	return false;
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

/**
 * lru_gen_age() - make folios evictable after a visit found none
 * @e: the visit
 *
 * A visit opens at most MIN_NR_GENS generations: that brings within its reach
 * all that was there when it began, and no more.
 *
 * Context: process context, may sleep; takes lruvec->lru_lock.
 * Return: false if that cannot help.
 */
bool lru_gen_age(struct lru_gen_evict *e)
{
	struct lruvec *lruvec = e->lruvec;
	bool found;

	if (e->nr_opened >= MIN_NR_GENS || !lru_gen_nr_evictable(e))
		return false;

	spin_lock_irq(&lruvec->lru_lock);
	make_room(lruvec, LRU_GEN_ANON);
	make_room(lruvec, LRU_GEN_FILE);
	found = found_old(e);
	if (!found && lru_gen_open(lruvec)) {
		lru_gen_account_open(lruvec);
		e->nr_opened++;
	}
	spin_unlock_irq(&lruvec->lru_lock);
	return true;
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
	unsigned long oldest = lru_gen_oldest(w, type, MAX_NR_ZONES - 1);

	/* Where all is young, there has been no pressure that would show. */
	return oldest == READ_ONCE(w->max_seq) || !lru_gen_too_young(w, oldest);
}

static bool lruvec_expired(struct lruvec *lruvec, void *arg)
{
	struct lru_gen_expiry *x = arg;
	struct mem_cgroup *memcg = lruvec_memcg(lruvec);
	int type = LRU_GEN_FILE;
	unsigned long nr;

	if (sc_swappiness(x->sc, memcg) &&
	    can_reclaim_anon_pages(memcg, lruvec_pgdat(lruvec)->node_id, x->sc))
		type = LRU_GEN_ANON;
	for (; type < LRU_GEN_NR_TYPES; type++) {
		nr = lru_gen_total(&lruvec->lrugen, type, MAX_NR_ZONES - 1);
		if (nr && type_expired(&lruvec->lrugen, type))
			return true;
		x->nr_kept += nr;
	}
	return false;
}

static void kill_somebody(gfp_t gfp_mask)
{
	struct oom_control oc = { .gfp_mask = gfp_mask };

	if (mutex_trylock(&oom_lock)) {
		out_of_memory(&oc);
		mutex_unlock(&oom_lock);
	}
}

/**
 * __lru_gen_kswapd_age() - kill a process rather than evict a working set
 * @pgdat: node that kswapd balances
 * @sc: kswapd's request
 *
 * Only when min_ttl_ms is set, and when two passes at lower pressure have not
 * been enough.
 *
 * Context: kswapd.
 */
void __lru_gen_kswapd_age(struct pglist_data *pgdat, struct scan_control *sc)
{
	struct lru_gen_expiry x = { .sc = sc };

	if (!READ_ONCE(lru_gen_min_ttl) || sc->priority > DEF_PRIORITY - 2)
		return;
	if (!lru_gen_any_lruvec(lruvec_expired, pgdat->node_id, &x) && x.nr_kept)
		kill_somebody(sc->gfp_mask);
}
