// SPDX-License-Identifier: GPL-2.0
/*
 * The window of generations: where each folio stands.
 */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmdebug.h>

#include "internal.h"

/**
 * DOC: window
 *
 * A lruvec's evictable folios stand on lists by generation, tier and type. The generation
 * says when a folio was last known to be used: since that one was opened, and before the
 * next was. The tier says how often: NEW and OLD, which users know as inactive, KEPT and
 * TOP, which they know as active. A folio found used moves to the youngest generation,
 * and a tier up::
 *
 *               oldest                                    youngest
 *      min_seq = 4      5      6      7      8      9      10 = max_seq
 *        NEW                                        .  .  .  . new folios
 *        OLD  . . . . . . . . . . . . . . . . . . . . .  .  . found in use while NEW
 *        KEPT . . . . . . . . . . . . . . . . . . . . .  .  . and again
 *        TOP  . . . . . . . . . . . . . . . . . . . . .  .  . and again
 *
 * Each list is a queue: folios come in at the head and are evicted at the tail.
 *
 * On the lists, the use bits mark a folio that was used through a file descriptor, and has
 * not been moved for it yet. Off them, they tell where it stood: see place.c. PG_referenced
 * says that the use which brought the folio in has been seen; that one does not count.
 *
 * Invariants, kept by this file and slide.c alone:
 *
 * 1. A folio has generation bits if and only if it is on one of the lists.
 * 2. Generation bits and use bits change in one atomic step, in write_flags().
 * 3. The sizes of the lists add up to what vmstat and memory.stat show.
 * 4. A slot without a generation has no folios.
 *
 * Everything that changes the window holds lruvec->lru_lock.
 */

/* The only place where generation and use bits of a folio are replaced. */
static void write_flags(struct folio *folio, unsigned long drop, unsigned long set)
{
	set_mask_bits(&folio->flags, LRU_GEN_MASK | drop, set);
}

static unsigned long place_bits(const struct lru_gen_place *at)
{
	return (at->gen * MAX_NR_TIERS + at->tier + 1UL) << LRU_GEN_PGOFF;
}

static unsigned long refs_bits(unsigned int refs)
{
	return min(refs, BIT(LRU_REFS_WIDTH) - 1) << LRU_REFS_PGOFF;
}

/* What tells the tier of an isolated folio: see lru_gen_tier_left(). */
static unsigned long tier_bits(unsigned int tier)
{
	if (LRU_REFS_WIDTH >= 2)
		return refs_bits(tier);
	return refs_bits(tier % 2) | (tier >= LRU_GEN_KEPT ? BIT(PG_workingset) : 0);
}

/* What a folio adds to all lists together. */
static void resize(struct lru_gen_window *w, const struct folio *folio, unsigned int type,
		   long nr)
{
	long *size = &w->nr_pages[type][folio_zonenum(folio)];

	WRITE_ONCE(*size, *size + nr);
	VM_WARN_ON_ONCE(*size < 0);
}

/* The same, for users to see, too. */
static void resize_shown(struct lruvec *lruvec, const struct folio *folio,
			 const struct lru_gen_place *at, long nr)
{
	resize(&lruvec->lrugen, folio, at->type, nr);
	lru_gen_account_size(lruvec, lru_gen_list_shown(at), folio_zonenum(folio), nr);
}

/* It can be freed at once, and goes before all others. */
static void add_next(struct lru_gen_window *w, struct folio *folio,
		     const struct lru_gen_place *at)
{
	long nr = folio_nr_pages(folio);

	lru_gen_heap_add_tail(&w->policy.ages, at, nr);
	w->nr_next[at->type] += nr;
	list_add_tail(&folio->lru, lru_gen_list(w, at));
}

static void add(struct lru_gen_window *w, struct folio *folio, const struct lru_gen_place *at)
{
	struct lru_gen_ages *a = &w->policy.ages;
	unsigned int index = lru_gen_index_of(a, at->gen);

	lru_gen_heap_add(a, at, lru_gen_last_use_in(a, index), folio_nr_pages(folio));
	list_add(&folio->lru, lru_gen_list(w, at));
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
	struct lru_gen_place at;

	lockdep_assert_held(&lruvec->lru_lock);
	VM_WARN_ON_ONCE_FOLIO(lru_gen_on_list(folio), folio);

	if (folio_test_unevictable(folio) || !w->enabled)
		return false;

	lru_gen_entry_place(w, folio, entry, &at);
	write_flags(folio, LRU_REFS_MASK | BIT(PG_active), place_bits(&at));
	resize_shown(lruvec, folio, &at, folio_nr_pages(folio));
	if (at.tier == LRU_GEN_NEW)
		w->policy.ages.clock += folio_nr_pages(folio);
	if (entry == LRU_GEN_NEXT)
		add_next(w, folio, &at);
	else
		add(w, folio, &at);
	lru_gen_memcg_wake(lruvec);
	return true;
}

