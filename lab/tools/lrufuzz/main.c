// SPDX-License-Identifier: GPL-2.0
/*
 * lrufuzz [OPTIONS] INTERFACE..: write texts made up at random to the files of
 * lru_gen, and hold what comes of each against the documentation.
 *
 *   --inputs N      so many (10000)
 *   --seed S        the first of them, by number (1)
 *   --first I       begin with the I-th input of that seed (0)
 *   --hz N          ticks a second (250)
 *   --reference     the kernel is 6.12's own: count where ours differs on purpose
 *   --break RULE    believe something wrong, which has to be found out
 *   --boots N       only print what to boot guests with, N times; see boot.c
 *
 * INTERFACE is enabled, min_ttl_ms, commands, reclaim or soft_limit. The cgroups
 * /empty, /idle, /fed and /busy are used as model.c says; those of version 1 for
 * soft_limit. Ends with status 1 if anything was not as documented.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lrufuzz.h"

#define BLOCK		1024UL		/* inputs after which they are there again */
#define SWITCH_BLOCKS	4UL		/* only in one of so many lru_gen is switched */
#define MAX_MISMATCHES	20
#define MAX_RULES	64
#define MAX_ERRNO	140

struct speaker speaker = { .program = "lrufuzz", .word = "error: " };

static const struct {
	const char *name;
	unsigned int weight;
} ifaces[NR_IFACES] = {
	[I_ENABLED]  = { "enabled", 12 },
	[I_MIN_TTL]  = { "min_ttl_ms", 4 },
	[I_COMMANDS] = { "commands", 9 },
	[I_RECLAIM]  = { "reclaim", 4 },
	[I_SOFT]     = { "soft_limit", 8 },
};

static const char * const hows[NR_HOWS] = {
	"write", "pwrite", "lseek and write", "writev", "write with a fault",
};

static struct {
	unsigned long inputs, first, seed, boots;
	bool used[NR_IFACES];
} opt = { .inputs = 10000, .seed = 1 };

static struct {
	unsigned long tried, accepted, on_purpose, err[MAX_ERRNO];
} counts[NR_IFACES];

static struct {
	const char *rule;
	unsigned long n;
} rules[NR_IFACES][MAX_RULES];

static unsigned long mismatches;
static struct input in;
static unsigned long number_of_input;

/* ---- what is said ---- */

static const char *name_of(long result)
{
	static char text[32];

	if (result < 0)
		return strerrorname_np(-result);
	snprintf(text, sizeof(text), "%ld", result);
	return text;
}

static void print_text(void)
{
	size_t i, shown = in.len < 600 ? in.len : 600;

	for (i = 0; i < shown; i++) {
		unsigned char c = in.text[i];

		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\')
			putchar(c);
		else
			printf("\\x%02x", c);
	}
}

static void mismatch(const struct verdict *v, long got, const char *more)
{
	int i;

	printf("mismatch seed %lu index %lu interface %s file %s by %s", opt.seed, number_of_input,
	       ifaces[in.iface].name, path_of(&in), hows[in.how]);
	if (in.cut)
		printf(" after %zu", in.cut);
	printf(" length %zu text \"", in.len);
	print_text();
	printf("\"%s got %s expected", in.len > 600 ? "..." : "", name_of(got));
	for (i = 0; i < v->nr; i++)
		printf(" %s", name_of(v->result[i]));
	printf(" (%s)%s%s\n", v->rule, *more ? ": " : "", more);
	fflush(stdout);
	mismatches++;
}

/* Which parts of the documentation were put to the test, and how often. */
static void print_rules(void)
{
	int i, r;

	for (i = 0; i < NR_IFACES; i++)
		for (r = 0; r < MAX_RULES && rules[i][r].rule; r++)
			printf("rule %s %lu %s\n", ifaces[i].name, rules[i][r].n, rules[i][r].rule);
}

