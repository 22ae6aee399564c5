// SPDX-License-Identifier: GPL-2.0
/*
 * Ask the shrinkers that have objects of a memcg.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/idr.h>
#include <linux/memcontrol.h>
#include <linux/rcupdate.h>

#include "internal.h"

/**
 * DOC: shrinkers that are aware of memcgs
 *
 * They have ids, by which a memcg remembers those that have objects of it. A shrinker
 * is looked up and referenced under RCU, and asked without it, so it may sleep; the
 * units with the bits stay as long as the memcg does.
 *
 * A shrinker that has nothing of the memcg loses its bit. As an object may come just
 * then, it is asked once more::
 *
 *	put the object on a list	clear the bit
 *	full barrier			full barrier
 *	set the bit			ask
 */

/* Shrinkers that are aware of memcgs; written under shrinker_mutex, read under RCU. */
static DEFINE_IDR(shrinker_ids);

/* How many there have been; may wrap. Under shrinker_mutex. */
static unsigned int shrinker_serial;

/**
 * shrinker_memcg_alloc() - give a shrinker an id
 * @shrinker: the shrinker
 *
 * Context: may sleep; takes shrinker_mutex.
 *
 * Return: 0, -ENOMEM, or -EOPNOTSUPP if there are no memcgs.
 */
int shrinker_memcg_alloc(struct shrinker *shrinker)
{
	int id;

	if (mem_cgroup_disabled())
		return -EOPNOTSUPP;
	mutex_lock(&shrinker_mutex);
	shrinker->serial = ++shrinker_serial;
	id = idr_alloc(&shrinker_ids, shrinker, 0, 0, GFP_KERNEL);
	mutex_unlock(&shrinker_mutex);
	if (id < 0)
		return -ENOMEM;
	shrinker->id = id;
	return 0;
}

/**
 * shrinker_memcg_remove() - take the id of a shrinker back
 * @shrinker: the shrinker
 *
 * Context: holds shrinker_mutex.
 */
void shrinker_memcg_remove(struct shrinker *shrinker)
{
	lockdep_assert_held(&shrinker_mutex);
	idr_remove(&shrinker_ids, shrinker->id);
}

/* Context: RCU. */
static bool try_get(struct shrinker *shrinker)
{
	return shrinker && shrinker_try_get(shrinker);
}

/* The shrinker, referenced, or NULL. */
static struct shrinker *get_shrinker(int id)
{
	struct shrinker *shrinker;

	rcu_read_lock();
	shrinker = idr_find(&shrinker_ids, id);
	if (!try_get(shrinker))
		shrinker = NULL;
	rcu_read_unlock();
	return shrinker;
}

/* The first shrinker from *@id on, referenced, or NULL. */
static struct shrinker *get_next_shrinker(int *id)
{
	struct shrinker *shrinker;

	rcu_read_lock();
	while ((shrinker = idr_get_next(&shrinker_ids, id)) && !try_get(shrinker))
		++*id;
	rcu_read_unlock();
	return shrinker;
}

/* Ask without a change to @sc. */
static unsigned long ask(struct shrinker *shrinker, const struct shrink_control *sc,
			 int priority)
{
	/* The shrinker writes to it. */
	struct shrink_control own = {
		.gfp_mask = sc->gfp_mask,
		.nid = sc->nid,
		.memcg = sc->memcg,
	};

	return do_shrink_slab(&own, shrinker, priority);
}

/* Without kmem accounting some shrinkers have nothing of memcgs. */
static bool has_memcgs(const struct shrinker *shrinker)
{
	return memcg_kmem_online() || shrinker->flags & SHRINKER_NONSLAB;
}

/* It is said to have objects: what it has freed. */
static unsigned long press(struct shrinker *shrinker, const struct shrink_control *sc,
			   int priority)
{
	unsigned long freed;

	if (!has_memcgs(shrinker))
		return 0;
	freed = ask(shrinker, sc, priority);
	if (freed != SHRINK_EMPTY)
		return freed;
	shrinker_info_clear(shrinker_info_of(sc->memcg, sc->nid), shrinker->id);
	/* The bit before the count; pairs with set_shrinker_bit(). */
	smp_mb__after_atomic();
	freed = ask(shrinker, sc, priority);
	if (freed == SHRINK_EMPTY)
		return 0;
	set_shrinker_bit(sc->memcg, sc->nid, shrinker->id);
	return freed;
}

static bool is_taken(int id)
{
	guard(rcu)();
	return idr_find(&shrinker_ids, id);
}

/* The shrinker is gone. If its id is given away again just now, the bit is another's. */
static void drop_bit(struct shrinker_unit *unit, unsigned int bit)
{
	int id = unit->base + bit;

	if (is_taken(id))
		return;
	clear_bit(bit, unit->bits);
	/* The bit before the id, which is taken before a bit is set. */
	smp_mb__after_atomic();
	if (is_taken(id))
		set_bit(bit, unit->bits);
}

static unsigned long press_id(struct shrinker_unit *unit, unsigned int bit,
			      const struct shrink_control *sc, int priority)
{
	struct shrinker *shrinker = get_shrinker(unit->base + bit);
	unsigned long freed;

	if (!shrinker) {
		drop_bit(unit, bit);
		return 0;
	}
	freed = press(shrinker, sc, priority);
	shrinker_put(shrinker);
	return freed;
}

static unsigned long press_unit(struct shrinker_unit *unit,
				const struct shrink_control *sc, int priority)
{
	unsigned long word, freed = 0;
	unsigned int i;

	for (i = 0; i < BITS_TO_LONGS(SHRINKER_UNIT_IDS); i++) {
		/* Bits come and go meanwhile. */
		word = READ_ONCE(unit->bits[i]);
		for (; word; word &= word - 1)
			freed += press_id(unit, i * BITS_PER_LONG + __ffs(word), sc, priority);
	}
	return freed;
}

/* It is not known who has objects: learn it again, by the way. */
static unsigned long press_all(const struct shrink_control *sc, int priority)
{
	unsigned long nr, freed = 0;
	struct shrinker *shrinker;
	int id = 0;

	/* The mark before the counts; pairs with set_shrinker_bit(). */
	smp_mb();
	for (; (shrinker = get_next_shrinker(&id)); id++) {
		nr = has_memcgs(shrinker) ? ask(shrinker, sc, priority) : SHRINK_EMPTY;
		if (nr != SHRINK_EMPTY) {
			set_shrinker_bit(sc->memcg, sc->nid, shrinker->id);
			freed += nr;
		}
		shrinker_put(shrinker);
	}
	return freed;
}

/**
 * shrinker_memcg_shrink() - reclaim slab objects of a memcg
 * @sc: the memcg, not the root, the node, and for what memory is wanted
 * @priority: how hard it is tried, see shrink_slab()
 *
 * Context: may sleep; the caller holds a reference to the memcg.
 *
 * Return: objects that have been freed.
 */
unsigned long shrinker_memcg_shrink(const struct shrink_control *sc, int priority)
{
	struct shrinker_info *info = shrinker_info_of(sc->memcg, sc->nid);
	struct shrinker_unit *unit;
	unsigned long freed = 0;

	if (!mem_cgroup_online(sc->memcg))
		return 0;
	if (shrinker_info_was_lost(info))
		return press_all(sc, priority);
	for (unit = shrinker_info_first(info); unit; unit = unit->next)
		freed += press_unit(unit, sc, priority);
	return freed;
}
