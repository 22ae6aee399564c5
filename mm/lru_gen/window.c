// SPDX-License-Identifier: GPL-2.0
/*
 * The window of generations: where each folio stands.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmdebug.h>

#include "internal.h"

/**
 * DOC: window
 *
 * A lruvec's evictable folios stand on lists indexed by generation, type and zone.
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

/**
 * struct share - what a folio adds to the sizes of lists
 * @type: its type
 * @zone: its zone
 * @nr: its pages
 */
struct share {
	enum lru_gen_type type;
	enum zone_type zone;
	long nr;
};

static struct share share_of(const struct folio *folio)
{
	return (struct share){
		.type = lru_gen_folio_type(folio),
		.zone = folio_zonenum(folio),
		.nr = folio_nr_pages((struct folio *)folio),
	};
}

/* The only place where generation and use bits of a folio are replaced. */
static void write_flags(struct folio *folio, unsigned long drop, unsigned long set)
{
	set_mask_bits(&folio->flags, LRU_GEN_MASK | drop, set);
}

static unsigned long gen_bits(unsigned int index)
{
	return (index + 1UL) << LRU_GEN_PGOFF;
}

/* Count a folio in (@sign 1) or out (@sign -1) of the generation with that index. */
static void resize(struct lru_gen_window *w, const struct share *folio,
		   unsigned int index, int sign)
{
	long *size = &w->nr_pages[index][folio->type][folio->zone];

	WRITE_ONCE(*size, *size + sign * folio->nr);
	VM_WARN_ON_ONCE(*size < 0);
}

/* The same of generation @seq, and let users see it. */
static void resize_shown(struct lruvec *lruvec, const struct folio *folio,
			 unsigned long seq, int sign)
{
	struct share share = share_of(folio);
	enum lru_list lru = lru_gen_list_shown(&lruvec->lrugen, share.type, seq);

	resize(&lruvec->lrugen, &share, lru_gen_index(seq), sign);
	lru_gen_account_size(lruvec, lru, share.zone, sign * share.nr);
}

/* A folio is about to come to the head of a list, which counts from now. */
static void note_arrival(struct lru_gen_window *w, enum lru_gen_type type,
			 unsigned int index)
{
	bool was_empty = lru_gen_list_empty(w, index, type);

	lru_gen_span_enter(&w->spans[index][type], w->feedback.clock, was_empty);
	lru_gen_span_enter(&w->times[index][type], jiffies, was_empty);
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
	unsigned int index;

	lockdep_assert_held(&lruvec->lru_lock);
	VM_WARN_ON_ONCE_FOLIO(lru_gen_folio_index(folio) >= 0, folio);

	if (folio_test_unevictable(folio) || !w->enabled)
		return false;

	seq = lru_gen_entry_seq(w, folio, entry);
	index = lru_gen_index(seq);
	list = &w->lists[index][lru_gen_folio_type(folio)][folio_zonenum(folio)];
	write_flags(folio, LRU_REFS_MASK | BIT(PG_active), gen_bits(index));
	resize_shown(lruvec, folio, seq, 1);
	if (entry != LRU_GEN_NEXT || lru_gen_list_empty(w, index, lru_gen_folio_type(folio)))
		note_arrival(w, lru_gen_folio_type(folio), index);
	list_add(&folio->lru, entry == LRU_GEN_NEXT ? list->prev : list);
	lru_gen_memcg_wake(lruvec);
	return true;
}

static unsigned long refs_bits(unsigned int refs)
{
	return min(refs, BIT(LRU_REFS_WIDTH) - 1) << LRU_REFS_PGOFF;
}

/* Take @folio off its list; @set is what it leaves with. */
static void detach(struct folio *folio, unsigned long set)
{
	VM_WARN_ON_ONCE_FOLIO(folio_test_active(folio), folio);
	VM_WARN_ON_ONCE_FOLIO(folio_test_unevictable(folio), folio);

	write_flags(folio, LRU_REFS_MASK, set);
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
	unsigned long seq, set = 0;
	unsigned int class;

	lockdep_assert_held(&lruvec->lru_lock);
	if (lru_gen_folio_index(folio) < 0)
		return false;
	seq = lru_gen_folio_seq(w, folio);
	class = used_class(w, folio, seq);
	if (class)
		set = BIT(PG_active) | refs_bits(class - 1);
	detach(folio, set);
	resize_shown(lruvec, folio, seq, -1);
	return true;
}

