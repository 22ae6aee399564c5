// SPDX-License-Identifier: GPL-2.0
/* What the next access is. The same seed gives the same accesses. */
#include <math.h>
#include <stdlib.h>

#include "sim.h"

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static long draw_below(uint64_t *state, long limit)
{
	return (long)(draw(state) % (uint64_t)limit);
}

static double draw_unit(uint64_t *state)
{
	return (double)(draw(state) >> 11) / (1ull << 53);
}

/* Popularity has nothing to do with where a page is. */
static int *shuffled(uint64_t *state, long nr)
{
	int *order = malloc((size_t)nr * sizeof(*order));
	long i, j;

	for (i = 0; i < nr; i++) {
		j = draw_below(state, i + 1);
		order[i] = order[j];
		order[j] = (int)i;
	}
	return order;
}

void stream_init(struct stream *s, const struct spec *spec, uint64_t seed)
{
	s->spec = *spec;
	s->rng = seed;
	s->now = spec->start * 1e6;
	s->filled = spec->kind == ANON ? 0 : spec->pages;
	s->done = 0;
	s->norm = pow((double)spec->pages, 1 - spec->a) - 1;
	s->scatter = shuffled(&s->rng, spec->pages);
}

/* The continuous Zipf distribution over [1, n + 1), by its inverse. */
static long zipf_rank(struct stream *s)
{
	double x = pow(draw_unit(&s->rng) * s->norm + 1, 1 / (1 - s->spec.a));
	long rank = (long)x - 1;

	return rank < s->spec.pages ? rank : s->spec.pages - 1;
}

static long hot(struct stream *s)
{
	long nr = s->spec.pages * (long)s->spec.a / 100;

	if (draw_below(&s->rng, 100) < (long)s->spec.b)
		return draw_below(&s->rng, nr ? nr : 1);
	return draw_below(&s->rng, s->spec.pages);
}

/* Each phase uses a part of its own, evenly. */
static long phase(struct stream *s)
{
	long parts = (long)s->spec.a, width = s->spec.pages / parts;
	long now = s->done * parts / s->spec.ops;

	return now * width + draw_below(&s->rng, width);
}

/* Half-way, other pages become the popular ones. */
static long shift(struct stream *s)
{
	long rank = zipf_rank(s);

	if (s->done > s->spec.ops / 2)
		rank = s->spec.pages - 1 - rank;
	return s->scatter[rank];
}

long stream_next(struct stream *s)
{
	switch (s->spec.pattern) {
	case UNIFORM:
		return draw_below(&s->rng, s->spec.pages);
	case ZIPF:
		return s->scatter[zipf_rank(s)];
	case SEQUENTIAL:
		return s->done % s->spec.pages;
	case HOT:
		return hot(s);
	case PHASES:
		return phase(s);
	case SHIFT:
		return shift(s);
	}
	abort();
}
