// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of a folio in the window of generations: where it enters, what it takes
 * along, and how its uses count.
 */
#include <kunit/test.h>
#include <linux/mm.h>

#include "window_fixture.h"

static void folio_enters_by_its_state(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio **f = t->folios;
	unsigned long base;

	window_open_gen(t);
	base = lru_gen_base(w);
	folio_set_active(f[0]);
	lru_gen_place_folio(f[2], LRU_GEN_TOP_CLASS);
	folio_set_reclaim(f[6]);
	folio_set_dirty(f[6]);
	window_add(t, f[0], LRU_GEN_ENTER);
	window_add(t, f[1], LRU_GEN_ENTER);
	window_add(t, f[2], LRU_GEN_ENTER);
	window_add(t, f[3], LRU_GEN_COLD);
	window_add(t, f[4], LRU_GEN_NEXT);
	window_add(t, f[6], LRU_GEN_ENTER);

	KUNIT_EXPECT_EQ(test, window_seq_of(test, f[0]), base + 1);
	KUNIT_EXPECT_EQ(test, window_seq_of(test, f[1]), base);
	KUNIT_EXPECT_EQ(test, window_seq_of(test, f[2]), w->max_seq);
	KUNIT_EXPECT_EQ(test, window_seq_of(test, f[3]), w->min_seq[LRU_GEN_ANON]);
	KUNIT_EXPECT_EQ(test, window_seq_of(test, f[4]), w->min_seq[LRU_GEN_FILE]);
	KUNIT_EXPECT_EQ(test, window_seq_of(test, f[6]), base + 1);
	/* What put them there is spent on it. */
	KUNIT_EXPECT_FALSE(test, folio_test_active(f[0]));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(f[2]), 0);
	window_check(test);
	folio_clear_reclaim(f[6]);
	folio_clear_dirty(f[6]);
}

/* Whatever class a folio leaves, it comes back to, if nothing has happened. */
static void folio_takes_its_class_along(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio *folio = t->folios[1];
	unsigned int class;

	for (class = 0; class < LRU_GEN_NR_CLASSES; class++) {
		window_add(t, folio, LRU_GEN_ENTER);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, window_seq_of(test, folio)), class);
		window_del(t, folio);
		KUNIT_EXPECT_EQ(test, folio_test_active(folio), class > 0);
		window_add(t, folio, LRU_GEN_ENTER);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, window_seq_of(test, folio)), class);
		window_promote(t, folio, 1);
		window_del(t, folio);
		window_check(test);
	}
}

/* The use bits of a folio isolated for eviction are what its shadow will say. */
static void eviction_sees_the_class(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio *folio = t->folios[1];

	window_add(t, folio, LRU_GEN_ENTER);
	window_promote(t, folio, 2);
	window_take(t, folio);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 2);
	KUNIT_EXPECT_FALSE(test, folio_test_active(folio));
	/* Put back because it is in use, it has earned another one. */
	folio_set_active(folio);
	window_add(t, folio, LRU_GEN_ENTER);
	KUNIT_EXPECT_EQ(test, lru_gen_class(w, window_seq_of(test, folio)), 3);
	window_check(test);
}

static void folio_stays_out_when_off(struct kunit *test)
{
	struct window_test *t = test->priv;

	t->lruvec->lrugen.enabled = false;
	KUNIT_EXPECT_FALSE(test, window_add(t, t->folios[0], LRU_GEN_ENTER));
	KUNIT_EXPECT_LT(test, lru_gen_folio_index(t->folios[0]), 0);
	KUNIT_EXPECT_FALSE(test, window_del(t, t->folios[0]));
	t->lruvec->lrugen.enabled = true;
	folio_set_unevictable(t->folios[0]);
	KUNIT_EXPECT_FALSE(test, window_add(t, t->folios[0], LRU_GEN_ENTER));
	folio_clear_unevictable(t->folios[0]);
}

