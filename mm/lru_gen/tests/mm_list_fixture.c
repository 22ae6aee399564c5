// SPDX-License-Identifier: GPL-2.0
/*
 * Two memcgs with lists of mm_structs to test.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/delay.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "mm_list_fixture.h"

static struct mem_cgroup *tell_home(struct mm_struct *mm)
{
	struct mm_list_test *t = kunit_get_current_test()->priv;
	struct mem_cgroup *memcg = t->home;

	if (t->next_home) {
		t->home = t->next_home;
		t->next_home = NULL;
	}
	return memcg;
}

/* Never freed by references, as root is not. */
static struct mem_cgroup *new_memcg(struct kunit *test)
{
	struct mem_cgroup *memcg;
	int nid;

	memcg = kunit_kzalloc(test, struct_size(memcg, nodeinfo, nr_node_ids), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memcg);
	memcg->css.flags = CSS_NO_REF;
	lru_gen_mm_list_init(&memcg->lru_gen_mms);
	for_each_node(nid) {
		struct mem_cgroup_per_node *pn = kunit_kzalloc(test, sizeof(*pn), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, pn);
		pn->memcg = memcg;
		pn->lruvec.pgdat = NODE_DATA(nid);
		memcg->nodeinfo[nid] = pn;
	}
	return memcg;
}

struct lruvec *mm_list_lruvec(struct kunit *test, int i)
{
	struct mm_list_test *t = test->priv;

	return mem_cgroup_lruvec(t->memcg[i], NODE_DATA(first_online_node));
}

struct mm_struct *mm_list_new(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	struct mm_struct *mm = mm_alloc();

	KUNIT_ASSERT_NOT_NULL(test, mm);
	KUNIT_ASSERT_LT(test, t->nr_mms, NR_MMS);
	lru_gen_mm_add(mm);
	t->mms[t->nr_mms++] = mm;
	return mm;
}

void mm_list_fill(struct kunit *test, int nr)
{
	while (nr--)
		mm_list_new(test);
}

/* As in an exit, the list is left when nobody can take the mm any more. */
void mm_list_drop(struct mm_list_test *t, int i)
{
	mmput(t->mms[i]);
	t->mms[i] = t->mms[--t->nr_mms];
}

int mm_list_test_init(struct kunit *test)
{
	struct mm_list_test *t;

	if (mem_cgroup_disabled())
		kunit_skip(test, "needs memcgs");
	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->memcg[0] = new_memcg(test);
	t->memcg[1] = new_memcg(test);
	t->home = t->memcg[0];
	kunit_activate_static_stub(test, lru_gen_mm_home, tell_home);
	return 0;
}

void mm_list_test_exit(struct kunit *test)
{
	struct mm_list_test *t = test->priv;
	int i;

	while (t && t->nr_mms)
		mm_list_drop(t, 0);
	for (i = 0; t && i < 2; i++)
		KUNIT_EXPECT_TRUE(test, list_empty(&t->memcg[i]->lru_gen_mms.head));
}

/* Whether @mm stands on the list of memcg @i, counted from its links. */
int mm_list_times(struct kunit *test, int i, struct mm_struct *mm)
{
	struct mm_list_test *t = test->priv;
	struct lru_gen_mm *m;
	int nr = 0;

	list_for_each_entry(m, &t->memcg[i]->lru_gen_mms.head, link)
		nr += m == &mm->lru_gen;
	return nr;
}

/* Walkers leave the end of an mm to a worker: give it a while. */
void mm_list_wait(struct kunit *test, size_t nr_left)
{
	struct mm_list_test *t = test->priv;
	size_t nr = 0;
	int i;

	for (i = 0; i < 100; i++) {
		nr = list_count_nodes(&t->memcg[0]->lru_gen_mms.head) +
		     list_count_nodes(&t->memcg[1]->lru_gen_mms.head);
		if (nr == nr_left)
			break;
		msleep(20);
	}
	KUNIT_EXPECT_EQ(test, nr, nr_left);
}

struct lru_gen_cursor mm_list_cursor(struct kunit *test, int i, bool full)
{
	return (struct lru_gen_cursor) {
		.lruvec = mm_list_lruvec(test, i),
		.full = full,
	};
}

/* Go through what is left of a round; returns how many mms that was. */
int mm_list_take_rest(struct lru_gen_cursor *c)
{
	int nr = 0;

	while (lru_gen_next_mm(c))
		nr++;
	return nr;
}
