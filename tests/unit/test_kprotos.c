/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prototypes and types of kernel functions in BTF, against the compiler, libbpf and bpftool. */
#include "tests/unit/test_sym.h"

#include <bpf/btf.h>

#include "types/btf.h"
#include "types/btf_ctype.h"
#include "types/btf_subset.h"
#include "types/kprotos.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define BITS 8

/* Compiled twice: into BTF, and into this program, which knows where things are. */
#define PROGRAM                                                                                                            \
	typedef unsigned char u8;                                                                                          \
	typedef const u8 octet;                                                                                            \
	enum plain { ZERO, ONE, MANY = 70000 };                                                                            \
	struct inner { short a; char text[16]; };                                                                          \
	struct outer {                                                                                                     \
		int first; u8 number; octet also; char letter; signed char small; _Bool truth;                             \
		unsigned flag : 1, level : 3; int deep : 12; unsigned long long wide : 40;                                 \
		enum plain plain; float real;                                                                              \
		union { int named; struct { char low, high; }; };                                                          \
		struct inner grid[2][3]; struct outer *next; int (*call)(struct inner *, ...);                             \
		const volatile char *const pointer; struct hidden *hidden; struct inner tail[];                            \
	};
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(x) TEXT_OF(x)

PROGRAM

static struct ctypes *core_types(struct kprotos *k)
{
	struct ctypes *types;

	assert_int_equal(kprotos_types(k, NULL, &types), 0);
	return types;
}

static uint64_t find(struct ctypes *types, enum ctype_kind kind, const char *name)
{
	uint64_t id = 0;

	if (types->find(types, kind, name, strlen(name), &id))
		fail_msg("no type %s", name);
	return id;
}

static struct ctype get(struct ctypes *types, uint64_t id)
{
	struct ctype c = { .kind = CTYPE_OTHER };

	assert_int_equal(types->get(types, id, &c), 0);
	return c;
}

static void expect_name(struct ctypes *types, uint64_t id, const char *want)
{
	char text[256];

	assert_int_equal(types->name(types, id, text, sizeof(text)), strlen(want));
	assert_string_equal(text, want);
}

static struct cmember expect_member(struct ctypes *types, uint64_t id, const char *name, size_t at, enum ctype_kind kind,
				    uint64_t size)
{
	struct cmember m;
	struct ctype c;

	if (ctype_member(types, id, name, strlen(name), &m))
		fail_msg("no member %s", name);
	c = get(types, m.type);
	if (m.bit_at != at * BITS || c.kind != kind || c.size != size || m.bits)
		fail_msg("%s: bit %llu (%u), kind %d, size %llu", name, (unsigned long long)m.bit_at, m.bits, c.kind,
			 (unsigned long long)c.size);
	return m;
}

