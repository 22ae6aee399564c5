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
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "patterncheck.h"

#define TICK_NS		20000000L
#define NSEC		1000000000L
#define TOLD_MAX	5		/* wrong pages that are told one by one */
#define CHILDREN_MAX	4
#define CHILD_PAGES	24

struct options opt = { .name = "patterncheck", .kind = "anon", .mode = "plain", .seed = 1 };
struct counts *done;
char *map;
uint32_t *gen;
bool *lazy;
static uint64_t buf[WORDS], want[WORDS], rng;
static int fd = -1;
static volatile sig_atomic_t stop, rest;

__attribute__((format(printf, 2, 3), noreturn))
void fail(int status, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "patterncheck %s: ", opt.name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

unsigned long below(unsigned long n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

/* ---- what a page holds ---- */

/* One half does not compress, the other does: zram has work, and gains by it. */
static void make_page(uint64_t *p, unsigned long index, uint32_t g)
{
	uint64_t base = mix(mix(opt.seed) ^ mix(index) ^ ((uint64_t)g << 32 | g));
	unsigned int i;

	for (i = 0; i < WORDS / 2; i++)
		p[i] = base + i * 0x9e3779b97f4a7c15ULL;
	for (; i < WORDS; i++)
		p[i] = base;
	p[0] = index;
	p[1] = opt.seed;
	p[2] = g;
}

static bool all_zero(const uint64_t *p)
{
	return !p[0] && !memcmp(p, p + 1, PAGE - sizeof(*p));
}

static void tell(const uint64_t *p, unsigned long index, const char *when)
{
	unsigned int i;

	for (i = 0; i < WORDS - 1 && p[i] == want[i]; i++)
		;
	fprintf(stderr, "patterncheck %s: WRONG page %lu (%s), generation %u, from word %u on: "
		"want %llx, got %llx; it looks like %spage %llu of seed %llu, generation %llu\n",
		opt.name, index, when, gen[index], i, (unsigned long long)want[i],
		(unsigned long long)p[i], all_zero(p) ? "an empty page, not " : "",
		(unsigned long long)p[0], (unsigned long long)p[1], (unsigned long long)p[2]);
}

/* ---- one page ---- */

static uint64_t *page_in(unsigned long index)
{
	if (map)
		return (uint64_t *)(map + index * PAGE);
	if (pread(fd, buf, PAGE, (off_t)(index * PAGE)) != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "read of page %lu: %s", index, strerror(errno));
	return buf;
}

void fill(unsigned long index)
{
	uint64_t *p = map ? (uint64_t *)(map + index * PAGE) : buf;

	lazy[index] = false;
	make_page(p, index, gen[index]);
	if (!map && pwrite(fd, p, PAGE, (off_t)(index * PAGE)) != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "write of page %lu: %s", index, strerror(errno));
}

bool check(unsigned long index, const char *when)
{
	const uint64_t *p = page_in(index);

	__atomic_add_fetch(&done->verified, 1, __ATOMIC_RELAXED);
	make_page(want, index, gen[index]);
	if (!memcmp(p, want, PAGE) || (lazy[index] && all_zero(p)))
		return true;
	if (__atomic_add_fetch(&done->mismatches, 1, __ATOMIC_RELAXED) <= TOLD_MAX)
		tell(p, index, when);
	return false;
}

void rewrite(unsigned long index)
{
	gen[index]++;
	fill(index);
}

static void check_all(const char *when)
{
	unsigned long i;

	for (i = 0; i < opt.pages; i++)
		if (!check(i, when) || lazy[i])
			fill(i);
}

/* What is on the disk must be right as well. */
static void check_from_disk(void)
{
	if (!opt.file)
		return;
	if (map && msync(map, opt.pages * PAGE, MS_SYNC))
		fail(EXIT_SYSTEM, "msync of %s: %s", opt.file, strerror(errno));
	if (fsync(fd))
		fail(EXIT_SYSTEM, "fsync of %s: %s", opt.file, strerror(errno));
	if (map)
		madvise(map, opt.pages * PAGE, MADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	check_all("from the disk");
}

/* ---- the region ---- */

static void open_file(void)
{
	if (!strcmp(opt.kind, "shmem"))
		fd = memfd_create(opt.name, MFD_CLOEXEC);
	else if (opt.file)
		fd = open(opt.file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)(opt.pages * PAGE)))
		fail(EXIT_SYSTEM, "cannot make a file of %lu pages: %s", opt.pages, strerror(errno));
}

/* On a boundary of huge pages, with as much room behind it to move pages to. */
static void map_region(void)
{
	size_t len = opt.pages * PAGE;
	char *room = mmap(NULL, 2 * len + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		fail(EXIT_SYSTEM, "no room for %zu bytes: %s", len, strerror(errno));
	room = (char *)(((uintptr_t)room + HUGE - 1) & ~(HUGE - 1));
	map = mmap(room, len, PROT_READ | PROT_WRITE,
		   MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), fd, 0);
	if (map == MAP_FAILED)
		fail(EXIT_SYSTEM, "cannot map %zu bytes: %s", len, strerror(errno));
	if (!strcmp(opt.mode, "thp") && madvise(map, len, MADV_HUGEPAGE))
		fail(EXIT_SYSTEM, "madvise(MADV_HUGEPAGE): %s", strerror(errno));
}

static void make_region(void)
{
	unsigned long i;

	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	gen = calloc(opt.pages, sizeof(*gen));
	lazy = calloc(opt.pages, sizeof(*lazy));
	if (done == MAP_FAILED || !gen || !lazy)
		fail(EXIT_SYSTEM, "no memory to keep the books of %lu pages", opt.pages);
	if (strcmp(opt.kind, "anon"))
		open_file();
	if (strcmp(opt.kind, "rw"))
		map_region();
	for (i = 0; i < opt.pages; i++)
		fill(i);
}

/* ---- children that check what they share, and what they no longer do ---- */

static void child(void)
{
	unsigned long index[CHILD_PAGES];
	int i, bad = 0;

	for (i = 0; i < CHILD_PAGES; i++) {
		index[i] = below(opt.pages);
		bad += !check(index[i], "in a child");
		if (i % 3 == 0)
			rewrite(index[i]);
	}
	for (i = 0; i < CHILD_PAGES; i++)
		bad += !check(index[i], "in a child, written there");
	if (!bad && below(2)) {
		execl("/bin/true", "true", NULL);
		_exit(EXIT_SYSTEM);
	}
	_exit(bad ? EXIT_WRONG : EXIT_OK);
}

/* How a child ends counts in check(); with failing allocations exec may kill it. */
static void reap(int *children, int most)
{
	int status;

	while (*children > most && wait(&status) > 0) {
		--*children;
		if (!opt.faults && status && !(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_WRONG))
			fail(EXIT_SYSTEM, "a child ended with status %x", status);
	}
}

static void fork_one(void)
{
	static int children;
	pid_t pid;

	if (stop || rest) {
		reap(&children, 0);
		return;
	}
	reap(&children, CHILDREN_MAX - 1);
	below(2);		/* another number for each child */
	pid = fork();
	if (!pid)
		child();
	if (pid < 0) {
		if (!opt.faults)
			fail(EXIT_SYSTEM, "fork: %s", strerror(errno));
		done->refused++;
		return;
	}
	children++;
	done->forks++;
}

/* ---- the load ---- */

static void spoil(unsigned long index)
{
	page_in(index)[WORDS - 3] ^= 0x100;
	if (!map && pwrite(fd, buf, PAGE, (off_t)(index * PAGE)) != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "cannot spoil page %lu: %s", index, strerror(errno));
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
	if (opt.file && done->ops % 1024 == 0 && !fdatasync(fd))
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
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
	int f = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : 0;

	if (f < 0)
		fail(EXIT_SYSTEM, "cannot write the mark %s: %s", path, strerror(errno));
	if (path)
		close(f);
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
