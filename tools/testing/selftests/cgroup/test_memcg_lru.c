// SPDX-License-Identifier: GPL-2.0
/*
 * What memory cgroups give when the system is asked for memory.
 *
 * Needs cgroup v2, the memory controller, swap that is free, and the multi-gen
 * LRU switched on; skips where one of them is missing, or where the kernel has
 * another one than this test is about.
 */
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

#define MAX_GROUPS	32
#define KNOB		"/sys/kernel/mm/lru_gen/enabled"

/* The kernel brings memory.stat up to date every two seconds. */
#define FLUSH_S		3

/* Rounds of a tenth of a second that a group has to take its memory. */
#define PATIENCE	600

/*
 * What is asked for is a good deal more than a round takes of a group, 64 pages,
 * and a batch, 32: so far may two groups of one size be apart.
 */
#define APART_PAGES	(64 + 32)

struct group {
	char *path;
	long pages;
	long before;
	long given;
};

struct crowd {
	const char *root;
	struct group groups[MAX_GROUPS];
	int nr;
};

/* A process that takes so many pages, each other than the rest, and keeps them. */
static int hold(const char *cgroup, void *arg)
{
	size_t i, size = (size_t)arg * PAGE_SIZE;
	pid_t parent = getppid();
	char *mem;

	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return -1;
	madvise(mem, size, MADV_NOHUGEPAGE);
	for (i = 0; i < size; i += sizeof(i))
		memcpy(mem + i, &i, sizeof(i));
	while (getppid() == parent)
		sleep(1);
	return 0;
}

static int wait_for_pages(const struct group *g)
{
	int i;

	for (i = 0; i < PATIENCE; i++) {
		if (cg_read_long(g->path, "memory.current") >= g->pages * PAGE_SIZE)
			return 0;
		usleep(100000);
	}
	return -1;
}

static int add_group(struct crowd *c, long mb)
{
	struct group *g = &c->groups[c->nr];

	g->path = cg_name_indexed(c->root, "memcg_lru_test", c->nr);
	g->pages = MB(mb) / PAGE_SIZE;
	if (!g->path || cg_create(g->path)) {
		free(g->path);
		return -1;
	}
	c->nr++;
	if (!mb)
		return 0;
	if (cg_run_nowait(g->path, hold, (void *)g->pages) < 0)
		return -1;
	return wait_for_pages(g);
}

static int add_groups(struct crowd *c, int nr, long mb)
{
	while (nr--)
		if (add_group(c, mb))
			return -1;
	return 0;
}

static void remove_all(struct crowd *c)
{
	while (c->nr) {
		struct group *g = &c->groups[--c->nr];

		cg_killall(g->path);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		cg_destroy(g->path);
		free(g->path);
	}
}

static long pgsteal(const char *path)
{
	return cg_read_key_long(path, "memory.stat", "pgsteal ");
}

/* Asks the system for so many MiB; notes what each group gave. */
static int ask(struct crowd *c, int mb)
{
	int i, ret = 0;

	sleep(FLUSH_S);
	for (i = 0; i < c->nr; i++)
		c->groups[i].before = pgsteal(c->groups[i].path);
	for (i = 0; i < mb && !ret; i++)
		ret = cg_write(c->root, "memory.reclaim", "1M");
	sleep(FLUSH_S);
	for (i = 0; i < c->nr; i++)
		c->groups[i].given = pgsteal(c->groups[i].path) - c->groups[i].before;
	return ret;
}

static long total_given(const struct crowd *c)
{
	long sum = 0;
	int i;

	for (i = 0; i < c->nr; i++)
		sum += c->groups[i].given;
	return sum;
}

/* Groups of one size give alike. */
static int test_equal(const char *root)
{
	struct crowd c = { .root = root };
	long least = LONG_MAX, most = 0;
	int i, ret = KSFT_FAIL;

	if (add_groups(&c, 32, 4) || ask(&c, 32))
		goto out;
	for (i = 0; i < c.nr; i++) {
		least = c.groups[i].given < least ? c.groups[i].given : least;
		most = c.groups[i].given > most ? c.groups[i].given : most;
	}
	ksft_print_msg("least %ld, most %ld, of %ld pages\n", least, most, total_given(&c));
	if (least > 0 && most - least <= APART_PAGES)
		ret = KSFT_PASS;
out:
	remove_all(&c);
	return ret;
}

/* Groups of other sizes give in proportion, within a tenth and a batch each. */
static int test_proportional(const char *root)
{
	struct crowd c = { .root = root };
	long mb, all = 0, given;
	int i, ret = KSFT_FAIL;

	for (mb = 4; mb <= 32; mb *= 2)
		if (add_groups(&c, 4, mb))
			goto out;
	if (ask(&c, 64))
		goto out;
	for (i = 0; i < c.nr; i++)
		all += c.groups[i].pages;
	given = total_given(&c);
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
	remove_all(&c);
	return ret;
}

/* Who is under memory.low gives nothing while there are others. */
static int test_low(const char *root)
{
	struct crowd c = { .root = root };
	int i, ret = KSFT_FAIL;

	if (add_groups(&c, 16, 4))
		goto out;
	for (i = 0; i < 4; i++)
		if (cg_write(c.groups[i].path, "memory.low", "64M"))
			goto out;
	if (ask(&c, 16))
		goto out;
	ret = total_given(&c) ? KSFT_PASS : KSFT_FAIL;
	for (i = 0; i < 4; i++) {
		if (!c.groups[i].given)
			continue;
		ksft_print_msg("a protected one gave %ld pages\n", c.groups[i].given);
		ret = KSFT_FAIL;
	}
out:
	remove_all(&c);
	return ret;
}

