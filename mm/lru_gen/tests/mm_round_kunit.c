// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of rounds over a list of mm_structs: who is offered, once or again, and
 * when a round is complete; with threads that share it.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/prandom.h>

#include "mm_list_fixture.h"

#define NR_THREADS	4
#define NR_ROUNDS	400	/* of all threads */
#define WALK_S		60	/* for which they may take so long */

/* One thread's whole round; returns how many mms it was offered. */
static int one_round(struct kunit *test, bool full)
{
	struct lru_gen_cursor c = mm_list_cursor(test, 0, full);
	int nr;

	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	KUNIT_EXPECT_TRUE(test, c.fresh);
	nr = mm_list_take_rest(&c);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
	KUNIT_EXPECT_TRUE(test, c.over);
	return nr;
}

static void empty_round_is_complete(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, one_round(test, false), 0);
	KUNIT_EXPECT_EQ(test, one_round(test, true), 0);
	KUNIT_EXPECT_EQ(test, mm_list_lruvec(test, 0)->mm_round.nr_rounds, 2);
}

static void only_those_that_ran_are_offered(struct kunit *test)
{
	struct mm_list_test *t = test->priv;

	mm_list_fill(test, NR_MMS);
	KUNIT_EXPECT_EQ(test, one_round(test, false), NR_MMS);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 0);
	lru_gen_mm_use(t->mms[3]);
	lru_gen_mm_use(t->mms[NR_MMS - 1]);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 2);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 0);
	KUNIT_EXPECT_EQ(test, one_round(test, true), NR_MMS);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 0);
}

static void loaded_counts_as_used(struct kunit *test)
{
	struct mm_list_test *t = test->priv;

	mm_list_fill(test, 2);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 2);
	cpumask_set_cpu(0, mm_cpumask(t->mms[0]));
	lru_gen_mm_use(t->mms[0]);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 1);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 1);
	cpumask_clear_cpu(0, mm_cpumask(t->mms[0]));
	KUNIT_EXPECT_EQ(test, one_round(test, false), 1);
	KUNIT_EXPECT_EQ(test, one_round(test, false), 0);
}

static void walkers_get_different_mms(struct kunit *test)
{
	struct lru_gen_cursor a = mm_list_cursor(test, 0, false);
	struct lru_gen_cursor b = mm_list_cursor(test, 0, false);

	mm_list_fill(test, 3);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&a));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&b));
	KUNIT_EXPECT_TRUE(test, a.fresh);
	KUNIT_EXPECT_FALSE(test, b.fresh);
	KUNIT_EXPECT_PTR_NE(test, lru_gen_next_mm(&a), lru_gen_next_mm(&b));
	KUNIT_EXPECT_NOT_NULL(test, lru_gen_next_mm(&a));
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&a));
	/* b may still hand its mm back. */
	KUNIT_EXPECT_FALSE(test, lru_gen_round_end(&a));
	KUNIT_EXPECT_FALSE(test, a.over);
	/* Nothing left to share: who comes now is sent away. */
	KUNIT_EXPECT_FALSE(test, lru_gen_round_begin(&a));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&b));
	KUNIT_EXPECT_TRUE(test, b.over);
}

static void rest_is_left_to_who_comes_next(struct kunit *test)
{
	struct lru_gen_cursor c = mm_list_cursor(test, 0, false);

	mm_list_fill(test, 5);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	lru_gen_next_mm(&c);
	lru_gen_next_mm(&c);
	KUNIT_EXPECT_FALSE(test, lru_gen_round_end(&c));
	KUNIT_EXPECT_FALSE(test, c.over);

	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	KUNIT_EXPECT_FALSE(test, c.fresh);
	KUNIT_EXPECT_EQ(test, mm_list_take_rest(&c), 3);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

static void old_round_is_given_up(struct kunit *test)
{
	struct lru_gen_cursor c = mm_list_cursor(test, 0, false);

	mm_list_fill(test, 5);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	lru_gen_next_mm(&c);
	lru_gen_return_mm(&c);
	lru_gen_next_mm(&c);
	lru_gen_round_end(&c);
	c.lruvec->lrugen.max_seq++;
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	KUNIT_EXPECT_TRUE(test, c.fresh);
	KUNIT_EXPECT_EQ(test, c.seq, c.lruvec->lrugen.max_seq);
	/* One was handed back, one has been walked and has not run since. */
	KUNIT_EXPECT_EQ(test, mm_list_take_rest(&c), 4);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

static void full_walk_raises_the_round(struct kunit *test)
{
	struct lru_gen_cursor a = mm_list_cursor(test, 0, false);
	struct lru_gen_cursor b = mm_list_cursor(test, 0, true);

	mm_list_fill(test, 4);
	one_round(test, false);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&a));
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&a));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&b));
	KUNIT_EXPECT_EQ(test, mm_list_take_rest(&b), 4);
	KUNIT_EXPECT_FALSE(test, lru_gen_round_end(&b));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&a));
}

