// SPDX-License-Identifier: GPL-2.0
/*
 * memtouch: populate a region, then touch its pages in a reproducible order.
 *
 * One process makes one memory cgroup's load.  The n-th access depends on the
 * arguments alone, never on time, so that two kernels see the same sequence.
 * With --verify every page carries a stamp made of its index, the seed and a
 * version; a page that comes back lost, stale or foreign ends the run with
 * exit status 2.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <getopt.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
#define WORDS		(PAGE / sizeof(uint64_t))
#define TICK_NS		20000000LL	/* pacing granularity */
#define NSEC		1000000000LL
#define POLICY_BIND	2		/* as the kernel numbers them; there is no libnuma here */
#define POLICY_INTERLEAVE	3

enum { EXIT_OK, EXIT_USAGE, EXIT_CORRUPT, EXIT_SYSTEM };
enum pattern { P_RANDOM, P_ZIPF, P_SEQ, P_HOT };
enum fill { F_NONE, F_MIXED, F_RANDOM, F_SAME };

static struct {
	const char *name, *file, *ready;
	unsigned long pages, ops;
	double secs, theta;
	long rate;
	int policy;
	unsigned long nodes;
	enum pattern pattern;
	enum fill fill;
	unsigned int hot_size, hot_access, write_percent;
	uint64_t seed;
	bool use_read, verify, madv_random, drop_filled;
} opt = { .name = "memtouch", .fill = F_MIXED, .seed = 1 };

static volatile sig_atomic_t stop;
static char *map;		/* the region, unless --io read */
static int fd = -1;
static uint32_t *version;	/* what each page must hold, with --verify */
static uint64_t page_buf[WORDS], want_buf[WORDS];
static unsigned long done_ops, done_writes, checked, late_ops;

__attribute__((format(printf, 2, 3), noreturn))
static void fail(int status, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "memtouch %s: ", opt.name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

/* ---- deterministic numbers ---- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t shift_rng(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static uint64_t access_rng, write_rng;
static double zipf_span;
static unsigned long scatter;

static unsigned long gcd(unsigned long a, unsigned long b)
{
	while (b) {
		unsigned long r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static void pattern_init(void)
{
	access_rng = opt.seed * 0x9e3779b97f4a7c15ULL + 1;
	write_rng = mix(opt.seed + 0x77) | 1;
	if (opt.theta == 1.0)
		zipf_span = log((double)opt.pages);
	else
		zipf_span = pow((double)opt.pages, 1 - opt.theta);
	/* ranks are spread over the region by a multiplier, so it must be a permutation */
	for (scatter = 40503; gcd(scatter, opt.pages) != 1; scatter++)
		;
}

static unsigned long zipf_rank(void)
{
	double u = (double)(shift_rng(&access_rng) >> 11) * 0x1p-53;
	double x = opt.theta == 1.0 ? exp(u * zipf_span) :
		   pow(u * (zipf_span - 1) + 1, 1 / (1 - opt.theta));
	unsigned long rank = (unsigned long)x - 1;

	return rank < opt.pages ? rank : opt.pages - 1;
}

static unsigned long next_index(unsigned long n)
{
	unsigned long hot;

	switch (opt.pattern) {
	case P_ZIPF:
		return zipf_rank() * scatter % opt.pages;
	case P_SEQ:
		return n % opt.pages;
	case P_HOT:
		hot = opt.pages * opt.hot_size / 100;
		if (shift_rng(&access_rng) % 100 < opt.hot_access)
			return shift_rng(&access_rng) % (hot ? hot : 1);
		return shift_rng(&access_rng) % opt.pages;
	default:
		return shift_rng(&access_rng) % opt.pages;
	}
}

/* ---- page content ---- */

static uint64_t stamp(unsigned long index)
{
	return mix(opt.seed << 40 ^ index) | 1;
}

/* word 0 the stamp, word 1 the version, the last one ties both together */
static void make_page(uint64_t *p, unsigned long index, uint32_t ver)
{
	uint64_t s = stamp(index), rng = s;
	unsigned long i, random_words;

	if (opt.fill == F_SAME) {
		for (i = 0; i < WORDS; i++)
			p[i] = s + ver;
		return;
	}
	random_words = opt.fill == F_RANDOM ? WORDS : WORDS / 3;
	for (i = 2; i < random_words; i++)
		p[i] = shift_rng(&rng);
	for (; i < WORDS; i++)
		p[i] = s;
	p[0] = s;
	p[1] = ver;
	p[WORDS - 1] = s ^ ver;
}

