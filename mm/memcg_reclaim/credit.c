// SPDX-License-Identifier: GPL-2.0
/*
 * How much is asked of a memcg in its turn.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>

#include "../lru_gen/ablation.h"
#include "internal.h"

/**
 * DOC: credit
 *
 * Once a round, a member is given credit in proportion to its weight, which is
 * what it could give beyond its protection; one of mean weight, a quantum. What is
 * asked of it is taken off its credit beforehand, so that several threads can take
 * turns at it, and what it was not asked to give in the end is put back. One that
 * has credit for a batch or more can have another turn in the same round, one that
 * has less waits for more. It has a debt if a large folio was more than had been
 * asked for, or if what it gave came back.
 *
 * A page that comes back has been given for a while only, and to bring it back costs more
 * than to give another. So it is charged as RETURN_COST pages more. Where a share s of all
 * that is given comes back, a member gives in proportion to weight / (1 + RETURN_COST * s):
 * equal ones give alike, and one that uses all it has gives a 129th of what one gives whose
 * pages nobody misses. No more is charged than the order has got of it, since a limit of its
 * own may make it refault, too.
 *
 * A member pays for what came back while it gives more, spread over RETURN_SPREAD pages. For
 * what came back lately tells what the next pages cost, and pages come back by chance: if it
 * paid at once, one with some credit left would give many pages before the first of these
 * came back, and equal ones would part. In the end it has paid for all.
 *
 * Who fails to give what it has been asked for keeps no more credit than one
 * round gives, and who has nothing keeps none. Who keeps what is used far more than what others
 * give has no other turn in the round: others would wait for credit, and what they have is colder.
 *
 * Before an OOM kill all are asked for all they have: credit is not looked at, and
 * what is given then is not charged. The bound holds for the other turns.
 *
 * The bound: of two members that have the same weight throughout and give what
 * they are asked for, neither has given more than the other by more than what it
 * gets in a round (a quantum, if its weight is the mean), plus a batch, plus a
 * debt, plus what other threads have asked of them at that moment. It holds from
 * when both are new to any later time, where nothing comes back; otherwise for what was
 * given and paid for together. tests/memcg_lru_kunit.c checks it.
 */

/* What it costs to bring a page back, in pages given. A choice, not tuned. */
#define RETURN_COST		128

/* Pages given until most of what came back is paid for. A choice, not tuned. */
#define RETURN_SPREAD		(2 * MEMCG_LRU_BATCH)

/* For how long what members weighed in a round tells what they weigh. */
#define MEAN_LIFETIME		HZ

/* Policy: what a member of @weight is given in a round, in units. */
static s64 quantum_of(const struct memcg_lru *lru, unsigned long weight)
{
	unsigned long mean = max(lru->mean, MEMCG_LRU_MIN_MEAN);
	u64 quantum = max(MEMCG_LRU_QUANTUM, mean >> DEF_PRIORITY) * MEMCG_LRU_UNIT;

	if (!lru_gen_has(LRU_GEN_PART_WEIGHT))
		return weight ? quantum : 0;
	return mul_u64_u64_div_u64(weight, quantum, mean);
}

/**
 * memcg_lru_expect() - say what members weigh, if that is not known
 * @lru: the order
 * @total: pages all members could give, roughly
 *
 * Only if none has been weighed for a while: the scale ought to be the same for
 * all members of a round.
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_expect(struct memcg_lru *lru, unsigned long total)
{
	unsigned long flags;

	spin_lock_irqsave(&lru->lock, flags);
	if (!lru->weighed || time_after(jiffies, lru->weighed + MEAN_LIFETIME)) {
		lru->mean = total / max(memcg_lru_size(lru), 1U);
		lru->weighed = jiffies;
	}
	spin_unlock_irqrestore(&lru->lock, flags);
}

/* Of @nr pages that a member gives, for so many it pays as well that have come back. */
static unsigned long nr_paid_with(const struct memcg_lru_member *m, unsigned long nr)
{
	unsigned long nr_owed = m->nr_owed;

	return min3(nr, nr_owed, nr_owed * nr / RETURN_SPREAD);
}

/* The credit that @nr pages of a member take. */
static s64 price_of(const struct memcg_lru_member *m, unsigned long nr)
{
	return (nr + (s64)RETURN_COST * nr_paid_with(m, nr)) * MEMCG_LRU_UNIT;
}

