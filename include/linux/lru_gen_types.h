/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of the multi-generational LRU that other structs embed.
 *
 * Only constants and structs stand here, because mmzone.h includes this file
 * and so does nearly everything else. What hooks may call is in lru_gen.h, how
 * it works is told in mm/lru_gen/.
 */
#ifndef _LINUX_LRU_GEN_TYPES_H
#define _LINUX_LRU_GEN_TYPES_H

/*
 * A lruvec keeps up to eight generations of each type. The youngest five are
 * the frequency classes, from 0 for the fifth youngest to 4 for the youngest;
 * generations older than these belong to class 0 as well and are emptied first.
 * MIN_NR_GENS youngest ones are out of reach of the debugfs command `-`.
 */
#define MIN_NR_GENS		2U
#define MAX_NR_GENS		8U
#define LRU_GEN_NR_CLASSES	5U
#define LRU_GEN_TOP_CLASS	(LRU_GEN_NR_CLASSES - 1)

/* Two bits of folio->flags count uses: none, one, two, three or more. */
#define MAX_NR_TIERS		4U

#ifndef __GENERATING_BOUNDS_H

#include <linux/list.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct mem_cgroup;

#define LRU_GEN_MASK		((BIT(LRU_GEN_WIDTH) - 1) << LRU_GEN_PGOFF)
#define LRU_REFS_MASK		((BIT(LRU_REFS_WIDTH) - 1) << LRU_REFS_PGOFF)

/* Bits of /sys/kernel/mm/lru_gen/enabled. */
enum lru_gen_cap {
	LRU_GEN_CAP_CORE	= 0x1,
	LRU_GEN_CAP_WALK	= 0x2,
	LRU_GEN_CAP_NONLEAF	= 0x4,
	LRU_GEN_CAP_ALL		= 0x7,
};

/* The two types of evictable folios; the value indexes every [type] array. */
enum lru_gen_type {
	LRU_GEN_ANON,
	LRU_GEN_FILE,
	LRU_GEN_NR_TYPES,
};

/*
 * How many generations have counts of their own: each that fits the window, or
 * only the one that is oldest at the time.
 */
#ifdef CONFIG_LRU_GEN_STATS
#define LRU_GEN_NR_HISTORY	MAX_NR_GENS
#else
#define LRU_GEN_NR_HISTORY	1U
#endif

/* What a page-table walk counts; the value indexes struct lru_gen_history.walk. */
enum lru_gen_walk_item {
	LRU_GEN_WALK_TOTAL,	/* leaf entries looked at */
	LRU_GEN_WALK_YOUNG,	/* those of them that had been used */
	LRU_GEN_WALK_FOUND,	/* ranges entered because the filter had them */
	LRU_GEN_WALK_ADDED,	/* ranges the filter was told of */
	LRU_GEN_NR_WALK_ITEMS,
};

#ifdef CONFIG_LRU_GEN_WALKS_MMU

/**
 * struct lru_gen_mm - what an mm_struct knows of the list it is on
 * @link: in lru_gen_mm_list.head, or empty; M
 * @memcg: whose list that is, with a reference held, or NULL; written under M
 * @used: bit n is set if a thread of this mm has run since a walk for node n
 *	took it; a context switch sets all of them without a lock
 * @missed: bit n is set if the round of node n under way owes it a look; M
 *
 * Nodes from BITS_PER_LONG on have no bits. For them, every mm counts as used.
 */
struct lru_gen_mm {
	struct list_head link;
	struct mem_cgroup *memcg;
	unsigned long used;
	unsigned long missed;
};

/**
 * struct lru_gen_mm_list - the mm_structs whose owners are in one memcg
 * @lock: M; inside task_lock(), with nothing inside it
 * @head: of lru_gen_mm.link, in no order that means anything; M
 */
struct lru_gen_mm_list {
	spinlock_t lock;	/* M */
	struct list_head head;
};

/**
 * enum lru_gen_pass - how far a round has come
 * @LRU_GEN_PASS_NONE: no round has been begun
 * @LRU_GEN_PASS_FIRST: each mm is offered
 * @LRU_GEN_PASS_AGAIN: those that were handed back are offered once more
 */
enum lru_gen_pass {
	LRU_GEN_PASS_NONE,
	LRU_GEN_PASS_FIRST,
	LRU_GEN_PASS_AGAIN,
};

