/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of reclaim that can be left out, to see what each of them is good for.
 */
#ifndef _MM_LRU_GEN_ABLATION_H
#define _MM_LRU_GEN_ABLATION_H

#include <linux/types.h>

/**
 * enum lru_gen_part - a part that can be left out
 * @LRU_GEN_PART_LOOK_AROUND: eviction looks at the neighbours of an entry in use
 * @LRU_GEN_PART_FIRST_USE: the use that brought a folio in does not count
 * @LRU_GEN_PART_REFAULT_CLASS: what comes back is put above the class it had, not
 *	above the bottom
 * @LRU_GEN_PART_USE: the list that walks found used least is preferred
 * @LRU_GEN_PART_SWAPPED: swapped pages that come back tell the use of new ones
 * @LRU_GEN_PART_BALANCE: the type that comes back soon is corrected for
 * @LRU_GEN_PART_FORGET: a generation is opened, by which classes are lowered
 * @LRU_GEN_PART_EARLY_WALK: a walk is due sooner if more comes back than before
 * @LRU_GEN_PART_PATIENCE: folios go unasked where most were found in use
 * @LRU_GEN_PART_IDLE_AGE: the age of a list is lessened by what was found in use
 * @LRU_GEN_PART_BOTTOM_FILL: a bottom that is nearly empty fills up first
 * @LRU_GEN_PART_WEIGHT: memcgs give in proportion to their weight, not equal amounts
 * @LRU_GEN_NR_PARTS: how many there are
 */
enum lru_gen_part {
	LRU_GEN_PART_LOOK_AROUND,
	LRU_GEN_PART_FIRST_USE,
	LRU_GEN_PART_REFAULT_CLASS,
	LRU_GEN_PART_USE,
	LRU_GEN_PART_SWAPPED,
	LRU_GEN_PART_BALANCE,
	LRU_GEN_PART_FORGET,
	LRU_GEN_PART_EARLY_WALK,
	LRU_GEN_PART_PATIENCE,
	LRU_GEN_PART_IDLE_AGE,
	LRU_GEN_PART_BOTTOM_FILL,
	LRU_GEN_PART_WEIGHT,
	LRU_GEN_NR_PARTS,
};

extern unsigned long lru_gen_without;

#ifdef CONFIG_LRU_GEN_ABLATION
#include <linux/bits.h>

static inline bool lru_gen_has(enum lru_gen_part part)
{
	return !(lru_gen_without & BIT(part));
}
#else
static inline bool lru_gen_has(enum lru_gen_part part)
{
	return true;
}
#endif

#endif /* _MM_LRU_GEN_ABLATION_H */
