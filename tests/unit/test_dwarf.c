/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prototypes and types of C programs built here, and where the psABI says that parameters are; their instructions. */
#include "tests/unit/test_dwarf.h"

#include <errno.h>

#if defined(__x86_64__) && defined(HAVE_LIBDW)
static int list_member(void *arg, const struct cmember *m)
{
	sprintf((char *)arg + strlen(arg), "%s:%u ", m->name, (unsigned int)m->bit_at);
	return 0;
}

static const char c_source[] =
	"#include <stdint.h>\n#include <stdarg.h>\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"typedef unsigned int u32; typedef long num; typedef long double ldouble; typedef __int128 i128;\n"
	"typedef _Complex double zdouble; typedef _Complex float zfloat;\n"
	"typedef float v4 __attribute__((vector_size(16)));\n"
	"enum color { RED, GREEN = 5, BLUE = 200 };\n"
	"enum mood { BAD = -3, GOOD = 4 };\n"
	"struct inner { short a, b; };\n"
	"struct opaque;\n"
	"struct node {\n"
	"  char name[16]; struct node *next;\n"
	"  unsigned int low : 3, mid : 7; int sign : 5;\n"
	"  union { int as_int; float as_float; struct { char c0, c1; }; };\n"
	"  enum color color; struct inner in; u32 grid[3][4]; const char *const *words;\n"
	"  int (*call)(struct node *, char c, ...); uint8_t byte; double real; _Bool yes; struct opaque *hidden; num tail[];\n"
	"};\n"
	"struct empty { };\n"
	"struct small { int a; num b; };\n"
	"struct tiny { char a, b, c; };\n"
	"struct large { num a, b, c; };\n"
	"struct floats { double x, y; };\n"
	"struct mixed { num i; double f; };\n"
	"struct dixem { double f; num i; };\n"
	"struct packed { char c; num l; } __attribute__((packed));\n"
	"struct bits { unsigned int a : 4, b : 30; };\n"
	"volatile num sink;\n"
	"KEEP int scalars(int a, char b, const char *s, struct node *n, enum color c, u32 u) { sink += a; return a + b; }\n"
	"KEEP num nine(int a, int b, int c, int d, int e, int f, int g, char h, num i) { sink += a; return i + g; }\n"
	"KEEP double floaty(float f, int a, double d, num b, ldouble ld, int c) { sink += a; return f + d; }\n"
	"KEEP int by_value(struct small s, struct tiny t, struct large l, int after, int last) { sink += l.a; return after; }\n"
	"KEEP int classes(struct floats f, struct mixed m, struct dixem d, struct packed k, struct bits b, int last) "
	"{ sink += k.l; return last; }\n"
	"KEEP struct large makes(int a, char *b) { struct large l = { a, 1, 2 }; sink += a; return l; }\n"
	"KEEP struct small pair(int a) { struct small s = { a, 2 }; sink += a; return s; }\n"
	"KEEP int wide(int a, i128 w, int b, int c, i128 x, int d) { sink += d; return a; }\n"
	"KEEP int nothing(struct empty e, int a) { sink += a; return a; }\n"
	"KEEP int ninefloats(double a, double b, double c, double d, double e, double f, double g, double h, double i, int j) "
	"{ sink += j; return i; }\n"
	"KEEP int full(int a, int b, int c, int d, int e, struct small s, int f, int g) { sink += s.b; return f + g; }\n"
	"KEEP int aligned(int a, struct large l, ldouble ld, int b) { sink += b; return a; }\n"
	"KEEP int complexes(zdouble z, zfloat w, v4 v, int a) { sink += a; return a; }\n"
	"KEEP int many(const char *fmt, ...) { va_list ap; va_start(ap, fmt); int i = va_arg(ap, int); va_end(ap); return i; }\n"
	"static KEEP int hidden(int x) { sink += x; return x * 3; }\n"
	"static inline __attribute__((always_inline)) int only_inlined(int x, int y) { return x * (int)sink + y; }\n"
	"static inline int both(int x) { return x * 7 + (int)sink; }\n"
	"int (*taken)(int) = both;\n"
	"KEEP void no_params(void) { sink++; }\n"
	"KEEP void arrays(char text[16], int (*grid)[4], void (*cb)(void *, int)) { sink += text[0]; }\n"
	"KEEP int rets(int x) { if (x > 5) return hidden(x); sink++; for (int i = 0; i < x; i++) sink += i; "
	"return x > 2 ? only_inlined(x, 2) : hidden(3) + 1; }\n"
	"int main(int argc, char **argv) { struct node n = { 0 }; struct small s = { 1, 2 }; struct large l = { 0 }; struct "
	"tiny t = { 0 };\n"
	"  struct floats f = { 0 }; struct mixed m = { 0 }; struct dixem d = { 0 }; struct packed k = { 0 }; struct bits b = "
	"{ 0 };\n"
	"  struct empty e; v4 v = { 0 }; enum mood mood = argc > 3 ? BAD : GOOD; sink += mood;\n"
	"  no_params(); arrays(argv[0], 0, 0); sink += rets(argc); many(\"\", 2); complexes(1, 2, v, 3); nothing(e, 1);\n"
	"  sink += wide(1, 2, 3, 4, 5, 6) + full(1, 2, 3, 4, 5, s, 6, 7) + ninefloats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);\n"
	"  sink += makes(1, 0).a + pair(1).a + classes(f, m, d, k, b, 1) + by_value(s, t, l, 1, 2) + aligned(1, l, 2, 3);\n"
	"  return (int)(scalars(argc, 2, argv[0], &n, RED, 3) + nine(1, 2, 3, 4, 5, 6, 7, 8, 9) + floaty(1, 2, 3, 4, 5, 6) + "
	"hidden(argc)\n"
	"    + only_inlined(argc, 2) + both(argc) + taken(argc)); }\n";

