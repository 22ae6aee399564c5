// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the window of generations: how it moves, and that no step of a long
 * random walk breaks it.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>

#include "window_fixture.h"

#define NR_STEPS	20000

static void window_starts_narrow(struct kunit *test)
{
	struct lru_gen_window *w = window_of(test);

	KUNIT_EXPECT_EQ(test, w->policy.ages.nr_gens, MIN_NR_GENS);
	/* No number is within reach of a command to evict but one that is gone. */
	KUNIT_EXPECT_EQ(test, w->max_seq - MIN_NR_GENS, 0UL);
	window_check(test);
}

static void window_width_is_bounded(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	int i;

	window_add(t, t->folios[0], LRU_GEN_ENTER);
	for (i = MIN_NR_GENS; i < MAX_NR_GENS; i++)
		KUNIT_EXPECT_TRUE(test, window_open_gen(t));
	KUNIT_EXPECT_FALSE(test, window_open_gen(t));
	window_close_gen(t);
	KUNIT_EXPECT_EQ(test, w->policy.ages.nr_gens, MAX_NR_GENS - 1);
	KUNIT_EXPECT_EQ(test, lru_gen_min_seq(w), w->max_seq - MAX_NR_GENS + 2);
	KUNIT_EXPECT_TRUE(test, window_open_gen(t));
	KUNIT_EXPECT_EQ(test, window_index_of(test, t->folios[0]), MAX_NR_GENS - 1);
	window_check(test);
}

static void window_keeps_what_is_not_empty(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	unsigned long seq;

	window_close_gen(t);
	window_add(t, t->folios[0], LRU_GEN_ENTER);
	window_open_gen(t);
	window_close_gen(t);
	window_open_gen(t);
	seq = lru_gen_min_seq(w);
	window_close_gen(t);
	KUNIT_EXPECT_EQ(test, lru_gen_min_seq(w), seq);
	window_del(t, t->folios[0]);
	window_close_gen(t);
	KUNIT_EXPECT_EQ(test, lru_gen_min_seq(w), seq + 1);
}

/* Fill generations with old file folios, so many in each, from old to young. */
static void fill_generations(struct window_test *t, const int *nr)
{
	struct lru_gen_window *w = &t->lruvec->lrugen;
	int i = 0;

	for (;;) {
		int n = *nr++;

		for (; n; n--, i += 2)
			window_add(t, t->folios[i], LRU_GEN_ENTER);
		window_trim(t, 0);
		if (w->policy.ages.nr_gens == MAX_NR_GENS)
			break;
		window_open_gen(t);
		/* One that was there from the start. */
		window_close_gen(t);
	}
}

static void check_order(struct kunit *test, unsigned int nr)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct lru_gen_place at = { .tier = LRU_GEN_OLD, .type = LRU_GEN_FILE };
	unsigned int want = 0;
	struct folio *folio;

	KUNIT_ASSERT_TRUE(test, lru_gen_tail(&w->policy.ages, &at));
	list_for_each_entry_reverse(folio, lru_gen_list(w, &at), lru) {
		KUNIT_EXPECT_PTR_EQ(test, folio, t->folios[want]);
		want += 2;
	}
	KUNIT_EXPECT_EQ(test, want, 2 * nr);
}

/* At the end that a folio goes to, whichever of both is smaller. */
static void merger_keeps_order(struct kunit *test)
{
	static const int nr[2][MAX_NR_GENS] = {
		{ 8, 6, 1, 1, 1, 1 },
		{ 6, 8, 1, 1, 1, 1 },
	};
	struct window_test *t = test->priv;
	int turn, i, calls;

	for (turn = 0; turn < 2; turn++) {
		window_close_gen(t);
		fill_generations(t, nr[turn]);
		window_check(test);
		for (calls = 1; !window_merge(t, 3); calls++)
			window_check(test);
		KUNIT_EXPECT_EQ(test, calls, 2);
		check_order(test, 14);
		KUNIT_EXPECT_TRUE(test, window_open_gen(t));
		window_check(test);
		for (i = 0; i < NR_FOLIOS; i += 2) {
			window_del(t, t->folios[i]);
			lru_gen_place_folio(t->folios[i], LRU_GEN_NEW);
		}
	}
}

