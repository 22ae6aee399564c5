// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that take from a subtree of memcgs: a limit was hit, or somebody wrote
 * to memory.reclaim. While the LRU is switched, requests of the system, too.
 */
#include <linux/limits.h>
#include <linux/memcg_reclaim.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/shrinker.h>
#include <linux/swap.h>

#include <trace/events/vmscan.h>

#include "../internal.h"
#include "../lru_gen/evict.h"
#include "internal.h"

/**
 * DOC: subtree
 *
 * Who needs memory at once takes turns, until he has what he wants; the next one
 * goes on from there. A pass ends before that when there were twice as many turns
 * as there are memcgs with folios and little was freed, or four times as many if
 * all kept what they use: then it takes a higher priority. If all priorities came to
 * nothing, one full walk precedes an OOM: it visits each memcg that is charged for
 * anything, for its slab, too.
 *
 * Who is protected is looked at now and then. When it is given up, all take turns by all
 * they have, before the full walk.
 *
 * Those over their soft limits come before all others, and are asked for no more
 * than their excess.
 *
 * A task that hit a limit waits for its pages. If pages have to be swapped for it, it
 * gets fewer. Nodes give in proportion, see nodes.c, until an OOM kill is near.
 *
 * Slab of a memcg with folios is asked in its turn. Memcgs without folios are asked one
 * after the other, in proportion to the pages scanned, and more of them at the priority of
 * a pass that fell short. kswapd makes full walks, but for memcgs without folios.
 */

/* A pass goes on if of so many pages looked at, one was freed. */
#define MIN_YIELD		8

/*
 * A limit hit takes a batch, so that what a hit costs by itself is little beside it.
 * To swap a page out costs several times what it costs to drop one: by then, these
 * need not be dropped.
 */
#define SWAP_WAIVES		3

/**
 * struct subtree_pass - a pass of a request over the memcgs of a subtree on a node
 * @sc: the request
 * @target: top of the subtree
 * @top: its place in the order
 * @nid: the node
 * @begun: what the request had reclaimed when the pass began
 * @begun_scanned: pages that had been scanned when the pass began
 * @goal: what the request will have reclaimed when the pass is over
 * @swap_waives: pages the goal becomes less by for one that was swapped out
 * @bar: what is worth keeping while others give
 * @nr_turns: turns since the last look at the yield
 * @nr_scanned: pages that had been scanned by then
 * @nr_reclaimed: pages that had been reclaimed by then
 *
 * All fields are P.
 */
struct subtree_pass {
	struct scan_control *sc;
	struct mem_cgroup *target;
	struct memcg_iter *top;
	int nid;
	unsigned long begun;
	unsigned long begun_scanned;
	unsigned long goal;
	unsigned int swap_waives;
	struct memcg_iter_bar *bar;
	unsigned int nr_turns;
	unsigned long nr_scanned;
	unsigned long nr_reclaimed;
};

static bool is_served(const struct subtree_pass *p)
{
	if (p->sc->nr_reclaimed >= p->goal)
		return true;
	/* A killed task goes on, as in global.c. */
	return p->sc->proactive && signal_pending(current);
}

static void look_at_yield(struct subtree_pass *p)
{
	p->nr_turns = 0;
	p->nr_scanned = p->sc->nr_scanned;
	p->nr_reclaimed = p->sc->nr_reclaimed;
}

/* Policy: whether a pass that has not got enough is to go on. */
static bool is_worthwhile(struct subtree_pass *p)
{
	unsigned long scanned = p->sc->nr_scanned - p->nr_scanned;
	unsigned long reclaimed = p->sc->nr_reclaimed - p->nr_reclaimed;

	if (p->nr_turns++ < (p->bar && !scanned ? 4 : 2) * READ_ONCE(p->top->nr))
		return true;
	look_at_yield(p);
	return reclaimed * MIN_YIELD > scanned;
}

static struct memcg_visit visit_to(const struct subtree_pass *p, struct mem_cgroup *memcg)
{
	struct memcg_visit v = {
		.lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(p->nid)),
		.memcg = memcg,
		.sc = p->sc,
		.swap_waives = p->swap_waives,
		.most_rate = memcg_iter_bar_rate(p->bar),
		.asks = memcg_iter_bar_asks(p->bar, READ_ONCE(p->top->nr)),
		.rate = LRU_GEN_ANY_RATE,
	};

	return v;
}

/*
 * The request, too, is content with less, or its caller would begin another pass. On
 * the next node it may have all it wanted, and this one's goal is beyond that.
 */
static void waive(struct subtree_pass *p, unsigned long nr)
{
	struct scan_control *sc = p->sc;

	p->goal -= nr;
	if (sc->nr_to_reclaim > sc->nr_reclaimed)
		sc->nr_to_reclaim -= min(nr, sc->nr_to_reclaim - sc->nr_reclaimed);
}

static void visit(struct subtree_pass *p, struct memcg_visit *v, unsigned long limit,
		  bool slab)
{
	if (!memcg_visit_begin(v))
		return;
	v->nr_want = min(limit, v->nr_share);
	v->slab = slab;
	memcg_visit(v);
	waive(p, v->nr_waived);
}

