// SPDX-License-Identifier: GPL-2.0
/*
 * accessgen: one stream of page accesses that follows from its arguments alone.
 *
 * The sequence is simple enough for a simulator to repeat it and so to say what
 * LRU, LFU or OPT would have missed: xorshift64 seeded with S * 0x9E3779B97F4A7C15
 * + 1; Zipf by the inverse of the continuous power law, rank r lying on page
 * r * 40503 mod N.  Anonymous pages are first filled in order, 64 random words
 * each (so that swapping them costs a real compression), and every later access
 * to them writes one more random word.
 *
 * SIGUSR1 marks the start of the measured part; SIGTERM ends an endless stream.
 * The line printed at the end tells what was done, and at which rate.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
#define WORDS		(PAGE / sizeof(uint64_t))
#define FILL_STEP	8		/* every eighth word of a page is random */
#define SLICES		50		/* of a second, when paced */
#define CREATE_PAGES	256UL		/* per write() when a file is made */

enum { EXIT_OK, EXIT_USAGE, EXIT_SYSTEM = 3 };
enum kind { K_NONE, K_ANON, K_MMAP, K_MMAPD, K_READ, K_CREATE };
enum pattern { P_UNIFORM, P_ZIPF, P_SEQ, P_HOT, P_PHASE };

static struct {
	const char *name, *file, *ready;
	enum kind kind;
	enum pattern pattern;
	unsigned long pages, ops, rate;
	unsigned int hot_size, hot_access, phases;
	double theta, secs;
	uint64_t seed;
	bool same, huge;
} opt = { .name = "accessgen", .seed = 1 };

/* What has been done by some moment. */
struct moment {
	unsigned long ops;
	double at;
};

static volatile sig_atomic_t stop, mark;
static uint64_t state;
static double zipf_range;	/* N^(1 - theta) */
static char *map;
static int fd = -1;
static uint64_t page_buf[WORDS];
static unsigned long done;

