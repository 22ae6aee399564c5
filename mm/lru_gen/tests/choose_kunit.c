// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the choice of a list. Nothing here needs a folio.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/sizes.h>

#include "../tier.h"

#define TOP	LRU_GEN_TOP_CLASS

/* A lruvec of this many pages, unless a test says otherwise. */
#define PAGES	32000UL

/* Ages of the folios of a list between its ends are taken to be spread evenly. */
static void span_test(struct kunit *test)
{
	struct lru_gen_span span = { .oldest = 7, .newest = 9 };

	lru_gen_span_enter(&span, 1000, true);
	KUNIT_EXPECT_EQ(test, span.oldest, 1000UL);
	KUNIT_EXPECT_EQ(test, span.newest, 1000UL);
	lru_gen_span_enter(&span, 1100, false);
	KUNIT_EXPECT_EQ(test, span.oldest, 1000UL);
	lru_gen_span_drain(&span, 10, 40);
	KUNIT_EXPECT_EQ(test, span.oldest, 1025UL);
	lru_gen_span_drain(&span, 30, 30);
	KUNIT_EXPECT_EQ(test, span.oldest, 1100UL);
	KUNIT_EXPECT_EQ(test, span.newest, 1100UL);
}

/* The clock wraps between the two ends. */
static void span_wrap_test(struct kunit *test)
{
	struct lru_gen_span span;

	lru_gen_span_enter(&span, ULONG_MAX - 99, true);
	lru_gen_span_enter(&span, 100, false);
	lru_gen_span_drain(&span, 3, 4);
	KUNIT_EXPECT_EQ(test, span.oldest, 50UL);
	lru_gen_span_drain(&span, 5, 4);
	KUNIT_EXPECT_EQ(test, span.oldest, 100UL);
}

static unsigned int victim(unsigned int nr_decays, const unsigned long *nr)
{
	struct lru_gen_feedback fb = { .nr_decays = nr_decays };

	return lru_gen_victim_class(&fb, nr, 0);
}

static void victim_class_test(struct kunit *test)
{
	unsigned long nr[LRU_GEN_NR_CLASSES] = { 200, 0, 4900, 4900, 0 };

	KUNIT_EXPECT_EQ(test, victim(0, nr), 0U);
	nr[0] = 198;
	KUNIT_EXPECT_EQ(test, victim(0, nr), 2U);
	/* While the bottom is in the way of forgetting, it is drained. */
	KUNIT_EXPECT_EQ(test, victim(1, nr), 0U);
	nr[0] = 0;
	KUNIT_EXPECT_EQ(test, victim(1, nr), 2U);
	nr[2] = 0;
	KUNIT_EXPECT_EQ(test, victim(0, nr), 3U);
}

/* A few that have been at the bottom for long go first all the same. */
static void victim_class_old_test(struct kunit *test)
{
	unsigned long nr[LRU_GEN_NR_CLASSES] = { 1, 0, 9599, 6400, 0 };
	struct lru_gen_feedback fb = { };

	KUNIT_EXPECT_EQ(test, lru_gen_victim_class(&fb, nr, 1000), 2U);
	KUNIT_EXPECT_EQ(test, lru_gen_victim_class(&fb, nr, 1001), 0U);
	nr[0] = 0;
	KUNIT_EXPECT_EQ(test, lru_gen_victim_class(&fb, nr, 1001), 2U);
}

static void victim_class_small_test(struct kunit *test)
{
	unsigned long nr[LRU_GEN_NR_CLASSES] = { };

	KUNIT_EXPECT_EQ(test, victim(0, nr), 0U);
	nr[TOP] = 1;
	KUNIT_EXPECT_EQ(test, victim(0, nr), TOP);
	nr[0] = 1;
	KUNIT_EXPECT_EQ(test, victim(0, nr), 0U);
}