/* What the psABI says of them, whoever compiled. */
static void check_c_places(struct prog *p)
{
	assert_string_equal(params(p, "scalars"),
			    "a:int@reg0, b:char@reg1, s:const char *@reg2, n:struct node *@reg3, c:enum color@reg4, u:u32@reg5");
	assert_false(p->f.result_in_memory || p->f.is_changed || p->f.is_go || p->f.is_rust || p->f.is_cut);
	assert_string_equal(type_name(p, p->f.result), "int");
	assert_string_equal(params(p, "nine"), "a:int@reg0, b:int@reg1, c:int@reg2, d:int@reg3, e:int@reg4, f:int@reg5, "
					       "g:int@stack8, h:char@stack16, i:num@stack24");
	assert_string_equal(params(p, "floaty"),
			    "f:float@float, a:int@reg0, d:double@float, b:num@reg1, ld:ldouble@stack8, c:int@reg2");
	assert_string_equal(params(p, "by_value"), "s:struct small@reg0, t:struct tiny@reg2, l:struct large@stack8, "
				"after:int@reg3, last:int@reg4");
	assert_string_equal(params(p, "classes"), "f:struct floats@float, m:struct mixed@none, d:struct dixem@float, k:struct "
				"packed@stack8, "
						  "b:struct bits@reg2, last:int@reg3");
	assert_string_equal(params(p, "makes"), "a:int@reg1, b:char *@reg2");
	assert_true(p->f.result_in_memory);
	assert_string_equal(type_name(p, p->f.result), "struct large");
	assert_string_equal(params(p, "pair"), "a:int@reg0");
	assert_false(p->f.result_in_memory);
	/* The second of 16 bytes finds one register only, which is left for the next. */
	assert_string_equal(params(p, "wide"), "a:int@reg0, w:i128@reg1, b:int@reg3, c:int@reg4, x:i128@stack8, d:int@reg5");
	assert_string_equal(params(p, "nothing"), "e:struct empty@none, a:int@reg0");
	params(p, "ninefloats");
	assert_int_equal(p->f.params[7].place, CPLACE_FLOAT);
	assert_int_equal(p->f.params[8].place, CPLACE_STACK);
	assert_int_equal(p->f.params[8].n, 8);
	assert_int_equal(p->f.params[9].place, CPLACE_REG);
	assert_string_equal(params(p, "full"), "a:int@reg0, b:int@reg1, c:int@reg2, d:int@reg3, e:int@reg4, s:struct small@stack8, "
					       "f:int@reg5, g:int@stack24");
	/* 24 bytes, and then to the next multiple of 16. */
	assert_string_equal(params(p, "aligned"), "a:int@reg0, l:struct large@stack8, ld:ldouble@stack40, b:int@reg1");
	assert_string_equal(params(p, "complexes"), "z:zdouble@float, w:zfloat@float, v:v4@float, a:int@reg0");
	assert_string_equal(params(p, "many"), "fmt:const char *@reg0, ...");
	assert_string_equal(params(p, "hidden"), "x:int@reg0");
	assert_string_equal(params(p, "no_params"), "");
	assert_int_equal(p->f.result, 0);
	assert_string_equal(params(p, "arrays"), "text:char *@reg0, grid:int (*)[4]@reg1, cb:void (*)(void *, int)@reg2");
	assert_string_equal(params(p, "both"), "x:int@reg0");
	assert_int_equal(dwarf_func(p->d, find(p, "both").addr + 1, &p->f), -ENOENT);
	assert_int_equal(dwarf_func(p->d, 0x123, &p->f), -ENOENT);
}

