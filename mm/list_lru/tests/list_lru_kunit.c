// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the lists of memcgs: the real code, driven by a tree of memcgs of which
 * only the nodes and the parents are real. What is counted is whether any object is
 * lost, or found twice.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/list_lru.h>
#include <linux/prandom.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

#include "../internal.h"

#define NR_LRUS		7
#define NR_MEMCGS	120
#define NR_ITEMS	500
#define NR_STEPS	60000
#define NR_ALIVE	9
#define NID		0

/**
 * struct item - an object
 * @link: on a list
 * @memcg: whom it is charged to, dead or alive
 * @lru: which list_lru it is of
 * @on: whether it should be on a list
 */
struct item {
	struct list_head link;
	struct mem_cgroup *memcg;
	unsigned int lru;
	bool on;
};

/**
 * struct lru_test - what a test has
 * @lrus: list_lrus
 * @shrinker: that of all of them
 * @memcgs: those that have ever been
 * @nr_memcgs: how many
 * @alive: those that are alive, parents before children
 * @nr_alive: how many
 * @items: objects
 * @nr_shown: objects a walk has shown
 * @no_memory: of so many requests for memory one fails; 0: none does
 * @rnd: numbers
 */
struct lru_test {
	struct list_lru lrus[NR_LRUS];
	struct shrinker *shrinker;
	struct mem_cgroup *memcgs[NR_MEMCGS];
	unsigned int nr_memcgs;
	struct mem_cgroup *alive[NR_ALIVE];
	unsigned int nr_alive;
	struct item items[NR_ITEMS];
	unsigned int nr_shown;
	unsigned int no_memory;
	struct rnd_state rnd;
};

static u32 below(struct lru_test *t, u32 n)
{
	return prandom_u32_state(&t->rnd) % n;
}

static bool refused(struct lru_test *t)
{
	return t->no_memory && !below(t, t->no_memory);
}

static struct list_lru_sub *maybe_sub(void)
{
	if (refused(kunit_get_current_test()->priv))
		return NULL;
	return kmalloc(sizeof(struct list_lru_sub), GFP_ATOMIC);
}

static struct list_lru_table *maybe_table(unsigned int size, gfp_t gfp)
{
	struct list_lru_table *table;

	if (refused(kunit_get_current_test()->priv))
		return NULL;
	table = kzalloc(struct_size(table, slots, size), gfp);
	if (table)
		table->size = size;
	return table;
}

static struct mem_cgroup *birth(struct kunit *test, struct mem_cgroup *parent)
{
	struct lru_test *t = test->priv;
	unsigned int no_memory = t->no_memory;
	struct mem_cgroup_per_node *pn;
	struct mem_cgroup *memcg;
	int nid;

	/* Without a table there is no memcg. */
	t->no_memory = 0;
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
	return memcg;
}

static void death(struct mem_cgroup *memcg)
{
	memcg_reparent_list_lrus(memcg, parent_mem_cgroup(memcg));
}

static bool put_on(struct lru_test *t, struct item *item)
{
	return list_lru_add(&t->lrus[item->lru], &item->link, NID, item->memcg);
}

static bool take_off(struct lru_test *t, struct item *item)
{
	return list_lru_del(&t->lrus[item->lru], &item->link, NID, item->memcg);
}

/* Put @n objects of @memcg on list_lru 0, from item @first on. */
static void put_some(struct kunit *test, struct mem_cgroup *memcg, int first, int n)
{
	struct lru_test *t = test->priv;
	int i;

	for (i = first; i < first + n; i++) {
		t->items[i].memcg = memcg;
		KUNIT_EXPECT_TRUE(test, put_on(t, &t->items[i]));
	}
}

static void take_some(struct kunit *test, int first, int n)
{
	struct lru_test *t = test->priv;
	int i;

	for (i = first; i < first + n; i++)
		KUNIT_EXPECT_TRUE(test, take_off(t, &t->items[i]));
}

static unsigned long of(struct lru_test *t, struct mem_cgroup *memcg)
{
	return list_lru_count_one(&t->lrus[0], NID, memcg);
}

static struct list_lru_one *own(struct lru_test *t, struct mem_cgroup *memcg)
{
	struct list_lru_one *l;

