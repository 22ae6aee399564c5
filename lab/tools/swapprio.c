// SPDX-License-Identifier: GPL-2.0
/*
 * swapprio DEVICE PRIORITY: swap on DEVICE, before all of lower priority, which
 * busybox's swapon cannot say.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/swap.h>

#include "common/tool.h"

struct speaker speaker = { .program = "swapprio" };

int main(int argc, char **argv)
{
	unsigned long priority;

	if (argc != 3 || !parse_whole(argv[2], &priority) || priority > SWAP_FLAG_PRIO_MASK) {
		fprintf(stderr, "usage: swapprio DEVICE PRIORITY(0..%d)\n", SWAP_FLAG_PRIO_MASK);
		return EXIT_USAGE;
	}
	if (swapon(argv[1], SWAP_FLAG_PREFER | (int)priority))
		fail(EXIT_SYSTEM, "%s: %s", argv[1], strerror(errno));
	return EXIT_OK;
}
