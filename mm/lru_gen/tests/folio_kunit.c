// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of a folio in the window of generations: where it enters, what it takes
 * along, and how its uses count.
 */
#include <kunit/test.h>
#include <linux/mm.h>

#include "window_fixture.h"

static void expect_place(struct kunit *test, struct folio *folio, unsigned int tier,
			 unsigned int index)
{
	KUNIT_EXPECT_EQ(test, window_tier_of(test, folio), tier);
	KUNIT_EXPECT_EQ(test, window_index_of(test, folio), index);
}

static void folio_enters_by_its_state(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	struct folio **f = t->folios;

	window_open_gen(t);
	folio_set_active(f[0]);
	lru_gen_place_folio(f[2], LRU_GEN_TOP);
	window_add(t, f[0], LRU_GEN_ENTER);
	window_add(t, f[1], LRU_GEN_ENTER);
	window_add(t, f[2], LRU_GEN_ENTER);
	window_add(t, f[3], LRU_GEN_COLD);
	window_add(t, f[5], LRU_GEN_COLD);
	window_add(t, f[7], LRU_GEN_NEXT);

	expect_place(test, f[0], LRU_GEN_KEPT, 0);
	expect_place(test, f[1], LRU_GEN_NEW, 0);
	expect_place(test, f[2], LRU_GEN_TOP, 0);
	expect_place(test, f[3], LRU_GEN_OLD, 2);
	expect_place(test, f[7], LRU_GEN_OLD, 2);
	/* Last of its list, and so first to go. */
	KUNIT_EXPECT_PTR_EQ(test, list_next_entry(f[3], lru), f[7]);
	KUNIT_EXPECT_EQ(test, w->nr_next[LRU_GEN_ANON], 1UL);
	/* What put them there is spent on it. */
	KUNIT_EXPECT_FALSE(test, folio_test_active(f[0]));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(f[2]), 0);
	window_check(test);
}

/* Whatever a folio leaves, it comes back to, or near, if nothing has happened. */
static void folio_takes_its_place_along(struct kunit *test)
{
	static const unsigned int ages[] = { 0, 1, 2 };
	struct window_test *t = test->priv;
	struct folio *folio = t->folios[1];
	unsigned int tier, i;

	if (LRU_REFS_WIDTH < 2)
		kunit_skip(test, "folio->flags has no room for it");
	window_open_gen(t);
	for (tier = LRU_GEN_NEW; tier < MAX_NR_TIERS; tier++)
		for (i = 0; i < ARRAY_SIZE(ages); i++) {
			lru_gen_return_folio(folio, tier, ages[i], 3);
			window_add(t, folio, LRU_GEN_ENTER);
			KUNIT_EXPECT_EQ(test, window_tier_of(test, folio), tier);
			if (tier == LRU_GEN_NEW)
				KUNIT_EXPECT_EQ(test, window_index_of(test, folio), 0U);
			else if (tier == LRU_GEN_OLD)
				KUNIT_EXPECT_EQ(test, window_index_of(test, folio), ages[i]);
			else
				KUNIT_EXPECT_EQ(test, window_index_of(test, folio), !!ages[i]);
			window_del(t, folio);
			KUNIT_EXPECT_EQ(test, folio_test_active(folio), tier >= LRU_GEN_KEPT);
			window_check(test);
		}
}

/* The use bits of a folio isolated for eviction are what its shadow will say. */
static void eviction_sees_the_tier(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct folio *folio = t->folios[1];

	window_add(t, folio, LRU_GEN_ENTER);
	window_spare(t, folio, 3);
	window_take(t, folio);
	KUNIT_EXPECT_EQ(test, lru_gen_tier_left(folio),
			LRU_REFS_WIDTH ? (unsigned int)LRU_GEN_TOP : (unsigned int)LRU_GEN_KEPT);
	KUNIT_EXPECT_FALSE(test, folio_test_active(folio));
	lru_gen_return_folio(folio, LRU_GEN_OLD, 1, MIN_NR_GENS);
	window_add(t, folio, LRU_GEN_ENTER);
	KUNIT_EXPECT_EQ(test, window_tier_of(test, folio), (unsigned int)LRU_GEN_OLD);
	window_check(test);
}

