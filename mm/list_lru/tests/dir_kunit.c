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

static enum lru_status take_one(struct list_head *link, struct list_lru_one *l,
				spinlock_t *lock, void *arg)
{
	struct lru_test *t = arg;

	if (t->nr_shown++ & 1)
		return LRU_STOP;
	list_lru_isolate(l, link);
	return LRU_REMOVED;
}

/* Objects that no list could be made for are the root's, alive or not. */
static void test_no_memory(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);
	unsigned long nr = 100;

	lru_test_put_some(test, top, 0, 1);
	t->no_memory = 1;
	lru_test_put_some(test, memcg, 1, 3);
	KUNIT_EXPECT_FALSE(test, lru_test_put(t, &t->items[1]));
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 0);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 3);
	lru_test_take_some(test, 1, 1);
	KUNIT_EXPECT_FALSE(test, lru_test_take(t, &t->items[1]));
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 2);
	KUNIT_EXPECT_EQ(test, list_lru_walk_one(&t->lrus[0], NID, NULL, take_one, t, &nr), 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 1);
	KUNIT_EXPECT_EQ(test, list_lru_walk_node(&t->lrus[0], NID, take_one, t, &nr), 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 0);
	lru_test_take_some(test, 0, 1);
}

/* Each memcg gathers its own, and those of memcgs below it that have gone. */
static void test_strays_go_home(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL);
	struct mem_cgroup *memcg = lru_test_birth(test, top);
	struct mem_cgroup *gone = lru_test_birth(test, memcg);

	lru_test_death(gone);
	t->no_memory = 1;
	lru_test_put_some(test, gone, 0, 1);
	lru_test_put_some(test, memcg, 1, 1);
	lru_test_put_some(test, top, 2, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 3);
	t->no_memory = 0;
	lru_test_put_some(test, memcg, 3, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 3);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 1);
	lru_test_put_some(test, top, 4, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 2);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 0);
	lru_test_take_some(test, 0, 5);
}

/* A memcg that goes leaves its strays to its parent, which may have a list. */
static void test_strays_are_inherited(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);

	lru_test_put_some(test, top, 0, 1);
	t->no_memory = 1;
	lru_test_put_some(test, memcg, 1, 3);
	lru_test_death(memcg);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 0);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 4);
	lru_test_take_some(test, 0, 4);
}

/* The list of a memcg that goes becomes the parent's, which has strays. */
static void test_heir_gathers(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);

	lru_test_put_some(test, memcg, 0, 2);
	t->no_memory = 1;
	lru_test_put_some(test, top, 2, 1);
	lru_test_death(memcg);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 3);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 0);
	lru_test_take_some(test, 0, 3);
}

/* Memory comes back: the next object brings those home that had no list. */
static void test_memory_comes_back(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);

	lru_test_put_some(test, top, 0, 1);
	t->no_memory = 1;
	lru_test_put_some(test, memcg, 1, 3);
	t->no_memory = 0;
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 0);
	lru_test_put_some(test, memcg, 4, 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, memcg), 4);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, top), 1);
	KUNIT_EXPECT_EQ(test, lru_test_count(t, NULL), 0);
	lru_test_take_some(test, 0, 5);
}

/* Put an object of @memcg on each list_lru, item by item from @first on. */
static void put_on_each(struct kunit *test, struct mem_cgroup *memcg, int first)
{
	struct lru_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < NR_LRUS; i++) {
		t->items[first + i].memcg = memcg;
		t->items[first + i].lru = i;
		KUNIT_EXPECT_TRUE(test, lru_test_put(t, &t->items[first + i]));
	}
}

static unsigned long count_each(struct lru_test *t, struct mem_cgroup *memcg)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < NR_LRUS; i++)
		nr += list_lru_count_one(&t->lrus[i], NID, memcg);
	return nr;
}

/* The table cannot grow: what it has no slot for strays, until it can. */
static void test_no_slot(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *memcg = lru_test_birth(test, NULL);

	t->no_tables = true;
	put_on_each(test, memcg, 0);
	KUNIT_EXPECT_GT(test, count_each(t, memcg), 0);
	KUNIT_EXPECT_GT(test, count_each(t, NULL), 0);
	KUNIT_EXPECT_EQ(test, count_each(t, memcg) + count_each(t, NULL), NR_LRUS);
	t->no_tables = false;
	put_on_each(test, memcg, NR_LRUS);
	KUNIT_EXPECT_EQ(test, count_each(t, memcg), 2 * NR_LRUS);
	KUNIT_EXPECT_EQ(test, count_each(t, NULL), 0);
	lru_test_take_some(test, 0, 2 * NR_LRUS);
}

/* The parent's table cannot grow when it inherits. */
static void test_heir_has_no_slot(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = lru_test_birth(test, NULL), *memcg = lru_test_birth(test, top);

	put_on_each(test, memcg, 0);
	t->no_tables = true;
	lru_test_death(memcg);
	KUNIT_EXPECT_GT(test, count_each(t, NULL), 0);
	KUNIT_EXPECT_EQ(test, count_each(t, top) + count_each(t, NULL), NR_LRUS);
	t->no_tables = false;
	put_on_each(test, top, NR_LRUS);
	KUNIT_EXPECT_EQ(test, count_each(t, top), 2 * NR_LRUS);
	lru_test_take_some(test, 0, 2 * NR_LRUS);
}

static void use_lru(struct kunit *test, struct list_lru *lru, struct list_head *link,
		    struct mem_cgroup *memcg)
{
	lru_test_init_lru(test, lru);
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

/* A table of several pages, out of requests of a page at most. */
static void test_no_large_request(struct kunit *test)
{
	const unsigned int nr = 3 * PAGE_SIZE / sizeof(void *);
	struct list_lru *lrus = kvcalloc(nr, sizeof(*lrus), GFP_KERNEL);
	struct item *items = kvcalloc(nr, sizeof(*items), GFP_KERNEL);
	struct mem_cgroup *memcg = lru_test_birth(test, NULL);
	struct lru_test *t = test->priv;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, lrus);
	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < nr; i++) {
		INIT_LIST_HEAD(&items[i].link);
		use_lru(test, &lrus[i], &items[i].link, memcg);
	}
	KUNIT_EXPECT_EQ(test, t->largest_atomic, PAGE_SIZE);
	for (i = 0; i < nr; i++)
		leave_lru(test, &lrus[i], &items[i].link, memcg);
	kvfree(items);
	kvfree(lrus);
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
	KUNIT_CASE(test_memory_comes_back),
	KUNIT_CASE(test_strays_go_home),
	KUNIT_CASE(test_strays_are_inherited),
	KUNIT_CASE(test_heir_gathers),
	KUNIT_CASE(test_no_slot),
	KUNIT_CASE(test_heir_has_no_slot),
	KUNIT_CASE(test_many_lrus),
	KUNIT_CASE(test_no_large_request),
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
