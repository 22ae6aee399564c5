// SPDX-License-Identifier: GPL-2.0
/*
 * cputime PID: nanoseconds a process or a kernel thread has run, as the scheduler
 * counts them. What /proc shows is rounded to a hundredth of a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec ran;
	clockid_t clock;
	char *end;
	long pid;

	pid = argc == 2 ? strtol(argv[1], &end, 10) : 0;
	if (pid <= 0 || *end) {
		fprintf(stderr, "usage: cputime PID\n");
		return 2;
	}
	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ran)) {
		fprintf(stderr, "cputime: error: there is no process %ld\n", pid);
		return 1;
	}
	printf("%lld\n", ran.tv_sec * 1000000000LL + ran.tv_nsec);
	return 0;
}
