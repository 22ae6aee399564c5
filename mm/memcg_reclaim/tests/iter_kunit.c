// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the order of a subtree and of the walks through it: the real code,
 * driven by a tree of memcgs that are born, fill, run empty and die. Several turns
 * are open at a time, in subtrees within each other, as with several threads.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/rculist.h>

#include "../internal.h"

#define NR_MODELS	120
#define NR_OPEN		8		/* turns open at a time, at most */
#define NR_STEPS	100000
#define NID		0

/**
 * struct model - what stands for a memcg
 * @memcg: the memcg, of which only the node and the place in the tree are real
 * @pn: its node
 * @parent: the one above
 * @weight: pages it has, 0 if it is empty
 * @given: pages it has given since it was last started
 * @nr_visits: times that a walk or the slab of others has come to it
 * @nr_below: how many are right below it
 * @held: references
 * @alive: whether it is in the tree
 */
struct model {
	struct mem_cgroup *memcg;
	struct mem_cgroup_per_node *pn;
	struct model *parent;
	unsigned long weight;
	unsigned long given;
	unsigned int nr_visits;
	unsigned int nr_below;
	unsigned int held;
	bool alive;
};

struct iter_test {
	struct model models[NR_MODELS];
	struct memcg_iter_turn open[NR_OPEN];
	unsigned int nr_open;
	u64 serial;
	struct rnd_state rnd;
};

static u32 below(struct iter_test *t, u32 n)
{
	return prandom_u32_state(&t->rnd) % n;
}

static struct model *model_of(struct kunit *test, struct mem_cgroup *memcg)
{
	struct iter_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < NR_MODELS; i++)
		if (t->models[i].memcg == memcg)
			return &t->models[i];
	KUNIT_FAIL(test, "a memcg that is none");
	return &t->models[0];
}

static bool hold_model(struct memcg_iter *it)
{
	struct model *d = model_of(kunit_get_current_test(), memcg_iter_memcg(it));

	d->held++;
	return true;
}

static struct memcg_iter *place(struct model *d)
{
	return &d->pn->shared_iter;
}

/* What is charged to it and to those below; each has something but when told so. */
static void set_charged(struct model *d, unsigned long nr_pages)
{
	atomic_long_set(&d->memcg->memory.usage, nr_pages);
}

static void give_birth(struct iter_test *t, unsigned int i, struct model *parent)
{
	struct model *d = &t->models[i];
	struct cgroup_subsys_state *css = &d->memcg->css;

	memset(css, 0, sizeof(*css));
	memset(place(d), 0, sizeof(*place(d)));
	INIT_LIST_HEAD(&css->children);
	INIT_LIST_HEAD(&css->sibling);
	css->flags = CSS_NO_REF | CSS_ONLINE;
	css->serial_nr = ++t->serial;
	d->parent = parent;
	d->weight = 0;
	d->given = 0;
	d->nr_visits = 0;
	d->nr_below = 0;
	d->alive = true;
	set_charged(d, 1);
	if (parent) {
		css->parent = &parent->memcg->css;
		parent->nr_below++;
		list_add_tail_rcu(&css->sibling, &css->parent->children);
	}
	memcg_iter_add(place(d), parent ? place(parent) : NULL);
}

/* As when the last reference of a removed memcg is put. */
static void let_die(struct model *d)
{
	struct cgroup_subsys_state *css = &d->memcg->css;

	css->flags |= CSS_RELEASED;
	list_del_rcu(&css->sibling);
	memcg_iter_weigh(place(d), 0);
	memcg_walk_forget(d->memcg, NID);
	d->parent->nr_below--;
	d->alive = false;
	/* Whoever still finds it will notice. */
	memset(css, 0x5a, sizeof(*css));
	memset(place(d), 0x5a, sizeof(*place(d)));
}

static void fill(struct model *d, unsigned long weight)
{
	d->weight = weight;
	memcg_iter_weigh(place(d), weight);
}

