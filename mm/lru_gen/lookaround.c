// SPDX-License-Identifier: GPL-2.0
/*
 * The neighbours of a young entry that rmap has found.
 */
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/pgtable.h>
#include <linux/rmap.h>

#include "internal.h"
#include "walk.h"

/**
 * DOC: lookaround
 *
 * To find the entry of one folio through rmap costs as much as to look at some
 * dozens of entries that stand together. What is used together stands together
 * more often than not. So where eviction comes upon an entry in use, it looks at
 * those around it, and need not come for their folios one by one.
 */

/* Entries looked at, the one that was found in the middle if there is room. */
#define WINDOW	64UL

/**
 * __lru_gen_look_around() - look at the neighbours of a young entry
 * @pvmw: where rmap stands; the entry's accessed bit has been taken
 *
 * Context: pvmw->ptl is held; takes lruvec->lru_lock.
 * Return: 1, the use that was found.
 */
int __lru_gen_look_around(struct page_vma_mapped_walk *pvmw)
{
	struct lruvec *lruvec = folio_lruvec(pfn_folio(pvmw->pfn));
	unsigned long addr = pvmw->address;
	unsigned long start = max(addr & PMD_MASK, pvmw->vma->vm_start);
	unsigned long end = min((addr & PMD_MASK) + PMD_SIZE, pvmw->vma->vm_end);
	struct lru_gen_look look;

	if (!lru_gen_can_look(pvmw->vma))
		return 1;
	if (end - addr < WINDOW / 2 * PAGE_SIZE)
		start = max(start, end - min(end - start, WINDOW * PAGE_SIZE));
	else
		start = max(start, addr - min(addr - start, WINDOW / 2 * PAGE_SIZE));
	end = min(end, start + WINDOW * PAGE_SIZE);

	lru_gen_look_begin(&look, lruvec);
	look.vma = pvmw->vma;
	lru_gen_look_at_table(&look, pvmw->pte - (addr - start) / PAGE_SIZE, start, end);
	lru_gen_note_dense(lruvec, pvmw->pmd);
	return 1;
}