static void returned_is_offered_once_more(struct kunit *test)
{
	struct lru_gen_cursor c = mm_list_cursor(test, 0, false);
	struct mm_struct *busy;

	mm_list_fill(test, 5);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	busy = lru_gen_next_mm(&c);
	lru_gen_return_mm(&c);
	KUNIT_EXPECT_NULL(test, c.mm);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy->mm_users), 1);
	for (int i = 0; i < 4; i++)
		KUNIT_EXPECT_PTR_NE(test, lru_gen_next_mm(&c), busy);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), busy);
	KUNIT_EXPECT_TRUE(test, c.again);
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&c));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
	KUNIT_EXPECT_EQ(test, one_round(test, false), 0);
}

static void left_out_means_not_complete(struct kunit *test)
{
	struct lru_gen_cursor c = mm_list_cursor(test, 0, false);
	int offers = 0;

	mm_list_fill(test, 5);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	while (lru_gen_next_mm(&c) && offers++ < 100)
		lru_gen_return_mm(&c);
	KUNIT_EXPECT_EQ(test, offers, 10);
	KUNIT_EXPECT_FALSE(test, lru_gen_round_end(&c));
	KUNIT_EXPECT_TRUE(test, c.over);
	KUNIT_EXPECT_EQ(test, c.lruvec->mm_round.nr_left_out, 5);
	/* They have not run, and are offered all the same. */
	KUNIT_EXPECT_EQ(test, one_round(test, false), 5);
}

/* When the second pass is over but for the mm another thread had all along. */
static void late_return_is_offered_again(struct kunit *test)
{
	struct lru_gen_cursor a = mm_list_cursor(test, 0, false);
	struct lru_gen_cursor b = mm_list_cursor(test, 0, false);
	struct mm_struct *slow, *busy;

	mm_list_fill(test, 3);
	lru_gen_round_begin(&a);
	lru_gen_round_begin(&b);
	slow = lru_gen_next_mm(&a);
	busy = lru_gen_next_mm(&b);
	lru_gen_return_mm(&b);
	KUNIT_EXPECT_NOT_NULL(test, lru_gen_next_mm(&b));
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&b), busy);
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&b));
	lru_gen_return_mm(&a);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&b), slow);
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&b));
	KUNIT_EXPECT_FALSE(test, lru_gen_round_end(&a));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&b));
}

/* One of the threads that share rounds; what it does is random. */
struct walker {
	struct lru_gen_cursor c;
	unsigned long nr_rounds;
	unsigned long nr_offered;
	unsigned long nr_complete;
	bool enough;
	struct rnd_state rnd;
	struct completion done;
};

static void walk_once(struct walker *w)
{
	if (!lru_gen_round_begin(&w->c)) {
		cond_resched();
		return;
	}
	while (lru_gen_next_mm(&w->c)) {
		WRITE_ONCE(w->nr_offered, w->nr_offered + 1);
		if (prandom_u32_state(&w->rnd) % 8 == 0)
			lru_gen_return_mm(&w->c);
		if (prandom_u32_state(&w->rnd) % 4 == 0)
			schedule();
		if (prandom_u32_state(&w->rnd) % 256 == 0)
			break;
	}
	schedule();
	WRITE_ONCE(w->nr_complete, w->nr_complete + lru_gen_round_end(&w->c));
}

static int walker_fn(void *arg)
{
	struct walker *w = arg;

	while (!READ_ONCE(w->enough)) {
		walk_once(w);
		WRITE_ONCE(w->nr_rounds, w->nr_rounds + 1);
	}
	complete(&w->done);
	return 0;
}

