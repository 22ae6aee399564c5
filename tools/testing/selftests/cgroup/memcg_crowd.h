/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups that hold memory, what they give, and whether this kernel can be tested.
 */
#ifndef MEMCG_CROWD_H
#define MEMCG_CROWD_H

#define MAX_GROUPS	64

/* The kernel brings memory.stat up to date every two seconds. */
#define FLUSH_S		3

/* Rounds of a tenth of a second that a group has to take its memory. */
#define PATIENCE	600

/**
 * struct group - a cgroup of the test
 * @path: where it is
 * @pages: pages that its process holds
 * @before: pgsteal before something was asked for
 * @given: pages that it gave then
 */
struct group {
	char *path;
	long pages;
	long before;
	long given;
};

/**
 * struct crowd - the cgroups of a test, below one
 * @root: that one
 * @own: the same, if the test has made it
 * @groups: they
 * @nr: how many there are
 */
struct crowd {
	const char *root;
	char *own;
	struct group groups[MAX_GROUPS];
	int nr;
};

/**
 * struct crowd_test - one test
 * @fn: given the root of the hierarchy; returns KSFT_PASS or KSFT_FAIL
 * @name: as shown
 */
struct crowd_test {
	int (*fn)(const char *root);
	const char *name;
};

int crowd_add(struct crowd *c, int nr, long mb);
void crowd_remove(struct crowd *c);
void crowd_note(struct crowd *c);
void crowd_count(struct crowd *c);
int crowd_ask(struct crowd *c, int mb);
long crowd_usage(const char *path);
bool crowd_has_swap(void);
long crowd_given(const struct crowd *c);
char *crowd_parent(const char *root);
long crowd_dying(const char *root);
void crowd_run(const struct crowd_test *tests, int nr);

#endif /* MEMCG_CROWD_H */
