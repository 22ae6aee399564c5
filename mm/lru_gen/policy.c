// SPDX-License-Identifier: GPL-2.0
/*
 * Which list gives, who is kept, and what is known of the pages there are.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "policy.h"

/**
 * DOC: policy
 *
 * Time is a count of pages that came in. A generation is a slice of it, and holds what was
 * last known to be used then; a tier says how often. The law: a page that is idle for a is
 * used at a rate of 1 / a, and so within D more page-ins in D / (a + D) of all cases.
 *
 * The law is corrected by one factor for each type and each of three kinds of tier: uses
 * seen / uses expected. The list gives whose tail has the least cost * factor * D / (a + D),
 * anon or file, new or kept; last, what is kept and was used in the time that NEW has. A page
 * that comes back is kept only if its interval between uses makes it worth more than the
 * least of what is kept, so of a loop that is larger than memory a part stays.
 *
 * An interval is the life of the youngest generation. At its end page tables are walked,
 * what is known is renewed, a generation is opened, and the two oldest become one.
 */

/* Units of factors and shares; and more than a tail can be worth. */
#define ONE			65536ULL
#define IN_USE			(ONE << 46)

/*
 * NEW has this part of all pages. *Tuned*: on the training traces; small, so that what is
 * used once goes early. Half of it: none; five times as much: 1 % on traces, 5 % on cases.
 */
#define NEW_PART		50

/*
 * D is this part of all pages. *Tuned*: long enough for counts, and short enough to know
 * of a mistake early. Two thirds of it: 0.3 % and 0.2 %.
 */
#define SOON_PART		8

/*
 * A full interval is this part of all pages. *Derived*: a walk asks every mapped page, so
 * this is how many entries are walked for each page evicted.
 */
#define INTERVAL_PART		2

/*
 * Expected uses that outweigh what is assumed, and the most that one interval tells of OLD.
 * *Derived* that they are one: if pages are used all together or not at all, a quiet time
 * as long as they were idle before halves the chance that they will be. *Tuned* its size:
 * half and twice are within 0.4 %.
 */
#define ENOUGH			16

/* Nothing is forgotten that leaves the assumption more than a fifth. *Derived* from it. */
#define NOT_FORGOTTEN		(4 * ENOUGH)

/*
 * New pages are assumed to come back in one of so many of the cases that the law expects.
 * *Tuned* on traces: most first uses are the last. 10: 0.9 %; 1: 9 to 13 %.
 */
#define NEW_RETURNS		20

/*
 * After an interval, this part of what is known of NEW and KEPT still counts. *Tuned* on
 * phases: they are over after two intervals. A half: 3 % on cases, none on traces.
 */
#define FORGET			3

/*
 * Weights of tiers that are kept: as many as uses were seen. *Derived*: a page that was used
 * twice within its time has twice the rate. Equal ones cost 1.6 % on traces.
 */
static unsigned int weight(unsigned int tier)
{
	return tier > LRU_GEN_KEPT ? tier - LRU_GEN_KEPT + 1U : 1U;
}

/*
 * A batch is this part of all pages, and no more than reclaim asks for at a time.
 * *Derived*: the error of evicting together is of the order of this part.
 */
#define BATCH_PART		32
#define BATCH_MAX		32UL

static u32 soon(const struct lru_gen_policy *p)
{
	return (u32)(p->nr_pages / SOON_PART) + 1;
}

/* The law: of pages idle for @age, this share is used soon. */
static u64 law(const struct lru_gen_policy *p, unsigned int tier, u32 age)
{
	u64 w = (u64)soon(p) * weight(tier);

	if (!lru_gen_has(LRU_GEN_PART_AGES))
		age = (u32)p->nr_pages;
	return div64_u64(w * ONE, age + w);
}

static unsigned int kind_of(unsigned int tier)
{
	return min_t(unsigned int, tier, LRU_GEN_KEPT);
}

static u64 ratio(const struct lru_gen_evidence *k, u64 assumed)
{
	return div64_u64((k->seen + ENOUGH * assumed) << 16, k->expected + ENOUGH * ONE);
}

