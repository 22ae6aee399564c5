// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the window of generations, on real folios and a lruvec that
 * nobody else knows. vmstat is replaced by counters of the test's own.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
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
	struct lru_gen_moved moved = { };

	guard(spinlock_irq)(&t->lruvec.lru_lock);
	lru_gen_take_folio(&t->lruvec, folio, &moved);
	lru_gen_account_moved(&t->lruvec, &moved);
}

static void promote(struct window_test *t, struct folio *folio, unsigned int nr_uses)
{
	struct lru_gen_moved moved = { };

	guard(spinlock_irq)(&t->lruvec.lru_lock);
	lru_gen_promote_folio(&t->lruvec, folio, nr_uses, &moved);
	lru_gen_account_moved(&t->lruvec, &moved);
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
	/* What is on a list has a memcg, if there are any. */
	KUNIT_ASSERT_EQ(test, mem_cgroup_charge(folio, NULL, GFP_KERNEL), 0);
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

/* Compare a list with what is said of it; returns the pages on it. */
static long check_list(struct kunit *test, enum lru_gen_type type, unsigned int i)
{
	struct lru_gen_window *w = window_of(test);
	long nr[MAX_NR_ZONES] = {};
	struct folio *folio;
	long total = 0;
	int zone;

	list_for_each_entry(folio, &w->lists[i][type], lru) {
		KUNIT_ASSERT_EQ(test, lru_gen_folio_index(folio), i);
		nr[folio_zonenum(folio)]++;
	}
	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		KUNIT_ASSERT_EQ(test, nr[zone], w->nr_pages[i][type][zone]);
		total += nr[zone];
	}
	return total;
}

/* Walk every list: sizes, generation bits and what is shown have to agree. */
static void check_lists(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	long seen[NR_LRU_LISTS] = {};
	int type, lru, behind;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (behind = 0; behind < MAX_NR_GENS; behind++) {
			unsigned long seq = w->max_seq - behind;
			long nr = check_list(test, type, lru_gen_index(seq));

			/* Invariant 5: nothing outside the window. */
			if (behind >= lru_gen_width(w, type))
				KUNIT_ASSERT_EQ(test, nr, 0);
			seen[type * LRU_FILE + (behind < LRU_GEN_TOP_CLASS) * LRU_ACTIVE] += nr;
		}
	for_each_evictable_lru(lru)
		KUNIT_ASSERT_EQ(test, seen[lru], shown[lru]);
	KUNIT_ASSERT_TRUE(test, lru_gen_window_valid(&t->lruvec));
}

static void window_starts_narrow(struct kunit *test)
{
	struct lru_gen_window *w = window_of(test);

	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_ANON), LRU_GEN_NR_CLASSES);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_FILE), LRU_GEN_NR_CLASSES);
	check_lists(test);
}

static void window_width_is_bounded(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	int i;

	for (i = LRU_GEN_NR_CLASSES; i < MAX_NR_GENS; i++)
		KUNIT_EXPECT_TRUE(test, open_gen(t));
	KUNIT_EXPECT_FALSE(test, open_gen(t));
	close_gen(t, LRU_GEN_ANON);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_ANON), LRU_GEN_NR_CLASSES);
	/* One type still fills its window. */
	KUNIT_EXPECT_FALSE(test, open_gen(t));
	close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_TRUE(test, open_gen(t));
	check_lists(test);
}

static void window_keeps_what_is_not_empty(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	unsigned long seq = w->min_seq[LRU_GEN_FILE];

	add(t, t->folios[0], LRU_GEN_ENTER);
	open_gen(t);
	close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, w->min_seq[LRU_GEN_FILE], seq);
	del(t, t->folios[0]);
	close_gen(t, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, w->min_seq[LRU_GEN_FILE], seq + 1);
}

static void folio_enters_by_its_state(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	struct folio **f = t->folios;
	unsigned long base;

	open_gen(t);
	base = lru_gen_base(w);
	folio_set_active(f[0]);
	lru_gen_place_folio(f[2], LRU_GEN_TOP_CLASS);
	folio_set_reclaim(f[6]);
	folio_set_dirty(f[6]);
	add(t, f[0], LRU_GEN_ENTER);
	add(t, f[1], LRU_GEN_ENTER);
	add(t, f[2], LRU_GEN_ENTER);
	add(t, f[3], LRU_GEN_COLD);
	add(t, f[4], LRU_GEN_NEXT);
	add(t, f[6], LRU_GEN_ENTER);

	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[0]), base + 1);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[1]), base);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[2]), w->max_seq);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[3]), w->min_seq[LRU_GEN_ANON]);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[4]), w->min_seq[LRU_GEN_FILE]);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, f[6]), base + 1);
	/* What put them there is spent on it. */
	KUNIT_EXPECT_FALSE(test, folio_test_active(f[0]));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(f[2]), 0);
	check_lists(test);
	folio_clear_reclaim(f[6]);
	folio_clear_dirty(f[6]);
}

