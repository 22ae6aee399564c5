// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the order of memcgs: the real lists, driven by a model of memcgs
 * of random sizes that come, go, fill, run empty, are protected and give less than
 * they are asked for. Several turns are open at a time, as with several threads.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/prandom.h>

#include "../internal.h"

#define NR_MODELS	200
#define NR_OPEN		8		/* turns open at a time, at most */
#define NR_TURNS	200000
#define LARGE_FOLIO	16UL		/* pages a turn may give too much, plus one */

/**
 * struct model - what stands for a memcg
 * @m: the member
 * @weight: pages it has, 0 if it is empty
 * @given: pages it has given since it was last started
 * @exempt: it has not been able to give, or has not been there, since then
 */
struct model {
	struct memcg_lru_member m;
	unsigned long weight;
	unsigned long given;
	bool exempt;
};

struct order_test {
	struct memcg_lru lru;
	struct model models[NR_MODELS];
	struct memcg_lru_turn open[NR_OPEN];
	unsigned int nr_open;
	unsigned long nr_visits;
	unsigned long worst;
	struct rnd_state rnd;
};

static u32 below(struct order_test *t, u32 n)
{
	return prandom_u32_state(&t->rnd) % n;
}

static struct model *model_of(struct memcg_lru_member *m)
{
	return container_of(m, struct model, m);
}

static bool hold_any(struct memcg_lru_member *m)
{
	return true;
}

static int order_test_init(struct kunit *test)
{
	struct order_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	memcg_lru_init(&t->lru);
	memcg_lru_expect(&t->lru, 4096);
	prandom_seed_state(&t->rnd, 20261121);
	kunit_activate_static_stub(test, memcg_lru_hold, hold_any);
	return 0;
}

static void add_model(struct order_test *t, unsigned int i, unsigned long weight)
{
	struct model *d = &t->models[i];

	memset(d, 0, sizeof(*d));
	d->weight = weight;
	memcg_lru_add(&t->lru, &d->m);
	if (weight)
		memcg_lru_wake(&t->lru, &d->m);
}

static void add_models(struct order_test *t, unsigned int nr, unsigned long weight)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		add_model(t, i, weight);
}

static void open_turn(struct order_test *t, unsigned long limit)
{
	struct memcg_lru_member *m = memcg_lru_take(&t->lru, below(t, MEMCG_LRU_NR_SHARDS));
	struct memcg_lru_turn *turn = &t->open[t->nr_open];

	if (!m)
		return;
	if (!model_of(m)->weight) {
		memcg_lru_skip(&t->lru, m, false);
		return;
	}
	*turn = (struct memcg_lru_turn) {
		.member = m,
		.weight = model_of(m)->weight,
		.limit = limit,
	};
	memcg_lru_reserve(&t->lru, turn);
	if (turn->nr) {
		t->nr_open++;
		t->nr_visits++;
	}
}

static void close_turn(struct order_test *t, unsigned int i, unsigned long freed, bool willing)
{
	struct memcg_lru_turn turn = t->open[i];

	t->open[i] = t->open[--t->nr_open];
	model_of(turn.member)->given += freed;
	if (!willing)
		model_of(turn.member)->exempt = true;
	memcg_lru_settle(&t->lru, &turn, freed, willing);
}

/* One bails out before it has all, another frees a large folio. */
static void close_any(struct order_test *t)
{
	unsigned int i = below(t, t->nr_open);
	unsigned long nr = t->open[i].nr;

	switch (below(t, 4)) {
	case 0:
		close_turn(t, i, below(t, nr + 1), true);
		break;
	case 1:
		close_turn(t, i, nr + below(t, LARGE_FOLIO), true);
		break;
	default:
		close_turn(t, i, nr, true);
	}
}

/* What a member can be given in a round, in pages. */
static unsigned long quantum(const struct order_test *t, unsigned long weight)
{
	unsigned long mean = max(t->lru.mean, MEMCG_LRU_MIN_MEAN);

	return weight * max(MEMCG_LRU_QUANTUM, mean >> DEF_PRIORITY) / mean + 1;
}

