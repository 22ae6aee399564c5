// SPDX-License-Identifier: GPL-2.0
/*
 * walktest: what a walk of page tables finds, against what is known to be there.
 *
 * Each case runs in a process and a memory cgroup of its own. All that the
 * process has before the case begins is mlocked, and thereby on no list of
 * generations, so that the sizes shown in debugfs are those of the case's
 * pages to the last one. A case touches some of them and has the kernel walk:
 * above the youngest generation that held pages before, there must be as many
 * pages afterwards as were touched. Then what is below is evicted, and what is
 * left must be the touched pages and none else.
 *
 * Prints "ok NAME", "skip NAME: why" or "not ok NAME: why" for each case.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walktest.h"

#define STACK_LOCKED	(256 << 10)

char cg_dir[256];
bool full_walks = true;
static const char *case_name;
static int result_pipe[2];

void leave(int status, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (write(result_pipe[1], line, len) != len)
		status = EXIT_SYSTEM;
	_exit(status);
}

static const struct test_case {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "anon", case_anon }, { "fault", case_fault }, { "file", case_file },
	{ "thp", case_thp }, { "protections", case_protections },
	{ "holes", case_holes }, { "mremap", case_mremap }, { "fork", case_fork },
	{ "random", case_random }, { "sequential", case_sequential },
	{ "mlocked", case_mlocked }, { "userfaultfd", case_userfaultfd },
	{ "hugetlb", case_hugetlb }, { "races", case_races },
	{ "page_idle", case_page_idle }, { "nodes", case_nodes },
};

#define NR_CASES	(sizeof(cases) / sizeof(cases[0]))

static void settle_in(void)
{
	volatile char stack[STACK_LOCKED];
	char path[300], pid[32];
	unsigned long i;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cg_dir);
	snprintf(pid, sizeof(pid), "%d", getpid());
	put(path, pid);
	bind_to(0);
	for (i = 0; i < sizeof(stack); i += PAGE)
		stack[i] = 1;
	memset(text, 1, sizeof(text));
	memset(touched, 0, sizeof(touched));
	if (mlockall(MCL_CURRENT))
		broken("mlockall");
	section();
	if (settled().total)
		leave(EXIT_SYSTEM, "%lu pages on lists before the case began", sizes().total);
}

static int report(int status, const char *why)
{
	static const char *const words[] = {
		[EXIT_OK] = "ok", [EXIT_SKIP] = "skip",
	};
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (code == EXIT_OK || code == EXIT_SKIP)
		printf("%s %s%s%s\n", words[code], case_name, *why ? ": " : "", why);
	else if (code < 0)
		printf("not ok %s: killed by signal %d\n", case_name, WTERMSIG(status));
	else
		printf("not ok %s: %s%s\n", case_name,
		       code == EXIT_WRONG ? "" : "(the test itself) ", why);
	fflush(stdout);
	return code != EXIT_OK && code != EXIT_SKIP;
}

/* By the parent, so that no block of the file system is charged to a case. */
static void make_file(void)
{
	int fd = open(FILE_PATH, O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint64_t page[PAGE / 8] = { 0 };
	unsigned long i;

	for (i = 0; fd >= 0 && i < FILE_PAGES; i++) {
		page[0] = i + 1;
		if (write(fd, page, PAGE) != PAGE)
			break;
	}
	if (fd < 0 || i < FILE_PAGES || fsync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) {
		perror(FILE_PATH);
		exit(EXIT_SYSTEM);
	}
	close(fd);
}

static int run_case(const struct test_case *c)
{
	char why[512] = "";
	int status, tries;
	pid_t pid;

	case_name = c->name;
	/* A name of its own: memcgs that are gone are listed for a while. */
	snprintf(cg_dir, sizeof(cg_dir), CGROOT "/walk-%s-%d", c->name, getpid());
	if (mkdir(cg_dir, 0755) && errno != EEXIST) {
		perror(cg_dir);
		exit(EXIT_SYSTEM);
	}
	if (pipe(result_pipe)) {
		perror("pipe");
		exit(EXIT_SYSTEM);
	}
	make_file();
	pid = fork();
	if (!pid) {
		random_state = 20261120;
		alarm(CASE_SECONDS);
		settle_in();
		c->run();
		_exit(EXIT_OK);
	}
	close(result_pipe[1]);
	waitpid(pid, &status, 0);
	if (read(result_pipe[0], why, sizeof(why) - 1) < 0)
		why[0] = 0;
	close(result_pipe[0]);
	for (tries = 0; rmdir(cg_dir) && errno == EBUSY && tries < 100; tries++)
		usleep(10000);
	return report(status, why);
}

static int usage(const char *unknown)
{
	size_t i;

	if (unknown)
		fprintf(stderr, "walktest: error: no case '%s'\n", unknown);
	fprintf(stderr, "usage: walktest [--by-need] CASE..\n  --by-need: walks pass over what has not run, cases:");
	for (i = 0; i < NR_CASES; i++)
		fprintf(stderr, " %s", cases[i].name);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++) {
		size_t k;

		if (!strcmp(argv[i], "--by-need")) {
			full_walks = false;
			continue;
		}
		for (k = 0; k < NR_CASES && strcmp(argv[i], cases[k].name); k++)
			;
		if (k == NR_CASES)
			return usage(argv[i]);
		failed += run_case(&cases[k]);
	}
	if (argc < 2)
		return usage(NULL);
	return failed ? EXIT_WRONG : EXIT_OK;
}