/* Whatever class a folio leaves, it comes back to, if nothing has happened. */
static void folio_takes_its_class_along(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	struct folio *folio = t->folios[1];
	unsigned int class;

	for (class = 0; class < LRU_GEN_NR_CLASSES; class++) {
		add(t, folio, LRU_GEN_ENTER);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, seq_of_folio(test, folio)), class);
		del(t, folio);
		KUNIT_EXPECT_EQ(test, folio_test_active(folio), class > 0);
		add(t, folio, LRU_GEN_ENTER);
		KUNIT_EXPECT_EQ(test, lru_gen_class(w, seq_of_folio(test, folio)), class);
		promote(t, folio, 1);
		del(t, folio);
		check_lists(test);
	}
}

/* The use bits of a folio isolated for eviction are what its shadow will say. */
static void eviction_sees_the_class(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	struct folio *folio = t->folios[1];

	add(t, folio, LRU_GEN_ENTER);
	promote(t, folio, 2);
	take(t, folio);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 2);
	KUNIT_EXPECT_FALSE(test, folio_test_active(folio));
	/* Put back because it is in use, it has earned another one. */
	folio_set_active(folio);
	add(t, folio, LRU_GEN_ENTER);
	KUNIT_EXPECT_EQ(test, lru_gen_class(w, seq_of_folio(test, folio)), 3);
	check_lists(test);
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

/* Reads leave one mark, however many they are, that is worth a class. */
static void uses_are_marked_and_spent(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	struct folio *folio = t->folios[0];
	int i;

	add(t, folio, LRU_GEN_ENTER);
	__lru_gen_mark_accessed(folio);
	KUNIT_EXPECT_TRUE(test, folio_test_referenced(folio));
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	for (i = 0; i < 5; i++)
		__lru_gen_mark_accessed(folio);
	KUNIT_EXPECT_GT(test, lru_gen_folio_refs(folio), 0);
	/* The mark must not spill into the generation. */
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, folio), lru_gen_base(w));
	promote(t, folio, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_folio_refs(folio), 0);
	KUNIT_EXPECT_EQ(test, seq_of_folio(test, folio), lru_gen_base(w) + 1);
	check_lists(test);
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
		add(t, t->folios[i], LRU_GEN_ENTER);
	open_gen(t);
	for (; i < 32; i += 2)
		add(t, t->folios[i], LRU_GEN_ENTER);
	open_gen(t);
	open_gen(t);
	while (!fold(t, LRU_GEN_FILE, 3)) {
		check_lists(test);
		calls++;
	}
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, lru_gen_width(w, LRU_GEN_FILE), MAX_NR_GENS - 1);
	i = lru_gen_index(w->min_seq[LRU_GEN_FILE]);
	list_for_each_entry_reverse(folio, &w->lists[i][LRU_GEN_FILE], lru) {
		KUNIT_EXPECT_PTR_EQ(test, folio, t->folios[want]);
		want += 2;
	}
	KUNIT_EXPECT_EQ(test, want, 32);
	check_lists(test);
}

/* Folded into an empty list, folios keep the time they came at, at both ends. */
static void fold_keeps_times(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec.lrugen;
	struct lru_gen_span *span;
	int i;

	for (i = 0; i < 8; i += 2) {
		add(t, t->folios[i], LRU_GEN_ENTER);
		w->feedback.clock += 100;
	}
	while (open_gen(t))
		;
	KUNIT_EXPECT_FALSE(test, fold(t, LRU_GEN_FILE, 3));
	KUNIT_EXPECT_TRUE(test, fold(t, LRU_GEN_FILE, 3));
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
		open_gen(t);
	else if (dice == 1)
		close_gen(t, type);
	else if (dice == 2 && lru_gen_width(&t->lruvec.lrugen, type) == MAX_NR_GENS)
		fold(t, type, 1 + dice * 2);
	else if (dice < 5)
		__lru_gen_mark_accessed(folio);
	else if (index < 0)
		add(t, folio, dice % 3);
	else if (dice < 8)
		promote(t, folio, dice - 5);
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
	KUNIT_CASE(window_starts_narrow),
	KUNIT_CASE(window_width_is_bounded),
	KUNIT_CASE(window_keeps_what_is_not_empty),
	KUNIT_CASE(folio_enters_by_its_state),
	KUNIT_CASE(folio_stays_out_when_off),
	KUNIT_CASE(folio_takes_its_class_along),
	KUNIT_CASE(eviction_sees_the_class),
	KUNIT_CASE(uses_are_marked_and_spent),
	KUNIT_CASE(faults_are_counted_once),
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
