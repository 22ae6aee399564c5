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
 * A lruvec keeps up to MAX_NR_GENS generations of folios, each in MAX_NR_TIERS tiers.
 * *Derived*: with "on no list" these are 29 values, and folio->flags has five bits for
 * them. MIN_NR_GENS youngest ones are out of reach of the debugfs command `-`.
 */
#define MIN_NR_GENS		2U
#define MAX_NR_GENS		7U
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

/* How often folios were used, in the order in which it is earned. */
enum lru_gen_tier {
	LRU_GEN_NEW,		/* came in lately, and nothing else is known */
	LRU_GEN_OLD,		/* was new, and if it was used then, that is all */
	LRU_GEN_KEPT,		/* used once more */
	LRU_GEN_TOP,		/* used more often */
};

/* Kinds of tiers that are measured: new, old, and all that are kept. */
#define LRU_GEN_NR_KINDS	3U

/**
 * struct lru_gen_heap - what is known of a list
 * @nr: pages on it
 * @filled: pages that came to it since @oldest was noted
 * @oldest: the clock when the page then at its tail was last known to be used
 * @newest: the same of the page at its head
 *
 * Written under lru_lock; @nr may be read without. Pages are counted in 32 bits: no list
 * has 16 TiB.
 */
struct lru_gen_heap {
	u32 nr;
	u32 filled;
	u32 oldest;
	u32 newest;
};

/**
 * struct lru_gen_merger - two generations that are becoming one
 * @from: slot of the smaller one, which gives its folios
 * @to: slot of the other
 * @older: @from is the older one: its folios go to the tails of @to, from its heads
 * @active: whether there is a merger
 *
 * Written under lru_lock.
 */
struct lru_gen_merger {
	u8 from;
	u8 to;
	bool older;
	bool active;
};

/**
 * struct lru_gen_ages - the lists of a lruvec, without their folios
 * @heap: [slot][tier][type] what is known of each
 * @nr: [tier][type] pages
 * @clock: pages that came in; wraps
 * @birth: [slot] the clock when the generation was opened
 * @order: slots of the generations, youngest first
 * @nr_gens: how many there are
 * @merger: how a slot is made free
 *
 * Written under lru_lock.
 */
struct lru_gen_ages {
	struct lru_gen_heap heap[MAX_NR_GENS][MAX_NR_TIERS][LRU_GEN_NR_TYPES];
	u32 nr[MAX_NR_TIERS][LRU_GEN_NR_TYPES];
	u32 clock;
	u32 birth[MAX_NR_GENS];
	u8 order[MAX_NR_GENS];
	u8 nr_gens;
	struct lru_gen_merger merger;
};

/**
 * struct lru_gen_evidence - uses, in units of 1 / 65536
 * @seen: those that were seen
 * @expected: those that the law expected
 */
struct lru_gen_evidence {
	u64 seen;
	u64 expected;
};

/**
 * struct lru_gen_policy - what the policy knows of a lruvec
 * @ages: its lists
 * @known: [type][kind] the one feedback: uses seen and expected
 * @now: [type] of those of OLD, what this interval has added so far
 * @cost: [type] what a refault costs
 * @nr_pages: evictable pages
 * @least: the least rate of use among what is OLD or kept; U64_MAX if there is nothing
 * @asked: the clock when uses of OLD were last expected
 * @began: the clock when this interval began
 * @interval: its length, 0 before the first
 * @nr_intervals: how many there have been; wraps
 *
 * Written under lru_lock; see mm/lru_gen/policy.c.
 */
struct lru_gen_policy {
	struct lru_gen_ages ages;
	struct lru_gen_evidence known[LRU_GEN_NR_TYPES][LRU_GEN_NR_KINDS];
	struct lru_gen_evidence now[LRU_GEN_NR_TYPES];
	u32 cost[LRU_GEN_NR_TYPES];
	unsigned long nr_pages;
	u64 least;
	u32 asked;
	u32 began;
	u32 interval;
	u32 nr_intervals;
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
 * @max_seq: number of the youngest generation; the one before it has the number below
 * @birth: [slot] when each generation was opened, in jiffies
 * @youngest: [slot] when the youngest one was opened that has become part of it
 * @policy: what the policy knows, and where each generation is
 * @lists: [slot][tier][type] folios, last come at the head, next to go at the tail
 * @nr_pages: [type][zone] pages on them
 * @nr_next: [type] pages at the tail of the oldest list that are to go before all others
 * @nr_total: pages that can be evicted at all, as eviction last found them
 * @nr_vain: pages met by eviction since it freed one, those found in use left out
 * @nr_spared: pages found in use since eviction freed one
 * @nr_owed: by how many more were found in use than freed; at least -@nr_total / 2
 * @found: when a batch was last found to be in use for the most part, in jiffies
 * @nr_marked: [type] pages of OLD marked as used, not yet counted; without a lock
 * @nr_freed: [tier] anon pages that were freed soon after they had been swapped out, not
 *	yet counted; without a lock
 * @nr_returned: pages that came back since lru_gen_returned() was asked; without a lock
 * @last_away: how long the anon page had been away that a fault brought back last
 * @last_tier: the tier it had been evicted from
 * @stats: what eviction did
 * @all_mapped: eviction found nothing that is not mapped, before it was known what is used
 * @enabled: whether folios of this lruvec go to @lists or to the classic lists
 *
 * A folio stores slot and tier, plus one so that zero means "on no list".
 *
 * Everything but @nr_marked, @nr_freed and @nr_returned is written under lruvec->lru_lock.
 * Sizes and numbers may be read without it, by readers that can live with a value of a moment
 * ago.
 */
struct lru_gen_window {
	unsigned long max_seq;
	unsigned long birth[MAX_NR_GENS];
	unsigned long youngest[MAX_NR_GENS];
	struct lru_gen_policy policy;
	struct list_head lists[MAX_NR_GENS][MAX_NR_TIERS][LRU_GEN_NR_TYPES];
	long nr_pages[LRU_GEN_NR_TYPES][MAX_NR_ZONES];
	unsigned long nr_next[LRU_GEN_NR_TYPES];
	unsigned long nr_total;
	unsigned long nr_vain;
	unsigned long nr_spared;
	long nr_owed;
	unsigned long found;
	atomic_long_t nr_marked[LRU_GEN_NR_TYPES];
	atomic_long_t nr_freed[MAX_NR_TIERS];
	atomic_long_t nr_returned;
	u32 last_away;
	u8 last_tier;
	struct lru_gen_stats stats;
	bool all_mapped;
	bool enabled;
};

#else

struct lru_gen_window { };

#endif /* CONFIG_LRU_GEN */
#endif /* !__GENERATING_BOUNDS_H */
#endif /* _LINUX_LRU_GEN_TYPES_H */
