// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the window of generations, on real folios and a lruvec that
 * nobody else knows. vmstat is replaced by counters of the test's own.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>

#include "../internal.h"

#define NR_FOLIOS	64
#define NR_STEPS	20000

/* What users would see, kept by the stub of lru_gen_account_size(). */
static long shown[NR_LRU_LISTS];

struct window_test {
	struct lruvec lruvec;
	struct folio *folios[NR_FOLIOS];
	struct rnd_state rnd;
};

/* The functions under test expect lru_lock to be held. */
static bool add(struct window_test *t, struct folio *folio, enum lru_gen_entry entry)
{
	guard(spinlock_irq)(&t->lruvec.lru_lock);
	return __lru_gen_enter(&t->lruvec, folio, entry);
}

static bool del(struct window_test *t, struct folio *folio)
{
	guard(spinlock_irq)(&t->lruvec.lru_lock);
	return __lru_gen_leave(&t->lruvec, folio);
}

static void take(struct window_test *t, struct folio *folio)
{
	guard(spinlock_irq)(&t->lruvec.lru_lock);
	lru_gen_take_folio(&t->lruvec, folio);
}

static void promote(struct window_test *t, struct folio *folio)
{
	guard(spinlock_irq)(&t->lruvec.lru_lock);
	lru_gen_promote_folio(&t->lruvec, folio);
}

static bool open_gen(struct window_test *t)
{
	guard(spinlock_irq)(&t->lruvec.lru_lock);
	return lru_gen_open(&t->lruvec);
}

static void close_gen(struct window_test *t, enum lru_gen_type type)
{
	guard(spinlock_irq)(&t->lruvec.lru_lock);
	lru_gen_close(&t->lruvec, type);
}

static bool fold(struct window_test *t, enum lru_gen_type type, int nr)
{
	guard(spinlock_irq)(&t->lruvec.lru_lock);
	return lru_gen_fold(&t->lruvec, type, nr);
}

static void count_shown(struct lruvec *lruvec, enum lru_list lru,
			enum zone_type zone, long nr)
{
	shown[lru] += nr;
}

static struct lru_gen_window *window_of(struct kunit *test)
{
	struct window_test *t = test->priv;

	return &t->lruvec.lrugen;
}

/* Like a folio that has just been read in: even ones are file, odd ones anon. */
static struct folio *new_folio(struct kunit *test, int i)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, 0);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	if (i % 2)
		__folio_set_swapbacked(folio);
	return folio;
}

static int window_test_init(struct kunit *test)
{
	struct window_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	memset(shown, 0, sizeof(shown));
	test->priv = t;
	spin_lock_init(&t->lruvec.lru_lock);
	lru_gen_init_lruvec(&t->lruvec);
	t->lruvec.lrugen.enabled = true;
	prandom_seed_state(&t->rnd, 20241117);
	for (i = 0; i < NR_FOLIOS; i++)
		t->folios[i] = new_folio(test, i);
	kunit_activate_static_stub(test, lru_gen_account_size, count_shown);
	return 0;
}

static void window_test_exit(struct kunit *test)
{
	struct window_test *t = test->priv;
	int i;

	for (i = 0; i < NR_FOLIOS; i++) {
		del(t, t->folios[i]);
		folio_clear_active(t->folios[i]);
		folio_clear_referenced(t->folios[i]);
		__folio_clear_swapbacked(t->folios[i]);
	}
	for (i = 0; i < NR_FOLIOS; i++)
		folio_put(t->folios[i]);
}

static unsigned long seq_of_folio(struct kunit *test, struct folio *folio)
{
	struct lru_gen_window *w = window_of(test);
	unsigned long seq = w->max_seq;

	KUNIT_ASSERT_GE(test, lru_gen_folio_index(folio), 0);
	while (lru_gen_index(seq) != lru_gen_folio_index(folio))
		seq--;
	return seq;
}

