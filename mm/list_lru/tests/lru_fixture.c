// SPDX-License-Identifier: GPL-2.0
/*
 * A tree of memcgs, and list_lrus, to test.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

#include "lru_fixture.h"

u32 lru_test_rnd(struct lru_test *t, u32 n)
{
	return prandom_u32_state(&t->rnd) % n;
}

static bool refused(struct lru_test *t, size_t bytes, gfp_t gfp)
{
	if (gfp & __GFP_NOFAIL)
		return false;
	if (!gfpflags_allow_blocking(gfp))
		t->largest_atomic = max(t->largest_atomic, bytes);
	if (t->no_tables && bytes != sizeof(struct list_lru_sub))
		return true;
	return t->no_memory && !lru_test_rnd(t, t->no_memory);
}

static void *maybe_mem(size_t bytes, gfp_t gfp)
{
	if (refused(kunit_get_current_test()->priv, bytes, gfp))
		return NULL;
	return kzalloc(bytes, gfp);
}

static struct mem_cgroup *item_owner(struct list_head *object)
{
	return container_of(object, struct item, link)->memcg;
}

struct mem_cgroup *lru_test_birth(struct kunit *test, struct mem_cgroup *parent)
{
	struct lru_test *t = test->priv;
	unsigned int no_memory = t->no_memory;
	bool no_tables = t->no_tables;
	struct mem_cgroup_per_node *pn;
	struct mem_cgroup *memcg;
	int nid;

	/* Without a table there is no memcg. */
	t->no_memory = 0;
	t->no_tables = false;
	KUNIT_ASSERT_LT(test, t->nr_memcgs, NR_MEMCGS);
	memcg = kunit_kzalloc(test, struct_size(memcg, nodeinfo, nr_node_ids),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memcg);
	t->memcgs[t->nr_memcgs++] = memcg;
	memcg->css.parent = parent ? &parent->css : &root_mem_cgroup->css;
	for_each_node(nid) {
		pn = kunit_kzalloc(test, sizeof(*pn), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pn);
		pn->memcg = memcg;
		memcg->nodeinfo[nid] = pn;
		KUNIT_ASSERT_TRUE(test, list_lru_dir_init(&pn->lists));
		shrinker_info_init(&pn->shrinker_info);
	}
	t->no_memory = no_memory;
	t->no_tables = no_tables;
	return memcg;
}

void lru_test_death(struct mem_cgroup *memcg)
{
	memcg_reparent_list_lrus(memcg, parent_mem_cgroup(memcg));
}

bool lru_test_put(struct lru_test *t, struct item *item)
{
	return list_lru_add(&t->lrus[item->lru], &item->link, NID, item->memcg);
}

bool lru_test_take(struct lru_test *t, struct item *item)
{
	return list_lru_del(&t->lrus[item->lru], &item->link, NID, item->memcg);
}

/* Put @n objects of @memcg on list_lru 0, from item @first on. */
void lru_test_put_some(struct kunit *test, struct mem_cgroup *memcg, int first, int n)
{
	struct lru_test *t = test->priv;
	int i;

	for (i = first; i < first + n; i++) {
		t->items[i].memcg = memcg;
		KUNIT_EXPECT_TRUE(test, lru_test_put(t, &t->items[i]));
	}
}

void lru_test_take_some(struct kunit *test, int first, int n)
{
	struct lru_test *t = test->priv;
	int i;

	for (i = first; i < first + n; i++)
		KUNIT_EXPECT_TRUE(test, lru_test_take(t, &t->items[i]));
}

unsigned long lru_test_count(struct lru_test *t, struct mem_cgroup *memcg)
{
	return list_lru_count_one(&t->lrus[0], NID, memcg);
}

struct list_lru_one *lru_test_own(struct lru_test *t, struct mem_cgroup *memcg)
{
	struct list_lru_one *l;

	rcu_read_lock();
	l = list_lru_own(&t->lrus[0], NID, memcg);
	rcu_read_unlock();
	return l;
}

void lru_test_init_lru(struct kunit *test, struct list_lru *lru)
{
	struct lru_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, list_lru_init_memcg(lru, t->shrinker), 0);
	list_lru_set_owner(lru, item_owner);
}

int lru_test_init(struct kunit *test)
{
	struct lru_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	prandom_seed_state(&t->rnd, 20220228);
	t->shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE | SHRINKER_MEMCG_AWARE,
				     "list-lru-test");
	KUNIT_ASSERT_NOT_NULL(test, t->shrinker);
	for (i = 0; i < NR_LRUS; i++)
		lru_test_init_lru(test, &t->lrus[i]);
	for (i = 0; i < NR_ITEMS; i++)
		INIT_LIST_HEAD(&t->items[i].link);
	kunit_activate_static_stub(test, list_lru_mem_alloc, maybe_mem);
	return 0;
}

void lru_test_exit(struct kunit *test)
{
	struct lru_test *t = test->priv;
	unsigned int i;
	int nid;

	for (i = 0; i < NR_LRUS; i++)
		list_lru_destroy(&t->lrus[i]);
	for (i = 0; i < t->nr_memcgs; i++) {
		for_each_node(nid)
			list_lru_dir_free(&t->memcgs[i]->nodeinfo[nid]->lists);
		free_shrinker_info(t->memcgs[i]);
	}
	shrinker_free(t->shrinker);
}
