// SPDX-License-Identifier: GPL-2.0
/*
 * Makes texts up by the grammar of each file.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/random.h"
#include "lrufuzz.h"

static uint64_t state;

void seed_with(uint64_t seed)
{
	state = seed;
}

static uint64_t rnd(void)
{
	return mix(state += 0x9e3779b97f4a7c15ULL);
}

uint64_t below(uint64_t n)
{
	return rnd() % n;
}

bool one_in(uint64_t n)
{
	return !below(n);
}

/* ---- pieces ---- */

void put_byte(struct input *in, unsigned char c)
{
	if (in->len < MAX_TEXT)
		in->text[in->len++] = c;
}

__attribute__((format(printf, 2, 3)))
static void put(struct input *in, const char *fmt, ...)
{
	char text[128], *at;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (at = text; *at; at++)
		put_byte(in, *at);
}

static unsigned long edge(void)
{
	static const unsigned long edges[] = {
		0, 1, 2, 7, 8, 200, 201, 255, 256, 4095, 4096, USHRT_MAX, USHRT_MAX + 1UL,
		INT_MAX, INT_MAX + 1UL, UINT_MAX, UINT_MAX + 1UL, LONG_MAX, LONG_MAX + 1UL,
		ULONG_MAX - 1, ULONG_MAX,
	};

	return PICK(edges);
}

static void put_digits(struct input *in, size_t n)
{
	while (n--)
		put_byte(in, '0' + below(10));
}

/* 2^64 and more of it: the same number to who does not look for an overflow. */
static void put_wrapped(struct input *in, unsigned long n)
{
	unsigned __int128 wide = ((unsigned __int128)1 << 64) + n;
	char digits[48], *at = digits + sizeof(digits) - 1;

	*at = '\0';
	for (; wide; wide /= 10)
		*--at = '0' + (int)(wide % 10);
	put(in, "%s", at);
}

static void put_odd_number(struct input *in, unsigned long n)
{
	switch (below(13)) {
	case 0: put(in, "0x%lx", n); break;
	case 1: put(in, "0X%lX", n); break;
	case 2: put(in, "0%lo", n); break;
	case 3: put(in, "+%lu", n); break;
	case 4: put(in, "-%lu", n); break;
	case 5: put(in, "%0*lu", (int)(2 + below(40)), n); break;
	case 6: put(in, "%lu.%lu", n, below(100)); break;
	case 7: put_digits(in, 15 + below(40)); break;
	case 8: put(in, "%lu", n + (1UL << 32)); break;
	case 9: put_wrapped(in, n); break;
	case 10: put(in, "%lu", edge()); break;
	case 11: put(in, "0x"); break;
	default: break;		/* none at all */
	}
}

static void put_number(struct input *in, unsigned long n)
{
	if (one_in(80))
		put_odd_number(in, n);
	else
		put(in, "%lu", n);
}

static void put_blanks(struct input *in, bool needed)
{
	static const unsigned char blanks[] = "   \t\n\v\f\r\xa0";
	size_t n = one_in(12) ? needed + below(5) : needed;

	while (n--)
		put_byte(in, one_in(8) ? blanks[below(sizeof(blanks) - 1)] : ' ');
}

/* ---- one for each interface ---- */

static void make_enabled(struct input *in)
{
	static const char * const words[] = {
		"y", "n", "Y", "N", "yes", "no", "Yen", "on", "off", "true", "false", "t", "f",
		"1y",
	};

	if (one_in(2))
		put(in, "%s", PICK(words));
	else if (one_in(2))
		put_number(in, below(9));
	else
		put_odd_number(in, below(9));
	if (one_in(2))
		put(in, "\n");
}

static void make_ttl(struct input *in)
{
	unsigned long ms = one_in(3) ? edge() : below(1UL << below(34));

	if (one_in(3))
		put_odd_number(in, ms);
	else
		put_number(in, ms);
	if (one_in(2))
		put(in, "\n");
}

static void put_size(struct input *in, unsigned long most_pages)
{
	static const char suffixes[] = "kKmMgGtTpPeE";
	unsigned long n = below(most_pages + 1);

	if (one_in(12))
		put_odd_number(in, one_in(2) ? edge() : n * PAGE);
	else if (one_in(2))
		put_number(in, n * PAGE + below(2));
	else if (one_in(8))
		put(in, "%lu%c", below(9), suffixes[below(sizeof(suffixes) - 1)]);
	else
		put(in, "%luK", n * (PAGE >> 10));
}

static void make_reclaim(struct input *in)
{
	static const unsigned long good[] = { 0, 1, 60, 100, 101, 199, 200, 201 };
	static const char * const keys[] = {
		"swappiness=", "swappiness", "Swappiness=", "swappiness =", "swap=", "nodes=",
		"=", "",
	};
	unsigned int n;

	put_blanks(in, false);
	put_size(in, one_in(3) ? 0 : 16);
	for (n = one_in(2) ? 0 : 1 + below(3); n; n--) {
		put_blanks(in, !one_in(8));
		put(in, "%s", one_in(6) ? PICK(keys) : keys[0]);
		put_number(in, PICK(good));
	}
	if (one_in(2))
		put(in, "\n");
	in->group = one_in(25) ? &model.gone : &model.group[below(model.nr_groups)];
}

static void make_soft(struct input *in)
{
	put_blanks(in, false);
	if (one_in(6))
		put(in, "-1");
	else if (one_in(5))
		put_odd_number(in, edge());
	else
		put_size(in, 1UL << below(16));
	put_blanks(in, false);
	if (one_in(2))
		put(in, "\n");
	in->group = &model.group[below(model.nr_groups)];
}

