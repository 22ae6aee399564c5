/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy of the multi-gen LRU: arithmetic over counts, and nothing else.
 *
 * No locks, no lists, no folios: tools/testing/lru_gen/sim builds tier.c,
 * swapped.c, balance.c and choose.c as they stand. What surrounds them is modelled there.
 */
#ifndef _MM_LRU_GEN_TIER_H
#define _MM_LRU_GEN_TIER_H

#include <linux/mmzone.h>

#include "ablation.h"

/* A list with less than this part of all pages is too small to measure. */
#define LRU_GEN_MEASURED_PART	2048

/* Evictions between walks, as a part of all pages. */
#define LRU_GEN_WALK_PART	8

/* Shares are counted in units of 1 / LRU_GEN_SHARE. */
#define LRU_GEN_SHARE		1024U

/* Pages that have to be freed for each that is spared, in the long run. */
#define LRU_GEN_PATIENCE	2

/**
 * struct lru_gen_choice - two lists, one of which is evicted from
 * @nr: [type] pages in the class; a type that has none, or that must not be
 *	evicted, is not chosen
 * @age: [type] pages evicted since the next folio to go was used, as estimated by
 *	lru_gen_idle_age()
 * @nr_pages: evictable pages of the lruvec
 * @clock: eviction clock, in pages
 * @swappiness: 1..199, relative cost of swapping against dropping file cache
 */
struct lru_gen_choice {
	unsigned long nr[LRU_GEN_NR_TYPES];
	unsigned long age[LRU_GEN_NR_TYPES];
	unsigned long nr_pages;
	unsigned long clock;
	int swappiness;
};

/**
 * struct lru_gen_lists - all lists, one of which is evicted from
 * @nr: [type][class] pages that may go
 * @age: [type][class] pages evicted since the next folio to go came to its list
 * @nr_pages: evictable pages of the lruvec
 * @swappiness: as in struct lru_gen_choice
 */
struct lru_gen_lists {
	unsigned long nr[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
	unsigned long age[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
	unsigned long nr_pages;
	int swappiness;
};

/**
 * struct lru_gen_victim - a list to evict from
 * @type: its type
 * @class: its class
 * @preferred: whether it is for what was measured, and not its turn
 */
struct lru_gen_victim {
	enum lru_gen_type type;
	unsigned int class;
	bool preferred;
};

/**
 * struct lru_gen_seen - use of resident pages in the interval a walk closes
 * @nr: [type][class] pages when the walk began
 * @fresh: of those, pages found used that had nothing but their fault to show
 *	for it: too new to be judged
 * @young: of those, pages found used otherwise: by the walk, in the class they
 *	were in before it, or by read() for the first time in this interval
 */
struct lru_gen_seen {
	unsigned long nr[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
	unsigned long fresh[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
	unsigned long young[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES];
};

/* Pages of all classes. */
static inline unsigned long lru_gen_sum(const unsigned long nr[LRU_GEN_NR_CLASSES])
{
	unsigned long total = 0;
	unsigned int class;

	for (class = 0; class < LRU_GEN_NR_CLASSES; class++)
		total += nr[class];
	return total;
}

/* choose.c */
void lru_gen_span_enter(struct lru_gen_span *span, unsigned long now, bool was_empty);
void lru_gen_span_drain(struct lru_gen_span *span, unsigned long nr, unsigned long nr_before);
void lru_gen_span_fold(struct lru_gen_span *to, const struct lru_gen_span *from,
		       bool was_empty);

unsigned int lru_gen_victim_class(const struct lru_gen_feedback *fb,
				  const unsigned long nr[LRU_GEN_NR_CLASSES],
				  unsigned long age);
unsigned long lru_gen_nr_unasked(struct lru_gen_feedback *fb, enum lru_gen_type type,
				 unsigned long nr_pages);
unsigned long lru_gen_idle_age(const struct lru_gen_feedback *fb, enum lru_gen_type type,
			       unsigned long age);
enum lru_gen_type lru_gen_victim_type(const struct lru_gen_choice *c);
unsigned int lru_gen_victim_zone(const unsigned long nr[MAX_NR_ZONES], unsigned long turn);
void lru_gen_prefer_idle(const struct lru_gen_feedback *fb,
			 const unsigned long nr[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES],
			 int swappiness, struct lru_gen_victim *v);
void lru_gen_choose_victim(const struct lru_gen_feedback *fb, const struct lru_gen_lists *l,
			   struct lru_gen_victim *v);

/* tier.c */
unsigned int lru_gen_refault_class(unsigned long max_seq, unsigned long seq);
bool lru_gen_refault_is_near(const struct lru_gen_feedback *fb, unsigned long distance);

void lru_gen_note_evicted(struct lru_gen_feedback *fb, unsigned long nr);
void lru_gen_note_looked(struct lru_gen_feedback *fb, const struct lru_gen_victim *v,
			 unsigned int nr_looked, unsigned int nr_found);
void lru_gen_note_yield(struct lru_gen_feedback *fb, const struct lru_gen_victim *v,
			unsigned long nr_scanned, unsigned long nr_reclaimed);
void lru_gen_note_spared(struct lru_gen_feedback *fb, const struct lru_gen_victim *v,
			 unsigned int nr_spared, unsigned int nr_freed);
void lru_gen_note_near(struct lru_gen_feedback *fb, unsigned long nr);
bool lru_gen_walk_due(const struct lru_gen_feedback *fb, unsigned long nr_pages);
void lru_gen_note_walk(struct lru_gen_feedback *fb, const struct lru_gen_seen *seen);
bool lru_gen_decay_due(struct lru_gen_feedback *fb);
void lru_gen_note_open(struct lru_gen_feedback *fb);

/* swapped.c */
unsigned int lru_gen_time_away(unsigned long distance, unsigned long nr_pages);
void lru_gen_note_returned(struct lru_gen_feedback *fb, unsigned long nr, unsigned long away);
void lru_gen_note_swapped(struct lru_gen_feedback *fb, unsigned long nr,
			  unsigned long nr_pages);
void lru_gen_forget_swapped(struct lru_gen_feedback *fb);
unsigned int lru_gen_share_returned(const struct lru_gen_feedback *fb,
				    unsigned long nr_pages);

/* balance.c */
bool lru_gen_is_soon(unsigned long distance, unsigned long nr_pages);
void lru_gen_note_soon(struct lru_gen_feedback *fb, enum lru_gen_type type, unsigned long nr);
void lru_gen_note_gone(struct lru_gen_feedback *fb, enum lru_gen_type type, unsigned long nr);
void lru_gen_correct(struct lru_gen_feedback *fb, int swappiness, unsigned long nr_pages);
unsigned long lru_gen_age_taken(const struct lru_gen_feedback *fb, unsigned long age);
unsigned int lru_gen_lowest_class(const unsigned long nr[LRU_GEN_NR_CLASSES],
				  unsigned long nr_pages);
bool lru_gen_file_goes_first(const struct lru_gen_feedback *fb, const struct lru_gen_choice *c,
			     unsigned int nr_classes);

#endif /* _MM_LRU_GEN_TIER_H */
