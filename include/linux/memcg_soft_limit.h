/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Soft limits of memcgs: what the rest of the kernel may know of them.
 *
 * memcontrol.h includes this file. How they work is told in
 * mm/memcg_reclaim/soft_limit.c. Without CONFIG_LRU_GEN they have no effect.
 */
#ifndef _LINUX_MEMCG_SOFT_LIMIT_H
#define _LINUX_MEMCG_SOFT_LIMIT_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/page_counter.h>
#include <linux/types.h>

struct mem_cgroup;

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_MEMCG_V1)

/**
 * struct memcg_soft_limit - the soft limit of a memcg
 * @list: place among all that have one; empty if it has none. S, its lock
 * @nr_pages: pages; PAGE_COUNTER_MAX if it has none. Written under S
 * @nr_below: memcgs below it that have one. Written under S
 */
struct memcg_soft_limit {
	struct list_head list;
	unsigned long nr_pages;
	unsigned int nr_below;
};

DECLARE_STATIC_KEY_FALSE(memcg_soft_limits);

/* Whether any memcg has a soft limit. */
static inline bool memcg_soft_limits_in_use(void)
{
	return static_branch_unlikely(&memcg_soft_limits);
}

bool memcg_soft_limit_set(struct mem_cgroup *memcg, unsigned long nr_pages);
unsigned long memcg_soft_limit_read(struct mem_cgroup *memcg);
void memcg_soft_limit_reset(struct mem_cgroup *memcg);

#else

struct memcg_soft_limit { };

static inline bool memcg_soft_limits_in_use(void) { return false; }
static inline bool memcg_soft_limit_set(struct mem_cgroup *memcg,
					unsigned long nr_pages) { return false; }
static inline unsigned long memcg_soft_limit_read(struct mem_cgroup *memcg)
{
	return PAGE_COUNTER_MAX;
}

static inline void memcg_soft_limit_reset(struct mem_cgroup *memcg) { }

#endif /* CONFIG_LRU_GEN && CONFIG_MEMCG_V1 */
#endif /* _LINUX_MEMCG_SOFT_LIMIT_H */
