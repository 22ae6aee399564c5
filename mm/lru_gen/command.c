// SPDX-License-Identifier: GPL-2.0
/*
 * What a command of debugfs says.
 */
#include <linux/array_size.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "command.h"

/**
 * DOC: commands
 *
 * Two tables hold the grammar: what may be asked for, and what each argument may
 * be and is taken for when it is left out. A command is a verb and decimal
 * numbers, of which the first three have to be there::
 *
 *   + memcg node max_seq [swappiness [force]]
 *   - memcg node seq [swappiness [nr_to_reclaim]]
 *
 * Blanks between them may be left out where that joins no numbers. A number
 * beyond its limit is refused, never wrapped.
 */

#define NR_REQUIRED	(LRU_GEN_ARG_SEQ + 1)

/* "Not said", as in any 32-bit unsigned that programs have been writing. */
#define SWAPPINESS_UNSAID	((unsigned int)-1)

/**
 * struct lru_gen_limit - what an argument may be
 * @max: the largest value
 * @unsaid: the value it has if it is left out; allowed even beyond @max
 */
struct lru_gen_limit {
	unsigned long max;
	unsigned long unsaid;
};

static const struct lru_gen_limit limits[LRU_GEN_NR_ARGS] = {
	[LRU_GEN_ARG_MEMCG]	 = { .max = USHRT_MAX },
	[LRU_GEN_ARG_NODE]	 = { .max = MAX_NUMNODES - 1 },
	[LRU_GEN_ARG_SEQ]	 = { .max = ULONG_MAX },
	[LRU_GEN_ARG_SWAPPINESS] = { .max = MAX_SWAPPINESS, .unsaid = SWAPPINESS_UNSAID },
	[LRU_GEN_ARG_AMOUNT]	 = { .max = ULONG_MAX, .unsaid = ULONG_MAX },
};

/**
 * struct lru_gen_verb - what can be asked for
 * @letter: what the command begins with
 * @run: carries it out
 */
struct lru_gen_verb {
	char letter;
	int (*run)(const struct lru_gen_command *cmd);
};

static const struct lru_gen_verb verbs[] = {
	{ '+', lru_gen_command_age },
	{ '-', lru_gen_command_evict },
};

static const struct lru_gen_verb *find_verb(char letter)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (verbs[i].letter == letter)
			return &verbs[i];
	return NULL;
}

/* Returns what follows the number, NULL if there is none or it is too large. */
static const char *take_number(const char *text, unsigned long *number)
{
	unsigned long n = 0;

	if (!isdigit(*text))
		return NULL;
	for (; isdigit(*text); text++)
		if (check_mul_overflow(n, 10UL, &n) ||
		    check_add_overflow(n, *text - '0', &n))
			return NULL;
	*number = n;
	return text;
}

static const char *take_argument(const char *text, unsigned long *arg,
				 const struct lru_gen_limit *limit)
{
	text = take_number(text, arg);
	if (text && *arg > limit->max && *arg != limit->unsaid)
		return NULL;
	return text;
}

/**
 * lru_gen_parse_request() - read one command
 * @text: the command, no blanks before it
 * @request: set to what it says
 *
 * Context: any.
 * Return: 0, or -EINVAL if it is malformed; @request is of no use then.
 */
int lru_gen_parse_request(const char *text, struct lru_gen_request *request)
{
	const struct lru_gen_verb *verb = find_verb(*text);
	int i;

	if (!verb)
		return -EINVAL;
	request->verb = verb->letter;
	request->run = verb->run;
	for (i = 0, text++; i < LRU_GEN_NR_ARGS; i++) {
		text = skip_spaces(text);
		request->args[i] = limits[i].unsaid;
		if (!*text && i >= NR_REQUIRED)
			continue;
		text = take_argument(text, &request->args[i], &limits[i]);
		if (!text)
			return -EINVAL;
	}
	return *skip_spaces(text) ? -EINVAL : 0;
}
