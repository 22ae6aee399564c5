// SPDX-License-Identifier: GPL-2.0
/*
 * What a memcg has on a node: a small hash table.
 */
#include <kunit/static_stub.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * DOC: list_lru directory
 *
 * For a list_lru on the node the table of a memcg has one of three answers: nothing
 * is known, here is the list, or the objects are with the parent ("away"). The first
 * can become either of the others, a list can become "away" when the memcg goes, and
 * "away" stays. So what an object was put by is what it is found by.
 *
 * "Away" is said by a slot with a mark when there was no memory for a list, by a
 * directory that is closed for all it does not know. A mark takes no memory, and the
 * table is never so full that there was none for it, unless it could not grow for
 * several times; then the directory is closed as well.
 *
 * Open addressing, read without a lock. A slot is never emptied again; one that has
 * been given up can be used for something else, and is dropped when the table grows.
 * One that reads an old table may miss what was added since, and take it for not
 * known: it asks again under D before it adds, and before a deletion the addition has
 * been seen by whoever deletes.
 */

/* Slots of the first table, which makes it 64 bytes. */
#define MIN_SIZE	5

/* In a slot: not the address of a list, but that of a list_lru whose objects are away. */
#define MARK		1UL

/* In a slot: nothing any more. */
#define GIVEN_UP	MARK

static unsigned long mark_of(struct list_lru_node *nlru)
{
	return (unsigned long)nlru | MARK;
}

static struct list_lru_sub *sub_of(unsigned long slot)
{
	return slot & MARK ? NULL : (struct list_lru_sub *)slot;
}

/* Which list_lru @slot tells of; NULL if of none. */
static struct list_lru_node *nlru_of(unsigned long slot)
{
	struct list_lru_sub *sub = sub_of(slot);

	return sub ? sub->nlru : (struct list_lru_node *)(slot & ~MARK);
}

static unsigned int first_of(const struct list_lru_table *table,
			     struct list_lru_node *nlru)
{
	return reciprocal_scale(hash_ptr(nlru, 32), table->size);
}

static unsigned int after(const struct list_lru_table *table, unsigned int i)
{
	return i + 1 < table->size ? i + 1 : 0;
}

/* What is told of @nlru, which is at @at then; 0 if nothing is. Read once. */
static __always_inline unsigned long look_up(struct list_lru_table *table,
					     struct list_lru_node *nlru, unsigned int *at)
{
	unsigned long slot;

	*at = first_of(table, nlru);
	/* Pairs with give_up(): who sees that a list has left sees where it has gone. */
	while ((slot = smp_load_acquire(&table->slots[*at])) && nlru_of(slot) != nlru)
		*at = after(table, *at);
	return slot;
}

/* A slot that can be written: one given up, or the empty one. */
static unsigned int vacant_slot(struct list_lru_table *table, struct list_lru_node *nlru)
{
	unsigned int i = first_of(table, nlru);

	while (table->slots[i] && table->slots[i] != GIVEN_UP)
		i = after(table, i);
	return i;
}

/* Who sees a list in its slot sees it set up. */
static void write_slot(struct list_lru_table *table, unsigned int i, unsigned long slot)
{
	table->nr_taken += !table->slots[i];
	/* Pairs with look_up(). */
	smp_store_release(&table->slots[i], slot);
}

static struct list_lru_table *table_of(struct list_lru_dir *dir)
{
	return rcu_dereference_protected(dir->table, lockdep_is_held(&dir->lock));
}

/* Above this a table grows. */
static bool crowded(const struct list_lru_table *table, unsigned int nr)
{
	return 4 * nr > 3 * table->size;
}

static unsigned int nr_used(const struct list_lru_table *table)
{
	unsigned int i, nr = 0;

	for (i = 0; i < table->size; i++)
		nr += table->slots[i] && table->slots[i] != GIVEN_UP;
	return nr;
}

/* Slots of a table which has place for one more than @table, and some to spare. */
static unsigned int better_size(const struct list_lru_table *table)
{
	unsigned int size = MIN_SIZE, nr = nr_used(table) + 1;

	while (2 * nr > size + 1)
		size = 2 * size + 3;	/* as memory comes: 64 bytes, 128, 256, .. */
	return size;
}

