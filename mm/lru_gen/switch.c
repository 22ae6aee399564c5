// SPDX-License-Identifier: GPL-2.0
/*
 * Switching between the classic LRU and generations while memory is reclaimed.
 */
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/memory_hotplug.h>
#include <linux/mmdebug.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "internal.h"

/**
 * DOC: switch
 *
 * Where folios enter is decided per lruvec, by lrugen.enabled, under lru_lock.
 * Where they leave is read off the folio. So a lruvec may hold folios on both
 * LRUs, and while any does, lru_gen_switch_key makes reclaim look at both:
 * nobody finds a lruvec empty that is not, and no limit ends in an OOM kill
 * because of a switch.
 *
 * A memcg created meanwhile takes its state from lru_gen_key, which is set
 * first; none is created while cgroup_mutex is held.
 */

/* Folios moved with lru_lock held once. */
#define MOVE_BATCH	128

DEFINE_STATIC_KEY_MAYBE(CONFIG_LRU_GEN_ENABLED, lru_gen_key);
DEFINE_STATIC_KEY_FALSE(lru_gen_switch_key);

/* R: what the operator allows, enum lru_gen_cap. */
unsigned int lru_gen_caps = LRU_GEN_CAP_ALL;

static DEFINE_MUTEX(switch_mutex);

/* The classic list to empty next; the inactive one first, as it is older. */
static struct list_head *next_classic(struct lruvec *lruvec)
{
	enum lru_list lru;

	for_each_evictable_lru(lru)
		if (!list_empty(&lruvec->lists[lru]))
			return &lruvec->lists[lru];
	return NULL;
}

/* The list of generations to empty next, from old to young. */
static struct list_head *next_list(struct lru_gen_window *w,
				   enum lru_gen_type type)
{
	unsigned long seq;
	int zone;

	for (seq = w->min_seq[type]; seq <= w->max_seq; seq++) {
		struct list_head *lists = w->lists[lru_gen_index(seq)][type];

		for (zone = 0; zone < MAX_NR_ZONES; zone++)
			if (!list_empty(&lists[zone]))
				return &lists[zone];
	}
	return NULL;
}

static struct list_head *next_source(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	if (w->enabled)
		return next_classic(lruvec);
	return next_list(w, LRU_GEN_ANON) ?: next_list(w, LRU_GEN_FILE);
}

/*
 * Oldest first, from the tail to the head of the new list, so that order is
 * kept. What was inactive starts old, what was active starts young.
 */
static unsigned long move_one(struct lruvec *lruvec, struct folio *folio)
{
	bool cold = lruvec->lrugen.enabled && !folio_test_active(folio);

	lruvec_del_folio(lruvec, folio);
	if (!cold)
		lruvec_add_folio(lruvec, folio);
	else if (!lru_gen_add_folio(lruvec, folio, LRU_GEN_COLD))
		VM_WARN_ON_ONCE_FOLIO(1, folio);
	return folio_nr_pages(folio);
}

/* Returns the pages moved; zero when there are none left. */
static unsigned long move_batch(struct lruvec *lruvec)
{
	unsigned long nr_pages = 0;
	int i;

	lockdep_assert_held(&lruvec->lru_lock);
	for (i = 0; i < MOVE_BATCH; i++) {
		struct list_head *list = next_source(lruvec);

		if (!list)
			break;
		nr_pages += move_one(lruvec, lru_to_folio(list));
	}
	return nr_pages;
}

static unsigned long switch_lruvec(struct lruvec *lruvec, bool on)
{
	unsigned long nr, nr_pages = 0;

	spin_lock_irq(&lruvec->lru_lock);
	VM_WARN_ON_ONCE(!lru_gen_window_valid(lruvec));
	lruvec->lrugen.enabled = on;
	do {
		nr = move_batch(lruvec);
		nr_pages += nr;
		spin_unlock_irq(&lruvec->lru_lock);
		cond_resched();
		spin_lock_irq(&lruvec->lru_lock);
	} while (nr);
	VM_WARN_ON_ONCE(!lru_gen_window_valid(lruvec));
	spin_unlock_irq(&lruvec->lru_lock);
	return nr_pages;
}

static unsigned long switch_all(bool on)
{
	struct mem_cgroup *memcg = mem_cgroup_iter(NULL, NULL, NULL);
	unsigned long nr_pages = 0;
	int nid;

	do {
		/* Nodes without memory too: they may get some later. */
		for_each_node(nid)
			nr_pages += switch_lruvec(mem_cgroup_lruvec(memcg, NODE_DATA(nid)), on);
	} while ((memcg = mem_cgroup_iter(NULL, memcg, NULL)));
	return nr_pages;
}

static void set_key(bool on)
{
	if (on)
		static_branch_enable_cpuslocked(&lru_gen_key);
	else
		static_branch_disable_cpuslocked(&lru_gen_key);
}

/**
 * lru_gen_switch() - move all folios to generations, or back to classic lists
 * @on: which
 *
 * Does nothing if that is where they are.
 *
 * Context: process context, may sleep; takes cgroup_mutex.
 */
void lru_gen_switch(bool on)
{
	unsigned long start = jiffies;
	unsigned long nr_pages;

	cgroup_lock();
	cpus_read_lock();
	get_online_mems();
	mutex_lock(&switch_mutex);
	if (on != lru_gen_enabled()) {
		static_branch_enable_cpuslocked(&lru_gen_switch_key);
		set_key(on);
		nr_pages = switch_all(on);
		static_branch_disable_cpuslocked(&lru_gen_switch_key);
		lru_gen_account_switch(on, nr_pages, start);
	}
	mutex_unlock(&switch_mutex);
	put_online_mems();
	cpus_read_unlock();
	cgroup_unlock();
}
