// SPDX-License-Identifier: GPL-2.0
/*
 * An order of memcgs to test, and turns in it.
 */
#include <kunit/static_stub.h>
#include <linux/minmax.h>

#include "order_fixture.h"

u32 order_test_rnd(struct order_test *t, u32 n)
{
	return prandom_u32_state(&t->rnd) % n;
}

struct model *order_test_model(struct memcg_lru_member *m)
{
	return container_of(m, struct model, m);
}

static bool hold_any(struct memcg_lru_member *m)
{
	return true;
}

int order_test_init(struct kunit *test)
{
	struct order_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	memcg_lru_init(&t->lru);
	memcg_lru_expect(&t->lru, 4096);
	prandom_seed_state(&t->rnd, 20261121);
	kunit_activate_static_stub(test, memcg_lru_hold, hold_any);
	return 0;
}

void order_test_add(struct order_test *t, unsigned int i, unsigned long weight)
{
	struct model *d = &t->models[i];

	memset(d, 0, sizeof(*d));
	d->weight = weight;
	memcg_lru_add(&t->lru, &d->m);
	/* The same in each run. */
	d->m.shard = order_test_rnd(t, MEMCG_LRU_NR_SHARDS);
	if (weight)
		memcg_lru_wake(&t->lru, &d->m);
}

void order_test_add_some(struct order_test *t, unsigned int nr, unsigned long weight)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		order_test_add(t, i, weight);
}

void order_test_open(struct order_test *t, unsigned long limit)
{
	struct memcg_lru_turn *turn = &t->open[t->nr_open];
	struct memcg_lru_member *m;

	m = memcg_lru_take(&t->lru, order_test_rnd(t, MEMCG_LRU_NR_SHARDS));
	if (!m)
		return;
	if (!order_test_model(m)->weight) {
		memcg_lru_skip(&t->lru, m, false);
		return;
	}
	*turn = (struct memcg_lru_turn) {
		.member = m,
		.weight = order_test_model(m)->weight,
		.limit = limit,
	};
	memcg_lru_reserve(&t->lru, turn);
	if (turn->nr) {
		t->nr_open++;
		t->nr_visits++;
	}
}

void order_test_close(struct order_test *t, unsigned int i, unsigned long freed, bool willing)
{
	struct memcg_lru_turn turn = t->open[i];

	t->open[i] = t->open[--t->nr_open];
	order_test_model(turn.member)->given += freed;
	if (!willing)
		order_test_model(turn.member)->exempt = true;
	memcg_lru_settle(&t->lru, &turn, freed, willing);
}

/* One bails out before it has all, another frees a large folio. */
void order_test_close_any(struct order_test *t)
{
	unsigned int i = order_test_rnd(t, t->nr_open);
	unsigned long nr = t->open[i].nr;

	switch (order_test_rnd(t, 4)) {
	case 0:
		order_test_close(t, i, order_test_rnd(t, nr + 1), true);
		break;
	case 1:
		order_test_close(t, i, nr + order_test_rnd(t, LARGE_FOLIO), true);
		break;
	default:
		order_test_close(t, i, nr, true);
	}
}

void order_test_run(struct order_test *t, unsigned long nr_turns, unsigned int width)
{
	while (nr_turns--) {
		if (t->nr_open < width)
			order_test_open(t, order_test_rnd(t, 4) ? MEMCG_LRU_BATCH : 1024);
		if (t->nr_open && (t->nr_open == width || order_test_rnd(t, 2)))
			order_test_close_any(t);
	}
	while (t->nr_open)
		order_test_close_any(t);
}
