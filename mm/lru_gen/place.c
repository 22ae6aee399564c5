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
 * What is known of a folio that is on no list says which class it is put into: new
 * ones enter class 0, what was used meanwhile or was in use before goes higher, and
 * what is to go first stands below all others of its type.
 */

/* Under writeback or about to be: evicting it now means waiting for it. */
static bool awaits_writeback(const struct folio *folio)
{
	return folio_test_reclaim(folio) &&
	       (folio_test_dirty(folio) || folio_test_writeback(folio));
}

static unsigned int class_of(const struct folio *folio)
{
	unsigned int class = lru_gen_folio_refs(folio) + folio_test_active(folio);

	/* It was made active to get it out of the way, not because it was used. */
	if (awaits_writeback(folio))
		class = max(lru_gen_folio_refs(folio), 1U);
	return min(class, LRU_GEN_TOP_CLASS);
}

/**
 * lru_gen_entry_seq() - the generation a folio enters
 * @w: window
 * @folio: folio on no list
 * @entry: why it is added
 *
 * Context: lruvec->lru_lock held.
 * Return: the generation.
 */
unsigned long lru_gen_entry_seq(const struct lru_gen_window *w, const struct folio *folio,
				enum lru_gen_entry entry)
{
	if (entry == LRU_GEN_ENTER)
		return lru_gen_base(w) + class_of(folio);
	return w->min_seq[lru_gen_folio_type(folio)];
}
