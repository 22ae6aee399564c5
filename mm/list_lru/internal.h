/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of reclaimable objects, one for each memcg that has any, on each node.
 *
 * Files, from the top: list_lru.c and walk.c (what users call), reparent.c (memcgs and
 * list_lrus that go), memcg.c (whose list an object is on), stray.c (make a list, or do
 * without), dir.c (what a memcg has). A file may use those below it, none above.
 *
 * Locks, as fields name them, in the order in which they nest:
 *
 *  M  list_lru_gone, a mutex: lists leave their memcg
 *  L  list_lru_one.lock, of one list; that of a child before that of its ancestor
 *  D  list_lru_dir.lock, of what a memcg has on a node; interrupts off
 *  N  list_lru_node.lock, of the memcgs' lists of a list_lru on a node; interrupts off
 *  S  stray_lock, of the list_lrus that have had strays; interrupts off
 *
 * L is inside the locks of the users. Those whose objects are put on a list with
 * interrupts off have to do so always, and give their L a class of its own.
 */
#ifndef _MM_LIST_LRU_INTERNAL_H
#define _MM_LIST_LRU_INTERNAL_H

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/list_lru.h>
#include <linux/list_lru_types.h>
#include <linux/memcontrol.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>

/* The number of objects on a list that has been given up. */
#define LIST_LRU_DEAD	LONG_MIN

/**
 * struct list_lru_place - where objects belong
 * @lru: the list_lru
 * @nid: their node
 * @memcg: whom they are charged to, NULL if to nobody or if it does not matter
 *
 * Private to the thread that looks for it.
 */
struct list_lru_place {
	struct list_lru *lru;
	int nid;
	struct mem_cgroup *memcg;
};

static inline struct list_lru_one *list_lru_root(struct list_lru *lru, int nid)
{
	return &lru->node[nid].lru;
}

/* Whether objects may be put on @l. Context: holds L. */
static inline bool list_lru_alive(const struct list_lru_one *l)
{
	return l->nr_items != LIST_LRU_DEAD;
}

void list_lru_one_init(struct list_lru_one *l, struct lock_class_key *key);

#ifdef CONFIG_MEMCG

/**
 * struct list_lru_sub - the list of a memcg on a node
 * @one: the list
 * @nlru: the list_lru it is of, on this node
 * @dir: what it is in; written under M and L, read under either
 * @link: on nlru->subs, N
 * @rcu: once it is off nlru->subs
 */
struct list_lru_sub {
	struct list_lru_one one;
	struct list_lru_node *nlru;
	struct list_lru_dir *dir;
	union {
		struct list_head link;
		struct rcu_head rcu;
	};
};

/**
 * struct list_lru_table - the table of a directory
 * @rcu: to free it
 * @size: slots there are
 * @nr_taken: slots that are not empty, those given up included; at least one is empty
 * @slots: NULL, a list, or the mark of a slot given up, see dir.c
 * @pages: pages of slots instead, of a table too large for one page
 *
 * All fields are D; slots are read without it.
 */
struct list_lru_table {
	struct rcu_head rcu;
	unsigned int size;
	unsigned int nr_taken;
	union {
		DECLARE_FLEX_ARRAY(struct list_lru_sub *, slots);
		DECLARE_FLEX_ARRAY(struct list_lru_sub **, pages);
	};
};

/* The answer that objects of the memcg are with its parent. */
#define LIST_LRU_AWAY	((struct list_lru_sub *)ERR_PTR(-ENOENT))

/* dir.c */
struct list_lru_sub *list_lru_dir_find(struct list_lru_dir *dir,
				       struct list_lru_node *nlru);
struct list_lru_sub *list_lru_dir_add(struct list_lru_dir *dir, struct list_lru_sub *sub);
struct list_lru_sub *list_lru_dir_next(struct list_lru_dir *dir, unsigned int *at);
void list_lru_dir_erase(struct list_lru_dir *dir, struct list_lru_sub *sub);
bool list_lru_dir_note_stray(struct list_lru_dir *dir, struct list_lru_node *nlru);
bool list_lru_dir_used(struct list_lru_dir *dir);
bool list_lru_dir_close(struct list_lru_dir *dir, unsigned int *nr_strays);
void list_lru_dir_reserve(struct list_lru_dir *dir, gfp_t gfp);
void *list_lru_mem_alloc(size_t bytes, gfp_t gfp);

/* stray.c */
extern struct mutex list_lru_gone;

void list_lru_strays_init(struct list_lru_node *nlru, struct list_lru *lru);
struct list_lru_sub *list_lru_make(struct list_lru_node *nlru, struct list_lru_dir *dir,
				   gfp_t gfp);
struct list_lru_sub *list_lru_offer(struct list_lru_sub *sub, struct list_lru_dir *dir);
void list_lru_announce(struct list_lru_node *nlru, struct list_lru_one *l);
bool list_lru_admit_stray(struct list_lru_node *nlru, struct list_lru_dir *dir);
void list_lru_strays_home(struct list_lru_dir *dir, int nid);
bool list_lru_has_strayed(struct list_lru_node *nlru);
void list_lru_forget_strays(struct list_lru_node *nlru);

/* memcg.c */
struct list_lru_one *list_lru_pick(const struct list_lru_place *p, bool make);
struct list_lru_one *list_lru_own(struct list_lru *lru, int nid,
				  struct mem_cgroup *memcg);
