// SPDX-License-Identifier: GPL-2.0
/*
 * Which shrinkers may have objects of a memcg.
 */
#include <kunit/static_stub.h>
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * DOC: shrinkers of a memcg
 *
 * A bit for each shrinker that may have objects of the memcg on the node, in units of
 * some hundred shrinkers. A unit is made when the first bit in it is set. So a memcg
 * that uses few file systems has one or two, whatever number is mounted, and nothing
 * is to be done for a memcg when a shrinker comes.
 *
 * Bits are set with spinlocks held, so there may be no memory for a unit. Then the
 * memcg is marked as one that has lost some, and the next who reclaims slab of it asks
 * all shrinkers, and sets the bits of those that have any.
 */

/**
 * shrinker_unit_alloc() - memory for a unit
 *
 * Context: any; spinlocks are held.
 *
 * Return: the unit, zeroed, or NULL.
 */
struct shrinker_unit *shrinker_unit_alloc(void)
{
	KUNIT_STATIC_STUB_REDIRECT(shrinker_unit_alloc);
	return kzalloc(sizeof(struct shrinker_unit), GFP_ATOMIC | __GFP_NOWARN);
}

static int base_of(int id)
{
	return rounddown(id, SHRINKER_UNIT_IDS);
}

static struct shrinker_unit *find_unit(struct shrinker_info *info, int base)
{
	struct shrinker_unit *unit = shrinker_info_first(info);

	while (unit && unit->base != base)
		unit = unit->next;
	return unit;
}

/* Add @new, unless somebody else was faster: what is there then. */
static struct shrinker_unit *add_unit(struct shrinker_info *info,
				      struct shrinker_unit *new)
{
	struct shrinker_unit *unit;
	unsigned long flags;

	spin_lock_irqsave(&info->lock, flags);
	unit = find_unit(info, new->base);
	if (!unit) {
		new->next = info->units;
		/* Pairs with shrinker_info_first(). */
		smp_store_release(&info->units, new);
	}
	spin_unlock_irqrestore(&info->lock, flags);
	return unit ?: new;
}

static struct shrinker_unit *make_unit(struct shrinker_info *info, int base)
{
	struct shrinker_unit *new = shrinker_unit_alloc(), *unit;

	if (!new)
		return NULL;
	new->base = base;
	unit = add_unit(info, new);
	if (unit != new)
		kfree(new);
	return unit;
}

/**
 * shrinker_info_clear() - a shrinker has no objects of a memcg
 * @info: the memcg on a node
 * @id: the shrinker
 *
 * An object may come at the same time. Who clears a bit asks the shrinker once more,
 * after a full barrier.
 *
 * Context: any; the caller sees to it that the memcg stays.
 */
void shrinker_info_clear(struct shrinker_info *info, int id)
{
	struct shrinker_unit *unit = find_unit(info, base_of(id));

	if (unit)
		clear_bit(id - unit->base, unit->bits);
}

/**
 * set_shrinker_bit() - a shrinker has objects of a memcg
 * @memcg: the memcg; nothing is done for the root, all of whose shrinkers are asked
 * @nid: the node
 * @shrinker_id: the shrinker, negative if it is none of memcgs
 *
 * Context: any; spinlocks may be held. After an object has been put on a list. Takes
 * S when it is the first one of some hundred shrinkers.
 */
void set_shrinker_bit(struct mem_cgroup *memcg, int nid, int shrinker_id)
{
	struct shrinker_info *info;
	struct shrinker_unit *unit;

	if (shrinker_id < 0 || !memcg || mem_cgroup_is_root(memcg))
		return;
	info = shrinker_info_of(memcg, nid);
	unit = find_unit(info, base_of(shrinker_id));
	if (!unit)
		unit = make_unit(info, base_of(shrinker_id));
	/* The object before the bit; pairs with memcg.c. */
	smp_mb();
	if (unit)
		set_bit(shrinker_id - unit->base, unit->bits);
	else
		WRITE_ONCE(info->lost, true);
}

/**
 * shrinker_info_init() - set up what a memcg knows of shrinkers on a node
 * @info: zeroed
 *
 * Context: nobody else uses it.
 */
void shrinker_info_init(struct shrinker_info *info)
{
	spin_lock_init(&info->lock);
}

static void free_units(struct shrinker_info *info)
{
	struct shrinker_unit *unit;

	while ((unit = info->units)) {
		info->units = unit->next;
		kfree(unit);
	}
}

/**
 * free_shrinker_info() - free what a memcg knows of shrinkers
 * @memcg: the memcg
 *
 * Context: any; nobody else uses it.
 */
void free_shrinker_info(struct mem_cgroup *memcg)
{
	struct shrinker_info *info;
	int nid;

	for_each_node(nid) {
		info = shrinker_info_of(memcg, nid);
		free_units(info);
		shrinker_deferred_free(info);
	}
}
