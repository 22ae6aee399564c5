// SPDX-License-Identifier: GPL-2.0
/*
 * reclaim-writes FILE SIZE WRITES INTERVAL: write SIZE to a memory.reclaim
 * file WRITES times, INTERVAL seconds apart, and say what it cost.
 *
 * A program of its own, because a shell's own work would be counted as
 * reclaim.  EAGAIN (less was reclaimed than asked) is counted, any other
 * error ends the run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/tool.h"

struct speaker speaker = { .program = "reclaim-writes" };

static double cpu_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static double number(const char *what, const char *text, double min, double max)
{
	double v;

	if (!parse_number(text, min, max, &v))
		fail(EXIT_USAGE, "%s \"%s\" is not a number from %g to %g", what, text, min, max);
	return v;
}

int main(int argc, char **argv)
{
	long long next, t0, took, longest = 0, total = 0, interval;
	long i, writes, short_writes = 0;
	double cpu;
	int fd;

	if (argc != 5) {
		fputs("usage: reclaim-writes FILE SIZE WRITES INTERVAL\n", stderr);
		return EXIT_USAGE;
	}
	writes = (long)number("WRITES", argv[3], 1, 1e6);
	interval = (long long)(number("INTERVAL", argv[4], 0, 3600) * NSEC);
	fd = open(argv[1], O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		fail(EXIT_SYSTEM, "cannot open %s: %s", argv[1], strerror(errno));

	cpu = cpu_seconds();
	next = now_ns();
	for (i = 0; i < writes; i++) {
		t0 = now_ns();
		if (pwrite(fd, argv[2], strlen(argv[2]), 0) < 0) {
			if (errno != EAGAIN)
				fail(EXIT_SYSTEM, "writing %s to %s: %s", argv[2], argv[1],
				     strerror(errno));
			short_writes++;
		}
		took = now_ns() - t0;
		total += took;
		if (took > longest)
			longest = took;
		/* a write that takes longer than the interval moves the rest back */
		next += interval;
		if (next < now_ns())
			next = now_ns();
		sleep_until(next);
	}
	printf("writes %ld eagain %ld cpu_s %.4f wall_s %.4f max_ms %.2f\n", writes, short_writes,
	       cpu_seconds() - cpu, (double)total / 1e9, (double)longest / 1e6);
	return EXIT_OK;
}
