// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the policy's arithmetic. Nothing here needs a folio.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../tier.h"

#define TOP	LRU_GEN_TOP_CLASS

/* A lruvec of this many pages, unless a test says otherwise. */
#define PAGES	32000UL

static void refault_class_test(struct kunit *test)
{
	unsigned long max_seq = 50;

	KUNIT_EXPECT_EQ(test, lru_gen_refault_class(max_seq, 50), TOP);
	KUNIT_EXPECT_EQ(test, lru_gen_refault_class(max_seq, 49), TOP);
	KUNIT_EXPECT_EQ(test, lru_gen_refault_class(max_seq, 48), 3U);
	KUNIT_EXPECT_EQ(test, lru_gen_refault_class(max_seq, 46), 1U);
	KUNIT_EXPECT_EQ(test, lru_gen_refault_class(max_seq, 45), 1U);
	KUNIT_EXPECT_EQ(test, lru_gen_refault_class(max_seq, 0), 1U);
	/* Generation numbers wrap, in theory. */
	KUNIT_EXPECT_EQ(test, lru_gen_refault_class(1, ULONG_MAX), 3U);
}

static void refault_near_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .clock = 40, .walked = ULONG_MAX - 59 };

	KUNIT_EXPECT_TRUE(test, lru_gen_refault_is_near(&fb, 0));
	KUNIT_EXPECT_TRUE(test, lru_gen_refault_is_near(&fb, 100));
	KUNIT_EXPECT_FALSE(test, lru_gen_refault_is_near(&fb, 101));
}

/* Close an interval in which @nr were evicted and @near of them came back. */
static void close_interval(struct lru_gen_feedback *fb, const struct lru_gen_seen *seen,
			   unsigned long nr, unsigned long near)
{
	lru_gen_note_evicted(fb, nr);
	lru_gen_note_near(fb, near);
	lru_gen_note_walk(fb, seen);
}

static unsigned int count_decays(struct lru_gen_feedback *fb)
{
	unsigned int nr = 0;

	while (lru_gen_decay_due(fb))
		nr++;
	return nr;
}

/* Decays after an interval that began at @clock. */
static unsigned int decays_at(unsigned long clock, const struct lru_gen_seen *seen,
			      unsigned long nr, unsigned long near)
{
	struct lru_gen_feedback fb = { .clock = clock, .walked = clock, .has_walked = true };

	close_interval(&fb, seen, nr, near);
	return count_decays(&fb);
}

static void walk_due_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .clock = ULONG_MAX - 1000 };
	struct lru_gen_seen seen = { .nr = { { PAGES } } };

	KUNIT_EXPECT_TRUE(test, lru_gen_walk_due(&fb, PAGES));
	lru_gen_note_walk(&fb, &seen);
	KUNIT_EXPECT_FALSE(test, lru_gen_walk_due(&fb, PAGES));
	lru_gen_note_evicted(&fb, PAGES / 8 - 1);
	KUNIT_EXPECT_FALSE(test, lru_gen_walk_due(&fb, PAGES));
	lru_gen_note_evicted(&fb, 1);
	KUNIT_EXPECT_TRUE(test, lru_gen_walk_due(&fb, PAGES));
}

/* A walk comes early when much more comes back than did before. */
static void walk_early_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .has_walked = true };
	struct lru_gen_seen seen = { .nr = { { PAGES } } };

	lru_gen_note_evicted(&fb, PAGES / 16 - 1);
	lru_gen_note_near(&fb, PAGES / 64);
	KUNIT_EXPECT_FALSE(test, lru_gen_walk_due(&fb, PAGES));
	lru_gen_note_evicted(&fb, 1);
	KUNIT_EXPECT_TRUE(test, lru_gen_walk_due(&fb, PAGES));
	lru_gen_note_walk(&fb, &seen);

	lru_gen_note_evicted(&fb, PAGES / 16);
	lru_gen_note_near(&fb, PAGES / 64);
	KUNIT_EXPECT_FALSE(test, lru_gen_walk_due(&fb, PAGES));
}

