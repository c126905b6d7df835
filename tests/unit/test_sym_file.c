/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Symbols of files of every make, each built here, mapped as the loader would, and compared with nm. */
#include "tests/unit/test_sym.h"

#include "elf/elf.h"
#include "elf/elfsyms.h"
#include "elf/symtab.h"
#include "sym/demangle.h"

#define BIAS 0x550000000000ull

static const char source[] = "#include <stdlib.h>\n"
			     "volatile int sink;\n"
			     "static __attribute__((noinline)) int hidden_one(int x) { sink = x; return x + sink; }\n"
			     "__attribute__((noinline)) int shown_two(int x) { return hidden_one(x) * 2 + sink; }\n"
			     "int main(int argc, char **argv) { void *p = malloc((size_t)argc); free(p);\n"
			     "  return shown_two(argc) + atoi(argv[0]); }\n";

static struct syms *map_file(const char *path, const char *debug_dir, bool lines)
{
	struct syms_cfg cfg = { .offline = true, .debug_dir = debug_dir, .lines = lines, .inlines = lines };
	struct syms *syms = new_syms(&cfg);

	map_elf(syms, PID, path, BIAS);
	return syms;
}

static void expect_function(const char *path, const char *debug_dir, uint64_t vaddr, const char *name)
{
	struct syms *syms = map_file(path, debug_dir, false);
	struct frame f;

	assert_true(vaddr);
	expect(syms, PID, 0, BIAS + vaddr, name);
	f = resolve(syms, PID, 0, BIAS + vaddr + 1);
	assert_string_equal(f.name, name);
	assert_string_equal(f.obj, path);
	assert_int_equal(f.off, f.kind == FRAME_UNKNOWN ? vaddr + 1 : 1);
	assert_int_equal(f.addr, BIAS + vaddr + 1);
	syms_free(syms);
}

/* Builds, then checks both functions in the program itself. */
static void check_make(const char *flags, const char *out)
{
	const char *path = in_scratch(out);

	build("gcc", "p.c", source, flags, out);
	expect_function(path, NULL, nm_value("", path, "hidden_one"), "hidden_one");
	expect_function(path, NULL, nm_value("", path, "shown_two"), "shown_two");
}

static void test_pie(void **state)
{
	(void)state;
	check_make("-O1 -fpie -pie", "pie");
}

/* The mark is of the function, on its first answer and on those that come from the cache. */
static void test_root_mark(void **state)
{
	const char *path = in_scratch("rooted");
	struct syms *syms;

	(void)state;
	build("gcc", "p.c", source, "-O1 -fpie -pie", "rooted");
	syms = map_file(path, NULL, false);
	for (int i = 0; i < 2; i++) {
		assert_true(resolve(syms, PID, 0, BIAS + nm_value("", path, "_start") + 4).is_root);
		assert_false(resolve(syms, PID, 0, BIAS + nm_value("", path, "main") + 4).is_root);
	}
	syms_free(syms);
}

/* A file's stacks are named as one address after the other is, whatever stack of the process came before. */
static void test_whole_stacks(void **state)
{
	const char *path = in_scratch("stacks");
	uint64_t a, b, main_at;
	struct frame whole[4], one;
	struct syms *syms;

	(void)state;
	build("gcc", "p.c", source, "-O1 -fpie -pie", "stacks");
	a = BIAS + nm_value("", path, "hidden_one");
	b = BIAS + nm_value("", path, "shown_two"); /* as a caller, its first byte belongs to the function before it */
	main_at = BIAS + nm_value("", path, "main") + 4;
	syms = map_file(path, NULL, false);
	{
		const uint64_t stacks[][4] = { { a, b, main_at }, { b, main_at }, { a, b, main_at }, { b, a, b, main_at }, { a, b, main_at },
					       { a, a, main_at }, { a, a, main_at }, { a } };
		const uint32_t n[] = { 3, 2, 3, 4, 3, 3, 3, 1 };

		for (int late = 0; late < 2; late++) {
			for (uint32_t i = 0; i < sizeof(n) / sizeof(*n); i++) {
				assert_int_equal(syms_resolve_stack(syms, PID, 20, stacks[i], n[i], whole), n[i]);
				for (uint32_t k = 0; k < n[i]; k++) {
					assert_int_equal(syms_resolve(syms, PID, 20, stacks[i][k], false, k > 0, &one, 1), 1);
					assert_ptr_equal(whole[k].name, one.name);
					assert_int_equal(whole[k].off, one.off);
					assert_int_equal(whole[k].addr, one.addr);
				}
			}
			assert_string_equal(whole[0].name, late ? "[else]" : "hidden_one");
			map_at(syms, PID, 10, BIAS, 1 << 20, 0, "/nowhere/else");
		}
	}
	assert_int_equal(syms_resolve_stack(syms, PID, 5, &a, 1, whole), 0); /* before the last change */
	syms_free(syms);
}