	rcu_read_lock();
	l = list_lru_own(&t->lrus[0], NID, memcg);
	rcu_read_unlock();
	return l;
}

static void test_first_object(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = birth(test, NULL), *memcg = birth(test, top);

	memcg_list_lru_alloc(memcg, &t->lrus[0], GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, own(t, memcg));
	KUNIT_EXPECT_FALSE(test, take_off(t, &t->items[0]));
	put_some(test, memcg, 0, 3);
	KUNIT_EXPECT_NOT_NULL(test, own(t, memcg));
	KUNIT_EXPECT_NULL(test, own(t, top));
	KUNIT_EXPECT_FALSE(test, put_on(t, &t->items[0]));
	KUNIT_EXPECT_EQ(test, of(t, memcg), 3);
	KUNIT_EXPECT_EQ(test, of(t, top), 0);
	KUNIT_EXPECT_EQ(test, of(t, NULL), 0);
	KUNIT_EXPECT_EQ(test, list_lru_count_node(&t->lrus[0], NID), 3);
	KUNIT_EXPECT_NOT_NULL(test, memcg->nodeinfo[NID]->shrinker_info.units);
	take_some(test, 0, 3);
	KUNIT_EXPECT_EQ(test, of(t, memcg), 0);
}

static void test_list_becomes_parents(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = birth(test, NULL), *memcg = birth(test, top);
	struct list_lru_one *l;

	put_some(test, memcg, 0, 5);
	l = own(t, memcg);
	death(memcg);
	KUNIT_EXPECT_PTR_EQ(test, own(t, top), l);
	KUNIT_EXPECT_NULL(test, own(t, memcg));
	KUNIT_EXPECT_EQ(test, of(t, top), 5);
	KUNIT_EXPECT_NOT_NULL(test, top->nodeinfo[NID]->shrinker_info.units);
	put_some(test, memcg, 5, 2);
	KUNIT_EXPECT_EQ(test, of(t, top), 7);
	take_some(test, 0, 7);
	KUNIT_EXPECT_EQ(test, list_lru_count_node(&t->lrus[0], NID), 0);
}

static void test_list_joins_parents(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = birth(test, NULL), *memcg = birth(test, top);
	struct list_lru_one *l;

	put_some(test, memcg, 0, 5);
	put_some(test, top, 5, 2);
	l = own(t, top);
	death(memcg);
	KUNIT_EXPECT_PTR_EQ(test, own(t, top), l);
	KUNIT_EXPECT_EQ(test, of(t, top), 7);
	KUNIT_EXPECT_PTR_EQ(test, l->list.next, &t->items[0].link);
	death(top);
	KUNIT_EXPECT_EQ(test, of(t, NULL), 7);
	take_some(test, 0, 7);
	KUNIT_EXPECT_EQ(test, of(t, NULL), 0);
}

static void test_empty_list_goes(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = birth(test, NULL), *memcg = birth(test, top);

	put_some(test, memcg, 0, 1);
	take_some(test, 0, 1);
	death(memcg);
	KUNIT_EXPECT_NULL(test, own(t, top));
	KUNIT_EXPECT_NULL(test, own(t, memcg));
	KUNIT_EXPECT_TRUE(test, list_empty(&t->lrus[0].node[NID].subs));
	put_some(test, memcg, 0, 1);
	KUNIT_EXPECT_EQ(test, of(t, top), 1);
}

static void test_no_memory(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = birth(test, NULL), *memcg = birth(test, top);

	put_some(test, top, 0, 1);
	t->no_memory = 1;
	put_some(test, memcg, 1, 3);
	t->no_memory = 0;
	KUNIT_EXPECT_EQ(test, of(t, memcg), 0);
	KUNIT_EXPECT_EQ(test, of(t, top), 4);
	/* It stays so, or the first ones would not be found. */
	put_some(test, memcg, 4, 2);
	KUNIT_EXPECT_EQ(test, of(t, top), 6);
	take_some(test, 1, 5);
	KUNIT_EXPECT_EQ(test, of(t, top), 1);
	put_some(test, memcg, 1, 2);
	death(top);
	KUNIT_EXPECT_EQ(test, of(t, NULL), 3);
	take_some(test, 0, 3);
}

