/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of a probe: parsed in both spellings, bound at a made function, record and USDT note, and made into instructions: all
 * jumps and places on the stack are inside, or an error that says something.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/gen.h"
#include "event/bind.h"
#include "event/probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STACK_BYTES 512
#define TEXT_BYTES 64

static const struct ctype types[] = {
	[1] = { .kind = CTYPE_INT, .is_signed = true, .size = 4 },
	[2] = { .kind = CTYPE_CHAR, .is_signed = true, .size = 1 },
	[3] = { .kind = CTYPE_PTR, .size = 8, .to = 2 },
	[4] = { .kind = CTYPE_STRUCT, .size = 64 },
	[5] = { .kind = CTYPE_PTR, .size = 8, .to = 4 },
	[6] = { .kind = CTYPE_ENUM, .size = 4, .is_signed = true },
	[7] = { .kind = CTYPE_INT, .size = 8 },
	[8] = { .kind = CTYPE_ARRAY, .size = 16, .to = 2, .nr = 16 },
	[9] = { .kind = CTYPE_FLOAT, .size = 8 },
	[10] = { .kind = CTYPE_INT, .size = 16 },
	[11] = { .kind = CTYPE_OTHER },
	[12] = { .kind = CTYPE_ARRAY, .to = 5 },
	[13] = { .kind = CTYPE_PTR, .size = 8 },
	[14] = { .kind = CTYPE_UNION, .size = 8 },
	[15] = { .kind = CTYPE_BOOL, .size = 1 },
};
#define NR_TYPES (sizeof(types) / sizeof(*types))

static int get(struct ctypes *t, uint64_t id, struct ctype *ret_type)
{
	(void)t;
	if (!id || id >= NR_TYPES)
		return -ENOENT;
	*ret_type = types[id];
	ret_type->id = id;
	return 0;
}

static int member(struct ctypes *t, uint64_t id, uint32_t i, struct cmember *ret_member)
{
	static const struct cmember of[] = { { "i", 1, 0, 0 },	  { "a", 8, 64, 0 },   { "n", 5, 192, 0 }, { "f", 1, 256, 3 }, { "g", 7, 259, 60 },
					     { "e", 6, 288, 0 },  { "s", 3, 320, 0 },  { "d", 9, 384, 0 }, { "w", 10, 0, 0 },  { "o", 11, 8, 0 },
					     { "v", 12, 128, 0 }, { "p", 13, 448, 0 }, { "", 14, 448, 0 }, { "b", 15, 504, 1 } };

	(void)t;
	if (id == 14 && !i) {
		*ret_member = (struct cmember){ "u", 7, 0, 0 };
		return 0;
	}
	if (id != 4 || i >= sizeof(of) / sizeof(*of))
		return -ENOENT;
	*ret_member = of[i];
	return 0;
}

static int enumerator(struct ctypes *t, uint64_t id, uint32_t i, struct cenumerator *ret_enumerator)
{
	static const struct cenumerator of[] = { { "RED", 1 }, { "BLUE", -3 } };

	(void)t;
	if (id != 6 || i > 1)
		return -ENOENT;
	*ret_enumerator = of[i];
	return 0;
}

static int find(struct ctypes *t, enum ctype_kind kind, const char *name, size_t len, uint64_t *ret_id)
{
	(void)t;
	for (uint64_t id = 1; id < NR_TYPES; id++)
		if (len == 1 && name[0] == (char)('a' + id) && (kind == CTYPE_OTHER || kind == types[id].kind)) {
			*ret_id = id;
			return 0;
		}
	return -ENOENT;
}

static size_t name(struct ctypes *t, uint64_t id, char *buf, size_t size)
{
	(void)t;
	return (size_t)snprintf(buf, size, "%llu", (unsigned long long)id);
}

static struct ctypes made = { get, member, enumerator, find, name };

static const struct cfunc func = {
	.params = { { "n", 5, CPLACE_REG, 0, false }, { "c", 7, CPLACE_REG, 1, false }, { "s", 3, CPLACE_REG, 2, false }, { "e", 6, CPLACE_REG, 3, false },
		    { "f", 9, CPLACE_FLOAT, 0, false }, { "t", 1, CPLACE_STACK, 8, false }, { "z", 1, CPLACE_NONE, 0, false }, { "v", 4, CPLACE_STACK, 16, false },
		    { "r", 4, CPLACE_REG, 4, true }, { "u", 14, CPLACE_REG, 5, false }, { "x", 0, CPLACE_REG, 1, false } },
	.nr_params = 11,
	.result = 5,
};

static struct format format;

/* Jumps forward into the program, stores and loads of the stack inside of it, an exit at the end. */
static void check_code(const struct gen *g)
{
	const struct bpf_insn *insns = g->insns.data;
	size_t n = g->insns.n;

	if (!n || insns[n - 1].code != (BPF_JMP | BPF_EXIT))
		abort();
	for (size_t i = 0; i < n; i++) {
		uint8_t class = BPF_CLASS(insns[i].code), base = class == BPF_LDX ? insns[i].src_reg : insns[i].dst_reg;

		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW)) {
			i++;
			continue;
		}
		if ((class == BPF_JMP || class == BPF_JMP32) && insns[i].code != (BPF_JMP | BPF_CALL) && insns[i].code != (BPF_JMP | BPF_EXIT) &&
		    (insns[i].off < 0 || i + 1 + insns[i].off >= n))
			abort();
		if ((class == BPF_LDX || class == BPF_ST || class == BPF_STX) && base == BPF_REG_10 && (insns[i].off >= 0 || insns[i].off < -STACK_BYTES))
			abort();
		if (BPF_CLASS(insns[i].code) == BPF_ALU64 && BPF_SRC(insns[i].code) == BPF_K &&
		    ((BPF_OP(insns[i].code) == BPF_LSH || BPF_OP(insns[i].code) == BPF_RSH || BPF_OP(insns[i].code) == BPF_ARSH) &&
		     (insns[i].imm < 0 || insns[i].imm > 63)))
			abort(); /* the verifier refuses those, and a division by zero */
		if (BPF_CLASS(insns[i].code) == BPF_ALU64 && BPF_SRC(insns[i].code) == BPF_K &&
		    (BPF_OP(insns[i].code) == BPF_DIV || BPF_OP(insns[i].code) == BPF_MOD) && !insns[i].imm)
			abort();
	}
}

