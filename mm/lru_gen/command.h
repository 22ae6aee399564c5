/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands of debugfs: how they are handed from where they are read (debugfs.c,
 * command.c) to where they are carried out (age.c, evict.c).
 */
#ifndef _MM_LRU_GEN_COMMAND_H
#define _MM_LRU_GEN_COMMAND_H

struct lruvec;

/* What a command is made of, in the order it is written in. */
enum lru_gen_arg {
	LRU_GEN_ARG_MEMCG,
	LRU_GEN_ARG_NODE,
	LRU_GEN_ARG_SEQ,
	LRU_GEN_ARG_SWAPPINESS,
	LRU_GEN_ARG_AMOUNT,
	LRU_GEN_NR_ARGS,
};

/**
 * struct lru_gen_command - what an operator wants done to one lruvec
 * @verb: '+' to open a generation, '-' to evict
 * @lruvec: where; the caller holds a reference to its memcg
 * @seq: '+': the youngest generation, as the operator knows it; '-': the
 *	youngest generation to be evicted
 * @swappiness: 0..200, or -1 for the memcg's own
 * @amount: '+': 0 to refuse when the window is full, else to make room;
 *	'-': pages to reclaim at most; ULONG_MAX if nothing was said
 *
 * All fields are P.
 */
struct lru_gen_command {
	char verb;
	struct lruvec *lruvec;
	unsigned long seq;
	int swappiness;
	unsigned long amount;
};

/**
 * struct lru_gen_request - a command as it was written
 * @verb: '+' or '-'
 * @run: carries it out once its lruvec is known; 0 or -errno
 * @args: by enum lru_gen_arg, each within its limits
 *
 * All fields are P.
 */
struct lru_gen_request {
	char verb;
	int (*run)(const struct lru_gen_command *cmd);
	unsigned long args[LRU_GEN_NR_ARGS];
};

/* command.c */
int lru_gen_parse_request(const char *text, struct lru_gen_request *request);

/* age.c */
int lru_gen_command_age(const struct lru_gen_command *cmd);

/* evict.c */
int lru_gen_command_evict(const struct lru_gen_command *cmd);

#endif /* _MM_LRU_GEN_COMMAND_H */
