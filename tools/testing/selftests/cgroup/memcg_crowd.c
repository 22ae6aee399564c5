// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that hold memory, what they give, and whether this kernel can be tested.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cgroup_util.h"
#include "memcg_crowd.h"

#define KNOB		"/sys/kernel/mm/lru_gen/enabled"

/*
 * A process that takes so many pages, each other than the rest, and keeps them. It does not
 * run afterwards: a page that it needs then would come back, and a group pays for that.
 */
static int hold(const char *cgroup, void *arg)
{
	size_t i, size = (size_t)arg * PAGE_SIZE;
	pid_t parent = getppid();
	char *mem;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return -1;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return -1;
	madvise(mem, size, MADV_NOHUGEPAGE);
	for (i = 0; i < size; i += sizeof(i))
		memcpy(mem + i, &i, sizeof(i));
	pause();
	return 0;
}

/* Bytes it has; cgroup v1 has another file for that. */
long crowd_usage(const char *path)
{
	long bytes = cg_read_long(path, "memory.current");

	return bytes < 0 ? cg_read_long(path, "memory.usage_in_bytes") : bytes;
}

/* On v1 nobody is born into a group. */
static pid_t start_hold(const struct group *g)
{
	char self[16];
	pid_t pid;

	if (cg_read_long(g->path, "memory.current") >= 0)
		return cg_run_nowait(g->path, hold, (void *)g->pages);
	pid = fork();
	if (pid)
		return pid;
	snprintf(self, sizeof(self), "%d", getpid());
	_exit(cg_write(g->path, "cgroup.procs", self) || hold(g->path, (void *)g->pages));
}

static int wait_for_pages(const struct group *g)
{
	int i;

	for (i = 0; i < PATIENCE; i++) {
		if (crowd_usage(g->path) >= g->pages * PAGE_SIZE)
			return 0;
		usleep(100000);
	}
	return -1;
}

static int add_one(struct crowd *c, long mb)
{
	struct group *g = &c->groups[c->nr];

	g->path = c->nr < MAX_GROUPS ? cg_name_indexed(c->root, "memcg_crowd", c->nr) : NULL;
	if (!g->path || cg_create(g->path)) {
		free(g->path);
		return -1;
	}
	g->pages = MB(mb) / PAGE_SIZE;
	c->nr++;
	if (!mb)
		return 0;
	if (start_hold(g) < 0)
		return -1;
	return wait_for_pages(g);
}

/* Add @nr groups that hold @mb MiB each; returns 0, or -1. */
int crowd_add(struct crowd *c, int nr, long mb)
{
	while (nr--)
		if (add_one(c, mb))
			return -1;
	return 0;
}

/* Remove all groups and what runs in them. */
void crowd_remove(struct crowd *c)
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

/* Note what each group has given by now. */
void crowd_note(struct crowd *c)
{
	int i;

	sleep(FLUSH_S);
	for (i = 0; i < c->nr; i++)
		c->groups[i].before = pgsteal(c->groups[i].path);
}

/* Find out what each group has given since. */
void crowd_count(struct crowd *c)
{
	int i;

	sleep(FLUSH_S);
	for (i = 0; i < c->nr; i++)
		c->groups[i].given = pgsteal(c->groups[i].path) - c->groups[i].before;
}

/* Ask whom they are below for @mb MiB, and find out what each group gives. */
int crowd_ask(struct crowd *c, int mb)
{
	int i, ret = 0;

	crowd_note(c);
	for (i = 0; i < mb && !ret; i++)
		ret = cg_write(c->root, "memory.reclaim", "1M");
	crowd_count(c);
	return ret;
}

/* Pages that all have given. */
long crowd_given(const struct crowd *c)
{
	long sum = 0;
	int i;

	for (i = 0; i < c->nr; i++)
		sum += c->groups[i].given;
	return sum;
}

/* A directory of its own below @root; NULL if it cannot be made. */
char *crowd_parent(const char *root)
{
	char *parent = cg_name(root, "memcg_crowd_parent");

	if (parent && !cg_create(parent) &&
	    !cg_write(parent, "cgroup.subtree_control", "+memory"))
		return parent;
	cg_destroy(parent);
	free(parent);
	return NULL;
}

/* How many groups below @root have been removed and are there still. */
long crowd_dying(const char *root)
{
	return cg_read_key_long(root, "cgroup.stat", "nr_dying_descendants ");
}

static bool is_switched_on(void)
{
	char buf[32];

	if (read_text(KNOB, buf, sizeof(buf)) <= 0)
		return false;
	return strtoul(buf, NULL, 0) & 1;
}

/* Only the kernel these tests are about shows generations to everybody. */
static bool has_order(const char *root)
{
	char *path = cg_name(root, "memcg_crowd_probe");
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

/* Whether there is swap to go to. */
bool crowd_has_swap(void)
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
	return crowd_has_swap() ? NULL : "there is no swap";
}

/* Run @nr tests and exit; skips all where something is missing. */
void crowd_run(const struct crowd_test *tests, int nr)
{
	char root[PATH_MAX];
	const char *missing;
	int i;

	if (cg_find_unified_root(root, sizeof(root), NULL))
		ksft_exit_skip("cgroup v2 is not mounted\n");
	missing = what_is_missing(root);
	if (missing)
		ksft_exit_skip("%s\n", missing);
	ksft_set_plan(nr);
	for (i = 0; i < nr; i++)
		ksft_test_result_report(tests[i].fn(root), "%s\n", tests[i].name);
	ksft_finished();
}