#define MEMBER(field, kind) \
	expect_member(types, id, #field, offsetof(struct outer, field), kind, sizeof(((struct outer *)0)->field))

/* Where the bits are that a bit field of all ones sets. */
static void expect_field(struct ctypes *types, uint64_t id, const char *name, const struct outer *ones)
{
	const uint8_t *bytes = (const uint8_t *)ones;
	struct cmember m;
	uint32_t bits = 0;
	uint64_t first = 0;

	for (uint64_t i = 0; i < sizeof(*ones) * BITS; i++)
		if (bytes[i / BITS] >> i % BITS & 1 && !bits++)
			first = i;
	assert_int_equal(ctype_member(types, id, name, strlen(name), &m), 0);
	assert_int_equal(m.bit_at, first);
	assert_int_equal(m.bits, bits);
}

static void compile(const char *name, const char *text, const char *dir)
{
	char out[PATH_MAX];

	snprintf(out, sizeof(out), "%s.o", name);
	build("clang", "program.c", text, "-target bpf -g -O1 -c", out);
	assert_int_equal(run("cd %s && mkdir -p %s && objcopy -I elf64-little -O binary --only-section=.BTF "
			     "--set-section-flags .BTF=alloc %s %s/%s",
			     scratch, dir, out, dir, name),
			 0);
}

static void test_members(void **state)
{
	struct ctypes *types;
	struct kprotos *k;
	struct ctype c;
	uint64_t id;

	(void)state;
	compile("vmlinux", TEXT(PROGRAM) " octet byte; int f(struct outer *o) { return o->first + byte; }", "c");
	assert_int_equal(kprotos_open_at(in_scratch("c"), &k), 0);
	types = core_types(k);
	id = find(types, CTYPE_STRUCT, "outer");
	c = get(types, id);
	assert_int_equal(c.kind, CTYPE_STRUCT);
	assert_int_equal(c.size, sizeof(struct outer));
	MEMBER(first, CTYPE_INT);
	MEMBER(number, CTYPE_INT);
	MEMBER(letter, CTYPE_CHAR);
	MEMBER(small, CTYPE_CHAR);
	MEMBER(truth, CTYPE_BOOL);
	MEMBER(plain, CTYPE_ENUM);
	MEMBER(real, CTYPE_FLOAT);
	MEMBER(named, CTYPE_INT);
	MEMBER(high, CTYPE_CHAR);
	MEMBER(next, CTYPE_PTR);
	MEMBER(call, CTYPE_PTR);
	/* A number stays one, by whatever id it is asked for. */
	c = get(types, MEMBER(also, CTYPE_INT).type);
	assert_int_equal(get(types, c.id).kind, CTYPE_INT);
	assert_false(c.is_signed);
	assert_true(get(types, MEMBER(small, CTYPE_CHAR).type).is_signed);
	c = get(types, MEMBER(grid, CTYPE_ARRAY).type);
	assert_int_equal(c.nr * get(types, c.to).size, sizeof(((struct outer *)0)->grid));
	c = get(types, expect_member(types, id, "tail", offsetof(struct outer, tail), CTYPE_ARRAY, 0).type);
	assert_int_equal(c.nr, 0);
	expect_name(types, c.to, "struct inner");
	c = get(types, MEMBER(pointer, CTYPE_PTR).type);
	assert_int_equal(get(types, c.to).kind, CTYPE_CHAR);
	expect_name(types, MEMBER(pointer, CTYPE_PTR).type, "const volatile char *const");
	c = get(types, MEMBER(hidden, CTYPE_PTR).type);
	assert_int_equal(get(types, c.to).kind, CTYPE_OTHER);
	c = get(types, MEMBER(call, CTYPE_PTR).type);
	assert_int_equal(get(types, c.to).kind, CTYPE_FUNC);
	expect_name(types, MEMBER(call, CTYPE_PTR).type, "int (*)(struct inner *, ...)");
	expect_name(types, 0, "void");
	expect_field(types, id, "flag", &(struct outer){ .flag = 1 });
	expect_field(types, id, "level", &(struct outer){ .level = 7 });
	expect_field(types, id, "deep", &(struct outer){ .deep = -1 });
	expect_field(types, id, "wide", &(struct outer){ .wide = (1ull << 40) - 1 });
	/* A typedef's own name, and what is not there. */
	assert_int_equal(get(types, find(types, CTYPE_OTHER, "u8")).kind, CTYPE_INT);
	assert_int_equal(types->find(types, CTYPE_STRUCT, "u8", 2, &id), -ENOENT);
	assert_int_equal(types->find(types, CTYPE_STRUCT, "hidden", 6, &id), -ENOENT);
	assert_int_equal(types->find(types, CTYPE_STRUCT, "oute", 4, &id), -ENOENT);
	assert_int_equal(types->get(types, 100000, &c), -ENOENT);
	assert_int_equal(types->get(types, 1ull << 40, &c), -ENOENT);
	kprotos_close(k);
}

static void save(const struct btf *btf, const char *path)
{
	uint32_t size;
	const void *bytes = btf__raw_data(btf, &size);
	FILE *f = fopen(path, "w");

	assert_non_null(bytes);
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

/* A function of n parameters of that type, "p0" and so on. */
static void add_func(struct btf *btf, const char *name, int type, int n, bool is_variadic)
{
	int proto = btf__add_func_proto(btf, type);
	char param[16];

	for (int i = 0; i < n; i++) {
		snprintf(param, sizeof(param), "p%d", i);
		assert_int_equal(btf__add_func_param(btf, param, type), 0);
	}
	if (is_variadic)
		assert_int_equal(btf__add_func_param(btf, "", 0), 0);
	assert_true(btf__add_func(btf, name, BTF_FUNC_STATIC, proto) > 0);
}

/* Builds scratch/b/vmlinux and scratch/b/mod, whose ids go on behind it. */
static void build_functions(void)
{
	struct btf *btf = btf__new_empty(), *mod;
	int i64, i32;
	char name[16];

	i64 = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	i32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	for (int n = 0; n <= 8; n++) {
		snprintf(name, sizeof(name), "f%d", n);
		add_func(btf, name, i64, n, false);
	}
	add_func(btf, "variadic", i32, 2, true);
	add_func(btf, "wide", i64, CPARAMS_MAX, true);
	add_func(btf, "wider", i64, CPARAMS_MAX + 5, true);
	add_func(btf, "same", i64, 2, false);
	add_func(btf, "same", i64, 2, false);
	add_func(btf, "twice", i64, 2, false);
	add_func(btf, "twice", i64, 3, false);
	add_func(btf, "told.isra.0", i64, 1, false);
	mod = btf__new_empty_split(btf);
	btf__add_struct(mod, "of_module", 16);
	add_func(mod, "g", i64, 1, false);
	add_func(mod, "f1", i64, 2, false);
	assert_int_equal(run("mkdir -p %s/b", scratch), 0);
	save(btf, in_scratch("b/vmlinux"));
	save(mod, in_scratch("b/mod"));
	write_file(in_scratch("b/nonsense"), "nonsense");
	btf__free(mod);
	btf__free(btf);
}

static void expect_func(struct kprotos *k, const char *module, const char *name, uint32_t nr, bool variadic, bool cut,
			bool ambiguous)
{
	struct ctypes *types;
	struct cfunc f;
	char param[16];
	uint32_t id;

	assert_int_equal(kprotos_func(k, module, name, &f, &types, &id), 0);
	assert_int_equal(f.nr_params, nr);
	assert_int_equal(f.is_variadic, variadic);
	assert_int_equal(f.is_cut, cut);
	assert_int_equal(f.is_ambiguous, ambiguous);
	assert_int_equal(get(types, f.result).kind, CTYPE_INT);
	for (uint32_t i = 0; i < nr; i++) {
		snprintf(param, sizeof(param), "p%u", i);
		assert_string_equal(f.params[i].name, param);
		assert_int_equal(f.params[i].type, f.result);
#ifdef __x86_64__
		assert_int_equal(f.params[i].place, i < 6 ? CPLACE_REG : CPLACE_STACK);
		assert_int_equal(f.params[i].n, i < 6 ? i : (i - 5) * 8);
#endif
	}
}

static void test_functions(void **state)
{
	struct ctypes *types, *core;
	struct kprotos *k;
	struct cfunc f;
	char name[16];
	uint32_t id, module_id;

	(void)state;
	build_functions();
	assert_int_equal(kprotos_open_at(in_scratch("b"), &k), 0);
	for (uint32_t n = 0; n <= 8; n++) {
		snprintf(name, sizeof(name), "f%u", n);
		expect_func(k, NULL, name, n, false, false, false);
	}
	expect_func(k, NULL, "variadic", 2, true, false, false);
	expect_func(k, NULL, "wide", CPARAMS_MAX, true, false, false);
	expect_func(k, NULL, "wider", CPARAMS_MAX, true, true, false);
	expect_func(k, NULL, "same", 2, false, false, false);
	expect_func(k, NULL, "twice", 2, false, false, true);
	expect_func(k, NULL, "told.isra.0", 1, false, false, false);
	expect_func(k, NULL, "f3.llvm.123", 3, false, false, false);
	expect_func(k, NULL, "f3.lto_priv.0", 3, false, false, false);
	expect_func(k, "vmlinux", "f1", 1, false, false, false);
	expect_func(k, "mod", "f1", 2, false, false, false);
	expect_func(k, "mod", "g", 1, false, false, false);
	assert_int_equal(kprotos_func(k, NULL, "f2", &f, &core, &id), 0);
	assert_int_equal(kprotos_func(k, "mod", "g", &f, &types, &module_id), 0);
	assert_true(module_id > id && types != core);
	/* A module's types are its own, then the core's. */
	find(types, CTYPE_STRUCT, "of_module");
	assert_int_equal(get(types, find(types, CTYPE_OTHER, "long")).size, 8);
	assert_int_equal(core->find(core, CTYPE_STRUCT, "of_module", 9, &(uint64_t){ 0 }), -ENOENT);
	f.nr_params = 77;
	assert_int_equal(kprotos_func(k, NULL, "g", &f, &types, &id), -ENOENT);
	assert_int_equal(kprotos_func(k, NULL, "", &f, &types, &id), -ENOENT);
	assert_int_equal(kprotos_func(k, "mod", "f2", &f, &types, &id), -ENOENT);
	for (size_t i = 0; i < 4; i++) {
		static const char *const copies[] = { "f3.isra.0", "f3.constprop.0.isra.0", "f3.part.0", "f3.llvm.1.cold" };

		assert_int_equal(kprotos_func(k, NULL, copies[i], &f, &types, &id), -EREMCHG);
	}
	assert_int_equal(kprotos_func(k, "absent", "g", &f, &types, &id), -EOPNOTSUPP);
	assert_int_equal(kprotos_func(k, "absent", "g", &f, &types, &id), -EOPNOTSUPP);
	assert_int_equal(kprotos_func(k, "../b/mod", "g", &f, &types, &id), -EOPNOTSUPP);
	assert_int_equal(kprotos_func(k, "nonsense", "g", &f, &types, &id), -EBADMSG);
	assert_int_equal(f.nr_params, 77);
	kprotos_close(k);
	assert_int_equal(kprotos_open_at(in_scratch("nowhere"), &k), 0);
	assert_int_equal(kprotos_func(k, NULL, "g", &f, &types, &id), -EOPNOTSUPP);
	assert_int_equal(kprotos_func(k, "mod", "g", &f, &types, &id), -EOPNOTSUPP);
	kprotos_close(k);
}

static void expect_enumerator(struct ctypes *types, uint64_t id, uint32_t i, const char *name, int64_t value)
{
	struct cenumerator e;

	assert_int_equal(types->enumerator(types, id, i, &e), 0);
	assert_string_equal(e.name, name);
	assert_true(e.value == value);
}

/* The types of a struct btf of libbpf's, which are freed with it. */
struct built {
	struct btf *btf;
	struct btf_types *read;
	struct ctypes *types;
};

static void read_built(struct built *b)
{
	uint32_t size;
	const void *bytes = btf__raw_data(b->btf, &size);

	assert_non_null(bytes);
	assert_int_equal(btf_open_mem(bytes, size, NULL, &b->read), 0);
	assert_int_equal(btf_ctypes_new(b->read, NULL, &b->types), 0);
}

static void free_built(struct built *b)
{
	btf_ctypes_free(b->types);
	btf_close(b->read);
	btf__free(b->btf);
}

static void test_enums(void **state)
{
	struct built b = { .btf = btf__new_empty() };
	uint64_t plain, negative, wide, below;
	struct cenumerator e;

	(void)state;
	plain = (uint64_t)btf__add_enum(b.btf, "plain", 4);
	btf__add_enum_value(b.btf, "TOP", 0xffffffffll);
	negative = (uint64_t)btf__add_enum(b.btf, "negative", 4);
	btf__add_enum_value(b.btf, "MINUS", -1);
	btf__add_enum_value(b.btf, "PLUS", 1);
	wide = (uint64_t)btf__add_enum64(b.btf, "wide", 8, false);
	btf__add_enum64_value(b.btf, "LOW", 1);
	btf__add_enum64_value(b.btf, "HIGH", 0x8000000000000002ull);
	below = (uint64_t)btf__add_enum64(b.btf, "below", 8, true);
	btf__add_enum64_value(b.btf, "DEEP", (uint64_t)INT64_MIN);
	read_built(&b);
	assert_false(get(b.types, plain).is_signed);
	expect_enumerator(b.types, plain, 0, "TOP", 0xffffffffll);
	assert_true(get(b.types, negative).is_signed);
	expect_enumerator(b.types, negative, 0, "MINUS", -1);
	expect_enumerator(b.types, negative, 1, "PLUS", 1);
	assert_int_equal(b.types->enumerator(b.types, negative, 2, &e), -ENOENT);
	assert_int_equal(get(b.types, wide).size, 8);
	assert_false(get(b.types, wide).is_signed);
	expect_enumerator(b.types, wide, 1, "HIGH", (int64_t)0x8000000000000002ull);
	assert_true(get(b.types, below).is_signed);
	expect_enumerator(b.types, below, 0, "DEEP", INT64_MIN);
	assert_int_equal(find(b.types, CTYPE_ENUM, "wide"), wide);
	assert_int_equal(find(b.types, CTYPE_ENUM, "negative"), negative);
	expect_name(b.types, wide, "enum wide");
	free_built(&b);
}

/* Before kind_flag: 3 bits at bit 5 of what the struct says. */
static void test_old_fields(void **state)
{
	struct built b = { .btf = btf__new_empty() };
	struct cmember m;
	int i32, odd, s;

	(void)state;
	i32 = btf__add_int(b.btf, "int", 4, BTF_INT_SIGNED);
	odd = btf__add_int(b.btf, "unsigned", 4, 0);
	*(uint32_t *)((struct btf_type *)btf__type_by_id(b.btf, (uint32_t)odd) + 1) = 5 << 16 | 3;
	s = btf__add_struct(b.btf, "s", 8);
	btf__add_field(b.btf, "whole", i32, 0, 0);
	btf__add_field(b.btf, "odd", odd, 32, 0);
	read_built(&b);
	assert_int_equal(b.types->member(b.types, (uint64_t)s, 0, &m), 0);
	assert_true(m.bit_at == 0 && m.bits == 0);
	assert_int_equal(b.types->member(b.types, (uint64_t)s, 1, &m), 0);
	assert_true(m.bit_at == 37 && m.bits == 3);
	assert_int_equal(b.types->member(b.types, (uint64_t)s, 2, &m), -ENOENT);
	assert_int_equal(b.types->member(b.types, (uint64_t)i32, 0, &m), -ENOENT);
	free_built(&b);
}

/* Types of themselves end. */
static void test_loops(void **state)
{
	struct built b = { .btf = btf__new_empty() };
	struct cmember m;
	struct ctype c;
	int i32, array, self, chain, huge;

	(void)state;
	alarm(20);
	i32 = btf__add_int(b.btf, "int", 4, BTF_INT_SIGNED);
	btf__add_typedef(b.btf, "loop", 3);
	btf__add_const(b.btf, 2);
	array = btf__add_array(b.btf, i32, 4, 2); /* id 4: of itself */
	self = btf__add_struct(b.btf, "self", 8);
	for (int i = 0; i < 200; i++)
		btf__add_field(b.btf, "", self, 0, 0);
	chain = btf__add_array(b.btf, i32, i32, 0xffffffff);
	for (int i = 0; i < 2; i++)
		chain = btf__add_array(b.btf, i32, chain, 0xffffffff);
	huge = btf__add_int(b.btf, "huge", 16, 0);
	((struct btf_type *)btf__type_by_id(b.btf, (uint32_t)huge))->size = 1u << 31;
	add_func(b.btf, "f", self, 3, false);
	read_built(&b);
	assert_int_equal(b.types->get(b.types, 2, &c), -ENOENT);
	assert_int_equal(b.types->get(b.types, 3, &c), -ENOENT);
	assert_int_equal(b.types->get(b.types, (uint64_t)array, &c), -ENOENT);
	assert_int_equal(b.types->get(b.types, (uint64_t)chain, &c), -ENOENT);
	c = get(b.types, (uint64_t)huge);
	assert_true(c.kind == CTYPE_OTHER && c.size == 0);
	assert_int_equal(get(b.types, (uint64_t)self).size, 8);
	assert_int_equal(ctype_member(b.types, (uint64_t)self, "x", 1, &m), -ENOENT);
	alarm(0);
	free_built(&b);
}

static void expect_kernel_func(struct kprotos *k, const char *name, const char *types_wanted)
{
	char got[512] = "", type[128];
	struct ctypes *types;
	struct cfunc f;
	uint32_t id;

	assert_int_equal(kprotos_func(k, NULL, name, &f, &types, &id), 0);
	for (uint32_t i = 0; i < f.nr_params; i++) {
		types->name(types, f.params[i].type, type, sizeof(type));
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? ", " : "", type);
	}
	types->name(types, f.result, type, sizeof(type));
	snprintf(got + strlen(got), sizeof(got) - strlen(got), " -> %s", type);
	assert_string_equal(got, types_wanted);
}

/* What a program says that is compiled with the kernel's types. */
static uint64_t compiled(const char *expression)
{
	unsigned long long value = 0;
	FILE *f;

	f = fopen(in_scratch("k.c"), "w");
	fprintf(f, "#include \"k.h\"\nint printf(const char *, ...);\n"
		   "int main(void) { printf(\"%%llu\\n\", (unsigned long long)(%s)); }\n",
		expression);
	fclose(f);
	assert_int_equal(run("cd %s && clang -w -O1 -o k k.c && ./k >k.out", scratch), 0);
	f = fopen(in_scratch("k.out"), "r");
	assert_int_equal(fscanf(f, "%llu", &value), 1);
	fclose(f);
	return value;
}

static void test_kernel(void **state)
{
	struct ctypes *types;
	struct kprotos *k;
	struct cmember m, part;
	struct ctype c;
	uint64_t id;

	(void)state;
	if (access(KERNEL_BTF, R_OK) || run("(command -v bpftool && command -v clang) >/dev/null 2>&1"))
		skip();
	assert_int_equal(kprotos_open(&k), 0);
	types = core_types(k);
	expect_kernel_func(k, "tcp_sendmsg", "struct sock *, struct msghdr *, size_t -> int");
	expect_kernel_func(k, "vfs_read", "struct file *, char *, size_t, loff_t * -> ssize_t");
	assert_int_equal(run("bpftool btf dump file " KERNEL_BTF " format c >%s/k.h", scratch), 0);
	id = find(types, CTYPE_STRUCT, "task_struct");
	assert_int_equal(get(types, id).size, compiled("sizeof(struct task_struct)"));
	expect_member(types, id, "pid", compiled("__builtin_offsetof(struct task_struct, pid)"), CTYPE_INT, 4);
	m = expect_member(types, id, "comm", compiled("__builtin_offsetof(struct task_struct, comm)"), CTYPE_ARRAY, 16);
	c = get(types, m.type);
	assert_int_equal(get(types, c.to).kind, CTYPE_CHAR);
	id = find(types, CTYPE_STRUCT, "sock");
	assert_int_equal(ctype_member(types, id, "__sk_common", strlen("__sk_common"), &m), 0);
	assert_int_equal(ctype_member(types, m.type, "skc_dport", strlen("skc_dport"), &part), 0);
	assert_int_equal(m.bit_at + part.bit_at, BITS * compiled("__builtin_offsetof(struct sock, __sk_common.skc_dport)"));
	assert_int_equal(get(types, part.type).size, 2);
	kprotos_close(k);
}

static void expect_same_members(struct ctypes *types, const struct btf_type *t, uint32_t id)
{
	uint32_t n = btf_vlen(t);
	struct cmember m;

	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(types->member(types, id, i, &m), 0);
		if (m.type != btf_members(t)[i].type || m.bit_at != btf_member_bit_offset(t, i) ||
		    m.bits != btf_member_bitfield_size(t, i))
			fail_msg("member %u of type %u is wrong", i, id);
	}
	assert_int_equal(types->member(types, id, n, &m), -ENOENT);
}

