/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What skep list reads: globs, format files, lists of kernel functions, BTF, USDT notes. */
#include "tests/unit/test_sym.h"

#include <fnmatch.h>
#include <linux/btf.h>

#include "sym/kfuncs.h"
#include "types/btf.h"
#include "types/usdt.h"
#include "util/glob.h"

static void test_glob(void **state)
{
	static const char letters[] = "aab*?[]!-b";
	char pattern[9], text[9];
	int matches = 0;

	(void)state;
	srand(3);
	for (int i = 0; i < 300000; i++) {
		int n = rand() % 8, m = rand() % 8;
		bool want;

		for (int k = 0; k < n; k++)
			pattern[k] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		for (int k = 0; k < m; k++)
			text[k] = "ab"[rand() % 2];
		pattern[n] = text[m] = '\0';
		want = !fnmatch(pattern, text, 0);
		matches += want;
		if (glob_match(pattern, text, (size_t)m) != want)
			fail_msg("'%s' and '%s': fnmatch says %d", pattern, text, want);
	}
	assert_true(matches > 10000);
	assert_true(glob_match("tcp_*", "tcp_sendmsg and more", 11));
	assert_true(glob_match("a\\*", "a*", 2));
	assert_false(glob_match("a\\*", "ab", 2));
	assert_true(glob_is("a?") && !glob_is("a:b"));
	/* Where it is not fnmatch(3). */
	assert_true(glob_match("[\\*]", "\\", 1));
	assert_true(glob_match("[[:alpha:]]", "a]", 2));
}

/* "name copies module," of all that the list has. */
static void expect_funcs(const char *list, bool is_kallsyms, const char *glob, const char *want)
{
	struct kfuncs k = { .from_kallsyms = is_kallsyms, .pool = strpool_new() };
	char got[1024] = "";
	int fd;

	write_file(in_scratch("list"), list);
	fd = open(in_scratch("list"), O_RDONLY);
	assert_int_equal(kfuncs_read(fd, glob, &k), 0);
	close(fd);
	for (size_t i = 0; i < k.all.n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s %u %s,", k.all.data[i].name, k.all.data[i].copies,
			 k.all.data[i].module ? k.all.data[i].module : "-");
	assert_string_equal(got, want);
	kfuncs_free(&k);
}

static void test_kfuncs(void **state)
{
	char long_line[200000];

	(void)state;
	expect_funcs("ffffffff81000000 T _stext\nffffffff81000010 T __entry_text_start\nffffffff81000020 T entry\n"
		     "ffffffff81000030 T __entry_text_end\nffffffff81000040 t twice\nffffffff81000050 T one\n"
		     "ffffffff81000060 t twice\nffffffff81000070 t __pfx_one\nffffffff81000080 t one.cold\n"
		     "ffffffff81000090 D data\nffffffff81001000 T _etext\nffffffff82000000 T in_init\n"
		     "ffffffffc0000000 t in_module\t[ext4]\nffffffffc0001000 t bpf_prog_1\t[bpf]\n",
		     true, "*", "in_module 1 ext4,one 1 -,twice 2 -,");
	expect_funcs("0000000000000000 T b\n0000000000000000 T a\nnonsense\n\n0000 T\n0000000000000000 t last", true, "*",
		     "a 1 -,b 1 -,last 1 -,");
	expect_funcs("tcp_a\nudp_a\ntcp_b [tcp_mod]\ntcp_c", false, "tcp_*", "tcp_a 1 -,tcp_b 1 tcp_mod,tcp_c 1 -,");
	/* Weak functions that others took the place of: ftrace has calls in them and no name. */
	expect_funcs("tcp_a\n__ftrace_invalid_address___64\n__ftrace_invalid_address___8 [tcp_mod]\n", false, "*", "tcp_a 1 -,");
	/* A line that is longer than what is read at once is none, and neither is its end. */
	memset(long_line, 'x', sizeof(long_line));
	strcpy(long_line + sizeof(long_line) - 8, "\nafter\n");
	expect_funcs(long_line, false, "*", "after 1 -,");
	memcpy(long_line, "a\n", 2);
	long_line[sizeof(long_line) - 8] = '\0';
	expect_funcs(long_line, false, "*", "a 1 -,");
}

