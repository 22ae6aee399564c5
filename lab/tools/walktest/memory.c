// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the cases: mapped, touched at random, and looked for after eviction.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walktest.h"

uint64_t random_state;
bool touched[MAX_PAGES];

uint32_t random32(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return random_state >> 33;
}

void *map_at(void *where, size_t len, int prot, int flags, int fd)
{
	void *p = mmap(where, len, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		broken("mmap");
	return p;
}

char *map_anon(unsigned long pages)
{
	char *p = map_at(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (madvise(p, pages * PAGE, MADV_NOHUGEPAGE) && errno != EINVAL)
		broken("MADV_NOHUGEPAGE");
	return p;
}

char *map_huge(unsigned long nr)
{
	char *p = map_at(NULL, (nr + 1) * HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1);

	p = (char *)(((uintptr_t)p + HUGE - 1) & -HUGE);
	if (madvise(p, nr * HUGE, MADV_HUGEPAGE))
		skip("no transparent huge pages: %s", strerror(errno));
	return p;
}

/* From a file that holds what fill() would write, and is not in the cache. */
char *map_file(unsigned long pages)
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
void bind_to(int nid)
{
	unsigned long mask = 1UL << nid;

	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, sizeof(mask) * 8))
		broken("set_mempolicy");
}

void fill(char *p, unsigned long pages)
{
	unsigned long i;

	for (i = 0; i < pages; i++)
		*(volatile uint64_t *)(p + i * PAGE) = i + 1;
}

/* Touch each page of a region with a chance of @percent; returns how many. */
unsigned long touch_some(char *p, unsigned long pages, unsigned int percent)
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
void expect_left(char *p, unsigned long pages)
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
