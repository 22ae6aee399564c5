// SPDX-License-Identifier: GPL-2.0
/*
 * Soft limits: who is over gives first.
 *
 * Needs the memory controller on cgroup v1, where nobody uses it, and swap that is
 * free; skips where one of them is missing, or where the kernel forgets what is
 * written to memory.soft_limit_in_bytes. A group that lingers after the tests, as one
 * that was swapped does, keeps the controller on v1: what needs it on v2 goes before.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cgroup_util.h"
#include "memcg_crowd.h"

#define LIMIT		"memory.limit_in_bytes"
#define SOFT		"memory.soft_limit_in_bytes"
#define UNLIMITED	(LONG_MAX / PAGE_SIZE * PAGE_SIZE)

/* The kernel counts charges in batches of 64 pages a processor. */
#define SLACK		MB(1L)

/* Below a group of the test's own, which has no limit yet. */
static int begin(struct crowd *c, const char *root)
{
	c->own = cg_name(root, "memcg_crowd_parent");
	c->root = c->own;
	return c->own ? cg_create(c->own) : -1;
}

static void finish(struct crowd *c)
{
	crowd_remove(c);
	if (c->own)
		cg_destroy(c->own);
	free(c->own);
}

static bool reads(const char *cgroup, long bytes)
{
	long found = cg_read_long(cgroup, SOFT);

	if (found != bytes)
		ksft_print_msg("%ld where %ld is expected\n", found, bytes);
	return found == bytes;
}

static bool becomes(const char *cgroup, char *text, long bytes)
{
	return !cg_write(cgroup, SOFT, text) && reads(cgroup, bytes);
}

/* What is written can be read, in whole pages; -1 is none. */
static int test_file(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;

	if (!begin(&c, root) && reads(c.root, UNLIMITED) &&
	    becomes(c.root, "16M", MB(16L)) && becomes(c.root, "4097", PAGE_SIZE) &&
	    becomes(c.root, "0", 0) && becomes(c.root, "-1", UNLIMITED) &&
	    becomes(c.root, "8388608", MB(8L)))
		ret = KSFT_PASS;
	finish(&c);
	return ret;
}

/* What makes no sense is refused, and what was there stays. */
static int test_errors(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;

	if (!begin(&c, root) && becomes(c.root, "16M", MB(16L)) &&
	    cg_write(c.root, SOFT, "much") == -EINVAL &&
	    cg_write(c.root, SOFT, "16M more") == -EINVAL &&
	    cg_write(c.root, SOFT, "-2") == -EINVAL && reads(c.root, MB(16L)))
		ret = KSFT_PASS;
	finish(&c);
	return ret;
}

/* Two of 16 MiB, and what they have when their parent may have so much. */
static int squeeze(struct crowd *c, char *limit)
{
	int i;

	if (cg_write(c->root, LIMIT, limit))
		return -1;
	for (i = 0; i < c->nr; i++)
		ksft_print_msg("group %d has %ld KiB\n", i, crowd_usage(c->groups[i].path) >> 10);
	return 0;
}

static bool has(const char *path, long least, long most)
{
	long bytes = crowd_usage(path);

	return bytes >= least - SLACK && bytes <= most + SLACK;
}

/* Of two, who is over gives what is wanted. */
static int test_child_first(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;

	if (!begin(&c, root) && !crowd_add(&c, 2, 16) &&
	    !cg_write(c.groups[0].path, SOFT, "4M") && !squeeze(&c, "24M") &&
	    has(c.groups[0].path, MB(7L), MB(8L)) && has(c.groups[1].path, MB(16L), MB(16L)))
		ret = KSFT_PASS;
	finish(&c);
	return ret;
}

/* It gives no more than it is over, while others have something. */
static int test_no_more(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;

	if (!begin(&c, root) && !crowd_add(&c, 2, 16) &&
	    !cg_write(c.groups[0].path, SOFT, "12M") && !squeeze(&c, "27M") &&
	    has(c.groups[0].path, MB(11L), MB(12L)) && has(c.groups[1].path, MB(14L), MB(16L)))
		ret = KSFT_PASS;
	finish(&c);
	return ret;
}

/* Who is within its limit is not pressed more than one that has none. */
static int test_within(const char *root)
{
	struct crowd c = { };
	int ret = KSFT_FAIL;

	if (!begin(&c, root) && !crowd_add(&c, 2, 16) &&
	    !cg_write(c.groups[0].path, SOFT, "32M") && !squeeze(&c, "24M") &&
	    has(c.groups[0].path, MB(11L), MB(13L)) && has(c.groups[1].path, MB(11L), MB(13L)))
		ret = KSFT_PASS;
	finish(&c);
	return ret;
}