static unsigned long nr_asked(const struct order_test *t)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < t->nr_open; i++)
		nr += t->open[i].nr;
	return nr;
}

/* Of those that have one weight and can give, the least and the most given. */
static unsigned long spread(struct order_test *t, unsigned long weight)
{
	unsigned long least = ULONG_MAX, most = 0;
	unsigned int i;

	for (i = 0; i < NR_MODELS; i++) {
		struct model *d = &t->models[i];

		if (d->weight != weight || d->exempt || d->m.place != MEMCG_LRU_LISTED)
			continue;
		least = min(least, d->given);
		most = max(most, d->given);
	}
	return most > least ? most - least : 0;
}

static void run(struct order_test *t, unsigned long nr_turns, unsigned int width)
{
	while (nr_turns--) {
		if (t->nr_open < width)
			open_turn(t, below(t, 4) ? MEMCG_LRU_BATCH : 1024);
		if (t->nr_open && (t->nr_open == width || below(t, 2)))
			close_any(t);
	}
	while (t->nr_open)
		close_any(t);
}

/* The bound of the DOC block, for one thread: looked at after every step. */
static void equal_ones_give_alike(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long bound;
	int i;

	add_models(t, 128, 4096);
	for (i = 0; i < 20000; i++) {
		run(t, 1, 1);
		bound = quantum(t, 4096) + MEMCG_LRU_BATCH + LARGE_FOLIO;
		t->worst = max(t->worst, spread(t, 4096));
		if (spread(t, 4096) > bound)
			KUNIT_FAIL(test, "step %d: spread %lu over %lu", i, spread(t, 4096), bound);
	}
	kunit_info(test, "worst spread %lu, bound %lu\n", t->worst, bound);
}

/* The same with more turns open: what they have asked for may come on top. */
static void threads_keep_the_bound(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long bound = 0, asked = 0;
	int i;

	add_models(t, 32, 4096);
	for (i = 0; i < 50000; i++) {
		if (t->nr_open < NR_OPEN)
			open_turn(t, below(t, 4) ? MEMCG_LRU_BATCH : 1024);
		asked = max(asked, nr_asked(t));
		if (t->nr_open && below(t, 2))
			close_any(t);
		bound = quantum(t, 4096) + MEMCG_LRU_BATCH + LARGE_FOLIO + asked;
		t->worst = max(t->worst, spread(t, 4096));
	}
	kunit_info(test, "worst spread %lu, bound %lu\n", t->worst, bound);
	KUNIT_EXPECT_LE(test, t->worst, bound);
}

static void unequal_ones_give_in_proportion(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long given[4] = { }, all = 0;
	int i;

	for (i = 0; i < 64; i++)
		add_model(t, i, 2048UL << (i / 16));
	run(t, 40000, 4);
	for (i = 0; i < 64; i++) {
		given[i / 16] += t->models[i].given;
		all += t->models[i].given;
	}
	for (i = 0; i < 4; i++) {
		kunit_info(test, "weight %lu: %lu of %lu\n", 2048UL << i, given[i], all);
		KUNIT_EXPECT_LE(test, abs_diff(given[i] * 15, all << i), (all << i) / 20);
	}
}

/* One that has a thousandth of the mean still gives its thousandth. */
static void tiny_ones_give_their_share(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long share;

	add_models(t, 10, 1000000);
	add_model(t, 10, 1000);
	run(t, 200000, 2);
	share = t->models[0].given / 1000;
	kunit_info(test, "large %lu, tiny %lu\n", t->models[0].given, t->models[10].given);
	KUNIT_EXPECT_LE(test, abs_diff(t->models[10].given, share), share / 20 + MEMCG_LRU_BATCH);
}

