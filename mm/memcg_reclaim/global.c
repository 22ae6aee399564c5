// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of the system, which may take from any memcg.
 */
#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>

/* Needs some of the above. */
#include <linux/compaction.h>

#include "../internal.h"
#include "../lru_gen/evict.h"
#include "internal.h"

/**
 * DOC: global
 *
 * A pass over a node is a number of turns, whoever is next in the order of the node, until the
 * request has what it wants. It ends before that when it has had as many turns as there are
 * members, twice, and freed little of what it looked at: then it takes a higher priority. So a
 * pass that gets nothing is over after two walks through all memcgs that have something.
 *
 * kswapd frees a batch and then asks pgdat_balanced() after each turn. While it reclaims
 * for a boosted watermark the node is balanced, and the request says how much it wants.
 *
 * Slab is asked in proportion to the pages scanned. A member with folios is asked in
 * its turn. The root's slab, which is that of no memcg, and parked members, one after the
 * other, are asked for the part of the node that was scanned since. A pass that fell
 * short asks for what its priority stands for. While pages are used more than the root's
 * slab, it is asked in place of these: see slab.c.
 *
 * A proactive request has no node that it prefers: see nodes.c.
 */

/* A pass goes on if of so many pages looked at, one was freed. */
#define MIN_YIELD		8

/* Members that keep what they use before a pass is over. As SAMPLE in bar.c. */
#define KEPT_TURNS		8

/**
 * struct memcg_pass - a pass of a request over the memcgs of a node
 * @lru: order of the node
 * @nid: the node
 * @sc: the request
 * @begun: what it had reclaimed when the pass began
 * @goal: what it will have reclaimed when the pass is over
 * @boosted: kswapd was woken for a boosted watermark
 * @shard: where to look for the next turn
 * @nr_turns: turns since the last look at the yield
 * @nr_scanned: pages that had been scanned by then
 * @nr_reclaimed: pages that had been reclaimed by then
 * @nr_visits: turns since then in which something was asked for
 * @nr_waiting: turns since then in which a member had to wait for credit
 * @nr_slab: pages of slab that are to come in place of pages in use
 * @nr_kept: turns in which a member kept what it uses, since slab is used less
 * @bar: which pages stay, since other members have pages that are used less; NULL if none do
 *
 * All fields are P.
 */
struct memcg_pass {
	struct memcg_lru *lru;
	int nid;
	struct scan_control *sc;
	unsigned long begun;
	unsigned long goal;
	bool boosted;
	unsigned int shard;
	unsigned int nr_turns;
	unsigned long nr_scanned;
	unsigned long nr_reclaimed;
	unsigned int nr_visits;
	unsigned int nr_waiting;
	unsigned long nr_slab;
	unsigned int nr_kept;
	struct memcg_iter_bar *bar;
};

static void look_at_yield(struct memcg_pass *p)
{
	p->nr_turns = 0;
	p->nr_visits = 0;
	p->nr_waiting = 0;
	p->nr_scanned = p->sc->nr_scanned;
	p->nr_reclaimed = p->sc->nr_reclaimed;
}

/* Compaction needs twice the size of a large page. Beyond that, order 0 decides. */
static unsigned int order_needed(const struct scan_control *sc)
{
	return sc->nr_reclaimed < compact_gap(sc->order) ? sc->order : 0;
}

static bool is_balanced(const struct memcg_pass *p)
{
	return pgdat_balanced(NODE_DATA(p->nid), order_needed(p->sc), p->sc->reclaim_idx);
}

/*
 * A killed task goes on until it has what it wants, as on the classic LRU: to report
 * nothing would kill others, to report what is not there would keep it from its end.
 */
static bool is_served(const struct memcg_pass *p)
{
	if (p->sc->nr_reclaimed >= p->goal || lru_gen_switching())
		return true;
	if (p->sc->slab_asked && p->sc->compaction_ready)
		return true;
	if (current_is_kswapd() && !p->boosted)
		return p->sc->nr_reclaimed - p->begun + p->nr_slab >= SWAP_CLUSTER_MAX &&
		       is_balanced(p);
	return p->sc->proactive && signal_pending(current);
}

