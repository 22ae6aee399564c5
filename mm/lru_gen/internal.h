/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the multi-generational LRU know of each other.
 *
 * Rooms, from the top: switch.c, sysfs.c, debugfs.c with command.c, and cgroupfs.c
 * (operator), evict.c and victim.c (which folios go), age.c (when use is looked for,
 * and when it is forgotten), request.c (what a request may evict), walk.c and
 * lookaround.c (which folios are used), mm_list.c and filter.c (where to look),
 * shadow.c (what is known of evicted ones), use.c (what users tell), window.c (where
 * folios stand) with place.c (where they enter) and slide.c (which generations there
 * are), policy.c with ages.c (who goes), measure.c (how many), lruvecs.c (all of them),
 * account.c and stats.c (what is counted). A file may use those below it, none above.
 *
 * Locks, as the fields below name them:
 *
 *  M  lock of a list of mms, lru_gen_mm_list.lock, inside task_lock()
 *  L  lruvec->lru_lock, taken with interrupts off
 *  S  switch_mutex, inside cgroup_mutex, cpu_hotplug_lock and mem_hotplug_lock
 *  P  private to the thread that reclaims
 *  R  written by sysfs, read at any time
 */
#ifndef _MM_LRU_GEN_INTERNAL_H
#define _MM_LRU_GEN_INTERNAL_H

#include <linux/cgroup.h>
#include <linux/jiffies.h>
#include <linux/lru_gen.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mm_inline.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../reclaim.h"
#include "policy.h"

/* Generation slots times tiers: what a folio on a list can say of it. */
#define LRU_GEN_NR_PLACES	(MAX_NR_GENS * MAX_NR_TIERS)

/* Folios looked at with lru_lock held once, in batches of SWAP_CLUSTER_MAX. */
#define LRU_GEN_LOCK_BATCHES	4

/*
 * Pages that a merger may move for each that a batch may take. *Derived*: half of all pages
 * come in within an interval, and the smaller of two generations has less than that, so
 * that one would do; it is finished at the end of the interval whatever is left.
 */
#define LRU_GEN_MERGE_RATE	4

/**
 * struct lru_gen_moved - folios moved with lru_lock held once
 * @shown: [list as users know it][zone] pages it has gained, to be shown once for all
 */
struct lru_gen_moved {
	long shown[NR_LRU_LISTS][MAX_NR_ZONES];
};

/**
 * struct lru_gen_evict - one visit of reclaim to one lruvec
 * @lruvec: the lruvec
 * @memcg: its memcg, NULL when memcgs are disabled
 * @sc: the request this visit serves
 * @may_evict: [type] whether folios of this type may go
 * @blind: whether what is mapped stays as long as there are other files
 * @may_age: [type] whether folios of this type can go at all, whatever the request
 * @swappiness: 1..199, relative cost of swapping against dropping file cache
 * @nr_goal: pages the request will have reclaimed when this visit is over
 * @nr_budget: pages this visit may look at
 * @swap_waives: pages @nr_goal becomes less by for one that was swapped out
 * @last_seq: youngest generation that may be taken from
 * @most_rate: what is used at a higher rate stays
 * @asks: whether no page goes unasked, however many were found in use
 * @nr_unqueued: dirty pages met since flushers were last woken, that nobody writes
 * @nr_freed: pages freed since then
 * @nr_vain: [type][tier] pages this visit has met since one of them was freed
 * @nr_met: [type][tier] pages this visit has met and left where they are, not for it
 * @type: type of the batch in hand
 * @at: the list it is taken from
 * @seq: generation of that list
 * @expected: how many of its pages the law expects to be used soon
 * @age: for how long they have been idle
 * @rate: at which rate they are used, by jiffies; 0 if they were reclaimed already, but
 *	for writeback
 * @rate_taken: the same of the pages that were taken last
 * @nr_want: pages this batch may take
 * @nr_scanned: pages this batch has looked at
 * @nr_taken: pages of @taken
 * @nr_sorted: pages found in use and moved up
 * @nr_skipped: pages that could not be taken and stay
 * @nr_foreign: pages that are not for this request, because of their zone or as they are
 *	mapped
 * @nr_found: pages found in use, by rmap or by their marks
 * @taken: folios isolated, to be looked at once more through rmap
 * @unseen: folios isolated that go whether their accessed bits are set or not
 * @moved: what lru_lock was held for, to be shown before it is released
 *
 * All fields are P. The ones from @type on are set anew for each batch.
 */
