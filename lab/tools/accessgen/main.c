// SPDX-License-Identifier: GPL-2.0
/*
 * accessgen: one stream of page accesses that follows from its arguments alone.
 *
 * The sequence is simple enough for a simulator to repeat it and so to say what
 * LRU, LFU or OPT would have missed: xorshift64 seeded with S * 0x9E3779B97F4A7C15
 * + 1; Zipf by the inverse of the continuous power law, rank r lying on page
 * r * 40503 mod N.  Anonymous pages are first filled in order, 64 random words
 * each (so that swapping them costs a real compression), and every later access
 * to them writes one more random word.
 *
 * SIGUSR1 marks the start of the measured part; SIGTERM ends an endless stream.
 * The line printed at the end tells what was done, and at which rate.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "accessgen.h"
#include "common/clock.h"

struct speaker speaker = { .program = "accessgen", .name = "accessgen", .word = "error: " };
static volatile sig_atomic_t stop, mark;
static unsigned long done;

/* What has been done by some moment. */
struct moment {
	unsigned long ops;
	double at;
};

static double now(void)
{
	return (double)now_ns() / NSEC;
}

static void say_ready(void)
{
	if (opt.ready && !make_mark(opt.ready, "r\n"))
		fail(EXIT_SYSTEM, "cannot write %s: %s", opt.ready, strerror(errno));
}

static bool finished(double end)
{
	return stop || (opt.ops && done >= opt.ops) || (opt.secs > 0 && now() >= end);
}

/*
 * Paced: a fiftieth of the rate, then a pause of a fiftieth of a second.  What a
 * stream loses by waiting for memory it does not make up for, so its rate is what
 * reclaim lets it have.
 */
static struct moment run(void)
{
	unsigned long slice = opt.rate ? opt.rate / SLICES : 256, i;
	struct moment begin = { 0, now() };
	const struct timespec pause = { .tv_nsec = 1000000000L / SLICES };

	while (!finished(begin.at + opt.secs)) {
		if (mark == 1) {
			begin = (struct moment){ done, now() };
			mark = 2;
		}
		for (i = 0; i < slice && !stop && !(opt.ops && done >= opt.ops); i++)
			access_page(page_of(done++));
		if (opt.rate)
			nanosleep(&pause, NULL);
	}
	return begin;
}

static int generate(void)
{
	struct moment begin;
	struct rusage use;
	double t0, filled, end;
	unsigned long i;

	open_pages();
	t0 = now();
	for (i = 0; opt.kind == K_ANON && i < opt.pages && !stop; i++)
		fill_page(i);
	filled = now() - t0;
	if (stop)
		fail(EXIT_SYSTEM, "ended after %lu of %lu pages were filled", i, opt.pages);
	say_ready();
	begin = run();
	end = now();
	getrusage(RUSAGE_SELF, &use);
	printf("%s ops %lu of %lu fill_s %.3f measured_ops %lu measured_s %.3f majflt %ld minflt %ld\n",
	       speaker.name, done, opt.ops, filled, done - begin.ops, end - begin.at,
	       use.ru_majflt, use.ru_minflt);
	return EXIT_OK;
}

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		mark = mark ? mark : 1;
	else
		stop = 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	parse(argc, argv);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	begin_sequence();
	return opt.kind == K_CREATE ? create_file() : generate();
}