/* All were tiny a moment ago, and are large now. */
static void round_asks_for_little_of_what_there_is(struct kunit *test)
{
	struct order_test *t = test->priv;
	int i;

	add_models(t, 10, 65536);
	t->lru.mean = 1;
	for (i = 0; i < 10; i++) {
		open_turn(t, 1024);
		KUNIT_ASSERT_EQ(test, t->nr_open, 1);
		KUNIT_EXPECT_LE(test, t->open[0].member->credit / MEMCG_LRU_UNIT + t->open[0].nr,
				65536 / 16);
		close_turn(t, 0, t->open[0].nr, true);
	}
}

/* A mean of long ago is replaced by what is expected, one of late is not. */
static void mean_is_forgotten(struct kunit *test)
{
	struct order_test *t = test->priv;

	add_models(t, 10, 4096);
	t->lru.mean = 7;
	t->lru.weighed = jiffies;
	memcg_lru_expect(&t->lru, 30000);
	KUNIT_EXPECT_EQ(test, t->lru.mean, 7UL);
	t->lru.weighed = jiffies - 60 * HZ;
	memcg_lru_expect(&t->lru, 30000);
	KUNIT_EXPECT_EQ(test, t->lru.mean, 3000UL);
}

static void unwilling_one_is_not_owed(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct memcg_lru_member *m = &t->models[0].m;
	int i;

	add_models(t, 4, 4096);
	for (i = 0; i < 400; i++) {
		open_turn(t, 1024);
		if (t->nr_open && t->open[0].member == m)
			close_turn(t, 0, 0, false);
		else if (t->nr_open)
			close_turn(t, 0, t->open[0].nr, true);
	}
	KUNIT_EXPECT_LE(test, m->credit, (long)quantum(t, 4096) * MEMCG_LRU_UNIT);
	KUNIT_EXPECT_GT(test, m->credit, 0);
}

static void empty_one_is_parked_until_its_first_folio(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct model *d = &t->models[0];

	add_model(t, 0, 0);
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

	add_models(t, 3, 4096);
	t->lru.recheck = jiffies + 100 * HZ;
	while ((m = memcg_lru_take(&t->lru, 0)) != &t->models[1].m)
		;
	memcg_lru_skip(&t->lru, m, true);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_PTR_NE(test, memcg_lru_take(&t->lru, i), m);
	memcg_lru_unspare(&t->lru);
	for (i = 0; i < 3 && memcg_lru_take(&t->lru, i) != m; i++)
		;
	KUNIT_EXPECT_LT(test, i, 3);
	KUNIT_EXPECT_EQ(test, m->due, 1);
	/* Later on, a round looks at it again without being told. */
	memcg_lru_skip(&t->lru, m, true);
	t->lru.recheck = jiffies - 1;
	for (i = 0; i < 6 && memcg_lru_take(&t->lru, i) != m; i++)
		;
	KUNIT_EXPECT_LT(test, i, 6);
}

static void removed_one_gives_all(struct kunit *test)
{
	struct order_test *t = test->priv;
	int i;

	add_models(t, 10, 4096);
	run(t, 100, 1);
	t->models[3].given = 0;
	memcg_lru_scrape(&t->lru, &t->models[3].m);
	for (i = 0; i < 400; i++) {
		open_turn(t, MEMCG_LRU_BATCH);
		while (t->nr_open) {
			model_of(t->open[0].member)->weight -=
				t->open[0].member->removed ? t->open[0].nr : 0;
			close_turn(t, 0, t->open[0].nr, true);
		}
	}
	KUNIT_EXPECT_EQ(test, t->models[3].given, 4096);
	memcg_lru_del(&t->lru, &t->models[3].m);
	KUNIT_EXPECT_EQ(test, memcg_lru_size(&t->lru), 9);
}