/* Policy: whether a pass that has not got enough is to go on. */
static bool is_worthwhile(struct memcg_pass *p)
{
	unsigned long scanned = p->sc->nr_scanned - p->nr_scanned;
	unsigned long reclaimed = p->sc->nr_reclaimed - p->nr_reclaimed;
	/* Nobody was asked, because all have been before: the next round helps. */
	bool waiting = p->nr_waiting && !p->nr_visits;

	/* Slab has been asked for what is short, and so many may stand for all. */
	if (p->nr_kept >= KEPT_TURNS)
		return false;
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

/* Ask up to @nr parked members, none of them twice. */
static void visit_parked(struct memcg_pass *p, unsigned int nr, int priority)
{
	struct memcg_lru_member *m;

	nr = min(nr, READ_ONCE(p->lru->nr_parked));
	while (nr-- && (m = memcg_lru_take_parked(p->lru))) {
		struct mem_cgroup *memcg = lruvec_memcg(memcg_lru_lruvec(m));

		memcg_visit_slab(memcg, p->nid, p->sc, priority);
		css_put(&memcg->css);
		cond_resched();
	}
}

/* If the pass found too little, the request's priority says how much slab is needed. */
static int lowest_priority(const struct memcg_pass *p, bool short_of)
{
	return short_of ? clamp_t(int, p->sc->priority, 0, DEF_PRIORITY) : DEF_PRIORITY;
}

static void press_root(struct memcg_pass *p, unsigned long nr_pages, bool short_of)
{
	atomic_long_t *scanned = &p->lru->root_scanned;
	int lowest = lowest_priority(p, short_of);
	int priority = memcg_visit_slab_priority(atomic_long_read(scanned), nr_pages, lowest);

	if (priority < 0)
		return;
	atomic_long_set(scanned, 0);
	memcg_lru_slab_ask(p->lru, p->nid, p->sc, priority);
}

/* Each member has its turn once while all of them have one. */
static void press_parked(struct memcg_pass *p, unsigned long nr_pages, bool short_of)
{
	struct memcg_slab_turns t = {
		.nr = READ_ONCE(p->lru->nr_parked),
		.nr_pages = nr_pages,
		.lowest = lowest_priority(p, short_of),
	};
	unsigned int nr = memcg_visit_slab_due(&p->lru->parked_scanned, &t);

	if (!nr)
		return;
	if (!short_of)
		visit_parked(p, nr, t.priority);
	else if (t.lowest || !memcg_oom_is_next(p->sc))
		visit_parked(p, 1U << (DEF_PRIORITY - t.lowest), t.priority);
	else
		visit_parked(p, UINT_MAX, 0);
}

/* Slab of those that have no turn: the root's, and that of memcgs without folios. */
static void press_slab(struct memcg_pass *p, unsigned long nr_scanned, bool short_of)
{
	unsigned long nr_pages = memcg_reclaim_node_pages(root_mem_cgroup, p->nid);
	unsigned long nr = memcg_lru_slab_due(p->nid, p->sc, nr_scanned, nr_pages);

	nr = memcg_visit_slab_owed(p->sc, nr);
	atomic_long_add(nr, &p->lru->root_scanned);
	press_root(p, nr_pages, short_of);
	/* Nobody owes a part of what was scanned before. */
	if (!READ_ONCE(p->lru->nr_parked))
		return;
	atomic_long_add(nr, &p->lru->parked_scanned);
	press_parked(p, nr_pages, short_of);
}

/*
 * Policy: whether slab is asked in a turn. A member with slab and hardly any folios waits
 * for credit most of the time; if others are not enough, it is asked all the same.
 */
static bool is_for_slab(const struct memcg_pass *p, const struct memcg_visit *v,
			const struct memcg_lru_turn *t)
{
	if (mem_cgroup_is_root(v->memcg))
		return false;
	return t->nr || (t->first && p->sc->priority < DEF_PRIORITY);
}

/*
 * For a boosted watermark kswapd has few passes, at priorities that keep what is used. If it
 * gets nothing in all of these, it counts a failure, so it gets a batch of what is used.
 */
static bool fails_without(const struct memcg_pass *p)
{
	return p->boosted && p->nr_kept && !p->sc->nr_reclaimed;
}

/* Policy: which pages stay, since slab is used less. */
static u64 most_rate(const struct memcg_pass *p)
{
	if (fails_without(p) || !memcg_lru_slab_stands_in(p->nid, p->sc))
		return LRU_GEN_ANY_RATE;
	return memcg_lru_slab_most_rate(&p->lru->root_slab, memcg_lru_slab_pages(p->nid));
}

/* kswapd has a goal that is the same however little is short. */
static unsigned long nr_short(const struct memcg_pass *p)
{
	unsigned long missing = p->goal - min(p->goal, p->sc->nr_reclaimed);
	unsigned int order = order_needed(p->sc);
	unsigned long nr = order ? compact_gap(order) : 0;

	if (!current_is_kswapd())
		return missing;
	return min(max(memcg_lru_slab_short(p->nid, p->sc), nr), missing);
}

/*
 * What is short, and is not about to come, is asked for. As anywhere, each priority doubles it:
 * while objects that were asked for come, others allocate.
 */
static void ask_root_instead(struct memcg_pass *p)
{
	unsigned long nr_slab = memcg_lru_slab_pages(p->nid);
	unsigned long nr = nr_short(p) << (DEF_PRIORITY - p->sc->priority);
	unsigned long coming, asked;
	int priority;

	p->nr_kept++;
	if (fails_without(p))
		p->goal = min(p->goal, p->sc->nr_reclaimed + SWAP_CLUSTER_MAX);
	nr -= min(nr, p->nr_slab);
	coming = memcg_lru_slab_reserve(&p->lru->root_slab, nr);
	p->nr_slab += coming;
	p->sc->slab_asked = !current_is_kswapd();
	nr -= coming;
	priority = memcg_lru_slab_priority(nr, nr_slab);
	if (!nr || priority < 0)
		return;
	asked = 2 * nr_slab >> priority;
	p->nr_slab += asked;
	memcg_lru_slab_expect(&p->lru->root_slab, asked - min(asked, nr));
	memcg_lru_slab_ask(p->lru, p->nid, p->sc, priority);
}

static void visit_in_turn(struct memcg_pass *p, struct memcg_visit *v,
			  struct memcg_lru_turn *t)
{
	memcg_lru_reserve(p->lru, t);
	v->nr_want = t->nr;
	v->slab = is_for_slab(p, v, t);
	p->nr_visits += !!t->nr;
	p->nr_waiting += !t->nr && t->weight;
	memcg_visit(v);
	/* An urgent turn is not charged: what has come back waits for the next one that is. */
	if (!t->urgent)
		t->nr_returned = lru_gen_returned(v->lruvec);
	t->kept = p->bar && memcg_iter_bar_is_far(v);
	memcg_lru_settle(p->lru, t, v->nr_reclaimed, v->nr_reclaimed >= t->nr);
	if (t->nr)
		memcg_iter_bar_turn(p->bar, v, memcg_lru_size(p->lru),
				    memcg_iter_bar_rounds(memcg_lru_size(p->lru)));
	if (memcg_visit_kept(v) && v->rate > most_rate(p))
		ask_root_instead(p);
	press_slab(p, v->nr_scanned, false);
}

/* The request may take none of its folios: of other zones, or anon. Slab may help. */
static void visit_without_folios(struct memcg_pass *p, struct memcg_visit *v)
{
	v->slab = p->sc->priority < DEF_PRIORITY && !mem_cgroup_is_root(v->memcg);
	memcg_visit(v);
}

static void take_turn(struct memcg_pass *p, struct memcg_lru_member *m)
{
	struct mem_cgroup *memcg = lruvec_memcg(memcg_lru_lruvec(m));
	struct memcg_visit v = {
		.lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(p->nid)),
		.memcg = memcg,
		.sc = p->sc,
		.most_rate = min(most_rate(p), memcg_iter_bar_rate(p->bar)),
		.asks = memcg_iter_bar_asks(p->bar, memcg_lru_size(p->lru)),
	};
	struct memcg_lru_turn t = {
		.member = m,
		.urgent = memcg_oom_is_next(p->sc),
	};
	bool covered = !memcg_visit_begin(&v);

	t.weight = v.weight;
	t.limit = min(limit_of(p), v.nr_share);
	if (t.limit)
		visit_in_turn(p, &v, &t);
	else if (covered || !v.weight)
		memcg_lru_skip(p->lru, m, covered);
	if (!covered && !t.limit)
		visit_without_folios(p, &v);
	if (!v.nr_pages)
		memcg_lru_try_park(v.lruvec);
	css_put(&memcg->css);
}

