// SPDX-License-Identifier: GPL-2.0
/*
 * Case: mappings change while they are walked.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "walktest.h"

static char *race_region;
static volatile bool race_stop;
static volatile unsigned long race_rounds[2];

/* Half of the pages are thrown away and come back all the time. */
static void *race_madvise(void *arg)
{
	volatile unsigned long *rounds = arg;
	unsigned long i;

	while (!race_stop) {
		i = random32() % 15 * 64;
		if (madvise(race_region + i * PAGE, 128 * PAGE, MADV_DONTNEED))
			wrong("madvise: %s", strerror(errno));
		fill(race_region + i * PAGE, 128);
		(*rounds)++;
	}
	return NULL;
}

/* Mappings come and go, so that tables are freed while they are walked. */
static void *race_munmap(void *arg)
{
	volatile unsigned long *rounds = arg;

	while (!race_stop) {
		char *p = map_anon(700);

		fill(p, 700);
		if (mprotect(p, 33 * PAGE, PROT_READ))
			wrong("mprotect: %s", strerror(errno));
		munmap(p, 700 * PAGE);
		(*rounds)++;
	}
	return NULL;
}

static bool raced(unsigned long walks)
{
	return walks >= 10 && race_rounds[0] >= 5 && race_rounds[1] >= 5;
}

/* For five seconds, or for as long as it takes to meet now and then. */
void case_races(void)
{
	unsigned long walks = 0, i;
	time_t end = time(NULL) + 5, last = end + CASE_SECONDS / 2;
	char *p = map_anon(2048);
	pthread_t threads[2];

	race_region = map_anon(1024);
	fill(p, 2048);
	if (pthread_create(&threads[0], NULL, race_madvise, (void *)&race_rounds[0]) ||
	    pthread_create(&threads[1], NULL, race_munmap, (void *)&race_rounds[1]))
		broken("pthread_create");
	for (; time(NULL) < end || (!raced(walks) && time(NULL) < last); walks++) {
		touch_some(p, 2048, 10);
		walk();
	}
	race_stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (!raced(walks))
		wrong("too slow to race: %lu walks, %lu madvise, %lu munmap",
		      walks, race_rounds[0], race_rounds[1]);
	touch_some(p, 2048, 100);
}
