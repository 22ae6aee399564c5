// SPDX-License-Identifier: GPL-2.0
/*
 * What a memcg has on a node: a small hash table.
 */
#include <kunit/static_stub.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * DOC: list_lru directory
 *
 * A directory tells which list a memcg has for a list_lru on a node. It has one of three
 * answers: nothing is known, here is the list, or the objects are with the parent
 * ("away"). "Away" is the answer of a closed directory for each list_lru it does not
 * know. A directory closes when its memcg goes offline.
 *
 * The table uses open addressing and is read without a lock. A slot never becomes empty
 * again. A slot that was given up can hold another list, and is dropped when the table
 * grows. A reader of an old table may miss a list that was added since. Such a reader
 * looks again under D before it adds a list; a deleter has seen the addition of its
 * object and so of the list.
 *
 * A table grows under D, by atomic requests. Its slots lie in the table up to a page of
 * memory, and in pages of their own beyond that, so no request is above order 0. If a
 * request fails, the table fills up to its last but one slot; then no list can be added
 * until a later attempt to grow succeeds.
 */

/* Slots of the first table, which makes it 64 bytes. */
#define MIN_SIZE	5

/* Slots of a page, and of a table that has none. */
#define PAGE_SLOTS	(PAGE_SIZE / sizeof(struct list_lru_sub *))
#define INLINE_SLOTS	((PAGE_SIZE - sizeof(struct list_lru_table)) / \
			 sizeof(struct list_lru_sub *))

/* In a slot: no list any more. */
#define GIVEN_UP	((struct list_lru_sub *)1UL)

static struct list_lru_sub **slot_at(struct list_lru_table *table, unsigned int i)
{
	if (table->size <= INLINE_SLOTS)
		return &table->slots[i];
	return &table->pages[i / PAGE_SLOTS][i % PAGE_SLOTS];
}

