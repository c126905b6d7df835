/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kallsyms, BPF programs, and the scans of /proc, over a false /proc. */
#include "tests/unit/test_sym.h"

#define KALLSYMS                                            \
	"ffffffff81000000 T srso_alias_untrain_ret\n"       \
	"ffffffff81000000 T _stext\n"                       \
	"ffffffff81000000 T _text\n"                        \
	"ffffffff81000100 t __pfx_do_one\n"                 \
	"ffffffff81000110 t do_one\n"                       \
	"ffffffff81000200 W weak_name\n"                    \
	"ffffffff81000200 T strong\n"                       \
	"ffffffff81000300 D some_data\n"                    \
	"ffffffff81000400 T last\n"                         \
	"ffffffff81000500 T _etext\n"                       \
	"ffffffff82000000 B __bss_start\n"                  \
	"ffffffff83000000 t init_one\n"                     \
	"ffffffff83000100 T _einittext\n"                   \
	"ffffffffc0200000 t ext4_one\t[ext4]\n"             \
	"ffffffffc0200100 t ext4_two\t[ext4]\n"             \
	"ffffffffc0100000 t xfs_one\t[xfs]\n"               \
	"ffffffffc0300000 t bpf_prog_0123456789abcdef_x\t[bpf]\n"

static const char *false_proc(const char *kallsyms)
{
	run("rm -rf %s/proc; mkdir -p %s/proc", scratch, scratch);
	if (kallsyms)
		write_file(in_scratch("proc/kallsyms"), kallsyms);
	return in_scratch("proc");
}

static struct frame kernel(struct syms *syms, uint64_t time_ns, uint64_t ip, bool caller)
{
	struct frame f;

	assert_int_equal(syms_resolve(syms, 1, time_ns, ip, true, caller, &f, 1), 1);
	return f;
}

static void expect_kernel(struct syms *syms, uint64_t ip, const char *name, const char *obj, uint64_t off)
{
	struct frame f = kernel(syms, 1000, ip, false);

	assert_string_equal(f.name, name);
	assert_string_equal(f.obj, obj);
	if (f.kind == FRAME_KERNEL)
		assert_int_equal(f.off, off);
}

static void test_names(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(KALLSYMS) };
	struct syms *syms = new_syms(&cfg);
	struct syms_stats stats;
	struct frame f;

	(void)state;
	expect_kernel(syms, 0xffffffff81000005, "_text", "[kernel.kallsyms]", 5);
	expect_kernel(syms, 0xffffffff81000104, "_text", "[kernel.kallsyms]", 0x104);
	expect_kernel(syms, 0xffffffff81000111, "do_one", "[kernel.kallsyms]", 1);
	expect_kernel(syms, 0xffffffff81000200, "strong", "[kernel.kallsyms]", 0);
	expect_kernel(syms, 0xffffffff81000310, "strong", "[kernel.kallsyms]", 0x110);
	expect_kernel(syms, 0xffffffff810004ff, "last", "[kernel.kallsyms]", 0xff);
	expect_kernel(syms, 0xffffffff81000500, "[kernel.kallsyms]", "[kernel.kallsyms]", 0);
	expect_kernel(syms, 0xffffffff82500000, "[kernel.kallsyms]", "[kernel.kallsyms]", 0);
	expect_kernel(syms, 0xffffffff83000010, "init_one", "[kernel.kallsyms]", 0x10);
	expect_kernel(syms, 0xffffffffc0200001, "ext4_one", "[ext4]", 1);
	expect_kernel(syms, 0xffffffffc0100001, "xfs_one", "[xfs]", 1);
	expect_kernel(syms, 0xffffffffc0300040, "bpf_prog_0123456789abcdef_x", "[bpf]", 0x40);
	/* A return address right behind a call that ends its function. */
	f = kernel(syms, 0, 0xffffffff81000200, true);
	assert_string_equal(f.name, "do_one");
	assert_int_equal(f.addr, 0xffffffff81000200);
	assert_int_equal(f.off, 0x200 - 0x110);
	syms_stats(syms, &stats);
	assert_false(stats.kernel_hidden);
	assert_int_equal(stats.kernel_frames, 13);
	assert_int_equal(stats.kernel_unknown, 2);
	syms_free(syms);
}