/* Who has no limit gives for one above it that is over its own. */
static int test_above(const char *root)
{
	struct crowd c = { }, below = { };
	int ret = KSFT_FAIL;

	/* The first has nothing but what is below it. */
	if (begin(&c, root) || crowd_add(&c, 1, 0) || crowd_add(&c, 1, 16))
		goto out;
	below.root = c.groups[0].path;
	if (!crowd_add(&below, 1, 16) && !cg_write(below.root, SOFT, "4M") &&
	    !squeeze(&c, "24M") && has(below.groups[0].path, MB(7L), MB(8L)) &&
	    has(c.groups[1].path, MB(16L), MB(16L)))
		ret = KSFT_PASS;
	crowd_remove(&below);
out:
	finish(&c);
	return ret;
}

/* Who is removed while it is over its limit is not asked any more. */
static int test_removal(const char *root)
{
	struct crowd c = { }, others = { };
	int i, ret = KSFT_FAIL;

	if (begin(&c, root))
		goto out;
	for (i = 0; i < 16; i++) {
		if (crowd_add(&c, 1, 1) || cg_write(c.groups[0].path, SOFT, "0"))
			goto out;
		crowd_remove(&c);
	}
	others.root = c.root;
	if (!crowd_add(&others, 2, 16) && !cg_write(others.groups[1].path, SOFT, "4M") &&
	    !squeeze(&others, "24M") && has(others.groups[0].path, MB(16L), MB(16L)) &&
	    has(others.groups[1].path, MB(7L), MB(8L)))
		ret = KSFT_PASS;
	crowd_remove(&others);
out:
	finish(&c);
	return ret;
}

static const struct crowd_test tests[] = {
	{ test_file, "test_file" },
	{ test_errors, "test_errors" },
	{ test_child_first, "test_child_first" },
	{ test_no_more, "test_no_more" },
	{ test_within, "test_within" },
	{ test_above, "test_above" },
	{ test_removal, "test_removal" },
};

/**
 * struct v1 - where the memory controller is while the tests run
 * @dir: where it is mounted
 * @unified: cgroup v2, if it had the controller before
 */
struct v1 {
	char dir[32];
	char unified[PATH_MAX];
};

static int try_mount(const struct v1 *at)
{
	int i;

	for (i = 0; i < PATIENCE / 10; i++) {
		if (!mount("cgroup", at->dir, "cgroup", 0, "memory"))
			return 0;
		usleep(100000);
	}
	return -1;
}

static bool is_back(const struct v1 *at)
{
	return !at->unified[0] || !cg_write(at->unified, "cgroup.subtree_control", "+memory");
}

/* Who is not wholly gone keeps the hierarchy; the next time it is unmounted, it may. */
static void give_back(struct v1 *at)
{
	int i;

	umount(at->dir);
	usleep(100000);
	for (i = 0; !is_back(at) && i < 10; i++) {
		mount("cgroup", at->dir, "cgroup", 0, "memory");
		usleep(100000);
		umount(at->dir);
		usleep(100000);
	}
	rmdir(at->dir);
}

static int take_v1(struct v1 *at)
{
	snprintf(at->dir, sizeof(at->dir), "/tmp/memcg_soft_XXXXXX");
	if (cg_find_unified_root(at->unified, sizeof(at->unified), NULL) ||
	    cg_read_strstr(at->unified, "cgroup.subtree_control", "memory"))
		at->unified[0] = 0;
	if (!mkdtemp(at->dir))
		return -1;
	if (at->unified[0])
		cg_write(at->unified, "cgroup.subtree_control", "-memory");
	if (!try_mount(at))
		return 0;
	give_back(at);
	return -1;
}

static bool remembers(const char *root)
{
	char *path = cg_name(root, "memcg_crowd_probe");
	bool found = false;

	if (path && !cg_create(path)) {
		found = !cg_write(path, SOFT, "16M") && cg_read_long(path, SOFT) == MB(16L);
		cg_destroy(path);
	}
	free(path);
	return found;
}

static void run(const char *root)
{
	unsigned int i;

	ksft_set_plan(ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		ksft_test_result_report(tests[i].fn(root), "%s\n", tests[i].name);
}

int main(void)
{
	const char *missing = NULL;
	struct v1 at = { };

	ksft_print_header();
	if (take_v1(&at))
		ksft_exit_skip("the memory controller cannot be mounted as cgroup v1\n");
	if (!remembers(at.dir))
		missing = "this kernel forgets soft limits";
	else if (!crowd_has_swap())
		missing = "there is no swap";
	else
		run(at.dir);
	give_back(&at);
	if (missing)
		ksft_exit_skip("%s\n", missing);
	ksft_finished();
}
