// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of evicted folios, and what their coming back says.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include <linux/xarray.h>

#include "evict.h"
#include "internal.h"

/**
 * DOC: shadow
 *
 * In the place of an evicted folio stays a shadow: whose it was, the tier it left and
 * how far the lruvec's clock had come. When the folio is read again, the clock tells for
 * how long it was away. If that is little, the use counts as one that the law expects.
 * And if the time between its uses makes it worth more than the least of what is kept,
 * it is kept itself; otherwise it is new once more.
 *
 * The use that has brought it back is counted by that, and not again when its accessed
 * bit is found.
 *
 * An anon page that is freed while it is swapped out has been written in vain, had it been
 * kept until then. So that counts as a use: memory that is soon freed is not worth
 * swapping.
 *
 * The lruvec that learns from it is the one that evicted: what comes back to another
 * memcg, because a container was restarted or a file is shared, is counted too.
 *
 * A shadow made while the classic LRU was on is judged by the classic LRU's
 * rules, and one of ours by these, whichever is on when the folio comes back.
 */

/* A bit for who made it, one for the working set, then node and memcg. */
#define FORMAT_BITS	2
#define TOKEN_BITS	(BITS_PER_XA_VALUE - FORMAT_BITS - NODES_SHIFT - MEM_CGROUP_ID_SHIFT)
#define TIER_BITS	ilog2(MAX_NR_TIERS)
#define CLOCK_BITS	min(TOKEN_BITS - TIER_BITS, 32)

/* Pages, as a power of two, for which the clock in a shadow advances by one. */
static unsigned int clock_order __read_mostly;

/**
 * struct lru_gen_token - what a shadow says
 * @memcg_id: memcg the folio was charged to
 * @nid: node it was on
 * @workingset: whether it had been used more than once
 * @tier: tier it left
 * @clock: clock of the lruvec at that time, in units of 2^clock_order pages, the
 *	lower bits
 */
struct lru_gen_token {
	int memcg_id;
	int nid;
	bool workingset;
	unsigned int tier;
	unsigned long clock;
};

static unsigned long append(unsigned long value, unsigned int nr_bits,
			    unsigned long part)
{
	return value << nr_bits | (part & (BIT(nr_bits) - 1));
}

static unsigned long cut(unsigned long *value, unsigned int nr_bits)
{
	unsigned long part = *value & (BIT(nr_bits) - 1);

	*value >>= nr_bits;
	return part;
}

static void *pack(const struct lru_gen_token *t)
{
	unsigned long value = append(0, CLOCK_BITS, t->clock);

	value = append(value, TIER_BITS, t->tier);
	value = append(value, MEM_CGROUP_ID_SHIFT, t->memcg_id);
	value = append(value, NODES_SHIFT, t->nid);
	return xa_mk_value(append(value, FORMAT_BITS, LRU_GEN_SHADOW | t->workingset));
}

static void unpack(void *shadow, struct lru_gen_token *t)
{
	unsigned long value = xa_to_value(shadow);

	t->workingset = cut(&value, FORMAT_BITS) & 1;
	t->nid = cut(&value, NODES_SHIFT);
	t->memcg_id = cut(&value, MEM_CGROUP_ID_SHIFT);
	t->tier = cut(&value, TIER_BITS);
	t->clock = value;
}

static enum lru_gen_type type_of(struct folio *folio)
{
	return folio_is_file_lru(folio) ? LRU_GEN_FILE : LRU_GEN_ANON;
}

/**
 * lru_gen_evicted() - make the shadow of a folio that is about to go
 * @folio: isolated and locked; its flags tell its tier
 *
 * Context: any; the lock of the page or swap cache is held.
 * Return: the shadow.
 */
void *lru_gen_evicted(struct folio *folio)
{
	struct lruvec *lruvec = folio_lruvec(folio);
	const struct lru_gen_window *w = &lruvec->lrugen;
	unsigned int tier = min(lru_gen_tier_left(folio), MAX_NR_TIERS - 1);
	struct lru_gen_token t = {
		.memcg_id = mem_cgroup_id(lruvec_memcg(lruvec)),
		.nid = folio_nid(folio),
		.workingset = tier >= LRU_GEN_KEPT,
		.tier = tier,
		.clock = READ_ONCE(w->policy.ages.clock) >> clock_order,
	};

	lru_gen_count_evicted(lruvec, type_of(folio), tier, folio_nr_pages(folio));
	return pack(&t);
}

