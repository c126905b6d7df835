/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An expression stays a place in memory for as long as it can: `a->b.c[2]` is one read of b's address and no more. */
#include "event/bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/binder.h"
#include "util/near.h"

const struct expr *binder_expr(const struct binder *b, uint32_t node)
{
	return &b->exprs->nodes.data[node];
}

static const char *kind_name(const struct ctype *t)
{
	static const char *const names[] = { [CTYPE_VOID] = "void",   [CTYPE_INT] = "a number",	 [CTYPE_CHAR] = "a character",
					     [CTYPE_BOOL] = "a bool", [CTYPE_ENUM] = "an enum",	 [CTYPE_FLOAT] = "a floating-point number",
					     [CTYPE_PTR] = "a pointer", [CTYPE_STRUCT] = "a struct", [CTYPE_UNION] = "a union",
					     [CTYPE_ARRAY] = "an array", [CTYPE_FUNC] = "a function", [CTYPE_OTHER] = "of a type that is only declared" };

	return names[t->kind];
}

static int pointee(struct binder *b, const struct ctype *p, struct ctype *ret_type)
{
	struct ctypes *types = binder_types(b);

	if (p->to == UINT64_MAX) { /* "char *" of a record */
		*ret_type = (struct ctype){ .kind = CTYPE_CHAR, .size = 1, .is_signed = true };
		return 0;
	}
	if (bind_base_type(p->to, ret_type))
		return 0;
	return types && p->to ? types->get(types, p->to, ret_type) : -ENOENT;
}

bool binder_is_text(struct binder *b, const struct operand *v)
{
	struct ctype to;

	if (v->kind == OPERAND_TEXT || v->kind == OPERAND_COMM)
		return true;
	return v->has_type && (v->type.kind == CTYPE_PTR || v->type.kind == CTYPE_ARRAY) && !pointee(b, &v->type, &to) && to.kind == CTYPE_CHAR;
}

int binder_load(struct binder *b, size_t at, struct operand *v)
{
	struct bound n = { .kind = BOUND_LOAD, .a = v->node, .num = v->off, .size = v->type.size, .is_signed = v->type.is_signed && !v->bits };
	uint64_t bit = v->bit_at;
	int node;

	if (v->kind == OPERAND_NUMBER)
		return 0;
	if (v->kind != OPERAND_MEMORY && v->kind != OPERAND_REGS)
		return binder_bad(b, at, "a string is not a number");
	if (!value_is_scalar(&v->type))
		return binder_bad(b, at, v->type.kind == CTYPE_STRUCT || v->type.kind == CTYPE_UNION ? "it is %s: name one of its members" :
					 v->type.kind == CTYPE_ARRAY ? "it is %s: name one of its elements, [0]" : "it is %s, which cannot be read",
				  kind_name(&v->type));
	if (!v->type.size || v->type.size > 8)
		return binder_bad(b, at, "its %llu bytes are not the size of a number", (unsigned long long)v->type.size);
	if (v->bits) { /* whole bytes around it: those of its type may end behind the struct */
		n.num += bit / 8;
		bit %= 8;
		n.size = bit + v->bits <= 8 ? 1 : bit + v->bits <= 16 ? 2 : bit + v->bits <= 32 ? 4 : 8;
		if (bit + v->bits > 64)
			return binder_bad(b, at, "the bit field cannot be read at once");
	}
	if (v->kind == OPERAND_REGS) {
		uint64_t off = n.num;

		if (off / 8 != (off + n.size - 1) / 8)
			return binder_bad(b, at, "it lies across two registers");
		node = binder_add(b, at, (struct bound){ .kind = BOUND_ARG, .num = v->num + off / 8 });
		node = node < 0 ? node :
				  binder_add(b, at, (struct bound){ .kind = BOUND_BITS, .a = node, .num = off % 8 * 8, .bits = n.size * 8,
								    .is_signed = n.is_signed });
	} else {
		node = binder_add(b, at, n);
	}
	if (node >= 0 && v->bits)
		node = binder_add(b, at, (struct bound){ .kind = BOUND_BITS, .a = node, .num = bit, .bits = v->bits,
							 .is_signed = v->type.is_signed });
	if (node < 0)
		return node;
	v->kind = OPERAND_NUMBER;
	v->node = node;
	v->off = v->bits = v->bit_at = 0;
	return 0;
}

