// SPDX-License-Identifier: GPL-2.0
/*
 * manycg: make many memory cgroups and mounts, and use them, without a process each.
 *
 *   manycg cgroups DIR FIRST N     make the cgroups DIR/FIRST ..
 *   manycg mounts DIR N            mount a tmpfs on each of DIR/0 ..
 *   manycg files CGROUPS MOUNTS N  in each cgroup, make a file in the mount of its number
 *   manycg rmdirs DIR FIRST N      remove cgroups; prints the ns until all are gone
 *   manycg tree DIR N              make N empty files, 100 a directory
 *   manycg walk DIR ROUNDS         look at every file of DIR; prints files and ns
 *
 * Ends with 0, or with 1 and a message.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

static const char *path_of(const char *dir, int i, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%d%s", dir, i, name);
	return path;
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0755))
		err(1, "mkdir %s", path);
}

static void make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0644);

	if (fd < 0 || close(fd))
		err(1, "%s", path);
}

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		err(1, "%s", path);
}

static void cgroups(const char *dir, int first, int n)
{
	int i;

	for (i = first; i < first + n; i++)
		make_dir(path_of(dir, i, ""));
}

static void mounts(const char *dir, int n)
{
	const char *path;
	int i;

	for (i = 0; i < n; i++) {
		path = path_of(dir, i, "");
		make_dir(path);
		if (mount("none", path, "tmpfs", 0, "nr_inodes=100,size=1m"))
			err(1, "mount %s", path);
	}
}

static void files(const char *cg, const char *mnt, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		write_to(path_of(cg, i, "/cgroup.procs"), "0");
		make_file(path_of(mnt, i, "/file"));
	}
	write_to("/sys/fs/cgroup/cgroup.procs", "0");
}

static long dying(const char *dir)
{
	char path[4096], key[64];
	long value, found = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.stat", dir);
	f = fopen(path, "r");
	if (!f)
		err(1, "%s", path);
	while (fscanf(f, "%63s %ld", key, &value) == 2)
		if (!strcmp(key, "nr_dying_descendants"))
			found = value;
	fclose(f);
	return found;
}

static void rmdirs(const char *dir, int first, int n)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	long before = dying(dir);
	long long began = now_ns();
	int i;

	for (i = first; i < first + n; i++)
		if (rmdir(path_of(dir, i, "")))
			err(1, "rmdir %s", path_of(dir, i, ""));
	while (dying(dir) > before)
		nanosleep(&nap, NULL);
	printf("%lld\n", now_ns() - began);
}

static void tree(const char *dir, int n)
{
	char sub[512];
	int i;

	make_dir(dir);
	for (i = 0; i < n; i++) {
		snprintf(sub, sizeof(sub), "%s/d%d", dir, i / 100);
		if (i % 100 == 0)
			make_dir(sub);
		make_file(path_of(sub, i, ""));
	}
}

/* Look at all entries below the current directory; how many there are. */
static long look(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	struct stat st;
	long n = 0;
	int sub;

	if (!dir)
		err(1, "fdopendir");
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			err(1, "%s", e->d_name);
		n++;
		if (!S_ISDIR(st.st_mode))
			continue;
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY);
		if (sub < 0)
			err(1, "%s", e->d_name);
		n += look(sub);
	}
	closedir(dir);
	return n;
}

static void walk(const char *top, int rounds)
{
	long long began = now_ns();
	long n = 0;
	int fd, i;

	for (i = 0; i < rounds; i++) {
		fd = open(top, O_RDONLY | O_DIRECTORY);
		if (fd < 0)
			err(1, "%s", top);
		n += look(fd);
	}
	printf("%ld %lld\n", n, now_ns() - began);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "cgroups") && argc == 5)
		cgroups(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (!strcmp(what, "mounts") && argc == 4)
		mounts(argv[2], atoi(argv[3]));
	else if (!strcmp(what, "files") && argc == 5)
		files(argv[2], argv[3], atoi(argv[4]));
	else if (!strcmp(what, "rmdirs") && argc == 5)
		rmdirs(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (!strcmp(what, "tree") && argc == 4)
		tree(argv[2], atoi(argv[3]));
	else if (!strcmp(what, "walk") && argc == 4)
		walk(argv[2], atoi(argv[3]));
	else
		errx(1, "usage: see the top of manycg.c");
	return 0;
}
