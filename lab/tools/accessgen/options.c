// SPDX-License-Identifier: GPL-2.0
/*
 * What accessgen is told.
 */
#include <stdio.h>
#include <string.h>

#include "accessgen.h"

struct options opt = { .seed = 1 };

static const char usage[] =
"usage: accessgen --kind KIND --pages N [options]\n"
"  --kind KIND      anon | mmap (file, MADV_RANDOM) | mmapd (file, plain) | read (pread of a page)\n"
"                   | create (make the file and end)\n"
"  --file PATH      the file, for all kinds but anon\n"
"  --pattern P      uniform (default) | seq | zipf:T | hot:S:A (S % of pages get A % of accesses)\n"
"                   | phase:K (K parts one after the other; needs --ops)\n"
"  --ops N          end after N accesses (default 0: at SIGTERM)\n"
"  --secs S         end after S seconds\n"
"  --rate N         accesses a second, 0 (default): as fast as they go\n"
"  --seed N         of the sequence (default 1)\n"
"  --same           anon: fill each page with one word, and only read later\n"
"  --huge           anon: ask for huge pages\n"
"  --ready PATH     written once anonymous pages are filled, or at once\n"
"  --name NAME      in messages and in the line printed at the end\n"
"exit status: 0 fine, 1 bad arguments, 3 a system call failed\n";

static enum kind parse_kind(const char *text)
{
	static const char * const names[] = {
		[K_ANON] = "anon", [K_MMAP] = "mmap", [K_MMAPD] = "mmapd", [K_READ] = "read",
		[K_CREATE] = "create",
	};
	unsigned int i;

	for (i = K_ANON; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return i;
	fail(EXIT_USAGE, "--kind: \"%s\" is none of anon, mmap, mmapd, read, create", text);
}

static void parse_pattern(const char *text)
{
	char junk;

	if (!strcmp(text, "uniform")) {
		opt.pattern = P_UNIFORM;
	} else if (!strcmp(text, "seq")) {
		opt.pattern = P_SEQ;
	} else if (!strncmp(text, "zipf:", 5)) {
		opt.pattern = P_ZIPF;
		opt.theta = number_in("--pattern zipf:", text + 5, 0, 4);
		if (opt.theta == 1)
			fail(EXIT_USAGE, "--pattern zipf: an exponent of exactly 1 has no power law");
	} else if (sscanf(text, "hot:%u:%u%c", &opt.hot_size, &opt.hot_access, &junk) == 2 &&
		   opt.hot_size <= 100 && opt.hot_access <= 100) {
		opt.pattern = P_HOT;
	} else if (sscanf(text, "phase:%u%c", &opt.phases, &junk) == 1 && opt.phases) {
		opt.pattern = P_PHASE;
	} else {
		fail(EXIT_USAGE, "--pattern: \"%s\" is none of uniform, seq, zipf:T, hot:S:A, phase:K",
		     text);
	}
}

/* What only makes sense together. */
static void check_options(void)
{
	if (opt.kind == K_NONE || !opt.pages)
		fail(EXIT_USAGE, "--kind and --pages are needed (--help)");
	if ((opt.kind == K_ANON) == (opt.file != NULL))
		fail(EXIT_USAGE, "--file is for every kind but anon, and these need it");
	if (opt.pattern == P_PHASE && (!opt.ops || opt.phases > opt.pages))
		fail(EXIT_USAGE, "--pattern phase needs --ops, and no more phases than pages");
	if ((opt.same || opt.huge) && opt.kind != K_ANON)
		fail(EXIT_USAGE, "--same and --huge are for --kind anon");
	if (opt.rate && opt.rate < SLICES)
		fail(EXIT_USAGE, "--rate is 0 or at least %d", SLICES);
}

enum { KIND = 1, PAGES, FILE_, PATTERN, OPS, SECS, RATE, SEED, SAME, HUGE_, READY, NAME };

static void take(int option)
{
	switch (option) {
	case KIND:	opt.kind = parse_kind(optarg); break;
	case PAGES:	opt.pages = whole_in("--pages:", optarg, 1 << 30); break;
	case FILE_:	opt.file = optarg; break;
	case PATTERN:	parse_pattern(optarg); break;
	case OPS:	opt.ops = whole_in("--ops:", optarg, 1e12); break;
	case SECS:	opt.secs = number_in("--secs:", optarg, 0, 1e6); break;
	case RATE:	opt.rate = whole_in("--rate:", optarg, 1e9); break;
	case SEED:	opt.seed = whole_in("--seed:", optarg, 1e15); break;
	case SAME:	opt.same = true; break;
	case HUGE_:	opt.huge = true; break;
	case READY:	opt.ready = optarg; break;
	case NAME:	speaker.name = optarg; break;
	}
}

void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "kind", 1, NULL, KIND }, { "pages", 1, NULL, PAGES }, { "file", 1, NULL, FILE_ },
		{ "pattern", 1, NULL, PATTERN }, { "ops", 1, NULL, OPS }, { "secs", 1, NULL, SECS },
		{ "rate", 1, NULL, RATE }, { "seed", 1, NULL, SEED }, { "same", 0, NULL, SAME },
		{ "huge", 0, NULL, HUGE_ }, { "ready", 1, NULL, READY }, { "name", 1, NULL, NAME },
		{ "help", 0, NULL, HELP }, { }
	};

	take_options(argc, argv, &(struct grammar){ usage, longs, take });
	check_options();
}
