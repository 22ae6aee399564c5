// SPDX-License-Identifier: GPL-2.0
/*
 * memtouch: populate a region, then touch its pages in a reproducible order.
 *
 * One process makes one memory cgroup's load.  The n-th access depends on the
 * arguments alone, never on time, so that two kernels see the same sequence.
 * With --verify every page carries a stamp made of its index, the seed and a
 * version; a page that comes back lost, stale or foreign ends the run with
 * exit status 2.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "memtouch.h"

#define TICK_NS		20000000LL	/* pacing granularity */

struct speaker speaker = { .program = "memtouch", .name = "memtouch" };
volatile sig_atomic_t stop;
struct counts done;

static void say_ready(void)
{
	if (opt.ready && !make_mark(opt.ready, "r\n"))
		fail(EXIT_SYSTEM, "cannot write ready mark %s: %s", opt.ready, strerror(errno));
}

static bool finished(long long end)
{
	return stop || (opt.ops && done.ops >= opt.ops) || (opt.secs > 0 && now_ns() >= end);
}

static void one_op(void)
{
	touch(next_index(done.ops), next_writes());
	done.ops++;
}

/*
 * Work that cannot be done in time is not made up for beyond one second:
 * a load that was stalled must not come back as a burst.
 */
static void run_load(void)
{
	long long start = now_ns(), tick = start, end = start + (long long)(opt.secs * NSEC);
	double credit = 0;
	long n;

	while (!finished(end)) {
		if (!opt.rate) {
			for (n = 0; n < 256 && !stop && !(opt.ops && done.ops >= opt.ops); n++)
				one_op();
			continue;
		}
		credit += (double)opt.rate * TICK_NS / NSEC;
		for (; credit >= 1 && !stop && !(opt.ops && done.ops >= opt.ops); credit--)
			one_op();
		tick += TICK_NS;
		if (now_ns() > tick + NSEC) {
			long long behind = now_ns() - tick;

			done.late += (unsigned long)((double)opt.rate * (double)behind / NSEC);
			tick += behind;
		}
		sleep_until(tick);
	}
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct rusage filled, ended;

	parse(argc, argv);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	begin_sequence();
	if (opt.pin_self && mlockall(MCL_CURRENT))
		fail(EXIT_SYSTEM, "cannot lock the program in memory: %s", strerror(errno));
	open_region();
	fill_region();
	if (stop)
		fail(EXIT_SYSTEM, "stopped before the region was populated");
	say_ready();
	getrusage(RUSAGE_SELF, &filled);
	run_load();
	getrusage(RUSAGE_SELF, &ended);
	if (opt.verify)
		verify_all();
	printf("memtouch %s ops %lu writes %lu late %lu majflt %ld minflt %ld checked %lu\n",
	       speaker.name, done.ops, done.writes, done.late,
	       ended.ru_majflt - filled.ru_majflt, ended.ru_minflt - filled.ru_minflt,
	       done.checked);
	return EXIT_OK;
}
