// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what a command of debugfs says: good and bad ones in tables.
 */
#include <kunit/test.h>
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>

#include "../command.h"

#define UNSAID	((unsigned int)-1)

/**
 * struct lru_gen_good_command - a command and what it has to be read as
 * @text: the command
 * @verb: its verb
 * @args: its arguments, by enum lru_gen_arg
 */
struct lru_gen_good_command {
	const char *text;
	char verb;
	unsigned long args[LRU_GEN_NR_ARGS];
};

static const struct lru_gen_good_command good[] = {
	{ "+ 1 0 3", '+', { 1, 0, 3, UNSAID, ULONG_MAX } },
	{ "- 1 0 3", '-', { 1, 0, 3, UNSAID, ULONG_MAX } },
	{ "+1 0 3", '+', { 1, 0, 3, UNSAID, ULONG_MAX } },
	{ "+ 1 0 3 0", '+', { 1, 0, 3, 0, ULONG_MAX } },
	{ "+ 1 0 3 1 0", '+', { 1, 0, 3, 1, 0 } },
	{ "- 7 0 12 200 64", '-', { 7, 0, 12, 200, 64 } },
	{ "-\t007 \v0  \r12\f", '-', { 7, 0, 12, UNSAID, ULONG_MAX } },
	{ "+ 65535 0 0", '+', { USHRT_MAX, 0, 0, UNSAID, ULONG_MAX } },
	{ "- 1 0 0 4294967295 5", '-', { 1, 0, 0, UNSAID, 5 } },
};

static const char * const bad[] = {
	"", "+", "- ", "+ 1", "+ 1 0", "x 1 0 3", "++ 1 0 3", "1 0 3", " + 1 0 3",
	"+ 1 0 3x", "+ 1 0 3 1x", "+ 1 0 3 1 1x", "+ 1 0 3 1 1 1", "+ 1 0 x",
	"+ -1 0 3", "+ +1 0 3", "+ 1 0 -1", "- 1 0 3 -1", "+ 0x1 0 3", "+ 1,0 3",
	"+ 1.0 0 3", "- 1 0 3 201", "+ 1 0 3 201", "- 1 0 3 3000000000",
	"- 1 0 3 4294967296", "+ 65536 0 3", "+ 4294967297 0 3",
	"+ 1 4294967296 3", "+ 1 99999 3",
};

static void good_commands_are_read(struct kunit *test)
{
	struct lru_gen_request request;
	int i, arg;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		KUNIT_ASSERT_EQ_MSG(test, 0, lru_gen_parse_request(good[i].text, &request),
				    "%s", good[i].text);
		KUNIT_EXPECT_EQ(test, request.verb, good[i].verb);
		KUNIT_EXPECT_PTR_EQ(test, request.run, good[i].verb == '+' ?
				    lru_gen_command_age : lru_gen_command_evict);
		for (arg = 0; arg < LRU_GEN_NR_ARGS; arg++)
			KUNIT_EXPECT_EQ_MSG(test, request.args[arg], good[i].args[arg],
					    "%s: argument %d", good[i].text, arg);
	}
}

static void bad_commands_are_refused(struct kunit *test)
{
	struct lru_gen_request request;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, lru_gen_parse_request(bad[i], &request),
				    "%s", bad[i]);
}

/* The largest number is read, one more and ten times as much are not. */
static void numbers_do_not_wrap(struct kunit *test)
{
	struct lru_gen_request request;
	char *text = kunit_kzalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, text);
	snprintf(text, 64, "- 1 0 %lu 0 %lu", ULONG_MAX, ULONG_MAX);
	KUNIT_EXPECT_EQ(test, 0, lru_gen_parse_request(text, &request));
	KUNIT_EXPECT_EQ(test, request.args[LRU_GEN_ARG_SEQ], ULONG_MAX);
	KUNIT_EXPECT_EQ(test, request.args[LRU_GEN_ARG_AMOUNT], ULONG_MAX);
	/* ULONG_MAX ends in 5, whatever its width. */
	text[strlen(text) - 1] = '6';
	KUNIT_EXPECT_EQ(test, -EINVAL, lru_gen_parse_request(text, &request));
	snprintf(text, 64, "- 1 0 0 0 %lu0", ULONG_MAX);
	KUNIT_EXPECT_EQ(test, -EINVAL, lru_gen_parse_request(text, &request));
}

static struct kunit_case command_cases[] = {
	KUNIT_CASE(good_commands_are_read),
	KUNIT_CASE(bad_commands_are_refused),
	KUNIT_CASE(numbers_do_not_wrap),
	{}
};

static struct kunit_suite command_suite = {
	.name = "lru_gen_command",
	.test_cases = command_cases,
};

kunit_test_suite(command_suite);
