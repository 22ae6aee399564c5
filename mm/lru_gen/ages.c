// SPDX-License-Identifier: GPL-2.0
/*
 * How long the folios of each list have been idle, and which generations there are.
 */
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/types.h>

#include "ages.h"

/**
 * DOC: ages
 *
 * A list knows when the pages at its two ends were last known to be used, and how many have
 * gone since it knew; between them it interpolates. Its generation bounds the error.
 *
 * There are slots for few generations, and one that is opened needs a free one. So the
 * two oldest become one, which holds all that is older: an age there may be known badly,
 * since the law asks for its proportion. A merger is a matter of batches, and lists stay in
 * order all the while.
 */

static struct lru_gen_heap *heap_at(struct lru_gen_ages *a, const struct lru_gen_place *at)
{
	return &a->heap[at->gen][at->tier][at->type];
}

/* When the page at the tail was last known to be used: between both ends, by what has gone. */
static u32 tail_used(const struct lru_gen_heap *h)
{
	u64 span = h->newest - h->oldest;

	if (!h->filled || h->nr > h->filled)
		return h->newest;
	return h->oldest + (u32)div64_u64(span * (h->filled - h->nr), h->filled);
}

/**
 * lru_gen_mean_age() - how long the folios of a list have been idle, on average
 * @a: the ages
 * @h: the list
 *
 * Return: pages that came in since.
 */
u32 lru_gen_mean_age(const struct lru_gen_ages *a, const struct lru_gen_heap *h)
{
	return a->clock - h->newest + (h->newest - tail_used(h)) / 2;
}

/**
 * lru_gen_mean_age_of() - how long the folios of a tier and type have been idle, on average
 * @a: the ages
 * @tier: the tier
 * @type: the type
 *
 * Return: pages that came in since; 0 if there are no folios.
 */
u32 lru_gen_mean_age_of(const struct lru_gen_ages *a, unsigned int tier, unsigned int type)
{
	u64 nr = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < a->nr_gens; i++) {
		const struct lru_gen_heap *h = &a->heap[a->order[i]][tier][type];

		nr += h->nr;
		sum += h->nr * (u64)lru_gen_mean_age(a, h);
	}
	return nr ? (u32)div64_u64(sum, nr) : 0;
}

/**
 * lru_gen_nr_of() - how many pages a tier has
 * @a: the ages
 * @tier: the tier
 *
 * Return: pages.
 */
unsigned long lru_gen_nr_of(const struct lru_gen_ages *a, unsigned int tier)
{
	return (unsigned long)a->nr[tier][LRU_GEN_ANON] + a->nr[tier][LRU_GEN_FILE];
}

/**
 * lru_gen_tail_age() - how long the folio at the tail of a list has been idle
 * @a: the ages
 * @at: a list
 *
 * Return: pages that came in since.
 */
u32 lru_gen_tail_age(const struct lru_gen_ages *a, const struct lru_gen_place *at)
{
	return a->clock - tail_used(&a->heap[at->gen][at->tier][at->type]);
}

/**
 * lru_gen_tail_beyond() - find the oldest list of a tier and type that has more to be met
 * @a: the ages
 * @at: tier and type; the generation is filled in
 * @met: pages that are still there and have been met, from the oldest list on
 *
 * Return: whether there is one.
 */
bool lru_gen_tail_beyond(const struct lru_gen_ages *a, struct lru_gen_place *at,
			 unsigned long met)
{
	unsigned int i = a->nr_gens;

	if (a->nr[at->tier][at->type] <= met)
		return false;
	while (i--) {
		unsigned int nr = a->heap[a->order[i]][at->tier][at->type].nr;

		at->gen = a->order[i];
		if (nr > met)
			return true;
		met -= nr;
	}
	return false;
}

/**
 * lru_gen_tail() - find the oldest generation that has folios of a tier and type
 * @a: the ages
 * @at: tier and type; the generation is filled in
 *
 * Return: whether there is one.
 */
bool lru_gen_tail(const struct lru_gen_ages *a, struct lru_gen_place *at)
{
	return lru_gen_tail_beyond(a, at, 0);
}

/**
 * lru_gen_index_of() - how many generations are younger than that of a slot
 * @a: the ages
 * @gen: the slot
 *
 * Return: how many; if there is none in the slot, the number of the oldest.
 */
unsigned int lru_gen_index_of(const struct lru_gen_ages *a, unsigned int gen)
{
	unsigned int i = 0;

	while (i + 1 < a->nr_gens && a->order[i] != gen)
		i++;
	return i;
}

/**
 * lru_gen_last_use_in() - the last time that folios of a generation may have been used at
 * @a: the ages
 * @index: how many generations are younger
 *
 * Return: the clock then.
 */
u32 lru_gen_last_use_in(const struct lru_gen_ages *a, unsigned int index)
{
	return index ? a->birth[a->order[index - 1]] : a->clock;
}

static void grow(struct lru_gen_ages *a, const struct lru_gen_place *at, unsigned int nr)
{
	struct lru_gen_heap *h = heap_at(a, at);

	WRITE_ONCE(h->nr, h->nr + nr);
	h->filled += nr;
	a->nr[at->tier][at->type] += nr;
}

/**
 * lru_gen_heap_add() - pages have come to the head of a list
 * @a: the ages
 * @at: the list
 * @used: the clock when they were last known to be used
 * @nr: how many
 */
