// SPDX-License-Identifier: GPL-2.0
/*
 * Which page-table ranges are worth a walk: a set that may err on one side.
 */
#include <kunit/static_stub.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/log2.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"
#include "walk.h"

/**
 * DOC: filter
 *
 * A range is what one page table covers, and any pointer that stands for it is
 * its key. During a walk, ranges with many young entries are added to one set,
 * and so are those in which rmap runs into one between walks. The next walk
 * asks that set, and skips what is not in it, while it fills a new one.
 *
 * A set is a Bloom filter cut into blocks of a cache line. A key has NR_MARKS
 * bits in one block, so that asking costs one cache miss. With at least
 * BITS_PER_KEY bits for each key it says yes to less than 1 % of the ranges
 * that were never added, which then are walked in vain. It never says no to one
 * that was, save for the races below.
 *
 * Where there is no set, because there has been no walk or no memory for it,
 * the answer is yes.
 *
 * A set is as large as the lruvec needs: it has room for as many ranges as its
 * mapped pages would fill, or for as many as were added last time, if they are
 * sparse. It is allocated anew when that changes.
 *
 * Asking and adding take no lock. Who asks while the sets are exchanged may be
 * told no because the set is being emptied, and what is added meanwhile may go
 * to the set that is being emptied, and be lost: such a range is skipped until
 * rmap runs into it. Counting keys may miss some when
 * threads count at once: then the next set may be one size too small.
 */

#define BITS_PER_KEY	16
#define NR_MARKS	4

/* A block is a cache line of 64 bytes, whatever the machine's is. */
#define BLOCK_ORDER	9
#define MIN_ORDER	BLOCK_ORDER

/* 512 KiB: room for 512 GiB of memory in full ranges of 2 MiB. */
#define MAX_ORDER_BITS	22

/* Looking at a page through rmap costs as much as at so many table entries. */
#define RMAP_COST	16

/**
 * struct lru_gen_bits - a set of ranges
 * @rcu: for freeing it while others ask
 * @order: log2 of the number of bits; constant
 * @words: the bits; written by atomic operations
 */
struct lru_gen_bits {
	struct rcu_head rcu;
	unsigned int order;
	unsigned long words[];
};

/* Two words from which every bit of @key has had its say. */
static void hash_key(const void *key, u64 hash[2])
{
	u64 x = (unsigned long)key;

	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ULL;
	hash[0] = x ^ x >> 29;
	x = hash[0] * 0xd6e8feb86659fd93ULL;
	hash[1] = x ^ x >> 32;
}

static unsigned long first_bit(const struct lru_gen_bits *bits, u64 hash)
{
	unsigned long block = hash >> 32 & (BIT(bits->order - BLOCK_ORDER) - 1);

	return block << BLOCK_ORDER;
}

/* The marks of a key are told by the bits of its second hash, BLOCK_ORDER each. */
static void find_marks(const struct lru_gen_bits *bits, const void *key,
		       unsigned long marks[NR_MARKS])
{
	unsigned long first;
	u64 hash[2];
	int i;

	hash_key(key, hash);
	first = first_bit(bits, hash[0]);
	for (i = 0; i < NR_MARKS; i++) {
		marks[i] = first + (hash[1] & (BIT(BLOCK_ORDER) - 1));
		hash[1] >>= BLOCK_ORDER;
	}
}

static bool has_key(const struct lru_gen_bits *bits, const void *key)
{
	unsigned long marks[NR_MARKS];
	int i;

	find_marks(bits, key, marks);
	for (i = 0; i < NR_MARKS; i++)
		if (!test_bit(marks[i], bits->words))
			return false;
	return true;
}

static void set_key(struct lru_gen_bits *bits, const void *key)
{
	unsigned long marks[NR_MARKS];
	int i;

	find_marks(bits, key, marks);
	for (i = 0; i < NR_MARKS; i++)
		set_bit(marks[i], bits->words);
}

static size_t size_of_words(unsigned int order)
{
	return BITS_TO_LONGS(BIT(order)) * sizeof(unsigned long);
}

/**
 * lru_gen_bits_alloc() - allocate an empty set
 * @order: log2 of the number of bits
 *
 * It does not wait and leaves the last reserves alone, as it is called by
 * reclaim and can be done without.
 *
 * Context: any.
 * Return: the set, or NULL.
 */
struct lru_gen_bits *lru_gen_bits_alloc(unsigned int order)
{
	gfp_t gfp = __GFP_HIGH | __GFP_NOMEMALLOC | __GFP_NOWARN | __GFP_ZERO;
	struct lru_gen_bits *bits;

