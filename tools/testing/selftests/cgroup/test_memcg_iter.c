// SPDX-License-Identifier: GPL-2.0
/*
 * What the groups below one give when that one has to.
 *
 * Needs cgroup v2, the memory controller, swap that is free, and the multi-gen
 * LRU switched on; skips where one of them is missing, or where the kernel has
 * another order than this test is about.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cgroup_util.h"
#include "memcg_crowd.h"

/* Two groups of one size are apart by no more than a batch, plus one under way. */
#define APART_PAGES	(2 * 32)

/* On average; a batch is twice as many. */
#define BRIEF_PAGES	16

#define NR_GROUPS	16
#define GROUP_MB	4

/* The groups of a test, below a group of the test's own. */
static int begin(struct crowd *c, const char *root, int nr, long mb)
{
	c->own = crowd_parent(root);
	c->root = c->own;
	return c->own ? crowd_add(c, nr, mb) : -1;
}

static void finish(struct crowd *c)
{
	crowd_remove(c);
	if (c->own)
		cg_destroy(c->own);
	free(c->own);
}

static int is_even(const struct crowd *c, long apart)
{
	long least = LONG_MAX, most = 0;
	int i;

	for (i = 0; i < c->nr; i++) {
		least = c->groups[i].given < least ? c->groups[i].given : least;
		most = c->groups[i].given > most ? c->groups[i].given : most;
	}
	ksft_print_msg("least %ld, most %ld, of %ld pages\n", least, most, crowd_given(c));
	return least > 0 && most - least <= apart ? KSFT_PASS : KSFT_FAIL;
}

/* Who are alike give alike, though no request asks more than a part of them. */
static int test_even(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;

	if (!begin(&c, root, NR_GROUPS, GROUP_MB) && !crowd_ask(&c, 16))
		ret = is_even(&c, APART_PAGES);
	finish(&c);
	return ret;
}

/* A process of no group of the test: where others are below, none can be. */
static pid_t run_beside(int (*fn)(const char *cgroup), const char *cgroup)
{
	pid_t pid = fork();

	if (!pid)
		_exit(fn(cgroup) ? EXIT_FAILURE : EXIT_SUCCESS);
	return pid;
}

static int wait_for(const pid_t *pids, int nr)
{
	int i, status, ret = 0;

	for (i = 0; i < nr; i++)
		if (pids[i] < 0 || waitpid(pids[i], &status, 0) != pids[i] || status)
			ret = -1;
	return ret;
}

static int write_often(const char *cgroup)
{
	int i;

	for (i = 0; i < 64; i++)
		if (cg_write(cgroup, "memory.reclaim", "128K"))
			return -1;
	return 0;
}

/* Four at a time, 128K each: in all 32 MiB, of 64. */
static int write_together(const char *cgroup)
{
	pid_t pids[4];
	int i;

	for (i = 0; i < 4; i++)
		pids[i] = run_beside(write_often, cgroup);
	return wait_for(pids, 4);
}

/* So they do when several ask at the same time. */
static int test_even_together(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;

	if (begin(&c, root, NR_GROUPS, GROUP_MB))
		goto out;
	crowd_note(&c);
	if (write_together(c.root))
		goto out;
	crowd_count(&c);
	ret = is_even(&c, APART_PAGES);
out:
	finish(&c);
	return ret;
}

/* Groups come and go until somebody kills us. */
static int come_and_go(const char *cgroup)
{
	char *path = cg_name(cgroup, "passing");

	while (path && !cg_create(path)) {
		usleep(2000);
		cg_destroy(path);
	}
	return -1;
}

static void stop(pid_t pid, const char *cgroup)
{
	char *path = cg_name(cgroup, "passing");

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (path)
		cg_destroy(path);
	free(path);
}

/* So they do when others come and go: nobody begins at the first one again. */
static int test_even_in_churn(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;
	pid_t pid;

	if (begin(&c, root, NR_GROUPS, GROUP_MB))
		goto out;
	pid = run_beside(come_and_go, c.root);
	if (pid < 0)
		goto out;
	if (!crowd_ask(&c, 16))
		ret = is_even(&c, APART_PAGES);
	stop(pid, c.root);
out:
	finish(&c);
	return ret;
}

/* What a group has given to its own limit does not spare it from that above. */
static int test_own_limit_apart(const char *root)
{
	struct crowd c = { };
	int i, ret = KSFT_FAIL;

	if (begin(&c, root, NR_GROUPS, GROUP_MB))
		goto out;
	for (i = 0; i < 16; i++)
		if (cg_write(c.groups[0].path, "memory.reclaim", "64K"))
			goto out;
	if (crowd_ask(&c, 16))
		goto out;
	ksft_print_msg("it gave %ld\n", c.groups[0].given);
	/* It has three quarters of what the others have. */
	if (c.groups[0].given >= crowd_given(&c) / NR_GROUPS / 2)
		ret = KSFT_PASS;
out:
	finish(&c);
	return ret;
}

static int take_memory(const char *cgroup, void *arg)
{
	size_t size = (size_t)arg;
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return -1;
	memset(mem, 1, size);
	return 0;
}

