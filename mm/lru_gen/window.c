// SPDX-License-Identifier: GPL-2.0
/*
 * The window of generations: where each folio stands.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmdebug.h>
#include <linux/page_idle.h>
#include <linux/rcupdate.h>

#include "internal.h"

/**
 * DOC: window
 *
 * A lruvec's evictable folios stand on lists indexed by generation and type.
 * How far a generation is from the youngest one is the frequency class of its
 * folios: new ones enter class 0, and each use found later moves a folio one
 * class up. Opening a generation with lru_gen_open() makes all fall by one, which
 * is how use is forgotten; lru_gen_close() drops empty ones at the old end::
 *
 *      min_seq[file]   min_seq[anon]                            max_seq
 *           |               |                                       |
 *           v               v                                       v
 *      [ 6 old ]  <-  [ 7 base ]  <-  [ 8 ]  <-  [ 9 ]  <-  [ 10 ]  [ 11 ]
 *       \_____ class 0 ______/          1          2           3       4
 *        "inactive" to users           \__________ "active" __________/
 *
 * Each list is a queue: folios come in at the head and are evicted at the tail.
 *
 * Off the lists, the class of a folio is what its use bits count, plus one if
 * it is PG_active. On them, the use bits mark a folio that was used through a
 * file descriptor, and has not been moved up for it yet. PG_referenced says that
 * the use which brought the folio in has been seen; that one does not count.
 *
 * Invariants, kept by this file alone:
 *
 * 1. LRU_GEN_NR_CLASSES <= max_seq - min_seq + 1 <= MAX_NR_GENS for both types.
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
	long *size = &w->nr_pages[lru_gen_index(seq)][folio_type(folio)][folio_zonenum(folio)];

	WRITE_ONCE(*size, *size + sign * folio_nr_pages((struct folio *)folio));
	VM_WARN_ON_ONCE(*size < 0);
}

/* Let users see @folio come to (@sign 1) or go from (@sign -1) list @lru. */
static void show(struct lruvec *lruvec, const struct folio *folio,
		 enum lru_list lru, int sign)
{
	lru_gen_account_size(lruvec, lru, folio_zonenum(folio),
			     sign * folio_nr_pages((struct folio *)folio));
}

static struct list_head *list_of(struct lru_gen_window *w,
				 const struct folio *folio, unsigned long seq)
{
	return &w->lists[lru_gen_index(seq)][folio_type(folio)];
}

/* @folio comes to the head of its list, which counts from now. */
static void note_arrival(struct lru_gen_window *w, const struct folio *folio,
			 unsigned long seq)
{
	enum lru_gen_type type = folio_type(folio);
	bool was_empty = list_empty(&w->lists[lru_gen_index(seq)][type]);

	lru_gen_span_enter(&w->spans[lru_gen_index(seq)][type], w->feedback.clock, was_empty);
	lru_gen_span_enter(&w->times[lru_gen_index(seq)][type], jiffies, was_empty);
}

/* Under writeback or about to be: evicting it now means waiting for it. */
static bool awaits_writeback(const struct folio *folio)
{
	return folio_test_reclaim(folio) &&
	       (folio_test_dirty(folio) || folio_test_writeback(folio));
}

/* The class of a folio that is on no list. */
static unsigned int off_list_class(const struct folio *folio)
{
	unsigned int class = lru_gen_folio_refs(folio) + folio_test_active(folio);

	/* It was made active to get it out of the way, not because it was used. */
	if (awaits_writeback(folio))
		class = max(lru_gen_folio_refs(folio), 1U);
	return min(class, LRU_GEN_TOP_CLASS);
}

/* Policy: the generation a folio enters. */
static unsigned long entry_seq(const struct lru_gen_window *w,
			       const struct folio *folio, enum lru_gen_entry entry)
{
	if (entry == LRU_GEN_ENTER)
		return lru_gen_base(w) + off_list_class(folio);
	return w->min_seq[folio_type(folio)];
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
	struct list_head *list;
	unsigned long seq;

	lockdep_assert_held(&lruvec->lru_lock);
	VM_WARN_ON_ONCE_FOLIO(lru_gen_folio_index(folio) >= 0, folio);

	if (folio_test_unevictable(folio) || !w->enabled)
		return false;

	seq = entry_seq(w, folio, entry);
	list = list_of(w, folio, seq);
	write_flags(folio, LRU_REFS_MASK | BIT(PG_active), gen_bits(seq));
	resize(lruvec, folio, seq, 1);
	show(lruvec, folio, lru_gen_list_shown(w, folio_type(folio), seq), 1);
	if (entry != LRU_GEN_NEXT || list_empty(list))
		note_arrival(w, folio, seq);
	list_add(&folio->lru, entry == LRU_GEN_NEXT ? list->prev : list);
	return true;
}

