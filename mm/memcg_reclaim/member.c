// SPDX-License-Identifier: GPL-2.0
/*
 * Memcgs that come, go, fill and run empty.
 */
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/spinlock.h>

#include "../lru_gen/evict.h"
#include "internal.h"

/**
 * DOC: member
 *
 * A memcg is a member of every node's order from when it comes online until its
 * last reference is gone, whichever LRU is on. It is parked to begin with: the
 * first folio that is put into a generation lists it, and the reclaimer that finds
 * it empty parks it again. Both happen under the lock of the lruvec, so a member
 * that is parked has no folio in any generation. The root is never parked.
 */

/**
 * lru_gen_pgdat_init() - set up the order of a node
 * @pgdat: node that is about to come online, maybe not for the first time
 *
 * Context: nobody else uses the node.
 */
void lru_gen_pgdat_init(struct pglist_data *pgdat)
{
	memcg_lru_init(&pgdat->memcg_lru);
}

static void on_node(struct mem_cgroup *memcg, int nid,
		    void (*change)(struct memcg_lru *lru, struct memcg_lru_member *m))
{
	/* A lruvec does not know its node before it is first looked up. */
	change(&NODE_DATA(nid)->memcg_lru, &memcg->nodeinfo[nid]->lruvec.member);
}

static void on_all_nodes(struct mem_cgroup *memcg,
			 void (*change)(struct memcg_lru *lru, struct memcg_lru_member *m))
{
	int nid;

	for_each_node(nid)
		on_node(memcg, nid, change);
}

/**
 * lru_gen_memcg_online() - make a new memcg a member of all orders
 * @memcg: the memcg
 *
 * Context: process context, cgroup_mutex is held.
 */
void lru_gen_memcg_online(struct mem_cgroup *memcg)
{
	on_all_nodes(memcg, memcg_lru_add);
	if (mem_cgroup_is_root(memcg))
		on_all_nodes(memcg, memcg_lru_wake);
}

/**
 * lru_gen_memcg_offline() - let a memcg that was removed give all it has
 * @memcg: the memcg
 *
 * Context: process context, cgroup_mutex is held.
 */
void lru_gen_memcg_offline(struct mem_cgroup *memcg)
{
	on_all_nodes(memcg, memcg_lru_scrape);
}

/**
 * lru_gen_memcg_release() - let a memcg go
 * @memcg: without references
 *
 * Context: process context.
 */
void lru_gen_memcg_release(struct mem_cgroup *memcg)
{
	on_all_nodes(memcg, memcg_lru_del);
}

/**
 * lru_gen_memcg_wake() - a folio has been put into a generation
 * @lruvec: where
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_memcg_wake(struct lruvec *lruvec)
{
	if (unlikely(READ_ONCE(lruvec->member.place) == MEMCG_LRU_PARKED))
		memcg_lru_wake(memcg_lru_of(lruvec), &lruvec->member);
}

/**
 * memcg_lru_try_park() - park a member if it is empty
 * @lruvec: its lruvec
 *
 * Context: any; takes lruvec->lru_lock.
 */
void memcg_lru_try_park(struct lruvec *lruvec)
{
	if (mem_cgroup_is_root(lruvec_memcg(lruvec)))
		return;
	spin_lock_irq(&lruvec->lru_lock);
	if (lru_gen_is_empty(lruvec))
		memcg_lru_park(memcg_lru_of(lruvec), &lruvec->member);
	spin_unlock_irq(&lruvec->lru_lock);
}

/**
 * lru_gen_soft_limit() - a memcg has grown or shrunk by a good deal
 * @memcg: the memcg
 * @nid: node where
 * @excess: pages by which it is over its soft limit
 *
 * Context: any.
 */
void lru_gen_soft_limit(struct mem_cgroup *memcg, int nid, unsigned long excess)
{
	if (excess)
		on_node(memcg, nid, memcg_lru_press);
}
