/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples by instruction: the model, each format against tests/golden, JITs' dumps, disassembly, and kernel code over a false /proc. */
#include "tests/unit/jitdump.h"
#include "tests/unit/test_sym.h"

#include "golden.h"
#include "model/annotate.h"
#include "render/annotate/annotate.h"
#include "sym/code.h"
#include "sym/jitdump.h"
#include "unwind/disasm.h"

#define HOSTILE "n\033\"\xff,<&;\\"
#define NR(a) (sizeof(a) / sizeof((a)[0]))

static const char series[2];

static uint32_t func_of(struct annotate *a, const void *of, uint64_t start)
{
	struct annotate_key key = { of, "object", start };
	int64_t n = annotate_func(a, &key);

	assert_true(n >= 0);
	return (uint32_t)n;
}

static void test_counts(void **state)
{
	struct annotate a = { 0 };
	uint32_t order[3], cold = func_of(&a, &series[0], 0x200), hot = func_of(&a, &series[0], 0x100), other = func_of(&a, &series[1], 0x100);

	(void)state;
	assert_int_equal(func_of(&a, &series[0], 0x100), hot);
	assert_int_not_equal(hot, other);
	assert_int_equal(annotate_add(&a, hot, 0x104, 10, 1), 0);
	assert_int_equal(annotate_add(&a, cold, 0x204, 5, 1), 0);
	assert_int_equal(annotate_add(&a, hot, 0x100, 20, 2), 0);
	assert_int_equal(annotate_add(&a, hot, 0x104, 10, 1), 0);
	assert_int_equal(annotate_add(&a, other, 0x104, 99, 1), 0);
	annotate_end(&a);
	assert_int_equal(a.hits.n, 4);
	assert_int_equal(annotate_order(&a, &series[0], order), 2);
	assert_int_equal(order[0], hot);
	assert_int_equal(order[1], cold);
	assert_int_equal(a.funcs.data[hot].weight, 40);
	assert_int_equal(a.funcs.data[hot].nr_hits, 2);
	assert_int_equal(a.hits.data[a.funcs.data[hot].first_hit].addr, 0x100);
	assert_int_equal(a.hits.data[a.funcs.data[hot].first_hit + 1].count, 2);
	annotate_free(&a);
}

/* A loop in a branch; its last instruction has no line. */
static const uint8_t loop_bytes[] = { 0x55, 0x7e, 0x06, 0x48, 0xff, 0xc0, 0x7c, 0xfb, 0x90, 0xc3, 0xc3 };
static const char loop_file[] = "/src/" HOSTILE ".c";

static void loop_code(struct annotate_code *code)
{
	static const struct annotate_insn insns[] = {
		{ .addr = 0x100, .bytes = 1, .file = loop_file, .line = 6 },
		{ .addr = 0x101, .bytes = 2, .file = loop_file, .line = 7, .is_jump = true, .target = 0x109 },
		{ .addr = 0x103, .bytes = 3, .file = loop_file, .line = 7 },
		{ .addr = 0x106, .bytes = 2, .file = loop_file, .line = 7, .is_jump = true, .target = 0x103 },
		{ .addr = 0x108, .bytes = 1, .file = loop_file, .line = 8 },
		{ .addr = 0x109, .bytes = 1 },
	};
	static const char *const texts[] = { "push   %rbp", "jle    109 <" HOSTILE "+0x9>", "inc    %rax", "jl     103", "nop", "ret" };
	static const struct annotate_hit hits[] = { { 0x101, 10, 1 }, { 0x103, 50, 5 }, { 0x104, 10, 1 }, { 0x109, 20, 2 }, { 0x200, 10, 1 } };

	for (size_t i = 0; i < NR(insns); i++)
		assert_int_equal(annotate_code_add(code, &insns[i], texts[i]), 0);
	assert_int_equal(annotate_code_merge(code, hits, NR(hits)), 0);
}

static void test_merge(void **state)
{
	struct annotate_code code = { 0 };
	char row[ANNOTATE_LANES + 3];
	static const char *const rows[] = { "    ", "/-- ", "|/> ", "|\\- ", "|   ", "\\-> " };

	(void)state;
	loop_code(&code);
	assert_int_equal(code.insns.data[2].weight, 60); /* also what is inside of it */
	assert_int_equal(code.insns.data[2].count, 6);
	assert_int_equal(code.outside_count, 1);
	assert_int_equal(code.lines.n, 2);
	assert_int_equal(code.lines.data[0].line, 7);
	assert_int_equal(code.lines.data[0].weight, 70);
	assert_int_equal(code.lines.data[0].addr, 0x103);
	assert_null(code.lines.data[1].file);
	assert_int_equal(code.nr_lanes, 2);
	for (size_t i = 0; i < NR(rows); i++) {
		annotate_arrow_row(&code, (uint32_t)i, row);
		assert_string_equal(row, rows[i]);
	}
	annotate_code_free(&code);
}

