// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what a memcg over its soft limit is asked for.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "../internal.h"

#define NR_ROUNDS	20000

static u32 below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}

/* Sizes as they may come: on one node or more, all of them up to some GiB. */
static struct memcg_soft_sizes some_sizes(struct rnd_state *rnd)
{
	struct memcg_soft_sizes s = {
		.usage = below(rnd, 1 << 20),
		.limit = below(rnd, 1 << 20),
		.node = 1 + below(rnd, 1 << 22),
		.on_node = below(rnd, 1 << 20),
	};

	s.all_nodes = s.node + (below(rnd, 2) ? below(rnd, 1 << 22) : 0);
	s.on_all = s.on_node + (below(rnd, 2) ? below(rnd, 1 << 20) : 0);
	return s;
}

static void excess_is_bounded(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 20261121);
	for (i = 0; i < NR_ROUNDS; i++) {
		struct memcg_soft_sizes s = some_sizes(&rnd);
		unsigned long nr = memcg_soft_excess(&s);

		if (s.usage <= s.limit)
			KUNIT_ASSERT_EQ(test, nr, 0);
		else
			KUNIT_ASSERT_LE(test, nr, s.usage - s.limit);
		KUNIT_ASSERT_LE(test, memcg_soft_pressure(nr), nr);
		KUNIT_ASSERT_LE(test, memcg_soft_pressure(nr), 8 * SWAP_CLUSTER_MAX);
		KUNIT_ASSERT_EQ(test, !memcg_soft_pressure(nr), !nr);
	}
}

/* More used, or a lower limit, never asks for less. */
static void excess_is_monotone(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 20261122);
	for (i = 0; i < NR_ROUNDS; i++) {
		struct memcg_soft_sizes s = some_sizes(&rnd), more = s;
		unsigned long nr = memcg_soft_excess(&s);

		more.usage += below(&rnd, 10000);
		KUNIT_ASSERT_GE(test, memcg_soft_excess(&more), nr);
		more = s;
		more.limit -= min_t(unsigned long, more.limit, below(&rnd, 10000));
		KUNIT_ASSERT_GE(test, memcg_soft_excess(&more), nr);
		KUNIT_ASSERT_GE(test, memcg_soft_pressure(nr + 1), memcg_soft_pressure(nr));
	}
}

/* On one node all of the excess is there. */
static void one_node_gives_all(struct kunit *test)
{
	struct memcg_soft_sizes s = {
		.usage = 5000, .limit = 1200, .node = 100000, .all_nodes = 100000,
		.on_node = 4900, .on_all = 4900,
	};

	KUNIT_EXPECT_EQ(test, memcg_soft_excess(&s), 3800);
	s.limit = 0;
	KUNIT_EXPECT_EQ(test, memcg_soft_excess(&s), 5000);
	/* Nothing is known yet of where it is. */
	s.on_node = 0;
	s.on_all = 0;
	KUNIT_EXPECT_EQ(test, memcg_soft_excess(&s), 5000);
}

/* Taken from one node alone until it gives no more, both keep their parts. */
static void spread_memory_keeps_its_part(struct kunit *test)
{
	struct memcg_soft_sizes s = {
		.usage = 20000, .limit = 8000, .node = 50000, .all_nodes = 100000,
		.on_node = 10000, .on_all = 20000,
	};
	unsigned long nr;

	while ((nr = memcg_soft_pressure(memcg_soft_excess(&s)))) {
		s.usage -= nr;
		s.on_node -= nr;
		s.on_all -= nr;
	}
	KUNIT_EXPECT_GE(test, s.on_node, 4000);
	KUNIT_EXPECT_LE(test, s.on_node, 4000 + 1);
}

/* What is bound to one node is not spared for what the other might have. */
static void bound_memory_gives_all(struct kunit *test)
{
	struct memcg_soft_sizes s = {
		.usage = 20000, .limit = 8000, .node = 50000, .all_nodes = 100000,
		.on_node = 20000, .on_all = 20000,
	};

	KUNIT_EXPECT_EQ(test, memcg_soft_excess(&s), 12000);
}

static struct mem_cgroup *memcg_below(struct kunit *test, struct mem_cgroup *parent)
{
	struct mem_cgroup *memcg = kunit_kzalloc(test, sizeof(*memcg), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memcg);
	memcg->css.parent = parent ? &parent->css : NULL;
	memcg_soft_limit_init(memcg);
	return memcg;
}

/* A request looks for limits only where some are set below its target. */
static void limits_are_known_above(struct kunit *test)
{
	struct mem_cgroup *top = memcg_below(test, NULL);
	struct mem_cgroup *middle = memcg_below(test, top);
	struct mem_cgroup *leaf = memcg_below(test, middle);
	struct memcg_soft_turn t = { .target = leaf, .left = UINT_MAX };

	memcg_soft_limit_set(leaf, 10);
	KUNIT_EXPECT_EQ(test, top->soft.nr_below, 1);
	KUNIT_EXPECT_EQ(test, middle->soft.nr_below, 1);
	memcg_soft_limit_set(middle, 10);
	memcg_soft_limit_set(middle, 20);
	KUNIT_EXPECT_EQ(test, top->soft.nr_below, 2);
	KUNIT_EXPECT_EQ(test, middle->soft.nr_below, 1);
	KUNIT_EXPECT_EQ(test, leaf->soft.nr_below, 0);

	/* It has looked at none. */
	KUNIT_EXPECT_FALSE(test, memcg_soft_next(&t));
	KUNIT_EXPECT_EQ(test, t.left, UINT_MAX);

	memcg_soft_limit_reset(leaf);
	memcg_soft_limit_reset(leaf);
	KUNIT_EXPECT_EQ(test, top->soft.nr_below, 1);
	KUNIT_EXPECT_EQ(test, middle->soft.nr_below, 0);
	memcg_soft_limit_reset(middle);
	KUNIT_EXPECT_EQ(test, top->soft.nr_below, 0);
}

static struct kunit_case soft_limit_test_cases[] = {
	KUNIT_CASE(excess_is_bounded),
	KUNIT_CASE(excess_is_monotone),
	KUNIT_CASE(one_node_gives_all),
	KUNIT_CASE(spread_memory_keeps_its_part),
	KUNIT_CASE(bound_memory_gives_all),
	KUNIT_CASE(limits_are_known_above),
	{ }
};

static struct kunit_suite soft_limit_test_suite = {
	.name = "lru_gen_memcg_soft_limit",
	.test_cases = soft_limit_test_cases,
};

kunit_test_suite(soft_limit_test_suite);
