/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A parameter or field comes before a built-in name, and both before argN: `pid` of a function with such an argument is the argument. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/binder.h"
#include "event/keys.h"
#include "event/lasting.h"
#include "event/usdtarg.h"
#include "util/num.h"

int binder_bad(struct binder *b, size_t at, const char *why, ...)
{
	char text[384];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	return expr_bad(b->exprs, b->what, at, b->err, "%s", text);
}

int binder_add(struct binder *b, size_t at, struct bound n)
{
	if (b->probe->nodes.n >= 2 * EXPR_NODES_MAX)
		return binder_bad(b, at, "too long");
	if (vec_reserve(&b->probe->nodes))
		return -ENOMEM;
	b->probe->nodes.data[b->probe->nodes.n++] = n;
	return (int)b->probe->nodes.n - 1;
}

struct ctypes *binder_types(struct binder *b)
{
	if (b->env->types)
		return b->env->types;
	if (!b->asked_kernel && b->env->kernel_types)
		b->kernel = b->env->kernel_types(b->env->arg);
	b->asked_kernel = true;
	return b->kernel;
}

struct operand operand_number(uint32_t node, unsigned size, bool is_signed)
{
	return (struct operand){ .kind = OPERAND_NUMBER, .node = node, .has_type = true,
			       .type = { .kind = CTYPE_INT, .size = size, .is_signed = is_signed } };
}

static bool is(const char *name, size_t len, const char *text)
{
	return strlen(text) == len && !memcmp(name, text, len);
}

static const struct {
	const char *name;
	struct ctype type;
} base_types[] = {
	{ "u8", { .kind = CTYPE_INT, .size = 1 } },
	{ "u16", { .kind = CTYPE_INT, .size = 2 } },
	{ "u32", { .kind = CTYPE_INT, .size = 4 } },
	{ "u64", { .kind = CTYPE_INT, .size = 8 } },
	{ "s8", { .kind = CTYPE_INT, .size = 1, .is_signed = true } },
	{ "s16", { .kind = CTYPE_INT, .size = 2, .is_signed = true } },
	{ "s32", { .kind = CTYPE_INT, .size = 4, .is_signed = true } },
	{ "s64", { .kind = CTYPE_INT, .size = 8, .is_signed = true } },
	{ "int", { .kind = CTYPE_INT, .size = 4, .is_signed = true } },
	{ "unsigned int", { .kind = CTYPE_INT, .size = 4 } },
	{ "unsigned", { .kind = CTYPE_INT, .size = 4 } },
	{ "short", { .kind = CTYPE_INT, .size = 2, .is_signed = true } },
	{ "unsigned short", { .kind = CTYPE_INT, .size = 2 } },
	{ "long", { .kind = CTYPE_INT, .size = sizeof(long), .is_signed = true } },
	{ "unsigned long", { .kind = CTYPE_INT, .size = sizeof(long) } },
	{ "size_t", { .kind = CTYPE_INT, .size = sizeof(long) } },
	{ "ssize_t", { .kind = CTYPE_INT, .size = sizeof(long), .is_signed = true } },
	{ "long long", { .kind = CTYPE_INT, .size = 8, .is_signed = true } },
	{ "unsigned long long", { .kind = CTYPE_INT, .size = 8 } },
	{ "uint8_t", { .kind = CTYPE_INT, .size = 1 } },
	{ "uint16_t", { .kind = CTYPE_INT, .size = 2 } },
	{ "uint32_t", { .kind = CTYPE_INT, .size = 4 } },
	{ "uint64_t", { .kind = CTYPE_INT, .size = 8 } },
	{ "int8_t", { .kind = CTYPE_INT, .size = 1, .is_signed = true } },
	{ "int16_t", { .kind = CTYPE_INT, .size = 2, .is_signed = true } },
	{ "int32_t", { .kind = CTYPE_INT, .size = 4, .is_signed = true } },
	{ "int64_t", { .kind = CTYPE_INT, .size = 8, .is_signed = true } },
	{ "char", { .kind = CTYPE_CHAR, .size = 1, .is_signed = true } },
	{ "unsigned char", { .kind = CTYPE_INT, .size = 1 } },
	{ "bool", { .kind = CTYPE_BOOL, .size = 1 } },
};