/* The lruvec that evicted, unless its memcg is gone; under rcu_read_lock(). */
static struct lruvec *evicting_lruvec(const struct lru_gen_token *t)
{
	struct mem_cgroup *memcg = mem_cgroup_from_id(t->memcg_id);

	if (!memcg && !mem_cgroup_disabled())
		return NULL;
	return mem_cgroup_lruvec(memcg, NODE_DATA(t->nid));
}

/* Pages that have come in since, up to what the shadow can tell. */
static u32 time_away(const struct lru_gen_window *w, const struct lru_gen_token *t)
{
	unsigned long now = READ_ONCE(w->policy.ages.clock) >> clock_order;

	return ((now - t->clock) & (BIT_ULL(CLOCK_BITS) - 1)) << clock_order;
}

/* A fault brings back pages that were away for so long. */
static void note_demand(struct lruvec *lruvec, const struct lru_gen_place *from, u32 away,
			unsigned long nr)
{
	struct lru_gen_window *w = &lruvec->lrugen;

	lockdep_assert_held(&lruvec->lru_lock);
	if (lru_gen_is_soon(&w->policy, away))
		lru_gen_note_soon(&w->policy, from, nr);
	if (from->type != LRU_GEN_ANON)
		return;
	w->last_away = away;
	w->last_tier = from->tier;
}

/* Swap readahead and zswap writeback read what no fault has asked for. */
static bool is_read_ahead(struct folio *folio)
{
	return type_of(folio) == LRU_GEN_ANON && folio_test_readahead(folio);
}

/* Whether it is to be kept, among what is kept where it is charged now. */
static bool is_admitted(struct lruvec *lruvec, const struct lru_gen_place *to, u32 interval,
			unsigned int nr)
{
	struct lru_gen_policy *p = &lruvec->lrugen.policy;

	lockdep_assert_held(&lruvec->lru_lock);
	if (!lru_gen_admits(p, to, interval) || !lru_gen_has(LRU_GEN_PART_ADMISSION))
		return false;
	/* What enters as new counts when it does. */
	p->ages.clock += nr;
	return true;
}

/* Returns the pages that came in between its uses. */
static u32 learn(struct lruvec *lruvec, const struct lru_gen_token *t, struct folio *folio,
		 struct lru_gen_verdict *v)
{
	const struct lru_gen_place from = { .tier = t->tier, .type = type_of(folio) };
	struct lru_gen_policy *p = &lruvec->lrugen.policy;
	u32 away = time_away(&lruvec->lrugen, t);

	lockdep_assert_held(&lruvec->lru_lock);
	v->near = lru_gen_is_soon(p, away);
	if (!is_read_ahead(folio))
		atomic_long_add(folio_nr_pages(folio), &lruvec->lrugen.nr_returned);
	/* Without a swap cache its entry is about to be freed, which counts. */
	if (!is_read_ahead(folio) && (from.type == LRU_GEN_FILE || folio_test_swapcache(folio)))
		note_demand(lruvec, &from, away, folio_nr_pages(folio));
	return lru_gen_between_uses(p, &from, away);
}

static struct lru_gen_verdict judge(const struct lru_gen_token *t, struct folio *folio)
{
	struct lru_gen_verdict v = { .tier = LRU_GEN_NEW, .workingset = t->workingset };
	const struct lru_gen_place to = {
		.tier = max_t(unsigned int, t->tier, LRU_GEN_KEPT),
		.type = type_of(folio),
	};
	struct lruvec *from, *here;
	u32 interval;

	guard(rcu)();
	from = evicting_lruvec(t);
	if (!from)
		return v;
	here = folio_lruvec(folio);
	lru_gen_count_refaulted(from, to.type, t->tier, folio_nr_pages(folio));
	spin_lock_irq(&from->lru_lock);
	interval = learn(from, t, folio, &v);
	/* Most come back to where they were. */
	if (from != here) {
		spin_unlock_irq(&from->lru_lock);
		spin_lock_irq(&here->lru_lock);
	}
	if (is_admitted(here, &to, interval, folio_nr_pages(folio)))
		v.tier = to.tier;
	spin_unlock_irq(&here->lru_lock);
	return v;
}