static struct lru_gen_choice even_choice(void)
{
	return (struct lru_gen_choice) {
		.nr = { 1000, 1000 },
		.age = { 10000, 10000 },
		.nr_pages = PAGES,
		.swappiness = 100,
	};
}

static void victim_type_test(struct kunit *test)
{
	struct lru_gen_choice c = even_choice();

	c.age[LRU_GEN_FILE] += PAGES / 8;
	KUNIT_EXPECT_EQ(test, lru_gen_victim_type(&c), LRU_GEN_FILE);
	c.nr[LRU_GEN_FILE] = 0;
	KUNIT_EXPECT_EQ(test, lru_gen_victim_type(&c), LRU_GEN_ANON);
	c = even_choice();
	c.age[LRU_GEN_ANON] += PAGES / 8;
	KUNIT_EXPECT_EQ(test, lru_gen_victim_type(&c), LRU_GEN_ANON);
	c.nr[LRU_GEN_ANON] = 0;
	KUNIT_EXPECT_EQ(test, lru_gen_victim_type(&c), LRU_GEN_FILE);
}

static unsigned long turns_of_anon(struct lru_gen_choice *c)
{
	unsigned long turns = 0;

	for (c->clock = 0; c->clock < 3200; c->clock += 32)
		turns += lru_gen_victim_type(c) == LRU_GEN_ANON;
	return turns;
}

/* Of a hundred batches, anon gives its share, give or take one. */
static void victim_type_share_test(struct kunit *test)
{
	struct lru_gen_choice c = even_choice();

	KUNIT_EXPECT_GE(test, turns_of_anon(&c), 49UL);
	KUNIT_EXPECT_LE(test, turns_of_anon(&c), 51UL);
	c.nr[LRU_GEN_FILE] = 9000;
	KUNIT_EXPECT_GE(test, turns_of_anon(&c), 9UL);
	KUNIT_EXPECT_LE(test, turns_of_anon(&c), 11UL);
}

/* Of a thousand batches, each zone gives its share, and one without pages none. */
static void victim_zone_test(struct kunit *test)
{
	unsigned long nr[MAX_NR_ZONES] = { }, given[MAX_NR_ZONES] = { };
	const unsigned int last = MAX_NR_ZONES - 1;
	unsigned long turn;

	nr[0] = 1000;
	nr[last] = 9000;
	for (turn = 0; turn < 1000; turn++)
		given[lru_gen_victim_zone(nr, turn)]++;
	KUNIT_EXPECT_GE(test, given[0], 98UL);
	KUNIT_EXPECT_LE(test, given[0], 102UL);
	KUNIT_EXPECT_EQ(test, given[0] + given[last], 1000UL);

	/* A request for the lowest zone finds nothing in others, whatever they hold. */
	nr[last] = 0;
	for (turn = 0; turn < 100; turn++)
		KUNIT_EXPECT_EQ(test, lru_gen_victim_zone(nr, turn), 0U);
}

/* Types and zones have their turns together: of both types, zones give alike. */
static void victim_zone_of_type_test(struct kunit *test)
{
	struct lru_gen_choice c = even_choice();
	unsigned long nr[MAX_NR_ZONES] = { };
	unsigned long low[LRU_GEN_NR_TYPES] = { };

	nr[0] = 1000;
	nr[MAX_NR_ZONES - 1] = 1000;
	for (c.clock = 0; c.clock < 32000; c.clock += 32)
		if (lru_gen_victim_zone(nr, c.clock / 32) == 0)
			low[lru_gen_victim_type(&c)]++;
	KUNIT_EXPECT_GE(test, low[LRU_GEN_ANON], 230UL);
	KUNIT_EXPECT_LE(test, low[LRU_GEN_ANON], 270UL);
	KUNIT_EXPECT_GE(test, low[LRU_GEN_FILE], 230UL);
	KUNIT_EXPECT_LE(test, low[LRU_GEN_FILE], 270UL);
}

