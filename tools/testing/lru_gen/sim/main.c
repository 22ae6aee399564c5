// SPDX-License-Identifier: GPL-2.0
/*
 * sim [options] [case...]: simulate the cases under ours and its peers, and
 * print a table of refaults, each the mean over the seeds.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define MAX_SEEDS	64
#define MAX_FRAMES	64

/* Two batches: memory for less can hold nothing that is compared. */
#define LEAST_FRAMES	64

static const char usage[] =
"usage: sim [options] [case...]\n"
"  --seeds A,B,..     seeds of the accesses (101,102,103; 1 to 3 were tuned with)\n"
"  --group NAME       cases of one group: target, tuning or unseen (all)\n"
"  --swappiness N     0..200 (60)\n"
"  --ours             leave the peers out\n"
"  --check            fail if ours refaults more than a case's limit; checked cases only\n"
"  --scale PERCENT    scale the limits of --check (100)\n"
"  --trace FILE       replay a trace instead, see trace.c; it takes\n"
"    --kind KIND      how its pages are used: read (default), mmap or anon\n"
"    --frames N,..    pages that memory has, at least 64, a line for each\n";

static const char * const group_names[NR_GROUPS] = { "target", "tuning", "unseen" };
static const char * const kind_names[] = { [ANON] = "anon", [MMAP] = "mmap", [READ] = "read" };

static struct {
	long seeds[MAX_SEEDS];
	int nr_seeds;
	int group;		/* -1: all */
	bool ours_only, check;
	long scale;
	char **names;
	int nr_names;
	const char *trace;
	enum kind kind;
	long frames[MAX_FRAMES];
	int nr_frames;
} opt = { .seeds = { 101, 102, 103 }, .nr_seeds = 3, .group = -1, .scale = 100, .kind = READ };

static void die(const char *what, const char *arg)
{
	fprintf(stderr, "sim: %s: %s\n%s", what, arg, usage);
	exit(2);
}

static void help(void)
{
	fputs(usage, stdout);
	exit(0);
}

static long number(const char *what, const char *arg, long max)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(arg, &end, 10);
	if (errno || end == arg || *end || n < 0 || n > max)
		die(what, arg);
	return n;
}

/* Numbers with commas between them; returns how many. */
static int parse_list(const char *what, char *list, long *to, int max)
{
	int nr = 0;
	char *one;

	for (one = strtok(list, ","); one; one = strtok(NULL, ",")) {
		if (nr == max)
			die("too many numbers", one);
		to[nr++] = number(what, one, 1000000000);
	}
	if (!nr)
		die(what, list);
	return nr;
}

static void set_frames(char *list)
{
	int i;

	opt.nr_frames = parse_list("not a number of frames", list, opt.frames, MAX_FRAMES);
	for (i = 0; i < opt.nr_frames; i++)
		if (opt.frames[i] < LEAST_FRAMES)
			die("fewer frames than 64", optarg);
}

static enum kind kind_of(const char *name)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(kind_names); k++)
		if (!strcmp(name, kind_names[k]))
			return (enum kind)k;
	die("no such kind", name);
	return READ;
}

static void set_check(void)
{
	opt.check = true;
	opt.ours_only = true;
}

static int group_of(const char *name)
{
	int g;

	for (g = 0; g < NR_GROUPS; g++)
		if (!strcmp(name, group_names[g]))
			return g;
	die("no such group", name);
	return 0;
}

