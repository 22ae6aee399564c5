/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walktest: main.c runs the cases, each in a process of its own; used.c, passed-over.c,
 * races.c and idle.c are the cases; memory.c is what they touch, and generations.c what
 * the kernel says of it.
 */
#ifndef WALKTEST_H
#define WALKTEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PAGE		4096UL
#define HUGE		(2UL << 20)
#define HUGE_PAGES	(HUGE / PAGE)
#define CGROOT		"/sys/fs/cgroup"
#define MAX_TEXT	(1 << 20)
#define MAX_SEQS	64
#define MAX_PAGES	16384
#define CASE_SECONDS	60
#define FILE_PATH	"/scratch/walktest"
#define FILE_PAGES	2048UL

enum { EXIT_OK, EXIT_WRONG, EXIT_USAGE, EXIT_SYSTEM, EXIT_SKIP };

/* Sizes of one memcg's generations on one node, in pages. */
struct sizes {
	int nr;
	unsigned long seq[MAX_SEQS], pages[MAX_SEQS];
	unsigned long max_seq, total;
};

extern char cg_dir[256];
extern bool full_walks;			/* not only of what has run */

__attribute__((format(printf, 2, 3), noreturn))
void leave(int status, const char *fmt, ...);

#define wrong(...)	leave(EXIT_WRONG, __VA_ARGS__)
#define skip(...)	leave(EXIT_SKIP, __VA_ARGS__)
#define broken(what)	leave(EXIT_SYSTEM, "%s: %s", what, strerror(errno))

/* files.c */
extern char text[MAX_TEXT];		/* of the file that was read last */
void put(const char *path, const char *value);
void get(const char *path);
uint64_t word_at(int fd, uint64_t index);

/* generations.c */
extern int node;			/* whose sizes and walks are meant */
const char *section(void);
struct sizes sizes(void);
struct sizes settled(void);
void drain(void);
void command(char what, unsigned long seq, const char *rest);
void walk(void);
void spend_bits(void);
unsigned long top_seq(const struct sizes *s);
void expect_moved(unsigned long nr);

/* memory.c */
extern uint64_t random_state;
extern bool touched[MAX_PAGES];
uint32_t random32(void);
void *map_at(void *where, size_t len, int prot, int flags, int fd);
char *map_anon(unsigned long pages);
char *map_huge(unsigned long nr);
char *map_file(unsigned long pages);
void bind_to(int nid);
void fill(char *p, unsigned long pages);
unsigned long touch_some(char *p, unsigned long pages, unsigned int percent);
void expect_left(char *p, unsigned long pages);

/* used.c */
void case_anon(void);
void case_fault(void);
void case_file(void);
void case_thp(void);
void case_protections(void);
void case_holes(void);
void case_mremap(void);
void case_fork(void);
void case_nodes(void);

/* passed-over.c */
void case_random(void);
void case_sequential(void);
void case_mlocked(void);
void case_userfaultfd(void);
void case_hugetlb(void);

/* races.c */
void case_races(void);

/* idle.c */
void case_page_idle(void);

#endif /* WALKTEST_H */
