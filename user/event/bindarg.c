/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The shown arguments: an expression's value, by its type or by the type after a colon, under its name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/binder.h"
#include "event/lasting.h"

#define CALL_RECORD_BYTES 64 /* 8 of all tracepoints, the number, six arguments: struct syscall_tp_t, kernel/trace/trace_syscalls.c */

/* The types behind a colon, perf-probe(1)'s: how a number is cut and shown. */
static const struct suffix {
	const char *name;
	uint8_t size; /* 0: as it is */
	bool is_signed;
	uint8_t show;
} suffixes[] = {
	{ "u8", 1, false, VALUE_NUMBER }, { "u16", 2, false, VALUE_NUMBER }, { "u32", 4, false, VALUE_NUMBER }, { "u64", 8, false, VALUE_NUMBER },
	{ "s8", 1, true, VALUE_SIGNED },	   { "s16", 2, true, VALUE_SIGNED },    { "s32", 4, true, VALUE_SIGNED },	   { "s64", 8, true, VALUE_SIGNED },
	{ "x8", 1, false, VALUE_HEX },	   { "x16", 2, false, VALUE_HEX },      { "x32", 4, false, VALUE_HEX },	   { "x64", 8, false, VALUE_HEX },
	{ "bool", 1, false, VALUE_FLAG },   { "char", 1, false, VALUE_CHAR },    { "ipv4", 4, false, VALUE_IPV4 },	   { "symbol", 8, false, VALUE_SYMBOL },
	{ "ns", 8, false, VALUE_DURATION },	   { "sym", 8, false, VALUE_SYMBOL },
};

static uint8_t show_of(const struct operand *v)
{
	if (v->show)
		return v->show;
	switch (v->type.kind) {
	case CTYPE_PTR:
		return VALUE_HEX;
	case CTYPE_BOOL:
		return VALUE_FLAG;
	case CTYPE_ENUM:
		return VALUE_ENUM;
	default:
		return v->type.is_signed ? VALUE_SIGNED : VALUE_NUMBER;
	}
}

/* A field of a tracepoint that is an address, with a size_t behind it: `buf` and `count` of write(2). NULL: it is not so. */
static const struct format_field *own_size(const struct binder *b, const struct expr_arg *a)
{
	const struct expr *e = binder_expr(b, a->node);
	const struct format *format = b->env->format;
	const struct format_field *f = format && (e->kind == EXPR_NAME || e->kind == EXPR_MEMBER) ?
					       format_find(format, b->exprs->text + e->at, e->len) : NULL;

	if (!f || f + 1 == format->fields.data + format->fields.n || !strchr(f->type, '*') || strcmp(f[1].type, "size_t"))
		return NULL;
	return f + 1;
}

/* How many bytes a text has that need not end in NUL. */
static int bind_count(struct binder *b, const struct expr_arg *a, struct bound_arg *arg)
{
	size_t at = a->count ? binder_expr(b, a->count)->at : 0;
	const struct format_field *size = a->count ? NULL : own_size(b, a);
	const struct expr *count;
	struct operand v;
	int ret;

	if (size) {
		ret = binder_add(b, a->at, (struct bound){ .kind = BOUND_RECORD, .num = size->offset, .size = size->size });
		arg->count = ret < 0 ? 0 : ret;
		return ret < 0 ? ret : 0;
	}
	if (!a->count)
		return 0;
	count = binder_expr(b, a->count);
	if ((count->kind == EXPR_NUMBER && !count->num) || (count->kind == EXPR_UNARY && count->op == OP_NEG))
		return binder_bad(b, count->at, "the number of bytes is 1 or more");
	ret = binder_bind(b, a->count, &v);
	if (!ret && (v.kind == OPERAND_TEXT || v.kind == OPERAND_COMM || v.kind == OPERAND_LITERAL))
		return binder_bad(b, at, "a number of bytes is needed, not a string");
	if (!ret)
		ret = binder_load(b, at, &v);
	arg->count = v.node;
	return ret;
}

static int show_suffix(struct binder *b, const struct expr_arg *a, struct operand *v, struct bound_arg *arg)
{
	const char *name = b->exprs->text + a->type_at;
	int ret;

	if ((a->type_len == 6 && !memcmp(name, "string", 6)) || (a->type_len == 7 && !memcmp(name, "ustring", 7))) {
		arg->show = VALUE_TEXT;
		arg->is_comm = v->kind == OPERAND_COMM;
		if (arg->is_comm)
			return 0;
		ret = binder_text(b, a->at, v);
		arg->node = v->node;
		arg->text_max = v->text_max;
		return ret ? ret : bind_count(b, a, arg);
	}
	if (a->count)
		return binder_bad(b, binder_expr(b, a->count)->at, "only strings take a number of bytes: EXPR:string:COUNT");
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const struct suffix *s = &suffixes[i];

		if (strlen(s->name) != a->type_len || memcmp(s->name, name, a->type_len))
			continue;
		if (v->kind == OPERAND_TEXT && !v->has_type)
			return binder_bad(b, a->type_at, "a string is not a number");
		ret = binder_load(b, a->at, v);
		if (!ret && s->size < 8)
			ret = binder_add(b, a->at, (struct bound){ .kind = BOUND_CUT, .a = v->node, .size = s->size, .is_signed = s->is_signed });
		if (ret < 0)
			return ret;
		arg->node = s->size < 8 ? (uint32_t)ret : v->node;
		arg->show = s->show;
		return 0;
	}
	binder_bad(b, a->type_at, "unknown type '%.*s'", (int)a->type_len, name);
	err_hint(b->err, "types are u8 to u64, s8 to s64, x8 to x64, string, ustring, symbol, bool, char, ipv4, ns");
	return -EINVAL;
}

