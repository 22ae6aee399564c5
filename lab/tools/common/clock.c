// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "common/clock.h"

long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC + t.tv_nsec;
}

void sleep_until(long long ns)
{
	struct timespec t = { .tv_sec = ns / NSEC, .tv_nsec = ns % NSEC };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
