// SPDX-License-Identifier: GPL-2.0
/*
 * Sharing out the mm_structs of a memcg among threads that walk them.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>

#include "internal.h"
#include "walk.h"

/**
 * DOC: mm_round
 *
 * A round offers each mm of a memcg once to the threads that walk for one of
 * its lruvecs, no two threads the same one. It need not be done in one go: who
 * leaves early leaves the rest to whoever comes next.
 *
 * An mm that could not be walked, because its lock was busy, is handed back and
 * offered once more when all others have been. If that fails too, it counts as
 * left out: the round is over but not complete, and the next one offers the mm
 * again even if it has not run meanwhile.
 *
 * Between rounds, the bits of lru_gen_mm.used tell who has run. They are taken
 * when the mm is, before the walk begins, so that what is used during the walk
 * counts for the next. An mm that is loaded on some CPU keeps its bit, where
 * the architecture keeps track of that: a thread that never leaves its CPU sets
 * none.
 */

/* Links looked at with the lock held once. */
#define LOOK_BATCH	128

static struct lru_gen_mm_list *list_of(const struct lru_gen_cursor *c)
{
	return lru_gen_mm_list_of(c->memcg);
}

static bool has_bit(int nid)
{
	return nid < BITS_PER_LONG;
}

static int nid_of(const struct lru_gen_cursor *c)
{
	return lruvec_pgdat(c->lruvec)->node_id;
}

static bool is_loaded(struct mm_struct *mm)
{
	/* Who comes just now sets its mark itself. */
	return !data_race(cpumask_empty(mm_cpumask(mm)));
}

/* Whether it has run. Its mark is taken before it is asked whether it still runs. */
static bool take_used(struct mm_struct *mm, int nid)
{
	unsigned long *used = &mm->lru_gen.used;

	if (!test_bit(nid, used))
		return false;
	clear_bit(nid, used);
	/* Pairs with switch_mm(): a CPU that is not seen here sees the mark is gone. */
	smp_mb__after_atomic();
	if (is_loaded(mm))
		set_bit(nid, used);
	return true;
}

/* Policy: whether the round owes @mm a look. Asked once: the marks are taken. */
static bool take_marks(const struct lru_gen_cursor *c, struct mm_struct *mm)
{
	const struct lru_gen_round *round = &c->lruvec->mm_round;
	struct lru_gen_mm *m = &mm->lru_gen;
	int nid = nid_of(c);
	bool missed, used;

	if (!has_bit(nid))
		return true;
	missed = __test_and_clear_bit(nid, &m->missed);
	if (round->pass == LRU_GEN_PASS_AGAIN)
		return missed;
	used = take_used(mm, nid);
	return used || missed || round->full;
}

static void begin_pass(const struct lru_gen_cursor *c, enum lru_gen_pass pass)
{
	struct lru_gen_round *round = &c->lruvec->mm_round;

	round->pass = pass;
	round->next = list_of(c)->head.next;
}

static void begin_round(const struct lru_gen_cursor *c)
{
	struct lru_gen_round *round = &c->lruvec->mm_round;

	round->seq = READ_ONCE(c->lruvec->lrugen.max_seq);
	round->nr_returned = 0;
	round->nr_left_out = 0;
	round->full = c->full;
	begin_pass(c, LRU_GEN_PASS_FIRST);
}

/* Whether there is nothing left to offer now. */
static bool is_exhausted(const struct lru_gen_cursor *c)
{
	struct lru_gen_round *round = &c->lruvec->mm_round;
	struct list_head *end = &list_of(c)->head;

	if (round->next == end && round->pass == LRU_GEN_PASS_FIRST && round->nr_returned)
		begin_pass(c, LRU_GEN_PASS_AGAIN);
	return round->next == end;
}

/* Whether the cursor has come to something: an mm in hand, or the end. */
static bool look_for_mm(struct lru_gen_cursor *c)
{
	struct lru_gen_round *round = &c->lruvec->mm_round;
	int i;

	lockdep_assert_held(&list_of(c)->lock);
	for (i = 0; i < LOOK_BATCH; i++) {
		struct mm_struct *mm;

		if (is_exhausted(c))
			return true;
		mm = list_entry(round->next, struct mm_struct, lru_gen.link);
		round->next = round->next->next;
		if (take_marks(c, mm) && mmget_not_zero(mm)) {
			c->mm = mm;
			c->again = round->pass == LRU_GEN_PASS_AGAIN;
			return true;
		}
	}
	return false;
}

