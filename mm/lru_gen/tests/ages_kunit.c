// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is known of ages: how old the tail of a list is, and which
 * generations there are.
 */
#include <kunit/test.h>

#include "../ages.h"
#include "../policy.h"

static struct lru_gen_ages *ages_of(struct kunit *test)
{
	return &((struct lru_gen_policy *)test->priv)->ages;
}

/* The list of OLD file pages in the youngest generation. */
static struct lru_gen_place youngest(const struct lru_gen_ages *a)
{
	return (struct lru_gen_place){
		.gen = a->order[0],
		.tier = LRU_GEN_OLD,
		.type = LRU_GEN_FILE,
	};
}

/* Add a page for each tick of the clock. */
static void fill(struct lru_gen_ages *a, const struct lru_gen_place *at, unsigned int nr)
{
	while (nr--) {
		a->clock++;
		lru_gen_heap_add(a, at, a->clock, 1);
	}
}

static void tail_is_interpolated(struct kunit *test)
{
	struct lru_gen_ages *a = ages_of(test);
	struct lru_gen_place at = youngest(a);

	fill(a, &at, 101);
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, &at), 100U);
	lru_gen_heap_del(a, &at, 50);
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, &at), 51U);
	KUNIT_EXPECT_EQ(test, lru_gen_mean_age_of(a, LRU_GEN_OLD, LRU_GEN_FILE), 25U);
	a->clock += 1000;
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, &at), 1051U);
	/* An empty list begins anew. */
	lru_gen_heap_del(a, &at, 51);
	fill(a, &at, 1);
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, &at), 0U);
}

/* A folio that comes back to where it was makes the head no older. */
static void late_arrivals_change_no_end(struct kunit *test)
{
	struct lru_gen_ages *a = ages_of(test);
	struct lru_gen_place at = youngest(a);

	fill(a, &at, 11);
	lru_gen_heap_add(a, &at, a->clock - 8, 1);
	lru_gen_heap_add_tail(a, &at, 1);
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, &at), 10U);
	KUNIT_EXPECT_EQ(test, a->heap[at.gen][at.tier][at.type].newest, a->clock);
	KUNIT_EXPECT_EQ(test, lru_gen_nr_of(a, LRU_GEN_OLD), 13UL);
}

static void tail_is_in_the_oldest_generation(struct kunit *test)
{
	struct lru_gen_ages *a = ages_of(test);
	struct lru_gen_place old = youngest(a), young, at = old;

	KUNIT_EXPECT_FALSE(test, lru_gen_tail(a, &at));
	fill(a, &old, 5);
	lru_gen_ages_open(a);
	young = youngest(a);
	fill(a, &young, 5);
	KUNIT_EXPECT_TRUE(test, lru_gen_tail(a, &at));
	KUNIT_EXPECT_EQ(test, at.gen, old.gen);
	KUNIT_EXPECT_EQ(test, lru_gen_index_of(a, old.gen), 1U);
	KUNIT_EXPECT_EQ(test, lru_gen_last_use_in(a, 1), a->birth[young.gen]);
	lru_gen_heap_del(a, &old, 5);
	KUNIT_EXPECT_TRUE(test, lru_gen_tail(a, &at));
	KUNIT_EXPECT_EQ(test, at.gen, young.gen);
}

/* Open generations until all slots are taken, with so many pages in each but the last. */
static void fill_slots(struct lru_gen_ages *a, const unsigned int *nr)
{
	struct lru_gen_place at;

	while (a->nr_gens < MAX_NR_GENS) {
		at = youngest(a);
		fill(a, &at, *nr++);
		lru_gen_ages_open(a);
		/* One that was there from the start. */
		lru_gen_ages_close(a);
	}
}

/* Fill all slots and begin to merge; returns the age of the tail. */
static u32 begin_merger(struct kunit *test, const unsigned int *nr, struct lru_gen_place *from)
{
	struct lru_gen_ages *a = ages_of(test);
	u32 age;

	*from = youngest(a);
	fill_slots(a, nr);
	KUNIT_ASSERT_TRUE(test, lru_gen_tail(a, from));
	age = lru_gen_tail_age(a, from);
	KUNIT_ASSERT_TRUE(test, lru_gen_merge_start(a));
	from->gen = a->merger.from;
	return age;
}

