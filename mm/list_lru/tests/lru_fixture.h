/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of memcgs to test: the real code, and a tree of memcgs of which only the nodes
 * and the parents are real. What is counted is whether any object is lost, or found
 * twice.
 */
#ifndef _MM_LIST_LRU_TESTS_LRU_FIXTURE_H
#define _MM_LIST_LRU_TESTS_LRU_FIXTURE_H

#include <kunit/test.h>
#include <linux/list_lru.h>
#include <linux/prandom.h>

#include "../internal.h"

#define NR_LRUS		17
#define NR_MEMCGS	120
#define NR_ITEMS	500
#define NR_ALIVE	9
#define NID		0

/**
 * struct item - an object
 * @link: on a list
 * @memcg: whom it is charged to, dead or alive
 * @lru: which list_lru it is of
 * @on: whether it should be on a list
 */
struct item {
	struct list_head link;
	struct mem_cgroup *memcg;
	unsigned int lru;
	bool on;
};

/**
 * struct lru_test - what a test has
 * @lrus: list_lrus
 * @shrinker: that of all of them
 * @memcgs: those that have ever been
 * @nr_memcgs: how many
 * @alive: those that are alive, parents before children
 * @nr_alive: how many
 * @items: objects
 * @nr_shown: objects a walk has shown
 * @no_memory: of so many requests for memory one fails; 0: none does
 * @no_tables: requests for tables fail, too
 * @largest_atomic: bytes of the largest request that may not sleep
 * @rnd: numbers
 */
struct lru_test {
	struct list_lru lrus[NR_LRUS];
	struct shrinker *shrinker;
	struct mem_cgroup *memcgs[NR_MEMCGS];
	unsigned int nr_memcgs;
	struct mem_cgroup *alive[NR_ALIVE];
	unsigned int nr_alive;
	struct item items[NR_ITEMS];
	unsigned int nr_shown;
	unsigned int no_memory;
	bool no_tables;
	size_t largest_atomic;
	struct rnd_state rnd;
};

int lru_test_init(struct kunit *test);
void lru_test_exit(struct kunit *test);
void lru_test_init_lru(struct kunit *test, struct list_lru *lru);
u32 lru_test_rnd(struct lru_test *t, u32 n);

/* Memcgs */
struct mem_cgroup *lru_test_birth(struct kunit *test, struct mem_cgroup *parent);
void lru_test_death(struct mem_cgroup *memcg);

/* Objects, of any list_lru, or several of list_lru 0 */
bool lru_test_put(struct lru_test *t, struct item *item);
bool lru_test_take(struct lru_test *t, struct item *item);
void lru_test_put_some(struct kunit *test, struct mem_cgroup *memcg, int first, int n);
void lru_test_take_some(struct kunit *test, int first, int n);

/* Of list_lru 0: the objects of a memcg, and the list of its own, if it has one */
unsigned long lru_test_count(struct lru_test *t, struct mem_cgroup *memcg);
struct list_lru_one *lru_test_own(struct lru_test *t, struct mem_cgroup *memcg);

#endif /* _MM_LIST_LRU_TESTS_LRU_FIXTURE_H */