/**
 * struct lru_gen_round - one look at all mm_structs for one lruvec
 * @next: link of the mm to offer next; the list's head at the end of a pass;
 *	NULL without a round
 * @seq: youngest generation when the round began
 * @nr_rounds: rounds that have come to their end
 * @nr_walkers: threads taking part
 * @nr_returned: mms that have been handed back, to be offered once more
 * @nr_left_out: mms that have been handed back for good
 * @pass: how far it has come
 * @full: whether mms that have not run are offered too
 *
 * All fields are M, of the list of the lruvec's memcg.
 */
struct lru_gen_round {
	struct list_head *next;
	unsigned long seq;
	unsigned long nr_rounds;
	unsigned int nr_walkers;
	unsigned int nr_returned;
	unsigned int nr_left_out;
	enum lru_gen_pass pass;
	bool full;
};

struct lru_gen_bits;

/**
 * struct lru_gen_filter - which page-table ranges of a lruvec are worth a walk
 * @bits: two sets of ranges: one is asked, the other is filled; RCU
 * @asked: index of the one that is asked
 * @nr_keys: how many ranges the other holds, roughly
 *
 * Asking and filling take no lock; see mm/lru_gen/filter.c for what that costs.
 */
struct lru_gen_filter {
	struct lru_gen_bits __rcu *bits[2];
	unsigned int asked;
	unsigned int nr_keys;
};

#else

struct lru_gen_mm { };
struct lru_gen_mm_list { };
struct lru_gen_round { };
struct lru_gen_filter { };

#endif /* CONFIG_LRU_GEN_WALKS_MMU */

#ifdef CONFIG_LRU_GEN

/**
 * struct lru_gen_span - when the folios of a list came to it
 * @oldest: when the one at the tail did, estimated: see lru_gen_span_drain()
 * @newest: when the one at the head did
 */
struct lru_gen_span {
	unsigned long oldest;
	unsigned long newest;
};

/**
 * struct lru_gen_feedback - what evictions and refaults say of each other
 * @clock: pages evicted from the lruvec, of both types; wraps
 * @walked: @clock when accessed bits were last collected, which closes an
 *	interval and begins another
 * @nr_walks: how many intervals there have been; wraps
 * @nr_near: pages evicted in this interval that have come back in it
 * @back: the share of evicted pages that came back in the last one, in 1/1024
 * @nr_decays: times that classes are still to be lowered
 * @use: [type][class] one more than the share of pages that were used in an
 *	interval, in 1/1024, averaged; 0 if there were too few to tell
 * @nr_looked: [type] pages of which eviction asked lately if they had been used
 * @nr_found: [type] those of them that had been
 * @spared: [type] pages found in use through rmap less those that pages freed have
 *	made up for, in parts of a page, see lru_gen_note_spared()
 * @nr_swapped: anon pages evicted lately
 * @nr_returned: anon pages that came back lately, see lru_gen_note_returned()
 * @away: for how long they had been away, added up
 * @nr_gone: [type] pages evicted lately
 * @nr_soon: [type] pages that came back lately, soon after they went
 * @corrected: @clock when @excess was last corrected
 * @excess: for how much older file pages are taken than they are, as a part of their
 *	age, in 1/1024; see mm/lru_gen/balance.c
 * @has_walked: whether @walked means anything yet
 *
 * Written under lru_lock; what has no index, down to @nr_decays, may be read without,
 * each for itself.
 */
