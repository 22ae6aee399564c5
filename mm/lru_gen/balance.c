// SPDX-License-Identifier: GPL-2.0
/*
 * Whether file or anon pages go too soon.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "tier.h"

/**
 * DOC: balance
 *
 * Age tells for how long the next page of a type has not been used, and not when it
 * will be. Where the one type has a few pages in use and many that hardly are, and the
 * other is used evenly, a page of the first that has been idle for a second is worth
 * less than one of the second that has been so for three. What went and came back soon
 * tells: when the types are in balance, the share that did, weighted by what a refault
 * costs, is the same for both.
 *
 * As long as more is paid for anon pages, file pages are taken for older than they
 * are; by how much is corrected in small steps, as a thermostat does. When there are no
 * file pages left that are used as little as the anon pages whose turn it is, those that
 * are used more go for it as well, if they are older by far. In the other direction
 * nothing is done: swapping is for pages that are idle.
 *
 * That the costs of both types are to be equal is what the classic LRU strives for too
 * (lruvec->anon_cost, file_cost), by the number of refaults, not their share.
 */

/* Evictions between two corrections: a part of all pages, and a batch at least. */
#define CORRECT_PART		128

/* Pages of each type that must have gone for a correction: a part of all pages. */
#define ENOUGH_PART		512

/* What comes back before this part of all pages has been evicted does so soon. */
#define SOON_PART		8

/* File pages are taken for so many times their age at most. */
#define MAX_TIMES		64

/* A correction takes this at most, or one part of it. */
#define MAX_STEP		4

/* What is known counts so many times less after each correction. */
#define FADE			4

/* The same when too little is known for one, and what file pages are taken for with it. */
#define FORGET			2

/* Classes with no more than this part of all pages are passed over. */
#define EMPTY_PART		1024

/* Of a page that is a class above another, so many times its age is asked. */
#define CLASS_TIMES		2

/* No part of all pages is less: evictions come in batches. */
#define MIN_PAGES		32UL

/**
 * lru_gen_is_soon() - whether a page that comes back should not have gone
 * @distance: pages evicted since the page was
 * @nr_pages: evictable pages of the lruvec, both types
 *
 * Context: any; a value of a moment ago is good enough.
 * Return: true if it counts for lru_gen_note_soon().
 */
bool lru_gen_is_soon(unsigned long distance, unsigned long nr_pages)
{
	return distance <= max(nr_pages / SOON_PART, MIN_PAGES);
}

/**
 * lru_gen_note_soon() - pages have come back soon
 * @fb: feedback of the lruvec
 * @type: their type
 * @nr: how many
 *
 * Context: lru_lock.
 */
void lru_gen_note_soon(struct lru_gen_feedback *fb, enum lru_gen_type type, unsigned long nr)
{
	fb->nr_soon[type] += nr;
}

/**
 * lru_gen_note_gone() - pages have been evicted
 * @fb: feedback of the lruvec
 * @type: their type
 * @nr: how many
 *
 * Context: lru_lock.
 */
void lru_gen_note_gone(struct lru_gen_feedback *fb, enum lru_gen_type type, unsigned long nr)
{
	fb->nr_gone[type] += nr;
}

/* One more than the share of what went that came back soon. */
static u64 share_soon(const struct lru_gen_feedback *fb, enum lru_gen_type type)
{
	unsigned long gone = max(fb->nr_gone[type], 1UL);

	return 1 + div64_u64((u64)min(fb->nr_soon[type], gone) * LRU_GEN_SHARE, gone);
}

/* How many times more is paid for anon pages, its root, in 1/LRU_GEN_SHARE. */
static unsigned int step_of(const struct lru_gen_feedback *fb, int swappiness)
{
	u64 anon = share_soon(fb, LRU_GEN_ANON) * (200 - swappiness);
	u64 file = share_soon(fb, LRU_GEN_FILE) * swappiness;
	u64 square = div64_u64(anon * LRU_GEN_SHARE * LRU_GEN_SHARE, max(file, 1ULL));

	return clamp(int_sqrt64(square), LRU_GEN_SHARE / MAX_STEP, LRU_GEN_SHARE * MAX_STEP);
}

/* While lru_gen is off, pages come back that nobody counted as gone. */
static void fade(struct lru_gen_feedback *fb, unsigned int times)
{
	int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		fb->nr_soon[type] = min(fb->nr_soon[type], fb->nr_gone[type]) / times;
		fb->nr_gone[type] /= times;
	}
}

/**
 * lru_gen_correct() - correct what file pages are taken for, if it is time to
 * @fb: feedback of the lruvec
 * @swappiness: as in struct lru_gen_choice
 * @nr_pages: evictable pages of the lruvec, both types
 *
 * When not enough of one type goes to tell anything, what was known is forgotten.
 *
 * Context: lru_lock.
 */
void lru_gen_correct(struct lru_gen_feedback *fb, int swappiness, unsigned long nr_pages)
{
	unsigned long least = min(fb->nr_gone[LRU_GEN_ANON], fb->nr_gone[LRU_GEN_FILE]);
	unsigned int times = LRU_GEN_SHARE + fb->excess;

	if (fb->clock - fb->corrected < max(nr_pages / CORRECT_PART, MIN_PAGES) ||
	    !lru_gen_has(LRU_GEN_PART_BALANCE))
		return;
	fb->corrected = fb->clock;
	if (least < max(nr_pages / ENOUGH_PART, MIN_PAGES)) {
		fb->excess /= FORGET;
		fade(fb, FORGET);
		return;
	}
	times = times * step_of(fb, swappiness) / LRU_GEN_SHARE;
	fb->excess = clamp(times, LRU_GEN_SHARE, MAX_TIMES * LRU_GEN_SHARE) - LRU_GEN_SHARE;
	fade(fb, FADE);
}

/**
 * lru_gen_age_taken() - what age file pages are taken for
 * @fb: feedback of the lruvec
 * @age: their age, in pages evicted
 *
 * Context: any.
 * Return: an age, in pages evicted.
 */
unsigned long lru_gen_age_taken(const struct lru_gen_feedback *fb, unsigned long age)
{
	return age + (unsigned long)((u64)age * fb->excess / LRU_GEN_SHARE);
}

/**
 * lru_gen_lowest_class() - the lowest class that has some pages
 * @nr: [class] pages
 * @nr_pages: evictable pages of the lruvec, both types
 *
 * Context: any.
 * Return: the class; LRU_GEN_NR_CLASSES if there is none.
 */
unsigned int lru_gen_lowest_class(const unsigned long nr[LRU_GEN_NR_CLASSES],
				  unsigned long nr_pages)
{
	unsigned int class = 0;

	while (class < LRU_GEN_NR_CLASSES && nr[class] <= nr_pages / EMPTY_PART)
		class++;
	return class;
}

/**
 * lru_gen_file_goes_first() - whether file pages that are used more are to go all the same
 * @fb: feedback of the lruvec
 * @c: ages of the two lists, and swappiness
 * @nr_classes: how many classes the file list is above the anon list
 *
 * Context: any.
 * Return: false also as long as file pages are taken for no older than they are.
 */
bool lru_gen_file_goes_first(const struct lru_gen_feedback *fb, const struct lru_gen_choice *c,
			     unsigned int nr_classes)
{
	u64 anon = (u64)c->age[LRU_GEN_ANON] * c->swappiness;
	u64 file = (u64)c->age[LRU_GEN_FILE] * (200 - c->swappiness);

	while (nr_classes--)
		anon *= CLASS_TIMES;
	return fb->excess && file > anon;
}
