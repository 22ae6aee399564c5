/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree of memcgs to test: they are born, fill, run empty and die, and of each only the
 * node and the place in the tree are real.
 */
#ifndef _MM_MEMCG_RECLAIM_TESTS_ITER_FIXTURE_H
#define _MM_MEMCG_RECLAIM_TESTS_ITER_FIXTURE_H

#include <kunit/test.h>
#include <linux/memcontrol.h>
#include <linux/prandom.h>

#include "../internal.h"

#define NR_MODELS	120
#define NR_OPEN		8		/* turns open at a time, at most */
#define NR_STEPS	100000
#define NID		0

/**
 * struct model - what stands for a memcg
 * @memcg: the memcg, of which only the node and the place in the tree are real
 * @pn: its node
 * @parent: the one above
 * @weight: pages it can give, 0 if it is empty
 * @nr_pages: pages on its lists
 * @given: pages it has given since it was last started
 * @nr_visits: times that a walk or the slab of others has come to it
 * @nr_below: how many are right below it
 * @held: references
 * @alive: whether it is in the tree
 */
struct model {
	struct mem_cgroup *memcg;
	struct mem_cgroup_per_node *pn;
	struct model *parent;
	unsigned long weight;
	unsigned long nr_pages;
	unsigned long given;
	unsigned int nr_visits;
	unsigned int nr_below;
	unsigned int held;
	bool alive;
};

/**
 * struct iter_test - what a test has
 * @models: what stands for memcgs; the first one is at the top
 * @open: turns that are open
 * @nr_open: how many
 * @serial: number of the last one born
 * @rnd: numbers
 */
struct iter_test {
	struct model models[NR_MODELS];
	struct memcg_iter_turn open[NR_OPEN];
	unsigned int nr_open;
	u64 serial;
	struct rnd_state rnd;
};

int iter_test_init(struct kunit *test);
u32 iter_test_rnd(struct iter_test *t, u32 n);
struct model *iter_test_model(struct kunit *test, struct mem_cgroup *memcg);
struct model *iter_test_any(struct iter_test *t, bool alive);
struct memcg_iter *iter_test_place(struct model *d);
bool iter_test_is_below(const struct model *d, const struct model *top);
void iter_test_birth(struct iter_test *t, unsigned int i, struct model *parent);
void iter_test_death(struct model *d);
void iter_test_fill(struct model *d, unsigned long weight);
void iter_test_list(struct model *d, unsigned long nr_pages);
void iter_test_charge(struct model *d, unsigned long nr_pages);

#endif /* _MM_MEMCG_RECLAIM_TESTS_ITER_FIXTURE_H */
