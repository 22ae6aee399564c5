// SPDX-License-Identifier: GPL-2.0
/*
 * swapprio DEVICE PRIORITY: swap on DEVICE, before all of lower priority, which
 * busybox's swapon cannot say.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>

int main(int argc, char **argv)
{
	char *end;
	long priority = argc == 3 ? strtol(argv[2], &end, 10) : -1;

	if (argc != 3 || *end || end == argv[2] || priority < 0 || priority > SWAP_FLAG_PRIO_MASK) {
		fprintf(stderr, "usage: swapprio DEVICE PRIORITY(0..%d)\n", SWAP_FLAG_PRIO_MASK);
		return 1;
	}
	if (swapon(argv[1], SWAP_FLAG_PREFER | (int)priority)) {
		fprintf(stderr, "swapprio: %s: %s\n", argv[1], strerror(errno));
		return 3;
	}
	return 0;
}
