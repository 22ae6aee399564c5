// SPDX-License-Identifier: GPL-2.0
/*
 * The pages, anonymous or of a file, and how one is accessed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accessgen.h"

#define FILL_STEP	8		/* every eighth word of a page is random */
#define CREATE_PAGES	256UL		/* per write() when a file is made */

static char *map;
static int fd = -1;
static uint64_t page_buf[WORDS];

void access_page(unsigned long page)
{
	volatile uint64_t *p;

	if (opt.kind == K_READ) {
		if (pread(fd, page_buf, PAGE, (off_t)(page * PAGE)) != (ssize_t)PAGE)
			fail(EXIT_SYSTEM, "cannot read page %lu of %s: %s", page, opt.file,
			     errno ? strerror(errno) : "the file is too short");
		return;
	}
	p = (volatile uint64_t *)(map + page * PAGE);
	if (opt.kind == K_ANON && !opt.same)
		*p = next_random();
	else
		(void)*p;
}

void fill_page(unsigned long page)
{
	uint64_t *p = (uint64_t *)(map + page * PAGE);
	unsigned long i;

	if (opt.same) {
		for (i = 0; i < WORDS; i++)
			p[i] = page + 1;
		return;
	}
	for (i = 0; i < WORDS; i += FILL_STEP)
		p[i] = next_random();
}

static void open_file(void)
{
	struct stat st;

	fd = open(opt.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		fail(EXIT_SYSTEM, "cannot open %s: %s", opt.file, strerror(errno));
	if ((unsigned long)st.st_size < opt.pages * PAGE)
		fail(EXIT_USAGE, "%s has %lu pages, %lu are wanted", opt.file,
		     (unsigned long)st.st_size / PAGE, opt.pages);
}

void open_pages(void)
{
	bool anon = opt.kind == K_ANON;
	size_t size = opt.pages * PAGE;

	if (!anon)
		open_file();
	/* One page a miss, as with MADV_RANDOM: what is counted is the sequence's. */
	if (opt.kind == K_READ && posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		fail(EXIT_SYSTEM, "posix_fadvise(POSIX_FADV_RANDOM) on %s", opt.file);
	if (opt.kind == K_READ)
		return;
	map = mmap(NULL, size, anon ? PROT_READ | PROT_WRITE : PROT_READ,
		   anon ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		fail(EXIT_SYSTEM, "cannot map %zu bytes: %s", size, strerror(errno));
	if (opt.kind == K_MMAP && madvise(map, size, MADV_RANDOM))
		fail(EXIT_SYSTEM, "madvise(MADV_RANDOM): %s", strerror(errno));
	if (opt.huge && madvise(map, size, MADV_HUGEPAGE))
		fail(EXIT_SYSTEM, "madvise(MADV_HUGEPAGE): %s", strerror(errno));
}

/* A file whose blocks are really there, and whose pages are on the disk. */
int create_file(void)
{
	static uint64_t chunk[CREATE_PAGES * WORDS];
	unsigned long left = opt.pages, n, i;

	for (i = 0; i < CREATE_PAGES * WORDS; i++)
		chunk[i] = next_random();
	fd = open(opt.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(EXIT_SYSTEM, "cannot make %s: %s", opt.file, strerror(errno));
	for (; left; left -= n) {
		n = left < CREATE_PAGES ? left : CREATE_PAGES;
		if (write(fd, chunk, n * PAGE) != (ssize_t)(n * PAGE))
			fail(EXIT_SYSTEM, "cannot write %s: %s", opt.file, strerror(errno));
	}
	if (fsync(fd) || close(fd))
		fail(EXIT_SYSTEM, "cannot write %s: %s", opt.file, strerror(errno));
	return EXIT_OK;
}