static void check_names(void)
{
	int i, j;

	for (i = 0; i < opt.nr_names; i++) {
		for (j = 0; j < nr_cases && strcmp(opt.names[i], cases[j].name); j++)
			;
		if (j == nr_cases)
			die("no such case", opt.names[i]);
	}
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seeds", required_argument, NULL, 's' },
		{ "group", required_argument, NULL, 'g' },
		{ "swappiness", required_argument, NULL, 'w' },
		{ "ours", no_argument, NULL, 'o' },
		{ "check", no_argument, NULL, 'c' },
		{ "scale", required_argument, NULL, 'p' },
		{ "trace", required_argument, NULL, 't' },
		{ "kind", required_argument, NULL, 'k' },
		{ "frames", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (o == 'h')
			help();
		else if (o == 's')
			opt.nr_seeds = parse_list("not a seed", optarg, opt.seeds, MAX_SEEDS);
		else if (o == 'g')
			opt.group = group_of(optarg);
		else if (o == 'w')
			sim_swappiness = (int)number("swappiness is 0..200", optarg, 200);
		else if (o == 'o')
			opt.ours_only = true;
		else if (o == 'c')
			set_check();
		else if (o == 'p')
			opt.scale = number("not a percentage", optarg, 1000);
		else if (o == 't')
			opt.trace = optarg;
		else if (o == 'k')
			opt.kind = kind_of(optarg);
		else if (o == 'f')
			set_frames(optarg);
		else
			die("bad option", argv[optind - 1]);
	}
	opt.names = argv + optind;
	opt.nr_names = argc - optind;
	check_names();
	if (opt.trace && (!opt.nr_frames || opt.nr_names))
		die("a trace takes --frames, and no case", opt.trace);
	if (!opt.trace && opt.nr_frames)
		die("only a trace takes", "--frames");
}

static bool wanted(const struct testcase *c)
{
	int i;

	if (opt.group >= 0 && opt.group != (int)c->group)
		return false;
	if (opt.check && !c->limit)
		return false;
	for (i = 0; i < opt.nr_names; i++)
		if (!strcmp(opt.names[i], c->name))
			return true;
	return !opt.nr_names;
}

/* Sums over the seeds of a case. */
struct sums {
	struct count ours, lru, lfu, opt;
};

static void add_count(struct count *sum, const struct count *c)
{
	int t;

	for (t = 0; t < 2; t++) {
		sum->refaults[t] += c->refaults[t];
		sum->evicted[t] += c->evicted[t];
	}
	sum->scanned += c->scanned;
	sum->looks += c->looks;
	sum->walked += c->walked;
	sum->decays += c->decays;
	sum->moved += c->moved;
}

static void run_peer(const struct testcase *c, const struct policy *policy,
		     struct count *sum, uint64_t seed)
{
	struct machine m = {};

	machine_run(&m, c, policy, seed);
	add_count(sum, &m.count);
	machine_free(&m);
}

static void run_seed(const struct testcase *c, struct sums *s, uint64_t seed)
{
	struct machine m = { .traced = !opt.ours_only };
	struct count best;

	machine_run(&m, c, &policy_ours, seed);
	add_count(&s->ours, &m.count);
	if (!opt.ours_only) {
		best = opt_run(&m);
		add_count(&s->opt, &best);
		run_peer(c, &policy_lru, &s->lru, seed);
		run_peer(c, &policy_lfu, &s->lfu, seed);
	}
	machine_free(&m);
}

static double mean(long sum)
{
	return (double)sum / opt.nr_seeds;
}

static double total(const struct count *c)
{
	return mean(c->refaults[0] + c->refaults[1]);
}

static void print_head(void)
{
	printf("refaults, mean of %d seeds; swappiness %d; OPT runs over the accesses as ours\n"
	       "interleaved them; scan, look, walk: pages per page evicted\n\n",
	       opt.nr_seeds, sim_swappiness);
	printf("%-18s %6s | %8s %8s %8s | %8s %8s %8s | %5s %5s %5s %6s %5s %8s\n", "case",
	       "frames", "ours", "= file", "+ anon", "LRU", "LFU", "OPT", "scan", "look",
	       "walk", "decays", "moved", "swapped");
}

