// SPDX-License-Identifier: GPL-2.0
/*
 * cgchurn DIR RATE [--file PREFIX]: make cgroups DIR/x0, DIR/x1 and so on, RATE
 * a second in all, go into each, and remove the one made eight before it.
 *
 * With --file, each is charged for a page of cache, too: of a file PREFIX0,
 * PREFIX1 and so on, removed with the cgroup.  SIGTERM ends it: back in the
 * cgroup it came from, it removes all that is left and says what was done.
 *
 * It runs before all other processes, lest these decide about the rate.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/tool.h"

#define BEHIND		8		/* the one that is removed was made so many before */
#define CGROUPS		"/sys/fs/cgroup"

struct speaker speaker = { .program = "cgchurn" };
static const char *dir, *prefix;
static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

__attribute__((format(printf, 2, 3)))
static void name_it(char *name, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(name, PATH_MAX, fmt, ap);
	va_end(ap);
	if (len >= PATH_MAX)
		fail(EXIT_USAGE, "the name %.40s.. is too long", name);
}

static void write_all(const char *path, int flags, const char *text, size_t len)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		fail(EXIT_SYSTEM, "cannot open %s: %s", path, strerror(errno));
	if (write(fd, text, len) != (ssize_t)len)
		fail(EXIT_SYSTEM, "cannot write to %s: %s", path, strerror(errno));
	close(fd);
}

static void go_into(const char *cgroup)
{
	char name[PATH_MAX];

	name_it(name, "%s/cgroup.procs", cgroup);
	write_all(name, O_WRONLY, "0\n", 2);
}

/* The cgroup it is in now: the line 0::/PATH. */
static void find_home(char *home)
{
	char line[PATH_MAX] = "";
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof(line), f) && strncmp(line, "0::/", 4))
		;
	if (!f || strncmp(line, "0::/", 4))
		fail(EXIT_SYSTEM, "/proc/self/cgroup names no cgroup of version 2");
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	name_it(home, CGROUPS "%s", line + 3);
}

static void make(long n)
{
	static const char page[PAGE];
	char name[PATH_MAX];

	name_it(name, "%s/x%ld", dir, n);
	if (mkdir(name, 0755))
		fail(EXIT_SYSTEM, "cannot make %s: %s", name, strerror(errno));
	go_into(name);
	if (!prefix)
		return;
	name_it(name, "%s%ld", prefix, n);
	write_all(name, O_WRONLY | O_CREAT | O_TRUNC, page, PAGE);
}

static void drop(long n)
{
	char name[PATH_MAX];

	if (prefix) {
		name_it(name, "%s%ld", prefix, n);
		if (unlink(name))
			fail(EXIT_SYSTEM, "cannot remove %s: %s", name, strerror(errno));
	}
	name_it(name, "%s/x%ld", dir, n);
	if (rmdir(name))
		fail(EXIT_SYSTEM, "cannot remove %s: %s", name, strerror(errno));
}

/* What comes too late is made up for, unless it is late by more than a second. */
static void churn(long interval, long *made, long *removed, long *late)
{
	long long next = now_ns();

	while (!stop) {
		make((*made)++);
		if (*made > BEHIND)
			drop((*removed)++);
		next += interval;
		if (next < now_ns())
			(*late)++;
		if (next < now_ns() - NSEC)
			next = now_ns();
		sleep_until(next);
	}
}

static const char usage[] = "usage: cgchurn DIR RATE [--file PREFIX]";

static long rate_of(const char *text)
{
	return (long)((double)NSEC / number_in("RATE", text, 1, 1e6));
}

static void parse(int argc, char **argv)
{
	if (argc != 3 && argc != 5) {
		fprintf(stderr, "%s\n", usage);
		exit(EXIT_USAGE);
	}
	dir = argv[1];
	if (argc == 3)
		return;
	if (strcmp(argv[3], "--file"))
		fail(EXIT_USAGE, "\"%s\" is no option; %s", argv[3], usage);
	prefix = argv[4];
}

int main(int argc, char **argv)
{
	struct sigaction term = { .sa_handler = on_term, .sa_flags = SA_RESTART };
	long made = 0, removed = 0, late = 0, interval;
	char home[PATH_MAX];
	long long began;
	double seconds;

	parse(argc, argv);
	interval = rate_of(argv[2]);
	sigaction(SIGTERM, &term, NULL);
	if (setpriority(PRIO_PROCESS, 0, -20))
		fail(EXIT_SYSTEM, "cannot run at nice -20: %s", strerror(errno));
	find_home(home);
	began = now_ns();
	churn(interval, &made, &removed, &late);
	seconds = (double)(now_ns() - began) / NSEC;
	go_into(home);
	while (removed < made)
		drop(removed++);
	printf("made %ld removed %ld late %ld seconds %.2f\n", made, removed, late, seconds);
	return EXIT_OK;
}
