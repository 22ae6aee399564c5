// SPDX-License-Identifier: GPL-2.0
/*
 * A server at a local socket.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/tool.h"
#include "kvload.h"

static int fd = -1;
static char buffer[16384];
static size_t have, next;

void connect_to(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(to.sun_path))
		fail(EXIT_USAGE, "--at: %s is too long for a socket", path);
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail(EXIT_SYSTEM, "%s: %s", path, strerror(errno));
}

void send_all(const char *data, unsigned long bytes)
{
	ssize_t done;

	for (; bytes; data += done, bytes -= (unsigned long)done) {
		done = send(fd, data, bytes, MSG_NOSIGNAL);
		if (done <= 0)
			fail(EXIT_SYSTEM, "the server took no more: %s", strerror(errno));
	}
}

static void fill_buffer(void)
{
	ssize_t got = read(fd, buffer, sizeof(buffer));

	if (got <= 0)
		fail(EXIT_SYSTEM, "the server gave no answer: %s", got ? strerror(errno) : "it has gone");
	next = 0;
	have = (size_t)got;
}

/* Without its end, \r\n */
void read_line(char *line, unsigned long size)
{
	unsigned long n = 0;

	do {
		if (next == have)
			fill_buffer();
		if (n + 1 == size)
			fail(EXIT_WRONG, "an answer of more than %lu characters", size);
		line[n++] = buffer[next++];
	} while (line[n - 1] != '\n');
	line[n < 2 ? 0 : n - 2] = 0;
}

void read_value(unsigned long bytes)
{
	size_t part;

	for (; bytes; bytes -= part) {
		if (next == have)
			fill_buffer();
		part = have - next < bytes ? have - next : bytes;
		next += part;
	}
}

void disconnect(void)
{
	close(fd);
}
