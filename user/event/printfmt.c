/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A parser by descent over C's expressions. Constants are computed while parsing: a table of flags ends up as numbers. */
#include "event/printfmt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/printnode.h"

struct parser {
	struct printfmt *print;
	const char *at;
	int depth;
	int unknown; /* names without a value */
	int error;   /* sticky */
};

static uint32_t fail(struct parser *p, int error)
{
	p->error = p->error ? p->error : error;
	return 0;
}

static uint32_t bad(struct parser *p)
{
	return fail(p, -EINVAL);
}

static void skip_space(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
		p->at++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool accept(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_space(p);
	if (strncmp(p->at, token, n) || (is_word(token[n - 1]) && is_word(p->at[n])))
		return false;
	p->at += n;
	return true;
}

static void expect(struct parser *p, const char *token)
{
	if (!p->error && !accept(p, token))
		bad(p);
}

static uint32_t add(struct parser *p, struct print_node n)
{
	if (p->error)
		return 0;
	if (p->print->nodes.n >= PRINT_NODES_MAX)
		return bad(p);
	if (vec_reserve(&p->print->nodes))
		return fail(p, -ENOMEM);
	p->print->nodes.data[p->print->nodes.n++] = n;
	return p->print->nodes.n - 1;
}

static uint32_t add_number(struct parser *p, uint64_t num, uint8_t size, bool is_signed)
{
	return add(p, (struct print_node){ .kind = PRINT_NUMBER, .num = num, .size = size, .is_signed = is_signed });
}

static struct print_node *node_at(const struct parser *p, uint32_t node)
{
	return &p->print->nodes.data[node];
}

static void put(struct parser *p, char c)
{
	char *to = p->error ? NULL : vec_take(&p->print->pool, 1);

	if (to)
		*to = c;
	else
		fail(p, -ENOMEM);
}

/* After a backslash. */
static char escaped(struct parser *p)
{
	static const char from[] = "ntrabfv0", to[] = "\n\t\r\a\b\f\v";
	const char *found = *p->at ? strchr(from, *p->at) : NULL;
	char c = *p->at;

	p->at += c != '\0';
	return found ? to[found - from] : c;
}

static bool begins_text(struct parser *p)
{
	skip_space(p);
	return *p->at == '"';
}

/* One or more literals, as C joins them; where they begin in the pool. */
static uint32_t parse_literal(struct parser *p)
{
	uint32_t begin = p->print->pool.n;

	if (!begins_text(p))
		return bad(p);
	while (begins_text(p) && !p->error) {
		for (p->at++; *p->at && *p->at != '"' && !p->error;) {
			char c = *p->at++;

			put(p, c == '\\' ? escaped(p) : c);
		}
		expect(p, "\"");
	}
	put(p, '\0');
	return begin;
}

static uint32_t parse_expr(struct parser *p);

static uint32_t parse_number(struct parser *p)
{
	uint64_t num;
	char *end;
	int longs = 0;
	bool is_unsigned = false, is_decimal = p->at[0] != '0';

	errno = 0;
	num = strtoull(p->at, &end, 0);
	if (errno)
		return bad(p);
	for (p->at = end; *p->at && strchr("uUlL", *p->at); p->at++) {
		longs += (*p->at | 0x20) == 'l';
		is_unsigned |= (*p->at | 0x20) == 'u';
	}
	if (is_word(*p->at))
		return bad(p);
	if (!is_unsigned && !is_decimal)
		is_unsigned = num > INT64_MAX || (!longs && num > INT32_MAX && num <= UINT32_MAX);
	return add_number(p, num, longs || num > (is_unsigned ? UINT32_MAX : INT32_MAX) ? 8 : 4, !is_unsigned);
}

static size_t word_len(const char *at)
{
	size_t n = 0;

	while (is_word(at[n]))
		n++;
	return n;
}

static const struct format_field *find_field(struct parser *p, uint32_t *ret_index)
{
	size_t n = word_len(p->at);
	const struct format_field *f = format_find(p->print->format, p->at, n);

	p->at += n;
	if (!f) {
		bad(p);
		return NULL;
	}
	*ret_index = f - p->print->format->fields.data;
	return f;
}

/* "(NAME)" after __get_str and its like. */
static uint32_t parse_dynamic(struct parser *p, enum print_kind kind)
{
	const struct format_field *f;
	uint32_t index = 0;

	expect(p, "(");
	skip_space(p);
	f = p->error ? NULL : find_field(p, &index);
	if (f && f->where == FORMAT_PLAIN)
		return bad(p);
	expect(p, ")");
	return add(p, (struct print_node){ .kind = kind, .num = index });
}

/* After __print_symbolic and __print_flags: "(VALUE, [DELIMITER,] { VALUE, "TEXT" }, ...)". A pair with a name that has no value is left out. */
static uint32_t parse_pairs(struct parser *p, enum print_kind kind)
{
	struct print_node n = { .kind = kind };
	uint32_t last = 0, pair;

	expect(p, "(");
	n.a = parse_expr(p);
	if (kind == PRINT_FLAGS) {
		expect(p, ",");
		n.num = parse_literal(p);
	}
	while (!p->error && accept(p, ",")) {
		struct print_node of = { .kind = PRINT_PAIR };
		int unknown = p->unknown;
		bool is_text;

		expect(p, "{");
		of.a = parse_expr(p);
		expect(p, ",");
		is_text = begins_text(p);
		of.num = is_text ? parse_literal(p) : parse_expr(p); /* { -1, NULL } ends a table of the kernel's */
		expect(p, "}");
		if (!is_text || p->unknown != unknown) {
			p->unknown = unknown;
			continue;
		}
		pair = add(p, of);
		if (p->error)
			break;
		if (last)
			node_at(p, last)->b = pair;
		else
			n.b = pair;
		last = pair;
	}
	expect(p, ")");
	return add(p, n);
}

/* "(A, B[, C])" */
static uint32_t parse_call(struct parser *p, struct print_node n, int nr)
{
	expect(p, "(");
	n.a = parse_expr(p);
	if (nr > 1) {
		expect(p, ",");
		n.b = parse_expr(p);
	}
	if (nr > 2) {
		expect(p, ",");
		n.c = parse_expr(p);
	}
	expect(p, ")");
	return add(p, n);
}

static uint32_t parse_sizeof(struct parser *p)
{
	struct print_type t;
	const char *end;

	expect(p, "(");
	end = p->error ? NULL : print_type_parse(p->at, &t);
	if (!end)
		return bad(p);
	p->at = end;
	expect(p, ")");
	return add_number(p, t.size ? t.size : 8, 8, false);
}

/* A macro of the kernel's, a constant, or a field. */
static uint32_t parse_name(struct parser *p)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} dynamics[] = { { "__get_str", PRINT_DYNAMIC },	       { "__get_rel_str", PRINT_DYNAMIC },
			 { "__get_dynamic_array", PRINT_DYNAMIC },     { "__get_rel_dynamic_array", PRINT_DYNAMIC },
			 { "__get_sockaddr", PRINT_DYNAMIC },	       { "__get_rel_sockaddr", PRINT_DYNAMIC },
			 { "__get_dynamic_array_len", PRINT_DYNAMIC_LEN }, { "__get_rel_dynamic_array_len", PRINT_DYNAMIC_LEN } },
	  masks[] = { { "__get_bitmask", false }, { "__get_rel_bitmask", false }, { "__get_cpumask", true }, { "__get_rel_cpumask", true } };
	uint32_t index = 0, a;
	size_t n;

	if (accept(p, "REC->")) {
		find_field(p, &index);
		return add(p, (struct print_node){ .kind = PRINT_FIELD, .num = index });
	}
	for (size_t i = 0; i < sizeof(dynamics) / sizeof(*dynamics); i++)
		if (accept(p, dynamics[i].name))
			return parse_dynamic(p, dynamics[i].kind);
	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++)
		if (accept(p, masks[i].name)) {
			a = parse_dynamic(p, PRINT_DYNAMIC);
			return add(p, (struct print_node){ .kind = PRINT_MASK, .a = a, .num = masks[i].kind });
		}
	if (accept(p, "__print_symbolic") || accept(p, "__print_symbolic64"))
		return parse_pairs(p, PRINT_SYMBOLIC);
	if (accept(p, "__print_flags") || accept(p, "__print_flags64") || accept(p, "__print_flags_u64"))
		return parse_pairs(p, PRINT_FLAGS);
	if (accept(p, "__print_hex"))
		return parse_call(p, (struct print_node){ .kind = PRINT_HEX, .num = true }, 2);
	if (accept(p, "__print_hex_str"))
		return parse_call(p, (struct print_node){ .kind = PRINT_HEX }, 2);
	if (accept(p, "__print_array"))
		return parse_call(p, (struct print_node){ .kind = PRINT_ARRAY }, 3);
	if (accept(p, "__builtin_expect"))
		return parse_call(p, (struct print_node){ .kind = PRINT_CAST, .size = 8, .is_signed = true }, 2);
	if (accept(p, "sizeof"))
		return parse_sizeof(p);
	if (accept(p, "true"))
		return add_number(p, 1, 4, true);
	if (accept(p, "false") || accept(p, "NULL"))
		return add_number(p, 0, 4, true);
	n = word_len(p->at);
	if (!n)
		return bad(p);
	p->at += n;
	p->unknown++; /* a constant of an enum whose value tracefs does not have */
	return add_number(p, 0, 4, true);
}

