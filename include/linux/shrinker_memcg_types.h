/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a memcg knows of shrinkers.
 *
 * memcontrol.h includes this file. How it works is told in mm/shrinker_memcg/.
 */
#ifndef _LINUX_SHRINKER_MEMCG_TYPES_H
#define _LINUX_SHRINKER_MEMCG_TYPES_H

#include <linux/spinlock_types.h>
#include <linux/types.h>

struct shrinker_deferred;
struct shrinker_unit;

/**
 * struct shrinker_info - what a memcg knows of shrinkers on a node
 * @units: which of them may have objects of it; added to under @lock, read without it,
 *	none goes before the memcg does
 * @deferred: what they are due; S, read under RCU, too
 * @lock: S; interrupts off, with nothing inside it but allocations
 * @lost: a shrinker could not be noted in @units: any may have objects. Read and written
 *	without a lock
 */
struct shrinker_info {
	struct shrinker_unit *units;
	struct shrinker_deferred __rcu *deferred;
	spinlock_t lock;	/* S */
	bool lost;
};

#endif /* _LINUX_SHRINKER_MEMCG_TYPES_H */
