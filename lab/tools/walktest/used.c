// SPDX-License-Identifier: GPL-2.0
/*
 * Cases: what has been used is found, wherever it is.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walktest.h"

void case_anon(void)
{
	char *p = map_anon(4096);

	fill(p, 4096);
	spend_bits();
	expect_moved(touch_some(p, 4096, 30));
	expect_left(p, 4096);
}

/* The access that brought a page in is not a use of it. */
void case_fault(void)
{
	char *p = map_anon(1024);
	struct sizes before;

	fill(p, 1024);
	before = settled();
	if (before.total != 1024)
		wrong("1024 pages faulted in, %lu on lists", before.total);
	expect_moved(0);
	expect_moved(touch_some(p, 1024, 50));
}

void case_file(void)
{
	char *p = map_file(2048);

	spend_bits();
	expect_moved(touch_some(p, 2048, 30));
}

/* One entry stands for 512 pages, or 512 entries for one folio. */
void case_thp(void)
{
	char *p = map_huge(6);
	struct sizes s;

	fill(p, 6 * HUGE_PAGES);
	s = settled();
	if (s.total != 6 * HUGE_PAGES)
		wrong("%lu pages on lists", s.total);
	spend_bits();
	*(volatile char *)(p + 7);
	*(volatile char *)(p + 2 * HUGE + 99 * PAGE);
	expect_moved(2 * HUGE_PAGES);
	/* Mapped by a table from here on, and still one folio. */
	if (mprotect(p + 3 * HUGE, PAGE, PROT_READ))
		broken("mprotect");
	*(volatile char *)(p + 3 * HUGE + 17 * PAGE);
	*(volatile char *)(p + 3 * HUGE + 400 * PAGE);
	*(volatile char *)(p + 4 * HUGE);
	expect_moved(2 * HUGE_PAGES);
}

void case_protections(void)
{
	static const int prots[] = {
		PROT_READ, PROT_READ | PROT_WRITE, PROT_NONE, PROT_READ | PROT_EXEC,
	};
	char *p = map_anon(2048);
	unsigned long i, nr = 0;

	fill(p, 2048);
	for (i = 0; i < 2048 / 8; i++)
		if (mprotect(p + i * 8 * PAGE, 8 * PAGE, prots[i % 4]))
			broken("mprotect");
	spend_bits();
	for (i = 0; i < 2048; i++) {
		touched[i] = prots[i / 8 % 4] != PROT_NONE && random32() % 4 == 0;
		if (!touched[i])
			continue;
		*(volatile char *)(p + i * PAGE);
		nr++;
	}
	expect_moved(nr);
	expect_left(p, 2048);
}

void case_holes(void)
{
	char *p = map_anon(4096), *far[4];
	unsigned long i, nr;

	fill(p, 4096);
	for (i = 0; i < 4096; i += 64)
		if (munmap(p + i * PAGE, (1 + random32() % 62) * PAGE))
			broken("munmap");
	/* A page each in tables of their own, gigabytes apart. */
	for (i = 0; i < 4; i++) {
		far[i] = map_at((void *)((16UL + 4 * i) << 38), PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
		fill(far[i], 1);
	}
	spend_bits();
	for (i = 0, nr = 0; i < 4096; i += 64, nr++)
		*(volatile char *)(p + (i + 63) * PAGE);
	*(volatile char *)far[1];
	*(volatile char *)far[3];
	expect_moved(nr + 2);
}

/* The bit is set under one address and found under another. */
void case_mremap(void)
{
	char *p = map_anon(1024), *q;
	unsigned long nr;

	fill(p, 1024);
	spend_bits();
	nr = touch_some(p, 1024, 40);
	q = mremap(p, 1024 * PAGE, 1024 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		   map_anon(2048) + 513 * PAGE);
	if (q == MAP_FAILED)
		broken("mremap");
	expect_moved(nr);
	expect_left(q, 1024);
}

/* After a fork: all but the pages that the case is about. */
static void lock_all_but(char *p)
{
	char *line;

	get("/proc/self/maps");
	for (line = text; line && *line; line = strchr(line, '\n'), line += !!line) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx", &start, &end) != 2)
			leave(EXIT_SYSTEM, "cannot read maps");
		if ((char *)start > p || (char *)end <= p)
			mlock((void *)start, end - start);	/* not all can be */
	}
}

/* Pages of two processes, of the same memcg: seen in either, they are young. */
void case_fork(void)
{
	char *p = map_anon(2048);
	volatile int *turn = map_at(NULL, PAGE, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1);
	unsigned long i, nr = 0;
	pid_t child;

	*turn = 0;
	if (mlock((void *)turn, PAGE))
		broken("mlock");
	fill(p, 2048);
	child = fork();
	if (child < 0)
		broken("fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		lock_all_but(p);
		for (*turn = 1; *turn == 1; usleep(1000))
			;
		for (i = 0; i < 2048; i += 3)
			*(volatile char *)(p + i * PAGE);
		for (*turn = 3; *turn == 3; usleep(1000))
			;
		_exit(0);
	}
	while (*turn != 1)
		usleep(1000);
	spend_bits();
	*turn = 2;
	while (*turn != 3)
		usleep(1000);
	for (i = 1; i < 2048; i += 3)
		*(volatile char *)(p + i * PAGE);
	for (i = 0; i < 2048; i++)
		nr += i % 3 < 2;
	expect_moved(nr);
	*turn = 4;
	waitpid(child, NULL, 0);
}

/* A walk for one node takes nothing that the walk for another needs. */
void case_nodes(void)
{
	char *p = map_anon(1024);
	unsigned long i, nr[2] = { 0 };

	if (access("/sys/devices/system/node/node1", F_OK))
		skip("one node only");
	for (i = 0; i < 1024; i++) {
		bind_to(i % 2);
		fill(p + i * PAGE, 1);
	}
	bind_to(0);
	for (node = 1; node >= 0; node--)
		spend_bits();
	for (i = 0; i < 1024; i++) {
		touched[i] = random32() % 4 == 0;
		if (!touched[i])
			continue;
		nr[i % 2]++;
		*(volatile char *)(p + i * PAGE);
	}
	for (node = 0; node < 2; node++)
		expect_moved(nr[node]);
}
