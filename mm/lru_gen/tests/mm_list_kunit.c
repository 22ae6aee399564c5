// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of lists of mm_structs and of rounds over them. The mms are real
 * ones that nobody runs in, the two memcgs are known to nobody else, and the
 * test says in which of them the owner is.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/prandom.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../internal.h"
#include "../walk.h"

#define NR_MMS		300	/* more than one look with the lock held */
#define NR_THREADS	4
#define NR_ROUNDS	100

struct mm_list_test {
	struct mem_cgroup *memcg[2];
	struct mm_struct *mms[NR_MMS];
	int nr_mms;
};

/* Where the stub of lru_gen_mm_home() says all owners are. */
static struct mem_cgroup *home;
/* Where they are from the second time on that it is asked, if not NULL. */
static struct mem_cgroup *next_home;

static struct mem_cgroup *tell_home(struct mm_struct *mm)
{
	struct mem_cgroup *memcg = home;

	if (next_home) {
		home = next_home;
		next_home = NULL;
	}
	return memcg;
}

/* Never freed by references, as root is not. */
static struct mem_cgroup *new_memcg(struct kunit *test)
{
	struct mem_cgroup *memcg;
	int nid;

	memcg = kunit_kzalloc(test, struct_size(memcg, nodeinfo, nr_node_ids), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memcg);
	memcg->css.flags = CSS_NO_REF;
	lru_gen_mm_list_init(&memcg->lru_gen_mms);
	for_each_node(nid) {
		struct mem_cgroup_per_node *pn = kunit_kzalloc(test, sizeof(*pn), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, pn);
		pn->memcg = memcg;
		pn->lruvec.pgdat = NODE_DATA(nid);
		memcg->nodeinfo[nid] = pn;
	}
	return memcg;
}

static struct lruvec *lruvec_of(struct kunit *test, int i)
{
	struct mm_list_test *t = test->priv;

	return mem_cgroup_lruvec(t->memcg[i], NODE_DATA(first_online_node));
}

static struct mm_struct *new_mm(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct mm_struct *mm = mm_alloc();

	KUNIT_ASSERT_NOT_NULL(test, mm);
	KUNIT_ASSERT_LT(test, t->nr_mms, NR_MMS);
	lru_gen_mm_add(mm);
	t->mms[t->nr_mms++] = mm;
	return mm;
}

static void new_mms(struct kunit *test, int nr)
{
	while (nr--)
		new_mm(test);
}

/* As in an exit, the list is left when nobody can take the mm any more. */
static void drop_mm(struct mm_list_test *t, int i)
{
	mmput(t->mms[i]);
	t->mms[i] = t->mms[--t->nr_mms];
}

static int mm_list_test_init(struct kunit *test)
{
	struct mm_list_test *t;

	if (mem_cgroup_disabled())
		kunit_skip(test, "needs memcgs");
	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->memcg[0] = new_memcg(test);
	t->memcg[1] = new_memcg(test);
	home = t->memcg[0];
	next_home = NULL;
	kunit_activate_static_stub(test, lru_gen_mm_home, tell_home);
	return 0;
}

static void mm_list_test_exit(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	int i;

	while (t && t->nr_mms)
		drop_mm(t, 0);
	for (i = 0; t && i < 2; i++)
		KUNIT_EXPECT_TRUE(test, list_empty(&t->memcg[i]->lru_gen_mms.head));
}

/* Whether @mm stands on the list of memcg @i, counted from its links. */
static int times_listed(struct kunit *test, int i, struct mm_struct *mm)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_mm *m;
	int nr = 0;

	list_for_each_entry(m, &t->memcg[i]->lru_gen_mms.head, link)
		nr += m == &mm->lru_gen;
	return nr;
}

/* Walkers leave the end of an mm to a worker: give it a while. */
static void wait_for_exits(struct kunit *test, size_t nr_left)
{
	struct mm_list_test *t = test->priv;
	size_t nr = 0;
	int i;

	for (i = 0; i < 100; i++) {
		nr = list_count_nodes(&t->memcg[0]->lru_gen_mms.head) +
		     list_count_nodes(&t->memcg[1]->lru_gen_mms.head);
		if (nr == nr_left)
			break;
		msleep(20);
	}
	KUNIT_EXPECT_EQ(test, nr, nr_left);
}

static struct lru_gen_cursor cursor_of(struct kunit *test, int i, bool full)
{
	return (struct lru_gen_cursor) {
		.lruvec = lruvec_of(test, i),
		.full = full,
	};
}

/* Go through what is left of a round; returns how many mms that was. */
static int take_rest(struct lru_gen_cursor *c)
{
	int nr = 0;

	while (lru_gen_next_mm(c))
		nr++;
	return nr;
}