/* More jumps than there are lanes: those that find none have no arrow. */
static void test_lanes(void **state)
{
	struct annotate_code code = { 0 };
	char row[ANNOTATE_LANES + 3];

	(void)state;
	for (uint64_t i = 0; i < 40; i++) {
		struct annotate_insn insn = { .addr = i, .bytes = 1, .is_jump = true, .target = 39 - i };

		assert_int_equal(annotate_code_add(&code, &insn, "jmp"), 0);
	}
	assert_int_equal(annotate_code_merge(&code, NULL, 0), 0);
	assert_int_equal(code.nr_lanes, ANNOTATE_LANES);
	assert_int_equal(code.arrows.n, ANNOTATE_LANES);
	for (uint32_t i = 0; i < 40; i++) {
		annotate_arrow_row(&code, i, row);
		assert_int_equal(strlen(row), ANNOTATE_LANES + 2);
	}
	annotate_code_free(&code);
}

static const char *source_line(void *arg, const char *file, uint32_t line, size_t *ret_len)
{
	static const char text[] = "\twhile (n < " HOSTILE ")";

	(void)arg;
	*ret_len = sizeof(text) - 1;
	return file == loop_file && line == 7 ? text : NULL;
}

static void show(const char *golden_name, const char *format_name, const struct annotate_look *look)
{
	const struct annotate_format *format = annotate_format(format_name);
	struct profile p = { .title = "perf.data: " HOSTILE, .event = "cycles", .unit = "events", .seen = 20, .kept = 20, .weight = 200 };
	struct annotate_code code = { 0 };
	struct annotate_view v = { .event = "cycles", .name = HOSTILE, .obj = "/lib/" HOSTILE, .start = 0x100, .weight = 100, .count = 10,
				   .all_weight = 200, .all_count = 20, .code = &code, .bytes = loop_bytes };
	struct annotate_view missing = { .event = "cycles", .name = "gone", .obj = "/lib/gone", .missing = "the file is " HOSTILE,
					 .hint = "look", .weight = 100, .count = 10, .all_weight = 200, .all_count = 20 };
	char *text = NULL;
	size_t size;
	struct annotate_page page = { .out = open_memstream(&text, &size), .look = look };

	assert_non_null(page.out);
	profile_note(&p, "a note of %s", HOSTILE);
	loop_code(&code);
	format->begin(&page, &p);
	format->func(&page, &v);
	page.nr_funcs++;
	v.source = "/proc/kcore";
	format->func(&page, &v);
	format->func(&page, &missing);
	assert_int_equal(format->end(&page), 0);
	fclose(page.out);
	golden(golden_name, text);
	free(text);
	annotate_code_free(&code);
}

static void test_formats(void **state)
{
	struct annotate_look look = { .source = true, .source_line = source_line };
	struct annotate_look all = { .source = true, .print_line = true, .full_paths = true, .raw = true, .arrows = true, .colours = true,
				     .global = true, .source_line = source_line };
	struct annotate_look counts = { .counts = true }, periods = { .periods = true, .by_count = true };
	struct annotate_look summary = { .summary = true, .lines_max = 1, .source = true, .source_line = source_line };

	(void)state;
	show("annotate.txt", "text", &look);
	show("annotate-all.txt", "text", &all);
	show("annotate-counts.txt", "text", &counts);
	show("annotate-periods.txt", "text", &periods);
	show("annotate-summary.txt", "text", &summary);
	show("annotate.json", "json", &look);
	show("annotate.html", "html", &all);
}

struct texts {
	char text[512];
	size_t n;
};

static int add_text(void *arg, const struct disasm_insn *i)
{
	struct texts *t = arg;

	t->n += (size_t)snprintf(t->text + t->n, sizeof(t->text) - t->n, "%s %s", i->name, i->operands);
	if (i->is_direct || i->has_data)
		t->n += (size_t)snprintf(t->text + t->n, sizeof(t->text) - t->n, "%s%llx", i->is_direct ? ">" : "#", (unsigned long long)i->target);
	t->n += (size_t)snprintf(t->text + t->n, sizeof(t->text) - t->n, "%s;", i->kind == DISASM_CALL ? "C" : i->kind == DISASM_RET ? "R" :
				 i->kind == DISASM_JUMP ? "J" : "");
	return 0;
}

