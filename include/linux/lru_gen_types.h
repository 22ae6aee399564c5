/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of the multi-generational LRU that other structs embed.
 *
 * Only constants and structs stand here, because mmzone.h includes this file
 * and so does nearly everything else. What hooks may call is in lru_gen.h, how
 * it works is told in mm/lru_gen/.
 */
#ifndef _LINUX_LRU_GEN_TYPES_H
#define _LINUX_LRU_GEN_TYPES_H

/*
 * A lruvec keeps between two and four generations of each type. Two are out of
 * reach of eviction: the one being filled, and the one before it, whose folios
 * have not been looked at since the younger one was opened.
 */
#define MIN_NR_GENS		2U
#define MAX_NR_GENS		4U

/* How many classes of use through file descriptors the folio flags can tell. */
#define MAX_NR_TIERS		4U

#ifndef __GENERATING_BOUNDS_H

#define LRU_GEN_MASK		((BIT(LRU_GEN_WIDTH) - 1) << LRU_GEN_PGOFF)
#define LRU_REFS_MASK		((BIT(LRU_REFS_WIDTH) - 1) << LRU_REFS_PGOFF)

/* Bits of /sys/kernel/mm/lru_gen/enabled. */
enum lru_gen_cap {
	LRU_GEN_CAP_CORE	= 0x1,
	LRU_GEN_CAP_WALK	= 0x2,
	LRU_GEN_CAP_NONLEAF	= 0x4,
	LRU_GEN_CAP_ALL		= 0x7,
};

/* The two types of evictable folios; the value indexes every [type] array. */
enum lru_gen_type {
	LRU_GEN_ANON,
	LRU_GEN_FILE,
	LRU_GEN_NR_TYPES,
};

#ifdef CONFIG_LRU_GEN

/**
 * struct lru_gen_window - the generations of one lruvec
 * @max_seq: youngest generation; both types share it, so that ages compare
 * @min_seq: oldest generation of each type; they advance independently
 * @birth: when each generation was opened, in jiffies, indexed by seq modulo
 *	MAX_NR_GENS
 * @nr_pages: size of each list, in pages
 * @lists: folios, youngest at the head, oldest at the tail
 * @enabled: whether folios of this lruvec go to @lists or to the classic lists
 *
 * Generation numbers only grow. A folio stores its own modulo MAX_NR_GENS, plus
 * one so that zero means "on no list"; since the window is never wider than
 * MAX_NR_GENS, a stored number means one generation only.
 *
 * Everything is written under lruvec->lru_lock. Sizes and numbers may be read
 * without it, by readers that can live with a value of a moment ago.
 */
struct lru_gen_window {
	unsigned long max_seq;
	unsigned long min_seq[LRU_GEN_NR_TYPES];
	unsigned long birth[MAX_NR_GENS];
	long nr_pages[MAX_NR_GENS][LRU_GEN_NR_TYPES][MAX_NR_ZONES];
	struct list_head lists[MAX_NR_GENS][LRU_GEN_NR_TYPES][MAX_NR_ZONES];
	bool enabled;
};

#else

struct lru_gen_window { };

#endif /* CONFIG_LRU_GEN */
#endif /* !__GENERATING_BOUNDS_H */
#endif /* _LINUX_LRU_GEN_TYPES_H */