/* A new list_lru at the address of one whose objects were away. */
static void test_away_is_forgiven(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *memcg = birth(test, NULL);
	struct list_lru_dir *dir = &memcg->nodeinfo[NID]->lists;

	t->no_memory = 1;
	put_some(test, memcg, 0, 1);
	t->no_memory = 0;
	take_some(test, 0, 1);
	KUNIT_EXPECT_TRUE(test, t->lrus[0].node[NID].away);
	list_lru_dir_forgive(dir, &t->lrus[0].node[NID]);
	put_some(test, memcg, 0, 1);
	KUNIT_EXPECT_EQ(test, of(t, memcg), 1);
	KUNIT_EXPECT_FALSE(test, dir->closed);
}

/* So many marks that there is no slot for another one: the directory is closed. */
static void test_no_slot(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *memcg = birth(test, NULL);
	unsigned int i;

	t->no_memory = 1;
	for (i = 0; i < NR_LRUS; i++) {
		t->items[i].memcg = memcg;
		t->items[i].lru = i;
		KUNIT_EXPECT_TRUE(test, put_on(t, &t->items[i]));
	}
	KUNIT_EXPECT_TRUE(test, memcg->nodeinfo[NID]->lists.closed);
	t->no_memory = 0;
	for (i = 0; i < NR_LRUS; i++)
		KUNIT_EXPECT_EQ(test, list_lru_count_one(&t->lrus[i], NID, NULL), 1);
	take_some(test, 0, NR_LRUS);
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
	struct mem_cgroup *memcg = birth(test, NULL);
	unsigned long nr = 100;

	KUNIT_EXPECT_EQ(test, 0, list_lru_walk_one(&t->lrus[0], NID, memcg, answer, t,
						   &nr));
	put_some(test, memcg, 0, 6);
	/* skip 0, rotate 1, take 2, retry 0, take 0, 3 and 4, stop at 5 */
	KUNIT_EXPECT_EQ(test, 4, list_lru_walk_one(&t->lrus[0], NID, memcg, answer, t,
						   &nr));
	KUNIT_EXPECT_EQ(test, nr, 92);
	KUNIT_EXPECT_EQ(test, of(t, memcg), 2);
	KUNIT_EXPECT_PTR_EQ(test, own(t, memcg)->list.prev, &t->items[1].link);
	nr = 1;
	KUNIT_EXPECT_EQ(test, list_lru_walk_node(&t->lrus[0], NID, answer, t, &nr), 1);
	KUNIT_EXPECT_EQ(test, nr, 0);
	KUNIT_EXPECT_EQ(test, of(t, memcg), 1);
	take_some(test, 1, 1);
}

/* The memcg goes while the callback has dropped the lock. */
static enum lru_status die_meanwhile(struct list_head *link, struct list_lru_one *l,
				     spinlock_t *lock, void *arg)
{
	list_lru_isolate(l, link);
	spin_unlock(lock);
	death(arg);
	spin_lock(lock);
	return LRU_REMOVED_RETRY;
}

static void test_death_while_walked(struct kunit *test)
{
	struct lru_test *t = test->priv;
	struct mem_cgroup *top = birth(test, NULL), *memcg = birth(test, top);
	unsigned long nr = 1;

	put_some(test, top, 0, 1);
	put_some(test, memcg, 1, 3);
	KUNIT_EXPECT_EQ(test, 1, list_lru_walk_one(&t->lrus[0], NID, memcg, die_meanwhile,
						   memcg, &nr));
	KUNIT_EXPECT_EQ(test, of(t, top), 3);
	nr = 2;
	KUNIT_EXPECT_EQ(test, 1, list_lru_walk_node(&t->lrus[0], NID, die_meanwhile, top,
						    &nr));
	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_EQ(test, of(t, NULL), 2);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->lrus[0].node[NID].subs));
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
	struct mem_cgroup *memcg = birth(test, NULL);
	struct lru_test *t = test->priv;
	int i, round;

	KUNIT_ASSERT_NOT_NULL(test, lrus);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < nr; i++)
			use_lru(test, &lrus[i], &t->items[i].link, memcg);
		for (i = 0; i < nr; i++)
			leave_lru(test, &lrus[i], &t->items[i].link, memcg);
	}
	put_some(test, memcg, 0, 1);
	KUNIT_EXPECT_EQ(test, of(t, memcg), 1);
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

	switch (below(t, 4)) {
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

	if (below(t, 2)) {
		if (!item->on && below(t, 2)) {
			item->memcg = t->alive[below(t, t->nr_alive)];
			item->lru = below(t, NR_LRUS);
		}
		KUNIT_EXPECT_EQ(test, put_on(t, item), !item->on);
		item->on = true;
	} else {
		KUNIT_EXPECT_EQ(test, take_off(t, item), item->on);
		item->on = false;
	}
}

