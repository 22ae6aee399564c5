/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rest of the kernel may call of the multi-generational LRU.
 *
 * Every hook is one line at its call site. With CONFIG_LRU_GEN off it compiles
 * to nothing; with the LRU switched off at run time it costs a static branch.
 */
#ifndef _LINUX_LRU_GEN_H
#define _LINUX_LRU_GEN_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct cgroup_taskset;
struct folio;
struct lruvec;
struct mem_cgroup;
struct mm_struct;
struct page_vma_mapped_walk;
struct pglist_data;
struct scan_control;
struct task_struct;
struct vm_area_struct;

/**
 * enum lru_gen_entry - why a folio is put on a list
 * @LRU_GEN_ENTER: it was read in, faulted in or put back
 * @LRU_GEN_COLD: somebody knows it will not be needed: evict it soon
 * @LRU_GEN_NEXT: as @LRU_GEN_COLD, and it can be freed at once: evict it first
 */
enum lru_gen_entry {
	LRU_GEN_ENTER,
	LRU_GEN_COLD,
	LRU_GEN_NEXT,
};

#ifdef CONFIG_LRU_GEN

DECLARE_STATIC_KEY_MAYBE(CONFIG_LRU_GEN_ENABLED, lru_gen_key);
DECLARE_STATIC_KEY_FALSE(lru_gen_switch_key);

/* Folios entering a list now belong to generations. */
static inline bool lru_gen_enabled(void)
{
	return static_branch_maybe(CONFIG_LRU_GEN_ENABLED, &lru_gen_key);
}

/* Folios are being moved between the two LRUs: look at both. */
static inline bool lru_gen_switching(void)
{
	return static_branch_unlikely(&lru_gen_switch_key);
}

/* Some folio may be on a list of generations. */
static inline bool lru_gen_in_use(void)
{
	return lru_gen_enabled() || lru_gen_switching();
}

bool __lru_gen_enter(struct lruvec *lruvec, struct folio *folio,
		     enum lru_gen_entry entry);
bool __lru_gen_leave(struct lruvec *lruvec, struct folio *folio);
void __lru_gen_mark_accessed(struct folio *folio);
void __lru_gen_reclaim(struct lruvec *lruvec, struct scan_control *sc);
void __lru_gen_kswapd_age(struct pglist_data *pgdat, struct scan_control *sc);
void lru_gen_init_lruvec(struct lruvec *lruvec);

/* True if @folio now is on a list of generations; lru_lock is held. */
static inline bool lru_gen_enter(struct lruvec *lruvec, struct folio *folio,
				 enum lru_gen_entry entry)
{
	return lru_gen_in_use() && __lru_gen_enter(lruvec, folio, entry);
}

/* True if @folio was on a list of generations; lru_lock is held. */
static inline bool lru_gen_leave(struct lruvec *lruvec, struct folio *folio)
{
	return lru_gen_in_use() && __lru_gen_leave(lruvec, folio);
}

/* True if the access has been noted and there is no more to be done. */
static inline bool lru_gen_mark_accessed(struct folio *folio)
{
	if (!lru_gen_enabled())
		return false;
	__lru_gen_mark_accessed(folio);
	return true;
}

/* True if the classic lists of @lruvec need not be looked at. */
static inline bool lru_gen_reclaim(struct lruvec *lruvec,
				   struct scan_control *sc)
{
	if (!lru_gen_in_use())
		return false;
	__lru_gen_reclaim(lruvec, sc);
	return !lru_gen_switching();
}

/* True if there is no classic list that kswapd would have to age. */
static inline bool lru_gen_kswapd_age(struct pglist_data *pgdat,
				      struct scan_control *sc)
{
	if (!lru_gen_enabled())
		return false;
	__lru_gen_kswapd_age(pgdat, sc);
	return !lru_gen_switching();
}

#else /* !CONFIG_LRU_GEN */

static inline bool lru_gen_enabled(void) { return false; }
static inline bool lru_gen_switching(void) { return false; }
static inline bool lru_gen_in_use(void) { return false; }
static inline bool lru_gen_enter(struct lruvec *lruvec, struct folio *folio,
				 enum lru_gen_entry entry) { return false; }
static inline bool lru_gen_leave(struct lruvec *lruvec,
				 struct folio *folio) { return false; }
static inline bool lru_gen_mark_accessed(struct folio *folio) { return false; }
static inline bool lru_gen_reclaim(struct lruvec *lruvec,
				   struct scan_control *sc) { return false; }
static inline bool lru_gen_kswapd_age(struct pglist_data *pgdat,
				      struct scan_control *sc) { return false; }
static inline void lru_gen_init_lruvec(struct lruvec *lruvec) { }

#endif /* CONFIG_LRU_GEN */

/*
 * Call sites of what the engine does not do yet: page-table walks (mm_list.c,
 * walk.c, lookaround.c), its own refault distances (shadow.c) and the order of
 * memcgs (memcg_lru.c). Until these files come, each compiles to nothing.
 */
static inline void lru_gen_mm_init(struct mm_struct *mm) { }
static inline void lru_gen_mm_add(struct mm_struct *mm) { }
static inline void lru_gen_mm_del(struct mm_struct *mm) { }
static inline void lru_gen_mm_use(struct mm_struct *mm) { }
static inline void lru_gen_mm_migrate(struct mm_struct *mm) { }
static inline void lru_gen_fork(struct task_struct *p, u64 clone_flags) { }
static inline void lru_gen_attach(struct cgroup_taskset *tset) { }
static inline void lru_gen_fault_begin(struct vm_area_struct *vma) { }
static inline void lru_gen_fault_end(void) { }
static inline void lru_gen_look_around(struct page_vma_mapped_walk *pvmw) { }
static inline void lru_gen_evicted(struct folio *folio) { }
static inline void lru_gen_refaulted(struct folio *folio, void *shadow) { }
static inline void lru_gen_pgdat_init(struct pglist_data *pgdat) { }
static inline void lru_gen_memcg_init(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_exit(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_online(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_offline(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_release(struct mem_cgroup *memcg) { }
static inline void lru_gen_soft_limit(struct mem_cgroup *memcg, int nid) { }

#endif /* _LINUX_LRU_GEN_H */
