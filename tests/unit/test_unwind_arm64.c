/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks of arm64's stacks: programs run emulated (qemu-user) and crash, their core files are walked by the steps that the kernel
 * takes, and glibc's backtrace(), which they called before, is the second witness.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "unwind/arm64.h"
#include "unwind/ehframe.h"
#include "unwind/walk.h"

#define MAPS_MAX 64
#define OBJECTS_MAX 16
#define FRAMES_MAX 400
#define BURN_BYTES 1024 /* more than burn() has of code */
#define ADDRESS_BITS 48 /* of qemu-user's programs are in fewer */
#define SYSROOT "/usr/aarch64-linux-gnu"

enum { REGS_SP = 31, REGS_PC = 32, REGS = 34 }; /* struct user_pt_regs: x0 to x30, sp, pc, pstate */

/* A program's file, and its table. */
struct file {
	char path[256];
	struct elf_file elf;
	struct unwind_table table;
	int fd, has_table;
};

struct map {
	uint64_t start, end, off;
	struct file *file; /* NULL: no file's */
};

static struct world {
	struct map maps[MAPS_MAX];
	struct file files[OBJECTS_MAX];
	size_t nr_maps, nr_files;
	uint64_t frames[FRAMES_MAX]; /* by backtrace(), from burn() on */
	size_t nr_frames;
	struct elf_file core;
	int core_fd;
	uint64_t regs[REGS];
	struct unwind_rules rules;
	const char *fp_only; /* end of a path: it is taken for code without tables */
	size_t nr_signals, nr_signed;
} world;

static char scratch[] = "/tmp/skep-arm64-XXXXXX";

static int core_read(uint64_t addr, void *to, size_t n)
{
	for (uint32_t i = 0; i < world.core.nr_segs; i++) {
		const struct elf_seg *s = &world.core.segs[i];

		if (s->type == PT_LOAD && addr >= s->vaddr && addr - s->vaddr < s->filesz && s->filesz - (addr - s->vaddr) >= n)
			return pread(world.core_fd, to, n, (off_t)(s->off + addr - s->vaddr)) == (ssize_t)n ? 0 : -1;
	}
	return -1;
}

static const struct map *map_at(uint64_t addr)
{
	for (size_t i = 0; i < world.nr_maps; i++)
		if (addr >= world.maps[i].start && addr < world.maps[i].end)
			return &world.maps[i];
	return NULL;
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return n >= k && !strcmp(path + n - k, end);
}

static int find_rule(void *arg, uint64_t ip, struct unwind_rule *ret_rule)
{
	const struct map *m = map_at(ip);
	uint8_t code[8];
	uint64_t vaddr;
	uint32_t number;

	(void)arg;
	/* qemu-user's trampoline is no vDSO's, but of the same instructions, and at the begin of a page. */
	if (!core_read(ip + 1, code, sizeof(code)) && arm64_is_sigreturn(code, sizeof(code))) {
		world.nr_signals++;
		*ret_rule = arm64_sigreturn_rule;
		return 0;
	}
	if (!m || !m->file)
		return STOP_NO_CODE;
	if (!m->file->has_table || (world.fp_only && ends_in(m->file->path, world.fp_only))) {
		*ret_rule = unwind_rule_fp;
		return 0;
	}
	if (!elf_off_to_vaddr(m->file->elf.segs, m->file->elf.nr_segs, ip - m->start + m->off, &vaddr))
		return STOP_NO_CODE;
	number = unwind_table_find(&m->file->table, vaddr);
	*ret_rule = world.rules.data[number];
	return number ? 0 : STOP_NO_RULE;
}

static int read_word(void *arg, uint64_t addr, uint64_t *ret_word)
{
	(void)arg;
	if (core_read(addr, ret_word, sizeof(*ret_word)))
		return -1;
	world.nr_signed += *ret_word >> ADDRESS_BITS && map_at(*ret_word & ((1ull << ADDRESS_BITS) - 1));
	return 0;
}

static struct file *file_of(const char *path)
{
	struct file *f;

	for (size_t i = 0; i < world.nr_files; i++)
		if (!strcmp(world.files[i].path, path))
			return &world.files[i];
	assert_true(world.nr_files < OBJECTS_MAX);
	f = &world.files[world.nr_files++];
	snprintf(f->path, sizeof(f->path), "%s", path);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(elf_open_fd(f->fd, &f->elf), 0);
	f->has_table = !unwind_table_read(&f->elf, NULL, &world.rules, &f->table);
	return f;
}

static void read_line(const char *line)
{
	char path[256] = "", mode[8];
	struct map m = { 0 };

	if (sscanf(line, "frame %" SCNx64, &m.start) == 1) {
		assert_true(world.nr_frames < FRAMES_MAX);
		world.frames[world.nr_frames++] = m.start;
	} else if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255s", &m.start, &m.end, mode, &m.off, path) >= 4 &&
		   mode[2] == 'x') {
		assert_true(world.nr_maps < MAPS_MAX);
		if (path[0] == '/')
			m.file = file_of(path);
		world.maps[world.nr_maps++] = m;
	}
}

