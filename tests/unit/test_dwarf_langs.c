/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The same of C++, Rust and Go, by every compiler that is there. */
#include "tests/unit/test_dwarf.h"

#if defined(__x86_64__) && defined(HAVE_LIBDW)
static const char cxx_source[] =
	"#include <string>\n#include <vector>\n#include <memory>\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"typedef long num;\n"
	"namespace geo {\n"
	"struct Base { virtual ~Base() {} int id; num weight; };\n"
	"struct Mixin { short tag; static int count; };\n"
	"struct Shape : public Base, public Mixin { double area; std::string label; int id2;\n"
	"  KEEP int scale(int by, const std::string &why) { id2 += by; return id2 + (int)why.size(); }\n"
	"  KEEP static int make(short s) { return s + count; } };\n"
	"int Mixin::count;\n"
	"struct V { int v; };\n"
	"struct D : virtual V { int d; KEEP D(int x, char y); };\n"
	"KEEP D::D(int x, char y) { d = x + y; v = y; }\n"
	"struct E : D { E(int x) : D(x, 'c') {} };\n"
	"enum class Mode : unsigned char { off, on = 200 };\n"
	"struct Point { int x, y; };\n"
	"struct Plain { Plain() = default; Plain(const Plain &) = default; ~Plain() = default; Plain(int v) : x(v) {} int x; };\n"
	"struct Counted { Counted(const Counted &o) : x(o.x) {} Counted(int v) : x(v) {} int x; };\n"
	"struct Holds { Counted c[2]; };\n"
	"struct None {};\n"
	"}\n"
	"using geo::Shape;\n"
	"KEEP std::string join(std::string a, const std::string &b, int n) { return a + b + char(n); }\n"
	"KEEP int values(geo::Mode m, geo::Point p, Shape &&s, bool flag, geo::None none, int last) { return (int)m + p.x + "
	"s.id + flag + last; }\n"
	"KEEP int objects(geo::Plain p, geo::Counted c, geo::Holds h, std::unique_ptr<int> up, int last) { return p.x + c.x + "
	"last + *up; }\n"
	"KEEP geo::Counted counted(int x) { return geo::Counted(x); }\n"
	"volatile int sink;\n"
	"int main(int argc, char **argv) { Shape s; s.id = argc; sink = s.scale(argc, \"x\"); sink = Shape::make(3); geo::E e(3);\n"
	"  sink = counted(2).x + join(\"a\", \"b\", 'c').size() + values(geo::Mode::on, {1, 2}, std::move(s), true, {}, 3) + e.d;\n"
	"  sink = objects(geo::Plain(1), geo::Counted(2), geo::Holds{{1, 2}}, std::make_unique<int>(3), 4); }\n";

static void check_cxx(const char *compiler, const char *flags, const char *out)
{
	struct cenumerator e;
	struct ctype t;
	struct prog p;
	uint64_t id;

	build(compiler, "d.cc", cxx_source, flags, out);
	open_prog(&p, out);
	func(&p, "_ZN3geo5Shape5scaleEiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
	assert_string_equal(p.f.params[0].name, "this");
	assert_int_equal(p.f.params[0].n, 0);
	assert_int_equal(p.f.params[1].n, 1);
	assert_string_equal(type_name(&p, p.f.params[2].type), "const string &");
	assert_int_equal(get(&p, p.f.params[2].type).kind, CTYPE_PTR);
	id = get(&p, p.f.params[0].type).to;
	assert_string_equal(type_name(&p, get(&p, id).id), "Shape");
	/* Of base classes too, behind the pointer to virtual functions. */
	assert_int_equal(member(&p, id, "id").bit_at, 64);
	assert_int_equal(member(&p, id, "weight").bit_at, 128);
	assert_int_equal(member(&p, id, "tag").bit_at, 192);
	assert_int_equal(member(&p, id, "area").bit_at, 256);
	assert_int_equal(ctype_member(p.t, id, "count", 5, &(struct cmember){ 0 }), -ENOENT);
	func(&p, "_ZN3geo5Shape4makeEs");
	assert_int_equal(p.f.nr_params, 1);
	assert_int_equal(p.f.params[0].n, 0);
	/* The constructor of a whole object, and that of the base class of one, which gets a table of where virtual bases are. */
	func(&p, "_ZN3geo1DC1Eic");
	assert_int_equal(p.f.nr_params, 3);
	assert_string_equal(p.f.params[1].name, "x");
	func(&p, "_ZN3geo1DC2Eic");
	assert_int_equal(p.f.nr_params, 4);
	assert_string_equal(p.f.params[2].name, "x");
	assert_int_equal(p.f.params[2].n, 2);
	assert_string_equal(params(&p, "_Z4joinNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKS4_i"),
			    "a:string@&reg1, b:const string &@reg2, n:int@reg3");
	assert_true(p.f.result_in_memory);
	assert_string_equal(params(&p, "_Z6valuesN3geo4ModeENS_5PointEONS_5ShapeEbNS_4NoneEi"),
			    "m:Mode@reg0, p:Point@reg1, s:Shape &&@reg2, flag:bool@reg3, none:None@none, last:int@reg4");
	params(&p, "*7objects");
	assert_false(p.f.params[0].by_reference);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(p.f.params[i].place, CPLACE_REG);
		assert_int_equal(p.f.params[i].n, i);
		assert_int_equal(p.f.params[i].by_reference, i && i < 4);
	}
	assert_string_equal(params(&p, "_Z7countedi"), "x:int@reg1");
	assert_true(p.f.result_in_memory);
	t = get(&p, tag(&p, CTYPE_ENUM, "geo::Mode"));
	assert_int_equal(t.size, 1);
	assert_int_equal(p.t->enumerator(p.t, t.id, 1, &e), 0);
	assert_int_equal(e.value, 200);
	assert_int_equal(get(&p, tag(&p, CTYPE_OTHER, "Point")).size, 8);
	assert_int_equal(get(&p, tag(&p, CTYPE_STRUCT, "geo::Point")).size, 8);
	assert_int_equal(p.t->find(p.t, CTYPE_STRUCT, "std::Point", 10, &id), -ENOENT);
	close_prog(&p);
}

