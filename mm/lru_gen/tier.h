/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy of the multi-gen LRU: arithmetic over counts, and nothing else.
 *
 * No locks, no lists, no folios: tools/testing/lru_gen/sim builds tier.c as it
 * stands, so that what is simulated is what runs.
 */
#ifndef _MM_LRU_GEN_TIER_H
#define _MM_LRU_GEN_TIER_H

#include <linux/mmzone.h>

/**
 * struct lru_gen_choice - two lists, one of which is evicted from
 * @nr: [type] pages in the class; a type that has none, or that must not be
 *	evicted, is not chosen
 * @age: [type] pages evicted since the next folio to go came to the list
 * @nr_pages: evictable pages of the lruvec
 * @clock: eviction clock, in pages
 * @swappiness: 1..199, relative cost of swapping against dropping file cache; at
 *	0 and at 200 one type is not in @nr to begin with
 */
struct lru_gen_choice {
	unsigned long nr[LRU_GEN_NR_TYPES];
	unsigned long age[LRU_GEN_NR_TYPES];
	unsigned long nr_pages;
	unsigned long clock;
	int swappiness;
};

/**
 * struct lru_gen_seen - use of resident pages in the interval a walk closes
 * @nr: pages of each class when the walk began
 * @fresh: of those, pages found used that had nothing but their fault to show
 *	for it: too new to be judged
 * @young: of those, pages found used otherwise: by the walk, in the class they
 *	were in before it, or by read() for the first time in this interval
 */
struct lru_gen_seen {
	unsigned long nr[LRU_GEN_NR_CLASSES];
	unsigned long fresh[LRU_GEN_NR_CLASSES];
	unsigned long young[LRU_GEN_NR_CLASSES];
};

void lru_gen_span_enter(struct lru_gen_span *span, unsigned long now, bool was_empty);
void lru_gen_span_drain(struct lru_gen_span *span, unsigned long nr, unsigned long nr_before);
void lru_gen_span_fold(struct lru_gen_span *to, const struct lru_gen_span *from,
		       bool was_empty);

unsigned int lru_gen_victim_class(const struct lru_gen_feedback *fb,
				  const unsigned long nr[LRU_GEN_NR_CLASSES]);
enum lru_gen_type lru_gen_victim_type(const struct lru_gen_choice *c);

unsigned int lru_gen_refault_class(unsigned long max_seq, unsigned long seq);
bool lru_gen_refault_is_near(const struct lru_gen_feedback *fb, unsigned long distance);

void lru_gen_note_evicted(struct lru_gen_feedback *fb, unsigned long nr);
void lru_gen_note_near(struct lru_gen_feedback *fb, unsigned long nr);
bool lru_gen_walk_due(const struct lru_gen_feedback *fb, unsigned long nr_pages);
void lru_gen_note_walk(struct lru_gen_feedback *fb, const struct lru_gen_seen *seen);
bool lru_gen_decay_due(struct lru_gen_feedback *fb);

#endif /* _MM_LRU_GEN_TIER_H */
