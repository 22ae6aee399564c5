// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the bar: which pages stay while other memcgs give.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mmzone.h>

#include "../../internal.h"
#include "../../lru_gen/evict.h"
#include "../internal.h"

/*
 * One memcg whose least used pages are used at @rate; @nr_all turns in vain raise the bar.
 * Returns whether it gives.
 */
static bool turn_of(struct memcg_iter_bar *b, u64 rate, unsigned int nr_all)
{
	struct memcg_visit v = { .rate = rate, .most_rate = memcg_iter_bar_rate(b) };

	v.nr_reclaimed = rate <= v.most_rate ? 32 : 0;
	v.nr_scanned = v.nr_reclaimed;
	memcg_iter_bar_turn(b, &v, nr_all, nr_all);
	return v.nr_reclaimed;
}

/* The same in a subtree where @nr have turns. */
static bool turn(struct memcg_iter_bar *b, u64 rate, unsigned int nr)
{
	return turn_of(b, rate, memcg_iter_bar_sample(nr));
}

static struct memcg_iter_bar *begin(struct memcg_iter_bar *b, unsigned int nr, int priority)
{
	struct scan_control sc = { .priority = priority };

	/* Any memcg: it is not looked at. */
	sc.target_mem_cgroup = (struct mem_cgroup *)&sc;
	return memcg_iter_bar_begin(b, nr, &sc);
}

/* Of times between uses of 1 and 2, the mean is 1.5. */
static void bar_is_three_times_the_mean_rate(struct kunit *test)
{
	const u64 rates[] = { 32, 1000, 1ULL << 40, 1ULL << 50 };
	int i, k;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct memcg_iter_bar bar = { .rate = LRU_GEN_ANY_RATE };

		for (k = 0; k < 100; k++)
			turn(&bar, k % 2 ? rates[i] : rates[i] / 2, 8);
		KUNIT_EXPECT_GE(test, bar.rate, rates[i] / 4 * 7);
		KUNIT_EXPECT_LE(test, bar.rate, rates[i] / 4 * 9);
	}
}

/* One that is used a thousand times as much has given, by some mistake. */
static void who_gives_what_it_uses_hardly_raises_the_bar(struct kunit *test)
{
	struct memcg_iter_bar bar = { .rate = LRU_GEN_ANY_RATE };

	turn(&bar, 1000, 2);
	KUNIT_EXPECT_EQ(test, bar.rate, 3000);
	bar.rate = 1000 * 1000;
	turn(&bar, 1000 * 1000, 2);
	turn(&bar, 1000, 2);
	KUNIT_EXPECT_LT(test, bar.rate, 25 * 1000);
}

static void what_is_free_at_once_leaves_the_bar(struct kunit *test)
{
	struct memcg_iter_bar bar = { .rate = 3000 };

	KUNIT_EXPECT_TRUE(test, turn(&bar, 0, 2));
	KUNIT_EXPECT_EQ(test, bar.rate, 3000);
}

static void equal_ones_all_give(struct kunit *test)
{
	struct memcg_iter_bar bar = { };
	struct memcg_iter_bar *b = begin(&bar, 8, DEF_PRIORITY);
	int i;

	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_FALSE(test, turn(b, 1000 + i % 8, 8));
	for (; i < 8 * 100; i++)
		KUNIT_EXPECT_TRUE(test, turn(b, 1000 + i % 8, 8));
	/* The next pass goes on from there. */
	b = begin(&bar, 8, DEF_PRIORITY);
	KUNIT_EXPECT_TRUE(test, turn(b, 1000, 8));
}

static void pages_in_use_stay_while_others_give(struct kunit *test)
{
	struct memcg_iter_bar bar = { };
	struct memcg_iter_bar *b = begin(&bar, 4, DEF_PRIORITY);
	int i, nr = 0;

	/* Whichever turn it has in a round. */
	for (i = 0; i < 4 * 100; i++)
		nr += turn(b, i % 4 == i / 4 % 4 ? 1000 : 5000, 4);
	KUNIT_EXPECT_EQ(test, nr, 98);
	/* It has nothing left but what it uses as much as all others. */
	for (i = 0; i < 2 * 4; i++)
		nr += turn(b, 5000, 4);
	KUNIT_EXPECT_LE(test, nr, 98 + 4);
	KUNIT_EXPECT_TRUE(test, turn(b, 5000, 4));
}

static void turns_in_vain_are_bounded(struct kunit *test)
{
	struct memcg_iter_bar bar = { };
	int i;

	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_FALSE(test, turn(&bar, 1000 + i, 1000));
	for (; i < 2000; i++)
		KUNIT_EXPECT_TRUE(test, turn(&bar, 1000 + i, 1000));
}

static void what_eviction_finds_in_use_goes_last(struct kunit *test)
{
	struct memcg_iter_bar bar = { };
	int i, nr = 0;

	for (i = 0; i < 4 * 100; i++)
		nr += turn(&bar, i % 4 ? LRU_GEN_LAW_RATE : 1000, 4);
	/* The first sample sets the bar. Nobody else has given. */
	KUNIT_EXPECT_EQ(test, nr, 98);
	/* Three turns in vain were before, so five more raise it above theirs. */
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_FALSE(test, turn(&bar, LRU_GEN_LAW_RATE, 4));
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, turn(&bar, LRU_GEN_LAW_RATE, 4));
	/* And a bar there is again, once somebody has given what is used less. */
	KUNIT_EXPECT_TRUE(test, turn(&bar, 1000, 4));
	KUNIT_EXPECT_FALSE(test, turn(&bar, LRU_GEN_LAW_RATE, 4));
}