static uint32_t parse_unary(struct parser *p);

/* A cast of a number is one. */
static uint32_t add_cast(struct parser *p, uint32_t a, const struct print_type *t)
{
	struct print_node *n;

	if (p->error)
		return 0;
	n = node_at(p, a);
	if (n->kind == PRINT_NUMBER && t->size)
		return add_number(p, print_cut(n->num, t->size, t->is_signed), t->size, t->is_signed);
	return add(p, (struct print_node){ .kind = PRINT_CAST, .a = a, .size = t->size, .is_signed = t->is_signed, .num = t->to });
}

static uint32_t parse_primary(struct parser *p)
{
	uint32_t a;
	struct print_type t;
	const char *end;

	skip_space(p);
	if (isdigit((unsigned char)*p->at))
		return parse_number(p);
	if (*p->at == '"') {
		a = parse_literal(p);
		return add(p, (struct print_node){ .kind = PRINT_LITERAL, .num = a });
	}
	if (*p->at == '\'') {
		p->at++;
		a = *p->at == '\\' ? (p->at++, escaped(p)) : *p->at ? *p->at++ : '\0';
		expect(p, "'");
		return add_number(p, a, 4, true);
	}
	if (*p->at != '(')
		return parse_name(p);
	end = print_type_parse(p->at + 1, &t);
	if (end && *end == ')') {
		p->at = end + 1;
		a = parse_unary(p);
		return add_cast(p, a, &t);
	}
	p->at++;
	a = parse_expr(p);
	expect(p, ")");
	return a;
}

