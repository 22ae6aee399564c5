// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages of a memcg stay, since other memcgs have pages that are used less.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "../internal.h"
#include "../lru_gen/evict.h"
#include "internal.h"

/**
 * DOC: bar
 *
 * An order says whose turn it is, not what the pages of a memcg are worth. The policy
 * knows at which rate the pages are used that a memcg would miss least. What is used at a
 * rate above the bar stays, and the turn is over. The bar follows three times the mean rate
 * of what is given. When nobody gave for some turns, it is three times the least rate that
 * was met in these. So the first turns in a subtree only look.
 *
 * The mean is that of the times between uses. By a mean of rates, one memcg that gives what
 * it uses would raise the bar for itself.
 *
 * So memcgs give in proportion as long as their least used pages are used about as little
 * as those of others. A memcg that uses all it has gives nothing while others have pages
 * that are used less.
 *
 * The subtree of each memcg has a bar on each node, and a pass goes on with what the last
 * one has left. That of the root is for requests of the system, which share out what they take
 * by credit. Who keeps what it uses has another turn as long as it has credit for it, so that
 * equal ones still give alike. But who is far above the bar is not equal: its turns in the round
 * are over, since others may wait for the next one, and the bar rises to it only when there were
 * twice as many turns in vain as there are memcgs: who has to wait for credit in one round is
 * asked in the next. Before an OOM kill there is no bar. Nor has kswapd one while it reclaims for
 * a boosted watermark: it has few passes.
 *
 * The rate of a memcg may be too low, since it follows from what was seen last. If eviction finds
 * more in use than it frees, for as long as lru_gen_patience() allows, nothing the memcg has counts
 * as idle for longer than since then. When others have nothing that is idle for that long,
 * it is asked again. As anywhere, to ask costs no more than a page for each page freed: if memcgs
 * are asked in vain for more than PATIENCE allows, those in which most was in use give unasked.
 */

/*
 * The bar is so many times a rate. *Tuned*: with two and three, equal memcgs give alike; with
 * four, what was used for a second only was given beside what was not.
 */
#define TIMES_RATE	3

/* The mean is that of about so many turns, as a shift. A choice, not tuned. */
#define MEAN_SHIFT	3

/*
 * So many turns in vain for each memcg raise the bar: all may have had turns by then. But
 * somebody waits, so that no more than so many in all do, and the least of a sample is
 * taken for that of all. A choice, not tuned.
 */
#define ROUNDS		2
#define SAMPLE		8U

/* So many raise it, however far it is, and whoever is left. A choice, not tuned. */
#define MOST_TURNS	256U

/* Looks at a protected memcg while one that is not gives all it has. */
#define SPARED_LOOKS		8

/* The same at one that keeps what it uses. *Tuned*, before charges were given back. */
#define KEPT_LOOKS		64

/*
 * So many pages more than are given may be looked at in vain, for each memcg. *Derived*: what
 * a turn looks at, for one batch.
 */
#define PATIENCE		(MEMCG_VISIT_LOOKS * MEMCG_LRU_BATCH)

/* Above the highest rates, or if nobody had anything, there is no bar. */
static u64 bar_above(u64 rate)
{
	return rate < LRU_GEN_ANY_RATE / TIMES_RATE ? TIMES_RATE * rate : LRU_GEN_ANY_RATE;
}

/* The part of @aim in 1 / bar is one in 1 << MEAN_SHIFT. */
static u64 follow(u64 bar, u64 aim)
{
	u64 rest = (1U << MEAN_SHIFT) - 1;

	/* Rates in use are far below that. */
	if (bar >= LRU_GEN_ANY_RATE >> 8 || aim >= LRU_GEN_ANY_RATE >> 8)
		return aim;
	return mul_u64_u64_div_u64(aim << MEAN_SHIFT, bar, rest * aim + bar);
}

/* What is free at once has no rate, and says nothing of use. */
static void note_given(struct memcg_iter_bar *b, u64 rate)
{
	if (rate)
		WRITE_ONCE(b->rate, follow(READ_ONCE(b->rate), bar_above(rate)));
	WRITE_ONCE(b->nr_vain, 0);
}

static void note_kept(struct memcg_iter_bar *b, u64 rate, unsigned int nr_all)
{
	unsigned int nr_vain = READ_ONCE(b->nr_vain);
	u64 least = nr_vain ? min(READ_ONCE(b->least), rate) : rate;

	WRITE_ONCE(b->least, least);
	/* Where it is far, others wait for credit, and are to be asked first. */
	if (least / TIMES_RATE <= READ_ONCE(b->rate))
		nr_all = min(nr_all, SAMPLE);
	if (++nr_vain >= min(nr_all, MOST_TURNS)) {
		WRITE_ONCE(b->rate, bar_above(least));
		nr_vain = 0;
	}
	WRITE_ONCE(b->nr_vain, nr_vain);
}

/**
 * memcg_iter_bar_rounds() - how many turns in vain tell that all may have had turns
 * @nr: how many have turns
 *
 * Return: so many.
 */
unsigned int memcg_iter_bar_rounds(unsigned int nr)
{
	return ROUNDS * nr;
}

/**
 * memcg_iter_bar_sample() - how many turns in vain tell that a subtree has nothing else
 * @nr: how many have turns
 *
 * Return: so many.
 */
unsigned int memcg_iter_bar_sample(unsigned int nr)
{
	return min(memcg_iter_bar_rounds(nr), SAMPLE);
}

/**
 * memcg_iter_bar_asks() - whether no page goes unasked
 * @b: the bar of the pass, or NULL
 * @nr: how many have turns
 *
 * Context: any; takes no lock.
 * Return: false if more is found in use than that would save.
 */
