// SPDX-License-Identifier: GPL-2.0
/*
 * Which folios a range of page-table entries says were used.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmu_notifier.h>
#include <linux/page_idle.h>
#include <linux/pgtable.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"
#include "walk.h"

/**
 * DOC: young
 *
 * A look takes the accessed bits of entries that map folios of one lruvec, and
 * moves these folios to the youngest generation. The first use seen of a folio is the
 * one that brought it in: a walk only leaves a mark for it, PG_referenced. Around what is
 * about to be evicted the folio moves as well, in its own tier. It would be next otherwise,
 * and without the bit that was taken.
 *
 * Bits of other lruvecs' folios, and of such as are on no list at the moment, are
 * left for who will ask for them. What is taken is passed on to page_idle and
 * DAMON by clearing PG_idle, as rmap does.
 *
 * Folios are not pinned: what is mapped is not freed while the lock of the page
 * table is held, and they are moved before it is released.
 */

/**
 * lru_gen_can_look() - whether accessed bits of a mapping say what is needed
 * @vma: the mapping, locked
 *
 * Return: false if its pages are not evictable, or are streamed through.
 */
bool lru_gen_can_look(const struct vm_area_struct *vma)
{
	struct vm_area_struct *v = (struct vm_area_struct *)vma;

	return !(vma->vm_flags & (VM_LOCKED | VM_SPECIAL | VM_HUGETLB)) &&
	       vma_has_recency(v) && !userfaultfd_armed(v);
}

/**
 * lru_gen_look_begin() - set up a look
 * @look: the look; its vma is set by the caller
 * @lruvec: whose folios are looked for
 */
void lru_gen_look_begin(struct lru_gen_look *look, struct lruvec *lruvec)
{
	look->lruvec = lruvec;
	look->memcg = lruvec_memcg(lruvec);
	look->nid = lruvec_pgdat(lruvec)->node_id;
	look->last = NULL;
	look->nr_total = 0;
	look->nr_young = 0;
	look->nr_elsewhere = 0;
	look->nr_seen = 0;
	look->around = false;
}

static void flush(struct lru_gen_look *look)
{
	if (look->nr_seen)
		lru_gen_use_folios(look->lruvec, look->seen, look->nr_seen);
	look->nr_seen = 0;
}

static bool is_ours(const struct lru_gen_look *look, struct folio *folio)
{
	return !folio_is_zone_device(folio) && folio_test_lru(folio) &&
	       folio_memcg(folio) == look->memcg;
}

static __always_inline void note_use(struct lru_gen_look *look, struct folio *folio)
{
	look->nr_young++;
	if (folio_test_idle(folio))
		folio_clear_idle(folio);
	if (folio == look->last)
		return;
	look->last = folio;
	if (!folio_test_referenced(folio) && !look->around) {
		folio_set_referenced(folio);
		return;
	}
	look->seen[look->nr_seen++] = folio;
	if (look->nr_seen == LRU_GEN_LOOK_BATCH)
		flush(look);
}

/* Mappings with entries that this does not hold for are not looked at. */
static struct folio *folio_at(pte_t entry)
{
	return pte_special(entry) ? NULL : page_folio(pte_page(entry));
}

static void look_at_entry(struct lru_gen_look *look, pte_t *pte, unsigned long addr)
{
	struct vm_area_struct *vma = look->vma;
	pte_t entry = ptep_get(pte);
	struct folio *folio;

	if (!pte_present(entry))
		return;
	look->nr_total++;
	if (!pte_young(entry) && !mm_has_notifiers(vma->vm_mm))
		return;
	folio = folio_at(entry);
	if (!folio)
		return;
	if (folio_nid(folio) != look->nid)
		look->nr_elsewhere += pte_young(entry);
	else if (is_ours(look, folio) && ptep_clear_young_notify(vma, addr, pte))
		note_use(look, folio);
}

/**
 * lru_gen_look_at_table() - look at entries of a page table
 * @look: the look
 * @pte: the first entry
 * @addr: its address
 * @end: where to stop, in the same table
 *
 * Context: the lock of the page table is held; takes lruvec->lru_lock.
 */
void lru_gen_look_at_table(struct lru_gen_look *look, pte_t *pte,
			   unsigned long addr, unsigned long end)
{
	for (; addr < end; addr += PAGE_SIZE)
		look_at_entry(look, pte++, addr);
	flush(look);
}

/**
 * lru_gen_look_at_huge() - look at an entry that maps a huge page
 * @look: the look
 * @pmd: the entry
 * @addr: its address
 *
 * Context: takes the lock of the page table and lruvec->lru_lock.
 */
void lru_gen_look_at_huge(struct lru_gen_look *look, pmd_t *pmd, unsigned long addr)
{
	spinlock_t *ptl = pmd_lock(look->vma->vm_mm, pmd);
	pmd_t entry = *pmd;
	struct folio *folio;

	if (!pmd_present(entry) || !pmd_trans_huge(entry) || pmd_devmap(entry))
		goto out;
	look->nr_total++;
	if (!pmd_young(entry) && !mm_has_notifiers(look->vma->vm_mm))
		goto out;
	folio = vm_normal_folio_pmd(look->vma, addr, entry);
	if (folio && folio_nid(folio) == look->nid && is_ours(look, folio) &&
	    pmdp_clear_young_notify(look->vma, addr, pmd))
		note_use(look, folio);
	flush(look);
out:
	spin_unlock(ptl);
}