/* One in 64 has what is used less. What is near the bar may be that of an equal one. */
static void who_is_far_waits_until_all_had_turns(struct kunit *test)
{
	struct memcg_iter_bar bar = { .rate = 3000 };
	int i, nr = 0;

	for (i = 0; i < 64 * 100; i++)
		nr += turn_of(&bar, i % 64 ? 10 * 1000 : 1000, 64);
	KUNIT_EXPECT_EQ(test, nr, 100);
	for (i = 0; i < 64; i++)
		nr += turn_of(&bar, 10 * 1000, 64);
	KUNIT_EXPECT_GE(test, nr, 163);
	bar = (struct memcg_iter_bar){ .rate = 3000 };
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_FALSE(test, turn_of(&bar, 5000, 64));
	KUNIT_EXPECT_TRUE(test, turn_of(&bar, 5000, 64));
}

static void asks_as_long_as_it_saves(struct kunit *test)
{
	struct memcg_iter_bar bar = { .rate = LRU_GEN_ANY_RATE };
	struct memcg_visit vain = { .rate = 1000, .nr_scanned = 128 };
	int i;

	KUNIT_EXPECT_FALSE(test, memcg_iter_bar_asks(NULL, 8));
	/* Whatever part of them raises the bar. */
	for (i = 0; i < 64; i++) {
		memcg_iter_bar_turn(&bar, &vain, 64, memcg_iter_bar_sample(64));
		KUNIT_EXPECT_TRUE(test, memcg_iter_bar_asks(&bar, 64));
	}
	memcg_iter_bar_turn(&bar, &vain, 64, memcg_iter_bar_sample(64));
	KUNIT_EXPECT_FALSE(test, memcg_iter_bar_asks(&bar, 64));
	/* However long that went on, four batches of each are enough. */
	for (i = 0; i < 1000; i++)
		memcg_iter_bar_turn(&bar, &vain, 64, 64);
	for (i = 0; i < 4 * 64; i++)
		turn_of(&bar, 1000, 64);
	KUNIT_EXPECT_TRUE(test, memcg_iter_bar_asks(&bar, 64));
}

static void who_has_nothing_sets_no_bar(struct kunit *test)
{
	struct memcg_iter_bar bar = { };
	int i;

	for (i = 0; i < 4; i++)
		turn(&bar, i % 2 ? LRU_GEN_ANY_RATE : 1000, 2);
	KUNIT_EXPECT_EQ(test, bar.rate, 3000);
	for (i = 0; i < 4; i++)
		turn(&bar, LRU_GEN_ANY_RATE, 2);
	KUNIT_EXPECT_EQ(test, bar.rate, LRU_GEN_ANY_RATE);
}

static void who_cannot_give_does_not_hold_the_bar(struct kunit *test)
{
	struct memcg_iter_bar bar = { .rate = 3000 };
	struct memcg_visit pinned = { .rate = 1000 };
	int i;

	for (i = 0; i < 4; i++) {
		pinned.most_rate = bar.rate;
		if (i % 2)
			memcg_iter_bar_turn(&bar, &pinned, 2, 2 * 2);
		else
			turn(&bar, 8000, 2);
	}
	KUNIT_EXPECT_EQ(test, bar.rate, 24000);
	KUNIT_EXPECT_FALSE(test, memcg_visit_kept(&pinned));
	pinned.nr_waived = 1;
	memcg_iter_bar_turn(&bar, &pinned, 2, 2 * 2);
	KUNIT_EXPECT_LT(test, bar.rate, 24000);
}

static void one_memcg_and_urgent_requests_have_no_bar(struct kunit *test)
{
	struct scan_control urgent = { .priority = DEF_PRIORITY, .memcg_full_walk = 1 };
	struct memcg_iter_bar bar = { };

	KUNIT_EXPECT_NULL(test, begin(&bar, 1, DEF_PRIORITY));
	KUNIT_EXPECT_NOT_NULL(test, begin(&bar, 8, DEF_PRIORITY - 1));
	KUNIT_EXPECT_NULL(test, memcg_iter_bar_begin(&bar, 8, &urgent));
	KUNIT_EXPECT_TRUE(test, turn(NULL, 1000, 8));
	KUNIT_EXPECT_EQ(test, bar.rate, 0);
}

static struct kunit_case bar_cases[] = {
	KUNIT_CASE(bar_is_three_times_the_mean_rate),
	KUNIT_CASE(who_gives_what_it_uses_hardly_raises_the_bar),
	KUNIT_CASE(what_is_free_at_once_leaves_the_bar),
	KUNIT_CASE(equal_ones_all_give),
	KUNIT_CASE(pages_in_use_stay_while_others_give),
	KUNIT_CASE(turns_in_vain_are_bounded),
	KUNIT_CASE(what_eviction_finds_in_use_goes_last),
	KUNIT_CASE(who_is_far_waits_until_all_had_turns),
	KUNIT_CASE(asks_as_long_as_it_saves),
	KUNIT_CASE(who_has_nothing_sets_no_bar),
	KUNIT_CASE(who_cannot_give_does_not_hold_the_bar),
	KUNIT_CASE(one_memcg_and_urgent_requests_have_no_bar),
	{}
};

static struct kunit_suite bar_suite = {
	.name = "lru_gen_memcg_bar",
	.test_cases = bar_cases,
};

kunit_test_suite(bar_suite);