static void check_enums(struct prog *p)
{
	struct cenumerator e;
	struct ctype t = get(p, tag(p, CTYPE_ENUM, "color"));

	assert_int_equal(t.kind, CTYPE_ENUM);
	assert_int_equal(t.size, 4);
	assert_false(t.is_signed);
	assert_int_equal(p->t->enumerator(p->t, t.id, 2, &e), 0);
	assert_string_equal(e.name, "BLUE");
	assert_int_equal(e.value, 200);
	assert_int_equal(p->t->enumerator(p->t, t.id, 1, &e), 0);
	assert_int_equal(e.value, 5);
	assert_int_equal(p->t->enumerator(p->t, t.id, 3, &e), -ENOENT);
	t = get(p, tag(p, CTYPE_ENUM, "mood"));
	assert_true(t.is_signed);
	assert_int_equal(p->t->enumerator(p->t, t.id, 0, &e), 0);
	assert_int_equal(e.value, -3);
}

static void check_node(struct prog *p)
{
	uint64_t id = tag(p, CTYPE_STRUCT, "node");
	struct cmember m;
	struct ctype t = get(p, id);
	char text[1024] = "";

	assert_int_equal(t.kind, CTYPE_STRUCT);
	assert_int_equal(t.size, 136);
	assert_int_equal(ctype_each_member(p->t, id, list_member, text), 0);
	assert_string_equal(text, "name:0 next:128 low:192 mid:195 sign:202 as_int:224 as_float:224 c0:224 c1:232 color:256 in:288 "
				  "grid:320 words:704 call:768 byte:832 real:896 yes:960 hidden:1024 tail:1088 ");
	m = member(p, id, "mid");
	assert_int_equal(m.bit_at, 195);
	assert_int_equal(m.bits, 7);
	m = member(p, id, "sign");
	assert_int_equal(m.bit_at, 202);
	assert_int_equal(m.bits, 5);
	assert_true(get(p, m.type).is_signed);
	m = member(p, id, "c1");
	assert_int_equal(m.bit_at, 232);
	assert_int_equal(m.bits, 0);
	assert_int_equal(ctype_member(p->t, id, "name2", 5, &m), -ENOENT);
	assert_int_equal(ctype_member(p->t, id, "", 0, &m), -ENOENT);
	m = member(p, id, "name");
	t = get(p, m.type);
	assert_int_equal(t.kind, CTYPE_ARRAY);
	assert_int_equal(t.nr, 16);
	assert_int_equal(get(p, t.to).kind, CTYPE_CHAR);
	assert_int_equal(get(p, member(p, id, "byte").type).kind, CTYPE_INT);
	assert_int_equal(get(p, member(p, id, "yes").type).kind, CTYPE_BOOL);
	assert_int_equal(get(p, member(p, id, "real").type).kind, CTYPE_FLOAT);
	assert_int_equal(get(p, member(p, id, "tail").type).nr, 0);
	t = get(p, member(p, id, "next").type);
	assert_int_equal(t.kind, CTYPE_PTR);
	assert_int_equal(t.size, 8);
	assert_int_equal(get(p, t.to).id, get(p, id).id);
	t = get(p, member(p, id, "hidden").type);
	t = get(p, t.to);
	assert_int_equal(t.kind, CTYPE_OTHER);
	assert_int_equal(t.size, 0);
}