static bool is_taken(const struct binder *b, const char *name)
{
	for (int i = 0; i < b->probe->nr_args; i++)
		if (!strcmp(b->probe->args[i].name, name))
			return true;
	return false;
}

/* "sk->__sk_common.skc_dport" is called "skc_dport", unless it has a name. */
static void name_arg(const struct binder *b, const struct expr_arg *a, struct bound_arg *arg)
{
	const struct expr *e = binder_expr(b, a->node);
	size_t at = a->name_len ? a->name_at : a->at, len = a->name_len ? a->name_len : a->len;

	if (!a->name_len && (e->kind == EXPR_MEMBER || e->kind == EXPR_NAME)) {
		at = e->at;
		len = e->len;
	}
	snprintf(arg->name, sizeof(arg->name), "%.*s", (int)(len < sizeof(arg->name) ? len : sizeof(arg->name) - 1), b->exprs->text + at);
	if (is_taken(b, arg->name)) {
		len = a->len < sizeof(arg->name) ? a->len : sizeof(arg->name) - 1;
		snprintf(arg->name, sizeof(arg->name), "%.*s", (int)len, b->exprs->text + a->at);
	}
	for (int i = 2; is_taken(b, arg->name) && i < 2 * PROBE_ARGS_MAX; i++)
		snprintf(arg->name, sizeof(arg->name), "%.*s#%d", (int)(len < 56 ? len : 56), b->exprs->text + at, i);
}

static int bind_record(struct binder *b, const struct expr_arg *a)
{
	struct bound_arg arg = { .name = "*", .show = VALUE_RECORD };
	int texts;

	if (b->probe->nr_args == PROBE_ARGS_MAX)
		return binder_bad(b, a->at, "at most %d arguments", PROBE_ARGS_MAX);
	if (!b->env->format)
		return binder_bad(b, a->at, "* means all fields of a tracepoint");
	arg.bytes = format_record(b->env->format, &texts);
	arg.texts = texts;
	/* Room for all that a call has: one program for all calls */
	if (!strncmp(b->env->what, "syscalls:sys_enter_", strlen("syscalls:sys_enter_")) && arg.bytes < CALL_RECORD_BYTES)
		arg.bytes = CALL_RECORD_BYTES;
	b->probe->args[b->probe->nr_args++] = arg;
	return 0;
}

/* As its type says. */
static int show_value(struct binder *b, size_t at, struct operand *v, struct bound_arg *arg)
{
	int ret;

	if (v->kind == OPERAND_COMM) {
		arg->show = VALUE_TEXT;
		arg->is_comm = true;
		return 0;
	}
	if (binder_is_text(b, v) && !v->bits) {
		ret = binder_text(b, at, v);
		arg->show = VALUE_TEXT;
		arg->node = v->node;
		arg->text_max = v->text_max;
		return ret;
	}
	ret = binder_load(b, at, v);
	arg->node = v->node;
	arg->show = show_of(v);
	arg->enum_id = v->type.kind == CTYPE_ENUM ? v->type.id : 0;
	return ret;
}

int binder_lasting_args(struct binder *b)
{
	for (int i = 0; i < b->env->lasting->nr_args; i++) {
		const struct lasting_arg *a = &b->env->lasting->args[i];
		struct bound_arg arg = { .types = binder_types(b) };
		struct operand v;
		int ret = bind_lasting(b, a, &v);

		if (!ret && b->probe->nr_args == PROBE_ARGS_MAX)
			ret = binder_bad(b, 0, "'%s' has more than %d values", b->env->what, PROBE_ARGS_MAX);
		if (!ret)
			ret = show_value(b, 0, &v, &arg);
		if (ret)
			return ret;
		snprintf(arg.name, sizeof(arg.name), "%s", a->name);
		b->probe->args[b->probe->nr_args++] = arg;
	}
	return 0;
}

int binder_arg(struct binder *b, const struct expr_arg *a)
{
	struct bound_arg arg = { .types = binder_types(b) };
	struct operand v;
	int ret;

	if (binder_expr(b, a->node)->kind == EXPR_RECORD)
		return bind_record(b, a);
	ret = binder_bind(b, a->node, &v);
	if (ret)
		return ret;
	if (b->probe->nr_args == PROBE_ARGS_MAX)
		return binder_bad(b, a->at, "at most %d arguments", PROBE_ARGS_MAX);
	name_arg(b, a, &arg);
	if (v.kind == OPERAND_LITERAL)
		return binder_bad(b, a->at, "the argument is a constant string");
	ret = a->type_len ? show_suffix(b, a, &v, &arg) : show_value(b, a->at, &v, &arg);
	if (!ret)
		b->probe->args[b->probe->nr_args++] = arg;
	return ret;
}