/* int f(const struct s *p, int (*call)(int)); */
struct btf_bytes {
	struct btf_header header;
	struct btf_type i32;
	uint32_t i32_bits;
	struct btf_type s, const_s, pointer;
	struct btf_type call;
	struct btf_param call_params[1];
	struct btf_type call_pointer;
	struct btf_type proto;
	struct btf_param params[2];
	struct btf_type func;
	char strings[24];
};

#define INFO(kind, n) ((uint32_t)(kind) << 24 | (n))

static const struct btf_bytes sound = {
	.header = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(struct btf_header),
		    .type_len = offsetof(struct btf_bytes, strings) - sizeof(struct btf_header),
		    .str_off = offsetof(struct btf_bytes, strings) - sizeof(struct btf_header), .str_len = 24 },
	.i32 = { .name_off = 1, .info = INFO(BTF_KIND_INT, 0), .size = 4 },		     /* 1 */
	.s = { .name_off = 5, .info = INFO(BTF_KIND_FWD, 0) },				     /* 2 */
	.const_s = { .info = INFO(BTF_KIND_CONST, 0), .type = 2 },			     /* 3 */
	.pointer = { .info = INFO(BTF_KIND_PTR, 0), .type = 3 },			     /* 4 */
	.call = { .info = INFO(BTF_KIND_FUNC_PROTO, 1), .type = 1 },			     /* 5 */
	.call_params = { { .type = 1 } },
	.call_pointer = { .info = INFO(BTF_KIND_PTR, 0), .type = 5 },			     /* 6 */
	.proto = { .info = INFO(BTF_KIND_FUNC_PROTO, 2), .type = 1 },			     /* 7 */
	.params = { { .name_off = 9, .type = 4 }, { .name_off = 11, .type = 6 } },
	.func = { .name_off = 7, .info = INFO(BTF_KIND_FUNC, 0), .type = 7 },		     /* 8 */
	.strings = "\0int\0s\0f\0p\0call",
};

static int note_id(void *arg, const char *name, uint32_t id)
{
	assert_string_equal(name, "f");
	*(uint32_t *)arg = id;
	return 0;
}

static void test_btf(void **state)
{
	struct btf_types *btf, *module;
	char text[128], tiny[8];
	uint32_t id = 0;

	(void)state;
	assert_int_equal(btf_open_mem(&sound, sizeof(sound), NULL, &btf), 0);
	btf_each_func(btf, note_id, &id);
	assert_int_equal(id, 8);
	btf_prototype(btf, id, text, sizeof(text));
	assert_string_equal(text, "int f(const struct s *p, int (*call)(int))");
	btf_parameters(btf, id, text, sizeof(text));
	assert_string_equal(text, "const struct s *p, int (*call)(int)");
	btf_result(btf, id, text, sizeof(text));
	assert_string_equal(text, "int");
	assert_string_equal(btf_parameter(btf, id, 0, text, sizeof(text)), "p");
	assert_string_equal(text, "const struct s *");
	assert_null(btf_parameter(btf, id, 2, text, sizeof(text)));
	assert_true(btf_prototype(btf, id, tiny, sizeof(tiny)) >= sizeof(tiny));
	assert_string_equal(tiny, "int ...");
	assert_int_equal(btf_prototype(btf, 1, text, sizeof(text)), 0);
	assert_int_equal(btf_prototype(btf, 99, text, sizeof(text)), 0);
	/* A module's ids and strings go on from the base's: the same bytes now refer to the base. */
	assert_int_equal(btf_open_mem(&sound, sizeof(sound), btf, &module), 0);
	btf_each_func(module, note_id, &id);
	assert_int_equal(id, 16);
	btf_prototype(module, id, text, sizeof(text));
	assert_string_equal(text, "int f(const struct s *p, int (*call)(int))");
	btf_close(module);
	btf_close(btf);
}

