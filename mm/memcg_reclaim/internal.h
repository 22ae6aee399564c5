/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which memcg is reclaimed from next, and how hard it is pressed.
 *
 * Rooms, from the top: global.c (requests of the system), subtree.c (requests that
 * take from a part of the memcgs), member.c (memcgs that come and go), slab.c (slab that
 * has no turn), visit.c (one memcg is reclaimed from), bar.c (which pages stay while others
 * give), credit.c (how much is asked of one), memcg_lru.c (whose turn it is), walk.c (full
 * walks), iter.c (whose turn it is in a subtree), soft_limit.c (who is over its soft limit),
 * nodes.c (which node gives how much). A file may use those below it, none above. Which
 * folios go is lru_gen's business.
 *
 * Locks, as fields name them:
 *
 *  N  lock of the order of a node, memcg_lru.lock, inside lruvec->lru_lock
 *  T  lock of the tree of a node, memcg_iter.lock of the root, inside lruvec->lru_lock
 *  S  lock of the list of those with soft limits, soft_lock
 *  P  private to the thread that reclaims
 */
#ifndef _MM_MEMCG_RECLAIM_INTERNAL_H
#define _MM_MEMCG_RECLAIM_INTERNAL_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/lru_gen.h>
#include <linux/memcontrol.h>
#include <linux/memcg_lru_types.h>
#include <linux/mmzone.h>
#include <linux/page_counter.h>
#include <linux/swap.h>

#include "../lru_gen/evict.h"
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
 * @weight: pages it could give, as in struct memcg_visit
 * @limit: pages that are wanted of it at most, and that the request may take
 * @urgent: it is this or an OOM kill, so credit is neither asked for nor charged
 * @nr: pages it is asked for
 * @first: whether it is the first one it is asked in this round
 * @nr_returned: pages of it that came back since its last turn
 * @kept: what it has is used far more than what others give
 *
 * All fields are P.
 */
struct memcg_lru_turn {
	struct memcg_lru_member *member;
	unsigned long weight;
	unsigned long limit;
	bool urgent;
	unsigned long nr;
	bool first;
	unsigned long nr_returned;
	bool kept;
};

/**
 * struct memcg_slab_turns - memcgs that take turns at giving slab
 * @nr: how many
 * @nr_pages: pages of which some have been scanned
 * @lowest: the priority of a request that finds too little, or DEF_PRIORITY
 * @priority: set to that at which each of those is asked whose turn it is
 *
 * All fields are P.
 */
struct memcg_slab_turns {
	unsigned long nr;
	unsigned long nr_pages;
	int lowest;
	int priority;
};

/**
 * struct memcg_visit - one visit to a memcg on a node
 * @lruvec: where
 * @memcg: its memcg, NULL when memcgs are disabled
 * @sc: the request it serves
 * @nr_pages: pages the request may take, protected or not
 * @nr_share: those of them beyond its protection
 * @weight: its weight in an order: pages beyond its protection that can be evicted at
 *	all; if memory.min or memory.low covers it, what they protect
 * @nr_want: pages to free
 * @swap_waives: pages that need not be freed any more for one that was swapped out
 * @most_rate: what is used at a higher rate stays, see struct lru_gen_quota
 * @asks: whether no page goes unasked, see struct lru_gen_quota
 * @nr_waived: how many these were
 * @nr_scanned: pages it has looked at
 * @nr_reclaimed: pages it has freed; objects in slab are not counted
 * @rate: at which rate the pages are used that it has given last, or kept if it gave none
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
	unsigned long weight;
	unsigned long nr_want;
	unsigned int swap_waives;
	u64 most_rate;
	bool asks;
	unsigned long nr_waived;
	unsigned long nr_scanned;
	unsigned long nr_reclaimed;
	u64 rate;
	bool slab;
	bool low;
};

/* Pages looked at for one that is wanted, before a visit takes a higher priority. */
#define MEMCG_VISIT_LOOKS	4

/* A share that has given as much as it has, in parts of which it is charged. */
#define MEMCG_ITER_TURNOVER	BIT_ULL(32)

/**
 * struct memcg_iter_turn - a turn in a subtree
 * @top: top of the subtree
 * @limit: pages that are wanted at most
 * @it: whose turn it is
 * @nr: pages it is asked for
 * @alone: nobody else in the subtree has anything, and nothing is charged
 *
 * All fields are P.
 */
struct memcg_iter_turn {
	struct memcg_iter *top;
	unsigned long limit;
	struct memcg_iter *it;
	unsigned long nr;
	bool alone;
};