/* It seems to have nothing left: look again, so that nobody else comes in vain. */
static bool is_drained(const struct memcg_visit *v)
{
	return v->nr_reclaimed >= v->nr_pages;
}

static void take_turn(struct subtree_pass *p, struct memcg_iter_turn *t)
{
	struct mem_cgroup *memcg = memcg_iter_memcg(t->it);
	struct memcg_visit v = visit_to(p, memcg);
	unsigned int nr = READ_ONCE(p->top->nr);

	visit(p, &v, t->nr, true);
	memcg_iter_bar_settle(t, &v);
	memcg_iter_bar_turn(p->bar, &v, nr, memcg_iter_bar_sample(nr));
	if (is_drained(&v))
		memcg_iter_try_leave(v.lruvec);
	css_put(&memcg->css);
}

static void take_turns(struct subtree_pass *p)
{
	struct memcg_iter_turn t = { .top = p->top };

	p->bar = memcg_iter_bar_begin(&p->top->bar, READ_ONCE(p->top->nr), p->sc);
	look_at_yield(p);
	while (!is_served(p) && is_worthwhile(p)) {
		t.limit = p->goal - p->sc->nr_reclaimed;
		if (!memcg_iter_take(&t))
			break;
		take_turn(p, &t);
		cond_resched();
	}
}

/*
 * memory.low is given up. Until now it reduced the weight of each memcg, so that one which
 * gave nearly all of the rest would be left alone for long.
 */
static void weigh_all(struct subtree_pass *p)
{
	struct memcg_walk w = { .top = p->target, .nid = p->nid };
	struct mem_cgroup *memcg = NULL;

	while ((memcg = memcg_walk_next(&w, memcg))) {
		struct memcg_visit v = visit_to(p, memcg);
		struct memcg_iter *it = &memcg->nodeinfo[p->nid]->shared_iter;

		memcg_visit_begin(&v);
		memcg_iter_weigh(it, max(v.weight, 1UL), memcg_iter_pages(v.lruvec));
	}
}

/* Who is over its soft limit gives by the order of its subtree. */
static unsigned long press(struct subtree_pass *p, struct mem_cgroup *memcg,
			   unsigned long nr)
{
	struct scan_control *sc = p->sc;
	unsigned long before = sc->nr_reclaimed;
	unsigned long goal = min(p->goal, before + nr);
	struct subtree_pass over = {
		.sc = sc,
		.target = memcg,
		.top = &memcg->nodeinfo[p->nid]->shared_iter,
		.nid = p->nid,
		.goal = goal,
		.swap_waives = p->swap_waives,
	};

	trace_mm_vmscan_memcg_softlimit_reclaim_begin(sc->order, sc->gfp_mask);
	take_turns(&over);
	p->goal -= goal - over.goal;
	trace_mm_vmscan_memcg_softlimit_reclaim_end(sc->nr_reclaimed - before);
	return sc->nr_reclaimed - before;
}

/* One after the other, and round again while somebody gives what it is asked for. */
static void take_excess(struct subtree_pass *p)
{
	struct memcg_soft_turn t = { .target = p->target, .nid = p->nid, .left = UINT_MAX };

	while (!is_served(p) && memcg_soft_next(&t)) {
		if (press(p, t.memcg, t.nr) >= t.nr)
			t.left = UINT_MAX;
		css_put(&t.memcg->css);
		cond_resched();
	}
}

/* Ask up to @nr memcgs below the target, none twice; not @all: those without folios. */
static void visit_slab(struct subtree_pass *p, unsigned int nr, int priority, bool all)
{
	struct memcg_walk w = { .top = p->target, .nid = p->nid };
	struct mem_cgroup *memcg;

	while (nr-- && !w.over && (memcg = memcg_walk_slab(&w))) {
		/* Those with a mark have folios. */
		if (all || !READ_ONCE(memcg->nodeinfo[p->nid]->shared_iter.mark))
			memcg_visit_slab(memcg, p->nid, p->sc, priority);
		css_put(&memcg->css);
		cond_resched();
	}
}

/* A pass that fell short asks at its priority, for the target's own slab first. */
static void ask_for_slab(struct subtree_pass *p)
{
	int priority = clamp_t(int, p->sc->priority, 0, DEF_PRIORITY);

	memcg_visit_slab(p->target, p->nid, p->sc, priority);
	visit_slab(p, 1U << (DEF_PRIORITY - priority), priority, true);
}

/*
 * Each memcg below the target has its turn once while all of them have one. Unless @all
 * are due, those with folios are asked by their own turns.
 */