/* Behind a kind that nobody knows ids are not known: nothing can go on from there. */
static void test_btf_newer(void **state)
{
	struct btf_bytes newer = sound;
	struct btf_types *btf, *module = NULL;
	uint32_t id = 0;

	(void)state;
	newer.const_s.info = INFO(31, 0);
	assert_int_equal(btf_open_mem(&newer, sizeof(newer), NULL, &btf), 0);
	assert_int_equal(btf_open_mem(&sound, sizeof(sound), btf, &module), -EBADMSG);
	assert_null(module);
	btf_close(btf);
	/* A module's own end is nobody's base. */
	assert_int_equal(btf_open_mem(&sound, sizeof(sound), NULL, &btf), 0);
	assert_int_equal(btf_open_mem(&newer, sizeof(newer), btf, &module), 0);
	btf_each_func(module, note_id, &id);
	assert_int_equal(id, 0);
	btf_close(module);
	btf_close(btf);
}

/* Any byte of it wrong, or the end missing: an error or an answer, never a crash. */
static void test_btf_broken(void **state)
{
	struct btf_bytes bad;
	struct btf_types *btf;
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(bad); i++) {
		bad = sound;
		((uint8_t *)&bad)[i] ^= 0x81;
		if (btf_open_mem(&bad, sizeof(bad), NULL, &btf))
			continue;
		for (uint32_t id = 0; id < 10; id++)
			btf_prototype(btf, id, text, sizeof(text));
		btf_close(btf);
	}
	for (size_t n = 0; n < sizeof(bad); n++)
		assert_int_equal(btf_open_mem(&sound, n, NULL, &btf), -EBADMSG);
	/* A pointer to itself. */
	bad = sound;
	bad.pointer.type = 4;
	assert_int_equal(btf_open_mem(&bad, sizeof(bad), NULL, &btf), 0);
	btf_prototype(btf, 8, text, sizeof(text));
	assert_non_null(strstr(text, "..."));
	btf_close(btf);
}

/* A function of 5000 parameters, each of them a function like itself (the fuzzer's find): it ends. */
static void test_btf_explodes(void **state)
{
	enum { N = 5000 };
	struct {
		struct btf_header header;
		struct btf_type proto;
		struct btf_param params[N];
		struct btf_type func;
		char strings[4];
	} *bad = calloc(1, sizeof(*bad));
	size_t types = offsetof(typeof(*bad), strings) - sizeof(bad->header);
	struct btf_types *btf;
	char text[4096];

	(void)state;
	bad->header = (struct btf_header){ .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(bad->header), .type_len = (uint32_t)types,
					   .str_off = (uint32_t)types, .str_len = sizeof(bad->strings) };
	bad->proto = (struct btf_type){ .info = INFO(BTF_KIND_FUNC_PROTO, N), .type = 1 };
	for (int i = 0; i < N; i++)
		bad->params[i].type = 1;
	bad->func = (struct btf_type){ .name_off = 1, .info = INFO(BTF_KIND_FUNC, 0), .type = 1 };
	strcpy(bad->strings + 1, "f");
	assert_int_equal(btf_open_mem(bad, sizeof(*bad), NULL, &btf), 0);
	alarm(20);
	btf_prototype(btf, 2, text, sizeof(text));
	alarm(0);
	assert_non_null(strstr(text, "..."));
	btf_close(btf);
	free(bad);
}

static void expect_end(const char *text, const char *end)
{
	assert_true(strlen(text) > strlen(end));
	assert_string_equal(text + strlen(text) - strlen(end), end);
}