static uint32_t parse_unary(struct parser *p)
{
	uint32_t a = 0;
	char op;

	skip_space(p);
	if (p->error || ++p->depth > PRINT_DEPTH_MAX)
		return bad(p);
	op = *p->at;
	if (op && strchr("!~-+*&", op)) {
		p->at++;
		a = parse_unary(p);
		if (p->error)
			return 0;
		if (op == '&' && node_at(p, a)->kind != PRINT_FIELD && node_at(p, a)->kind != PRINT_INDEX)
			return bad(p);
		if (op == '*')
			a = add(p, (struct print_node){ .kind = PRINT_INDEX, .a = a });
		else if (op == '&')
			node_at(p, a)->is_address = true;
		else if (op == '-' && node_at(p, a)->kind == PRINT_NUMBER)
			node_at(p, a)->num = print_cut(-node_at(p, a)->num, node_at(p, a)->size, node_at(p, a)->is_signed);
		else if (op != '+')
			a = add(p, (struct print_node){ .kind = PRINT_UNARY, .op = op, .a = a });
	} else {
		a = parse_primary(p);
	}
	while (!p->error && accept(p, "[")) {
		uint32_t b = parse_expr(p);

		expect(p, "]");
		a = add(p, (struct print_node){ .kind = PRINT_INDEX, .a = a, .b = b });
	}
	p->depth--;
	return a;
}

/* Longer tokens before those that they begin with. */
static const struct {
	const char *token;
	uint8_t op, rank;
} binaries[] = {
	{ "||", PRINT_OR, 1 }, { "&&", PRINT_AND, 2 }, { "==", PRINT_EQ, 6 }, { "!=", PRINT_NE, 6 }, { "<<", PRINT_SHL, 8 }, { ">>", PRINT_SHR, 8 },
	{ "<=", PRINT_LE, 7 }, { ">=", PRINT_GE, 7 },  { "<", '<', 7 },	      { ">", '>', 7 },	     { "|", '|', 3 },	     { "^", '^', 4 },
	{ "&", '&', 5 },       { "+", '+', 9 },	       { "-", '-', 9 },	      { "*", '*', 10 },	     { "/", '/', 10 },	     { "%", '%', 10 },
};
#define NR_BINARIES (sizeof(binaries) / sizeof(*binaries))

