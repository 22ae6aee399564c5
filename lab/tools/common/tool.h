/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the guest's programs share: messages, statuses, numbers, marks. lab/initramfs
 * compiles common/NAME.c into each program that includes common/NAME.h.
 */
#ifndef COMMON_TOOL_H
#define COMMON_TOOL_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#define PAGE	4096UL
#define WORDS	(PAGE / sizeof(uint64_t))

enum { EXIT_OK, EXIT_USAGE, EXIT_WRONG, EXIT_SYSTEM };

/* What stands before a message: "PROGRAM: ", or "PROGRAM NAME: ", then @word. */
struct speaker {
	const char *program, *name, *word;
};

extern struct speaker speaker;		/* each program's own */

__attribute__((format(printf, 2, 3), noreturn))
void fail(int status, const char *fmt, ...);

/* Whether all of @text is such a number. */
bool parse_number(const char *text, double min, double max, double *number);
bool parse_whole(const char *text, unsigned long *number);

/* The number, or a message about @what. */
double number_in(const char *what, const char *text, double min, double max);
unsigned long whole_in(const char *what, const char *text, double max);

/* The options of a program, of which "help" is HELP. */
struct grammar {
	const char *usage;
	const struct option *known;
	void (*take)(int option);
};

enum { HELP = 'h' };

/* Hand each option to @g->take(); nothing else may be there. */
void take_options(int argc, char **argv, const struct grammar *g);

/* A file by which others see how far this program is. */
bool make_mark(const char *path, const char *text);

#endif /* COMMON_TOOL_H */