static void check_texts(struct prog *p)
{
	uint64_t id = tag(p, CTYPE_STRUCT, "node");
	struct cmember grid = member(p, id, "grid");
	struct ctype t = get(p, grid.type);
	char cut[8];

	assert_string_equal(type_name(p, grid.type), "u32 [3][4]");
	assert_int_equal(t.size, 48);
	assert_int_equal(t.nr, 3);
	assert_string_equal(type_name(p, t.to), "u32 [4]");
	t = get(p, t.to);
	assert_int_equal(t.kind, CTYPE_ARRAY);
	assert_int_equal(t.size, 16);
	assert_int_equal(t.nr, 4);
	t = get(p, t.to);
	assert_int_equal(t.kind, CTYPE_INT);
	assert_int_equal(t.size, 4);
	assert_string_equal(type_name(p, member(p, id, "words").type), "const char *const *");
	assert_string_equal(type_name(p, member(p, id, "call").type), "int (*)(struct node *, char, ...)");
	assert_int_equal(get(p, get(p, member(p, id, "call").type).to).kind, CTYPE_FUNC);
	assert_string_equal(type_name(p, member(p, id, "hidden").type), "struct opaque *");
	assert_string_equal(type_name(p, tag(p, CTYPE_OTHER, "u32")), "u32");
	assert_string_equal(type_name(p, 0), "void");
	assert_int_equal(get(p, 0).kind, CTYPE_VOID);
	assert_int_equal(p->t->find(p->t, CTYPE_UNION, "node", 4, &id), -ENOENT);
	assert_int_equal(p->t->name(p->t, id, cut, sizeof(cut)), strlen("struct node"));
	assert_string_equal(cut, "struct ");
}

static void check_c(const char *compiler, const char *flags, const char *out)
{
	struct prog p;

	build(compiler, "d.c", c_source, flags, out);
	open_prog(&p, out);
	check_c_places(&p);
	check_enums(&p);
	check_node(&p);
	check_texts(&p);
	close_prog(&p);
}

static void test_c(void **state)
{
	(void)state;
	check_c("gcc", "-O2 -g", "c.2");
	check_c("gcc", "-O0 -g", "c.0");
	check_c("gcc", "-O2 -gdwarf-4", "c.v4");
	check_c("gcc", "-O1 -gdwarf-2 -gstrict-dwarf", "c.v2");
	check_c("gcc", "-O2 -g -gz=zlib -no-pie", "c.z");
	check_c("gcc", "-O2 -gdwarf-4 -fdebug-types-section", "c.types4");
	check_c("gcc", "-O2 -gdwarf-5 -fdebug-types-section", "c.types5");
	check_c("gcc", "-O2 -g -gsplit-dwarf", "c.split");
}

static void test_clang(void **state)
{
	(void)state;
	check_c("clang", "-O0 -g", "clang.0");
	check_c("clang", "-O2 -g", "clang.2");
}

static void test_inlined(void **state)
{
	uint32_t calls = 7;
	struct prog p;

	(void)state;
	build("gcc", "d.c", c_source, "-O2 -g", "inl");
	open_prog(&p, "inl");
	assert_int_equal(dwarf_find_inlined(p.d, "only_inlined", 12, &calls), 0);
	assert_int_equal(calls, 2);
	assert_int_equal(dwarf_find_inlined(p.d, "both", 4, &calls), 1);
	assert_int_equal(calls, 1);
	assert_int_equal(dwarf_find_inlined(p.d, "scalars", 7, &calls), 1);
	assert_int_equal(calls, 0);
	assert_int_equal(dwarf_find_inlined(p.d, "scalar", 6, &calls), -ENOENT);
	close_prog(&p);
}

