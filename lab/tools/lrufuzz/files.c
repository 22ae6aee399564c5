// SPDX-License-Identifier: GPL-2.0
/*
 * Handing a text over to a file, in one of several ways, and reading one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lrufuzz.h"

static unsigned char *arena;	/* a text that ends where nothing is mapped */

const char *path_of(const struct input *i)
{
	static char path[128];

	switch (i->iface) {
	case I_ENABLED:
		return KNOBS "enabled";
	case I_MIN_TTL:
		return KNOBS "min_ttl_ms";
	case I_COMMANDS:
		return COMMANDS;
	case I_RECLAIM:
	default:
		snprintf(path, sizeof(path), CGROUPS "%s/memory.%s",
			 i->group->path[1] ? i->group->path : "",
			 i->iface == I_RECLAIM ? "reclaim" : "soft_limit_in_bytes");
		return path;
	}
}

int open_file(const struct input *i)
{
	int fd;

	if (i->group && i->group->fd >= 0)
		return i->group->fd;
	fd = open(path_of(i), O_WRONLY);
	if (fd < 0)
		fail(EXIT_BROKEN, "cannot open %s: %s", path_of(i), strerror(errno));
	return fd;
}

static void map_arena(void)
{
	arena = mmap(NULL, MAX_TEXT + PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED || mprotect(arena + MAX_TEXT, PAGE, PROT_NONE))
		fail(EXIT_BROKEN, "no memory: %s", strerror(errno));
}

/* The count, or -errno. */
long hand_over(const struct input *i)
{
	struct iovec parts[2];
	unsigned char *text;
	int fd = open_file(i);
	long got;

	if (!arena)
		map_arena();
	text = i->how == H_FAULT ? arena + MAX_TEXT - i->len : arena;
	parts[0] = (struct iovec) { text, i->cut };
	parts[1] = (struct iovec) { text + i->cut, i->len - i->cut };
	memcpy(text, i->text, i->len);
	switch (i->how) {
	case H_PWRITE:
		got = pwrite(fd, text, i->len, i->offset);
		break;
	case H_WRITEV:
		got = writev(fd, parts, 2);
		break;
	case H_SEEK:
		lseek(fd, i->offset, SEEK_SET);
		/* fall through */
	default:
		got = write(fd, text, i->len + i->beyond);
	}
	got = got < 0 ? -errno : got;
	if (!i->group || i->group->fd < 0)
		close(fd);
	return got;
}

void read_value(const struct input *i, char *value, size_t room)
{
	int fd = open(path_of(i), O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, value, room - 1);

	if (n < 0)
		fail(EXIT_BROKEN, "cannot read %s: %s", path_of(i), strerror(errno));
	close(fd);
	value[n] = '\0';
}

void set_knob(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(EXIT_BROKEN, "cannot write %s to %s: %s", text, path, strerror(errno));
	close(fd);
}