/* Every type of this kernel against libbpf. */
static void test_kernel_all(void **state)
{
	struct btf *btf = access(KERNEL_BTF, R_OK) ? NULL : btf__parse(KERNEL_BTF, NULL);
	struct ctypes *types;
	struct kprotos *k;
	unsigned sized = 0;

	(void)state;
	if (!btf)
		skip();
	assert_int_equal(kprotos_open(&k), 0);
	types = core_types(k);
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		struct ctypes *unused;
		struct cfunc f;
		struct ctype c;
		uint32_t func_id;
		int64_t size;

		assert_int_equal(types->get(types, id, &c), 0);
		if (btf_is_func(t)) {
			if (kprotos_func(k, NULL, btf__name_by_offset(btf, t->name_off), &f, &unused, &func_id) ||
			    (func_id != id && !f.is_ambiguous))
				fail_msg("function %u '%s' is not found", id, btf__name_by_offset(btf, t->name_off));
			continue;
		}
		if (btf_is_composite(t))
			expect_same_members(types, t, id);
		size = btf_is_var(t) || btf_is_datasec(t) || btf_is_decl_tag(t) ? -1 : btf__resolve_size(btf, id);
		if ((size > 0 && c.size != (uint64_t)size) || (size <= 0 && c.size))
			fail_msg("type %u has %llu bytes, libbpf says %lld", id, (unsigned long long)c.size, (long long)size);
		sized += size > 0;
	}
	assert_true(sized > 1000);
	kprotos_close(k);
	btf__free(btf);
}