static void print_counts(void)
{
	int i, e;

	for (i = 0; i < NR_IFACES; i++) {
		if (!counts[i].tried)
			continue;
		printf("count %s tried %lu accepted %lu", ifaces[i].name, counts[i].tried,
		       counts[i].accepted);
		for (e = 0; e < MAX_ERRNO; e++)
			if (counts[i].err[e])
				printf(" %s %lu", strerrorname_np(e), counts[i].err[e]);
		if (counts[i].on_purpose)
			printf(" differs_on_purpose %lu", counts[i].on_purpose);
		putchar('\n');
	}
	print_rules();
	printf("work generations %lu pages %lu\n", model.opened, model.evicted);
}

/* ---- one input ---- */

/* The value shown has to be @want; if it is not, it is what holds from now on. */
static bool shows(const char *want, char *why, size_t room)
{
	char value[64];

	read_value(&in, value, sizeof(value));
	if (!strcmp(value, want))
		return true;
	value[strcspn(value, "\n")] = '\0';
	snprintf(why, room, "shows %s, expected %s", value, want);
	why[strcspn(why, "\n")] = '\0';
	if (in.iface == I_ENABLED)
		model.caps = strtoul(value, NULL, 0);
	else if (in.iface == I_MIN_TTL)
		model.ttl_ms = strtoul(value, NULL, 0);
	else
		in.group->soft = strtoull(value, NULL, 0);
	return false;
}

/* Whether what is in force now is what has to be. */
static bool in_force(bool check, char *why, size_t room)
{
	char want[64];

	switch (in.iface) {
	case I_ENABLED:
		model.stale = true;
		snprintf(want, sizeof(want), "0x%04x\n", model.caps);
		return shows(want, why, room);
	case I_MIN_TTL:
		snprintf(want, sizeof(want), "%u\n", model.ttl_ms);
		return shows(want, why, room);
	case I_SOFT:
		if (in.group->kind == K_GONE)
			return true;
		snprintf(want, sizeof(want), "%llu\n", in.group->soft);
		return shows(want, why, room);
	case I_RECLAIM:
		if (in.group->kind == K_IDLE)
			return settle(check, why, room);
		model.stale = true;
		return true;
	default:
		return settle(check, why, room);
	}
}

static bool allowed(const struct verdict *v, long got)
{
	int i;

	for (i = 0; i < v->nr; i++)
		if (v->result[i] == got)
			return true;
	return false;
}

static void count(const char *rule, long got)
{
	int r;

	for (r = 0; r < MAX_RULES - 1 && rules[in.iface][r].rule; r++)
		if (!strcmp(rules[in.iface][r].rule, rule))
			break;
	rules[in.iface][r].rule = rule;
	rules[in.iface][r].n++;
	counts[in.iface].tried++;
	if (got >= 0)
		counts[in.iface].accepted++;
	else if (-got < MAX_ERRNO)
		counts[in.iface].err[-got]++;
}

/* What a text is about has to be known before, if it is not for knobs. */
static void get_ready(void)
{
	if (number_of_input % BLOCK == 0 || number_of_input == opt.first)
		begin_block();
	if (model.stale && (in.iface == I_COMMANDS || in.iface == I_RECLAIM))
		settle(false, NULL, 0);
}

static void try_one(void)
{
	struct verdict v;
	char why[256] = "";
	bool good;
	long got;

	get_ready();
	make_up(&in);
	judge(&in, &v);
	got = hand_over(&in);
	count(v.rule, got);
	good = allowed(&v, got);
	if (!in_force(good && !(model.reference && v.differs), why, sizeof(why)))
		good = false;
	if (good)
		return;
	if (model.reference && v.differs)
		counts[in.iface].on_purpose++;
	else
		mismatch(&v, got, why);
}

/* Generations do not grow old while lru_gen is switched again and again. */
static unsigned int weight_of(enum iface iface)
{
	if (!opt.used[iface])
		return 0;
	if (iface == I_ENABLED && number_of_input / BLOCK % SWITCH_BLOCKS)
		return 0;
	return ifaces[iface].weight;
}

