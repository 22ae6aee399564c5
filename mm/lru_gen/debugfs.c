// SPDX-License-Identifier: GPL-2.0
/*
 * What developers see and set.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/memcontrol.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "command.h"
#include "internal.h"

/**
 * DOC: debugfs
 *
 * /sys/kernel/debug/lru_gen shows the generations of every memcg on every node
 * and takes commands; lru_gen_full also shows what became of their folios. Tools
 * parse both, so each column stands where it has always stood.
 *
 * What was written is first read to its end: if any of it is malformed, none of
 * it is carried out. After that commands are carried out one by one, until one
 * fails; what the former have done stays.
 */

/* Enough for a command to each of 10,000 memcgs on several nodes. */
#define MAX_TEXT	SZ_1M

/**
 * struct lru_gen_reader - how far a reader has come
 * @memcg: memcg in hand, with a reference; NULL if memcgs are disabled
 * @nid: node in hand, MAX_NUMNODES at the end
 * @pos: number of lruvecs before this one, -1 before the first read
 * @full: whether statistics are shown
 *
 * It is kept from one read() to the next, since the walk over all memcgs cannot
 * be taken up in the middle any other way. All fields under seq_file's lock.
 */
struct lru_gen_reader {
	struct mem_cgroup *memcg;
	int nid;
	loff_t pos;
	bool full;
};

static void rewind(struct lru_gen_reader *c)
{
	mem_cgroup_iter_break(NULL, c->memcg);
	c->memcg = mem_cgroup_iter(NULL, NULL, NULL);
	c->nid = first_memory_node;
	c->pos = 0;
}

static void advance(struct lru_gen_reader *c)
{
	c->pos++;
	c->nid = next_memory_node(c->nid);
	if (c->nid < MAX_NUMNODES)
		return;
	c->memcg = mem_cgroup_iter(NULL, c->memcg, NULL);
	if (c->memcg)
		c->nid = first_memory_node;
}

static bool at_end(const struct lru_gen_reader *c)
{
	return c->nid >= MAX_NUMNODES;
}

static void *reader_start(struct seq_file *m, loff_t *pos)
{
	struct lru_gen_reader *c = m->private;

	if (c->pos < 0 || c->pos > *pos)
		rewind(c);
	while (c->pos < *pos && !at_end(c))
		advance(c);
	return at_end(c) ? NULL : c;
}

static void *reader_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct lru_gen_reader *c = v;

	advance(c);
	*pos = c->pos;
	return at_end(c) ? NULL : c;
}

static void reader_stop(struct seq_file *m, void *v)
{
}

/* One number a mark. */
static void show_numbers(struct seq_file *m, const char *marks,
			 const unsigned long *nr)
{
	for (; *marks; marks++, nr++)
		seq_printf(m, " %10lu%c", READ_ONCE(*nr), *marks);
}

/* The path is empty where memcgs are disabled. */
static void show_memcg(struct seq_file *m, struct mem_cgroup *memcg)
{
	size_t room;
	char *buf;
	int len;

	seq_printf(m, "memcg %5u ", mem_cgroup_id(memcg));
	room = seq_get_buf(m, &buf);
	len = room ? lru_gen_memcg_path(memcg, buf, room) : -1;
	/* A path that does not fit has seq_file try again with more room. */
	seq_commit(m, len < 0 || len >= room ? -1 : len);
	seq_putc(m, '\n');
}

static void show_generation(struct seq_file *m, const struct lru_gen_window *w,
			    unsigned long seq)
{
	const struct lru_gen_reader *c = m->private;
	int type;

	seq_printf(m, " %10lu %10u", seq, lru_gen_age_ms(w, seq));
	for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
		unsigned long nr = lru_gen_size(w, type, seq);
		bool gone = c->full && seq < lru_gen_min_seq(w);

		show_numbers(m, gone ? "x" : " ", &nr);
	}
	seq_putc(m, '\n');
}

/**
 * struct lru_gen_row - three numbers of the full file
 * @marks: what each of them is
 * @nr: the numbers
 */
struct lru_gen_row {
	const char *marks;
	unsigned long nr[3];
};

static struct lru_gen_row tier_row(struct lru_gen_window *w, enum lru_gen_type type,
				   unsigned int tier, unsigned long seq)
{
	const struct lru_gen_stats *stats = &w->stats;
	struct lru_gen_row row = { "xxx" };
	struct lru_gen_tally t;

	if (seq == READ_ONCE(w->max_seq)) {
		row.marks = "RTx";
		row.nr[0] = READ_ONCE(stats->avg_refaulted[type][tier]);
		row.nr[1] = READ_ONCE(stats->avg_total[type][tier]);
	} else if (lru_gen_has_history(w, seq)) {
		t = lru_gen_read_tally(w, type, tier, seq);
		row = (struct lru_gen_row) {
			"rep", { t.refaulted, t.evicted, t.protected }
		};
	}
	return row;
}

static void show_tiers(struct seq_file *m, struct lru_gen_window *w,
		       unsigned long seq)
{
	struct lru_gen_row row;
	int tier, type;

	for (tier = 0; tier < MAX_NR_TIERS; tier++) {
		seq_printf(m, "%22d", tier);
		for (type = 0; type < LRU_GEN_NR_TYPES; type++) {
			row = tier_row(w, type, tier, seq);
			show_numbers(m, row.marks, row.nr);
		}
		seq_putc(m, '\n');
	}
}

