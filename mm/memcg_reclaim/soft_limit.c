// SPDX-License-Identifier: GPL-2.0
/*
 * Soft limits: who is over, and how much of it is to go.
 */
#include <linux/cgroup.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/memcg_soft_limit.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/page_counter.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/vmstat.h>

#include "internal.h"

/**
 * DOC: soft_limit
 *
 * While somebody below the target of a request is over a soft limit, the request is
 * served from there; who is within is asked only for what those over their limits
 * did not give. A limit is that of a subtree: who has one set and is over it, gives
 * by the order of its subtree, so that a memcg without a limit of its own is
 * pressed for what is above it. Nobody has to allocate to be found.
 *
 * The pressure is bounded. At a time, a memcg is asked for an eighth of its excess,
 * from one batch to eight; then it is the next one's turn. What it is asked for on
 * a node is never more than what it has there beyond the node's part of the limit:
 * the excess of a memcg whose memory is spread over the nodes is not taken from the
 * one that happens to be short again and again. And no page is taken with more
 * force than from others. The idea of hierarchical soft limits in regular reclaim
 * is Johannes Weiner's (2012).
 *
 * All that have a limit stand in a list, which costs nothing while it is empty. A memcg
 * knows how many below it have one: a request for which there is none does not look.
 */

/* One part of so many of the excess is asked for at a time... */
#define EXCESS_PART		8

/* ... and so many batches at most. */
#define MAX_BATCHES		8

/* Looked at with the lock held once. */
#define LOCK_BATCH		32

DEFINE_STATIC_KEY_FALSE(memcg_soft_limits);

/* Of who sets limits: the static key follows the list. S is inside it. */
static DEFINE_MUTEX(soft_mutex);

/* S: of all memcgs that have a limit; with nothing inside it. */
static DEFINE_SPINLOCK(soft_lock);
static LIST_HEAD(soft_list);
static unsigned int soft_nr;

/**
 * memcg_soft_excess() - what a memcg is to give on a node
 * @s: its sizes
 *
 * Grows with the usage; is never more than the excess, nor does it go below the
 * node's part of the limit. What is on the nodes is known with a delay, and says only
 * how the usage is spread over them.
 *
 * Context: any.
 * Return: pages, 0 if the memcg is within its limit.
 */
unsigned long memcg_soft_excess(const struct memcg_soft_sizes *s)
{
	unsigned long here = s->usage, kept = s->limit;

	if (s->usage <= s->limit)
		return 0;
	if (s->on_all > s->on_node)
		here = mul_u64_u64_div_u64(s->usage, s->on_node, s->on_all);
	if (s->all_nodes > s->node)
		kept = mul_u64_u64_div_u64(s->limit, s->node, s->all_nodes);
	if (here <= kept)
		return 0;
	return min(s->usage - s->limit, here - kept);
}

/**
 * memcg_soft_pressure() - what is asked of a memcg at a time
 * @excess: pages it is to give on the node
 *
 * Context: any.
 * Return: pages, no more than @excess.
 */
unsigned long memcg_soft_pressure(unsigned long excess)
{
	unsigned long nr = clamp(excess / EXCESS_PART, MEMCG_LRU_BATCH,
				 MAX_BATCHES * MEMCG_LRU_BATCH);

	return min(nr, excess);
}

static unsigned long pages_on(struct mem_cgroup *memcg, int nid)
{
	struct lruvec *lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(nid));
	unsigned long nr = 0;
	enum lru_list lru;

	for_each_evictable_lru(lru)
		nr += lruvec_page_state(lruvec, NR_LRU_BASE + lru);
	return nr;
}

static unsigned long excess_on(struct mem_cgroup *memcg, int nid)
{
	struct memcg_soft_sizes s = {
		.usage = page_counter_read(&memcg->memory),
		.limit = READ_ONCE(memcg->soft.nr_pages),
		.node = node_present_pages(nid),
		.on_node = pages_on(memcg, nid),
	};
	int other;

	if (s.usage <= s.limit)
		return 0;
	for_each_node_state(other, N_MEMORY) {
		s.all_nodes += node_present_pages(other);
		s.on_all += pages_on(memcg, other);
	}
	return memcg_soft_excess(&s);
}

static struct mem_cgroup *rotate(void)
{
	struct memcg_soft_limit *soft;

	lockdep_assert_held(&soft_lock);
	soft = list_first_entry(&soft_list, struct memcg_soft_limit, list);
	list_move_tail(&soft->list, &soft_list);
	return container_of(soft, struct mem_cgroup, soft);
}

