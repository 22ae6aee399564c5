// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what memcgs know of their lists: without memory for it, with hundreds
 * of list_lrus, and along a random walk.
 */
#include <kunit/test.h>
#include <linux/list_lru.h>
#include <linux/slab.h>

#include "lru_fixture.h"

#define NR_STEPS	60000

static void test_no_memory(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);

	lru_test_put_some(test, top, 0, 1);
	t->no_memory = 1;
	lru_test_put_some(test, memcg, 1, 3);
	t->no_memory = 0;
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 0);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 4);
	/* It stays so, or the first ones would not be found. */
	lru_test_put_some(test, memcg, 4, 2);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 6);
	lru_test_take_some(test, 1, 5);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 1);
	lru_test_put_some(test, memcg, 1, 2);
	lru_test_death(top);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 3);
	lru_test_take_some(test, 0, 3);
}

/* A new list_lru at the address of one whose objects were away. */
static void test_away_is_forgiven(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *memcg = lru_test_birth(test, NULL);
	struct list_lru_dir *dir = &memcg->nodeinfo[NID]->lists;

	t->no_memory = 1;
	lru_test_put_some(test, memcg, 0, 1);
	t->no_memory = 0;
	lru_test_take_some(test, 0, 1);
	KUNIT_EXPECT_TRUE(test, t->lrus[0].node[NID].away);
	list_lru_dir_forgive(dir, &t->lrus[0].node[NID]);
	lru_test_put_some(test, memcg, 0, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 1);
	KUNIT_EXPECT_FALSE(test, dir->closed);
}

/* So many marks that there is no slot for another one: the directory is closed. */
static void test_no_slot(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *memcg = lru_test_birth(test, NULL);
	unsigned int i;

	t->no_memory = 1;
	for (i = 0; i < NR_LRUS; i++) {
		t->items[i].memcg = memcg;
		t->items[i].lru = i;
		KUNIT_EXPECT_TRUE(test, lru_test_put(t, &t->items[i]));
	}
	KUNIT_EXPECT_TRUE(test, memcg->nodeinfo[NID]->lists.closed);
	t->no_memory = 0;
	for (i = 0; i < NR_LRUS; i++)
		KUNIT_EXPECT_EQ(test, list_lru_count_one(&t->lrus[i], NID, NULL), 1);
	lru_test_take_some(test, 0, NR_LRUS);
}

static void use_lru(struct kunit *test, struct list_lru *lru, struct list_head *link,
		    struct mem_cgroup *memcg)
{
	struct lru_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, list_lru_init_memcg(lru, t->shrinker), 0);
	KUNIT_EXPECT_TRUE(test, list_lru_add(lru, link, NID, memcg));
}

static void leave_lru(struct kunit *test, struct list_lru *lru, struct list_head *link,
		      struct mem_cgroup *memcg)
{
	KUNIT_EXPECT_EQ(test, list_lru_count_one(lru, NID, memcg), 1);
	KUNIT_EXPECT_TRUE(test, list_lru_del(lru, link, NID, memcg));
	list_lru_destroy(lru);
}

/* A memcg that uses hundreds of list_lrus, one after the other, and many at a time. */
static void test_many_lrus(struct kunit *test)
{
	const int nr = 300;
	struct list_lru *lrus = kunit_kcalloc(test, nr, sizeof(*lrus), GFP_KERNEL);
	struct mem_cgroup *memcg = lru_test_birth(test, NULL);
	struct lru_test *t = test->priv;
	int i, round;

	KUNIT_ASSERT_NOT_NULL(test, lrus);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < nr; i++)
			use_lru(test, &lrus[i], &t->items[i].link, memcg);
		for (i = 0; i < nr; i++)
			leave_lru(test, &lrus[i], &t->items[i].link, memcg);
	}
	lru_test_put_some(test, memcg, 0, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 1);
}

/* Objects that should be on a list of @lru, and those that are. */
static void check_lru(struct kunit *test, unsigned int lru)
{
	struct lru_test *t = test->priv;
	unsigned int i, nr = 0;

	for (i = 0; i < NR_ITEMS; i++)
		nr += t->items[i].lru == lru && t->items[i].on;
	KUNIT_EXPECT_EQ(test, list_lru_count_node(&t->lrus[lru], NID), nr);
}

