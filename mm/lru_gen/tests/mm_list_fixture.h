/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of mm_structs to test. The mms are real ones that nobody runs in, the two
 * memcgs are known to nobody else, and the test says in which of them the owner is.
 */
#ifndef _MM_LRU_GEN_TESTS_MM_LIST_FIXTURE_H
#define _MM_LRU_GEN_TESTS_MM_LIST_FIXTURE_H

#include <kunit/test.h>
#include <linux/memcontrol.h>
#include <linux/mm_types.h>

#include "../internal.h"
#include "../walk.h"

#define NR_MMS		300	/* more than one look with the lock held */

/**
 * struct mm_list_test - what a test has
 * @memcg: whose lists these are
 * @home: where the stub of lru_gen_mm_home() says all owners are
 * @next_home: where they are from the second time on that it is asked, if not NULL
 * @mms: the mms
 * @nr_mms: how many
 */
struct mm_list_test {
	struct mem_cgroup *memcg[2];
	struct mem_cgroup *home;
	struct mem_cgroup *next_home;
	struct mm_struct *mms[NR_MMS];
	int nr_mms;
};

int mm_list_test_init(struct kunit *test);
void mm_list_test_exit(struct kunit *test);

struct lruvec *mm_list_lruvec(struct kunit *test, int i);
struct mm_struct *mm_list_new(struct kunit *test);
void mm_list_fill(struct kunit *test, int nr);
void mm_list_drop(struct mm_list_test *t, int i);
int mm_list_times(struct kunit *test, int i, struct mm_struct *mm);
void mm_list_wait(struct kunit *test, size_t nr_left);
struct lru_gen_cursor mm_list_cursor(struct kunit *test, int i, bool full);
int mm_list_take_rest(struct lru_gen_cursor *c);

#endif /* _MM_LRU_GEN_TESTS_MM_LIST_FIXTURE_H */