static unsigned long refs_bits(unsigned int refs)
{
	return min(refs, BIT(LRU_REFS_WIDTH) - 1) << LRU_REFS_PGOFF;
}

/* Take @folio, which stands in @seq, off its list; @set is what it leaves with. */
static void detach(struct lruvec *lruvec, struct folio *folio, unsigned long seq,
		   unsigned long set)
{
	VM_WARN_ON_ONCE_FOLIO(folio_test_active(folio), folio);
	VM_WARN_ON_ONCE_FOLIO(folio_test_unevictable(folio), folio);

	write_flags(folio, LRU_REFS_MASK, set);
	resize(lruvec, folio, seq, -1);
	show(lruvec, folio, lru_gen_list_shown(&lruvec->lrugen, folio_type(folio), seq), -1);
	list_del(&folio->lru);
}

/* Where @folio stands, or a class up if it is marked as used since it came there. */
static unsigned int used_class(const struct lru_gen_window *w,
			       const struct folio *folio, unsigned long seq)
{
	return min(lru_gen_class(w, seq) + !!lru_gen_folio_refs(folio), LRU_GEN_TOP_CLASS);
}

/**
 * __lru_gen_leave() - take a folio off its list, not for eviction
 * @lruvec: lruvec of @folio
 * @folio: any folio
 *
 * A folio above class 0 leaves with PG_active set, so that migration and the
 * classic LRU treat it, and its copy, as one in use.
 *
 * Context: lruvec->lru_lock held.
 * Return: false if @folio was on no list of generations.
 */
bool __lru_gen_leave(struct lruvec *lruvec, struct folio *folio)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long set = 0;
	unsigned int class;

	lockdep_assert_held(&lruvec->lru_lock);
	if (lru_gen_folio_index(folio) < 0)
		return false;
	class = used_class(w, folio, lru_gen_folio_seq(w, folio));
	if (class)
		set = BIT(PG_active) | refs_bits(class - 1);
	detach(lruvec, folio, lru_gen_folio_seq(w, folio), set);
	return true;
}

/**
 * lru_gen_take_folio() - take a folio off its list for eviction
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of generations
 *
 * Its use bits tell its class from here on: to the shadow that it leaves, or to
 * __lru_gen_enter() if it stays.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_take_folio(struct lruvec *lruvec, struct folio *folio)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long seq = lru_gen_folio_seq(w, folio);

	lockdep_assert_held(&lruvec->lru_lock);
	detach(lruvec, folio, seq, refs_bits(lru_gen_class(w, seq)));
}

/* Let @folio stand in generation @seq; the caller moves it to the list. */
static void restamp(struct lruvec *lruvec, struct folio *folio, unsigned long seq)
{
	resize(lruvec, folio, lru_gen_folio_seq(&lruvec->lrugen, folio), -1);
	write_flags(folio, LRU_REFS_MASK, gen_bits(seq));
	resize(lruvec, folio, seq, 1);
}

static void raise(struct lruvec *lruvec, struct folio *folio, unsigned int nr_uses,
		  struct lru_gen_risen *risen)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long from = lru_gen_folio_seq(w, folio);
	unsigned int class = min(used_class(w, folio, from) + nr_uses, LRU_GEN_TOP_CLASS);
	unsigned long seq = lru_gen_base(w) + class;

	restamp(lruvec, folio, seq);
	note_arrival(w, folio, seq);
	list_move(&folio->lru, list_of(w, folio, seq));
	if (class && !lru_gen_class(w, from))
		risen->nr[folio_type(folio)][folio_zonenum(folio)] += folio_nr_pages(folio);
}

