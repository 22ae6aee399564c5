// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to lists of mm_structs when memcgs come, go and take in tasks.
 */
#include <linux/cgroup.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mmdebug.h>
#include <linux/nodemask.h>
#include <linux/sched/task.h>

#include "internal.h"
#include "walk.h"

/**
 * DOC: mm_memcg
 *
 * One write to cgroup.procs moves one process, but switching a controller on or
 * off moves all processes of a subtree, with many owners among their threads.
 */

/**
 * lru_gen_memcg_init() - set up a new memcg
 * @memcg: nobody else knows it
 *
 * Context: process context.
 */
void lru_gen_memcg_init(struct mem_cgroup *memcg)
{
	lru_gen_mm_list_init(&memcg->lru_gen_mms);
}

/**
 * lru_gen_memcg_exit() - clean up a memcg that is about to be freed
 * @memcg: without references; each mm on its list would hold one
 *
 * Context: process context.
 */
void lru_gen_memcg_exit(struct mem_cgroup *memcg)
{
	int nid;

	VM_WARN_ON_ONCE(!list_empty(&memcg->lru_gen_mms.head));
	for_each_node(nid)
		lru_gen_filter_free(&memcg->nodeinfo[nid]->lruvec.walk_filter);
}

/* Where the mm belongs, migration finds itself: it asks the owner. */
static void follow(struct task_struct *task)
{
	struct mm_struct *mm;

	task_lock(task);	/* it may be about to exit */
	mm = task->mm;
	if (mm)
		lru_gen_mm_migrate(mm);
	task_unlock(task);
}

/**
 * lru_gen_attach() - let mms follow owners that have moved to another memcg
 * @tset: tasks that have been moved, not all of them owners
 *
 * Context: process context, cgroup_mutex is held.
 */
void lru_gen_attach(struct cgroup_taskset *tset)
{
	struct cgroup_subsys_state *css;
	struct task_struct *task;

	cgroup_taskset_for_each(task, css, tset)
		follow(task);
}