static void print_case(const struct testcase *c, const struct sums *s)
{
	double evicted = mean(s->ours.evicted[0] + s->ours.evicted[1]);

	printf("%-18s %6ld | %8.0f %8.0f %8.0f | ", c->name, c->frames, total(&s->ours),
	       mean(s->ours.refaults[1]), mean(s->ours.refaults[0]));
	if (opt.ours_only)
		printf("%8s %8s %8s | ", "-", "-", "-");
	else
		printf("%8.0f %8.0f %8.0f | ", total(&s->lru), total(&s->lfu), total(&s->opt));
	printf("%5.2f %5.2f %5.2f %6.1f %5.2f %8.0f\n", mean(s->ours.scanned) / evicted,
	       mean(s->ours.looks) / evicted, mean(s->ours.walked) / evicted,
	       mean(s->ours.decays), mean(s->ours.moved) / evicted,
	       mean(s->ours.evicted[0]));
	fflush(stdout);
}

/* Returns whether the case is within its limit. */
static bool run_case(const struct testcase *c)
{
	struct sums s = {};
	double limit = (double)c->limit * (double)opt.scale / 100;
	int i;

	for (i = 0; i < opt.nr_seeds; i++)
		run_seed(c, &s, (uint64_t)opt.seeds[i]);
	print_case(c, &s);
	if (!opt.check || total(&s.ours) <= limit)
		return true;
	printf("sim: %s: ours refaults %.0f pages, the limit is %.0f\n", c->name,
	       total(&s.ours), limit);
	return false;
}

static void replay(const struct trace *t, long frames, const struct policy *policy,
		   struct count *count)
{
	struct machine m = {};

	machine_replay(&m, t, opt.kind, frames, policy);
	*count = m.count;
	machine_free(&m);
}

static void print_replay(const struct trace *t, long frames)
{
	struct count ours, lru = {};
	double evicted;

	replay(t, frames, &policy_ours, &ours);
	evicted = (double)(ours.evicted[0] + ours.evicted[1]);
	printf("%-18s %4s %9ld %9d %7ld | %7.5f ", t->name, kind_names[opt.kind], t->nr,
	       t->nr_pages, frames, (double)ours.misses / (double)t->nr);
	if (opt.ours_only) {
		printf("%7s ", "-");
	} else {
		replay(t, frames, &policy_lru, &lru);
		printf("%7.5f ", (double)lru.misses / (double)t->nr);
	}
	evicted = evicted ? evicted : 1;
	printf("| %5.2f %5.2f %5.2f %6ld %5.2f\n", (double)ours.scanned / evicted,
	       (double)ours.looks / evicted, (double)ours.walked / evicted, ours.decays,
	       (double)ours.moved / evicted);
	fflush(stdout);
}

/* Returns the status: 2 if there is no trace. */
static int replay_all(void)
{
	struct trace t = {};
	int i;

	if (!trace_read(&t, opt.trace))
		return 2;
	printf("miss ratios; swappiness %d; scan, look, walk: pages per page evicted\n\n",
	       sim_swappiness);
	printf("%-18s %4s %9s %9s %7s | %7s %7s | %5s %5s %5s %6s %5s\n", "trace", "kind",
	       "accesses", "pages", "frames", "ours", "LRU", "scan", "look", "walk", "decays",
	       "moved");
	for (i = 0; i < opt.nr_frames; i++)
		print_replay(&t, opt.frames[i]);
	trace_free(&t);
	return 0;
}

int main(int argc, char **argv)
{
	int i, ran = 0, last = -1;
	bool good = true;

	parse(argc, argv);
	if (opt.trace)
		return replay_all();
	print_head();
	for (i = 0; i < nr_cases; i++) {
		if (!wanted(&cases[i]))
			continue;
		if (last != (int)cases[i].group)
			printf("--- %s\n", group_names[cases[i].group]);
		last = (int)cases[i].group;
		good &= run_case(&cases[i]);
		ran++;
	}
	if (!ran)
		die("no case is left to run", "see --group and --check");
	return good ? 0 : 1;
}
