// SPDX-License-Identifier: GPL-2.0
/*
 * Which list gives.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "tier.h"

/**
 * DOC: choice
 *
 * The bottom class is evicted first, so what is kept is what is used often, not
 * only what was used lately.
 *
 * Of two types in one class, the one whose next folio has been there longer gives.
 * A list remembers when the folios at its two ends came, and that is all that is
 * known of those between.
 *
 * Class and age are what a folio has earned. What a list is worth now is measured:
 * the share of its pages that is used from one walk to the next. Where some list
 * of the other type is clearly worth less than the one whose turn it is, that
 * gives instead, whatever its class. New anon pages, which no walk can tell much of yet,
 * are held to be worth what those were that have been evicted: see use_of().
 */

/* The bottom is passed over while it has less than this part of all pages... */
#define BOTTOM_PART		50

/* ... and nothing in it is older, in pages evicted, than this part of all pages. */
#define BOTTOM_AGE_PART		16

/* Ages that differ by less than this part of all pages are alike. */
#define ALIKE_PART		256

/* Pages that are taken to have been asked, and found idle, before any was. */
#define IDLE_PRIOR		128

/* Pages spared before others make up for it: a part of all pages, and a batch at least. */
#define ALLOWANCE_PART		64
#define BATCH			32UL

/* Worth less: used by this times less. */
#define IDLE_RATIO_NUM		3
#define IDLE_RATIO_DEN		2

/**
 * lru_gen_span_enter() - a folio has entered a list at its head
 * @span: of the list
 * @now: the time, in the unit of the list's span
 * @was_empty: whether the list had no folio before
 *
 * Context: lru_lock.
 */
void lru_gen_span_enter(struct lru_gen_span *span, unsigned long now, bool was_empty)
{
	span->newest = now;
	if (was_empty)
		WRITE_ONCE(span->oldest, now);
}

/**
 * lru_gen_span_drain() - pages are taken from the tail of a list
 * @span: of the list
 * @nr: pages taken
 * @nr_before: pages the list had before
 *
 * Ages are taken to be spread evenly, which holds best when time is counted in
 * evictions. What leaves from the middle changes nothing.
 *
 * Context: lru_lock.
 */
void lru_gen_span_drain(struct lru_gen_span *span, unsigned long nr, unsigned long nr_before)
{
	unsigned long length = span->newest - span->oldest;

	if (nr >= nr_before)
		WRITE_ONCE(span->oldest, span->newest);
	else
		WRITE_ONCE(span->oldest, span->oldest +
			   (unsigned long)div64_u64((u64)length * nr, nr_before));
}

/**
 * lru_gen_span_fold() - the folios of a list go to the tail of another
 * @to: of the list they go to
 * @from: of the list they come from
 * @was_empty: whether the list they go to had no folio before
 *
 * Context: lru_lock.
 */
void lru_gen_span_fold(struct lru_gen_span *to, const struct lru_gen_span *from,
		       bool was_empty)
{
	WRITE_ONCE(to->oldest, from->oldest);
	if (was_empty)
		to->newest = from->newest;
}

/**
 * lru_gen_victim_class() - the class to evict from
 * @fb: feedback of the lruvec
 * @nr: pages of each class, over the types that may be evicted
 * @age: pages evicted since the oldest folio of class 0 came there
 *
 * A bottom that is nearly empty is left to fill up: what has just come in
 * would otherwise go before it could be used again. That does not hold for what
 * has been there for long. And when there is something to forget and it has not
 * been done, then for lack of room, which only the bottom can give.
 *
 * Context: any.
 * Return: a class that is not empty, or 0 if all are.
 */
unsigned int lru_gen_victim_class(const struct lru_gen_feedback *fb,
				  const unsigned long nr[LRU_GEN_NR_CLASSES],
				  unsigned long age)
{
	unsigned long total = lru_gen_sum(nr);
	unsigned long enough = total / BOTTOM_PART;
	unsigned int class;

	if (fb->nr_decays || age > total / BOTTOM_AGE_PART ||
	    !lru_gen_has(LRU_GEN_PART_BOTTOM_FILL))
		enough = 1;
	if (nr[0] >= max(enough, 1UL))
		return 0;
	for (class = 1; class < LRU_GEN_NR_CLASSES; class++)
		if (nr[class])
			return class;
	return 0;
}

/**
 * lru_gen_idle_age() - for how long the tail of a list has not been used
 * @fb: feedback of the lruvec
 * @type: type of the list
 * @age: pages evicted since its oldest folio came there
 *
 * Use between two walks is not seen before eviction asks, so that what came to a
 * list long ago may be in use all the time. How much of what eviction comes to is,
 * it has counted. For as long as it has not, nothing is.
 *
 * Context: any.
 * Return: pages evicted since the folio was used, on average.
 */
