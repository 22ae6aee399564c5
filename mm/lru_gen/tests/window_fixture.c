// SPDX-License-Identifier: GPL-2.0
/*
 * A window of generations to test, and whether it is as it has to be.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/spinlock.h>

#include "window_fixture.h"

/* The functions under test expect lru_lock to be held. */
bool window_add(struct window_test *t, struct folio *folio, enum lru_gen_entry entry)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return __lru_gen_enter(t->lruvec, folio, entry);
}

bool window_del(struct window_test *t, struct folio *folio)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return __lru_gen_leave(t->lruvec, folio);
}

void window_take(struct window_test *t, struct folio *folio)
{
	struct lru_gen_moved moved = { };

	guard(spinlock_irq)(&t->lruvec->lru_lock);
	lru_gen_take_folio(t->lruvec, folio, &moved);
	lru_gen_account_moved(t->lruvec, &moved);
}

/* It is found in use so often. */
void window_spare(struct window_test *t, struct folio *folio, unsigned int nr_uses)
{
	struct lru_gen_moved moved = { };

	guard(spinlock_irq)(&t->lruvec->lru_lock);
	while (nr_uses--)
		lru_gen_spare_folio(t->lruvec, folio,
				    lru_gen_tier_above(lru_gen_place_of(folio).tier), &moved);
	lru_gen_account_moved(t->lruvec, &moved);
}

bool window_open_gen(struct window_test *t)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return lru_gen_open(t->lruvec);
}

void window_close_gen(struct window_test *t)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	lru_gen_close(t->lruvec);
}

bool window_merge(struct window_test *t, unsigned long most)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return lru_gen_merge(t->lruvec, most);
}

bool window_trim(struct window_test *t, unsigned long goal)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return lru_gen_trim_new(t->lruvec, goal);
}

static void count_shown(struct lruvec *lruvec, enum lru_list lru,
			enum zone_type zone, long nr)
{
	struct window_test *t = kunit_get_current_test()->priv;

	t->shown[lru] += nr;
}

struct lru_gen_window *window_of(struct kunit *test)
{
	struct window_test *t = test->priv;

	return &t->lruvec->lrugen;
}

/* Like a folio that has just been read in: even ones are file, odd ones anon. */
static struct folio *new_folio(struct kunit *test, int i)
{
	struct folio *folio = __folio_alloc_node(GFP_KERNEL, 0, first_memory_node);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	/* What is on a list has a memcg, if there are any. */
	KUNIT_ASSERT_EQ(test, mem_cgroup_charge(folio, NULL, GFP_KERNEL), 0);
	if (i % 2)
		__folio_set_swapbacked(folio);
	return folio;
}

int window_test_init(struct kunit *test)
{
	struct window_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	prandom_seed_state(&t->rnd, 20241117);
	for (i = 0; i < NR_FOLIOS; i++)
		t->folios[i] = new_folio(test, i);
	t->lruvec = window_home_init(&t->home, t->folios[0]);
	t->lruvec->lrugen.enabled = true;
	kunit_activate_static_stub(test, lru_gen_account_size, count_shown);
	return 0;
}

void window_test_exit(struct kunit *test)
{
	struct window_test *t = test->priv;
	int i;

	for (i = 0; i < NR_FOLIOS; i++) {
		window_del(t, t->folios[i]);
		folio_clear_active(t->folios[i]);
		folio_clear_referenced(t->folios[i]);
		__folio_clear_swapbacked(t->folios[i]);
	}
	for (i = 0; i < NR_FOLIOS; i++)
		folio_put(t->folios[i]);
}

/* How many generations are younger than that of @folio. */
unsigned int window_index_of(struct kunit *test, struct folio *folio)
{
	KUNIT_ASSERT_TRUE(test, lru_gen_on_list(folio));
	return lru_gen_index_of(&window_of(test)->policy.ages, lru_gen_place_of(folio).gen);
}

unsigned int window_tier_of(struct kunit *test, struct folio *folio)
{
	KUNIT_ASSERT_TRUE(test, lru_gen_on_list(folio));
	return lru_gen_place_of(folio).tier;
}

/* Compare a list with what is said of it; returns the pages on it. */
static long check_list(struct kunit *test, const struct lru_gen_place *at)
{
	struct lru_gen_window *w = window_of(test);
	struct folio *folio;
	long total = 0;

	list_for_each_entry(folio, lru_gen_list(w, at), lru) {
		struct lru_gen_place is = lru_gen_place_of(folio);

		KUNIT_ASSERT_EQ(test, is.gen, at->gen);
		KUNIT_ASSERT_EQ(test, is.tier, at->tier);
		KUNIT_ASSERT_EQ(test, is.type, at->type);
		total++;
	}
	KUNIT_ASSERT_EQ(test, total, (long)w->policy.ages.heap[at->gen][at->tier][at->type].nr);
	return total;
}

static bool slot_in_use(const struct lru_gen_ages *a, unsigned int slot)
{
	return a->order[lru_gen_index_of(a, slot)] == slot;
}

/* Walk the lists of a tier and type; returns the pages on them. */
static long check_tier(struct kunit *test, struct lru_gen_place *at)
{
	const struct lru_gen_ages *a = &window_of(test)->policy.ages;
	long total = 0;

	for (at->gen = 0; at->gen < MAX_NR_GENS; at->gen++) {
		long nr = check_list(test, at);

		/* Invariant 4. */
		if (!slot_in_use(a, at->gen))
			KUNIT_ASSERT_EQ(test, nr, 0);
		total += nr;
	}
	KUNIT_ASSERT_EQ(test, total, (long)a->nr[at->tier][at->type]);
	return total;
}

/* Walk every list: sizes, generation bits and what is shown have to agree. */
void window_check(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	long seen[NR_LRU_LISTS] = {};
	struct lru_gen_place at;
	int lru;

	for (at.type = 0; at.type < LRU_GEN_NR_TYPES; at.type++) {
		long nr = 0;

		for (at.tier = 0; at.tier < MAX_NR_TIERS; at.tier++) {
			long of_tier = check_tier(test, &at);

			seen[lru_gen_list_shown(&at)] += of_tier;
			nr += of_tier;
		}
		KUNIT_ASSERT_EQ(test, nr, (long)lru_gen_total(w, at.type, MAX_NR_ZONES - 1));
	}
	for_each_evictable_lru(lru)
		KUNIT_ASSERT_EQ(test, seen[lru], t->shown[lru]);
	KUNIT_ASSERT_TRUE(test, lru_gen_window_valid(t->lruvec));
}