static void folio_stays_out_when_off(struct kunit *test)
{
	struct window_test *t = test->priv;

	t->lruvec->lrugen.enabled = false;
	KUNIT_EXPECT_FALSE(test, window_add(t, t->folios[0], LRU_GEN_ENTER));
	KUNIT_EXPECT_FALSE(test, lru_gen_on_list(t->folios[0]));
	KUNIT_EXPECT_FALSE(test, window_del(t, t->folios[0]));
	t->lruvec->lrugen.enabled = true;
	folio_set_unevictable(t->folios[0]);
	KUNIT_EXPECT_FALSE(test, window_add(t, t->folios[0], LRU_GEN_ENTER));
	folio_clear_unevictable(t->folios[0]);
}

/* Reads leave one mark, however many they are, that is worth a tier. */
static void uses_are_marked_and_spent(struct kunit *test)
{
	struct window_test *t = test->priv;
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
	KUNIT_EXPECT_EQ(test, window_tier_of(test, folio), (unsigned int)LRU_GEN_NEW);
	window_spare(t, folio, 1);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	KUNIT_EXPECT_EQ(test, window_tier_of(test, folio), (unsigned int)LRU_GEN_OLD);
	/* Marked once more, it leaves as one used so often. */
	__lru_gen_mark_accessed(folio);
	window_del(t, folio);
	window_add(t, folio, LRU_GEN_ENTER);
	if (LRU_REFS_WIDTH)
		KUNIT_EXPECT_EQ(test, window_tier_of(test, folio), (unsigned int)LRU_GEN_KEPT);
	/* Off the lists, a use leaves nothing behind. */
	window_del(t, folio);
	lru_gen_place_folio(folio, LRU_GEN_NEW);
	__lru_gen_mark_accessed(folio);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	window_check(test);
}