static bool in_use(const struct list_lru_sub *slot)
{
	return slot && slot != GIVEN_UP;
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

/* The list for @nlru, whose slot is @at then; NULL if there is none. Read once. */
static __always_inline struct list_lru_sub *look_up(struct list_lru_table *table,
						    struct list_lru_node *nlru,
						    unsigned int *at)
{
	struct list_lru_sub *slot;

	*at = first_of(table, nlru);
	/* Pairs with give_up(): a list has its new place before it leaves the slot. */
	while ((slot = smp_load_acquire(slot_at(table, *at)))) {
		if (slot != GIVEN_UP && slot->nlru == nlru)
			return slot;
		*at = after(table, *at);
	}
	return NULL;
}

/* A slot that can be written: one given up, or the empty one. */
static unsigned int vacant_slot(struct list_lru_table *table, struct list_lru_node *nlru)
{
	unsigned int i = first_of(table, nlru);

	while (in_use(*slot_at(table, i)))
		i = after(table, i);
	return i;
}

/* A reader that sees a list in its slot sees the list set up. */
static void write_slot(struct list_lru_table *table, struct list_lru_sub *sub)
{
	struct list_lru_sub **slot = slot_at(table, vacant_slot(table, sub->nlru));

	table->nr_taken += !*slot;
	/* Pairs with look_up(). */
	smp_store_release(slot, sub);
}

static struct list_lru_table *table_of(struct list_lru_dir *dir)
{
	return rcu_dereference_protected(dir->table, lockdep_is_held(&dir->lock));
}

/* Above this a table grows. */
static bool crowded(const struct list_lru_table *table, unsigned int nr)
{
	return 4ULL * nr > 3ULL * table->size;
}

static unsigned int nr_used(struct list_lru_table *table)
{
	unsigned int i, nr = 0;

	for (i = 0; i < table->size; i++)
		nr += in_use(*slot_at(table, i));
	return nr;
}

/* Slots of a table which has place for one more than @table, and some to spare. */
static unsigned int better_size(struct list_lru_table *table)
{
	unsigned int size = MIN_SIZE, nr = nr_used(table) + 1;

	while (2 * nr > size + 1)
		size = 2 * size + 3;	/* as memory comes: 64 bytes, 128, 256, .. */
	return size;
}

static void free_table(struct list_lru_table *table)
{
	unsigned int i;

	if (table && table->size > INLINE_SLOTS)
		for (i = 0; i < DIV_ROUND_UP(table->size, PAGE_SLOTS); i++)
			kfree(table->pages[i]);
	kvfree(table);
}

static void free_table_rcu(struct rcu_head *rcu)
{
	free_table(container_of(rcu, struct list_lru_table, rcu));
}

/* Whether each page of slots could be had. */
static bool alloc_pages_of(struct list_lru_table *table, gfp_t gfp)
{
	unsigned int i;

	for (i = 0; i < DIV_ROUND_UP(table->size, PAGE_SLOTS); i++) {
		table->pages[i] = list_lru_mem_alloc(PAGE_SIZE, gfp);
		if (!table->pages[i])
			return false;
	}
	return true;
}

/**
 * list_lru_mem_alloc() - zeroed memory for lists and tables
 * @bytes: how much
 * @gfp: how to allocate
 *
 * A request that may not sleep gets a page at most.
 *
 * Context: as @gfp says.
 *
 * Return: the memory, for kvfree(), or NULL.
 */
void *list_lru_mem_alloc(size_t bytes, gfp_t gfp)
{
	KUNIT_STATIC_STUB_REDIRECT(list_lru_mem_alloc, bytes, gfp);
	if (bytes <= PAGE_SIZE)
		return kzalloc(bytes, gfp | __GFP_NOWARN);
	return gfpflags_allow_blocking(gfp) ? kvzalloc(bytes, gfp) : NULL;
}

/* An empty table of @size slots, or NULL. Context: as @gfp says. */
static struct list_lru_table *alloc_table(unsigned int size, gfp_t gfp)
{
	bool paged = size > INLINE_SLOTS;
	unsigned int nr = paged ? DIV_ROUND_UP(size, PAGE_SLOTS) : size;
	struct list_lru_table *table;

	table = list_lru_mem_alloc(struct_size(table, slots, nr), gfp);
	if (!table)
		return NULL;
	table->size = size;
	if (paged && !alloc_pages_of(table, gfp)) {
		free_table(table);
		return NULL;
	}
	return table;
}

/* Let @new take the place of the table of @dir. */
static void replace_table(struct list_lru_dir *dir, struct list_lru_table *new)
{
	struct list_lru_table *old = table_of(dir);
	unsigned int i;

	for (i = 0; i < old->size; i++)
		if (in_use(*slot_at(old, i)))
			write_slot(new, *slot_at(old, i));
	rcu_assign_pointer(dir->table, new);
	call_rcu(&old->rcu, free_table_rcu);
}

/* A table with place for one more, and an empty slot then; NULL if it cannot be. */
static struct list_lru_table *make_room(struct list_lru_dir *dir)
{
	struct list_lru_table *table = table_of(dir), *new;

	if (!crowded(table, table->nr_taken + 1))
		return table;
	new = alloc_table(better_size(table), GFP_ATOMIC);
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
	unsigned int at;

	table = rcu_dereference_check(dir->table, lockdep_is_held(&dir->lock));
	return look_up(table, nlru, &at) ?: (closed ? LIST_LRU_AWAY : NULL);
}

/**
 * list_lru_dir_add() - have a list in a directory
 * @dir: directory of a memcg on a node
 * @sub: the list, of a list_lru on this node
 *
 * Context: holds D.
 *
 * Return: the list that is in the directory now, @sub or one that was there before;
 * LIST_LRU_AWAY if the directory is closed; NULL if there is no room.
 */
struct list_lru_sub *list_lru_dir_add(struct list_lru_dir *dir, struct list_lru_sub *sub)
{
	struct list_lru_sub *known = list_lru_dir_find(dir, sub->nlru);
	struct list_lru_table *table;

	lockdep_assert_held(&dir->lock);
	if (known)
		return known;
	table = make_room(dir);
	if (!table)
		return NULL;
	write_slot(table, sub);
	return sub;
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
	struct list_lru_table *table;
	unsigned int at;

	lockdep_assert_held(&sub->one.lock);
	spin_lock(&dir->lock);
	table = table_of(dir);
	if (look_up(table, sub->nlru, &at))
		/* Pairs with look_up(): the list is with an ancestor before. */
		smp_store_release(slot_at(table, at), GIVEN_UP);
	spin_unlock(&dir->lock);
}

/**
 * list_lru_dir_note_stray() - count an object that becomes a stray
 * @dir: directory of its memcg on a node
 * @nlru: the list_lru on this node
 *
 * Context: holds L of the strays; takes D.
 *
 * Return: false if it need not: the memcg has got a list, or has gone.
 */
bool list_lru_dir_note_stray(struct list_lru_dir *dir, struct list_lru_node *nlru)
{
	unsigned long flags;
	bool stray;

	lockdep_assert_held(&nlru->strays.lock);
	spin_lock_irqsave(&dir->lock, flags);
	stray = !list_lru_dir_find(dir, nlru);
	dir->nr_strays += stray;
	spin_unlock_irqrestore(&dir->lock, flags);
	return stray;
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
	struct list_lru_sub *slot;

	while (*at < table->size) {
		slot = READ_ONCE(*slot_at(table, (*at)++));
		if (in_use(slot))
			return slot;
	}
	return NULL;
}

/**
 * list_lru_dir_used() - whether there is a list in a directory
 * @dir: directory of a memcg on a node, closed
 *
 * Context: process; takes D.
 *
 * Return: true if there is one.
 */
bool list_lru_dir_used(struct list_lru_dir *dir)
{
	bool used;

	spin_lock_irq(&dir->lock);
	used = nr_used(table_of(dir));
	spin_unlock_irq(&dir->lock);
	return used;
}

/**
 * list_lru_dir_close() - let no further list in
 * @dir: directory of a memcg on a node
 * @nr_strays: how many strays it has had, of which none is left; updated
 *
 * Context: process; takes D.
 *
 * Return: false, and it stays open, if there have been more strays.
 */
bool list_lru_dir_close(struct list_lru_dir *dir, unsigned int *nr_strays)
{
	bool close;

	spin_lock_irq(&dir->lock);
	close = dir->nr_strays == *nr_strays;
	*nr_strays = dir->nr_strays;
	if (close)
		/* Pairs with list_lru_dir_find(). */
		smp_store_release(&dir->closed, true);
	spin_unlock_irq(&dir->lock);
	return close;
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
	new = size ? alloc_table(size, gfp) : NULL;
	if (!new)
		return;
	spin_lock_irqsave(&dir->lock, flags);
	if (!dir->closed && table == table_of(dir) && better_size(table) <= size) {
		replace_table(dir, new);
		new = NULL;
	}
	spin_unlock_irqrestore(&dir->lock, flags);
	free_table(new);
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
	struct list_lru_table *table = alloc_table(MIN_SIZE, GFP_KERNEL);

	spin_lock_init(&dir->lock);
	dir->nr_strays = 0;
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
	free_table(rcu_dereference_protected(dir->table, true));
}
