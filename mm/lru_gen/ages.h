/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists by generation, tier and type, without their folios: what is known of ages.
 */
#ifndef _MM_LRU_GEN_AGES_H
#define _MM_LRU_GEN_AGES_H

#include <linux/mmzone.h>

/**
 * struct lru_gen_place - a list
 * @gen: slot of its generation
 * @tier: how often its folios were used, enum lru_gen_tier
 * @type: anon or file
 */
struct lru_gen_place {
	unsigned int gen;
	unsigned int tier;
	unsigned int type;
};

void lru_gen_heap_add(struct lru_gen_ages *a, const struct lru_gen_place *at, u32 used,
		      unsigned int nr);
void lru_gen_heap_add_tail(struct lru_gen_ages *a, const struct lru_gen_place *at,
			   unsigned int nr);
void lru_gen_heap_del(struct lru_gen_ages *a, const struct lru_gen_place *at,
		      unsigned int nr);
void lru_gen_heap_merge(struct lru_gen_ages *a, const struct lru_gen_place *from,
			unsigned int nr);
bool lru_gen_tail_beyond(const struct lru_gen_ages *a, struct lru_gen_place *at,
			 unsigned long met);
bool lru_gen_tail(const struct lru_gen_ages *a, struct lru_gen_place *at);
u32 lru_gen_tail_age(const struct lru_gen_ages *a, const struct lru_gen_place *at);

u32 lru_gen_mean_age(const struct lru_gen_ages *a, const struct lru_gen_heap *h);
u32 lru_gen_mean_age_of(const struct lru_gen_ages *a, unsigned int tier, unsigned int type);
unsigned long lru_gen_nr_of(const struct lru_gen_ages *a, unsigned int tier);
u32 lru_gen_last_use_in(const struct lru_gen_ages *a, unsigned int index);
unsigned int lru_gen_index_of(const struct lru_gen_ages *a, unsigned int gen);

bool lru_gen_merge_start(struct lru_gen_ages *a);
void lru_gen_merge_end(struct lru_gen_ages *a);
void lru_gen_ages_open(struct lru_gen_ages *a);
bool lru_gen_ages_close(struct lru_gen_ages *a);

#endif /* _MM_LRU_GEN_AGES_H */
