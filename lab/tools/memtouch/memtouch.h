/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memtouch: options.c reads the arguments; sequence.c says which page is next; pages.c
 * has the region and what its pages hold; main.c is the load.
 */
#ifndef MEMTOUCH_H
#define MEMTOUCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/tool.h"

enum pattern { P_RANDOM, P_ZIPF, P_SEQ, P_HOT };
enum fill { F_NONE, F_MIXED, F_RANDOM, F_SAME };

struct options {
	const char *file, *ready;
	unsigned long pages, ops;
	double secs, theta;
	long rate;
	int policy;
	unsigned long nodes;
	enum pattern pattern;
	enum fill fill;
	unsigned int hot_size, hot_access, write_percent;
	uint64_t seed;
	bool use_read, verify, madv_random, drop_filled, pin_self;
};

struct counts {
	unsigned long ops, writes, checked, late;
};

extern struct options opt;
extern struct counts done;
extern volatile sig_atomic_t stop;

/* options.c */
void parse(int argc, char **argv);

/* sequence.c */
void begin_sequence(void);
unsigned long next_index(unsigned long n);
bool next_writes(void);

/* pages.c */
void open_region(void);
void fill_region(void);
void touch(unsigned long index, bool writing);
void verify_all(void);

#endif /* MEMTOUCH_H */