int binder_text(struct binder *b, size_t at, struct operand *v)
{
	int ret;

	if (v->kind == OPERAND_TEXT)
		return 0;
	if (v->kind == OPERAND_MEMORY && v->type.kind == CTYPE_ARRAY) {
		ret = binder_add(b, at, (struct bound){ .kind = BOUND_NUMBER, .num = v->off });
		ret = ret < 0 ? ret : binder_add(b, at, (struct bound){ .kind = BOUND_BINARY, .op = OP_ADD, .a = v->node, .b = ret });
		if (ret >= 0)
			v->node = ret;
		v->text_max = v->type.size && v->type.size < BIND_TEXT_MAX ? v->type.size + 1 : 0;
	} else {
		ret = binder_load(b, at, v);
	}
	v->kind = OPERAND_TEXT;
	return ret < 0 ? ret : 0;
}

static int offer(void *arg, const struct cmember *m)
{
	near_offer(arg, m->name, strlen(m->name));
	return 0;
}

static int no_member(struct binder *b, const struct expr *e, const struct ctype *t)
{
	struct near near;

	near_init(&near, b->exprs->text + e->at, e->len);
	ctype_each_member(binder_types(b), t->id, offer, &near);
	binder_bad(b, e->at, "no member '%.*s'", (int)e->len, b->exprs->text + e->at);
	if (near.n)
		near_hint(&near, b->err);
	return -EINVAL;
}

/* What v points to. */
static int follow(struct binder *b, size_t at, struct operand *v)
{
	struct ctype to;
	int ret = binder_load(b, at, v);

	if (ret)
		return ret;
	if (v->type.kind != CTYPE_PTR)
		return binder_bad(b, at, "it is %s, not a pointer", kind_name(&v->type));
	if (pointee(b, &v->type, &to))
		return binder_bad(b, at, "what it points to is not known: cast it, as in ((struct NAME *)...)->MEMBER");
	*v = (struct operand){ .kind = OPERAND_MEMORY, .node = v->node, .type = to, .has_type = true };
	return 0;
}

static int bind_member(struct binder *b, const struct expr *e, struct operand *v)
{
	const struct expr *of = binder_expr(b, e->a);
	struct ctypes *types;
	struct cmember m;
	int ret;

	if (b->env->format && of->kind == EXPR_NAME && of->len == 4 && !memcmp(b->exprs->text + of->at, "args", 4))
		return bind_name(b, e, v);
	ret = binder_bind(b, e->a, v);
	if (ret)
		return ret;
	if (v->kind != OPERAND_TEXT && v->has_type && v->type.kind == CTYPE_PTR)
		ret = follow(b, e->at, v);
	if (ret)
		return ret;
	if ((v->kind != OPERAND_MEMORY && v->kind != OPERAND_REGS) || (v->type.kind != CTYPE_STRUCT && v->type.kind != CTYPE_UNION))
		return binder_bad(b, e->at, "the value before it is %s and has no members",
				  v->has_type ? kind_name(&v->type) : "a number");
	types = binder_types(b);
	if (ctype_member(types, v->type.id, b->exprs->text + e->at, e->len, &m))
		return no_member(b, e, &v->type);
	ret = types->get(types, m.type, &v->type);
	if (ret)
		return binder_bad(b, e->at, "its type is not known");
	if (m.bits) {
		v->bit_at = m.bit_at % 8;
		v->bits = m.bits;
	}
	v->off += m.bit_at / 8;
	return 0;
}

/* An expression that has to be a number. */
static int bind_number(struct binder *b, uint32_t node, size_t at, struct operand *ret_value)
{
	int ret = binder_bind(b, node, ret_value);

	return ret ? ret : binder_load(b, at, ret_value);
}

static bool is_number(const struct binder *b, uint32_t node, uint64_t *ret_num)
{
	const struct bound *n = &b->probe->nodes.data[node];

	if (n->kind == BOUND_NUMBER)
		*ret_num = n->num;
	return n->kind == BOUND_NUMBER;
}