	KUNIT_STATIC_STUB_REDIRECT(lru_gen_bits_alloc, order);
	bits = kmalloc(sizeof(*bits) + size_of_words(order), gfp);
	if (bits)
		bits->order = order;
	return bits;
}

/**
 * lru_gen_filter_order() - how large a set should be
 * @nr_keys: number of ranges it will hold
 *
 * Return: log2 of the number of bits.
 */
unsigned int lru_gen_filter_order(unsigned long nr_keys)
{
	unsigned long most = BIT(MAX_ORDER_BITS) / BITS_PER_KEY;
	unsigned long nr_bits = min(nr_keys, most) * BITS_PER_KEY;
	unsigned int order = order_base_2(nr_bits);

	return max(order, MIN_ORDER);
}

/**
 * lru_gen_filter_test() - whether a range is worth a walk
 * @f: filter
 * @key: stands for the range
 *
 * Context: any; takes the RCU read lock.
 * Return: false if it is known not to be.
 */
bool lru_gen_filter_test(struct lru_gen_filter *f, const void *key)
{
	struct lru_gen_bits *bits;

	guard(rcu)();
	bits = rcu_dereference(f->bits[READ_ONCE(f->asked)]);
	return !bits || has_key(bits, key);
}

/**
 * lru_gen_filter_add() - have a range walked the next time
 * @f: filter
 * @key: stands for the range
 *
 * Context: any; takes the RCU read lock.
 */
void lru_gen_filter_add(struct lru_gen_filter *f, const void *key)
{
	struct lru_gen_bits *bits;

	guard(rcu)();
	bits = rcu_dereference(f->bits[!READ_ONCE(f->asked)]);
	if (!bits || has_key(bits, key))
		return;
	set_key(bits, key);
	WRITE_ONCE(f->nr_keys, READ_ONCE(f->nr_keys) + 1);
}

/* The largest set there is memory for; a smaller one errs more often. */
static struct lru_gen_bits *alloc_up_to(unsigned int order)
{
	struct lru_gen_bits *bits;

	do
		bits = lru_gen_bits_alloc(order);
	while (!bits && order-- > MIN_ORDER);
	return bits;
}

/* Let slot @i hold an empty set of @order, or nothing. */
static void refill(struct lru_gen_filter *f, unsigned int i, unsigned int order)
{
	struct lru_gen_bits *old;

	scoped_guard(rcu) {
		old = rcu_dereference(f->bits[i]);
		if (old && old->order == order) {
			memset(old->words, 0, size_of_words(order));
			return;
		}
	}
	old = unrcu_pointer(xchg(&f->bits[i], RCU_INITIALIZER(alloc_up_to(order))));
	if (old)
		kvfree_rcu(old, rcu);
}

/**
 * lru_gen_filter_flip() - ask what has been filled, and fill anew
 * @f: filter
 * @nr_pages: pages of the lruvec that are mapped
 *
 * To be called by the thread that begins a round.
 *
 * Context: any; allocates without waiting, best without locks held.
 */
void lru_gen_filter_flip(struct lru_gen_filter *f, unsigned long nr_pages)
{
	unsigned long nr_keys = max_t(unsigned long, nr_pages / PTRS_PER_PTE,
				      READ_ONCE(f->nr_keys));
	unsigned int old = READ_ONCE(f->asked);

	WRITE_ONCE(f->asked, !old);
	refill(f, old, lru_gen_filter_order(nr_keys));
	WRITE_ONCE(f->nr_keys, 0);
}

/**
 * lru_gen_filter_free() - free what a filter holds
 * @f: filter that nobody uses any more; it is as new afterwards
 *
 * Context: any.
 */
void lru_gen_filter_free(struct lru_gen_filter *f)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(f->bits); i++)
		kfree(unrcu_pointer(xchg(&f->bits[i], NULL)));
	f->asked = 0;
	f->nr_keys = 0;
}

/**
 * lru_gen_worth_walking() - whether a range should be walked the next time
 * @nr_total: its entries that map a page, as of now
 * @nr_young: those of them that were young
 *
 * A walk looks at all entries to find the young ones. It pays if finding each
 * of these by rmap would cost more.
 *
 * Context: any.
 * Return: true if so.
 */
bool lru_gen_worth_walking(unsigned int nr_total, unsigned int nr_young)
{
	return nr_young && nr_young * RMAP_COST >= nr_total;
}