#define NR_BASE_TYPES (sizeof(base_types) / sizeof(*base_types))

bool bind_base_type(uint64_t id, struct ctype *ret_type)
{
	if (id > BINDER_BASE_ID || BINDER_BASE_ID - id >= NR_BASE_TYPES)
		return false;
	*ret_type = base_types[BINDER_BASE_ID - id].type;
	return true;
}

static int find_type(struct binder *b, const char *name, size_t len, uint64_t *ret_id)
{
	static const struct {
		const char *word;
		enum ctype_kind kind;
	} tags[] = { { "struct ", CTYPE_STRUCT }, { "class ", CTYPE_STRUCT }, { "union ", CTYPE_UNION }, { "enum ", CTYPE_ENUM } };
	struct ctypes *types = binder_types(b);

	if (!types)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		size_t n = strlen(tags[i].word);

		if (len > n && !memcmp(name, tags[i].word, n))
			return types->find(types, tags[i].kind, name + n, len - n, ret_id);
	}
	return types->find(types, CTYPE_OTHER, name, len, ret_id);
}

int bind_type(struct binder *b, size_t at, size_t len, struct ctype *ret_type)
{
	const char *name = b->exprs->text + at;
	struct ctypes *types;
	bool is_pointer = false;
	uint64_t id;
	int ret;

	if (len > 6 && !memcmp(name, "const ", 6)) {
		name += 6;
		len -= 6;
	}
	if (len && name[len - 1] == '*') {
		is_pointer = true;
		for (len--; len && name[len - 1] == ' '; len--)
			;
	}
	/* What a pointer to a pointer points to has no name to be asked by. */
	if (is_pointer && (is(name, len, "void") || (len && name[len - 1] == '*'))) {
		*ret_type = (struct ctype){ .kind = CTYPE_PTR, .size = sizeof(void *) };
		return 0;
	}
	for (size_t i = 0; i < NR_BASE_TYPES; i++)
		if (is(name, len, base_types[i].name)) {
			*ret_type = is_pointer ? (struct ctype){ .kind = CTYPE_PTR, .size = sizeof(void *), .to = BINDER_BASE_ID - i } :
						 base_types[i].type;
			return 0;
		}
	ret = find_type(b, name, len, &id);
	types = binder_types(b);
	if (!ret)
		ret = types->get(types, id, ret_type);
	if (ret)
		return binder_bad(b, at, types ? "no such type" : "there is no information about this type");
	if (is_pointer)
		*ret_type = (struct ctype){ .kind = CTYPE_PTR, .size = sizeof(void *), .to = id };
	return 0;
}

static int builtin(struct binder *b, const struct expr *e, enum builtin what, struct operand *ret_value)
{
	static const struct {
		uint8_t size, show;
	} of[BUILTINS] = { [BUILTIN_PID] = { 4, 0 },  [BUILTIN_TID] = { 4, 0 },	 [BUILTIN_CPU] = { 4, 0 },
			   [BUILTIN_CGROUP] = { 8, 0 }, [BUILTIN_UID] = { 4, 0 },	 [BUILTIN_GID] = { 4, 0 },
			   [BUILTIN_TIME] = { 8, 0 }, [BUILTIN_LATENCY] = { 8, VALUE_DURATION }, [BUILTIN_DEPTH] = { 4, 0 } };
	int node;

	if (what == BUILTIN_COMM) {
		*ret_value = (struct operand){ .kind = OPERAND_COMM };
		return 0;
	}
	if (what == BUILTIN_LATENCY && !b->env->is_return) {
		binder_bad(b, e->at, "only a return has a latency");
		err_hint(b->err, "kr:FUNCTION, ur:PATH:FUNCTION and FUNCTION%%return are returns");
		return -EINVAL;
	}
	b->probe->needs_latency |= what == BUILTIN_LATENCY;
	b->probe->needs_depth |= what == BUILTIN_DEPTH;
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_BUILTIN, .num = what, .size = 8 });
	if (node < 0)
		return node;
	*ret_value = operand_number(node, of[what].size, false);
	ret_value->show = of[what].show;
	return 0;
}

