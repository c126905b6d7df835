/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A JIT whose code moves and is replaced: burns SECONDS (default 1) in code that it dumps into jit-PID.dump here, ROUNDS times (default 1) the four:
 * "first" at one address, "second" at the same address, "first" at another one, to which it is moved, "third" at the first address. Before that it
 * dumps METHODS others (default 0). Prints the CPU seconds of each name.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define PAGE 4096
#define LOOPS 200000
#define OTHER_BYTES 1000 /* of each other method's code, which never runs */
#define FIRST 1
#define SECOND 2
#define THIRD 3

#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 }; /* dec %rdi; jne -5; ret */
#else
#define MACHINE EM_AARCH64
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 }; /* subs x0, x0, #1; b.ne -4; ret */
#endif

static const char *const names[] = { [FIRST] = "first", [SECOND] = "second", [THIRD] = "third" };
static double spent[THIRD + 1];

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
};

struct move {
	struct record r;
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

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

static int dump_open(void)
{
	struct header h = { 0x4a695444, 1, sizeof(h), MACHINE, 0, getpid(), now(), 0 };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	/* The mark by which recordings have its path. */
	if (fd < 0 || mmap(NULL, getpagesize(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
	put(fd, &h, sizeof(h));
	return fd;
}

static void put_load(int fd, void *at, int name)
{
	size_t n = strlen(names[name]) + 1;
	struct load l = { { 0, sizeof(l) + n + sizeof(code), now() }, getpid(), getpid(), (uintptr_t)at, (uintptr_t)at, sizeof(code), name };

	put(fd, &l, sizeof(l));
	put(fd, names[name], n);
	put(fd, code, sizeof(code));
}

static void put_others(int fd, char *at, int n)
{
	char buf[1 << 16], name[64];
	size_t used = 0;

	memset(buf, 0, sizeof(buf));
	for (int i = 0; i < n; i++) {
		uintptr_t addr = (uintptr_t)at + (size_t)i * OTHER_BYTES;
		size_t len = snprintf(name, sizeof(name), "Lorg/example/other/Class%d;::method", i) + 1;
		struct load l = { { 0, sizeof(l) + len + OTHER_BYTES, now() }, getpid(), getpid(), addr, addr, OTHER_BYTES, THIRD + 1 + i };

		if (l.r.size > sizeof(buf) - used) {
			put(fd, buf, used);
			used = 0;
		}
		memcpy(buf + used, &l, sizeof(l));
		memcpy(buf + used + sizeof(l), name, len);
		used += l.r.size;
	}
	put(fd, buf, used);
}

static void put_move(int fd, void *from, void *to, int name)
{
	struct move m = { { 1, sizeof(m), now() }, getpid(), getpid(), (uintptr_t)to, (uintptr_t)from, (uintptr_t)to, sizeof(code), name };

	put(fd, &m, sizeof(m));
}

/* What is done in turn, from one place: stacks of code at one address differ in nothing. */
static const struct step {
	int name;
	bool is_moved, is_at_b; /* there, now or before */
	double tenths;
} steps[] = { { FIRST, false, false, 2 }, { SECOND, false, false, 4 }, { FIRST, true, true, 1 }, { THIRD, false, false, 3 } };

static void __attribute__((noinline)) run(void *at, int name, double seconds)
{
	double begin = cpu_s();
	void (*loop)(long);

	memcpy(&loop, &at, sizeof(loop));
	while (cpu_s() - begin < seconds)
		loop(LOOPS);
	spent[name] += cpu_s() - begin;
}

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 1, others = argc > 3 ? atoi(argv[3]) : 0, fd = dump_open();
	char *a = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *b = a + PAGE;

	if (a == MAP_FAILED)
		return 1;
	memcpy(a, code, sizeof(code));
	memcpy(b, code, sizeof(code));
	__builtin___clear_cache(a, b + sizeof(code));
	put_others(fd, a + 2 * PAGE, others);
	for (int i = 0; i < rounds * 4; i++) {
		const struct step *step = &steps[i % 4];

		if (step->is_moved)
			put_move(fd, a, b, step->name);
		else
			put_load(fd, a, step->name);
		run(step->is_at_b ? b : a, step->name, want / rounds / 10 * step->tenths);
	}
	for (int i = FIRST; i <= THIRD; i++)
		printf("%s %.3f\n", names[i], spent[i]);
	return 0;
}