static void test_hidden(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc("0000000000000000 T _text\n0000000000000000 T f\n") };
	struct syms *syms = new_syms(&cfg);
	struct syms_stats stats;

	(void)state;
	expect_kernel(syms, 0xffffffff81000005, "[kernel.kallsyms]", "[kernel.kallsyms]", 0);
	syms_stats(syms, &stats);
	assert_true(stats.kernel_hidden);
	syms_free(syms);
}

static void test_other_kernel(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(KALLSYMS), .kernel_build_id_size = 20 };
	struct syms_stats stats;
	struct syms *syms;

	(void)state;
	if (access("/sys/kernel/notes", R_OK))
		skip();
	memset(cfg.kernel_build_id, 0x5a, 20);
	syms = new_syms(&cfg);
	expect_kernel(syms, 0xffffffff81000111, "[kernel.kallsyms]", "[kernel.kallsyms]", 0);
	syms_stats(syms, &stats);
	assert_true(stats.kernel_mismatch);
	syms_free(syms);
}

/* The same kernel at another boot: KASLR has moved it. */
static void test_slide(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(KALLSYMS), .offline = true };
	struct syms *syms = new_syms(&cfg);
	struct task_event t = { .what = TASK_MMAP,
				.kernel = true,
				.pid = UINT32_MAX,
				.addr = 0xffffffff9a000000,
				.len = 0x500,
				.pgoff = 0xffffffff9a000000,
				.path = "[kernel.kallsyms]_text" };

	(void)state;
	assert_int_equal(syms_task(syms, &t), 0);
	expect_kernel(syms, 0xffffffff9a000111, "do_one", "[kernel.kallsyms]", 1);
	syms_free(syms);
}

/* An answer that is kept says the same as the first, each address its own, also once the slide is known. */
static void test_kept(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(KALLSYMS), .offline = true };
	struct syms *syms = new_syms(&cfg);
	struct task_event t = { .what = TASK_MMAP, .kernel = true, .pid = UINT32_MAX, .addr = 0xffffffff81000100,
				.len = 0x500, .pgoff = 0xffffffff81000100, .path = "[kernel.kallsyms]_text" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		for (uint64_t at = 0; at < 0x500; at++)
			expect_kernel(syms, 0xffffffff81000000 + at, at < 0x110 ? "_text" : at < 0x200 ? "do_one" :
				      at < 0x400 ? "strong" : "last", "[kernel.kallsyms]",
				      at < 0x110 ? at : at < 0x200 ? at - 0x110 : at < 0x400 ? at - 0x200 : at - 0x400);
		expect_kernel(syms, 0xffffffffc0200001, "ext4_one", "[ext4]", 1);
		expect_kernel(syms, 0xffffffff82500000, "[kernel.kallsyms]", "[kernel.kallsyms]", 0);
	}
	assert_int_equal(syms_task(syms, &t), 0);
	expect_kernel(syms, 0xffffffff81000211, "do_one", "[kernel.kallsyms]", 1);
	expect_kernel(syms, 0xffffffff81000310, "strong", "[kernel.kallsyms]", 0x10);
	syms_free(syms);
}

static void ksym(struct syms *syms, uint64_t time_ns, uint64_t addr, const char *name, uint32_t flags)
{
	struct task_event t = { .what = TASK_KSYM, .time_ns = time_ns, .addr = addr, .len = 0x80, .path = name,
				.flags = flags };

	assert_int_equal(syms_task(syms, &t), 0);
}

static void test_ksym(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(KALLSYMS) };
	struct syms *syms = new_syms(&cfg);

	(void)state;
	ksym(syms, 100, 0xffffffffc0400000, "bpf_prog_one", 0);
	ksym(syms, 100, 0xffffffffc0400000, "bpf_prog_one", 0);
	ksym(syms, 200, 0xffffffffc0400000, "bpf_prog_one", 1);
	ksym(syms, 300, 0xffffffffc0400000, "bpf_prog_two", 0);
	assert_string_equal(kernel(syms, 150, 0xffffffffc0400010, false).name, "bpf_prog_one");
	assert_string_equal(kernel(syms, 350, 0xffffffffc0400010, false).name, "bpf_prog_two");
	assert_string_equal(kernel(syms, 350, 0xffffffffc0400010, false).obj, "[bpf]");
	assert_int_equal(kernel(syms, 350, 0xffffffffc0400080, false).kind == FRAME_KERNEL &&
				 !strcmp(kernel(syms, 350, 0xffffffffc0400080, false).name, "bpf_prog_two"),
			 0);
	syms_free(syms);
}

