// SPDX-License-Identifier: GPL-2.0
/*
 * Ours: lists by generation, tier and type as the kernel has them, and every decision by
 * the kernel's own mm/lru_gen/policy.c and ages.c.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../../mm/lru_gen/policy.h"
#include "sim.h"

/* Folios from one list before the lists are compared again. */
#define CHUNK		32

/* Pages that a merge may move for each page evicted. */
#define MERGE_RATE	4

int sim_swappiness = 60;

static struct {
	struct lru_gen_policy p;
	struct list lists[MAX_NR_GENS][MAX_NR_TIERS][LRU_GEN_NR_TYPES];
} e;

static struct list *list_at(const struct lru_gen_place *at)
{
	return &e.lists[at->gen][at->tier][at->type];
}

/* What the kernel would keep in 5 bits of folio->flags, and the type. */
static struct lru_gen_place place_of(const struct page *page)
{
	return (struct lru_gen_place){
		.gen = (unsigned int)page->list / MAX_NR_TIERS,
		.tier = (unsigned int)page->list % MAX_NR_TIERS,
		.type = (unsigned int)page_type(page),
	};
}

static int number_of(const struct lru_gen_place *at)
{
	return (int)(at->gen * MAX_NR_TIERS + at->tier);
}

static void put(struct machine *m, int p, unsigned int tier)
{
	struct lru_gen_place at = {
		.gen = e.p.ages.order[0], .tier = tier,
		.type = (unsigned int)page_type(&m->pages[p]),
	};

	m->pages[p].list = number_of(&at);
	lru_gen_heap_add(&e.p.ages, &at, e.p.ages.clock, 1);
	list_add(m, list_at(&at), p);
}

static void take(struct machine *m, int p)
{
	struct lru_gen_place at = place_of(&m->pages[p]);

	list_del(m, list_at(&at), p);
	lru_gen_heap_del(&e.p.ages, &at, 1);
}

static bool was_used(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	bool marked = page->refs;

	m->count.scanned++;
	page->refs = 0;
	if (page->kind == READ)
		return marked;
	/* The accessed bit of the fault is still set, and says nothing. */
	if (place_of(page).tier == LRU_GEN_NEW && !page->referenced)
		return false;
	return page_look(m, p) || marked;
}

/* A page has been found used: to the youngest generation, and up. */
static void spare(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	unsigned int tier = place_of(page).tier;

	if (page->kind == READ || page->referenced)
		tier = lru_gen_tier_above(tier);
	page->referenced = true;
	take(m, p);
	put(m, p, tier);
}

static void ours_start(struct machine *m)
{
	unsigned int g, k, t;

	memset(&e, 0, sizeof(e));
	lru_gen_policy_init(&e.p);
	lru_gen_policy_ask(&e.p, sim_swappiness, (unsigned long)m->frames);
	for (g = 0; g < MAX_NR_GENS; g++)
		for (k = 0; k < MAX_NR_TIERS; k++)
			for (t = 0; t < LRU_GEN_NR_TYPES; t++)
				list_init(&e.lists[g][k][t]);
}

/* Returns the tier that a page comes back to. */
static unsigned int readmit(const struct page *page)
{
	struct lru_gen_place from = { .tier = page->seq, .type = (unsigned int)page_type(page) };
	u32 away = e.p.ages.clock - page->clock, interval;

	if (lru_gen_is_soon(&e.p, away))
		lru_gen_note_soon(&e.p, &from, 1);
	interval = lru_gen_between_uses(&e.p, &from, away);
	from.tier = from.tier > LRU_GEN_KEPT ? from.tier : LRU_GEN_KEPT;
	return lru_gen_admits(&e.p, &from, interval) ? from.tier : LRU_GEN_NEW;
}

static void ours_enter(struct machine *m, int p, bool refault)
{
	struct page *page = &m->pages[p];

	e.p.ages.clock++;
	page->referenced = page->kind == READ;
	page->refs = 0;
	put(m, p, refault ? readmit(page) : LRU_GEN_NEW);
}

static void ours_hit(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	struct lru_gen_place at = place_of(page);

	uint8_t mark = (uint8_t)(1 + e.p.nr_intervals % 3);

	if (page->refs == mark)
		return;
	page->refs = mark;
	lru_gen_note_used(&e.p, &at, 1);
}

static void walk(struct machine *m)
{
	int p;

	m->count.walks++;
	for (p = 0; p < m->nr_pages; p++) {
		struct page *page = &m->pages[p];
		struct lru_gen_place at = place_of(page);

		if (!page->resident || page->kind == READ)
			continue;
		m->count.walked++;
		if (!page->accessed)
			continue;
		page->accessed = false;
		if (!page->referenced) {
			page->referenced = true;
			continue;
		}
		lru_gen_note_used(&e.p, &at, 1);
		spare(m, p);
	}
}

