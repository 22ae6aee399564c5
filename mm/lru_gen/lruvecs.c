// SPDX-License-Identifier: GPL-2.0
/*
 * All lruvecs there are.
 */
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/numa.h>

#include "internal.h"

/**
 * DOC: lruvecs
 *
 * A lruvec stands for a memcg on a node, or for a node if memcgs are disabled.
 * Nodes without memory have theirs too, since they may get some later.
 */

static bool any_on_node(struct mem_cgroup *memcg, int only,
			bool (*fn)(struct lruvec *lruvec, void *arg), void *arg)
{
	int nid;

	for_each_node(nid)
		if ((only == NUMA_NO_NODE || nid == only) &&
		    fn(mem_cgroup_lruvec(memcg, NODE_DATA(nid)), arg))
			return true;
	return false;
}

/**
 * lru_gen_any_lruvec() - call a function for lruvecs until it returns true
 * @fn: the function
 * @nid: node, or NUMA_NO_NODE for all of them
 * @arg: handed to @fn
 *
 * Memcgs that come and go meanwhile may be left out; hold cgroup_mutex to see
 * them all.
 *
 * Context: process context, may sleep.
 * Return: whether @fn did.
 */
bool lru_gen_any_lruvec(bool (*fn)(struct lruvec *lruvec, void *arg),
			int nid, void *arg)
{
	struct mem_cgroup *memcg = mem_cgroup_iter(NULL, NULL, NULL);

	while (!any_on_node(memcg, nid, fn, arg)) {
		cond_resched();
		memcg = mem_cgroup_iter(NULL, memcg, NULL);
		if (!memcg)
			return false;
	}
	mem_cgroup_iter_break(NULL, memcg);
	return true;
}
