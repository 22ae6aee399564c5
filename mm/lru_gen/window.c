// SPDX-License-Identifier: GPL-2.0
/*
 * The window of generations: where each folio stands.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmdebug.h>
#include <linux/page_idle.h>

#include "internal.h"

/**
 * DOC: window
 *
 * A lruvec's evictable folios stand on lists indexed by generation, type and
 * zone. The window slides upwards: lru_gen_open() adds a generation at the
 * young end when reclaim has run out of old folios, lru_gen_close() drops empty
 * ones at the old end::
 *
 *      min_seq[file]      min_seq[anon]                       max_seq
 *           |                  |                                 |
 *           v                  v                                 v
 *      [ 7 oldest ]  <-  [ 8 old ]  <-  [ 9 young ]  <-  [ 10 youngest ]
 *       \____ eviction takes from these ____/  \___ shown as "active" ___/
 *
 * Invariants, kept by this file alone:
 *
 * 1. For both types MIN_NR_GENS <= max_seq - min_seq + 1 <= MAX_NR_GENS.
 * 2. A folio has generation bits if and only if it is on one of the lists.
 * 3. Generation bits and use bits change in one atomic step, in write_flags().
 * 4. The sizes of the lists add up to what vmstat and memory.stat show.
 * 5. A generation is closed only when it holds no folio of the type.
 *
 * Everything that changes the window holds lruvec->lru_lock.
 */

static enum lru_gen_type folio_type(const struct folio *folio)
{
	return folio_is_file_lru((struct folio *)folio) ? LRU_GEN_FILE : LRU_GEN_ANON;
}

static unsigned long *birth_of(struct lru_gen_window *w, unsigned long seq)
{
	return &w->birth[lru_gen_index(seq)];
}

/* The generation number behind a list index; the window makes it unambiguous. */
static unsigned long seq_of(const struct lru_gen_window *w, int index)
{
	unsigned int behind = lru_gen_index(w->max_seq) + MAX_NR_GENS - index;

	return w->max_seq - behind % MAX_NR_GENS;
}

/* The two youngest generations are what users know as the active list. */
static enum lru_list lru_of(const struct lru_gen_window *w,
			    enum lru_gen_type type, unsigned long seq)
{
	enum lru_list lru = type == LRU_GEN_FILE ? LRU_INACTIVE_FILE : LRU_INACTIVE_ANON;

	return lru_gen_is_old(w, seq) ? lru : lru + LRU_ACTIVE;
}

/* The only place where generation and use bits of a folio are replaced. */
static void write_flags(struct folio *folio, unsigned long drop, unsigned long set)
{
	set_mask_bits(&folio->flags, LRU_GEN_MASK | drop, set);
}

static unsigned long gen_bits(unsigned long seq)
{
	return (lru_gen_index(seq) + 1UL) << LRU_GEN_PGOFF;
}

/* Count @folio in (@sign 1) or out (@sign -1) of generation @seq. */
static void resize(struct lruvec *lruvec, const struct folio *folio,
		   unsigned long seq, int sign)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	enum lru_gen_type type = folio_type(folio);
	enum zone_type zone = folio_zonenum(folio);
	long *size = &w->nr_pages[lru_gen_index(seq)][type][zone];
	long delta = sign * folio_nr_pages((struct folio *)folio);

	WRITE_ONCE(*size, *size + delta);
	VM_WARN_ON_ONCE(*size < 0);
	lru_gen_account_size(lruvec, lru_of(w, type, seq), zone, delta);
}

static struct list_head *list_of(struct lru_gen_window *w,
				 const struct folio *folio, unsigned long seq)
{
	return &w->lists[lru_gen_index(seq)][folio_type(folio)][folio_zonenum(folio)];
}

/* Under writeback or about to be: evicting it now means waiting for it. */
static bool awaits_writeback(const struct folio *folio)
{
	return folio_test_reclaim(folio) &&
	       (folio_test_dirty(folio) || folio_test_writeback(folio));
}

/*
 * Policy: the generation a folio enters.
 *
 * A folio known to be in use starts at the top, one that just came in by a
 * fault below it. File folios have to earn their place: whatever has been read
 * only once may well be a stream, and starts above the oldest only.
 */
