// SPDX-License-Identifier: GPL-2.0
/*
 * Knobs: /sys/kernel/mm/lru_gen/ and the boot parameter lru_gen=.
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

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "0x%04x\n", caps_in_force());
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t len)
{
	unsigned int caps;

	if (parse_caps(buf, &caps))
		return -EINVAL;
	apply_caps(caps);
	return len;
}

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);

static ssize_t min_ttl_ms_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  jiffies_to_msecs(READ_ONCE(lru_gen_min_ttl)));
}

static ssize_t min_ttl_ms_store(struct kobject *kobj,
				struct kobj_attribute *attr, const char *buf,
				size_t len)
{
	unsigned int ms;

	if (kstrtouint(buf, 0, &ms))
		return -EINVAL;
	WRITE_ONCE(lru_gen_min_ttl, msecs_to_jiffies(ms));
	return len;
}

static struct kobj_attribute min_ttl_ms_attr = __ATTR_RW(min_ttl_ms);

static struct attribute *lru_gen_attrs[] = {
	&enabled_attr.attr,
	&min_ttl_ms_attr.attr,
	NULL
};

static const struct attribute_group lru_gen_group = {
	.name = "lru_gen",
	.attrs = lru_gen_attrs,
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
	int err = sysfs_create_group(mm_kobj, &lru_gen_group);

	if (err)
		pr_err("lru_gen: cannot create /sys/kernel/mm/lru_gen: %d\n", err);
	apply_caps(boot_caps);
	return err;
}
late_initcall(lru_gen_init);
