// SPDX-License-Identifier: GPL-2.0
/*
 * Switching between the classic LRU and generations while memory is reclaimed.
 */
#include <linux/cgroup.h>
#include <linux/cleanup.h>
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

/* A list in that slot that is not empty. */
static struct list_head *list_in(struct lru_gen_window *w, unsigned int slot)
{
	struct list_head *list = w->lists[slot][0];
	unsigned int left = MAX_NR_TIERS * LRU_GEN_NR_TYPES;

	for (; left; left--, list++)
		if (!list_empty(list))
			return list;
	return NULL;
}

/* The list of generations to empty next, from old to young. */
static struct list_head *next_list(struct lru_gen_window *w)
{
	const struct lru_gen_ages *a = &w->policy.ages;
	struct list_head *list = NULL;
	unsigned int i = a->nr_gens;

	while (i-- && !list)
		list = list_in(w, a->order[i]);
	return list;
}

static struct list_head *next_source(struct lruvec *lruvec)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	if (w->enabled)
		return next_classic(lruvec);
	return next_list(w);
}

/**
 * struct lru_gen_move - the move of one lruvec's folios
 * @lruvec: the lruvec
 * @nr_active: pages put on the active list of each type; L
 * @nr_inactive: pages put on the inactive list of each type; L
 * @nr_pages: pages moved; L
 */
struct lru_gen_move {
	struct lruvec *lruvec;
	unsigned long nr_active[LRU_GEN_NR_TYPES];
	unsigned long nr_inactive[LRU_GEN_NR_TYPES];
	unsigned long nr_pages;
};

/*
 * Policy: at most half of the memory starts active on the classic LRU, and none
 * of the rest is a step from it. The classic LRU does not see that a list has
 * become all active until statistics are flushed, which may take seconds, and a
 * small memcg at its limit would be out of memory by then.
 */
static void balance_active(struct lru_gen_move *m, struct folio *folio)
{
	enum lru_gen_type type = folio_is_file_lru(folio) ? LRU_GEN_FILE : LRU_GEN_ANON;
	long nr = folio_nr_pages(folio);

	if (folio_test_active(folio) && m->nr_active[type] >= m->nr_inactive[type])
		folio_clear_active(folio);
	folio_clear_referenced(folio);
	if (folio_test_active(folio))
		m->nr_active[type] += nr;
	else
		m->nr_inactive[type] += nr;
}

/*
 * Oldest first, from the tail to the head of the new list, so that order is
 * kept. Returns false when there are none left.
 */
static bool move_batch(struct lru_gen_move *m)
{
	struct list_head *list = next_source(m->lruvec);
	int i;

	lockdep_assert_held(&m->lruvec->lru_lock);
	for (i = 0; list && i < MOVE_BATCH; i++) {
		struct folio *folio = lru_to_folio(list);

		lruvec_del_folio(m->lruvec, folio);
		if (!m->lruvec->lrugen.enabled)
			balance_active(m, folio);
		lruvec_add_folio(m->lruvec, folio);
		m->nr_pages += folio_nr_pages(folio);
		list = next_source(m->lruvec);
	}
	return list;
}

static void set_key(bool on)
{
	if (on)
		static_branch_enable_cpuslocked(&lru_gen_key);
	else
		static_branch_disable_cpuslocked(&lru_gen_key);
}

static bool switch_lruvec(struct lruvec *lruvec, void *nr_pages)
{
	struct lru_gen_move m = {
		.lruvec = lruvec,
	};

	spin_lock_irq(&lruvec->lru_lock);
	VM_WARN_ON_ONCE(!lru_gen_window_valid(lruvec));
	lruvec->lrugen.enabled = lru_gen_enabled();
	while (move_batch(&m))
		lru_gen_relax(lruvec);
	VM_WARN_ON_ONCE(!lru_gen_window_valid(lruvec));
	spin_unlock_irq(&lruvec->lru_lock);
	*(unsigned long *)nr_pages += m.nr_pages;
	return false;
}

/* Returns the pages moved. */
static unsigned long switch_all(bool on)
{
	unsigned long nr_pages = 0;

	static_branch_enable_cpuslocked(&lru_gen_switch_key);
	set_key(on);
	lru_gen_any_lruvec(switch_lruvec, NUMA_NO_NODE, &nr_pages);
	static_branch_disable_cpuslocked(&lru_gen_switch_key);
	return nr_pages;
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

	cgroup_lock();
	cpus_read_lock();
	get_online_mems();
	scoped_guard(mutex, &switch_mutex)
		if (on != lru_gen_enabled())
			lru_gen_account_switch(on, switch_all(on), start);
	put_online_mems();
	cpus_read_unlock();
	cgroup_unlock();
}
