// SPDX-License-Identifier: GPL-2.0
/*
 * What use is worth, and when it is forgotten.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "tier.h"

/**
 * DOC: tiers and feedback
 *
 * The generations above the bottom are classes of use. A folio earns them one
 * by one, each time it is found used; a refault earns one too. What a list as a
 * whole is used is measured by each walk.
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

/* The same as LRU_GEN_WALK_PART, on suspicion. */
#define EARLY_WALK_PART		16

/* Pages; a walk of page tables for less than a batch is not worth its while. */
#define MIN_INTERVAL		32UL

/* Pages looked at by eviction that tell how much is used of what it comes to. */
#define LOOKED_ENOUGH		1024

/* A list gives next to nothing if less than this part of what is looked at. */
#define YIELD_PART		8

/* Suspicion: the share that comes back is 1.5 times what it was, and 5 % more. */
#define SUSPECT_MARGIN		(LRU_GEN_SHARE / 20)

/* A top class with more than this part of all pages tells nothing any more. */
#define FULL_PART		2

/* Classes smaller than these parts of all pages do not count as evidence. */
#define STALE_PART		4
#define BOTTOM_EVIDENCE_PART	16

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

	if (!lru_gen_has(LRU_GEN_PART_REFAULT_CLASS))
		return 1;
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

static void halve_looked(struct lru_gen_feedback *fb, enum lru_gen_type type)
{
	fb->nr_looked[type] /= 2;
	fb->nr_found[type] /= 2;
}

/**
 * lru_gen_note_looked() - folios have been taken from the tail of a list
 * @fb: feedback of the lruvec
 * @v: the list
 * @nr_looked: pages of which it was asked if they had been used
 * @nr_found: pages that had been
 *
 * The counts are halved whenever there are enough, so that the latest weigh most;
 * and by each walk, so that a type which is not looked at any more gets a new chance.
 *
 * Context: lru_lock.
 */
void lru_gen_note_looked(struct lru_gen_feedback *fb, const struct lru_gen_victim *v,
			 unsigned int nr_looked, unsigned int nr_found)
{
	if (!nr_looked)
		return;
	nr_found = min(nr_found, nr_looked);
	fb->nr_looked[v->type] += nr_looked;
	fb->nr_found[v->type] += nr_found;
	if (fb->nr_looked[v->type] > LOOKED_ENOUGH)
		halve_looked(fb, v->type);
}

/**
 * lru_gen_note_yield() - a batch has been taken from a list
 * @fb: feedback of the lruvec
 * @v: the list
 * @nr_scanned: pages looked at
 * @nr_reclaimed: pages freed
 *
 * What is not used may still be of no use to eviction: pinned, or busy otherwise.
 * A list that was preferred and has given next to nothing is left until it has been
 * measured anew.
 *
 * Context: lru_lock.
 */
void lru_gen_note_yield(struct lru_gen_feedback *fb, const struct lru_gen_victim *v,
			unsigned long nr_scanned, unsigned long nr_reclaimed)
{
	if (v->preferred && nr_reclaimed * YIELD_PART < nr_scanned)
		fb->use[v->type][v->class] = 0;
}

/**
 * lru_gen_note_spared() - mapped folios have been found in use by eviction
 * @fb: feedback of the lruvec
 * @v: the list they are from
 * @nr_spared: pages of them
 * @nr_freed: pages freed in the same batch
 *
 * Each of these makes up for a part of one that was spared.
 *
 * Context: lru_lock.
 */
void lru_gen_note_spared(struct lru_gen_feedback *fb, const struct lru_gen_victim *v,
			 unsigned int nr_spared, unsigned int nr_freed)
{
	u32 *spared = &fb->spared[v->type];

	*spared += nr_spared * LRU_GEN_PATIENCE;
	*spared -= min(*spared, nr_freed);
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
	WRITE_ONCE(fb->nr_near, fb->nr_near + nr);
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
	return evicted ? (unsigned int)div64_u64((u64)near * LRU_GEN_SHARE, evicted) : 0;
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

	if (!fb->has_walked || since >= max(nr_pages / LRU_GEN_WALK_PART, MIN_INTERVAL))
		return true;
	return lru_gen_has(LRU_GEN_PART_EARLY_WALK) &&
	       since >= max(nr_pages / EARLY_WALK_PART, MIN_INTERVAL) &&
	       share_back(fb) > fb->back + fb->back / 2 + SUSPECT_MARGIN;
}