/* int f(int, int, ... 2000 times): what is left out, there is a mark in its place. */
static void test_btf_cut(void **state)
{
	enum { N = 2000 };
	struct {
		struct btf_header header;
		struct btf_type i32;
		uint32_t i32_bits;
		struct btf_type proto;
		struct btf_param params[N];
		struct btf_type func;
		char strings[512];
	} *wide = calloc(1, sizeof(*wide));
	size_t types = offsetof(typeof(*wide), strings) - sizeof(wide->header);
	static char text[16384];
	struct btf_types *btf;

	(void)state;
	wide->header = (struct btf_header){ .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(wide->header), .type_len = (uint32_t)types,
					    .str_off = (uint32_t)types, .str_len = sizeof(wide->strings) };
	wide->i32 = (struct btf_type){ .name_off = 1, .info = INFO(BTF_KIND_INT, 0), .size = 4 };
	wide->proto = (struct btf_type){ .info = INFO(BTF_KIND_FUNC_PROTO, N), .type = 1 };
	for (int i = 0; i < N; i++)
		wide->params[i].type = 1;
	wide->func = (struct btf_type){ .name_off = 5, .info = INFO(BTF_KIND_FUNC, 0), .type = 2 };
	memcpy(wide->strings, "\0int\0f", 7);
	assert_int_equal(btf_open_mem(wide, sizeof(*wide), NULL, &btf), 0);
	btf_prototype(btf, 3, text, sizeof(text));
	expect_end(text, "...)");
	btf_parameters(btf, 3, text, sizeof(text));
	expect_end(text, ", int...");
	assert_true(btf_parameters(btf, 3, text, 100) >= 100);
	assert_int_equal(strlen(text), 99);
	expect_end(text, "...");
	memset(wide->strings + 5, 'n', sizeof(wide->strings) - 6);
	btf_prototype(btf, 3, text, sizeof(text));
	assert_non_null(strstr(text, "n...("));
	btf_close(btf);
	free(wide);
}

struct probes {
	char text[512];
};

static int add_probe(void *arg, const struct usdt *u)
{
	struct probes *p = arg;

	snprintf(p->text + strlen(p->text), sizeof(p->text) - strlen(p->text), "%s:%s %llx %llx (%s)\n", u->provider, u->name,
		 (unsigned long long)u->addr, (unsigned long long)u->semaphore, u->args);
	return 0;
}

/* A file whose one section has a note of `descsz` bytes, cut after `size` bytes. */
static int read_note(uint32_t descsz, size_t size, struct probes *p)
{
	static const char names[] = "\0.note.stapsdt\0.shstrtab";
	struct {
		Elf64_Ehdr h;
		Elf64_Shdr s[3];
		char names[32];
		Elf32_Nhdr note;
		char owner[8];
		uint32_t addrs[6]; /* three of 64 bits, not aligned */
		char texts[32];
	} f = { .h = { .e_type = ET_EXEC, .e_shoff = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2 } };
	struct elf_file elf;
	int ret;

	memcpy(f.h.e_ident, ELFMAG, SELFMAG);
	f.h.e_ident[EI_CLASS] = ELFCLASS64;
	f.h.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(f.names, names, sizeof(names));
	f.s[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = (size_t)((char *)&f.note - (char *)&f), .sh_size = size };
	f.s[2] = (Elf64_Shdr){ .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = (size_t)(f.names - (char *)&f), .sh_size = 32 };
	f.note = (Elf32_Nhdr){ 8, descsz, 3 };
	memcpy(f.owner, "stapsdt", 8);
	f.addrs[0] = 0x10;
	memcpy(f.texts, "prov\0name\0" "8@%rdi", 17);
	assert_int_equal(elf_open_mem(&f, sizeof(f), &elf), 0);
	p->text[0] = '\0';
	ret = usdt_each(&elf, add_probe, p);
	elf_close(&elf);
	return ret;
}

static void test_usdt(void **state)
{
	size_t whole = sizeof(Elf32_Nhdr) + 8 + 24 + 17;
	struct probes p;

	(void)state;
	assert_int_equal(read_note(24 + 17, whole, &p), 0);
	assert_string_equal(p.text, "prov:name 10 0 (8@%rdi)\n");
	for (size_t n = 1; n < whole; n++) {
		assert_int_equal(read_note(24 + 17, n, &p), -EBADMSG);
		assert_string_equal(p.text, "");
	}
	/* Texts that do not end, addresses that are not all there, sizes that wrap. */
	assert_int_equal(read_note(24 + 16, whole, &p), -EBADMSG);
	assert_int_equal(read_note(23, whole, &p), -EBADMSG);
	assert_int_equal(read_note(UINT32_MAX, whole, &p), -EBADMSG);
	assert_int_equal(read_note(0, whole, &p), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glob), cmocka_unit_test(test_kfuncs), cmocka_unit_test(test_btf),
		cmocka_unit_test(test_btf_broken), cmocka_unit_test(test_btf_explodes), cmocka_unit_test(test_btf_newer),
		cmocka_unit_test(test_btf_cut), cmocka_unit_test(test_usdt),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