/**
 * struct memcg_walk - a walk through a subtree
 * @top: top of the subtree
 * @nid: node
 * @all: whether memcgs without folios are wanted, too
 * @over: whether the shared place has come to the end
 *
 * All fields are P.
 */
struct memcg_walk {
	struct mem_cgroup *top;
	int nid;
	bool all;
	bool over;
};

/**
 * struct memcg_soft_sizes - what the excess of a memcg on a node follows from
 * @usage: pages it uses, with those below it
 * @limit: its soft limit in pages
 * @on_node: pages of it that are on lists of the node
 * @on_all: the same on all nodes
 * @node: pages the node has
 * @all_nodes: pages all nodes have
 */
struct memcg_soft_sizes {
	unsigned long usage;
	unsigned long limit;
	unsigned long on_node;
	unsigned long on_all;
	unsigned long node;
	unsigned long all_nodes;
};

/**
 * struct memcg_soft_turn - a turn among those over their soft limit
 * @target: top of what the request may take from
 * @nid: node
 * @left: how many of the list are to be looked at; too many to begin with
 * @memcg: whose turn it is, held
 * @nr: pages it is asked for
 *
 * All fields are P.
 */
struct memcg_soft_turn {
	struct mem_cgroup *target;
	int nid;
	unsigned int left;
	struct mem_cgroup *memcg;
	unsigned long nr;
};

/* visit.c */
bool memcg_visit_begin(struct memcg_visit *v);
void memcg_visit(struct memcg_visit *v);
unsigned long memcg_visit_slab(struct mem_cgroup *memcg, int nid, struct scan_control *sc,
			       int priority);
unsigned long memcg_visit_slab_owed(struct scan_control *sc, unsigned long nr_scanned);
int memcg_visit_slab_priority(unsigned long nr_owed, unsigned long nr_pages, int lowest);
unsigned long memcg_visit_slab_turns(unsigned long nr_owed, unsigned long nr_pages,
				     unsigned long nr);
unsigned int memcg_visit_slab_due(atomic_long_t *owed, struct memcg_slab_turns *t);

/* Whether a memcg gave nothing since others have what is used less. */
static inline bool memcg_visit_kept(const struct memcg_visit *v)
{
	return !v->nr_reclaimed && !v->nr_waived && v->rate > v->most_rate &&
	       v->rate != LRU_GEN_ANY_RATE;
}

#ifdef CONFIG_MEMCG

static inline struct memcg_lru *memcg_lru_of(struct lruvec *lruvec)
{
	return &lruvec_pgdat(lruvec)->memcg_lru;
}

/* No shrinker has passed over objects yet. */
static inline void memcg_lru_slab_init(struct memcg_lru_slab *s)
{
	s->before = INITIAL_JIFFIES;
	s->left = MEMCG_LRU_ALL_SLAB;
}

static inline struct lruvec *memcg_lru_lruvec(struct memcg_lru_member *m)
{
	return container_of(m, struct lruvec, member);
}

/* Whether @memcg or those below it are charged for anything; slab is, too. */
static inline bool memcg_is_charged(struct mem_cgroup *memcg)
{
	return mem_cgroup_is_root(memcg) || page_counter_read(&memcg->memory);
}

/* Policy: the next attempt is an OOM kill, so neither credit nor nodes have turns. */
static inline bool memcg_oom_is_next(const struct scan_control *sc)
{
	return sc->memcg_low_reclaim || sc->memcg_full_walk;
}

static inline struct mem_cgroup *memcg_iter_memcg(struct memcg_iter *it)
{
	return container_of(it, struct mem_cgroup_per_node, shared_iter)->memcg;
}

/* bar.c */
struct memcg_iter_bar *memcg_iter_bar_begin(struct memcg_iter_bar *b, unsigned int nr,
					    struct scan_control *sc);
struct memcg_iter_bar *memcg_iter_bar_of_node(int nid, unsigned int nr, struct scan_control *sc);
u64 memcg_iter_bar_rate(const struct memcg_iter_bar *b);
unsigned int memcg_iter_bar_rounds(unsigned int nr);
unsigned int memcg_iter_bar_sample(unsigned int nr);
bool memcg_iter_bar_asks(const struct memcg_iter_bar *b, unsigned int nr);
bool memcg_iter_bar_is_far(const struct memcg_visit *v);
void memcg_iter_bar_turn(struct memcg_iter_bar *b, const struct memcg_visit *v, unsigned int nr,
			 unsigned int nr_all);