static unsigned long entry_seq(const struct lru_gen_window *w,
			       const struct folio *folio, enum lru_gen_entry entry)
{
	enum lru_gen_type type = folio_type(folio);

	if (folio_test_active(folio))
		return w->max_seq;
	if (awaits_writeback(folio))
		return w->max_seq - 1;
	if (entry != LRU_GEN_ENTER)
		return w->min_seq[type];
	if (type == LRU_GEN_ANON && !folio_test_swapcache((struct folio *)folio))
		return w->max_seq - 1;
	return min(w->min_seq[type] + 1, w->max_seq - 1);
}

/**
 * __lru_gen_enter() - put a folio on the list its state calls for
 * @lruvec: lruvec of @folio
 * @folio: folio that is on no list
 * @entry: why it is added
 *
 * Context: lruvec->lru_lock held.
 * Return: false if @folio belongs on a classic list, because it is unevictable
 * or because @lruvec is not using generations.
 */
bool __lru_gen_enter(struct lruvec *lruvec, struct folio *folio,
		     enum lru_gen_entry entry)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long drop = 0;
	unsigned long seq;
	struct list_head *list;

	lockdep_assert_held(&lruvec->lru_lock);
	VM_WARN_ON_ONCE_FOLIO(lru_gen_folio_index(folio) >= 0, folio);

	if (folio_test_unevictable(folio) || !w->enabled)
		return false;

	seq = entry_seq(w, folio, entry);
	/* What made it active has been paid out with the generation. */
	if (folio_test_active(folio))
		drop = LRU_REFS_MASK | BIT(PG_referenced) | BIT(PG_active);
	write_flags(folio, drop, gen_bits(seq));
	resize(lruvec, folio, seq, 1);
	list = list_of(w, folio, seq);
	list_add(&folio->lru, entry == LRU_GEN_NEXT ? list->prev : list);
	return true;
}

static bool detach(struct lruvec *lruvec, struct folio *folio, unsigned long drop,
		   unsigned long set_if_young)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	int index = lru_gen_folio_index(folio);
	unsigned long seq;

	lockdep_assert_held(&lruvec->lru_lock);
	if (index < 0)
		return false;

	VM_WARN_ON_ONCE_FOLIO(folio_test_active(folio), folio);
	VM_WARN_ON_ONCE_FOLIO(folio_test_unevictable(folio), folio);

	seq = seq_of(w, index);
	write_flags(folio, drop, lru_gen_is_old(w, seq) ? 0 : set_if_young);
	resize(lruvec, folio, seq, -1);
	list_del(&folio->lru);
	return true;
}

/**
 * __lru_gen_leave() - take a folio off its list, not for eviction
 * @lruvec: lruvec of @folio
 * @folio: any folio
 *
 * A folio of a young generation leaves with PG_active set, so that migration
 * and the classic LRU treat it, and its copy, as one in use.
 *
 * Context: lruvec->lru_lock held.
 * Return: false if @folio was on no list of generations.
 */
bool __lru_gen_leave(struct lruvec *lruvec, struct folio *folio)
{
	return detach(lruvec, folio, 0, BIT(PG_active));
}

/**
 * lru_gen_take_folio() - take a folio off its list for eviction
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of generations
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_take_folio(struct lruvec *lruvec, struct folio *folio)
{
	bool detached = detach(lruvec, folio, LRU_REFS_MASK, 0);

	VM_WARN_ON_ONCE_FOLIO(!detached, folio);
}

/* Let @folio stand in generation @seq; the caller moves it to the list. */
static void restamp(struct lruvec *lruvec, struct folio *folio,
		    unsigned long seq, unsigned long drop)
{
	unsigned long from = seq_of(&lruvec->lrugen, lru_gen_folio_index(folio));

	resize(lruvec, folio, from, -1);
	write_flags(folio, drop, gen_bits(seq));
	resize(lruvec, folio, seq, 1);
}

/**
 * lru_gen_promote_folio() - move a folio one generation up
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of an old generation
 *
 * Its use bits are spent on it.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_promote_folio(struct lruvec *lruvec, struct folio *folio)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long seq = seq_of(w, lru_gen_folio_index(folio)) + 1;

	lockdep_assert_held(&lruvec->lru_lock);
	restamp(lruvec, folio, seq, LRU_REFS_MASK);
	list_move(&folio->lru, list_of(w, folio, seq));
}

/**
 * __lru_gen_mark_accessed() - note a use of a folio through a file descriptor
 * @folio: the folio
 *
 * The first use is the one that brought the folio in. Later ones are counted
 * until the counter is full; eviction reads it.
 *
 * Context: any; takes no lock.
 */
