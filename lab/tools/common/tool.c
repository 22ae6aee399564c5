// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tool.h"

void fail(int status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);		/* what was said before comes first */
	fprintf(stderr, "%s%s%s: %s", speaker.program, speaker.name ? " " : "",
		speaker.name ?: "", speaker.word ?: "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

bool parse_number(const char *text, double min, double max, double *number)
{
	char *end;

	errno = 0;
	*number = strtod(text, &end);
	return !errno && end != text && !*end && *number >= min && *number <= max;
}

/* strtoul() takes a number below 0 for a very large one. */
bool parse_whole(const char *text, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	return !errno && end != text && !*end && !strchr(text, '-');
}

double number_in(const char *what, const char *text, double min, double max)
{
	double v;

	if (!parse_number(text, min, max, &v))
		fail(EXIT_USAGE, "%s \"%s\" is not a number from %.0f to %.0f", what, text, min, max);
	return v;
}

unsigned long whole_in(const char *what, const char *text, double max)
{
	double v = number_in(what, text, 0, max);

	if (v != floor(v))
		fail(EXIT_USAGE, "%s \"%s\" is not a whole number", what, text);
	return (unsigned long)v;
}

void take_options(int argc, char **argv, const struct grammar *g)
{
	int option;

	while ((option = getopt_long(argc, argv, "", g->known, NULL)) != -1) {
		if (option == HELP || option == '?') {
			fputs(g->usage, option == HELP ? stdout : stderr);
			exit(option == HELP ? EXIT_OK : EXIT_USAGE);
		}
		g->take(option);
	}
	if (optind < argc)
		fail(EXIT_USAGE, "unexpected argument \"%s\"", argv[optind]);
}

bool make_mark(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd);
}