/* NEW has its share. What is older is OLD: as of now if it has been used. */
static void trim_new(struct machine *m, unsigned long goal)
{
	while (lru_gen_nr_of(&e.p.ages, LRU_GEN_NEW) > goal) {
		struct lru_gen_place anon = { .tier = LRU_GEN_NEW, .type = LRU_GEN_ANON };
		struct lru_gen_place file = { .tier = LRU_GEN_NEW, .type = LRU_GEN_FILE };
		bool has_anon = lru_gen_tail(&e.p.ages, &anon);
		bool has_file = lru_gen_tail(&e.p.ages, &file);
		struct lru_gen_place at = file;
		u32 age;
		int p;

		if (!has_file || (has_anon && lru_gen_tail_age(&e.p.ages, &anon) >
				  lru_gen_tail_age(&e.p.ages, &file)))
			at = anon;
		p = list_at(&at)->tail;
		age = lru_gen_tail_age(&e.p.ages, &at);
		if (m->pages[p].refs) {
			m->pages[p].refs = 0;
			take(m, p);
			put(m, p, lru_gen_tier_above(LRU_GEN_NEW));
			continue;
		}
		take(m, p);
		at.tier = LRU_GEN_OLD;
		m->pages[p].list = number_of(&at);
		lru_gen_heap_add(&e.p.ages, &at, e.p.ages.clock - age, 1);
		list_add(m, list_at(&at), p);
	}
}

/* From the end that is nearer to where it goes, so that lists stay in order. */
static void merge_one(struct machine *m, const struct lru_gen_place *from)
{
	const struct lru_gen_merger *merger = &e.p.ages.merger;
	struct lru_gen_place to = { .gen = merger->to, .tier = from->tier, .type = from->type };
	int p = merger->older ? list_at(from)->head : list_at(from)->tail;

	list_del(m, list_at(from), p);
	lru_gen_heap_merge(&e.p.ages, from, 1);
	m->pages[p].list = number_of(&to);
	if (merger->older)
		list_add_tail(m, list_at(&to), p);
	else
		list_add(m, list_at(&to), p);
	m->count.moved++;
}

/* A generation gives its pages to another, as many at a time as the caller has patience. */
static void merge(struct machine *m, long most)
{
	struct lru_gen_place at;

	if (!lru_gen_merge_start(&e.p.ages))
		return;
	at.gen = e.p.ages.merger.from;
	for (at.type = 0; at.type < LRU_GEN_NR_TYPES; at.type++)
		for (at.tier = 0; at.tier < MAX_NR_TIERS; at.tier++)
			for (; list_at(&at)->nr; most--) {
				if (!most)
					return;
				merge_one(m, &at);
			}
	lru_gen_merge_end(&e.p.ages);
}

static void evict_page(struct machine *m, int p)
{
	struct page *page = &m->pages[p];
	struct lru_gen_place at = place_of(page);

	lru_gen_note_gone(&e.p, &at, lru_gen_expected(&e.p, &at), 1);
	page->seq = at.tier;
	page->clock = e.p.ages.clock;
	take(m, p);
	page_evict(m, p);
}

/* A page of NEW that was used: OLD if that is worth more than the least of what is. */
static void reuse_new(struct machine *m, int p)
{
	struct lru_gen_place at = place_of(&m->pages[p]);
	u32 interval = lru_gen_tail_age(&e.p.ages, &at);

	take(m, p);
	at.tier = lru_gen_tier_above(LRU_GEN_NEW);
	put(m, p, lru_gen_admits(&e.p, &at, interval) ? at.tier : LRU_GEN_NEW);
}

static long evict_from(struct machine *m, const struct lru_gen_place *at, long want)
{
	struct list *list = list_at(at);
	long freed = 0;
	int n;

	for (n = 0; n < CHUNK && freed < want && list->nr; n++) {
		int p = list->tail;

		if (!was_used(m, p)) {
			evict_page(m, p);
			freed++;
		} else if (at->tier == LRU_GEN_NEW) {
			reuse_new(m, p);
		} else {
			if (m->pages[p].kind != READ && m->pages[p].referenced)
				lru_gen_note_used(&e.p, at, 1);
			spare(m, p);
		}
	}
	return freed;
}

static void ours_evict(struct machine *m, long want)
{
	bool anon = sim_swappiness > 0 && m->resident[0];
	const struct lru_gen_may may = {
		.tiers = { anon ? ~0u : 0, sim_swappiness < 200 || !anon ? ~0u : 0 },
	};
	struct lru_gen_place at;

	lru_gen_policy_ask(&e.p, sim_swappiness, (unsigned long)m->used);
	lru_gen_expect_uses(&e.p);
	if (lru_gen_interval_over(&e.p)) {
		walk(m);
		merge(m, INT32_MAX);
		lru_gen_end_interval(&e.p);
		lru_gen_ages_open(&e.p.ages);
		m->count.decays++;
	}
	merge(m, want * MERGE_RATE);
	trim_new(m, lru_gen_new_share(&e.p) + (unsigned long)want);
	while (want > 0 && lru_gen_choose(&e.p, &may, &at)) {
		if (at.tier != LRU_GEN_NEW)
			trim_new(m, lru_gen_new_share(&e.p));
		want -= evict_from(m, &at, want);
	}
}

static long ours_batch(const struct machine *m)
{
	(void)m;
	return (long)lru_gen_batch(&e.p);
}

static void ours_leave(struct machine *m, int p)
{
	take(m, p);
}

/* In vain it was swapped, had it been kept until now. */
static void ours_freed(struct machine *m, int p)
{
	const struct page *page = &m->pages[p];
	struct lru_gen_place from = { .tier = page->seq, .type = (unsigned int)page_type(page) };

	if (lru_gen_is_soon(&e.p, e.p.ages.clock - page->clock))
		lru_gen_note_soon(&e.p, &from, 1);
}

const struct policy policy_ours = {
	.name = "ours", .start = ours_start, .enter = ours_enter, .hit = ours_hit,
	.evict = ours_evict, .leave = ours_leave, .freed = ours_freed, .batch = ours_batch,
};