static uint32_t add_binary(struct parser *p, uint8_t op, uint32_t a, uint32_t b)
{
	const struct print_node *na = p->error ? NULL : node_at(p, a), *nb = p->error ? NULL : node_at(p, b);

	if (na && na->kind == PRINT_NUMBER && nb->kind == PRINT_NUMBER) {
		struct print_value va = { .num = na->num, .size = na->size, .is_signed = na->is_signed };
		struct print_value vb = { .num = nb->num, .size = nb->size, .is_signed = nb->is_signed };
		struct print_value v = print_binary(op, &va, &vb);

		return add_number(p, v.num, v.size, v.is_signed);
	}
	return add(p, (struct print_node){ .kind = PRINT_BINARY, .op = op, .a = a, .b = b });
}

static uint32_t parse_binary(struct parser *p, int least)
{
	uint32_t a = parse_unary(p), b;

	while (!p->error) {
		size_t i = 0;

		skip_space(p);
		while (i < NR_BINARIES && strncmp(p->at, binaries[i].token, strlen(binaries[i].token)))
			i++;
		if (i == NR_BINARIES || binaries[i].rank < least)
			break;
		p->at += strlen(binaries[i].token);
		b = parse_binary(p, binaries[i].rank + 1);
		a = add_binary(p, binaries[i].op, a, b);
	}
	return a;
}

static uint32_t parse_expr(struct parser *p)
{
	uint32_t a, b, c;

	if (p->error || ++p->depth > PRINT_DEPTH_MAX)
		return bad(p);
	a = parse_binary(p, 1);
	if (!p->error && accept(p, "?")) {
		b = parse_expr(p);
		expect(p, ":");
		c = parse_expr(p);
		a = add(p, (struct print_node){ .kind = PRINT_CHOICE, .a = a, .b = b, .c = c });
	}
	p->depth--;
	return a;
}

/* kmem:mm_page_alloc adds to vmemmap_base, a variable of the kernel's, in one of its arguments: only that one has no value. */
static void parse_arg(struct parser *p, int *nr_unknown)
{
	uint32_t a = parse_expr(p);

	p->print->args[p->print->nr_args++] = p->unknown ? PRINT_NO_NODE : a;
	*nr_unknown += !!p->unknown;
	p->unknown = 0;
}

/* Are there as many arguments as the format takes? */
static void check_args(struct parser *p)
{
	struct printfmt *f = p->print;
	int wanted = 0;

	for (const char *at = f->pool.data + f->text; *at && !p->error; at++) {
		struct print_spec s;

		if (*at != '%')
			continue;
		if (!print_spec_parse(at, &s)) {
			bad(p);
			return;
		}
		wanted += (s.what != '%') + s.width_is_arg + s.precision_is_arg;
		at += s.len - 1;
	}
	if (!p->error && wanted != f->nr_args)
		bad(p);
}

int printfmt_parse(const char *text, const struct format *format, struct printfmt **ret_print)
{
	struct parser p = { .at = text, .print = calloc(1, sizeof(*p.print)) };
	int nr_unknown = 0;

	if (!p.print)
		return -ENOMEM;
	p.print->format = format;
	add(&p, (struct print_node){ 0 });
	p.print->text = parse_literal(&p);
	while (!p.error && accept(&p, ",")) {
		if (p.print->nr_args == PRINT_ARGS_MAX)
			bad(&p);
		else
			parse_arg(&p, &nr_unknown);
	}
	skip_space(&p);
	if (*p.at || (nr_unknown && nr_unknown == p.print->nr_args))
		bad(&p);
	if (!p.error)
		check_args(&p);
	if (p.error) {
		printfmt_free(p.print);
		return p.error;
	}
	*ret_print = p.print;
	return 0;
}

void printfmt_free(struct printfmt *print)
{
	if (!print)
		return;
	vec_free(&print->nodes);
	vec_free(&print->pool);
	free(print);
}