/* A fault is a use; the bit it leaves in the page table is not another one. */
static void faults_are_counted_once(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct folio *folio = t->folios[0];

	window_add(t, folio, LRU_GEN_ENTER);
	__lru_gen_mapped(folio, false, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	folio_set_referenced(folio);
	__lru_gen_mapped(folio, true, 0);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	__lru_gen_mapped(folio, false, 0);
	KUNIT_EXPECT_FALSE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_GT(test, lru_gen_folio_refs(folio), 0);
	__lru_gen_mapped(folio, false, 1);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	window_check(test);
}

/* Wherever the window stands, each use is a tier, and the sizes are right. */
static void uses_by_page_tables_add_up(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_policy *p = &t->lruvec->lrugen.policy;
	struct folio **f = t->folios;
	struct folio *used[] = { f[0], f[1], f[2], f[0], f[3] };
	unsigned int i, turn;

	if (!IS_ENABLED(CONFIG_MEMCG))
		kunit_skip(test, "without memcgs, the folios match no lruvec of ours");
	for (i = 0; i < 4; i++)
		folio_set_referenced(f[i]);
	for (turn = 0; turn < MAX_NR_GENS; turn++) {
		for (i = 0; i < 4; i++)
			window_add(t, f[i], LRU_GEN_ENTER);
		window_trim(t, 0);
		/* One that is on no list, and one that was marked, and counted, as well. */
		window_del(t, f[3]);
		lru_gen_set_refs(f[2], 1);
		p->now[LRU_GEN_ANON].seen = 0;
		p->now[LRU_GEN_FILE].seen = 0;
		lru_gen_use_folios(t->lruvec, used, ARRAY_SIZE(used));
		window_check(test);
		expect_place(test, f[0], LRU_GEN_TOP, 0);
		expect_place(test, f[1], LRU_GEN_KEPT, 0);
		expect_place(test, f[2], LRU_GEN_KEPT, 0);
		KUNIT_EXPECT_EQ(test, p->now[LRU_GEN_FILE].seen >> 16,
				LRU_REFS_WIDTH ? 1ULL : 2ULL);
		KUNIT_EXPECT_EQ(test, p->now[LRU_GEN_ANON].seen >> 16, 1ULL);
		for (i = 0; i < 4; i++) {
			window_del(t, f[i]);
			lru_gen_place_folio(f[i], LRU_GEN_NEW);
		}
		window_open_gen(t);
		window_close_gen(t);
	}
}

/* The use that brought a folio in says when it was used, and not how often. */
static void first_use_keeps_the_tier(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_policy *p = &t->lruvec->lrugen.policy;
	struct folio **f = t->folios;

	if (!IS_ENABLED(CONFIG_MEMCG))
		kunit_skip(test, "without memcgs, the folios match no lruvec of ours");
	folio_set_referenced(f[1]);
	window_add(t, f[0], LRU_GEN_ENTER);
	window_add(t, f[1], LRU_GEN_ENTER);
	window_trim(t, 0);
	window_open_gen(t);
	p->now[LRU_GEN_ANON].seen = 0;
	p->now[LRU_GEN_FILE].seen = 0;
	lru_gen_use_folios(t->lruvec, f, 2);
	window_check(test);
	expect_place(test, f[0], LRU_GEN_OLD, 0);
	expect_place(test, f[1], LRU_GEN_KEPT, 0);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(f[0]));
	KUNIT_EXPECT_EQ(test, (p->now[LRU_GEN_ANON].seen + p->now[LRU_GEN_FILE].seen) >> 16,
			1ULL);
	lru_gen_use_folios(t->lruvec, f, 1);
	window_check(test);
	expect_place(test, f[0], LRU_GEN_KEPT, 0);
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

static u64 seen_back(struct folio *folio)
{
	return folio_lruvec(folio)->lrugen.policy.known[LRU_GEN_ANON][LRU_GEN_NEW].seen >> 16;
}

/* What swap readahead brings back counts once a fault uses it, and not before. */
static void read_ahead_is_no_refault(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct folio *folio = t->folios[1];
	struct lru_gen_window *w = &folio_lruvec(folio)->lrugen;
	void *shadow = lru_gen_evicted(folio);
	long nr;
	u64 before = seen_back(folio);

	folio_set_swapcache(folio);
	lru_gen_mark_read_ahead(folio, true);
	__lru_gen_refaulted(folio, shadow);
	KUNIT_EXPECT_EQ(test, seen_back(folio), before);
	folio_lruvec(folio)->lrugen.last_away = 0;
	folio_lruvec(folio)->lrugen.last_tier = LRU_GEN_NEW;
	lru_gen_read_ahead_hit(folio, folio_test_clear_readahead(folio));
	KUNIT_EXPECT_EQ(test, seen_back(folio), before + 1);
	lru_gen_read_ahead_hit(folio, folio_test_clear_readahead(folio));
	KUNIT_EXPECT_EQ(test, seen_back(folio), before + 1);
	lru_gen_mark_read_ahead(folio, false);
	__lru_gen_refaulted(folio, shadow);
	KUNIT_EXPECT_EQ(test, seen_back(folio), before + 2);
	folio_clear_swapcache(folio);
	/* Without a swap cache, what counts is that its entry is freed. */
	__lru_gen_refaulted(folio, shadow);
	KUNIT_EXPECT_EQ(test, seen_back(folio), before + 2);
	nr = atomic_long_read(&w->nr_freed[LRU_GEN_NEW]);
	lru_gen_swap_freed(shadow);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&w->nr_freed[LRU_GEN_NEW]),
			nr + lru_gen_enabled());
	lru_gen_place_folio(folio, LRU_GEN_NEW);
}

static struct kunit_case folio_cases[] = {
	KUNIT_CASE(marks_fit_their_bits),
	KUNIT_CASE(read_ahead_is_no_refault),
	KUNIT_CASE(folio_enters_by_its_state),
	KUNIT_CASE(folio_stays_out_when_off),
	KUNIT_CASE(folio_takes_its_place_along),
	KUNIT_CASE(eviction_sees_the_tier),
	KUNIT_CASE(uses_are_marked_and_spent),
	KUNIT_CASE(faults_are_counted_once),
	KUNIT_CASE(uses_by_page_tables_add_up),
	KUNIT_CASE(first_use_keeps_the_tier),
	{}
};

static struct kunit_suite folio_suite = {
	.name = "lru_gen_folio",
	.init = window_test_init,
	.exit = window_test_exit,
	.test_cases = folio_cases,
};

kunit_test_suite(folio_suite);
