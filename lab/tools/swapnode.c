// SPDX-License-Identifier: GPL-2.0
/*
 * swapnode: leave a node without an entry in the tree of a swap cache
 *
 * Pages are swapped out one by one, with memory for one node of the tree each. Sooner or
 * later two are wanted, one above the other; then the upper one is made in vain. Of the
 * caches only radix_tree_node may have the flag failslab. For one processor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/tool.h"

#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define NODE_SIZE	"/sys/kernel/slab/radix_tree_node/object_size"

#define NR_PAGES	12000UL

struct speaker speaker = { .program = "swapnode" };

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) == EOF || fclose(f))
		fail(EXIT_SYSTEM, "%s: %s", path, strerror(errno));
}

static long read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	long number;

	if (!f || fscanf(f, "%ld", &number) != 1)
		fail(EXIT_SYSTEM, "%s: no number", path);
	fclose(f);
	return number;
}

/* With memory for one node, but not for two: has one been made in vain? */
static bool page_out(char *page, const char *one)
{
	long before = read_number(FAILSLAB "times");

	write_file(FAILSLAB "space", one);
	if (madvise(page, PAGE, MADV_PAGEOUT))
		fail(EXIT_SYSTEM, "madvise: %s", strerror(errno));
	return read_number(FAILSLAB "times") < before;
}

int main(void)
{
	char one[32], *memory;
	bool left = false;
	unsigned long i;

	snprintf(one, sizeof(one), "%ld", read_number(NODE_SIZE) + 1);
	memory = mmap(NULL, NR_PAGES * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, NR_PAGES * PAGE, MADV_NOHUGEPAGE))
		fail(EXIT_SYSTEM, "mmap: %s", strerror(errno));
	memset(memory, 1, NR_PAGES * PAGE);
	write_file(FAILSLAB "probability", "100");
	for (i = 0; i < NR_PAGES && !left; i++)
		left = page_out(memory + i * PAGE, one);
	write_file(FAILSLAB "probability", "0");
	write_file(FAILSLAB "space", "0");
	if (!left)
		fail(EXIT_WRONG, "%lu pages went out, and no node was made in vain", i);
	return EXIT_OK;
}