/* The youngest of each cgroup when the commands before have been carried out. */
struct plan {
	unsigned long opened[MAX_GROUPS][MAX_NODES];
};

static unsigned long pick_seq(char verb, unsigned long youngest, bool *opens)
{
	static const long around[] = { -5, -4, -3, -2, -1, 0, 1, 2 };

	*opens = false;
	if (one_in(30))
		return edge();
	if (one_in(5))
		return youngest + PICK(around);
	if (verb == '-')
		return one_in(2) ? youngest - 2 : below(youngest - 1);
	*opens = one_in(2);
	return *opens ? youngest : below(youngest);
}

static unsigned long pick_id(const struct group *g)
{
	if (one_in(60))
		return model.gone.id;
	if (one_in(80))
		return below(1UL << 17);
	return one_in(80) ? edge() : g->id;
}

static unsigned long pick_amount(char verb)
{
	if (one_in(20))
		return edge();
	return verb == '+' ? below(2) : below(one_in(4) ? 300 : 40);
}

/* Those of which we know most are the most telling. */
static int pick_group(void)
{
	int i = below(model.nr_groups), again;

	for (again = one_in(4) ? 0 : 3; again && model.group[i].kind != K_IDLE; again--)
		i = below(model.nr_groups);
	return i;
}

static char pick_verb(const struct group *g)
{
	static const char odd[] = "*x0 \xab";

	if (one_in(80))
		return odd[below(sizeof(odd))];
	/* A window fills only where little is evicted. */
	return one_in(g->kind == K_IDLE ? 6 : 2) ? '-' : '+';
}

static void put_command(struct input *in, struct plan *plan)
{
	static const unsigned long swappiness[] = {
		0, 0, 0, 0, 1, 1, 2, 60, 60, 60, 60, 100, 150, 199, 200, 200, 200, 201, UINT_MAX,
	};
	int group = pick_group(), nid = below(MAX_NODES), i, nr;
	const struct group *g = &model.group[group];
	char verb = pick_verb(g);
	unsigned long arg[6];
	bool opens;

	arg[0] = pick_id(g);
	arg[1] = one_in(40) ? below(20) : (unsigned long)nid;
	arg[2] = pick_seq(verb, g->node[nid].lo + plan->opened[group][nid], &opens);
	arg[3] = one_in(40) ? edge() : PICK(swappiness);
	arg[4] = pick_amount(verb);
	arg[5] = below(3);
	/* An amount is left out rarely, as all that is old would go. */
	nr = (verb == '-' && !one_in(8)) || one_in(2) ? 5 : 3 + below(3);
	if (one_in(40))
		nr = below(7);
	put_blanks(in, false);
	put_byte(in, verb);
	put_blanks(in, one_in(2));
	for (i = 0; i < nr; i++) {
		if (one_in(200))
			continue;
		put_number(in, arg[i]);
		if (i + 1 < nr)
			put_blanks(in, !one_in(150));
	}
	plan->opened[group][nid] += opens;
}

static void make_commands(struct input *in)
{
	static const char * const separators[] = {
		";", ",", "\n", ";\n", "\n\n", " ; ", ",;,", ";", "\n", "\n", "\t\n",
	};
	struct plan plan = { 0 };
	unsigned int nr = one_in(3) ? below(7) : 1;

	if (one_in(20))
		put(in, "%s", PICK(separators));
	while (nr--) {
		put_command(in, &plan);
		if (nr || one_in(2))
			put(in, "%s", PICK(separators));
		if (one_in(200))
			put_byte(in, '\0');
	}
}

/* ---- all of it ---- */

static void choose_how(struct input *in)
{
	in->how = one_in(8) ? below(NR_HOWS) : H_WRITE;
	if ((in->how == H_WRITEV && in->len < 2) || (in->how == H_FAULT && in->len > MAX_FAULT))
		in->how = H_WRITE;
	in->cut = in->how == H_WRITEV ? 1 + below(in->len - 1) : 0;
	in->beyond = in->how == H_FAULT ? 1 + below(64) : 0;
	in->offset = below(3000);
}

/* Big ones go to who has nothing to give, mostly. */
static void spare_the_loaded(struct input *in)
{
	unsigned long pages;
	int i;

	if (in->group->kind == K_EMPTY || in->group->kind == K_GONE)
		return;
	if (!reclaim_request(in->text, in->len, &pages) || pages <= 64)
		return;
	if (in->group->kind != K_OTHER && pages < 4096 && one_in(20))
		return;
	for (i = 0; i < model.nr_groups; i++)
		if (model.group[i].kind == K_EMPTY)
			in->group = &model.group[i];
}

void make_up(struct input *in)
{
	static void (* const make[NR_IFACES])(struct input *in) = {
		[I_ENABLED] = make_enabled,
		[I_MIN_TTL] = make_ttl,
		[I_COMMANDS] = make_commands,
		[I_RECLAIM] = make_reclaim,
		[I_SOFT] = make_soft,
	};
	unsigned int n;

	in->len = 0;
	in->group = NULL;
	make[in->iface](in);
	if (one_in(12)) {
		in->len = 0;
		make_junk(in);
	} else {
		for (n = one_in(4) ? 1 + below(3) : 0; n; n--)
			spoil(in);
	}
	if (one_in(150))
		lengthen(in);
	choose_how(in);
	if (in->iface == I_RECLAIM)
		spare_the_loaded(in);
}
