/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the multi-generational LRU know of each other.
 *
 * Rooms, from the top: switch.c and sysfs.c (operator), evict.c (which folios
 * go), age.c (when a generation is opened), window.c (where folios stand),
 * measure.c (how many), lruvecs.c (all of them), account.c (what is counted).
 * A file may use those below it, none above.
 *
 * Locks, as the fields below name them:
 *
 *  L  lruvec->lru_lock, taken with interrupts off
 *  S  switch_mutex, inside cgroup_mutex, cpu_hotplug_lock and mem_hotplug_lock
 *  P  private to the thread that reclaims
 *  R  written by sysfs, read at any time
 */
#ifndef _MM_LRU_GEN_INTERNAL_H
#define _MM_LRU_GEN_INTERNAL_H

#include <linux/lru_gen.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mm_inline.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../reclaim.h"

#define LRU_GEN_NR_LISTS	(MAX_NR_GENS * LRU_GEN_NR_TYPES * MAX_NR_ZONES)

/* Folios looked at with lru_lock held once, in batches of SWAP_CLUSTER_MAX. */
#define LRU_GEN_LOCK_BATCHES	4

/**
 * struct lru_gen_evict - one visit of reclaim to one lruvec
 * @lruvec: the lruvec
 * @memcg: its memcg, NULL when memcgs are disabled
 * @sc: the request this visit serves
 * @may_evict: [type] whether folios of this type may go
 * @swappiness: 0..200, relative cost of swapping against dropping file cache
 * @nr_before: pages the request had reclaimed before this visit
 * @nr_budget: pages this visit may look at
 * @nr_opened: generations this visit has opened
 * @type: type of the batch in hand
 * @nr_want: pages this batch may take
 * @nr_scanned: pages this batch has looked at
 * @nr_taken: pages of @taken
 * @nr_sorted: pages found in use and moved up
 * @nr_skipped: pages that could not be taken and stay
 * @taken: folios isolated for shrink_folio_list()
 *
 * All fields are P. The ones from @type on are set anew for each batch.
 */
struct lru_gen_evict {
	struct lruvec *lruvec;
	struct mem_cgroup *memcg;
	struct scan_control *sc;
	bool may_evict[LRU_GEN_NR_TYPES];
	int swappiness;
	unsigned long nr_before;
	unsigned long nr_budget;
	unsigned int nr_opened;
	enum lru_gen_type type;
	unsigned long nr_want;
	unsigned long nr_scanned;
	unsigned long nr_taken;
	unsigned long nr_sorted;
	unsigned long nr_skipped;
	struct list_head taken;
};

static inline unsigned int lru_gen_index(unsigned long seq)
{
	return seq % MAX_NR_GENS;
}

static inline unsigned long lru_gen_width(const struct lru_gen_window *w,
					  enum lru_gen_type type)
{
	return READ_ONCE(w->max_seq) - READ_ONCE(w->min_seq[type]) + 1;
}

/* Whether eviction may take from generation @seq. */
static inline bool lru_gen_is_old(const struct lru_gen_window *w,
				  unsigned long seq)
{
	return seq + MIN_NR_GENS <= READ_ONCE(w->max_seq);
}

/* Let others have lru_lock for a moment. */
static inline void lru_gen_relax(struct lruvec *lruvec)
{
	lockdep_assert_held(&lruvec->lru_lock);
	spin_unlock_irq(&lruvec->lru_lock);
	cond_resched();
	spin_lock_irq(&lruvec->lru_lock);
}

/* Index of the list @folio is on, or -1. */
static inline int lru_gen_folio_index(const struct folio *folio)
{
	unsigned long shifted = READ_ONCE(folio->flags) >> LRU_GEN_PGOFF;

	return (int)(shifted % BIT(LRU_GEN_WIDTH)) - 1;
}

/* Uses through file descriptors after the first one, up to a maximum. */
static inline unsigned int lru_gen_folio_refs(const struct folio *folio)
{
	unsigned long shifted = READ_ONCE(folio->flags) >> LRU_REFS_PGOFF;

	return shifted % BIT(LRU_REFS_WIDTH);
}

/* window.c */
void lru_gen_promote_folio(struct lruvec *lruvec, struct folio *folio);
void lru_gen_take_folio(struct lruvec *lruvec, struct folio *folio);
bool lru_gen_open(struct lruvec *lruvec);
void lru_gen_close(struct lruvec *lruvec, enum lru_gen_type type);
bool lru_gen_fold(struct lruvec *lruvec, enum lru_gen_type type, int nr);

/* measure.c */
unsigned long lru_gen_size(const struct lru_gen_window *w,
			   enum lru_gen_type type, unsigned long seq,
			   enum zone_type highest);
unsigned long lru_gen_total(const struct lru_gen_window *w,
			    enum lru_gen_type type, enum zone_type highest);
unsigned long lru_gen_nr_evictable(const struct lru_gen_evict *e);
unsigned long lru_gen_oldest(const struct lru_gen_window *w,
			     enum lru_gen_type type, enum zone_type highest);
bool lru_gen_window_valid(const struct lruvec *lruvec);

/* lruvecs.c */
bool lru_gen_any_lruvec(bool (*fn)(struct lruvec *lruvec, void *arg),
			int nid, void *arg);

/* account.c */
void lru_gen_account_size(struct lruvec *lruvec, enum lru_list lru,
			  enum zone_type zone, long nr);
void lru_gen_account_scan(const struct lru_gen_evict *e);
void lru_gen_account_steal(const struct lru_gen_evict *e,
			   struct reclaim_stat *stat, unsigned long nr_reclaimed);
void lru_gen_account_open(struct lruvec *lruvec);
void lru_gen_account_switch(bool on, unsigned long nr_pages,
			    unsigned long start);

/* age.c */
extern unsigned long lru_gen_min_ttl;
bool lru_gen_too_young(const struct lru_gen_window *w, unsigned long seq);
bool lru_gen_age(struct lru_gen_evict *e);

/* switch.c */
extern unsigned int lru_gen_caps;
void lru_gen_switch(bool on);

#endif /* _MM_LRU_GEN_INTERNAL_H */