/* The registers of the thread that crashed are the first of the notes. */
static void read_core(const char *path)
{
	uint32_t head[3]; /* sizes of name and of what is there, kind */
	off_t at;
	bool is_found = false;

	world.core_fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(world.core_fd >= 0);
	assert_int_equal(elf_open_fd(world.core_fd, &world.core), 0);
	for (uint32_t i = 0; !is_found && i < world.core.nr_segs; i++) {
		const struct elf_seg *s = &world.core.segs[i];

		if (s->type != PT_NOTE)
			continue;
		assert_int_equal(pread(world.core_fd, head, sizeof(head), (off_t)s->off), sizeof(head));
		assert_int_equal(head[2], NT_PRSTATUS);
		at = (off_t)(s->off + sizeof(head) + ((head[0] + 3) & ~3u) + offsetof(struct elf_prstatus, pr_reg));
		assert_int_equal(pread(world.core_fd, world.regs, sizeof(world.regs), at), sizeof(world.regs));
		is_found = true;
	}
	assert_true(is_found);
}

static void world_begin(void)
{
	memset(&world, 0, sizeof(world));
	world.core_fd = -1;
	assert_int_equal(unwind_rules_init(&world.rules), 0);
}

static void world_end(void)
{
	for (size_t i = 0; i < world.nr_files; i++) {
		unwind_table_free(&world.files[i].table);
		elf_close(&world.files[i].elf);
		close(world.files[i].fd);
	}
	if (world.core_fd >= 0) {
		elf_close(&world.core);
		close(world.core_fd);
	}
	unwind_rules_free(&world.rules);
}

static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command)) {
		print_error("%s\n", command);
		fail();
	}
}

/* Runs one way to its end, and takes in what is left of it. */
static void crash(const char *way)
{
	char line[512], pattern[128];
	FILE *f;
	glob_t g;

	run("cd %s && rm -f *.core && { ulimit -c unlimited; echo 0 >/proc/self/coredump_filter; "
	    "qemu-aarch64 -L " SYSROOT " ./crash %s >out 2>err; rm -f core; true; }", scratch, way);
	snprintf(pattern, sizeof(pattern), "%s/out", scratch);
	f = fopen(pattern, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		read_line(line);
	fclose(f);
	snprintf(pattern, sizeof(pattern), "%s/qemu_*.core", scratch);
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	read_core(g.gl_pathv[0]);
	globfree(&g);
}

static const char *const ways[] = { "deep", "alloca", "large", "aligned", "callback", "signal", "leaf", "altstack", "thread" };

static bool is_signal(const char *way)
{
	return !strcmp(way, "signal") || !strcmp(way, "leaf") || !strcmp(way, "altstack");
}

static uint32_t walk(uint64_t *ret_ips, uint32_t *ret_end)
{
	struct unwind_facts facts = { NULL, find_rule, read_word };
	struct unwind_regs regs = { .ip = world.regs[REGS_PC], .sp = world.regs[REGS_SP], .bp = world.regs[29], .bx = world.regs[30],
				    .is_exact = 1, .address_bits = ADDRESS_BITS };

	return unwind_frames(&facts, &regs, world.regs, ret_ips, FRAMES_MAX, ret_end);
}

static void show(const char *how, const char *way, const uint64_t *ips, uint32_t n, uint32_t end)
{
	print_error("%s, %s: end %u of %u frames, backtrace() has %zu\n", how, way, end, n, world.nr_frames);
	for (size_t i = 0; i < n || i < world.nr_frames; i++)
		print_error("%3zu 0x%012" PRIx64 " 0x%012" PRIx64 "\n", i, i < n ? ips[i] : 0, i < world.nr_frames ? world.frames[i] : 0);
}

/* The innermost is trap(), then burn(): where that called backtrace() is not where it called trap(). */
static bool check_walk(const char *how, const char *way)
{
	uint64_t ips[FRAMES_MAX];
	uint32_t end, n = walk(ips, &end);
	bool is_good = end == STOP_WHOLE && n == world.nr_frames && n > 2 && ips[0] - world.frames[0] < BURN_BYTES &&
		       !memcmp(ips + 1, world.frames + 1, (n - 1) * sizeof(*ips));

	if (!is_good)
		show(how, way, ips, n, end);
	return is_good;
}

/*
 * The program's code as if it had no tables: frame pointers from there into the C library and back. Of trap(), which has no record,
 * the caller is passed over; _start has none either. Where handlers are on the stack, the way to the interrupted function is lost
 * with sp.
 */
static bool check_mixed(const char *how, const char *way)
{
	uint64_t ips[FRAMES_MAX];
	uint32_t end, n;
	bool is_good;

	world.fp_only = "/crash";
	n = walk(ips, &end);
	is_good = n > 1 && !memcmp(ips, world.frames + 1, n * sizeof(*ips)) &&
		  (is_signal(way) ? end == STOP_BAD_RULE : (end == STOP_WHOLE || end == STOP_NO_RULE) && n == world.nr_frames - 1);
	if (!is_good)
		show(how, way, ips, n, end);
	return is_good;
}

static void check_ways(const char *how, bool is_signed, bool (*check)(const char *how, const char *way))
{
	size_t nr_signed = 0, nr_bad = 0;

	run("aarch64-linux-gnu-gcc -g %s tests/work/crash.c -o %s/crash -pthread", how, scratch);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		world_begin();
		crash(ways[i]);
		nr_bad += !check(how, ways[i]);
		assert_int_equal(world.nr_signals, is_signal(ways[i]));
		nr_signed += world.nr_signed;
		world_end();
	}
	assert_int_equal(nr_bad, 0);
	assert_int_equal(!!nr_signed, is_signed);
}