bool memcg_iter_bar_asks(const struct memcg_iter_bar *b, unsigned int nr)
{
	return b && READ_ONCE(b->nr_owed) <= (long)(PATIENCE * nr);
}

static void note_asked(struct memcg_iter_bar *b, const struct memcg_visit *v, unsigned int nr)
{
	long owed = READ_ONCE(b->nr_owed) + (long)v->nr_scanned - 2 * (long)v->nr_reclaimed;
	long most = PATIENCE * nr;

	WRITE_ONCE(b->nr_owed, clamp(owed, -most, 2 * most));
}

/**
 * memcg_iter_bar_is_far() - whether what is kept is far above the bar
 * @v: the visit
 *
 * Return: whether it is more than equal ones differ by.
 */
bool memcg_iter_bar_is_far(const struct memcg_visit *v)
{
	return memcg_visit_kept(v) && v->rate / TIMES_RATE > v->most_rate;
}

/**
 * memcg_iter_bar_turn() - a turn is over
 * @b: the bar of the pass, or NULL
 * @v: the visit
 * @nr: how many have turns
 * @nr_all: turns in vain that raise the bar, however far above it the least is that was met
 *
 * Of two who come at the same time, one may not be counted. Whoever has pages that are
 * used little, and could not give them, says nothing of what others have.
 *
 * Context: any; takes no lock.
 */
void memcg_iter_bar_turn(struct memcg_iter_bar *b, const struct memcg_visit *v, unsigned int nr,
			 unsigned int nr_all)
{
	if (!b)
		return;
	note_asked(b, v, nr);
	if (v->nr_reclaimed || v->nr_waived)
		note_given(b, v->rate <= v->most_rate ? v->rate : 0);
	else
		note_kept(b, memcg_visit_kept(v) ? v->rate : LRU_GEN_ANY_RATE, nr_all);
}

/**
 * memcg_iter_bar_begin() - begin a pass
 * @b: the bar of its order
 * @nr: how many have turns
 * @sc: the request
 *
 * Where one has all there is, there is nothing to compare. Before an OOM kill, all may be taken.
 *
 * Context: any; takes no lock.
 * Return: the bar of the pass; NULL if it has none.
 */
struct memcg_iter_bar *memcg_iter_bar_begin(struct memcg_iter_bar *b, unsigned int nr,
					    struct scan_control *sc)
{
	if (nr < 2 || memcg_oom_is_next(sc))
		return NULL;
	return b;
}

/**
 * memcg_iter_bar_of_node() - begin a pass of a request of the system
 * @nid: node
 * @nr: how many have turns
 * @sc: the request
 *
 * Context: any; takes no lock.
 * Return: as memcg_iter_bar_begin().
 */
struct memcg_iter_bar *memcg_iter_bar_of_node(int nid, unsigned int nr, struct scan_control *sc)
{
	/* balance_pgdat() forbids swap for a boosted watermark, and only then. */
	if (current_is_kswapd() && !sc->may_swap)
		return NULL;
	return memcg_iter_bar_begin(&root_mem_cgroup->nodeinfo[nid]->shared_iter.bar, nr, sc);
}

/**
 * memcg_iter_bar_rate() - which pages stay
 * @b: the bar of the pass, or NULL
 *
 * Context: any; takes no lock.
 * Return: those that are used at a higher rate; LRU_GEN_ANY_RATE if none do.
 */
u64 memcg_iter_bar_rate(const struct memcg_iter_bar *b)
{
	return b ? READ_ONCE(b->rate) : LRU_GEN_ANY_RATE;
}

/*
 * Policy: what a turn is charged. Who did not give what he was asked for is charged for the
 * look at him, or he would be next again. Who is spared stands with the others when
 * protection is given up.
 */
static unsigned long cost_of(const struct memcg_visit *v, const struct memcg_iter_turn *t)
{
	/* Protected: it has pages, and this request may take none. */
	if (v->nr_pages && !v->nr_share)
		return max(t->nr, v->nr_pages / SPARED_LOOKS);
	if (memcg_visit_kept(v))
		return max(t->nr, v->nr_pages / KEPT_LOOKS);
	if (v->nr_reclaimed + v->nr_waived >= t->nr)
		return v->nr_reclaimed;
	return max(t->nr, v->nr_scanned);
}

/* What the turn before cost, if it was in vain. */
static unsigned long take_back(struct memcg_iter *it, const struct memcg_visit *v)
{
	unsigned long kept = xchg(&it->kept, 0);

	/* Without a bar, it would have given before, too. */
	if (v->most_rate == LRU_GEN_ANY_RATE)
		return 0;
	return v->nr_reclaimed || v->nr_waived ? kept : 0;
}

/**
 * memcg_iter_bar_settle() - end a turn, and charge what it has cost
 * @t: the turn
 * @v: the visit
 *
 * Who was kept in one turn and gives in the next was met at a bad moment, and is given back
 * what the first one cost. Otherwise equal ones part, since the rates of each go up and down.
 *
 * Context: any; takes the lock of the tree.
 */
void memcg_iter_bar_settle(struct memcg_iter_turn *t, const struct memcg_visit *v)
{
	long cost = cost_of(v, t);

	if (memcg_visit_kept(v)) {
		WRITE_ONCE(t->it->kept_by, t->top);
		WRITE_ONCE(t->it->kept, cost);
	} else if (READ_ONCE(t->it->kept_by) == t->top) {
		cost -= take_back(t->it, v);
	}
	memcg_iter_settle(t, v->weight, memcg_iter_pages(v->lruvec), cost);
}