static bool page_heads_right(const uint64_t *p, unsigned long index, uint32_t ver)
{
	uint64_t s = stamp(index);

	if (opt.fill == F_SAME)
		return p[0] == s + ver && p[WORDS - 1] == s + ver;
	return p[0] == s && p[1] == ver && p[WORDS - 1] == (s ^ ver);
}

__attribute__((noreturn))
static void corrupt(const uint64_t *p, unsigned long index, const char *when)
{
	make_page(want_buf, index, version[index]);
	fail(EXIT_CORRUPT,
	     "CORRUPT page %lu (%s) after %lu operations: want %llx %llx .. %llx, got %llx %llx .. %llx",
	     index, when, done_ops,
	     (unsigned long long)want_buf[0], (unsigned long long)want_buf[1],
	     (unsigned long long)want_buf[WORDS - 1], (unsigned long long)p[0],
	     (unsigned long long)p[1], (unsigned long long)p[WORDS - 1]);
}

/* ---- the region ---- */

static uint64_t *page_at(unsigned long index)
{
	return (uint64_t *)(map + index * PAGE);
}

static void read_page(unsigned long index)
{
	ssize_t got = pread(fd, page_buf, PAGE, (off_t)(index * PAGE));

	if (got != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "read of page %lu from %s: %s", index, opt.file,
		     got < 0 ? strerror(errno) : "file is too short");
}

static void write_page(unsigned long index)
{
	ssize_t put = pwrite(fd, page_buf, PAGE, (off_t)(index * PAGE));

	if (put != (ssize_t)PAGE)
		fail(EXIT_SYSTEM, "write of page %lu to %s: %s", index, opt.file,
		     put < 0 ? strerror(errno) : "short write");
}

static void choose_nodes(void)
{
	if (opt.policy && syscall(SYS_set_mempolicy, opt.policy, &opt.nodes,
				  8 * sizeof(opt.nodes)))
		fail(EXIT_SYSTEM, "set_mempolicy: %s", strerror(errno));
}