static void expect_text(uint16_t machine, bool intel, const uint8_t *bytes, size_t n, const char *want)
{
	struct disasm_code code = { machine, intel, bytes, n, 0x1000 };
	struct texts t = { .n = 0 };

	assert_int_equal(disasm_each(&code, add_text, &t), 0);
	assert_string_equal(t.text, want);
}

static void test_disasm(void **state)
{
	/* push %rbp; mov %rsp,%rbp; movq $0,-8(%rbp); je +2; call; mov 0x10(%rip),%rax; mov (%rax,%rcx,4),%eax; (bad); vptestnmb; ret */
	static const uint8_t x86[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xc7, 0x45, 0xf8, 0, 0, 0, 0, 0x74, 2, 0xe8, 0, 1, 0, 0,
				       0x48, 0x8b, 5, 0x10, 0, 0, 0, 0x8b, 4, 0x88, 6, 0x62, 0xb2, 0x66, 0x20, 0x26, 0xc3, 0xc3 };
	static const uint32_t arm[] = { 0xf1000400, 0x54ffffe1, 0x94000004, 0xb4000040, 0xffffffff, 0xd65f03c0 };
	struct disasm_code none = { EM_MIPS, false, x86, sizeof(x86), 0 };
	struct texts t = { .n = 0 };

	(void)state;
	if (!disasm_works())
		skip();
	expect_text(EM_X86_64, false, x86, sizeof(x86),
		    "push %rbp;mov %rsp,%rbp;movq $0x0,-0x8(%rbp);je >1010J;call >1113C;mov 0x10(%rip),%rax#102a;mov (%rax,%rcx,4),%eax;(bad) 0x06;(unknown) 0x62,0xb2,0x66,0x20,0x26,0xc3;ret R;");
	expect_text(EM_X86_64, true, x86, 4, "push rbp;mov rbp,rsp;");
	expect_text(EM_AARCH64, false, (const uint8_t *)arm, sizeof(arm),
		    "subs x0,x0,#0x1;b.ne >1000J;bl >1018C;cbz x0,>1014J;(bad) 0xff,0xff,0xff,0xff;ret R;");
	assert_int_equal(disasm_each(&none, add_text, &t), -ENOTSUP);
}

/* A dump: two codes at one address over time, lines of the second, a move, and a record that is cut. */
static size_t put_dump(uint8_t *at)
{
	size_t n = put_header(at, 0);

	n = put_load(at, n, 100, 0x1000, 1, "first", 1);
	n = put_head(at, n, 2, 16 + 16 + 2 * 16 + 5 + 2, 190);
	n = put_u64(at, put_u64(at, n, 0x1000), 2);
	n = put_line(at, n, 0x1000, 7, "a.js");
	n = put_line(at, n, 0x1002, 9, "\xff");
	n = put_load(at, n, 200, 0x1000, 2, "second", 2);
	n = put_move(at, n, 300, 0x1000, 0x2000, 4, 2);
	return put_load(at, n, 400, 0x3000, 3, "cut", 3) - 1;
}

static const struct jitdump_code *expect_code(const struct jitdump *d, uint64_t time_ns, uint64_t addr, const char *name)
{
	const struct jitdump_code *c = jitdump_find(d, time_ns, addr);

	if (!name) {
		assert_null(c);
		return NULL;
	}
	assert_non_null(c);
	assert_string_equal(c->name, name);
	return c;
}

static void test_jitdump(void **state)
{
	uint8_t bytes[1024];
	size_t n = put_dump(bytes);
	const struct jitdump_code *c;
	struct jitdump *d;
	const char *file;
	uint32_t line;

	(void)state;
	assert_int_equal(jitdump_parse(bytes, n, &d), 0);
	assert_int_equal(jitdump_machine(d), EM_X86_64);
	expect_code(d, 50, 0x1003, "first");
	expect_code(d, 150, 0x1000, "first");
	c = expect_code(d, 250, 0x1003, "second");
	assert_int_equal(c->bytes[3], 2);
	assert_true(jitdump_line(d, c, 0x1001, &file, &line));
	assert_string_equal(file, "a.js");
	assert_int_equal(line, 7);
	assert_true(jitdump_line(d, c, 0x1003, &file, &line));
	assert_string_equal(file, "a.js");
	assert_int_equal(line, 9);
	assert_false(jitdump_line(d, expect_code(d, 0, 0x1000, "first"), 0x1000, &file, &line));
	expect_code(d, 350, 0x2001, "second");
	expect_code(d, 250, 0x1004, NULL);
	expect_code(d, 500, 0x3000, NULL);
	jitdump_free(d);
	for (size_t i = 0; i < n; i++)
		if (!jitdump_parse(bytes, i, &d))
			jitdump_free(d);
	bytes[4] = 2;
	assert_int_equal(jitdump_parse(bytes, n, &d), -EBADMSG);
}