/* Walk every list: sizes, generation bits and what is shown have to agree. */
static void check_lists(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	long seen[NR_LRU_LISTS] = {};
	unsigned long seq;
	int type, zone, lru;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		for (seq = w->max_seq + 1 - MAX_NR_GENS; seq <= w->max_seq; seq++) {
			for (zone = 0; zone < MAX_NR_ZONES; zone++) {
				int i = lru_gen_index(seq);
				struct folio *folio;
				long nr = 0;

				list_for_each_entry(folio, &w->lists[i][type][zone], lru) {
					KUNIT_ASSERT_EQ(test, lru_gen_folio_index(folio), i);
					nr++;
				}
				KUNIT_ASSERT_EQ(test, nr, w->nr_pages[i][type][zone]);
				/* Invariant 5: nothing outside the window. */
				if (seq < w->min_seq[type])
					KUNIT_ASSERT_EQ(test, nr, 0);
				lru = type * LRU_FILE + !lru_gen_is_old(w, seq) * LRU_ACTIVE;
				seen[lru] += nr;
			}
		}
	}
	for_each_evictable_lru(lru)
		KUNIT_ASSERT_EQ(test, seen[lru], shown[lru]);
	KUNIT_ASSERT_TRUE(test, lru_gen_window_valid(&t->lruvec));
}

static void window_starts_full(struct kunit *test)
{
	struct lru_gen_window *w = window_of(test);

	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_ANON), MAX_NR_GENS);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_FILE), MAX_NR_GENS);
	check_lists(test);
}

static void window_width_is_bounded(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;

	KUNIT_EXPECT_FALSE(test, open_gen(t));
	close_gen(t, LRU_GEN_ANON);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_ANON), MIN_NR_GENS);
	/* One type still fills its window. */
	KUNIT_EXPECT_FALSE(test, open_gen(t));
	close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_TRUE(test, open_gen(t));
	KUNIT_EXPECT_TRUE(test, open_gen(t));
	KUNIT_EXPECT_FALSE(test, open_gen(t));
	check_lists(test);
}

static void window_keeps_what_is_not_empty(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	unsigned long seq = w->min_seq[LRU_GEN_FILE];

	add(t, t->folios[0], LRU_GEN_COLD);
	close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, w->min_seq[LRU_GEN_FILE], seq);
	del(t, t->folios[0]);
	close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_FILE), MIN_NR_GENS);
}

static void folio_enters_by_its_state(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	struct folio **f = t->folios;

	folio_set_active(f[0]);
	folio_set_referenced(f[0]);
	folio_set_reclaim(f[6]);
	folio_set_dirty(f[6]);
	add(t, f[0], LRU_GEN_ENTER);
	add(t, f[1], LRU_GEN_ENTER);
	add(t, f[2], LRU_GEN_ENTER);
	add(t, f[3], LRU_GEN_COLD);
	add(t, f[4], LRU_GEN_NEXT);
	add(t, f[6], LRU_GEN_ENTER);

	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[0]), w->max_seq);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[1]), w->max_seq - 1);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[2]), w->min_seq[LRU_GEN_FILE] + 1);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[3]), w->min_seq[LRU_GEN_ANON]);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[4]), w->min_seq[LRU_GEN_FILE]);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[6]), w->max_seq - 1);
	/* Activity is spent on the generation. */
	KUNIT_EXPECT_FALSE(test, folio_test_active(f[0]));
	KUNIT_EXPECT_FALSE(test, folio_test_referenced(f[0]));
	check_lists(test);
	folio_clear_reclaim(f[6]);
	folio_clear_dirty(f[6]);
}

static void folio_stays_out_when_off(struct kunit *test)
{
	struct window_test *t = test->priv;

	t->lruvec.lrugen.enabled = false;
	KUNIT_EXPECT_FALSE(test, add(t, t->folios[0], LRU_GEN_ENTER));
	KUNIT_EXPECT_LT(test, lru_gen_folio_index(t->folios[0]), 0);
	KUNIT_EXPECT_FALSE(test, del(t, t->folios[0]));
	t->lruvec.lrugen.enabled = true;
	folio_set_unevictable(t->folios[0]);
	KUNIT_EXPECT_FALSE(test, add(t, t->folios[0], LRU_GEN_ENTER));
	folio_clear_unevictable(t->folios[0]);
}

