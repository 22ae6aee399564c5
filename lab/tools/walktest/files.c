// SPDX-License-Identifier: GPL-2.0
/*
 * Files of the kernel.
 */
#include <fcntl.h>
#include <unistd.h>

#include "walktest.h"

char text[MAX_TEXT];

void put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);
	ssize_t len = strlen(value);

	if (fd < 0)
		broken(path);
	if (write(fd, value, len) != len)
		leave(EXIT_SYSTEM, "%s: '%s': %s", path, value, strerror(errno));
	close(fd);
}

void get(const char *path)
{
	int fd = open(path, O_RDONLY);
	size_t used = 0;
	ssize_t len;

	if (fd < 0)
		broken(path);
	while ((len = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += len;
	if (len < 0)
		broken(path);
	text[used] = 0;
	close(fd);
}

/* One 64-bit word at an index of a file such as pagemap. */
uint64_t word_at(int fd, uint64_t index)
{
	uint64_t word;

	if (pread(fd, &word, sizeof(word), index * sizeof(word)) != sizeof(word))
		broken("pread");
	return word;
}