static const struct {
	const char *name;
	enum builtin what;
} builtins[] = {
	{ "pid", BUILTIN_PID }, { "tid", BUILTIN_TID },	  { "cpu", BUILTIN_CPU },   { "cgroup", BUILTIN_CGROUP },   { "uid", BUILTIN_UID },
	{ "user", BUILTIN_UID }, { "gid", BUILTIN_GID },  { "time", BUILTIN_TIME }, { "latency", BUILTIN_LATENCY }, { "depth", BUILTIN_DEPTH },
	{ "comm", BUILTIN_COMM },
};

/* Integers are in the lower part of their register, and what is above it is not theirs. */
static int cut(struct binder *b, size_t at, int node, const struct ctype *t, struct operand *ret_value)
{
	if (node >= 0 && t->size < 8 && t->kind != CTYPE_PTR)
		node = binder_add(b, at, (struct bound){ .kind = BOUND_CUT, .a = node, .size = t->size ? t->size : 8, .is_signed = t->is_signed });
	if (node < 0)
		return node;
	*ret_value = (struct operand){ .kind = OPERAND_NUMBER, .node = node, .type = *t, .has_type = true };
	return 0;
}

bool value_is_scalar(const struct ctype *t)
{
	return t->kind == CTYPE_INT || t->kind == CTYPE_CHAR || t->kind == CTYPE_BOOL || t->kind == CTYPE_ENUM || t->kind == CTYPE_PTR;
}

static int needs_entry(struct binder *b)
{
	if (b->env->is_return)
		b->probe->needs_entry = true;
	return 0;
}

/* Of one address: a register, or memory beside one. */
static int variable(struct binder *b, const struct expr *e, const struct cparam *p, const struct ctype *t, struct operand *ret_value)
{
	int node;

	if (p->place == CPLACE_DWARF_REG && !value_is_scalar(t))
		return binder_bad(b, e->at, "'%s' is %s, in a register", p->name, t->kind == CTYPE_FLOAT ? "a floating-point number" : "no number");
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_REG, .num = p->n });
	if (p->place == CPLACE_DWARF_REG)
		return cut(b, e->at, node, t, ret_value);
	*ret_value = (struct operand){ .kind = OPERAND_MEMORY, .node = node, .off = p->off, .type = *t, .has_type = true };
	return node < 0 ? node : 0;
}

static int parameter(struct binder *b, const struct expr *e, const struct cparam *p, struct operand *ret_value)
{
	struct ctype t = { 0 };
	int node;

	if (!p->type || b->env->types->get(b->env->types, p->type, &t))
		t = (struct ctype){ .kind = CTYPE_INT, .size = 8 };
	if (p->place == CPLACE_DWARF_REG || p->place == CPLACE_DWARF_MEMORY)
		return variable(b, e, p, &t, ret_value);
	if (p->place == CPLACE_NONE && b->env->at_addr)
		return binder_bad(b, e->at, "'%s' has no place that can be read there: it was optimised out, or is computed", p->name);
	needs_entry(b);
	if (p->place == CPLACE_FLOAT)
		return binder_bad(b, e->at, "'%s' is in a floating-point register, which BPF cannot read", p->name);
	if (p->place == CPLACE_NONE)
		return binder_bad(b, e->at, "how '%s' is passed is not known", p->name);
	if (p->place == CPLACE_STACK) {
		node = binder_add(b, e->at, (struct bound){ .kind = BOUND_SP });
		*ret_value = (struct operand){ .kind = OPERAND_MEMORY, .node = node, .off = p->n, .type = t, .has_type = true };
		return node < 0 ? node : 0;
	}
	if (!value_is_scalar(&t) || p->by_reference) {
		*ret_value = (struct operand){ .kind = OPERAND_REGS, .num = p->n, .type = t, .has_type = true };
		if (!p->by_reference)
			return 0;
		node = binder_add(b, e->at, (struct bound){ .kind = BOUND_ARG, .num = p->n });
		*ret_value = (struct operand){ .kind = OPERAND_MEMORY, .node = node, .type = t, .has_type = true };
		return node < 0 ? node : 0;
	}
	return cut(b, e->at, binder_add(b, e->at, (struct bound){ .kind = BOUND_ARG, .num = p->n }), &t, ret_value);
}

