// SPDX-License-Identifier: GPL-2.0
/*
 * What has to be there before: a cgroup with memory that nobody uses, one that is
 * gone, and knobs as they are after boot.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lrufuzz.h"

#define IDLE_PAGES	1024UL

static int to_keeper = -1, from_keeper = -1;

static void keep(int from, int to)
{
	volatile char *map = mmap(NULL, IDLE_PAGES * PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long i;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (map != MAP_FAILED && read(from, &c, 1) == 1) {
		for (i = 0; i < IDLE_PAGES; i++)
			map[i * PAGE]++;
		if (write(to, &c, 1) != 1)
			break;
	}
	_exit(1);
}

static void enter(const char *group)
{
	char path[128], pid[16];
	int fd, len = snprintf(pid, sizeof(pid), "%d", getpid());

	snprintf(path, sizeof(path), CGROUPS "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, pid, len) != len)
		fail(EXIT_BROKEN, "cannot enter cgroup %s: %s", group, strerror(errno));
	close(fd);
}

static void start_keeper(void)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		fail(EXIT_BROKEN, "pipe: %s", strerror(errno));
	switch (fork()) {
	case -1:
		fail(EXIT_BROKEN, "fork: %s", strerror(errno));
	case 0:
		enter("/idle");
		keep(there[0], back[1]);
	}
	to_keeper = there[1];
	from_keeper = back[0];
}

static void refill(void)
{
	char c = 0;

	if (write(to_keeper, &c, 1) != 1 || read(from_keeper, &c, 1) != 1)
		fail(EXIT_BROKEN, "the process in cgroup /idle is gone");
}

/* Gone for good once nobody holds it any more, which takes a moment. */
static void lose_a_group(void)
{
	struct input i = { .iface = I_RECLAIM, .group = &model.gone };
	char text[64];
	int tries, fd;

	model.gone = (struct group) { .path = "/gone", .kind = K_GONE, .fd = -1 };
	if (mkdir(CGROUPS "/gone", 0755))
		fail(EXIT_BROKEN, "cannot make cgroup /gone: %s", strerror(errno));
	model.gone.id = read_id("/gone");
	model.gone.fd = open_file(&i);
	if (rmdir(CGROUPS "/gone"))
		fail(EXIT_BROKEN, "cannot remove cgroup /gone: %s", strerror(errno));
	fd = open(COMMANDS, O_WRONLY);
	snprintf(text, sizeof(text), "+ %lu 0 0", model.gone.id);
	for (tries = 0; write(fd, text, strlen(text)) > 0; tries++) {
		if (tries == 300)
			fail(EXIT_BROKEN, "a cgroup that was removed is still there after 30 s");
		usleep(100000);
	}
	close(fd);
}

/* As they are after boot. */
void reset_knobs(bool soft)
{
	struct input i = { .iface = I_SOFT };

	set_knob(KNOBS "enabled", "y");
	set_knob(KNOBS "min_ttl_ms", "0");
	model.caps = 7;
	for (i.group = model.group; i.group < model.group + model.nr_groups; i.group++)
		if (soft)
			set_knob(path_of(&i), "-1");
}

/* With lru_gen on, all of the memory that nobody uses is used once. */
void begin_block(void)
{
	set_knob(KNOBS "enabled", "y");
	model.caps = 7;
	model.stale = true;
	if (to_keeper >= 0)
		refill();
}

void set_scene(bool commands, bool soft)
{
	int i;

	if (commands)
		lose_a_group();
	find_groups();
	reset_knobs(soft);
	for (i = 0; i < model.nr_groups; i++)
		if (model.group[i].kind == K_IDLE)
			start_keeper();
}