/* Uses for each that the law expects. What is not known of a type is as with the other. */
static u64 factor(const struct lru_gen_policy *p, const struct lru_gen_place *at)
{
	unsigned int kind = kind_of(at->tier);

	if (!lru_gen_has(LRU_GEN_PART_EVIDENCE))
		return kind == LRU_GEN_NEW ? ONE / NEW_RETURNS : ONE;
	if (kind == LRU_GEN_NEW)
		return ratio(&p->known[at->type][kind], ONE / NEW_RETURNS);
	return ratio(&p->known[at->type][kind], ratio(&p->known[!at->type][kind], ONE));
}

/*
 * What the tail of a list is worth: refaults to be expected soon, by what they cost. What is
 * kept has as long after a use as what is new has: it would be back at once, at any cost.
 */
static u64 worth(const struct lru_gen_policy *p, const struct lru_gen_place *at)
{
	u64 w = p->cost[at->type] * factor(p, at) * lru_gen_expected(p, at) >> 8;

	if (at->tier >= LRU_GEN_KEPT && lru_gen_index_of(&p->ages, at->gen) < MIN_NR_GENS &&
	    lru_gen_tail_age(&p->ages, at) <= lru_gen_new_share(p))
		w += IN_USE;
	return w;
}

/**
 * lru_gen_rate() - the same as a rate, to compare times that may be long
 * @p: the policy
 * @at: the list
 * @age: for how long its tail is idle, in any unit
 *
 * Return: cost of its refaults per unit of @age.
 */
u64 lru_gen_rate(const struct lru_gen_policy *p, const struct lru_gen_place *at, u32 age)
{
	return div64_u64(p->cost[at->type] * factor(p, at) * weight(at->tier) << 12,
			 (u64)age + 1);
}

/**
 * lru_gen_batch() - how many pages to evict at a time, if not asked for more
 * @p: the policy
 *
 * Return: pages.
 */
unsigned long lru_gen_batch(const struct lru_gen_policy *p)
{
	return clamp(p->nr_pages / BATCH_PART, 1UL, BATCH_MAX);
}

/**
 * lru_gen_new_share() - how many pages NEW may have
 * @p: the policy
 *
 * Return: pages.
 */
unsigned long lru_gen_new_share(const struct lru_gen_policy *p)
{
	return max(p->nr_pages / NEW_PART, lru_gen_batch(p) + 1);
}

/**
 * lru_gen_patience() - how many more pages may be found in use than go
 * @p: the policy
 *
 * As many as the law looks ahead: the first of them may be idle again by then.
 *
 * Return: pages.
 */
unsigned long lru_gen_patience(const struct lru_gen_policy *p)
{
	return soon(p);
}

/* The list of @first or a higher tier whose tail is worth least. */
static bool least_worth(const struct lru_gen_policy *p, const struct lru_gen_may *may,
			unsigned int first, struct lru_gen_place *at)
{
	struct lru_gen_place x;
	u64 least = U64_MAX, w;

	for (x.type = 0; x.type < LRU_GEN_NR_TYPES; x.type++)
		for (x.tier = first; x.tier < MAX_NR_TIERS; x.tier++) {
			if (!(may->tiers[x.type] & 1U << x.tier) ||
			    !lru_gen_tail_beyond(&p->ages, &x, may->met[x.type][x.tier]))
				continue;
			w = worth(p, &x);
			if (w >= least)
				continue;
			least = w;
			*at = x;
		}
	return least != U64_MAX;
}

/**
 * lru_gen_choose() - choose the list that gives
 * @p: the policy
 * @may: lists that may
 * @at: where the choice is put
 *
 * NEW gives down to a batch below its share, so that a page has a time to be used in.
 *
 * Return: whether there is one.
 */
bool lru_gen_choose(const struct lru_gen_policy *p, const struct lru_gen_may *may,
		    struct lru_gen_place *at)
{
	if (lru_gen_nr_of(&p->ages, LRU_GEN_NEW) <= lru_gen_new_share(p) - lru_gen_batch(p) &&
	    least_worth(p, may, LRU_GEN_OLD, at))
		return true;
	return least_worth(p, may, LRU_GEN_NEW, at);
}

