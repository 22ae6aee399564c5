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
 */
struct lru_gen_quota {
	unsigned long nr_free;
	unsigned long nr_look;
};

unsigned long lru_gen_evictable(struct lruvec *lruvec, struct scan_control *sc);
void lru_gen_evict(struct lruvec *lruvec, struct scan_control *sc,
		   const struct lru_gen_quota *quota);
bool lru_gen_is_empty(const struct lruvec *lruvec);

#endif /* _MM_LRU_GEN_EVICT_H */