/* Reads leave one mark, however many they are, that is worth a class. */
static void uses_are_marked_and_spent(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio *folio = t->folios[0];
	int i;

	window_add(t, folio, LRU_GEN_ENTER);
	__lru_gen_mark_accessed(folio);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	for (i = 0; i < 5; i++)
		__lru_gen_mark_accessed(folio);
	KUNIT_EXPECT_GT(test, lru_gen_folio_refs(folio), 0);
	/* The mark must not spill into the generation. */
	KUNIT_EXPECT_EQ(test, window_seq_of(test, folio), lru_gen_base(w));
	window_promote(t, folio, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	KUNIT_EXPECT_EQ(test, window_seq_of(test, folio), lru_gen_base(w) + 1);
	window_check(test);
}

/* A fault is a use; the bit it leaves in the page table is not another one. */
static void faults_are_counted_once(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct folio *folio = t->folios[0];

	__lru_gen_mapped(folio, false, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	/* That of a refault has been counted by its class. */
	lru_gen_place_folio(folio, 0);
	__lru_gen_mapped(folio, false, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	folio_set_referenced(folio);
	__lru_gen_mapped(folio, true, 0);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	__lru_gen_mapped(folio, false, 0);
	KUNIT_EXPECT_FALSE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 1);
	__lru_gen_mapped(folio, false, 1);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	window_check(test);
}

/* Wherever the window stands, each use is a class, and the sizes are right. */
static void uses_by_page_tables_add_up(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio **f = t->folios;
	struct folio *used[] = { f[0], f[1], f[2], f[0], f[3], f[4], f[0], f[1] };
	unsigned int i, turn;

	if (!IS_ENABLED(CONFIG_MEMCG))
		kunit_skip(test, "without memcgs, the folios match no lruvec of ours");
	for (turn = 0; turn < MAX_NR_GENS; turn++) {
		for (i = 0; i < 5; i++)
			window_add(t, f[i], LRU_GEN_ENTER);
		/* One that is on no list, and one that was marked as well. */
		window_del(t, f[4]);
		lru_gen_set_refs(f[3], 1);
		KUNIT_EXPECT_EQ(test, window_use(t, used, ARRAY_SIZE(used)), 7U);
		window_check(test);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, window_seq_of(test, f[0])), 3);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, window_seq_of(test, f[1])), 2);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, window_seq_of(test, f[2])), 1);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, window_seq_of(test, f[3])), 2);
		for (i = 0; i < 4; i++) {
			window_take(t, f[i]);
			lru_gen_set_refs(f[i], 0);
		}
		window_open_gen(t);
		window_close_gen(t, LRU_GEN_ANON);
		window_close_gen(t, LRU_GEN_FILE);
	}
}

/* Whatever the flags have room for, a mark that is set is found again. */
static void marks_fit_their_bits(struct kunit *test)
{
	unsigned int width, mark, last;
	unsigned long walk;

	KUNIT_EXPECT_EQ(test, lru_gen_use_mark(5, 0), 0);
	for (width = 1; width <= MAX_NR_TIERS - 2; width++)
		for (last = 0, walk = 0; walk < 10; walk++, last = mark) {
			mark = lru_gen_use_mark(walk, width);
			KUNIT_EXPECT_GT(test, mark, 0);
			KUNIT_EXPECT_LT(test, mark, BIT(width));
			if (width > 1)
				KUNIT_EXPECT_NE(test, mark, last);
		}
}

/* What swap readahead brings back counts once a fault uses it, and not before. */
static void read_ahead_is_no_refault(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct folio *folio = t->folios[1];
	struct lru_gen_window *w = &folio_lruvec(folio)->lrugen;
	long before = atomic_long_read(&w->nr_returned);
	void *shadow = lru_gen_evicted(folio);

	lru_gen_mark_read_ahead(folio, true);
	__lru_gen_refaulted(folio, shadow);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&w->nr_returned), before);
	lru_gen_read_ahead_hit(folio, folio_test_clear_readahead(folio));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&w->nr_returned), before + 1);
	lru_gen_read_ahead_hit(folio, folio_test_clear_readahead(folio));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&w->nr_returned), before + 1);
	lru_gen_mark_read_ahead(folio, false);
	__lru_gen_refaulted(folio, shadow);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&w->nr_returned), before + 2);
	lru_gen_place_folio(folio, 0);
}

static struct kunit_case folio_cases[] = {
	KUNIT_CASE(marks_fit_their_bits),
	KUNIT_CASE(read_ahead_is_no_refault),
	KUNIT_CASE(folio_enters_by_its_state),
	KUNIT_CASE(folio_stays_out_when_off),
	KUNIT_CASE(folio_takes_its_class_along),
	KUNIT_CASE(eviction_sees_the_class),
	KUNIT_CASE(uses_are_marked_and_spent),
	KUNIT_CASE(faults_are_counted_once),
	KUNIT_CASE(uses_by_page_tables_add_up),
	{}
};

static struct kunit_suite folio_suite = {
	.name = "lru_gen_folio",
	.init = window_test_init,
	.exit = window_test_exit,
	.test_cases = folio_cases,
};

kunit_test_suite(folio_suite);