/* A struct that one unit only declares is another's. */
static void test_two_units(void **state)
{
	struct cmember m;
	struct ctype t;
	struct prog p;

	(void)state;
	write_file(in_scratch("u1.c"), "struct opaque; struct never; int look(struct opaque *o, struct never *n) { return o "
				"!= (void *)n; }\n");
	write_file(in_scratch("u2.c"), "struct opaque { int x; struct { long y; }; } o; struct never;\n"
				       "int look(struct opaque *, struct never *);\n"
				       "int main(void) { return look(&o, 0); }\n");
	assert_int_equal(run("cd %s && gcc -g u1.c u2.c -o two", scratch), 0);
	open_prog(&p, "two");
	assert_string_equal(params(&p, "look"), "o:struct opaque *@reg0, n:struct never *@reg1");
	t = get(&p, get(&p, p.f.params[0].type).to);
	assert_int_equal(t.kind, CTYPE_STRUCT);
	assert_int_equal(t.size, 16);
	m = member(&p, t.id, "y");
	assert_int_equal(m.bit_at, 64);
	m = member(&p, get(&p, p.f.params[0].type).to, "x");
	assert_int_equal(m.bit_at, 0);
	assert_int_equal(get(&p, get(&p, p.f.params[1].type).to).kind, CTYPE_OTHER);
	close_prog(&p);
}

static void test_stripped(void **state)
{
	struct elf_file elf;
	struct prog p;
	int fd;

	(void)state;
	build("gcc", "d.c", c_source, "-O2 -g -Wl,--build-id=none", "linked");
	assert_int_equal(run("cd %s && objcopy --only-keep-debug linked linked.debug && strip linked && "
			     "objcopy --add-gnu-debuglink=linked.debug linked && cp linked alone && strip -R .gnu_debuglink alone",
			     scratch),
			 0);
	open_prog(&p, "linked");
	check_c_places(&p);
	close_prog(&p);
	fd = ufile_open(in_scratch("alone"), &elf);
	assert_true(fd >= 0);
	assert_int_equal(dwarf_open(&elf, in_scratch("alone"), &p.d), -ENODATA);
	elf_close(&elf);
	close(fd);
}

static int open_only(const char *name)
{
	struct dwarf_types *d = NULL;
	struct elf_file elf;
	int fd = ufile_open(in_scratch(name), &elf), ret;

	assert_true(fd >= 0);
	alarm(30);
	ret = dwarf_open(&elf, in_scratch(name), &d);
	alarm(0);
	if (!ret)
		dwarf_close(d);
	elf_close(&elf);
	close(fd);
	return ret;
}

/* 200 MB of zeros are 200 KB in the file. */
static void test_bomb(void **state)
{
	(void)state;
	build("gcc", "d.c", c_source, "-O2 -g", "bomb");
	assert_int_equal(run("cd %s && objcopy --dump-section .debug_str=str bomb && head -c 200M /dev/zero >>str && "
			     "objcopy --update-section .debug_str=str bomb && objcopy --compress-debug-sections=zlib bomb zlib && "
			     "objcopy --compress-debug-sections=zlib-gnu bomb zlib-gnu && rm str",
			     scratch),
			 0);
	assert_int_equal(open_only("zlib"), -EFBIG);
	assert_int_equal(open_only("zlib-gnu"), -EFBIG);
	assert_int_equal(open_only("bomb"), 0);
	run("cd %s && rm bomb zlib zlib-gnu", scratch);
	build("gcc", "d.c", c_source, "-O2 -g -gz=zlib-gnu", "packed");
	assert_int_equal(open_only("packed"), 0);
}

/* Files that a file names: FIFOs, whose open() would not return. */
static void test_fifos(void **state)
{
	struct prog p;

	(void)state;
	build("gcc", "d.c", c_source, "-O2 -g", "alt");
	assert_int_equal(run("cd %s && mkfifo alt.fifo && printf 'alt.fifo\\0aaaaaaaaaaaaaaaaaaaa' >link && "
			     "objcopy --add-section .gnu_debugaltlink=link alt", scratch), 0);
	assert_int_equal(open_only("alt"), -EFBIG);
	assert_int_equal(run("cd %s && rm -f *.dwo", scratch), 0);
	build("gcc", "d.c", c_source, "-O2 -g -gsplit-dwarf", "split");
	assert_int_equal(run("cd %s && for f in *.dwo; do rm $f && mkfifo $f; done", scratch), 0);
	alarm(30);
	open_prog(&p, "split");
	dwarf_func(p.d, find(&p, "scalars").addr, &p.f);
	alarm(0);
	close_prog(&p);
	run("cd %s && rm -f *.dwo alt.fifo", scratch);
}