/* V8: lines 0x40 bytes too far; and a name that is freed memory, after which nothing is in its place. */
static void test_jitdump_v8(void **state)
{
	static const struct {
		const char *name;
		bool is_good;
	} cases[] = { { "a.js", true }, { "\x93\x00\x00\x00", false } };

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		uint8_t bytes[1024];
		size_t n = put_u32(bytes, put_u32(bytes, put_u32(bytes, put_u32(bytes, 0, 0x4a695444), 1), 40), EM_X86_64);
		const char *file = NULL;
		uint32_t line = 0;
		struct jitdump *d;

		n = put_u64(bytes, put_u64(bytes, put_u64(bytes, n, 0), 0), 0);
		n = put_head(bytes, n, 2, 16 + 16 + 2 * (16 + 5), 100);
		n = put_u64(bytes, put_u64(bytes, n, 0x1000), 2);
		for (uint32_t k = 0; k < 2; k++) {
			n = put_u32(bytes, put_u32(bytes, put_u64(bytes, n, 0x1040 + k * 2), 7 + k), 0);
			memcpy(bytes + n, cases[i].name, 5);
			n += 5;
		}
		n = put_load(bytes, n, 200, 0x1000, 1, "JS:*f", 1);
		assert_int_equal(jitdump_parse(bytes, n, &d), 0);
		assert_int_equal(jitdump_line(d, expect_code(d, 300, 0x1000, "JS:*f"), 0x1003, &file, &line), cases[i].is_good);
		assert_int_equal(line, cases[i].is_good ? 8 : 0);
		jitdump_free(d);
	}
}

static void test_jitdump_file(void **state)
{
	const char *path = in_scratch("jit-1.dump"), *link = in_scratch("jit-2.dump");
	uint8_t bytes[1024];
	size_t n = put_dump(bytes);
	FILE *f = fopen(path, "w");
	struct jitdump *d;
	struct err err;

	(void)state;
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(jitdump_open(path, &d, &err), 0);
	jitdump_free(d);
	assert_int_equal(jitdump_open(link, &d, &err), -ELOOP);
	assert_int_equal(jitdump_open(scratch, &d, &err), -EPERM);
}

#define KALLSYMS                               \
	"ffffffff81000000 T _text\n"           \
	"ffffffff81000010 t do_one\n"          \
	"ffffffff81000020 t do_two\n"          \
	"ffffffff81000500 T _etext\n"          \
	"ffffffffc0200000 t ext4_one\t[ext4]\n" \
	"ffffffffc0200010 t ext4_two\t[ext4]\n"

/* An ELF core with one segment of kernel text, all bytes 0x90 but for the first of do_one. */
static void write_core(const char *path)
{
	Elf64_Ehdr h = { .e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = 1, .e_phoff = sizeof(h), .e_ehsize = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1 };
	Elf64_Phdr p = { .p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_offset = 4096, .p_vaddr = 0xffffffff81000000, .p_filesz = 4096,
			 .p_memsz = 4096 };
	uint8_t text[4096];
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	memcpy(h.e_ident, "\177ELF\2\1\1", 7);
	memset(text, 0x90, sizeof(text));
	text[0x10] = 0x55;
	fwrite(&h, sizeof(h), 1, f);
	fwrite(&p, sizeof(p), 1, f);
	fseek(f, 4096, SEEK_SET);
	fwrite(text, sizeof(text), 1, f);
	assert_int_equal(fclose(f), 0);
}

static int read_zeros(void *arg, uint64_t addr, void *buf, size_t n)
{
	(void)addr;
	memset(buf, 0, n);
	return *(int *)arg;
}

static int read_kernel_at(struct syms *syms, const struct code_cfg *cfg, uint64_t addr, struct code *code, struct err *err)
{
	static struct code_place place;
	struct code_reader *r = code_reader_new(syms, cfg);
	uint64_t off;
	int ret;

	assert_non_null(r);
	code_place(r, 1, 1, addr, true, &place);
	ret = code_read(r, &place, code, err);
	if (!ret) {
		assert_string_equal(code_name(r, &place, place.start + 1, &off), place.name);
		assert_int_equal(off, 1);
	}
	code_reader_free(r);
	return ret;
}