/* How much older, in percent, file has to be before it goes at a swappiness. */
static unsigned long file_goes_at(int swappiness)
{
	struct lru_gen_choice c = even_choice();
	unsigned long percent;

	c.swappiness = swappiness;
	c.nr_pages = 0;
	for (percent = 1; percent < 1000; percent++) {
		c.age[LRU_GEN_FILE] = c.age[LRU_GEN_ANON] * percent / 100;
		if (lru_gen_victim_type(&c) == LRU_GEN_FILE)
			break;
	}
	return percent;
}

/* Swapping costs more below 100, and less above it, in proportion. */
static void swappiness_test(struct kunit *test)
{
	unsigned long at, before = 0;
	int swappiness;

	KUNIT_EXPECT_EQ(test, file_goes_at(100), 101UL);
	for (swappiness = 1; swappiness < 200; swappiness++) {
		at = file_goes_at(swappiness);
		KUNIT_EXPECT_GE(test, at, before);
		before = at;
	}
	KUNIT_EXPECT_EQ(test, file_goes_at(1), 1UL);
	KUNIT_EXPECT_EQ(test, file_goes_at(60), 43UL);
	KUNIT_EXPECT_EQ(test, file_goes_at(140), 234UL);
	KUNIT_EXPECT_EQ(test, file_goes_at(199), 1000UL);
}

/* What eviction finds in use does not count as having been idle for long. */
static void idle_age_test(struct kunit *test)
{
	const struct lru_gen_victim v = { .type = LRU_GEN_ANON };
	struct lru_gen_feedback fb = { };

	KUNIT_EXPECT_EQ(test, lru_gen_idle_age(&fb, LRU_GEN_ANON, 1000), 1000UL);
	lru_gen_note_looked(&fb, &v, 128, 128);
	KUNIT_EXPECT_EQ(test, lru_gen_idle_age(&fb, LRU_GEN_ANON, 1000), 500UL);
	KUNIT_EXPECT_EQ(test, lru_gen_idle_age(&fb, LRU_GEN_FILE, 1000), 1000UL);
	/* Whatever has been found, it is by the latest that it is judged. */
	for (int i = 0; i < 1000; i++)
		lru_gen_note_looked(&fb, &v, 32, 32);
	KUNIT_EXPECT_LT(test, lru_gen_idle_age(&fb, LRU_GEN_ANON, 1000), 200UL);
	for (int i = 0; i < 1000; i++)
		lru_gen_note_looked(&fb, &v, 32, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_idle_age(&fb, LRU_GEN_ANON, 1000), 1000UL);
	KUNIT_EXPECT_GT(test, lru_gen_idle_age(&fb, LRU_GEN_ANON, ULONG_MAX / SZ_64K), 0UL);
}

/* What was found in use once says less after each walk, even if nobody looks again. */
static void idle_age_walks_test(struct kunit *test)
{
	const struct lru_gen_victim v = { .type = LRU_GEN_FILE };
	const struct lru_gen_seen seen = { };
	struct lru_gen_feedback fb = { };
	unsigned long age, before;
	int i;

	lru_gen_note_looked(&fb, &v, 1000, 1000);
	before = lru_gen_idle_age(&fb, LRU_GEN_FILE, 1000);
	for (i = 0; i < 3; i++) {
		lru_gen_note_walk(&fb, &seen);
		age = lru_gen_idle_age(&fb, LRU_GEN_FILE, 1000);
		KUNIT_EXPECT_GT(test, age, before);
		before = age;
	}
	KUNIT_EXPECT_GT(test, age, 500UL);
}

/* An idle list that gives nothing is not preferred before it is measured again. */
static void yield_test(struct kunit *test)
{
	const struct lru_gen_victim v = { .type = LRU_GEN_FILE, .preferred = true };
	const struct lru_gen_victim turn = { .type = LRU_GEN_FILE };
	struct lru_gen_feedback fb = { };

	fb.use[LRU_GEN_FILE][0] = 5;
	lru_gen_note_yield(&fb, &turn, 32, 0);
	lru_gen_note_yield(&fb, &v, 32, 4);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_FILE][0], 5);
	lru_gen_note_yield(&fb, &v, 32, 3);
	KUNIT_EXPECT_EQ(test, fb.use[LRU_GEN_FILE][0], 0);
}