/* Without types nobody knows whether a function has parameters. */
static void test_no_types(void **state)
{
	struct prog p;

	(void)state;
	build("gcc", "d.c", c_source, "-O2 -g1", "g1");
	open_prog(&p, "g1");
	assert_int_equal(dwarf_func(p.d, find(&p, "scalars").addr, &p.f), -ENODATA);
	close_prog(&p);
}

/* Types that have themselves in them, as no compiler makes them: nothing may go on forever. */
static const char cycles[] =
	".text\n.globl cycles\n.type cycles, @function\ncycles: ret\nend: .size cycles, 1\n.globl _start\n_start: ret\n"
	".section .debug_abbrev\n"
	".byte 1, 0x11, 1, 0x13, 0xb, 0x11, 1, 0x12, 7, 0, 0\n"	    /* unit: language, low_pc, high_pc */
	".byte 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 7, 0x49, 0x13, 0, 0\n" /* subprogram: name, low_pc, high_pc, type */
	".byte 3, 5, 0, 0x49, 0x13, 0, 0\n"			    /* parameter: type */
	".byte 4, 0x16, 0, 3, 8, 0x49, 0x13, 0, 0\n"		    /* typedef: name, type */
	".byte 5, 0x13, 1, 3, 8, 0xb, 0xb, 0, 0\n"		    /* struct: name, size */
	".byte 6, 0xd, 0, 0x49, 0x13, 0x38, 0xb, 0, 0\n"	    /* member: type, offset */
	".byte 7, 1, 1, 0x49, 0x13, 0, 0\n"			    /* array: type */
	".byte 8, 0x21, 0, 0x2f, 0xb, 0, 0\n"			    /* its range: last index */
	".byte 9, 0xf, 0, 0x49, 0x13, 0, 0\n"			    /* pointer: type */
	".byte 10, 0x26, 0, 0x49, 0x13, 0, 0\n"			    /* const: type */
	".byte 11, 0x15, 1, 0x49, 0x13, 0, 0\n"			    /* function: type */
	".byte 12, 0x13, 1, 3, 8, 0xb, 0xb, 1, 0x13, 0, 0\n"	    /* struct whose sibling is given */
	".byte 0\n"
	".section .debug_info\n"
	"unit: .long last - first\nfirst: .value 4\n.long 0\n.byte 8\n"
	".byte 1, 4\n.quad cycles\n.quad 1\n"
	"t1: .byte 4\n.string \"self\"\n.long t1 - unit\n"
	"c1: .byte 10\n.long c2 - unit\nc2: .byte 10\n.long c1 - unit\n"
	"s1: .byte 5\n.string \"s\"\n.byte 16\n.byte 6\n.long s1 - unit\n.byte 0\n.byte 6\n.long s1 - unit\n.byte 8\n"
	"   .byte 6\n.long a1 - unit\n.byte 0\n.byte 0\n"
	"a1: .byte 7\n.long a1 - unit\n.byte 8, 255\n.byte 8, 255\n.byte 0\n"
	"p1: .byte 9\n.long p1 - unit\n"
	"f1: .byte 11\n.long f1 - unit\n.byte 3\n.long f1 - unit\n.byte 3\n.long f1 - unit\n.byte 3\n.long f1 - unit\n.byte 0\n"
	".byte 2\n.string \"cycles\"\n.quad cycles\n.quad 1\n.long s1 - unit\n"
	".byte 3\n.long t1 - unit\n.byte 3\n.long c1 - unit\n.byte 3\n.long s1 - unit\n.byte 3\n.long a1 - unit\n.byte "
	"3\n.long p1 - unit\n"
	".byte 3\n.long f1 - unit\n.byte 0\n"
	".byte 12\n.string \"back\"\n.byte 16\n.long s1 - unit\n.byte 0\n"
	".byte 0\nlast:\n";

