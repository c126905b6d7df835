/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of user/sym share: a scratch folder, a compiler, and files put into an address space. */
#ifndef SKEP_TESTS_TEST_SYM_H
#define SKEP_TESTS_TEST_SYM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/elf.h"
#include "sym/sym.h"

#define PID 4242u
#define UNUSED __attribute__((unused))

static char scratch[] = "/tmp/skep-sym-XXXXXX";

static UNUSED int scratch_make(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? 0 : -1;
}

static UNUSED int run(const char *fmt, ...)
{
	char cmd[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return system(cmd);
}

static UNUSED int scratch_drop(void **state)
{
	(void)state;
	return run("rm -rf %s", scratch);
}

static UNUSED const char *in_scratch(const char *name)
{
	static char paths[64][PATH_MAX];
	static int next;
	char *p = paths[next++ % 64];

	snprintf(p, PATH_MAX, "%s/%s", scratch, name);
	return p;
}

static UNUSED void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	assert_int_equal(fclose(f), 0);
}

/* Builds source with a command that has %s for its path and then the output's; skips the test without the tool. */
static UNUSED void build(const char *tool, const char *source_name, const char *text, const char *flags, const char *out)
{
	if (run("command -v %s >/dev/null 2>&1", tool))
		skip();
	write_file(in_scratch(source_name), text);
	assert_int_equal(run("cd %s && %s %s %s -o %s 2>cc.log || { cat cc.log; exit 1; }", scratch, tool, flags,
			     source_name, out),
			 0);
}

static UNUSED struct syms *new_syms(const struct syms_cfg *cfg)
{
	struct syms *syms;
	struct err err;

	assert_int_equal(syms_new(cfg, &syms, &err), 0);
	return syms;
}

static UNUSED void map_at(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t addr, uint64_t len, uint64_t pgoff,
			  const char *path)
{
	struct task_event t = { .what = TASK_MMAP,
				.pid = pid,
				.tid = pid,
				.time_ns = time_ns,
				.addr = addr,
				.len = len,
				.pgoff = pgoff,
				.prot = 5,
				.path = path };

	assert_int_equal(syms_task(syms, &t), 0);
}

/* Maps the code of an ELF file as the loader would, bias above its addresses. */
static UNUSED void map_elf(struct syms *syms, uint32_t pid, const char *path, uint64_t bias)
{
	struct elf_file elf;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(elf_open_fd(fd, &elf), 0);
	for (uint32_t i = 0; i < elf.nr_segs; i++) {
		const struct elf_seg *s = &elf.segs[i];
		uint64_t in_page = s->vaddr & 0xfff;

		if (s->type == PT_LOAD && (s->flags & PF_X))
			map_at(syms, pid, 0, bias + s->vaddr - in_page, (s->filesz + in_page + 0xfff) & ~0xfffull,
			       s->off - in_page, path);
	}
	elf_close(&elf);
	close(fd);
}

static UNUSED struct frame resolve(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t ip)
{
	struct frame f[32];

	assert_true(syms_resolve(syms, pid, time_ns, ip, false, false, f, 32) >= 1);
	return f[0];
}

static UNUSED void expect(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t ip, const char *name)
{
	struct frame f = resolve(syms, pid, time_ns, ip);

	if (strcmp(f.name, name))
		print_error("at %llx\n", (unsigned long long)ip);
	assert_string_equal(f.name, name);
}

/* The value nm gives a symbol; 0: it has none. */
static UNUSED uint64_t nm_value(const char *nm_flags, const char *path, const char *name)
{
	char cmd[PATH_MAX + 128], line[4096];
	unsigned long long value = 0;
	FILE *p;

	snprintf(cmd, sizeof(cmd), "nm %s %s 2>/dev/null", nm_flags, path);
	p = popen(cmd, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		unsigned long long v;
		char type, text[4000];

		if (sscanf(line, "%llx %c %3999s", &v, &type, text) == 3 && !strcmp(text, name))
			value = v;
	}
	pclose(p);
	return value;
}

#endif
