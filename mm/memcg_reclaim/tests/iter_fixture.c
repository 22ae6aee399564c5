// SPDX-License-Identifier: GPL-2.0
/*
 * A tree of memcgs to test.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/cgroup.h>
#include <linux/rculist.h>

#include "iter_fixture.h"

u32 iter_test_rnd(struct iter_test *t, u32 n)
{
	return prandom_u32_state(&t->rnd) % n;
}

struct model *iter_test_model(struct kunit *test, struct mem_cgroup *memcg)
{
	struct iter_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < NR_MODELS; i++)
		if (t->models[i].memcg == memcg)
			return &t->models[i];
	KUNIT_FAIL(test, "a memcg that is none");
	return &t->models[0];
}

static bool hold_model(struct memcg_iter *it)
{
	struct model *d = iter_test_model(kunit_get_current_test(), memcg_iter_memcg(it));

	d->held++;
	return true;
}

struct memcg_iter *iter_test_place(struct model *d)
{
	return &d->pn->shared_iter;
}

/* What is charged to it and to those below; each has something but when told so. */
void iter_test_charge(struct model *d, unsigned long nr_pages)
{
	atomic_long_set(&d->memcg->memory.usage, nr_pages);
}

void iter_test_birth(struct iter_test *t, unsigned int i, struct model *parent)
{
	struct model *d = &t->models[i];
	struct cgroup_subsys_state *css = &d->memcg->css;

	memset(css, 0, sizeof(*css));
	memset(iter_test_place(d), 0, sizeof(*iter_test_place(d)));
	INIT_LIST_HEAD(&css->children);
	INIT_LIST_HEAD(&css->sibling);
	css->flags = CSS_NO_REF | CSS_ONLINE;
	css->serial_nr = ++t->serial;
	d->parent = parent;
	d->weight = 0;
	d->nr_pages = 0;
	d->given = 0;
	d->nr_visits = 0;
	d->nr_below = 0;
	d->alive = true;
	iter_test_charge(d, 1);
	if (parent) {
		css->parent = &parent->memcg->css;
		parent->nr_below++;
		list_add_tail_rcu(&css->sibling, &css->parent->children);
	}
	memcg_iter_add(iter_test_place(d), parent ? iter_test_place(parent) : NULL);
}

/* As when the last reference of a removed memcg is put. */
void iter_test_death(struct model *d)
{
	struct cgroup_subsys_state *css = &d->memcg->css;

	css->flags |= CSS_RELEASED;
	list_del_rcu(&css->sibling);
	memcg_iter_weigh(iter_test_place(d), 0, 0);
	memcg_walk_forget(d->memcg, NID);
	d->parent->nr_below--;
	d->alive = false;
	/* Whoever still finds it will notice. */
	memset(css, 0x5a, sizeof(*css));
	memset(iter_test_place(d), 0x5a, sizeof(*iter_test_place(d)));
}

void iter_test_fill(struct model *d, unsigned long weight)
{
	d->weight = weight;
	d->nr_pages = weight;
	memcg_iter_weigh(iter_test_place(d), weight, weight);
}

/* As when a list of the memcg has changed: only one that is longer than known is told. */
void iter_test_list(struct model *d, unsigned long nr_pages)
{
	d->nr_pages = nr_pages;
	if (nr_pages > READ_ONCE(iter_test_place(d)->mark))
		memcg_iter_grow(iter_test_place(d), nr_pages);
}

int iter_test_init(struct kunit *test)
{
	struct iter_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	prandom_seed_state(&t->rnd, 20261121);
	for (i = 0; i < NR_MODELS; i++) {
		struct model *d = &t->models[i];

		d->memcg = kunit_kzalloc(test, struct_size(d->memcg, nodeinfo, nr_node_ids),
					 GFP_KERNEL);
		d->pn = kunit_kzalloc(test, sizeof(*d->pn), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, d->memcg);
		KUNIT_ASSERT_NOT_NULL(test, d->pn);
		d->memcg->nodeinfo[NID] = d->pn;
		d->pn->memcg = d->memcg;
	}
	iter_test_birth(t, 0, NULL);
	kunit_activate_static_stub(test, memcg_iter_hold, hold_model);
	return 0;
}

bool iter_test_is_below(const struct model *d, const struct model *top)
{
	while (d && d != top)
		d = d->parent;
	return d;
}

struct model *iter_test_any(struct iter_test *t, bool alive)
{
	struct model *d = &t->models[1 + iter_test_rnd(t, NR_MODELS - 1)];

	return d->alive == alive ? d : NULL;
}