static enum iface pick_iface(void)
{
	unsigned int sum = 0, i, n;

	for (i = 0; i < NR_IFACES; i++)
		sum += weight_of(i);
	if (!sum)
		return I_ENABLED;
	for (i = 0, n = below(sum); n >= weight_of(i); i++)
		n -= weight_of(i);
	return i;
}

static bool enough(void)
{
	return number_of_input >= opt.first + opt.inputs || mismatches == MAX_MISMATCHES ||
	       (mismatches && model.broken);
}

static void run(void)
{
	time_t said = time(NULL);

	for (number_of_input = opt.first; !enough(); number_of_input++) {
		/* Each can be made up again without those before it. */
		seed_with(opt.seed * 0x100000000ULL + number_of_input);
		in.iface = pick_iface();
		try_one();
		if (time(NULL) - said >= 10) {
			said = time(NULL);
			fprintf(stderr, "# %lu of %lu inputs\n", number_of_input - opt.first,
				opt.inputs);
		}
	}
}

/* ---- before and after ---- */

static unsigned long whole(const char *option, const char *text, unsigned long min)
{
	unsigned long n;

	if (*text < '0' || *text > '9' || !parse_whole(text, &n) || n < min)
		fail(EXIT_BROKEN, "--%s wants a whole number from %lu on, not \"%s\"", option, min, text);
	return n;
}

static const char *rule_of(const char *text)
{
	static const char * const rules[] = {
		"enabled", "min_ttl", "commands", "half", "amount", "window", "reclaim",
		"soft_limit",
	};
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(text, rules[i]))
			return text;
	fail(EXIT_BROKEN, "no rule \"%s\" to break", text);
}

static void use_interface(const char *name)
{
	int i;

	for (i = 0; i < NR_IFACES; i++)
		if (!strcmp(name, ifaces[i].name)) {
			opt.used[i] = true;
			return;
		}
	fail(EXIT_BROKEN, "no interface \"%s\": enabled, min_ttl_ms, commands, reclaim or soft_limit",
	     name);
}

static void options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "inputs", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 's' },
		{ "first", required_argument, NULL, 'f' },
		{ "hz", required_argument, NULL, 'h' },
		{ "reference", no_argument, NULL, 'r' },
		{ "break", required_argument, NULL, 'b' },
		{ "boots", required_argument, NULL, 'B' },
		{ 0 },
	};
	int c;

	model.hz = 250;
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (c) {
		case 'n': opt.inputs = whole("inputs", optarg, 1); break;
		case 's': opt.seed = whole("seed", optarg, 0); break;
		case 'f': opt.first = whole("first", optarg, 0); break;
		case 'h': model.hz = whole("hz", optarg, 100); break;
		case 'r': model.reference = true; break;
		case 'b': model.broken = rule_of(optarg); break;
		case 'B': opt.boots = whole("boots", optarg, 1); break;
		default: fail(EXIT_BROKEN, "usage: lrufuzz [OPTIONS] INTERFACE..");
		}
	}
	if (optind == argc && !opt.boots)
		fail(EXIT_BROKEN, "no interface named; usage: lrufuzz [OPTIONS] INTERFACE..");
	for (; optind < argc; optind++)
		use_interface(argv[optind]);
}

int main(int argc, char **argv)
{
	options(argc, argv);
	in.text = malloc(MAX_TEXT);
	if (!in.text)
		fail(EXIT_BROKEN, "no memory");
	if (opt.boots) {
		print_boots(&in, opt.seed, opt.boots);
		return EXIT_OK;
	}
	set_scene(opt.used[I_COMMANDS] || opt.used[I_RECLAIM], opt.used[I_SOFT]);
	run();
	print_counts();
	reset_knobs(opt.used[I_SOFT]);
	printf("done inputs %lu seed %lu mismatches %lu\n", number_of_input - opt.first,
	       opt.seed, mismatches);
	return mismatches ? EXIT_MISMATCH : EXIT_OK;
}