/**
 * lru_gen_take_folio() - take a folio off its list for eviction
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of generations
 * @moved: what the list shown loses is added, for lru_gen_account_moved()
 *
 * Its use bits tell its class from here on: to the shadow that it leaves, or to
 * __lru_gen_enter() if it stays.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_take_folio(struct lruvec *lruvec, struct folio *folio,
			struct lru_gen_moved *moved)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long seq = lru_gen_folio_seq(w, folio);
	struct share share = share_of(folio);

	lockdep_assert_held(&lruvec->lru_lock);
	detach(folio, refs_bits(lru_gen_class(w, seq)));
	resize(w, &share, lru_gen_index(seq), -1);
	moved->shown[lru_gen_list_shown(w, share.type, seq)][share.zone] -= share.nr;
}

/**
 * lru_gen_restamp() - let a folio stand in another generation of its type
 * @w: window
 * @folio: folio on a list of generations
 * @from: index of the list
 * @to: index of the list the caller moves it to
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_restamp(struct lru_gen_window *w, struct folio *folio, unsigned int from,
		     unsigned int to)
{
	struct share share = share_of(folio);

	write_flags(folio, LRU_REFS_MASK, gen_bits(to));
	resize(w, &share, from, -1);
	resize(w, &share, to, 1);
}

/* For all that come to a list with lru_lock held once, time stands still. */
static void note_arrivals(struct lru_gen_window *w, enum lru_gen_type type,
			  unsigned int index, struct lru_gen_moved *moved)
{
	if (moved->arrived[type] & BIT(index))
		return;
	moved->arrived[type] |= BIT(index);
	note_arrival(w, type, index);
}

/* What leaves the bottom comes to be shown as active. */
static void show_risen(const struct share *folio, struct lru_gen_moved *moved)
{
	enum lru_list lru = folio->type == LRU_GEN_FILE ? LRU_INACTIVE_FILE : LRU_INACTIVE_ANON;

	moved->shown[lru][folio->zone] -= folio->nr;
	moved->shown[lru + LRU_ACTIVE][folio->zone] += folio->nr;
}

/* Count folios in where they have come to. */
static void count_in(struct lru_gen_window *w, const struct lru_gen_rise *r,
		     const struct share *folios, struct lru_gen_moved *moved)
{
	moved->young[folios->type][r->old] += folios->nr;
	resize(w, folios, r->to, 1);
	if (r->new && !r->old)
		show_risen(folios, moved);
}

/* One that is not marked and stays in its class only moves. */
static __always_inline void raise(struct lru_gen_window *w, struct folio *folio,
				  const struct lru_gen_rise *r, enum lru_gen_type type)
{
	if (r->to != r->from || lru_gen_folio_refs(folio))
		write_flags(folio, LRU_REFS_MASK, gen_bits(r->to));
	list_move(&folio->lru, &w->lists[r->to][type][folio_zonenum(folio)]);
}

/**
 * lru_gen_promote_folio() - move a folio up for uses that were found
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of generations
 * @nr_uses: uses found, besides those its use bits tell of
 * @moved: what the lists shown gain is added, for lru_gen_account_moved()
 *
 * It comes to the head of its new class, or of the top class.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_promote_folio(struct lruvec *lruvec, struct folio *folio,
			   unsigned int nr_uses, struct lru_gen_moved *moved)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct lru_gen_rise r = lru_gen_rise_of(w, lru_gen_folio_index(folio),
						nr_uses + !!lru_gen_folio_refs(folio));
	const struct share share = share_of(folio);

	lockdep_assert_held(&lruvec->lru_lock);
	note_arrivals(w, share.type, r.to, moved);
	raise(w, folio, &r, share.type);
	count_in(w, &r, &share, moved);
	resize(w, &share, r.from, -1);
}

/**
 * struct rises - one use of many folios, counted list by list
 * @w: their window
 * @moved: what has been settled
 * @begun: lists that some have come from, a bit each
 * @of: [list] what a use does
 * @folios: [list] those it was done to, all of one zone, not yet settled
 */
struct rises {
	struct lru_gen_window *w;
	struct lru_gen_moved *moved;
	unsigned long begun;
	struct lru_gen_rise of[LRU_GEN_NR_LISTS];
	struct share folios[LRU_GEN_NR_LISTS];
};

