/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shrinkers of memcgs: which of them have objects of a memcg, and what they are due.
 *
 * Rooms, from the top: memcg.c (asks them), bits.c (who has any), deferred.c (what is
 * due). How a shrinker is asked, and how much of it, is mm/shrinker.c's business.
 *
 * Locks, as fields name them:
 *
 *  S  shrinker_info.lock, of a memcg on a node, inside all others; interrupts off
 */
#ifndef _MM_SHRINKER_MEMCG_INTERNAL_H
#define _MM_SHRINKER_MEMCG_INTERNAL_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/memcontrol.h>
#include <linux/mutex.h>
#include <linux/shrinker.h>
#include <linux/shrinker_memcg_types.h>

extern struct mutex shrinker_mutex;

/* mm/shrinker.c */
unsigned long do_shrink_slab(struct shrink_control *sc, struct shrinker *s, int priority);

#ifdef CONFIG_MEMCG

/* Shrinkers of a unit, which makes it 64 bytes. */
#define SHRINKER_UNIT_IDS	(48 * BITS_PER_BYTE)

/**
 * struct shrinker_unit - which of some shrinkers may have objects of a memcg on a node
 * @next: the one that was added before
 * @base: id of the first shrinker
 * @bits: a bit for each, set and cleared without a lock
 *
 * Does not change but for @bits, and stays as long as the memcg does.
 */
struct shrinker_unit {
	struct shrinker_unit *next;
	int base;
	DECLARE_BITMAP(bits, SHRINKER_UNIT_IDS);
};

/* memcg.c */
int shrinker_memcg_alloc(struct shrinker *s);
void shrinker_memcg_remove(struct shrinker *s);
unsigned long shrinker_memcg_shrink(const struct shrink_control *sc, int priority);

/* bits.c */
struct shrinker_unit *shrinker_unit_alloc(void);
void shrinker_info_clear(struct shrinker_info *info, int id);

/* deferred.c */
struct shrinker_deferred *shrinker_deferred_alloc(unsigned int size);
void shrinker_deferred_free(struct shrinker_info *info);
long shrinker_memcg_take(const struct shrinker *s, struct mem_cgroup *memcg, int nid);
long shrinker_memcg_defer(const struct shrinker *s, struct mem_cgroup *memcg, int nid,
			  long nr);

static inline struct shrinker_info *shrinker_info_of(struct mem_cgroup *memcg, int nid)
{
	return &memcg->nodeinfo[nid]->shrinker_info;
}

/**
 * shrinker_info_first() - the units of a memcg
 * @info: the memcg on a node
 *
 * Context: any; the caller sees to it that the memcg stays.
 *
 * Return: the first one, from which the others follow, or NULL.
 */
static inline struct shrinker_unit *shrinker_info_first(struct shrinker_info *info)
{
	/* Pairs with add_unit(): who sees a unit sees it set up. */
	return smp_load_acquire(&info->units);
}

/**
 * shrinker_info_was_lost() - whether any shrinker may have objects of a memcg
 * @info: the memcg on a node
 *
 * Context: who is told so asks all of them; others are not told any more.
 *
 * Return: whether a bit could not be set.
 */
static inline bool shrinker_info_was_lost(struct shrinker_info *info)
{
	return unlikely(READ_ONCE(info->lost)) && xchg(&info->lost, false);
}

#else

static inline int shrinker_memcg_alloc(struct shrinker *s)
{
	return -EOPNOTSUPP;
}

static inline unsigned long shrinker_memcg_shrink(const struct shrink_control *sc,
						  int priority)
{
	return 0;
}

static inline long shrinker_memcg_take(const struct shrinker *s, struct mem_cgroup *m,
				       int nid)
{
	return 0;
}

static inline long shrinker_memcg_defer(const struct shrinker *s, struct mem_cgroup *m,
					int nid, long nr)
{
	return 0;
}

static inline void shrinker_memcg_remove(struct shrinker *s) {}

#endif /* CONFIG_MEMCG */
#endif /* _MM_SHRINKER_MEMCG_INTERNAL_H */
