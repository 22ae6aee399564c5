// SPDX-License-Identifier: GPL-2.0
/*
 * Spoils texts, and makes some up that know no grammar.
 */
#include <string.h>

#include "lrufuzz.h"

static unsigned char any_byte(void)
{
	static const unsigned char likely[] = "0123456789+-,;\n \t.xXkKmMyYnN=_\xa0\xff";

	return one_in(2) ? likely[below(sizeof(likely))] : below(256);
}

/* Make room for @n bytes at @at. */
static void insert(struct input *in, size_t at, const unsigned char *bytes, size_t n)
{
	if (in->len + n > MAX_TEXT)
		return;
	memmove(in->text + at + n, in->text + at, in->len - at);
	memcpy(in->text + at, bytes, n);
	in->len += n;
}

static void cut_out(struct input *in, size_t at, size_t n)
{
	if (n > in->len - at)
		n = in->len - at;
	memmove(in->text + at, in->text + at + n, in->len - at - n);
	in->len -= n;
}

static void double_some(struct input *in, size_t at)
{
	unsigned char copy[64];
	size_t n = 1 + below(sizeof(copy));

	if (n > in->len - at)
		n = in->len - at;
	memcpy(copy, in->text + at, n);
	insert(in, at, copy, n);
}

static void insert_many(struct input *in, size_t at)
{
	static const unsigned char fill[] = " 0\n;9\0\ty";
	unsigned char bytes[1024];
	size_t n = 1 + below(one_in(20) ? sizeof(bytes) : 30);

	memset(bytes, fill[below(sizeof(fill) - 1)], n);
	insert(in, at, bytes, n);
}

void spoil(struct input *in)
{
	size_t at = in->len ? below(in->len) : 0;
	unsigned char byte = any_byte();

	if (one_in(5) || !in->len) {
		insert(in, in->len && one_in(2) ? at : one_in(2) ? 0 : in->len, &byte, 1);
		return;
	}
	switch (below(8)) {
	case 0: cut_out(in, at, 1); break;
	case 1: cut_out(in, at, 1 + below(8)); break;
	case 2: in->len = at; break;
	case 3: in->text[at] = byte; break;
	case 4: in->text[at] ^= 1 << below(8); break;
	case 5: double_some(in, at); break;
	case 6: insert_many(in, at); break;
	default: insert(in, at, &byte, 1); break;
	}
}

void make_junk(struct input *in)
{
	bool binary = one_in(2);
	size_t n = below(one_in(20) ? 5000 : 40);

	while (n--)
		put_byte(in, binary ? below(256) : any_byte());
}

/* To a length where something ends, or beyond. */
void lengthen(struct input *in)
{
	static const unsigned long ends[] = { PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 65536 };
	static const unsigned long far[] = {
		MAX_COMMANDS - 1, MAX_COMMANDS, MAX_COMMANDS + 1, MAX_TEXT,
	};
	size_t one = in->len, to = in->iface == I_COMMANDS && one_in(30) ? PICK(far) : PICK(ends);
	bool again = one_in(2) && one && to <= 65536;

	if (one >= to) {
		in->len = to;
		return;
	}
	if (one && !again && one_in(3)) {	/* zeroes before it */
		memmove(in->text + to - one, in->text, one);
		memset(in->text, '0', to - one);
		in->len = to;
	}
	while (in->len < to)
		put_byte(in, again ? in->text[in->len - one] : ' ');
}
