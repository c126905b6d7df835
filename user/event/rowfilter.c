/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A node comes after those that it is made of, so types need one pass. Numbers are doubles: a count is exact up to 2^53. */
#include "event/rowfilter.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "event/columns.h"

#define TEXT_BYTES 512

/* What a node may be compared with. */
enum type {
	TYPE_NUMBER = 1,
	TYPE_TEXT = 2,
	TYPE_EITHER = 3, /* a number that has a name */
};

static const char what[] = "bad --filter";

static uint8_t column_type(const struct column *c)
{
	switch (c->kind) {
	case VALUE_TEXT:
		return TYPE_TEXT;
	case VALUE_USER:
	case VALUE_CGROUP:
	case VALUE_ERRNO:
		return TYPE_EITHER;
	case VALUE_HIST:
	case VALUE_STACK:
	case VALUE_MEMBERS:
	case VALUE_REASONS:
		return 0;
	default:
		return TYPE_NUMBER;
	}
}

static int bind_name(const struct rowfilter *f, struct expr *e, const struct schema *schema, uint64_t usable, struct err *err)
{
	const char *word = f->exprs.text + e->at;
	int i;

	for (size_t k = 0; k < schema->n; k++) /* lists have no value to compare */
		usable &= column_type(&schema->columns[k]) ? UINT64_MAX : ~(1ull << k);
	i = columns_find(word, e->len, schema, usable);
	if (i < 0) {
		expr_bad(&f->exprs, what, e->at, err, "no column '%.*s'", (int)e->len, word);
		columns_hint(word, e->len, schema, usable, err);
		return -EINVAL;
	}
	e->num = (uint64_t)i;
	return column_type(&schema->columns[i]);
}

static int bind_binary(const struct rowfilter *f, const struct expr *e, const uint8_t *types, struct err *err)
{
	const struct expr *nodes = f->exprs.nodes.data;
	uint8_t a = types[e->a], b = types[e->b];

	switch (e->op) {
	case OP_GLOB:
	case OP_NOT_GLOB:
		if (!(a & TYPE_TEXT) || nodes[e->b].kind != EXPR_TEXT)
			return expr_bad(&f->exprs, what, e->at, err, "expected a column that is text before it, and a pattern in quotes after it");
		return TYPE_NUMBER;
	case OP_EQ:
	case OP_NE:
		if (!(a & b))
			return expr_bad(&f->exprs, what, e->at, err, "a text and a number are compared: a text is in quotes, as in comm == \"make\"");
		return TYPE_NUMBER;
	case OP_BIT_OR:
	case OP_BIT_XOR:
	case OP_BIT_AND:
	case OP_SHL:
	case OP_SHR:
		return expr_bad(&f->exprs, what, e->at, err, "columns have no bits (and, or: &&, ||)");
	default:
		if (!(a & b & TYPE_NUMBER))
			return expr_bad(&f->exprs, what, e->at, err, "texts can only be compared (==, !=, ~, !~)");
		return TYPE_NUMBER;
	}
}

/* Returns a type, or -errno. */
static int bind(const struct rowfilter *f, struct expr *e, const uint8_t *types, const struct schema *schema, uint64_t usable, struct err *err)
{
	switch (e->kind) {
	case EXPR_NUMBER:
		return TYPE_NUMBER;
	case EXPR_TEXT:
		return e->len < TEXT_BYTES ? TYPE_TEXT : expr_bad(&f->exprs, what, e->at, err, "at most %d bytes", TEXT_BYTES - 1);
	case EXPR_NAME:
		return bind_name(f, e, schema, usable, err);
	case EXPR_UNARY:
		if (e->op == OP_INVERT || !(types[e->a] & TYPE_NUMBER))
			return expr_bad(&f->exprs, what, e->at, err, "expected a number after it");
		return TYPE_NUMBER;
	case EXPR_BINARY:
		return bind_binary(f, e, types, err);
	default:
		return expr_bad(&f->exprs, what, e->at, err, "expected columns, numbers and texts");
	}
}

int rowfilter_parse(struct rowfilter *f, const char *text, const struct schema *schema, uint64_t usable, struct err *err)
{
	uint8_t types[EXPR_NODES_MAX] = { 0 };
	size_t at = 0;
	int ret;

	f->exprs.text = text;
	f->exprs.decimals = true;
	ret = expr_parse(&f->exprs, &at, what, err);
	if (ret >= 0 && text[at])
		ret = expr_bad(&f->exprs, what, at, err, "expected an operator");
	if (ret < 0)
		return ret;
	f->root = ret;
	for (size_t i = 1; i < f->exprs.nodes.n; i++) {
		ret = bind(f, &f->exprs.nodes.data[i], types, schema, usable, err);
		if (ret < 0)
			return ret;
		types[i] = ret;
	}
	if (!(types[f->root] & TYPE_NUMBER))
		return expr_bad(&f->exprs, what, 0, err, "a text alone is neither true nor false: compare it, as in comm == \"make\"");
	return 0;
}

