// SPDX-License-Identifier: GPL-2.0
/*
 * Where a folio enters.
 */
#include <linux/minmax.h>
#include <linux/mm.h>

#include "internal.h"

/**
 * DOC: place
 *
 * Off the lists, a folio has no generation. PG_active and its use bits tell the tier it
 * has left, and about how old it was, so that compaction, migration and a refused eviction
 * make none young::
 *
 *   PG_active  use bits  enters
 *       0         0      NEW, youngest generation: it has just come in
 *       0       1, 2, 3  OLD, in the oldest generation, in the middle, in the youngest
 *       1       0, 1     KEPT, in the youngest generation, in the middle
 *       1       2, 3     TOP, in the youngest generation, in the middle
 *
 * What somebody knows to be cold enters OLD in the oldest generation.
 */

/**
 * lru_gen_state_of() - the bits that tell off the lists where a folio stood
 * @tier: its tier
 * @index: how many generations were younger than its own
 * @nr_gens: how many generations there are
 * @refs: set to its use bits
 *
 * Return: whether it is PG_active.
 */
bool lru_gen_state_of(unsigned int tier, unsigned int index, unsigned int nr_gens,
		      unsigned int *refs)
{
	if (tier >= LRU_GEN_KEPT)
		*refs = 2 * (tier - LRU_GEN_KEPT) + !!index;
	else if (tier == LRU_GEN_NEW)
		*refs = 0;
	else if (!index)
		*refs = 3;
	else
		*refs = index == nr_gens - 1 ? 1 : 2;
	return tier >= LRU_GEN_KEPT;
}

/* Returns how many generations are to be younger than that of the folio. */
static unsigned int read_state(const struct folio *folio, unsigned int nr_gens,
			       unsigned int *tier)
{
	unsigned int refs = lru_gen_folio_refs(folio);

	if (folio_test_active(folio)) {
		*tier = LRU_GEN_KEPT + refs / 2;
		return refs % 2 ? nr_gens / 2 : 0;
	}
	*tier = refs ? LRU_GEN_OLD : LRU_GEN_NEW;
	if (!refs || refs == 3)
		return 0;
	/* One bit does not tell ages. */
	return refs == 2 || LRU_REFS_WIDTH < 2 ? nr_gens / 2 : nr_gens - 1;
}

/**
 * lru_gen_entry_place() - the list a folio enters
 * @w: window
 * @folio: folio on no list
 * @entry: why it is added
 * @at: set to the list
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_entry_place(const struct lru_gen_window *w, const struct folio *folio,
			 enum lru_gen_entry entry, struct lru_gen_place *at)
{
	const struct lru_gen_ages *a = &w->policy.ages;
	unsigned int index = a->nr_gens - 1;

	at->type = lru_gen_folio_type(folio);
	at->tier = LRU_GEN_OLD;
	if (entry == LRU_GEN_ENTER)
		index = read_state(folio, a->nr_gens, &at->tier);
	at->gen = a->order[index];
}

/**
 * lru_gen_tier_for_use() - the tier for a folio used while it was where the batch is from
 * @e: the visit
 *
 * Context: lruvec->lru_lock held.
 * Return: the tier.
 */
unsigned int lru_gen_tier_for_use(const struct lru_gen_evict *e)
{
	const struct lru_gen_policy *p = &e->lruvec->lrugen.policy;
	struct lru_gen_place to = {
		.tier = lru_gen_tier_above(e->at.tier),
		.type = e->at.type,
	};

	/* Off the lists, OLD can't be told from NEW without use bits. */
	if (!LRU_REFS_WIDTH && to.tier == LRU_GEN_OLD)
		to.tier = LRU_GEN_KEPT;
	if (e->at.tier == LRU_GEN_NEW && !lru_gen_admits(p, &to, e->age))
		return LRU_GEN_NEW;
	return to.tier;
}

/*
 * Where a folio goes that can't be freed now, for whatever reason but use: out of the way,
 * half as many generations from the youngest or less, or it would be met again and again.
 */
static unsigned int index_for_refused(const struct lru_gen_evict *e)
{
	const struct lru_gen_window *w = &e->lruvec->lrugen;
	unsigned int half = w->policy.ages.nr_gens / 2;

	return w->max_seq - e->seq > half ? half : 0;
}

/**
 * lru_gen_send_back() - say where a folio goes that was not evicted
 * @e: the visit
 * @folio: a folio of its batch, isolated
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_send_back(struct lru_gen_evict *e, struct folio *folio)
{
	const struct lru_gen_ages *a = &e->lruvec->lrugen.policy.ages;
	bool used = folio_test_referenced(folio) && !folio_test_writeback(folio);
	bool again = used && folio_test_active(folio);
	unsigned int tier = e->at.tier, index = 0;

	if (again) {
		lru_gen_note_used(&e->lruvec->lrugen.policy, &e->at, folio_nr_pages(folio));
		tier = lru_gen_tier_for_use(e);
	} else if (!used) {
		index = index_for_refused(e);
		tier = max_t(unsigned int, tier, LRU_GEN_OLD);
	}
	lru_gen_return_folio(folio, tier, index, a->nr_gens);
}
