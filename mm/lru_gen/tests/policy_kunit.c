// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the policy: which list gives, who is kept, what is known.
 */
#include <kunit/test.h>
#include <linux/minmax.h>

#include "../policy.h"

#define NR_PAGES	8000U

static const struct lru_gen_may all = { .tiers = { 0xf, 0xf } };

static struct lru_gen_place add(struct lru_gen_policy *p, unsigned int type, unsigned int tier,
				unsigned int nr)
{
	struct lru_gen_place at = { .gen = p->ages.order[0], .tier = tier, .type = type };

	lru_gen_heap_add(&p->ages, &at, p->ages.clock, nr);
	return at;
}

static void longest_idle_goes_first(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	struct lru_gen_place at;

	lru_gen_policy_ask(p, 100, NR_PAGES);
	add(p, LRU_GEN_FILE, LRU_GEN_OLD, 100);
	p->ages.clock += 1000;
	add(p, LRU_GEN_ANON, LRU_GEN_OLD, 100);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.type, (unsigned int)LRU_GEN_FILE);
}

/* At 100 both cost the same; at 20 anon pages cost nine times as much. */
static void swappiness_is_a_ratio_of_costs(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	struct lru_gen_place at;

	add(p, LRU_GEN_ANON, LRU_GEN_OLD, 100);
	p->ages.clock += 10 * NR_PAGES;
	add(p, LRU_GEN_FILE, LRU_GEN_OLD, 100);
	p->ages.clock += 2 * NR_PAGES;
	lru_gen_policy_ask(p, 100, NR_PAGES);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.type, (unsigned int)LRU_GEN_ANON);
	lru_gen_policy_ask(p, 20, NR_PAGES);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.type, (unsigned int)LRU_GEN_FILE);
}

/* Each use is a step, up to the top. */
static void uses_are_steps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lru_gen_tier_above(LRU_GEN_NEW), (unsigned int)LRU_GEN_OLD);
	KUNIT_EXPECT_EQ(test, lru_gen_tier_above(LRU_GEN_OLD), (unsigned int)LRU_GEN_KEPT);
	KUNIT_EXPECT_EQ(test, lru_gen_tier_above(LRU_GEN_KEPT), (unsigned int)LRU_GEN_TOP);
	KUNIT_EXPECT_EQ(test, lru_gen_tier_above(LRU_GEN_TOP), (unsigned int)LRU_GEN_TOP);
}

/* Though swapping costs nothing at 200. Once it is idle for longer, costs decide. */
static void what_is_in_use_goes_last(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	struct lru_gen_place at;

	lru_gen_policy_ask(p, 200, NR_PAGES);
	add(p, LRU_GEN_FILE, LRU_GEN_OLD, 100);
	p->ages.clock += 1000;
	add(p, LRU_GEN_ANON, LRU_GEN_KEPT, 100);
	p->ages.clock += lru_gen_new_share(p);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.type, (unsigned int)LRU_GEN_FILE);
	p->ages.clock++;
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.type, (unsigned int)LRU_GEN_ANON);
	/* Where all is in use, some of it goes. */
	add(p, LRU_GEN_ANON, LRU_GEN_TOP, 100);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &(struct lru_gen_may){ .tiers = { 8 } }, &at));
	KUNIT_EXPECT_EQ(test, at.tier, (unsigned int)LRU_GEN_TOP);
}

static void what_may_not_give_is_not_chosen(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	const struct lru_gen_may anon = { .tiers = { 0xf, 0 } }, none = { };
	struct lru_gen_place at;

	lru_gen_policy_ask(p, 100, NR_PAGES);
	add(p, LRU_GEN_FILE, LRU_GEN_OLD, 100);
	KUNIT_EXPECT_FALSE(test, lru_gen_choose(p, &anon, &at));
	p->ages.clock += 1000;
	add(p, LRU_GEN_ANON, LRU_GEN_TOP, 1);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &anon, &at));
	KUNIT_EXPECT_EQ(test, at.tier, (unsigned int)LRU_GEN_TOP);
	KUNIT_EXPECT_FALSE(test, lru_gen_choose(p, &none, &at));
}

/* Below its share, NEW does not give while there is something else. */
static void new_pages_have_time(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	struct lru_gen_place at;

	lru_gen_policy_ask(p, 100, NR_PAGES);
	add(p, LRU_GEN_FILE, LRU_GEN_NEW, lru_gen_new_share(p) - lru_gen_batch(p));
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.tier, (unsigned int)LRU_GEN_NEW);
	add(p, LRU_GEN_FILE, LRU_GEN_TOP, 100);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.tier, (unsigned int)LRU_GEN_TOP);
	/* Above it, what has come in last is assumed not to come back. */
	add(p, LRU_GEN_FILE, LRU_GEN_NEW, 100);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.tier, (unsigned int)LRU_GEN_NEW);
}

/* What comes back soon is a use seen, and makes the rest of its tier worth more. */
static void refaults_correct_the_law(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	struct lru_gen_place file, anon, at;

	lru_gen_policy_ask(p, 100, NR_PAGES);
	file = add(p, LRU_GEN_FILE, LRU_GEN_KEPT, 1000);
	p->ages.clock += NR_PAGES;
	anon = add(p, LRU_GEN_ANON, LRU_GEN_KEPT, 1000);
	p->ages.clock += NR_PAGES;
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.type, (unsigned int)LRU_GEN_FILE);
	lru_gen_note_gone(p, &file, lru_gen_expected(p, &file), 1000);
	lru_gen_note_gone(p, &anon, lru_gen_expected(p, &anon), 1000);
	KUNIT_EXPECT_TRUE(test, lru_gen_is_soon(p, NR_PAGES / 8));
	KUNIT_EXPECT_FALSE(test, lru_gen_is_soon(p, NR_PAGES / 8 + 2));
	lru_gen_note_soon(p, &file, 900);
	KUNIT_ASSERT_TRUE(test, lru_gen_choose(p, &all, &at));
	KUNIT_EXPECT_EQ(test, at.type, (unsigned int)LRU_GEN_ANON);
}

