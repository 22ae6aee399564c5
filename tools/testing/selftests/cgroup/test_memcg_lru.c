// SPDX-License-Identifier: GPL-2.0
/*
 * What memory cgroups give when the system is asked for memory.
 *
 * Needs cgroup v2, the memory controller, swap that is free, and the multi-gen
 * LRU switched on; skips where one of them is missing, or where the kernel has
 * another one than this test is about.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cgroup_util.h"
#include "memcg_crowd.h"

/*
 * What is asked for is a good deal more than a round takes of a group, 64 pages,
 * and a batch, 32: so far may two groups of one size be apart.
 */
#define APART_PAGES	(64 + 32)

/* Groups of one size give alike. */
static int test_equal(const char *root)
{
	struct crowd c = { .root = root };
	long least = LONG_MAX, most = 0;
	int i, ret = KSFT_FAIL;

	if (crowd_add(&c, 32, 4) || crowd_ask(&c, 32))
		goto out;
	for (i = 0; i < c.nr; i++) {
		least = c.groups[i].given < least ? c.groups[i].given : least;
		most = c.groups[i].given > most ? c.groups[i].given : most;
	}
	ksft_print_msg("least %ld, most %ld, of %ld pages\n", least, most, crowd_given(&c));
	if (least > 0 && most - least <= APART_PAGES)
		ret = KSFT_PASS;
out:
	crowd_remove(&c);
	return ret;
}

/* Groups of other sizes give in proportion, within a tenth and a batch each. */
static int test_proportional(const char *root)
{
	struct crowd c = { .root = root };
	long mb, all = 0, given;
	int i, ret = KSFT_FAIL;

	for (mb = 4; mb <= 32; mb *= 2)
		if (crowd_add(&c, 4, mb))
			goto out;
	if (crowd_ask(&c, 64))
		goto out;
	for (i = 0; i < c.nr; i++)
		all += c.groups[i].pages;
	given = crowd_given(&c);
	ret = given ? KSFT_PASS : KSFT_FAIL;
	for (i = 0; i < c.nr; i++) {
		long share = given * c.groups[i].pages / all;
		long off = labs(c.groups[i].given - share);

		if (off <= share / 10 + APART_PAGES)
			continue;
		ksft_print_msg("one of %ld pages gave %ld, not %ld\n", c.groups[i].pages,
			       c.groups[i].given, share);
		ret = KSFT_FAIL;
	}
out:
	crowd_remove(&c);
	return ret;
}

/* Who is under memory.low gives nothing while there are others. */
static int test_low(const char *root)
{
	struct crowd c = { .root = root };
	int i, ret = KSFT_FAIL;

	if (crowd_add(&c, 16, 4))
		goto out;
	for (i = 0; i < 4; i++)
		if (cg_write(c.groups[i].path, "memory.low", "64M"))
			goto out;
	if (crowd_ask(&c, 16))
		goto out;
	ret = crowd_given(&c) ? KSFT_PASS : KSFT_FAIL;
	for (i = 0; i < 4; i++) {
		if (!c.groups[i].given)
			continue;
		ksft_print_msg("a protected one gave %ld pages\n", c.groups[i].given);
		ret = KSFT_FAIL;
	}
out:
	crowd_remove(&c);
	return ret;
}

/* When only those under memory.low are left, they give. */
static int test_low_last(const char *root)
{
	struct crowd c = { .root = root };
	int i, ret = KSFT_FAIL;

	if (crowd_add(&c, 8, 8))
		goto out;
	for (i = 0; i < c.nr; i++)
		if (cg_write(c.groups[i].path, "memory.low", "64M"))
			goto out;
	/* The rest of the system may have something to give first. */
	crowd_ask(&c, 48);
	if (crowd_given(&c) > 0)
		ret = KSFT_PASS;
	ksft_print_msg("protected ones gave %ld pages\n", crowd_given(&c));
out:
	crowd_remove(&c);
	return ret;
}

/* Who takes memory after others have given for long does not pay for the past. */
static int test_newcomer(const char *root)
{
	struct crowd c = { .root = root };
	long share, given;
	int ret = KSFT_FAIL;

	if (crowd_add(&c, 8, 16) || crowd_ask(&c, 32) ||
	    crowd_add(&c, 1, 16) || crowd_ask(&c, 32))
		goto out;
	given = c.groups[8].given;
	/* It has more than the others have left. */
	share = crowd_given(&c) * 16 / (16 + 8 * 12);
	ksft_print_msg("gave %ld, its share is %ld\n", given, share);
	if (labs(given - share) <= share / 10 + APART_PAGES)
		ret = KSFT_PASS;
out:
	crowd_remove(&c);
	return ret;
}

#define CACHE_FILE	"memcg_lru_test_file"
#define CACHE_PAGES	(MB(4L) / PAGE_SIZE)