/* Never the last step of an exit: that takes locks reclaim may not take. */
static void put_mm(struct lru_gen_cursor *c)
{
	if (c->mm)
		mmput_async(c->mm);
	c->mm = NULL;
}

/**
 * lru_gen_round_begin() - take part in the round of a lruvec
 * @c: lruvec and full are set; the caller keeps the memcg alive to the end
 *
 * Begins a round if there is none. One that nobody takes part in any more is
 * given up if it was for an older generation, and one that takes only those
 * that have run starts over if this thread wants all.
 *
 * Context: process context.
 * Return: false if other threads have all there is in hand. Then this one does
 * not take part, and must not call lru_gen_round_end().
 */
bool lru_gen_round_begin(struct lru_gen_cursor *c)
{
	struct lru_gen_round *round = &c->lruvec->mm_round;
	bool stale, joined;

	c->memcg = lruvec_memcg(c->lruvec);
	c->mm = NULL;
	c->again = false;
	c->over = false;

	spin_lock(&list_of(c)->lock);
	stale = !round->nr_walkers && round->seq != READ_ONCE(c->lruvec->lrugen.max_seq);
	c->fresh = round->pass == LRU_GEN_PASS_NONE || stale || (c->full && !round->full);
	if (c->fresh)
		begin_round(c);
	c->seq = round->seq;
	joined = !round->nr_walkers || !is_exhausted(c);
	round->nr_walkers += joined;
	spin_unlock(&list_of(c)->lock);
	return joined;
}

/**
 * lru_gen_next_mm() - the next mm for this thread to walk
 * @c: begun; the mm in hand, if any, is done and is let go
 *
 * Context: process context, may sleep.
 * Return: an mm with a user's reference, or NULL if there is none left. Those
 * that other threads have in hand may still be handed back.
 */
struct mm_struct *lru_gen_next_mm(struct lru_gen_cursor *c)
{
	bool found;

	put_mm(c);
	do {
		cond_resched();
		spin_lock(&list_of(c)->lock);
		found = look_for_mm(c);
		spin_unlock(&list_of(c)->lock);
	} while (!found);
	return c->mm;
}

/* After the first time it is owed a look, after the second the next round's. */
static void mark_returned(struct lru_gen_cursor *c, struct lru_gen_mm *m)
{
	struct lru_gen_round *round = &c->lruvec->mm_round;
	int nid = nid_of(c);

	if (c->again || !has_bit(nid)) {
		round->nr_left_out++;
		WRITE_ONCE(m->used, ~0UL);
		return;
	}
	__set_bit(nid, &m->missed);
	round->nr_returned++;
	if (round->pass == LRU_GEN_PASS_AGAIN)
		begin_pass(c, LRU_GEN_PASS_AGAIN);
}

/**
 * lru_gen_return_mm() - hand back the mm in hand, not walked to its end
 * @c: has an mm in hand, and lets it go
 *
 * If it has moved to another memcg meanwhile, it is for that one to walk.
 *
 * Context: process context.
 */
void lru_gen_return_mm(struct lru_gen_cursor *c)
{
	struct lru_gen_mm *m = &c->mm->lru_gen;

	spin_lock(&list_of(c)->lock);
	if (READ_ONCE(m->memcg) == c->memcg)
		mark_returned(c, m);
	spin_unlock(&list_of(c)->lock);
	put_mm(c);
}

/**
 * lru_gen_round_end() - take part no more
 * @c: begun; the mm in hand, if any, is done and is let go
 *
 * The round is over when the last thread leaves after all mms have been
 * offered, and complete if none was left out.
 *
 * Context: process context.
 * Return: true if with this thread, and only with this one, it was completed.
 */
bool lru_gen_round_end(struct lru_gen_cursor *c)
{
	struct lru_gen_round *round = &c->lruvec->mm_round;
	bool complete;

	put_mm(c);
	spin_lock(&list_of(c)->lock);
	round->nr_walkers--;
	c->over = !round->nr_walkers && is_exhausted(c);
	complete = c->over && !round->nr_left_out;
	if (c->over) {
		round->pass = LRU_GEN_PASS_NONE;
		round->next = NULL;
		round->nr_rounds++;
	}
	spin_unlock(&list_of(c)->lock);
	return complete;
}