/* Rounds were skipped that would have asked nobody, so none has a batch after them. */
static void give_skipped(struct memcg_lru *lru, struct memcg_lru_member *m,
			 unsigned long weight)
{
	const s64 batch = MEMCG_LRU_BATCH * MEMCG_LRU_UNIT;

	lockdep_assert_held(&lru->lock);
	if (m->credit < batch)
		m->credit = min(m->credit + quantum_of(lru, weight) *
				(lru->nr_skipped - m->nr_skipped), batch);
	m->nr_skipped = lru->nr_skipped;
}

static void give_credit(struct memcg_lru *lru, struct memcg_lru_member *m,
			unsigned long weight)
{
	lockdep_assert_held(&lru->lock);
	give_skipped(lru, m, weight);
	m->credit += quantum_of(lru, weight) * m->due;
	m->due = 0;
	lru->weight += weight;
	lru->nr_weighed += !!weight;
}

static unsigned long pages_of(s64 credit)
{
	return max_t(s64, credit, 0) / MEMCG_LRU_UNIT;
}

/* It is not asked for less. */
static unsigned long least(const struct memcg_lru_turn *t)
{
	return min(MEMCG_LRU_BATCH, t->weight);
}

/* A member has to wait. After how many rounds will it be asked? */
static void note_waiting(struct memcg_lru *lru, const struct memcg_lru_turn *t)
{
	s64 quantum = quantum_of(lru, t->weight);
	s64 lacks = least(t) * MEMCG_LRU_UNIT - t->member->credit;
	u64 nr;

	lockdep_assert_held(&lru->lock);
	if (quantum <= 0)
		return;
	nr = clamp_t(u64, div64_u64(lacks + quantum - 1, quantum), 1, INT_MAX);
	lru->nearest = min_not_zero(lru->nearest, (unsigned int)nr);
}

/* Whether it can have another turn in this round. */
static bool has_more(const struct memcg_lru_member *m)
{
	return m->removed || pages_of(m->credit) >= MEMCG_LRU_BATCH;
}

/**
 * memcg_lru_reserve() - settle how much is asked of a member
 * @lru: the order
 * @t: its turn; nr and first are set, nr to 0 if the member has to wait for credit
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_reserve(struct memcg_lru *lru, struct memcg_lru_turn *t)
{
	struct memcg_lru_member *m = t->member;
	unsigned long nr, flags;

	spin_lock_irqsave(&lru->lock, flags);
	t->first = m->due;
	if (t->first)
		give_credit(lru, m, t->weight);
	nr = m->removed || t->urgent ? t->weight : pages_of(m->credit);
	t->nr = nr < least(t) ? 0 : min3(nr, t->limit, t->weight);
	if (t->nr)
		lru->asked = true;
	else
		note_waiting(lru, t);
	if (!m->removed && !t->urgent) {
		m->credit -= (s64)t->nr * MEMCG_LRU_UNIT;
		if (has_more(m))
			memcg_lru_again(lru, m);
	}
	spin_unlock_irqrestore(&lru->lock, flags);
}

/* What a turn is charged. */
static s64 charge(struct memcg_lru_member *m, const struct memcg_lru_turn *t,
		  unsigned long nr_freed)
{
	unsigned long nr_returned = min(t->nr_returned, m->nr_away);
	s64 price;

	m->nr_owed += nr_returned;
	m->nr_away = min(m->nr_away - nr_returned + nr_freed, t->weight);
	price = price_of(m, nr_freed);
	m->nr_owed -= nr_paid_with(m, nr_freed);
	return price;
}

/**
 * memcg_lru_settle() - end a turn
 * @lru: the order
 * @t: the turn
 * @nr_freed: pages it has given
 * @willing: whether it would have given the rest, had it been taken
 *
 * Context: any; takes lru->lock.
 */
void memcg_lru_settle(struct memcg_lru *lru, struct memcg_lru_turn *t,
		      unsigned long nr_freed, bool willing)
{
	struct memcg_lru_member *m = t->member;
	unsigned long flags;

	if (t->urgent)
		return;
	spin_lock_irqsave(&lru->lock, flags);
	if (!m->removed)
		m->credit += (s64)t->nr * MEMCG_LRU_UNIT - charge(m, t, nr_freed);
	if (!willing)
		m->credit = min(m->credit, quantum_of(lru, t->weight));
	if (t->kept)
		memcg_lru_end_turns(lru, m);
	else if (willing && has_more(m))
		memcg_lru_again(lru, m);
	spin_unlock_irqrestore(&lru->lock, flags);
}
