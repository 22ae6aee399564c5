// SPDX-License-Identifier: GPL-2.0
/*
 * redis (RESP, version 2) and memcached (its text protocol).
 */
#include <stdio.h>
#include <string.h>

#include "common/tool.h"
#include "kvload.h"

static void expect(const char *want)
{
	char line[256];

	read_line(line, sizeof(line));
	if (strcmp(line, want))
		fail(EXIT_WRONG, "the server says \"%s\", not \"%s\"", line, want);
}

static void ask(const char *format, uint64_t key)
{
	char text[64];

	send_all(text, (unsigned long)snprintf(text, sizeof(text), format, (unsigned long)key));
}

static void ask_to_set(const char *format, uint64_t key, const char *value)
{
	static char text[1 << 17];
	int n = snprintf(text, sizeof(text), format, (unsigned long)key, opt.bytes);

	memcpy(text + n, value, opt.bytes);
	memcpy(text + n + opt.bytes, "\r\n", 2);
	send_all(text, (unsigned long)n + opt.bytes + 2);
}

static void redis_get(uint64_t key)
{
	char want[32];

	ask("*2\r\n$3\r\nGET\r\n$12\r\n%012lu\r\n", key);
	snprintf(want, sizeof(want), "$%lu", opt.bytes);
	expect(want);
	read_value(opt.bytes + 2);
}

static void redis_set(uint64_t key, const char *value)
{
	ask_to_set("*3\r\n$3\r\nSET\r\n$12\r\n%012lu\r\n$%lu\r\n", key, value);
	expect("+OK");
}

const struct store redis = {
	.name = "redis", .open = connect_to, .get = redis_get, .set = redis_set,
	.close = disconnect,
};

static void memcached_get(uint64_t key)
{
	char want[64];

	ask("get %012lu\r\n", key);
	snprintf(want, sizeof(want), "VALUE %012lu 0 %lu", (unsigned long)key, opt.bytes);
	expect(want);
	read_value(opt.bytes + 2);
	expect("END");
}

static void memcached_set(uint64_t key, const char *value)
{
	ask_to_set("set %012lu 0 0 %lu\r\n", key, value);
	expect("STORED");
}

const struct store memcached = {
	.name = "memcached", .open = connect_to, .get = memcached_get, .set = memcached_set,
	.close = disconnect,
};
