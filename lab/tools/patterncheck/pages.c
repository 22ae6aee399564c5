// SPDX-License-Identifier: GPL-2.0
/*
 * The region, and what every page of it has to hold.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/random.h"
#include "patterncheck.h"

#define TOLD_MAX	5		/* wrong pages that are told one by one */

struct counts *done;
char *map;
static uint32_t *gen;		/* times each page was written */
static bool *lazy;		/* which may also be empty */
static uint64_t buf[WORDS], want[WORDS];
static int fd = -1;

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
		speaker.name, index, when, gen[index], i, (unsigned long long)want[i],
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

void loosen(unsigned long index)
{
	lazy[index] = true;
}

void check_all(const char *when)
{
	unsigned long i;

	for (i = 0; i < opt.pages; i++)
		if (!check(i, when) || lazy[i])
			fill(i);
}

/* What is on the disk must be right as well. */
void check_from_disk(void)
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
		fd = memfd_create(speaker.name, MFD_CLOEXEC);
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
	/* A kernel with PREEMPT_RT has no such pages; the rest of the mode does its work there. */
	if (!strcmp(opt.mode, "thp") && !access(THP, F_OK) && madvise(map, len, MADV_HUGEPAGE))
		fail(EXIT_SYSTEM, "madvise(MADV_HUGEPAGE): %s", strerror(errno));
}

void make_region(void)
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

void spoil(unsigned long index)
{
	page_in(index)[WORDS - 3] ^= 0x100;
	if (!map && pwrite(fd, buf, PAGE, (off_t)(index * PAGE)) != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "cannot spoil page %lu: %s", index, strerror(errno));
}

void drop_cache(void)
{
	if (!fdatasync(fd))
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}