/* What mms do meanwhile: run, move, come and go. */
static void stir(struct kunit *test, struct rnd_state *rnd)
{
	struct mm_list_test *t = test->priv;
	int i = t->nr_mms ? prandom_u32_state(rnd) % t->nr_mms : 0;

	t->home = t->memcg[prandom_u32_state(rnd) % 2];
	switch (prandom_u32_state(rnd) % 4) {
	case 0:
		if (t->nr_mms < NR_MMS)
			mm_list_new(test);
		break;
	case 1:
		if (t->nr_mms > NR_MMS / 2)
			mm_list_drop(t, i);
		break;
	case 2:
		lru_gen_mm_migrate(t->mms[i]);
		break;
	default:
		lru_gen_mm_use(t->mms[i]);
	}
}

static void start_walkers(struct kunit *test, struct walker *walkers)
{
	int i;

	for (i = 0; i < NR_THREADS; i++) {
		struct walker *w = &walkers[i];

		w->c = mm_list_cursor(test, i % 2, i == NR_THREADS - 1);
		prandom_seed_state(&w->rnd, 4711 + i);
		init_completion(&w->done);
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(walker_fn, w, "walker%d", i)));
	}
}

static bool walked_enough(const struct walker *walkers)
{
	unsigned long nr_rounds = 0, nr_offered = 0, nr_complete = 0;
	int i;

	for (i = 0; i < NR_THREADS; i++) {
		nr_rounds += READ_ONCE(walkers[i].nr_rounds);
		nr_offered += READ_ONCE(walkers[i].nr_offered);
		nr_complete += READ_ONCE(walkers[i].nr_complete);
	}
	return nr_rounds >= NR_ROUNDS && nr_offered > 5 * NR_MMS && nr_complete;
}

/* How much they get done beside the stirring is up to the scheduler. */
static bool stir_until_walked(struct kunit *test, const struct walker *walkers)
{
	unsigned long end = jiffies + WALK_S * HZ;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 20261120);
	while (!walked_enough(walkers)) {
		if (time_after(jiffies, end))
			return false;
		for (i = 0; i < 16; i++)
			stir(test, &rnd);
		schedule();
	}
	return true;
}

/*
 * Threads walk for both memcgs while mms come, go and move. Afterwards every mm
 * is on one list, and what ran last is still found.
 */
static void threads_share_rounds(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct walker *walkers = kunit_kcalloc(test, NR_THREADS, sizeof(*walkers), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, walkers);
	mm_list_fill(test, NR_MMS);
	t->home = t->memcg[1];
	for (i = 0; i < NR_MMS; i += 2)
		lru_gen_mm_migrate(t->mms[i]);
	start_walkers(test, walkers);
	KUNIT_EXPECT_TRUE(test, stir_until_walked(test, walkers));
	for (i = 0; i < NR_THREADS; i++) {
		WRITE_ONCE(walkers[i].enough, true);
		wait_for_completion(&walkers[i].done);
	}
	mm_list_wait(test, t->nr_mms);
	for (i = 0; i < t->nr_mms; i++)
		KUNIT_EXPECT_EQ(test, mm_list_times(test, 0, t->mms[i]) +
				mm_list_times(test, 1, t->mms[i]), 1);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, mm_list_lruvec(test, i)->mm_round.nr_walkers, 0);
}

static struct kunit_case mm_round_cases[] = {
	KUNIT_CASE(empty_round_is_complete),
	KUNIT_CASE(only_those_that_ran_are_offered),
	KUNIT_CASE(loaded_counts_as_used),
	KUNIT_CASE(walkers_get_different_mms),
	KUNIT_CASE(rest_is_left_to_who_comes_next),
	KUNIT_CASE(old_round_is_given_up),
	KUNIT_CASE(full_walk_raises_the_round),
	KUNIT_CASE(returned_is_offered_once_more),
	KUNIT_CASE(left_out_means_not_complete),
	KUNIT_CASE(late_return_is_offered_again),
	KUNIT_CASE_SLOW(threads_share_rounds),
	{}
};

static struct kunit_suite mm_round_suite = {
	.name = "lru_gen_mm_round",
	.init = mm_list_test_init,
	.exit = mm_list_test_exit,
	.test_cases = mm_round_cases,
};

kunit_test_suite(mm_round_suite);