static void test_cxx(void **state)
{
	(void)state;
	check_cxx("g++", "-std=c++17 -O1 -g", "gxx.1");
	check_cxx("g++", "-std=c++17 -O0 -gdwarf-4", "gxx.v4");
}

static void test_cxx_clang(void **state)
{
	(void)state;
	check_cxx("clang++", "-std=c++17 -O1 -g", "clangxx.1");
}

static const char rust_source[] =
	"#[derive(Clone, Copy)] pub struct Pair { a: u32, b: u32 }\n"
	"pub struct Three { a: u32, b: u32, c: u32 }\n"
	"pub struct Big { a: u64, b: u64, c: u64 }\n"
	"#[inline(never)] pub fn take(s: &str, n: u32, v: &[u8], p: &Big) -> u64 { (s.len() + v.len()) as u64 + n as u64 + p.a }\n"
	"#[inline(never)] pub fn over(a: u8, b: char, c: i64, d: bool, e: &str, s: &str, l: u64) -> u64 "
	"{ a as u64 + b as u64 + c as u64 + d as u64 + (s.len() + e.len()) as u64 + l }\n"
	"#[inline(never)] pub fn three(t: Three, last: u64) -> u64 { (t.a + t.b + t.c) as u64 + last }\n"
	"#[inline(never)] pub fn pair(p: Pair, f: f64, last: u64) -> u64 { (p.a + p.b) as u64 + f as u64 + last }\n"
	"#[inline(never)] pub fn opt(t: Option<u32>, last: u64) -> u64 { t.unwrap_or(3) as u64 + last }\n"
	"#[inline(never)] pub fn grow(x: u64) -> Big { Big { a: x, b: 2, c: 3 } }\n"
	"impl Big { #[inline(never)] pub fn sum(&self, x: u64) -> u64 { self.a + self.b + self.c + x } }\n"
	"fn main() { let b = grow(3); println!(\"{} {} {} {} {} {}\", take(\"a\", 1, &[1u8, 2], &b), b.sum(3),\n"
	"  three(Three { a: 1, b: 2, c: 3 }, 4), pair(Pair { a: 1, b: 2 }, 2.0, 3), opt(Some(3), 4), over(1, 'a', 3, true, "
	"\"e\", \"s\", 5)); }\n";