/* Page cache that is clean and charged to the group of the caller. */
static int make_cache(void)
{
	static char page[PAGE_SIZE];
	int fd = open(CACHE_FILE, O_CREAT | O_TRUNC | O_RDWR, 0600);
	long i;

	for (i = 0; fd >= 0 && i < CACHE_PAGES; i++)
		if (write(fd, page, sizeof(page)) != sizeof(page))
			return -1;
	return fd < 0 || fsync(fd) ? -1 : fd;
}

/* Leaves it behind. */
static int leave_cache(const char *cgroup, void *arg)
{
	int fd = make_cache();

	close(fd);
	return fd < 0;
}

/* What a removed group has left behind goes, and the group with it. */
static int test_removed(const char *root)
{
	char *parent = crowd_parent(root);
	struct crowd c = { .root = parent };
	int i, ret = KSFT_FAIL;
	long left;

	if (!parent)
		return KSFT_FAIL;
	if (crowd_add(&c, 1, 0) || cg_run(c.groups[0].path, leave_cache, NULL))
		goto out;
	crowd_remove(&c);
	/* It takes the kernel a moment to let go of what is not held. */
	sleep(1);
	left = crowd_dying(parent);
	for (i = 0; i < PATIENCE && crowd_dying(parent); i++) {
		cg_write(root, "memory.reclaim", "1M");
		usleep(100000);
	}
	ksft_print_msg("%ld dying after the removal, %ld at the end\n", left, crowd_dying(parent));
	if (left == 1 && !crowd_dying(parent))
		ret = KSFT_PASS;
out:
	crowd_remove(&c);
	cg_destroy(parent);
	free(parent);
	unlink(CACHE_FILE);
	return ret;
}

#define PINNED		16		/* pages, as many as a pipe holds */

/* A pipe holds the first pages of the file; the others are read again and again. */
static int pin_and_read(int fd, int pipe_in)
{
	static char buf[MB(1)];
	loff_t at = 0;
	int i, part;

	for (i = 0; i < PINNED; i++)
		if (splice(fd, &at, pipe_in, NULL, PAGE_SIZE, 0) != PAGE_SIZE)
			return -1;
	for (i = 0; i < 4; i++)
		for (part = 0; part < 3; part++)
			if (pread(fd, buf, sizeof(buf), MB(1) + part * MB(1)) != sizeof(buf))
				return -1;
	return 0;
}

/* Asks its own group for most of its cache, a batch at a time. */
static int give_beside_pinned(const char *cgroup, void *arg)
{
	int i, ends[2], fd = make_cache();
	long scanned, given;

	if (fd < 0 || pipe(ends) || pin_and_read(fd, ends[1]))
		return 1;
	for (i = 0; i < CACHE_PAGES / 64; i++)
		if (cg_write(cgroup, "memory.reclaim", "128K swappiness=0"))
			return 1;
	sleep(FLUSH_S);
	scanned = cg_read_key_long(cgroup, "memory.stat", "pgscan ");
	given = cg_read_key_long(cgroup, "memory.stat", "pgsteal ");
	ksft_print_msg("looked at %ld pages for %ld\n", scanned, given);
	/* Each may be met a second time when its use has been seen. */
	return given < CACHE_PAGES / 2 || scanned > 2 * given + PINNED * CACHE_PAGES / 64;
}

/* What cannot be freed is looked at once a request, not until its patience ends. */
static int test_pinned(const char *root)
{
	struct crowd c = { .root = root };
	int ret = KSFT_FAIL;

	if (!crowd_add(&c, 1, 0) && !cg_run(c.groups[0].path, give_beside_pinned, NULL))
		ret = KSFT_PASS;
	crowd_remove(&c);
	unlink(CACHE_FILE);
	return ret;
}

/*
 * Groups that have never had memory are asked for slab, under pressure each of them
 * more than once; nobody may hold on to them.
 */
static int test_empty(const char *root)
{
	char *parent = crowd_parent(root);
	struct crowd c = { .root = parent };
	int i, ret = KSFT_FAIL;

	if (!parent)
		return KSFT_FAIL;
	if (crowd_add(&c, 3, 0))
		goto out;
	/* More than there is: the pressure grows until nothing is left to try. */
	cg_write(root, "memory.reclaim", "1T");
	crowd_remove(&c);
	for (i = 0; i < 50 && crowd_dying(parent); i++)
		usleep(100000);
	ksft_print_msg("%ld of 3 are held\n", crowd_dying(parent));
	if (!crowd_dying(parent))
		ret = KSFT_PASS;
out:
	crowd_remove(&c);
	cg_destroy(parent);
	free(parent);
	return ret;
}

static const struct crowd_test tests[] = {
	{ test_equal, "test_equal" },
	{ test_proportional, "test_proportional" },
	{ test_low, "test_low" },
	{ test_low_last, "test_low_last" },
	{ test_newcomer, "test_newcomer" },
	{ test_removed, "test_removed" },
	{ test_empty, "test_empty" },
	{ test_pinned, "test_pinned" },
};

int main(void)
{
	ksft_print_header();
	crowd_run(tests, ARRAY_SIZE(tests));
}
