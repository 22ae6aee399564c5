/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the order of memcgs asks of eviction.
 */
#ifndef _MM_LRU_GEN_EVICT_H
#define _MM_LRU_GEN_EVICT_H

struct lruvec;
struct scan_control;

/**
 * struct lru_gen_quota - how much is to be evicted from a lruvec
 * @nr_free: pages to free
 * @nr_look: pages to look at, at most
 * @swap_waives: pages that need not be freed any more for one that was swapped out
 * @nr_waived: set to how many these were
 */
struct lru_gen_quota {
	unsigned long nr_free;
	unsigned long nr_look;
	unsigned int swap_waives;
	unsigned long nr_waived;
};

unsigned long lru_gen_evictable(struct lruvec *lruvec, struct scan_control *sc);
void lru_gen_evict(struct lruvec *lruvec, struct scan_control *sc,
		   struct lru_gen_quota *quota);
bool lru_gen_gives_nothing(const struct lruvec *lruvec);
bool lru_gen_is_empty(const struct lruvec *lruvec);

#endif /* _MM_LRU_GEN_EVICT_H */
