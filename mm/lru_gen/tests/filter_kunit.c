// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the filter of page-table ranges: pure, but for memory.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/pgtable.h>

#include "../internal.h"
#include "../walk.h"

#define FULL_PAGES(nr_keys)	((unsigned long)(nr_keys) * PTRS_PER_PTE)
#define NR_PROBES		100000

/* The largest set that the stub of lru_gen_bits_alloc() has memory for. */
static unsigned int largest;
static unsigned int nr_refused;

static struct lru_gen_bits *alloc_small(unsigned int order)
{
	struct lru_gen_bits *bits = NULL;

	if (order <= largest) {
		kunit_deactivate_static_stub(kunit_get_current_test(), lru_gen_bits_alloc);
		bits = lru_gen_bits_alloc(order);
		kunit_activate_static_stub(kunit_get_current_test(), lru_gen_bits_alloc,
					   alloc_small);
	} else {
		nr_refused++;
	}
	return bits;
}

static int filter_test_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct lru_gen_filter), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static void filter_test_exit(struct kunit *test)
{
	lru_gen_filter_free(test->priv);
}

/* Entry @i of page tables that lie one behind the other, as keys are in use. */
static const void *entry(unsigned long i)
{
	return (void *)(PAGE_OFFSET + i * sizeof(pmd_t));
}

static void add_entries(struct lru_gen_filter *f, unsigned long first, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		lru_gen_filter_add(f, entry(first + i));
}

static unsigned long count_known(struct lru_gen_filter *f, unsigned long first,
				 unsigned long nr)
{
	unsigned long i, known = 0;

	for (i = 0; i < nr; i++)
		known += lru_gen_filter_test(f, entry(first + i));
	return known;
}

static void size_follows_keys(struct kunit *test)
{
	unsigned long nr;

	KUNIT_EXPECT_EQ(test, lru_gen_filter_order(0), 9);
	KUNIT_EXPECT_EQ(test, lru_gen_filter_order(32), 9);
	KUNIT_EXPECT_EQ(test, lru_gen_filter_order(33), 10);
	KUNIT_EXPECT_EQ(test, lru_gen_filter_order(10000), 18);
	KUNIT_EXPECT_EQ(test, lru_gen_filter_order(262144), 22);
	KUNIT_EXPECT_EQ(test, lru_gen_filter_order(262145), 22);
	KUNIT_EXPECT_EQ(test, lru_gen_filter_order(ULONG_MAX), 22);
	for (nr = 33; nr < 262144; nr = nr * 5 / 4) {
		unsigned long bits = BIT(lru_gen_filter_order(nr));

		KUNIT_EXPECT_GE(test, bits, nr * 16);
		KUNIT_EXPECT_LT(test, bits, nr * 32);
	}
}

static void without_a_set_all_is_walked(struct kunit *test)
{
	struct lru_gen_filter *f = test->priv;

	KUNIT_EXPECT_EQ(test, count_known(f, 0, 1000), 1000);
	lru_gen_filter_add(f, entry(0));
	lru_gen_filter_flip(f, 0);
	KUNIT_EXPECT_EQ(test, count_known(f, 0, 1000), 1000);
	lru_gen_filter_flip(f, 0);
	KUNIT_EXPECT_EQ(test, count_known(f, 0, 1000), 0);
}

static void added_shows_after_flip(struct kunit *test)
{
	struct lru_gen_filter *f = test->priv;

	lru_gen_filter_flip(f, 0);
	lru_gen_filter_flip(f, 0);
	lru_gen_filter_add(f, entry(7));
	KUNIT_EXPECT_FALSE(test, lru_gen_filter_test(f, entry(7)));
	lru_gen_filter_flip(f, 0);
	KUNIT_EXPECT_TRUE(test, lru_gen_filter_test(f, entry(7)));
	KUNIT_EXPECT_FALSE(test, lru_gen_filter_test(f, entry(8)));
	/* Not dense any more in the walk that followed. */
	lru_gen_filter_flip(f, 0);
	KUNIT_EXPECT_FALSE(test, lru_gen_filter_test(f, entry(7)));
}

/* With @nr keys in a set made for as many: all are known, and few others. */
static void check_rate(struct kunit *test, unsigned long nr, unsigned long spread)
{
	struct lru_gen_filter *f = test->priv;
	unsigned long i, wrong = 0;

	lru_gen_filter_flip(f, FULL_PAGES(nr));
	for (i = 0; i < nr; i++)
		lru_gen_filter_add(f, entry(i * spread));
	lru_gen_filter_flip(f, FULL_PAGES(nr));
	for (i = 0; i < nr; i++)
		if (!lru_gen_filter_test(f, entry(i * spread)))
			KUNIT_FAIL(test, "lost key %lu of %lu", i, nr);
	for (i = nr; i < nr + NR_PROBES; i++)
		wrong += lru_gen_filter_test(f, entry(i * spread));
	kunit_info(test, "%lu keys, spread %lu: %lu of %d others taken for known\n",
		   nr, spread, wrong, NR_PROBES);
	KUNIT_EXPECT_LE(test, wrong, NR_PROBES / 100);
	/* A filter that is never wrong would be one that is not filled. */
	if (nr >= 1000)
		KUNIT_EXPECT_GT(test, wrong, 0);
	lru_gen_filter_free(f);
}

