// SPDX-License-Identifier: GPL-2.0
/*
 * agewalk CGROUP MIB: what one aging costs, against the pages referenced.
 *
 * Maps MIB of anonymous memory, references a known part of it, and has the
 * kernel age the cgroup by writing "+" to debugfs' lru_gen, timing the write.
 * Where a clock counts instructions, the time is a count of instructions.
 *
 * Some agings also have to empty the oldest generation into the next.  Whether
 * one has depends on those before it, so each is measured SETTLES times, with one
 * more aging of everything before it each time.
 *
 * Reclaim looks where there is reason to, which is what "tables" and "spread"
 * measure. "forced" looks at every page table, which only a command asks for.
 *
 * A line each: walk LAYOUT PART REFERENCED NS, REFERENCED in pages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/tool.h"

#define TABLE	512UL		/* pages that one page table maps */
#define AGING	"/sys/kernel/debug/lru_gen"
#define NODE	0
#define SETTLES	4UL

struct speaker speaker = { .program = "agewalk", .word = "error: " };
static const char *group;
static volatile char *map;
static unsigned long pages;

/* The cgroup's number and its youngest generation on the node. */
static void find_group(unsigned long *id, unsigned long *youngest)
{
	char line[512], path[256];
	unsigned long a, b, node = ~0UL, seen = 0;
	int ours = 0;
	FILE *f = fopen(AGING, "r");

	if (!f)
		fail(EXIT_FAILURE, "cannot open %s: %s", AGING, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		if (sscanf(line, "memcg %lu %255s", &a, path) >= 1) {
			ours = !strcmp(path, group);
			node = ~0UL;
			if (ours)
				*id = a;
		} else if (sscanf(line, " node %lu", &a) == 1) {
			node = a;
		} else if (ours && node == NODE && sscanf(line, "%lu %lu", &a, &b) == 2) {
			*youngest = a;
			seen++;
		}
	}
	fclose(f);
	if (!seen)
		fail(EXIT_FAILURE, "%s does not list %s with generations on node %d", AGING, group, NODE);
}

/* How long the kernel takes for one command. */
static long long command(const char *text)
{
	int fd = open(AGING, O_WRONLY);
	long long t0, took;

	if (fd < 0)
		fail(EXIT_FAILURE, "cannot open %s for writing: %s", AGING, strerror(errno));
	t0 = now_ns();
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail(EXIT_FAILURE, "\"%s\": %s", text, strerror(errno));
	took = now_ns() - t0;
	close(fd);
	return took;
}

/* How long the kernel takes for one aging; @forced: of all page tables. */
static long long age(int forced)
{
	unsigned long id = 0, youngest = 0;
	char text[128];

	find_group(&id, &youngest);
	snprintf(text, sizeof(text), "+ %lu %d %lu 60 %d", id, NODE, youngest, forced);
	return command(text);
}

/*
 * Idle pages, of which there are a few, keep their generations, and empty
 * ones are dropped by eviction alone: in the end there would be no room for
 * another one, and only a forced aging would get it.
 */
static void make_room(void)
{
	unsigned long id = 0, youngest = 0;
	char text[128];

	find_group(&id, &youngest);
	if (youngest < 2)
		return;
	snprintf(text, sizeof(text), "- %lu %d %lu 0; - %lu %d %lu 200 64",
		 id, NODE, youngest - 2, id, NODE, youngest - 2);
	command(text);
}

/*
 * A processor that still has a translation cached does not set the accessed bit
 * again: changing the protection of all of it, and back, drops them.
 */
static void forget_translations(void)
{
	if (mprotect((void *)map, pages * PAGE, PROT_READ) ||
	    mprotect((void *)map, pages * PAGE, PROT_READ | PROT_WRITE))
		fail(EXIT_FAILURE, "mprotect: %s", strerror(errno));
}

/* Reference EACH pages of every STEP-th page table; how many that are. */
static unsigned long reference(unsigned long step, unsigned long each)
{
	unsigned long table, i, n = 0;

	forget_translations();
	for (table = 0; table < pages / TABLE; table += step)
		for (i = 0; i < TABLE; i += TABLE / each, n++)
			(void)map[(table * TABLE + i) * PAGE];
	return n;
}

static void measure(const char *layout, unsigned long step, unsigned long each)
{
	int forced = !strcmp(layout, "forced");
	unsigned long settle, i, n;

	for (settle = 1; settle <= SETTLES; settle++) {
		for (i = 0; i < settle; i++) {
			reference(1, TABLE);
			age(1);
		}
		make_room();
		n = reference(step, each);
		printf("walk %s 1/%lu %lu %lld\n", layout, step * (TABLE / each), n, age(forced));
		fflush(stdout);
	}
}

static unsigned long argument(const char *name, const char *text, unsigned long max)
{
	unsigned long v;

	if (!parse_whole(text, &v) || !v || v > max)
		fail(EXIT_FAILURE, "%s is a whole number from 1 to %lu, not \"%s\"", name, max, text);
	return v;
}

int main(int argc, char **argv)
{
	unsigned long i;

	if (argc != 3)
		fail(EXIT_FAILURE, "usage: agewalk CGROUP MIB");
	group = argv[1];
	pages = argument("MIB", argv[2], 1 << 20) * ((1UL << 20) / PAGE);
	if (pages % (64 * TABLE))
		fail(EXIT_FAILURE, "MIB must be a multiple of 128");
	map = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		fail(EXIT_FAILURE, "cannot map %lu pages: %s", pages, strerror(errno));
	for (i = 0; i < pages; i++)
		map[i * PAGE] = 1;
	measure("tables", 64, TABLE);
	measure("tables", 16, TABLE);
	measure("tables", 4, TABLE);
	measure("tables", 1, TABLE);
	measure("forced", 64, TABLE);
	measure("forced", 1, TABLE);
	measure("spread", 1, 1);
	measure("spread", 1, TABLE / 64);
	measure("spread", 1, TABLE / 8);
	return 0;
}
