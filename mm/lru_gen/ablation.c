// SPDX-License-Identifier: GPL-2.0
/*
 * The boot parameter lru_gen_without=, by which parts of reclaim are left out.
 */
#define pr_fmt(fmt) "lru_gen: " fmt

#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "ablation.h"

/**
 * DOC: ablation
 *
 * What a mechanism is good for shows when it is left out. A kernel for that purpose
 * takes the boot parameter lru_gen_without=NAME,..; in any other the compiler drops
 * the questions, and all parts are there.
 */

/* A bit for each part that is left out; set at boot, never changed. */
unsigned long lru_gen_without __ro_after_init;

static const char * const names[LRU_GEN_NR_PARTS] = {
	[LRU_GEN_PART_LOOK_AROUND] = "look-around",
	[LRU_GEN_PART_FIRST_USE] = "first-use",
	[LRU_GEN_PART_ADMISSION] = "admission",
	[LRU_GEN_PART_EVIDENCE] = "evidence",
	[LRU_GEN_PART_AGES] = "ages",
	[LRU_GEN_PART_WEIGHT] = "weight",
};

/* Names by commas: all are known, or nothing is left out. */
static int __init set_without(char *text)
{
	unsigned long parts = 0;
	char *name;
	int part;

	while ((name = strsep(&text, ","))) {
		part = match_string(names, LRU_GEN_NR_PARTS, name);
		if (part < 0) {
			pr_err("lru_gen_without: no part is called \"%s\"; nothing is left out\n",
			       name);
			return -EINVAL;
		}
		parts |= BIT(part);
	}
	lru_gen_without = parts;
	for_each_set_bit(part, &lru_gen_without, LRU_GEN_NR_PARTS)
		pr_info("without %s\n", names[part]);
	return 0;
}
early_param("lru_gen_without", set_without);