static int iter_test_init(struct kunit *test)
{
	struct iter_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	prandom_seed_state(&t->rnd, 20261121);
	for (i = 0; i < NR_MODELS; i++) {
		struct model *d = &t->models[i];

		d->memcg = kunit_kzalloc(test, struct_size(d->memcg, nodeinfo, nr_node_ids),
					 GFP_KERNEL);
		d->pn = kunit_kzalloc(test, sizeof(*d->pn), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, d->memcg);
		KUNIT_ASSERT_NOT_NULL(test, d->pn);
		d->memcg->nodeinfo[NID] = d->pn;
		d->pn->memcg = d->memcg;
	}
	give_birth(t, 0, NULL);
	kunit_activate_static_stub(test, memcg_iter_hold, hold_model);
	return 0;
}

static bool is_below(const struct model *d, const struct model *top)
{
	while (d && d != top)
		d = d->parent;
	return d;
}

/* Begin a turn; the model whose it is, or NULL. */
static struct model *take(struct kunit *test, struct model *top, unsigned long limit)
{
	struct iter_test *t = test->priv;
	struct memcg_iter_turn *turn = &t->open[t->nr_open];
	struct model *d;

	*turn = (struct memcg_iter_turn) { .top = place(top), .limit = limit };
	if (!memcg_iter_take(turn))
		return NULL;
	t->nr_open++;
	d = model_of(test, memcg_iter_memcg(turn->it));
	KUNIT_EXPECT_TRUE(test, d->alive);
	KUNIT_EXPECT_TRUE(test, is_below(d, top));
	return d;
}

static void end(struct kunit *test, unsigned int i, unsigned long nr)
{
	struct iter_test *t = test->priv;
	struct memcg_iter_turn turn = t->open[i];
	struct model *d = model_of(test, memcg_iter_memcg(turn.it));

	t->open[i] = t->open[--t->nr_open];
	d->given += nr;
	d->held--;
	memcg_iter_settle(&turn, d->weight, nr);
}

static void take_and_end(struct kunit *test, struct model *top)
{
	struct iter_test *t = test->priv;
	struct model *d = take(test, top, 32);

	if (d)
		end(test, t->nr_open - 1, t->open[t->nr_open - 1].nr);
}

/* Count what should be in the subtree of @top, and compare. */
static void check_counts(struct kunit *test, struct model *top)
{
	struct iter_test *t = test->priv;
	unsigned long weight = 0;
	unsigned int i, nr = 0;

	for (i = 0; i < NR_MODELS; i++) {
		struct model *d = &t->models[i];

		if (!d->alive || !is_below(d, top) || !place(d)->self.weight)
			continue;
		nr++;
		weight += place(d)->self.weight;
	}
	KUNIT_ASSERT_EQ(test, place(top)->nr, nr);
	if (top->parent)
		KUNIT_ASSERT_EQ(test, place(top)->all.weight, weight);
}

/* Of those of one size, none gives more than another by more than a request. */
static void equal_ones_give_the_same(struct kunit *test)
{
	struct iter_test *t = test->priv;
	unsigned int i, step;

	for (i = 1; i <= 40; i++) {
		give_birth(t, i, &t->models[0]);
		fill(&t->models[i], 4096);
	}
	for (step = 0; step < NR_STEPS; step++) {
		/* Several at a time; one stops early, the next takes it all. */
		if (t->nr_open < NR_OPEN && below(t, 2)) {
			take(test, &t->models[0], 32);
		} else if (t->nr_open) {
			unsigned int which = below(t, t->nr_open);

			end(test, which, below(t, t->open[which].nr + 1));
		}
	}
	while (t->nr_open)
		end(test, 0, t->open[0].nr);
	for (i = 2; i <= 40; i++) {
		unsigned long a = t->models[1].given, b = t->models[i].given;

		KUNIT_EXPECT_LE(test, max(a, b) - min(a, b), 2 * 32);
	}
}