/* One thread's whole round; returns how many mms it was offered. */
static int one_round(struct kunit *test, bool full)
{
	struct lru_gen_cursor c = cursor_of(test, 0, full);
	int nr;

	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	KUNIT_EXPECT_TRUE(test, c.fresh);
	nr = take_rest(&c);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
	KUNIT_EXPECT_TRUE(test, c.over);
	return nr;
}

static void empty_round_is_complete(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, one_round(test, false), 0);
	KUNIT_EXPECT_EQ(test, one_round(test, true), 0);
	KUNIT_EXPECT_EQ(test, lruvec_of(test, 0)->mm_round.nr_rounds, 2);
}

static void only_those_that_ran_are_offered(struct kunit *test)
{
	struct mm_list_test *t = test->priv;

	new_mms(test, NR_MMS);
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

	new_mms(test, 2);
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
	struct lru_gen_cursor a = cursor_of(test, 0, false), b = cursor_of(test, 0, false);

	new_mms(test, 3);
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
	struct lru_gen_cursor c = cursor_of(test, 0, false);

	new_mms(test, 5);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	lru_gen_next_mm(&c);
	lru_gen_next_mm(&c);
	KUNIT_EXPECT_FALSE(test, lru_gen_round_end(&c));
	KUNIT_EXPECT_FALSE(test, c.over);

	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&c));
	KUNIT_EXPECT_FALSE(test, c.fresh);
	KUNIT_EXPECT_EQ(test, take_rest(&c), 3);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

static void old_round_is_given_up(struct kunit *test)
{
	struct lru_gen_cursor c = cursor_of(test, 0, false);

	new_mms(test, 5);
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
	KUNIT_EXPECT_EQ(test, take_rest(&c), 4);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

static void full_walk_raises_the_round(struct kunit *test)
{
	struct lru_gen_cursor a = cursor_of(test, 0, false), b = cursor_of(test, 0, true);

	new_mms(test, 4);
	one_round(test, false);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&a));
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&a));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_begin(&b));
	KUNIT_EXPECT_EQ(test, take_rest(&b), 4);
	KUNIT_EXPECT_FALSE(test, lru_gen_round_end(&b));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&a));
}

static void returned_is_offered_once_more(struct kunit *test)
{
	struct lru_gen_cursor c = cursor_of(test, 0, false);
	struct mm_struct *busy;

	new_mms(test, 5);
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
	struct lru_gen_cursor c = cursor_of(test, 0, false);
	int offers = 0;

	new_mms(test, 5);
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
	struct lru_gen_cursor a = cursor_of(test, 0, false), b = cursor_of(test, 0, false);
	struct mm_struct *slow, *busy;

	new_mms(test, 3);
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

static void exit_moves_the_cursor_on(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_cursor c = cursor_of(test, 0, false);

	new_mms(test, 4);
	lru_gen_round_begin(&c);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[0]);
	KUNIT_EXPECT_PTR_EQ(test, c.lruvec->mm_round.next, &t->mms[1]->lru_gen.link);
	drop_mm(t, 1);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[2]);
	/* The last one goes: the round is at its end, not at freed memory. */
	drop_mm(t, 1);
	KUNIT_EXPECT_PTR_EQ(test, c.lruvec->mm_round.next,
			    &t->memcg[0]->lru_gen_mms.head);
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&c));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

/* Its last user goes while a walker has it. */
static void exit_waits_for_the_walker(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_cursor c = cursor_of(test, 0, false);

	new_mms(test, 1);
	lru_gen_round_begin(&c);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[0]);
	drop_mm(t, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c.mm->mm_users), 1);
	KUNIT_EXPECT_EQ(test, times_listed(test, 0, c.mm), 1);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
	wait_for_exits(test, 0);
}

static void mm_follows_its_owner(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_cursor c = cursor_of(test, 0, false);

	new_mms(test, 3);
	lru_gen_round_begin(&c);
	lru_gen_next_mm(&c);
	home = t->memcg[1];
	lru_gen_mm_migrate(t->mms[0]);
	lru_gen_mm_migrate(t->mms[1]);
	KUNIT_EXPECT_EQ(test, times_listed(test, 0, t->mms[1]), 0);
	KUNIT_EXPECT_EQ(test, times_listed(test, 1, t->mms[1]), 1);
	KUNIT_EXPECT_PTR_EQ(test, t->mms[1]->lru_gen.memcg, t->memcg[1]);
	/* It was in hand and has moved: no business of this round any more. */
	lru_gen_return_mm(&c);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[2]);
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&c));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));

	c = cursor_of(test, 1, false);
	lru_gen_round_begin(&c);
	KUNIT_EXPECT_EQ(test, take_rest(&c), 2);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

/* The owner moves after its memcg was asked for and before the mm is listed. */
static void owner_is_looked_at_again(struct kunit *test)
{
	struct mm_list_test *t = test->priv;

	next_home = t->memcg[1];
	new_mm(test);
	KUNIT_EXPECT_EQ(test, times_listed(test, 0, t->mms[0]), 0);
	KUNIT_EXPECT_EQ(test, times_listed(test, 1, t->mms[0]), 1);
}