/* A folio that is mapped twice may have come to one list from another, and gone on. */
static void settle(struct rises *rises)
{
	unsigned int i;

	for_each_set_bit(i, &rises->begun, LRU_GEN_NR_LISTS)
		count_in(rises->w, &rises->of[i], &rises->folios[i], rises->moved);
	for_each_set_bit(i, &rises->begun, LRU_GEN_NR_LISTS)
		resize(rises->w, &rises->folios[i], rises->of[i].from, -1);
	rises->begun = 0;
}

static void begin_rise(struct rises *rises, unsigned int list, const struct share *folio)
{
	struct lru_gen_rise *r = &rises->of[list];

	if (rises->begun & BIT(list))
		settle(rises);
	rises->begun |= BIT(list);
	*r = lru_gen_rise_of(rises->w, list / LRU_GEN_NR_TYPES, 1);
	rises->folios[list] = *folio;
	rises->folios[list].nr = 0;
	note_arrivals(rises->w, folio->type, r->to, rises->moved);
}

/* Runs for each page in use: what can be is done for all of a list at once. */
static void use_folio(struct rises *rises, struct folio *folio)
{
	const struct share share = share_of(folio);
	unsigned int list = lru_gen_folio_index(folio) * LRU_GEN_NR_TYPES + share.type;

	if (!(rises->begun & BIT(list)) || rises->folios[list].zone != share.zone)
		begin_rise(rises, list, &share);
	rises->folios[list].nr += share.nr;
	raise(rises->w, folio, &rises->of[list], share.type);
}

/**
 * lru_gen_use_folios() - move folios up that page tables say were used
 * @lruvec: lruvec that was looked at
 * @folios: folios that cannot be freed meanwhile
 * @nr: how many
 * @young: [type][class] pages moved up are added, by the class they were in
 *
 * Those that are on no list of @lruvec any more are left alone.
 *
 * Context: a page-table lock may be held; takes lruvec->lru_lock.
 */
void lru_gen_use_folios(struct lruvec *lruvec, struct folio **folios, unsigned int nr,
			unsigned int young[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES])
{
	struct lru_gen_moved moved = { };
	struct rises rises;
	unsigned int i;
	int type;

	rises.w = &lruvec->lrugen;
	rises.moved = &moved;
	rises.begun = 0;
	spin_lock_irq(&lruvec->lru_lock);
	for (i = 0; i < nr; i++) {
		if (lru_gen_folio_index(folios[i]) < 0 ||
		    !folio_matches_lruvec(folios[i], lruvec))
			continue;
		if (lru_gen_folio_refs(folios[i])) {
			settle(&rises);
			lru_gen_promote_folio(lruvec, folios[i], 1, &moved);
		} else {
			use_folio(&rises, folios[i]);
		}
	}
	settle(&rises);
	lru_gen_account_moved(lruvec, &moved);
	spin_unlock_irq(&lruvec->lru_lock);
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (i = 0; i < LRU_GEN_NR_CLASSES; i++)
			young[type][i] += moved.young[type][i];
}

/**
 * lru_gen_add_ref() - count a use of a folio
 * @folio: folio on no list; there, each use is a class up
 *
 * Context: any.
 */
void lru_gen_add_ref(struct folio *folio)
{
	unsigned long old = READ_ONCE(folio->flags);

	while ((old & LRU_REFS_MASK) != LRU_REFS_MASK &&
	       !try_cmpxchg(&folio->flags, &old, old + BIT(LRU_REFS_PGOFF)))
		cpu_relax();
}

/**
 * lru_gen_set_refs() - replace the use bits of a folio
 * @folio: any folio
 * @refs: what they are to say
 *
 * Context: any.
 */
void lru_gen_set_refs(struct folio *folio, unsigned int refs)
{
	set_mask_bits(&folio->flags, LRU_REFS_MASK, refs_bits(refs));
}

/**
 * lru_gen_place_folio() - say to which class a folio is to go
 * @folio: folio on no list, which nobody else can use yet
 * @class: the class
 *
 * Context: any; @folio is locked.
 */
void lru_gen_place_folio(struct folio *folio, unsigned int class)
{
	unsigned long set = class ? BIT(PG_active) | refs_bits(class - 1) : 0;

	set_mask_bits(&folio->flags, LRU_REFS_MASK | BIT(PG_active), set);
}
