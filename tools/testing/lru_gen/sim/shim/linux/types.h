/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_SHIM_TYPES_H
#define SIM_SHIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;
typedef uint32_t u32;

/* For members that the simulator does not use. */
struct atomic {
	int counter;
};

struct atomic_long {
	long counter;
};

#define atomic_t		struct atomic
#define atomic_long_t		struct atomic_long

struct list_head {
	struct list_head *next, *prev;
};

#define CONFIG_LRU_GEN		1
#define MAX_NR_ZONES		1

#define BIT(n)			(1ul << (n))
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, value)	((x) = (value))

#endif