static u64 least_rate(const struct lru_gen_policy *p)
{
	struct lru_gen_place x;
	u64 least = U64_MAX;

	for (x.type = 0; x.type < LRU_GEN_NR_TYPES; x.type++)
		for (x.tier = LRU_GEN_OLD; x.tier < MAX_NR_TIERS; x.tier++)
			if (lru_gen_tail(&p->ages, &x))
				least = min(least, lru_gen_rate(p, &x,
								lru_gen_tail_age(&p->ages, &x)));
	return least;
}

/**
 * lru_gen_admits() - whether a page that was used again is more than NEW
 * @p: the policy
 * @to: tier and type that it would have
 * @interval: pages that came in between its uses
 *
 * It has to be worth more than the least of what is kept: LIRS's rule, for rates.
 *
 * Return: whether it is.
 */
bool lru_gen_admits(const struct lru_gen_policy *p, const struct lru_gen_place *to,
		    u32 interval)
{
	return p->least != U64_MAX && lru_gen_rate(p, to, interval) >= p->least;
}

/**
 * lru_gen_expected() - how many of the pages at the tail of a list the law expects soon
 * @p: the policy
 * @at: the list
 *
 * Return: their share, in units of 1 / 65536.
 */
u64 lru_gen_expected(const struct lru_gen_policy *p, const struct lru_gen_place *at)
{
	return law(p, at->tier, lru_gen_tail_age(&p->ages, at));
}

/**
 * lru_gen_note_gone() - pages at the tail of a list were not used, and have gone
 * @p: the policy
 * @at: the list
 * @expected: what lru_gen_expected() said of them
 * @nr: how many
 *
 * NEW and KEPT are measured by what comes back. OLD is measured where it is: its tail
 * speaks for its neighbours only, and NEW is too young to be seen.
 */
void lru_gen_note_gone(struct lru_gen_policy *p, const struct lru_gen_place *at, u64 expected,
		       unsigned long nr)
{
	if (at->tier != LRU_GEN_OLD)
		p->known[at->type][kind_of(at->tier)].expected += nr * expected;
}

/**
 * lru_gen_is_soon() - whether a page has come back as soon as the law was asked about
 * @p: the policy
 * @away: pages that came in since it went
 *
 * Return: whether it has.
 */
bool lru_gen_is_soon(const struct lru_gen_policy *p, u32 away)
{
	return away <= soon(p);
}

/**
 * lru_gen_note_soon() - pages have come back soon
 * @p: the policy
 * @from: tier and type that they went from
 * @nr: how many
 */
void lru_gen_note_soon(struct lru_gen_policy *p, const struct lru_gen_place *from,
		       unsigned long nr)
{
	if (from->tier != LRU_GEN_OLD)
		p->known[from->type][kind_of(from->tier)].seen += nr * ONE;
}

/**
 * lru_gen_between_uses() - for how long a page that comes back had not been used
 * @p: the policy
 * @from: tier and type that it went from
 * @away: pages that came in since
 *
 * Return: pages that came in between its uses, for lru_gen_admits().
 */
u32 lru_gen_between_uses(const struct lru_gen_policy *p, const struct lru_gen_place *from,
			 u32 away)
{
	struct lru_gen_place at = *from;

	return lru_gen_tail(&p->ages, &at) ? away + lru_gen_tail_age(&p->ages, &at) : away;
}

/**
 * lru_gen_note_used() - pages were used in this interval and not seen to be before
 * @p: the policy
 * @at: the list that they are on
 * @nr: how many
 */
void lru_gen_note_used(struct lru_gen_policy *p, const struct lru_gen_place *at,
		       unsigned long nr)
{
	if (at->tier == LRU_GEN_OLD)
		p->now[at->type].seen += nr * ONE;
}

/**
 * lru_gen_expect_uses() - count the uses of OLD that the law expects since the last call
 * @p: the policy
 */