static int begin(void **state)
{
	(void)state;
	if (system("command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 && command -v qemu-aarch64 >/dev/null 2>&1"))
		return 0;
	return mkdtemp(scratch) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	if (!ends_in(scratch, "XXXXXX"))
		run("rm -rf %s", scratch);
	return 0;
}

static void need_tools(void)
{
	if (ends_in(scratch, "XXXXXX")) {
		print_message("no cross compiler or emulator: tools/packages.sh arm64\n");
		skip();
	}
}

static void test_tables(void **state)
{
	(void)state;
	need_tools();
	check_ways("-O0", false, check_walk);
	check_ways("-O2", false, check_walk);
	check_ways("-O2 -fomit-frame-pointer", false, check_walk);
	check_ways("-O2 -fno-omit-frame-pointer -fstack-clash-protection", false, check_walk);
	check_ways("-O2 -static", false, check_walk);
}

static void test_signed(void **state)
{
	(void)state;
	need_tools();
	check_ways("-O2 -mbranch-protection=standard", true, check_walk);
	check_ways("-O2 -mbranch-protection=pac-ret+leaf+b-key -fomit-frame-pointer", true, check_walk);
}

/*
 * As the kernel's vDSO: no unwinding information, the way back out of a signal behind an instruction that does
 * nothing, a function without a frame and one that has one.
 */
static void test_vdso(void **state)
{
	const struct unwind_rule leaf = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_IN_LINK };
	struct unwind_rules *rules = &world.rules;
	struct unwind_table table;
	uint64_t at = 0, vaddr;
	struct elf_file elf;
	char path[128];
	int fd;

	(void)state;
	need_tools();
	world_begin();
	run("cd %s && printf '%%s\\n' '.rept 40; nop; .endr; .globl __kernel_rt_sigreturn; __kernel_rt_sigreturn: mov x8, #139; svc #0' "
	    "'.rept 9; nop; .endr' '.globl leaf, frame; .type leaf, %%function; .type frame, %%function' "
	    "'leaf: paciasp; ret; .size leaf, . - leaf' 'frame: paciasp; stp x29, x30, [sp, #-32]!; ret; .size frame, . - frame' | "
	    "aarch64-linux-gnu-gcc -x assembler -nostdlib -shared -o vdso -", scratch);
	snprintf(path, sizeof(path), "%s/vdso", scratch);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(elf_open_fd(fd, &elf), 0);
	assert_int_equal(unwind_table_read(&elf, NULL, rules, &table), 0);
	vaddr = elf_sec_by_name(&elf, ".text")->addr;
	for (uint64_t i = 0; i < (51 + 5) * 4; i++) {
		const struct unwind_rule *rule = &rules->data[unwind_table_find(&table, vaddr + i)];
		bool is_back = i >= 40 * 4 - 1 && i < 42 * 4, is_leaf = i >= 51 * 4 && i < 53 * 4;

		assert_memory_equal(rule, is_back ? &arm64_sigreturn_rule : is_leaf ? &leaf : &unwind_rule_fp, sizeof(*rule));
		at += is_back;
	}
	assert_int_equal(at, 9);
	unwind_table_free(&table);
	elf_close(&elf);
	close(fd);
	world_end();
}

static void test_mixed(void **state)
{
	(void)state;
	need_tools();
	check_ways("-O0", false, check_mixed);
	check_ways("-O2 -fno-omit-frame-pointer", false, check_mixed);
	check_ways("-O2 -fno-omit-frame-pointer -mbranch-protection=pac-ret", true, check_mixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tables), cmocka_unit_test(test_signed), cmocka_unit_test(test_mixed),
					    cmocka_unit_test(test_vdso) };

	return cmocka_run_group_tests(tests, begin, end);
}
