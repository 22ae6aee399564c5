// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the accounts of generations, on a lruvec nobody else knows.
 */
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../internal.h"

static int stats_test_init(struct kunit *test)
{
	struct lruvec *lruvec = kunit_kzalloc(test, sizeof(*lruvec), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, lruvec);
	spin_lock_init(&lruvec->lru_lock);
	lru_gen_init_lruvec(lruvec);
	test->priv = lruvec;
	return 0;
}

static struct lru_gen_tally tally(struct kunit *test, enum lru_gen_type type,
				  unsigned long seq)
{
	struct lruvec *lruvec = test->priv;

	return lru_gen_read_tally(&lruvec->lrugen, type, 1, seq);
}

/* One more, and one less. */
static void advance(struct lruvec *lruvec)
{
	guard(spinlock_irq)(&lruvec->lru_lock);
	lru_gen_open(lruvec);
	lru_gen_close(lruvec);
}

static void count(struct lruvec *lruvec, enum lru_gen_type type, unsigned int nr)
{
	guard(spinlock_irq)(&lruvec->lru_lock);
	lru_gen_count_refaulted(lruvec, type, 1, nr);
	lru_gen_count_evicted(lruvec, type, 1, 2 * nr);
	lru_gen_count_protected(lruvec, type, 1, 3 * nr);
}

static void counts_go_to_the_oldest(struct kunit *test)
{
	struct lruvec *lruvec = test->priv;
	struct lru_gen_tally t;

	count(lruvec, LRU_GEN_FILE, 5);
	count(lruvec, LRU_GEN_FILE, 5);
	t = tally(test, LRU_GEN_FILE, lru_gen_min_seq(&lruvec->lrugen));
	KUNIT_EXPECT_EQ(test, t.refaulted, 10);
	KUNIT_EXPECT_EQ(test, t.evicted, 20);
	KUNIT_EXPECT_EQ(test, t.protected, 30);
	t = tally(test, LRU_GEN_ANON, lru_gen_min_seq(&lruvec->lrugen));
	KUNIT_EXPECT_EQ(test, t.refaulted + t.evicted + t.protected, 0);
}

static void carrying_halves_the_past(struct kunit *test)
{
	struct lruvec *lruvec = test->priv;
	struct lru_gen_stats *stats = &lruvec->lrugen.stats;
	struct lru_gen_tally t;

	count(lruvec, LRU_GEN_ANON, 64);
	advance(lruvec);
	KUNIT_EXPECT_EQ(test, stats->avg_refaulted[LRU_GEN_ANON][1], 32);
	KUNIT_EXPECT_EQ(test, stats->avg_total[LRU_GEN_ANON][1], 160);
	/* The next generation starts from nothing. */
	t = tally(test, LRU_GEN_ANON, lru_gen_min_seq(&lruvec->lrugen));
	KUNIT_EXPECT_EQ(test, t.refaulted + t.evicted + t.protected, 0);
	count(lruvec, LRU_GEN_ANON, 8);
	advance(lruvec);
	KUNIT_EXPECT_EQ(test, stats->avg_refaulted[LRU_GEN_ANON][1], 20);
	KUNIT_EXPECT_EQ(test, stats->avg_total[LRU_GEN_ANON][1], 100);
	KUNIT_EXPECT_EQ(test, stats->avg_total[LRU_GEN_FILE][1], 0);
	KUNIT_EXPECT_EQ(test, stats->avg_total[LRU_GEN_ANON][0], 0);
}

static void large_counts_do_not_wrap(struct kunit *test)
{
	struct lruvec *lruvec = test->priv;
	struct lru_gen_stats *stats = &lruvec->lrugen.stats;
	unsigned long seq = lru_gen_min_seq(&lruvec->lrugen);

	lru_gen_count_evicted(lruvec, LRU_GEN_FILE, 1, U32_MAX);
	KUNIT_EXPECT_EQ(test, tally(test, LRU_GEN_FILE, seq).evicted, (unsigned long)U32_MAX);
	stats->avg_total[LRU_GEN_FILE][1] = U32_MAX;
	advance(lruvec);
	KUNIT_EXPECT_EQ(test, stats->avg_total[LRU_GEN_FILE][1], U32_MAX);
}

/* Shown until the place is taken if there is a history, else kept on and on. */
static void walks_are_added_up(struct kunit *test)
{
	static const unsigned long nr[LRU_GEN_NR_WALK_ITEMS] = { 40, 30, 20, 10 };
	struct lruvec *lruvec = test->priv;
	struct lru_gen_window *w = &lruvec->lrugen;
	unsigned long *walk = lru_gen_history_of(w, w->max_seq)->walk;

	guard(spinlock_irq)(&lruvec->lru_lock);
	lru_gen_count_walk(lruvec, nr);
	lru_gen_count_walk(lruvec, nr);
	KUNIT_EXPECT_EQ(test, walk[LRU_GEN_WALK_TOTAL], 80);
	KUNIT_EXPECT_EQ(test, walk[LRU_GEN_WALK_ADDED], 20);
	lru_gen_stats_open(lruvec, w->max_seq + 1);
	KUNIT_EXPECT_EQ(test, walk[LRU_GEN_WALK_YOUNG], 60);
	lru_gen_stats_open(lruvec, w->max_seq + MAX_NR_GENS);
	KUNIT_EXPECT_EQ(test, walk[LRU_GEN_WALK_YOUNG], LRU_GEN_NR_HISTORY > 1 ? 0 : 60);
}

static struct kunit_case stats_cases[] = {
	KUNIT_CASE(counts_go_to_the_oldest),
	KUNIT_CASE(carrying_halves_the_past),
	KUNIT_CASE(large_counts_do_not_wrap),
	KUNIT_CASE(walks_are_added_up),
	{}
};

static struct kunit_suite stats_suite = {
	.name = "lru_gen_stats",
	.init = stats_test_init,
	.test_cases = stats_cases,
};

kunit_test_suite(stats_suite);