/* A few pages are walked for at first, then once a batch: nothing divides by zero. */
static void walk_empty_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };
	struct lru_gen_seen seen = { };

	KUNIT_EXPECT_TRUE(test, lru_gen_walk_due(&fb, 0));
	lru_gen_note_walk(&fb, &seen);
	KUNIT_EXPECT_EQ(test, count_decays(&fb), 0U);
	KUNIT_EXPECT_FALSE(test, lru_gen_walk_due(&fb, 0));
	lru_gen_note_evicted(&fb, 32);
	KUNIT_EXPECT_TRUE(test, lru_gen_walk_due(&fb, 0));
}

/* What a walk finds is averaged with what was found before, list by list. */
static void measure_use_test(struct kunit *test)
{
	struct lru_gen_seen seen = { .nr = { { 0, 0, 8000 }, { 16000, 10, 0 } } };
	struct lru_gen_feedback fb = { };

	seen.young[LRU_GEN_ANON][2] = 4000;
	seen.young[LRU_GEN_FILE][1] = 10;
	lru_gen_note_walk(&fb, &seen);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_ANON][2], 513);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_FILE][0], 1);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_FILE][1], 0);
	seen.young[LRU_GEN_ANON][2] = 0;
	lru_gen_note_walk(&fb, &seen);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_ANON][2], 257);
	lru_gen_note_open(&fb);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_ANON][1], 257);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_ANON][2], 0);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_FILE][0], 1);
}

/* The top idle, while a tenth of what goes comes back: all of it is forgotten. */
static void stale_top_test(struct kunit *test)
{
	struct lru_gen_seen seen = { .nr = { { 1000, 0, 0, 16000, 15000 } } };

	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), TOP);
	KUNIT_EXPECT_EQ(test, decays_at(ULONG_MAX - 10, &seen, 4000, 400), TOP);
	/* A miss rate as such means nothing. */
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 0), 0U);
	seen.young[LRU_GEN_ANON][3] = 8000;
	seen.young[LRU_GEN_ANON][4] = 8000;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), 0U);
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 2000), TOP);
	/* A class in use beneath does not save an idle top. */
	seen.young[LRU_GEN_ANON][4] = 0;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), TOP);
}

/* It makes no difference of which type the pages are. */
static void stale_types_test(struct kunit *test)
{
	struct lru_gen_seen seen = { .nr = { { 1000, 0, 0, 0, 15000 }, { 0, 0, 0, 16000, 0 } } };

	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), TOP);
	seen.young[LRU_GEN_FILE][3] = 8000;
	seen.young[LRU_GEN_ANON][4] = 8000;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), 0U);
}

static void fresh_test(struct kunit *test)
{
	struct lru_gen_seen seen = { .nr = { { 2000, 15000, 15000, 0, 0 } } };

	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), TOP);
	/* What came in since the last walk cannot be judged yet. */
	seen.fresh[LRU_GEN_ANON][1] = 15000;
	seen.fresh[LRU_GEN_ANON][2] = 15000;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), 0U);
	/* Counts that are not of one moment must not do harm. */
	seen.fresh[LRU_GEN_ANON][2] = 16000;
	seen.young[LRU_GEN_ANON][2] = 100;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), 0U);
}

/* Once what is used lies in the bottom, there is nothing more to forget. */
static void bottom_in_use_test(struct kunit *test)
{
	struct lru_gen_seen seen = { .nr = { { 16000, 12000, 4000, 0, 0 } } };

	seen.young[LRU_GEN_ANON][0] = 8000;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), 0U);
	seen.young[LRU_GEN_ANON][0] = 800;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), TOP);
	/* A bottom of a few pages is no evidence. */
	seen.nr[LRU_GEN_ANON][0] = 900;
	seen.nr[LRU_GEN_ANON][1] = 27100;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 400), TOP);
}