static void test_cycles(void **state)
{
	char text[64];
	struct cmember m;
	struct ctype t;
	struct prog p;
	uint64_t id;

	(void)state;
	alarm(60);
	build("gcc", "cycles.s", cycles, "-nostdlib -static", "cycles");
	open_prog(&p, "cycles");
	assert_int_equal(dwarf_func(p.d, find(&p, "cycles").addr, &p.f), 0);
	assert_int_equal(p.f.nr_params, 6);
	for (uint32_t i = 0; i < p.f.nr_params; i++) {
		assert_true(p.t->name(p.t, p.f.params[i].type, text, sizeof(text)) > 0);
		if (i != 2 && i < 4)
			assert_int_equal(p.t->get(p.t, p.f.params[i].type, &t), -ENOENT);
		else
			assert_int_equal(p.t->get(p.t, p.f.params[i].type, &t), 0);
	}
	assert_int_equal(p.t->find(p.t, CTYPE_STRUCT, "s", 1, &id), 0);
	assert_int_equal(ctype_member(p.t, id, "x", 1, &m), -ENOENT);
	text[0] = '\0';
	assert_int_equal(ctype_each_member(p.t, id, list_member, text), 0);
	assert_string_equal(text, "");
	close_prog(&p);
	alarm(0);
}

#ifdef HAVE_CAPSTONE
struct boundaries {
	struct prog *p;
	struct wanted w;
	uint32_t n;
};

static int check_boundary(void *arg, uint64_t addr, const struct insn *i)
{
	struct boundaries *b = arg;

	b->n++;
	assert_int_equal(insns_is_boundary(&b->p->elf, b->w.addr, b->w.size, addr), 1);
	for (uint32_t at = 1; at < i->bytes; at++)
		assert_int_equal(insns_is_boundary(&b->p->elf, b->w.addr, b->w.size, addr + at), 0);
	return 0;
}

/* As objdump has it. */
static uint32_t count_rets(const char *path, const char *name, const uint64_t *addrs, uint32_t max)
{
	char cmd[PATH_MAX + 128], line[512], *ret;
	uint32_t n = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "objdump -d --no-show-raw-insn --disassemble=%s %s", name, path);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		ret = strstr(line, "\tret");
		if (!ret)
			continue;
		assert_true(n < max);
		assert_int_equal(strtoull(line, NULL, 16), addrs[n++]);
	}
	pclose(f);
	return n;
}

static void test_insns(void **state)
{
	struct boundaries b = { 0 };
	uint64_t rets[64];
	struct prog p;
	int n;

	(void)state;
	build("gcc", "d.c", c_source, "-O2 -g -fno-reorder-blocks", "insns");
	open_prog(&p, "insns");
	assert_false(ufunc_is_go(&p.elf));
	b.p = &p;
	b.w = find(&p, "rets");
	n = insns_rets(&p.elf, b.w.addr, b.w.size, rets, 64);
	assert_true(n >= 1);
	assert_int_equal(count_rets(p.path, "rets", rets, (uint32_t)n), n);
	assert_int_equal(insns_each(&p.elf, b.w.addr, b.w.size, check_boundary, &b), 0);
	assert_true(b.n > 5);
	assert_int_equal(insns_is_boundary(&p.elf, b.w.addr, b.w.size, b.w.addr - 1), 0);
	assert_int_equal(insns_is_boundary(&p.elf, b.w.addr, b.w.size, b.w.addr + b.w.size), 0);
	assert_int_equal(insns_rets(&p.elf, 0x7fffffff0000, 16, rets, 64), -ERANGE);
	assert_int_equal(insns_rets(&p.elf, b.w.addr, 1ull << 40, rets, 64), -ERANGE);
	close_prog(&p);
}
#endif
#endif

/* No file of ours need be from this machine. */
static void test_no_dwarf(void **state)
{
	struct elf_file elf;
	struct dwarf_types *d;
	int fd, ret;

	(void)state;
	build("gcc", "e.c", "int main(void) { return 0; }\n", "-Wl,--build-id=none", "none");
	fd = ufile_open(in_scratch("none"), &elf);
	assert_true(fd >= 0);
	ret = dwarf_open(&elf, in_scratch("none"), &d);
#ifdef HAVE_LIBDW
	assert_int_equal(ret, -ENODATA);
#else
	assert_int_equal(ret, -ENOTSUP);
#endif
	assert_false(ufunc_is_go(&elf));
	elf_close(&elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_dwarf),
#if defined(__x86_64__) && defined(HAVE_LIBDW)
		cmocka_unit_test(test_c),	  cmocka_unit_test(test_clang),	   cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_two_units), cmocka_unit_test(test_stripped), cmocka_unit_test(test_no_types),
		cmocka_unit_test(test_bomb),	  cmocka_unit_test(test_fifos),
		cmocka_unit_test(test_cycles),
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_insns),
#endif
#endif
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
