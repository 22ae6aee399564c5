// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of the system, which may take from any memcg.
 */
#include <linux/jump_label.h>
#include <linux/math.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "../internal.h"
#include "internal.h"

/**
 * DOC: global
 *
 * A pass over a node is a number of turns, whoever is next in the order of the
 * node, until the request has what it wants. It ends before that when it has had
 * as many turns as there are members, twice, and freed little of what it looked
 * at: then it takes a higher priority. So a pass that gets nothing is over after
 * two walks through all memcgs that have something, and most are a few turns.
 *
 * A proactive request has no node that it prefers. Nodes have their turns as
 * memcgs have, by credit in proportion to their size.
 */

/* A pass goes on if of so many pages looked at, one was freed. */
#define MIN_YIELD		8

/* Pages proactive requests take of an average node before the next has its turn. */
#define NODE_QUANTUM		(4 * MEMCG_LRU_BATCH)

/**
 * struct memcg_pass - a pass of a request over the memcgs of a node
 * @lru: order of the node
 * @nid: the node
 * @sc: the request
 * @goal: what it will have reclaimed when the pass is over
 * @shard: where to look for the next turn
 * @nr_turns: turns since the last look at the yield
 * @nr_scanned: pages that had been scanned by then
 * @nr_reclaimed: pages that had been reclaimed by then
 * @nr_visits: turns since then in which something was asked for
 * @nr_waiting: turns since then in which a member had to wait for credit
 *
 * All fields are P.
 */
struct memcg_pass {
	struct memcg_lru *lru;
	int nid;
	struct scan_control *sc;
	unsigned long goal;
	unsigned int shard;
	unsigned int nr_turns;
	unsigned long nr_scanned;
	unsigned long nr_reclaimed;
	unsigned int nr_visits;
	unsigned int nr_waiting;
};

static void look_at_yield(struct memcg_pass *p)
{
	p->nr_turns = 0;
	p->nr_visits = 0;
	p->nr_waiting = 0;
	p->nr_scanned = p->sc->nr_scanned;
	p->nr_reclaimed = p->sc->nr_reclaimed;
}

/* Whether what kswapd has been woken for is there. */
static bool is_balanced(const struct memcg_pass *p)
{
	struct zone *zones = NODE_DATA(p->nid)->node_zones;
	int highest = p->sc->reclaim_idx, i;

	for (i = 0; i <= highest; i++)
		if (managed_zone(&zones[i]) &&
		    !zone_watermark_ok(&zones[i], p->sc->order,
				       high_wmark_pages(&zones[i]), highest, 0))
			return false;
	return true;
}

static bool is_served(const struct memcg_pass *p)
{
	if (p->sc->nr_reclaimed >= p->goal || lru_gen_switching())
		return true;
	if (current_is_kswapd())
		return is_balanced(p);
	return p->sc->proactive ? signal_pending(current) : fatal_signal_pending(current);
}

/* Policy: whether a pass that has not got enough is to go on. */
static bool is_worthwhile(struct memcg_pass *p)
{
	unsigned long scanned = p->sc->nr_scanned - p->nr_scanned;
	unsigned long reclaimed = p->sc->nr_reclaimed - p->nr_reclaimed;
	/* Nobody was asked, because all have been before: the next round helps. */
	bool waiting = p->nr_waiting && !p->nr_visits;

	if (p->nr_turns++ < 2 * memcg_lru_size(p->lru))
		return true;
	look_at_yield(p);
	return waiting || reclaimed * MIN_YIELD > scanned;
}

/* kswapd takes all there is to take at once; who is waited for shares it. */
static unsigned long limit_of(const struct memcg_pass *p)
{
	unsigned long missing = p->goal - p->sc->nr_reclaimed;

	return current_is_kswapd() ? missing : min(missing, MEMCG_LRU_BATCH);
}

/*
 * A memcg without folios may have slab. One after the other is asked for it, each
 * time the root is, and more of them as the pressure grows.
 */
