/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An order of memcgs to test: the real lists, and a model of memcgs that come, go, fill,
 * run empty, are protected and give less than they are asked for. Several turns are open
 * at a time, as with several threads.
 */
#ifndef _MM_MEMCG_RECLAIM_TESTS_ORDER_FIXTURE_H
#define _MM_MEMCG_RECLAIM_TESTS_ORDER_FIXTURE_H

#include <kunit/test.h>
#include <linux/prandom.h>

#include "../internal.h"

#define NR_MODELS	200
#define NR_OPEN		8		/* turns open at a time, at most */
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

/**
 * struct order_test - what a test has
 * @lru: the order
 * @models: what stands for memcgs
 * @open: turns that are open
 * @nr_open: how many
 * @nr_visits: turns there have been
 * @worst: the largest difference seen of what equal ones have given
 * @rnd: numbers
 */
struct order_test {
	struct memcg_lru lru;
	struct model models[NR_MODELS];
	struct memcg_lru_turn open[NR_OPEN];
	unsigned int nr_open;
	unsigned long nr_visits;
	unsigned long worst;
	struct rnd_state rnd;
};

int order_test_init(struct kunit *test);
u32 order_test_rnd(struct order_test *t, u32 n);
struct model *order_test_model(struct memcg_lru_member *m);
void order_test_add(struct order_test *t, unsigned int i, unsigned long weight);
void order_test_add_some(struct order_test *t, unsigned int nr, unsigned long weight);
void order_test_open(struct order_test *t, unsigned long limit);
void order_test_close(struct order_test *t, unsigned int i, unsigned long freed, bool willing);
void order_test_close_any(struct order_test *t);
void order_test_run(struct order_test *t, unsigned long nr_turns, unsigned int width);

#endif /* _MM_MEMCG_RECLAIM_TESTS_ORDER_FIXTURE_H */