static void test_kernel(void **state)
{
	struct syms_cfg cfg = { .proc_root = in_scratch("proc") };
	struct code_cfg none = { .no_vmlinux = true }, other = { .vmlinux = in_scratch("core") };
	int status = 0;
	struct code_cfg memory = { .no_vmlinux = true, .read_kernel = read_zeros, .read_arg = &status };
	struct syms *syms;
	struct err err = { 0 };
	struct code code;

	(void)state;
	run("mkdir -p %s/proc", scratch);
	write_file(in_scratch("proc/kallsyms"), KALLSYMS);
	syms = new_syms(&cfg);
	assert_int_equal(read_kernel_at(syms, &none, 0xffffffff81000018, &code, &err), -ENOENT);
	assert_non_null(strstr(err.text, "kcore cannot be read"));
	assert_non_null(strstr(err.hint, "vmlinux"));
	write_core(in_scratch("proc/kcore"));
	write_core(in_scratch("core"));
	assert_int_equal(read_kernel_at(syms, &none, 0xffffffff81000018, &code, &err), 0);
	assert_int_equal(code.n, 16);
	assert_int_equal(code.addr, 0xffffffff81000010);
	assert_int_equal(code.bytes[0], 0x55);
	assert_int_equal(code.machine, EM_X86_64);
	assert_string_equal(code.source, "/proc/kcore");
	code_free(&code);
	assert_int_equal(read_kernel_at(syms, &none, 0xffffffffc0200004, &code, &err), -ENOENT);
	assert_string_equal(err.text, "/proc/kcore does not have that code");
	assert_int_equal(read_kernel_at(syms, &memory, 0xffffffffc0200004, &code, &err), 0);
	assert_int_equal(code.bytes[15], 0);
	code_free(&code);
	status = -EPERM;
	assert_int_equal(read_kernel_at(syms, &memory, 0xffffffffc0200004, &code, &err), -EPERM);
	assert_int_equal(read_kernel_at(syms, &other, 0xffffffff81000018, &code, &err), -ESTALE);
	assert_non_null(strstr(err.text, "another build id"));
	syms_free(syms);
}

/* A recording of a kernel that does not run, whose text was elsewhere than in its image: names, code and lines are the image's. */
static void test_image(void **state)
{
	struct recorded recorded = { .os_release = "0.0-other", .hostname = "other", .arch = "x86_64" };
	struct syms_cfg cfg = { .proc_root = in_scratch("proc"), .offline = true, .kernel_build_id = { 1, 2, 3, 4 }, .kernel_build_id_size = 4,
				.recorded = &recorded };
	struct code_cfg image = { .vmlinux = in_scratch("vmlinux") };
	struct task_event map = { .what = TASK_MMAP, .kernel = true, .pid = UINT32_MAX, .addr = 0xffffffff91000000, .len = 0x1000,
				  .pgoff = 0xffffffff91000000, .path = "[kernel.kallsyms]_text" };
	struct syms *syms;
	struct err err = { 0 };
	struct code code;

	(void)state;
#if !defined(__x86_64__)
	skip();
#endif
	build("gcc", "vmlinux.s",
	      ".globl _text\n.text\n_text: .zero 16, 0x90\n.type do_one, @function\ndo_one: push %rbp\n.zero 15, 0x90\n.size do_one, . - do_one\n",
	      "-nostdlib -static -no-pie -Wl,-e0 -Wl,-Ttext=0xffffffff81000000 -Wl,--build-id=0x01020304", in_scratch("vmlinux"));
	syms = new_syms(&cfg);
	assert_int_equal(syms_task(syms, &map), 0);
	assert_int_equal(read_kernel_at(syms, &image, 0xffffffff91000018, &code, &err), 0);
	assert_int_equal(code.n, 16);
	assert_int_equal(code.addr, 0xffffffff91000010);
	assert_int_equal(code.bytes[0], 0x55);
	assert_string_equal(code.source, image.vmlinux);
	code_free(&code);
	image.vmlinux = NULL;
	image.no_vmlinux = true;
	assert_int_equal(read_kernel_at(syms, &image, 0xffffffff91000018, &code, &err), -ENOENT);
	assert_string_equal(err.text, "the kernel's functions have no names here");
	syms_free(syms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),	cmocka_unit_test(test_merge),	     cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_formats), cmocka_unit_test(test_disasm),	     cmocka_unit_test(test_jitdump),
		cmocka_unit_test(test_kernel),	cmocka_unit_test(test_jitdump_file),
		cmocka_unit_test(test_image),	cmocka_unit_test(test_jitdump_v8),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