void lru_gen_expect_uses(struct lru_gen_policy *p)
{
	u64 passed = p->ages.clock - p->asked;
	unsigned int i, type;

	p->asked = p->ages.clock;
	for (i = 0; i < p->ages.nr_gens; i++)
		for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
			const struct lru_gen_heap *h =
				&p->ages.heap[p->ages.order[i]][LRU_GEN_OLD][type];

			p->now[type].expected += mul_u64_u64_div_u64(h->nr * ONE, passed,
						lru_gen_mean_age(&p->ages, h) + passed + 1);
		}
}

/**
 * lru_gen_interval_over() - whether it is time to walk, and to call lru_gen_end_interval()
 * @p: the policy
 *
 * Return: whether it is.
 */
bool lru_gen_interval_over(const struct lru_gen_policy *p)
{
	return !p->interval || p->ages.clock - p->began >= p->interval;
}

/*
 * OLD: what is known of pages counts as long as they are the same ones, so it is forgotten
 * at a pace that their age sets. Were they used all together or not at all, the factor of
 * pages that stay idle has to go with 1 / age, and so it does.
 */
static void renew_old(struct lru_gen_policy *p, unsigned int type)
{
	struct lru_gen_evidence *k = &p->known[type][LRU_GEN_OLD], *now = &p->now[type];
	u64 age = lru_gen_mean_age_of(&p->ages, LRU_GEN_OLD, type), all = age + p->nr_pages + 1;

	if (now->expected > ENOUGH * ONE) {
		now->seen = div64_u64(now->seen * ENOUGH, div64_u64(now->expected, ONE));
		now->expected = ENOUGH * ONE;
	}
	k->seen = div64_u64(k->seen * age, all) + now->seen;
	k->expected = div64_u64(k->expected * age, all) + now->expected;
}

static void renew(struct lru_gen_policy *p, unsigned int type)
{
	struct lru_gen_evidence *known = p->known[type];

	if (known[LRU_GEN_NEW].expected >= NOT_FORGOTTEN * ONE) {
		known[LRU_GEN_NEW].seen /= FORGET;
		known[LRU_GEN_NEW].expected /= FORGET;
	}
	known[LRU_GEN_KEPT].seen /= FORGET;
	known[LRU_GEN_KEPT].expected /= FORGET;
	if (p->interval)
		renew_old(p, type);
	p->now[type] = (struct lru_gen_evidence){};
}

/**
 * lru_gen_end_interval() - renew what is known
 * @p: the policy
 *
 * The first intervals are short: 1/8, 1/4, 1/2 of a full one. A generation is to be opened.
 */
void lru_gen_end_interval(struct lru_gen_policy *p)
{
	u32 full = (u32)(p->nr_pages / INTERVAL_PART) + 1;
	unsigned int type;

	for (type = 0; type < LRU_GEN_NR_TYPES; type++)
		renew(p, type);
	p->interval = p->interval ? min(2 * p->interval, full) : max(full / 8, 1U);
	p->began = p->ages.clock;
	p->nr_intervals++;
}

/**
 * lru_gen_policy_ask() - what reclaim wants to know is asked for this
 * @p: the policy
 * @swappiness: 0 to 200; the costs of swapping and of reading are as 200 less it to it
 * @nr_pages: evictable pages
 *
 * The least of what is kept is found for the batch that begins. Before it, nothing is admitted.
 */
void lru_gen_policy_ask(struct lru_gen_policy *p, int swappiness, unsigned long nr_pages)
{
	p->cost[LRU_GEN_ANON] = 200U - (unsigned int)swappiness;
	p->cost[LRU_GEN_FILE] = (unsigned int)swappiness;
	p->nr_pages = nr_pages;
	p->least = least_rate(p);
}

/**
 * lru_gen_policy_init() - begin with nothing known and empty generations
 * @p: the policy
 */
void lru_gen_policy_init(struct lru_gen_policy *p)
{
	*p = (struct lru_gen_policy){ .nr_pages = 1, .least = U64_MAX };
	while (p->ages.nr_gens < MIN_NR_GENS)
		lru_gen_ages_open(&p->ages);
}
