// SPDX-License-Identifier: GPL-2.0
/*
 * What has to come of a text written to a knob or to a file of a cgroup, by
 * Documentation/ABI/testing, Documentation/admin-guide, and the rules for numbers
 * that all files of sysfs and cgroupfs share.
 */
#include <errno.h>
#include <string.h>

#include "lrufuzz.h"

struct span {
	const unsigned char *at, *end;
};

/* A number as the kernel's files take it: hex after 0x, octal after 0. */
struct number {
	size_t digits;		/* none if there is no number */
	uint64_t value;		/* modulo 2^64 */
	bool over;		/* 2^64 or more */
};

void expect(struct verdict *v, long result, const char *rule)
{
	int i;

	v->rule = rule;
	for (i = 0; i < v->nr; i++)
		if (v->result[i] == result)
			return;
	if (v->nr == MAX_RESULTS)
		fail(EXIT_BROKEN, "the oracle allows too much");
	v->result[v->nr++] = result;
}

bool broken(const char *rule)
{
	return model.broken && !strcmp(model.broken, rule);
}

/* As the kernel has it: Latin-1, with its blank that does not break. */
bool is_blank(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0;
}

static int digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : INT_MAX;
}

static int at(const struct span *s, size_t i)
{
	return i < (size_t)(s->end - s->at) ? s->at[i] : 0;
}

static struct number take_number(struct span *s)
{
	struct number n = { 0 };
	int base = 10;

	if (at(s, 0) == '0') {
		base = 8;
		if ((at(s, 1) | 0x20) == 'x' && digit(at(s, 2)) < 16) {
			base = 16;
			s->at += 2;
		}
	}
	for (; s->at < s->end && digit(*s->at) < base; s->at++) {
		unsigned __int128 wide = (unsigned __int128)n.value * base + digit(*s->at);

		n.over |= wide >> 64 != 0;
		n.value = wide;
		n.digits++;
	}
	return n;
}

/* The whole text is one number, a sign before and a newline behind allowed. */
static bool is_number(struct span s, uint64_t *value)
{
	struct number n;

	if (at(&s, 0) == '+' && !broken("min_ttl"))
		s.at++;
	n = take_number(&s);
	if (at(&s, 0) == '\n')
		s.at++;
	*value = n.value;
	return n.digits && !n.over && n.value <= UINT_MAX && s.at == s.end;
}

/* NUL ends it. */
static struct span text_of(const unsigned char *text, size_t len)
{
	struct span s = { text, text + strnlen((const char *)text, len) };

	return s;
}

static struct span strip(struct span s)
{
	while (s.at < s.end && is_blank(*s.at))
		s.at++;
	while (s.at < s.end && is_blank(s.end[-1]))
		s.end--;
	return s;
}

/* ---- knobs of sysfs, which take a page and return short for more ---- */

static long sysfs_count(const struct input *in)
{
	return in->len < PAGE ? in->len : PAGE;
}

static bool is_caps(struct span s, unsigned int *caps)
{
	int first;
	uint64_t value;

	if (broken("enabled"))
		s = strip(s);
	first = at(&s, 0) | 0x20;
	if (first == 'y' || first == 'n') {
		*caps = first == 'y' ? 7 : 0;
		return true;
	}
	if (!is_number(s, &value))
		return false;
	*caps = value & 7;
	return true;
}

/* The tick rounds it up; half of what fits is for ever, and shown as such. */
static unsigned int ttl_shown(uint64_t ms)
{
	unsigned int tick = 1000 / model.hz;

	if (ms > INT_MAX)
		return (unsigned int)((LONG_MAX / 2 - 1) * tick);
	return (ms + tick - 1) / tick * tick;
}

static void judge_knob(const struct input *in, struct verdict *v)
{
	struct span s = text_of(in->text, sysfs_count(in));
	uint64_t ms;

	if (in->how == H_FAULT) {
		expect(v, -EFAULT, "the text cannot be read");
	} else if (!in->len) {
		expect(v, 0, "an empty write does nothing");
	} else if (in->iface == I_ENABLED) {
		if (is_caps(s, &model.caps))
			expect(v, sysfs_count(in), "y, n or a mask");
		else
			expect(v, -EINVAL, "neither y, n nor a mask");
	} else if (is_number(s, &ms)) {
		model.ttl_ms = ttl_shown(ms);
		expect(v, sysfs_count(in), "a number of milliseconds");
	} else {
		expect(v, -EINVAL, "no number of 32 bits");
	}
}

/* ---- files of cgroups, which take a page at most ---- */

