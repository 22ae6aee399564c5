// SPDX-License-Identifier: GPL-2.0
/*
 * Our engine: lists by generation and type as the kernel has them, and every
 * decision by the kernel's own mm/lru_gen/tier.c, swapped.c, balance.c and choose.c.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../../mm/lru_gen/tier.h"
#include "sim.h"

int sim_swappiness = 60;

#define TOP		(LRU_GEN_NR_CLASSES - 1)
#define BATCH		32

static struct {
	unsigned long max_seq, min_seq[2];
	struct list lists[MAX_NR_GENS][2];
	struct lru_gen_span spans[MAX_NR_GENS][2];
	struct lru_gen_feedback fb;
	struct lru_gen_seen seen;	/* since the last walk */
	unsigned long returned, away;	/* since anon was last evicted from */
} e;

static struct list *list_of(unsigned long seq, int type)
{
	return &e.lists[seq % MAX_NR_GENS][type];
}

static struct lru_gen_span *span_of(unsigned long seq, int type)
{
	return &e.spans[seq % MAX_NR_GENS][type];
}

static unsigned long base(void)
{
	return e.max_seq - TOP;
}

static unsigned int class_of(unsigned long seq)
{
	return seq > base() ? (unsigned int)(seq - base()) : 0;
}

static void put(struct machine *m, int p, unsigned int class)
{
	struct page *page = &m->pages[p];
	int type = page_type(page);
	unsigned long seq = base() + class;

	page->seq = (uint32_t)seq;
	lru_gen_span_enter(span_of(seq, type), e.fb.clock, !list_of(seq, type)->nr);
	list_add(m, list_of(seq, type), p);
}

static void take(struct machine *m, int p)
{
	struct page *page = &m->pages[p];

	list_del(m, list_of(page->seq, page_type(page)), p);
}

static void raise_by(struct machine *m, int p, unsigned int n)
{
	unsigned int class = class_of(m->pages[p].seq) + n;

	take(m, p);
	put(m, p, class < TOP ? class : TOP);
}

static void advance_min(int type)
{
	while (e.min_seq[type] < base() && !list_of(e.min_seq[type], type)->nr)
		e.min_seq[type]++;
}

static void engine_start(struct machine *m)
{
	int g, t;

	(void)m;
	memset(&e, 0, sizeof(e));
	e.max_seq = MAX_NR_GENS;
	for (t = 0; t < 2; t++) {
		e.min_seq[t] = base();
		for (g = 0; g < (int)MAX_NR_GENS; g++)
			list_init(&e.lists[g][t]);
	}
}

/* The bits a shadow has room for. */
#define SHADOW_SEQ_MASK		0xfffu
#define SHADOW_CLOCK_MASK	0xfffffu
#define SHADOW_CLOCK_SHIFT	3

static uint32_t shadow_clock(void)
{
	return (uint32_t)(e.fb.clock >> SHADOW_CLOCK_SHIFT) & SHADOW_CLOCK_MASK;
}

static void note_returned(const struct machine *m, unsigned long distance)
{
	if (distance > (unsigned long)m->used)
		return;
	e.returned++;
	e.away += lru_gen_time_away(distance, (unsigned long)m->used);
}

static unsigned int refault(const struct machine *m, const struct page *page)
{
	unsigned long distance =
		((shadow_clock() - page->clock) & SHADOW_CLOCK_MASK) << SHADOW_CLOCK_SHIFT;
	unsigned long behind = (e.max_seq - page->seq) & SHADOW_SEQ_MASK;

	if (page->kind == ANON)
		note_returned(m, distance);
	if (lru_gen_is_soon(distance, (unsigned long)m->used))
		lru_gen_note_soon(&e.fb, (enum lru_gen_type)page_type(page), 1);
	if (lru_gen_refault_is_near(&e.fb, distance))
		lru_gen_note_near(&e.fb, 1);
	return lru_gen_refault_class(e.max_seq, e.max_seq - behind);
}

static void engine_enter(struct machine *m, int p, bool known)
{
	unsigned int class = known ? refault(m, &m->pages[p]) : 0;

	m->pages[p].referenced = m->pages[p].kind == READ;
	put(m, p, class);
}

/* Another read(): the page remembers in which interval between walks. */
static void engine_hit(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	unsigned int now = 1 + (unsigned int)(e.fb.nr_walks % 3);

	if (page->refs == now)
		return;
	page->refs = (uint8_t)now;
	e.seen.young[page_type(page)][class_of(page->seq)]++;
}

static void sizes(const bool may[2], unsigned long nr[2][LRU_GEN_NR_CLASSES])
{
	unsigned long seq;
	int t;

	memset(nr, 0, sizeof(*nr) * 2);
	for (t = 0; t < 2; t++)
		for (seq = e.min_seq[t]; may[t] && seq <= e.max_seq; seq++)
			nr[t][class_of(seq)] += (unsigned long)list_of(seq, t)->nr;
}

/* What a page-table walk does with the pages it finds used. */
static void walk(struct machine *m)
{
	static const bool all[2] = { true, true };
	int p;

	sizes(all, e.seen.nr);
	for (p = 0; p < m->nr_pages; p++) {
		struct page *page = &m->pages[p];
		unsigned int class = class_of(page->seq);

		if (!page->resident || page->kind == READ)
			continue;
		m->count.walked++;
		if (!page->accessed)
			continue;
		page->accessed = false;
		if (!page->referenced) {
			page->referenced = true;
			e.seen.fresh[page_type(page)][class]++;
			continue;
		}
		e.seen.young[page_type(page)][class]++;
		if (class < TOP)
			raise_by(m, p, 1);
	}
	m->count.walks++;
	lru_gen_note_walk(&e.fb, &e.seen);
	memset(&e.seen, 0, sizeof(e.seen));
}

