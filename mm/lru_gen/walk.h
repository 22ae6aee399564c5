/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files that look at page tables know of each other.
 *
 * Locks are named as in internal.h.
 */
#ifndef _MM_LRU_GEN_WALK_H
#define _MM_LRU_GEN_WALK_H

#include "internal.h"

/**
 * struct lru_gen_cursor - one thread's part in a round over mm_structs
 * @lruvec: for which the round is made; set by the thread
 * @full: whether to offer mms that have not run, too; set by the thread
 * @memcg: of @lruvec, NULL when memcgs are disabled; the thread keeps it alive
 * @mm: the mm in hand, pinned, or NULL
 * @seq: youngest generation when the round began
 * @fresh: set by lru_gen_round_begin() for the thread that began the round
 * @again: whether @mm is being offered for the second time
 * @over: set by lru_gen_round_end() for the thread with which the round ended
 *
 * All fields are P.
 */
struct lru_gen_cursor {
	struct lruvec *lruvec;
	bool full;
	struct mem_cgroup *memcg;
	struct mm_struct *mm;
	unsigned long seq;
	bool fresh;
	bool again;
	bool over;
};

/* Folios moved up with lru_lock held once. */
#define LRU_GEN_LOOK_BATCH	64

/**
 * struct lru_gen_look - a look at the accessed bits of a mapping
 * @lruvec: lruvec whose folios are looked for; those of others are left alone
 * @memcg: its memcg, NULL when memcgs are disabled
 * @nid: its node
 * @vma: the mapping; P until it is let go
 * @last: the folio seen last, to take a large one once
 * @around: whether it is around a folio that is about to be evicted
 * @nr_total: leaf entries looked at
 * @nr_young: those of them that had been used
 * @nr_elsewhere: those that have been used and map folios of other nodes
 * @nr_seen: folios in @seen
 * @seen: folios to be moved up
 *
 * All fields are P.
 */
struct lru_gen_look {
	struct lruvec *lruvec;
	struct mem_cgroup *memcg;
	int nid;
	struct vm_area_struct *vma;
	struct folio *last;
	bool around;
	unsigned int nr_total;
	unsigned int nr_young;
	unsigned int nr_elsewhere;
	unsigned int nr_seen;
	struct folio *seen[LRU_GEN_LOOK_BATCH];
};

#ifdef CONFIG_LRU_GEN_WALKS_MMU

/* mm_list.c */
extern struct lru_gen_mm_list lru_gen_lone_mm_list;
void lru_gen_mm_list_init(struct lru_gen_mm_list *list);
struct mem_cgroup *lru_gen_mm_home(struct mm_struct *mm);

/* mm_round.c */
bool lru_gen_round_begin(struct lru_gen_cursor *c);
struct mm_struct *lru_gen_next_mm(struct lru_gen_cursor *c);
void lru_gen_return_mm(struct lru_gen_cursor *c);
bool lru_gen_round_end(struct lru_gen_cursor *c);

/* filter.c */
struct lru_gen_bits *lru_gen_bits_alloc(unsigned int order);
unsigned int lru_gen_filter_order(unsigned long nr_keys);
bool lru_gen_filter_test(struct lru_gen_filter *f, const void *key);
void lru_gen_filter_add(struct lru_gen_filter *f, const void *key);
void lru_gen_filter_flip(struct lru_gen_filter *f, unsigned long nr_pages);
void lru_gen_filter_free(struct lru_gen_filter *f);
bool lru_gen_worth_walking(unsigned int nr_total, unsigned int nr_young);

/* The list of @memcg, or that of all mms when there are no memcgs. */
static inline struct lru_gen_mm_list *lru_gen_mm_list_of(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	if (memcg)
		return &memcg->lru_gen_mms;
#endif
	return &lru_gen_lone_mm_list;
}

#endif /* CONFIG_LRU_GEN_WALKS_MMU */

/* young.c */
bool lru_gen_can_look(const struct vm_area_struct *vma);
void lru_gen_look_begin(struct lru_gen_look *look, struct lruvec *lruvec);
void lru_gen_look_at_table(struct lru_gen_look *look, pte_t *pte,
			   unsigned long addr, unsigned long end);
void lru_gen_look_at_huge(struct lru_gen_look *look, pmd_t *pmd, unsigned long addr);

#ifdef CONFIG_LRU_GEN_WALKS_MMU
/* Whether walks tell of mapped folios. */
static inline bool lru_gen_can_walk(void)
{
	return arch_has_hw_pte_young() && (READ_ONCE(lru_gen_caps) & LRU_GEN_CAP_WALK);
}

/* walk.c */
bool lru_gen_walk(struct lruvec *lruvec, bool full);
bool lru_gen_walk_under_way(const struct lruvec *lruvec);
bool lru_gen_uses_filter(void);

/* Have a table at @pmd count as used; the lock of @pmd is held. */
static inline void lru_gen_mark_table_used(pmd_t *pmd)
{
#ifdef CONFIG_ARCH_HAS_NONLEAF_PMD_YOUNG
	set_pmd(pmd, pmd_mkyoung(*pmd));
#endif
}

/* rmap has found a table at @pmd with an entry in use: have it walked. */
static inline void lru_gen_note_dense(struct lruvec *lruvec, pmd_t *pmd)
{
	if (lru_gen_uses_filter())
		lru_gen_filter_add(&lruvec->walk_filter, pmd);
}
#else
static inline bool lru_gen_can_walk(void) { return false; }
static inline void lru_gen_note_dense(struct lruvec *lruvec, pmd_t *pmd) { }
static inline bool lru_gen_walk(struct lruvec *lruvec, bool full) { return true; }
static inline bool lru_gen_walk_under_way(const struct lruvec *lruvec) { return false; }
#endif

#endif /* _MM_LRU_GEN_WALK_H */
