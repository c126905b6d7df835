/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A JIT of one loop: burns SECONDS (default 1) in code that it makes in memory, named jitted_loop, and dumps it with source lines as
 * linux tools/perf/Documentation/jitdump-specification.txt has it, into jit-PID.dump here. Prints where the code is and its size.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 }; /* dec %rdi; jne -5; ret */
#define LOOP_END 5
#else
#define MACHINE EM_AARCH64
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 }; /* subs x0, x0, #1; b.ne -4; ret */
#define LOOP_END 8
#endif

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time_ns, flags;
};

struct record {
	uint32_t id, size;
	uint64_t time_ns;
};

struct load {
	struct record r;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
	char name[12]; /* "jitted_loop" */
	uint8_t bytes[sizeof(code)];
} __attribute__((packed));

struct line {
	uint64_t addr;
	uint32_t line, discriminator;
	char file[10]; /* "jitted.js" */
} __attribute__((packed));

struct debug {
	struct record r;
	uint64_t addr, n;
	struct line lines[2];
} __attribute__((packed));

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void put(int fd, const void *bytes, size_t n)
{
	if (write(fd, bytes, n) != (ssize_t)n)
		exit(1);
}

static void dump(uint64_t at)
{
	struct header h = { 0x4a695444, 1, sizeof(h), MACHINE, 0, getpid(), now(), 0 };
	struct debug d = { { 2, sizeof(d), now() }, at, 2, { { at, 7, 0, "jitted.js" }, { at + LOOP_END, 9, 0, "jitted.js" } } };
	struct load l = { { 0, sizeof(l), now() }, getpid(), getpid(), at, at, sizeof(code), 1, "jitted_loop", { 0 } };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	/* The mark by which recordings have its path. */
	if (fd < 0 || mmap(NULL, getpagesize(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
	memcpy(l.bytes, code, sizeof(code));
	put(fd, &h, sizeof(h));
	put(fd, &d, sizeof(d));
	put(fd, &l, sizeof(l));
	close(fd);
}

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 1;
	void *at = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*loop)(long);

	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	if (mprotect(at, getpagesize(), PROT_READ | PROT_EXEC))
		return 1;
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
	dump((uintptr_t)at);
	memcpy(&loop, &at, sizeof(loop));
	while (cpu_s() < want)
		loop(1000000);
	printf("code %lx %zu\n", (unsigned long)(uintptr_t)at, sizeof(code));
	return 0;
}