/* Look at some more of the list. */
static bool look_at_some(struct memcg_soft_turn *t)
{
	unsigned int nr = LOCK_BATCH;
	struct mem_cgroup *memcg;
	bool found = false;

	spin_lock(&soft_lock);
	for (t->left = min(t->left, soft_nr); nr && t->left && !found; nr--, t->left--) {
		memcg = rotate();
		/* What the target itself is over by is its own affair. */
		if (memcg == t->target || !mem_cgroup_is_descendant(memcg, t->target))
			continue;
		t->memcg = memcg;
		t->nr = memcg_soft_pressure(excess_on(memcg, t->nid));
		found = t->nr && css_tryget(&memcg->css);
	}
	spin_unlock(&soft_lock);
	return found;
}

/**
 * memcg_soft_next() - the next one that is over its limit
 * @t: the turn; its target and node are given, memcg and nr are set
 *
 * One after the other, in an order that all requests share. To go once through all
 * is to call it as long as @left is not 0.
 *
 * Context: process context, may sleep; takes S.
 * Return: true if there is one in what is left of the list. It is held then.
 */
bool memcg_soft_next(struct memcg_soft_turn *t)
{
	while (t->left && READ_ONCE(t->target->soft.nr_below)) {
		if (look_at_some(t))
			return true;
		cond_resched();
	}
	return false;
}

/* Let all above @memcg know of one limit more, or less. */
static void count_above(struct mem_cgroup *memcg, int nr)
{
	lockdep_assert_held(&soft_lock);
	while ((memcg = parent_mem_cgroup(memcg)))
		WRITE_ONCE(memcg->soft.nr_below, memcg->soft.nr_below + nr);
}

static bool change(struct mem_cgroup *memcg, unsigned long nr_pages)
{
	struct memcg_soft_limit *soft = &memcg->soft;
	bool has = nr_pages < PAGE_COUNTER_MAX, had = soft->nr_pages < PAGE_COUNTER_MAX;

	lockdep_assert_held(&soft_lock);
	WRITE_ONCE(soft->nr_pages, nr_pages);
	if (has && !had)
		list_add_tail(&soft->list, &soft_list);
	else if (had && !has)
		list_del_init(&soft->list);
	if (has == had)
		return false;
	soft_nr += has - had;
	count_above(memcg, has - had);
	return true;
}

/**
 * memcg_soft_limit_set() - give a memcg a soft limit, or take it away
 * @memcg: the memcg
 * @nr_pages: pages; PAGE_COUNTER_MAX for none
 *
 * Context: process context, may sleep; takes S.
 * Return: true, since limits have an effect in this kernel.
 */
bool memcg_soft_limit_set(struct mem_cgroup *memcg, unsigned long nr_pages)
{
	bool changed;

	mutex_lock(&soft_mutex);
	spin_lock(&soft_lock);
	changed = change(memcg, nr_pages);
	spin_unlock(&soft_lock);
	if (changed && nr_pages < PAGE_COUNTER_MAX)
		static_branch_inc(&memcg_soft_limits);
	else if (changed)
		static_branch_dec(&memcg_soft_limits);
	mutex_unlock(&soft_mutex);
	return true;
}

/**
 * memcg_soft_limit_read() - the soft limit of a memcg
 * @memcg: the memcg
 *
 * Context: any.
 * Return: pages; PAGE_COUNTER_MAX if it has none.
 */
unsigned long memcg_soft_limit_read(struct mem_cgroup *memcg)
{
	return READ_ONCE(memcg->soft.nr_pages);
}

/**
 * memcg_soft_limit_init() - a new memcg has no soft limit
 * @memcg: the memcg
 *
 * Context: nobody else knows the memcg.
 */
void memcg_soft_limit_init(struct mem_cgroup *memcg)
{
	INIT_LIST_HEAD(&memcg->soft.list);
	memcg->soft.nr_pages = PAGE_COUNTER_MAX;
}

/**
 * memcg_soft_limit_reset() - take the soft limit of a memcg away
 * @memcg: the memcg; one that is not online yet has none
 *
 * Context: process context, may sleep.
 */
void memcg_soft_limit_reset(struct mem_cgroup *memcg)
{
	if (memcg->soft.list.next)
		memcg_soft_limit_set(memcg, PAGE_COUNTER_MAX);
}
