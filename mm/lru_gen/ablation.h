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
 * @LRU_GEN_PART_ADMISSION: what comes back is kept if the time between its uses is short
 * @LRU_GEN_PART_EVIDENCE: the law is corrected by the uses seen
 * @LRU_GEN_PART_AGES: lists are compared by how long their tails have been idle
 * @LRU_GEN_PART_WEIGHT: memcgs give in proportion to their weight, not equal amounts
 * @LRU_GEN_NR_PARTS: how many there are
 */
enum lru_gen_part {
	LRU_GEN_PART_LOOK_AROUND,
	LRU_GEN_PART_FIRST_USE,
	LRU_GEN_PART_ADMISSION,
	LRU_GEN_PART_EVIDENCE,
	LRU_GEN_PART_AGES,
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