static void generate(const struct bound_probe *bound, const struct bind_env *env, enum gen_context context)
{
	struct gen_glob globs[GEN_GLOBS_MAX];
	struct gen_dest dests[PROBE_ARGS_MAX];
	int nr_globs = 0;
	uint32_t off = 0;
	struct err err = { 0 };
	struct gen g = { .globs = globs, .nr_globs = &nr_globs };
	struct gen_cfg cfg = { .probe = bound, .context = context, .is_user = env->kind == PROBE_USER || env->kind == PROBE_USDT,
			       .nr_params = 5, .dests = dests, .nr_dests = bound->nr_args, .globs_fd = 3 };

	for (int i = 0; i < bound->nr_args; i++) {
		if (!memchr(bound->args[i].name, '\0', sizeof(bound->args[i].name)))
			abort();
		dests[i] = (struct gen_dest){ (uint32_t)i, off, bound->args[i].is_comm ? 16 : bound->args[i].show == VALUE_TEXT ? TEXT_BYTES : 8 };
		off += dests[i].bytes;
	}
	if (gen_code(&cfg, &g, &err)) {
		if (!err.text[0])
			abort();
	} else {
		if (nr_globs < 0 || nr_globs > GEN_GLOBS_MAX)
			abort();
		check_code(&g);
	}
	vec_free(&g.insns);
}

static void bind_as(const struct probe_spec *spec, const struct bind_env *env, enum gen_context context)
{
	struct bound_probe bound;
	struct err err = { 0 };
	int ret = bind_probe(spec, env, &bound, &err);

	if (ret && !err.text[0])
		abort();
	for (size_t i = 1; i < bound.nodes.n; i++) /* a tree: nodes refer to those in front of them */
		if (bound.nodes.data[i].a >= i || bound.nodes.data[i].b >= i)
			abort();
	if (!ret)
		generate(&bound, env, context);
	bind_free(&bound);
}

static void use(const struct probe_spec *spec)
{
	const struct bind_env function = { .kind = PROBE_KERNEL, .is_return = spec->is_return, .what = "f", .types = &made, .func = &func, .nr_regs = 6 };
	const struct bind_env unknown = { .kind = PROBE_USER, .is_return = spec->is_return, .what = "f", .no_func = "none", .nr_regs = 6 };
	const struct bind_env record = { .kind = PROBE_TRACEPOINT, .what = "a:b", .format = &format, .types = &made };
	const struct bind_env usdt = { .kind = PROBE_USDT, .what = "p:n", .usdt_args = "-4@%edi 8@-16(%rbp,%rax,8) 4@$5 8@%xmm0 1@(%rsp)", .nr_regs = 6 };
	char title[64];

	if (spec->nr_args > PROBE_ARGS_MAX || !memchr(spec->name, '\0', sizeof(spec->name)))
		abort();
	if (!spec->name[0] && !(spec->has_line && spec->file[0])) /* "t.c:12" is in any function */
		abort();
	probe_title(spec, spec->name, title, sizeof(title));
	bind_as(spec, &function, spec->is_return ? GEN_CALL : GEN_REGS);
	bind_as(spec, &function, GEN_ARGS);
	bind_as(spec, &unknown, spec->is_return ? GEN_CALL : GEN_REGS);
	bind_as(spec, &record, GEN_RECORD);
	bind_as(spec, &usdt, GEN_REGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char text_of_format[] =
		"\tfield:char c[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:int n;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] s;\toffset:28;\tsize:4;\tsigned:0;\n\tfield:__rel_loc char[] t;\toffset:33;\tsize:4;\tsigned:0;\n"
		"\tfield:const char * p;\toffset:40;\tsize:8;\tsigned:0;\n\tfield:dev_t d;\toffset:49;\tsize:4;\tsigned:0;\n"
		"\tfield:struct e * x;\toffset:56;\tsize:8;\tsigned:0;\n\tfield:long l[4];\toffset:64;\tsize:32;\tsigned:1;\n";
	struct probe_spec spec;
	struct err err = { 0 };
	char *text = malloc(size + 1);
	size_t at = 0;
	int ret;

	if (!format.fields.n && format_parse(text_of_format, strlen(text_of_format), &format))
		abort();
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	ret = probe_parse(text, &at, &spec, &err);
	if (ret ? !err.text[0] : at > strlen(text))
		abort();
	if (!ret)
		use(&spec);
	probe_free(&spec);
	for (int i = 0; i < 2; i++) {
		err = (struct err){ 0 };
		ret = probe_parse_perf(text, i ? "./a" : NULL, &spec, &err);
		if (ret && !err.text[0])
			abort();
		if (!ret)
			use(&spec);
		probe_free(&spec);
	}
	free(text);
	return 0;
}
