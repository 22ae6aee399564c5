// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of lists of mm_structs: exits and moves, also while a round is under way.
 */
#include <kunit/test.h>
#include <linux/sched/mm.h>

#include "mm_list_fixture.h"

static void exit_moves_the_cursor_on(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_cursor c = mm_list_cursor(test, 0, false);

	mm_list_fill(test, 4);
	lru_gen_round_begin(&c);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[0]);
	KUNIT_EXPECT_PTR_EQ(test, c.lruvec->mm_round.next, &t->mms[1]->lru_gen.link);
	mm_list_drop(t, 1);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[2]);
	/* The last one goes: the round is at its end, not at freed memory. */
	mm_list_drop(t, 1);
	KUNIT_EXPECT_PTR_EQ(test, c.lruvec->mm_round.next,
			    &t->memcg[0]->lru_gen_mms.head);
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&c));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

/* Its last user goes while a walker has it. */
static void exit_waits_for_the_walker(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_cursor c = mm_list_cursor(test, 0, false);

	mm_list_fill(test, 1);
	lru_gen_round_begin(&c);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[0]);
	mm_list_drop(t, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c.mm->mm_users), 1);
	KUNIT_EXPECT_EQ(test, mm_list_times(test, 0, c.mm), 1);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
	mm_list_wait(test, 0);
}

static void mm_follows_its_owner(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_cursor c = mm_list_cursor(test, 0, false);

	mm_list_fill(test, 3);
	lru_gen_round_begin(&c);
	lru_gen_next_mm(&c);
	t->home = t->memcg[1];
	lru_gen_mm_migrate(t->mms[0]);
	lru_gen_mm_migrate(t->mms[1]);
	KUNIT_EXPECT_EQ(test, mm_list_times(test, 0, t->mms[1]), 0);
	KUNIT_EXPECT_EQ(test, mm_list_times(test, 1, t->mms[1]), 1);
	KUNIT_EXPECT_PTR_EQ(test, t->mms[1]->lru_gen.memcg, t->memcg[1]);
	/* It was in hand and has moved: no business of this round any more. */
	lru_gen_return_mm(&c);
	KUNIT_EXPECT_PTR_EQ(test, lru_gen_next_mm(&c), t->mms[2]);
	KUNIT_EXPECT_NULL(test, lru_gen_next_mm(&c));
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));

	c = mm_list_cursor(test, 1, false);
	lru_gen_round_begin(&c);
	KUNIT_EXPECT_EQ(test, mm_list_take_rest(&c), 2);
	KUNIT_EXPECT_TRUE(test, lru_gen_round_end(&c));
}

/* The owner moves after its memcg was asked for and before the mm is listed. */
static void owner_is_looked_at_again(struct kunit *test)
{
	struct mm_list_test *t = test->priv;

	t->next_home = t->memcg[1];
	mm_list_new(test);
	KUNIT_EXPECT_EQ(test, mm_list_times(test, 0, t->mms[0]), 0);
	KUNIT_EXPECT_EQ(test, mm_list_times(test, 1, t->mms[0]), 1);
}

static void unlisted_stays_unlisted(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct mm_struct *mm = mm_alloc();

	KUNIT_ASSERT_NOT_NULL(test, mm);
	t->home = t->memcg[1];
	lru_gen_mm_migrate(mm);
	KUNIT_EXPECT_EQ(test, mm_list_times(test, 1, mm), 0);
	lru_gen_mm_del(mm);
	mmput(mm);
}

static struct kunit_case mm_list_cases[] = {
	KUNIT_CASE(exit_moves_the_cursor_on),
	KUNIT_CASE(exit_waits_for_the_walker),
	KUNIT_CASE(mm_follows_its_owner),
	KUNIT_CASE(owner_is_looked_at_again),
	KUNIT_CASE(unlisted_stays_unlisted),
	{}
};

static struct kunit_suite mm_list_suite = {
	.name = "lru_gen_mm_list",
	.init = mm_list_test_init,
	.exit = mm_list_test_exit,
	.test_cases = mm_list_cases,
};

kunit_test_suite(mm_list_suite);