void lru_gen_heap_add(struct lru_gen_ages *a, const struct lru_gen_place *at, u32 used,
		      unsigned int nr)
{
	struct lru_gen_heap *h = heap_at(a, at);

	if (!h->nr) {
		h->oldest = used;
		h->newest = used;
		h->filled = 0;
	} else if ((int)(used - h->newest) > 0) {
		h->newest = used;
	}
	grow(a, at, nr);
}

/**
 * lru_gen_heap_add_tail() - pages have come to the tail of a list
 * @a: the ages
 * @at: the list
 * @nr: how many
 */
void lru_gen_heap_add_tail(struct lru_gen_ages *a, const struct lru_gen_place *at,
			   unsigned int nr)
{
	struct lru_gen_heap *h = heap_at(a, at);

	if (h->nr)
		grow(a, at, nr);
	else
		lru_gen_heap_add(a, at, lru_gen_last_use_in(a, lru_gen_index_of(a, at->gen)), nr);
}

/**
 * lru_gen_heap_del() - pages have left a list, from wherever they were
 * @a: the ages
 * @at: the list
 * @nr: how many
 */
void lru_gen_heap_del(struct lru_gen_ages *a, const struct lru_gen_place *at,
		      unsigned int nr)
{
	struct lru_gen_heap *h = heap_at(a, at);

	WRITE_ONCE(h->nr, h->nr - nr);
	a->nr[at->tier][at->type] -= nr;
}

/**
 * lru_gen_heap_merge() - pages have moved as the merger wants it
 * @a: the ages
 * @from: the list that they were on
 * @nr: how many
 */
void lru_gen_heap_merge(struct lru_gen_ages *a, const struct lru_gen_place *from,
			unsigned int nr)
{
	struct lru_gen_place to = *from;

	to.gen = a->merger.to;
	lru_gen_heap_del(a, from, nr);
	grow(a, &to, nr);
}

static unsigned long size_of(const struct lru_gen_ages *a, unsigned int gen)
{
	unsigned long nr = 0;
	unsigned int tier, type;

	for (tier = 0; tier < MAX_NR_TIERS; tier++)
		for (type = 0; type < LRU_GEN_NR_TYPES; type++)
			nr += a->heap[gen][tier][type].nr;
	return nr;
}

/* The pages of @from are about to join those of @to, which must know how far both reach. */
static void join(struct lru_gen_heap *to, const struct lru_gen_heap *from, bool older)
{
	if (!from->nr)
		return;
	if (!older || !to->nr) {
		to->oldest = tail_used(to->nr ? to : from);
		to->newest = from->newest;
	} else {
		to->oldest = tail_used(from);
	}
	to->filled = to->nr;
}

/**
 * lru_gen_merge_start() - see to it that a generation can be opened
 * @a: the ages
 *
 * Of the two oldest, the smaller gives its folios to the larger: each folio moves only when
 * the company it is in at least doubles.
 *
 * Return: whether there are folios to be moved.
 */
bool lru_gen_merge_start(struct lru_gen_ages *a)
{
	struct lru_gen_merger *m = &a->merger;
	unsigned int last = a->nr_gens - 1U, tier, type;

	if (m->active || a->nr_gens < MAX_NR_GENS)
		return m->active;
	m->active = true;
	m->older = size_of(a, a->order[last - 1]) > size_of(a, a->order[last]);
	m->from = a->order[last - !m->older];
	m->to = a->order[last - m->older];
	a->birth[m->to] = a->birth[a->order[last]];
	for (tier = 0; tier < MAX_NR_TIERS; tier++)
		for (type = 0; type < LRU_GEN_NR_TYPES; type++)
			join(&a->heap[m->to][tier][type], &a->heap[m->from][tier][type], m->older);
	return true;
}

/**
 * lru_gen_merge_end() - the generation that gave its folios has none left
 * @a: the ages
 */
void lru_gen_merge_end(struct lru_gen_ages *a)
{
	unsigned int i, kept = 0;

	for (i = 0; i < a->nr_gens; i++)
		if (a->order[i] != a->merger.from)
			a->order[kept++] = a->order[i];
	WRITE_ONCE(a->nr_gens, (u8)kept);
	a->merger.active = false;
}

/**
 * lru_gen_ages_open() - open a generation, which becomes the youngest
 * @a: the ages; there is a free slot
 */
void lru_gen_ages_open(struct lru_gen_ages *a)
{
	unsigned int i, used = 0;
	u8 slot = 0;

	for (i = a->nr_gens; i > 0; i--) {
		a->order[i] = a->order[i - 1];
		used |= 1U << a->order[i];
	}
	while (used & 1U << slot)
		slot++;
	a->order[0] = slot;
	a->birth[slot] = a->clock;
	WRITE_ONCE(a->nr_gens, a->nr_gens + 1);
}

/**
 * lru_gen_ages_close() - drop the oldest generation if it is empty
 * @a: the ages
 *
 * MIN_NR_GENS stay, and so do all while there is a merger.
 *
 * Return: whether it was dropped.
 */
bool lru_gen_ages_close(struct lru_gen_ages *a)
{
	if (a->merger.active || a->nr_gens <= MIN_NR_GENS ||
	    size_of(a, a->order[a->nr_gens - 1]))
		return false;
	WRITE_ONCE(a->nr_gens, a->nr_gens - 1);
	return true;
}
