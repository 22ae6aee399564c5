// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroups and their generations: what they are, and what they have to be.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lrufuzz.h"

struct model model;

/* A reading of the file, line by line. */
struct reader {
	char *line, *rest;
	struct group *group;
	struct where *where;
};

static const struct {
	const char *path;
	enum kind kind;
} kinds[] = {
	{ "/empty", K_EMPTY }, { "/idle", K_IDLE }, { "/fed", K_FED }, { "/busy", K_BUSY },
};

static enum kind kind_of(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(path, kinds[i].path))
			return kinds[i].kind;
	return K_OTHER;
}

struct group *group_of(unsigned long id)
{
	int i;

	for (i = 0; i < model.nr_groups; i++)
		if (model.group[i].id == id)
			return &model.group[i];
	return NULL;
}

static char *read_all(void)
{
	static char text[1 << 16];
	int fd = open(COMMANDS, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		fail(EXIT_BROKEN, "cannot open %s: %s", COMMANDS, strerror(errno));
	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	if (n < 0 || len == sizeof(text) - 1)
		fail(EXIT_BROKEN, "cannot read %s: %s", COMMANDS, n ? strerror(errno) : "too long");
	close(fd);
	text[len] = '\0';
	return text;
}

/* A cgroup of that name, as the kernel numbers it; 0 if there is none. */
unsigned long read_id(const char *path)
{
	unsigned long id, found = 0;
	char *line, *rest = read_all(), seen[64];

	while ((line = strsep(&rest, "\n")))
		if (sscanf(line, "memcg %lu %63s", &id, seen) == 2 && !strcmp(seen, path))
			found = id;
	return found;
}

void find_groups(void)
{
	char *line, *rest = read_all();
	struct group *g = model.group;

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "memcg %lu %63s", &g->id, g->path) != 2)
			continue;
		g->kind = kind_of(g->path);
		g->soft = LONG_MAX / PAGE * PAGE;
		g->fd = -1;
		if (++g == model.group + MAX_GROUPS)
			fail(EXIT_BROKEN, "more than %d cgroups", MAX_GROUPS - 1);
	}
	model.nr_groups = g - model.group;
	model.stale = true;
}

static void start_node(struct reader *r, unsigned long nid)
{
	if (nid >= MAX_NODES)
		fail(EXIT_BROKEN, "node %lu has memory, but only the first %d may", nid, MAX_NODES);
	r->where = &r->group->node[nid];
	*r->where = (struct where) {
		.oldest = { NO_GEN, NO_GEN },
		.window_known = true,
	};
}

static void read_generation(struct where *w, const char *line)
{
	unsigned long seq, pages[2];
	int type;

	if (sscanf(line, "%lu %*u %lu %lu", &seq, &pages[0], &pages[1]) != 3)
		fail(EXIT_BROKEN, "%s has a line that is none: %s", COMMANDS, line);
	w->seq = seq;
	w->lo = seq;
	w->hi = seq;
	for (type = 0; type < 2; type++) {
		w->pages += pages[type];
		if (pages[type] && w->oldest[type] == NO_GEN)
			w->oldest[type] = seq;
	}
}

static void read_line(struct reader *r)
{
	unsigned long n;

	if (sscanf(r->line, "memcg %lu", &n) == 1) {
		r->group = group_of(n);
		if (!r->group)
			fail(EXIT_BROKEN, "a cgroup has come: %s", r->line);
		r->group->read = true;
	} else if (sscanf(r->line, " node %lu", &n) == 1) {
		start_node(r, n);
	} else if (*r->line) {
		read_generation(r->where, r->line);
	}
}

static void read_groups(void)
{
	struct reader r = { .rest = read_all() };
	int i;

	for (i = 0; i < model.nr_groups; i++)
		model.group[i].read = false;
	while ((r.line = strsep(&r.rest, "\n")))
		read_line(&r);
	for (i = 0; i < model.nr_groups; i++)
		if (!model.group[i].read)
			fail(EXIT_BROKEN, "cgroup %s is not in %s any more", model.group[i].path, COMMANDS);
}

static unsigned long pages_of(const struct group *g)
{
	unsigned long pages = 0;
	int nid;

	for (nid = 0; nid < MAX_NODES; nid++)
		pages += g->node[nid].pages;
	return pages;
}

/* What is not as it has to be, into @why. */
static bool compare(const struct group *was, const struct group *is, char *why, size_t room)
{
	unsigned long before = pages_of(was), after = pages_of(is);
	int nid;

	for (nid = 0; nid < MAX_NODES; nid++) {
		const struct where *want = &was->node[nid];
		unsigned long seq = is->node[nid].seq;

		if (seq >= want->lo && seq <= want->hi)
			continue;
		snprintf(why, room, "%s has generation %lu on node %d, expected %lu..%lu",
			 was->path, seq, nid, want->lo, want->hi);
		return false;
	}
	if (was->kind == K_IDLE && before > after && before - after > was->may_go) {
		snprintf(why, room, "%s had %lu pages, has %lu, may lose %lu",
			 was->path, before, after, was->may_go);
		return false;
	}
	return true;
}

/* Reclaim opens generations in those as well. */
static void loosen(struct group *g)
{
	int nid;

	for (nid = 0; nid < MAX_NODES && (g->kind == K_BUSY || g->kind == K_OTHER); nid++)
		g->node[nid].hi += MANY_GENS;
}

/* For the record: what a text has done where nobody else does anything. */
static void add_work(const struct group *was, const struct group *is)
{
	unsigned long before = pages_of(was), after = pages_of(is);
	int nid;

	if (was->kind == K_IDLE && before > after)
		model.evicted += before - after;
	for (nid = 0; nid < MAX_NODES && was->kind <= K_FED; nid++)
		model.opened += is->node[nid].seq - was->node[nid].seq;
}

/* Read what is; with @check, hold it against what has to be. */
bool settle(bool check, char *why, size_t room)
{
	static struct group was[MAX_GROUPS];
	bool good = true;
	int i;

	memcpy(was, model.group, sizeof(was));
	read_groups();
	for (i = 0; i < model.nr_groups; i++) {
		if (check && good)
			good = compare(&was[i], &model.group[i], why, room);
		if (check)
			add_work(&was[i], &model.group[i]);
		model.group[i].may_go = 0;
		loosen(&model.group[i]);
	}
	model.stale = false;
	return good;
}