/* What is spared beyond the allowance is made up for by twice as many that go. */
static void patience_test(struct kunit *test)
{
	struct lru_gen_victim v = { .type = LRU_GEN_ANON };
	struct lru_gen_feedback fb = { };

	lru_gen_note_spared(&fb, &v, 32, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_nr_unasked(&fb, LRU_GEN_ANON, 100), 0UL);
	lru_gen_note_spared(&fb, &v, 10, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_nr_unasked(&fb, LRU_GEN_ANON, 100), 20UL);
	KUNIT_EXPECT_EQ(test, lru_gen_nr_unasked(&fb, LRU_GEN_FILE, 100), 0UL);
	lru_gen_note_spared(&fb, &v, 0, 20);
	KUNIT_EXPECT_EQ(test, lru_gen_nr_unasked(&fb, LRU_GEN_ANON, 100), 0UL);
	/* Pages that go do not earn more patience than there was. */
	lru_gen_note_spared(&fb, &v, 0, 1000);
	lru_gen_note_spared(&fb, &v, 33, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_nr_unasked(&fb, LRU_GEN_ANON, 100), 2UL);
	/* The more pages there are, the more are worth looking at. */
	KUNIT_EXPECT_EQ(test, lru_gen_nr_unasked(&fb, LRU_GEN_ANON, 64 * 33), 0UL);
}

/* A lruvec that was large does not owe what only a large one may. */
static void patience_follows_size(struct kunit *test)
{
	struct lru_gen_victim v = { .type = LRU_GEN_ANON };
	struct lru_gen_feedback fb = { };
	unsigned long blind = 0, nr;
	int i;

	for (i = 0; i < 100; i++)
		lru_gen_note_spared(&fb, &v, 32, 0);
	KUNIT_EXPECT_EQ(test, lru_gen_nr_unasked(&fb, LRU_GEN_ANON, 1 << 20), 0UL);
	/* Nearly all of it goes away, and nothing of the rest is found in use. */
	while ((nr = min(lru_gen_nr_unasked(&fb, LRU_GEN_ANON, 1000), 32UL)) && blind < 10000) {
		blind += nr;
		lru_gen_note_spared(&fb, &v, 0, nr);
	}
	KUNIT_EXPECT_LE(test, blind, 3 * 32UL);
}

/* Lists of which the shares of pages used are known, in 1/1024. */
static struct lru_gen_feedback measured(u16 anon_bottom, u16 file_bottom, u16 file_top)
{
	struct lru_gen_feedback fb = { };

	fb.use[LRU_GEN_ANON][0] = anon_bottom + 1;
	fb.use[LRU_GEN_FILE][0] = file_bottom + 1;
	fb.use[LRU_GEN_FILE][TOP] = file_top + 1;
	return fb;
}

static struct lru_gen_victim preferred(const struct lru_gen_feedback *fb, int swappiness,
				       unsigned long nr_top)
{
	const unsigned long nr[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES] = {
		{ 16000, 0, 0, 0, 0 }, { 8000, 0, 0, 0, nr_top }
	};
	struct lru_gen_victim v = { .type = LRU_GEN_ANON };

	lru_gen_prefer_idle(fb, nr, swappiness, &v);
	return v;
}

static void prefer_idle_test(struct kunit *test)
{
	struct lru_gen_feedback fb = measured(300, 300, 300);

	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).type, LRU_GEN_ANON);
	/* Whatever its class, what is used least gives. */
	fb = measured(300, 190, 100);
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).type, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).class, TOP);
	/* Too few to tell. */
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 10).class, 0U);
	fb.use[LRU_GEN_FILE][0] = 0;
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 10).type, LRU_GEN_ANON);
	/* Nothing is used less than what is not used. */
	fb = measured(0, 0, 0);
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).type, LRU_GEN_ANON);
}

