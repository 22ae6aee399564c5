// SPDX-License-Identifier: GPL-2.0
/*
 * A LevelDB database, in this process.
 */
#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/tool.h"
#include "kvload.h"

#define KEY_SIZE	12

static leveldb_t *db;
static leveldb_readoptions_t *reading;
static leveldb_writeoptions_t *writing;

static void check(char *error)
{
	if (error)
		fail(EXIT_SYSTEM, "LevelDB: %s", error);
}

static void name_key(char *text, uint64_t key)
{
	snprintf(text, KEY_SIZE + 1, "%012lu", (unsigned long)key);
}

static void db_open(const char *where)
{
	leveldb_options_t *options = leveldb_options_create();
	char *error = NULL;

	leveldb_options_set_create_if_missing(options, (unsigned char)opt.fill);
	leveldb_options_set_compression(options, leveldb_no_compression);
	leveldb_options_set_filter_policy(options, leveldb_filterpolicy_create_bloom(10));
	db = leveldb_open(options, where, &error);
	check(error);
	reading = leveldb_readoptions_create();
	writing = leveldb_writeoptions_create();
}

static void db_get(uint64_t key)
{
	char text[KEY_SIZE + 1], *error = NULL, *value;
	size_t size;

	name_key(text, key);
	value = leveldb_get(db, reading, text, KEY_SIZE, &size, &error);
	check(error);
	if (!value || size != opt.bytes)
		fail(EXIT_WRONG, "LevelDB has no value of %lu bytes for %s", opt.bytes, text);
	leveldb_free(value);
}

static void db_set(uint64_t key, const char *value)
{
	char text[KEY_SIZE + 1], *error = NULL;

	name_key(text, key);
	leveldb_put(db, writing, text, KEY_SIZE, value, opt.bytes, &error);
	check(error);
}

static void db_scan(uint64_t key, unsigned long nr)
{
	leveldb_iterator_t *at = leveldb_create_iterator(db, reading);
	char text[KEY_SIZE + 1], *error = NULL;
	size_t size;

	name_key(text, key);
	for (leveldb_iter_seek(at, text, KEY_SIZE); nr && leveldb_iter_valid(at); nr--) {
		leveldb_iter_value(at, &size);
		leveldb_iter_next(at);
	}
	leveldb_iter_get_error(at, &error);
	check(error);
	leveldb_iter_destroy(at);
}

static void db_close(void)
{
	leveldb_close(db);
}

const struct store leveldb = {
	.name = "leveldb", .open = db_open, .get = db_get, .set = db_set, .scan = db_scan,
	.close = db_close,
};