struct seen {
	struct sink sink;
	int n;
	struct task_event events[64];
	char paths[64][256], comms[64][COMM_LEN];
};

static int take(struct sink *sink, const struct task_event *t)
{
	struct seen *s = (struct seen *)sink;

	assert_true(s->n < 64);
	s->events[s->n] = *t;
	snprintf(s->paths[s->n], sizeof(s->paths[0]), "%s", t->path ? t->path : "");
	snprintf(s->comms[s->n], sizeof(s->comms[0]), "%s", t->comm ? t->comm : "");
	s->n++;
	return 0;
}

static uint64_t address(void *arg, const char *name)
{
	(void)arg;
	return strcmp(name, "__x64_sys_getpid") ? 0 : 0xffffffff81007000;
}

static int answer(void *arg, uint64_t addr, char *buf, size_t size)
{
	static const char *const answers[] = { "vfs_read+0x10/0x40", "a+b+0x20/0x30 [nf_tables]", "0xffffffff81000002",
					       "x+0x3/0x4 [ext4 0123456789abcdef]", "+0x4/0x5", "y+0x5", "",
					       "__do_sys_getpid+0x7/0x10" };

	++*(int *)arg;
	snprintf(buf, size, "%s", answers[addr & 7]);
	return (addr & 7) == 6 ? -ENOENT : 0;
}

/* The kernel is asked instead of kallsyms; what it says is checked like anything from outside. */
static void test_asked(void **state)
{
	static const char *const want[][2] = { { "vfs_read", "[kernel.kallsyms]" }, { "a+b", "[nf_tables]" }, { NULL, NULL },
					       { "x", "[ext4]" }, { NULL, NULL }, { NULL, NULL }, { NULL, NULL },
						 { "__x64_sys_getpid", "[kernel.kallsyms]" } };
	static const uint64_t off[] = { 0x10, 0x20, 0, 3, 0, 0, 0, 7 };
	int asked = 0;
	struct syms_cfg cfg = { .kernel_symbol = answer, .kernel_addr = address, .kernel_arg = &asked };
	struct syms *syms = new_syms(&cfg);
	struct frame f;

	(void)state;
	for (uint64_t i = 0; i < 8; i++) {
		assert_int_equal(syms_resolve(syms, 1, 0, 0xffffffff81000000 + i * 0x1001, true, false, &f, 1), 1);
		if (!want[i][0]) {
			assert_int_equal(f.kind, FRAME_UNKNOWN);
			continue;
		}
		assert_string_equal(f.name, want[i][0]);
		assert_string_equal(f.obj, want[i][1]);
		assert_int_equal(f.off, off[i]);
	}
	/* A function of the kernel itself is asked for once, whatever address of it is seen in a stretch of text. */
	asked = 0;
	for (uint64_t at = 0xffffffff81000000; at < 0xffffffff81000030; at++) {
		assert_int_equal(syms_resolve(syms, 1, 0, at, true, false, &f, 1), 1);
		assert_string_equal(f.name, "vfs_read");
		assert_int_equal(f.off, at - 0xffffffff80fffff0);
	}
	assert_int_equal(asked, 0);
	syms_resolve(syms, 1, 0, 0xffffffff81000030, true, false, &f, 1);
	assert_int_equal(asked, 1);
	syms_free(syms);
}

static void test_kernel_scan(void **state)
{
	const char *proc = false_proc(KALLSYMS);
	struct seen seen = { .sink = { .task = take } };

	(void)state;
	write_file(in_scratch("proc/modules"), "zzz_skep 4096 0 - Live 0xffffffffc0200000\n"
						"yyy_skep 8192 1 zzz_skep, Live 0xffffffffc0100000 (OE)\n");
	assert_int_equal(kernel_scan(proc, 0, 0, &seen.sink), 0);
	assert_int_equal(seen.n, 3);
	assert_string_equal(seen.paths[0], "[kernel.kallsyms]_text");
	assert_int_equal(seen.events[0].addr, 0xffffffff81000000);
	assert_int_equal(seen.events[0].pgoff, 0xffffffff81000000);
	assert_int_equal(seen.events[0].len, 0x500);
	assert_true(seen.events[0].kernel);
	assert_int_equal(seen.events[0].pid, UINT32_MAX);
	assert_string_equal(seen.paths[1], "[yyy_skep]");
	assert_int_equal(seen.events[1].len, 8192);
	assert_string_equal(seen.paths[2], "[zzz_skep]");
}

