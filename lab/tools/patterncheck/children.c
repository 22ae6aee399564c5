// SPDX-License-Identifier: GPL-2.0
/*
 * Children that check what they share, and what they no longer do.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patterncheck.h"

#define CHILDREN_MAX	4
#define CHILD_PAGES	24

static void child(void)
{
	unsigned long index[CHILD_PAGES];
	int i, bad = 0;

	for (i = 0; i < CHILD_PAGES; i++) {
		index[i] = below(opt.pages);
		bad += !check(index[i], "in a child");
		if (i % 3 == 0)
			rewrite(index[i]);
	}
	for (i = 0; i < CHILD_PAGES; i++)
		bad += !check(index[i], "in a child, written there");
	if (!bad && below(2)) {
		execl("/bin/true", "true", NULL);
		fail(EXIT_SYSTEM, "exec in a child: %s", strerror(errno));
	}
	_exit(bad ? EXIT_WRONG : EXIT_OK);
}

/* How a child ends counts in check(); with failing allocations exec may kill it. */
static void reap(int *children, int most)
{
	int status;

	while (*children > most && wait(&status) > 0) {
		--*children;
		if (!opt.faults && status && !(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_WRONG))
			fail(EXIT_SYSTEM, "a child ended with status %x", status);
	}
}

void fork_one(void)
{
	static int children;
	pid_t pid;

	if (stop || rest) {
		reap(&children, 0);
		return;
	}
	reap(&children, CHILDREN_MAX - 1);
	below(2);		/* another number for each child */
	pid = fork();
	if (!pid)
		child();
	if (pid < 0) {
		if (!opt.faults)
			fail(EXIT_SYSTEM, "fork: %s", strerror(errno));
		done->refused++;
		return;
	}
	children++;
	done->forks++;
}
