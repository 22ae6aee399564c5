/* SPDX-License-Identifier: GPL-2.0 */
/*
 * patterncheck: options.c reads the arguments; pages.c knows what every page has to
 * hold; reshape.c tears huge pages apart; children.c forks; main.c is the load.
 */
#ifndef PATTERNCHECK_H
#define PATTERNCHECK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/tool.h"

#define HUGE		(2UL << 20)
#define HUGE_PAGES	(HUGE / PAGE)
#define THP		"/sys/kernel/mm/transparent_hugepage"

struct options {
	const char *kind, *mode, *file, *ready, *rest_mark;
	unsigned long pages, ops, rate, plant;
	uint64_t seed;
	int faults;
};

/* Shared with the children. */
struct counts {
	unsigned long ops, verified, mismatches, forks, refused;
	unsigned long collapsed, holes, moved, paged_out, protected, freed, locked;
};

extern struct options opt;
extern struct counts *done;
extern volatile sig_atomic_t stop, rest;

/* options.c */
void parse(int argc, char **argv);

/* pages.c */
extern char *map;		/* where the pages are now, unless they are read and written */
void make_region(void);
void fill(unsigned long index);
void rewrite(unsigned long index);
bool check(unsigned long index, const char *when);
void check_all(const char *when);
void check_from_disk(void);
void loosen(unsigned long index);
void spoil(unsigned long index);
void drop_cache(void);

/* reshape.c */
void reshape(void);

/* children.c */
void fork_one(void);

/* main.c */
unsigned long below(unsigned long n);

#endif /* PATTERNCHECK_H */
