// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what a memcg knows of shrinkers: the real code, on memcgs of which only
 * the nodes and the parents are real.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../internal.h"

#define NR_IDS		2000
#define NID		0

/**
 * struct map_test - what a test has
 * @top: a memcg
 * @child: one below it
 * @due: what each shrinker should be due
 * @shrinker: stands for any, by its id
 */
struct map_test {
	struct mem_cgroup *top;
	struct mem_cgroup *child;
	long due[NR_IDS];
	struct shrinker shrinker;
};

static struct shrinker_info *info_of(struct mem_cgroup *memcg)
{
	return shrinker_info_of(memcg, NID);
}

static struct mem_cgroup *birth(struct kunit *test, struct cgroup_subsys_state *parent)
{
	struct mem_cgroup_per_node *pn;
	struct mem_cgroup *memcg;
	int nid;

	memcg = kunit_kzalloc(test, struct_size(memcg, nodeinfo, nr_node_ids),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memcg);
	memcg->css.parent = parent;
	for_each_node(nid) {
		pn = kunit_kzalloc(test, sizeof(*pn), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pn);
		memcg->nodeinfo[nid] = pn;
		shrinker_info_init(&pn->shrinker_info);
	}
	return memcg;
}

static unsigned int nr_bits(struct mem_cgroup *memcg)
{
	struct shrinker_unit *unit;
	unsigned int nr = 0;

	for (unit = info_of(memcg)->units; unit; unit = unit->next)
		nr += bitmap_weight(unit->bits, SHRINKER_UNIT_IDS);
	return nr;
}

static unsigned int nr_units(struct mem_cgroup *memcg)
{
	struct shrinker_unit *unit;
	unsigned int nr = 0;

	for (unit = info_of(memcg)->units; unit; unit = unit->next)
		nr++;
	return nr;
}

static void test_bits(struct kunit *test)
{
	struct map_test *m = test->priv;
	int id;

	set_shrinker_bit(m->child, NID, -1);
	set_shrinker_bit(NULL, NID, 5);
	KUNIT_EXPECT_EQ(test, nr_units(m->child), 0);
	set_shrinker_bit(m->child, NID, 1999);
	set_shrinker_bit(m->child, NID, 1999);
	KUNIT_EXPECT_EQ(test, nr_units(m->child), 1);
	KUNIT_EXPECT_EQ(test, nr_bits(m->child), 1);
	KUNIT_EXPECT_EQ(test, nr_units(m->top), 0);
	for (id = 0; id < NR_IDS; id++)
		set_shrinker_bit(m->child, NID, id);
	KUNIT_EXPECT_EQ(test, nr_bits(m->child), NR_IDS);
	KUNIT_EXPECT_EQ(test, nr_units(m->child),
			DIV_ROUND_UP(NR_IDS, SHRINKER_UNIT_IDS));
	for (id = 0; id < NR_IDS; id += 2)
		shrinker_info_clear(info_of(m->child), id);
	shrinker_info_clear(info_of(m->child), 100 * NR_IDS);
	KUNIT_EXPECT_EQ(test, nr_bits(m->child), NR_IDS / 2);
	KUNIT_EXPECT_FALSE(test, shrinker_info_was_lost(info_of(m->child)));
}

static struct shrinker_unit *no_unit(void)
{
	return NULL;
}

static struct shrinker_deferred *no_table(unsigned int size)
{
	return NULL;
}

