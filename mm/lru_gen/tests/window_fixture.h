/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A window of generations to test: real folios and a lruvec that nobody else knows.
 * vmstat is replaced by counters of the test's own.
 */
#ifndef _MM_LRU_GEN_TESTS_WINDOW_FIXTURE_H
#define _MM_LRU_GEN_TESTS_WINDOW_FIXTURE_H

#include <kunit/test.h>
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/prandom.h>

#include "../internal.h"

#define NR_FOLIOS	64

/**
 * struct window_home - what a lruvec stands in, from which its memcg is known
 * @node: of a memcg, and part of none
 * @lruvec: the lruvec, where there are no memcgs
 */
struct window_home {
#ifdef CONFIG_MEMCG
	struct mem_cgroup_per_node node;
#else
	struct lruvec lruvec;
#endif
};

static inline struct lruvec *window_home_init(struct window_home *home, struct folio *folio)
{
#ifdef CONFIG_MEMCG
	lruvec_init(&home->node.lruvec);
	home->node.memcg = folio_memcg(folio);
	home->node.lruvec.pgdat = folio_pgdat(folio);
	return &home->node.lruvec;
#else
	lruvec_init(&home->lruvec);
	return &home->lruvec;
#endif
}

/**
 * struct window_test - what a test has
 * @home: of @lruvec
 * @lruvec: whose window it is
 * @folios: even ones are file, odd ones anon
 * @shown: what users would see, kept by the stub of lru_gen_account_size()
 * @rnd: numbers
 */
struct window_test {
	struct window_home home;
	struct lruvec *lruvec;
	struct folio *folios[NR_FOLIOS];
	long shown[NR_LRU_LISTS];
	struct rnd_state rnd;
};

int window_test_init(struct kunit *test);
void window_test_exit(struct kunit *test);

bool window_add(struct window_test *t, struct folio *folio, enum lru_gen_entry entry);
bool window_del(struct window_test *t, struct folio *folio);
void window_take(struct window_test *t, struct folio *folio);
void window_spare(struct window_test *t, struct folio *folio, unsigned int nr_uses);
bool window_open_gen(struct window_test *t);
void window_close_gen(struct window_test *t);
bool window_merge(struct window_test *t, unsigned long most);
bool window_trim(struct window_test *t, unsigned long goal);

struct lru_gen_window *window_of(struct kunit *test);
unsigned int window_index_of(struct kunit *test, struct folio *folio);
unsigned int window_tier_of(struct kunit *test, struct folio *folio);
void window_check(struct kunit *test);

#endif /* _MM_LRU_GEN_TESTS_WINDOW_FIXTURE_H */
