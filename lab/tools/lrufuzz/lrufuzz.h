/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lrufuzz: texts made up at random for the files that take text from an operator,
 * each held against what the documentation promises for it.
 *
 * gen.c makes texts up, and spoil.c spoils some; oracle.c and command.c read them by
 * the documented rules; model.c keeps what they depend on and change; files.c hands
 * them over; scene.c sees to what has to be there before; main.c puts it together.
 */
#ifndef LRUFUZZ_H
#define LRUFUZZ_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/tool.h"

#define CGROUPS		"/sys/fs/cgroup"
#define KNOBS		"/sys/kernel/mm/lru_gen/"
#define COMMANDS	"/sys/kernel/debug/lru_gen"

#define MAX_TEXT	(2UL << 20)	/* the longest text made up */
#define MAX_COMMANDS	(1UL << 20)	/* the longest text that debugfs takes */
#define MAX_FAULT	2048UL		/* the longest text with a fault behind it */
#define MAX_NODES	2
#define MAX_GROUPS	16
#define MAX_RESULTS	4
#define NO_GEN		ULONG_MAX
#define MANY_GENS	100000UL	/* more than anybody opens in a moment */

enum { EXIT_MISMATCH = 1, EXIT_BROKEN };

enum iface { I_ENABLED, I_MIN_TTL, I_COMMANDS, I_RECLAIM, I_SOFT, NR_IFACES };

/* How a text is handed over. */
enum how { H_WRITE, H_PWRITE, H_SEEK, H_WRITEV, H_FAULT, NR_HOWS };

/* Who else changes the generations of a cgroup. */
enum kind {
	K_EMPTY,	/* has no memory */
	K_IDLE,		/* has some, and nobody uses it */
	K_FED,		/* has some that is used; nobody reclaims */
	K_BUSY,		/* always at its limit */
	K_OTHER,	/* not ours, such as the root */
	K_GONE,		/* was removed */
};

struct input {
	enum iface iface;
	enum how how;
	struct group *group;	/* whose file, if it is one of a cgroup */
	unsigned char *text;	/* room for MAX_TEXT */
	size_t len;
	size_t cut;		/* H_WRITEV: length of the first part */
	size_t beyond;		/* H_FAULT: bytes behind the text that fault */
	long offset;		/* H_PWRITE, H_SEEK */
};

/* Where 6.12 differs on purpose; see lab/check/debugfs. */
enum differs {
	D_LARGE = 1,	/* numbers beyond their limits wrapped there */
	D_LATER = 2,	/* the commands before a malformed one were carried out */
	D_NUL = 4,	/* NUL ended all of the text */
	D_LONG = 8,	/* there was no limit to the length */
	D_KEPT = 16,	/* soft limits are taken, and forgotten */
};

/*
 * What may come of a text, most often one thing: the count that write() returns,
 * or -errno.
 */
struct verdict {
	long result[MAX_RESULTS];
	int nr;
	const char *rule;	/* that decided */
	unsigned int differs;
};

struct where {			/* a cgroup on a node */
	unsigned long seq;	/* youngest generation, as last read */
	unsigned long lo, hi;	/* it has to be in between */
	unsigned long oldest[2];	/* with memory in it, by type */
	unsigned long pages;
	bool window_known;	/* @oldest is that of now */
};

struct group {
	char path[64];
	unsigned long id;
	enum kind kind;
	bool read;		/* found in the last reading */
	struct where node[MAX_NODES];
	unsigned long may_go;	/* pages that the text may evict */
	unsigned long long soft;	/* its soft limit */
	int fd;			/* of a file of it, -1 to open it each time */
};

struct model {
	struct group group[MAX_GROUPS];
	int nr_groups;
	struct group gone;
	unsigned int caps;
	unsigned int ttl_ms;
	unsigned int hz;
	bool stale;		/* generations may have changed for other reasons */
	bool reference;		/* 6.12's own kernel */
	unsigned long opened, evicted;	/* generations, and pages of /idle, by texts */
	const char *broken;	/* rule that is broken on purpose, to be found out */
};

extern struct model model;

/* gen.c */
void seed_with(uint64_t seed);
uint64_t below(uint64_t n);
bool one_in(uint64_t n);
void put_byte(struct input *in, unsigned char c);
void make_up(struct input *in);

#define PICK(array) ((array)[below(sizeof(array) / sizeof((array)[0]))])

/* spoil.c */
void spoil(struct input *in);
void make_junk(struct input *in);
void lengthen(struct input *in);

/* oracle.c: the model becomes what has to be in force afterwards */
void judge(const struct input *in, struct verdict *v);
void expect(struct verdict *v, long result, const char *rule);
bool broken(const char *rule);
bool is_blank(unsigned char c);
bool reclaim_request(const unsigned char *text, size_t len, unsigned long *pages);

/* command.c */
void judge_commands(const struct input *in, struct verdict *v);

/* model.c */
void find_groups(void);
struct group *group_of(unsigned long id);
bool settle(bool check, char *why, size_t room);
unsigned long read_id(const char *path);

/* boot.c */
void print_boots(struct input *in, unsigned long seed, unsigned long boots);

/* files.c */
const char *path_of(const struct input *in);
int open_file(const struct input *in);
long hand_over(const struct input *in);
void read_value(const struct input *in, char *value, size_t room);
void set_knob(const char *path, const char *text);

/* scene.c */
void set_scene(bool commands, bool soft);
void begin_block(void);
void reset_knobs(bool soft);

#endif /* LRUFUZZ_H */
