// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of how much slab is due for the pages scanned.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/swap.h>

#include "../../lru_gen/evict.h"
#include "../../lru_gen/policy.h"
#include "../internal.h"

/* Of a memcg whose folios are scanned in batches, slab is asked for the same part. */
static void slab_is_asked_in_proportion(struct kunit *test)
{
	unsigned long nr_pages = 100000, owed = 0, all = 0;
	/* What is asked for with DEFAULT_SEEKS, in 1/4096 of the slab. */
	unsigned long asked = 0;
	int priority;

	while (all < nr_pages) {
		owed += SWAP_CLUSTER_MAX;
		all += SWAP_CLUSTER_MAX;
		priority = memcg_visit_slab_priority(owed, nr_pages, DEF_PRIORITY);
		if (priority < 0)
			continue;
		KUNIT_ASSERT_EQ(test, priority, 4);
		asked += 2 * (4096 >> priority);
		owed = 0;
	}
	KUNIT_EXPECT_GE(test, asked, 4096 * 7 / 8);
	KUNIT_EXPECT_LE(test, asked, 4096);
}

/* A request of the system asks for twice that, one for a limit does not. */
static void slab_owes_twice_to_the_system(struct kunit *test)
{
	struct scan_control sc = { };

	KUNIT_EXPECT_EQ(test, memcg_visit_slab_owed(&sc, 100), 200);
	if (mem_cgroup_disabled())
		return;
	sc.target_mem_cgroup = kunit_kzalloc(test, sizeof(*sc.target_mem_cgroup), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sc.target_mem_cgroup);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_owed(&sc, 100), 100);
}

/* Few folios are no reason to ask for all slab, all the less if all of them were scanned. */
static void few_folios_ask_for_a_step(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(16, 127, DEF_PRIORITY), 4);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(8, 64, DEF_PRIORITY), 4);
	KUNIT_EXPECT_LT(test, memcg_visit_slab_priority(7, 64, DEF_PRIORITY), 0);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(64, 64, DEF_PRIORITY), 4);
}

/* A large turn asks several of those that wait for a step each. */
static void many_are_asked_for_a_step(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_turns(0, 800, 4), 0);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_turns(24, 800, 4), 0);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_turns(25, 800, 4), 1);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_turns(80, 800, 4), 3);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_turns(800, 800, 4), 4);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_turns(800, 800, 0), 0);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_turns(1, 0, 4), 4);
}

static bool agree(unsigned long owed, unsigned long nr_pages, unsigned long nr)
{
	struct memcg_slab_turns t = { .nr = nr, .nr_pages = nr_pages, .lowest = DEF_PRIORITY };
	unsigned long turns = memcg_visit_slab_turns(owed, nr_pages, nr);
	atomic_long_t left = ATOMIC_LONG_INIT(owed);

	return memcg_visit_slab_due(&left, &t) == turns &&
	       atomic_long_read(&left) == (turns ? 0 : owed);
}

/* Where some are asked, a step is due to each, whatever is rounded. */
static void who_is_asked_owes_a_step(struct kunit *test)
{
	unsigned long nr_pages, owed, nr;

	for (nr_pages = 1; nr_pages < 100; nr_pages++)
		for (owed = 0; owed < 100; owed++)
			for (nr = 1; nr < 10; nr++)
				KUNIT_ASSERT_TRUE(test, agree(owed, nr_pages, nr));
}

/* Without folios, or when they give nothing, the priority of the request decides. */
static void need_asks_at_its_priority(struct kunit *test)
{
	struct memcg_slab_turns t = { .nr = 4, .nr_pages = 1 << 20 };
	atomic_long_t owed = ATOMIC_LONG_INIT(0);
	int priority;

	for (priority = 0; priority <= DEF_PRIORITY; priority++) {
		KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(0, 0, priority), priority);
		KUNIT_EXPECT_LE(test, memcg_visit_slab_priority(0, 1 << 20, priority), priority);
	}
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(0, 1 << 20, 0), 0);
	KUNIT_EXPECT_LT(test, memcg_visit_slab_priority(0, 1 << 20, DEF_PRIORITY), 0);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_due(&owed, &t), 1U);
	KUNIT_EXPECT_EQ(test, t.priority, 0);
}

