// SPDX-License-Identifier: GPL-2.0
/*
 * write-once [OPTIONS] FILE TEXT: hand TEXT to FILE in one write() and print
 * what came of it: "ok", "short" or the name of the errno.
 *
 *   --fill BYTES    repeat TEXT up to that many bytes
 *   --fault         the text is where nothing is mapped
 *   --alarm MS      a signal comes every MS milliseconds; nothing is restarted
 *   --uid UID       as this user, without privileges
 *   --read          open for reading only, and read all of it; TEXT is not used
 *
 * A shell's echo cannot say which errno it was, nor write a NUL or fault.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/tool.h"

struct speaker speaker = { .program = "write-once" };

static struct {
	size_t fill;
	long alarm_ms, uid;
	bool fault, read;
} opt = { .uid = -1 };

__attribute__((noreturn))
static void usage(const char *why)
{
	fail(EXIT_USAGE, "%s\nusage: write-once [--fill BYTES] [--fault] [--alarm MS] [--uid UID] FILE TEXT\n"
	     "       write-once [--uid UID] --read FILE", why);
}

static long number(const char *text)
{
	unsigned long n;

	if (!parse_whole(text, &n) || n > LONG_MAX)
		usage("an option wants a whole number");
	return (long)n;
}

static void options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "fill", required_argument, NULL, 'f' },
		{ "fault", no_argument, NULL, 'x' },
		{ "alarm", required_argument, NULL, 'a' },
		{ "uid", required_argument, NULL, 'u' },
		{ "read", no_argument, NULL, 'r' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		switch (c) {
		case 'f': opt.fill = number(optarg); break;
		case 'x': opt.fault = true; break;
		case 'a': opt.alarm_ms = number(optarg); break;
		case 'u': opt.uid = number(optarg); break;
		case 'r': opt.read = true; break;
		default: usage("unknown option");
		}
	}
	if (argc - optind != (opt.read ? 1 : 2))
		usage("wrong number of arguments");
}

static void ignore(int sig)
{
	(void)sig;
}

/* Every so many milliseconds; 0 ends them. */
static void set_alarms(long ms)
{
	struct sigaction act = { .sa_handler = ignore };
	struct itimerval every = { .it_interval = { ms / 1000, ms % 1000 * 1000 } };

	every.it_value = every.it_interval;
	if (sigaction(SIGALRM, &act, NULL) || setitimer(ITIMER_REAL, &every, NULL))
		fail(EXIT_FAILURE, "cannot set the timer: %s", strerror(errno));
}

static const char *text_to_write(const char *text, size_t *len)
{
	size_t one = strlen(text), i;
	char *all;

	*len = opt.fill ? opt.fill : one;
	if (opt.fault) {
		all = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		return all == MAP_FAILED ? NULL : all;
	}
	if (!opt.fill)
		return text;
	all = malloc(*len);
	for (i = 0; all && i < *len; i++)
		all[i] = text[i % one];
	return all;
}

/* The errno, -1 if it was cut short. */
static int read_all(int fd)
{
	static char buf[65536];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		;
	return n ? errno : 0;
}

static int write_text(int fd, const char *text)
{
	const char *from;
	size_t len;
	int err;
	ssize_t n;

	from = text_to_write(text, &len);
	if (!from)
		fail(EXIT_FAILURE, "no memory for the text: %s", strerror(errno));
	if (opt.alarm_ms)
		set_alarms(opt.alarm_ms);
	n = write(fd, from, len);
	err = errno;
	if (opt.alarm_ms)
		set_alarms(0);
	if (n < 0)
		return err;
	return (size_t)n == len ? 0 : -1;
}

int main(int argc, char **argv)
{
	int fd, err = 0;

	options(argc, argv);
	if (opt.uid >= 0 && (setgroups(0, NULL) || setgid(opt.uid) || setuid(opt.uid)))
		fail(EXIT_FAILURE, "cannot become that user: %s", strerror(errno));
	fd = open(argv[optind], opt.read ? O_RDONLY : O_WRONLY);
	if (fd < 0)
		err = errno;
	else if (opt.read)
		err = read_all(fd);
	else
		err = write_text(fd, argv[optind + 1]);
	puts(err == 0 ? "ok" : err < 0 ? "short" : strerrorname_np(err));
	return 0;
}
