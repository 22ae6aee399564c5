// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the order of a subtree: the real code, with several turns open at a
 * time, in subtrees within each other, as with several threads.
 */
#include <kunit/test.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "iter_fixture.h"

/* Begin a turn; the model whose it is, or NULL. */
static struct model *take(struct kunit *test, struct model *top, unsigned long limit)
{
	struct iter_test *t = test->priv;
	struct memcg_iter_turn *turn = &t->open[t->nr_open];
	struct model *d;

	*turn = (struct memcg_iter_turn) { .top = iter_test_place(top), .limit = limit };
	if (!memcg_iter_take(turn))
		return NULL;
	t->nr_open++;
	d = iter_test_model(test, memcg_iter_memcg(turn->it));
	KUNIT_EXPECT_TRUE(test, d->alive);
	KUNIT_EXPECT_TRUE(test, iter_test_is_below(d, top));
	return d;
}

static void end(struct kunit *test, unsigned int i, unsigned long nr)
{
	struct iter_test *t = test->priv;
	struct memcg_iter_turn turn = t->open[i];
	struct model *d = iter_test_model(test, memcg_iter_memcg(turn.it));

	t->open[i] = t->open[--t->nr_open];
	d->given += nr;
	d->held--;
	memcg_iter_settle(&turn, d->weight, d->nr_pages, nr);
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

		if (!d->alive || !iter_test_is_below(d, top) || !iter_test_place(d)->self.weight)
			continue;
		nr++;
		weight += iter_test_place(d)->self.weight;
	}
	KUNIT_ASSERT_EQ(test, iter_test_place(top)->nr, nr);
	if (top->parent)
		KUNIT_ASSERT_EQ(test, iter_test_place(top)->all.weight, weight);
}

