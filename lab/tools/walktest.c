// SPDX-License-Identifier: GPL-2.0
/*
 * walktest: what a walk of page tables finds, against what is known to be there.
 *
 * Each case runs in a process and a memory cgroup of its own. All that the
 * process has before the case begins is mlocked, and thereby on no list of
 * generations, so that the sizes shown in debugfs are those of the case's
 * pages to the last one. A case touches some of them and has the kernel walk:
 * above the youngest generation that held pages before, there must be as many
 * pages afterwards as were touched. Then what is below is evicted, and what is
 * left must be the touched pages and none else.
 *
 * Prints "ok NAME", "skip NAME: why" or "not ok NAME: why" for each case.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
#define HUGE		(2UL << 20)
#define HUGE_PAGES	(HUGE / PAGE)
#define CGROOT		"/sys/fs/cgroup"
#define DEBUGFS		"/sys/kernel/debug/lru_gen"
#define IDLE		"/sys/kernel/mm/page_idle/bitmap"
#define MAX_SEQS	64
#define MAX_PAGES	16384
#define STACK_LOCKED	(256 << 10)
#define FLUSHED_PAGES	128
#define CASE_SECONDS	60
#define FILE_PATH	"/scratch/walktest"
#define FILE_PAGES	2048UL

enum { EXIT_OK, EXIT_WRONG, EXIT_USAGE, EXIT_SYSTEM, EXIT_SKIP };

/* Sizes of one memcg's generations on one node, in pages. */
struct sizes {
	int nr;
	unsigned long seq[MAX_SEQS], pages[MAX_SEQS];
	unsigned long max_seq, total;
};

static const char *case_name;
static char cg_dir[256];
static unsigned int memcg_id;
static int node;			/* whose sizes and walks are meant */
static char text[1 << 20];
static uint64_t random_state;
static bool touched[MAX_PAGES];
static char flushed[FLUSHED_PAGES * PAGE] __attribute__((aligned(4096)));
static int result_pipe[2];

__attribute__((format(printf, 2, 3), noreturn))
static void leave(int status, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (write(result_pipe[1], line, len) != len)
		status = EXIT_SYSTEM;
	_exit(status);
}

#define wrong(...)	leave(EXIT_WRONG, __VA_ARGS__)
#define skip(...)	leave(EXIT_SKIP, __VA_ARGS__)
#define broken(what)	leave(EXIT_SYSTEM, "%s: %s", what, strerror(errno))

static uint32_t random32(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return random_state >> 33;
}

/* --- files ---------------------------------------------------------------- */

static void put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);
	ssize_t len = strlen(value);

	if (fd < 0)
		broken(path);
	if (write(fd, value, len) != len)
		leave(EXIT_SYSTEM, "%s: '%s': %s", path, value, strerror(errno));
	close(fd);
}

