// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of how much slab is due for the pages scanned.
 */
#include <kunit/test.h>
#include <linux/swap.h>

#include "../internal.h"

/* Of a memcg whose folios are scanned in batches, slab is asked for the same part. */
static void slab_is_asked_in_proportion(struct kunit *test)
{
	unsigned long nr_pages = 100000, scanned = 0, all = 0;
	/* What is asked for with DEFAULT_SEEKS, in 1/4096 of the slab. */
	unsigned long asked = 0;
	int priority;

	while (all < nr_pages) {
		scanned += SWAP_CLUSTER_MAX;
		all += SWAP_CLUSTER_MAX;
		priority = memcg_visit_slab_priority(scanned, nr_pages, DEF_PRIORITY);
		if (priority < 0)
			continue;
		KUNIT_ASSERT_GE(test, priority, 3);
		asked += 2 * (4096 >> priority);
		scanned = 0;
	}
	KUNIT_EXPECT_GE(test, asked, 4096 / 2);
	KUNIT_EXPECT_LE(test, asked, 4096 * 2);
}

/* Few folios are no reason to ask for all slab. */
static void few_folios_ask_for_their_part(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(32, 127, DEF_PRIORITY), 3);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(16, 64, DEF_PRIORITY), 3);
	KUNIT_EXPECT_LT(test, memcg_visit_slab_priority(12, 64, DEF_PRIORITY), 0);
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(64, 64, DEF_PRIORITY), 1);
}

/* Without folios, or when they give nothing, the priority of the request decides. */
static void need_asks_at_its_priority(struct kunit *test)
{
	int priority;

	for (priority = 0; priority <= DEF_PRIORITY; priority++) {
		KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(0, 0, priority), priority);
		KUNIT_EXPECT_LE(test, memcg_visit_slab_priority(0, 1 << 20, priority), priority);
	}
	KUNIT_EXPECT_EQ(test, memcg_visit_slab_priority(0, 1 << 20, 0), 0);
	KUNIT_EXPECT_LT(test, memcg_visit_slab_priority(0, 1 << 20, DEF_PRIORITY), 0);
}

static struct kunit_case slab_cases[] = {
	KUNIT_CASE(slab_is_asked_in_proportion),
	KUNIT_CASE(few_folios_ask_for_their_part),
	KUNIT_CASE(need_asks_at_its_priority),
	{}
};

static struct kunit_suite slab_suite = {
	.name = "lru_gen_memcg_slab",
	.test_cases = slab_cases,
};

kunit_test_suite(slab_suite);
