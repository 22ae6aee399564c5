// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what memcgs give by turns: in proportion to what they have, within the
 * bound, whatever their neighbours do.
 */
#include <kunit/test.h>
#include <linux/minmax.h>

#include "order_fixture.h"

#define NR_TURNS	200000

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

/* The bound of the DOC block, for one thread: looked at after every step. */
static void equal_ones_give_alike(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long bound;
	int i;

	order_test_add_some(t, 128, 4096);
	for (i = 0; i < 20000; i++) {
		order_test_run(t, 1, 1);
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

	order_test_add_some(t, 32, 4096);
	for (i = 0; i < 50000; i++) {
		if (t->nr_open < NR_OPEN)
			order_test_open(t, order_test_rnd(t, 4) ? MEMCG_LRU_BATCH : 1024);
		asked = max(asked, nr_asked(t));
		if (t->nr_open && order_test_rnd(t, 2))
			order_test_close_any(t);
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
		order_test_add(t, i, 2048UL << (i / 16));
	order_test_run(t, 40000, 4);
	for (i = 0; i < 64; i++) {
		given[i / 16] += t->models[i].given;
		all += t->models[i].given;
	}
	for (i = 0; i < 4; i++) {
		kunit_info(test, "weight %lu: %lu of %lu\n", 2048UL << i, given[i], all);
		KUNIT_EXPECT_LE(test, abs_diff(given[i] * 15, all << i), (all << i) / 20);
	}
}

/* Turns of members of which the first @nr_used use all they have: what they give comes back. */
static void run_with_returns(struct order_test *t, unsigned int nr_used, int nr)
{
	unsigned long seen[4] = { };
	struct memcg_lru_turn *turn;
	struct model *m;
	unsigned int i;

	while (nr--) {
		order_test_open(t, 1024);
		if (!t->nr_open)
			continue;
		turn = &t->open[0];
		m = order_test_model(turn->member);
		i = m - t->models;
		if (i < nr_used) {
			turn->nr_returned = m->given - seen[i];
			seen[i] = m->given;
		}
		order_test_close(t, 0, turn->nr, true);
	}
}

static void returned_pages_are_charged(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long share;

	order_test_add_some(t, 8, 4096);
	run_with_returns(t, 1, 400000);
	share = t->models[1].given / 129;
	kunit_info(test, "unused %lu, in use %lu\n", t->models[1].given, t->models[0].given);
	KUNIT_EXPECT_LE(test, abs_diff(t->models[0].given, share), share / 10);
}

/* They give in proportion to what they have, and few turns ask nobody. */
static void members_in_debt_give_in_proportion(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long third;

	order_test_add(t, 0, 2048);
	order_test_add(t, 1, 6144);
	run_with_returns(t, 2, 20000);
	third = t->models[1].given / 3;
	kunit_info(test, "%lu and %lu in %lu visits\n", t->models[0].given, t->models[1].given,
		   t->nr_visits);
	KUNIT_EXPECT_LE(test, abs_diff(t->models[0].given, third), third / 20);
	KUNIT_EXPECT_GE(test, t->nr_visits, 20000UL / 4);
}

/* What it refaults because of its own limit is not charged. */
static void only_what_was_given_is_charged(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct memcg_lru_turn *turn = &t->open[0];
	s64 before;

	order_test_add_some(t, 2, 4096);
	order_test_open(t, 1024);
	KUNIT_ASSERT_EQ(test, t->nr_open, 1);
	before = turn->member->credit;
	turn->nr_returned = 100000;
	order_test_close(t, 0, turn->nr, true);
	KUNIT_EXPECT_EQ(test, turn->member->credit, before);
}

/* A turn that gives many pages pays for all that came back, and the next one for nothing. */
static void return_is_paid_for_once(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct memcg_lru_turn *turn = &t->open[0];
	struct memcg_lru_member *m = &t->models[0].m;
	int i;

	order_test_add_some(t, 1, 4096);
	for (i = 0; i < 3; i++) {
		order_test_open(t, 1024);
		KUNIT_ASSERT_EQ(test, t->nr_open, 1);
		turn->nr_returned = i == 1 ? 3 : 0;
		m->credit = 0;
		turn->nr = 0;
		order_test_close(t, 0, 1000, true);
		KUNIT_EXPECT_EQ(test, -m->credit,
				(1000 + (i == 1 ? 128 * 3 : 0)) * MEMCG_LRU_UNIT);
		m->credit = MEMCG_LRU_BATCH * MEMCG_LRU_UNIT;
	}
}

/* All it has given for long comes back at once, and there is nobody else to ask. */
static void debt_has_an_end(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct memcg_lru_turn *turn = &t->open[0];
	int i;

	order_test_add_some(t, 1, 4096);
	order_test_run(t, 200, 1);
	order_test_open(t, 1024);
	KUNIT_ASSERT_EQ(test, t->nr_open, 1);
	turn->nr_returned = 4096;
	order_test_close(t, 0, turn->nr, true);
	for (i = 0; i < 1000 && !t->nr_open; i++)
		order_test_open(t, 1024);
	order_test_close(t, 0, 0, true);
	kunit_info(test, "asked after %d turns\n", i);
	KUNIT_EXPECT_LE(test, i, 4);
}

/* Much has been taken of all of them. Few turns go by until the first is asked. */
static void debts_are_waited_for_in_one_round(struct kunit *test)
{
	const s64 quantum = MEMCG_LRU_QUANTUM * MEMCG_LRU_UNIT;
	struct order_test *t = test->priv;
	int i;

	order_test_add_some(t, 4, 4096);
	for (i = 0; i < 4; i++)
		t->models[i].m.credit = -1000 * quantum;
	for (i = 0; i < 10000 && !t->nr_open; i++)
		order_test_open(t, 1024);
	kunit_info(test, "asked after %d turns\n", i);
	KUNIT_EXPECT_LE(test, i, 8);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_LE(test, t->models[i].m.credit, quantum);
}

/* One that has a thousandth of the mean still gives its thousandth. */
static void tiny_ones_give_their_share(struct kunit *test)
{
	struct order_test *t = test->priv;
	unsigned long share;

	order_test_add_some(t, 10, 1000000);
	order_test_add(t, 10, 1000);
	order_test_run(t, 200000, 2);
	share = t->models[0].given / 1000;
	kunit_info(test, "large %lu, tiny %lu\n", t->models[0].given, t->models[10].given);
	KUNIT_EXPECT_LE(test, abs_diff(t->models[10].given, share), share / 20 + MEMCG_LRU_BATCH);
}

/* All were tiny a moment ago, and are large now. */
static void round_asks_for_little_of_what_there_is(struct kunit *test)
{
	struct order_test *t = test->priv;
	int i;

	order_test_add_some(t, 10, 65536);
	t->lru.mean = 1;
	for (i = 0; i < 10; i++) {
		order_test_open(t, 1024);
		KUNIT_ASSERT_EQ(test, t->nr_open, 1);
		KUNIT_EXPECT_LE(test, t->open[0].member->credit / MEMCG_LRU_UNIT + t->open[0].nr,
				65536 / 16);
		order_test_close(t, 0, t->open[0].nr, true);
	}
}

/* A mean of long ago is replaced by what is expected, one of late is not. */
static void mean_is_forgotten(struct kunit *test)
{
	struct order_test *t = test->priv;

	order_test_add_some(t, 10, 4096);
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

	order_test_add_some(t, 4, 4096);
	for (i = 0; i < 400; i++) {
		order_test_open(t, 1024);
		if (t->nr_open && t->open[0].member == m)
			order_test_close(t, 0, 0, false);
		else if (t->nr_open)
			order_test_close(t, 0, t->open[0].nr, true);
	}
	KUNIT_EXPECT_LE(test, m->credit, (long)quantum(t, 4096) * MEMCG_LRU_UNIT);
	KUNIT_EXPECT_GT(test, m->credit, 0);
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
	struct model *d = &t->models[32 + order_test_rnd(t, NR_MODELS - 32)];

	if (is_open(t, d))
		return;
	switch (order_test_rnd(t, 4)) {
	case 0:
		memcg_lru_del(&t->lru, &d->m);
		order_test_add(t, d - t->models,
			       order_test_rnd(t, 3) ? 1 + order_test_rnd(t, 20000) : 0);
		break;
	case 1:
		d->weight = 0;
		memcg_lru_park(&t->lru, &d->m);
		break;
	default:
		d->weight = 1 + order_test_rnd(t, 20000);
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
		order_test_add(t, i, i < 32 ? 4096 : 1 + order_test_rnd(t, 20000));
	for (i = 0; i < NR_TURNS; i++) {
		if (t->nr_open < NR_OPEN)
			order_test_open(t, order_test_rnd(t, 4) ? MEMCG_LRU_BATCH : 1024);
		if (!order_test_rnd(t, 8))
			stir(t);
		asked = max(asked, nr_asked(t));
		if (t->nr_open && order_test_model(t->open[0].member) >= &t->models[32] &&
		    !order_test_rnd(t, 4))
			order_test_close(t, 0, t->open[0].nr / 2, false);
		else if (t->nr_open && order_test_rnd(t, 2))
			order_test_close_any(t);
		most = max(most, quantum(t, 4096));
		t->worst = max(t->worst, spread(t, 4096));
	}
	kunit_info(test, "%lu visits, worst spread %lu, quantum %lu\n",
		   t->nr_visits, t->worst, most);
	KUNIT_EXPECT_GT(test, t->nr_visits, 100000);
	KUNIT_EXPECT_LE(test, t->worst, most + MEMCG_LRU_BATCH + LARGE_FOLIO + asked);
	check_lists(test);
}

/* Before an OOM kill a member gives without credit, and owes as much as before. */
static void urgent_turn_asks_for_no_credit(struct kunit *test)
{
	struct order_test *t = test->priv;
	struct memcg_lru_turn turn = { .weight = 4096, .limit = MEMCG_LRU_BATCH, .urgent = true };
	s64 credit;

	order_test_add(t, 0, 4096);
	turn.member = memcg_lru_take(&t->lru, 0);
	turn.member->credit = -4096 * MEMCG_LRU_UNIT;
	turn.member->due = 0;
	credit = turn.member->credit;
	memcg_lru_reserve(&t->lru, &turn);
	KUNIT_EXPECT_EQ(test, turn.nr, MEMCG_LRU_BATCH);
	memcg_lru_settle(&t->lru, &turn, 16, false);
	KUNIT_EXPECT_EQ(test, turn.member->credit, credit);
	turn.urgent = false;
	memcg_lru_reserve(&t->lru, &turn);
	KUNIT_EXPECT_EQ(test, turn.nr, 0);
}

/* It has credit for more, but what others have is colder: the next round begins. */
static void kept_one_has_one_turn_a_round(struct kunit *test)
{
	struct order_test *t = test->priv;
	int i, turns[2] = {};

	order_test_add(t, 0, 4096);
	order_test_add(t, 1, 4096);
	for (i = 0; i < 1000; i++) {
		struct memcg_lru_turn turn = { .weight = 4096, .limit = MEMCG_LRU_BATCH };

		turn.member = memcg_lru_take(&t->lru, i);
		turn.kept = turn.member == &t->models[0].m;
		memcg_lru_reserve(&t->lru, &turn);
		memcg_lru_settle(&t->lru, &turn, turn.kept ? 0 : turn.nr, !turn.kept);
		turns[turn.kept]++;
	}
	KUNIT_EXPECT_LE(test, turns[true], t->lru.round + 1);
	KUNIT_EXPECT_GT(test, turns[false], turns[true]);
	check_lists(test);
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(equal_ones_give_alike),
	KUNIT_CASE(threads_keep_the_bound),
	KUNIT_CASE(unequal_ones_give_in_proportion),
	KUNIT_CASE(returned_pages_are_charged),
	KUNIT_CASE(only_what_was_given_is_charged),
	KUNIT_CASE(return_is_paid_for_once),
	KUNIT_CASE(debts_are_waited_for_in_one_round),
	KUNIT_CASE(debt_has_an_end),
	KUNIT_CASE(members_in_debt_give_in_proportion),
	KUNIT_CASE(tiny_ones_give_their_share),
	KUNIT_CASE(round_asks_for_little_of_what_there_is),
	KUNIT_CASE(mean_is_forgotten),
	KUNIT_CASE(unwilling_one_is_not_owed),
	KUNIT_CASE(urgent_turn_asks_for_no_credit),
	KUNIT_CASE(kept_one_has_one_turn_a_round),
	KUNIT_CASE_SLOW(bound_holds_in_a_crowd),
	{}
};

static struct kunit_suite order_suite = {
	.name = "lru_gen_memcg_lru",
	.init = order_test_init,
	.test_cases = order_cases,
};

kunit_test_suite(order_suite);
