// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the lists of memcgs: what happens to them when a memcg goes, and walks.
 */
#include <kunit/test.h>
#include <linux/list_lru.h>

#include "lru_fixture.h"

static void test_first_object(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);

	memcg_list_lru_alloc(memcg, &t->lrus[0], GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, lru_test_own(t, memcg));
	KUNIT_EXPECT_FALSE(test, lru_test_take(t, &t->items[0]));
	lru_test_put_some(test, memcg, 0, 3);
	KUNIT_EXPECT_NOT_NULL(test, lru_test_own(t, memcg));
	KUNIT_EXPECT_NULL(test, lru_test_own(t, top));
	KUNIT_EXPECT_FALSE(test, lru_test_put(t, &t->items[0]));
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 3);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 0);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 0);
	KUNIT_EXPECT_EQ(test, list_lru_count_node(&t->lrus[0], NID), 3);
	KUNIT_EXPECT_NOT_NULL(test, memcg->nodeinfo[NID]->shrinker_info.units);
	lru_test_take_some(test, 0, 3);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 0);
}

static void test_list_becomes_parents(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);
	struct list_lru_one *l;

	lru_test_put_some(test, memcg, 0, 5);
	l = lru_test_own(t, memcg);
	lru_test_death(memcg);
	KUNIT_EXPECT_PTR_EQ(test, lru_test_own(t, top), l);
	KUNIT_EXPECT_NULL(test, lru_test_own(t, memcg));
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 5);
	KUNIT_EXPECT_NOT_NULL(test, top->nodeinfo[NID]->shrinker_info.units);
	lru_test_put_some(test, memcg, 5, 2);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 7);
	lru_test_take_some(test, 0, 7);
	KUNIT_EXPECT_EQ(test, list_lru_count_node(&t->lrus[0], NID), 0);
}

static void test_list_joins_parents(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);
	struct list_lru_one *l;

	lru_test_put_some(test, memcg, 0, 5);
	lru_test_put_some(test, top, 5, 2);
	l = lru_test_own(t, top);
	lru_test_death(memcg);
	KUNIT_EXPECT_PTR_EQ(test, lru_test_own(t, top), l);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 7);
	KUNIT_EXPECT_PTR_EQ(test, l->list.next, &t->items[0].link);
	lru_test_death(top);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 7);
	lru_test_take_some(test, 0, 7);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 0);
}

static void test_empty_list_goes(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);

	lru_test_put_some(test, memcg, 0, 1);
	lru_test_take_some(test, 0, 1);
	lru_test_death(memcg);
	KUNIT_EXPECT_NULL(test, lru_test_own(t, top));
	KUNIT_EXPECT_NULL(test, lru_test_own(t, memcg));
	KUNIT_EXPECT_TRUE(test, list_empty(&t->lrus[0].node[NID].subs));
	lru_test_put_some(test, memcg, 0, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 1);
}

/* What a walk answers, in turn: one of each, then LRU_REMOVED. */
static enum lru_status answer(struct list_head *item, struct list_lru_one *l,
			      spinlock_t *lock, void *arg)
{
	struct lru_test *t = arg;

	lockdep_assert_held(lock);
	switch (t->nr_shown++) {
	case 0:
		return LRU_SKIP;
	case 1:
		return LRU_ROTATE;
	case 2:
		list_lru_isolate(l, item);
		return LRU_REMOVED_RETRY;
	case 3:
		return LRU_RETRY;
	case 7:
		return LRU_STOP;
	}
	list_lru_isolate(l, item);
	return LRU_REMOVED;
}

static void test_walk(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *memcg = lru_test_birth(test, NULL);
	unsigned long nr = 100;

	KUNIT_EXPECT_EQ(test, 0, list_lru_walk_one(&t->lrus[0], NID, memcg, answer, t,
						   &nr));
	lru_test_put_some(test, memcg, 0, 6);
	/* skip 0, rotate 1, take 2, retry 0, take 0, 3 and 4, stop at 5 */
	KUNIT_EXPECT_EQ(test, 4, list_lru_walk_one(&t->lrus[0], NID, memcg, answer, t,
						   &nr));
	KUNIT_EXPECT_EQ(test, nr, 92);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 2);
	KUNIT_EXPECT_PTR_EQ(test, lru_test_own(t, memcg)->list.prev, &t->items[1].link);
	nr = 1;
	KUNIT_EXPECT_EQ(test, list_lru_walk_node(&t->lrus[0], NID, answer, t, &nr), 1);
	KUNIT_EXPECT_EQ(test, nr, 0);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 1);
	lru_test_take_some(test, 1, 1);
}

/* The memcg goes while the callback has dropped the lock. */
static enum lru_status die_meanwhile(struct list_head *link, struct list_lru_one *l,
				     spinlock_t *lock, void *arg)
{
	list_lru_isolate(l, link);
	spin_unlock(lock);
	lru_test_death(arg);
	spin_lock(lock);
	return LRU_REMOVED_RETRY;
}

static void test_death_while_walked(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);
	unsigned long nr = 1;

	lru_test_put_some(test, top, 0, 1);
	lru_test_put_some(test, memcg, 1, 3);
	KUNIT_EXPECT_EQ(test, 1, list_lru_walk_one(&t->lrus[0], NID, memcg, die_meanwhile,
						   memcg, &nr));
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 3);
	nr = 2;
	KUNIT_EXPECT_EQ(test, 1, list_lru_walk_node(&t->lrus[0], NID, die_meanwhile, top,
						    &nr));
	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 2);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->lrus[0].node[NID].subs));
}

static struct kunit_case lru_cases[] = {
	KUNIT_CASE(test_first_object),
	KUNIT_CASE(test_list_becomes_parents),
	KUNIT_CASE(test_list_joins_parents),
	KUNIT_CASE(test_empty_list_goes),
	KUNIT_CASE(test_walk),
	KUNIT_CASE(test_death_while_walked),
	{}
};

static struct kunit_suite lru_suite = {
	.name = "list_lru",
	.init = lru_test_init,
	.exit = lru_test_exit,
	.test_cases = lru_cases,
};

kunit_test_suite(lru_suite);
