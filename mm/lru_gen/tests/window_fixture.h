/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A window of generations to test: real folios and a lruvec that nobody else knows.
 * vmstat is replaced by counters of the test's own.
 */
#ifndef _MM_LRU_GEN_TESTS_WINDOW_FIXTURE_H
#define _MM_LRU_GEN_TESTS_WINDOW_FIXTURE_H

#include <kunit/test.h>
#include <linux/mmzone.h>
#include <linux/prandom.h>

#include "../internal.h"

#define NR_FOLIOS	64

/**
 * struct window_test - what a test has
 * @lruvec: whose window it is
 * @folios: even ones are file, odd ones anon
 * @shown: what users would see, kept by the stub of lru_gen_account_size()
 * @rnd: numbers
 */
struct window_test {
	struct lruvec lruvec;
	struct folio *folios[NR_FOLIOS];
	long shown[NR_LRU_LISTS];
	struct rnd_state rnd;
};

int window_test_init(struct kunit *test);
void window_test_exit(struct kunit *test);

bool window_add(struct window_test *t, struct folio *folio, enum lru_gen_entry entry);
bool window_del(struct window_test *t, struct folio *folio);
void window_take(struct window_test *t, struct folio *folio);
void window_promote(struct window_test *t, struct folio *folio, unsigned int nr_uses);
bool window_open_gen(struct window_test *t);
void window_close_gen(struct window_test *t, enum lru_gen_type type);
bool window_fold(struct window_test *t, enum lru_gen_type type, int nr);

struct lru_gen_window *window_of(struct kunit *test);
unsigned long window_seq_of(struct kunit *test, struct folio *folio);
void window_check(struct kunit *test);

#endif /* _MM_LRU_GEN_TESTS_WINDOW_FIXTURE_H */