/* What is held by value is the same all the way down; returns how many types were compared. */
static unsigned expect_same(struct ctypes *a, uint64_t id_a, struct ctypes *b, uint64_t id_b)
{
	struct ctype of_a = get(a, id_a), of_b = get(b, id_b);
	struct cmember m_a, m_b;
	unsigned n = 1;

	assert_int_equal(of_a.kind, of_b.kind);
	assert_int_equal(of_a.size, of_b.size);
	assert_int_equal(of_a.nr, of_b.nr);
	if (of_a.kind == CTYPE_ARRAY)
		return n + expect_same(a, of_a.to, b, of_b.to);
	if (of_a.kind != CTYPE_STRUCT && of_a.kind != CTYPE_UNION)
		return n;
	for (uint32_t i = 0; !a->member(a, id_a, i, &m_a); i++) {
		assert_int_equal(b->member(b, id_b, i, &m_b), 0);
		assert_string_equal(m_a.name, m_b.name);
		assert_int_equal(m_a.bit_at, m_b.bit_at);
		assert_int_equal(m_a.bits, m_b.bits);
		n += expect_same(a, m_a.type, b, m_b.type);
	}
	return n;
}

/* The types that a BPF object is relocated by: libbpf takes them, and their fields and values are the kernel's. */
static void test_subset(void **state)
{
	struct btf_types *kernel, *object, *few;
	struct ctypes *all, *types;
	struct cenumerator e, same;
	struct btf *names = btf__new_empty(), *taken;
	const void *raw;
	uint64_t in_all, in_few;
	unsigned compared;
	void *bytes;
	size_t size;
	uint32_t n;

	(void)state;
	if (access(KERNEL_BTF, R_OK))
		skip();
	btf__add_struct(names, "task_struct___old", 8);
	btf__add_struct(names, "no_such_struct", 8);
	btf__add_enum(names, "bpf_func_id", 4);
	raw = btf__raw_data(names, &n);
	assert_int_equal(btf_open(KERNEL_BTF, NULL, &kernel), 0);
	assert_int_equal(btf_open_mem(raw, n, NULL, &object), 0);
	assert_int_equal(btf_subset(kernel, object, &bytes, &size), 0);
	assert_true(size < 1 << 20);
	taken = btf__new(bytes, (uint32_t)size);
	assert_non_null(taken);
	assert_int_equal(btf_open_mem(bytes, size, NULL, &few), 0);
	assert_int_equal(btf_ctypes_new(kernel, NULL, &all), 0);
	assert_int_equal(btf_ctypes_new(few, NULL, &types), 0);
	compared = expect_same(all, find(all, CTYPE_STRUCT, "task_struct"), types, find(types, CTYPE_STRUCT, "task_struct"));
	assert_true(compared > 100);
	in_all = find(all, CTYPE_ENUM, "bpf_func_id");
	in_few = find(types, CTYPE_ENUM, "bpf_func_id");
	for (uint32_t i = 0; !all->enumerator(all, in_all, i, &e); i++) {
		assert_int_equal(types->enumerator(types, in_few, i, &same), 0);
		assert_string_equal(e.name, same.name);
		assert_int_equal(e.value, same.value);
	}
	assert_int_not_equal(types->find(types, CTYPE_STRUCT, "sock", 4, &in_few), 0);
	btf_ctypes_free(types);
	btf_ctypes_free(all);
	btf_close(few);
	btf__free(taken);
	free(bytes);
	btf_close(object);
	btf_close(kernel);
	btf__free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members), cmocka_unit_test(test_functions), cmocka_unit_test(test_enums),
		cmocka_unit_test(test_old_fields), cmocka_unit_test(test_loops), cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_kernel_all), cmocka_unit_test(test_subset),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