static enum lru_status take_any(struct list_head *link, struct list_lru_one *l,
				spinlock_t *lock, void *arg)
{
	struct item *item = container_of(link, struct item, link);
	struct lru_test *t = arg;

	switch (lru_test_rnd(t, 4)) {
	case 0:
		return LRU_ROTATE;
	case 1:
		return LRU_SKIP;
	}
	list_lru_isolate(l, link);
	item->on = false;
	return LRU_REMOVED;
}

static void touch_item(struct kunit *test, struct item *item)
{
	struct lru_test *t = test->priv;

	if (lru_test_rnd(t, 2)) {
		if (!item->on && lru_test_rnd(t, 2)) {
			item->memcg = t->alive[lru_test_rnd(t, t->nr_alive)];
			item->lru = lru_test_rnd(t, NR_LRUS);
		}
		KUNIT_EXPECT_EQ(test, lru_test_put(t, item), !item->on);
		item->on = true;
	} else {
		KUNIT_EXPECT_EQ(test, lru_test_take(t, item), item->on);
		item->on = false;
	}
}

/* The youngest goes, and another one comes, below anyone. */
static void change_memcgs(struct kunit *test)
{
	struct lru_test *t = test->priv;

	if (t->nr_alive == NR_ALIVE)
		lru_test_death(t->alive[--t->nr_alive]);
	if (t->nr_alive > 1 && lru_test_rnd(t, 2))
		lru_test_death(t->alive[--t->nr_alive]);
	if (t->nr_memcgs < NR_MEMCGS) {
		struct mem_cgroup *parent = t->alive[lru_test_rnd(t, t->nr_alive)];

		t->alive[t->nr_alive] = lru_test_birth(test, parent);
		t->nr_alive++;
	}
}

static void random_step(struct kunit *test)
{
	struct lru_test *t = test->priv;
	unsigned int lru = lru_test_rnd(t, NR_LRUS);
	unsigned long nr = 1 + lru_test_rnd(t, 20);

	switch (lru_test_rnd(t, 500)) {
	case 0:
		change_memcgs(test);
		break;
	case 1 ... 5:
		list_lru_walk_one(&t->lrus[lru], NID, t->memcgs[lru_test_rnd(t, t->nr_memcgs)],
				  take_any, t, &nr);
		break;
	case 6:
		list_lru_walk_node(&t->lrus[lru], NID, take_any, t, &nr);
		break;
	case 7:
		check_lru(test, lru);
		break;
	default:
		touch_item(test, &t->items[lru_test_rnd(t, NR_ITEMS)]);
	}
}

static void test_random(struct kunit *test)
{
	struct lru_test *t = test->priv;
	unsigned int i;

	t->alive[0] = lru_test_birth(test, NULL);
	t->nr_alive = 1;
	for (i = 0; i < NR_ITEMS; i++)
		t->items[i].memcg = t->alive[0];
	for (i = 0; i < NR_STEPS; i++) {
		t->no_memory = i < NR_STEPS / 3 ? 0 : 3;
		random_step(test);
	}
	t->no_memory = 0;
	while (t->nr_alive)
		lru_test_death(t->alive[--t->nr_alive]);
	for (i = 0; i < NR_LRUS; i++) {
		check_lru(test, i);
		KUNIT_EXPECT_TRUE(test, list_empty(&t->lrus[i].node[NID].subs));
	}
	for (i = 0; i < NR_ITEMS; i++)
		KUNIT_EXPECT_EQ(test, lru_test_take(t, &t->items[i]), t->items[i].on);
}

static struct kunit_case dir_cases[] = {
	KUNIT_CASE(test_no_memory),
	KUNIT_CASE(test_away_is_forgiven),
	KUNIT_CASE(test_no_slot),
	KUNIT_CASE(test_many_lrus),
	KUNIT_CASE(test_random),
	{}
};

static struct kunit_suite dir_suite = {
	.name = "list_lru_dir",
	.init = lru_test_init,
	.exit = lru_test_exit,
	.test_cases = dir_cases,
};

kunit_test_suite(dir_suite);