static void folio_leaves_active_if_young(struct kunit *test)
{
	struct window_test *t = test->priv;

	add(t, t->folios[1], LRU_GEN_ENTER);
	add(t, t->folios[3], LRU_GEN_COLD);
	del(t, t->folios[1]);
	del(t, t->folios[3]);
	KUNIT_EXPECT_TRUE(test, folio_test_active(t->folios[1]));
	KUNIT_EXPECT_FALSE(test, folio_test_active(t->folios[3]));

	/* Not for eviction: what is isolated for that has lost its place. */
	folio_clear_active(t->folios[1]);
	add(t, t->folios[1], LRU_GEN_ENTER);
	take(t, t->folios[1]);
	KUNIT_EXPECT_FALSE(test, folio_test_active(t->folios[1]));
	check_lists(test);
}

static void uses_are_counted_and_spent(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct folio *folio = t->folios[0];
	unsigned int full = LRU_REFS_MASK >> LRU_REFS_PGOFF;
	unsigned int i;

	add(t, folio, LRU_GEN_COLD);
	__lru_gen_mark_accessed(folio);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	for (i = 0; i < full + 3; i++) {
		KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), min(i, full));
		__lru_gen_mark_accessed(folio);
	}
	/* Counting must not spill into the generation. */
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, folio),
			window_of(test)->min_seq[LRU_GEN_FILE]);
	promote(t, folio);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, folio),
			window_of(test)->min_seq[LRU_GEN_FILE] + 1);
	check_lists(test);
}

static void fold_keeps_order(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	struct folio *folio;
	int i, want = 0, calls = 0;

	/* File folios 0, 2, .. 30 from old to young, half of them folded in. */
	for (i = 0; i < 16; i += 2)
		add(t, t->folios[i], LRU_GEN_COLD);
	for (; i < 32; i += 2)
		add(t, t->folios[i], LRU_GEN_ENTER);
	while (!fold(t, LRU_GEN_FILE, 3)) {
		check_lists(test);
		calls++;
	}
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_FILE), MAX_NR_GENS - 1);
	i = lru_gen_index(w->min_seq[LRU_GEN_FILE]);
	list_for_each_entry_reverse(folio, &w->lists[i][LRU_GEN_FILE]
				    [folio_zonenum(t->folios[0])], lru) {
		if (folio_zonenum(folio) != folio_zonenum(t->folios[want]))
			continue;
		KUNIT_EXPECT_PTR_EQ(test, folio, t->folios[want]);
		want += 2;
	}
	KUNIT_EXPECT_EQ(test, want, 32);
	check_lists(test);
}

static void random_step(struct window_test *t)
{
	struct folio *folio = t->folios[prandom_u32_state(&t->rnd) % NR_FOLIOS];
	enum lru_gen_type type = prandom_u32_state(&t->rnd) % LRU_GEN_NR_TYPES;
	unsigned int dice = prandom_u32_state(&t->rnd) % 16;
	int index = lru_gen_folio_index(folio);

	if (dice == 0)
		open_gen(t);
	else if (dice == 1)
		close_gen(t, type);
	else if (dice == 2 && lru_gen_width(&t->lruvec.lrugen, type) == MAX_NR_GENS)
		fold(t, type, 1 + dice * 2);
	else if (dice < 5)
		__lru_gen_mark_accessed(folio);
	else if (index < 0)
		add(t, folio, dice % 3);
	else if (dice < 8 && index != lru_gen_index(t->lruvec.lrugen.max_seq))
		promote(t, folio);
	else if (dice < 12)
		del(t, folio);
	else
		take(t, folio);
}

static void invariants_hold_at_random(struct kunit *test)
{
	struct window_test *t = test->priv;
	unsigned long before = t->lruvec.lrugen.max_seq;
	int i;

	for (i = 0; i < NR_STEPS; i++) {
		random_step(t);
		check_lists(test);
	}
	/* A walk that never moved the window would prove nothing. */
	KUNIT_EXPECT_GT(test, t->lruvec.lrugen.max_seq, before + 100);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(window_starts_full),
	KUNIT_CASE(window_width_is_bounded),
	KUNIT_CASE(window_keeps_what_is_not_empty),
	KUNIT_CASE(folio_enters_by_its_state),
	KUNIT_CASE(folio_stays_out_when_off),
	KUNIT_CASE(folio_leaves_active_if_young),
	KUNIT_CASE(uses_are_counted_and_spent),
	KUNIT_CASE(fold_keeps_order),
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