static bool window_has_room(void)
{
	return e.max_seq - e.min_seq[0] + 1 < MAX_NR_GENS &&
	       e.max_seq - e.min_seq[1] + 1 < MAX_NR_GENS;
}

static void decay(struct machine *m)
{
	e.max_seq++;
	lru_gen_note_open(&e.fb);
	m->count.decays++;
	advance_min(0);
	advance_min(1);
}

/*
 * The list of a type to take a class from. The bottom has several, once there
 * were decays; there it is the one whose tail has been there longest, of two the older.
 */
static unsigned long tail_list(unsigned int class, int type)
{
	unsigned long seq, best = base() + class, age, longest = 0;
	bool found = false;

	for (seq = e.min_seq[type]; !class && seq <= base(); seq++) {
		if (!list_of(seq, type)->nr)
			continue;
		age = e.fb.clock - span_of(seq, type)->oldest;
		if (found && age <= longest)
			continue;
		found = true;
		best = seq;
		longest = age;
	}
	return best;
}

/* One that rmap is not asked for: @unasked, or of a file, and no walk has found it yet. */
static bool goes_unseen(const struct page *page, bool unasked)
{
	return page->kind != READ && (unasked || (page->kind == MMAP && !page->referenced));
}

/* Whether eviction lets a page pass, which it then has moved up. */
static bool spared(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	bool read = page->refs;

	if (page->kind == READ) {
		page->refs = 0;
		if (read)
			raise_by(m, p, 1);
		return read;
	}
	if (!page_look(m, p))
		return false;
	raise_by(m, p, page->referenced);
	page->referenced = true;
	return true;
}

static void note_swapped(const struct machine *m, long freed)
{
	lru_gen_note_returned(&e.fb, e.returned, e.away);
	e.returned = 0;
	e.away = 0;
	lru_gen_note_swapped(&e.fb, (unsigned long)freed, (unsigned long)m->used);
}

static long evict_batch(struct machine *m, const struct lru_gen_victim *v)
{
	int type = (int)v->type;
	unsigned long seq = tail_list(v->class, type);
	struct list *list = list_of(seq, type);
	unsigned int looked = 0, found = 0, read = 0;
	long unasked = (long)lru_gen_nr_unasked(&e.fb, v->type, (unsigned long)m->used);
	long n = 0, freed = 0, taken = 0;

	while (list->nr && n++ < BATCH) {
		int p = list->tail;
		bool asked = !goes_unseen(&m->pages[p], taken < unasked);

		taken += !m->pages[p].refs;

		m->count.scanned++;
		lru_gen_span_drain(span_of(seq, type), 1, (unsigned long)list->nr);
		looked += asked;
		if (asked && spared(m, p)) {
			found++;
			read += m->pages[p].kind == READ;
			continue;
		}
		take(m, p);
		m->pages[p].clock = shadow_clock();
		page_evict(m, p);
		freed++;
	}
	lru_gen_note_evicted(&e.fb, (unsigned long)freed);
	if (v->type == LRU_GEN_ANON)
		note_swapped(m, freed);
	lru_gen_note_gone(&e.fb, v->type, (unsigned long)freed);
	lru_gen_correct(&e.fb, sim_swappiness, (unsigned long)m->used);
	lru_gen_note_looked(&e.fb, v, looked, found);
	lru_gen_note_spared(&e.fb, v, found - read, (unsigned int)freed);
	lru_gen_note_yield(&e.fb, v, looked, (unsigned long)freed);
	advance_min(type);
	return freed;
}

/* How long the oldest page of a class has been there. */
static unsigned long age_of(unsigned int class, int type)
{
	return e.fb.clock - span_of(tail_list(class, type), type)->oldest;
}

/* Which types may go at all: swappiness is absolute at its two ends. */
static long evict_once(struct machine *m, bool anon, bool file)
{
	struct lru_gen_lists l = {
		.nr_pages = (unsigned long)m->used,
		.swappiness = sim_swappiness,
	};
	const bool may[2] = { anon, file };
	struct lru_gen_victim v;
	unsigned int class;
	int t;

	sizes(may, l.nr);
	for (t = 0; t < 2; t++)
		for (class = 0; class <= TOP; class++)
			l.age[t][class] = age_of(class, t);
	lru_gen_choose_victim(&e.fb, &l, &v);
	return evict_batch(m, &v);
}

static void engine_evict(struct machine *m, long want)
{
	while (want > 0) {
		bool anon = sim_swappiness > 0 && m->resident[0];
		bool file = m->resident[1] && !(sim_swappiness == 200 && anon);

		if (!anon && !file)
			return;
		if (lru_gen_walk_due(&e.fb, (unsigned long)m->used))
			walk(m);
		if (window_has_room() && lru_gen_decay_due(&e.fb))
			decay(m);
		want -= evict_once(m, anon, file);
	}
}

static void engine_leave(struct machine *m, int p)
{
	take(m, p);
	advance_min(page_type(&m->pages[p]));
}

const struct policy policy_ours = {
	.name = "ours", .start = engine_start, .enter = engine_enter,
	.hit = engine_hit, .evict = engine_evict, .leave = engine_leave,
};
