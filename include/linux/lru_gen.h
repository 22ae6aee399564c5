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
#include <linux/mm_types.h>
#include <linux/types.h>
#include <linux/xarray.h>

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
void *lru_gen_evicted(struct folio *folio);
void __lru_gen_refaulted(struct folio *folio, void *shadow);
bool lru_gen_shadow_recent(void *shadow, bool *workingset);
void __lru_gen_read_ahead_hit(struct folio *folio);
void __lru_gen_swap_freed(void *shadow);
void __lru_gen_mapped(struct folio *folio, bool prefault, unsigned long exec);
int __lru_gen_look_around(struct page_vma_mapped_walk *pvmw);
void lru_gen_migrated(struct folio *to, struct folio *from);

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

/* A shadow says which LRU made it: the bit next to the classic workingset bit. */
#define LRU_GEN_SHADOW_SHIFT	1
#define LRU_GEN_SHADOW		2UL

static inline bool lru_gen_made(void *shadow)
{
	return xa_to_value(shadow) & LRU_GEN_SHADOW;
}

/* True if the refault has been judged and there is no more to be done. */
static inline bool lru_gen_refaulted(struct folio *folio, void *shadow)
{
	if (!lru_gen_made(shadow))
		return false;
	__lru_gen_refaulted(folio, shadow);
	return true;
}

/* Whether a page is to be marked that is read although the fault is on an @other. */
static inline bool lru_gen_marks_read_ahead(bool other)
{
	return other && lru_gen_enabled();
}

/*
 * @folio, in the swap cache since a moment ago, is read without a fault on it: before
 * one, or to be written elsewhere. Its refault is counted when somebody uses it.
 */
static inline void lru_gen_mark_read_ahead(struct folio *folio, bool read_ahead)
{
	if (read_ahead && lru_gen_enabled())
		folio_set_readahead(folio);
}

/* A fault has found @folio in the swap cache, and PG_readahead set if @hit. */
static inline void lru_gen_read_ahead_hit(struct folio *folio, bool hit)
{
	if (hit && lru_gen_enabled())
		__lru_gen_read_ahead_hit(folio);
}

/* The swap entry of a page is freed, of which @shadow tells that it was evicted. */
static inline void lru_gen_swap_freed(void *shadow)
{
	if (lru_gen_enabled() && lru_gen_made(shadow))
		__lru_gen_swap_freed(shadow);
}

/* @pvmw has come upon a young entry. Returns how many uses that counts for. */
static inline int lru_gen_look_around(struct page_vma_mapped_walk *pvmw)
{
	return lru_gen_enabled() ? __lru_gen_look_around(pvmw) : 1;
}

/*
 * File pages of @folio have been mapped: by a fault on one of them, or by the
 * way (@prefault). @exec is not 0 if they can be run.
 */
static inline void lru_gen_mapped(struct folio *folio, bool prefault,
				  unsigned long exec)
{
	if (lru_gen_enabled())
		__lru_gen_mapped(folio, prefault, exec);
}

#else /* !CONFIG_LRU_GEN */

#define LRU_GEN_SHADOW_SHIFT	0

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
static inline void *lru_gen_evicted(struct folio *folio) { return NULL; }
static inline bool lru_gen_made(void *shadow) { return false; }
static inline bool lru_gen_refaulted(struct folio *folio, void *shadow) { return false; }
static inline bool lru_gen_shadow_recent(void *shadow,
					 bool *workingset) { return false; }
static inline bool lru_gen_marks_read_ahead(bool other) { return false; }
static inline void lru_gen_mark_read_ahead(struct folio *folio, bool read_ahead) { }
static inline void lru_gen_read_ahead_hit(struct folio *folio, bool hit) { }
static inline void lru_gen_swap_freed(void *shadow) { }
static inline void lru_gen_mapped(struct folio *folio, bool prefault,
				  unsigned long exec) { }
static inline int lru_gen_look_around(struct page_vma_mapped_walk *pvmw) { return 1; }
static inline void lru_gen_migrated(struct folio *to, struct folio *from) { }

#endif /* CONFIG_LRU_GEN */

#ifdef CONFIG_LRU_GEN_WALKS_MMU

void lru_gen_mm_init(struct mm_struct *mm);
void lru_gen_mm_add(struct mm_struct *mm);
void lru_gen_mm_del(struct mm_struct *mm);
void lru_gen_mm_migrate(struct mm_struct *mm);
void lru_gen_fork(struct task_struct *p, u64 clone_flags);
void lru_gen_attach(struct cgroup_taskset *tset);
void lru_gen_memcg_init(struct mem_cgroup *memcg);
void lru_gen_memcg_exit(struct mem_cgroup *memcg);

/*
 * A thread of @mm is about to run. Whether or not the LRU is on: it may be
 * switched on later. Most switches find the word as it should be and leave its
 * cache line to the other CPUs.
 */
static inline void lru_gen_mm_use(struct mm_struct *mm)
{
	if (READ_ONCE(mm->lru_gen.used) != ~0UL)
		WRITE_ONCE(mm->lru_gen.used, ~0UL);
}

#else /* !CONFIG_LRU_GEN_WALKS_MMU */

static inline void lru_gen_mm_init(struct mm_struct *mm) { }
static inline void lru_gen_mm_add(struct mm_struct *mm) { }
static inline void lru_gen_mm_del(struct mm_struct *mm) { }
static inline void lru_gen_mm_migrate(struct mm_struct *mm) { }
static inline void lru_gen_mm_use(struct mm_struct *mm) { }
static inline void lru_gen_fork(struct task_struct *p, u64 clone_flags) { }
static inline void lru_gen_attach(struct cgroup_taskset *tset) { }
static inline void lru_gen_memcg_init(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_exit(struct mem_cgroup *memcg) { }

#endif /* CONFIG_LRU_GEN_WALKS_MMU */

#if defined(CONFIG_LRU_GEN) && defined(CONFIG_MEMCG)

bool __lru_gen_reclaim_node(struct pglist_data *pgdat, struct scan_control *sc);
void lru_gen_pgdat_init(struct pglist_data *pgdat);
void lru_gen_memcg_online(struct mem_cgroup *memcg);
void lru_gen_memcg_offline(struct mem_cgroup *memcg);
void lru_gen_memcg_release(struct mem_cgroup *memcg);
void lru_gen_memcg_wake(struct lruvec *lruvec);

/* True if all memcgs have been reclaimed from whose turn it was. */
static inline bool lru_gen_reclaim_node(struct pglist_data *pgdat,
					struct scan_control *sc)
{
	return lru_gen_enabled() && __lru_gen_reclaim_node(pgdat, sc);
}

#else

static inline bool lru_gen_reclaim_node(struct pglist_data *pgdat,
					struct scan_control *sc) { return false; }
static inline void lru_gen_pgdat_init(struct pglist_data *pgdat) { }
static inline void lru_gen_memcg_online(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_offline(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_release(struct mem_cgroup *memcg) { }
static inline void lru_gen_memcg_wake(struct lruvec *lruvec) { }

#endif /* CONFIG_LRU_GEN && CONFIG_MEMCG */

#endif /* _LINUX_LRU_GEN_H */