static int bind_index(struct binder *b, const struct expr *e, struct operand *v)
{
	struct operand i;
	struct ctype of;
	uint64_t n;
	int ret = binder_bind(b, e->a, v), node;

	if (!ret)
		ret = bind_number(b, e->b, e->at, &i);
	if (ret)
		return ret;
	if (v->has_type && v->type.kind == CTYPE_PTR) {
		ret = follow(b, e->at, v);
		if (ret)
			return ret;
		of = v->type;
	} else if (v->kind == OPERAND_MEMORY && v->type.kind == CTYPE_ARRAY) {
		if (pointee(b, &v->type, &of))
			return binder_bad(b, e->at, "the type of its elements is not known");
		if (is_number(b, i.node, &n) && v->type.nr && n >= v->type.nr)
			return binder_bad(b, e->at, "the array has %llu elements", (unsigned long long)v->type.nr);
	} else {
		return binder_bad(b, e->at, "the value before it is not an array or a pointer");
	}
	v->type = of;
	if (is_number(b, i.node, &n)) {
		v->off += n * of.size;
		return 0;
	}
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_NUMBER, .num = of.size });
	node = node < 0 ? node : binder_add(b, e->at, (struct bound){ .kind = BOUND_BINARY, .op = OP_MUL, .a = i.node, .b = node });
	node = node < 0 ? node : binder_add(b, e->at, (struct bound){ .kind = BOUND_BINARY, .op = OP_ADD, .a = v->node, .b = node });
	if (node < 0)
		return node;
	v->node = node;
	return 0;
}

static int bind_cast(struct binder *b, const struct expr *e, struct operand *v)
{
	struct ctype t;
	int ret = bind_type(b, e->at, e->len, &t), node;

	if (!ret)
		ret = bind_number(b, e->a, e->at, v);
	if (ret)
		return ret;
	if (!value_is_scalar(&t))
		return binder_bad(b, e->at, "cannot cast to %s: only to numbers and pointers", kind_name(&t));
	if (t.kind != CTYPE_PTR) {
		node = binder_add(b, e->at, (struct bound){ .kind = BOUND_CUT, .a = v->node, .size = t.size, .is_signed = t.is_signed });
		if (node < 0)
			return node;
		v->node = node;
	}
	v->type = t;
	v->has_type = true;
	v->show = VALUE_NUMBER;
	return 0;
}

static int bind_container(struct binder *b, const struct expr *e, struct operand *v)
{
	struct ctypes *types = binder_types(b);
	struct cmember m;
	struct ctype t;
	int ret = bind_type(b, e->at, e->len, &t);

	if (!ret)
		ret = bind_number(b, e->a, e->at, v);
	if (ret)
		return ret;
	if (t.kind != CTYPE_STRUCT && t.kind != CTYPE_UNION)
		return binder_bad(b, e->at, "it is %s, not a struct", kind_name(&t));
	if (ctype_member(types, t.id, b->exprs->text + e->num, e->b, &m)) {
		struct expr member = { .at = e->num, .len = e->b };

		return no_member(b, &member, &t);
	}
	*v = (struct operand){ .kind = OPERAND_MEMORY, .node = v->node, .off = -(int64_t)(m.bit_at / 8), .type = t, .has_type = true };
	return 0;
}

/* A text against a literal. */
static int bind_match(struct binder *b, const struct expr *e, struct operand *text, const struct operand *literal, struct operand *ret_value)
{
	int ret = 0, node;

	if (e->op != OP_EQ && e->op != OP_NE && e->op != OP_GLOB && e->op != OP_NOT_GLOB)
		return binder_bad(b, e->at, "strings have no order: use ==, !=, ~ or !~");
	if (literal->len > BIND_TEXT_MAX - 1)
		return binder_bad(b, literal->at, "at most %d bytes of a string are compared", BIND_TEXT_MAX - 1);
	if (text->kind == OPERAND_LITERAL)
		return binder_bad(b, e->at, "two constant strings");
	if (text->kind != OPERAND_COMM) {
		/* arg1 == "text": a register that holds an address */
		if (!binder_is_text(b, text) && !text->is_raw && text->has_type && text->type.kind != CTYPE_PTR)
			return binder_bad(b, e->at, "%s cannot be compared with a string", kind_name(&text->type));
		ret = binder_text(b, e->at, text);
	}
	if (ret)
		return ret;
	node = binder_add(b, e->at, (struct bound){ .kind = text->kind == OPERAND_COMM ? BOUND_MATCH_COMM : BOUND_MATCH, .op = e->op,
						    .a = text->kind == OPERAND_COMM ? 0 : text->node, .bits = text->text_max, .size = literal->len,
						    .literal = b->exprs->text + literal->at });
	if (node < 0)
		return node;
	*ret_value = operand_number(node, 4, true);
	return 0;
}

