// SPDX-License-Identifier: GPL-2.0
/*
 * memlock: hold memory that is locked, until it is ended.
 *
 * memlock MIB READY-FILE: maps that much, locks and so fills it, writes the file, sleeps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int fail(const char *what)
{
	fprintf(stderr, "memlock: error: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	char *end, *map;
	size_t mib;
	FILE *ready;

	mib = argc == 3 ? strtoul(argv[1], &end, 10) : 0;
	if (!mib || *end) {
		fprintf(stderr, "usage: memlock MIB READY-FILE\n");
		return 2;
	}
	map = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return fail("mmap");
	if (mlock(map, mib << 20))
		return fail("mlock");
	ready = fopen(argv[2], "w");
	if (!ready || fclose(ready))
		return fail(argv[2]);
	pause();
	return 0;
}