static void test_proc_scan(void **state)
{
	const char *proc = false_proc(NULL);
	struct seen seen = { .sink = { .task = take } };

	(void)state;
	run("mkdir -p %s/proc/42/task/42 %s/proc/42/task/43", scratch, scratch);
	write_file(in_scratch("proc/42/task/42/comm"), "main name\n");
	write_file(in_scratch("proc/42/task/43/comm"), "fifteen_letters\n");
	write_file(in_scratch("proc/42/maps"),
		   "00400000-00401000 r--p 00000000 08:01 12      /bin/not exec\n"
		   "00401000-00403000 r-xp 00001000 fe:1a 99                      /bin/with  two blanks (deleted)\n"
		   "00500000-00501000 rwxp 00000000 00:00 0 \n"
		   "00600000-00601000 rwxs 00000000 00:00 0 [anon:jit code]\n"
		   "00700000-00701000 r-xp 00000000 fe:00 7 /tmp/new\\012line\\040\n"
		   "broken line\n"
		   "7fff0000-7fff2000 r-xp 00000000 00:00 0                          [vdso]");
	assert_int_equal(proc_scan(proc, 42, &seen.sink), 0);
	assert_int_equal(seen.n, 7);
	for (int i = 0; i < 2; i++)
		assert_string_equal(seen.comms[i], seen.events[i].tid == 42 ? "main name" : "fifteen_letters");
	assert_string_equal(seen.paths[2], "/bin/with  two blanks (deleted)");
	assert_int_equal(seen.events[2].addr, 0x401000);
	assert_int_equal(seen.events[2].len, 0x2000);
	assert_int_equal(seen.events[2].pgoff, 0x1000);
	assert_int_equal(seen.events[2].maj, 0xfe);
	assert_int_equal(seen.events[2].min, 0x1a);
	assert_int_equal(seen.events[2].ino, 99);
	assert_string_equal(seen.paths[3], "//anon");
	assert_string_equal(seen.paths[4], "[anon:jit code]");
	assert_string_equal(seen.paths[5], "/tmp/new\nline\\040");
	assert_string_equal(seen.paths[6], "[vdso]");
	assert_int_equal(proc_scan(proc, 43, &seen.sink), -ESRCH);
}

/* kallsyms goes away (or memory does) between two reads: the names of the first stay. */
static void test_second_read_fails(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(KALLSYMS) };
	struct syms *syms = new_syms(&cfg);

	(void)state;
	expect_kernel(syms, 0xffffffffc0200001, "ext4_one", "[ext4]", 1);
	unlink(in_scratch("proc/kallsyms"));
	usleep(1100000); /* REREAD_FIRST_MS */
	expect_kernel(syms, 0xffffffffc0000001, "[kernel.kallsyms]", "[kernel.kallsyms]", 0);
	expect_kernel(syms, 0xffffffffc0200001, "ext4_one", "[ext4]", 1);
	syms_free(syms);
}

/* A process nobody told of: its mappings are read, not the name of each of its threads. */
static void test_lazy_scan(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(NULL) };
	struct syms *syms;
	struct frame f;

	(void)state;
	run("mkdir -p %s/proc/42", scratch);
	write_file(in_scratch("proc/42/maps"), "00401000-00403000 r-xp 00001000 fe:1a 99 /bin/gone\n");
	syms = new_syms(&cfg);
	assert_int_equal(syms_resolve(syms, 42, 0, 0x401010, false, false, &f, 1), 1);
	assert_string_equal(f.obj, "/bin/gone");
	syms_free(syms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	    cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_other_kernel), cmocka_unit_test(test_slide),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_ksym),	    cmocka_unit_test(test_kernel_scan),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_proc_scan),   cmocka_unit_test(test_lazy_scan),
		cmocka_unit_test(test_second_read_fails),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
