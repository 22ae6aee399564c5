// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the window of generations: how it moves, and that no step of a long
 * random walk breaks it.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "window_fixture.h"

#define NR_STEPS	20000

static void window_starts_narrow(struct kunit *test)
{
	struct lru_gen_window *w = window_of(test);

	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_ANON), LRU_GEN_NR_CLASSES);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_FILE), LRU_GEN_NR_CLASSES);
	window_check(test);
}

static void window_width_is_bounded(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	int i;

	for (i = LRU_GEN_NR_CLASSES; i < MAX_NR_GENS; i++)
		KUNIT_EXPECT_TRUE(test, window_open_gen(t));
	KUNIT_EXPECT_FALSE(test, window_open_gen(t));
	window_close_gen(t, LRU_GEN_ANON);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_ANON), LRU_GEN_NR_CLASSES);
	/* One type still fills its window. */
	KUNIT_EXPECT_FALSE(test, window_open_gen(t));
	window_close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_TRUE(test, window_open_gen(t));
	window_check(test);
}

static void window_keeps_what_is_not_empty(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	unsigned long seq = w->min_seq[LRU_GEN_FILE];

	window_add(t, t->folios[0], LRU_GEN_ENTER);
	window_open_gen(t);
	window_close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, w->min_seq[LRU_GEN_FILE], seq);
	window_del(t, t->folios[0]);
	window_close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, w->min_seq[LRU_GEN_FILE], seq + 1);
}

static void fold_keeps_order(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio *folio;
	int i, want = 0, calls = 0;

	/* File folios 0, 2, .. 30 from old to young, half of them folded in. */
	for (i = 0; i < 16; i += 2)
		window_add(t, t->folios[i], LRU_GEN_ENTER);
	window_open_gen(t);
	for (; i < 32; i += 2)
		window_add(t, t->folios[i], LRU_GEN_ENTER);
	window_open_gen(t);
	window_open_gen(t);
	while (!window_fold(t, LRU_GEN_FILE, 3)) {
		window_check(test);
		calls++;
	}
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_FILE), MAX_NR_GENS - 1);
	i = lru_gen_index(w->min_seq[LRU_GEN_FILE]);
	list_for_each_entry_reverse(folio, &w->lists[i][LRU_GEN_FILE][folio_zonenum(t->folios[0])],
				    lru) {
		KUNIT_EXPECT_PTR_EQ(test, folio, t->folios[want]);
		want += 2;
	}
	KUNIT_EXPECT_EQ(test, want, 32);
	window_check(test);
}

/* Folded into an empty list, folios keep the time they came at, at both ends. */
static void fold_keeps_times(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct lru_gen_span *span;
	int i;

	for (i = 0; i < 8; i += 2) {
		window_add(t, t->folios[i], LRU_GEN_ENTER);
		w->feedback.clock += 100;
	}
	while (window_open_gen(t))
		;
	KUNIT_EXPECT_FALSE(test, window_fold(t, LRU_GEN_FILE, 3));
	KUNIT_EXPECT_TRUE(test, window_fold(t, LRU_GEN_FILE, 3));
	span = &w->spans[lru_gen_index(w->min_seq[LRU_GEN_FILE])][LRU_GEN_FILE];
	KUNIT_EXPECT_EQ(test, span->oldest, 0);
	KUNIT_EXPECT_EQ(test, span->newest, 300);
}

static void random_step(struct window_test *t)
{
	struct folio *folio = t->folios[prandom_u32_state(&t->rnd) % NR_FOLIOS];
	enum lru_gen_type type = prandom_u32_state(&t->rnd) % LRU_GEN_NR_TYPES;
	unsigned int dice = prandom_u32_state(&t->rnd) % 16;
	int index = lru_gen_folio_index(folio);

	if (dice == 0)
		window_open_gen(t);
	else if (dice == 1)
		window_close_gen(t, type);
	else if (dice == 2 && lru_gen_width(&t->lruvec->lrugen, type) == MAX_NR_GENS)
		window_fold(t, type, 1 + dice * 2);
	else if (dice < 5)
		__lru_gen_mark_accessed(folio);
	else if (index < 0)
		window_add(t, folio, dice % 3);
	else if (dice < 8)
		window_promote(t, folio, dice - 5);
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
	KUNIT_CASE(fold_keeps_order),
	KUNIT_CASE(fold_keeps_times),
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
