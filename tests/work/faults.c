/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Touches pages that are not there yet: of its own memory, one that the kernel writes to for it, and of a file. Prints where they are, and
 * how many faults the kernel has counted for the file, of which it maps some pages at once. usage: faults PAGES [FILE]
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "work.h"

#define PAGE 4096ul

static NOINLINE void touch_memory(volatile char *at, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		at[i * PAGE] = 1;
}

static NOINLINE int touch_file(const volatile char *at, size_t pages)
{
	int sum = 0;

	for (size_t i = 0; i < pages; i++)
		sum += at[i * PAGE];
	return sum;
}

static char *map(int fd, size_t pages, int prot)
{
	char *at = mmap(NULL, pages * PAGE, prot, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, 0);

	if (at == MAP_FAILED || (madvise(at, pages * PAGE, MADV_NOHUGEPAGE) && fd < 0)) {
		perror("faults: mmap");
		exit(1);
	}
	madvise(at, pages * PAGE, MADV_RANDOM); /* one at a time */
	return at;
}

static long all_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	int fd = argc > 2 ? open(argv[2], O_RDONLY) : -1, zero = open("/dev/zero", O_RDONLY);
	char *memory = map(-1, pages, PROT_READ | PROT_WRITE), *given = map(-1, 1, PROT_READ | PROT_WRITE);
	const char *file = fd < 0 ? NULL : map(fd, pages, PROT_READ);
	long faults;

	if (read(zero, memory, 0) < 0) /* the code of it is there now */
		return 1;
	touch_memory(memory, pages);
	if (read(zero, given, 1) != 1)
		return 1;
	printf("memory %#lx %#lx\n", (unsigned long)memory, (unsigned long)memory + pages * PAGE);
	printf("given %#lx %#lx\n", (unsigned long)given, (unsigned long)given + PAGE);
	if (!file)
		return 0;
	touch_file(given, 1); /* so is that of this */
	faults = all_faults();
	touch_file(file, pages);
	printf("file %ld\n", all_faults() - faults);
	return 0;
}
