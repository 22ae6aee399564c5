/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A memcg in miniature: pages, streams of accesses, a clock, and a policy that
 * is told only what the kernel could know. See README in this directory.
 */
#ifndef LRU_GEN_SIM_H
#define LRU_GEN_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum kind { ANON, MMAP, READ };		/* how a stream uses its pages */

/**
 * struct page - one page, resident or not
 * @prev: towards the head of the list it is on, or -1
 * @next: towards the tail, or -1
 * @list: the list it is on; the policy's own numbering
 * @seq: generation when resident, generation at eviction when not
 * @clock: eviction clock at eviction, as the shadow keeps it
 * @kind: of the stream it belongs to
 * @refs: accesses by file descriptor beyond the first, saturating
 * @resident: whether it is in memory
 * @accessed: the bit in the page table
 * @referenced: PG_referenced
 * @known: whether it has been in memory before
 */
struct page {
	int prev, next, list;
	uint32_t seq, clock;
	uint8_t kind, refs;
	bool resident, accessed, referenced, known;
};

struct list {
	int head, tail;
	long nr;
};

/* What a machine counts during a run. */
struct count {
	long misses, refaults[2], evicted[2], scanned, looks, walked, walks, decays, moved;
};

struct machine;

/**
 * struct policy - what decides who goes
 * @name: for the table
 * @sees_all: @hit is called for accesses through page tables too, as no
 *	kernel could
 * @start: a new run begins
 * @enter: a page was brought in; @refault: it has been in memory before
 * @hit: a resident page was accessed
 * @evict: free at least @want pages by page_evict()
 * @leave: a resident page is freed by its program
 * @freed: a page that was evicted is freed by its program; NULL: it does not matter
 * @batch: pages to free when memory is full; NULL: 32
 */
struct policy {
	const char *name;
	bool sees_all;
	void (*start)(struct machine *m);
	void (*enter)(struct machine *m, int p, bool refault);
	void (*hit)(struct machine *m, int p);
	void (*evict)(struct machine *m, long want);
	void (*leave)(struct machine *m, int p);
	void (*freed)(struct machine *m, int p);
	long (*batch)(const struct machine *m);
};

enum pattern { UNIFORM, ZIPF, SEQUENTIAL, HOT, PHASES, SHIFT, JOB };

/**
 * struct spec - one stream of a case, as written in the table of cases
 * @kind: how it accesses
 * @pattern: what it accesses
 * @a: exponent of ZIPF and SHIFT, hot share of HOT in percent, number of PHASES
 * @b: share of accesses to the hot pages of HOT in percent
 * @pages: how many pages it has
 * @ops: accesses in all; 0: as long as the last stream of the case runs
 * @rate: accesses a second; 0: as fast as it goes
 * @start: seconds after which it begins
 *
 * A job is two streams in turn, of ANON and of a file. In each round, the first fills
 * new pages, uses them evenly and frees them, the second does its accesses. The next
 * round begins when both are through. The first has its rounds in @a, the second the
 * exponent of its ZIPF, and each the accesses of a round in @b.
 */
struct spec {
	enum kind kind;
	enum pattern pattern;
	double a, b;
	long pages, ops, rate;
	double start;
};

#define MAX_STREAMS 4

enum group { TARGET, TUNING, UNSEEN, NR_GROUPS };

/**
 * struct testcase - programs in a memcg
 * @name: for the table
 * @group: see cases.c
 * @frames: pages it may have
 * @limit: refaults of ours beyond which the check fails; 0: not checked
 * @streams: the programs; the run ends with the last one
 */
struct testcase {
	const char *name;
	enum group group;
	long frames, limit;
	struct spec streams[MAX_STREAMS];
};

struct stream {
	struct spec spec;
	uint64_t rng;
	int base;			/* its first page */
	int *scatter;			/* rank to page */
	long filled, done;
	long rounds_done;
	bool waits;			/* for the other half of its job */
	double now, norm;		/* microseconds; constant of the zipf */
};

struct machine {
	const struct policy *policy;
	struct page *pages;
	int nr_pages;
	long frames, used, resident[2];
	struct stream streams[MAX_STREAMS];
	int nr_streams;
	struct count count;
	bool traced;
	uint32_t *trace;		/* pages in order of access, if traced */
	long trace_nr, trace_max;
};

static inline int page_type(const struct page *p)
{
	return p->kind != ANON;
}

/**
 * struct trace - accesses that somebody has recorded
 * @name: of the file, without folder and ending
 * @nr: how many
 * @nr_pages: different pages
 * @pages: what is accessed, in order; numbers from 0 on
 */
struct trace {
	char name[64];
	long nr;
	int nr_pages;
	uint32_t *pages;
};

/* machine.c */
void machine_run(struct machine *m, const struct testcase *c,
		 const struct policy *policy, uint64_t seed);
void machine_replay(struct machine *m, const struct trace *t, enum kind use, long frames,
		    const struct policy *policy);
void machine_free(struct machine *m);
bool page_look(struct machine *m, int p);
void page_evict(struct machine *m, int p);

/* stream.c */
void stream_init(struct stream *s, const struct spec *spec, uint64_t seed);
long stream_next(struct stream *s);

/* trace.c */
bool trace_read(struct trace *t, const char *path);
void trace_free(struct trace *t);

/* lists.c */
void list_init(struct list *l);
void list_add(struct machine *m, struct list *l, int p);
void list_add_tail(struct machine *m, struct list *l, int p);
void list_del(struct machine *m, struct list *l, int p);

/* the policies */
extern const struct policy policy_ours, policy_lru, policy_lfu;
struct count opt_run(const struct machine *traced);

/* cases.c */
extern const struct testcase cases[];
extern const int nr_cases;

/* settings of ours, from the command line */
extern int sim_swappiness;

#endif