static void test_no_pie(void **state)
{
	(void)state;
	check_make("-O1 -fno-pie -no-pie", "nopie");
}

static void test_static_pie(void **state)
{
	(void)state;
	check_make("-O1 -static-pie", "staticpie");
}

/* lld and huge-page layouts: the address of code is not its offset. */
static void test_moved_segment(void **state)
{
	(void)state;
	check_make("-O1 -fno-pie -no-pie -Wl,-Ttext-segment=0x40000000 -Wl,-z,max-page-size=0x200000", "moved");
	check_make("-O1 -fno-pie -no-pie -Wl,--section-start=.text=0x7654000", "far");
}

static void test_32_bit(void **state)
{
	(void)state;
	write_file(in_scratch("m32.c"), "int one(int x) { return x; }\nint two(int x) { return x + 1; }\n");
	if (run("cd %s && gcc -m32 -O1 -nostdlib -shared m32.c -o m32 2>/dev/null", scratch))
		skip();
	expect_function(in_scratch("m32"), NULL, nm_value("", in_scratch("m32"), "two"), "two");
}

/* What a function without a symbol is called. */
static const char *by_start(const char *file, uint64_t start)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s+0x%llx", file, (unsigned long long)start);
	return text;
}

static void test_stripped(void **state)
{
	const char *path = in_scratch("bare"), *dbg = in_scratch("nodebug");
	uint64_t hidden, shown, nothing;
	struct syms_stats stats;
	struct syms *syms;
	struct frame f;

	(void)state;
	build("gcc", "p.c", source, "-O1 -rdynamic -Wl,--build-id=none", "bare");
	nothing = nm_value("", path, "_fini") + 64; /* beyond the last code */
	hidden = nm_value("", path, "hidden_one");
	shown = nm_value("", path, "shown_two");
	assert_int_equal(run("strip %s", path), 0);
	expect_function(path, dbg, shown, "shown_two");
	expect_function(path, dbg, hidden, by_start("bare", hidden));
	syms = map_file(path, dbg, false);
	expect(syms, PID, 0, BIAS + hidden, by_start("bare", hidden));
	expect(syms, PID, 0, BIAS + hidden + 1, by_start("bare", hidden));
	expect(syms, PID, 0, BIAS + shown + 1, "shown_two");
	f = resolve(syms, PID, 0, BIAS + hidden + 1);
	assert_int_equal(f.kind, FRAME_USER);
	assert_int_equal(f.off, 1);
	/* Code that nothing describes has no name. */
	expect(syms, PID, 0, BIAS + nothing, "[bare]");
	syms_stats(syms, &stats);
	assert_int_equal(stats.user_unknown, 1);
	assert_int_equal(stats.user_nosymtab, 0);
	syms_free(syms);
}

static void test_debug_by_build_id(void **state)
{
	const char *path = in_scratch("byid");
	uint64_t hidden;

	(void)state;
	build("gcc", "p.c", source, "-O1 -g -Wl,--build-id=0x0123456789abcdef0123", "byid");
	hidden = nm_value("", path, "hidden_one");
	assert_int_equal(run("cd %s && mkdir -p dbg/.build-id/01 && objcopy --only-keep-debug byid "
			     "dbg/.build-id/01/23456789abcdef0123.debug && strip byid",
			     scratch),
			 0);
	expect_function(path, in_scratch("dbg"), hidden, "hidden_one");
	/* One of another build under that name is refused. */
	build("gcc", "p.c", source, "-O1 -g -Wl,--build-id=0xffff", "other");
	assert_int_equal(run("cd %s && cp other dbg/.build-id/01/23456789abcdef0123.debug", scratch), 0);
	expect_function(path, in_scratch("dbg"), hidden, by_start("byid", hidden));
}