/* Objects that a direct request asked for have come. It ends, and reports progress. */
static bool have_come(const struct memcg_pass *p)
{
	if (!p->sc->slab_asked || !memcg_lru_slab_suffices(p->nid, p->sc, p->sc->order))
		return false;
	p->sc->compaction_ready = 1;
	return true;
}

/*
 * Objects are freed after a grace period. Whoever goes on before it is over is soon at a
 * priority that takes pages in use.
 */
static void wait_for_objects(const struct memcg_pass *p)
{
	if (!p->nr_slab || is_served(p))
		return;
	memcg_lru_slab_pause(p->sc);
	have_come(p);
}

static void run_pass(struct memcg_pass *p)
{
	struct memcg_lru_member *m;

	if (memcg_soft_limits_in_use())
		memcg_reclaim_excess(p->sc, p->nid, p->goal);
	p->shard = get_random_u32_below(MEMCG_LRU_NR_SHARDS);
	p->bar = memcg_iter_bar_of_node(p->nid, memcg_lru_size(p->lru), p->sc);
	look_at_yield(p);
	memcg_lru_expect(p->lru, memcg_reclaim_node_pages(root_mem_cgroup, p->nid));
	while (!is_served(p) && !have_come(p) && is_worthwhile(p)) {
		m = memcg_lru_take(p->lru, p->shard++);
		if (!m)
			break;
		take_turn(p, m);
		cond_resched();
	}
	wait_for_objects(p);
	if (!is_served(p))
		press_slab(p, 0, true);
	memcg_lru_slab_wait(p->nid, p->sc);
	/* They have been set aside before this request, which is to know. */
	if (READ_ONCE(p->lru->nr_spared) && !p->sc->memcg_low_reclaim)
		p->sc->memcg_low_skipped = 1;
}

