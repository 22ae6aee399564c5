/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam between vmscan.c and the reclaim engine.
 *
 * How a folio is unmapped, written and freed is vmscan.c's business; which one
 * goes is decided by lru_gen/. This is all that either may know of the other.
 */
#ifndef _MM_RECLAIM_H
#define _MM_RECLAIM_H

#include "scan_control.h"

struct list_head;
struct lruvec;
struct mem_cgroup;
struct pglist_data;
struct reclaim_stat;
struct task_struct;

/* Whose memory is asked for, and under which rules. */
bool cgroup_reclaim(struct scan_control *sc);
bool root_reclaim(struct scan_control *sc);
bool writeback_throttling_sane(struct scan_control *sc);
int sc_swappiness(struct scan_control *sc, struct mem_cgroup *memcg);
bool can_demote(int nid, struct scan_control *sc);
bool can_reclaim_anon_pages(struct mem_cgroup *memcg, int nid,
			    struct scan_control *sc);
int reclaimer_offset(void);

/* What becomes of the folios taken. */
unsigned int shrink_folio_list(struct list_head *folio_list,
			       struct pglist_data *pgdat, struct scan_control *sc,
			       struct reclaim_stat *stat, bool ignore_references);
unsigned int move_folios_to_lru(struct lruvec *lruvec, struct list_head *list);

/* What was freed on the side, and by whom. */
void set_task_reclaim_state(struct task_struct *task, struct reclaim_state *rs);
void flush_reclaim_state(struct scan_control *sc);

#endif /* _MM_RECLAIM_H */
