// SPDX-License-Identifier: GPL-2.0
/*
 * Which mm_structs belong to which memcg, for walks of their page tables.
 */
#include <kunit/static_stub.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "internal.h"
#include "walk.h"

/**
 * DOC: mm_list
 *
 * A memcg keeps a list of the mm_structs whose owners are in it. An mm joins
 * before any of its threads runs and stays until its last user is gone. In
 * between it follows its owner.
 *
 * Moves are not serialized by a lock: whoever takes the mm off a list puts it
 * on the next one, then looks whether the owner has moved on, and does it again
 * if so. Whoever else comes and finds it on no list has nothing to do.
 *
 * An mm on a list holds a reference to the memcg. A memcg that has been removed
 * lives on with its list as long as an mm without an owner is on it.
 */

/* For when memcgs are disabled. */
struct lru_gen_mm_list lru_gen_lone_mm_list = {
	.lock = __SPIN_LOCK_UNLOCKED(lru_gen_lone_mm_list.lock),
	.head = LIST_HEAD_INIT(lru_gen_lone_mm_list.head),
};

static struct lru_gen_round *round_of(struct mem_cgroup *memcg, int nid)
{
	return &mem_cgroup_lruvec(memcg, NODE_DATA(nid))->mm_round;
}

/**
 * lru_gen_mm_list_init() - make an empty list
 * @list: of a new memcg
 */
void lru_gen_mm_list_init(struct lru_gen_mm_list *list)
{
	spin_lock_init(&list->lock);
	INIT_LIST_HEAD(&list->head);
}

/**
 * lru_gen_mm_home() - the memcg on whose list an mm should be
 * @mm: the mm, with users
 *
 * Context: any; takes the RCU read lock.
 * Return: the memcg of the owner with a reference, NULL when memcgs are
 * disabled.
 */
struct mem_cgroup *lru_gen_mm_home(struct mm_struct *mm)
{
	KUNIT_STATIC_STUB_REDIRECT(lru_gen_mm_home, mm);
	return get_mem_cgroup_from_mm(mm);
}

static void enlist(struct mm_struct *mm)
{
	struct lru_gen_mm *m = &mm->lru_gen;
	struct mem_cgroup *memcg = lru_gen_mm_home(mm);
	struct lru_gen_mm_list *list = lru_gen_mm_list_of(memcg);

	spin_lock(&list->lock);
	WRITE_ONCE(m->memcg, memcg);
	list_add_tail(&m->link, &list->head);
	spin_unlock(&list->lock);
}

/* Move every round that would offer @m next on to the one behind it. */
static void step_past(const struct lru_gen_mm *m)
{
	int nid;

	for_each_node(nid) {
		struct lru_gen_round *round = round_of(m->memcg, nid);

		if (round->next == &m->link)
			round->next = m->link.next;
	}
}

/* Another list has not seen this mm yet, whatever this one has. */
static void remove(struct lru_gen_mm *m)
{
	lockdep_assert_held(&lru_gen_mm_list_of(m->memcg)->lock);
	step_past(m);
	list_del_init(&m->link);
	m->missed = 0;
	WRITE_ONCE(m->used, ~0UL);
	WRITE_ONCE(m->memcg, NULL);
}

/* Whether @m was on a list, and it was this thread that took it off. */
static bool unlist(struct lru_gen_mm *m)
{
	struct mem_cgroup *memcg;
	bool listed = false;

	rcu_read_lock();	/* the mm may be what keeps the memcg */
	memcg = READ_ONCE(m->memcg);
	if (memcg || mem_cgroup_disabled()) {
		spin_lock(&lru_gen_mm_list_of(memcg)->lock);
		/* Once it is not on this list, it is written under the lock of another. */
		listed = READ_ONCE(m->memcg) == memcg && !list_empty(&m->link);
		if (listed)
			remove(m);
		spin_unlock(&lru_gen_mm_list_of(memcg)->lock);
	}
	rcu_read_unlock();
	if (listed)
		mem_cgroup_put(memcg);
	return listed;
}

static bool is_misplaced(struct mm_struct *mm)
{
	struct mem_cgroup *home = lru_gen_mm_home(mm);
	bool misplaced = READ_ONCE(mm->lru_gen.memcg) != home;

	mem_cgroup_put(home);
	return misplaced;
}

/**
 * lru_gen_mm_init() - set up a new mm
 * @mm: not on any list, whatever it has been copied from
 *
 * Context: any.
 */
void lru_gen_mm_init(struct mm_struct *mm)
{
	struct lru_gen_mm *m = &mm->lru_gen;

	INIT_LIST_HEAD(&m->link);
	m->memcg = NULL;
	m->used = ~0UL;
	m->missed = 0;
}

/**
 * lru_gen_mm_migrate() - let an mm follow its owner
 * @mm: with users; on a list, or about to be put on one by somebody else
 *
 * To be called after the owner has changed, or has moved to another memcg.
 *
 * Context: any but interrupts; task_lock() may be held.
 */
void lru_gen_mm_migrate(struct mm_struct *mm)
{
	if (mem_cgroup_disabled())
		return;

	for (;;) {
		/*
		 * The list was written before the owner is read here, or the
		 * owner before the list. Of two threads that move an mm, at
		 * least one sees what the other has done.
		 */
		smp_mb();
		if (!is_misplaced(mm) || !unlist(&mm->lru_gen))
			return;
		enlist(mm);
	}
}

/**
 * lru_gen_mm_add() - have an mm walked from now on
 * @mm: with users, not on any list
 *
 * Context: any but interrupts; task_lock() may be held.
 */
void lru_gen_mm_add(struct mm_struct *mm)
{
	VM_WARN_ON_ONCE(!list_empty(&mm->lru_gen.link));
	enlist(mm);
	lru_gen_mm_migrate(mm);
}

/**
 * lru_gen_mm_del() - have an mm walked no more
 * @mm: without users; need not be on a list
 *
 * Context: any but interrupts.
 */
void lru_gen_mm_del(struct mm_struct *mm)
{
	unlist(&mm->lru_gen);
}

/**
 * lru_gen_fork() - have the mm of a new process walked
 * @p: a new task that does not run yet
 * @clone_flags: with CLONE_VM, its mm is not a new one
 *
 * Context: process context.
 */
void lru_gen_fork(struct task_struct *p, u64 clone_flags)
{
	if (p->mm && !(clone_flags & CLONE_VM))
		lru_gen_mm_add(p->mm);
}