/* The name of an enumerator, where the other side is an enum. Returns 1 when it is none. */
static int bind_enumerator(struct binder *b, const struct expr *e, const struct operand *other, struct operand *ret_value)
{
	struct ctypes *types = binder_types(b);
	struct cenumerator of;
	int node;

	if (e->kind != EXPR_NAME || !other->has_type || other->type.kind != CTYPE_ENUM || !types)
		return 1;
	for (uint32_t i = 0; !types->enumerator(types, other->type.id, i, &of); i++) {
		if (strlen(of.name) != e->len || memcmp(of.name, b->exprs->text + e->at, e->len))
			continue;
		node = binder_add(b, e->at, (struct bound){ .kind = BOUND_NUMBER, .num = of.value });
		if (node < 0)
			return node;
		*ret_value = operand_number(node, other->type.size, other->type.is_signed);
		return 0;
	}
	return 1;
}

static int bind_sides(struct binder *b, const struct expr *e, struct operand *x, struct operand *y)
{
	struct err kept = b->err ? *b->err : (struct err){ 0 };
	int ret = binder_bind(b, e->a, x), other;
	struct err first = b->err ? *b->err : (struct err){ 0 };

	if (ret == -EINVAL && binder_bind(b, e->b, y)) {
		if (b->err)
			*b->err = first;
		return ret;
	}
	if (ret == -EINVAL) { /* 2 == state, TCP_LISTEN == state */
		other = bind_enumerator(b, binder_expr(b, e->a), y, x);
		if (!other && b->err)
			*b->err = kept;
		return other == 1 ? ret : other;
	}
	if (ret)
		return ret;
	ret = binder_bind(b, e->b, y);
	if (ret != -EINVAL)
		return ret;
	other = bind_enumerator(b, binder_expr(b, e->b), x, y);
	if (!other && b->err)
		*b->err = kept;
	return other == 1 ? ret : other;
}

static int bind_logic(struct binder *b, const struct expr *e, struct operand *v)
{
	struct operand x, y;
	int ret = bind_number(b, e->a, e->at, &x), node;

	if (!ret)
		ret = bind_number(b, e->b, e->at, &y);
	if (ret)
		return ret;
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_BINARY, .op = e->op, .a = x.node, .b = y.node });
	if (node < 0)
		return node;
	*v = operand_number(node, 4, true);
	return 0;
}

static bool is_wide(const struct operand *v)
{
	return v->has_type && !v->is_constant && v->type.size == 8 && !v->type.is_signed;
}

static int bind_binary(struct binder *b, const struct expr *e, struct operand *v)
{
	struct operand x, y;
	bool compares = e->op >= OP_EQ && e->op <= OP_GE, is_signed;
	uint64_t n;
	int ret, node;

	if (e->op == OP_OR || e->op == OP_AND)
		return bind_logic(b, e, v);
	ret = bind_sides(b, e, &x, &y);
	if (ret)
		return ret;
	if (y.kind == OPERAND_LITERAL)
		return bind_match(b, e, &x, &y, v);
	if (x.kind == OPERAND_LITERAL)
		return bind_match(b, e, &y, &x, v);
	if (e->op == OP_GLOB || e->op == OP_NOT_GLOB)
		return binder_bad(b, e->at, "~ needs a \"pattern\" after it");
	ret = binder_load(b, e->at, &x);
	if (!ret)
		ret = binder_load(b, e->at, &y);
	if (ret)
		return ret;
	if ((e->op == OP_DIV || e->op == OP_MOD) && is_number(b, y.node, &n) && !n)
		return binder_bad(b, e->at, "a division by zero");
	is_signed = !is_wide(&x) && !is_wide(&y) && (x.type.kind != CTYPE_PTR || y.type.kind != CTYPE_PTR);
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_BINARY, .op = e->op, .a = x.node, .b = y.node, .is_signed = is_signed });
	if (node < 0)
		return node;
	*v = compares ? operand_number(node, 4, true) : operand_number(node, 8, is_signed);
	v->show = compares ? VALUE_NUMBER : x.show;
	return 0;
}

static int bind_unary(struct binder *b, const struct expr *e, struct operand *v)
{
	uint64_t n;
	int ret = bind_number(b, e->a, e->at, v), node;

	if (ret)
		return ret;
	if (e->op != OP_NOT && is_number(b, v->node, &n)) {
		node = binder_add(b, e->at, (struct bound){ .kind = BOUND_NUMBER, .num = e->op == OP_NEG ? -n : ~n });
		*v = operand_number(node, 8, true);
		v->is_constant = true;
		return node < 0 ? node : 0;
	}
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_UNARY, .op = e->op, .a = v->node });
	*v = operand_number(node, e->op == OP_NOT ? 4 : 8, e->op != OP_INVERT || v->type.is_signed);
	return node < 0 ? node : 0;
}