void __lru_gen_mark_accessed(struct folio *folio)
{
	unsigned long old = READ_ONCE(folio->flags);

	if (folio_test_idle(folio))
		folio_clear_idle(folio);
	if (folio_test_unevictable(folio))
		return;
	if (!folio_test_referenced(folio)) {
		folio_set_referenced(folio);
		return;
	}
	while ((old & LRU_REFS_MASK) != LRU_REFS_MASK &&
	       !try_cmpxchg(&folio->flags, &old, old + BIT(LRU_REFS_PGOFF)))
		cpu_relax();
}

/* The generation that stops being young is no longer "active" to users. */
static void retire_active(struct lruvec *lruvec, enum lru_gen_type type)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long seq = w->max_seq - 1;
	enum lru_list lru = lru_of(w, type, seq);
	int zone;

	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		long nr = w->nr_pages[lru_gen_index(seq)][type][zone];

		if (!nr)
			continue;
		lru_gen_account_size(lruvec, lru, zone, -nr);
		lru_gen_account_size(lruvec, lru - LRU_ACTIVE, zone, nr);
	}
}

/**
 * lru_gen_open() - add a generation at the young end
 * @lruvec: lruvec
 *
 * Context: lruvec->lru_lock held.
 * Return: false if the window is full for a type; see lru_gen_fold().
 */
bool lru_gen_open(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	lockdep_assert_held(&lruvec->lru_lock);
	if (lru_gen_width(w, LRU_GEN_ANON) == MAX_NR_GENS ||
	    lru_gen_width(w, LRU_GEN_FILE) == MAX_NR_GENS)
		return false;

	retire_active(lruvec, LRU_GEN_ANON);
	retire_active(lruvec, LRU_GEN_FILE);
	WRITE_ONCE(*birth_of(w, w->max_seq + 1), jiffies);
	WRITE_ONCE(w->max_seq, w->max_seq + 1);
	return true;
}

/**
 * lru_gen_close() - drop empty generations at the old end
 * @lruvec: lruvec
 * @type: type whose window is narrowed
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_close(struct lruvec *lruvec, enum lru_gen_type type)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	lockdep_assert_held(&lruvec->lru_lock);
	while (lru_gen_width(w, type) > MIN_NR_GENS &&
	       !lru_gen_size(w, type, w->min_seq[type], MAX_NR_ZONES - 1))
		WRITE_ONCE(w->min_seq[type], w->min_seq[type] + 1);
}

/**
 * lru_gen_fold() - merge the oldest generation into the next one
 * @lruvec: lruvec
 * @type: type whose window is narrowed
 * @nr: folios to move at most
 *
 * For a type that cannot be evicted at present and would keep the window full.
 * What was oldest stays oldest: folios go to the tail, the youngest first.
 *
 * Context: lruvec->lru_lock held.
 * Return: true once the window of @type has room; false to be called again.
 */
bool lru_gen_fold(struct lruvec *lruvec, enum lru_gen_type type, int nr)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long seq = w->min_seq[type];
	int zone;

	lockdep_assert_held(&lruvec->lru_lock);
	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		struct list_head *list = &w->lists[lru_gen_index(seq)][type][zone];

		for (; nr && !list_empty(list); nr--) {
			struct folio *folio = list_first_entry(list, struct folio, lru);

			restamp(lruvec, folio, seq + 1, 0);
			list_move_tail(&folio->lru, list_of(w, folio, seq + 1));
		}
	}
	lru_gen_close(lruvec, type);
	return lru_gen_width(w, type) < MAX_NR_GENS;
}

/**
 * lru_gen_init_lruvec() - set up the window of a new lruvec
 * @lruvec: lruvec, zeroed
 *
 * Context: process context or boot; nobody else knows @lruvec yet.
 */
void lru_gen_init_lruvec(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct list_head *lists = w->lists[0][0];
	int i;

	w->max_seq = MIN_NR_GENS + 1;
	w->enabled = lru_gen_enabled();
	for (i = 0; i < MAX_NR_GENS; i++)
		w->birth[i] = jiffies;
	for (i = 0; i < LRU_GEN_NR_LISTS; i++)
		INIT_LIST_HEAD(&lists[i]);
}