static void test_debug_by_link(void **state)
{
	const char *path = in_scratch("sub/bylink");
	uint64_t hidden;

	(void)state;
	run("mkdir -p %s/sub/.debug", scratch);
	build("gcc", "p.c", source, "-O1 -g -Wl,--build-id=none", "sub/bylink");
	hidden = nm_value("", path, "hidden_one");
	assert_int_equal(run("cd %s/sub && objcopy --only-keep-debug bylink bylink.debug && strip bylink && "
			     "objcopy --add-gnu-debuglink=bylink.debug bylink",
			     scratch),
			 0);
	expect_function(path, in_scratch("dbg"), hidden, "hidden_one");
	assert_int_equal(run("cd %s/sub && mv bylink.debug .debug/", scratch), 0);
	expect_function(path, in_scratch("dbg"), hidden, "hidden_one");
	assert_int_equal(run("cd %s && mkdir -p dbg%s/sub && mv sub/.debug/bylink.debug dbg%s/sub", scratch, scratch,
			     scratch),
			 0);
	expect_function(path, in_scratch("dbg"), hidden, "hidden_one");
	/* A file that changed since has another CRC. */
	assert_int_equal(run("cd %s && printf x >> dbg%s/sub/bylink.debug", scratch, scratch), 0);
	expect_function(path, in_scratch("dbg"), hidden, by_start("bylink", hidden));
	/* Of a size that its owner chose: no checksum of it in half an hour. */
	assert_int_equal(run("cd %s && truncate -s 1T dbg%s/sub/bylink.debug", scratch, scratch), 0);
	alarm(30);
	expect_function(path, in_scratch("dbg"), hidden, by_start("bylink", hidden));
	alarm(0);
}

static void test_minidebug(void **state)
{
#ifdef HAVE_LZMA
	const char *path = in_scratch("mini");
	uint64_t hidden, shown;

	(void)state;
	if (run("command -v xz >/dev/null"))
		skip();
	build("gcc", "p.c", source, "-O1 -rdynamic -Wl,--build-id=none", "mini");
	hidden = nm_value("", path, "hidden_one");
	shown = nm_value("", path, "shown_two");
	assert_int_equal(run("cd %s && objcopy --only-keep-debug mini mini.dbg && "
			     "objcopy -S --keep-symbol=hidden_one mini.dbg mini.few && xz -k mini.few && "
			     "strip mini && objcopy --add-section .gnu_debugdata=mini.few.xz mini",
			     scratch),
			 0);
	expect_function(path, in_scratch("nodebug"), hidden, "hidden_one");
	expect_function(path, in_scratch("nodebug"), shown, "shown_two");
#else
	(void)state;
	skip();
#endif
}

static void check_plt(const char *flags)
{
	const char *path = in_scratch("plt");
	char line[512];
	int seen = 0;
	struct syms *syms;
	FILE *p;

	build("gcc", "p.c", source, flags, "plt");
	syms = map_file(path, NULL, false);
	snprintf(line, sizeof(line), "objdump -d %s | grep '@plt>:'", path);
	p = popen(line, "r");
	while (fgets(line, sizeof(line), p)) {
		unsigned long long addr;
		char name[256];

		if (sscanf(line, "%llx <%255[^>]>", &addr, name) != 2)
			continue;
		expect(syms, PID, 0, BIAS + addr, name);
		expect(syms, PID, 0, BIAS + addr + 5, name);
		seen++;
	}
	pclose(p);
	syms_free(syms);
	if (seen < 2)
		fail_msg("objdump shows %d stubs with %s", seen, flags);
}

