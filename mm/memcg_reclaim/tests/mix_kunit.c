// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of memcgs of which some use what they have, and some do not: the order, the credit
 * and the bar of requests of the system together, on mixes made up at random.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../../lru_gen/evict.h"
#include "order_fixture.h"

/* At which rates pages are used. Equal ones differ by the half. */
#define COLD_RATE	1000
#define HOT_RATE	(1000 * COLD_RATE)

#define NR_MIXES	10

/**
 * struct mix - memcgs that use some of what they have
 * @t: their order
 * @bar: the bar of the passes
 * @nr: how many there are
 * @cold: pages of each that nobody uses
 * @covered: whether each is protected
 * @left: pages that nobody uses and nothing protects
 * @nr_cold: pages given that nobody used
 * @nr_hot: pages given that were in use while others were not
 * @nr_turns: turns in the round under way, or in the last one
 * @nr_gave: those of them in which somebody gave
 */
struct mix {
	struct order_test *t;
	struct memcg_iter_bar bar;
	unsigned int nr;
	unsigned long cold[NR_MODELS];
	bool covered[NR_MODELS];
	unsigned long left;
	unsigned long nr_cold;
	unsigned long nr_hot;
	unsigned long nr_turns;
	unsigned long nr_gave;
};

static struct mix *new_mix(struct kunit *test)
{
	struct mix *x = kunit_kzalloc(test, sizeof(*x), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, x);
	x->t = test->priv;
	return x;
}

static void add(struct mix *x, unsigned long weight, unsigned long cold)
{
	order_test_add(x->t, x->nr, weight);
	x->left += x->covered[x->nr] ? 0 : cold;
	x->cold[x->nr++] = cold;
}

/* The next test begins with an order that has nobody. */
static void remove_all(struct mix *x)
{
	struct order_test *t = x->t;

	while (x->nr)
		memcg_lru_del(&t->lru, &t->models[--x->nr].m);
	memset(x, 0, sizeof(*x));
	x->t = t;
}

static void give(struct mix *x, unsigned int i, struct memcg_visit *v)
{
	struct model *d = &x->t->models[i];

	v->rate = (x->cold[i] ? COLD_RATE : HOT_RATE) * (2 + order_test_rnd(x->t, 2)) / 2;
	if (v->rate > v->most_rate || !v->nr_want)
		return;
	v->nr_reclaimed = min(v->nr_want, x->cold[i] ? x->cold[i] : d->weight);
	v->nr_scanned = v->nr_reclaimed;
	d->given += v->nr_reclaimed;
	if (!x->cold[i]) {
		x->nr_hot += v->nr_reclaimed;
		return;
	}
	x->nr_cold += v->nr_reclaimed;
	x->cold[i] -= v->nr_reclaimed;
	x->left -= v->nr_reclaimed;
}

/* As a pass of a request does it. */
static void take_turn(struct mix *x, struct memcg_lru_member *m)
{
	struct order_test *t = x->t;
	unsigned int i = order_test_model(m) - t->models;
	struct memcg_visit v = { .most_rate = memcg_iter_bar_rate(&x->bar) };
	struct memcg_lru_turn turn = {
		.member = m,
		.weight = t->models[i].weight,
		.limit = MEMCG_LRU_BATCH,
	};

	if (x->covered[i]) {
		memcg_lru_skip(&t->lru, m, true);
		return;
	}
	memcg_lru_reserve(&t->lru, &turn);
	v.nr_want = turn.nr;
	give(x, i, &v);
	turn.kept = memcg_iter_bar_is_far(&v);
	memcg_lru_settle(&t->lru, &turn, v.nr_reclaimed, v.nr_reclaimed >= turn.nr);
	if (turn.nr)
		memcg_iter_bar_turn(&x->bar, &v, memcg_lru_size(&t->lru),
				    memcg_iter_bar_rounds(memcg_lru_size(&t->lru)));
	x->nr_turns++;
	x->nr_gave += !!v.nr_reclaimed;
	t->nr_visits++;
}

static void next_turn(struct mix *x)
{
	struct memcg_lru *lru = &x->t->lru;
	unsigned int round = lru->round;
	struct memcg_lru_member *m;

	m = memcg_lru_take(lru, order_test_rnd(x->t, MEMCG_LRU_NR_SHARDS));
	if (lru->round != round) {
		x->nr_turns = 0;
		x->nr_gave = 0;
	}
	if (m)
		take_turn(x, m);
}

/*
 * From two memcgs to all; each may be all cold, or in part, or all hot, or protected. The largest
 * has four times what the smallest has: much smaller ones wait for credit for many rounds, and
 * while they do, the bar may be raised above what others use.
 */
