// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel says of a memcg's generations, and what it is told to do with them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walktest.h"

#define DEBUGFS		"/sys/kernel/debug/lru_gen"
#define FLUSHED_PAGES	128

int node;
static unsigned int memcg_id;
static char flushed[FLUSHED_PAGES * PAGE] __attribute__((aligned(4096)));

const char *section(void)
{
	char path[300];
	char *line;

	get(DEBUGFS);
	snprintf(path, sizeof(path), " %s\n", cg_dir + strlen(CGROOT));
	line = strstr(text, path);
	if (!line)
		leave(EXIT_SYSTEM, "no %s in %s", cg_dir + strlen(CGROOT), DEBUGFS);
	while (line > text && line[-1] != '\n')
		line--;
	if (sscanf(line, "memcg %u", &memcg_id) != 1)
		leave(EXIT_SYSTEM, "cannot read the memcg line of %s", DEBUGFS);
	return strchr(line, '\n') + 1;
}

struct sizes sizes(void)
{
	const char *line = section();
	struct sizes s = { 0 };
	unsigned long seq, age, anon, file;
	char title[32];

	snprintf(title, sizeof(title), " node %5d\n", node);
	line = strstr(line, title);
	if (!line)
		leave(EXIT_SYSTEM, "no node %d in %s", node, DEBUGFS);
	while ((line = strchr(line, '\n')) &&
	       sscanf(++line, "%lu %lu %lu%*[ x] %lu", &seq, &age, &anon, &file) == 4) {
		if (s.nr == MAX_SEQS)
			leave(EXIT_SYSTEM, "too many generations");
		s.seq[s.nr] = seq;
		s.pages[s.nr++] = anon + file;
		s.total += anon + file;
	}
	if (!s.nr)
		leave(EXIT_SYSTEM, "no generation in %s", DEBUGFS);
	s.max_seq = s.seq[s.nr - 1];
	return s;
}

/* No folio is left in a per-CPU batch on its way to a list. */
void drain(void)
{
	static void *page;
	int where = 0, status;

	page = page ?: text;
	if (syscall(SYS_move_pages, 0, 1UL, &page, &where, &status, 0))
		broken("move_pages");
}

struct sizes settled(void)
{
	drain();
	return sizes();
}

void command(char what, unsigned long seq, const char *rest)
{
	char line[128];

	snprintf(line, sizeof(line), "%c %u %d %lu %s\n", what, memcg_id, node, seq, rest);
	put(DEBUGFS, line);
}

/*
 * A walk clears accessed bits and does not flush the TLB, which is well: use is
 * a guess anyway. Here it must be none, so the process has its TLB flushed, by
 * changing more pages at once than are flushed one by one.
 */
static void flush_tlb(void)
{
	if (mprotect(flushed, sizeof(flushed), PROT_READ) ||
	    mprotect(flushed, sizeof(flushed), PROT_READ | PROT_WRITE))
		broken("mprotect");
	memset(flushed, 1, sizeof(flushed));
}

void walk(void)
{
	struct sizes s = settled();

	command('+', s.max_seq, full_walks ? "1 1" : "1 0");
	flush_tlb();
}

/*
 * The bits left by faults are spent, and nothing is young any more. Each walk by
 * command opens a generation; three fit into the window before the oldest are
 * put together, and a case makes no more than that where it counts.
 */
void spend_bits(void)
{
	walk();
}

/* The youngest generation that holds pages, 0 if none does. */
unsigned long top_seq(const struct sizes *s)
{
	int i;

	for (i = s->nr; i > 0; i--)
		if (s->pages[i - 1])
			return s->seq[i - 1];
	return 0;
}

static unsigned long pages_above(const struct sizes *s, unsigned long seq)
{
	unsigned long nr = 0;
	int i;

	for (i = 0; i < s->nr; i++)
		nr += s->seq[i] > seq ? s->pages[i] : 0;
	return nr;
}

/* A walk moves so many pages up, and loses none. */
void expect_moved(unsigned long nr)
{
	struct sizes before = settled(), after;
	unsigned long moved;

	walk();
	after = settled();
	moved = pages_above(&after, top_seq(&before));
	if (after.total != before.total)
		wrong("%lu pages before the walk, %lu after", before.total, after.total);
	if (moved != nr)
		wrong("%lu of %lu pages moved up, %lu were touched", moved, after.total, nr);
}