static void get(const char *path)
{
	int fd = open(path, O_RDONLY);
	size_t used = 0;
	ssize_t len;

	if (fd < 0)
		broken(path);
	while ((len = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += len;
	if (len < 0)
		broken(path);
	text[used] = 0;
	close(fd);
}

/* One 64-bit word at an index of a file such as pagemap. */
static uint64_t word_at(int fd, uint64_t index)
{
	uint64_t word;

	if (pread(fd, &word, sizeof(word), index * sizeof(word)) != sizeof(word))
		broken("pread");
	return word;
}

/* --- the kernel's side ---------------------------------------------------- */

static const char *section(void)
{
	char path[300];
	char *line;

	get(DEBUGFS);
	snprintf(path, sizeof(path), " %s\n", cg_dir + strlen(CGROOT));
	line = strstr(text, path);
	if (!line)
		leave(EXIT_SYSTEM, "no %s in %s", cg_dir + strlen(CGROOT), DEBUGFS);
	while (line > text && line[-1] != '\n')
		line--;
	if (sscanf(line, "memcg %u", &memcg_id) != 1)
		leave(EXIT_SYSTEM, "cannot read the memcg line of %s", DEBUGFS);
	return strchr(line, '\n') + 1;
}

static struct sizes sizes(void)
{
	const char *line = section();
	struct sizes s = { 0 };
	unsigned long seq, age, anon, file;
	char title[32];

	snprintf(title, sizeof(title), " node %5d\n", node);
	line = strstr(line, title);
	if (!line)
		leave(EXIT_SYSTEM, "no node %d in %s", node, DEBUGFS);
	while ((line = strchr(line, '\n')) &&
	       sscanf(++line, "%lu %lu %lu%*[ x] %lu", &seq, &age, &anon, &file) == 4) {
		if (s.nr == MAX_SEQS)
			leave(EXIT_SYSTEM, "too many generations");
		s.seq[s.nr] = seq;
		s.pages[s.nr++] = anon + file;
		s.total += anon + file;
	}
	if (!s.nr)
		leave(EXIT_SYSTEM, "no generation in %s", DEBUGFS);
	s.max_seq = s.seq[s.nr - 1];
	return s;
}

/* No folio is left in a per-CPU batch on its way to a list. */
static void drain(void)
{
	static void *page;
	int where = 0, status;

	page = page ?: text;
	if (syscall(SYS_move_pages, 0, 1UL, &page, &where, &status, 0))
		broken("move_pages");
}

static struct sizes settled(void)
{
	drain();
	return sizes();
}

static void command(char what, unsigned long seq, const char *rest)
{
	char line[128];

	snprintf(line, sizeof(line), "%c %u %d %lu %s\n", what, memcg_id, node, seq, rest);
	put(DEBUGFS, line);
}

/*
 * A walk clears accessed bits and does not flush the TLB, which is well: use is
 * a guess anyway. Here it must be none, so the process has its TLB flushed, by
 * changing more pages at once than are flushed one by one.
 */
static void flush_tlb(void)
{
	if (mprotect(flushed, sizeof(flushed), PROT_READ) ||
	    mprotect(flushed, sizeof(flushed), PROT_READ | PROT_WRITE))
		broken("mprotect");
	memset(flushed, 1, sizeof(flushed));
}

static bool full_walks = true;

static void walk(void)
{
	struct sizes s = settled();

	command('+', s.max_seq, full_walks ? "1 1" : "1 0");
	flush_tlb();
}

/*
 * The bits left by faults are spent, and nothing is young any more. Each walk by
 * command opens a generation; three fit into the window before the oldest are
 * put together, and a case makes no more than that where it counts.
 */
static void spend_bits(void)
{
	walk();
}

/* The youngest generation that holds pages, 0 if none does. */
static unsigned long top_seq(const struct sizes *s)
{
	int i;

	for (i = s->nr; i > 0; i--)
		if (s->pages[i - 1])
			return s->seq[i - 1];
	return 0;
}

static unsigned long pages_above(const struct sizes *s, unsigned long seq)
{
	unsigned long nr = 0;
	int i;

	for (i = 0; i < s->nr; i++)
		nr += s->seq[i] > seq ? s->pages[i] : 0;
	return nr;
}

/* A walk moves so many pages up, and loses none. */
static void expect_moved(unsigned long nr)
{
	struct sizes before = settled(), after;
	unsigned long moved;

	walk();
	after = settled();
	moved = pages_above(&after, top_seq(&before));
	if (after.total != before.total)
		wrong("%lu pages before the walk, %lu after", before.total, after.total);
	if (moved != nr)
		wrong("%lu of %lu pages moved up, %lu were touched", moved, after.total, nr);
}

/* --- the case's side ------------------------------------------------------ */

static void *map_at(void *where, size_t len, int prot, int flags, int fd)
{
	void *p = mmap(where, len, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		broken("mmap");
	return p;
}

static char *map_anon(unsigned long pages)
{
	char *p = map_at(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (madvise(p, pages * PAGE, MADV_NOHUGEPAGE) && errno != EINVAL)
		broken("MADV_NOHUGEPAGE");
	return p;
}

static char *map_huge(unsigned long nr)
{
	char *p = map_at(NULL, (nr + 1) * HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1);

	p = (char *)(((uintptr_t)p + HUGE - 1) & -HUGE);
	if (madvise(p, nr * HUGE, MADV_HUGEPAGE))
		skip("no transparent huge pages: %s", strerror(errno));
	return p;
}

/* From a file that holds what fill() would write, and is not in the cache. */
static char *map_file(unsigned long pages)
{
	int fd = open(FILE_PATH, O_RDONLY);
	volatile char *p;
	unsigned long i;

	if (fd < 0)
		broken(FILE_PATH);
	p = map_at(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		broken("fadvise");
	for (i = 0; i < pages; i++)
		p[i * PAGE];
	close(fd);
	return (char *)p;
}

/* New pages come from this node, and from no other. */
static void bind_to(int nid)
{
	unsigned long mask = 1UL << nid;

	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, sizeof(mask) * 8))
		broken("set_mempolicy");
}

static void fill(char *p, unsigned long pages)
{
	unsigned long i;

	for (i = 0; i < pages; i++)
		*(volatile uint64_t *)(p + i * PAGE) = i + 1;
}

/* Touch each page of a region with a chance of @percent; returns how many. */
static unsigned long touch_some(char *p, unsigned long pages, unsigned int percent)
{
	unsigned long i, nr = 0;

	for (i = 0; i < pages; i++) {
		touched[i] = random32() % 100 < percent;
		if (!touched[i])
			continue;
		nr++;
		if (*(volatile uint64_t *)(p + i * PAGE) != i + 1)
			wrong("page %lu holds something else", i);
	}
	return nr;
}

static bool is_present(int pagemap, char *p)
{
	return word_at(pagemap, (uintptr_t)p / PAGE) >> 63;
}

/*
 * Evict all below the generation that the touched pages moved to, and see who
 * is left. It takes several times if a walk passes over pages with the bits of
 * their faults, as eviction gives them another chance.
 */
static void expect_left(char *p, unsigned long pages)
{
	struct sizes s = settled();
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	unsigned long i, lost = 0, stayed = 0, below = top_seq(&s) - 1;

	if (pagemap < 0)
		broken("pagemap");
	for (i = 0; i < 4; i++)
		command('-', below, "100");
	for (i = 0; i < pages; i++) {
		bool present = is_present(pagemap, p + i * PAGE);

		lost += touched[i] && !present;
		stayed += !touched[i] && present;
	}
	close(pagemap);
	if (lost || stayed)
		wrong("after eviction %lu touched pages are gone, %lu others are there",
		      lost, stayed);
}

/* --- cases ---------------------------------------------------------------- */

static void case_anon(void)
{
	char *p = map_anon(4096);

	fill(p, 4096);
	spend_bits();
	expect_moved(touch_some(p, 4096, 30));
	expect_left(p, 4096);
}

/* The access that brought a page in is not a use of it. */
static void case_fault(void)
{
	char *p = map_anon(1024);
	struct sizes before;

	fill(p, 1024);
	before = settled();
	if (before.total != 1024)
		wrong("1024 pages faulted in, %lu on lists", before.total);
	expect_moved(0);
	expect_moved(touch_some(p, 1024, 50));
}

static void case_file(void)
{
	char *p = map_file(2048);

	spend_bits();
	expect_moved(touch_some(p, 2048, 30));
}

/* One entry stands for 512 pages, or 512 entries for one folio. */
static void case_thp(void)
{
	char *p = map_huge(6);
	struct sizes s;

	fill(p, 6 * HUGE_PAGES);
	s = settled();
	if (s.total != 6 * HUGE_PAGES)
		wrong("%lu pages on lists", s.total);
	spend_bits();
	*(volatile char *)(p + 7);
	*(volatile char *)(p + 2 * HUGE + 99 * PAGE);
	expect_moved(2 * HUGE_PAGES);
	/* Mapped by a table from here on, and still one folio. */
	if (mprotect(p + 3 * HUGE, PAGE, PROT_READ))
		broken("mprotect");
	*(volatile char *)(p + 3 * HUGE + 17 * PAGE);
	*(volatile char *)(p + 3 * HUGE + 400 * PAGE);
	*(volatile char *)(p + 4 * HUGE);
	expect_moved(2 * HUGE_PAGES);
}

static void case_protections(void)
{
	static const int prots[] = {
		PROT_READ, PROT_READ | PROT_WRITE, PROT_NONE, PROT_READ | PROT_EXEC,
	};
	char *p = map_anon(2048);
	unsigned long i, nr = 0;

	fill(p, 2048);
	for (i = 0; i < 2048 / 8; i++)
		if (mprotect(p + i * 8 * PAGE, 8 * PAGE, prots[i % 4]))
			broken("mprotect");
	spend_bits();
	for (i = 0; i < 2048; i++) {
		touched[i] = prots[i / 8 % 4] != PROT_NONE && random32() % 4 == 0;
		if (!touched[i])
			continue;
		*(volatile char *)(p + i * PAGE);
		nr++;
	}
	expect_moved(nr);
	expect_left(p, 2048);
}

static void case_holes(void)
{
	char *p = map_anon(4096), *far[4];
	unsigned long i, nr;

	fill(p, 4096);
	for (i = 0; i < 4096; i += 64)
		if (munmap(p + i * PAGE, (1 + random32() % 62) * PAGE))
			broken("munmap");
	/* A page each in tables of their own, gigabytes apart. */
	for (i = 0; i < 4; i++) {
		far[i] = map_at((void *)((16UL + 4 * i) << 38), PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
		fill(far[i], 1);
	}
	spend_bits();
	for (i = 0, nr = 0; i < 4096; i += 64, nr++)
		*(volatile char *)(p + (i + 63) * PAGE);
	*(volatile char *)far[1];
	*(volatile char *)far[3];
	expect_moved(nr + 2);
}

/* The bit is set under one address and found under another. */
static void case_mremap(void)
{
	char *p = map_anon(1024), *q;
	unsigned long nr;

	fill(p, 1024);
	spend_bits();
	nr = touch_some(p, 1024, 40);
	q = mremap(p, 1024 * PAGE, 1024 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		   map_anon(2048) + 513 * PAGE);
	if (q == MAP_FAILED)
		broken("mremap");
	expect_moved(nr);
	expect_left(q, 1024);
}

/* After a fork: all but the pages that the case is about. */
static void lock_all_but(char *p)
{
	char *line;

	get("/proc/self/maps");
	for (line = text; line && *line; line = strchr(line, '\n'), line += !!line) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx", &start, &end) != 2)
			leave(EXIT_SYSTEM, "cannot read maps");
		if ((char *)start > p || (char *)end <= p)
			mlock((void *)start, end - start);	/* not all can be */
	}
}

/* Pages of two processes, of the same memcg: seen in either, they are young. */
static void case_fork(void)
{
	char *p = map_anon(2048);
	volatile int *turn = map_at(NULL, PAGE, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1);
	unsigned long i, nr = 0;
	pid_t child;

	*turn = 0;
	if (mlock((void *)turn, PAGE))
		broken("mlock");
	fill(p, 2048);
	child = fork();
	if (child < 0)
		broken("fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		lock_all_but(p);
		for (*turn = 1; *turn == 1; usleep(1000))
			;
		for (i = 0; i < 2048; i += 3)
			*(volatile char *)(p + i * PAGE);
		for (*turn = 3; *turn == 3; usleep(1000))
			;
		_exit(0);
	}
	while (*turn != 1)
		usleep(1000);
	spend_bits();
	*turn = 2;
	while (*turn != 3)
		usleep(1000);
	for (i = 1; i < 2048; i += 3)
		*(volatile char *)(p + i * PAGE);
	for (i = 0; i < 2048; i++)
		nr += i % 3 < 2;
	expect_moved(nr);
	*turn = 4;
	waitpid(child, NULL, 0);
}

/* A walk for one node takes nothing that the walk for another needs. */
static void case_nodes(void)
{
	char *p = map_anon(1024);
	unsigned long i, nr[2] = { 0 };

	if (access("/sys/devices/system/node/node1", F_OK))
		skip("one node only");
	for (i = 0; i < 1024; i++) {
		bind_to(i % 2);
		fill(p + i * PAGE, 1);
	}
	bind_to(0);
	for (node = 1; node >= 0; node--)
		spend_bits();
	for (i = 0; i < 1024; i++) {
		touched[i] = random32() % 4 == 0;
		if (!touched[i])
			continue;
		nr[i % 2]++;
		*(volatile char *)(p + i * PAGE);
	}
	for (node = 0; node < 2; node++)
		expect_moved(nr[node]);
}

/* --- cases: what is passed over -------------------------------------------- */

/* Beside a region that counts, @p's @pages pages are touched and do not. */
static void expect_passed_over(char *p, unsigned long pages)
{
	char *counts = map_anon(512);
	unsigned long nr;

	fill(counts, 512);
	spend_bits();
	touch_some(p, pages, 100);
	nr = touch_some(counts, 512, 50);
	expect_moved(nr);
}

static void advise_and_expect(int advice, bool counted)
{
	char *p = map_anon(512), *f = map_file(512);

	if (madvise(p, 512 * PAGE, advice) || madvise(f, 512 * PAGE, advice))
		broken("madvise");
	fill(p, 512);
	spend_bits();
	touch_some(p, 512, 100);
	touch_some(f, 512, 100);
	expect_moved(counted ? 1024 : 0);
}

static void case_random(void)
{
	advise_and_expect(MADV_RANDOM, true);
}

static void case_sequential(void)
{
	advise_and_expect(MADV_SEQUENTIAL, false);
}

static void case_mlocked(void)
{
	char *p = map_anon(512);

	fill(p, 512);
	if (mlock(p, 512 * PAGE))
		broken("mlock");
	drain();
	expect_passed_over(p, 512);
}

static void case_userfaultfd(void)
{
	char *p = map_anon(512);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)p, 512 * PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		skip("no userfaultfd: %s", strerror(errno));
	fill(p, 512);
	if (ioctl(fd, UFFDIO_REGISTER, &reg))
		broken("UFFDIO_REGISTER");
	expect_passed_over(p, 512);
}

static void case_hugetlb(void)
{
	char *p = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (p == MAP_FAILED)
		skip("no hugetlb pages: %s", strerror(errno));
	fill(p, 2 * HUGE_PAGES);
	expect_passed_over(p, 2 * HUGE_PAGES);
}

/* --- cases: races ---------------------------------------------------------- */

static char *race_region;
static volatile bool race_stop;

/* Half of the pages are thrown away and come back all the time. */
static void *race_madvise(void *arg)
{
	unsigned long rounds = 0, i;

	while (!race_stop) {
		i = random32() % 15 * 64;
		if (madvise(race_region + i * PAGE, 128 * PAGE, MADV_DONTNEED))
			wrong("madvise: %s", strerror(errno));
		fill(race_region + i * PAGE, 128);
		rounds++;
	}
	*(unsigned long *)arg = rounds;
	return NULL;
}

/* Mappings come and go, so that tables are freed while they are walked. */
static void *race_munmap(void *arg)
{
	unsigned long rounds = 0;

	while (!race_stop) {
		char *p = map_anon(700);

		fill(p, 700);
		if (mprotect(p, 33 * PAGE, PROT_READ))
			wrong("mprotect: %s", strerror(errno));
		munmap(p, 700 * PAGE);
		rounds++;
	}
	*(unsigned long *)arg = rounds;
	return NULL;
}

static void case_races(void)
{
	static unsigned long rounds[2];
	unsigned long walks = 0, i;
	time_t end = time(NULL) + 5, last = end + CASE_SECONDS / 2;
	char *p = map_anon(2048);
	pthread_t threads[2];

	race_region = map_anon(1024);
	fill(p, 2048);
	if (pthread_create(&threads[0], NULL, race_madvise, &rounds[0]) ||
	    pthread_create(&threads[1], NULL, race_munmap, &rounds[1]))
		broken("pthread_create");
	for (; time(NULL) < end || (walks < 10 && time(NULL) < last); walks++) {
		touch_some(p, 2048, 10);
		walk();
	}
	race_stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (walks < 10 || rounds[0] < 5 || rounds[1] < 5)
		wrong("too slow to race: %lu walks, %lu madvise, %lu munmap",
		      walks, rounds[0], rounds[1]);
	touch_some(p, 2048, 100);
}

/* --- cases: other eyes ----------------------------------------------------- */

static uint64_t pfn_of(int pagemap, char *p)
{
	uint64_t word = word_at(pagemap, (uintptr_t)p / PAGE);

	if (!(word >> 63))
		wrong("a page is not there");
	return word & ((1ULL << 55) - 1);
}

static void set_idle(int idle, uint64_t pfn)
{
	uint64_t bits = 1ULL << (pfn % 64);

	/* The last word of memory may be written and not be counted as such. */
	if (pwrite(idle, &bits, sizeof(bits), pfn / 64 * 8) < 0)
		broken("setting a page idle");
}

/* A walk takes bits that page_idle would look for: it must leave it a note. */
static void case_page_idle(void)
{
	int idle = open(IDLE, O_RDWR), pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *p = map_anon(1024);
	unsigned long i, nr, nr_seen = 0, hidden = 0, shown = 0;

	if (idle < 0)
		skip("no %s", IDLE);
	if (pagemap < 0)
		broken("pagemap");
	fill(p, 1024);
	spend_bits();
	for (i = 0; i < 1024; i++)
		set_idle(idle, pfn_of(pagemap, p + i * PAGE));
	nr = touch_some(p, 1024, 40);
	expect_moved(nr);
	for (i = 0; i < 1024; i++) {
		uint64_t bits, pfn = pfn_of(pagemap, p + i * PAGE);
		bool is_idle;

		/* The last word of memory, if it is not a whole one, is not shown. */
		if (pread(idle, &bits, sizeof(bits), pfn / 64 * 8) != sizeof(bits))
			continue;
		nr_seen++;
		is_idle = bits >> (pfn % 64) & 1;
		hidden += touched[i] && is_idle;
		shown += !touched[i] && !is_idle;
	}
	if (nr_seen < 900)
		leave(EXIT_SYSTEM, "only %lu pages of 1024 can be judged", nr_seen);
	if (hidden || shown)
		wrong("%lu touched pages shown as idle, %lu others as not", hidden, shown);
}

/* --- running them ---------------------------------------------------------- */

static const struct test_case {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "anon", case_anon }, { "fault", case_fault }, { "file", case_file },
	{ "thp", case_thp }, { "protections", case_protections },
	{ "holes", case_holes }, { "mremap", case_mremap }, { "fork", case_fork },
	{ "random", case_random }, { "sequential", case_sequential },
	{ "mlocked", case_mlocked }, { "userfaultfd", case_userfaultfd },
	{ "hugetlb", case_hugetlb }, { "races", case_races },
	{ "page_idle", case_page_idle }, { "nodes", case_nodes },
};

#define NR_CASES	(sizeof(cases) / sizeof(cases[0]))

static void settle_in(void)
{
	volatile char stack[STACK_LOCKED];
	char path[300], pid[32];
	unsigned long i;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cg_dir);
	snprintf(pid, sizeof(pid), "%d", getpid());
	put(path, pid);
	bind_to(0);
	for (i = 0; i < sizeof(stack); i += PAGE)
		stack[i] = 1;
	memset(text, 1, sizeof(text));
	memset(touched, 0, sizeof(touched));
	if (mlockall(MCL_CURRENT))
		broken("mlockall");
	section();
	if (settled().total)
		leave(EXIT_SYSTEM, "%lu pages on lists before the case began", sizes().total);
}

