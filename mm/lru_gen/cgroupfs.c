// SPDX-License-Identifier: GPL-2.0
/*
 * What everybody sees.
 */
#include <linux/cgroup.h>
#include <linux/init.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>

#include "internal.h"

/**
 * DOC: cgroupfs
 *
 * memory.lru_gen, in every directory of cgroup v2, shows how old the memory of
 * that memcg is: a line for each generation on each node, the oldest first. It
 * holds what is charged to the memcg itself, not to its children, because their
 * generations have other ages. Reading takes no lock and flushes nothing, since
 * anybody may do so at any rate.
 */

static u64 bytes(const struct lru_gen_window *w, enum lru_gen_type type,
		 unsigned long seq)
{
	return (u64)lru_gen_size(w, type, seq) << PAGE_SHIFT;
}

static void show_node(struct seq_file *m, int nid, const struct lru_gen_window *w)
{
	unsigned long max_seq = READ_ONCE(w->max_seq);
	unsigned long seq;

	for (seq = lru_gen_min_seq(w); seq <= max_seq; seq++)
		seq_printf(m, "N%d:%lu age_ms=%u anon=%llu file=%llu\n", nid, seq,
			   lru_gen_age_ms(w, seq), bytes(w, LRU_GEN_ANON, seq),
			   bytes(w, LRU_GEN_FILE, seq));
}

static int lru_gen_show(struct seq_file *m, void *v)
{
	struct mem_cgroup *memcg = mem_cgroup_from_seq(m);
	int nid;

	if (!lru_gen_in_use())
		return 0;
	for_each_node_state(nid, N_MEMORY)
		show_node(m, nid, &mem_cgroup_lruvec(memcg, NODE_DATA(nid))->lrugen);
	return 0;
}

static struct cftype lru_gen_files[] = {
	{ .name = "lru_gen", .seq_show = lru_gen_show },
	{ }
};

static int __init lru_gen_cgroupfs_init(void)
{
	int err = cgroup_add_dfl_cftypes(&memory_cgrp_subsys, lru_gen_files);

	if (err)
		pr_err("lru_gen: cannot create memory.lru_gen: %d\n", err);
	return err;
}
subsys_initcall(lru_gen_cgroupfs_init);
