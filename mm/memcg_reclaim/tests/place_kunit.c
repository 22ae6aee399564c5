// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the places in the order of memcgs: of those that are empty, protected
 * or removed.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>

#include "order_fixture.h"

static void empty_one_is_parked_until_its_first_folio(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct model *d = &t->models[0];

	order_test_add(t, 0, 0);
	KUNIT_EXPECT_EQ(test, memcg_lru_size(&t->lru), 0);
	KUNIT_EXPECT_NULL(test, memcg_lru_take(&t->lru, 0));
	KUNIT_EXPECT_PTR_EQ(test, memcg_lru_take_parked(&t->lru), &d->m);
	memcg_lru_wake(&t->lru, &d->m);
	KUNIT_EXPECT_EQ(test, memcg_lru_size(&t->lru), 1);
	KUNIT_EXPECT_PTR_EQ(test, memcg_lru_take(&t->lru, 0), &d->m);
	d->m.credit = -5;
	memcg_lru_park(&t->lru, &d->m);
	KUNIT_EXPECT_EQ(test, d->m.credit, -5);
	d->m.credit = 5;
	memcg_lru_park(&t->lru, &d->m);
	KUNIT_EXPECT_EQ(test, d->m.credit, 0);
	KUNIT_EXPECT_EQ(test, memcg_lru_size(&t->lru), 0);
}

static void protected_one_is_set_aside(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct memcg_lru_member *m;
	int i;

	order_test_add_some(t, 3, 4096);
	t->lru.rechecked = jiffies;
	while ((m = memcg_lru_take(&t->lru, 0)) != &t->models[1].m)
		;
	memcg_lru_skip(&t->lru, m, true);
	for (i = 0; i < 100; i++) {
		t->lru.rechecked = jiffies;
		KUNIT_EXPECT_PTR_NE(test, memcg_lru_take(&t->lru, i), m);
	}
	memcg_lru_unspare(&t->lru);
	for (i = 0; i < 3 && memcg_lru_take(&t->lru, i) != m; i++)
		;
	KUNIT_EXPECT_LT(test, i, 3);
	KUNIT_EXPECT_EQ(test, m->due, 1);
	/* Later on, a round looks at it again without being told. */
	memcg_lru_skip(&t->lru, m, true);
	t->lru.rechecked = jiffies - HZ;
	for (i = 0; i < 6 && memcg_lru_take(&t->lru, i) != m; i++)
		;
	KUNIT_EXPECT_LT(test, i, 6);
	/* 32-bit kernels boot five minutes before jiffies is 0, which says "never". */
	memcg_lru_skip(&t->lru, m, true);
	t->lru.rechecked = jiffies + 300 * HZ;
	for (i = 0; i < 6 && memcg_lru_take(&t->lru, i) != m; i++)
		;
	KUNIT_EXPECT_LT(test, i, 6);
}

static void removed_one_gives_all(struct kunit *test)
{
	struct order_test *t = test->priv;
	int i;

	order_test_add_some(t, 10, 4096);
	order_test_run(t, 100, 1);
	t->models[3].given = 0;
	memcg_lru_scrape(&t->lru, &t->models[3].m);
	for (i = 0; i < 400; i++) {
		order_test_open(t, MEMCG_LRU_BATCH);
		while (t->nr_open) {
			order_test_model(t->open[0].member)->weight -=
				t->open[0].member->removed ? t->open[0].nr : 0;
			order_test_close(t, 0, t->open[0].nr, true);
		}
	}
	KUNIT_EXPECT_EQ(test, t->models[3].given, 4096);
	memcg_lru_del(&t->lru, &t->models[3].m);
	KUNIT_EXPECT_EQ(test, memcg_lru_size(&t->lru), 9);
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE(empty_one_is_parked_until_its_first_folio),
	KUNIT_CASE(protected_one_is_set_aside),
	KUNIT_CASE(removed_one_gives_all),
	{}
};

static struct kunit_suite place_suite = {
	.name = "lru_gen_memcg_place",
	.init = order_test_init,
	.test_cases = place_cases,
};

kunit_test_suite(place_suite);