/**
 * list_lru_table_alloc() - an empty table
 * @size: slots
 * @gfp: how to allocate
 *
 * Context: as @gfp says.
 *
 * Return: the table, or NULL.
 */
struct list_lru_table *list_lru_table_alloc(unsigned int size, gfp_t gfp)
{
	struct list_lru_table *table;

	KUNIT_STATIC_STUB_REDIRECT(list_lru_table_alloc, size, gfp);
	table = kzalloc(struct_size(table, slots, size), gfp | __GFP_NOWARN);
	if (table)
		table->size = size;
	return table;
}

/* Let @new take the place of what @dir has. */
static void replace_table(struct list_lru_dir *dir, struct list_lru_table *new)
{
	struct list_lru_table *old = table_of(dir);
	unsigned long slot;
	unsigned int i;

	for (i = 0; i < old->size; i++) {
		slot = old->slots[i];
		if (slot && slot != GIVEN_UP)
			write_slot(new, vacant_slot(new, nlru_of(slot)), slot);
	}
	rcu_assign_pointer(dir->table, new);
	kfree_rcu(old, rcu);
}

/* A table with place for one more, and an empty slot then; NULL if it cannot be. */
static struct list_lru_table *make_room(struct list_lru_dir *dir)
{
	struct list_lru_table *table = table_of(dir), *new;

	if (!crowded(table, table->nr_taken + 1))
		return table;
	new = list_lru_table_alloc(better_size(table), GFP_ATOMIC);
	if (new) {
		replace_table(dir, new);
		return new;
	}
	return table->nr_taken + 2 <= table->size ? table : NULL;
}

/**
 * list_lru_dir_find() - what a memcg has of a list_lru
 * @dir: directory of the memcg on a node
 * @nlru: the list_lru on this node
 *
 * Context: RCU, or D.
 *
 * Return: the list, LIST_LRU_AWAY if the objects are with the parent, or NULL if
 * nothing is known.
 */
struct list_lru_sub *list_lru_dir_find(struct list_lru_dir *dir,
				       struct list_lru_node *nlru)
{
	/* Before the table: what is in no table of a closed directory is away. */
	bool closed = smp_load_acquire(&dir->closed);
	struct list_lru_table *table;
	unsigned long slot;
	unsigned int at;

	table = rcu_dereference_check(dir->table, lockdep_is_held(&dir->lock));
	slot = look_up(table, nlru, &at);
	if (slot)
		return sub_of(slot) ?: LIST_LRU_AWAY;
	return closed ? LIST_LRU_AWAY : NULL;
}

/**
 * list_lru_dir_add() - have a list in a directory
 * @dir: directory of a memcg on a node
 * @nlru: the list_lru on this node
 * @sub: the list; NULL if there is no memory for one
 *
 * Context: holds D.
 *
 * Return: the list that is in the directory now, @sub or one that was there before,
 * or LIST_LRU_AWAY, which is certain without a @sub.
 */
struct list_lru_sub *list_lru_dir_add(struct list_lru_dir *dir,
				      struct list_lru_node *nlru,
				      struct list_lru_sub *sub)
{
	struct list_lru_sub *known = list_lru_dir_find(dir, nlru);
	struct list_lru_table *table;

	lockdep_assert_held(&dir->lock);
	if (known)
		return known;
	table = make_room(dir);
	if (!table) {
		/* Pairs with list_lru_dir_find(). */
		smp_store_release(&dir->closed, true);
		return LIST_LRU_AWAY;
	}
	write_slot(table, vacant_slot(table, nlru),
		   sub ? (unsigned long)sub : mark_of(nlru));
	return sub ?: LIST_LRU_AWAY;
}

/* Give up what @dir says of @nlru. */
static void give_up(struct list_lru_dir *dir, struct list_lru_node *nlru)
{
	struct list_lru_table *table = table_of(dir);
	unsigned int at;

	if (look_up(table, nlru, &at))
		/* Pairs with look_up(): the list is with an ancestor before. */
		smp_store_release(&table->slots[at], GIVEN_UP);
}

