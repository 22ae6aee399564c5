// SPDX-License-Identifier: GPL-2.0
/*
 * Which key comes next, and what its value is.
 *
 * zipf: the rank by the inverse of the continuous power law (Gray et al., "Quickly
 * generating billion-record synthetic databases", 1994), spread over all keys by a hash
 * as in YCSB. latest: YCSB's as well, the rank counted back from the newest key. gauss: as
 * memtier_benchmark's, around the middle key, with a sixth of the range as deviation.
 */
#include <math.h>
#include <string.h>

#include "common/random.h"
#include "kvload.h"

#define LONGEST	65536

static uint64_t state;

void begin_keys(void)
{
	state = mix(opt.seed + 1) | 1;
}

uint64_t next_random(void)
{
	return xorshift(&state);
}

static double next_unit(void)
{
	return (double)(next_random() >> 11) * 0x1p-53;
}

static uint64_t zipf_rank(uint64_t n)
{
	double range = pow((double)n, 1 - opt.theta);
	double x = pow(next_unit() * (range - 1) + 1, 1 / (1 - opt.theta));
	uint64_t rank = (uint64_t)x - 1;

	return rank < n ? rank : n - 1;
}

/* Box and Muller, "A note on the generation of random normal deviates", 1958 */
static uint64_t gauss_key(uint64_t n)
{
	double far = sqrt(-2 * log(1 - next_unit())) * cos(2 * M_PI * next_unit());
	double key = (double)n * (0.5 + far / 6);

	return key >= 0 && key < (double)n ? (uint64_t)key : gauss_key(n);
}

uint64_t next_key(uint64_t nr_keys)
{
	switch (opt.pattern) {
	case ZIPF:
		return mix(zipf_rank(nr_keys)) % nr_keys;
	case LATEST:
		return nr_keys - 1 - zipf_rank(nr_keys);
	case GAUSS:
		return gauss_key(nr_keys);
	case UNIFORM:
		break;
	}
	return next_random() % nr_keys;
}

/* No store and no swap device compresses half of it. */
const char *value_of(uint64_t key)
{
	static char value[LONGEST];
	uint64_t word, i;

	for (i = 0; i + sizeof(word) <= opt.bytes; i += sizeof(word)) {
		word = i % (2 * sizeof(word)) ? key : mix(key + i);
		memcpy(value + i, &word, sizeof(word));
	}
	return value;
}