static void region_open(void)
{
	size_t len = opt.pages * PAGE;

	choose_nodes();
	if (opt.file) {
		fd = open(opt.file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			fail(EXIT_SYSTEM, "cannot open %s: %s", opt.file, strerror(errno));
		if (ftruncate(fd, (off_t)len))
			fail(EXIT_SYSTEM, "cannot size %s: %s", opt.file, strerror(errno));
	}
	if (opt.use_read)
		return;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE,
		   opt.file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (map == MAP_FAILED)
		fail(EXIT_SYSTEM, "cannot map %zu bytes: %s", len, strerror(errno));
	if (opt.madv_random && madvise(map, len, MADV_RANDOM))
		fail(EXIT_SYSTEM, "madvise(MADV_RANDOM): %s", strerror(errno));
}

/* files are filled by write(), so that a mapping later starts out unmapped */
static void region_fill(void)
{
	unsigned long i;

	if (opt.fill == F_NONE)
		return;
	for (i = 0; i < opt.pages && !stop; i++) {
		make_page(opt.file ? page_buf : page_at(i), i, 0);
		if (opt.file)
			write_page(i);
	}
	if (opt.file && fsync(fd))
		fail(EXIT_SYSTEM, "fsync of %s: %s", opt.file, strerror(errno));
	if (opt.drop_filled)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void say_ready(void)
{
	int f;

	if (!opt.ready)
		return;
	f = open(opt.ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (f < 0 || write(f, "r\n", 2) != 2)
		fail(EXIT_SYSTEM, "cannot write ready mark %s: %s", opt.ready, strerror(errno));
	close(f);
}

/* ---- the load ---- */

static void touch(unsigned long index, bool writing)
{
	uint64_t *p = opt.use_read ? page_buf : page_at(index);
	uint32_t ver = 0;

	if (opt.use_read)
		read_page(index);
	if (opt.verify) {
		ver = version[index];
		if (!page_heads_right(p, index, ver))
			corrupt(p, index, "on access");
		checked++;
	}
	if (writing) {
		if (opt.verify)
			version[index] = ++ver;
		else
			ver = ++((volatile uint32_t *)p)[2];
		if (opt.use_read) {
			make_page(page_buf, index, ver);
			write_page(index);
		} else if (opt.fill == F_SAME) {
			make_page(p, index, ver);
		} else if (opt.verify) {
			p[1] = ver;
			p[WORDS - 1] = p[0] ^ ver;
		}
		done_writes++;
	} else if (!opt.use_read) {
		(void)*(volatile uint64_t *)p;
	}
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC + t.tv_nsec;
}

static void sleep_until(long long t)
{
	struct timespec ts = { .tv_sec = t / NSEC, .tv_nsec = t % NSEC };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static bool finished(long long end)
{
	return stop || (opt.ops && done_ops >= opt.ops) || (opt.secs > 0 && now_ns() >= end);
}

static void one_op(void)
{
	bool writing = opt.write_percent &&
		       shift_rng(&write_rng) % 100 < opt.write_percent;

	touch(next_index(done_ops), writing);
	done_ops++;
}

/*
 * Work that cannot be done in time is not made up for beyond one second:
 * a load that was stalled must not come back as a burst.
 */
static void run_load(void)
{
	long long start = now_ns(), tick = start, end = start + (long long)(opt.secs * NSEC);
	double credit = 0;
	long n;

	while (!finished(end)) {
		if (!opt.rate) {
			for (n = 0; n < 256 && !stop && !(opt.ops && done_ops >= opt.ops); n++)
				one_op();
			continue;
		}
		credit += (double)opt.rate * TICK_NS / NSEC;
		for (; credit >= 1 && !stop && !(opt.ops && done_ops >= opt.ops); credit--)
			one_op();
		tick += TICK_NS;
		if (now_ns() > tick + NSEC) {
			long long behind = now_ns() - tick;

			late_ops += (unsigned long)((double)opt.rate * (double)behind / NSEC);
			tick += behind;
		}
		sleep_until(tick);
	}
}

/* every byte of every page, once the load has ended */
static void verify_all(void)
{
	unsigned long i;
	uint64_t *p;

	for (i = 0; i < opt.pages; i++) {
		p = opt.use_read ? page_buf : page_at(i);
		if (opt.use_read)
			read_page(i);
		make_page(want_buf, i, version[i]);
		if (memcmp(p, want_buf, PAGE))
			corrupt(p, i, "at the end");
	}
	checked += opt.pages;
}

/* ---- arguments ---- */

static const char usage[] =
"usage: memtouch --mb N [options]\n"
"  --mb N             size of the region in MiB\n"
"  --file PATH        a file instead of anonymous memory (created and sized)\n"
"  --io map|read      reach the file by mmap (default) or read()/write()\n"
"  --pattern P        random | zipf:T | seq | hot:S:A (S % of pages get A % of accesses)\n"
"  --rate N           accesses a second, 0 (default) for no limit\n"
"  --ops N            stop after N accesses\n"
"  --secs S           stop after S seconds (without either: until SIGTERM)\n"
"  --write P          percentage of accesses that write (default 0)\n"
"  --fill K           mixed (default, compresses about 2.5 to 1) | random | same | none\n"
"  --drop             drop the file's cache once it is filled\n"
"  --seed N           seed of the sequence and of the content (default 1)\n"
"  --verify           check every page at every access and all of them at the end\n"
"  --madv random      MADV_RANDOM on the mapping\n"
"  --policy P         bind:M | interleave:M, M the sum of 2^node\n"
"  --ready-file PATH  written once the region is populated\n"
"  --name NAME        shown in messages and in the result line\n"
"exit status: 0 fine, 1 bad arguments, 2 content is wrong, 3 a system call failed\n";

static double number(const char *what, const char *text, double min, double max)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (errno || end == text || *end || !(v >= min && v <= max))
		fail(EXIT_USAGE, "%s: \"%s\" is not a number from %.0f to %.0f", what, text, min, max);
	return v;
}

static unsigned long whole(const char *what, const char *text, double max)
{
	double v = number(what, text, 0, max);

	if (v != floor(v))
		fail(EXIT_USAGE, "%s: \"%s\" is not a whole number", what, text);
	return (unsigned long)v;
}

static void parse_pattern(const char *text)
{
	char junk;

	if (!strcmp(text, "random")) {
		opt.pattern = P_RANDOM;
	} else if (!strcmp(text, "seq")) {
		opt.pattern = P_SEQ;
	} else if (!strncmp(text, "zipf:", 5)) {
		opt.pattern = P_ZIPF;
		opt.theta = number("--pattern zipf", text + 5, 0, 4);
	} else if (sscanf(text, "hot:%u:%u%c", &opt.hot_size, &opt.hot_access, &junk) == 2 &&
		   opt.hot_size <= 100 && opt.hot_access <= 100) {
		opt.pattern = P_HOT;
	} else {
		fail(EXIT_USAGE, "--pattern: \"%s\" is none of random, zipf:T, seq, hot:S:A", text);
	}
}

static void parse_policy(const char *text)
{
	char junk;

	if (sscanf(text, "bind:%lu%c", &opt.nodes, &junk) == 1)
		opt.policy = POLICY_BIND;
	else if (sscanf(text, "interleave:%lu%c", &opt.nodes, &junk) == 1)
		opt.policy = POLICY_INTERLEAVE;
	else
		fail(EXIT_USAGE, "--policy: \"%s\" is none of bind:M, interleave:M", text);
}

static void parse_fill(const char *text)
{
	static const char * const names[] = {
		[F_NONE] = "none", [F_MIXED] = "mixed", [F_RANDOM] = "random", [F_SAME] = "same",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(text, names[i])) {
			opt.fill = i;
			return;
		}
	}
	fail(EXIT_USAGE, "--fill: \"%s\" is none of mixed, random, same, none", text);
}

static void parse(int argc, char **argv)
{
	enum { MB = 1, FILE_, IO, PATTERN, RATE, OPS, SECS, WRITE, FILL, DROP, SEED, VERIFY, MADV,
	       POLICY, READY, NAME, HELP };
	static const struct option longs[] = {
		{ "mb", 1, NULL, MB }, { "file", 1, NULL, FILE_ }, { "io", 1, NULL, IO },
		{ "pattern", 1, NULL, PATTERN }, { "rate", 1, NULL, RATE }, { "ops", 1, NULL, OPS },
		{ "secs", 1, NULL, SECS }, { "write", 1, NULL, WRITE }, { "fill", 1, NULL, FILL },
		{ "drop", 0, NULL, DROP }, { "seed", 1, NULL, SEED }, { "verify", 0, NULL, VERIFY },
		{ "madv", 1, NULL, MADV }, { "policy", 1, NULL, POLICY },
		{ "ready-file", 1, NULL, READY },
		{ "name", 1, NULL, NAME }, { "help", 0, NULL, HELP }, { }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case MB:
			opt.pages = whole("--mb", optarg, 1 << 20) * ((1UL << 20) / PAGE);
			break;
		case FILE_:
			opt.file = optarg;
			break;
		case IO:
			opt.use_read = !strcmp(optarg, "read");
			if (!opt.use_read && strcmp(optarg, "map"))
				fail(EXIT_USAGE, "--io: \"%s\" is neither map nor read", optarg);
			break;
		case PATTERN:
			parse_pattern(optarg);
			break;
		case RATE:
			opt.rate = (long)whole("--rate", optarg, 1e9);
			break;
		case OPS:
			opt.ops = whole("--ops", optarg, 1e15);
			break;
		case SECS:
			opt.secs = number("--secs", optarg, 0, 1e6);
			break;
		case WRITE:
			opt.write_percent = (unsigned int)whole("--write", optarg, 100);
			break;
		case FILL:
			parse_fill(optarg);
			break;
		case DROP:
			opt.drop_filled = true;
			break;
		case SEED:
			opt.seed = whole("--seed", optarg, 1e15);
			break;
		case VERIFY:
			opt.verify = true;
			break;
		case MADV:
			opt.madv_random = !strcmp(optarg, "random");
			if (!opt.madv_random)
				fail(EXIT_USAGE, "--madv: \"%s\" is not random", optarg);
			break;
		case POLICY:
			parse_policy(optarg);
			break;
		case READY:
			opt.ready = optarg;
			break;
		case NAME:
			opt.name = optarg;
			break;
		case HELP:
			fputs(usage, stdout);
			exit(EXIT_OK);
		default:
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc)
		fail(EXIT_USAGE, "unexpected argument \"%s\"", argv[optind]);
	if (!opt.pages)
		fail(EXIT_USAGE, "--mb is missing or 0");
	if (opt.use_read && !opt.file)
		fail(EXIT_USAGE, "--io read needs --file");
	if (opt.drop_filled && !opt.file)
		fail(EXIT_USAGE, "--drop needs --file");
	if (opt.madv_random && opt.use_read)
		fail(EXIT_USAGE, "--madv has no meaning with --io read");
	if (opt.verify && opt.fill == F_NONE)
		fail(EXIT_USAGE, "--verify needs a --fill other than none");
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct rusage filled, ended;

	parse(argc, argv);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	pattern_init();
	region_open();
	if (opt.verify) {
		version = calloc(opt.pages, sizeof(*version));
		if (!version)
			fail(EXIT_SYSTEM, "no memory for %lu page versions", opt.pages);
	}
	region_fill();
	if (stop)
		fail(EXIT_SYSTEM, "stopped before the region was populated");
	say_ready();
	getrusage(RUSAGE_SELF, &filled);
	run_load();
	getrusage(RUSAGE_SELF, &ended);
	if (opt.verify)
		verify_all();
	printf("memtouch %s ops %lu writes %lu late %lu majflt %ld minflt %ld checked %lu\n",
	       opt.name, done_ops, done_writes, late_ops,
	       ended.ru_majflt - filled.ru_majflt, ended.ru_minflt - filled.ru_minflt, checked);
	return EXIT_OK;
}
