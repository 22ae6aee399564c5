// SPDX-License-Identifier: GPL-2.0
/*
 * Case: others look at the same bits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "walktest.h"

#define IDLE		"/sys/kernel/mm/page_idle/bitmap"

static uint64_t pfn_of(int pagemap, char *p)
{
	uint64_t word = word_at(pagemap, (uintptr_t)p / PAGE);

	if (!(word >> 63))
		wrong("a page is not there");
	return word & ((1ULL << 55) - 1);
}

static void set_idle(int idle, uint64_t pfn)
{
	uint64_t bits = 1ULL << (pfn % 64);

	/* The last word of memory may be written and not be counted as such. */
	if (pwrite(idle, &bits, sizeof(bits), pfn / 64 * 8) < 0)
		broken("setting a page idle");
}

/* A walk takes bits that page_idle would look for: it must leave it a note. */
void case_page_idle(void)
{
	int idle = open(IDLE, O_RDWR), pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *p = map_anon(1024);
	unsigned long i, nr, nr_seen = 0, hidden = 0, shown = 0;

	if (idle < 0)
		skip("no %s", IDLE);
	if (pagemap < 0)
		broken("pagemap");
	fill(p, 1024);
	spend_bits();
	for (i = 0; i < 1024; i++)
		set_idle(idle, pfn_of(pagemap, p + i * PAGE));
	nr = touch_some(p, 1024, 40);
	expect_moved(nr);
	for (i = 0; i < 1024; i++) {
		uint64_t bits, pfn = pfn_of(pagemap, p + i * PAGE);
		bool is_idle;

		/* The last word of memory, if it is not a whole one, is not shown. */
		if (pread(idle, &bits, sizeof(bits), pfn / 64 * 8) != sizeof(bits))
			continue;
		nr_seen++;
		is_idle = bits >> (pfn % 64) & 1;
		hidden += touched[i] && is_idle;
		shown += !touched[i] && !is_idle;
	}
	if (nr_seen < 900)
		leave(EXIT_SYSTEM, "only %lu pages of 1024 can be judged", nr_seen);
	if (hidden || shown)
		wrong("%lu touched pages shown as idle, %lu others as not", hidden, shown);
}
