// SPDX-License-Identifier: GPL-2.0
/*
 * A window of generations to test, and whether it is as it has to be.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/spinlock.h>

#include "window_fixture.h"

/* The functions under test expect lru_lock to be held. */
bool window_add(struct window_test *t, struct folio *folio, enum lru_gen_entry entry)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return __lru_gen_enter(t->lruvec, folio, entry);
}

bool window_del(struct window_test *t, struct folio *folio)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return __lru_gen_leave(t->lruvec, folio);
}

void window_take(struct window_test *t, struct folio *folio)
{
	struct lru_gen_moved moved = { };

	guard(spinlock_irq)(&t->lruvec->lru_lock);
	lru_gen_take_folio(t->lruvec, folio, &moved);
	lru_gen_account_moved(t->lruvec, &moved);
}

void window_promote(struct window_test *t, struct folio *folio, unsigned int nr_uses)
{
	struct lru_gen_moved moved = { };

	guard(spinlock_irq)(&t->lruvec->lru_lock);
	lru_gen_promote_folio(t->lruvec, folio, nr_uses, &moved);
	lru_gen_account_moved(t->lruvec, &moved);
}

/* Page tables say that all have been used; returns how many were moved up for it. */
unsigned int window_use(struct window_test *t, struct folio **folios, unsigned int nr)
{
	unsigned int young[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES] = { };
	unsigned int sum = 0, class;
	int type;

	lru_gen_use_folios(t->lruvec, folios, nr, young);
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (class = 0; class < LRU_GEN_NR_CLASSES; class++)
			sum += young[type][class];
	return sum;
}

bool window_open_gen(struct window_test *t)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return lru_gen_open(t->lruvec);
}

void window_close_gen(struct window_test *t, enum lru_gen_type type)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	lru_gen_close(t->lruvec, type);
}

bool window_fold(struct window_test *t, enum lru_gen_type type, int nr)
{
	guard(spinlock_irq)(&t->lruvec->lru_lock);
	return lru_gen_fold(t->lruvec, type, nr);
}

static void count_shown(struct lruvec *lruvec, enum lru_list lru,
			enum zone_type zone, long nr)
{
	struct window_test *t = kunit_get_current_test()->priv;

	t->shown[lru] += nr;
}

struct lru_gen_window *window_of(struct kunit *test)
{
	struct window_test *t = test->priv;

	return &t->lruvec->lrugen;
}

/* Like a folio that has just been read in: even ones are file, odd ones anon. */
static struct folio *new_folio(struct kunit *test, int i)
{
	struct folio *folio = __folio_alloc_node(GFP_KERNEL, 0, first_memory_node);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	/* What is on a list has a memcg, if there are any. */
	KUNIT_ASSERT_EQ(test, mem_cgroup_charge(folio, NULL, GFP_KERNEL), 0);
	if (i % 2)
		__folio_set_swapbacked(folio);
	return folio;
}

int window_test_init(struct kunit *test)
{
	struct window_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	prandom_seed_state(&t->rnd, 20241117);
	for (i = 0; i < NR_FOLIOS; i++)
		t->folios[i] = new_folio(test, i);
	t->lruvec = window_home_init(&t->home, t->folios[0]);
	t->lruvec->lrugen.enabled = true;
	kunit_activate_static_stub(test, lru_gen_account_size, count_shown);
	return 0;
}

void window_test_exit(struct kunit *test)
{
	struct window_test *t = test->priv;
	int i;

	for (i = 0; i < NR_FOLIOS; i++) {
		window_del(t, t->folios[i]);
		folio_clear_active(t->folios[i]);
		folio_clear_referenced(t->folios[i]);
		__folio_clear_swapbacked(t->folios[i]);
	}
	for (i = 0; i < NR_FOLIOS; i++)
		folio_put(t->folios[i]);
}

unsigned long window_seq_of(struct kunit *test, struct folio *folio)
{
	struct lru_gen_window *w = window_of(test);
	unsigned long seq = w->max_seq;

	KUNIT_ASSERT_GE(test, lru_gen_folio_index(folio), 0);
	while (lru_gen_index(seq) != lru_gen_folio_index(folio))
		seq--;
	return seq;
}

/* Compare a list with what is said of it; returns the pages on it. */
static long check_list(struct kunit *test, enum lru_gen_type type, unsigned int i)
{
	struct lru_gen_window *w = window_of(test);
	long nr[MAX_NR_ZONES] = {};
	struct folio *folio;
	long total = 0;
	int zone;

	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		list_for_each_entry(folio, &w->lists[i][type][zone], lru) {
			KUNIT_ASSERT_EQ(test, lru_gen_folio_index(folio), i);
			KUNIT_ASSERT_EQ(test, folio_zonenum(folio), zone);
			nr[zone]++;
		}
		KUNIT_ASSERT_EQ(test, nr[zone], w->nr_pages[i][type][zone]);
		total += nr[zone];
	}
	return total;
}

/* Walk every list: sizes, generation bits and what is shown have to agree. */
void window_check(struct kunit *test)
{
	struct window_test *t = test->priv;
	struct lru_gen_window *w = &t->lruvec->lrugen;
	long seen[NR_LRU_LISTS] = {};
	int type, lru, behind;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (behind = 0; behind < MAX_NR_GENS; behind++) {
			unsigned long seq = w->max_seq - behind;
			long nr = check_list(test, type, lru_gen_index(seq));

			/* Invariant 5: nothing outside the window. */
			if (behind >= lru_gen_width(w, type))
				KUNIT_ASSERT_EQ(test, nr, 0);
			seen[type * LRU_FILE + (behind < LRU_GEN_TOP_CLASS) * LRU_ACTIVE] += nr;
		}
	for_each_evictable_lru(lru)
		KUNIT_ASSERT_EQ(test, seen[lru], t->shown[lru]);
	KUNIT_ASSERT_TRUE(test, lru_gen_window_valid(t->lruvec));
}
