// SPDX-License-Identifier: GPL-2.0
/*
 * negdentry: fill the dentry cache with names that do not exist.
 *
 *   negdentry DIR FIRST N     look up DIR/FIRST.. with names of 240 characters
 *
 * Each name leaves a dentry and an external name, together about 700 bytes of
 * reclaimable slab, which are charged to the caller's cgroup.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LENGTH	240

int main(int argc, char **argv)
{
	long i, first, n;
	char name[256];
	struct stat st;

	if (argc != 4)
		errx(2, "usage: negdentry DIR FIRST N");
	first = atol(argv[2]);
	n = atol(argv[3]);
	if (chdir(argv[1]))
		err(1, "%s", argv[1]);
	for (i = first; i < first + n; i++) {
		snprintf(name, sizeof(name), "%0*ld", NAME_LENGTH, i);
		if (!stat(name, &st) || errno != ENOENT)
			err(1, "%s", name);
	}
	return 0;
}
