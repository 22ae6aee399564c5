/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What patterncheck is told, what it counts, and how it tears memory apart:
 * the half of patterncheck.c that knows nothing of what a page holds.
 */
#include <getopt.h>

#define PAGE		4096UL
#define WORDS		(PAGE / sizeof(uint64_t))
#define HUGE		(2UL << 20)
#define HUGE_PAGES	(HUGE / PAGE)
#define RUN_MAX		48UL		/* pages that are taken at once */
#define STUBBORN	1000		/* tries to put back what was taken away */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

enum { EXIT_OK, EXIT_USAGE, EXIT_WRONG, EXIT_SYSTEM };

struct options {
	const char *name, *kind, *mode, *file, *ready, *rest_mark;
	unsigned long pages, ops, rate, plant;
	uint64_t seed;
	int faults;
};

/* Shared with the children. */
struct counts {
	unsigned long ops, verified, mismatches, forks, refused;
	unsigned long collapsed, holes, moved, paged_out, protected, freed, locked;
};

extern struct options opt;
extern struct counts *done;
extern char *map;
extern uint32_t *gen;
extern bool *lazy;

__attribute__((format(printf, 2, 3), noreturn)) void fail(int status, const char *fmt, ...);
unsigned long below(unsigned long n);
void fill(unsigned long index);
void rewrite(unsigned long index);
bool check(unsigned long index, const char *when);

/* ---- what splits and collapses huge pages ---- */

struct run {
	unsigned long first, nr;
	char *at;
	size_t len;
};

static void each(const struct run *r, void (*what)(unsigned long index))
{
	unsigned long i;

	for (i = r->first; i < r->first + r->nr; i++)
		what(i);
}

static void look(unsigned long index)
{
	if (!check(index, "after its mapping was changed"))
		fill(index);
}

static void loosen(unsigned long index)
{
	lazy[index] = true;
}

static bool refused(int failed)
{
	if (failed)
		done->refused++;
	return failed;
}

/* There may be no memory for it at the moment, or somebody has hold of a page. */
static void collapse(const struct run *r)
{
	char *at = map + r->first / HUGE_PAGES * HUGE;

	if (!refused(madvise(at, HUGE, MADV_COLLAPSE)))
		done->collapsed++;
}

