/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Precedences are C's. After a number: K, M, G (powers of 1024) and ns, us, ms, s (to ns). */
#include "event/expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	struct exprs *exprs;
	const char *text;
	size_t at;
	const char *what;
	struct err *err;
	int depth;
};

int expr_bad(const struct exprs *exprs, const char *what, size_t at, struct err *err, const char *why, ...)
{
	char text[256];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	err_exit(err, -EINVAL, EXIT_USAGE, "%s: %s", what, text);
	err_caret(err, exprs->text, at);
	return -EINVAL;
}

static int bad(struct parser *p, size_t at, const char *why)
{
	return expr_bad(p->exprs, p->what, at, p->err, "%s", why);
}

static void skip_space(struct parser *p)
{
	while (p->text[p->at] == ' ')
		p->at++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Is the next token this one? Then it is consumed. */
static bool accept(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_space(p);
	if (strncmp(p->text + p->at, token, n) || (is_word(token[n - 1]) && is_word(p->text[p->at + n])))
		return false;
	p->at += n;
	return true;
}

static int add(struct parser *p, struct expr e)
{
	if (p->exprs->nodes.n >= EXPR_NODES_MAX)
		return bad(p, e.at, "too long: at most 512 parts");
	if (vec_reserve(&p->exprs->nodes))
		return -ENOMEM;
	p->exprs->nodes.data[p->exprs->nodes.n++] = e;
	return p->exprs->nodes.n - 1;
}

static int add_unary(struct parser *p, enum expr_op op, size_t at, int a)
{
	return add(p, (struct expr){ .kind = EXPR_UNARY, .op = op, .a = a, .at = at, .len = 1 });
}

static int parse_binary(struct parser *p, int least);

/* billionths: what is after the decimal point; -1: there is none. */
static int parse_unit(struct parser *p, size_t at, int64_t billionths, uint64_t *value)
{
	static const struct {
		const char *name;
		uint64_t times;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 } };

	uint64_t part;

	if (!is_word(p->text[p->at]))
		return billionths >= 0 && !p->exprs->decimals ? bad(p, at, "a number with decimals needs a unit, as in 1.5ms") : 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (accept(p, units[i].name)) {
			part = billionths > 0 ? billionths * units[i].times : 0; /* at most 10^9 * 2^30 */
			if (part % 1000000000)
				return bad(p, at, "too many decimals for this unit");
			part /= 1000000000;
			if (*value > UINT64_MAX / units[i].times || *value * units[i].times > UINT64_MAX - part)
				return bad(p, at, "the number is too large");
			*value = *value * units[i].times + part;
			return 0;
		}
	return bad(p, p->at, "unknown unit (expected K, M, G, ns, us, ms, s)");
}

/* The digits after a decimal point, of which there is at least one, in billionths; or -EINVAL. */
static int64_t parse_decimals(struct parser *p)
{
	int64_t billionths = 0, digit = 100000000;

	for (p->at++; isdigit((unsigned char)p->text[p->at]); p->at++, digit /= 10) {
		if (!digit && p->text[p->at] != '0')
			return bad(p, p->at, "too many decimals: at most 9");
		billionths += (p->text[p->at] - '0') * digit;
	}
	return billionths;
}

static int parse_number(struct parser *p)
{
	size_t at = p->at, whole = at + strspn(p->text + at, "0123456789");
	bool hex = p->text[at] == '0' && (p->text[at + 1] | 0x20) == 'x';
	bool has_decimals = p->text[whole] == '.' && isdigit((unsigned char)p->text[whole + 1]);
	int64_t billionths = -1;
	char *end;
	uint64_t value;
	bool has_unit;
	int ret;

	errno = 0;
	value = strtoull(p->text + at, &end, has_decimals ? 10 : 0); /* 0100 is octal, as in C */
	if (errno || (hex && end <= p->text + at + 2))
		return bad(p, at, errno ? "the number is too large" : "no number after 0x");
	p->at = end - p->text;
	if (has_decimals) {
		billionths = parse_decimals(p);
		if (billionths < 0)
			return -EINVAL;
	}
	has_unit = is_word(p->text[p->at]);
	ret = parse_unit(p, at, billionths, &value);
	return ret ? ret : add(p, (struct expr){ .kind = EXPR_NUMBER, .num = value, .billionths = has_decimals && !has_unit ? (uint32_t)billionths : 0, .at = at, .len = p->at - at });
}