/* When only those under memory.low are left, they give. */
static int test_low_last(const char *root)
{
	struct crowd c = { .root = root };
	int i, ret = KSFT_FAIL;

	if (add_groups(&c, 8, 8))
		goto out;
	for (i = 0; i < c.nr; i++)
		if (cg_write(c.groups[i].path, "memory.low", "64M"))
			goto out;
	/* The rest of the system may have something to give first. */
	ask(&c, 48);
	if (total_given(&c) > 0)
		ret = KSFT_PASS;
	ksft_print_msg("protected ones gave %ld pages\n", total_given(&c));
out:
	remove_all(&c);
	return ret;
}

/* Who takes memory after others have given for long does not pay for the past. */
static int test_newcomer(const char *root)
{
	struct crowd c = { .root = root };
	long share, given;
	int ret = KSFT_FAIL;

	if (add_groups(&c, 8, 16) || ask(&c, 32) ||
	    add_groups(&c, 1, 16) || ask(&c, 16))
		goto out;
	given = c.groups[8].given;
	/* It has more than the others have left. */
	share = total_given(&c) * 16 / (16 + 8 * 12);
	ksft_print_msg("gave %ld, its share is %ld\n", given, share);
	/* It waits for the round under way to end, which may be as much again. */
	if (labs(given - share) <= share / 10 + 2 * APART_PAGES)
		ret = KSFT_PASS;
out:
	remove_all(&c);
	return ret;
}

static long dying(const char *root)
{
	return cg_read_key_long(root, "cgroup.stat", "nr_dying_descendants ");
}

#define CACHE_FILE	"memcg_lru_test_file"

/* Leaves page cache behind that is charged to the group. */
static int leave_cache(const char *cgroup, void *arg)
{
	static char page[PAGE_SIZE];
	int fd = open(CACHE_FILE, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	long i, ret = 0;

	for (i = 0; fd >= 0 && i < MB(4L) / PAGE_SIZE; i++)
		ret |= write(fd, page, sizeof(page)) != sizeof(page);
	ret |= fsync(fd);
	close(fd);
	return ret;
}

/* A directory of its own, where nothing else is dying. */
static char *make_parent(const char *root)
{
	char *parent = cg_name(root, "memcg_lru_test_parent");

	if (parent && !cg_create(parent) &&
	    !cg_write(parent, "cgroup.subtree_control", "+memory"))
		return parent;
	cg_destroy(parent);
	free(parent);
	return NULL;
}

/* What a removed group has left behind goes, and the group with it. */
static int test_removed(const char *root)
{
	char *parent = make_parent(root);
	struct crowd c = { .root = parent };
	int i, ret = KSFT_FAIL;
	long left;

	if (!parent)
		return KSFT_FAIL;
	if (add_groups(&c, 1, 0) || cg_run(c.groups[0].path, leave_cache, NULL))
		goto out;
	remove_all(&c);
	/* It takes the kernel a moment to let go of what is not held. */
	sleep(1);
	left = dying(parent);
	for (i = 0; i < PATIENCE && dying(parent); i++) {
		cg_write(root, "memory.reclaim", "1M");
		usleep(100000);
	}
	ksft_print_msg("%ld dying after the removal, %ld at the end\n", left, dying(parent));
	if (left == 1 && !dying(parent))
		ret = KSFT_PASS;
out:
	remove_all(&c);
	cg_destroy(parent);
	free(parent);
	unlink(CACHE_FILE);
	return ret;
}

static const struct {
	int (*fn)(const char *root);
	const char *name;
} tests[] = {
	{ test_equal, "test_equal" },
	{ test_proportional, "test_proportional" },
	{ test_low, "test_low" },
	{ test_low_last, "test_low_last" },
	{ test_newcomer, "test_newcomer" },
	{ test_removed, "test_removed" },
};

static bool is_switched_on(void)
{
	char buf[32];

	if (read_text(KNOB, buf, sizeof(buf)) <= 0)
		return false;
	return strtoul(buf, NULL, 0) & 1;
}

/* Only the kernel this test is about shows generations to everybody. */
static bool has_order(const char *root)
{
	char *path = cg_name(root, "memcg_lru_probe");
	char *file = path ? cg_control(path, "memory.lru_gen") : NULL;
	bool found = false;

	if (file && !cg_create(path)) {
		found = !access(file, R_OK);
		cg_destroy(path);
	}
	free(file);
	free(path);
	return found;
}

static bool has_swap(void)
{
	return proc_read_strstr(0, false, "../swaps", "\n/") == 0;
}

static const char *what_is_missing(const char *root)
{
	if (cg_read_strstr(root, "cgroup.controllers", "memory"))
		return "the memory controller is not there";
	if (cg_read_strstr(root, "cgroup.subtree_control", "memory") &&
	    cg_write(root, "cgroup.subtree_control", "+memory"))
		return "the memory controller cannot be enabled";
	if (!has_order(root))
		return "this kernel has no order of memory cgroups as tested here";
	if (!is_switched_on())
		return "the multi-gen LRU is off";
	return has_swap() ? NULL : "there is no swap";
}

int main(void)
{
	char root[PATH_MAX];
	const char *missing;
	size_t i;

	ksft_print_header();
	if (cg_find_unified_root(root, sizeof(root), NULL))
		ksft_exit_skip("cgroup v2 is not mounted\n");
	missing = what_is_missing(root);
	if (missing)
		ksft_exit_skip("%s\n", missing);
	ksft_set_plan(ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		ksft_test_result_report(tests[i].fn(root), "%s\n", tests[i].name);
	ksft_finished();
}
