// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of evicted folios, and what their coming back says.
 */
#include <linux/bitops.h>
#include <linux/init.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include <linux/xarray.h>

#include "internal.h"

/**
 * DOC: shadow
 *
 * In the place of an evicted folio stays a shadow: whose it was, the generation
 * it left and how far the lruvec's clock of evictions had come. When the folio
 * is read again, the generation gives it back the class it had earned, less what
 * has been forgotten meanwhile; and the clock tells how much was evicted since.
 * If that is little, more memory or another choice would have spared the fault,
 * which is what feedback counts.
 *
 * It is put a class above the one it left. The use that has brought it back is
 * counted by that, and not again when its accessed bit is found.
 *
 * The lruvec to judge by is the one that evicted: what comes back to another
 * memcg, because a container was restarted or a file is shared, is counted too.
 *
 * A shadow made while the classic LRU was on is judged by the classic LRU's
 * rules, and one of ours by these, whichever is on when the folio comes back.
 */

/* A bit for who made it, one for the working set, then node and memcg. */
#define FORMAT_BITS	2
#define TOKEN_BITS	(BITS_PER_XA_VALUE - FORMAT_BITS - NODES_SHIFT - MEM_CGROUP_ID_SHIFT)
#define SEQ_BITS	min(TOKEN_BITS / 3, 12)
#define CLOCK_BITS	(TOKEN_BITS - SEQ_BITS)

/* Pages, as a power of two, for which the clock in a shadow advances by one. */
static unsigned int clock_order __read_mostly;

/**
 * struct lru_gen_token - what a shadow says
 * @memcg_id: memcg the folio was charged to
 * @nid: node it was on
 * @workingset: whether it had been used more than once
 * @seq: generation it left, the lower bits
 * @clock: clock of the lruvec at that time, in units of 2^clock_order pages, the
 *	lower bits
 */
struct lru_gen_token {
	int memcg_id;
	int nid;
	bool workingset;
	unsigned long seq;
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

	value = append(value, SEQ_BITS, t->seq);
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
	t->seq = cut(&value, SEQ_BITS);
	t->clock = value;
}

static enum lru_gen_type type_of(struct folio *folio)
{
	return folio_is_file_lru(folio) ? LRU_GEN_FILE : LRU_GEN_ANON;
}

/**
 * lru_gen_evicted() - make the shadow of a folio that is about to go
 * @folio: isolated and locked; its use bits tell its class
 *
 * Context: any; the lock of the page or swap cache is held.
 * Return: the shadow.
 */
