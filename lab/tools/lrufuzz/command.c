// SPDX-License-Identifier: GPL-2.0
/*
 * What has to come of commands written to debugfs' lru_gen, by
 * Documentation/admin-guide/mm/multigen_lru.rst.
 */
#include <errno.h>
#include <string.h>

#include "lrufuzz.h"

#define SEPARATORS	",;\n"		/* and NUL */
#define NR_ARGS		5
#define NR_REQUIRED	3
#define OWN		UINT_MAX	/* swappiness of the cgroup */
#define YOUNG		2		/* generations that `-` cannot name */
#define WINDOW		7		/* generations there can be */
#define NODE_IDS	16		/* of the guest's kernel, CONFIG_NODES_SHIFT */

struct command {
	unsigned char verb;
	unsigned long arg[NR_ARGS];
	const unsigned char *at, *end;
};

enum arg { A_MEMCG, A_NODE, A_SEQ, A_SWAPPINESS, A_AMOUNT };

static const unsigned char *skip(const unsigned char *at, const unsigned char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static bool is_separator(unsigned char c)
{
	return !c || strchr(SEPARATORS, c);
}

/* The next command that is not empty from @from on. */
static bool next_command(const unsigned char *from, const unsigned char *end, struct command *c)
{
	for (;;) {
		/* A newline is a separator, although it is a blank as well. */
		while (from < end && (is_separator(*from) || is_blank(*from)))
			from++;
		if (from == end)
			return false;
		c->at = from;
		while (from < end && !is_separator(*from))
			from++;
		c->end = from;
		return true;
	}
}

/* Decimal digits compared as text, so that nothing can overflow here. */
static bool within(const unsigned char *digits, size_t len, unsigned long limit)
{
	char text[24];
	size_t room = 0;
	unsigned long rest = limit;

	do
		room++;
	while (rest /= 10);
	while (len && *digits == '0') {
		digits++;
		len--;
	}
	if (len != room)
		return len < room;
	for (text[room] = '\0', rest = limit; room; rest /= 10)
		text[--room] = '0' + rest % 10;
	return memcmp(digits, text, len) <= 0;
}

static unsigned long value_of(const unsigned char *digits, size_t len)
{
	unsigned long value = 0;

	while (len--)
		value = value * 10 + (*digits++ - '0');
	return value;
}

static unsigned long limit_of(enum arg arg)
{
	switch (arg) {
	case A_MEMCG:
		return USHRT_MAX;
	case A_NODE:
		return NODE_IDS - 1;
	case A_SWAPPINESS:
		return broken("commands") ? 201 : 200;
	default:
		return ULONG_MAX;
	}
}

/* Fills in @c; whether it is well formed. */
static bool read_command(struct command *c, unsigned int *differs)
{
	const unsigned char *at = c->at, *digits;
	bool good;
	int i;

	c->verb = *at++;
	good = c->verb == '+' || c->verb == '-';
	c->arg[A_SWAPPINESS] = OWN;
	c->arg[A_AMOUNT] = ULONG_MAX;
	for (i = 0; i < NR_ARGS; i++) {
		at = skip(at, c->end);
		if (at == c->end && i >= NR_REQUIRED)
			break;
		for (digits = at; at < c->end && *at >= '0' && *at <= '9';)
			at++;
		if (digits == at)
			return false;
		c->arg[i] = value_of(digits, at - digits);
		if (!within(digits, at - digits, limit_of(i)) &&
		    !(i == A_SWAPPINESS && within(digits, at - digits, OWN) && c->arg[i] == OWN)) {
			good = false;
			*differs |= D_LARGE;
		}
	}
	return good && skip(at, c->end) == c->end;
}

/*
 * Whether the window is full, for which a type counts that the command is about.
 * 1 if it is, 0 if not, -1 if we cannot know.
 */
static int window_full(const struct group *g, const struct where *w, const struct command *c)
{
	bool anon = c->arg[A_SWAPPINESS];
	unsigned long oldest;

	if (model.reference || !(model.caps & 1))
		return -1;
	if (g->kind == K_EMPTY || broken("window"))
		return 0;
	if (g->kind != K_IDLE || !w->window_known)
		return -1;
	oldest = w->oldest[1];
	if (anon && w->oldest[0] < oldest)
		oldest = w->oldest[0];
	return oldest != NO_GEN && w->lo - oldest + 1 >= WINDOW;
}

/* What may come of one command. */
enum { C_DONE = 1, C_EINVAL = 2, C_ERANGE = 4 };

/* False once it is not known whether a command has been reached. */
static bool sure;

static unsigned int run_age(struct group *g, struct where *w, const struct command *c)
{
	unsigned long seq = c->arg[A_SEQ];
	int full;

	if (seq < w->lo)
		return C_DONE;
	if (seq > w->hi)
		return C_EINVAL;
	full = c->arg[A_AMOUNT] ? 0 : window_full(g, w, c);
	if (w->lo == w->hi && full == 1)
		return C_ERANGE;
	w->window_known = false;
	if (w->lo == w->hi) {
		w->hi++;
		w->lo += sure && !full;
		return full ? C_DONE | C_ERANGE : C_DONE;
	}
	if (seq == w->hi)
		w->hi++;
	return C_DONE | C_EINVAL | (full ? C_ERANGE : 0);
}

static unsigned int run_evict(struct group *g, struct where *w, const struct command *c)
{
	unsigned long seq = c->arg[A_SEQ];

	if (seq > w->hi - YOUNG)
		return C_EINVAL;
	w->window_known = false;
	/* 6.12 evicts whole batches of thousands. */
	if (broken("amount"))
		g->may_go = 0;
	else if (__builtin_add_overflow(g->may_go, c->arg[A_AMOUNT], &g->may_go) ||
		 (model.reference && c->arg[A_AMOUNT]))
		g->may_go = ULONG_MAX;
	return seq <= w->lo - YOUNG ? C_DONE : C_DONE | C_EINVAL;
}

static unsigned int run(const struct command *c, unsigned int *differs)
{
	struct group *g = group_of(c->arg[A_MEMCG]);
	struct where *w;

	if (!g || c->arg[A_NODE] >= MAX_NODES)
		return C_EINVAL;
	w = &g->node[c->arg[A_NODE]];
	if (c->arg[A_SEQ] > ULONG_MAX - YOUNG)
		*differs |= D_LARGE;
	return c->verb == '+' ? run_age(g, w, c) : run_evict(g, w, c);
}

/* Until one is malformed. Returns whether the end may have been reached. */
static bool run_all(const unsigned char *text, const unsigned char *end, struct verdict *v)
{
	struct command c;
	unsigned int may;

	for (sure = true; next_command(text, end, &c); text = c.end) {
		if (!read_command(&c, &v->differs))
			return false;
		may = run(&c, &v->differs);
		if (may & C_EINVAL)
			expect(v, -EINVAL, "no such cgroup or node, or a generation it cannot be");
		if (may & C_ERANGE)
			expect(v, -ERANGE, "the window is full");
		if (!(may & C_DONE))
			return false;
		sure = sure && may == C_DONE;
	}
	return true;
}

static void carry_out(const unsigned char *text, size_t len, struct verdict *v)
{
	const unsigned char *end = text + len, *from = text;
	bool any = false, good = true;
	struct command c;

	if (memchr(text, '\0', len))
		v->differs |= D_NUL;
	for (; next_command(from, end, &c); from = c.end) {
		if (!read_command(&c, &v->differs)) {
			good = false;
			if (any)
				v->differs |= D_LATER;
		}
		any = true;
	}
	if (!any)
		expect(v, -EINVAL, "no command at all");
	else if (!good)
		expect(v, -EINVAL, "a malformed command");
	if (any && (good || broken("half")) && run_all(text, end, v))
		expect(v, len, "carried out");
}

static void judge_write(const unsigned char *text, size_t len, struct verdict *v)
{
	if (len > MAX_COMMANDS) {
		v->differs |= D_LONG;
		expect(v, -EINVAL, "longer than 1 MiB");
	} else {
		carry_out(text, len, v);
	}
}

/* debugfs is handed each part of a writev() by itself. */
static void judge_parts(const struct input *in, struct verdict *v)
{
	struct verdict second = { .nr = 0 };
	int i;

	judge_write(in->text, in->cut, v);
	if (v->result[v->nr - 1] != (long)in->cut)
		return;
	v->nr--;
	judge_write(in->text + in->cut, in->len - in->cut, &second);
	v->differs |= second.differs;
	for (i = 0; i < second.nr; i++)
		expect(v, second.result[i] < 0 ? (long)in->cut : (long)in->len, second.rule);
}

void judge_commands(const struct input *in, struct verdict *v)
{
	if (in->how == H_PWRITE)
		expect(v, -ESPIPE, "no writing at an offset");
	else if (in->how == H_FAULT)
		expect(v, -EFAULT, "the text cannot be read");
	else if (in->how == H_WRITEV)
		judge_parts(in, v);
	else
		judge_write(in->text, in->len, v);
}