/*
 * Whether of @nr pages fewer were used than of those evicted came back. Pages had
 * the whole interval to be used, evicted ones had half of it, on average, to
 * come back: so their share counts twice.
 */
static bool colder(u64 young, u64 nr, unsigned int back)
{
	return young * LRU_GEN_SHARE < nr * back * 2;
}

static unsigned long judged_of(const struct lru_gen_seen *seen, int type,
			       unsigned int class)
{
	unsigned long nr = seen->nr[type][class];

	nr -= min(seen->fresh[type][class], nr);
	return max(nr, seen->young[type][class]);
}

static unsigned long judged(const struct lru_gen_seen *seen, unsigned int class)
{
	return judged_of(seen, LRU_GEN_ANON, class) + judged_of(seen, LRU_GEN_FILE, class);
}

static unsigned long both(const unsigned long nr[LRU_GEN_NR_TYPES][LRU_GEN_NR_CLASSES],
			  unsigned int class)
{
	return nr[LRU_GEN_ANON][class] + nr[LRU_GEN_FILE][class];
}

/* Pages of the longest run of classes from the top that is colder than @back. */
static unsigned long stale_pages(const struct lru_gen_seen *seen, unsigned int back)
{
	unsigned long young = 0, nr = 0, stale = 0;
	unsigned int class;

	for (class = LRU_GEN_NR_CLASSES - 1; class; class--) {
		young += both(seen->young, class);
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
	       colder(both(seen->young, 0), bottom, back);
}

static unsigned long seen_pages(const struct lru_gen_seen *seen)
{
	return lru_gen_sum(seen->nr[LRU_GEN_ANON]) + lru_gen_sum(seen->nr[LRU_GEN_FILE]);
}

static unsigned int decays(const struct lru_gen_seen *seen, unsigned int back)
{
	const unsigned int top = LRU_GEN_NR_CLASSES - 1;
	unsigned long total = seen_pages(seen);

	if (!lru_gen_has(LRU_GEN_PART_FORGET))
		return 0;
	if (past_outweighs(seen, total, back))
		return top;
	return both(seen->nr, top) > total / FULL_PART;
}

/* The mean of this interval and of those before it, which count half each time. */
static u16 mean_use(u16 old, unsigned long young, unsigned long nr)
{
	u16 now = (u16)div64_u64((u64)young * LRU_GEN_SHARE, nr) + 1;

	return old ? (old + now) / 2 : now;
}

static void measure_use(struct lru_gen_feedback *fb, const struct lru_gen_seen *seen)
{
	unsigned long least = seen_pages(seen) / LRU_GEN_MEASURED_PART;
	unsigned int class;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		for (class = 0; class < LRU_GEN_NR_CLASSES; class++) {
			unsigned long nr = judged_of(seen, type, class);
			u16 *use = &fb->use[type][class];

			*use = nr > least ? mean_use(*use, seen->young[type][class], nr) : 0;
		}
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
	int type;

	WRITE_ONCE(fb->back, share_back(fb));
	WRITE_ONCE(fb->nr_decays, decays(seen, fb->back));
	measure_use(fb, seen);
	WRITE_ONCE(fb->nr_near, 0);
	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		halve_looked(fb, type);
	lru_gen_forget_swapped(fb);
	WRITE_ONCE(fb->has_walked, true);
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
	WRITE_ONCE(fb->nr_decays, fb->nr_decays - 1);
	return true;
}

/**
 * lru_gen_note_open() - a generation has been opened: every class is lowered
 * @fb: feedback of the lruvec
 *
 * What was measured goes with the pages. Of the two classes that become the
 * bottom, the upper one's measure is the newer.
 *
 * Context: lru_lock.
 */
void lru_gen_note_open(struct lru_gen_feedback *fb)
{
	const unsigned int top = LRU_GEN_NR_CLASSES - 1;
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		u16 *use = fb->use[type];
		u16 bottom = use[0];

		memmove(use, use + 1, top * sizeof(*use));
		use[0] = use[0] ?: bottom;
		use[top] = 0;
	}
}