/* Of those of one size, none gives more than another by more than a request. */
static void equal_ones_give_the_same(struct kunit *test)
{
	struct iter_test *t = test->priv;
	unsigned int i, step;

	for (i = 1; i <= 40; i++) {
		iter_test_birth(t, i, &t->models[0]);
		iter_test_fill(&t->models[i], 4096);
	}
	for (step = 0; step < NR_STEPS; step++) {
		/* Several at a time; one stops early, the next takes it all. */
		if (t->nr_open < NR_OPEN && iter_test_rnd(t, 2)) {
			take(test, &t->models[0], 32);
		} else if (t->nr_open) {
			unsigned int which = iter_test_rnd(t, t->nr_open);

			end(test, which, iter_test_rnd(t, t->open[which].nr + 1));
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
		iter_test_birth(t, i, &t->models[(i - 1) / 4]);
		iter_test_fill(&t->models[i], 512 * (1 + i % 5));
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
		iter_test_birth(t, i, &t->models[0]);
		iter_test_fill(&t->models[i], 8192);
	}
	for (step = 0; step < 5000; step++)
		take_and_end(test, &t->models[0]);
	iter_test_birth(t, 3, &t->models[0]);
	/* It is met while it is small, and grows. */
	iter_test_fill(&t->models[3], 1);
	for (i = 1; i <= 8192; i *= 2) {
		iter_test_fill(&t->models[3], i);
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

/* Give @a and @b turns while their lists change all the time; check what @a gives. */
static void check_share(struct kunit *test, struct model *a, struct model *b)
{
	struct iter_test *t = test->priv;
	unsigned long due, off, had = a->given + b->given, a_had = a->given;
	unsigned int step;

	for (step = 0; step < 20000; step++) {
		take_and_end(test, &t->models[0]);
		iter_test_list(a, a->nr_pages);
		iter_test_list(b, b->nr_pages);
	}
	had = a->given + b->given - had;
	due = mul_u64_u64_div_u64(had, a->weight, a->weight + b->weight);
	off = abs_diff(due, a->given - a_had);
	KUNIT_EXPECT_LE_MSG(test, off, due / 5 + 2 * 32, "of %lu pages, %lu are due", had, due);
}

/* Pages that cannot be swapped, or are protected, are no part of what is due. */
static void pages_that_stay_do_not_count(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *a = &t->models[1], *b = &t->models[2];

	iter_test_birth(t, 1, &t->models[0]);
	iter_test_birth(t, 2, &t->models[0]);
	/* Without swap: a million anon pages and a few files beside files. */
	a->weight = 1000;
	b->weight = 100000;
	iter_test_list(a, 1000000);
	iter_test_list(b, 100000);
	check_share(test, a, b);

	/* Of one, memory.low protects nine tenths. */
	iter_test_fill(a, 0);
	iter_test_fill(b, 0);
	a->weight = 100000;
	b->weight = 1000000;
	iter_test_list(a, 1000000);
	iter_test_list(b, 1000000);
	check_share(test, a, b);
}

/* The part of the pages that counts stays what it was while lists grow. */
static void growth_keeps_the_part(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *a = &t->models[1];

	iter_test_birth(t, 1, &t->models[0]);
	iter_test_list(a, 40000);
	KUNIT_EXPECT_EQ(test, iter_test_place(a)->self.weight, 40000);
	a->weight = 10000;
	take_and_end(test, &t->models[0]);
	iter_test_list(a, 80000);
	KUNIT_EXPECT_EQ(test, iter_test_place(a)->self.weight, 10000);
	iter_test_list(a, 80001);
	KUNIT_EXPECT_EQ(test, iter_test_place(a)->self.weight, 20000);
}

static void change_something(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *d = iter_test_any(t, true), *unborn = iter_test_any(t, false);

	if (d && iter_test_rnd(t, 3))
		iter_test_fill(d, iter_test_rnd(t, 3) ? 1 + iter_test_rnd(t, 10000) : 0);
	else if (d && !d->nr_below && !d->held)
		iter_test_death(d);
	else if (unborn && !unborn->held)
		iter_test_birth(t, unborn - t->models, iter_test_any(t, true) ?: &t->models[0]);
}

static void reclaim_something(struct kunit *test)
{
	struct iter_test *t = test->priv;
	struct model *top = iter_test_any(t, true) ?: &t->models[0];

	/* Turns in progress keep the top of their subtree. */
	if (t->nr_open < NR_OPEN && top == &t->models[0])
		take(test, top, 1 + iter_test_rnd(t, 64));
	else if (t->nr_open < NR_OPEN)
		take_and_end(test, top);
	if (t->nr_open && iter_test_rnd(t, 2)) {
		unsigned int which = iter_test_rnd(t, t->nr_open);

		end(test, which, iter_test_rnd(t, 2 * t->open[which].nr));
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
		d = iter_test_any(t, true);
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
		if (d->alive && iter_test_place(d)->self.weight)
			KUNIT_EXPECT_GT(test, d->given, 0);
}

/* Empty subtrees are not even looked into. */
static void empty_ones_are_in_no_queue(struct kunit *test)
{
	struct iter_test *t = test->priv;
	unsigned int i;

	for (i = 1; i < NR_MODELS; i++)
		iter_test_birth(t, i, &t->models[(i - 1) / 2]);
	KUNIT_EXPECT_NULL(test, take(test, &t->models[0], 32));
	iter_test_fill(&t->models[NR_MODELS - 1], 5);
	KUNIT_EXPECT_PTR_EQ(test, take(test, &t->models[0], 32), &t->models[NR_MODELS - 1]);
	iter_test_fill(&t->models[NR_MODELS - 1], 0);
	end(test, 0, 5);
	KUNIT_EXPECT_NULL(test, take(test, &t->models[0], 32));
	for (i = 0; i < NR_MODELS; i++)
		KUNIT_EXPECT_EQ(test, iter_test_place(&t->models[i])->nr, 0);
}

static struct kunit_case iter_cases[] = {
	KUNIT_CASE(equal_ones_give_the_same),
	KUNIT_CASE(sizes_decide),
	KUNIT_CASE(newcomer_gives_from_now_on),
	KUNIT_CASE(pages_that_stay_do_not_count),
	KUNIT_CASE(growth_keeps_the_part),
	KUNIT_CASE(births_and_deaths),
	KUNIT_CASE(empty_ones_are_in_no_queue),
	{}
};

static struct kunit_suite iter_suite = {
	.name = "lru_gen_memcg_iter",
	.init = iter_test_init,
	.test_cases = iter_cases,
};

kunit_test_suite(iter_suite);