static void others_are_rarely_taken_for_known(struct kunit *test)
{
	static const unsigned long spreads[] = { 1, 2, 512, 4096, 12345 };
	int i;

	for (i = 0; i < ARRAY_SIZE(spreads); i++) {
		check_rate(test, 16, spreads[i]);
		check_rate(test, 32, spreads[i]);
		check_rate(test, 1024, spreads[i]);
		check_rate(test, 10000, spreads[i]);
		check_rate(test, 65536, spreads[i]);
	}
}

/* Ranges that are sparse are more than the pages would fill. */
static void set_grows_with_what_was_added(struct kunit *test)
{
	struct lru_gen_filter *f = test->priv;
	unsigned long before, after;

	lru_gen_filter_flip(f, 0);
	add_entries(f, 0, 2000);
	lru_gen_filter_flip(f, 0);
	before = count_known(f, 1000000, 10000);
	add_entries(f, 0, 2000);
	lru_gen_filter_flip(f, 0);
	after = count_known(f, 1000000, 10000);

	KUNIT_EXPECT_GT(test, before, 5000);
	/* The first set was full soon: it could not tell how many there were. */
	KUNIT_EXPECT_LT(test, after, before);
	KUNIT_EXPECT_EQ(test, count_known(f, 0, 2000), 2000);
}

static void set_grows_with_the_memcg(struct kunit *test)
{
	struct lru_gen_filter *f = test->priv;

	lru_gen_filter_flip(f, FULL_PAGES(1));
	add_entries(f, 0, 32);
	lru_gen_filter_flip(f, FULL_PAGES(10000));
	KUNIT_EXPECT_EQ(test, count_known(f, 0, 32), 32);
	add_entries(f, 0, 10000);
	lru_gen_filter_flip(f, FULL_PAGES(10000));
	KUNIT_EXPECT_EQ(test, count_known(f, 0, 10000), 10000);
	KUNIT_EXPECT_LE(test, count_known(f, 1000000, 10000), 100);
}

static void no_memory_means_smaller_or_none(struct kunit *test)
{
	struct lru_gen_filter *f = test->priv;

	kunit_activate_static_stub(test, lru_gen_bits_alloc, alloc_small);
	nr_refused = 0;
	largest = 12;
	lru_gen_filter_flip(f, FULL_PAGES(10000));
	KUNIT_EXPECT_EQ(test, nr_refused, 18 - 12);
	add_entries(f, 0, 100);
	lru_gen_filter_flip(f, 0);
	KUNIT_EXPECT_EQ(test, count_known(f, 0, 100), 100);
	KUNIT_EXPECT_LE(test, count_known(f, 1000, 1000), 10);

	largest = 0;
	lru_gen_filter_flip(f, FULL_PAGES(10000));
	add_entries(f, 0, 100);
	lru_gen_filter_flip(f, FULL_PAGES(10000));
	KUNIT_EXPECT_EQ(test, count_known(f, 1000, 1000), 1000);
}

static void dense_is_worth_walking(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, lru_gen_worth_walking(0, 0));
	KUNIT_EXPECT_FALSE(test, lru_gen_worth_walking(512, 0));
	KUNIT_EXPECT_FALSE(test, lru_gen_worth_walking(512, 31));
	KUNIT_EXPECT_TRUE(test, lru_gen_worth_walking(512, 32));
	KUNIT_EXPECT_TRUE(test, lru_gen_worth_walking(512, 512));
	KUNIT_EXPECT_TRUE(test, lru_gen_worth_walking(1, 1));
	KUNIT_EXPECT_TRUE(test, lru_gen_worth_walking(16, 1));
	KUNIT_EXPECT_FALSE(test, lru_gen_worth_walking(17, 1));
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(size_follows_keys),
	KUNIT_CASE(without_a_set_all_is_walked),
	KUNIT_CASE(added_shows_after_flip),
	KUNIT_CASE(others_are_rarely_taken_for_known),
	KUNIT_CASE(set_grows_with_what_was_added),
	KUNIT_CASE(set_grows_with_the_memcg),
	KUNIT_CASE(no_memory_means_smaller_or_none),
	KUNIT_CASE(dense_is_worth_walking),
	{}
};

static struct kunit_suite filter_suite = {
	.name = "lru_gen_filter",
	.init = filter_test_init,
	.exit = filter_test_exit,
	.test_cases = filter_cases,
};

kunit_test_suite(filter_suite);
