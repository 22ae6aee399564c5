// SPDX-License-Identifier: GPL-2.0
/*
 * Traces of others: a file of accesses, each of which is taken for one to a page.
 *
 * NAME.u32 holds page numbers of 32 bits, NAME.oracleGeneral or .oracleGeneral.bin what
 * libCacheSim reads: 24 bytes, of which those from the fifth on are a number of 64 bits.
 * Both are little-endian. The size of an object is not looked at.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* An access in a file: how many bytes, and which of them tell the page. */
struct format {
	const char *ending;
	size_t size, at, width;
};

static const struct format formats[] = {
	{ ".u32", 4, 0, 4 },
	{ ".oracleGeneral", 24, 4, 8 },
	{ ".oracleGeneral.bin", 24, 4, 8 },
};

/* Which pages there have been, by the numbers of the file. */
struct numbers {
	uint64_t *keys;
	uint32_t *values;
	size_t size, nr;
};

static bool fails(const char *path, const char *why)
{
	fprintf(stderr, "sim: %s: %s\n", path, why);
	return false;
}

static const struct format *format_of(const char *path)
{
	size_t i, length = strlen(path);

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t ending = strlen(formats[i].ending);

		if (length > ending && !strcmp(path + length - ending, formats[i].ending))
			return &formats[i];
	}
	return NULL;
}

static void name_after(struct trace *t, const char *path, const struct format *f)
{
	const char *slash = strrchr(path, '/'), *first = slash ? slash + 1 : path;

	snprintf(t->name, sizeof(t->name), "%.*s", (int)(strlen(first) - strlen(f->ending)),
		 first);
}

static void *must_have(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "sim: no memory for the trace\n");
	exit(1);
}

/* All of a file; NULL, and said why, if it cannot be had. */
static unsigned char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *data;
	long end;

	end = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
	if (end < 0) {
		fails(path, strerror(errno));
		if (file)
			fclose(file);
		return NULL;
	}
	rewind(file);
	*size = (size_t)end;
	data = must_have(malloc(*size + 1));
	if (fread(data, 1, *size, file) != *size) {
		fails(path, "cannot be read to its end");
		free(data);
		data = NULL;
	}
	fclose(file);
	return data;
}

static uint64_t number_at(const unsigned char *at, size_t width)
{
	uint64_t n = 0;

	while (width--)
		n = n << 8 | at[width];
	return n;
}

static size_t slot_of(const struct numbers *n, uint64_t key)
{
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15ull) & (n->size - 1);

	while (n->values[i] && n->keys[i] != key)
		i = (i + 1) & (n->size - 1);
	return i;
}

/* Pages are numbered in the order in which they come. */
static uint32_t page_of(struct numbers *n, uint64_t key)
{
	size_t i = slot_of(n, key);

	if (!n->values[i]) {
		n->keys[i] = key;
		n->values[i] = (uint32_t)(++n->nr);
	}
	return n->values[i] - 1;
}

static void number_pages(struct trace *t, const unsigned char *data, const struct format *f)
{
	struct numbers n = { .size = 1024 };
	long i;

	while (n.size < 2 * (size_t)t->nr)
		n.size *= 2;
	n.keys = must_have(calloc(n.size, sizeof(*n.keys)));
	n.values = must_have(calloc(n.size, sizeof(*n.values)));
	for (i = 0; i < t->nr; i++)
		t->pages[i] = page_of(&n, number_at(data + (size_t)i * f->size + f->at, f->width));
	t->nr_pages = (int)n.nr;
	free(n.keys);
	free(n.values);
}

/* Returns false if there is no trace in the file, and has said why. */
bool trace_read(struct trace *t, const char *path)
{
	const struct format *f = format_of(path);
	unsigned char *data;
	size_t size;

	if (!f)
		return fails(path, "ends neither in .u32 nor in .oracleGeneral");
	data = read_all(path, &size);
	if (!data)
		return false;
	if (!size || size % f->size || size / f->size > INT32_MAX) {
		free(data);
		return fails(path, size ? "is no whole number of accesses" : "is empty");
	}
	name_after(t, path, f);
	t->nr = (long)(size / f->size);
	t->pages = must_have(malloc((size_t)t->nr * sizeof(*t->pages)));
	number_pages(t, data, f);
	free(data);
	return true;
}

void trace_free(struct trace *t)
{
	free(t->pages);
	memset(t, 0, sizeof(*t));
}
