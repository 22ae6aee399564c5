/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rest of the kernel may call of reclaim from subtrees of memcgs.
 *
 * The order of subtrees serves requests while the multi-gen LRU is on or being switched.
 * While it is off, vmscan.c walks as without it; only soft limits, if anybody has one,
 * are served before that. With CONFIG_LRU_GEN off it compiles to nothing.
 */
#ifndef _LINUX_MEMCG_RECLAIM_H
#define _LINUX_MEMCG_RECLAIM_H

#include <linux/compiler.h>
#include <linux/lru_gen.h>
#include <linux/memcg_iter_types.h>
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/slab.h>
#include <linux/types.h>

struct scan_control;

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_MEMCG)

void __memcg_reclaim_grown(struct memcg_iter *it);
bool __memcg_reclaim_subtree(struct pglist_data *pgdat, struct scan_control *sc);
struct mem_cgroup_per_node *memcg_reclaim_alloc_node(int nid);
void memcg_reclaim_free_node(struct mem_cgroup_per_node *mz);

/* A list of @it has @size pages now; lru_lock is held. */
static inline void memcg_reclaim_size(struct memcg_iter *it, enum lru_list lru,
				      unsigned long size)
{
	if (unlikely(size > READ_ONCE(it->mark)) && lru != LRU_UNEVICTABLE)
		__memcg_reclaim_grown(it);
}

/* True if the request needs no walk through the memcgs of the subtree. */
static inline bool memcg_reclaim_subtree(struct pglist_data *pgdat,
					 struct scan_control *sc)
{
	if (!lru_gen_in_use() && !memcg_soft_limits_in_use())
		return false;
	return __memcg_reclaim_subtree(pgdat, sc);
}

#else

static inline void memcg_reclaim_size(struct memcg_iter *it, enum lru_list lru,
				      unsigned long size) { }
static inline bool memcg_reclaim_subtree(struct pglist_data *pgdat,
					 struct scan_control *sc) { return false; }

#ifdef CONFIG_MEMCG
static inline struct mem_cgroup_per_node *memcg_reclaim_alloc_node(int nid)
{
	return kzalloc_node(sizeof(struct mem_cgroup_per_node), GFP_KERNEL, nid);
}

static inline void memcg_reclaim_free_node(struct mem_cgroup_per_node *mz)
{
	kfree(mz);
}
#endif

#endif /* CONFIG_LRU_GEN && CONFIG_MEMCG */

#endif /* _LINUX_MEMCG_RECLAIM_H */
