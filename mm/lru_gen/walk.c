// SPDX-License-Identifier: GPL-2.0
/*
 * The walk of page tables: which folios of a lruvec have been used.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mmu_notifier.h>
#include <linux/pgtable.h>
#include <linux/sched/signal.h>

#include "internal.h"
#include "walk.h"

/**
 * DOC: walk
 *
 * A walk goes through the address spaces of a memcg that have run since the last
 * one and takes the accessed bits of its folios. It costs what has been used: on
 * machines that set accessed bits in upper levels too, page tables below one that
 * is clear are passed over; on others, those in which little was found before.
 *
 * It holds one mapping at a time, under mmap_lock if that can be had at once, or
 * under the lock of the mapping itself, which a page fault elsewhere or mmap()
 * does not keep from it. An mm of which neither can be had is handed back, and
 * offered again later. The walk allocates nothing that it cannot do without.
 */

/**
 * struct lru_gen_walk - a thread's walk
 * @look: at one mapping
 * @filter: of the lruvec; NULL if accessed bits of upper levels are used
 * @full: whether to look at all page tables
 * @by_mmap_lock: whether the mapping is held by mmap_lock
 * @table: upper-level entry whose accessed bit was taken last; only compared
 * @table_used: what that bit was
 * @result: what was found
 *
 * All fields are P.
 */
struct lru_gen_walk {
	struct lru_gen_look look;
	struct lru_gen_filter *filter;
	bool full;
	bool by_mmap_lock;
	const pmd_t *table;
	bool table_used;
	struct lru_gen_walk_result result;
};

/**
 * lru_gen_uses_filter() - whether a filter tells which tables to walk
 *
 * Return: false if the machine does, by accessed bits in upper levels.
 */
bool lru_gen_uses_filter(void)
{
	return !arch_has_hw_nonleaf_pmd_young() ||
	       !(READ_ONCE(lru_gen_caps) & LRU_GEN_CAP_NONLEAF);
}

/*
 * Whether a table has been used, by the accessed bit of the entry above it. The
 * bit is taken once, while several mappings may share the table: what it was
 * holds for those that follow, too.
 */
static bool take_table_use(struct lru_gen_walk *w, pmd_t *pmd, unsigned long addr)
{
	if (w->table != pmd) {
		w->table = pmd;
		w->table_used = pmdp_test_and_clear_young(w->look.vma, addr & PMD_MASK, pmd);
	}
	return w->table_used;
}

/* A secondary MMU sets no accessed bits in upper levels. */
static bool skip_table(struct lru_gen_walk *w, pmd_t *pmd, unsigned long addr)
{
	struct vm_area_struct *vma = w->look.vma;

	if (w->filter) {
		if (w->full || !lru_gen_filter_test(w->filter, pmd))
			return !w->full;
		w->result.nr[LRU_GEN_WALK_FOUND]++;
		return false;
	}
	return arch_has_hw_nonleaf_pmd_young() &&
	       !take_table_use(w, pmd, addr) && !w->full && !mm_has_notifiers(vma->vm_mm);
}

static void note_table(struct lru_gen_walk *w, pmd_t *pmd)
{
	struct lru_gen_look *look = &w->look;

	if (w->filter && lru_gen_worth_walking(look->nr_total, look->nr_young)) {
		lru_gen_filter_add(w->filter, pmd);
		w->result.nr[LRU_GEN_WALK_ADDED]++;
	}
	w->result.nr[LRU_GEN_WALK_TOTAL] += look->nr_total;
	w->result.nr[LRU_GEN_WALK_YOUNG] += look->nr_young;
	look->nr_total = 0;
	look->nr_young = 0;
	look->nr_elsewhere = 0;
}

/* Entries of other nodes are left to walks for these, which must find the way. */
static void leave_to_others(struct lru_gen_walk *w, pmd_t *pmd)
{
	spinlock_t *ptl;	/* of the table above */

	if (w->filter || !w->look.nr_elsewhere)
		return;
	ptl = pmd_lock(w->look.vma->vm_mm, pmd);
	if (pmd_present(*pmd) && !pmd_leaf(*pmd))
		lru_gen_mark_table_used(pmd);
	spin_unlock(ptl);
}

static void walk_table(struct lru_gen_walk *w, pmd_t *pmd, unsigned long addr,
		       unsigned long end)
{
	spinlock_t *ptl;	/* of the table */
	pte_t *pte;

	if (skip_table(w, pmd, addr))
		return;
	/* Like pte_offset_map_lock(), of which sparse cannot tell what it took. */
	pte = __pte_offset_map_lock(w->look.vma->vm_mm, pmd, addr, &ptl);
	if (!pte)
		return;
	__acquire(RCU);
	__acquire(ptl);
	lru_gen_look_at_table(&w->look, pte, addr, end);
	pte_unmap_unlock(pte, ptl);
	leave_to_others(w, pmd);
}

static void walk_pmd(struct lru_gen_walk *w, pmd_t *pmd, unsigned long addr,
		     unsigned long end)
{
	pmd_t entry = pmdp_get_lockless(pmd);

	if (!pmd_present(entry) || pmd_devmap(entry))
		return;
	if (pmd_trans_huge(entry))
		lru_gen_look_at_huge(&w->look, pmd, addr & PMD_MASK);
	else
		walk_table(w, pmd, addr, end);
	note_table(w, pmd);
}

