// SPDX-License-Identifier: GPL-2.0
/*
 * What the operator sets.
 */
#include <linux/ctype.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sysfs.h>

#include "internal.h"

/**
 * DOC: knobs
 *
 * /sys/kernel/mm/lru_gen/enabled and min_ttl_ms, and the boot parameter
 * lru_gen= with the syntax of the former. Bad input is refused with -EINVAL, or
 * named on the console and ignored at boot; it never changes anything.
 */

/* y and n stand for all and none; else a mask of enum lru_gen_cap. */
static int parse_caps(const char *buf, unsigned int *caps)
{
	char c = tolower(*buf);

	if (c == 'y' || c == 'n') {
		*caps = c == 'y' ? LRU_GEN_CAP_ALL : 0;
		return 0;
	}
	return kstrtouint(buf, 0, caps) ? -EINVAL : 0;
}

static void apply_caps(unsigned int caps)
{
	WRITE_ONCE(lru_gen_caps, caps & LRU_GEN_CAP_ALL);
	lru_gen_switch(caps & LRU_GEN_CAP_CORE);
}

/* What is in force: allowed, and there on this machine. */
static unsigned int caps_in_force(void)
{
	unsigned int caps = lru_gen_enabled() ? LRU_GEN_CAP_CORE : 0;

	if (arch_has_hw_pte_young())
		caps |= LRU_GEN_CAP_WALK;
	if (arch_has_hw_nonleaf_pmd_young())
		caps |= LRU_GEN_CAP_NONLEAF;
	return caps & (READ_ONCE(lru_gen_caps) | LRU_GEN_CAP_CORE);
}

/**
 * struct lru_gen_knob - a file of /sys/kernel/mm/lru_gen/
 * @attr: the file
 * @format: how the value is printed
 * @get: the value in force
 * @set: parse and apply what was written; 0 or -EINVAL
 */
struct lru_gen_knob {
	struct kobj_attribute attr;
	const char *format;
	unsigned int (*get)(void);
	int (*set)(const char *buf);
};

static int set_caps(const char *buf)
{
	unsigned int caps;

	if (parse_caps(buf, &caps))
		return -EINVAL;
	apply_caps(caps);
	return 0;
}

static unsigned int min_ttl_ms(void)
{
	return jiffies_to_msecs(READ_ONCE(lru_gen_min_ttl));
}

static int set_min_ttl_ms(const char *buf)
{
	unsigned int ms;

	if (kstrtouint(buf, 0, &ms))
		return -EINVAL;
	WRITE_ONCE(lru_gen_min_ttl, msecs_to_jiffies(ms));
	return 0;
}

static ssize_t show(struct kobject *mm, struct kobj_attribute *attr, char *buf)
{
	struct lru_gen_knob *knob = container_of(attr, struct lru_gen_knob, attr);

	return sysfs_emit(buf, knob->format, knob->get());
}

static ssize_t store(struct kobject *mm, struct kobj_attribute *attr,
		     const char *buf, size_t len)
{
	struct lru_gen_knob *knob = container_of(attr, struct lru_gen_knob, attr);

	return knob->set(buf) ?: len;
}

static struct lru_gen_knob knobs[] = {
	{ __ATTR(enabled, 0644, show, store), "0x%04x\n", caps_in_force, set_caps },
	{ __ATTR(min_ttl_ms, 0644, show, store), "%u\n", min_ttl_ms, set_min_ttl_ms },
};

static struct attribute *knob_attrs[] = {
	&knobs[0].attr.attr, &knobs[1].attr.attr, NULL
};

static const struct attribute_group knob_group = {
	.name = "lru_gen",
	.attrs = knob_attrs,
};

/* Applied once everything that a switch needs is up; see lru_gen_init(). */
static unsigned int boot_caps __initdata = IS_ENABLED(CONFIG_LRU_GEN_ENABLED) ?
					   LRU_GEN_CAP_ALL : LRU_GEN_CAP_ALL - 1;

static int __init lru_gen_setup(char *str)
{
	if (str && !parse_caps(str, &boot_caps))
		return 0;
	pr_err("lru_gen: lru_gen=%s: not y, n or a bit mask; ignored\n",
	       str ?: "");
	return -EINVAL;
}
early_param("lru_gen", lru_gen_setup);

static int __init lru_gen_init(void)
{
	int err = sysfs_create_group(mm_kobj, &knob_group);

	if (err)
		pr_err("lru_gen: cannot create /sys/kernel/mm/lru_gen: %d\n", err);
	apply_caps(boot_caps);
	return err;
}
late_initcall(lru_gen_init);