static int parse_text(struct parser *p)
{
	size_t at = ++p->at, end = at;

	while (p->text[end] && p->text[end] != '"')
		end++;
	if (!p->text[end])
		return bad(p, at - 1, "no quote that ends this string");
	p->at = end + 1;
	return add(p, (struct expr){ .kind = EXPR_TEXT, .at = at, .len = end - at });
}

/* The text of a type, up to the bracket or comma that ends it; trailing spaces and all. */
static void type_text(struct parser *p, const char *ends, struct expr *e)
{
	skip_space(p);
	e->at = p->at;
	while (p->text[p->at] && !strchr(ends, p->text[p->at]))
		p->at++;
	e->len = p->at - e->at;
	while (e->len && p->text[e->at + e->len - 1] == ' ')
		e->len--;
}

/* container_of(EXPR, TYPE, MEMBER): after its bracket. */
static int parse_container(struct parser *p)
{
	struct expr e = { .kind = EXPR_CONTAINER }, member = { 0 };
	int a = parse_binary(p, 0);

	if (a < 0)
		return a;
	if (!accept(p, ","))
		return bad(p, p->at, "expected container_of(POINTER, struct NAME, MEMBER)");
	type_text(p, ",)", &e);
	if (!accept(p, ","))
		return bad(p, p->at, "expected container_of(POINTER, struct NAME, MEMBER)");
	type_text(p, ",)", &member);
	if (!accept(p, ")") || !e.len || !member.len)
		return bad(p, p->at, "expected container_of(POINTER, struct NAME, MEMBER)");
	e.a = a;
	e.num = member.at;
	e.b = member.len;
	return add(p, e);
}

static int parse_ntoh(struct parser *p, size_t at, unsigned bytes)
{
	int a = parse_binary(p, 0);

	if (a >= 0 && !accept(p, ")"))
		return bad(p, p->at, "expected a closing bracket");
	return a < 0 ? a : add(p, (struct expr){ .kind = EXPR_NTOH, .a = a, .num = bytes, .at = at, .len = 5 });
}

static int parse_name(struct parser *p)
{
	size_t at = p->at, n;

	if (accept(p, "container_of(") || accept(p, "container_of ("))
		return parse_container(p);
	if (accept(p, "ntohs("))
		return parse_ntoh(p, at, 2);
	if (accept(p, "ntohl("))
		return parse_ntoh(p, at, 4);
	if (p->text[p->at] == '$' || p->text[p->at] == '%')
		at = ++p->at;
	for (n = 0; is_word(p->text[at + n]); n++)
		;
	if (!n)
		return bad(p, at, p->text[at] ? "expected a name, a number or a string" : "something is missing at the end");
	p->at = at + n;
	return add(p, (struct expr){ .kind = EXPR_NAME, .at = at, .len = n });
}

/* "(struct NAME *)", "(u32)", "(unsigned long)": a type in brackets ends in a star, or has a word that only types have. */
static bool is_cast(const struct parser *p)
{
	static const char *const words[] = { "struct",	"union",   "enum",     "class",	  "unsigned", "signed",	  "const",    "u8",	 "u16",	     "u32",
					     "u64",	"s8",	   "s16",      "s32",	  "s64",      "int",	  "short",    "long",	 "char",     "bool",
					     "size_t",	"ssize_t", "uint8_t",  "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t",
					     "int64_t", "__u8",	   "__u16",    "__u32",	  "__u64",    "__s8",	  "__s16",    "__s32",	 "__s64" };
	const char *at = p->text + p->at + 1, *close = strchr(at, ')'), *end = close;
	size_t n;

	while (*at == ' ')
		at++;
	for (n = 0; is_word(at[n]); n++)
		;
	for (size_t i = 0; n && i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && !memcmp(at, words[i], n))
			return i < 7 || !close || at + n + strspn(at + n, " ") == close || is_word(at[n + strspn(at + n, " ")]) || strchr(at + n, '*');
	for (const char *c = at; close && c < close; c++)
		if (!is_word(*c) && *c != ' ' && *c != '*')
			return false;
	while (end && end > at && end[-1] == ' ')
		end--;
	return n && end && end > at && end[-1] == '*';
}

static int parse_unary(struct parser *p);

