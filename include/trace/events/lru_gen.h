/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lru_gen

#if !defined(_TRACE_LRU_GEN_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_LRU_GEN_H

#include <linux/lru_gen_types.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

TRACE_DEFINE_ENUM(LRU_GEN_ANON);
TRACE_DEFINE_ENUM(LRU_GEN_FILE);

#define lru_gen_show_type(type)			\
	__print_symbolic(type,			\
		{ LRU_GEN_ANON, "anon" },	\
		{ LRU_GEN_FILE, "file" })

/* A generation has been opened at the young end of a lruvec's window, for both types. */
TRACE_EVENT(lru_gen_open,

	TP_PROTO(int nid, u64 memcg_id, unsigned long max_seq, unsigned long min_seq),

	TP_ARGS(nid, memcg_id, max_seq, min_seq),

	TP_STRUCT__entry(
		__field(int, nid)
		__field(u64, memcg_id)
		__field(unsigned long, max_seq)
		__field(unsigned long, min_anon)
		__field(unsigned long, min_file)
	),

	TP_fast_assign(
		__entry->nid = nid;
		__entry->memcg_id = memcg_id;
		__entry->max_seq = max_seq;
		__entry->min_anon = min_seq;
		__entry->min_file = min_seq;
	),

	TP_printk("nid=%d memcg=%llu max_seq=%lu min_seq_anon=%lu min_seq_file=%lu",
		  __entry->nid, __entry->memcg_id, __entry->max_seq,
		  __entry->min_anon, __entry->min_file)
);

/*
 * Page tables have been walked. complete=0: some address spaces were left out,
 * because they could not be locked. Their number is skipped=.
 */
TRACE_EVENT(lru_gen_walk,

	TP_PROTO(int nid, u64 memcg_id, const unsigned long *nr, bool complete),

	TP_ARGS(nid, memcg_id, nr, complete),

	TP_STRUCT__entry(
		__field(int, nid)
		__field(u64, memcg_id)
		__field(unsigned long, walked)
		__field(unsigned long, skipped)
		__field(unsigned long, ptes)
		__field(unsigned long, young)
		__field(bool, complete)
	),

	TP_fast_assign(
		__entry->nid = nid;
		__entry->memcg_id = memcg_id;
		__entry->walked = nr[0];
		__entry->skipped = nr[1];
		__entry->ptes = nr[2];
		__entry->young = nr[3];
		__entry->complete = complete;
	),

	TP_printk("nid=%d memcg=%llu walked=%lu skipped=%lu ptes=%lu young=%lu complete=%d",
		  __entry->nid, __entry->memcg_id, __entry->walked,
		  __entry->skipped, __entry->ptes, __entry->young,
		  __entry->complete)
);

/*
 * An evicted folio came back, and is put into the tier class=. near=1: so soon that with
 * a little more memory it would not have gone.
 */
TRACE_EVENT(lru_gen_refault,

	TP_PROTO(int nid, u64 memcg_id, int type, unsigned int class, bool near),

	TP_ARGS(nid, memcg_id, type, class, near),

	TP_STRUCT__entry(
		__field(int, nid)
		__field(u64, memcg_id)
		__field(int, type)
		__field(unsigned int, class)
		__field(bool, near)
	),

	TP_fast_assign(
		__entry->nid = nid;
		__entry->memcg_id = memcg_id;
		__entry->type = type;
		__entry->class = class;
		__entry->near = near;
	),

	TP_printk("nid=%d memcg=%llu type=%s class=%u near=%d",
		  __entry->nid, __entry->memcg_id,
		  lru_gen_show_type(__entry->type), __entry->class,
		  __entry->near)
);

/* A batch of old folios has been handed to shrink_folio_list(); in pages. */
TRACE_EVENT(lru_gen_evict,

	TP_PROTO(int nid, u64 memcg_id, int type, const unsigned long *nr),

	TP_ARGS(nid, memcg_id, type, nr),

	TP_STRUCT__entry(
		__field(int, nid)
		__field(u64, memcg_id)
		__field(int, type)
		__field(unsigned long, scanned)
		__field(unsigned long, taken)
		__field(unsigned long, sorted)
		__field(unsigned long, reclaimed)
	),

	TP_fast_assign(
		__entry->nid = nid;
		__entry->memcg_id = memcg_id;
		__entry->type = type;
		__entry->scanned = nr[0];
		__entry->taken = nr[1];
		__entry->sorted = nr[2];
		__entry->reclaimed = nr[3];
	),

	TP_printk("nid=%d memcg=%llu type=%s scanned=%lu taken=%lu sorted=%lu reclaimed=%lu",
		  __entry->nid, __entry->memcg_id,
		  lru_gen_show_type(__entry->type), __entry->scanned,
		  __entry->taken, __entry->sorted, __entry->reclaimed)
);

/* All folios have been moved from one LRU to the other. */
TRACE_EVENT(lru_gen_switch,

	TP_PROTO(bool on, unsigned long nr_pages, unsigned int ms),

	TP_ARGS(on, nr_pages, ms),

	TP_STRUCT__entry(
		__field(bool, on)
		__field(unsigned long, nr_pages)
		__field(unsigned int, ms)
	),

	TP_fast_assign(
		__entry->on = on;
		__entry->nr_pages = nr_pages;
		__entry->ms = ms;
	),

	TP_printk("on=%d pages=%lu ms=%u", __entry->on, __entry->nr_pages,
		  __entry->ms)
);

#endif /* _TRACE_LRU_GEN_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
