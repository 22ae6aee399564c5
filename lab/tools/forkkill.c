// SPDX-License-Identifier: GPL-2.0
/*
 * forkkill: be killed in the middle of a system call that charges much memory.
 *
 *   forkkill GIB DELAY-US    use one page of each 2 MiB of GIB GiB, wait for a line on
 *                            standard input, then fork; a helper sends SIGKILL DELAY-US
 *                            microseconds after fork() has begun
 *
 * fork() copies one page table for each 2 MiB. It charges them one by one and does not look
 * for a signal in between. All that is charged after the SIGKILL is charged by a dying task.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TABLE	(2UL << 20)

static void fill(size_t size)
{
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t at;

	if (map == MAP_FAILED)
		err(1, "mmap");
	for (at = 0; at < size; at += TABLE)
		map[at] = 1;
}

/* The helper: one byte on the pipe, then the delay, then the end of @victim. */
static void killer(int from, pid_t victim, useconds_t delay)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		_exit(1);
	usleep(delay);
	kill(victim, SIGKILL);
	_exit(0);
}

int main(int argc, char **argv)
{
	pid_t self = getpid();
	int go[2];
	pid_t pid;

	if (argc != 3)
		errx(2, "usage: forkkill GIB DELAY-US");
	if (pipe(go))
		err(1, "pipe");
	pid = fork();
	if (!pid)
		killer(go[0], self, atol(argv[2]));
	fill(strtoul(argv[1], NULL, 10) << 30);
	puts("filled");
	fflush(stdout);
	if (getchar() == EOF || write(go[1], "x", 1) != 1)
		err(1, "start");
	pid = fork();
	if (!pid)
		_exit(0);
	if (pid < 0)
		err(1, "fork");
	/* Not killed in time: the caller sees status 3. */
	return 3;
}
