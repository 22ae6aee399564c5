// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a request each node gives.
 */
#include <linux/atomic.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "internal.h"

/**
 * DOC: nodes
 *
 * A limit hit and a write to memory.reclaim prefer no node: each node gives in proportion
 * to what the target and its descendants have there. shrink_zones() calls for one node
 * after the other, beginning with that of the CPU. So each node has an allowance for each
 * target, in pages. A pass takes from a node what its allowance permits. A node without
 * one waits while another node has some. When none has any, all get one in proportion to
 * their pages, enough for the request in all.
 *
 * What a node takes beyond its allowance is subtracted from the next one. What a node
 * cannot give is not owed: its allowance ends. Allowances are shared by all requests for
 * one target without a lock: two that give allowances at once give them twice, which
 * keeps the proportion.
 */

/* A limit hit takes from one node. An allowance lasts for this many batches of an average one. */
#define NODE_BATCHES		4

/**
 * memcg_reclaim_goal() - what a request is to have reclaimed after a pass
 * @sc: the request, not of kswapd
 *
 * A proactive request comes in parts, the last one of a batch: if all others are whole
 * batches, there is nothing left over that the last would exceed. should_continue_reclaim()
 * comes back for more than a large page has, as long as compaction needs it.
 *
 * Context: any.
 * Return: pages.
 */
unsigned long memcg_reclaim_goal(const struct scan_control *sc)
{
	if (sc->proactive)
		return roundup(sc->nr_to_reclaim, MEMCG_LRU_BATCH);
	if (sc->order && sc->nr_reclaimed >= sc->nr_to_reclaim)
		return sc->nr_reclaimed + SWAP_CLUSTER_MAX;
	return sc->nr_to_reclaim;
}

static atomic_long_t *allowance_of(struct mem_cgroup *target, int nid)
{
	return &target->nodeinfo[nid]->shared_iter.allowance;
}

static unsigned long nr_listed(struct mem_cgroup *target, int nid, enum lru_list lru)
{
	if (mem_cgroup_is_root(target))
		return node_page_state(NODE_DATA(nid), NR_LRU_BASE + lru);
	return lruvec_page_state(mem_cgroup_lruvec(target, NODE_DATA(nid)), NR_LRU_BASE + lru);
}

/**
 * memcg_reclaim_node_pages() - what a memcg and its descendants have on a node
 * @target: the memcg
 * @nid: node
 *
 * For a memcg other than the root the number may be two seconds old, as memory.stat is.
 *
 * Context: any.
 * Return: pages of the types that can be evicted.
 */
unsigned long memcg_reclaim_node_pages(struct mem_cgroup *target, int nid)
{
	unsigned long nr = nr_listed(target, nid, LRU_INACTIVE_FILE) +
			   nr_listed(target, nid, LRU_ACTIVE_FILE);

	if (can_reclaim_anon_pages(target, nid, NULL))
		nr += nr_listed(target, nid, LRU_INACTIVE_ANON) +
		      nr_listed(target, nid, LRU_ACTIVE_ANON);
	return nr;
}

static bool any_allowance(struct mem_cgroup *target)
{
	int nid;

	for_each_node_state(nid, N_MEMORY)
		if (atomic_long_read(allowance_of(target, nid)) > 0)
			return true;
	return false;
}

static void give_allowances(struct mem_cgroup *target, unsigned long nr_missing)
{
	unsigned long nr = max(NODE_BATCHES * MEMCG_LRU_BATCH * num_node_state(N_MEMORY),
			       nr_missing);
	unsigned long total = 1, has;
	int nid;

	for_each_node_state(nid, N_MEMORY)
		total += memcg_reclaim_node_pages(target, nid);
	for_each_node_state(nid, N_MEMORY) {
		has = memcg_reclaim_node_pages(target, nid);
		atomic_long_add(1 + mul_u64_u64_div_u64(nr, has, total),
				allowance_of(target, nid));
	}
}

/**
 * memcg_reclaim_node_take() - how much of a request a node gives in a pass
 * @target: top of what the request may take from
 * @nid: node
 * @have: pages the request has reclaimed
 * @goal: pages it is to reclaim in all
 *
 * Context: any.
 * Return: pages it is to have reclaimed after the pass, between @have and @goal; @have if
 * it has enough or other nodes have their turn.
 */
unsigned long memcg_reclaim_node_take(struct mem_cgroup *target, int nid, unsigned long have,
				      unsigned long goal)
{
	long nr;

	if (have >= goal)
		return have;
	if (num_node_state(N_MEMORY) == 1)
		return goal;
	if (!any_allowance(target))
		give_allowances(target, goal - have);
	nr = atomic_long_read(allowance_of(target, nid));
	return nr > 0 ? min(have + roundup(nr, MEMCG_LRU_BATCH), goal) : have;
}

/**
 * memcg_reclaim_node_settle() - account for what a node gave in a pass
 * @target: as in memcg_reclaim_node_take()
 * @nid: node
 * @nr: pages it gave
 * @willing: whether it gave what it was asked for
 *
 * Context: any.
 */
void memcg_reclaim_node_settle(struct mem_cgroup *target, int nid, unsigned long nr,
			       bool willing)
{
	if (num_node_state(N_MEMORY) == 1)
		return;
	if (willing)
		atomic_long_sub(nr, allowance_of(target, nid));
	else
		atomic_long_set(allowance_of(target, nid), 0);
}