struct lru_gen_feedback {
	unsigned long clock;
	unsigned long walked;
	unsigned long nr_walks;
	unsigned long nr_near;
	unsigned int back;
	unsigned int nr_decays;
	u16 use[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
	u32 nr_looked[LRU_GEN_NR_TYPES];
	u32 nr_found[LRU_GEN_NR_TYPES];
	u32 spared[LRU_GEN_NR_TYPES];
	unsigned long nr_swapped;
	unsigned long nr_returned;
	unsigned long away;
	unsigned long nr_gone[LRU_GEN_NR_TYPES];
	unsigned long nr_soon[LRU_GEN_NR_TYPES];
	unsigned long corrected;
	unsigned int excess;
	bool has_walked;
};

/**
 * struct lru_gen_history - what became of the folios of one generation
 * @refaulted: [type][tier] pages that came back; counted without a lock
 * @evicted: [type][tier] pages that went; counted without a lock
 * @protected: [type][tier] pages moved up instead; under lru_lock
 * @walk: what page-table walks counted while it was the youngest; under lru_lock
 *
 * Pages are counted in 32 bits, since every memcg has one of these on every node
 * and no generation sees 16 TiB go.
 */
struct lru_gen_history {
	atomic_t refaulted[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
	atomic_t evicted[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
	u32 protected[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
	unsigned long walk[LRU_GEN_NR_WALK_ITEMS];
};

/**
 * struct lru_gen_stats - what eviction did to a lruvec
 * @avg_refaulted: [type][tier] refaulted pages, a decaying average over the
 *	generations that have been the oldest
 * @avg_total: [type][tier] the same of pages evicted or protected
 * @history: by generation, modulo LRU_GEN_NR_HISTORY
 *
 * Averages are written under lru_lock. All may be read without it.
 */
struct lru_gen_stats {
	u32 avg_refaulted[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
	u32 avg_total[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
	struct lru_gen_history history[LRU_GEN_NR_HISTORY];
};

/**
 * struct lru_gen_window - the generations of one lruvec
 * @max_seq: youngest generation; both types share it, so that classes compare
 * @min_seq: oldest generation of each type; they advance independently
 * @birth: when each generation was opened, in jiffies, indexed by seq modulo
 *	MAX_NR_GENS
 * @nr_pages: size of each list by zone, in pages
 * @lists: [generation][type][zone] folios, last come at the head, next to go at the tail
 * @spans: since when folios have been on each list, by the clock of evictions
 * @times: the same, in jiffies
 * @nr_total: pages on all lists, as eviction last found them
 * @nr_vain: pages met by eviction since it freed one, those found in use left out
 * @feedback: when to look at accessed bits and when to forget
 * @nr_near: pages that came back soon after their eviction, not yet judged
 * @nr_returned: anon pages that came back before as much as there is was evicted, not
 *	yet judged
 * @away: for how long they had been away, added up, see lru_gen_time_away()
 * @nr_soon: [type] pages that came back soon, not yet counted, see lru_gen_is_soon()
 * @last_distance: pages evicted between the eviction of the anon page that a fault
 *	brought back last and this fault; without a lock
 * @nr_fresh: [type][class] pages found used for the first time since the last walk
 * @nr_young: [type][class] pages found used again since the last walk
 * @stats: what eviction did
 * @enabled: whether folios of this lruvec go to @lists or to the classic lists
 *
 * Generation numbers only grow. A folio stores its own modulo MAX_NR_GENS, plus
 * one so that zero means "on no list"; since the window is never wider than
 * MAX_NR_GENS, a stored number means one generation only.
 *
 * Everything but the last six counts is written under lruvec->lru_lock. Sizes and numbers
 * may be read without it, by readers that can live with a value of a moment ago.
 */
struct lru_gen_window {
	unsigned long max_seq;
	unsigned long min_seq[LRU_GEN_NR_TYPES];
	unsigned long birth[MAX_NR_GENS];
	long nr_pages[MAX_NR_GENS][LRU_GEN_NR_TYPES][MAX_NR_ZONES];
	struct list_head lists[MAX_NR_GENS][LRU_GEN_NR_TYPES][MAX_NR_ZONES];
	struct lru_gen_span spans[MAX_NR_GENS][LRU_GEN_NR_TYPES];
	struct lru_gen_span times[MAX_NR_GENS][LRU_GEN_NR_TYPES];
	unsigned long nr_total;
	unsigned long nr_vain;
	struct lru_gen_feedback feedback;
	atomic_long_t nr_near;
	atomic_long_t nr_returned;
	atomic_long_t away;
	atomic_long_t nr_soon[LRU_GEN_NR_TYPES];
	unsigned long last_distance;
	atomic_long_t nr_fresh[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
	atomic_long_t nr_young[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
	struct lru_gen_stats stats;
	bool enabled;
};

#else

struct lru_gen_window { };

#endif /* CONFIG_LRU_GEN */
#endif /* !__GENERATING_BOUNDS_H */
#endif /* _LINUX_LRU_GEN_TYPES_H */
