// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of walks through a subtree: one shared by all reclaimers, which goes on
 * when the memcg dies that it is at, and full ones.
 */
#include <kunit/test.h>

#include "iter_fixture.h"

/* The shared place outlives whom it is at, and goes round all of them. */
static void place_moves_to_neighbour(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *d, *next = NULL;
	unsigned int i, step, nr_rounds = 0, nr_returned = 0;

	for (i = 1; i < NR_MODELS; i++)
		iter_test_birth(t, i, &t->models[iter_test_rnd(t, i)]);
	for (step = 0; step < NR_STEPS; step++) {
		struct memcg_walk w = { .top = t->models[0].memcg, .nid = NID };
		struct cgroup_subsys_state *at = iter_test_place(&t->models[0])->slab;
		struct mem_cgroup *memcg;

		/* Who is next dies: not all the way back to the top. */
		d = at ? iter_test_model(test, mem_cgroup_from_css(at)) : iter_test_any(t, true);
		if (!iter_test_rnd(t, 4) && d && !d->nr_below)
			iter_test_death(d);
		next = iter_test_any(t, false);
		if (next)
			iter_test_birth(t, next - t->models,
					iter_test_any(t, true) ?: &t->models[0]);
		memcg = memcg_walk_slab(&w);
		nr_rounds += w.over;
		if (!memcg)
			continue;
		nr_returned++;
		d = iter_test_model(test, memcg);
		KUNIT_ASSERT_TRUE(test, d->alive);
		d->nr_visits++;
	}
	/* A restart at each death would never have left the first few. */
	KUNIT_EXPECT_LE(test, nr_rounds, 2 * nr_returned / (NR_MODELS / 2));
}

/* A round asks each once, but for those that are charged for nothing. */
static void round_meets_each(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct memcg_walk w = { .top = t->models[0].memcg, .nid = NID };
	struct mem_cgroup *memcg;
	unsigned int i;

	for (i = 1; i < NR_MODELS; i++)
		iter_test_birth(t, i, &t->models[(i - 1) / 3]);
	/* One that has children, and a leaf; its children are not even looked at. */
	iter_test_charge(&t->models[2], 0);
	iter_test_charge(&t->models[NR_MODELS - 1], 0);
	while (!w.over) {
		memcg = memcg_walk_slab(&w);
		if (memcg)
			iter_test_model(test, memcg)->nr_visits++;
	}
	for (i = 1; i < NR_MODELS; i++) {
		bool wanted = i != NR_MODELS - 1 &&
			      !iter_test_is_below(&t->models[i], &t->models[2]);

		KUNIT_EXPECT_EQ(test, t->models[i].nr_visits, wanted);
	}
}

static unsigned int walk_all(struct kunit *test, bool all)
{
	struct iter_test *t = test->priv;
	struct memcg_walk w = { .top = t->models[0].memcg, .nid = NID, .all = all };
	struct mem_cgroup *memcg = NULL;
	unsigned int nr = 0;

	while ((memcg = memcg_walk_next(&w, memcg))) {
		iter_test_model(test, memcg)->nr_visits++;
		nr++;
	}
	return nr;
}

/* A full walk meets each that it is for, once. */
static void full_walk_meets_each(struct kunit *test)
{
	struct iter_test *t = test->priv;
	unsigned int i, nr_full = 0;

	for (i = 1; i < NR_MODELS; i++)
		iter_test_birth(t, i, &t->models[iter_test_rnd(t, i)]);
	for (i = 0; i < NR_MODELS; i += 7, nr_full++)
		iter_test_fill(&t->models[i], 10);
	KUNIT_EXPECT_EQ(test, walk_all(test, false), nr_full);
	for (i = 0; i < NR_MODELS; i++)
		KUNIT_EXPECT_EQ(test, t->models[i].nr_visits, !!t->models[i].weight);
	KUNIT_EXPECT_EQ(test, walk_all(test, true), NR_MODELS);
	for (i = 0; i < NR_MODELS; i++)
		KUNIT_EXPECT_EQ(test, t->models[i].nr_visits, 1 + !!t->models[i].weight);
	for (i = 1; i < NR_MODELS; i++)
		iter_test_charge(&t->models[i], 0);
	KUNIT_EXPECT_EQ(test, walk_all(test, true), 1);
}

static struct kunit_case walk_cases[] = {
	KUNIT_CASE(place_moves_to_neighbour),
	KUNIT_CASE(round_meets_each),
	KUNIT_CASE(full_walk_meets_each),
	{}
};

static struct kunit_suite walk_suite = {
	.name = "lru_gen_memcg_walk",
	.init = iter_test_init,
	.test_cases = walk_cases,
};

kunit_test_suite(walk_suite);