static void test_plt(void **state)
{
	(void)state;
#ifndef __x86_64__
	skip();
#endif
	check_plt("-O1 -fcf-protection=none -Wl,-z,lazy");
	check_plt("-O1 -fcf-protection=full -Wl,-z,lazy -Wl,-z,ibtplt");
	check_plt("-O1 -fcf-protection=none -Wl,-z,now -fno-plt -fplt");
}

static void test_go(void **state)
{
	const char *path = in_scratch("go");
	uint64_t at;

	(void)state;
	build("go", "h.go", "package main\n\n//go:noinline\nfunc work(n int) int { return n * 3 }\n\n"
			    "func main() { println(work(4)) }\n",
	      "build -ldflags=-w", "go.full 2>/dev/null; true");
	/* -o must come before the file for go. */
	if (run("cd %s && HOME=%s GO111MODULE=off go build -o go.full h.go && strip -o go go.full", scratch, scratch))
		skip();
	at = nm_value("", in_scratch("go.full"), "main.work");
	expect_function(path, in_scratch("nodebug"), at, "main.work");
	at = nm_value("", in_scratch("go.full"), "runtime.mallocgc");
	expect_function(path, in_scratch("nodebug"), at, "runtime.mallocgc");
}

static void test_mangled(void **state)
{
#ifdef HAVE_DEMANGLE
	const char *path = in_scratch("cxx");
	struct syms_cfg cfg = { .offline = true, .no_demangle = true };
	struct syms *syms;
	uint64_t at;

	(void)state;
	build("g++", "p.cc",
	      "namespace ns { template <class T> struct Box { T v; __attribute__((noinline)) T get(int n) { return v + n; } };\n"
	      "template struct Box<long>; static __attribute__((noinline, used)) int quiet(int x) { return x; } }\n"
	      "int main(int argc, char **) { ns::Box<long> b{1}; return (int)b.get(argc); }\n",
	      "-O1", "cxx");
	at = nm_value("", path, "_ZN2ns3BoxIlE3getEi");
	expect_function(path, NULL, at, "ns::Box<long>::get");
	expect_function(path, NULL, nm_value("", path, "_ZN2nsL5quietEi"), "ns::quiet");
	syms = new_syms(&cfg);
	map_elf(syms, PID, path, BIAS);
	expect(syms, PID, 0, BIAS + at, "_ZN2ns3BoxIlE3getEi");
	syms_free(syms);
#else
	(void)state;
	skip();
#endif
}

static void test_demangle(void **state)
{
#ifdef HAVE_DEMANGLE
	static const char *const pairs[][2] = {
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h0123456789abcdefE",
		  "<Test + 'static as foo::Bar<Test>>::bar" },
		{ "_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function" },
		{ "_D8demangle4testFaZv", "demangle.test(char)" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZN2nsL5quietEi.constprop.0", "ns::quiet" },
	};
	static const char *const plain[] = { "main", "_start", "__libc_start_main", "_Zebra?", "_Dl", "", "_ZN" };
	char *deep = malloc(20001);

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		char *got = demangle(pairs[i][0]);

		assert_non_null(got);
		assert_string_equal(got, pairs[i][1]);
		free(got);
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		assert_null(demangle(plain[i]));
	/* Neither depth nor length may hurt. */
	for (size_t n = 100; n <= 20000; n *= 10) {
		memset(deep, 'P', n);
		memcpy(deep, "_Z1f", 4);
		deep[n] = '\0';
		free(demangle(deep));
	}
	free(deep);
#else
	(void)state;
	skip();
#endif
}

