// SPDX-License-Identifier: GPL-2.0
/*
 * The region, and what its pages hold.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/random.h"
#include "memtouch.h"

static char *map;		/* the region, unless --io read */
static int fd = -1;
static uint32_t *version;	/* what each page must hold, with --verify */
static uint64_t page_buf[WORDS], want_buf[WORDS];

/* ---- page content ---- */

static uint64_t stamp(unsigned long index)
{
	return mix(opt.seed << 40 ^ index) | 1;
}

/* word 0 the stamp, word 1 the version, the last one ties both together */
static void make_page(uint64_t *p, unsigned long index, uint32_t ver)
{
	uint64_t s = stamp(index), rng = s;
	unsigned long i, random_words;

	if (opt.fill == F_SAME) {
		for (i = 0; i < WORDS; i++)
			p[i] = s + ver;
		return;
	}
	random_words = opt.fill == F_RANDOM ? WORDS : WORDS / 3;
	for (i = 2; i < random_words; i++)
		p[i] = xorshift(&rng);
	for (; i < WORDS; i++)
		p[i] = s;
	p[0] = s;
	p[1] = ver;
	p[WORDS - 1] = s ^ ver;
}

static bool page_heads_right(const uint64_t *p, unsigned long index, uint32_t ver)
{
	uint64_t s = stamp(index);

	if (opt.fill == F_SAME)
		return p[0] == s + ver && p[WORDS - 1] == s + ver;
	return p[0] == s && p[1] == ver && p[WORDS - 1] == (s ^ ver);
}

__attribute__((noreturn))
static void corrupt(const uint64_t *p, unsigned long index, const char *when)
{
	make_page(want_buf, index, version[index]);
	fail(EXIT_WRONG,
	     "CORRUPT page %lu (%s) after %lu operations: want %llx %llx .. %llx, got %llx %llx .. %llx",
	     index, when, done.ops,
	     (unsigned long long)want_buf[0], (unsigned long long)want_buf[1],
	     (unsigned long long)want_buf[WORDS - 1], (unsigned long long)p[0],
	     (unsigned long long)p[1], (unsigned long long)p[WORDS - 1]);
}

/* ---- the region ---- */

static uint64_t *page_at(unsigned long index)
{
	return (uint64_t *)(map + index * PAGE);
}

static void read_page(unsigned long index)
{
	ssize_t got = pread(fd, page_buf, PAGE, (off_t)(index * PAGE));

	if (got != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "read of page %lu from %s: %s", index, opt.file,
		     got < 0 ? strerror(errno) : "file is too short");
}

static void write_page(unsigned long index)
{
	ssize_t put = pwrite(fd, page_buf, PAGE, (off_t)(index * PAGE));

	if (put != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "write of page %lu to %s: %s", index, opt.file,
		     put < 0 ? strerror(errno) : "short write");
}

static void choose_nodes(void)
{
	if (opt.policy && syscall(SYS_set_mempolicy, opt.policy, &opt.nodes,
				  8 * sizeof(opt.nodes)))
		fail(EXIT_SYSTEM, "set_mempolicy: %s", strerror(errno));
}

void open_region(void)
{
	size_t len = opt.pages * PAGE;

	choose_nodes();
	if (opt.file) {
		fd = open(opt.file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			fail(EXIT_SYSTEM, "cannot open %s: %s", opt.file, strerror(errno));
		if (ftruncate(fd, (off_t)len))
			fail(EXIT_SYSTEM, "cannot size %s: %s", opt.file, strerror(errno));
	}
	if (opt.use_read)
		return;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE,
		   opt.file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (map == MAP_FAILED)
		fail(EXIT_SYSTEM, "cannot map %zu bytes: %s", len, strerror(errno));
	if (opt.madv_random && madvise(map, len, MADV_RANDOM))
		fail(EXIT_SYSTEM, "madvise(MADV_RANDOM): %s", strerror(errno));
}

static void make_versions(void)
{
	version = calloc(opt.pages, sizeof(*version));
	if (!version)
		fail(EXIT_SYSTEM, "no memory for %lu page versions", opt.pages);
}

/* files are filled by write(), so that a mapping later starts out unmapped */
void fill_region(void)
{
	unsigned long i;

	if (opt.verify)
		make_versions();
	if (opt.fill == F_NONE)
		return;
	for (i = 0; i < opt.pages && !stop; i++) {
		make_page(opt.file ? page_buf : page_at(i), i, 0);
		if (opt.file)
			write_page(i);
	}
	if (opt.file && fsync(fd))
		fail(EXIT_SYSTEM, "fsync of %s: %s", opt.file, strerror(errno));
	if (opt.drop_filled)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* ---- accesses ---- */

void touch(unsigned long index, bool writing)
{
	uint64_t *p = opt.use_read ? page_buf : page_at(index);
	uint32_t ver = 0;

	if (opt.use_read)
		read_page(index);
	if (opt.verify) {
		ver = version[index];
		if (!page_heads_right(p, index, ver))
			corrupt(p, index, "on access");
		done.checked++;
	}
	if (writing) {
		if (opt.verify)
			version[index] = ++ver;
		else
			ver = ++((volatile uint32_t *)p)[2];
		if (opt.use_read) {
			make_page(page_buf, index, ver);
			write_page(index);
		} else if (opt.fill == F_SAME) {
			make_page(p, index, ver);
		} else if (opt.verify) {
			p[1] = ver;
			p[WORDS - 1] = p[0] ^ ver;
		}
		done.writes++;
	} else if (!opt.use_read) {
		(void)*(volatile uint64_t *)p;
	}
}

/* every byte of every page, once the load has ended */
void verify_all(void)
{
	unsigned long i;
	uint64_t *p;

	for (i = 0; i < opt.pages; i++) {
		p = opt.use_read ? page_buf : page_at(i);
		if (opt.use_read)
			read_page(i);
		make_page(want_buf, i, version[i]);
		if (memcmp(p, want_buf, PAGE))
			corrupt(p, i, "at the end");
	}
	done.checked += opt.pages;
}