static void visit_parked(struct memcg_pass *p)
{
	int priority = clamp_t(int, p->sc->priority, 0, DEF_PRIORITY);
	unsigned int nr = 1U << (DEF_PRIORITY - priority);
	struct memcg_lru_member *first = NULL, *m;
	bool again = false;

	while (nr-- && !again && (m = memcg_lru_take_parked(p->lru))) {
		struct mem_cgroup *memcg = lruvec_memcg(memcg_lru_lruvec(m));

		again = m == first;
		if (!again)
			memcg_visit_slab(memcg, p->nid, p->sc);
		css_put(&memcg->css);
		first = first ?: m;
		cond_resched();
	}
}

static unsigned long nr_listed(int nid, enum lru_list lru)
{
	return node_page_state(NODE_DATA(nid), NR_LRU_BASE + lru);
}

/* Roughly what there is to take from a node. */
static unsigned long node_weight(int nid)
{
	unsigned long nr = nr_listed(nid, LRU_INACTIVE_FILE) + nr_listed(nid, LRU_ACTIVE_FILE);

	if (get_nr_swap_pages() > 0)
		nr += nr_listed(nid, LRU_INACTIVE_ANON) + nr_listed(nid, LRU_ACTIVE_ANON);
	return nr;
}

/*
 * Policy: whether slab is asked in a turn. Who has slab and hardly any folios waits
 * for credit most of the time; if others are not enough, it is asked all the same.
 */
static bool is_for_slab(const struct memcg_pass *p, const struct memcg_lru_turn *t,
			bool is_root)
{
	if (is_root)
		return t->first;
	return t->nr || (t->first && p->sc->priority < DEF_PRIORITY);
}

static void visit_in_turn(struct memcg_pass *p, struct memcg_visit *v,
			  struct memcg_lru_turn *t)
{
	bool is_root = mem_cgroup_is_root(v->memcg);

	memcg_lru_reserve(p->lru, t);
	v->nr_want = t->nr;
	v->slab = is_for_slab(p, t, is_root);
	if (is_root)
		v->nr_node = node_weight(p->nid);
	p->nr_visits += !!t->nr;
	p->nr_waiting += !t->nr && t->weight;
	memcg_visit(v);
	if (v->slab && is_root)
		visit_parked(p);
	memcg_lru_settle(p->lru, t, v->nr_reclaimed, v->nr_reclaimed >= t->nr);
}

static void take_turn(struct memcg_pass *p, struct memcg_lru_member *m)
{
	struct mem_cgroup *memcg = lruvec_memcg(memcg_lru_lruvec(m));
	struct memcg_visit v = {
		.lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(p->nid)),
		.memcg = memcg,
		.sc = p->sc,
	};
	struct memcg_lru_turn t = {
		.member = m,
		.limit = limit_of(p),
	};
	bool covered = !memcg_visit_begin(&v);

	t.weight = v.nr_share;
	if (t.weight || mem_cgroup_is_root(memcg))
		visit_in_turn(p, &v, &t);
	else
		memcg_lru_skip(p->lru, m, covered);
	if (!v.nr_pages)
		memcg_lru_try_park(v.lruvec);
	css_put(&memcg->css);
}

static void run_pass(struct memcg_pass *p)
{
	struct memcg_lru_member *m;

	if (memcg_soft_limits_in_use())
		memcg_reclaim_excess(p->sc, p->nid, p->goal);
	p->shard = get_random_u32_below(MEMCG_LRU_NR_SHARDS);
	look_at_yield(p);
	memcg_lru_expect(p->lru, node_weight(p->nid));
	while (!is_served(p) && is_worthwhile(p)) {
		m = memcg_lru_take(p->lru, p->shard++);
		if (!m)
			break;
		take_turn(p, m);
		cond_resched();
	}
	/* They have been set aside before this request, which is to know. */
	if (READ_ONCE(p->lru->nr_spared) && !p->sc->memcg_low_reclaim)
		p->sc->memcg_low_skipped = 1;
}

