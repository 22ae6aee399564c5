// SPDX-License-Identifier: GPL-2.0
/*
 * How use is noted where it happens.
 */
#include <linux/cleanup.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/page_idle.h>
#include <linux/rcupdate.h>

#include "internal.h"

/**
 * DOC: use
 *
 * What uses a folio takes no lock and moves nothing: it leaves a mark in the use
 * bits, for eviction to find. These say different things on and off the lists;
 * see window.c, which alone writes them together with the generation.
 */

/* The mark of uses in this interval; 0 if the folio has no bits for one. */
static unsigned int use_mark(const struct lru_gen_window *w)
{
	return lru_gen_use_mark(READ_ONCE(w->policy.nr_intervals), LRU_REFS_WIDTH);
}

/* To be counted with what is found otherwise. */
static void note_marked(struct lru_gen_window *w, struct folio *folio)
{
	struct lru_gen_place at = lru_gen_place_of(folio);

	if (at.tier == LRU_GEN_OLD)
		atomic_long_add(folio_nr_pages(folio), &w->nr_marked[at.type]);
}

/*
 * All uses between two walks are one: whoever looks by page tables cannot tell more
 * either, and a burst of reads is not a habit. Off the lists a folio has come in just
 * now, or is about to go, and a use says nothing that its place there does not.
 */
static void mark_on_list(struct folio *folio)
{
	struct lru_gen_window *w;
	unsigned int mark;

	guard(rcu)();	/* the folio's memcg may be changing */
	w = &folio_lruvec(folio)->lrugen;
	mark = use_mark(w);
	/* Without bits for a mark, both are 0: no use can be noted. */
	if (lru_gen_folio_refs(folio) == mark)
		return;
	lru_gen_set_refs(folio, mark);
	note_marked(w, folio);
}

static void count_use(struct folio *folio)
{
	if (lru_gen_on_list(folio))
		mark_on_list(folio);
}

/**
 * __lru_gen_mark_accessed() - note a use of a folio through a file descriptor
 * @folio: the folio
 *
 * The first use is the one that brought the folio in. Later ones leave a mark,
 * which eviction finds.
 *
 * Context: any; takes no lock.
 */
void __lru_gen_mark_accessed(struct folio *folio)
{
	if (folio_test_idle(folio))
		folio_clear_idle(folio);
	if (folio_test_unevictable(folio))
		return;
	if (folio_test_referenced(folio) || !lru_gen_has(LRU_GEN_PART_FIRST_USE))
		count_use(folio);
	else
		folio_set_referenced(folio);
}

/**
 * __lru_gen_mapped() - note that pages of a file folio have been mapped
 * @folio: the folio
 * @prefault: whether the fault was for another page than these
 * @exec: not 0 if they can be run
 *
 * A fault is a use, and has the accessed bit set that will be found later: if it
 * is counted here, it is not counted there. What can be run is needed at once
 * when it is needed, so for it the accessed bit counts as well.
 *
 * Context: a page-table lock is held.
 */
void __lru_gen_mapped(struct folio *folio, bool prefault, unsigned long exec)
{
	if (!prefault && folio_test_clear_referenced(folio))
		count_use(folio);
	/* Libraries are mapped all the time: write their flags once. */
	if (exec && !folio_test_referenced(folio))
		folio_set_referenced(folio);
}

/**
 * lru_gen_migrated() - let a folio take over what is known of another
 * @to: its copy, on no list
 * @from: folio on no list
 *
 * Context: both are locked.
 */
void lru_gen_migrated(struct folio *to, struct folio *from)
{
	lru_gen_set_refs(to, lru_gen_folio_refs(from));
}