void memcg_iter_bar_settle(struct memcg_iter_turn *t, const struct memcg_visit *v);

/* slab.c */
void memcg_lru_slab_asked(struct memcg_lru_slab *s, unsigned long nr_slab, int priority,
			  unsigned long nr_freed);
unsigned long memcg_lru_slab_idle(const struct memcg_lru_slab *s);
int memcg_lru_slab_priority(unsigned long nr, unsigned long nr_slab);
unsigned long memcg_lru_slab_pages(int nid);
void memcg_lru_slab_ask(struct memcg_lru *lru, int nid, struct scan_control *sc, int priority);
unsigned long memcg_lru_slab_due(int nid, const struct scan_control *sc,
				 unsigned long nr_scanned, unsigned long nr_pages);
unsigned long memcg_lru_slab_short(int nid, const struct scan_control *sc);
bool memcg_lru_slab_suffices(int nid, const struct scan_control *sc, unsigned int order);
bool memcg_lru_slab_stands_in(int nid, const struct scan_control *sc);
void memcg_lru_slab_pause(const struct scan_control *sc);
void memcg_lru_slab_wait(int nid, struct scan_control *sc);
unsigned long memcg_lru_slab_reserve(struct memcg_lru_slab *s, unsigned long nr);
void memcg_lru_slab_expect(struct memcg_lru_slab *s, unsigned long nr);
u64 memcg_lru_slab_most_rate(const struct memcg_lru_slab *s, unsigned long nr_slab);

/* nodes.c */
unsigned long memcg_reclaim_goal(const struct scan_control *sc);
unsigned long memcg_reclaim_node_pages(struct mem_cgroup *target, int nid);
unsigned long memcg_reclaim_node_take(struct mem_cgroup *target, int nid, unsigned long have,
				      unsigned long goal);
void memcg_reclaim_node_settle(struct mem_cgroup *target, int nid, unsigned long nr,
			       bool willing);

/* subtree.c */
void memcg_reclaim_excess(struct scan_control *sc, int nid, unsigned long goal);

#ifdef CONFIG_MEMCG_V1

/* soft_limit.c */
unsigned long memcg_soft_excess(const struct memcg_soft_sizes *s);
unsigned long memcg_soft_pressure(unsigned long excess);
bool memcg_soft_next(struct memcg_soft_turn *t);
void memcg_soft_limit_init(struct mem_cgroup *memcg);

#else

static inline bool memcg_soft_next(struct memcg_soft_turn *t) { return false; }
static inline void memcg_soft_limit_init(struct mem_cgroup *memcg) { }

#endif /* CONFIG_MEMCG_V1 */

/* memcg_lru.c */
void memcg_lru_init(struct memcg_lru *lru);
void memcg_lru_add(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_del(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_park(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_wake(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_scrape(struct memcg_lru *lru, struct memcg_lru_member *m);
bool memcg_lru_hold(struct memcg_lru_member *m);
struct memcg_lru_member *memcg_lru_take(struct memcg_lru *lru, unsigned int shard);
struct memcg_lru_member *memcg_lru_take_parked(struct memcg_lru *lru);
void memcg_lru_again(struct memcg_lru *lru, struct memcg_lru_member *m);
void memcg_lru_end_turns(struct memcg_lru *lru, struct memcg_lru_member *m);
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
void memcg_iter_try_leave(struct lruvec *lruvec);
unsigned long memcg_iter_pages(struct lruvec *lruvec);

/* iter.c */
void memcg_iter_add(struct memcg_iter *it, struct memcg_iter *parent);
void memcg_iter_weigh(struct memcg_iter *it, unsigned long weight, unsigned long nr_pages);
void memcg_iter_grow(struct memcg_iter *it, unsigned long nr_pages);
bool memcg_iter_hold(struct memcg_iter *it);
bool memcg_iter_take(struct memcg_iter_turn *t);
void memcg_iter_settle(struct memcg_iter_turn *t, unsigned long weight,
		       unsigned long nr_pages, long nr);

/* walk.c */
struct mem_cgroup *memcg_walk_next(const struct memcg_walk *w, struct mem_cgroup *prev);
void memcg_walk_break(struct mem_cgroup *prev);
struct mem_cgroup *memcg_walk_slab(struct memcg_walk *w);
void memcg_walk_forget(struct mem_cgroup *memcg, int nid);

#else

static inline bool memcg_is_charged(struct mem_cgroup *memcg) { return true; }

#endif /* CONFIG_MEMCG */
#endif /* _MM_MEMCG_RECLAIM_INTERNAL_H */
