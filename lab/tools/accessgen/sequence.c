// SPDX-License-Identifier: GPL-2.0
/*
 * The sequence: lab/check/access-sequence holds it against the formulas.
 */
#include <math.h>

#include "accessgen.h"
#include "common/random.h"

static uint64_t state;
static double zipf_range;	/* N^(1 - theta) */

void begin_sequence(void)
{
	state = opt.seed * 0x9E3779B97F4A7C15ULL + 1;
	zipf_range = pow((double)opt.pages, 1 - opt.theta);
}

uint64_t next_random(void)
{
	return xorshift(&state);
}

static double next_unit(void)
{
	return (double)(next_random() >> 11) * (1.0 / 9007199254740992.0);
}

static unsigned long zipf_page(void)
{
	double x = pow(next_unit() * (zipf_range - 1) + 1, 1 / (1 - opt.theta));
	unsigned long rank = (unsigned long)x - 1;

	if (rank >= opt.pages)
		rank = opt.pages - 1;
	return rank * 40503UL % opt.pages;
}

static unsigned long hot_page(void)
{
	unsigned long hot = opt.pages * opt.hot_size / 100;

	if (!hot)
		hot = 1;
	if (next_random() % 100 < opt.hot_access)
		return next_random() % hot;
	return next_random() % opt.pages;
}

/* One part of the pages at a time, uniformly; the parts take equal shares. */
static unsigned long phase_page(unsigned long i)
{
	unsigned long part = opt.pages / opt.phases, page;

	page = i * opt.phases / opt.ops * part % opt.pages + next_random() % part;
	return page < opt.pages ? page : opt.pages - 1;
}

unsigned long page_of(unsigned long i)
{
	switch (opt.pattern) {
	case P_UNIFORM:
		return next_random() % opt.pages;
	case P_ZIPF:
		return zipf_page();
	case P_SEQ:
		return i % opt.pages;
	case P_HOT:
		return hot_page();
	case P_PHASE:
		return phase_page(i);
	}
	return 0;
}