void *lru_gen_evicted(struct folio *folio)
{
	struct lruvec *lruvec = folio_lruvec(folio);
	const struct lru_gen_window *w = &lruvec->lrugen;
	unsigned int class = lru_gen_folio_refs(folio);
	struct lru_gen_token t = {
		.memcg_id = mem_cgroup_id(lruvec_memcg(lruvec)),
		.nid = folio_nid(folio),
		.workingset = class > 0,
		.seq = lru_gen_base(w) + class,
		.clock = READ_ONCE(w->feedback.clock) >> clock_order,
	};

	lru_gen_count_evicted(lruvec, type_of(folio), min(class, MAX_NR_TIERS - 1),
			      folio_nr_pages(folio));
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

/* The class a refault earns, by the bits that are left of the generation. */
static unsigned int class_earned(const struct lru_gen_window *w,
				 const struct lru_gen_token *t)
{
	unsigned long max_seq = READ_ONCE(w->max_seq);

	return lru_gen_refault_class(max_seq, max_seq - ((max_seq - t->seq) & (BIT(SEQ_BITS) - 1)));
}

/* Pages evicted since, up to what the shadow can tell. */
static unsigned long distance(const struct lru_gen_window *w,
			      const struct lru_gen_token *t)
{
	unsigned long now = READ_ONCE(w->feedback.clock) >> clock_order;

	return ((now - t->clock) & (BIT(CLOCK_BITS) - 1)) << clock_order;
}

/* Whether a lruvec not much larger would have kept it. */
static bool is_recent(const struct lru_gen_window *w, const struct lru_gen_token *t)
{
	return distance(w, t) <= READ_ONCE(w->nr_total);
}

static void note_returned(struct lru_gen_window *w, unsigned long distance, long nr)
{
	unsigned int away = lru_gen_time_away(distance, READ_ONCE(w->nr_total));

	atomic_long_add(nr, &w->nr_returned);
	atomic_long_add(nr * away, &w->away);
}

/* A fault brings back @nr pages, @distance after their eviction. */
static void note_demand(struct lru_gen_window *w, enum lru_gen_type type,
			unsigned long distance, long nr)
{
	unsigned long total = READ_ONCE(w->nr_total);

	if (lru_gen_refault_is_near(&w->feedback, distance))
		atomic_long_add(nr, &w->nr_near);
	if (lru_gen_is_soon(distance, total))
		atomic_long_add(nr, &w->nr_soon[type]);
	if (type != LRU_GEN_ANON)
		return;
	WRITE_ONCE(w->last_distance, distance);
	if (distance <= total)
		note_returned(w, distance, nr);
}

/* Swap readahead and zswap writeback read what no fault has asked for. */
static bool is_read_ahead(struct folio *folio)
{
	return type_of(folio) == LRU_GEN_ANON && folio_test_readahead(folio);
}

static struct lru_gen_verdict judge(const struct lru_gen_token *t, struct folio *folio)
{
	struct lru_gen_verdict v = { .class = 1, .workingset = t->workingset };
	struct lru_gen_window *w;
	struct lruvec *lruvec;

	rcu_read_lock();
	lruvec = evicting_lruvec(t);
	if (lruvec) {
		w = &lruvec->lrugen;
		v.class = class_earned(w, t);
		v.near = lru_gen_refault_is_near(&w->feedback, distance(w, t));
		if (!is_read_ahead(folio))
			note_demand(w, type_of(folio), distance(w, t), folio_nr_pages(folio));
		lru_gen_count_refaulted(lruvec, type_of(folio),
					min(v.class - 1, MAX_NR_TIERS - 1),
					folio_nr_pages(folio));
	}
	rcu_read_unlock();
	return v;
}

/**
 * __lru_gen_refaulted() - put to use what is known of a folio that comes back
 * @folio: locked, charged and on no list
 * @shadow: what lru_gen_evicted() has left
 *
 * Context: process context.
 */
void __lru_gen_refaulted(struct folio *folio, void *shadow)
{
	struct lru_gen_verdict v;
	struct lru_gen_token t;

	unpack(shadow, &t);
	v = judge(&t, folio);
	if (lru_gen_enabled())
		lru_gen_place_folio(folio, v.class);
	else if (v.near)
		folio_set_active(folio);
	if (t.workingset)
		folio_set_workingset(folio);
	lru_gen_account_refault(folio, &v);
}

/**
 * __lru_gen_read_ahead_hit() - a fault uses an anon folio that was read ahead
 * @folio: in the swap cache
 *
 * The shadow of the folio is gone. The folio next to it, whose fault read both, was
 * evicted at about the same time, so its distance stands for that of @folio.
 *
 * Context: any; takes the RCU read lock.
 */
void __lru_gen_read_ahead_hit(struct folio *folio)
{
	struct lru_gen_window *w;

	/* PG_readahead is PG_reclaim: a folio on its way out has not come back. */
	if (folio_test_writeback(folio) || folio_test_dirty(folio))
		return;
	rcu_read_lock();	/* the folio's memcg may be changing */
	w = &folio_lruvec(folio)->lrugen;
	note_demand(w, LRU_GEN_ANON, READ_ONCE(w->last_distance), folio_nr_pages(folio));
	rcu_read_unlock();
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
		recent = is_recent(&lruvec->lrugen, &t);
	rcu_read_unlock();
	return recent;
}

/* Four times the memory has to be evicted before the clock in a shadow wraps. */
static int __init lru_gen_shadow_init(void)
{
	int order = fls_long(totalram_pages()) + 2 - CLOCK_BITS;

	clock_order = max(order, 0);
	return 0;
}
core_initcall(lru_gen_shadow_init);