/* What each gives is in proportion to its size, through all levels. */
static void sizes_decide(struct kunit *test)
{
	struct iter_test *t = test->priv;
	unsigned long total = 0, given = 0;
	unsigned int i, step;

	for (i = 1; i <= 60; i++) {
		give_birth(t, i, &t->models[(i - 1) / 4]);
		fill(&t->models[i], 512 * (1 + i % 5));
		total += 512 * (1 + i % 5);
	}
	for (step = 0; step < NR_STEPS; step++)
		take_and_end(test, &t->models[0]);
	for (i = 1; i <= 60; i++)
		given += t->models[i].given;
	for (i = 1; i <= 60; i++) {
		unsigned long due = t->models[i].weight * (given / 1000) / (total / 1000);
		unsigned long has = t->models[i].given;

		KUNIT_EXPECT_LE(test, max(due, has) - min(due, has), due / 20);
	}
	check_counts(test, &t->models[0]);
}

/* A newcomer neither has to make up for the past nor is spared. */
static void newcomer_gives_from_now_on(struct kunit *test)
{
	struct iter_test *t = test->priv;
	unsigned long had, late;
	unsigned int step, i;

	for (i = 1; i <= 2; i++) {
		give_birth(t, i, &t->models[0]);
		fill(&t->models[i], 8192);
	}
	for (step = 0; step < 5000; step++)
		take_and_end(test, &t->models[0]);
	give_birth(t, 3, &t->models[0]);
	/* It is met while it is small, and grows. */
	fill(&t->models[3], 1);
	for (i = 1; i <= 8192; i *= 2) {
		fill(&t->models[3], i);
		take_and_end(test, &t->models[0]);
	}
	had = t->models[1].given;
	late = t->models[3].given;
	for (step = 0; step < 3000; step++)
		take_and_end(test, &t->models[0]);
	had = t->models[1].given - had;
	late = t->models[3].given - late;
	KUNIT_EXPECT_LE(test, max(had, late) - min(had, late), 4 * 32);
}

static struct model *any(struct iter_test *t, bool alive)
{
	struct model *d = &t->models[1 + below(t, NR_MODELS - 1)];

	return d->alive == alive ? d : NULL;
}

static void change_something(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *d = any(t, true), *unborn = any(t, false);

	if (d && below(t, 3))
		fill(d, below(t, 3) ? 1 + below(t, 10000) : 0);
	else if (d && !d->nr_below && !d->held)
		let_die(d);
	else if (unborn && !unborn->held)
		give_birth(t, unborn - t->models, any(t, true) ?: &t->models[0]);
}

static void reclaim_something(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *top = any(t, true) ?: &t->models[0];

	/* Turns in progress keep the top of their subtree. */
	if (t->nr_open < NR_OPEN && top == &t->models[0])
		take(test, top, 1 + below(t, 64));
	else if (t->nr_open < NR_OPEN)
		take_and_end(test, top);
	if (t->nr_open && below(t, 2)) {
		unsigned int which = below(t, t->nr_open);

		end(test, which, below(t, 2 * t->open[which].nr));
	}
}

/* Whoever has something is met, whatever comes and goes. */
static void births_and_deaths(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *d;
	unsigned int step;

	for (step = 0; step < NR_STEPS; step++) {
		change_something(test);
		reclaim_something(test);
		d = any(t, true);
		if (d && !(step % 16))
			check_counts(test, d);
	}
	while (t->nr_open)
		end(test, 0, t->open[0].nr);
	check_counts(test, &t->models[0]);
	for (d = t->models; d < t->models + NR_MODELS; d++)
		d->given = 0;
	for (step = 0; step < 2 * NR_STEPS; step++)
		take_and_end(test, &t->models[0]);
	for (d = t->models; d < t->models + NR_MODELS; d++)
		if (d->alive && place(d)->self.weight)
			KUNIT_EXPECT_GT(test, d->given, 0);
}

