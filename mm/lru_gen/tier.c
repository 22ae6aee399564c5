// SPDX-License-Identifier: GPL-2.0
/*
 * Which class goes, which type, and when earlier use is forgotten.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "tier.h"

/**
 * DOC: tiers and feedback
 *
 * The generations above the bottom are classes of use. A folio earns them one
 * by one, each time it is found used; a refault earns one too. The bottom
 * class is evicted first, so what is kept is what is used often, not only what
 * was used lately.
 *
 * Of two types in one class, the one whose next folio has been there longer gives.
 * A list remembers when the folios at its two ends came, and that is all that is
 * known of those between.
 *
 * Use of old must be forgotten when programs move on to other memory. A miss
 * rate says nothing about that: it is high as well when memory is just too
 * small. What does is a comparison. From one walk to the next, so many of the
 * pages evicted came back, and so many of the pages kept were used. As long as
 * the order is right, pages kept are used more than pages evicted. When pages at
 * the top are used less than those that had to go, the top is a memory of the
 * past, and every class is lowered by one, until the next walk at most as many
 * times as there are classes above the bottom.
 *
 * A count that stops at its maximum tells nothing once most pages have reached
 * it. So when the top class holds most pages, every class is lowered by one, too,
 * and those in use more than others rise again.
 */

/* Shares are counted in units of 1 / SHARE. */
#define SHARE			1024U

/* The bottom is passed over while it has less than this part of all pages. */
#define BOTTOM_PART		50

/* Ages that differ by less than this part of all pages are alike. */
#define ALIKE_PART		16

/* Evictions between walks, as parts of all pages; the shorter is on suspicion. */
#define WALK_PART		8
#define EARLY_WALK_PART		16

/* Pages; a walk of page tables for less than a batch is not worth its while. */
#define MIN_INTERVAL		32UL

/* Suspicion: the share that comes back is 1.5 times what it was, and 5 % more. */
#define SUSPECT_MARGIN		(SHARE / 20)

/* A top class with more than this part of all pages tells nothing any more. */
#define FULL_PART		2

/* Classes smaller than these parts of all pages do not count as evidence. */
#define STALE_PART		4
#define BOTTOM_EVIDENCE_PART	16

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
		span->oldest = now;
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
		span->oldest = span->newest;
	else
		span->oldest += (unsigned long)div64_u64((u64)length * nr, nr_before);
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
	to->oldest = from->oldest;
	if (was_empty)
		to->newest = from->newest;
}

static unsigned long total_pages(const unsigned long nr[LRU_GEN_NR_CLASSES])
{
	unsigned long total = 0;
	unsigned int class;

	for (class = 0; class < LRU_GEN_NR_CLASSES; class++)
		total += nr[class];
	return total;
}

/**
 * lru_gen_victim_class() - the class to evict from
 * @fb: feedback of the lruvec
 * @nr: pages of each class, over the types that may be evicted
 *
 * A bottom that is nearly empty is left to fill up: what has just come in
 * would otherwise go before it could be used again. But when there is something
 * to forget and it has not been done, then for lack of room, which only the
 * bottom can give.
 *
 * Context: any.
 * Return: a class that is not empty, or 0 if all are.
 */
unsigned int lru_gen_victim_class(const struct lru_gen_feedback *fb,
				  const unsigned long nr[LRU_GEN_NR_CLASSES])
{
	unsigned long enough = fb->nr_decays ? 1 : total_pages(nr) / BOTTOM_PART;
	unsigned int class;

	if (nr[0] >= max(enough, 1UL))
		return 0;
	for (class = 1; class < LRU_GEN_NR_CLASSES; class++)
		if (nr[class])
			return class;
	return 0;
}

/* The square root, so that the middle of the scale is gentle; at most 3620. */
static u64 weight(unsigned int cost)
{
	return int_sqrt((unsigned long)cost << 16);
}

/* By turns, in proportion: steps of the golden ratio fall evenly. */
static enum lru_gen_type share_by_size(const struct lru_gen_choice *c)
{
	u64 total = (u64)c->nr[LRU_GEN_ANON] + c->nr[LRU_GEN_FILE];
	u32 turn = (u32)(c->clock / 32) * 0x9e3779b9U;

