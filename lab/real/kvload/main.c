// SPDX-License-Identifier: GPL-2.0
/*
 * Fill a store, or ask it, and say how fast it answered.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/tool.h"
#include "kvload.h"

struct speaker speaker = { .program = "kvload" };

static uint64_t nr_keys;
static unsigned int *took;		/* ns of each get */
static unsigned long nr_took;

static void fill_store(void)
{
	uint64_t key;

	for (key = 0; key < opt.keys; key++)
		opt.store->set(key, value_of(key));
}

static enum op next_op(void)
{
	unsigned long at = next_random() % 10000;
	enum op op;

	for (op = GET; op < NR_OPS - 1 && at >= opt.share[op]; op++)
		at -= opt.share[op];
	return op;
}

static void timed_get(uint64_t key)
{
	long long began = now_ns(), ns;

	opt.store->get(key);
	ns = now_ns() - began;
	took[nr_took++] = ns < UINT32_MAX ? (unsigned int)ns : UINT32_MAX;
}

static void do_op(enum op op)
{
	uint64_t key = op == INSERT ? nr_keys : next_key(nr_keys);

	if (op == SCAN)
		opt.store->scan(key, opt.scan);
	if (op == GET || op == MODIFY)
		timed_get(key);
	if (op == SET || op == INSERT || op == MODIFY)
		opt.store->set(key, value_of(key));
	nr_keys += op == INSERT;
}

static int compare(const void *a, const void *b)
{
	unsigned int one = *(const unsigned int *)a, other = *(const unsigned int *)b;

	return (one > other) - (one < other);
}

/* In microseconds; 0 if there was no get. */
static double percentile(unsigned long of1000)
{
	return nr_took ? took[(nr_took - 1) * of1000 / 1000] / 1e3 : 0;
}

static void ask_store(void)
{
	long long began, ns;
	unsigned long i;

	took = malloc(opt.ops * sizeof(*took));
	if (!took)
		fail(EXIT_SYSTEM, "no memory for the times of %lu operations", opt.ops);
	began = now_ns();
	for (i = 0; i < opt.ops; i++)
		do_op(next_op());
	ns = now_ns() - began;
	qsort(took, nr_took, sizeof(*took), compare);
	printf("ops %lu\nops_per_s %.0f\n", opt.ops, (double)opt.ops * NSEC / (double)(ns + 1));
	printf("get_p50_us %.1f\nget_p99_us %.1f\nget_p999_us %.1f\n", percentile(500),
	       percentile(990), percentile(999));
}

int main(int argc, char **argv)
{
	parse_options(argc, argv);
	begin_keys();
	nr_keys = opt.keys;
	opt.store->open(opt.at);
	if (opt.fill)
		fill_store();
	else
		ask_store();
	opt.store->close();
	return EXIT_OK;
}