/* Take @folio off its list; the caller has replaced what its flags say of it. */
static void detach(struct lru_gen_window *w, struct folio *folio,
		   const struct lru_gen_place *at)
{
	VM_WARN_ON_ONCE_FOLIO(folio_test_unevictable(folio), folio);

	lru_gen_heap_del(&w->policy.ages, at, folio_nr_pages(folio));
	list_del(&folio->lru);
}

/* The bits of a folio that stood in @tier, in the generation that @index are younger than. */
static unsigned long state_bits(unsigned int tier, unsigned int index, unsigned int nr_gens)
{
	unsigned int refs;
	bool active = lru_gen_state_of(tier, index, nr_gens, &refs);

	return refs_bits(refs) | (active ? BIT(PG_active) : 0);
}

/**
 * __lru_gen_leave() - take a folio off its list, not for eviction
 * @lruvec: lruvec of @folio
 * @folio: any folio
 *
 * One that is kept leaves with PG_active set, so that migration and the
 * classic LRU treat it, and its copy, as one in use.
 *
 * Context: lruvec->lru_lock held.
 * Return: false if @folio was on no list of generations.
 */
bool __lru_gen_leave(struct lruvec *lruvec, struct folio *folio)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	const struct lru_gen_ages *a = &w->policy.ages;
	struct lru_gen_place at;
	unsigned long set;

	lockdep_assert_held(&lruvec->lru_lock);
	if (!lru_gen_on_list(folio))
		return false;
	at = lru_gen_place_of(folio);
	if (lru_gen_folio_refs(folio))
		set = state_bits(lru_gen_tier_above(at.tier), 0, a->nr_gens);
	else
		set = state_bits(at.tier, lru_gen_index_of(a, at.gen), a->nr_gens);
	VM_WARN_ON_ONCE_FOLIO(folio_test_active(folio), folio);
	write_flags(folio, LRU_REFS_MASK, set);
	detach(w, folio, &at);
	resize_shown(lruvec, folio, &at, -folio_nr_pages(folio));
	return true;
}

/**
 * lru_gen_take_folio() - take a folio off its list for eviction
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of generations
 * @moved: what the list shown loses is added, for lru_gen_account_moved()
 *
 * Its flags tell its tier from here on, to the shadow that it leaves. If it stays,
 * lru_gen_return_folio() says where.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_take_folio(struct lruvec *lruvec, struct folio *folio,
			struct lru_gen_moved *moved)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct lru_gen_place at = lru_gen_place_of(folio);
	long nr = folio_nr_pages(folio);

	lockdep_assert_held(&lruvec->lru_lock);
	VM_WARN_ON_ONCE_FOLIO(folio_test_active(folio), folio);
	write_flags(folio, LRU_GEN_TIER_MASK, tier_bits(at.tier));
	detach(w, folio, &at);
	resize(w, folio, at.type, -nr);
	moved->shown[lru_gen_list_shown(&at)][folio_zonenum(folio)] -= nr;
}

/**
 * lru_gen_return_folio() - say where a folio goes that was not evicted
 * @folio: folio on no list, taken by lru_gen_take_folio()
 * @tier: its tier
 * @index: how many generations are to be younger than its own
 * @nr_gens: how many generations there are
 *
 * Context: any.
 */
void lru_gen_return_folio(struct folio *folio, unsigned int tier, unsigned int index,
			  unsigned int nr_gens)
{
	set_mask_bits(&folio->flags, LRU_REFS_MASK | BIT(PG_active),
		      state_bits(tier, index, nr_gens));
}

/**
 * lru_gen_place_folio() - say into which tier a folio is to go, as if used just now
 * @folio: folio on no list, which nobody else can use yet
 * @tier: the tier
 *
 * Context: any; @folio is locked.
 */
void lru_gen_place_folio(struct folio *folio, unsigned int tier)
{
	lru_gen_return_folio(folio, tier, 0, MAX_NR_GENS);
}

/**
 * struct run - folios of one list that move to the youngest generation, counted together
 * @lruvec: their lruvec
 * @moved: what the lists shown gain
 * @from: the list
 * @to: the list that they have come to
 * @first: the first of them
 * @nr: their pages; all are in one zone
 */
struct run {
	struct lruvec *lruvec;
	struct lru_gen_moved *moved;
	struct lru_gen_place from;
	struct lru_gen_place to;
	const struct folio *first;
	unsigned int nr;
};

/* What is kept now and was not before, or the other way round, changes its list shown. */
static void show_run(const struct run *r)
{
	enum lru_list old = lru_gen_list_shown(&r->from), new = lru_gen_list_shown(&r->to);
	int zone = folio_zonenum(r->first);

	if (old == new)
		return;
	r->moved->shown[old][zone] -= r->nr;
	r->moved->shown[new][zone] += r->nr;
}

/* Count the folios of a run where they have come to. */
static void end_run(struct run *r)
{
	struct lru_gen_ages *a = &r->lruvec->lrugen.policy.ages;

	if (!r->nr)
		return;
	lru_gen_heap_del(a, &r->from, r->nr);
	lru_gen_heap_add(a, &r->to, a->clock, r->nr);
	show_run(r);
	r->nr = 0;
}

