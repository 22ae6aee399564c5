// SPDX-License-Identifier: GPL-2.0
/*
 * Which page is touched next, and whether it is written.
 */
#include <math.h>

#include "common/random.h"
#include "memtouch.h"

static uint64_t access_rng, write_rng;
static double zipf_span;
static unsigned long scatter;

static unsigned long gcd(unsigned long a, unsigned long b)
{
	while (b) {
		unsigned long r = a % b;

		a = b;
		b = r;
	}
	return a;
}

void begin_sequence(void)
{
	access_rng = opt.seed * 0x9e3779b97f4a7c15ULL + 1;
	write_rng = mix(opt.seed + 0x77) | 1;
	if (opt.theta == 1.0)
		zipf_span = log((double)opt.pages);
	else
		zipf_span = pow((double)opt.pages, 1 - opt.theta);
	/* ranks are spread over the region by a multiplier, so it must be a permutation */
	for (scatter = 40503; gcd(scatter, opt.pages) != 1; scatter++)
		;
}

static unsigned long zipf_rank(void)
{
	double u = (double)(xorshift(&access_rng) >> 11) * 0x1p-53;
	double x = opt.theta == 1.0 ? exp(u * zipf_span) :
		   pow(u * (zipf_span - 1) + 1, 1 / (1 - opt.theta));
	unsigned long rank = (unsigned long)x - 1;

	return rank < opt.pages ? rank : opt.pages - 1;
}

unsigned long next_index(unsigned long n)
{
	unsigned long hot;

	switch (opt.pattern) {
	case P_ZIPF:
		return zipf_rank() * scatter % opt.pages;
	case P_SEQ:
		return n % opt.pages;
	case P_HOT:
		hot = opt.pages * opt.hot_size / 100;
		if (xorshift(&access_rng) % 100 < opt.hot_access)
			return xorshift(&access_rng) % (hot ? hot : 1);
		return xorshift(&access_rng) % opt.pages;
	default:
		return xorshift(&access_rng) % opt.pages;
	}
}

bool next_writes(void)
{
	return opt.write_percent && xorshift(&write_rng) % 100 < opt.write_percent;
}