/* The entry for @addr, or NULL if nothing is mapped there up to @next. */
static pmd_t *find_pmd(struct mm_struct *mm, unsigned long addr, unsigned long *next)
{
	unsigned long end = *next;
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;

	*next = pgd_addr_end(addr, end);
	if (!pgd_present(READ_ONCE(*pgd)))
		return NULL;
	p4d = p4d_offset(pgd, addr);
	*next = p4d_addr_end(addr, end);
	if (!p4d_present(READ_ONCE(*p4d)))
		return NULL;
	pud = pud_offset(p4d, addr);
	*next = pud_addr_end(addr, end);
	if (!pud_present(READ_ONCE(*pud)) || pud_leaf(READ_ONCE(*pud)))
		return NULL;
	*next = pmd_addr_end(addr, end);
	return pmd_offset(pud, addr);
}

/* Somebody waits for what we hold, or this thread has to go. */
static bool should_pause(const struct lru_gen_walk *w)
{
	return fatal_signal_pending(current) ||
	       (w->by_mmap_lock && mmap_lock_is_contended(w->look.vma->vm_mm));
}

/* Returns where it has stopped. */
static unsigned long walk_vma(struct lru_gen_walk *w, unsigned long addr)
{
	struct vm_area_struct *vma = w->look.vma;
	unsigned long next;

	if (!lru_gen_can_look(vma))
		return vma->vm_end;
	for (addr = max(addr, vma->vm_start); addr < vma->vm_end; addr = next) {
		pmd_t *pmd;

		next = vma->vm_end;
		pmd = find_pmd(vma->vm_mm, addr, &next);
		if (pmd)
			walk_pmd(w, pmd, addr, next);
		cond_resched();
		if (should_pause(w))
			return next;
	}
	return vma->vm_end;
}

static struct vm_area_struct *hold_by_vma_lock(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;
	struct vma_iterator vmi;

	vma_iter_init(&vmi, mm, addr);
	rcu_read_lock();
	vma = vma_next(&vmi);
	if (vma)
		addr = max(addr, READ_ONCE(vma->vm_start));
	rcu_read_unlock();
	if (!vma)
		return NULL;
	return lock_vma_under_rcu(mm, addr) ?: ERR_PTR(-EBUSY);
}

/* The mapping that holds @addr, or the first above; NULL if there is none. */
static struct vm_area_struct *hold_vma(struct lru_gen_walk *w, struct mm_struct *mm,
				       unsigned long addr)
{
	struct vm_area_struct *vma;

	w->by_mmap_lock = mmap_read_trylock(mm);
	if (!w->by_mmap_lock)
		return hold_by_vma_lock(mm, addr);
	vma = find_vma(mm, addr);
	if (!vma)
		mmap_read_unlock(mm);
	return vma;
}

static void release_vma(struct lru_gen_walk *w, struct mm_struct *mm)
{
	if (w->by_mmap_lock)
		mmap_read_unlock(mm);
	else
		vma_end_read(w->look.vma);
}

/* False if it could not be walked to its end. */
static bool walk_mm(struct lru_gen_walk *w, struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	unsigned long addr = 0;

	w->table = NULL;
	for (vma = hold_vma(w, mm, addr); !IS_ERR_OR_NULL(vma); vma = hold_vma(w, mm, addr)) {
		w->look.vma = vma;
		addr = walk_vma(w, addr);
		release_vma(w, mm);
		if (fatal_signal_pending(current))
			return false;
	}
	return !vma;
}

static void walk_mms(struct lru_gen_walk *w, struct lru_gen_cursor *c)
{
	struct mm_struct *mm;

	while ((mm = lru_gen_next_mm(c))) {
		if (walk_mm(w, mm)) {
			w->result.nr_mms++;
			continue;
		}
		w->result.nr_skipped++;
		lru_gen_return_mm(c);
		if (fatal_signal_pending(current))
			break;
	}
}

/**
 * lru_gen_walk_under_way() - whether some thread is walking for a lruvec
 * @lruvec: lruvec
 *
 * Context: any.
 * Return: true if so, a moment ago.
 */
bool lru_gen_walk_under_way(const struct lruvec *lruvec)
{
	return READ_ONCE(lruvec->mm_round.nr_walkers);
}

/**
 * lru_gen_walk() - take the accessed bits of a lruvec's folios
 * @lruvec: lruvec, whose memcg the caller keeps
 * @full: whether to look at all page tables, used or not
 *
 * Context: process context, may sleep; takes page-table locks and lru_lock.
 * Return: true if with this thread a round over all of them came to its end, or if
 * there is nothing to be had from a walk; false if it is for others to end it.
 */
bool lru_gen_walk(struct lruvec *lruvec, bool full)
{
	struct lru_gen_cursor c = { .lruvec = lruvec, .full = full };
	struct lru_gen_walk w = { .full = full };
	struct lru_gen_window *window = &lruvec->lrugen;
	bool complete;

	if (!lru_gen_can_walk())
		return true;
	if (!lru_gen_round_begin(&c))
		return false;
	lru_gen_look_begin(&w.look, lruvec);
	if (lru_gen_uses_filter()) {
		w.filter = &lruvec->walk_filter;
		if (c.fresh)
			lru_gen_filter_flip(w.filter, READ_ONCE(window->nr_total));
	}
	walk_mms(&w, &c);
	complete = lru_gen_round_end(&c) || !c.over;
	lru_gen_account_walk(lruvec, &w.result, complete);
	return c.over;
}
