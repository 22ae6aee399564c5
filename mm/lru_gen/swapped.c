// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of anon pages that have been evicted.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "tier.h"

/**
 * DOC: swapped pages
 *
 * Programs fill anon memory before they use it. Until they do, no walk finds it used,
 * and it looks as if it could be had for nothing. Whether it can, those of its kind tell
 * that had to go: the share of them that came back. That is forgotten in time, since
 * what is spared for it tells nothing new.
 */

/* Anon pages evicted that tell enough: a part of all pages. */
#define SWAPPED_PART		4

/* What a walk takes away of what is known: one part of so many. */
#define FADE_PART		32

/* How long it takes to evict as many pages as there are, see lru_gen_time_away(). */
#define ALL_AWAY		(8 * LRU_GEN_WALK_PART)

/**
 * lru_gen_time_away() - for how long a page that came back was away
 * @distance: pages evicted since the page was
 * @nr_pages: evictable pages of the lruvec, both types
 *
 * Context: any; a value of a moment ago is good enough.
 * Return: @distance as a part of @nr_pages, in units of which an interval between
 * walks has eight; no more than ALL_AWAY.
 */
unsigned int lru_gen_time_away(unsigned long distance, unsigned long nr_pages)
{
	unsigned long all = max(nr_pages, 1UL);

	return (unsigned int)div64_u64((u64)min(distance, all) * ALL_AWAY, all);
}

/**
 * lru_gen_note_returned() - anon pages have come back
 * @fb: feedback of the lruvec
 * @nr: pages that did so while fewer pages than the lruvec has were evicted
 * @away: the sum of lru_gen_time_away() over them
 *
 * Context: lru_lock.
 */
void lru_gen_note_returned(struct lru_gen_feedback *fb, unsigned long nr, unsigned long away)
{
	fb->nr_returned += nr;
	fb->away += away;
}

/**
 * lru_gen_note_swapped() - a batch of anon pages has been taken
 * @fb: feedback of the lruvec
 * @nr: pages evicted
 * @nr_pages: evictable pages of the lruvec, both types
 *
 * What is known is halved whenever it is enough, so that the latest weighs most.
 *
 * Context: lru_lock.
 */
void lru_gen_note_swapped(struct lru_gen_feedback *fb, unsigned long nr,
			  unsigned long nr_pages)
{
	fb->nr_swapped += nr;
	if (fb->nr_swapped <= nr_pages / SWAPPED_PART)
		return;
	fb->nr_swapped /= 2;
	fb->nr_returned /= 2;
	fb->away /= 2;
}

/**
 * lru_gen_forget_swapped() - a walk is done
 * @fb: feedback of the lruvec
 *
 * Where no anon page goes any more for what is known, nothing else would change it.
 * As counts are rounded in favour of forgetting, it ends with nothing.
 *
 * Context: lru_lock.
 */
void lru_gen_forget_swapped(struct lru_gen_feedback *fb)
{
	fb->nr_swapped -= DIV_ROUND_UP(fb->nr_swapped, FADE_PART);
	fb->nr_returned -= DIV_ROUND_UP(fb->nr_returned, FADE_PART);
	fb->away -= DIV_ROUND_UP(fb->away, FADE_PART);
}

/**
 * lru_gen_share_returned() - what evicted anon pages are used from walk to walk
 * @fb: feedback of the lruvec
 * @nr_pages: evictable pages of the lruvec, both types
 *
 * Returns by the time in which they could have come: what came back was away for as
 * long as is known, the rest for all of the time that counts. As many pages as an
 * interval evicts are taken to have gone for good, before any was.
 *
 * Context: lru_lock.
 * Return: the share that came back in an interval, in 1/1024.
 */
unsigned int lru_gen_share_returned(const struct lru_gen_feedback *fb,
				    unsigned long nr_pages)
{
	unsigned long gone = fb->nr_swapped + nr_pages / LRU_GEN_WALK_PART;
	unsigned long returned = min(fb->nr_returned, gone);
	u64 away = fb->away + (u64)(gone - returned) * ALL_AWAY;
	u64 all = (u64)returned * (ALL_AWAY / LRU_GEN_WALK_PART);

	if (all >= away)
		return returned ? LRU_GEN_SHARE : 0;
	return (unsigned int)div64_u64(all * LRU_GEN_SHARE, away);
}