/* Nothing is known of when it was used before it was passed over once. */
static void slab_is_idle_since_it_was_passed_over(struct kunit *test)
{
	struct memcg_lru_slab s = { };
	unsigned long now = jiffies;
	int i;

	memcg_lru_slab_init(&s);
	KUNIT_EXPECT_LE(test, memcg_lru_slab_idle(&s) - (now - INITIAL_JIFFIES), 1000);
	for (i = 0; i < 7; i++)
		memcg_lru_slab_asked(&s, 1 << 18, 4, 1 << 18);
	KUNIT_EXPECT_EQ(test, s.left, MEMCG_LRU_ALL_SLAB / 8);
	KUNIT_EXPECT_GE(test, memcg_lru_slab_idle(&s), now - INITIAL_JIFFIES);
	/* The last part of it. However long it waited before, all was passed over just now. */
	memcg_lru_slab_asked(&s, 1 << 18, 4, 1 << 18);
	KUNIT_EXPECT_EQ(test, s.left, MEMCG_LRU_ALL_SLAB);
	KUNIT_EXPECT_LE(test, memcg_lru_slab_idle(&s), HZ);
	/* It took 100 s, and half of it was passed over 150 s ago. */
	s.before = jiffies - 200 * HZ;
	s.took = 100 * HZ;
	KUNIT_EXPECT_GE(test, memcg_lru_slab_idle(&s), 200 * HZ);
	memcg_lru_slab_asked(&s, 1 << 18, 2, 1 << 18);
	KUNIT_EXPECT_GE(test, memcg_lru_slab_idle(&s), 150 * HZ);
	KUNIT_EXPECT_LE(test, memcg_lru_slab_idle(&s), 151 * HZ);
	/* The beginning has been set, and how long it took is of the time before. */
	s.before = jiffies;
	KUNIT_EXPECT_LE(test, memcg_lru_slab_idle(&s), HZ);
}

static void slab_is_asked_for_what_is_missing(struct kunit *test)
{
	unsigned long nr;
	int priority;

	/* Less than eight batches of a shrinker. */
	KUNIT_EXPECT_LT(test, memcg_lru_slab_priority(32, 8 * 256 - 1), 0);
	for (nr = 1; nr < 1UL << 20; nr *= 2) {
		priority = memcg_lru_slab_priority(nr, 1UL << 18);
		KUNIT_ASSERT_GE(test, priority, 4);
		KUNIT_ASSERT_LE(test, priority, DEF_PRIORITY);
		KUNIT_EXPECT_LE(test, 2UL << 18 >> priority, max(2 * nr, 512UL));
		if (nr <= 1UL << 15)
			KUNIT_EXPECT_GE(test, 2UL << 18 >> priority, nr);
	}
	/* Never less than a batch, or it would not be counted as vain. */
	for (nr = 8 * 256; nr < 1UL << 18; nr += 255)
		KUNIT_ASSERT_GE(test, 2 * nr >> memcg_lru_slab_priority(1, nr), 256);
}

static void what_is_about_to_come_is_not_asked_for_again(struct kunit *test)
{
	struct memcg_lru_slab s = { .asked = jiffies };

	KUNIT_EXPECT_EQ(test, memcg_lru_slab_reserve(&s, 32), 0);
	memcg_lru_slab_expect(&s, 50);
	KUNIT_EXPECT_EQ(test, memcg_lru_slab_reserve(&s, 32), 32);
	KUNIT_EXPECT_EQ(test, memcg_lru_slab_reserve(&s, 32), 18);
	KUNIT_EXPECT_EQ(test, memcg_lru_slab_reserve(&s, 32), 0);
	/* A second later it has come, and somebody has it. */
	memcg_lru_slab_expect(&s, 50);
	s.asked = jiffies - HZ;
	KUNIT_EXPECT_EQ(test, memcg_lru_slab_reserve(&s, 32), 0);
	KUNIT_EXPECT_EQ(test, s.nr_coming, 0);
}