__attribute__((format(printf, 2, 3), noreturn))
static void fail(int status, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "accessgen %s: error: ", opt.name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the sequence ---- */

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double next_unit(void)
{
	return (double)(next_random() >> 11) * (1.0 / 9007199254740992.0);
}

static unsigned long zipf_page(void)
{
	double x = pow(next_unit() * (zipf_range - 1) + 1, 1 / (1 - opt.theta));
	unsigned long rank = (unsigned long)x - 1;

	if (rank >= opt.pages)
		rank = opt.pages - 1;
	return rank * 40503UL % opt.pages;
}

static unsigned long hot_page(void)
{
	unsigned long hot = opt.pages * opt.hot_size / 100;

	if (!hot)
		hot = 1;
	if (next_random() % 100 < opt.hot_access)
		return next_random() % hot;
	return next_random() % opt.pages;
}

/* One part of the pages at a time, uniformly; the parts take equal shares. */
static unsigned long phase_page(unsigned long i)
{
	unsigned long part = opt.pages / opt.phases, page;

	page = i * opt.phases / opt.ops * part % opt.pages + next_random() % part;
	return page < opt.pages ? page : opt.pages - 1;
}

static unsigned long page_of(unsigned long i)
{
	switch (opt.pattern) {
	case P_UNIFORM:
		return next_random() % opt.pages;
	case P_ZIPF:
		return zipf_page();
	case P_SEQ:
		return i % opt.pages;
	case P_HOT:
		return hot_page();
	case P_PHASE:
		return phase_page(i);
	}
	return 0;
}

/* ---- the pages ---- */

static void access_page(unsigned long page)
{
	volatile uint64_t *p;

	if (opt.kind == K_READ) {
		if (pread(fd, page_buf, PAGE, (off_t)(page * PAGE)) != (ssize_t)PAGE)
			fail(EXIT_SYSTEM, "cannot read page %lu of %s: %s", page, opt.file,
			     errno ? strerror(errno) : "the file is too short");
		return;
	}
	p = (volatile uint64_t *)(map + page * PAGE);
	if (opt.kind == K_ANON && !opt.same)
		*p = next_random();
	else
		(void)*p;
}

static void fill_page(unsigned long page)
{
	uint64_t *p = (uint64_t *)(map + page * PAGE);
	unsigned long i;

	if (opt.same) {
		for (i = 0; i < WORDS; i++)
			p[i] = page + 1;
		return;
	}
	for (i = 0; i < WORDS; i += FILL_STEP)
		p[i] = next_random();
}

static void open_file(void)
{
	struct stat st;

	fd = open(opt.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		fail(EXIT_SYSTEM, "cannot open %s: %s", opt.file, strerror(errno));
	if ((unsigned long)st.st_size < opt.pages * PAGE)
		fail(EXIT_USAGE, "%s has %lu pages, %lu are wanted", opt.file,
		     (unsigned long)st.st_size / PAGE, opt.pages);
}

static void open_pages(void)
{
	bool anon = opt.kind == K_ANON;
	size_t size = opt.pages * PAGE;

	if (!anon)
		open_file();
	/* One page a miss, as with MADV_RANDOM: what is counted is the sequence's. */
	if (opt.kind == K_READ && posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		fail(EXIT_SYSTEM, "posix_fadvise(POSIX_FADV_RANDOM) on %s", opt.file);
	if (opt.kind == K_READ)
		return;
	map = mmap(NULL, size, anon ? PROT_READ | PROT_WRITE : PROT_READ,
		   anon ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		fail(EXIT_SYSTEM, "cannot map %zu bytes: %s", size, strerror(errno));
	if (opt.kind == K_MMAP && madvise(map, size, MADV_RANDOM))
		fail(EXIT_SYSTEM, "madvise(MADV_RANDOM): %s", strerror(errno));
	if (opt.huge && madvise(map, size, MADV_HUGEPAGE))
		fail(EXIT_SYSTEM, "madvise(MADV_HUGEPAGE): %s", strerror(errno));
}

/* A file whose blocks are really there, and whose pages are on the disk. */
static int create_file(void)
{
	static uint64_t chunk[CREATE_PAGES * WORDS];
	unsigned long left = opt.pages, n, i;

	for (i = 0; i < CREATE_PAGES * WORDS; i++)
		chunk[i] = next_random();
	fd = open(opt.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(EXIT_SYSTEM, "cannot make %s: %s", opt.file, strerror(errno));
	for (; left; left -= n) {
		n = left < CREATE_PAGES ? left : CREATE_PAGES;
		if (write(fd, chunk, n * PAGE) != (ssize_t)(n * PAGE))
			fail(EXIT_SYSTEM, "cannot write %s: %s", opt.file, strerror(errno));
	}
	if (fsync(fd) || close(fd))
		fail(EXIT_SYSTEM, "cannot write %s: %s", opt.file, strerror(errno));
	return EXIT_OK;
}

/* ---- the run ---- */

static void say_ready(void)
{
	int f;

	if (!opt.ready)
		return;
	f = open(opt.ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (f < 0 || write(f, "r\n", 2) != 2)
		fail(EXIT_SYSTEM, "cannot write %s: %s", opt.ready, strerror(errno));
	close(f);
}

static bool finished(double end)
{
	return stop || (opt.ops && done >= opt.ops) || (opt.secs > 0 && now() >= end);
}

/*
 * Paced: a fiftieth of the rate, then a pause of a fiftieth of a second.  What a
 * stream loses by waiting for memory it does not make up for, so its rate is what
 * reclaim lets it have.
 */
static struct moment run(void)
{
	unsigned long slice = opt.rate ? opt.rate / SLICES : 256, i;
	struct moment begin = { 0, now() };
	const struct timespec pause = { .tv_nsec = 1000000000L / SLICES };

	while (!finished(begin.at + opt.secs)) {
		if (mark == 1) {
			begin = (struct moment){ done, now() };
			mark = 2;
		}
		for (i = 0; i < slice && !stop && !(opt.ops && done >= opt.ops); i++)
			access_page(page_of(done++));
		if (opt.rate)
			nanosleep(&pause, NULL);
	}
	return begin;
}

static int generate(void)
{
	struct moment begin;
	struct rusage use;
	double t0, filled, end;
	unsigned long i;

	open_pages();
	t0 = now();
	for (i = 0; opt.kind == K_ANON && i < opt.pages && !stop; i++)
		fill_page(i);
	filled = now() - t0;
	if (stop)
		fail(EXIT_SYSTEM, "ended after %lu of %lu pages were filled", i, opt.pages);
	say_ready();
	begin = run();
	end = now();
	getrusage(RUSAGE_SELF, &use);
	printf("%s ops %lu of %lu fill_s %.3f measured_ops %lu measured_s %.3f majflt %ld minflt %ld\n",
	       opt.name, done, opt.ops, filled, done - begin.ops, end - begin.at,
	       use.ru_majflt, use.ru_minflt);
	return EXIT_OK;
}

/* ---- arguments ---- */

static const char usage[] =
"usage: accessgen --kind KIND --pages N [options]\n"
"  --kind KIND      anon | mmap (file, MADV_RANDOM) | mmapd (file, plain) | read (pread of a page)\n"
"                   | create (make the file and end)\n"
"  --file PATH      the file, for all kinds but anon\n"
"  --pattern P      uniform (default) | seq | zipf:T | hot:S:A (S % of pages get A % of accesses)\n"
"                   | phase:K (K parts one after the other; needs --ops)\n"
"  --ops N          end after N accesses (default 0: at SIGTERM)\n"
"  --secs S         end after S seconds\n"
"  --rate N         accesses a second, 0 (default): as fast as they go\n"
"  --seed N         of the sequence (default 1)\n"
"  --same           anon: fill each page with one word, and only read later\n"
"  --huge           anon: ask for huge pages\n"
"  --ready PATH     written once anonymous pages are filled, or at once\n"
"  --name NAME      in messages and in the line printed at the end\n"
"exit status: 0 fine, 1 bad arguments, 3 a system call failed\n";

static double number(const char *what, const char *text, double max)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (errno || end == text || *end || !(v >= 0 && v <= max))
		fail(EXIT_USAGE, "%s: \"%s\" is not a number from 0 to %.0f", what, text, max);
	return v;
}

static unsigned long whole(const char *what, const char *text, double max)
{
	double v = number(what, text, max);

	if (v != floor(v))
		fail(EXIT_USAGE, "%s: \"%s\" is not a whole number", what, text);
	return (unsigned long)v;
}

static enum kind parse_kind(const char *text)
{
	static const char * const names[] = {
		[K_ANON] = "anon", [K_MMAP] = "mmap", [K_MMAPD] = "mmapd", [K_READ] = "read",
		[K_CREATE] = "create",
	};
	unsigned int i;

	for (i = K_ANON; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return i;
	fail(EXIT_USAGE, "--kind: \"%s\" is none of anon, mmap, mmapd, read, create", text);
}

static void parse_pattern(const char *text)
{
	char junk;

	if (!strcmp(text, "uniform")) {
		opt.pattern = P_UNIFORM;
	} else if (!strcmp(text, "seq")) {
		opt.pattern = P_SEQ;
	} else if (!strncmp(text, "zipf:", 5)) {
		opt.pattern = P_ZIPF;
		opt.theta = number("--pattern zipf", text + 5, 4);
		if (opt.theta == 1)
			fail(EXIT_USAGE, "--pattern zipf: an exponent of exactly 1 has no power law");
	} else if (sscanf(text, "hot:%u:%u%c", &opt.hot_size, &opt.hot_access, &junk) == 2 &&
		   opt.hot_size <= 100 && opt.hot_access <= 100) {
		opt.pattern = P_HOT;
	} else if (sscanf(text, "phase:%u%c", &opt.phases, &junk) == 1 && opt.phases) {
		opt.pattern = P_PHASE;
	} else {
		fail(EXIT_USAGE, "--pattern: \"%s\" is none of uniform, seq, zipf:T, hot:S:A, phase:K",
		     text);
	}
}

/* What only makes sense together. */
static void check_options(void)
{
	if (opt.kind == K_NONE || !opt.pages)
		fail(EXIT_USAGE, "--kind and --pages are needed (--help)");
	if ((opt.kind == K_ANON) == (opt.file != NULL))
		fail(EXIT_USAGE, "--file is for every kind but anon, and these need it");
	if (opt.pattern == P_PHASE && (!opt.ops || opt.phases > opt.pages))
		fail(EXIT_USAGE, "--pattern phase needs --ops, and no more phases than pages");
	if ((opt.same || opt.huge) && opt.kind != K_ANON)
		fail(EXIT_USAGE, "--same and --huge are for --kind anon");
	if (opt.rate && opt.rate < SLICES)
		fail(EXIT_USAGE, "--rate is 0 or at least %d", SLICES);
}

enum { KIND = 1, PAGES, FILE_, PATTERN, OPS, SECS, RATE, SEED, SAME, HUGE_, READY, NAME, HELP };

static void take(int option)
{
	switch (option) {
	case KIND:	opt.kind = parse_kind(optarg); break;
	case PAGES:	opt.pages = whole("--pages", optarg, 1 << 30); break;
	case FILE_:	opt.file = optarg; break;
	case PATTERN:	parse_pattern(optarg); break;
	case OPS:	opt.ops = whole("--ops", optarg, 1e12); break;
	case SECS:	opt.secs = number("--secs", optarg, 1e6); break;
	case RATE:	opt.rate = whole("--rate", optarg, 1e9); break;
	case SEED:	opt.seed = whole("--seed", optarg, 1e15); break;
	case SAME:	opt.same = true; break;
	case HUGE_:	opt.huge = true; break;
	case READY:	opt.ready = optarg; break;
	case NAME:	opt.name = optarg; break;
	case HELP:	fputs(usage, stdout); exit(EXIT_OK);
	default:	fputs(usage, stderr); exit(EXIT_USAGE);
	}
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "kind", 1, NULL, KIND }, { "pages", 1, NULL, PAGES }, { "file", 1, NULL, FILE_ },
		{ "pattern", 1, NULL, PATTERN }, { "ops", 1, NULL, OPS }, { "secs", 1, NULL, SECS },
		{ "rate", 1, NULL, RATE }, { "seed", 1, NULL, SEED }, { "same", 0, NULL, SAME },
		{ "huge", 0, NULL, HUGE_ }, { "ready", 1, NULL, READY }, { "name", 1, NULL, NAME },
		{ "help", 0, NULL, HELP }, { }
	};
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		take(option);
	if (optind < argc)
		fail(EXIT_USAGE, "unexpected argument \"%s\"", argv[optind]);
	check_options();
}

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		mark = mark ? mark : 1;
	else
		stop = 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	parse(argc, argv);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	state = opt.seed * 0x9E3779B97F4A7C15ULL + 1;
	zipf_range = pow((double)opt.pages, 1 - opt.theta);
	return opt.kind == K_CREATE ? create_file() : generate();
}
