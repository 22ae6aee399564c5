/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the order of memcgs asks of eviction.
 */
#ifndef _MM_LRU_GEN_EVICT_H
#define _MM_LRU_GEN_EVICT_H

#include <linux/limits.h>
#include <linux/types.h>

struct lruvec;
struct scan_control;

/**
 * struct lru_gen_quota - how much is to be evicted from a lruvec
 * @nr_free: pages to free
 * @nr_look: pages to look at, at most
 * @swap_waives: pages that need not be freed any more for one that was swapped out
 * @most_rate: what is used at a higher rate stays, see lru_gen_rate() in policy.c; in
 *	jiffies, LRU_GEN_ANY_RATE if others have nothing to give
 * @asks: whether no page goes unasked, however many were found in use
 * @nr_waived: set to how many these were
 * @rate: set to the rate of what was taken last, or of what stayed if nothing was taken;
 *	LRU_GEN_ANY_RATE if there is nothing
 */
struct lru_gen_quota {
	unsigned long nr_free;
	unsigned long nr_look;
	unsigned int swap_waives;
	u64 most_rate;
	bool asks;
	unsigned long nr_waived;
	u64 rate;
};

#define LRU_GEN_ANY_RATE	U64_MAX

/*
 * At this rate pages are used that are idle for no time, by the law alone and where types
 * cost the same. Whatever is idle for a jiffies is used at 1 / (a + 1) of it.
 */
#define LRU_GEN_LAW_RATE	(100ULL << 28)

/* The same for pages that were used once, and of which nothing else is known. */
#define LRU_GEN_NEW_RATE	(LRU_GEN_LAW_RATE / 20)

unsigned long lru_gen_evictable(struct lruvec *lruvec, struct scan_control *sc);
void lru_gen_evict(struct lruvec *lruvec, struct scan_control *sc,
		   struct lru_gen_quota *quota);
bool lru_gen_gives_nothing(const struct lruvec *lruvec);
unsigned long lru_gen_returned(struct lruvec *lruvec);
bool lru_gen_is_empty(const struct lruvec *lruvec);

#endif /* _MM_LRU_GEN_EVICT_H */