/* What is wrong before anybody looks at the text. */
static bool judge_cgroup_write(const struct input *in, struct verdict *v)
{
	if (in->len + in->beyond > PAGE)
		expect(v, -E2BIG, "longer than a page");
	else if (in->how == H_FAULT)
		expect(v, -EFAULT, "the text cannot be read");
	else if (in->group->kind == K_GONE)
		expect(v, -ENODEV, "the cgroup is gone");
	else if (!in->len)
		expect(v, 0, "an empty write does nothing");
	return v->nr;
}

/* A size: number and suffix, of which either may be missing, modulo 2^64. */
static uint64_t take_size(struct span *s)
{
	static const char suffixes[] = "kmgtpe";
	uint64_t size = take_number(s).value;
	const char *suffix;

	if (s->at == s->end || !*s->at)
		return size;
	suffix = strchr(suffixes, *s->at | 0x20);
	/* Bit 5 makes a letter small, but would make a letter of other bytes, too. */
	if (!suffix || !((*s->at | 0x20) >= 'a' && *s->at >= 'A'))
		return size;
	s->at++;
	return size << (10 * (suffix - suffixes + 1));
}

/* swappiness=N: N has a sign or not, is 23 characters at most, wraps at 2^64. */
static bool is_swappiness(struct span s)
{
	static const char key[] = "swappiness=";
	size_t key_len = sizeof(key) - 1, len = s.end - s.at;
	struct number n;
	bool negative;
	int64_t value;

	if (len <= key_len || memcmp(s.at, key, key_len))
		return false;
	s.at += key_len;
	negative = *s.at == '-';
	s.at += negative;
	n = take_number(&s);
	value = negative ? -n.value : n.value;
	return s.at == s.end && (n.digits || negative) && len - key_len < 24 &&
	       value >= 0 && value <= (broken("reclaim") ? 100 : 200);
}

bool reclaim_request(const unsigned char *text, size_t len, unsigned long *pages)
{
	struct span s = strip(text_of(text, len)), rest = s, word;

	*pages = take_size(&rest) / PAGE;
	if (rest.at == s.at)
		return false;
	/* Only here other blanks than a space are as good. */
	rest = strip(rest);
	while (rest.at < rest.end) {
		word = rest;
		while (rest.at < rest.end && *rest.at != ' ')
			rest.at++;
		word.end = rest.at;
		if (word.at < word.end && !is_swappiness(word))
			return false;
		rest.at += rest.at < rest.end;
	}
	return true;
}

/* Whole batches of 32 pages may go; 6.12 takes more. Generations may be opened. */
static void expect_reclaim(struct group *g, unsigned long pages)
{
	int nid;

	g->may_go = model.reference || pages > LONG_MAX ? ULONG_MAX : (pages + 31) / 32 * 32;
	for (nid = 0; nid < MAX_NODES; nid++)
		g->node[nid].hi += pages ? MANY_GENS : 0;
}

static void judge_reclaim(const struct input *in, struct verdict *v)
{
	unsigned long pages;

	if (judge_cgroup_write(in, v))
		return;
	if (!reclaim_request(in->text, in->len, &pages)) {
		expect(v, -EINVAL, "no size, or something else than swappiness=0..200 behind it");
		return;
	}
	expect_reclaim(in->group, pages);
	if (!pages || in->group->kind != K_EMPTY)
		expect(v, in->len, pages ? "reclaimed" : "less than a page");
	if (pages)
		expect(v, -EAGAIN, "less was there");
}

static void judge_soft(const struct input *in, struct verdict *v)
{
	struct span s = strip(text_of(in->text, in->len));
	uint64_t size, most = LONG_MAX / PAGE;

	if (judge_cgroup_write(in, v))
		return;
	if (s.end - s.at == 2 && !memcmp(s.at, "-1", 2)) {
		size = most;
	} else {
		size = take_size(&s);
		if (s.at != s.end) {
			expect(v, -EINVAL, "neither a size nor -1");
			return;
		}
		size = broken("soft_limit") ? (size + PAGE - 1) / PAGE : size / PAGE;
		if (size > most)
			size = most;
	}
	in->group->soft = size * PAGE;
	v->differs |= D_KEPT;
	expect(v, in->len, "a size or -1");
}

void judge(const struct input *in, struct verdict *v)
{
	*v = (struct verdict) { .nr = 0 };
	switch (in->iface) {
	case I_COMMANDS:
		judge_commands(in, v);
		break;
	case I_RECLAIM:
		judge_reclaim(in, v);
		break;
	case I_SOFT:
		judge_soft(in, v);
		break;
	default:
		judge_knob(in, v);
	}
}