static void add_any(struct mix *x)
{
	unsigned int nr = 2 + order_test_rnd(x->t, NR_MODELS - 1);
	unsigned long weight;

	while (x->nr < nr) {
		weight = 4096 + order_test_rnd(x->t, 3 * 4096);
		x->covered[x->nr] = !order_test_rnd(x->t, 8);
		add(x, weight, weight * order_test_rnd(x->t, 3) / 2);
	}
}

static unsigned long given_by_covered(const struct mix *x)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < x->nr; i++)
		nr += x->covered[i] ? x->t->models[i].given : 0;
	return nr;
}

/* As long as there is a batch for each memcg of what nobody uses. */
static void what_nobody_uses_goes_first(struct kunit *test)
{
	struct mix *x = new_mix(test);
	int i;

	for (i = 0; i < NR_MIXES; i++) {
		add_any(x);
		while (x->left > x->nr * MEMCG_LRU_BATCH)
			next_turn(x);
		KUNIT_EXPECT_EQ(test, x->nr_hot, 0);
		KUNIT_EXPECT_EQ(test, given_by_covered(x), 0);
		kunit_info(test, "%u memcgs gave %lu that nobody used, and %lu in use\n", x->nr,
			   x->nr_cold, x->nr_hot);
		remove_all(x);
	}
}

/*
 * Each round asks all. It has an end: between two turns that give, eight may be in vain because
 * of memcgs near the bar, and in each round every memcg that is far above it has one.
 */
static void rounds_have_an_end(struct kunit *test)
{
	struct mix *x = new_mix(test);
	unsigned long most = 0;
	int i, k;

	for (i = 0; i < NR_MIXES; i++) {
		add_any(x);
		for (k = 0; k < 5000; k++) {
			next_turn(x);
			most = max(most, x->nr_turns);
			if (x->nr_turns > 9 * x->nr_gave + 2 * x->nr)
				KUNIT_FAIL_AND_ABORT(test, "%lu turns, %lu gave, of %u",
						     x->nr_turns, x->nr_gave, x->nr);
		}
		remove_all(x);
	}
	kunit_info(test, "at most %lu turns in a round\n", most);
}

/* The bound of credit.c among those that nobody uses, whatever is between them. */
static void cold_ones_give_alike(struct kunit *test)
{
	struct mix *x = new_mix(test);
	unsigned long least = ULONG_MAX, most = 0, bound;
	unsigned int i;

	for (i = 0; i < NR_MODELS; i++)
		if (i % 4)
			add(x, 64 + order_test_rnd(x->t, 20000), 0);
		else
			add(x, 4096, ULONG_MAX / 2);
	for (i = 0; i < 40000; i++)
		next_turn(x);
	for (i = 0; i < NR_MODELS; i += 4) {
		least = min(least, x->t->models[i].given);
		most = max(most, x->t->models[i].given);
	}
	bound = 4096 * MEMCG_LRU_QUANTUM / MEMCG_LRU_MIN_MEAN + MEMCG_LRU_BATCH;
	kunit_info(test, "least %lu, most %lu, bound %lu\n", least, most, bound);
	KUNIT_EXPECT_GT(test, least, 10 * bound);
	KUNIT_EXPECT_LE(test, most - least, bound);
	KUNIT_EXPECT_EQ(test, x->nr_hot, 0);
	remove_all(x);
}

/* Turns that it takes to get so many pages from eight memcgs. */
static unsigned long nr_visits_for(struct mix *x, unsigned long nr)
{
	unsigned long before = x->t->nr_visits;

	while (x->nr_cold < nr)
		next_turn(x);
	return x->t->nr_visits - before;
}

static void memcgs_without_pages_cost_no_turns(struct kunit *test)
{
	struct mix *x = new_mix(test);
	unsigned long alone, among;
	unsigned int i;

	for (i = 0; i < 8; i++)
		add(x, 4096, ULONG_MAX / 16);
	alone = nr_visits_for(x, 100000);
	remove_all(x);
	for (i = 0; i < NR_MODELS; i++)
		add(x, i % 25 ? 0 : 4096, i % 25 ? 0 : ULONG_MAX / 16);
	among = nr_visits_for(x, 100000);
	kunit_info(test, "%lu turns alone, %lu among %d\n", alone, among, NR_MODELS);
	KUNIT_EXPECT_LE(test, among, alone + alone / 100);
	remove_all(x);
}

static struct kunit_case mix_cases[] = {
	KUNIT_CASE_SLOW(what_nobody_uses_goes_first),
	KUNIT_CASE_SLOW(rounds_have_an_end),
	KUNIT_CASE(cold_ones_give_alike),
	KUNIT_CASE(memcgs_without_pages_cost_no_turns),
	{}
};

static struct kunit_suite mix_suite = {
	.name = "lru_gen_memcg_mix",
	.init = order_test_init,
	.test_cases = mix_cases,
};

kunit_test_suite(mix_suite);
