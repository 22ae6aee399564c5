// SPDX-License-Identifier: GPL-2.0
/*
 * pipehold: keep pages of a file's cache from being reclaimed, without a lock on them.
 *
 *   pipehold FILE MIB READY-FILE    splice the first MIB MiB of FILE into pipes, write the
 *                                   ready file, sleep
 *
 * A pipe holds a reference to each page. The pages stay on the lists of file pages and look
 * evictable, and no reclaimer can free one.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MIB	(1L << 20)

static void hold(int file, long from)
{
	loff_t at = from;
	long nr;
	int fds[2];

	if (pipe(fds) || fcntl(fds[1], F_SETPIPE_SZ, MIB) < MIB)
		err(1, "pipe");
	while (at < from + MIB) {
		nr = splice(file, &at, fds[1], NULL, from + MIB - at, SPLICE_F_NONBLOCK);
		if (nr <= 0)
			err(1, "splice");
	}
}

int main(int argc, char **argv)
{
	long i, nr;
	FILE *ready;
	int file;

	if (argc != 4)
		errx(2, "usage: pipehold FILE MIB READY-FILE");
	nr = atol(argv[2]);
	file = open(argv[1], O_RDONLY);
	if (file < 0)
		err(1, "%s", argv[1]);
	for (i = 0; i < nr; i++)
		hold(file, i * MIB);
	ready = fopen(argv[3], "w");
	if (!ready || fclose(ready))
		err(1, "%s", argv[3]);
	pause();
	return 0;
}