static int parse_primary(struct parser *p)
{
	size_t at;
	int a;

	skip_space(p);
	at = p->at;
	if (isdigit((unsigned char)p->text[at]))
		return parse_number(p);
	if (p->text[at] == '"')
		return parse_text(p);
	if (p->text[at] != '(')
		return parse_name(p);
	if (is_cast(p)) {
		struct expr e = { .kind = EXPR_CAST };

		p->at++;
		type_text(p, ")", &e);
		if (!p->text[p->at])
			return bad(p, at, "no closing bracket for this one");
		p->at++;
		a = parse_unary(p);
		e.a = a;
		return a < 0 ? a : add(p, e);
	}
	p->at++;
	a = parse_binary(p, 0);
	if (a >= 0 && !accept(p, ")"))
		return bad(p, at, "no closing bracket for this one");
	return a;
}

static int parse_postfix(struct parser *p)
{
	int a = parse_primary(p), b;

	while (a >= 0) {
		size_t at;

		skip_space(p);
		at = p->at;
		if (accept(p, "->") || (p->text[at] == '.' && p->text[at + 1] != '.' && accept(p, "."))) {
			struct expr e = { .kind = EXPR_MEMBER, .a = a };

			skip_space(p);
			e.at = p->at;
			while (is_word(p->text[p->at]))
				p->at++;
			e.len = p->at - e.at;
			a = e.len ? add(p, e) : bad(p, p->at, "expected a member's name");
		} else if (accept(p, "[")) {
			b = parse_binary(p, 0);
			if (b < 0)
				return b;
			if (!accept(p, "]"))
				return bad(p, at, "no closing bracket for this one");
			a = add(p, (struct expr){ .kind = EXPR_INDEX, .a = a, .b = b, .at = at, .len = 1 });
		} else {
			break;
		}
	}
	return a;
}

static int parse_unary(struct parser *p)
{
	static const struct {
		char c;
		enum expr_op op;
	} ops[] = { { '!', OP_NOT }, { '-', OP_NEG }, { '~', OP_INVERT } };
	size_t at;
	int a;

	if (++p->depth > EXPR_DEPTH_MAX)
		return bad(p, p->at, "nested too deeply");
	skip_space(p);
	at = p->at;
	a = -ENOENT;
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops) && a == -ENOENT; i++)
		if (p->text[at] == ops[i].c) {
			p->at++;
			a = parse_unary(p);
			a = a < 0 ? a : add_unary(p, ops[i].op, at, a);
		}
	if (a == -ENOENT && p->text[at] == '*') {
		p->at++;
		a = parse_unary(p);
		a = a < 0 ? a : add(p, (struct expr){ .kind = EXPR_DEREF, .a = a, .at = at, .len = 1 });
	}
	if (a == -ENOENT)
		a = parse_postfix(p);
	p->depth--;
	return a;
}

/* Longer tokens before those that they begin with. */
static const struct {
	const char *token;
	enum expr_op op;
	int rank;
} binaries[] = {
	{ "||", OP_OR, 1 },  { "&&", OP_AND, 2 }, { "==", OP_EQ, 6 },	   { "!=", OP_NE, 6 },	   { "!~", OP_NOT_GLOB, 6 },
	{ "<<", OP_SHL, 8 }, { ">>", OP_SHR, 8 }, { "<=", OP_LE, 7 },	   { ">=", OP_GE, 7 },	   { "<", OP_LT, 7 },
	{ ">", OP_GT, 7 },   { "~", OP_GLOB, 6 }, { "=", OP_EQ, 6 },	   { "|", OP_BIT_OR, 3 },  { "^", OP_BIT_XOR, 4 },
	{ "&", OP_BIT_AND, 5 }, { "+", OP_ADD, 9 }, { "->", OP_NONE, 0 }, { "-", OP_SUB, 9 },	   { "*", OP_MUL, 10 },
	{ "/", OP_DIV, 10 }, { "%", OP_MOD, 10 },
};

/* "a in LO..HI" is a >= LO && a <= HI. */
static int parse_in(struct parser *p, int a, size_t at)
{
	int low = parse_binary(p, 9), high;

	if (low < 0)
		return low;
	if (!accept(p, ".."))
		return bad(p, p->at, "expected a range, LOW..HIGH");
	high = parse_binary(p, 9);
	if (high < 0)
		return high;
	low = add(p, (struct expr){ .kind = EXPR_BINARY, .op = OP_GE, .a = a, .b = low, .at = at, .len = 2 });
	if (low < 0)
		return low;
	high = add(p, (struct expr){ .kind = EXPR_BINARY, .op = OP_LE, .a = a, .b = high, .at = at, .len = 2 });
	return high < 0 ? high : add(p, (struct expr){ .kind = EXPR_BINARY, .op = OP_AND, .a = low, .b = high, .at = at, .len = 2 });
}

