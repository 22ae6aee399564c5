// SPDX-License-Identifier: GPL-2.0
/*
 * What memtouch is told.
 */
#include <stdio.h>
#include <string.h>

#include "memtouch.h"

#define POLICY_BIND	2		/* as the kernel numbers them; there is no libnuma here */
#define POLICY_INTERLEAVE	3

struct options opt = { .fill = F_MIXED, .seed = 1 };

static const char usage[] =
"usage: memtouch --mb N [options]\n"
"  --mb N             size of the region in MiB\n"
"  --file PATH        a file instead of anonymous memory (created and sized)\n"
"  --io map|read      reach the file by mmap (default) or read()/write()\n"
"  --pattern P        random | zipf:T | seq | hot:S:A (S % of pages get A % of accesses)\n"
"  --rate N           accesses a second, 0 (default) for no limit\n"
"  --ops N            stop after N accesses\n"
"  --secs S           stop after S seconds (without either: until SIGTERM)\n"
"  --write P          percentage of accesses that write (default 0)\n"
"  --fill K           mixed (default, compresses about 2.5 to 1) | random | same | none\n"
"  --drop             drop the file's cache once it is filled\n"
"  --seed N           seed of the sequence and of the content (default 1)\n"
"  --verify           check every page at every access and all of them at the end\n"
"  --madv random      MADV_RANDOM on the mapping\n"
"  --policy P         bind:M | interleave:M, M the sum of 2^node\n"
"  --pin-self         lock the program itself, not the region, in memory\n"
"  --ready-file PATH  written once the region is populated\n"
"  --name NAME        shown in messages and in the result line\n"
"exit status: 0 fine, 1 bad arguments, 2 content is wrong, 3 a system call failed\n";

static void parse_pattern(const char *text)
{
	char junk;

	if (!strcmp(text, "random")) {
		opt.pattern = P_RANDOM;
	} else if (!strcmp(text, "seq")) {
		opt.pattern = P_SEQ;
	} else if (!strncmp(text, "zipf:", 5)) {
		opt.pattern = P_ZIPF;
		opt.theta = number_in("--pattern zipf:", text + 5, 0, 4);
	} else if (sscanf(text, "hot:%u:%u%c", &opt.hot_size, &opt.hot_access, &junk) == 2 &&
		   opt.hot_size <= 100 && opt.hot_access <= 100) {
		opt.pattern = P_HOT;
	} else {
		fail(EXIT_USAGE, "--pattern: \"%s\" is none of random, zipf:T, seq, hot:S:A", text);
	}
}

static void parse_policy(const char *text)
{
	char junk;

	if (sscanf(text, "bind:%lu%c", &opt.nodes, &junk) == 1)
		opt.policy = POLICY_BIND;
	else if (sscanf(text, "interleave:%lu%c", &opt.nodes, &junk) == 1)
		opt.policy = POLICY_INTERLEAVE;
	else
		fail(EXIT_USAGE, "--policy: \"%s\" is none of bind:M, interleave:M", text);
}

static void parse_fill(const char *text)
{
	static const char * const names[] = {
		[F_NONE] = "none", [F_MIXED] = "mixed", [F_RANDOM] = "random", [F_SAME] = "same",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(text, names[i])) {
			opt.fill = i;
			return;
		}
	}
	fail(EXIT_USAGE, "--fill: \"%s\" is none of mixed, random, same, none", text);
}

static void choose_io(const char *text)
{
	opt.use_read = !strcmp(text, "read");
	if (!opt.use_read && strcmp(text, "map"))
		fail(EXIT_USAGE, "--io: \"%s\" is neither map nor read", text);
}

static void choose_madv(const char *text)
{
	opt.madv_random = !strcmp(text, "random");
	if (!opt.madv_random)
		fail(EXIT_USAGE, "--madv: \"%s\" is not random", text);
}

/* What only makes sense together. */
static void check_options(void)
{
	if (!opt.pages)
		fail(EXIT_USAGE, "--mb is missing or 0");
	if (opt.use_read && !opt.file)
		fail(EXIT_USAGE, "--io read needs --file");
	if (opt.drop_filled && !opt.file)
		fail(EXIT_USAGE, "--drop needs --file");
	if (opt.madv_random && opt.use_read)
		fail(EXIT_USAGE, "--madv has no meaning with --io read");
	if (opt.verify && opt.fill == F_NONE)
		fail(EXIT_USAGE, "--verify needs a --fill other than none");
}

enum { MB = 1, FILE_, IO, PATTERN, RATE, OPS, SECS, WRITE, FILL, DROP, SEED, VERIFY, MADV,
       POLICY, PIN_SELF, READY, NAME };

static void take(int option)
{
	switch (option) {
	case MB:	opt.pages = whole_in("--mb:", optarg, 1 << 20) * ((1UL << 20) / PAGE); break;
	case FILE_:	opt.file = optarg; break;
	case IO:	choose_io(optarg); break;
	case PATTERN:	parse_pattern(optarg); break;
	case RATE:	opt.rate = (long)whole_in("--rate:", optarg, 1e9); break;
	case OPS:	opt.ops = whole_in("--ops:", optarg, 1e15); break;
	case SECS:	opt.secs = number_in("--secs:", optarg, 0, 1e6); break;
	case WRITE:	opt.write_percent = (unsigned int)whole_in("--write:", optarg, 100); break;
	case FILL:	parse_fill(optarg); break;
	case DROP:	opt.drop_filled = true; break;
	case SEED:	opt.seed = whole_in("--seed:", optarg, 1e15); break;
	case VERIFY:	opt.verify = true; break;
	case MADV:	choose_madv(optarg); break;
	case POLICY:	parse_policy(optarg); break;
	case PIN_SELF:	opt.pin_self = true; break;
	case READY:	opt.ready = optarg; break;
	case NAME:	speaker.name = optarg; break;
	}
}

void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "mb", 1, NULL, MB }, { "file", 1, NULL, FILE_ }, { "io", 1, NULL, IO },
		{ "pattern", 1, NULL, PATTERN }, { "rate", 1, NULL, RATE }, { "ops", 1, NULL, OPS },
		{ "secs", 1, NULL, SECS }, { "write", 1, NULL, WRITE }, { "fill", 1, NULL, FILL },
		{ "drop", 0, NULL, DROP }, { "seed", 1, NULL, SEED }, { "verify", 0, NULL, VERIFY },
		{ "madv", 1, NULL, MADV }, { "policy", 1, NULL, POLICY },
		{ "pin-self", 0, NULL, PIN_SELF }, { "ready-file", 1, NULL, READY },
		{ "name", 1, NULL, NAME }, { "help", 0, NULL, HELP }, { }
	};

	take_options(argc, argv, &(struct grammar){ usage, longs, take });
	check_options();
}