/* "arg0": the n-th register or word on the stack, whatever is in it. Returns 1 when it is none of these names. */
static int numbered(struct binder *b, const struct expr *e, bool is_dollar, struct operand *ret_value)
{
	const char *name = b->exprs->text + e->at;
	uint64_t n = 0;
	char digits[8];
	int node;

	if (e->len < 4 || e->len > 6 || memcmp(name, "arg", 3))
		return 1;
	snprintf(digits, sizeof(digits), "%.*s", (int)e->len - 3, name + 3);
	if (!isdigit((unsigned char)digits[0]) || num_u64(digits, CPARAMS_MAX, &n))
		return 1;
	if (b->env->kind == PROBE_TRACEPOINT || (is_dollar && !n))
		return 1;
	n -= is_dollar; /* perf's $arg1 is the first */
	needs_entry(b);
	if (n < b->env->nr_regs) {
		node = binder_add(b, e->at, (struct bound){ .kind = BOUND_ARG, .num = n });
		if (node < 0)
			return node;
		*ret_value = operand_number(node, 8, false);
		ret_value->is_raw = true;
		return 0;
	}
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_SP });
	if (node < 0)
		return node;
	*ret_value = operand_number(node, 8, false);
	ret_value->is_raw = true;
	ret_value->kind = OPERAND_MEMORY;
	ret_value->off = 8 * (n - b->env->nr_regs + 1);
	return 0;
}

static int usdt_argument(struct binder *b, const struct expr *e, struct operand *ret_value)
{
	const char *name = b->exprs->text + e->at;
	struct ctype t = { .kind = CTYPE_INT };
	struct usdt_arg a;
	uint64_t n = 0;
	char digits[8] = "";
	int node, index, ret;

	if (e->len < 4 || e->len > 6 || memcmp(name, "arg", 3))
		return 1;
	snprintf(digits, sizeof(digits), "%.*s", (int)e->len - 3, name + 3);
	if (num_u64(digits, CPARAMS_MAX, &n))
		return 1;
	ret = usdt_arg(b->env->usdt_args, n, &a);
	if (ret == -ENOENT)
		return 1;
	if (ret)
		return binder_bad(b, e->at, "the place of arg%u is not known ('%s')", (unsigned)n, b->env->usdt_args);
	t.size = a.size;
	t.is_signed = a.is_signed;
	if (a.place == USDT_CONST)
		return cut(b, e->at, binder_add(b, e->at, (struct bound){ .kind = BOUND_NUMBER, .num = a.num }), &t, ret_value);
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_REG, .num = a.reg });
	if (a.place == USDT_REG || node < 0) {
		ret = cut(b, e->at, node, &t, ret_value);
		ret_value->is_raw = true;
		return ret;
	}
	if (a.index >= 0) {
		index = binder_add(b, e->at, (struct bound){ .kind = BOUND_REG, .num = a.index });
		ret = index < 0 ? index : binder_add(b, e->at, (struct bound){ .kind = BOUND_NUMBER, .num = a.scale });
		index = ret < 0 ? ret : binder_add(b, e->at, (struct bound){ .kind = BOUND_BINARY, .op = OP_MUL, .a = index, .b = ret });
		node = index < 0 ? index : binder_add(b, e->at, (struct bound){ .kind = BOUND_BINARY, .op = OP_ADD, .a = node, .b = index });
	}
	*ret_value = (struct operand){ .kind = OPERAND_MEMORY, .node = node, .off = a.num, .type = t, .has_type = true, .is_raw = true };
	return node < 0 ? node : 0;
}

