/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kvload: one client of a key-value store, which waits for each answer.
 */
#ifndef KVLOAD_H
#define KVLOAD_H

#include <stdint.h>

enum pattern { UNIFORM, ZIPF, GAUSS, LATEST };
enum op { GET, SET, INSERT, SCAN, MODIFY, NR_OPS };

/* What a store can do. A value is @opt.bytes long; all of them end the program on an error. */
struct store {
	const char *name;
	void (*open)(const char *where);
	void (*get)(uint64_t key);		/* the key is there */
	void (*set)(uint64_t key, const char *value);
	void (*scan)(uint64_t key, unsigned long nr);	/* may be NULL */
	void (*close)(void);
};

extern const struct store redis, memcached, leveldb;

struct options {
	const struct store *store;
	const char *at;
	unsigned long keys, bytes, ops, scan, seed;
	enum pattern pattern;
	double theta;			/* of zipf, latest */
	unsigned long share[NR_OPS];	/* of 10,000 */
	int fill;
};

extern struct options opt;

void parse_options(int argc, char **argv);

/* keys.c */
void begin_keys(void);
uint64_t next_random(void);
uint64_t next_key(uint64_t nr_keys);
const char *value_of(uint64_t key);

/* socket.c: a request as text, and its answer */
void connect_to(const char *path);
void send_all(const char *data, unsigned long bytes);
void read_line(char *line, unsigned long size);
void read_value(unsigned long bytes);
void disconnect(void);

#endif /* KVLOAD_H */
