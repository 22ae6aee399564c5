// SPDX-License-Identifier: GPL-2.0
/*
 * patterncheck: hold memory whose every byte is known, and look after it.
 *
 * Each page holds what follows from its index, its generation (the number of
 * times it was written) and the seed.  Every page is checked as a whole whenever
 * it is touched, and all of them at the end: those of a file also after its cache
 * has been dropped.  A page that is wrong is told, mended and counted.
 *
 * SIGUSR1: check all, then rest, with the memory still held.  SIGTERM: check all
 * and end.  The order of what is done depends on the arguments alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/random.h"
#include "patterncheck.h"

#define TICK_NS		20000000L

struct speaker speaker = { .program = "patterncheck", .name = "patterncheck" };
volatile sig_atomic_t stop, rest;
static uint64_t rng;

unsigned long below(unsigned long n)
{
	return xorshift(&rng) % n;
}

static void one_op(void)
{
	unsigned long index = below(opt.pages);

	if (!check(index, "on access"))
		fill(index);
	else if (below(100) < 40)
		rewrite(index);
	if (++done->ops == opt.plant)
		spoil(index);
	if (!strcmp(opt.mode, "thp") && done->ops % 16 == 0)
		reshape();
	if (!strcmp(opt.mode, "fork") && done->ops % 32 == 0)
		fork_one();
	if (opt.file && done->ops % 1024 == 0)
		drop_cache();
}

static void fail_allocations(void)
{
	int f = open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC);

	if (f < 0 || write(f, "1", 1) != 1)
		fail(EXIT_SYSTEM, "allocations cannot be made to fail: %s", strerror(errno));
	close(f);
}

static void mark(const char *path)
{
	if (path && !make_mark(path, ""))
		fail(EXIT_SYSTEM, "cannot write the mark %s: %s", path, strerror(errno));
}

/* What came too late is not made up for. */
static void run_load(void)
{
	struct timespec tick = { .tv_nsec = TICK_NS };
	unsigned long per_tick = opt.rate / (NSEC / TICK_NS), i;

	while (!stop && !rest && !(opt.ops && done->ops >= opt.ops)) {
		for (i = 0; i <= per_tick && !stop && !rest; i++)
			one_op();
		if (opt.rate)
			nanosleep(&tick, NULL);
	}
	if (!strcmp(opt.mode, "fork")) {
		rest = 1;
		fork_one();	/* none is left behind */
	}
}

/* Without signals in between, lest one come before the pause. */
static void hold_still(void)
{
	sigset_t term, old;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &old);
	mark(opt.rest_mark);
	while (!stop)
		sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void print_counts(void)
{
	printf("patterncheck %s kind %s mode %s pages %lu ops %lu verified %lu mismatches %lu "
	       "forks %lu collapsed %lu holes %lu moved %lu paged_out %lu protected %lu freed %lu "
	       "locked %lu refused %lu\n", speaker.name, opt.kind, opt.mode, opt.pages, done->ops,
	       done->verified, done->mismatches, done->forks, done->collapsed, done->holes,
	       done->moved, done->paged_out, done->protected, done->freed, done->locked,
	       done->refused);
}

static void on_signal(int sig)
{
	if (sig == SIGTERM)
		stop = 1;
	else
		rest = 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	bool ended;

	parse(argc, argv);
	rng = mix(opt.seed + 0x77) | 1;
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	make_region();
	mark(opt.ready);
	if (opt.faults)
		fail_allocations();
	run_load();
	ended = opt.ops && done->ops >= opt.ops;
	check_all("after the load");
	if (!stop && !ended)
		hold_still();
	if (rest && !ended)
		check_all("after the rest");
	check_from_disk();
	print_counts();
	return done->mismatches ? EXIT_WRONG : EXIT_OK;
}