bool list_lru_stays_stray(const struct list_lru_place *p);
struct list_lru_sub *list_lru_next_sub(struct list_lru_node *nlru,
				       struct list_lru_sub *sub);
void list_lru_put(struct list_lru_node *nlru, struct list_lru_one *l);
unsigned long list_lru_count_subs(struct list_lru_node *nlru);
void list_lru_memcg_init(struct list_lru *lru, struct shrinker *shrinker);

static inline struct list_lru_sub *list_lru_sub_of(struct list_lru_one *l)
{
	return container_of(l, struct list_lru_sub, one);
}

static inline struct mem_cgroup *list_lru_dir_memcg(struct list_lru_dir *dir)
{
	return container_of(dir, struct mem_cgroup_per_node, lists)->memcg;
}

/* Whether @memcg may have a list of its own on @lru. */
static inline bool list_lru_by_memcg(const struct list_lru *lru, struct mem_cgroup *memcg)
{
	return lru->memcg_aware && memcg && !mem_cgroup_is_root(memcg);
}

static inline bool list_lru_aware(const struct list_lru *lru)
{
	return lru->memcg_aware;
}

static inline void list_lru_set_aware(struct list_lru *lru, bool aware)
{
	lru->memcg_aware = aware && !mem_cgroup_kmem_disabled();
}

static inline void list_lru_set_key(struct list_lru *lru, struct lock_class_key *key)
{
	lru->key = key;
}

/*
 * Whether @l, which list_lru_pick() gave, is still the right list for an object. Objects
 * leave one only when it is given up, but for that of the strays. Context: RCU, holds L.
 */
static inline bool list_lru_still(const struct list_lru_place *p, struct list_lru_one *l)
{
	return likely(l != &p->lru->node[p->nid].strays) || list_lru_pick(p, false) == l;
}

/* Whether an object may be added to @l. Context: as list_lru_still(); takes D and S. */
static inline bool list_lru_admit(const struct list_lru_place *p, struct list_lru_one *l)
{
	return likely(l != &p->lru->node[p->nid].strays) || list_lru_stays_stray(p);
}

/* Whether @l is for a memcg, and not one of the two of the node. */
static inline bool list_lru_is_sub(struct list_lru_node *nlru, struct list_lru_one *l)
{
	return l != &nlru->lru && l != &nlru->strays;
}

/* Objects that count as the root's beside those on its list, at a glance. */
static inline unsigned long list_lru_nr_strays(struct list_lru_node *nlru)
{
	return READ_ONCE(nlru->strays.nr_items);
}

/* The list of the node to walk after @l, referenced, or NULL. */
static inline struct list_lru_one *list_lru_get_strays(struct list_lru_node *nlru,
						       struct list_lru_one *l)
{
	if (l != &nlru->lru || !list_lru_nr_strays(nlru))
		return NULL;
	refcount_inc(&nlru->strays.refs);
	return &nlru->strays;
}

/*
 * Whether memcgs have lists. Taking the lock waits for the thread that removes the last
 * one.
 */
static inline bool list_lru_has_subs(struct list_lru_node *nlru)
{
	unsigned long flags;
	bool has;

	spin_lock_irqsave(&nlru->lock, flags);
	has = !list_empty(&nlru->subs);
	spin_unlock_irqrestore(&nlru->lock, flags);
	return has;
}

/* reparent.c */
void list_lru_forget(struct list_lru *lru);

#else

struct list_lru_sub {
	struct list_lru_one one;
};

static inline struct list_lru_one *list_lru_pick(const struct list_lru_place *p,
						 bool make)
{
	return list_lru_root(p->lru, p->nid);
}

static inline struct list_lru_one *list_lru_own(struct list_lru *lru, int nid,
						struct mem_cgroup *memcg)
{
	return list_lru_root(lru, nid);
}

static inline struct list_lru_sub *list_lru_next_sub(struct list_lru_node *nlru,
						     struct list_lru_sub *sub)
{
	return NULL;
}

static inline unsigned long list_lru_count_subs(struct list_lru_node *nlru)
{
	return 0;
}

static inline bool list_lru_aware(const struct list_lru *lru)
{
	return false;
}

static inline bool list_lru_still(const struct list_lru_place *p, struct list_lru_one *l)
{
	return true;
}

static inline bool list_lru_admit(const struct list_lru_place *p, struct list_lru_one *l)
{
	return true;
}

static inline unsigned long list_lru_nr_strays(struct list_lru_node *nlru)
{
	return 0;
}

static inline struct list_lru_one *list_lru_get_strays(struct list_lru_node *nlru,
						       struct list_lru_one *l)
{
	return NULL;
}

static inline void list_lru_announce(struct list_lru_node *nlru, struct list_lru_one *l) {}
static inline void list_lru_put(struct list_lru_node *nlru, struct list_lru_one *l) {}
static inline void list_lru_memcg_init(struct list_lru *lru, struct shrinker *shrinker) {}
static inline void list_lru_set_aware(struct list_lru *lru, bool aware) {}
static inline void list_lru_set_key(struct list_lru *lru, struct lock_class_key *key) {}
static inline void list_lru_forget(struct list_lru *lru) {}

#endif /* CONFIG_MEMCG */
#endif /* _MM_LIST_LRU_INTERNAL_H */