static void unlisted_stays_unlisted(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct mm_struct *mm = mm_alloc();

	KUNIT_ASSERT_NOT_NULL(test, mm);
	home = t->memcg[1];
	lru_gen_mm_migrate(mm);
	KUNIT_EXPECT_EQ(test, times_listed(test, 1, mm), 0);
	lru_gen_mm_del(mm);
	mmput(mm);
}

/* One of the threads that share rounds; what it does is random. */
struct walker {
	struct lru_gen_cursor c;
	unsigned long nr_offered;
	unsigned long nr_complete;
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
		w->nr_offered++;
		if (prandom_u32_state(&w->rnd) % 8 == 0)
			lru_gen_return_mm(&w->c);
		if (prandom_u32_state(&w->rnd) % 4 == 0)
			schedule();
		if (prandom_u32_state(&w->rnd) % 256 == 0)
			break;
	}
	schedule();
	w->nr_complete += lru_gen_round_end(&w->c);
}

static int walker_fn(void *arg)
{
	struct walker *w = arg;
	int i;

	for (i = 0; i < NR_ROUNDS; i++)
		walk_once(w);
	complete(&w->done);
	return 0;
}

/* What mms do meanwhile: run, move, come and go. */
static void stir(struct kunit *test, struct rnd_state *rnd)
{
	struct mm_list_test *t = test->priv;
	int i = t->nr_mms ? prandom_u32_state(rnd) % t->nr_mms : 0;

	home = t->memcg[prandom_u32_state(rnd) % 2];
	switch (prandom_u32_state(rnd) % 4) {
	case 0:
		if (t->nr_mms < NR_MMS)
			new_mm(test);
		break;
	case 1:
		if (t->nr_mms > NR_MMS / 2)
			drop_mm(t, i);
		break;
	case 2:
		lru_gen_mm_migrate(t->mms[i]);
		break;
	default:
		lru_gen_mm_use(t->mms[i]);
	}
}

/*
 * Threads walk for both memcgs while mms come, go and move. Afterwards every mm
 * is on one list, and what ran last is still found.
 */
static void threads_share_rounds(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct walker *walkers = kunit_kcalloc(test, NR_THREADS, sizeof(*walkers), GFP_KERNEL);
	unsigned long nr_offered = 0, nr_complete = 0;
	struct rnd_state rnd;
	int i, left = NR_THREADS;

	KUNIT_ASSERT_NOT_NULL(test, walkers);
	prandom_seed_state(&rnd, 20261120);
	new_mms(test, NR_MMS);
	home = t->memcg[1];
	for (i = 0; i < NR_MMS; i += 2)
		lru_gen_mm_migrate(t->mms[i]);
	for (i = 0; i < NR_THREADS; i++) {
		struct walker *w = &walkers[i];

		w->c = cursor_of(test, i % 2, i == NR_THREADS - 1);
		prandom_seed_state(&w->rnd, 4711 + i);
		init_completion(&w->done);
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(walker_fn, w, "walker%d", i)));
	}
	for (i = 0; left; i = (i + 1) % NR_THREADS) {
		for (int n = 0; n < 16; n++)
			stir(test, &rnd);
		schedule();
		if (walkers[i].c.lruvec && try_wait_for_completion(&walkers[i].done)) {
			walkers[i].c.lruvec = NULL;
			nr_offered += walkers[i].nr_offered;
			nr_complete += walkers[i].nr_complete;
			left--;
		}
	}
	kunit_info(test, "%lu offers, %lu complete rounds\n", nr_offered, nr_complete);
	KUNIT_EXPECT_GT(test, nr_offered, 5 * NR_MMS);
	KUNIT_EXPECT_GT(test, nr_complete, 0);
	wait_for_exits(test, t->nr_mms);
	for (i = 0; i < t->nr_mms; i++)
		KUNIT_EXPECT_EQ(test, times_listed(test, 0, t->mms[i]) +
				times_listed(test, 1, t->mms[i]), 1);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, lruvec_of(test, i)->mm_round.nr_walkers, 0);
}

static struct kunit_case mm_list_cases[] = {
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
	KUNIT_CASE(exit_moves_the_cursor_on),
	KUNIT_CASE(exit_waits_for_the_walker),
	KUNIT_CASE(mm_follows_its_owner),
	KUNIT_CASE(owner_is_looked_at_again),
	KUNIT_CASE(unlisted_stays_unlisted),
	KUNIT_CASE_SLOW(threads_share_rounds),
	{}
};

static struct kunit_suite mm_list_suite = {
	.name = "lru_gen_mm_list",
	.init = mm_list_test_init,
	.exit = mm_list_test_exit,
	.test_cases = mm_list_cases,
};

kunit_test_suite(mm_list_suite);