/**
 * list_lru_dir_erase() - take a list out of a directory
 * @dir: directory of a memcg on a node
 * @sub: the list, which is in it
 *
 * Context: holds L of @sub, taken with interrupts off; takes D.
 */
void list_lru_dir_erase(struct list_lru_dir *dir, struct list_lru_sub *sub)
{
	lockdep_assert_held(&sub->one.lock);
	spin_lock(&dir->lock);
	give_up(dir, sub->nlru);
	spin_unlock(&dir->lock);
}

/**
 * list_lru_dir_forgive() - no longer say that the objects of a list_lru are away
 * @dir: directory of a memcg on a node
 * @nlru: the list_lru on this node, which has no objects any more
 *
 * Context: process; takes D.
 */
void list_lru_dir_forgive(struct list_lru_dir *dir, struct list_lru_node *nlru)
{
	spin_lock_irq(&dir->lock);
	give_up(dir, nlru);
	spin_unlock_irq(&dir->lock);
}

/**
 * list_lru_dir_next() - a list in a directory
 * @dir: directory of a memcg on a node, closed
 * @at: slot to begin at, 0 first; becomes the one after the list
 *
 * Context: holds M, by which lists go, and none comes.
 *
 * Return: the list, or NULL if there is no further one.
 */
struct list_lru_sub *list_lru_dir_next(struct list_lru_dir *dir, unsigned int *at)
{
	struct list_lru_table *table = rcu_dereference_protected(dir->table, dir->closed);
	unsigned long slot;

	while (*at < table->size) {
		slot = READ_ONCE(table->slots[(*at)++]);
		if (slot && sub_of(slot))
			return sub_of(slot);
	}
	return NULL;
}

/**
 * list_lru_dir_close() - let no further list in
 * @dir: directory of a memcg on a node
 *
 * Context: process; takes D.
 *
 * Return: whether it tells of anything.
 */
bool list_lru_dir_close(struct list_lru_dir *dir)
{
	bool used;

	spin_lock_irq(&dir->lock);
	/* Pairs with list_lru_dir_find(). */
	smp_store_release(&dir->closed, true);
	used = nr_used(table_of(dir));
	spin_unlock_irq(&dir->lock);
	return used;
}

/**
 * list_lru_dir_reserve() - see that a list can be added
 * @dir: directory of a memcg on a node
 * @gfp: how to allocate
 *
 * Without it the table grows when it has to, out of what atomic requests can have.
 *
 * Context: as @gfp says; takes D.
 */
void list_lru_dir_reserve(struct list_lru_dir *dir, gfp_t gfp)
{
	struct list_lru_table *new, *table;
	unsigned long flags;
	unsigned int size = 0;

	spin_lock_irqsave(&dir->lock, flags);
	table = table_of(dir);
	/* The table of a closed one stays, see list_lru_dir_next(). */
	if (!dir->closed && crowded(table, table->nr_taken + 1))
		size = better_size(table);
	spin_unlock_irqrestore(&dir->lock, flags);
	new = size ? list_lru_table_alloc(size, gfp) : NULL;
	if (!new)
		return;
	spin_lock_irqsave(&dir->lock, flags);
	if (!dir->closed && table == table_of(dir) && better_size(table) <= size)
		replace_table(dir, new);
	else
		kfree(new);
	spin_unlock_irqrestore(&dir->lock, flags);
}

/**
 * list_lru_dir_init() - set up the directory of a memcg on a node
 * @dir: the directory
 *
 * Context: may sleep; nobody else uses it.
 *
 * Return: false if there is no memory.
 */
bool list_lru_dir_init(struct list_lru_dir *dir)
{
	struct list_lru_table *table = list_lru_table_alloc(MIN_SIZE, GFP_KERNEL);

	spin_lock_init(&dir->lock);
	dir->closed = false;
	RCU_INIT_POINTER(dir->table, table);
	return table;
}

/**
 * list_lru_dir_free() - free the directory of a memcg on a node
 * @dir: the directory, which holds no list; one that has not been set up is zeroed
 *
 * Context: any; nobody else uses it.
 */
void list_lru_dir_free(struct list_lru_dir *dir)
{
	kfree(rcu_dereference_protected(dir->table, true));
}