/**
 * lru_gen_promote_folio() - move a folio up for uses that were found
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of generations
 * @nr_uses: uses found, besides those its use bits tell of
 *
 * It comes to the head of its new class, or of the top class.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_promote_folio(struct lruvec *lruvec, struct folio *folio,
			   unsigned int nr_uses)
{
	struct lru_gen_risen risen = { };

	lockdep_assert_held(&lruvec->lru_lock);
	raise(lruvec, folio, nr_uses, &risen);
	lru_gen_account_risen(lruvec, &risen);
}

/**
 * lru_gen_use_folios() - move folios up that page tables say were used
 * @lruvec: lruvec that was looked at
 * @folios: folios that cannot be freed meanwhile
 * @nr: how many
 *
 * Those that are on no list of @lruvec any more are left alone.
 *
 * Context: a page-table lock may be held; takes lruvec->lru_lock.
 */
void lru_gen_use_folios(struct lruvec *lruvec, struct folio **folios, unsigned int nr)
{
	struct lru_gen_risen risen = { };
	unsigned int i;

	spin_lock_irq(&lruvec->lru_lock);
	for (i = 0; i < nr; i++)
		if (lru_gen_folio_index(folios[i]) >= 0 && folio_lruvec(folios[i]) == lruvec)
			raise(lruvec, folios[i], 1, &risen);
	lru_gen_account_risen(lruvec, &risen);
	spin_unlock_irq(&lruvec->lru_lock);
}

/* Off the lists, each use is a class up. */
static void count_off_list(struct folio *folio)
{
	unsigned long old = READ_ONCE(folio->flags);

	while ((old & LRU_REFS_MASK) != LRU_REFS_MASK &&
	       !try_cmpxchg(&folio->flags, &old, old + BIT(LRU_REFS_PGOFF)))
		cpu_relax();
}

/* The mark of uses between two walks; those of three intervals can be told. */
static unsigned int use_mark(const struct lru_gen_window *w)
{
	return 1 + READ_ONCE(w->feedback.nr_walks) % (MAX_NR_TIERS - 1);
}

/*
 * On a list, all uses between two walks are one: whoever looks by page tables
 * cannot tell more either, and a burst of reads is not a habit.
 */
static void mark_on_list(struct folio *folio)
{
	struct lru_gen_window *w;
	unsigned long bits;

	guard(rcu)();	/* the folio's memcg may be changing */
	w = &folio_lruvec(folio)->lrugen;
	bits = refs_bits(use_mark(w));
	if ((READ_ONCE(folio->flags) & LRU_REFS_MASK) == bits)
		return;
	set_mask_bits(&folio->flags, LRU_REFS_MASK, bits);
	atomic_long_add(folio_nr_pages(folio),
			&w->nr_young[lru_gen_class(w, lru_gen_folio_seq(w, folio))]);
}

static void count_use(struct folio *folio)
{
	if (lru_gen_folio_index(folio) < 0)
		count_off_list(folio);
	else
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
	if (folio_test_referenced(folio))
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
	if (exec)
		folio_set_referenced(folio);
}

/**
 * lru_gen_place_folio() - say to which class a folio is to go
 * @folio: folio on no list, which nobody else can use yet
 * @class: the class
 *
 * A folio of a file is moved up by its next use, even if that is the first.
 *
 * Context: any; @folio is locked.
 */
void lru_gen_place_folio(struct folio *folio, unsigned int class)
{
	unsigned long set = class ? BIT(PG_active) | refs_bits(class - 1) : 0;

	if (folio_is_file_lru(folio))
		set |= BIT(PG_referenced);
	set_mask_bits(&folio->flags, LRU_REFS_MASK | BIT(PG_active), set);
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
	set_mask_bits(&to->flags, LRU_REFS_MASK, refs_bits(lru_gen_folio_refs(from)));
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
	unsigned int from = lru_gen_index(seq), to = lru_gen_index(seq + 1);
	struct list_head *list = &w->lists[from][type];
	bool was_empty = list_empty(&w->lists[to][type]);

	lockdep_assert_held(&lruvec->lru_lock);
	lru_gen_span_fold(&w->spans[to][type], &w->spans[from][type], was_empty);
	lru_gen_span_fold(&w->times[to][type], &w->times[from][type], was_empty);
	for (; nr && !list_empty(list); nr--) {
		struct folio *folio = list_first_entry(list, struct folio, lru);

		restamp(lruvec, folio, seq + 1);
		list_move_tail(&folio->lru, list_of(w, folio, seq + 1));
	}
	lru_gen_close(lruvec, type);
	return lru_gen_width(w, type) < MAX_NR_GENS;
}
