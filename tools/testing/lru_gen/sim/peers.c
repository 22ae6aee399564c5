// SPDX-License-Identifier: GPL-2.0
/* Policies no kernel can have, to be held against: they see every access. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static struct list recency;

static void lru_start(struct machine *m)
{
	(void)m;
	list_init(&recency);
}

static void lru_enter(struct machine *m, int p, bool refault)
{
	(void)refault;
	list_add(m, &recency, p);
}

static void lru_hit(struct machine *m, int p)
{
	list_del(m, &recency, p);
	list_add(m, &recency, p);
}

static void lru_evict(struct machine *m, long want)
{
	while (want--) {
		int p = recency.tail;

		list_del(m, &recency, p);
		page_evict(m, p);
	}
}

const struct policy policy_lru = {
	.name = "LRU", .sees_all = true, .start = lru_start,
	.enter = lru_enter, .hit = lru_hit, .evict = lru_evict,
};

/* Exact counts of all accesses, kept across eviction; equals by recency. */
#define LFU_MAX 4096

static struct list by_count[LFU_MAX];

static void lfu_start(struct machine *m)
{
	int i;

	(void)m;
	for (i = 0; i < LFU_MAX; i++)
		list_init(&by_count[i]);
}

static void lfu_add(struct machine *m, int p)
{
	struct page *page = &m->pages[p];

	if (page->seq < LFU_MAX - 1)
		page->seq++;
	list_add(m, &by_count[page->seq], p);
}

static void lfu_enter(struct machine *m, int p, bool refault)
{
	(void)refault;
	lfu_add(m, p);
}

static void lfu_hit(struct machine *m, int p)
{
	list_del(m, &by_count[m->pages[p].seq], p);
	lfu_add(m, p);
}

static void lfu_evict(struct machine *m, long want)
{
	int i = 0;

	while (want--) {
		int p;

		while (!by_count[i].nr)
			i++;
		p = by_count[i].tail;
		list_del(m, &by_count[i], p);
		page_evict(m, p);
	}
}

const struct policy policy_lfu = {
	.name = "LFU", .sees_all = true, .start = lfu_start,
	.enter = lfu_enter, .hit = lfu_hit, .evict = lfu_evict,
};