static void test_inlines(void **state)
{
#ifdef HAVE_LIBDW
	static const char text[] = "volatile int sink;\n"
				   "static inline __attribute__((always_inline)) int leaf(int x)\n"
				   "{\n"
				   "	sink = x;\n"
				   "	return x * 3;\n"
				   "}\n"
				   "static inline __attribute__((always_inline)) int mid(int x)\n"
				   "{\n"
				   "	return leaf(x + 1) + 1;\n"
				   "}\n"
				   "__attribute__((noinline)) int outer(int x)\n"
				   "{\n"
				   "	return mid(x) * sink;\n"
				   "}\n"
				   "int main(void) { return outer(2); }\n";
	static const char *const makes[][2] = { { "gcc", "-O2 -g" },
						{ "gcc", "-O2 -gdwarf-4" },
						{ "gcc", "-O2 -g -gz=zlib" },
						{ "gcc", "-O2 -g -Wl,--build-id=0xabcd" },
						{ "clang", "-O2 -g" } };
	const char *path = in_scratch("inl");

	(void)state;
	for (size_t i = 0; i < sizeof(makes) / sizeof(*makes); i++) {
		struct frame f[8], again[8];
		struct syms *syms;
		bool seen = false;
		uint64_t at;

		if (run("command -v %s >/dev/null", makes[i][0]))
			continue;
		build(makes[i][0], "inl.c", text, makes[i][1], "inl");
		at = nm_value("", path, "outer");
		if (strstr(makes[i][1], "abcd"))
			assert_int_equal(run("cd %s && mkdir -p dbg/.build-id/ab && objcopy --only-keep-debug inl "
					     "dbg/.build-id/ab/cd.debug && strip inl",
					     scratch),
					 0);
		syms = map_file(path, in_scratch("dbg"), true);
		for (uint64_t off = 0; off < 16; off++) {
			int n = syms_resolve(syms, PID, 0, BIAS + at + off, false, false, f, 8);

			if (strcmp(f[n - 1].name, "outer"))
				break;
			assert_int_equal(f[n - 1].kind, FRAME_USER);
			assert_non_null(f[n - 1].file);
			if (n != 3)
				continue;
			seen = true;
			assert_string_equal(f[0].name, "leaf");
			assert_int_equal(f[0].kind, FRAME_INLINED);
			assert_string_equal(f[1].name, "mid");
			assert_int_equal(f[1].line, 9);
			assert_int_equal(f[2].line, 13);
			assert_in_range(f[0].line, 4, 5);
			assert_string_equal(strrchr(f[0].file, '/'), "/inl.c");
			assert_int_equal(syms_resolve(syms, PID, 0, BIAS + at + off, false, false, again, 8), 3);
			assert_memory_equal(f, again, 3 * sizeof(*f));
			/* The function itself is what remains when there is no room. */
			assert_int_equal(syms_resolve(syms, PID, 0, BIAS + at + off, false, false, again, 1), 1);
			assert_string_equal(again[0].name, "outer");
		}
		assert_true(seen);
		syms_free(syms);
	}
#else
	struct syms_cfg cfg = { .inlines = true };
	struct syms *syms;
	struct err err;

	(void)state;
	assert_int_equal(syms_new(&cfg, &syms, &err), -ENOTSUP);
	assert_int_equal(err.exit, EXIT_CANNOT);
#endif
}

/* nm's defined text symbols against the resolver's: the name must be one that nm has at that address. */
static void check_library(const char *path, const char *nm_flags)
{
	struct line {
		uint64_t at;
		char name[200];
	} *lines = malloc(400000 * sizeof(*lines));
	struct syms_cfg cfg = { .offline = true, .no_demangle = true, .debug_dir = "/nonexistent" };
	struct syms *syms = new_syms(&cfg);
	char cmd[512], text[8192];
	size_t n = 0;
	FILE *p;

	map_elf(syms, PID, path, BIAS);
	snprintf(cmd, sizeof(cmd), "nm --without-symbol-versions -S -n %s %s 2>/dev/null", nm_flags, path);
	p = popen(cmd, "r");
	while (n < 400000 && fgets(text, sizeof(text), p)) {
		unsigned long long at, size;
		char type;

		/* Those without a size are labels inside of others. */
		if (sscanf(text, "%llx %llx %c %199s", &at, &size, &type, lines[n].name) != 4 || !strchr("TtWwi", type))
			continue;
		lines[n++].at = at;
	}
	pclose(p);
	for (int i = 0; n && i < 2000; i++) {
		size_t k = (size_t)rand() % n, from = k;
		struct frame f = resolve(syms, PID, 0, BIAS + lines[k].at);
		bool same = false;

		while (from && lines[from - 1].at == lines[k].at)
			from--;
		for (size_t j = from; j < n && lines[j].at == lines[k].at && !same; j++)
			same = !strncmp(f.name, lines[j].name, strlen(lines[j].name) > 198 ? 198 : strlen(lines[j].name));
		if (!same)
			fail_msg("%s: %llx is '%s', nm says '%s'", path, (unsigned long long)lines[k].at, f.name,
				 lines[k].name);
	}
	syms_free(syms);
	free(lines);
	if (!n)
		skip();
}

