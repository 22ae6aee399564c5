// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is known of anon pages that had to go.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../tier.h"

/* A lruvec of this many pages, unless a test says otherwise. */
#define PAGES	32000UL

/* In units of lru_gen_time_away(): for as long as all pages take. */
#define ALL	64U

static void time_away_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lru_gen_time_away(0, PAGES), 0U);
	KUNIT_EXPECT_EQ(test, lru_gen_time_away(500, PAGES), 1U);
	KUNIT_EXPECT_EQ(test, lru_gen_time_away(PAGES / 2, PAGES), ALL / 2);
	KUNIT_EXPECT_EQ(test, lru_gen_time_away(PAGES, PAGES), ALL);
	/* All pages may have become fewer meanwhile, or none at all. */
	KUNIT_EXPECT_EQ(test, lru_gen_time_away(PAGES * 2, PAGES), ALL);
	KUNIT_EXPECT_EQ(test, lru_gen_time_away(0, 0), 0U);
	KUNIT_EXPECT_EQ(test, lru_gen_time_away(ULONG_MAX, 0), ALL);
}

/* Of 8000 that count half came back, half way through, so that they were away for less. */
static void share_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };

	KUNIT_EXPECT_EQ(test, lru_gen_share_returned(&fb, PAGES), 0U);
	lru_gen_note_swapped(&fb, 4000, PAGES);
	KUNIT_EXPECT_EQ(test, lru_gen_share_returned(&fb, PAGES), 0U);
	lru_gen_note_returned(&fb, 4000, 4000 * ALL / 2);
	/* Intervals in which one could have come: 4000 times 4, and 4000 times 8. */
	KUNIT_EXPECT_EQ(test, lru_gen_share_returned(&fb, PAGES), 4000U * 1024 / 48000);
}

/* As many tell the more the sooner they came, up to all of them in each interval. */
static void sooner_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .nr_swapped = 4000 };
	unsigned int away, share, last = 0;

	for (away = ALL; away; away -= 8) {
		fb.nr_returned = 8000;
		fb.away = 8000 * away;
		share = lru_gen_share_returned(&fb, PAGES);
		KUNIT_EXPECT_GT(test, share, last);
		last = share;
	}
	KUNIT_EXPECT_EQ(test, last, 1024U);
}

/* What is known fades, once there is enough. */
static void fade_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };

	lru_gen_note_swapped(&fb, PAGES / 4, PAGES);
	lru_gen_note_returned(&fb, 4000, 9000);
	KUNIT_EXPECT_EQ(test, fb.nr_swapped, PAGES / 4);
	lru_gen_note_swapped(&fb, 32, PAGES);
	KUNIT_EXPECT_EQ(test, fb.nr_swapped, PAGES / 8 + 16);
	KUNIT_EXPECT_EQ(test, fb.nr_returned, 2000UL);
	KUNIT_EXPECT_EQ(test, fb.away, 4500UL);
}

/* What spares anon pages is forgotten by walks alone, and not at once. */
static void forget_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .nr_swapped = 8000, .nr_returned = 8000, .away = 64000 };
	unsigned int first = lru_gen_share_returned(&fb, PAGES), last = first, share;
	int i;

	for (i = 0; i < 8; i++)
		lru_gen_forget_swapped(&fb);
	KUNIT_EXPECT_GT(test, lru_gen_share_returned(&fb, PAGES), first / 2);
	for (i = 0; i < 1000; i++) {
		lru_gen_forget_swapped(&fb);
		share = lru_gen_share_returned(&fb, PAGES);
		KUNIT_EXPECT_LE(test, share, last);
		last = share;
	}
	KUNIT_EXPECT_EQ(test, last, 0U);
	KUNIT_EXPECT_EQ(test, fb.nr_swapped, 0UL);
	KUNIT_EXPECT_EQ(test, fb.away, 0UL);
}

/* What came back may have been evicted before any was counted, and so be more. */
static void more_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };

	lru_gen_note_returned(&fb, 1000000, 1000000UL * ALL);
	lru_gen_note_swapped(&fb, 1, PAGES);
	KUNIT_EXPECT_LE(test, lru_gen_share_returned(&fb, PAGES), 1024U);
	KUNIT_EXPECT_LE(test, lru_gen_share_returned(&fb, 0), 1024U);
	fb.away = 0;
	KUNIT_EXPECT_EQ(test, lru_gen_share_returned(&fb, PAGES), 1024U);
	fb.nr_swapped = 0;
	KUNIT_EXPECT_EQ(test, lru_gen_share_returned(&fb, 0), 0U);
}

static struct kunit_case swapped_cases[] = {
	KUNIT_CASE(time_away_test),
	KUNIT_CASE(share_test),
	KUNIT_CASE(sooner_test),
	KUNIT_CASE(fade_test),
	KUNIT_CASE(forget_test),
	KUNIT_CASE(more_test),
	{}
};

static struct kunit_suite swapped_suite = {
	.name = "lru_gen_swapped",
	.test_cases = swapped_cases,
};

kunit_test_suite(swapped_suite);