static int parse_binary(struct parser *p, int least)
{
	int a = parse_unary(p), b;

	if (++p->depth > EXPR_DEPTH_MAX)
		return bad(p, p->at, "nested too deeply");
	while (a >= 0) {
		size_t i, at;

		skip_space(p);
		at = p->at;
		if (least <= 7 && accept(p, "in")) {
			a = parse_in(p, a, at);
			continue;
		}
		for (i = 0; i < sizeof(binaries) / sizeof(*binaries); i++)
			if (!strncmp(p->text + at, binaries[i].token, strlen(binaries[i].token)))
				break;
		/* perf's spelling has spaces between arguments: "f a %si" */
		if (p->exprs->has_spaces && p->text[at] == '%' && at && p->text[at - 1] == ' ' && is_word(p->text[at + 1]))
			break;
		if (i == sizeof(binaries) / sizeof(*binaries) || !binaries[i].rank || binaries[i].rank < least)
			break;
		p->at += strlen(binaries[i].token);
		b = parse_binary(p, binaries[i].rank + 1);
		if (b < 0)
			return b;
		a = add(p, (struct expr){ .kind = EXPR_BINARY, .op = binaries[i].op, .a = a, .b = b, .at = at,
					  .len = strlen(binaries[i].token) });
	}
	p->depth--;
	return a;
}

static int begin(struct exprs *exprs)
{
	if (exprs->nodes.n)
		return 0;
	if (vec_reserve(&exprs->nodes))
		return -ENOMEM;
	exprs->nodes.data[exprs->nodes.n++] = (struct expr){ 0 };
	return 0;
}

int expr_parse(struct exprs *exprs, size_t *at, const char *what, struct err *err)
{
	struct parser p = { .exprs = exprs, .text = exprs->text, .at = *at, .what = what, .err = err };
	int ret = begin(exprs);

	if (!ret)
		ret = parse_binary(&p, 0);
	if (ret >= 0)
		*at = p.at;
	return ret;
}

int expr_add_record(struct exprs *exprs, size_t at, struct expr_arg *ret_arg, struct err *err)
{
	struct parser p = { .exprs = exprs, .text = exprs->text, .at = at, .what = "bad argument", .err = err };
	int node = begin(exprs);

	node = node ? node : add(&p, (struct expr){ .kind = EXPR_RECORD, .at = at, .len = 1 });
	if (node < 0)
		return node;
	*ret_arg = (struct expr_arg){ .node = node, .at = at, .len = 1 };
	return 0;
}

int expr_parse_arg(struct exprs *exprs, size_t *at, struct expr_arg *ret_arg, struct err *err)
{
	struct parser p = { .exprs = exprs, .text = exprs->text, .at = *at, .what = "bad argument", .err = err };
	struct expr_arg arg = { 0 };
	size_t n = 0;
	int node;

	skip_space(&p);
	while (is_word(p.text[p.at + n]))
		n++;
	if (n && p.text[p.at + n] == '=' && p.text[p.at + n + 1] != '=') {
		arg.name_at = p.at;
		arg.name_len = n;
		p.at += n + 1;
		skip_space(&p);
	}
	arg.at = p.at;
	node = expr_parse(exprs, &p.at, p.what, err);
	if (node < 0)
		return node;
	arg.node = node;
	arg.len = p.at - arg.at;
	while (arg.len && p.text[arg.at + arg.len - 1] == ' ')
		arg.len--;
	if (p.text[p.at] == ':') {
		for (n = 1; is_word(p.text[p.at + n]); n++)
			;
		arg.type_at = p.at + 1;
		arg.type_len = n - 1;
		p.at += n;
		if (!arg.type_len)
			return bad(&p, p.at, "no type after the colon");
		if (p.text[p.at] == ':') {
			p.at++;
			node = expr_parse(exprs, &p.at, p.what, err);
			if (node < 0)
				return node;
			arg.count = node;
		}
	}
	*at = p.at;
	*ret_arg = arg;
	return 0;
}