/* The shared place outlives whom it is at, and goes round all of them. */
static void place_moves_to_neighbour(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *d, *next = NULL;
	unsigned int i, step, nr_rounds = 0, nr_returned = 0;

	for (i = 1; i < NR_MODELS; i++)
		give_birth(t, i, &t->models[below(t, i)]);
	for (step = 0; step < NR_STEPS; step++) {
		struct memcg_walk w = { .top = t->models[0].memcg, .nid = NID };
		struct cgroup_subsys_state *at = place(&t->models[0])->slab;
		struct mem_cgroup *memcg;

		/* Who is next dies: not all the way back to the top. */
		d = at ? model_of(test, mem_cgroup_from_css(at)) : any(t, true);
		if (!below(t, 4) && d && !d->nr_below)
			let_die(d);
		next = any(t, false);
		if (next)
			give_birth(t, next - t->models, any(t, true) ?: &t->models[0]);
		memcg = memcg_walk_slab(&w);
		nr_rounds += w.over;
		if (!memcg)
			continue;
		nr_returned++;
		d = model_of(test, memcg);
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
		give_birth(t, i, &t->models[(i - 1) / 3]);
	/* One that has children, and a leaf; its children are not even looked at. */
	set_charged(&t->models[2], 0);
	set_charged(&t->models[NR_MODELS - 1], 0);
	while (!w.over) {
		memcg = memcg_walk_slab(&w);
		if (memcg)
			model_of(test, memcg)->nr_visits++;
	}
	for (i = 1; i < NR_MODELS; i++) {
		bool wanted = !is_below(&t->models[i], &t->models[2]) && i != NR_MODELS - 1;

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
		model_of(test, memcg)->nr_visits++;
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
		give_birth(t, i, &t->models[below(t, i)]);
	for (i = 0; i < NR_MODELS; i += 7, nr_full++)
		fill(&t->models[i], 10);
	KUNIT_EXPECT_EQ(test, walk_all(test, false), nr_full);
	for (i = 0; i < NR_MODELS; i++)
		KUNIT_EXPECT_EQ(test, t->models[i].nr_visits, !!t->models[i].weight);
	KUNIT_EXPECT_EQ(test, walk_all(test, true), NR_MODELS);
	for (i = 0; i < NR_MODELS; i++)
		KUNIT_EXPECT_EQ(test, t->models[i].nr_visits, 1 + !!t->models[i].weight);
	for (i = 1; i < NR_MODELS; i++)
		set_charged(&t->models[i], 0);
	KUNIT_EXPECT_EQ(test, walk_all(test, true), 1);
}

/* Empty subtrees are not even looked into. */
static void empty_ones_are_in_no_queue(struct kunit *test)
{
	struct iter_test *t = test->priv;
	unsigned int i;

	for (i = 1; i < NR_MODELS; i++)
		give_birth(t, i, &t->models[(i - 1) / 2]);
	KUNIT_EXPECT_NULL(test, take(test, &t->models[0], 32));
	fill(&t->models[NR_MODELS - 1], 5);
	KUNIT_EXPECT_PTR_EQ(test, take(test, &t->models[0], 32), &t->models[NR_MODELS - 1]);
	fill(&t->models[NR_MODELS - 1], 0);
	end(test, 0, 5);
	KUNIT_EXPECT_NULL(test, take(test, &t->models[0], 32));
	for (i = 0; i < NR_MODELS; i++)
		KUNIT_EXPECT_EQ(test, place(&t->models[i])->nr, 0);
}

static struct kunit_case iter_test_cases[] = {
	KUNIT_CASE(equal_ones_give_the_same),
	KUNIT_CASE(sizes_decide),
	KUNIT_CASE(newcomer_gives_from_now_on),
	KUNIT_CASE(births_and_deaths),
	KUNIT_CASE(place_moves_to_neighbour),
	KUNIT_CASE(round_meets_each),
	KUNIT_CASE(full_walk_meets_each),
	KUNIT_CASE(empty_ones_are_in_no_queue),
	{ }
};

static struct kunit_suite iter_test_suite = {
	.name = "lru_gen_memcg_iter",
	.init = iter_test_init,
	.test_cases = iter_test_cases,
};

kunit_test_suite(iter_test_suite);