static void full_top_test(struct kunit *test)
{
	struct lru_gen_seen seen = { .nr = { { 1000, 5000, 5000, 5000, 16000 } } };

	seen.young[LRU_GEN_ANON][TOP] = 16000;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 100), 0U);
	seen.nr[LRU_GEN_ANON][TOP]++;
	seen.nr[LRU_GEN_ANON][1]--;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 4000, 100), 1U);
}

/* A memcg of 300 pages is judged by a dozen refaults, not by one or two. */
static void tiny_test(struct kunit *test)
{
	struct lru_gen_seen seen = { .nr = { { 20, 40, 60, 80, 100 } } };

	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 38, 12), TOP);
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 38, 2), 0U);
	seen.young[LRU_GEN_ANON][2] = 20;
	seen.young[LRU_GEN_ANON][3] = 40;
	seen.young[LRU_GEN_ANON][4] = 60;
	KUNIT_EXPECT_EQ(test, decays_at(0, &seen, 38, 12), 0U);
}

/* Evidence is of one interval: the next walk decides anew. */
static void expiry_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .has_walked = true };
	struct lru_gen_seen seen = { .nr = { { 1000, 0, 0, 16000, 15000 } } };

	close_interval(&fb, &seen, 4000, 400);
	KUNIT_EXPECT_TRUE(test, lru_gen_decay_due(&fb));
	close_interval(&fb, &seen, 4000, 0);
	KUNIT_EXPECT_EQ(test, count_decays(&fb), 0U);
	KUNIT_EXPECT_EQ(test, fb.nr_near, 0UL);
	KUNIT_EXPECT_EQ(test, fb.back, 0U);
	KUNIT_EXPECT_EQ(test, fb.nr_walks, 2UL);
}

/* What spares new anon pages is forgotten as walks go by, if nothing is swapped. */
static void forget_swapped_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .nr_swapped = 8000, .nr_returned = 8000, .away = 64000 };
	struct lru_gen_seen seen = { .nr = { { PAGES } } };
	unsigned int before = lru_gen_share_returned(&fb, PAGES);

	close_interval(&fb, &seen, 4000, 0);
	KUNIT_EXPECT_LT(test, lru_gen_share_returned(&fb, PAGES), before);
	KUNIT_EXPECT_GT(test, lru_gen_share_returned(&fb, PAGES), 0U);
}

/* More may come back than was evicted, when batches are counted late. */
static void late_count_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .has_walked = true };
	struct lru_gen_seen seen = { .nr = { { PAGES } } };

	close_interval(&fb, &seen, 0, 50);
	KUNIT_EXPECT_EQ(test, fb.back, 0U);
	close_interval(&fb, &seen, 100, 5000);
	KUNIT_EXPECT_LE(test, fb.back, 1024U);
	KUNIT_EXPECT_GT(test, fb.back, 512U);
}

static struct kunit_case tier_cases[] = {
	KUNIT_CASE(refault_class_test),
	KUNIT_CASE(refault_near_test),
	KUNIT_CASE(walk_due_test),
	KUNIT_CASE(walk_early_test),
	KUNIT_CASE(walk_empty_test),
	KUNIT_CASE(measure_use_test),
	KUNIT_CASE(stale_top_test),
	KUNIT_CASE(stale_types_test),
	KUNIT_CASE(fresh_test),
	KUNIT_CASE(bottom_in_use_test),
	KUNIT_CASE(full_top_test),
	KUNIT_CASE(tiny_test),
	KUNIT_CASE(expiry_test),
	KUNIT_CASE(forget_swapped_test),
	KUNIT_CASE(late_count_test),
	{}
};

static struct kunit_suite tier_suite = {
	.name = "lru_gen_tier",
	.test_cases = tier_cases,
};

kunit_test_suite(tier_suite);