/* Pages of OLD that are not used as the law expects are worth less and less. */
static void quiet_pages_lose_worth(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	struct lru_gen_place at;
	int i;

	lru_gen_policy_ask(p, 100, NR_PAGES);
	lru_gen_end_interval(p);
	add(p, LRU_GEN_ANON, LRU_GEN_OLD, NR_PAGES / 2);
	for (i = 0; i < 8; i++) {
		p->ages.clock += NR_PAGES / 4;
		lru_gen_expect_uses(p);
		at = add(p, LRU_GEN_FILE, LRU_GEN_OLD, 100);
		lru_gen_note_used(p, &at, NR_PAGES / 8);
		lru_gen_end_interval(p);
	}
	KUNIT_EXPECT_LT(test, p->known[LRU_GEN_ANON][LRU_GEN_OLD].seen,
			p->known[LRU_GEN_ANON][LRU_GEN_OLD].expected / 4);
	KUNIT_EXPECT_GT(test, p->known[LRU_GEN_FILE][LRU_GEN_OLD].seen,
			p->known[LRU_GEN_FILE][LRU_GEN_OLD].expected / 4);
}

/* Of a loop that is larger than memory, a part is kept: what is there is used as often. */
static void admission_compares_intervals(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	const struct lru_gen_place to = { .tier = LRU_GEN_KEPT, .type = LRU_GEN_FILE };
	struct lru_gen_place from = { .tier = LRU_GEN_NEW, .type = LRU_GEN_FILE };

	lru_gen_policy_ask(p, 100, NR_PAGES);
	KUNIT_EXPECT_FALSE(test, lru_gen_admits(p, &to, 1));
	add(p, LRU_GEN_FILE, LRU_GEN_KEPT, 1000);
	p->ages.clock += NR_PAGES;
	lru_gen_policy_ask(p, 100, NR_PAGES);
	KUNIT_EXPECT_TRUE(test, lru_gen_admits(p, &to, NR_PAGES / 2));
	KUNIT_EXPECT_FALSE(test, lru_gen_admits(p, &to, 2 * NR_PAGES));
	/* The time it was on its list counts, too. */
	add(p, LRU_GEN_FILE, LRU_GEN_NEW, 10);
	p->ages.clock += 70;
	KUNIT_EXPECT_EQ(test, lru_gen_between_uses(p, &from, 30), 100U);
	from.type = LRU_GEN_ANON;
	KUNIT_EXPECT_EQ(test, lru_gen_between_uses(p, &from, 30), 30U);
}

static void intervals_grow_to_half_of_all(struct kunit *test)
{
	struct lru_gen_policy *p = test->priv;
	u32 last = 0;
	int i;

	lru_gen_policy_ask(p, 100, NR_PAGES);
	KUNIT_EXPECT_TRUE(test, lru_gen_interval_over(p));
	for (i = 0; i < 6; i++) {
		lru_gen_end_interval(p);
		KUNIT_EXPECT_FALSE(test, lru_gen_interval_over(p));
		KUNIT_EXPECT_GE(test, p->interval, last);
		last = p->interval;
		p->ages.clock += p->interval;
		KUNIT_EXPECT_TRUE(test, lru_gen_interval_over(p));
	}
	KUNIT_EXPECT_EQ(test, last, NR_PAGES / 2 + 1);
}

/* Also of a lruvec without a page, and of one with 16 TiB. */
static void shares_fit_any_size(struct kunit *test)
{
	static const unsigned long sizes[] = { 0, 1, 33, 4096, U32_MAX };
	struct lru_gen_policy *p = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		lru_gen_policy_ask(p, 60, sizes[i]);
		KUNIT_EXPECT_GE(test, lru_gen_batch(p), 1UL);
		KUNIT_EXPECT_LE(test, lru_gen_batch(p), 32UL);
		KUNIT_EXPECT_GT(test, lru_gen_new_share(p), lru_gen_batch(p));
		KUNIT_EXPECT_TRUE(test, lru_gen_is_soon(p, 0));
	}
}

static int policy_test_init(struct kunit *test)
{
	struct lru_gen_policy *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	lru_gen_policy_init(p);
	test->priv = p;
	return 0;
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(longest_idle_goes_first),
	KUNIT_CASE(swappiness_is_a_ratio_of_costs),
	KUNIT_CASE(uses_are_steps),
	KUNIT_CASE(what_is_in_use_goes_last),
	KUNIT_CASE(what_may_not_give_is_not_chosen),
	KUNIT_CASE(new_pages_have_time),
	KUNIT_CASE(refaults_correct_the_law),
	KUNIT_CASE(quiet_pages_lose_worth),
	KUNIT_CASE(admission_compares_intervals),
	KUNIT_CASE(intervals_grow_to_half_of_all),
	KUNIT_CASE(shares_fit_any_size),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "lru_gen_policy",
	.init = policy_test_init,
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);