/* The smaller has given all it had: both ends are as old as before. */
static void end_merger(struct kunit *test, struct lru_gen_place *at, u32 age)
{
	struct lru_gen_ages *a = ages_of(test);

	KUNIT_EXPECT_EQ(test, a->heap[at->gen][at->tier][at->type].nr, 10U);
	lru_gen_heap_merge(a, at, 10);
	lru_gen_merge_end(a);
	KUNIT_EXPECT_EQ(test, a->nr_gens, MAX_NR_GENS - 1);
	KUNIT_ASSERT_TRUE(test, lru_gen_tail(a, at));
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, at), age);
	KUNIT_EXPECT_EQ(test, a->heap[at->gen][at->tier][at->type].nr, 50U);
}

static void merger_keeps_ages(struct kunit *test)
{
	static const unsigned int nr[MAX_NR_GENS] = { 40, 10, 5, 5, 5, 5, 5 };
	struct lru_gen_ages *a = ages_of(test);
	struct lru_gen_place at;
	u32 age = begin_merger(test, nr, &at);

	KUNIT_EXPECT_TRUE(test, lru_gen_merge_start(a));
	KUNIT_EXPECT_FALSE(test, lru_gen_ages_close(a));
	KUNIT_EXPECT_FALSE(test, a->merger.older);
	end_merger(test, &at, age);
	/* Half of them gone, about half of the time has. */
	lru_gen_heap_del(a, &at, 25);
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, &at), age - 24U);
	lru_gen_ages_open(a);
	KUNIT_EXPECT_EQ(test, a->nr_gens, MAX_NR_GENS);
}

static void older_one_gives_if_it_is_smaller(struct kunit *test)
{
	static const unsigned int nr[MAX_NR_GENS] = { 10, 40, 5, 5, 5, 5, 5 };
	struct lru_gen_place at;
	u32 age = begin_merger(test, nr, &at);

	KUNIT_EXPECT_TRUE(test, ages_of(test)->merger.older);
	end_merger(test, &at, age);
}

/* What was met in vain and is still there is passed over, list by list. */
static void met_lists_are_passed_over(struct kunit *test)
{
	struct lru_gen_ages *a = ages_of(test);
	struct lru_gen_place old = youngest(a), at = old;

	fill(a, &old, 5);
	lru_gen_ages_open(a);
	at = youngest(a);
	fill(a, &at, 7);
	KUNIT_EXPECT_TRUE(test, lru_gen_tail_beyond(a, &at, 4));
	KUNIT_EXPECT_EQ(test, at.gen, old.gen);
	KUNIT_EXPECT_TRUE(test, lru_gen_tail_beyond(a, &at, 5));
	KUNIT_EXPECT_EQ(test, at.gen, (unsigned int)a->order[0]);
	KUNIT_EXPECT_TRUE(test, lru_gen_tail_beyond(a, &at, 11));
	KUNIT_EXPECT_FALSE(test, lru_gen_tail_beyond(a, &at, 12));
}

static void empty_generations_are_dropped(struct kunit *test)
{
	struct lru_gen_ages *a = ages_of(test);

	KUNIT_EXPECT_FALSE(test, lru_gen_ages_close(a));
	lru_gen_ages_open(a);
	lru_gen_ages_open(a);
	KUNIT_EXPECT_TRUE(test, lru_gen_ages_close(a));
	KUNIT_EXPECT_TRUE(test, lru_gen_ages_close(a));
	KUNIT_EXPECT_EQ(test, a->nr_gens, MIN_NR_GENS);
}

static void clock_may_wrap(struct kunit *test)
{
	struct lru_gen_ages *a = ages_of(test);
	struct lru_gen_place at = youngest(a);

	a->clock = (u32)-50;
	fill(a, &at, 101);
	KUNIT_EXPECT_EQ(test, lru_gen_tail_age(a, &at), 100U);
}

static int ages_test_init(struct kunit *test)
{
	struct lru_gen_policy *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	lru_gen_policy_init(p);
	test->priv = p;
	return 0;
}

static struct kunit_case ages_cases[] = {
	KUNIT_CASE(tail_is_interpolated),
	KUNIT_CASE(late_arrivals_change_no_end),
	KUNIT_CASE(tail_is_in_the_oldest_generation),
	KUNIT_CASE(merger_keeps_ages),
	KUNIT_CASE(older_one_gives_if_it_is_smaller),
	KUNIT_CASE(met_lists_are_passed_over),
	KUNIT_CASE(empty_generations_are_dropped),
	KUNIT_CASE(clock_may_wrap),
	{}
};

static struct kunit_suite ages_suite = {
	.name = "lru_gen_ages",
	.init = ages_test_init,
	.test_cases = ages_cases,
};

kunit_test_suite(ages_suite);