	return mul_u64_u32_shr(total, turn, 32) < c->nr[LRU_GEN_ANON] ?
		LRU_GEN_ANON : LRU_GEN_FILE;
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
	u64 weight_anon = weight(c->swappiness);
	u64 weight_file = weight(200 - c->swappiness);
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

/**
 * lru_gen_refault_class() - the class a refault comes back to
 * @max_seq: youngest generation
 * @seq: the generation it was evicted from
 *
 * One above where it left, seen from where the window is now.
 *
 * Context: any.
 * Return: a class above the bottom.
 */
unsigned int lru_gen_refault_class(unsigned long max_seq, unsigned long seq)
{
	unsigned long behind = max_seq - seq;
	const unsigned long top = LRU_GEN_NR_CLASSES - 1;

	return (unsigned int)(behind < top ? min(top - behind + 1, top) : 1);
}

/**
 * lru_gen_refault_is_near() - whether a refault is evidence
 * @fb: feedback of the lruvec
 * @distance: pages evicted since the folio was
 *
 * It is if the folio was evicted after the last walk, so that what came back
 * can be held against what the next walk finds used in the same interval.
 *
 * Context: any; a value of a moment ago is good enough.
 * Return: true if it counts for lru_gen_note_near().
 */
bool lru_gen_refault_is_near(const struct lru_gen_feedback *fb, unsigned long distance)
{
	return distance <= READ_ONCE(fb->clock) - READ_ONCE(fb->walked);
}

/**
 * lru_gen_note_evicted() - pages have been evicted
 * @fb: feedback of the lruvec
 * @nr: pages, of both types
 *
 * Context: lru_lock.
 */
void lru_gen_note_evicted(struct lru_gen_feedback *fb, unsigned long nr)
{
	WRITE_ONCE(fb->clock, fb->clock + nr);
}

/**
 * lru_gen_note_near() - near refaults have been counted
 * @fb: feedback of the lruvec
 * @nr: pages
 *
 * Context: lru_lock.
 */
void lru_gen_note_near(struct lru_gen_feedback *fb, unsigned long nr)
{
	fb->nr_near += nr;
}

/*
 * What came back of what was evicted since the last walk, at the least: two
 * standard deviations less than was counted, since counts can be small.
 */
static unsigned int share_back(const struct lru_gen_feedback *fb)
{
	unsigned long evicted = fb->clock - fb->walked;
	unsigned long near = min(fb->nr_near, evicted);

	near -= min(near, 2 * int_sqrt(near));
	return evicted ? (unsigned int)div64_u64((u64)near * SHARE, evicted) : 0;
}

/**
 * lru_gen_walk_due() - whether page tables should be walked before eviction
 * @fb: feedback of the lruvec
 * @nr_pages: evictable pages of the lruvec, both types
 *
 * Context: lru_lock, or any if a value of a moment ago is good enough.
 * Return: true if so; it stays true until lru_gen_note_walk().
 */
bool lru_gen_walk_due(const struct lru_gen_feedback *fb, unsigned long nr_pages)
{
	unsigned long since = fb->clock - fb->walked;

	if (!fb->has_walked || since >= max(nr_pages / WALK_PART, MIN_INTERVAL))
		return true;
	return since >= max(nr_pages / EARLY_WALK_PART, MIN_INTERVAL) &&
	       share_back(fb) > fb->back + fb->back / 2 + SUSPECT_MARGIN;
}

/*
 * Whether of @nr pages fewer were used than of those evicted came back. Pages had
 * the whole interval to be used, evicted ones had half of it, on average, to
 * come back: so their share counts twice.
 */
static bool colder(u64 young, u64 nr, unsigned int back)
{
	return young * SHARE < nr * back * 2;
}

static unsigned long judged(const struct lru_gen_seen *seen, unsigned int class)
{
	unsigned long nr = seen->nr[class];

	nr -= min(seen->fresh[class], nr);
	return max(nr, seen->young[class]);
}

/* Pages of the longest run of classes from the top that is colder than @back. */
static unsigned long stale_pages(const struct lru_gen_seen *seen, unsigned int back)
{
	unsigned long young = 0, nr = 0, stale = 0;
	unsigned int class;

	for (class = LRU_GEN_NR_CLASSES - 1; class; class--) {
		young += seen->young[class];
		nr += judged(seen, class);
		if (colder(young, nr, back))
			stale = nr;
	}
	return stale;
}

/*
 * When the bottom is used, forgetting has done its work already: what is used
 * lies there, and is about to rise.
 */
static bool past_outweighs(const struct lru_gen_seen *seen, unsigned long total,
			   unsigned int back)
{
	unsigned long bottom = judged(seen, 0);

	if (stale_pages(seen, back) < max(total / STALE_PART, 1UL))
		return false;
	return bottom < total / BOTTOM_EVIDENCE_PART ||
	       colder(seen->young[0], bottom, back);
}

static unsigned int decays(const struct lru_gen_seen *seen, unsigned int back)
{
	const unsigned int top = LRU_GEN_NR_CLASSES - 1;
	unsigned long total = total_pages(seen->nr);

	if (past_outweighs(seen, total, back))
		return top;
	return seen->nr[top] > total / FULL_PART;
}

/**
 * lru_gen_note_walk() - a walk is done, and closes an interval
 * @fb: feedback of the lruvec
 * @seen: what was found used in the interval
 *
 * Context: lru_lock.
 */
void lru_gen_note_walk(struct lru_gen_feedback *fb, const struct lru_gen_seen *seen)
{
	fb->back = share_back(fb);
	fb->nr_decays = decays(seen, fb->back);
	fb->nr_near = 0;
	fb->has_walked = true;
	WRITE_ONCE(fb->nr_walks, fb->nr_walks + 1);
	WRITE_ONCE(fb->walked, fb->clock);
}

/**
 * lru_gen_decay_due() - whether every class is to be lowered now
 * @fb: feedback of the lruvec
 *
 * Ask only when the window has room for another generation: true is an order,
 * and counted as carried out.
 *
 * Context: lru_lock.
 * Return: true if max_seq has to advance once.
 */
bool lru_gen_decay_due(struct lru_gen_feedback *fb)
{
	if (!fb->nr_decays)
		return false;
	fb->nr_decays--;
	return true;
}
