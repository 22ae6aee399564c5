// SPDX-License-Identifier: GPL-2.0
/*
 * What splits and collapses huge pages.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "patterncheck.h"

#define RUN_MAX		48UL		/* pages that are taken at once */
#define STUBBORN	1000		/* tries to put back what was taken away */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

struct run {
	unsigned long first, nr;
	char *at;
	size_t len;
};

static void each(const struct run *r, void (*what)(unsigned long index))
{
	unsigned long i;

	for (i = r->first; i < r->first + r->nr; i++)
		what(i);
}

static void look(unsigned long index)
{
	if (!check(index, "after its mapping was changed"))
		fill(index);
}

static bool refused(int failed)
{
	if (failed)
		done->refused++;
	return failed;
}

/* There may be no memory for it at the moment, or somebody has hold of a page. */
static void collapse(const struct run *r)
{
	char *at = map + r->first / HUGE_PAGES * HUGE;

	if (!refused(madvise(at, HUGE, MADV_COLLAPSE)))
		done->collapsed++;
}

/* What is at that place now goes. */
static void map_afresh(char *at, size_t len, int how)
{
	int tries = STUBBORN;

	while (mmap(at, len, how, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		if (!--tries)
			fail(EXIT_SYSTEM, "no new mapping in place of the old one");
}

static void punch(const struct run *r)
{
	if (!strcmp(opt.kind, "shmem")) {
		if (refused(madvise(r->at, r->len, MADV_REMOVE)))
			return;
	} else {
		if (refused(munmap(r->at, r->len)))
			return;
		map_afresh(r->at, r->len, PROT_READ | PROT_WRITE);
		refused(madvise(r->at, r->len, MADV_HUGEPAGE));
	}
	each(r, rewrite);
	done->holes++;
}

static void move_and_back(const struct run *r)
{
	const int how = MREMAP_MAYMOVE | MREMAP_FIXED;
	char *there = map + opt.pages * PAGE, *here = map;
	int tries = STUBBORN;

	if (refused(mremap(r->at, r->len, r->len, how, there) == MAP_FAILED))
		return;
	/* check() looks where the pages are now */
	map = there - r->first * PAGE;
	each(r, look);
	map = here;
	while (mremap(there, r->len, r->len, how, r->at) == MAP_FAILED)
		if (!--tries)
			fail(EXIT_SYSTEM, "pages cannot be moved back");
	/* lest something else is put there */
	map_afresh(there, r->len, PROT_NONE);
	each(r, look);
	done->moved++;
}

static void page_out(const struct run *r)
{
	if (!refused(madvise(r->at, r->len, MADV_PAGEOUT)))
		done->paged_out++;
	each(r, look);
}

static void protect(const struct run *r)
{
	int tries = STUBBORN;

	if (refused(mprotect(r->at, r->len, PROT_READ)))
		return;
	each(r, look);
	while (mprotect(r->at, r->len, PROT_READ | PROT_WRITE))
		if (!--tries)
			fail(EXIT_SYSTEM, "pages cannot be made writable again");
	done->protected++;
}

/* Either is right from now on: what was there, or nothing. */
static void give_up(const struct run *r)
{
	if (strcmp(opt.kind, "anon") || refused(madvise(r->at, r->len, MADV_FREE)))
		return;
	each(r, loosen);
	done->freed++;
}

static void lock_a_while(const struct run *r)
{
	if (refused(mlock(r->at, r->len)))
		return;
	each(r, look);
	if (!refused(munlock(r->at, r->len)))
		done->locked++;
}

void reshape(void)
{
	static void (*const ways[])(const struct run *) = {
		collapse, collapse, punch, move_and_back, page_out, protect, give_up, lock_a_while,
	};
	struct run r = { .first = below(opt.pages), .nr = 1 + below(RUN_MAX) };

	if (r.first + r.nr > opt.pages)
		r.nr = opt.pages - r.first;
	r.at = map + r.first * PAGE;
	r.len = r.nr * PAGE;
	ways[below(sizeof(ways) / sizeof(*ways))](&r);
}