/* kswapd has a new request each time, and adds up what it got. */
static unsigned long goal_of(const struct scan_control *sc)
{
	return current_is_kswapd() ? sc->nr_reclaimed + sc->nr_to_reclaim :
				     memcg_reclaim_goal(sc);
}

static struct memcg_pass pass_over(int nid, struct scan_control *sc)
{
	struct memcg_pass p = {
		.lru = &NODE_DATA(nid)->memcg_lru,
		.nid = nid,
		.sc = sc,
		.begun = sc->nr_reclaimed,
		.goal = goal_of(sc),
		/* balance_pgdat() forbids swap for a boosted watermark, and only then. */
		.boosted = current_is_kswapd() && !sc->may_swap,
	};

	return p;
}

/* A proactive request prefers no node, until it comes to protected memory. */
static bool shares_nodes(const struct scan_control *sc)
{
	return sc->proactive && !memcg_oom_is_next(sc);
}

static void reclaim_share(struct memcg_pass *p)
{
	p->goal = memcg_reclaim_node_take(root_mem_cgroup, p->nid, p->begun, p->goal);
	if (p->goal == p->begun)
		return;
	run_pass(p);
	memcg_reclaim_node_settle(root_mem_cgroup, p->nid, p->sc->nr_reclaimed - p->begun,
				  p->sc->nr_reclaimed >= p->goal);
}

/**
 * __lru_gen_reclaim_node() - reclaim from the memcgs whose turn it is
 * @pgdat: node
 * @sc: request; nr_reclaimed and the counters in nr are advanced
 *
 * Context: process context, may sleep.
 * Return: false if this is not a request of the system, or not the time for it.
 */
bool __lru_gen_reclaim_node(struct pglist_data *pgdat, struct scan_control *sc)
{
	struct memcg_pass p;

	if (mem_cgroup_disabled() || !root_reclaim(sc) || lru_gen_switching())
		return false;
	lru_add_drain();
	p = pass_over(pgdat->node_id, sc);
	if (sc->memcg_low_reclaim)
		memcg_lru_unspare(p.lru);
	if (shares_nodes(sc))
		reclaim_share(&p);
	else
		run_pass(&p);
	return true;
}