/* The struct that a field of a record points to, as the kernel's types have it: "struct sock *". */
static void pointee(struct binder *b, const char *type, struct ctype *t)
{
	size_t len = strlen(type);

	*t = (struct ctype){ .kind = CTYPE_PTR, .size = sizeof(void *) };
	if (!strncmp(type, "const ", 6)) {
		type += 6;
		len -= 6;
	}
	if (!strncmp(type, "char ", 5)) {
		*t = (struct ctype){ .kind = CTYPE_PTR, .size = sizeof(void *), .to = UINT64_MAX };
		return;
	}
	while (len && (type[len - 1] == '*' || type[len - 1] == ' '))
		len--;
	if (!strncmp(type, "struct ", 7) && find_type(b, type, len, &t->to))
		t->to = 0;
}

static int field(struct binder *b, const struct expr *e, const struct format_field *f, struct operand *ret_value)
{
	/* A number of a system call has 8 bytes in the record, whatever its type has. */
	bool is_call = f->where == FORMAT_PLAIN && !strncmp(b->env->what, "syscalls:", strlen("syscalls:"));
	struct field_place p;
	const char *why = field_place_of(f, is_call, &p);
	struct ctype t = { .kind = CTYPE_INT };
	int node;

	if (why)
		return binder_bad(b, e->at, "'%s' is %s", f->name, why);
	if (p.kind == FIELD_TEXT) {
		node = binder_add(b, e->at, f->where == FORMAT_PLAIN ?
						    (struct bound){ .kind = BOUND_RECORD_AT, .num = f->offset } :
						    (struct bound){ .kind = BOUND_RECORD_LOC, .num = f->offset, .op = f->where == FORMAT_REL_LOC });
		*ret_value = (struct operand){ .kind = OPERAND_TEXT, .node = node,
					     .text_max = f->where == FORMAT_PLAIN && f->size < BIND_TEXT_MAX ? f->size + 1 : 0 };
		return node < 0 ? node : 0;
	}
	t.size = p.bytes;
	t.is_signed = p.kind == FIELD_SIGNED;
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_RECORD, .num = f->offset, .size = p.bytes, .is_signed = t.is_signed });
	if (node < 0)
		return node;
	if (p.kind == FIELD_ADDRESS)
		pointee(b, f->type, &t);
	*ret_value = (struct operand){ .kind = OPERAND_NUMBER, .node = node, .type = t, .has_type = true,
				     .show = p.kind == FIELD_DEVICE ? VALUE_DEVICE : VALUE_NUMBER };
	return 0;
}

static int result(struct binder *b, const struct expr *e, struct operand *ret_value)
{
	struct ctype t = { .kind = CTYPE_INT, .size = 8, .is_signed = true };
	const struct cfunc *f = b->env->func;
	int node, ret;

	if (!b->env->is_return) {
		binder_bad(b, e->at, "only a return has a return value");
		err_hint(b->err, "kr:FUNCTION, ur:PATH:FUNCTION and FUNCTION%%return are returns");
		return -EINVAL;
	}
	if (f && !f->result && !f->result_in_memory)
		return binder_bad(b, e->at, "%s returns nothing", b->env->what);
	if (f && f->result && b->env->types && b->env->types->get(b->env->types, f->result, &t))
		t = (struct ctype){ .kind = CTYPE_INT, .size = 8, .is_signed = true };
	if (t.kind == CTYPE_FLOAT)
		return binder_bad(b, e->at, "%s returns a floating-point number, which BPF cannot read", b->env->what);
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_RET });
	if (f && f->result_in_memory) {
		*ret_value = (struct operand){ .kind = OPERAND_MEMORY, .node = node, .type = t, .has_type = true };
		return node < 0 ? node : 0;
	}
	if (!value_is_scalar(&t))
		t = (struct ctype){ .kind = CTYPE_INT, .size = 8 };
	ret = cut(b, e->at, node, &t, ret_value);
	ret_value->is_raw = !f;
	return ret;
}

