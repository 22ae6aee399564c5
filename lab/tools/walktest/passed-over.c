// SPDX-License-Identifier: GPL-2.0
/*
 * Cases: what a walk passes over.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walktest.h"

/* Beside a region that counts, @p's @pages pages are touched and do not. */
static void expect_passed_over(char *p, unsigned long pages)
{
	char *counts = map_anon(512);
	unsigned long nr;

	fill(counts, 512);
	spend_bits();
	touch_some(p, pages, 100);
	nr = touch_some(counts, 512, 50);
	expect_moved(nr);
}

static void advise_and_expect(int advice, bool counted)
{
	char *p = map_anon(512), *f = map_file(512);

	if (madvise(p, 512 * PAGE, advice) || madvise(f, 512 * PAGE, advice))
		broken("madvise");
	fill(p, 512);
	spend_bits();
	touch_some(p, 512, 100);
	touch_some(f, 512, 100);
	expect_moved(counted ? 1024 : 0);
}

void case_random(void)
{
	advise_and_expect(MADV_RANDOM, true);
}

void case_sequential(void)
{
	advise_and_expect(MADV_SEQUENTIAL, false);
}

void case_mlocked(void)
{
	char *p = map_anon(512);

	fill(p, 512);
	if (mlock(p, 512 * PAGE))
		broken("mlock");
	drain();
	expect_passed_over(p, 512);
}

void case_userfaultfd(void)
{
	char *p = map_anon(512);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)p, 512 * PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		skip("no userfaultfd: %s", strerror(errno));
	fill(p, 512);
	if (ioctl(fd, UFFDIO_REGISTER, &reg))
		broken("UFFDIO_REGISTER");
	expect_passed_over(p, 512);
}

void case_hugetlb(void)
{
	char *p = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (p == MAP_FAILED)
		skip("no hugetlb pages: %s", strerror(errno));
	fill(p, 2 * HUGE_PAGES);
	expect_passed_over(p, 2 * HUGE_PAGES);
}
