// SPDX-License-Identifier: GPL-2.0
/*
 * Memcgs that come, go, fill and run empty.
 */
#include <linux/memcg_reclaim.h>
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
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
 *
 * In the order of a subtree it is found while it has evictable folios, on either
 * LRU. The first one brings it there, and lists that have doubled make it be weighed
 * again; the reclaimer that finds it empty takes it out.
 */

/*
 * What a memcg has of a node is a little more than half of what kmalloc() would
 * take for it, and there is one for each memcg and node.
 */
static struct kmem_cache *node_cache __ro_after_init;

/**
 * memcg_reclaim_alloc_node() - allocate what a memcg has of a node
 * @nid: node
 *
 * Context: process context, may sleep. The first call is that for the root memcg,
 * while the system boots.
 * Return: it, zeroed; NULL if there is no memory.
 */
struct mem_cgroup_per_node *memcg_reclaim_alloc_node(int nid)
{
	if (unlikely(!node_cache))
		node_cache = KMEM_CACHE(mem_cgroup_per_node,
					SLAB_HWCACHE_ALIGN | SLAB_PANIC);
	return kmem_cache_alloc_node(node_cache, GFP_KERNEL | __GFP_ZERO, nid);
}

/**
 * memcg_reclaim_free_node() - free what a memcg had of a node
 * @mz: it; NULL is ignored
 *
 * Context: any.
 */
void memcg_reclaim_free_node(struct mem_cgroup_per_node *mz)
{
	if (mz)
		kmem_cache_free(node_cache, mz);
}

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

static struct memcg_iter *iter_of(struct mem_cgroup *memcg, int nid)
{
	return &memcg->nodeinfo[nid]->shared_iter;
}

static void join_subtrees(struct mem_cgroup *memcg)
{
	struct mem_cgroup *parent = parent_mem_cgroup(memcg);
	int nid;

	for_each_node(nid)
		memcg_iter_add(iter_of(memcg, nid), parent ? iter_of(parent, nid) : NULL);
}

static void leave_subtrees(struct mem_cgroup *memcg)
{
	int nid;

	for_each_node(nid) {
		/* It never came online. */
		if (!iter_of(memcg, nid)->root)
			continue;
		memcg_iter_weigh(iter_of(memcg, nid), 0, 0);
		memcg_walk_forget(memcg, nid);
	}
}

/**
 * lru_gen_memcg_online() - make a new memcg a member of all orders
 * @memcg: the memcg
 *
 * Context: process context, cgroup_mutex is held.
 */
void lru_gen_memcg_online(struct mem_cgroup *memcg)
{
	memcg_soft_limit_init(memcg);
	on_all_nodes(memcg, memcg_lru_add);
	if (mem_cgroup_is_root(memcg))
		on_all_nodes(memcg, memcg_lru_wake);
	join_subtrees(memcg);
}

/**
 * lru_gen_memcg_offline() - let a memcg that was removed give all it has
 * @memcg: the memcg
 *
 * Context: process context, cgroup_mutex is held.
 */
void lru_gen_memcg_offline(struct mem_cgroup *memcg)
{
	memcg_soft_limit_set(memcg, PAGE_COUNTER_MAX);
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
	leave_subtrees(memcg);
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

/* All that is on its evictable lists, on either LRU. */
static unsigned long folios_of(struct mem_cgroup_per_node *mz)
{
	unsigned long nr = 0;
	enum lru_list lru;
	int zone;

	for (zone = 0; zone < MAX_NR_ZONES; zone++)
		for_each_evictable_lru(lru)
			nr += READ_ONCE(mz->lru_zone_size[zone][lru]);
	return nr;
}

/**
 * __memcg_reclaim_grown() - a memcg has got its first folios, or far more of them
 * @it: its place in the order
 *
 * Context: lruvec->lru_lock held.
 */
void __memcg_reclaim_grown(struct memcg_iter *it)
{
	struct mem_cgroup_per_node *mz = container_of(it, struct mem_cgroup_per_node,
						      shared_iter);

	lockdep_assert_held(&mz->lruvec.lru_lock);
	if (it->root)
		memcg_iter_grow(it, folios_of(mz));
}

/**
 * memcg_iter_pages() - what a memcg has on its lists
 * @lruvec: its lruvec
 *
 * Context: any; the number may be a moment old.
 * Return: pages, evictable at present or not.
 */
unsigned long memcg_iter_pages(struct lruvec *lruvec)
{
	return folios_of(container_of(lruvec, struct mem_cgroup_per_node, lruvec));
}

/**
 * memcg_iter_try_leave() - take a memcg out of the order if it is empty
 * @lruvec: its lruvec
 *
 * Context: any; takes lruvec->lru_lock.
 */
void memcg_iter_try_leave(struct lruvec *lruvec)
{
	struct mem_cgroup_per_node *mz = container_of(lruvec, struct mem_cgroup_per_node,
						      lruvec);

	if (!READ_ONCE(mz->shared_iter.mark) || folios_of(mz))
		return;
	spin_lock_irq(&lruvec->lru_lock);
	if (!folios_of(mz))
		memcg_iter_weigh(&mz->shared_iter, 0, 0);
	spin_unlock_irq(&lruvec->lru_lock);
}