static void press_slab(struct subtree_pass *p, bool all)
{
	unsigned long nr_scanned = p->sc->nr_scanned - p->begun_scanned;
	struct memcg_slab_turns t = {
		.nr = READ_ONCE(p->target->css.cgroup->nr_descendants),
		.nr_pages = READ_ONCE(p->top->all.weight),
		.lowest = DEF_PRIORITY,
	};
	unsigned int nr;

	if (!t.nr)
		return;
	atomic_long_add(memcg_visit_slab_owed(p->sc, nr_scanned), &p->top->slab_scanned);
	nr = memcg_visit_slab_due(&p->top->slab_scanned, &t);
	if (nr)
		visit_slab(p, nr, t.priority, all);
}

/* kswapd has no goal: each memcg is to give in proportion. */
static void walk(struct subtree_pass *p, bool all)
{
	struct memcg_walk w = { .top = p->target, .nid = p->nid, .all = all };
	struct mem_cgroup *memcg = NULL;
	unsigned long limit;

	while ((memcg = memcg_walk_next(&w, memcg))) {
		struct memcg_visit v = visit_to(p, memcg);

		if (!current_is_kswapd() && is_served(p))
			break;
		limit = current_is_kswapd() ? p->sc->nr_to_reclaim :
					      p->goal - p->sc->nr_reclaimed;
		visit(p, &v, limit, all || memcg != p->target);
		if (is_drained(&v))
			memcg_iter_try_leave(v.lruvec);
		cond_resched();
	}
	memcg_walk_break(memcg);
}

/* All priorities have come to nothing. What the last one asks for is all there is. */
static void run_last_pass(struct subtree_pass *p)
{
	if (!p->sc->priority && !is_served(p))
		walk(p, true);
}

static void run_usual_pass(struct subtree_pass *p)
{
	if (p->sc->memcg_low_reclaim && !current_is_kswapd())
		weigh_all(p);
	if (memcg_soft_limits_in_use())
		take_excess(p);
	if (!current_is_kswapd())
		take_turns(p);
	else if (!is_served(p))
		walk(p, false);
	if (is_served(p))
		press_slab(p, false);
	else
		ask_for_slab(p);
}

/* Who was protected until now takes turns with the others before the full walk. */
static void run_pass(struct subtree_pass *p)
{
	bool last = p->sc->memcg_full_walk && !current_is_kswapd();

	if (!last || p->sc->memcg_low_reclaim)
		run_usual_pass(p);
	if (last)
		run_last_pass(p);
}

/* Somebody waits for a page, or for a few. */
static bool is_limit_hit(const struct scan_control *sc)
{
	return sc->target_mem_cgroup && !sc->proactive &&
	       sc->nr_to_reclaim <= SWAP_CLUSTER_MAX;
}

static struct subtree_pass pass_over(struct scan_control *sc, int nid)
{
	struct subtree_pass p = {
		.sc = sc,
		.target = sc->target_mem_cgroup ?: root_mem_cgroup,
		.nid = nid,
		.begun = sc->nr_reclaimed,
		.begun_scanned = sc->nr_scanned,
		.goal = memcg_reclaim_goal(sc),
		.swap_waives = is_limit_hit(sc) ? SWAP_WAIVES : 0,
	};

	p.top = &p.target->nodeinfo[nid]->shared_iter;
	return p;
}

static void reclaim_share(struct subtree_pass *p)
{
	p->goal = memcg_reclaim_node_take(p->target, p->nid, p->begun, p->goal);
	if (p->goal == p->begun)
		return;
	run_pass(p);
	memcg_reclaim_node_settle(p->target, p->nid, p->sc->nr_reclaimed - p->begun,
				  p->sc->nr_reclaimed >= p->goal);
}

/* Returns whether the request needs no more. */
static bool serve_excess(struct subtree_pass *p)
{
	take_excess(p);
	if (is_served(p))
		press_slab(p, true);
	return p->sc->nr_reclaimed >= p->goal;
}

/**
 * memcg_reclaim_excess() - reclaim from those over their soft limits
 * @sc: request; nr_reclaimed and the counters in nr are advanced
 * @nid: node
 * @goal: pages the request will have reclaimed at most
 *
 * Slab of those within their limits is asked, too, if the request gets all it wants
 * here, or it would never be.
 *
 * Context: process context, may sleep.
 */
void memcg_reclaim_excess(struct scan_control *sc, int nid, unsigned long goal)
{
	struct subtree_pass p = pass_over(sc, nid);

	p.goal = goal;
	serve_excess(&p);
}

/**
 * __memcg_reclaim_subtree() - reclaim from the target of a request and all below it
 * @pgdat: node
 * @sc: request; nr_reclaimed and the counters in nr are advanced
 *
 * While the multi-gen LRU is off, only from those over their soft limits.
 *
 * Context: process context, may sleep.
 * Return: false if the memcgs are still to be walked.
 */
bool __memcg_reclaim_subtree(struct pglist_data *pgdat, struct scan_control *sc)
{
	struct subtree_pass p;

	if (mem_cgroup_disabled())
		return false;
	p = pass_over(sc, pgdat->node_id);
	if (!lru_gen_in_use())
		return serve_excess(&p);
	lru_add_drain();
	if (current_is_kswapd() || memcg_oom_is_next(sc))
		run_pass(&p);
	else
		reclaim_share(&p);
	return true;
}