/* With one set of counts it is shown at the youngest, else each at its own. */
static const char *walk_marks(const struct lru_gen_window *w, unsigned long seq)
{
	bool youngest = seq == READ_ONCE(w->max_seq);

	if (LRU_GEN_NR_HISTORY == 1)
		return youngest ? "TYFA" : NULL;
	return youngest ? NULL : "tyfa";
}

static void show_walks(struct seq_file *m, struct lru_gen_window *w,
		       unsigned long seq)
{
	static const unsigned long none[LRU_GEN_NR_WALK_ITEMS];
	const char *marks = walk_marks(w, seq);

	if (!IS_ENABLED(CONFIG_LRU_GEN_WALKS_MMU))
		return;
	seq_printf(m, "%22s", "");
	if (marks)
		show_numbers(m, marks, lru_gen_history_of(w, seq)->walk);
	else
		show_numbers(m, "xxxx", none);
	seq_putc(m, '\n');
}

static int reader_show(struct seq_file *m, void *v)
{
	struct lru_gen_reader *c = v;
	struct lru_gen_window *w = &mem_cgroup_lruvec(c->memcg, NODE_DATA(c->nid))->lrugen;
	unsigned long max_seq = READ_ONCE(w->max_seq);
	unsigned long seq = lru_gen_min_seq(w);

	if (c->full)
		seq = max_seq - min(max_seq, MAX_NR_GENS - 1UL);
	if (c->nid == first_memory_node)
		show_memcg(m, c->memcg);
	seq_printf(m, " node %5d\n", c->nid);
	for (; seq <= max_seq; seq++) {
		show_generation(m, w, seq);
		if (!c->full)
			continue;
		show_tiers(m, w, seq);
		show_walks(m, w, seq);
	}
	return 0;
}

static const struct seq_operations reader_ops = {
	.start = reader_start,
	.next = reader_next,
	.stop = reader_stop,
	.show = reader_show,
};

static int open_file(struct inode *inode, struct file *file)
{
	struct lru_gen_reader *c;

	c = __seq_open_private(file, &reader_ops, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->pos = -1;
	c->full = inode->i_private;
	return 0;
}

static int release_file(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct lru_gen_reader *c = m->private;

	mem_cgroup_iter_break(NULL, c->memcg);
	return seq_release_private(inode, file);
}

/* With a reference; NULL if memcgs are disabled. */
static struct mem_cgroup *find_memcg(unsigned short id)
{
	struct mem_cgroup *memcg;

	if (mem_cgroup_disabled())
		return id ? ERR_PTR(-EINVAL) : NULL;
	guard(rcu)();
	memcg = mem_cgroup_from_id(id);
	return memcg && mem_cgroup_tryget(memcg) ? memcg : ERR_PTR(-EINVAL);
}

static int run_command(const char *text)
{
	struct lru_gen_request request;
	struct lru_gen_command cmd;
	struct mem_cgroup *memcg;
	int nid, err;

	err = lru_gen_parse_request(text, &request);
	if (err)
		return err;
	nid = request.args[LRU_GEN_ARG_NODE];
	if (!node_state(nid, N_MEMORY))
		return -EINVAL;
	memcg = find_memcg(request.args[LRU_GEN_ARG_MEMCG]);
	if (IS_ERR(memcg))
		return PTR_ERR(memcg);
	cmd.verb = request.verb;
	cmd.lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(nid));
	cmd.seq = request.args[LRU_GEN_ARG_SEQ];
	cmd.swappiness = (int)request.args[LRU_GEN_ARG_SWAPPINESS];
	cmd.amount = request.args[LRU_GEN_ARG_AMOUNT];
	err = request.run(&cmd);
	mem_cgroup_put(memcg);
	return err;
}

static int check_command(const char *text)
{
	struct lru_gen_request request;

	return lru_gen_parse_request(text, &request);
}

/* NUL ends a command as the separators do. */
static void split(char *text, const char *end)
{
	for (; text < end; text++)
		if (strchr(",;\n", *text))
			*text = '\0';
}

/* Call @fn for each command until it fails; having none at all is a failure. */
static int each_command(const char *text, const char *end,
			int (*fn)(const char *text))
{
	int err = -EINVAL;
	bool any = false;

	for (; text < end; text += strlen(text) + 1) {
		const char *command = skip_spaces(text);

		if (!*command)
			continue;
		if (any && signal_pending(current))
			return -EINTR;
		err = fn(command);
		if (err)
			break;
		any = true;
		cond_resched();
	}
	return err;
}

static ssize_t write_file(struct file *file, const char __user *from, size_t len,
			  loff_t *pos)
{
	char *text __free(kvfree) = NULL;
	int err;

	if (len > MAX_TEXT)
		return -EINVAL;
	text = kvmalloc(len + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	if (copy_from_user(text, from, len))
		return -EFAULT;
	text[len] = '\0';
	split(text, text + len);
	err = each_command(text, text + len, check_command);
	if (!err)
		err = each_command(text, text + len, run_command);
	return err ?: len;
}

static const struct file_operations command_fops = {
	.owner = THIS_MODULE,
	.open = open_file,
	.read = seq_read,
	.write = write_file,
	.llseek = seq_lseek,
	.release = release_file,
};

static const struct file_operations full_fops = {
	.owner = THIS_MODULE,
	.open = open_file,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = release_file,
};

static int __init lru_gen_debugfs_init(void)
{
	static bool full = true;

	debugfs_create_file("lru_gen", 0644, NULL, NULL, &command_fops);
	debugfs_create_file("lru_gen_full", 0444, NULL, &full, &full_fops);
	return 0;
}
late_initcall(lru_gen_debugfs_init);
