/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM memcg_reclaim

#if !defined(_TRACE_MEMCG_RECLAIM_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_MEMCG_RECLAIM_H

#include <linux/tracepoint.h>
#include <linux/types.h>

/*
 * Reclaim has visited a memcg. pages= could go, share= of them beyond its
 * protection, want= were asked for; low=1 if memory.low was given up.
 */
TRACE_EVENT(memcg_reclaim_visit,

	TP_PROTO(int nid, u64 memcg_id, int priority, const unsigned long *nr, bool low),

	TP_ARGS(nid, memcg_id, priority, nr, low),

	TP_STRUCT__entry(
		__field(int, nid)
		__field(int, priority)
		__field(u64, memcg_id)
		__field(unsigned long, pages)
		__field(unsigned long, share)
		__field(unsigned long, want)
		__field(unsigned long, scanned)
		__field(unsigned long, reclaimed)
		__field(bool, low)
	),

	TP_fast_assign(
		__entry->nid = nid;
		__entry->priority = priority;
		__entry->memcg_id = memcg_id;
		__entry->pages = nr[0];
		__entry->share = nr[1];
		__entry->want = nr[2];
		__entry->scanned = nr[3];
		__entry->reclaimed = nr[4];
		__entry->low = low;
	),

	TP_printk("nid=%d memcg=%llu priority=%d pages=%lu share=%lu want=%lu scanned=%lu reclaimed=%lu low=%d",
		  __entry->nid, __entry->memcg_id, __entry->priority,
		  __entry->pages, __entry->share, __entry->want,
		  __entry->scanned, __entry->reclaimed, __entry->low)
);

#endif /* _TRACE_MEMCG_RECLAIM_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
