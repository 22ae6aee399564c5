// SPDX-License-Identifier: GPL-2.0
/*
 * What kvload is told.
 */
#include <stdio.h>
#include <string.h>

#include "common/tool.h"
#include "kvload.h"

struct options opt = { .bytes = 1024, .scan = 100, .seed = 1, .share = { [GET] = 10000 } };

static const char usage[] =
"usage: kvload --store redis|memcached|leveldb --at WHERE --keys N --fill\n"
"       kvload --store STORE --at WHERE --keys N --ops N [options]\n"
"  --at WHERE       the server's socket; leveldb: a directory\n"
"  --fill           set all keys, in order, and end\n"
"  --value BYTES    of each value (1024)\n"
"  --pattern P      uniform (default) | zipf:T | latest:T | gauss\n"
"  --mix G:S:I:C:M  of 10,000 operations: get, set, insert a new key, scan, get and set\n"
"  --scan N         keys of a scan (100)\n"
"  --seed N         of the sequence (1)\n"
"prints: ops, ops_per_s, get_p50_us, get_p99_us, get_p999_us\n"
"exit status: 0 fine, 1 bad arguments, 2 a wrong answer, 3 a system call failed\n";

enum { STORE = 1, AT, KEYS, VALUE, OPS, PATTERN, MIX, SCAN_KEYS, SEED };

static const struct option known[] = {
	{ "store", required_argument, NULL, STORE }, { "at", required_argument, NULL, AT },
	{ "keys", required_argument, NULL, KEYS }, { "value", required_argument, NULL, VALUE },
	{ "ops", required_argument, NULL, OPS }, { "pattern", required_argument, NULL, PATTERN },
	{ "mix", required_argument, NULL, MIX }, { "scan", required_argument, NULL, SCAN_KEYS },
	{ "seed", required_argument, NULL, SEED }, { "fill", no_argument, &opt.fill, 1 },
	{ "help", no_argument, NULL, HELP }, { 0 },
};

static const struct store *store_of(const char *name)
{
	static const struct store *const all[] = { &redis, &memcached, &leveldb };
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(name, all[i]->name))
			return all[i];
	fail(EXIT_USAGE, "--store: \"%s\" is none of redis, memcached, leveldb", name);
}

static void parse_pattern(const char *text)
{
	const char *power = strchr(text, ':');

	if (!strcmp(text, "uniform"))
		opt.pattern = UNIFORM;
	else if (!strcmp(text, "gauss"))
		opt.pattern = GAUSS;
	else if (!strncmp(text, "zipf:", 5))
		opt.pattern = ZIPF;
	else if (!strncmp(text, "latest:", 7))
		opt.pattern = LATEST;
	else
		fail(EXIT_USAGE, "--pattern: \"%s\" is none of uniform, gauss, zipf:T, latest:T", text);
	if (power)
		opt.theta = number_in("--pattern", power + 1, 0, 4);
	if (power && opt.theta == 1)
		fail(EXIT_USAGE, "--pattern: an exponent of exactly 1 has no power law");
}

static void parse_mix(const char *text)
{
	unsigned long *s = opt.share;
	char junk;

	if (sscanf(text, "%lu:%lu:%lu:%lu:%lu%c", &s[GET], &s[SET], &s[INSERT], &s[SCAN],
		   &s[MODIFY], &junk) != NR_OPS ||
	    s[GET] + s[SET] + s[INSERT] + s[SCAN] + s[MODIFY] != 10000)
		fail(EXIT_USAGE, "--mix: \"%s\" are not five numbers that make 10,000", text);
}

static void take(int option)
{
	if (option == STORE)
		opt.store = store_of(optarg);
	else if (option == AT)
		opt.at = optarg;
	else if (option == KEYS)
		opt.keys = whole_in("--keys", optarg, 1e9);
	else if (option == VALUE)
		opt.bytes = whole_in("--value", optarg, 65536);
	else if (option == OPS)
		opt.ops = whole_in("--ops", optarg, 1e9);
	else if (option == PATTERN)
		parse_pattern(optarg);
	else if (option == MIX)
		parse_mix(optarg);
	else if (option == SCAN_KEYS)
		opt.scan = whole_in("--scan", optarg, 1e9);
	else if (option == SEED)
		opt.seed = whole_in("--seed", optarg, 1e15);
}

void parse_options(int argc, char **argv)
{
	static const struct grammar grammar = { usage, known, take };

	take_options(argc, argv, &grammar);
	if (!opt.store || !opt.at || !opt.keys)
		fail(EXIT_USAGE, "--store, --at and --keys are needed (--help)");
	if (opt.fill == (opt.ops > 0))
		fail(EXIT_USAGE, "either --fill or --ops");
	if (opt.share[SCAN] && !opt.store->scan)
		fail(EXIT_USAGE, "--mix: %s does not know its keys' order", opt.store->name);
}