static int report(int status, const char *why)
{
	static const char *const words[] = {
		[EXIT_OK] = "ok", [EXIT_SKIP] = "skip",
	};
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (code == EXIT_OK || code == EXIT_SKIP)
		printf("%s %s%s%s\n", words[code], case_name, *why ? ": " : "", why);
	else if (code < 0)
		printf("not ok %s: killed by signal %d\n", case_name, WTERMSIG(status));
	else
		printf("not ok %s: %s%s\n", case_name,
		       code == EXIT_WRONG ? "" : "(the test itself) ", why);
	fflush(stdout);
	return code != EXIT_OK && code != EXIT_SKIP;
}

/* By the parent, so that no block of the file system is charged to a case. */
static void make_file(void)
{
	int fd = open(FILE_PATH, O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint64_t page[PAGE / 8] = { 0 };
	unsigned long i;

	for (i = 0; fd >= 0 && i < FILE_PAGES; i++) {
		page[0] = i + 1;
		if (write(fd, page, PAGE) != PAGE)
			break;
	}
	if (fd < 0 || i < FILE_PAGES || fsync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) {
		perror(FILE_PATH);
		exit(EXIT_SYSTEM);
	}
	close(fd);
}

static int run_case(const struct test_case *c)
{
	char why[512] = "";
	int status, tries;
	pid_t pid;

	case_name = c->name;
	/* A name of its own: memcgs that are gone are listed for a while. */
	snprintf(cg_dir, sizeof(cg_dir), CGROOT "/walk-%s-%d", c->name, getpid());
	if (mkdir(cg_dir, 0755) && errno != EEXIST) {
		perror(cg_dir);
		exit(EXIT_SYSTEM);
	}
	if (pipe(result_pipe)) {
		perror("pipe");
		exit(EXIT_SYSTEM);
	}
	make_file();
	pid = fork();
	if (!pid) {
		random_state = 20261120;
		alarm(CASE_SECONDS);
		settle_in();
		c->run();
		_exit(EXIT_OK);
	}
	close(result_pipe[1]);
	waitpid(pid, &status, 0);
	if (read(result_pipe[0], why, sizeof(why) - 1) < 0)
		why[0] = 0;
	close(result_pipe[0]);
	for (tries = 0; rmdir(cg_dir) && errno == EBUSY && tries < 100; tries++)
		usleep(10000);
	return report(status, why);
}

static int usage(const char *unknown)
{
	size_t i;

	if (unknown)
		fprintf(stderr, "walktest: error: no case '%s'\n", unknown);
	fprintf(stderr, "usage: walktest [--by-need] CASE..\n  --by-need: walks pass over what has not run, cases:");
	for (i = 0; i < NR_CASES; i++)
		fprintf(stderr, " %s", cases[i].name);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++) {
		size_t k;

		if (!strcmp(argv[i], "--by-need")) {
			full_walks = false;
			continue;
		}
		for (k = 0; k < NR_CASES && strcmp(argv[i], cases[k].name); k++)
			;
		if (k == NR_CASES)
			return usage(argv[i]);
		failed += run_case(&cases[k]);
	}
	if (argc < 2)
		return usage(NULL);
	return failed ? EXIT_WRONG : EXIT_OK;
}