/* What is new for longer than its share allows is old, as of when it came. */
static void new_folios_grow_old(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct folio **f = t->folios;

	window_add(t, f[0], LRU_GEN_ENTER);
	window_add(t, f[2], LRU_GEN_ENTER);
	__lru_gen_mark_accessed(f[2]);
	__lru_gen_mark_accessed(f[2]);
	window_open_gen(t);
	window_add(t, f[4], LRU_GEN_ENTER);
	KUNIT_EXPECT_TRUE(test, window_trim(t, 1));
	KUNIT_EXPECT_FALSE(test, window_trim(t, 1));
	KUNIT_EXPECT_EQ(test, window_tier_of(test, f[0]), (unsigned int)LRU_GEN_OLD);
	KUNIT_EXPECT_EQ(test, window_index_of(test, f[0]), 1U);
	KUNIT_EXPECT_EQ(test, window_tier_of(test, f[4]), (unsigned int)LRU_GEN_NEW);
	if (LRU_REFS_WIDTH) {
		KUNIT_EXPECT_EQ(test, window_tier_of(test, f[2]), (unsigned int)LRU_GEN_OLD);
		KUNIT_EXPECT_EQ(test, window_index_of(test, f[2]), 0U);
	}
	window_check(test);
}

/* Accessed bits tell of use from a second after the first look on. */
static void first_look_tells_nothing(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;

	KUNIT_EXPECT_TRUE(test, lru_gen_is_blind(t->lruvec));
	w->birth[w->policy.ages.order[0]] = jiffies - 2 * HZ;
	KUNIT_EXPECT_TRUE(test, lru_gen_is_blind(t->lruvec));
	window_open_gen(t);
	KUNIT_EXPECT_TRUE(test, lru_gen_is_blind(t->lruvec));
	w->all_mapped = true;
	KUNIT_EXPECT_FALSE(test, lru_gen_is_blind(t->lruvec));
	w->all_mapped = false;
	w->birth[w->policy.ages.order[0]] = jiffies - 2 * HZ;
	KUNIT_EXPECT_FALSE(test, lru_gen_is_blind(t->lruvec));
	window_open_gen(t);
	KUNIT_EXPECT_FALSE(test, lru_gen_is_blind(t->lruvec));
}

/* The rate at which the oldest page is taken to be used. */
static u64 rate_of_oldest(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_evict e = {
		.lruvec = t->lruvec,
		.may_evict = { true, true },
		.last_seq = t->lruvec->lrugen.max_seq,
	};

	guard(spinlock_irq)(&t->lruvec->lru_lock);
	lru_gen_policy_ask(&t->lruvec->lrugen.policy, 60, 1);
	KUNIT_EXPECT_TRUE(test, lru_gen_choose_list(&e));
	return e.rate;
}

/* What came in a minute ago is a minute old once two looks have been at it, not after one. */
static void first_look_does_not_date(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio *folio = t->folios[1];
	unsigned int slot = w->policy.ages.order[0];
	u64 rate;
	int i;

	for (i = 1; i < NR_FOLIOS; i += 2)
		window_add(t, t->folios[i], LRU_GEN_ENTER);
	w->birth[slot] = jiffies - 60 * HZ;
	w->youngest[slot] = jiffies - 60 * HZ;
	window_open_gen(t);
	rate = rate_of_oldest(test);
	atomic_set(&folio->_mapcount, 0);
	KUNIT_EXPECT_GT(test, rate_of_oldest(test), 10 * rate);
	window_open_gen(t);
	KUNIT_EXPECT_LT(test, rate_of_oldest(test), 2 * rate);
	atomic_set(&folio->_mapcount, -1);
}

static void random_step(struct window_test *t)
{
	struct folio *folio = t->folios[prandom_u32_state(&t->rnd) % NR_FOLIOS];
	unsigned int dice = prandom_u32_state(&t->rnd) % 16;

	if (dice == 0)
		window_open_gen(t);
	else if (dice == 1)
		window_close_gen(t);
	else if (dice == 2)
		window_merge(t, 3);
	else if (dice == 3)
		window_trim(t, NR_FOLIOS / 8);
	else if (dice < 5)
		__lru_gen_mark_accessed(folio);
	else if (!lru_gen_on_list(folio))
		window_add(t, folio, dice % 3);
	else if (dice < 8)
		window_spare(t, folio, dice - 4);
	else if (dice < 12)
		window_del(t, folio);
	else
		window_take(t, folio);
}

static void invariants_hold_at_random(struct kunit *test)
{
	struct window_test *t = test->priv;
	unsigned long before = t->lruvec->lrugen.max_seq;
	int i;

	for (i = 0; i < NR_STEPS; i++) {
		random_step(t);
		window_check(test);
	}
	/* A walk that never moved the window would prove nothing. */
	KUNIT_EXPECT_GT(test, t->lruvec->lrugen.max_seq, before + 100);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(window_starts_narrow),
	KUNIT_CASE(window_width_is_bounded),
	KUNIT_CASE(window_keeps_what_is_not_empty),
	KUNIT_CASE(merger_keeps_order),
	KUNIT_CASE(new_folios_grow_old),
	KUNIT_CASE(first_look_tells_nothing),
	KUNIT_CASE(first_look_does_not_date),
	KUNIT_CASE(invariants_hold_at_random),
	{}
};

static struct kunit_suite window_suite = {
	.name = "lru_gen_window",
	.init = window_test_init,
	.exit = window_test_exit,
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