/* Of two that are used alike, the one goes that costs less to bring back. */
static void prefer_idle_cost_test(struct kunit *test)
{
	struct lru_gen_feedback fb = measured(300, 300, 1023);

	KUNIT_EXPECT_EQ(test, preferred(&fb, 1, 8000).type, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, preferred(&fb, 199, 8000).type, LRU_GEN_ANON);
}

/* New anon pages look idle, but those that were swapped out have come back. */
static void prefer_new_test(struct kunit *test)
{
	struct lru_gen_feedback fb = measured(0, 300, 50);

	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).type, LRU_GEN_ANON);
	fb.nr_swapped = 8000;
	fb.nr_returned = 8000;
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).type, LRU_GEN_FILE);
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).class, TOP);
	/* Also where no walk has seen enough of them. */
	fb.use[LRU_GEN_ANON][0] = 0;
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).type, LRU_GEN_FILE);
	/* Few of them tell little. */
	fb.nr_swapped = 80;
	fb.nr_returned = 80;
	KUNIT_EXPECT_EQ(test, preferred(&fb, 100, 8000).type, LRU_GEN_ANON);
}

/* Nor do they go first where it is the turn of files; what is above them goes for itself. */
static void prefer_new_over_file_test(struct kunit *test)
{
	const unsigned long nr[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES] = {
		{ 16000, 8000, 0, 0, 0 }, { 8000, 0, 0, 0, 0 }
	};
	struct lru_gen_feedback fb = measured(0, 300, 300);
	struct lru_gen_victim v = { .type = LRU_GEN_FILE };

	fb.use[LRU_GEN_ANON][1] = 100;
	lru_gen_prefer_idle(&fb, nr, 100, &v);
	KUNIT_EXPECT_EQ(test, v.type, LRU_GEN_ANON);
	KUNIT_EXPECT_EQ(test, v.class, 0U);
	KUNIT_EXPECT_TRUE(test, v.preferred);

	fb.nr_swapped = 8000;
	fb.nr_returned = 8000;
	v = (struct lru_gen_victim){ .type = LRU_GEN_FILE };
	lru_gen_prefer_idle(&fb, nr, 100, &v);
	KUNIT_EXPECT_EQ(test, v.type, LRU_GEN_FILE);
	KUNIT_EXPECT_FALSE(test, v.preferred);

	fb.use[LRU_GEN_ANON][0] = 200;
	lru_gen_prefer_idle(&fb, nr, 100, &v);
	KUNIT_EXPECT_EQ(test, v.type, LRU_GEN_ANON);
	KUNIT_EXPECT_EQ(test, v.class, 1U);
}

static struct kunit_case choose_cases[] = {
	KUNIT_CASE(span_test),
	KUNIT_CASE(span_wrap_test),
	KUNIT_CASE(victim_class_test),
	KUNIT_CASE(victim_class_old_test),
	KUNIT_CASE(victim_class_small_test),
	KUNIT_CASE(victim_type_test),
	KUNIT_CASE(victim_type_share_test),
	KUNIT_CASE(victim_zone_test),
	KUNIT_CASE(victim_zone_of_type_test),
	KUNIT_CASE(swappiness_test),
	KUNIT_CASE(idle_age_test),
	KUNIT_CASE(idle_age_walks_test),
	KUNIT_CASE(yield_test),
	KUNIT_CASE(patience_test),
	KUNIT_CASE(patience_follows_size),
	KUNIT_CASE(prefer_idle_test),
	KUNIT_CASE(prefer_idle_cost_test),
	KUNIT_CASE(prefer_new_test),
	KUNIT_CASE(prefer_new_over_file_test),
	{}
};

static struct kunit_suite choose_suite = {
	.name = "lru_gen_choose",
	.test_cases = choose_cases,
};

kunit_test_suite(choose_suite);