static void hint_names(struct binder *b)
{
	char text[400] = "";
	size_t n = 0;
	const struct bind_env *env = b->env;

	for (uint32_t i = 0; env->func && i < env->func->nr_params && n < sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", *env->func->params[i].name ? env->func->params[i].name : "(no name)");
	for (size_t i = 0; env->format && i < env->format->fields.n && n < sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", env->format->fields.data[i].name);
	for (int i = 0; env->lasting && i < env->lasting->nr_args && n < sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", env->lasting->args[i].name);
	for (uint32_t i = 0; env->usdt_args && i < usdt_nr_args(env->usdt_args) && n < sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - n, "%sarg%u", n ? ", " : "", i);
	if (!env->func && !env->format && !env->usdt_args && !env->lasting)
		err_hint(b->err, "%s; arg0 to arg%u are its registers", env->no_func ? env->no_func : "its prototype is not known", env->nr_regs - 1);
	else if (env->is_return && env->func && !env->func->result)
		err_hint(b->err, "%s has %s", env->what, n ? text : "no arguments and no return value");
	else
		err_hint(b->err, "%s has %s%s; there are also pid, tid, comm, cpu, cgroup, uid, time, depth", env->what, n ? text : "no arguments",
			 env->is_return ? ", ret, latency" : "");
}

int bind_name(struct binder *b, const struct expr *e, struct operand *ret_value)
{
	const char *name = b->exprs->text + e->at;
	const struct bind_env *env = b->env;
	bool is_dollar = e->at && name[-1] == '$', is_reg = e->at && name[-1] == '%';
	const struct format_field *f;
	uint8_t size;
	int ret;

	if (is_reg && !env->is_return && env->kind != PROBE_TRACEPOINT) {
		int reg = reg_by_name(name, e->len, &size);
		struct ctype t = { .kind = CTYPE_INT, .size = size == 2 ? 8 : size }; /* perf's %di is the whole of it */

		if (reg < 0)
			return binder_bad(b, e->at, "no such register");
		ret = cut(b, e->at, binder_add(b, e->at, (struct bound){ .kind = BOUND_REG, .num = reg }), &t, ret_value);
		ret_value->is_raw = true;
		return ret;
	}
	for (uint32_t i = 0; env->func && i < env->func->nr_params && !is_dollar; i++)
		if (is(name, e->len, env->func->params[i].name))
			return parameter(b, e, &env->func->params[i], ret_value);
	for (int i = 0; env->lasting && i < env->lasting->nr_args && !is_dollar; i++)
		if (is(name, e->len, env->lasting->args[i].name))
			return bind_lasting(b, &env->lasting->args[i], ret_value);
	f = env->format && !is_dollar ? format_find(env->format, name, e->len) : NULL;
	if (f)
		return field(b, e, f, ret_value);
	if (is(name, e->len, "ret") || is(name, e->len, "retval"))
		return result(b, e, ret_value);
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (is(name, e->len, builtins[i].name))
			return builtin(b, e, builtins[i].what, ret_value);
	ret = env->usdt_args ? usdt_argument(b, e, ret_value) : numbered(b, e, is_dollar, ret_value);
	if (ret <= 0)
		return ret;
	if (env->format)
		binder_bad(b, e->at, "%s has no field '%.*s'", env->what, (int)e->len, name);
	else
		binder_bad(b, e->at, "%s has no argument '%.*s'%s%s", env->what, (int)e->len, name, env->func || !env->no_func ? "" : ": ",
			   env->func || !env->no_func ? "" : env->no_func);
	hint_names(b);
	return -EINVAL;
}