unsigned long lru_gen_idle_age(const struct lru_gen_feedback *fb, enum lru_gen_type type,
			       unsigned long age)
{
	u32 nr = fb->nr_looked[type] + IDLE_PRIOR;

	if (!lru_gen_has(LRU_GEN_PART_IDLE_AGE))
		return age;
	return (unsigned long)div64_u64((u64)age * (nr - fb->nr_found[type]), nr);
}

/**
 * lru_gen_nr_unasked() - how many pages of a batch go whether they are in use or not
 * @fb: feedback of the lruvec; what is owed for pages spared is limited
 * @type: type of the batch
 * @nr_pages: evictable pages of the lruvec
 *
 * Where most of what eviction comes to is in use, accessed bits have been left
 * alone for so long that they tell pages apart no more, and to find the few that
 * are not set costs more than they are worth. So what has been spared beyond an
 * allowance is made up for by pages that nobody asks about: those of one batch, if the
 * lruvec has become smaller and so has the allowance.
 *
 * Context: lru_lock.
 * Return: pages.
 */
unsigned long lru_gen_nr_unasked(struct lru_gen_feedback *fb, enum lru_gen_type type,
				 unsigned long nr_pages)
{
	unsigned long allowance = max(nr_pages / ALLOWANCE_PART, BATCH);
	unsigned long owed = fb->spared[type];

	owed = min(owed, (allowance + BATCH) * LRU_GEN_PATIENCE);
	fb->spared[type] = owed;
	if (!lru_gen_has(LRU_GEN_PART_PATIENCE))
		return 0;
	return owed - min(owed, allowance * LRU_GEN_PATIENCE);
}

/* Which of @n sizes the fraction @at, in 1 / 2^32, of their sum falls into. */
static unsigned int size_at(const unsigned long *nr, unsigned int n, u32 at)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < n; i++)
		sum += nr[i];
	sum = mul_u64_u32_shr(sum, at, 32);
	for (i = 0; i < n - 1 && sum >= nr[i]; i++)
		sum -= nr[i];
	return i;
}

/* By turns, in proportion: steps of the golden ratio fall evenly. */
static enum lru_gen_type share_by_size(const struct lru_gen_choice *c)
{
	return size_at(c->nr, LRU_GEN_NR_TYPES, (u32)(c->clock / 32) * 0x9e3779b9U);
}

/**
 * lru_gen_victim_zone() - the zone that a batch is taken from
 * @nr: [zone] pages of the list, none in zones that the request has no use for
 * @turn: the turn, one more with each batch
 *
 * Zones have lists of their own, so that a request for low zones does not come upon
 * other folios. A list is emptied evenly: each zone gives in proportion to what it
 * has, by turns. Steps are the square root of two, since those of types, in the same
 * turns, are the golden ratio: zones must not follow types.
 *
 * Context: any.
 * Return: a zone that has pages, if any has.
 */
unsigned int lru_gen_victim_zone(const unsigned long nr[MAX_NR_ZONES], unsigned long turn)
{
	return size_at(nr, MAX_NR_ZONES, (u32)turn * 0x6a09e667U);
}

/**
 * lru_gen_victim_type() - the type to evict from
 * @c: what there is to choose from
 *
 * The type whose tail has been there longer, each age weighted by what
 * swappiness says a refault costs. Age is counted in evictions, the same for
 * both. Ages that are alike decide nothing; then each type gives in proportion
 * to what it has.
 *
 * Context: any.
 * Return: a type that has pages, if either has.
 */
enum lru_gen_type lru_gen_victim_type(const struct lru_gen_choice *c)
{
	u64 weight_anon = c->swappiness;
	u64 weight_file = 200 - c->swappiness;
	u64 anon = c->age[LRU_GEN_ANON] * weight_anon;
	u64 file = c->age[LRU_GEN_FILE] * weight_file;
	u64 alike = (u64)c->nr_pages * (weight_anon + weight_file) / (2 * ALIKE_PART);

	if (!c->nr[LRU_GEN_ANON] || !c->nr[LRU_GEN_FILE])
		return c->nr[LRU_GEN_ANON] ? LRU_GEN_ANON : LRU_GEN_FILE;
	if (anon > file + alike)
		return LRU_GEN_ANON;
	if (file > anon + alike)
		return LRU_GEN_FILE;
	return share_by_size(c);
}

/*
 * One more than the share of its pages that is used from walk to walk; 0 if that is not
 * known. Programs fill anon memory before they use it, and what is being filled looks
 * idle. So new pages are used as much, at least, as those that had to go turned out to be.
 */
static unsigned int use_of(const struct lru_gen_feedback *fb, const struct lru_gen_victim *v,
			   unsigned long nr_pages)
{
	unsigned int use = fb->use[v->type][v->class], returned;

	if (v->type != LRU_GEN_ANON || v->class || !lru_gen_has(LRU_GEN_PART_SWAPPED))
		return use;
	returned = lru_gen_share_returned(fb, nr_pages);
	return returned ? max(use, returned + 1) : use;
}

