// SPDX-License-Identifier: GPL-2.0
/*
 * What shrinkers are due of a memcg.
 */
#include <kunit/static_stub.h>
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/nodemask.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * DOC: deferred work of shrinkers
 *
 * What a shrinker should have looked at, but has not, is kept for the next time. Most
 * shrinkers of most memcgs never have any. So there is a small hash table that knows
 * those who have: nothing for a memcg that has not been reclaimed from, a kilobyte for
 * one with thirty shrinkers behind.
 *
 * A shrinker's id is given away again when it has gone. A serial number in the slot
 * tells the two apart, so that nobody is due what another one has left undone. Nobody
 * asks the earlier one any more when the later one gets the id.
 *
 * A count that has a slot is changed without a lock. One that changes while the table
 * grows may be dropped, or be due twice: it is a wish, not an account.
 *
 * If there is no memory for the table, the count is dropped: then less is asked of this
 * shrinker the next time. No object is lost by it.
 */

/* Slots of the first table, which makes it 128 bytes. */
#define MIN_SIZE	6

/**
 * struct shrinker_deferred - who is due what
 * @rcu: to free it
 * @size: slots there are
 * @nr_taken: slots with a key; one at least has none
 * @slots: the shrinkers
 * @slots.key: id plus one, or 0
 * @slots.serial: which of the shrinkers that have had this id
 * @slots.nr: objects that are due; changed without S
 *
 * All other fields are S; keys and serials are read under RCU.
 */
struct shrinker_deferred {
	struct rcu_head rcu;
	unsigned int size;
	unsigned int nr_taken;
	struct {
		int key;
		unsigned int serial;
		atomic_long_t nr;
	} slots[];
};

/**
 * shrinker_deferred_alloc() - an empty table
 * @size: slots
 *
 * Context: any; holds S.
 *
 * Return: the table, or NULL.
 */
struct shrinker_deferred *shrinker_deferred_alloc(unsigned int size)
{
	struct shrinker_deferred *d;

	KUNIT_STATIC_STUB_REDIRECT(shrinker_deferred_alloc, size);
	/* Nothing that reclaim should spend its reserves on */
	d = kzalloc(struct_size(d, slots, size),
		    GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC);
	if (d)
		d->size = size;
	return d;
}

/* Where @id is, or would be. */
static unsigned int slot_of(const struct shrinker_deferred *d, int id)
{
	unsigned int i = reciprocal_scale(hash_32(id, 32), d->size);
	int key;

	/* Pairs with enter(): who finds a key finds the serial. */
	while ((key = smp_load_acquire(&d->slots[i].key)) && key != id + 1)
		i = i + 1 < d->size ? i + 1 : 0;
	return i;
}

static unsigned int nr_due(const struct shrinker_deferred *d)
{
	unsigned int i, nr = 0;

	for (i = 0; d && i < d->size; i++)
		nr += !!atomic_long_read(&d->slots[i].nr);
	return nr;
}

/* Have @id in @d, which has a slot for it. */
static unsigned int enter(struct shrinker_deferred *d, int id, unsigned int serial)
{
	unsigned int i = slot_of(d, id);

	d->nr_taken += !d->slots[i].key;
	d->slots[i].serial = serial;
	/* Pairs with slot_of(). */
	smp_store_release(&d->slots[i].key, id + 1);
	return i;
}

static void move_slot(struct shrinker_deferred *to, const struct shrinker_deferred *from,
		      unsigned int i)
{
	unsigned int at = enter(to, from->slots[i].key - 1, from->slots[i].serial);

	atomic_long_set(&to->slots[at].nr, atomic_long_read(&from->slots[i].nr));
}

static struct shrinker_deferred *table_of(struct shrinker_info *info)
{
	return rcu_dereference_protected(info->deferred, lockdep_is_held(&info->lock));
}

/* Who is due nothing any more is left behind. */
static struct shrinker_deferred *grow(struct shrinker_info *info)
{
	struct shrinker_deferred *old = table_of(info), *new;
	unsigned int i, size = MIN_SIZE;

	while (size < 2 * nr_due(old) + 2)
		size = 2 * size + 1;
	new = shrinker_deferred_alloc(size);
	if (!new)
		return NULL;
	for (i = 0; old && i < old->size; i++)
		if (atomic_long_read(&old->slots[i].nr))
			move_slot(new, old, i);
	rcu_assign_pointer(info->deferred, new);
	if (old)
		kfree_rcu(old, rcu);
	return new;
}

/*
 * The count of slot @i for shrinker @serial of its id: what an earlier one was due is
 * dropped; NULL if @serial is itself an earlier one.
 */
static atomic_long_t *count_at(struct shrinker_deferred *d, unsigned int i,
			       unsigned int serial)
{
	int newer = (int)(serial - d->slots[i].serial);

	if (newer < 0)
		return NULL;
	if (newer)
		atomic_long_set(&d->slots[i].nr, 0);
	WRITE_ONCE(d->slots[i].serial, serial);
	return &d->slots[i].nr;
}