void rowfilter_free(struct rowfilter *f)
{
	vec_free(&f->exprs.nodes);
}

/* NULL: not known, or no text. */
static const char *text_of(const struct rowfilter *f, const struct row *row, uint32_t node, char *buf)
{
	const struct expr *e = &f->exprs.nodes.data[node];

	if (e->kind == EXPR_TEXT) {
		memcpy(buf, f->exprs.text + e->at, e->len);
		buf[e->len] = '\0';
		return buf;
	}
	if (e->kind != EXPR_NAME || !row_knows(row, e->num) || !(column_type(&row->schema->columns[e->num]) & TYPE_TEXT))
		return NULL;
	if (row->schema->columns[e->num].kind == VALUE_TEXT)
		return row->values[e->num].text;
	f->text(f->arg, row, e->num, buf, TEXT_BYTES);
	return buf;
}

static bool compare_texts(const struct rowfilter *f, const struct row *row, const struct expr *e)
{
	char x[TEXT_BYTES], y[TEXT_BYTES];
	const char *a = text_of(f, row, e->a, x), *b = text_of(f, row, e->b, y);

	if (!a || !b)
		return false;
	if (e->op == OP_GLOB || e->op == OP_NOT_GLOB)
		return !fnmatch(b, a, 0) == (e->op == OP_GLOB);
	return !strcmp(a, b) == (e->op == OP_EQ);
}

static bool number_of(const struct rowfilter *f, const struct row *row, uint32_t node, double seconds, double *ret);

static bool is_true(const struct rowfilter *f, const struct row *row, uint32_t node, double seconds)
{
	double n;

	return number_of(f, row, node, seconds, &n) && n;
}

static bool compare(enum expr_op op, double a, double b)
{
	switch (op) {
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static bool is_of_texts(const struct rowfilter *f, const struct row *row, const struct expr *e)
{
	const struct expr *nodes = f->exprs.nodes.data, *of[] = { &nodes[e->a], &nodes[e->b] };

	for (int i = 0; i < 2; i++)
		if (of[i]->kind == EXPR_TEXT || (of[i]->kind == EXPR_NAME && row->schema->columns[of[i]->num].kind == VALUE_TEXT))
			return true;
	return false;
}

static bool binary(const struct rowfilter *f, const struct row *row, const struct expr *e, double seconds, double *ret)
{
	bool is_compared = e->op >= OP_EQ && e->op <= OP_NOT_GLOB;
	double a, b;

	if (e->op == OP_OR || e->op == OP_AND) {
		*ret = is_true(f, row, e->a, seconds);
		if (*ret == (e->op == OP_AND))
			*ret = is_true(f, row, e->b, seconds);
		return true;
	}
	if (is_compared && is_of_texts(f, row, e)) {
		*ret = compare_texts(f, row, e);
		return true;
	}
	if (!number_of(f, row, e->a, seconds, &a) || !number_of(f, row, e->b, seconds, &b)) {
		*ret = 0;
		return is_compared;
	}
	switch (e->op) {
	case OP_ADD:
		*ret = a + b;
		return true;
	case OP_SUB:
		*ret = a - b;
		return true;
	case OP_MUL:
		*ret = a * b;
		return true;
	case OP_DIV:
		*ret = a / b;
		return b;
	case OP_MOD:
		*ret = fmod(a, b);
		return b;
	default:
		*ret = compare(e->op, a, b);
		return true;
	}
}

/* False: not known. */
static bool number_of(const struct rowfilter *f, const struct row *row, uint32_t node, double seconds, double *ret)
{
	const struct expr *e = &f->exprs.nodes.data[node];

	switch (e->kind) {
	case EXPR_NUMBER:
		*ret = (double)e->num + e->billionths / 1e9;
		return true;
	case EXPR_NAME:
		*ret = row_number(row, e->num, seconds);
		return row_knows(row, e->num);
	case EXPR_UNARY:
		if (e->op == OP_NOT) {
			*ret = !is_true(f, row, e->a, seconds);
			return true;
		}
		if (!number_of(f, row, e->a, seconds, ret))
			return false;
		*ret = -*ret;
		return true;
	default:
		return binary(f, row, e, seconds, ret);
	}
}

bool rowfilter_holds(const struct rowfilter *f, const struct row *row, double seconds)
{
	return is_true(f, row, f->root, seconds);
}
