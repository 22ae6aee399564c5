// SPDX-License-Identifier: GPL-2.0
/*
 * What patterncheck is told.
 */
#include <string.h>

#include "patterncheck.h"

struct options opt = { .kind = "anon", .mode = "plain", .seed = 1 };

static const char usage[] =
"usage: patterncheck --mb N [options]\n"
"  --kind K          anon (default) | shmem | map | rw: the last two need --file\n"
"  --file PATH       a file, created; mapped (map), or read and written (rw)\n"
"  --mode M          plain (default) | thp: split and collapse huge pages |\n"
"                    fork: children that check what they share (anon)\n"
"  --rate N          accesses a second, 0 (default) for no limit\n"
"  --ops N           stop after N accesses (without: at SIGTERM; SIGUSR1 to rest)\n"
"  --seed N          seed of the order and of the content (default 1)\n"
"  --faults          let the kernel fail this process's allocations, where it can\n"
"  --plant N         spoil a page after N accesses, to see that it is found\n"
"  --ready-file PATH, --rest-file PATH  made once it is populated, once it rests\n"
"  --name NAME       shown in messages and in the line at the end\n"
"exit status: 0 fine, 1 bad arguments, 2 a page was wrong, 3 a system call failed\n";

static unsigned long number(const char *what, const char *text)
{
	unsigned long v;

	if (*text < '0' || *text > '9' || !parse_whole(text, &v) || v > 1UL << 40)
		fail(EXIT_USAGE, "--%s: \"%s\" is not a whole number", what, text);
	return v;
}

static bool one_of(const char *text, const char *list)
{
	const char *at = strstr(list, text);

	return *text && at && (at == list || at[-1] == ' ') &&
	       (at[strlen(text)] == ' ' || !at[strlen(text)]);
}

static void refuse_nonsense(void)
{
	bool on_disk = one_of(opt.kind, "map rw");

	if (!opt.pages)
		fail(EXIT_USAGE, "--mb is missing or 0");
	if (!one_of(opt.kind, "anon shmem map rw"))
		fail(EXIT_USAGE, "--kind: \"%s\" is none of anon, shmem, map, rw", opt.kind);
	if (!one_of(opt.mode, "plain thp fork"))
		fail(EXIT_USAGE, "--mode: \"%s\" is none of plain, thp, fork", opt.mode);
	if (on_disk != !!opt.file)
		fail(EXIT_USAGE, "--kind map and rw need --file, the others have none");
	if (!strcmp(opt.mode, "thp") && on_disk)
		fail(EXIT_USAGE, "--mode thp is for anon and shmem");
	if (!strcmp(opt.mode, "thp") && opt.pages % HUGE_PAGES)
		fail(EXIT_USAGE, "--mode thp needs an even --mb");
	if (!strcmp(opt.mode, "fork") && strcmp(opt.kind, "anon"))
		fail(EXIT_USAGE, "--mode fork is for anon");
}

static const char *given[128];		/* what stands behind each option */

static void take(int option)
{
	given[option] = optarg;
}

void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "kind", 1, NULL, 'k' }, { "file", 1, NULL, 'f' }, { "mode", 1, NULL, 'm' },
		{ "mb", 1, NULL, 'b' }, { "rate", 1, NULL, 'r' }, { "ops", 1, NULL, 'o' },
		{ "seed", 1, NULL, 's' }, { "plant", 1, NULL, 'p' }, { "faults", 0, &opt.faults, 1 },
		{ "ready-file", 1, NULL, 'y' }, { "rest-file", 1, NULL, 'z' },
		{ "name", 1, NULL, 'n' }, { "help", 0, NULL, HELP }, { }
	};

	take_options(argc, argv, &(struct grammar){ usage, longs, take });
	speaker.name = given['n'] ? given['n'] : speaker.name;
	opt.kind = given['k'] ? given['k'] : opt.kind;
	opt.mode = given['m'] ? given['m'] : opt.mode;
	opt.file = given['f'];
	opt.ready = given['y'];
	opt.rest_mark = given['z'];
	opt.pages = number("mb", given['b'] ? given['b'] : "0") * ((1UL << 20) / PAGE);
	opt.rate = number("rate", given['r'] ? given['r'] : "0");
	opt.ops = number("ops", given['o'] ? given['o'] : "0");
	opt.seed = number("seed", given['s'] ? given['s'] : "1");
	opt.plant = number("plant", given['p'] ? given['p'] : "0");
	refuse_nonsense();
}