static void test_no_memory(struct kunit *test)
{
	struct map_test *m = test->priv;

	set_shrinker_bit(m->child, NID, 1);
	kunit_activate_static_stub(test, shrinker_unit_alloc, no_unit);
	kunit_activate_static_stub(test, shrinker_deferred_alloc, no_table);
	set_shrinker_bit(m->child, NID, 2);
	KUNIT_EXPECT_FALSE(test, shrinker_info_was_lost(info_of(m->child)));
	set_shrinker_bit(m->child, NID, SHRINKER_UNIT_IDS);
	KUNIT_EXPECT_EQ(test, nr_bits(m->child), 2);
	KUNIT_EXPECT_TRUE(test, shrinker_info_was_lost(info_of(m->child)));
	KUNIT_EXPECT_FALSE(test, shrinker_info_was_lost(info_of(m->child)));
	KUNIT_EXPECT_EQ(test, shrinker_memcg_defer(&m->shrinker, m->child, NID, 7), 0);
	KUNIT_EXPECT_EQ(test, shrinker_memcg_take(&m->shrinker, m->child, NID), 0);
}

static long add(struct map_test *m, int id, long nr, struct mem_cgroup *memcg)
{
	m->shrinker.id = id;
	return shrinker_memcg_defer(&m->shrinker, memcg, NID, nr);
}

static long take(struct map_test *m, int id, struct mem_cgroup *memcg)
{
	m->shrinker.id = id;
	return shrinker_memcg_take(&m->shrinker, memcg, NID);
}

static void test_deferred(struct kunit *test)
{
	struct map_test *m = test->priv;
	struct rnd_state rnd;
	int i, id;

	prandom_seed_state(&rnd, 7);
	KUNIT_EXPECT_EQ(test, take(m, 3, m->child), 0);
	KUNIT_EXPECT_EQ(test, add(m, 3, 0, m->child), 0);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(info_of(m->child)->deferred));
	for (i = 0; i < 50000; i++) {
		id = prandom_u32_state(&rnd) % NR_IDS;
		if (prandom_u32_state(&rnd) % 3) {
			m->due[id] += i;
			KUNIT_EXPECT_EQ(test, add(m, id, i, m->child), m->due[id]);
		} else {
			KUNIT_EXPECT_EQ(test, take(m, id, m->child), m->due[id]);
			m->due[id] = 0;
		}
	}
	add(m, 11, 1000, m->top);
	m->due[11] += 1000;
	reparent_shrinker_deferred(m->child);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(info_of(m->child)->deferred));
	for (id = 0; id < NR_IDS; id++)
		KUNIT_EXPECT_EQ(test, take(m, id, m->top), m->due[id]);
}

/* Another shrinker has got the id: it is not due what the one before left undone. */
static void test_reused_id(struct kunit *test)
{
	struct map_test *m = test->priv;

	m->shrinker.serial = UINT_MAX;
	add(m, 3, 1000, m->child);
	add(m, 4, 100, m->child);
	add(m, 5, 50, m->child);
	m->shrinker.serial++;
	KUNIT_EXPECT_EQ(test, add(m, 3, 5, m->child), 5);
	KUNIT_EXPECT_EQ(test, take(m, 4, m->child), 0);
	KUNIT_EXPECT_EQ(test, add(m, 5, 7, m->top), 7);
	reparent_shrinker_deferred(m->child);
	KUNIT_EXPECT_EQ(test, take(m, 5, m->top), 7);
	KUNIT_EXPECT_EQ(test, take(m, 3, m->top), 5);
	m->shrinker.serial--;
	KUNIT_EXPECT_EQ(test, add(m, 3, 9, m->top), 0);
}

static int map_test_init(struct kunit *test)
{
	struct map_test *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	test->priv = m;
	m->top = birth(test, &root_mem_cgroup->css);
	m->child = birth(test, &m->top->css);
	return 0;
}

static void map_test_exit(struct kunit *test)
{
	struct map_test *m = test->priv;

	free_shrinker_info(m->child);
	free_shrinker_info(m->top);
}

static struct kunit_case map_cases[] = {
	KUNIT_CASE(test_bits),
	KUNIT_CASE(test_no_memory),
	KUNIT_CASE(test_deferred),
	KUNIT_CASE(test_reused_id),
	{}
};

static struct kunit_suite map_suite = {
	.name = "shrinker_memcg",
	.init = map_test_init,
	.exit = map_test_exit,
	.test_cases = map_cases,
};

kunit_test_suite(map_suite);