/* What use is worth, weighted by what a refault costs; none where it is not known. */
static u64 worth(unsigned int use, int swappiness, enum lru_gen_type type)
{
	return (u64)(use ? use - 1 : 0) * (type == LRU_GEN_ANON ? 200 - swappiness : swappiness);
}

/**
 * lru_gen_prefer_idle() - take from the other type if that is used less
 * @fb: feedback of the lruvec
 * @nr: [type][class] pages, of the types that may be evicted
 * @swappiness: as in struct lru_gen_choice
 * @v: the list whose turn it is by class and age; changed to the one that is used
 *	least, if there is one that is used clearly less
 *
 * Context: any.
 */
void lru_gen_prefer_idle(const struct lru_gen_feedback *fb,
			 const unsigned long nr[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES],
			 int swappiness, struct lru_gen_victim *v)
{
	struct lru_gen_victim other = { .type = !v->type, .preferred = true };
	unsigned long total = lru_gen_sum(nr[LRU_GEN_ANON]) + lru_gen_sum(nr[LRU_GEN_FILE]);
	u64 bound = worth(use_of(fb, v, total), swappiness, v->type) *
		    IDLE_RATIO_DEN / IDLE_RATIO_NUM;
	struct lru_gen_victim least = *v;
	u64 limit = bound;

	for (; other.class < LRU_GEN_NR_CLASSES; other.class++) {
		unsigned int use = fb->use[other.type][other.class];

		if (!use || nr[other.type][other.class] <= total / LRU_GEN_MEASURED_PART ||
		    worth(use, swappiness, other.type) >= limit)
			continue;
		limit = worth(use, swappiness, other.type);
		least = other;
	}
	/* Walks say so. Where it is new anon pages, those swapped out have a say, too. */
	if (worth(use_of(fb, &least, total), swappiness, least.type) < bound)
		*v = least;
}

/* For how long the next folio of a list has not been used, and what that is taken for. */
static unsigned long age_taken(const struct lru_gen_feedback *fb, const struct lru_gen_lists *l,
			       enum lru_gen_type type, unsigned int class)
{
	unsigned long age = lru_gen_idle_age(fb, type, l->age[type][class]);

	return type == LRU_GEN_FILE ? lru_gen_age_taken(fb, age) : age;
}

static unsigned long bottom_age(const struct lru_gen_lists *l)
{
	unsigned long age = 0;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		if (l->nr[type][0])
			age = max(age, l->age[type][0]);
	return age;
}

/* By class and age alone. */
static void choose_by_rank(const struct lru_gen_feedback *fb, const struct lru_gen_lists *l,
			   struct lru_gen_victim *v)
{
	struct lru_gen_choice c = {
		.nr_pages = l->nr_pages,
		.clock = fb->clock,
		.swappiness = l->swappiness,
	};
	unsigned long nr[LRU_GEN_NR_CLASSES];
	unsigned int class;

	for (class = 0; class < LRU_GEN_NR_CLASSES; class++)
		nr[class] = l->nr[LRU_GEN_ANON][class] + l->nr[LRU_GEN_FILE][class];
	v->class = lru_gen_victim_class(fb, nr, bottom_age(l));
	v->preferred = false;
	for (v->type = 0; v->type < LRU_GEN_NR_TYPES; v->type++) {
		c.nr[v->type] = l->nr[v->type][v->class];
		c.age[v->type] = age_taken(fb, l, v->type, v->class);
	}
	v->type = lru_gen_victim_type(&c);
}

/* File pages that are used more than the anon pages whose turn it is, and cost less. */
static void consider_files(const struct lru_gen_feedback *fb, const struct lru_gen_lists *l,
			   struct lru_gen_victim *v)
{
	unsigned int class = lru_gen_lowest_class(l->nr[LRU_GEN_FILE], l->nr_pages);
	struct lru_gen_choice c = { .swappiness = l->swappiness };

	if (v->type == LRU_GEN_FILE || v->preferred || class <= v->class ||
	    class == LRU_GEN_NR_CLASSES)
		return;
	c.age[LRU_GEN_ANON] = age_taken(fb, l, LRU_GEN_ANON, v->class);
	c.age[LRU_GEN_FILE] = age_taken(fb, l, LRU_GEN_FILE, class);
	if (!lru_gen_file_goes_first(fb, &c, class - v->class))
		return;
	v->type = LRU_GEN_FILE;
	v->class = class;
}

/**
 * lru_gen_choose_victim() - choose the list to evict from
 * @fb: feedback of the lruvec
 * @l: its lists, of which one at least is not empty
 * @v: set to the list
 *
 * By class, age and measured use. The kernel and the simulator ask here.
 *
 * Context: any.
 */
void lru_gen_choose_victim(const struct lru_gen_feedback *fb, const struct lru_gen_lists *l,
			   struct lru_gen_victim *v)
{
	choose_by_rank(fb, l, v);
	if (lru_gen_has(LRU_GEN_PART_USE))
		lru_gen_prefer_idle(fb, l->nr, l->swappiness, v);
	consider_files(fb, l, v);
}
