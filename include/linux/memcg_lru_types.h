/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of the order in which memcgs are reclaimed from that other structs embed.
 *
 * mmzone.h includes this file. How the order works is told in
 * mm/memcg_reclaim/memcg_lru.c, what hooks may call is in lru_gen.h.
 */
#ifndef _LINUX_MEMCG_LRU_TYPES_H
#define _LINUX_MEMCG_LRU_TYPES_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

/* Lists that share the members of a generation, so that threads start apart. */
#define MEMCG_LRU_NR_SHARDS	8U

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_MEMCG)

/**
 * enum memcg_lru_place - where a member of the order stands
 * @MEMCG_LRU_OUT: nowhere: it is not a member yet, or not any more
 * @MEMCG_LRU_PARKED: it has nothing to give
 * @MEMCG_LRU_SPARED: memory.min or memory.low covers all of it
 * @MEMCG_LRU_LISTED: it waits for its turn
 */
enum memcg_lru_place {
	MEMCG_LRU_OUT,
	MEMCG_LRU_PARKED,
	MEMCG_LRU_SPARED,
	MEMCG_LRU_LISTED,
};

/**
 * struct memcg_lru_member - a memcg on a node, as the order of that node knows it
 * @link: on one of the lists of struct memcg_lru
 * @credit: what it may be asked for, in 1/MEMCG_LRU_UNIT of a page; negative for
 *	what has been taken too much
 * @round: the last round it was taken in
 * @due: rounds for which it has not been given its credit yet
 * @nr_skipped: that of struct memcg_lru when it was given credit last
 * @nr_away: pages that it has given, and that may come back
 * @nr_owed: pages that have come back, and for which it has yet to be charged
 * @place: enum memcg_lru_place; read without the lock to see if it is parked
 * @gen: which of the two generations it is listed in
 * @shard: which shard, always the same
 * @removed: its cgroup is gone: it gives all it has
 * @slab_scanned: pages that its slab owes its part for: memcg_visit_slab_owed(); without a lock
 *
 * All fields but the last are N, the lock of struct memcg_lru.
 */
struct memcg_lru_member {
	struct list_head link;
	s64 credit;
	unsigned long nr_away;
	long nr_owed;
	unsigned int round;
	unsigned int nr_skipped;
	u8 due;
	u8 place;
	u8 gen;
	u8 shard;
	bool removed;
	unsigned int slab_scanned;
};

/* All slab of a node, as parts of it are counted. */
#define MEMCG_LRU_ALL_SLAB	65536U

/**
 * struct memcg_lru_slab - the slab of a node that belongs to no memcg
 * @began: when shrinkers began to pass over it, in jiffies
 * @before: the same for the time before, when they passed over all of it
 * @took: how long that took, in jiffies
 * @left: part that they have not come to since @began; all of it if they have yet to begin
 * @nr_vain: how often it was asked since it gave something
 * @nr_coming: pages that it was asked for beyond what requests lacked
 * @asked: when, in jiffies
 *
 * Read and written without a lock; see mm/memcg_reclaim/slab.c.
 */
struct memcg_lru_slab {
	unsigned long began;
	unsigned long before;
	unsigned long took;
	unsigned int left;
	unsigned int nr_vain;
	unsigned long nr_coming;
	unsigned long asked;
};

/**
 * struct memcg_lru - the order in which the memcgs of a node are reclaimed from
 * @lock: N; inside lruvec->lru_lock, interrupts off, with nothing inside it
 * @lists: [generation][shard] members that wait; new ones come to the tail
 * @nr: [generation] how many
 * @parked: members that have nothing to give
 * @nr_parked: how many
 * @spared: members that are protected
 * @nr_spared: how many
 * @round: number of the round under way; its lowest bit names the old generation
 * @nr_skipped: rounds that were skipped, since nobody would have been asked
 * @nearest: rounds from now until the first of the members that had to wait in this round
 *	is asked; 0 if none had to
 * @asked: whether one was asked in this round
 * @mean: mean weight of a member in the round before, in pages, or what is expected
 * @weighed: when @mean was set, in jiffies; 0 if never
 * @weight: sum of the weights seen in this round, in pages
 * @nr_weighed: how many
 * @rechecked: when the spared ones were last looked at, in jiffies
 * @root_slab: slab that belongs to no memcg
 * @root_scanned: pages for which the root's slab owes its part; without a lock
 * @parked_scanned: pages for which that of parked members does; without a lock
 *
 * All fields but the last three are N.
 */
struct memcg_lru {
	spinlock_t lock;	/* N */
	struct list_head lists[2][MEMCG_LRU_NR_SHARDS];
	unsigned int nr[2];
	struct list_head parked;
	unsigned int nr_parked;
	struct list_head spared;
	unsigned int nr_spared;
	unsigned int round;
	unsigned int nr_skipped;
	unsigned int nearest;
	bool asked;
	unsigned long mean;
	unsigned long weighed;
	u64 weight;
	unsigned int nr_weighed;
	unsigned long rechecked;
	struct memcg_lru_slab root_slab;
	atomic_long_t root_scanned;
	atomic_long_t parked_scanned;
};

#elif defined(CONFIG_LRU_GEN)

struct memcg_lru_member {
	unsigned int slab_scanned;
};

struct memcg_lru { };

#else

struct memcg_lru_member { };
struct memcg_lru { };

#endif /* CONFIG_LRU_GEN && CONFIG_MEMCG */
#endif /* _LINUX_MEMCG_LRU_TYPES_H */
