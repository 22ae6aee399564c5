// SPDX-License-Identifier: GPL-2.0
/*
 * Walks through a subtree of memcgs, one after the other.
 */
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "internal.h"

/**
 * DOC: walk
 *
 * A full walk belongs to who makes it: nobody else can end it or take a memcg out
 * of it, so that who has found nothing in one can say that there is nothing. It
 * passes over subtrees that have no folios, or no memory at all, one read each.
 *
 * The place where slab is asked for next is kept in the top memcg and shared by
 * all who reclaim from its subtree. It holds no reference: a memcg that is let go
 * moves it to its neighbour.
 */

static struct memcg_iter *iter_of(struct cgroup_subsys_state *css, int nid)
{
	return &mem_cgroup_from_css(css)->nodeinfo[nid]->shared_iter;
}

/* The one after @pos in the subtree of @top; @into: with what is below @pos. */
static struct cgroup_subsys_state *step(struct cgroup_subsys_state *pos,
					struct cgroup_subsys_state *top, bool into)
{
	struct cgroup_subsys_state *next = into ? css_next_child(NULL, pos) : NULL;

	for (; !next && pos != top; pos = pos->parent)
		next = css_next_child(pos, pos->parent);
	return next;
}

static bool is_charged(struct cgroup_subsys_state *css)
{
	return memcg_is_charged(mem_cgroup_from_css(css));
}

/* Whether the walk has to look at @css, and whether at what is below it. */
static bool is_wanted(const struct memcg_walk *w, struct cgroup_subsys_state *css)
{
	return w->all ? is_charged(css) : READ_ONCE(iter_of(css, w->nid)->mark);
}

static bool is_wanted_below(const struct memcg_walk *w, struct cgroup_subsys_state *css)
{
	return w->all ? is_charged(css) : READ_ONCE(iter_of(css, w->nid)->nr);
}

/**
 * memcg_walk_next() - the next memcg of a full walk
 * @w: the walk
 * @prev: the memcg before, which is let go; NULL to begin
 *
 * Context: process context; @prev is held.
 * Return: the memcg, held; NULL if there is none left.
 */
struct mem_cgroup *memcg_walk_next(const struct memcg_walk *w, struct mem_cgroup *prev)
{
	struct cgroup_subsys_state *top = &w->top->css;
	struct cgroup_subsys_state *css = prev ? &prev->css : NULL;

	rcu_read_lock();
	do {
		css = css ? step(css, top, is_wanted_below(w, css)) : top;
	} while (css && (!is_wanted(w, css) || !css_tryget(css)));
	rcu_read_unlock();
	if (prev)
		css_put(&prev->css);
	return css ? mem_cgroup_from_css(css) : NULL;
}

/**
 * memcg_walk_break() - end a full walk before its end
 * @prev: the memcg it has come to, which is let go
 *
 * Context: process context.
 */
void memcg_walk_break(struct mem_cgroup *prev)
{
	if (prev)
		css_put(&prev->css);
}

/* Those that are not online yet may vanish without a word. */
static struct cgroup_subsys_state *step_to_member(struct cgroup_subsys_state *pos,
						  struct cgroup_subsys_state *top, int nid)
{
	do {
		pos = step(pos, top, is_charged(pos));
		/* Pairs with the store in memcg_iter_add(). */
	} while (pos && !smp_load_acquire(&iter_of(pos, nid)->root));
	return pos;
}

/* Take the place that all share, and move it on: to the top after the last one. */
static struct cgroup_subsys_state *take_place(struct memcg_walk *w)
{
	struct cgroup_subsys_state *top = &w->top->css, *css;
	struct memcg_iter *it = iter_of(top, w->nid);
	unsigned long flags;

	spin_lock_irqsave(&it->root->lock, flags);
	css = it->slab ?: step_to_member(top, top, w->nid);
	it->slab = css ? step_to_member(css, top, w->nid) : NULL;
	w->over = !it->slab;
	spin_unlock_irqrestore(&it->root->lock, flags);
	return css;
}

/**
 * memcg_walk_slab() - the memcg below the top that is next to be asked for slab
 * @w: the walk; @over is set when the place is back at the top
 *
 * Context: process context; takes the lock of the tree.
 * Return: the memcg, held; NULL if up to the end there is none that has any.
 */
struct mem_cgroup *memcg_walk_slab(struct memcg_walk *w)
{
	struct cgroup_subsys_state *css, *found = NULL;

	rcu_read_lock();
	do {
		/* Who is let go takes the place away first, and is freed by RCU. */
		css = take_place(w);
		if (css && is_charged(css) && css_tryget(css))
			found = css;
	} while (!found && !w->over);
	rcu_read_unlock();
	return found ? mem_cgroup_from_css(found) : NULL;
}

/**
 * memcg_walk_forget() - let no place be at a memcg any more
 * @memcg: the memcg, without references
 * @nid: node
 *
 * Context: process context; takes the lock of the tree.
 */
void memcg_walk_forget(struct mem_cgroup *memcg, int nid)
{
	struct memcg_iter *it = iter_of(&memcg->css, nid);
	struct mem_cgroup *top = memcg;
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&it->root->lock, flags);
	for (; top; top = parent_mem_cgroup(top)) {
		struct memcg_iter *above = iter_of(&top->css, nid);

		if (above->slab == &memcg->css)
			above->slab = step_to_member(&memcg->css, &top->css, nid);
	}
	spin_unlock_irqrestore(&it->root->lock, flags);
	rcu_read_unlock();
}