/* The C library without its debug file, as on most machines: where stacks begin still has its name. */
static void test_libc_roots(void **state)
{
	static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";
	struct elf_file elf;
	uint8_t id[20];
	char debug[128] = "/usr/lib/debug/.build-id/";
	int fd = open(libc, O_RDONLY | O_CLOEXEC), n;

	(void)state;
	if (fd < 0 || elf_open_fd(fd, &elf))
		skip();
	n = elf_build_id(&elf, id, sizeof(id));
	for (int i = 0; i < n; i++)
		sprintf(debug + strlen(debug), i ? "%02x" : "%02x/", id[i]);
	strcat(debug, ".debug");
	elf_close(&elf);
	close(fd);
	if (access(debug, R_OK))
		skip();
	expect_function(libc, "/nonexistent", nm_value("", debug, "__libc_start_call_main"), "__libc_start_call_main");
	expect_function(libc, "/nonexistent", nm_value("", debug, "start_thread"), "start_thread");
}

static void test_libc(void **state)
{
	(void)state;
	check_library("/lib/x86_64-linux-gnu/libc.so.6", "-D");
}

static void test_large_library(void **state)
{
	(void)state;
	check_library("/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", "-D");
}

static void test_node(void **state)
{
	(void)state;
	check_library("/usr/bin/node", "");
}

extern const char __executable_start[]; /* of the linker: where this program is mapped */
static int a_variable[100] = { 1 };
static int a_zero[3];

static uint64_t vaddr_of(const struct elf_file *elf, const void *p)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < elf->nr_segs; i++)
		if (elf->segs[i].type == PT_LOAD && elf->segs[i].vaddr < first)
			first = elf->segs[i].vaddr;
	return (uint64_t)((const char *)p - __executable_start) + first;
}

/* Variables are symbols only for who asks for them, and no functions. */
static void test_variables(void **state)
{
	void (*function)(void **) = test_variables;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_file elf;
	uint64_t start;

	(void)state;
	assert_int_equal(elf_open_fd(fd, &elf), 0);
	for (int with = 0; with < 2; with++) {
		struct symtab tab = { .with_data = with };
		uint64_t at = vaddr_of(&elf, a_variable);
		const char *name;

		assert_true(elfsyms_load(&elf, NULL, &tab) > 0);
		name = symtab_find(&tab, at + 399, &start);
		if (with) {
			assert_string_equal(name, "a_variable");
			assert_int_equal(start, at);
			assert_true(symtab_is_data(&tab, start));
			assert_string_equal(symtab_find(&tab, vaddr_of(&elf, &a_zero[2]), &start), "a_zero");
		} else {
			assert_null(name);
		}
		assert_string_equal(symtab_find(&tab, vaddr_of(&elf, (const void *)(uintptr_t)function), &start), "test_variables");
		assert_false(symtab_is_data(&tab, start));
		symtab_free(&tab);
	}
	elf_close(&elf);
	close(fd);
}

/* The last page of a file's data has variables that the file has no bytes of. */
static void test_last_page(void **state)
{
	struct elf_seg segs[] = { { .off = 0, .vaddr = 0, .filesz = 0x800, .memsz = 0x800, .type = PT_LOAD, .flags = PF_R },
				  { .off = 0x1000, .vaddr = 0x2000, .filesz = 0x100, .memsz = 0x300, .type = PT_LOAD, .flags = PF_R | PF_W } };
	uint64_t vaddr;

	(void)state;
	assert_true(elf_off_to_vaddr(segs, 2, 0x10ff, &vaddr));
	assert_int_equal(vaddr, 0x20ff);
	assert_true(elf_off_to_vaddr(segs, 2, 0x12ff, &vaddr));
	assert_int_equal(vaddr, 0x22ff);
	assert_false(elf_off_to_vaddr(segs, 2, 0x1300, &vaddr));
	assert_false(elf_off_to_vaddr(segs, 2, 0x900, &vaddr));
	segs[1].memsz = 0x5000;
	assert_true(elf_off_to_vaddr(segs, 2, 0x1fff, &vaddr));
	assert_false(elf_off_to_vaddr(segs, 2, 0x2000, &vaddr));
}