/* The youngest goes, and another one comes, below anyone. */
static void change_memcgs(struct kunit *test)
{
	struct lru_test *t = test->priv;

	if (t->nr_alive == NR_ALIVE)
		death(t->alive[--t->nr_alive]);
	if (t->nr_alive > 1 && below(t, 2))
		death(t->alive[--t->nr_alive]);
	if (t->nr_memcgs < NR_MEMCGS) {
		t->alive[t->nr_alive] = birth(test, t->alive[below(t, t->nr_alive)]);
		t->nr_alive++;
	}
}

static void random_step(struct kunit *test)
{
	struct lru_test *t = test->priv;
	unsigned int lru = below(t, NR_LRUS);
	unsigned long nr = 1 + below(t, 20);

	switch (below(t, 500)) {
	case 0:
		change_memcgs(test);
		break;
	case 1 ... 5:
		list_lru_walk_one(&t->lrus[lru], NID, t->memcgs[below(t, t->nr_memcgs)],
				  take_any, t, &nr);
		break;
	case 6:
		list_lru_walk_node(&t->lrus[lru], NID, take_any, t, &nr);
		break;
	case 7:
		check_lru(test, lru);
		break;
	default:
		touch_item(test, &t->items[below(t, NR_ITEMS)]);
	}
}

static void test_random(struct kunit *test)
{
	struct lru_test *t = test->priv;
	unsigned int i;

	t->alive[0] = birth(test, NULL);
	t->nr_alive = 1;
	for (i = 0; i < NR_ITEMS; i++)
		t->items[i].memcg = t->alive[0];
	for (i = 0; i < NR_STEPS; i++) {
		t->no_memory = i < NR_STEPS / 3 ? 0 : 3;
		random_step(test);
	}
	t->no_memory = 0;
	while (t->nr_alive)
		death(t->alive[--t->nr_alive]);
	for (i = 0; i < NR_LRUS; i++) {
		check_lru(test, i);
		KUNIT_EXPECT_TRUE(test, list_empty(&t->lrus[i].node[NID].subs));
	}
	for (i = 0; i < NR_ITEMS; i++)
		KUNIT_EXPECT_EQ(test, take_off(t, &t->items[i]), t->items[i].on);
}

static int lru_test_init(struct kunit *test)
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
		KUNIT_ASSERT_EQ(test, list_lru_init_memcg(&t->lrus[i], t->shrinker), 0);
	for (i = 0; i < NR_ITEMS; i++)
		INIT_LIST_HEAD(&t->items[i].link);
	kunit_activate_static_stub(test, list_lru_sub_alloc, maybe_sub);
	kunit_activate_static_stub(test, list_lru_table_alloc, maybe_table);
	return 0;
}

static void lru_test_exit(struct kunit *test)
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

static struct kunit_case lru_cases[] = {
	KUNIT_CASE(test_first_object),
	KUNIT_CASE(test_list_becomes_parents),
	KUNIT_CASE(test_list_joins_parents),
	KUNIT_CASE(test_empty_list_goes),
	KUNIT_CASE(test_no_memory),
	KUNIT_CASE(test_away_is_forgiven),
	KUNIT_CASE(test_no_slot),
	KUNIT_CASE(test_walk),
	KUNIT_CASE(test_death_while_walked),
	KUNIT_CASE(test_many_lrus),
	KUNIT_CASE(test_random),
	{}
};

static struct kunit_suite lru_suite = {
	.name = "list_lru",
	.init = lru_test_init,
	.exit = lru_test_exit,
	.test_cases = lru_cases,
};

kunit_test_suite(lru_suite);