/* What is at that place now goes. */
static void map_afresh(char *at, size_t len, int how)
{
	int tries = STUBBORN;

	while (mmap(at, len, how, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		if (!--tries)
			fail(EXIT_SYSTEM, "no new mapping in place of the old one");
}

static void punch(const struct run *r)
{
	if (!strcmp(opt.kind, "shmem")) {
		if (refused(madvise(r->at, r->len, MADV_REMOVE)))
			return;
	} else {
		if (refused(munmap(r->at, r->len)))
			return;
		map_afresh(r->at, r->len, PROT_READ | PROT_WRITE);
		refused(madvise(r->at, r->len, MADV_HUGEPAGE));
	}
	each(r, rewrite);
	done->holes++;
}

static void move_and_back(const struct run *r)
{
	const int how = MREMAP_MAYMOVE | MREMAP_FIXED;
	char *there = map + opt.pages * PAGE, *here = map;
	int tries = STUBBORN;

	if (refused(mremap(r->at, r->len, r->len, how, there) == MAP_FAILED))
		return;
	/* check() looks where the pages are now */
	map = there - r->first * PAGE;
	each(r, look);
	map = here;
	while (mremap(there, r->len, r->len, how, r->at) == MAP_FAILED)
		if (!--tries)
			fail(EXIT_SYSTEM, "pages cannot be moved back");
	/* lest something else is put there */
	map_afresh(there, r->len, PROT_NONE);
	each(r, look);
	done->moved++;
}

static void page_out(const struct run *r)
{
	if (!refused(madvise(r->at, r->len, MADV_PAGEOUT)))
		done->paged_out++;
	each(r, look);
}

static void protect(const struct run *r)
{
	int tries = STUBBORN;

	if (refused(mprotect(r->at, r->len, PROT_READ)))
		return;
	each(r, look);
	while (mprotect(r->at, r->len, PROT_READ | PROT_WRITE))
		if (!--tries)
			fail(EXIT_SYSTEM, "pages cannot be made writable again");
	done->protected++;
}

/* Either is right from now on: what was there, or nothing. */
static void give_up(const struct run *r)
{
	if (strcmp(opt.kind, "anon") || refused(madvise(r->at, r->len, MADV_FREE)))
		return;
	each(r, loosen);
	done->freed++;
}

static void lock_a_while(const struct run *r)
{
	if (refused(mlock(r->at, r->len)))
		return;
	each(r, look);
	if (!refused(munlock(r->at, r->len)))
		done->locked++;
}

static void reshape(void)
{
	static void (*const ways[])(const struct run *) = {
		collapse, collapse, punch, move_and_back, page_out, protect, give_up, lock_a_while,
	};
	struct run r = { .first = below(opt.pages), .nr = 1 + below(RUN_MAX) };

	if (r.first + r.nr > opt.pages)
		r.nr = opt.pages - r.first;
	r.at = map + r.first * PAGE;
	r.len = r.nr * PAGE;
	ways[below(sizeof(ways) / sizeof(*ways))](&r);
}

/* ---- arguments and counts ---- */

static void print_counts(void)
{
	printf("patterncheck %s kind %s mode %s pages %lu ops %lu verified %lu mismatches %lu "
	       "forks %lu collapsed %lu holes %lu moved %lu paged_out %lu protected %lu freed %lu "
	       "locked %lu refused %lu\n", opt.name, opt.kind, opt.mode, opt.pages, done->ops,
	       done->verified, done->mismatches, done->forks, done->collapsed, done->holes,
	       done->moved, done->paged_out, done->protected, done->freed, done->locked,
	       done->refused);
}

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
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || v > 1UL << 40)
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

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "kind", 1, NULL, 'k' }, { "file", 1, NULL, 'f' }, { "mode", 1, NULL, 'm' },
		{ "mb", 1, NULL, 'b' }, { "rate", 1, NULL, 'r' }, { "ops", 1, NULL, 'o' },
		{ "seed", 1, NULL, 's' }, { "plant", 1, NULL, 'p' }, { "faults", 0, &opt.faults, 1 },
		{ "ready-file", 1, NULL, 'y' }, { "rest-file", 1, NULL, 'z' },
		{ "name", 1, NULL, 'n' }, { "help", 0, NULL, 'h' }, { }
	};
	const char *text[128] = { };
	int c, which;

	while ((c = getopt_long(argc, argv, "", longs, &which)) != -1) {
		if (c == '?' || c == 'h') {
			fputs(usage, c == 'h' ? stdout : stderr);
			exit(c == 'h' ? EXIT_OK : EXIT_USAGE);
		}
		text[c] = optarg;
	}
	if (optind < argc)
		fail(EXIT_USAGE, "unexpected argument \"%s\"", argv[optind]);
	opt.name = text['n'] ? text['n'] : opt.name;
	opt.kind = text['k'] ? text['k'] : opt.kind;
	opt.mode = text['m'] ? text['m'] : opt.mode;
	opt.file = text['f'];
	opt.ready = text['y'];
	opt.rest_mark = text['z'];
	opt.pages = number("mb", text['b'] ? text['b'] : "0") * ((1UL << 20) / PAGE);
	opt.rate = number("rate", text['r'] ? text['r'] : "0");
	opt.ops = number("ops", text['o'] ? text['o'] : "0");
	opt.seed = number("seed", text['s'] ? text['s'] : "1");
	opt.plant = number("plant", text['p'] ? text['p'] : "0");
	refuse_nonsense();
}