static void slab_keeps_pages_as_long_as_it_gives(struct kunit *test)
{
	struct memcg_lru_slab s = { .before = jiffies - 1000, .left = MEMCG_LRU_ALL_SLAB };
	u64 rate = memcg_lru_slab_most_rate(&s, 1UL << 18);
	int i;

	KUNIT_EXPECT_GE(test, rate, LRU_GEN_NEW_RATE / 1100);
	KUNIT_EXPECT_LE(test, rate, LRU_GEN_NEW_RATE / 1000);
	KUNIT_EXPECT_EQ(test, memcg_lru_slab_most_rate(&s, 2047), LRU_GEN_ANY_RATE);
	/* A shrinker puts off what is less than its batch. */
	for (i = 0; i < 8; i++)
		memcg_lru_slab_asked(&s, 1 << 18, DEF_PRIORITY, 0);
	KUNIT_EXPECT_NE(test, memcg_lru_slab_most_rate(&s, 1UL << 18), LRU_GEN_ANY_RATE);
	for (i = 0; i < 4; i++)
		memcg_lru_slab_asked(&s, 1 << 18, 6, 8191);
	KUNIT_EXPECT_EQ(test, memcg_lru_slab_most_rate(&s, 1UL << 18), LRU_GEN_ANY_RATE);
	memcg_lru_slab_asked(&s, 1 << 18, 6, 8192);
	KUNIT_EXPECT_NE(test, memcg_lru_slab_most_rate(&s, 1UL << 18), LRU_GEN_ANY_RATE);
}

/* What slab is compared by is the policy's own rate. */
static void rate_is_that_of_the_policy(struct kunit *test)
{
	struct lru_gen_policy *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	const struct lru_gen_place at = { .tier = LRU_GEN_OLD }, new = { .tier = LRU_GEN_NEW };
	u64 rate;

	KUNIT_ASSERT_NOT_NULL(test, p);
	lru_gen_policy_init(p);
	lru_gen_policy_ask(p, 100, 1000);
	KUNIT_EXPECT_EQ(test, lru_gen_rate(p, &at, 0), LRU_GEN_LAW_RATE);
	KUNIT_EXPECT_EQ(test, lru_gen_rate(p, &at, 999), div_u64(LRU_GEN_LAW_RATE, 1000));
	/* Shares are rounded to 1 / 65536. */
	rate = lru_gen_rate(p, &new, 999);
	KUNIT_EXPECT_GE(test, rate, div_u64(LRU_GEN_NEW_RATE, 1001));
	KUNIT_EXPECT_LE(test, rate, div_u64(LRU_GEN_NEW_RATE, 1000) + 1);
}

static struct kunit_case slab_cases[] = {
	KUNIT_CASE(slab_is_asked_in_proportion),
	KUNIT_CASE(slab_owes_twice_to_the_system),
	KUNIT_CASE(few_folios_ask_for_a_step),
	KUNIT_CASE(many_are_asked_for_a_step),
	KUNIT_CASE(who_is_asked_owes_a_step),
	KUNIT_CASE(need_asks_at_its_priority),
	KUNIT_CASE(slab_is_idle_since_it_was_passed_over),
	KUNIT_CASE(slab_is_asked_for_what_is_missing),
	KUNIT_CASE(what_is_about_to_come_is_not_asked_for_again),
	KUNIT_CASE(slab_keeps_pages_as_long_as_it_gives),
	KUNIT_CASE(rate_is_that_of_the_policy),
	{}
};

static struct kunit_suite slab_suite = {
	.name = "lru_gen_memcg_slab",
	.test_cases = slab_cases,
};

kunit_test_suite(slab_suite);
