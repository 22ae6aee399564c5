/* SPDX-License-Identifier: GPL-2.0 */
/*
 * accessgen: options.c reads the arguments; sequence.c says which page is next; pages.c
 * has the pages, or makes the file; main.c does the accesses.
 */
#ifndef ACCESSGEN_H
#define ACCESSGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/tool.h"

#define SLICES		50		/* of a second, when paced */

enum kind { K_NONE, K_ANON, K_MMAP, K_MMAPD, K_READ, K_CREATE };
enum pattern { P_UNIFORM, P_ZIPF, P_SEQ, P_HOT, P_PHASE };

struct options {
	const char *file, *ready;
	enum kind kind;
	enum pattern pattern;
	unsigned long pages, ops, rate;
	unsigned int hot_size, hot_access, phases;
	double theta, secs;
	uint64_t seed;
	bool same, huge;
};

extern struct options opt;

/* options.c */
void parse(int argc, char **argv);

/* sequence.c */
void begin_sequence(void);
uint64_t next_random(void);
unsigned long page_of(unsigned long i);

/* pages.c */
void open_pages(void);
void fill_page(unsigned long page);
void access_page(unsigned long page);
int create_file(void);

#endif /* ACCESSGEN_H */
