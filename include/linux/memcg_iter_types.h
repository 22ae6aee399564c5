/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of the order in which the memcgs of a subtree are reclaimed from.
 *
 * memcontrol.h includes this file. How the order works is told in
 * mm/memcg_reclaim/iter.c, what hooks may call is in memcg_reclaim.h.
 */
#ifndef _LINUX_MEMCG_ITER_TYPES_H
#define _LINUX_MEMCG_ITER_TYPES_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/rbtree_types.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_MEMCG)

struct cgroup_subsys_state;

/**
 * struct memcg_iter_share - what a memcg, or all below it, has to give
 * @node: in the queue of the memcg it is taken from, by @pass
 * @pass: what it has given by now, in turnovers: one is MEMCG_ITER_TURNOVER
 * @weight: pages it could give
 *
 * All fields are T, the lock of the tree.
 */
struct memcg_iter_share {
	struct rb_node node;
	u64 pass;
	unsigned long weight;
};

/**
 * struct memcg_iter_bar - which pages of a memcg stay, since those of others are used less
 * @rate: those that are used at a higher rate, see lru_gen_rate()
 * @least: the least rate met since somebody gave
 * @nr_vain: turns since then
 * @nr_owed: by how many more pages were looked at in vain than given
 *
 * Read and written without a lock; see mm/memcg_reclaim/bar.c.
 */
struct memcg_iter_bar {
	u64 rate;
	u64 least;
	unsigned int nr_vain;
	long nr_owed;
};

/**
 * struct memcg_iter - a memcg on a node, as reclaim from subtrees knows it
 * @mark: twice the pages it had on its lists when it was weighed; a list that is longer
 *	has it weighed again; 0 while it has nothing; written under T, read without it
 * @nr: how many memcgs of its subtree, itself included, have something to give;
 *	written under T, read without it
 * @root: that of the root memcg, whose lock is T; NULL before it comes online
 * @parent: that of the memcg above, NULL for the root
 * @lock: T, if this is the root's; inside lruvec->lru_lock, interrupts off, with
 *	nothing inside it
 * @queue: shares of this memcg and of those right below that have any
 * @now: pass of the share that was taken from @queue last
 * @self: its own folios, in its own queue
 * @all: its subtree, in the queue of the memcg above
 * @slab: where the next request for the slab of its subtree begins; NULL if at
 *	the top
 * @slab_scanned: pages for which slab owes its part since a memcg at @slab was asked; without a
 *	lock
 * @bar: which pages stay while others of its subtree give
 * @kept: pages it was charged when its last turn was in vain because of a bar; without a lock
 * @kept_by: top of the subtree in which it was charged these; without a lock
 * @allowance: pages that requests for its subtree may take from this node before others
 *	have their turn, see nodes.c; without a lock
 *
 * All fields are T, save for the first ones as told. What every change of a list
 * reads is on a cache line of its own.
 */
struct memcg_iter {
	unsigned long mark;
	unsigned int nr;
	struct memcg_iter *root;
	struct memcg_iter *parent;
	/* T */
	spinlock_t lock ____cacheline_aligned_in_smp;
	struct rb_root_cached queue;
	u64 now;
	struct memcg_iter_share self;
	struct memcg_iter_share all;
	struct cgroup_subsys_state *slab;
	atomic_long_t slab_scanned;
	struct memcg_iter_bar bar;
	unsigned long kept;
	struct memcg_iter *kept_by;
	atomic_long_t allowance;
};

#else

struct memcg_iter { };

#endif /* CONFIG_LRU_GEN && CONFIG_MEMCG */
#endif /* _LINUX_MEMCG_ITER_TYPES_H */