/*
 * kswapd has a new request each time, and adds up what it got. A proactive request
 * comes in parts, the last one of a batch: if all others are whole batches, there
 * is nothing left over that the last would exceed.
 */
static unsigned long goal_of(const struct scan_control *sc)
{
	if (sc->proactive)
		return roundup(sc->nr_to_reclaim, MEMCG_LRU_BATCH);
	return sc->nr_to_reclaim + (current_is_kswapd() ? sc->nr_reclaimed : 0);
}

static struct memcg_pass pass_over(int nid, struct scan_control *sc)
{
	struct memcg_pass p = {
		.lru = &NODE_DATA(nid)->memcg_lru,
		.nid = nid,
		.sc = sc,
		.goal = goal_of(sc),
	};

	return p;
}

static int richest(const nodemask_t *left)
{
	int nid, best = first_node(*left);

	for_each_node_mask(nid, *left)
		if (atomic_long_read(&NODE_DATA(nid)->memcg_lru.balance) >
		    atomic_long_read(&NODE_DATA(best)->memcg_lru.balance))
			best = nid;
	return best;
}

/* A round of nodes: each may be asked for what is its share. */
static void give_nodes(const nodemask_t *left)
{
	unsigned long total = 1;
	int nid;

	for_each_node_mask(nid, *left)
		total += node_weight(nid);
	for_each_node_mask(nid, *left)
		atomic_long_add(1 + mult_frac(NODE_QUANTUM * nodes_weight(*left),
					      node_weight(nid), total),
				&NODE_DATA(nid)->memcg_lru.balance);
}

/* Returns whether the node gave what it was asked for. */
static bool take_node(int nid, struct scan_control *sc)
{
	atomic_long_t *balance = &NODE_DATA(nid)->memcg_lru.balance;
	unsigned long before = sc->nr_reclaimed;
	struct memcg_pass p = pass_over(nid, sc);

	p.goal = min(p.goal, before + max(atomic_long_read(balance), 1L));
	run_pass(&p);
	atomic_long_sub(sc->nr_reclaimed - before, balance);
	if (sc->nr_reclaimed >= p.goal)
		return true;
	/* What it cannot give is not owed. */
	atomic_long_set(balance, 0);
	return false;
}

static void reclaim_anywhere(struct scan_control *sc)
{
	nodemask_t left = node_states[N_MEMORY];

	while (!nodes_empty(left) && sc->nr_reclaimed < goal_of(sc)) {
		int nid = richest(&left);

		if (atomic_long_read(&NODE_DATA(nid)->memcg_lru.balance) <= 0)
			give_nodes(&left);
		nid = richest(&left);
		if (!take_node(nid, sc))
			node_clear(nid, left);
	}
}

static void reclaim_node(int nid, struct scan_control *sc)
{
	struct memcg_pass p = pass_over(nid, sc);

	/* All else has failed. */
	if (sc->memcg_low_reclaim)
		memcg_lru_unspare(p.lru);
	run_pass(&p);
}

/**
 * __lru_gen_reclaim_node() - reclaim from the memcgs whose turn it is
 * @pgdat: node
 * @sc: request; nr_reclaimed and the counters in nr are advanced
 *
 * A proactive request is served by all nodes at once, and by the one asked for
 * only when it comes to protected memory.
 *
 * Context: process context, may sleep.
 * Return: false if this is not a request of the system, or not the time for it.
 */
bool __lru_gen_reclaim_node(struct pglist_data *pgdat, struct scan_control *sc)
{
	if (mem_cgroup_disabled() || !root_reclaim(sc) || lru_gen_switching())
		return false;
	lru_add_drain();
	if (sc->proactive && !sc->memcg_low_reclaim)
		reclaim_anywhere(sc);
	else
		reclaim_node(pgdat->node_id, sc);
	return true;
}
