// SPDX-License-Identifier: GPL-2.0
/*
 * A memcg at its limit and the programs in it, on one clock. Streams run in the
 * order of their clocks, which misses push forward: whoever misses less gets
 * more done in the same time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* Microseconds, about what guests measure. */
#define COST_HIT_MAPPED		1.0
#define COST_HIT_READ		8.0
#define COST_FILE_IN		30.0
#define COST_SWAP_IN		35.0
#define COST_SWAP_OUT		25.0
#define COST_ZERO_FILL		6.0

/* A stream with a rate runs in bursts, this many a second. */
#define BURSTS			50
#define BURST_PERIOD		20150.0

/* Pages freed when a charge hits the limit. */
#define BATCH			32

/* Test and clear the accessed bit through the reverse map. */
bool page_look(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	bool young = page->accessed;

	m->count.looks++;
	page->accessed = false;
	return young;
}

void page_evict(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	int type = page_type(page);

	page->resident = false;
	page->accessed = false;
	page->referenced = false;
	page->refs = 0;
	m->used--;
	m->resident[type]--;
	m->count.evicted[type]++;
}

static double make_room(struct machine *m)
{
	long before = m->count.evicted[0];

	if (m->used < m->frames)
		return 0;
	m->policy->evict(m, BATCH);
	if (m->used >= m->frames) {
		fprintf(stderr, "sim: out of memory: %s may evict nothing at swappiness %d\n",
			m->policy->name, sim_swappiness);
		exit(1);
	}
	return (double)(m->count.evicted[0] - before) * COST_SWAP_OUT;
}

static void note_hit(struct machine *m, struct page *page)
{
	if (page->kind != READ)
		page->accessed = true;
	if (m->policy->hit && (page->kind == READ || m->policy->sees_all))
		m->policy->hit(m, (int)(page - m->pages));
}

static double bring_in(struct machine *m, struct page *page)
{
	bool refault = page->known;
	double cost = make_room(m);

	page->known = true;
	page->resident = true;
	m->used++;
	m->resident[page_type(page)]++;
	if (refault)
		m->count.refaults[page_type(page)]++;
	m->policy->enter(m, (int)(page - m->pages), refault);
	page->accessed = page->kind != READ;
	if (page->kind == ANON)
		return cost + (refault ? COST_SWAP_IN : COST_ZERO_FILL);
	return cost + COST_FILE_IN;
}

static void note_access(struct machine *m, int p)
{
	if (m->trace_nr == m->trace_max) {
		m->trace_max = m->trace_max ? 2 * m->trace_max : 1 << 20;
		m->trace = realloc(m->trace, sizeof(*m->trace) * (size_t)m->trace_max);
		if (!m->trace) {
			fprintf(stderr, "sim: no memory for a trace of %ld accesses\n",
				m->trace_max);
			exit(1);
		}
	}
	m->trace[m->trace_nr++] = (uint32_t)p;
}

static double access_page(struct machine *m, int p)
{
	struct page *page = &m->pages[p];

	if (m->traced)
		note_access(m, p);
	if (!page->resident)
		return bring_in(m, page);
	note_hit(m, page);
	return page->kind == READ ? COST_HIT_READ : COST_HIT_MAPPED;
}

static void free_pages(struct machine *m, const struct stream *s)
{
	int p;

	for (p = s->base; p < s->base + s->spec.pages; p++) {
		struct page *page = &m->pages[p];

		if (!page->resident)
			continue;
		m->policy->leave(m, p);
		page->resident = false;
		m->used--;
		m->resident[page_type(page)]--;
	}
}

static bool round_over(const struct stream *s)
{
	return s->spec.pattern == JOB && s->filled == s->spec.pages &&
	       s->done == (s->rounds_done + 1) * (long)s->spec.b;
}

/* With new pages; the last round is not followed by one. */
static void begin_round(struct stream *anon, struct stream *file)
{
	anon->now = anon->now > file->now ? anon->now : file->now;
	file->now = anon->now;
	anon->rounds_done++;
	file->rounds_done++;
	if (anon->rounds_done == (long)anon->spec.a)
		return;
	anon->base += (int)anon->spec.pages;
	anon->filled = 0;
	anon->waits = false;
	file->waits = false;
}

static void end_round(struct machine *m, struct stream *s)
{
	struct stream *anon = s->spec.kind == ANON ? s : s - 1;

	s->waits = true;
	if (s == anon)
		free_pages(m, anon);
	if (anon->waits && anon[1].waits)
		begin_round(anon, anon + 1);
}

static bool stream_over(const struct stream *s)
{
	return s->spec.ops && s->done >= s->spec.ops;
}

static void stream_step(struct machine *m, struct stream *s)
{
	long burst = s->spec.rate / BURSTS;

	if (round_over(s)) {
		end_round(m, s);
		return;
	}
	if (s->filled < s->spec.pages) {
		s->now += access_page(m, s->base + (int)s->filled++);
		return;
	}
	if (burst && s->done % burst == 0)
		s->now += BURST_PERIOD;
	s->now += access_page(m, s->base + (int)stream_next(s));
	s->done++;
}

static struct stream *earliest(struct machine *m)
{
	struct stream *first = NULL, *s;

	for (s = m->streams; s < m->streams + m->nr_streams; s++)
		if (!s->waits && (!first || s->now < first->now))
			first = s;
	return first;
}

/* The pages of a stream, in all rounds. */
static int pages_of(const struct spec *s)
{
	bool new_ones = s->kind == ANON && s->pattern == JOB;

	return (int)(new_ones ? s->pages * (long)s->a : s->pages);
}

static void set_up(struct machine *m, const struct testcase *c, uint64_t seed)
{
	int i, p;

	for (i = 0; i < MAX_STREAMS && c->streams[i].pages; i++) {
		struct stream *s = &m->streams[i];

		stream_init(s, &c->streams[i], seed * 1000003 + (uint64_t)i);
		s->base = m->nr_pages;
		m->nr_pages += pages_of(&c->streams[i]);
		m->nr_streams++;
	}
	m->frames = c->frames;
	m->pages = calloc((size_t)m->nr_pages, sizeof(*m->pages));
	for (i = 0; i < m->nr_streams; i++)
		for (p = 0; p < pages_of(&c->streams[i]); p++)
			m->pages[m->streams[i].base + p].kind = (uint8_t)c->streams[i].kind;
}

void machine_run(struct machine *m, const struct testcase *c,
		 const struct policy *policy, uint64_t seed)
{
	struct stream *last;

	m->policy = policy;
	set_up(m, c, seed);
	policy->start(m);
	last = &m->streams[m->nr_streams - 1];
	while (!stream_over(last))
		stream_step(m, earliest(m));
}

void machine_free(struct machine *m)
{
	int i;

	for (i = 0; i < m->nr_streams; i++)
		free(m->streams[i].scatter);
	free(m->pages);
	free(m->trace);
	memset(m, 0, sizeof(*m));
}
