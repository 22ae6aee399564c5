// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the balance between file and anon pages.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "../tier.h"

/* A lruvec of this many pages, unless a test says otherwise. */
#define PAGES	32000UL

/* Excess when file pages are taken for 64 times their age. */
#define MOST	(63 * LRU_GEN_SHARE)

/* 1000 of each type go, so many of them come back, and it is corrected. */
static void let_go(struct lru_gen_feedback *fb, unsigned long anon_back, unsigned long file_back,
		   int swappiness)
{
	lru_gen_note_gone(fb, LRU_GEN_ANON, 1000);
	lru_gen_note_gone(fb, LRU_GEN_FILE, 1000);
	lru_gen_note_soon(fb, LRU_GEN_ANON, anon_back);
	lru_gen_note_soon(fb, LRU_GEN_FILE, file_back);
	fb->clock += 2000;
	lru_gen_correct(fb, swappiness, PAGES);
}

static void soon_test(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, lru_gen_is_soon(PAGES / 8, PAGES));
	KUNIT_EXPECT_FALSE(test, lru_gen_is_soon(PAGES / 8 + 1, PAGES));
	/* A lruvec that is all but empty still evicts in batches. */
	KUNIT_EXPECT_TRUE(test, lru_gen_is_soon(32, 0));
	KUNIT_EXPECT_FALSE(test, lru_gen_is_soon(33, 0));
}

/* By the root of the ratio, four times at most, 64 times in all. */
static void step_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };
	int i;

	let_go(&fb, 800, 400, 100);
	KUNIT_EXPECT_GT(test, fb.excess, 420U);
	KUNIT_EXPECT_LT(test, fb.excess, 428U);
	memset(&fb, 0, sizeof(fb));
	let_go(&fb, 1000, 0, 100);
	KUNIT_EXPECT_EQ(test, fb.excess, 3 * LRU_GEN_SHARE);
	for (i = 0; i < 10; i++)
		let_go(&fb, 1000, 0, 100);
	KUNIT_EXPECT_EQ(test, fb.excess, MOST);
}

/* What is cheap to bring back may come back more often. */
static void cost_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };

	let_go(&fb, 300, 700, 60);
	KUNIT_EXPECT_LE(test, fb.excess, 8U);
	let_go(&fb, 500, 500, 60);
	KUNIT_EXPECT_GT(test, fb.excess, 300U);
	fb.excess = 0;
	let_go(&fb, 500, 500, 140);
	KUNIT_EXPECT_EQ(test, fb.excess, 0U);
}

/* It goes as it came, and no further: anon pages are never taken for older. */
static void back_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .excess = MOST };
	unsigned int last = fb.excess;
	int i;

	for (i = 0; i < 3; i++) {
		let_go(&fb, 0, 1000, 100);
		KUNIT_EXPECT_LT(test, fb.excess, last);
		last = fb.excess;
	}
	for (i = 0; i < 10; i++)
		let_go(&fb, 0, 1000, 100);
	KUNIT_EXPECT_EQ(test, fb.excess, 0U);
	KUNIT_EXPECT_EQ(test, lru_gen_age_taken(&fb, 777), 777UL);
}

/* One type alone says nothing of the other, so that what was known is forgotten. */
static void alone_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .excess = MOST };
	int i;

	for (i = 0; i < 20; i++) {
		lru_gen_note_gone(&fb, LRU_GEN_ANON, 1000);
		lru_gen_note_soon(&fb, LRU_GEN_ANON, 1000);
		fb.clock += 1000;
		lru_gen_correct(&fb, 60, PAGES);
	}
	KUNIT_EXPECT_EQ(test, fb.excess, 0U);
	KUNIT_EXPECT_LE(test, fb.nr_gone[LRU_GEN_ANON], 1000UL);
	KUNIT_EXPECT_LE(test, fb.nr_soon[LRU_GEN_ANON], 1000UL);
}

static void not_yet_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .excess = 1000, .clock = 249 };

	lru_gen_correct(&fb, 60, PAGES);
	KUNIT_EXPECT_EQ(test, fb.excess, 1000U);
	fb.clock++;
	lru_gen_correct(&fb, 60, PAGES);
	KUNIT_EXPECT_EQ(test, fb.excess, 500U);
}

/* More may have come back than is known to have gone, and there may be no pages left. */
static void more_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };
	int swappiness;

	for (swappiness = 0; swappiness <= 200; swappiness++) {
		let_go(&fb, 1UL << 40, 1UL << 40, swappiness);
		KUNIT_EXPECT_LE(test, fb.excess, MOST);
	}
	fb.clock += 1000;
	lru_gen_correct(&fb, 0, 0);
	KUNIT_EXPECT_LE(test, fb.excess, MOST);
}

/* What came back while lru_gen was off is forgotten as fast as anything else. */
static void after_off_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { };
	int i;

	lru_gen_note_soon(&fb, LRU_GEN_ANON, 1UL << 40);
	lru_gen_note_soon(&fb, LRU_GEN_FILE, 1UL << 40);
	for (i = 0; i < 10; i++)
		let_go(&fb, 0, 500, 100);
	KUNIT_EXPECT_EQ(test, fb.excess, 0U);
	for (i = 0; i < 10; i++)
		let_go(&fb, 500, 0, 100);
	KUNIT_EXPECT_EQ(test, fb.excess, MOST);
}

static void lowest_class_test(struct kunit *test)
{
	unsigned long nr[LRU_GEN_NR_CLASSES] = { 31, 32, 1000 };

	KUNIT_EXPECT_EQ(test, lru_gen_lowest_class(nr, PAGES), 1U);
	KUNIT_EXPECT_EQ(test, lru_gen_lowest_class(nr, 0), 0U);
	memset(nr, 0, sizeof(nr));
	KUNIT_EXPECT_EQ(test, lru_gen_lowest_class(nr, PAGES), LRU_GEN_NR_CLASSES);
	KUNIT_EXPECT_EQ(test, lru_gen_lowest_class(nr, 0), LRU_GEN_NR_CLASSES);
}

/* A class is worth twice the age; and only if anon pages are known to cost more. */
static void goes_first_test(struct kunit *test)
{
	struct lru_gen_feedback fb = { .excess = 1 };
	struct lru_gen_choice c = { .swappiness = 100, .age = { 1000, 2001 } };

	KUNIT_EXPECT_TRUE(test, lru_gen_file_goes_first(&fb, &c, 1));
	KUNIT_EXPECT_FALSE(test, lru_gen_file_goes_first(&fb, &c, 2));
	c.swappiness = 101;
	KUNIT_EXPECT_FALSE(test, lru_gen_file_goes_first(&fb, &c, 1));
	c.swappiness = 1;
	fb.excess = 0;
	KUNIT_EXPECT_FALSE(test, lru_gen_file_goes_first(&fb, &c, 1));
}

static struct kunit_case balance_cases[] = {
	KUNIT_CASE(soon_test),
	KUNIT_CASE(step_test),
	KUNIT_CASE(cost_test),
	KUNIT_CASE(back_test),
	KUNIT_CASE(alone_test),
	KUNIT_CASE(not_yet_test),
	KUNIT_CASE(more_test),
	KUNIT_CASE(after_off_test),
	KUNIT_CASE(lowest_class_test),
	KUNIT_CASE(goes_first_test),
	{}
};

static struct kunit_suite balance_suite = {
	.name = "lru_gen_balance",
	.test_cases = balance_cases,
};

kunit_test_suite(balance_suite);
