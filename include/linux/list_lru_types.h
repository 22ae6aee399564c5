/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a memcg keeps of the list_lrus it has objects on.
 *
 * memcontrol.h includes this file. How it works is told in mm/list_lru/memcg.c.
 */
#ifndef _LINUX_LIST_LRU_TYPES_H
#define _LINUX_LIST_LRU_TYPES_H

#include <linux/spinlock_types.h>
#include <linux/types.h>

struct list_lru_table;

/**
 * struct list_lru_dir - the lists of a memcg on a node
 * @table: says for a list_lru whether the memcg has a list of its own; written under
 *	@lock, read under RCU or @lock
 * @lock: D; interrupts off
 * @nr_strays: how many objects of the memcg became strays, see mm/list_lru/memcg.c; it
 *	never falls, and may wrap. D
 * @closed: no list is added any more: what is not in @table is with the parent. Set
 *	under D and never cleared, read without it
 */
struct list_lru_dir {
	struct list_lru_table __rcu *table;
	spinlock_t lock;	/* D */
	unsigned int nr_strays;
	bool closed;
};

#endif /* _LINUX_LIST_LRU_TYPES_H */