/**
 * lru_gen_spare_folio() - move a folio to the youngest generation: it is in use
 * @lruvec: lruvec of @folio
 * @folio: folio on a list of generations
 * @tier: the tier it comes to
 * @moved: what the lists shown gain is added, for lru_gen_account_moved()
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_spare_folio(struct lruvec *lruvec, struct folio *folio, unsigned int tier,
			 struct lru_gen_moved *moved)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct run run = {
		.lruvec = lruvec,
		.moved = moved,
		.from = lru_gen_place_of(folio),
		.to = { .gen = w->policy.ages.order[0], .tier = tier },
		.first = folio,
		.nr = folio_nr_pages(folio),
	};

	lockdep_assert_held(&lruvec->lru_lock);
	run.to.type = run.from.type;
	write_flags(folio, LRU_REFS_MASK, place_bits(&run.to));
	list_move(&folio->lru, lru_gen_list(w, &run.to));
	end_run(&run);
}

/**
 * lru_gen_age_folio() - have a folio that was NEW for its time become OLD
 * @lruvec: lruvec of @folio
 * @folio: at the tail of a list of NEW
 *
 * It keeps its generation, since nothing is known but that it was not used.
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_age_folio(struct lruvec *lruvec, struct folio *folio)
{
	struct lru_gen_window *w = &lruvec->lrugen;
	struct lru_gen_ages *a = &w->policy.ages;
	struct lru_gen_place at = lru_gen_place_of(folio);
	u32 used = a->clock - lru_gen_tail_age(a, &at);

	lockdep_assert_held(&lruvec->lru_lock);
	lru_gen_heap_del(a, &at, folio_nr_pages(folio));
	at.tier = LRU_GEN_OLD;
	lru_gen_heap_add(a, &at, used, folio_nr_pages(folio));
	write_flags(folio, 0, place_bits(&at));
	list_move(&folio->lru, lru_gen_list(w, &at));
}

/**
 * lru_gen_merge_folio() - let a folio stand in the generation that the merger gives it to
 * @w: window
 * @folio: folio on a list of generations; the caller moves it to the other list
 * @from: that list
 *
 * Context: lruvec->lru_lock held.
 */
void lru_gen_merge_folio(struct lru_gen_window *w, struct folio *folio,
			 const struct lru_gen_place *from)
{
	struct lru_gen_place to = *from;

	to.gen = w->policy.ages.merger.to;
	lru_gen_heap_merge(&w->policy.ages, from, folio_nr_pages(folio));
	write_flags(folio, 0, place_bits(&to));
}

static bool is_of_run(const struct run *r, const struct folio *folio,
		      const struct lru_gen_place *at, unsigned int tier)
{
	return r->nr && r->from.gen == at->gen && r->from.tier == at->tier &&
	       r->from.type == at->type && r->to.tier == tier &&
	       folio_zonenum(r->first) == folio_zonenum(folio);
}

/* Runs for each page in use. A folio that is mapped twice may come from where it came to. */
static void use_folio(struct run *r, struct folio *folio)
{
	struct lru_gen_window *w = &r->lruvec->lrugen;
	const struct lru_gen_place at = lru_gen_place_of(folio);
	/* The use that brought it in says when it was used, not how often. */
	bool again = folio_test_referenced(folio);
	unsigned int tier = again ? lru_gen_tier_above(at.tier) : at.tier;

	if (!is_of_run(r, folio, &at, tier)) {
		end_run(r);
		r->from = at;
		r->first = folio;
		r->to.gen = w->policy.ages.order[0];
		r->to.tier = tier;
		r->to.type = at.type;
	}
	if (again && !lru_gen_folio_refs(folio))
		lru_gen_note_used(&w->policy, &at, folio_nr_pages(folio));
	if (!again)
		folio_set_referenced(folio);
	r->nr += folio_nr_pages(folio);
	write_flags(folio, LRU_REFS_MASK, place_bits(&r->to));
	list_move(&folio->lru, lru_gen_list(w, &r->to));
}

/* Whoever moves it to another memcg takes it off its list first, with our lock. */
static bool is_here(struct lruvec *lruvec, struct folio *folio)
{
	return folio_matches_lruvec(folio, lruvec) && lru_gen_on_list(folio) &&
	       folio_matches_lruvec(folio, lruvec);
}

/**
 * lru_gen_use_folios() - move folios that page tables say were used
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
	struct lru_gen_moved moved = { };
	struct run run = { .lruvec = lruvec, .moved = &moved };
	unsigned int i;

	spin_lock_irq(&lruvec->lru_lock);
	for (i = 0; i < nr; i++)
		if (is_here(lruvec, folios[i]))
			use_folio(&run, folios[i]);
	end_run(&run);
	lru_gen_account_moved(lruvec, &moved);
	spin_unlock_irq(&lruvec->lru_lock);
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