/* No member is lost, and the counts are those of the lists. */
static void check_lists(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned int nr[4] = { }, i, gen, shard, listed = 0;

	for (i = 0; i < NR_MODELS; i++)
		nr[t->models[i].m.place]++;
	for (gen = 0; gen < 2; gen++)
		for (shard = 0; shard < MEMCG_LRU_NR_SHARDS; shard++)
			listed += list_count_nodes(&t->lru.lists[gen][shard]);
	KUNIT_EXPECT_EQ(test, listed, nr[MEMCG_LRU_LISTED]);
	KUNIT_EXPECT_EQ(test, memcg_lru_size(&t->lru), listed);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&t->lru.parked), nr[MEMCG_LRU_PARKED]);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&t->lru.spared), nr[MEMCG_LRU_SPARED]);
	KUNIT_EXPECT_EQ(test, t->lru.nr_spared, nr[MEMCG_LRU_SPARED]);
}

static bool is_open(const struct order_test *t, const struct model *d)
{
	unsigned int i;

	for (i = 0; i < t->nr_open; i++)
		if (t->open[i].member == &d->m)
			return true;
	return false;
}

/* Something happens to a memcg that nobody is reclaiming from. */
static void stir(struct order_test *t)
{
	struct model *d = &t->models[32 + below(t, NR_MODELS - 32)];

	if (is_open(t, d))
		return;
	switch (below(t, 4)) {
	case 0:
		memcg_lru_del(&t->lru, &d->m);
		add_model(t, d - t->models, below(t, 3) ? 1 + below(t, 20000) : 0);
		break;
	case 1:
		d->weight = 0;
		memcg_lru_park(&t->lru, &d->m);
		break;
	default:
		d->weight = 1 + below(t, 20000);
		memcg_lru_wake(&t->lru, &d->m);
	}
	d->exempt = true;
}

/*
 * The bound holds for those that stay, whatever the others do: births, deaths,
 * empty ones, and turns that fall short, in random order.
 */
static void bound_holds_in_a_crowd(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long most = 0, asked = 0, i;

	for (i = 0; i < NR_MODELS; i++)
		add_model(t, i, i < 32 ? 4096 : 1 + below(t, 20000));
	for (i = 0; i < NR_TURNS; i++) {
		if (t->nr_open < NR_OPEN)
			open_turn(t, below(t, 4) ? MEMCG_LRU_BATCH : 1024);
		if (!below(t, 8))
			stir(t);
		asked = max(asked, nr_asked(t));
		if (t->nr_open && model_of(t->open[0].member) >= &t->models[32] && !below(t, 4))
			close_turn(t, 0, t->open[0].nr / 2, false);
		else if (t->nr_open && below(t, 2))
			close_any(t);
		most = max(most, quantum(t, 4096));
		t->worst = max(t->worst, spread(t, 4096));
	}
	kunit_info(test, "%lu visits, worst spread %lu, quantum %lu\n",
		   t->nr_visits, t->worst, most);
	KUNIT_EXPECT_GT(test, t->nr_visits, 100000);
	KUNIT_EXPECT_LE(test, t->worst, most + MEMCG_LRU_BATCH + LARGE_FOLIO + asked);
	check_lists(test);
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(equal_ones_give_alike),
	KUNIT_CASE(threads_keep_the_bound),
	KUNIT_CASE(unequal_ones_give_in_proportion),
	KUNIT_CASE(tiny_ones_give_their_share),
	KUNIT_CASE(round_asks_for_little_of_what_there_is),
	KUNIT_CASE(mean_is_forgotten),
	KUNIT_CASE(unwilling_one_is_not_owed),
	KUNIT_CASE(empty_one_is_parked_until_its_first_folio),
	KUNIT_CASE(protected_one_is_set_aside),
	KUNIT_CASE(removed_one_gives_all),
	KUNIT_CASE_SLOW(bound_holds_in_a_crowd),
	{}
};

static struct kunit_suite order_suite = {
	.name = "lru_gen_memcg_lru",
	.init = order_test_init,
	.test_cases = order_cases,
};

kunit_test_suite(order_suite);