/* The count of @id, which gets a slot if it has none; NULL if it cannot have one. */
static atomic_long_t *make_count(struct shrinker_info *info, int id, unsigned int serial)
{
	struct shrinker_deferred *d = table_of(info);
	unsigned int i;

	lockdep_assert_held(&info->lock);
	if (d) {
		i = slot_of(d, id);
		if (d->slots[i].key)
			return count_at(d, i, serial);
	}
	if (!d || 4 * (d->nr_taken + 1) > 3 * d->size)
		d = grow(info);
	return d ? &d->slots[enter(d, id, serial)].nr : NULL;
}

/* The count of @id, or NULL. Context: RCU. */
static atomic_long_t *find_count(struct shrinker_info *info, int id, unsigned int serial)
{
	struct shrinker_deferred *d = rcu_dereference(info->deferred);
	unsigned int i;

	if (!d)
		return NULL;
	i = slot_of(d, id);
	if (!READ_ONCE(d->slots[i].key) || READ_ONCE(d->slots[i].serial) != serial)
		return NULL;
	return &d->slots[i].nr;
}

static long add_first(struct shrinker_info *info, int id, unsigned int serial, long nr)
{
	atomic_long_t *count;
	unsigned long flags;
	long sum = 0;

	spin_lock_irqsave(&info->lock, flags);
	count = make_count(info, id, serial);
	if (count)
		sum = atomic_long_add_return(nr, count);
	spin_unlock_irqrestore(&info->lock, flags);
	return sum;
}

static long add_due(struct shrinker_info *info, int id, unsigned int serial, long nr)
{
	atomic_long_t *count;

	if (!nr)
		return 0;
	scoped_guard(rcu) {
		count = find_count(info, id, serial);
		if (count)
			return atomic_long_add_return(nr, count);
	}
	return add_first(info, id, serial, nr);
}

static long take_due(struct shrinker_info *info, int id, unsigned int serial)
{
	atomic_long_t *count;

	guard(rcu)();
	count = find_count(info, id, serial);
	return count && atomic_long_read(count) ? atomic_long_xchg(count, 0) : 0;
}

/**
 * shrinker_memcg_take() - take what a shrinker is due of a memcg
 * @s: the shrinker
 * @memcg: the memcg
 * @nid: the node
 *
 * Context: any.
 *
 * Return: objects; nothing is due any more.
 */
long shrinker_memcg_take(const struct shrinker *s, struct mem_cgroup *memcg, int nid)
{
	return take_due(shrinker_info_of(memcg, nid), s->id, s->serial);
}

/**
 * shrinker_memcg_defer() - add to what a shrinker is due of a memcg
 * @s: the shrinker
 * @memcg: the memcg
 * @nid: the node
 * @nr: objects
 *
 * Context: any; takes S if the shrinker has no slot.
 *
 * Return: objects that are due now; 0 if @nr is, as they have been taken before.
 */
long shrinker_memcg_defer(const struct shrinker *s, struct mem_cgroup *memcg, int nid,
			  long nr)
{
	return add_due(shrinker_info_of(memcg, nid), s->id, s->serial, nr);
}

/* Take the whole table. */
static struct shrinker_deferred *take_all(struct shrinker_info *info)
{
	struct shrinker_deferred *d;
	unsigned long flags;

	spin_lock_irqsave(&info->lock, flags);
	d = table_of(info);
	RCU_INIT_POINTER(info->deferred, NULL);
	spin_unlock_irqrestore(&info->lock, flags);
	return d;
}

/**
 * reparent_shrinker_deferred() - leave what shrinkers are due to the parent
 * @memcg: the memcg, which goes
 *
 * Context: any; takes S.
 */
void reparent_shrinker_deferred(struct mem_cgroup *memcg)
{
	struct mem_cgroup *parent = parent_mem_cgroup(memcg) ?: root_mem_cgroup;
	struct shrinker_deferred *d;
	unsigned int i;
	int nid;

	for_each_node(nid) {
		d = take_all(shrinker_info_of(memcg, nid));
		if (!d)
			continue;
		for (i = 0; i < d->size; i++)
			add_due(shrinker_info_of(parent, nid), d->slots[i].key - 1,
				d->slots[i].serial, atomic_long_read(&d->slots[i].nr));
		kfree_rcu(d, rcu);
	}
}

/**
 * shrinker_deferred_free() - free what shrinkers are due
 * @info: the memcg on a node
 *
 * Context: any; nobody else uses it.
 */
void shrinker_deferred_free(struct shrinker_info *info)
{
	kfree(rcu_dereference_protected(info->deferred, true));
	RCU_INIT_POINTER(info->deferred, NULL);
}
