// SPDX-License-Identifier: GPL-2.0
/*
 * Values for the boot parameter lru_gen=, for the host to boot guests with.
 */
#include <stdio.h>
#include <string.h>

#include "lrufuzz.h"

#define VALUES		3UL	/* at a boot; of the good ones, the last holds */
#define MAX_VALUE	40UL

/* What a command line can hold as one value. */
static bool is_value(const struct input *in)
{
	size_t i;

	for (i = 0; i < in->len; i++)
		if (in->text[i] <= ' ' || in->text[i] > '~' || in->text[i] == '"')
			return false;
	return in->len <= MAX_VALUE;
}

/* Whether it is accepted; an empty value is not, other than an empty write. */
static bool is_good(const struct input *in)
{
	struct verdict v;

	judge(in, &v);
	return in->len && v.result[0] >= 0;
}

static void make_value(struct input *in)
{
	do
		make_up(in);
	while (!is_value(in));
	in->how = H_WRITE;
	in->beyond = 0;
}

/* A line a boot: the mask that holds, and the values, with + if good and - if not. */
void print_boots(struct input *in, unsigned long seed, unsigned long boots)
{
	unsigned long boot, i;
	char values[VALUES * (MAX_VALUE + 3)], *at;

	in->iface = I_ENABLED;
	for (boot = 0; boot < boots; boot++) {
		seed_with(seed * 0x100000000ULL + boot);
		model.caps = 7;
		for (i = 0, at = values; i < VALUES; i++) {
			make_value(in);
			at += sprintf(at, " %c%.*s", is_good(in) ? '+' : '-',
				      (int)in->len, (char *)in->text);
		}
		printf("0x%04x%s\n", model.caps, values);
	}
}
