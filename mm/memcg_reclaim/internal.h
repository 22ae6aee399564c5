/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which memcg is reclaimed from next, and how hard it is pressed.
 *
 * Rooms, from the top: global.c (requests of the system), member.c (memcgs that
 * come and go), visit.c (one memcg is reclaimed from), credit.c (how much is asked
 * of one), memcg_lru.c (whose turn it is). A file may use those below it, none
 * above. Which folios go is lru_gen's business.
 *
 * Locks, as fields name them:
 *
 *  N  lock of the order of a node, memcg_lru.lock, inside lruvec->lru_lock
 *  P  private to the thread that reclaims
 */
#ifndef _MM_MEMCG_RECLAIM_INTERNAL_H
#define _MM_MEMCG_RECLAIM_INTERNAL_H

#include <linux/lru_gen.h>
#include <linux/memcontrol.h>
#include <linux/memcg_lru_types.h>
#include <linux/mmzone.h>
#include <linux/swap.h>

#include "../reclaim.h"

/* Credit is kept in parts of a page, so that small memcgs count, too. */
#define MEMCG_LRU_UNIT		64L

/* Pages a member of mean weight gives in a round, at least. */
#define MEMCG_LRU_QUANTUM	(2 * SWAP_CLUSTER_MAX)

/*
 * Pages; the mean counts as so many at least, so that a round asks for no more than
 * a sixteenth of what somebody has.
 */
#define MEMCG_LRU_MIN_MEAN	(16 * MEMCG_LRU_QUANTUM)

/* It is not asked for less than this, unless it has less. */
#define MEMCG_LRU_BATCH		SWAP_CLUSTER_MAX

/**
 * struct memcg_lru_turn - a member's turn
 * @member: whose
 * @weight: pages it could give
 * @limit: pages that are wanted of it at most
 * @nr: pages it is asked for
 * @first: whether it is the first one it is asked in this round
 *
 * All fields are P.
 */
struct memcg_lru_turn {
	struct memcg_lru_member *member;
	unsigned long weight;
	unsigned long limit;
	unsigned long nr;
	bool first;
};

/**
 * struct memcg_visit - one visit to a memcg on a node
 * @lruvec: where
 * @memcg: its memcg, NULL when memcgs are disabled
 * @sc: the request it serves
 * @nr_pages: pages that could go, protected or not
 * @nr_share: those of them beyond its protection
 * @nr_want: pages to free
 * @nr_scanned: pages it has looked at
 * @nr_reclaimed: pages it has freed; objects in slab are not counted
 * @slab: whether slab is asked to give its share
 * @low: whether it is visited although memory.low covers it
 *
 * All fields are P.
 */
struct memcg_visit {
	struct lruvec *lruvec;
	struct mem_cgroup *memcg;
	struct scan_control *sc;
	unsigned long nr_pages;
	unsigned long nr_share;
	unsigned long nr_want;
	unsigned long nr_scanned;
	unsigned long nr_reclaimed;
	bool slab;
	bool low;
};

/* visit.c */
bool memcg_visit_begin(struct memcg_visit *v);
void memcg_visit(struct memcg_visit *v);
void memcg_visit_slab(struct mem_cgroup *memcg, int nid, struct scan_control *sc);

#ifdef CONFIG_MEMCG

static inline struct memcg_lru *memcg_lru_of(struct lruvec *lruvec)
{
	return &lruvec_pgdat(lruvec)->memcg_lru;
}

static inline struct lruvec *memcg_lru_lruvec(struct memcg_lru_member *m)
{
	return container_of(m, struct lruvec, member);
}

/* memcg_lru.c */
void memcg_lru_init(struct memcg_lru *lru);
void memcg_lru_add(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_del(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_park(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_wake(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_press(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_scrape(struct memcg_lru *lru, struct memcg_lru_member *m);
bool memcg_lru_hold(struct memcg_lru_member *m);
struct memcg_lru_member *memcg_lru_take(struct memcg_lru *lru, unsigned int shard);
struct memcg_lru_member *memcg_lru_take_parked(struct memcg_lru *lru);
void memcg_lru_again(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_skip(struct memcg_lru *lru, struct memcg_lru_member *m, bool spare);
void memcg_lru_unspare(struct memcg_lru *lru);
unsigned int memcg_lru_size(struct memcg_lru *lru);

/* credit.c */
void memcg_lru_expect(struct memcg_lru *lru, unsigned long total);
void memcg_lru_reserve(struct memcg_lru *lru, struct memcg_lru_turn *t);
void memcg_lru_settle(struct memcg_lru *lru, struct memcg_lru_turn *t,
		      unsigned long nr_freed, bool willing);

/* member.c */
void memcg_lru_try_park(struct lruvec *lruvec);

#endif /* CONFIG_MEMCG */
#endif /* _MM_MEMCG_RECLAIM_INTERNAL_H */