static int bind_swap(struct binder *b, const struct expr *e, struct operand *v)
{
	int ret = bind_number(b, e->a, e->at, v), node;

	if (ret)
		return ret;
	node = binder_add(b, e->at, (struct bound){ .kind = BOUND_SWAP, .a = v->node, .size = e->num });
	*v = operand_number(node, e->num, false);
	return node < 0 ? node : 0;
}

int binder_bind(struct binder *b, uint32_t node, struct operand *ret_value)
{
	const struct expr *e = binder_expr(b, node);
	int ret;

	switch (e->kind) {
	case EXPR_NUMBER:
		ret = binder_add(b, e->at, (struct bound){ .kind = BOUND_NUMBER, .num = e->num });
		*ret_value = operand_number(ret, 8, false);
		ret_value->is_constant = true;
		return ret < 0 ? ret : 0;
	case EXPR_TEXT:
		*ret_value = (struct operand){ .kind = OPERAND_LITERAL, .at = e->at, .len = e->len };
		return 0;
	case EXPR_NAME:
		return bind_name(b, e, ret_value);
	case EXPR_MEMBER:
		return bind_member(b, e, ret_value);
	case EXPR_INDEX:
		return bind_index(b, e, ret_value);
	case EXPR_DEREF:
		ret = binder_bind(b, e->a, ret_value);
		return ret ? ret : follow(b, e->at, ret_value);
	case EXPR_CAST:
		return bind_cast(b, e, ret_value);
	case EXPR_CONTAINER:
		return bind_container(b, e, ret_value);
	case EXPR_NTOH:
		return bind_swap(b, e, ret_value);
	case EXPR_UNARY:
		return bind_unary(b, e, ret_value);
	default:
		return bind_binary(b, e, ret_value);
	}
}

static int begin(struct bound_probe *p)
{
	if (p->nodes.n)
		return 0;
	if (vec_reserve(&p->nodes))
		return -ENOMEM;
	p->nodes.data[p->nodes.n++] = (struct bound){ 0 };
	return 0;
}

int bind_more(const struct exprs *exprs, const struct expr_arg *arg, const struct bind_env *env, struct bound_probe *probe, struct err *err)
{
	struct binder b = { .exprs = exprs, .env = env, .probe = probe, .what = "bad argument", .err = err };
	int ret = begin(probe);

	return ret ? ret : binder_arg(&b, arg);
}

/* Both of the probe's filter so far and the condition `node` of exprs. */
static int bind_filter(struct binder *b, const struct exprs *exprs, uint32_t node)
{
	struct operand v;
	size_t at;
	int ret;

	b->exprs = exprs;
	b->what = "bad filter";
	at = binder_expr(b, node)->at;
	ret = binder_bind(b, node, &v);
	if (!ret && v.kind == OPERAND_LITERAL)
		ret = binder_bad(b, v.at, "a string alone is not a condition");
	if (!ret)
		ret = binder_load(b, at, &v);
	if (!ret && b->probe->filter)
		ret = binder_add(b, at, (struct bound){ .kind = BOUND_BINARY, .op = OP_AND, .a = b->probe->filter, .b = v.node });
	if (ret < 0)
		return ret;
	b->probe->filter = ret ? (uint32_t)ret : v.node;
	return 0;
}

int bind_probe(const struct probe_spec *spec, const struct bind_env *env, struct bound_probe *ret_probe, struct err *err)
{
	struct binder b = { .exprs = &spec->exprs, .env = env, .probe = ret_probe, .what = "bad argument", .err = err };
	int ret;

	*ret_probe = (struct bound_probe){ 0 };
	ret = begin(ret_probe);
	for (int i = 0; i < spec->nr_args && !ret; i++)
		ret = binder_arg(&b, &spec->args[i]);
	if (!ret && spec->lasting_args)
		ret = binder_lasting_args(&b);
	if (!ret && spec->filter)
		ret = bind_filter(&b, &spec->exprs, spec->filter);
	if (!ret && spec->also)
		ret = bind_filter(&b, &spec->also->exprs, spec->also->node);
	return ret;
}

void bind_free(struct bound_probe *probe)
{
	vec_free(&probe->nodes);
}
