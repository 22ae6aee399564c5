/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy of the multi-gen LRU: which list gives, who is kept, what is known.
 *
 * No locks, no folios, no clock but pages coming in. The kernel and the simulator in
 * tools/testing/lru_gen/sim build policy.c and ages.c alike.
 */
#ifndef _MM_LRU_GEN_POLICY_H
#define _MM_LRU_GEN_POLICY_H

#include "ablation.h"
#include "ages.h"

/**
 * struct lru_gen_may - lists that may give
 * @tiers: [type] a bit for each tier
 * @met: [type][tier] pages at the old end that have been met and can't be given
 */
struct lru_gen_may {
	unsigned int tiers[LRU_GEN_NR_TYPES];
	unsigned long met[LRU_GEN_NR_TYPES][MAX_NR_TIERS];
};

/**
 * lru_gen_tier_above() - the tier of a page that was used once more
 * @tier: the tier it had
 *
 * Each use is a step. From NEW it leads to OLD and no further: a use so soon after the one
 * that brought the page in belongs to it, as often as not. 2Q's correlated references.
 *
 * Return: the tier.
 */
static inline unsigned int lru_gen_tier_above(unsigned int tier)
{
	return tier < LRU_GEN_TOP ? tier + 1 : LRU_GEN_TOP;
}

void lru_gen_policy_init(struct lru_gen_policy *p);
void lru_gen_policy_ask(struct lru_gen_policy *p, int swappiness, unsigned long nr_pages);

unsigned long lru_gen_batch(const struct lru_gen_policy *p);
unsigned long lru_gen_new_share(const struct lru_gen_policy *p);
unsigned long lru_gen_patience(const struct lru_gen_policy *p);
bool lru_gen_choose(const struct lru_gen_policy *p, const struct lru_gen_may *may,
		    struct lru_gen_place *at);
bool lru_gen_admits(const struct lru_gen_policy *p, const struct lru_gen_place *to,
		    u32 interval);

u64 lru_gen_rate(const struct lru_gen_policy *p, const struct lru_gen_place *at, u32 age);
u64 lru_gen_expected(const struct lru_gen_policy *p, const struct lru_gen_place *at);
void lru_gen_note_gone(struct lru_gen_policy *p, const struct lru_gen_place *at, u64 expected,
		       unsigned long nr);
bool lru_gen_is_soon(const struct lru_gen_policy *p, u32 away);
void lru_gen_note_soon(struct lru_gen_policy *p, const struct lru_gen_place *from,
		       unsigned long nr);
u32 lru_gen_between_uses(const struct lru_gen_policy *p, const struct lru_gen_place *from,
			 u32 away);
void lru_gen_note_used(struct lru_gen_policy *p, const struct lru_gen_place *at,
		       unsigned long nr);
void lru_gen_expect_uses(struct lru_gen_policy *p);
bool lru_gen_interval_over(const struct lru_gen_policy *p);
void lru_gen_end_interval(struct lru_gen_policy *p);

#endif /* _MM_LRU_GEN_POLICY_H */