struct lru_gen_evict {
	struct lruvec *lruvec;
	struct mem_cgroup *memcg;
	struct scan_control *sc;
	bool may_evict[LRU_GEN_NR_TYPES];
	bool blind;
	bool may_age[LRU_GEN_NR_TYPES];
	int swappiness;
	unsigned long nr_goal;
	unsigned long nr_budget;
	unsigned int swap_waives;
	unsigned long last_seq;
	u64 most_rate;
	bool asks;
	unsigned long nr_unqueued;
	unsigned long nr_freed;
	unsigned long nr_vain[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
	unsigned long nr_met[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
	enum lru_gen_type type;
	struct lru_gen_place at;
	unsigned long seq;
	u64 expected;
	u32 age;
	u64 rate;
	u64 rate_taken;
	unsigned long nr_want;
	unsigned long nr_scanned;
	unsigned long nr_taken;
	unsigned long nr_sorted;
	unsigned long nr_skipped;
	unsigned long nr_foreign;
	unsigned long nr_found;
	struct list_head taken;
	struct list_head unseen;
	struct lru_gen_moved moved;
};

/**
 * struct lru_gen_verdict - what is made of a refault
 * @tier: the tier it is put into
 * @near: whether it was evicted only a short time ago
 * @workingset: whether it had been used more than once
 */
struct lru_gen_verdict {
	unsigned int tier;
	bool near;
	bool workingset;
};

/**
 * struct lru_gen_walk_result - what a walk of page tables found
 * @nr: by enum lru_gen_walk_item
 * @nr_mms: address spaces walked
 * @nr_skipped: times that one could not be locked
 */
struct lru_gen_walk_result {
	unsigned long nr[LRU_GEN_NR_WALK_ITEMS];
	unsigned long nr_mms;
	unsigned long nr_skipped;
};

/**
 * struct lru_gen_tally - what eviction did to a tier of a generation
 * @refaulted: pages that came back
 * @evicted: pages that went
 * @protected: pages moved up instead
 */
struct lru_gen_tally {
	unsigned long refaulted;
	unsigned long evicted;
	unsigned long protected;
};

/* The oldest generation. */
static inline unsigned long lru_gen_min_seq(const struct lru_gen_window *w)
{
	return READ_ONCE(w->max_seq) - READ_ONCE(w->policy.ages.nr_gens) + 1;
}

/* The slot of generation @seq, or of the one that is nearest to it. */
static inline unsigned int lru_gen_slot(const struct lru_gen_window *w, unsigned long seq)
{
	unsigned long last = READ_ONCE(w->policy.ages.nr_gens) - 1UL;

	return READ_ONCE(w->policy.ages.order[min(READ_ONCE(w->max_seq) - seq, last)]);
}

/* The generation in a slot. Holds lru_lock. */
static inline unsigned long lru_gen_seq_at(const struct lru_gen_window *w, unsigned int slot)
{
	return w->max_seq - lru_gen_index_of(&w->policy.ages, slot);
}

/* How long ago generation @seq was opened, in milliseconds. */
static inline unsigned int lru_gen_age_ms(const struct lru_gen_window *w,
					  unsigned long seq)
{
	return jiffies_to_msecs(jiffies - READ_ONCE(w->birth[lru_gen_slot(w, seq)]));
}

/* Whether generation @seq has counts of its own in struct lru_gen_stats. */
static inline bool lru_gen_has_history(const struct lru_gen_window *w, unsigned long seq)
{
	return LRU_GEN_NR_HISTORY > 1 || seq == lru_gen_min_seq(w);
}

static inline struct lru_gen_history *
lru_gen_history_of(struct lru_gen_window *w, unsigned long seq)
{
	return &w->stats.history[seq % LRU_GEN_NR_HISTORY];
}

/* As cgroup_path(); the path is empty where memcgs are disabled. */
#ifdef CONFIG_MEMCG
static inline int lru_gen_memcg_path(struct mem_cgroup *memcg, char *buf,
				     size_t size)
{
	return memcg ? cgroup_path(memcg->css.cgroup, buf, size) : 0;
}

/* Whether memcgs are of version 1. */
static inline bool lru_gen_memcg_v1(void)
{
	return !cgroup_subsys_on_dfl(memory_cgrp_subsys);
}
#else
static inline int lru_gen_memcg_path(struct mem_cgroup *memcg, char *buf,
				     size_t size)
{
	return 0;
}

static inline bool lru_gen_memcg_v1(void)
{
	return false;
}
#endif

/* Let others have lru_lock for a moment. */
static inline void lru_gen_relax(struct lruvec *lruvec)
{
	lockdep_assert_held(&lruvec->lru_lock);
	spin_unlock_irq(&lruvec->lru_lock);
	cond_resched();
	spin_lock_irq(&lruvec->lru_lock);
}

static inline enum lru_gen_type lru_gen_folio_type(const struct folio *folio)
{
	return folio_is_file_lru((struct folio *)folio) ? LRU_GEN_FILE : LRU_GEN_ANON;
}

/* Whether @folio is on a list of generations. */
static inline bool lru_gen_on_list(const struct folio *folio)
{
	return READ_ONCE(folio->flags) & LRU_GEN_MASK;
}

/* The list that @folio is on. Without lru_lock, it may be out of date by now. */
static inline struct lru_gen_place lru_gen_place_of(const struct folio *folio)
{
	unsigned long shifted = READ_ONCE(folio->flags) >> LRU_GEN_PGOFF;
	unsigned int n = shifted % BIT(LRU_GEN_WIDTH);

	n = n ? n - 1 : 0;
	return (struct lru_gen_place){
		.gen = n / MAX_NR_TIERS,
		.tier = n % MAX_NR_TIERS,
		.type = lru_gen_folio_type(folio),
	};
}

static inline struct list_head *lru_gen_list(struct lru_gen_window *w,
					     const struct lru_gen_place *at)
{
	return &w->lists[at->gen][at->tier][at->type];
}

/* What the use bits say: see window.c for off the lists; a mark of use on them. */
static inline unsigned int lru_gen_folio_refs(const struct folio *folio)
{
	unsigned long shifted = READ_ONCE(folio->flags) >> LRU_REFS_PGOFF;

	return shifted % BIT(LRU_REFS_WIDTH);
}

/*
 * Where use bits are too few for a tier, PG_workingset tells what is kept from the rest, as
 * it does once the folio has gone and come back.
 */
#if LRU_REFS_WIDTH >= 2
#define LRU_GEN_TIER_MASK	LRU_REFS_MASK
#else
#define LRU_GEN_TIER_MASK	(LRU_REFS_MASK | BIT(PG_workingset))
#endif

/* The tier that @folio was in when lru_gen_take_folio() took it. */
static inline unsigned int lru_gen_tier_left(const struct folio *folio)
{
	unsigned int refs = lru_gen_folio_refs(folio);

	if (LRU_REFS_WIDTH >= 2)
		return refs;
	return folio_test_workingset((struct folio *)folio) ? LRU_GEN_KEPT + refs : refs;
}

/*
 * The mark of uses in the interval that @nr_walks others came before, of what @width bits
 * can hold: intervals that follow each other differ if there are two marks or more.
 */
static inline unsigned int lru_gen_use_mark(unsigned long nr_walks, unsigned int width)
{
	unsigned int nr_marks = BIT(width) - 1;

	return nr_marks ? 1 + nr_walks % nr_marks : 0;
}

/* window.c */
void lru_gen_spare_folio(struct lruvec *lruvec, struct folio *folio, unsigned int tier,
			 struct lru_gen_moved *moved);
void lru_gen_take_folio(struct lruvec *lruvec, struct folio *folio,
			struct lru_gen_moved *moved);
void lru_gen_return_folio(struct folio *folio, unsigned int tier, unsigned int index,
			  unsigned int nr_gens);
void lru_gen_use_folios(struct lruvec *lruvec, struct folio **folios, unsigned int nr);
void lru_gen_place_folio(struct folio *folio, unsigned int tier);
void lru_gen_set_refs(struct folio *folio, unsigned int refs);
void lru_gen_age_folio(struct lruvec *lruvec, struct folio *folio);
void lru_gen_merge_folio(struct lru_gen_window *w, struct folio *folio,
			 const struct lru_gen_place *from);

/* place.c */
bool lru_gen_state_of(unsigned int tier, unsigned int index, unsigned int nr_gens,
		      unsigned int *refs);
void lru_gen_entry_place(const struct lru_gen_window *w, const struct folio *folio,
			 enum lru_gen_entry entry, struct lru_gen_place *at);
unsigned int lru_gen_tier_for_use(const struct lru_gen_evict *e);
void lru_gen_send_back(struct lru_gen_evict *e, struct folio *folio);

/* slide.c */
bool lru_gen_open(struct lruvec *lruvec);
void lru_gen_close(struct lruvec *lruvec);
bool lru_gen_merge(struct lruvec *lruvec, unsigned long most);
bool lru_gen_trim_new(struct lruvec *lruvec, unsigned long goal);

/* measure.c */
enum lru_list lru_gen_list_shown(const struct lru_gen_place *at);
unsigned long lru_gen_size(const struct lru_gen_window *w,
			   enum lru_gen_type type, unsigned long seq);
unsigned long lru_gen_total(const struct lru_gen_window *w,
			    enum lru_gen_type type, enum zone_type highest);
bool lru_gen_window_valid(const struct lruvec *lruvec);

/* stats.c */
void lru_gen_count_refaulted(struct lruvec *lruvec, enum lru_gen_type type,
			     unsigned int tier, unsigned int nr);
void lru_gen_count_evicted(struct lruvec *lruvec, enum lru_gen_type type,
			   unsigned int tier, unsigned int nr);
void lru_gen_count_protected(struct lruvec *lruvec, enum lru_gen_type type,
			     unsigned int tier, unsigned int nr);
void lru_gen_count_walk(struct lruvec *lruvec, const unsigned long *nr);
void lru_gen_stats_carry(struct lruvec *lruvec, unsigned long seq);
void lru_gen_stats_open(struct lruvec *lruvec, unsigned long seq);
struct lru_gen_tally lru_gen_read_tally(struct lru_gen_window *w,
					enum lru_gen_type type, unsigned int tier,
					unsigned long seq);

/* lruvecs.c */
bool lru_gen_any_lruvec(bool (*fn)(struct lruvec *lruvec, void *arg),
			int nid, void *arg);

/* account.c */
void lru_gen_account_size(struct lruvec *lruvec, enum lru_list lru,
			  enum zone_type zone, long nr);
void lru_gen_account_moved(struct lruvec *lruvec, const struct lru_gen_moved *moved);
void lru_gen_account_scan(const struct lru_gen_evict *e);
void lru_gen_account_steal(const struct lru_gen_evict *e,
			   struct reclaim_stat *stat, unsigned long nr_reclaimed);
void lru_gen_account_open(struct lruvec *lruvec);
void lru_gen_account_refault(struct folio *folio, const struct lru_gen_verdict *v);
void lru_gen_account_walk(struct lruvec *lruvec, const struct lru_gen_walk_result *r,
			  bool complete);
void lru_gen_account_switch(bool on, unsigned long nr_pages,
			    unsigned long start);

/* victim.c */
bool lru_gen_is_blind(const struct lruvec *lruvec);
bool lru_gen_found_in_use(const struct lru_gen_window *w);
bool lru_gen_choose_list(struct lru_gen_evict *e);

/* request.c */
void lru_gen_set_request(struct lru_gen_evict *e, int swappiness);

/* age.c */
extern unsigned long lru_gen_min_ttl;
bool lru_gen_too_young(const struct lru_gen_window *w, unsigned int slot);
void lru_gen_inform(const struct lru_gen_evict *e);
void lru_gen_age(struct lru_gen_evict *e);

/* switch.c */
extern unsigned int lru_gen_caps;
void lru_gen_switch(bool on);

#endif /* _MM_LRU_GEN_INTERNAL_H */