static void test_rust(void **state)
{
	struct prog p;

	(void)state;
	build("rustc", "r.rs", rust_source, "-g", "rust");
	open_prog(&p, "rust");
	assert_string_equal(params(&p, "*4take17h"), "s:&str@reg0, n:u32@reg2, v:&[u8]@reg3, p:&r::Big@reg5");
	assert_true(p.f.is_rust);
	/* The pointer of s finds a register, and its length none. */
	assert_string_equal(params(&p, "*4over17h"), "a:u8@reg0, b:char@reg1, c:i64@reg2, d:bool@reg3, e:&str@reg4, "
				"s:&str@stack8, l:u64@stack24");
	assert_string_equal(params(&p, "*5three17h"), "t:Three@&reg0, last:u64@reg1");
	assert_string_equal(params(&p, "*4pair17h"), "p:Pair@none, f:f64@float, last:u64@reg2");
	assert_string_equal(params(&p, "*3opt17h"), "t:Option<u32>@none, last:u64@none");
	assert_string_equal(params(&p, "*4grow17h"), "x:u64@reg1");
	assert_true(p.f.result_in_memory);
	assert_string_equal(params(&p, "*3sum17h"), "self:&r::Big@reg0, x:u64@reg1");
	assert_int_equal(member(&p, get(&p, p.f.params[0].type).to, "c").bit_at, 128);
	assert_int_equal(get(&p, tag(&p, CTYPE_OTHER, "r::Big")).size, 24);
	close_prog(&p);
}

/* LLVM has taken parameters away, and says so (since about LLVM 17). */
static void test_changed(void **state)
{
	struct prog p;

	(void)state;
	build("rustc", "r.rs", rust_source, "-O -g", "rust.opt");
	open_prog(&p, "rust.opt");
	params(&p, "*5three17h");
	if (!p.f.is_changed) {
		close_prog(&p);
		skip();
	}
	assert_string_equal(params(&p, "*5three17h"), "t:Three@none, last:u64@none");
	close_prog(&p);
}

static void test_go(void **state)
{
	uint64_t rets[16];
	struct wanted w;
	struct prog p;

	(void)state;
	if (run("command -v go >/dev/null 2>&1"))
		skip();
	write_file(in_scratch("g.go"),
		   "package main\n"
		   "type P struct { a, b uint32 }\n"
		   "type T struct { n int64; s string }\n"
		   "//go:noinline\n"
		   "func f(s string, x int, b []byte, e error, y float64, p P) (int, error) { if x > 2 { return 7, e }; "
		   "return len(s) + x + len(b) + int(y) + int(p.a), e }\n"
		   "//go:noinline\n"
		   "func g(fn func(int) int, m map[string]int, arr [2]int, c chan int, z int32, one [1]int) int { return "
		   "fn(1) + m[\"a\"] + arr[1] + cap(c) + int(z) + one[0] }\n"
		   "//go:noinline\n"
		   "func (t *T) h(p P, v T, c bool) int { if c { return len(v.s) }; return int(p.a) + int(t.n) }\n"
		   "func main() { n, _ := f(\"a\", 1, nil, nil, 2.0, P{1, 2}); t := &T{1, \"x\"}\n"
		   "\tprintln(n, g(func(i int) int { return i }, nil, [2]int{1, 2}, nil, 3, [1]int{4}), t.h(P{3, 4}, *t, n > "
		   "3)) }\n");
	assert_int_equal(run("cd %s && HOME=%s GO111MODULE=off GOFLAGS= GOCACHE=%s/gocache go build -o go.out g.go 2>cc.log "
				"|| { cat cc.log; exit 1; }",
			     scratch, scratch, scratch),
			 0);
	open_prog(&p, "go.out");
	assert_true(ufunc_is_go(&p.elf));
	assert_string_equal(params(&p, "main.f"), "s:string@reg0, x:int@reg2, b:[]uint8@reg3, e:error@reg6, y:float64@float, "
				"p:main.P@stack8");
	assert_true(p.f.is_go);
	assert_int_equal(p.f.result, 0);
	assert_string_equal(params(&p, "main.g"),
			    "fn:func(int) int@reg0, m:map[string]int@reg1, arr:[2]int@stack8, c:chan int@reg2, z:int32@reg3, "
			    "one:[1]int@reg4");
	assert_string_equal(type_name(&p, p.f.result), "int");
	assert_string_equal(params(&p, "main.(*T).h"), "t:*main.T@reg0, p:main.P@none, v:main.T@reg3, c:bool@reg6");
	w = find(&p, "main.f");
#ifdef HAVE_CAPSTONE
	assert_int_equal(insns_rets(&p.elf, w.addr, w.size, rets, 16), 2);
	assert_int_equal(insns_rets(&p.elf, w.addr, w.size, rets, 1), -E2BIG);
#else
	assert_int_equal(insns_rets(&p.elf, w.addr, w.size, rets, 16), -ENOTSUP);
#endif
	close_prog(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cxx),	cmocka_unit_test(test_cxx_clang), cmocka_unit_test(test_rust),
		cmocka_unit_test(test_changed), cmocka_unit_test(test_go),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
#else
int main(void)
{
	return 0;
}
#endif