static int take_together(struct crowd *c)
{
	pid_t pids[4 * NR_GROUPS];
	int i;

	for (i = 0; i < 4 * NR_GROUPS; i++)
		pids[i] = cg_run_nowait(c->groups[i % NR_GROUPS].path, take_memory,
					(void *)MB(2L));
	return wait_for(pids, 4 * NR_GROUPS);
}

/* Many hit a limit at once: nobody is killed while there is swap to go to. */
static int test_no_early_kill(const char *root)
{
	struct crowd c = { };
	long hits, kills;
	int ret = KSFT_FAIL;

	if (begin(&c, root, NR_GROUPS, 0) || cg_write(c.root, "memory.max", "24M"))
		goto out;
	if (take_together(&c))
		goto out;
	hits = cg_read_key_long(c.root, "memory.events", "max ");
	kills = cg_read_key_long(c.root, "memory.events", "oom_kill ");
	ksft_print_msg("%ld hits, %ld kills\n", hits, kills);
	if (hits > 100 && !kills)
		ret = KSFT_PASS;
out:
	finish(&c);
	return ret;
}

/*
 * Who hits a limit swaps a few pages and goes on, and does not swap a whole batch, if
 * what is swapped is free at once, as with zram.
 */
static int test_brief_hits(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;
	long hits, pages;

	if (begin(&c, root, 1, 0) || cg_write(c.groups[0].path, "memory.max", "8M"))
		goto out;
	crowd_note(&c);
	if (cg_run(c.groups[0].path, take_memory, (void *)MB(24L)))
		goto out;
	hits = cg_read_key_long(c.groups[0].path, "memory.events", "max ");
	crowd_count(&c);
	pages = crowd_given(&c);
	ksft_print_msg("%ld hits took %ld pages\n", hits, pages);
	if (hits > 0 && pages > 2048 && pages / hits <= BRIEF_PAGES)
		ret = KSFT_PASS;
out:
	finish(&c);
	return ret;
}

/* A kill that is due comes. */
static int test_due_kill(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;
	long kills;

	if (begin(&c, root, NR_GROUPS, 0) || cg_write(c.root, "memory.max", "16M") ||
	    cg_write(c.root, "memory.swap.max", "0"))
		goto out;
	cg_run(c.groups[3].path, take_memory, (void *)MB(64L));
	kills = cg_read_key_long(c.root, "memory.events", "oom_kill ");
	ksft_print_msg("%ld kills\n", kills);
	if (kills == 1)
		ret = KSFT_PASS;
out:
	finish(&c);
	return ret;
}

/* A read that is not by the page table, and a second one: the page is active. */
static int activate(int mem, const char *page)
{
	char byte;
	int i;

	for (i = 0; i < 2; i++)
		if (pread(mem, &byte, 1, (uintptr_t)page) != 1)
			return -1;
	return 0;
}

/* Half of it is inactive when it is counted, and all active when the limit is hit. */
static int grow_active(const char *cgroup, void *arg)
{
	size_t at, counted = MB(12), size = MB(24), page = getpagesize();
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/mem", O_RDONLY);

	if (mem == MAP_FAILED || fd < 0)
		return -1;
	memset(mem, 1, counted);
	sleep(FLUSH_S);
	for (at = 0; at < size; at += page) {
		mem[at] = 1;
		if (activate(fd, mem + at))
			return -1;
	}
	return close(fd);
}

static int switch_lru_gen(const char *how)
{
	int fd = open("/sys/kernel/mm/lru_gen/enabled", O_WRONLY);
	int ret = fd >= 0 && write(fd, how, 1) == 1 ? 0 : -1;

	if (fd >= 0)
		close(fd);
	return ret;
}

/*
 * The classic LRU knows the sizes of its lists as of some seconds ago: nobody is
 * killed because by then all memory has become active.
 */
static int test_no_kill_by_old_sizes(const char *root)
{
	struct crowd c = { };
	int i, ret = KSFT_FAIL;
	long kills;

	if (begin(&c, root, 1, 0) || cg_write(c.groups[0].path, "memory.max", "16M") ||
	    switch_lru_gen("n"))
		goto out;
	for (i = 0; i < 4 && !cg_run(c.groups[0].path, grow_active, NULL); i++)
		;
	kills = cg_read_key_long(c.root, "memory.events", "oom_kill ");
	ksft_print_msg("%d of 4 ended well, %ld kills\n", i, kills);
	if (!switch_lru_gen("y") && i == 4 && !kills)
		ret = KSFT_PASS;
out:
	finish(&c);
	return ret;
}

static const struct crowd_test tests[] = {
	{ test_even, "test_even" },
	{ test_even_together, "test_even_together" },
	{ test_even_in_churn, "test_even_in_churn" },
	{ test_own_limit_apart, "test_own_limit_apart" },
	{ test_no_early_kill, "test_no_early_kill" },
	{ test_brief_hits, "test_brief_hits" },
	{ test_due_kill, "test_due_kill" },
	{ test_no_kill_by_old_sizes, "test_no_kill_by_old_sizes" },
};

int main(void)
{
	ksft_print_header();
	crowd_run(tests, ARRAY_SIZE(tests));
}