/**
 * __lru_gen_refaulted() - put to use what is known of a folio that comes back
 * @folio: locked, charged and on no list
 * @shadow: what lru_gen_evicted() has left
 *
 * Context: process context; takes lruvec->lru_lock.
 */
void __lru_gen_refaulted(struct folio *folio, void *shadow)
{
	struct lru_gen_verdict v;
	struct lru_gen_token t;

	unpack(shadow, &t);
	v = judge(&t, folio);
	if (lru_gen_enabled())
		lru_gen_place_folio(folio, v.tier);
	else if (v.near)
		folio_set_active(folio);
	if (t.workingset)
		folio_set_workingset(folio);
	lru_gen_account_refault(folio, &v);
}

/**
 * lru_gen_returned() - how many pages have come back since the last call
 * @lruvec: lruvec that they were evicted from
 *
 * Context: any; takes no lock.
 * Return: pages that a fault or a read has asked for.
 */
unsigned long lru_gen_returned(struct lruvec *lruvec)
{
	return atomic_long_xchg(&lruvec->lrugen.nr_returned, 0);
}

/**
 * __lru_gen_read_ahead_hit() - a fault uses an anon folio that was read ahead
 * @folio: in the swap cache
 *
 * The shadow of the folio is gone. The folio next to it, whose fault read both, was
 * evicted at about the same time, so its distance stands for that of @folio.
 *
 * Context: process context; takes lruvec->lru_lock.
 */
void __lru_gen_read_ahead_hit(struct folio *folio)
{
	struct lru_gen_place from = { .type = LRU_GEN_ANON };
	struct lruvec *lruvec;

	/* PG_readahead is PG_reclaim: a folio on its way out has not come back. */
	if (folio_test_writeback(folio) || folio_test_dirty(folio))
		return;
	rcu_read_lock();	/* the folio's memcg may be changing */
	lruvec = folio_lruvec(folio);
	spin_lock_irq(&lruvec->lru_lock);
	from.tier = lruvec->lrugen.last_tier;
	note_demand(lruvec, &from, lruvec->lrugen.last_away, folio_nr_pages(folio));
	atomic_long_add(folio_nr_pages(folio), &lruvec->lrugen.nr_returned);
	spin_unlock_irq(&lruvec->lru_lock);
	rcu_read_unlock();
}

/**
 * __lru_gen_swap_freed() - the swap entry of an evicted page is freed
 * @shadow: what lru_gen_evicted() has left
 *
 * Context: any; takes the RCU read lock. The lock of the swap cache is held.
 */
void __lru_gen_swap_freed(void *shadow)
{
	struct lru_gen_token t;
	struct lruvec *lruvec;

	unpack(shadow, &t);
	guard(rcu)();
	lruvec = evicting_lruvec(&t);
	/* Whether it was soon need not be known to the page. */
	if (lruvec && data_race(lru_gen_is_soon(&lruvec->lrugen.policy,
						time_away(&lruvec->lrugen, &t))))
		atomic_long_inc(&lruvec->lrugen.nr_freed[t.tier]);
}

/**
 * lru_gen_shadow_recent() - whether a folio was evicted a short time ago
 * @shadow: what lru_gen_evicted() has left
 * @workingset: set to whether it had been used more than once
 *
 * Context: any; takes the RCU read lock.
 * Return: true if a lruvec not much larger would have kept it.
 */
bool lru_gen_shadow_recent(void *shadow, bool *workingset)
{
	struct lru_gen_token t;
	struct lruvec *lruvec;
	bool recent = false;

	unpack(shadow, &t);
	*workingset = t.workingset;
	rcu_read_lock();
	lruvec = evicting_lruvec(&t);
	if (lruvec)
		recent = time_away(&lruvec->lrugen, &t) <= READ_ONCE(lruvec->lrugen.nr_total);
	rcu_read_unlock();
	return recent;
}

/* Four times the memory has to come in before the clock in a shadow wraps. */
static int __init lru_gen_shadow_init(void)
{
	int order = fls_long(totalram_pages()) + 2 - CLOCK_BITS;

	clock_order = max(order, 0);
	return 0;
}
core_initcall(lru_gen_shadow_init);