static void test_choice(void **state)
{
	struct symtab tab = { 0 };
	const char *names[] = { "a", "local", "weak", "__under", "longer_name", "nosize", "inner", "exact", "label" };
	uint32_t at[9];
	uint64_t start;

	(void)state;
	for (int i = 0; i < 9; i++)
		assert_int_equal(symtab_names(&tab, names[i], strlen(names[i]), &at[i]), 0);
	symtab_add(&tab, 0x100, 0x10, at[1], RANK_FUNC | RANK_SIZED | RANK_STRONG, SIZE_KNOWN);
	symtab_add(&tab, 0x100, 0x10, at[2], RANK_FUNC | RANK_SIZED | RANK_GLOBAL, SIZE_KNOWN);
	symtab_add(&tab, 0x100, 0x10, at[3], 15, SIZE_KNOWN);
	symtab_add(&tab, 0x100, 0x10, at[0], 15, SIZE_KNOWN);
	symtab_add(&tab, 0x100, 0x10, at[4], 15, SIZE_KNOWN);
	symtab_add(&tab, 0x100, 0, at[5], 11, SIZE_TO_NEXT);
	symtab_add(&tab, 0x200, 0x100, at[1], 15, SIZE_KNOWN);
	symtab_add(&tab, 0x220, 0x10, at[6], 15, SIZE_KNOWN);
	symtab_add(&tab, 0x240, 0, at[8], 3, SIZE_TO_NEXT);
	symtab_add(&tab, 0x400, 0, at[7], 11, SIZE_EXACT);
	symtab_add(&tab, 0x500, 0, at[8], 3, SIZE_TO_NEXT);
	symtab_add(&tab, 0x600, 0, 0, 0, SIZE_STOP);
	assert_int_equal(symtab_seal(&tab), 0);
	assert_string_equal(symtab_find(&tab, 0x10f, &start), "longer_name");
	assert_null(symtab_find(&tab, 0x110, &start));
	assert_string_equal(symtab_find(&tab, 0x22f, &start), "inner");
	assert_string_equal(symtab_find(&tab, 0x230, &start), "local");
	assert_int_equal(start, 0x200);
	assert_string_equal(symtab_find(&tab, 0x240, &start), "local");
	assert_null(symtab_find(&tab, 0x300, &start));
	assert_string_equal(symtab_find(&tab, 0x400, &start), "exact");
	assert_null(symtab_find(&tab, 0x401, &start));
	assert_string_equal(symtab_find(&tab, 0x5ff, &start), "label");
	assert_null(symtab_find(&tab, 0x600, &start));
	assert_null(symtab_find(&tab, 0xff, &start));
	symtab_free(&tab);
}

int main(void)
{
	/* whose caches may have names of this machine's files */
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_last_page),	      cmocka_unit_test(test_pie),
		cmocka_unit_test(test_whole_stacks), cmocka_unit_test(test_no_pie),	      cmocka_unit_test(test_static_pie),
		cmocka_unit_test(test_moved_segment), cmocka_unit_test(test_32_bit),
		cmocka_unit_test(test_stripped),      cmocka_unit_test(test_debug_by_build_id),
		cmocka_unit_test(test_debug_by_link), cmocka_unit_test(test_minidebug),
		cmocka_unit_test(test_plt),	      cmocka_unit_test(test_go),
		cmocka_unit_test(test_mangled),	      cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_inlines),	      cmocka_unit_test(test_root_mark),
		cmocka_unit_test(test_libc_roots),
		cmocka_unit_test(test_libc),	      cmocka_unit_test(test_large_library),
		cmocka_unit_test(test_node),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
