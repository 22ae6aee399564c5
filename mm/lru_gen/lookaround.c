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
 *
 * To move a folio up costs more than to look at it. So the look is a narrow one,
 * and widens for as long as most of what it comes to is in use.
 */

/* Entries looked at in one go, and at most, to either side of the first. */
#define STRIDE		16UL
#define REACH		48UL

/* Of those in a stride, this part at least must be in use for another one. */
#define DENSE_NUM	3
#define DENSE_DEN	4

/**
 * struct lru_gen_surroundings - the part of a page table around an entry
 * @look: what has been found
 * @pte: the first entry of the table
 * @table: its address
 * @start: where the mapping begins in the table
 * @end: where it ends
 *
 * All fields are P.
 */
struct lru_gen_surroundings {
	struct lru_gen_look look;
	pte_t *pte;
	unsigned long table;
	unsigned long start;
	unsigned long end;
};

/* Returns whether most of the stride at @addr was in use; outside there is none. */
static bool look_at_stride(struct lru_gen_surroundings *s, unsigned long addr)
{
	unsigned long start = max(addr, s->start), end = min(addr + STRIDE * PAGE_SIZE, s->end);
	struct lru_gen_look *look = &s->look;

	if (start >= end)
		return false;
	look->nr_total = 0;
	look->nr_young = 0;
	lru_gen_look_at_table(look, s->pte + (start - s->table) / PAGE_SIZE, start, end);
	return look->nr_young * DENSE_DEN >= look->nr_total * DENSE_NUM;
}

static void look_on(struct lru_gen_surroundings *s, unsigned long addr, long step)
{
	unsigned long left;

	for (left = REACH / STRIDE; left; left--) {
		addr += step;
		if (!look_at_stride(s, addr))
			break;
	}
}

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
	unsigned long addr = pvmw->address, table = addr & PMD_MASK;
	const long stride = STRIDE * PAGE_SIZE;
	struct lru_gen_surroundings s = {
		.pte = pvmw->pte - (addr - table) / PAGE_SIZE,
		.table = table,
		.start = max(table, pvmw->vma->vm_start),
		.end = min(table + PMD_SIZE, pvmw->vma->vm_end),
	};

	if (!lru_gen_has(LRU_GEN_PART_LOOK_AROUND) || !lru_gen_can_look(pvmw->vma))
		return 1;
	lru_gen_look_begin(&s.look, lruvec);
	s.look.vma = pvmw->vma;
	s.look.around = true;
	addr = ALIGN_DOWN(addr, stride);
	if (look_at_stride(&s, addr)) {
		look_on(&s, addr, stride);
		look_on(&s, addr, -stride);
	}
	lru_gen_note_dense(lruvec, pvmw->pmd);
	return 1;
}
