// SPDX-License-Identifier: GPL-2.0
/*
 * mmapread: read pages of a file through a mapping, in an order that says how
 * far read-around pays.
 *
 * The n-th page read depends on the arguments alone.  One line tells what it
 * took: accesses, milliseconds, major and minor faults.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/random.h"
#include "common/tool.h"

struct speaker speaker = { .program = "mmapread" };

static const char usage[] =
"usage: mmapread FILE ORDER ACCESSES [random]\n"
"  FILE      its whole pages are mapped\n"
"  ORDER     seq        from the first page to the last, and again\n"
"            back       the other way\n"
"            random     any page\n"
"            chunk:K    K pages on end, beginning at any multiple of K\n"
"            stride:K   every K-th page; one page further on each time round\n"
"  ACCESSES  how many pages to read\n"
"  random    with MADV_RANDOM\n";

static uint64_t rng = 0x9e3779b97f4a7c15ULL;

static unsigned long any(unsigned long below)
{
	return xorshift(&rng) % below;
}

static unsigned long number(const char *what, const char *text)
{
	unsigned long n;

	if (!parse_whole(text, &n) || !n)
		fail(EXIT_USAGE, "%s: \"%s\" is not a whole number above 0", what, text);
	return n;
}

/* What ORDER says: its first letter, and K. */
struct order {
	char kind;
	unsigned long step, pages, chunk;
};

static struct order parse_order(const char *text, unsigned long pages)
{
	struct order o = { .kind = text[0], .step = 1, .pages = pages };
	const char *k = strchr(text, ':');

	if (!strncmp(text, "chunk:", 6) || !strncmp(text, "stride:", 7))
		o.step = number("ORDER", k + 1);
	else if (strcmp(text, "seq") && strcmp(text, "back") && strcmp(text, "random"))
		fail(EXIT_USAGE, "\"%s\" is no order\n%s", text, usage);
	if (o.step > pages)
		fail(EXIT_USAGE, "ORDER: the file has only %lu pages", pages);
	return o;
}

static unsigned long page_of(struct order *o, unsigned long n)
{
	unsigned long round = o->pages / o->step;

	switch (o->kind) {
	case 's':
		if (o->step > 1)
			return (n % round * o->step + n / round) % o->pages;
		return n % o->pages;
	case 'b':
		return o->pages - 1 - n % o->pages;
	case 'c':
		if (n % o->step == 0)
			o->chunk = any(round) * o->step;
		return o->chunk + n % o->step;
	default:
		return any(o->pages);
	}
}

static char *map_file(const char *path, unsigned long *pages)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *map;

	if (fd < 0 || fstat(fd, &st))
		fail(EXIT_SYSTEM, "%s: %s", path, strerror(errno));
	*pages = st.st_size / PAGE;
	if (!*pages)
		fail(EXIT_USAGE, "%s has no whole page", path);
	map = mmap(NULL, *pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		fail(EXIT_SYSTEM, "cannot map %s: %s", path, strerror(errno));
	return map;
}

static double now_ms(void)
{
	return (double)now_ns() / 1e6;
}

int main(int argc, char **argv)
{
	unsigned long pages, n, ops, sum = 0;
	struct rusage use;
	struct order o;
	double began;
	char *map;

	if (argc < 4 || argc > 5 || (argc == 5 && strcmp(argv[4], "random")))
		fail(EXIT_USAGE, "wrong arguments\n%s", usage);
	map = map_file(argv[1], &pages);
	o = parse_order(argv[2], pages);
	ops = number("ACCESSES", argv[3]);
	if (argc == 5 && madvise(map, pages * PAGE, MADV_RANDOM))
		fail(EXIT_SYSTEM, "madvise: %s", strerror(errno));
	began = now_ms();
	for (n = 0; n < ops; n++)
		sum += *(volatile uint64_t *)(map + page_of(&o, n) * PAGE);
	began = now_ms() - began;
	getrusage(RUSAGE_SELF, &use);
	printf("accesses %lu ms %.0f majflt %ld minflt %ld sum %lx\n",
	       ops, began, use.ru_majflt, use.ru_minflt, sum);
	return EXIT_OK;
}
