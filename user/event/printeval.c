/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values of a print format over one record, with C's widths and signs. Every read is inside of the record. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "event/printnode.h"
#include "util/text.h"

#define MASK_BYTES_MAX 1024

uint64_t print_cut(uint64_t num, size_t size, bool is_signed)
{
	unsigned unused = size && size < 8 ? 64 - 8 * size : 0;

	return is_signed ? (uint64_t)((int64_t)(num << unused) >> unused) : num << unused >> unused;
}

uint64_t print_load(const char *at, size_t size, bool is_signed)
{
	uint64_t num = 0;

	memcpy(&num, at, size <= 8 ? size : 8); /* little endian, as all that we run on */
	return print_cut(num, size, is_signed);
}

static struct print_value number(uint64_t num, uint8_t size, bool is_signed)
{
	return (struct print_value){ .kind = PRINT_IS_NUMBER, .num = print_cut(num, size, is_signed), .size = size, .is_signed = is_signed };
}

static struct print_value bytes(const char *at, size_t len, uint8_t size, bool is_signed)
{
	return (struct print_value){ .kind = PRINT_IS_BYTES, .bytes = at, .len = len, .size = size, .is_signed = is_signed };
}

static struct print_value text(const char *at)
{
	return (struct print_value){ .kind = PRINT_IS_TEXT, .bytes = at, .len = strlen(at) };
}

/* What compares and adds in C: the wider type, unsigned where it is so at that width, and an int at least. */
struct print_value print_binary(uint8_t op, const struct print_value *a, const struct print_value *b)
{
	uint8_t size = a->size > b->size ? a->size : b->size;
	bool shifts = op == PRINT_SHL || op == PRINT_SHR, is_signed;
	uint64_t x, y;

	if (shifts)
		size = a->size;
	is_signed = !(a->size == size && !a->is_signed) && (shifts || !(b->size == size && !b->is_signed));
	if (size < 4) {
		size = 4;
		is_signed = true;
	}
	x = print_cut(a->num, size, is_signed);
	y = shifts ? b->num : print_cut(b->num, size, is_signed);
	switch (op) {
	case PRINT_OR:
		return number(a->num || b->num, 4, true);
	case PRINT_AND:
		return number(a->num && b->num, 4, true);
	case PRINT_EQ:
		return number(x == y, 4, true);
	case PRINT_NE:
		return number(x != y, 4, true);
	case '<':
		return number(is_signed ? (int64_t)x < (int64_t)y : x < y, 4, true);
	case '>':
		return number(is_signed ? (int64_t)x > (int64_t)y : x > y, 4, true);
	case PRINT_LE:
		return number(is_signed ? (int64_t)x <= (int64_t)y : x <= y, 4, true);
	case PRINT_GE:
		return number(is_signed ? (int64_t)x >= (int64_t)y : x >= y, 4, true);
	case PRINT_SHL:
		return number(y < 64 ? x << y : 0, size, is_signed);
	case PRINT_SHR:
		return number(y > 63 ? 0 : is_signed ? (uint64_t)((int64_t)x >> y) : x >> y, size, is_signed);
	case '|':
		return number(x | y, size, is_signed);
	case '^':
		return number(x ^ y, size, is_signed);
	case '&':
		return number(x & y, size, is_signed);
	case '+':
		return number(x + y, size, is_signed);
	case '-':
		return number(x - y, size, is_signed);
	case '*':
		return number(x * y, size, is_signed);
	}
	/* Division: by zero nothing, by -1 what needs no division */
	if (!y || (is_signed && y == UINT64_MAX))
		return number(!y || op == '%' ? 0 : -x, size, is_signed);
	if (op == '/')
		return number(is_signed ? (uint64_t)((int64_t)x / (int64_t)y) : x / y, size, is_signed);
	return number(is_signed ? (uint64_t)((int64_t)x % (int64_t)y) : x % y, size, is_signed);
}

/* Space for a text in the scratch is taken by writing after what is there. */
static void __attribute__((format(printf, 2, 3))) put(struct print_run *run, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	run->used = text_vappend(run->scratch, sizeof(run->scratch), run->used, form, args);
	va_end(args);
}

static size_t begin(struct print_run *run)
{
	if (run->used > sizeof(run->scratch) - 1)
		run->used = sizeof(run->scratch) - 1;
	run->scratch[run->used] = '\0';
	return run->used;
}

/* The text from `from` on, with its NUL kept. */
static struct print_value end(struct print_run *run, size_t from)
{
	if (run->used < sizeof(run->scratch) - 1)
		run->used++;
	return text(run->scratch + from);
}

static size_t inside(const struct print_run *run, size_t off, size_t len)
{
	return off >= run->bytes ? 0 : len < run->bytes - off ? len : run->bytes - off;
}

static struct print_value eval_field(const struct print_run *run, const struct print_node *n)
{
	const struct format_field *f = &run->print->format->fields.data[n->num];
	size_t len = inside(run, f->offset, f->size);

	if (!n->is_address && !f->array[0] && f->where == FORMAT_PLAIN && (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
		return number(len == f->size ? print_load(run->record + f->offset, f->size, f->is_signed) : 0, f->size, f->is_signed);
	return bytes(run->record + (len ? f->offset : 0), len, format_element(f), f->is_signed);
}

static struct print_value eval_dynamic(const struct print_run *run, const struct print_node *n)
{
	const struct format_field *f = &run->print->format->fields.data[n->num];
	size_t off, len = format_dynamic(f, run->record, run->bytes, &off);

	if (n->kind == PRINT_DYNAMIC_LEN)
		return number(len, 4, true);
	len = inside(run, off, len);
	return bytes(run->record + (len ? off : 0), len, format_element(f), f->is_signed);
}

static struct print_value eval_index(struct print_run *run, const struct print_node *n)
{
	struct print_value a = print_eval(run, n->a), i = n->b ? print_eval(run, n->b) : number(0, 4, true);

	if (a.kind != PRINT_IS_BYTES || i.kind != PRINT_IS_NUMBER || !a.size || a.size > 8)
		return number(0, 8, false);
	if (n->is_address)
		return i.num < a.len / a.size ? bytes(a.bytes + i.num * a.size, a.len - i.num * a.size, a.size, a.is_signed) :
						bytes(a.bytes, 0, a.size, a.is_signed);
	return number(i.num < a.len / a.size ? print_load(a.bytes + i.num * a.size, a.size, a.is_signed) : 0, a.size, a.is_signed);
}

static struct print_value eval_cast(struct print_run *run, const struct print_node *n)
{
	struct print_value v = print_eval(run, n->a);

	if (v.kind == PRINT_IS_NUMBER)
		return n->size ? number(v.num, n->size, n->is_signed) : number(v.num, 8, false);
	if (v.kind == PRINT_IS_BYTES && !n->size) {
		v.size = n->num;
		v.is_signed = n->is_signed;
	}
	return v;
}

static struct print_value eval_unary(struct print_run *run, const struct print_node *n)
{
	struct print_value v = print_eval(run, n->a);
	bool is_number = v.kind == PRINT_IS_NUMBER, is_signed = v.size < 4 || v.is_signed;
	uint8_t size = v.size < 4 ? 4 : v.size;

	if (n->op == '!')
		return number(is_number ? !v.num : 0, 4, true);
	if (!is_number)
		return number(0, 4, true);
	return number(n->op == '~' ? ~v.num : -v.num, size, is_signed);
}

/* An address counts as true, and has no other number. */
static struct print_value as_number(struct print_value v)
{
	return v.kind == PRINT_IS_NUMBER ? v : number(1, 8, false);
}

/* trace_print_symbols_seq() */
static struct print_value eval_symbolic(struct print_run *run, const struct print_node *n)
{
	const struct printfmt *p = run->print;
	struct print_value v = print_eval(run, n->a);
	size_t from;

	for (uint32_t i = n->b; i; i = p->nodes.data[i].b) {
		struct print_value is = print_eval(run, p->nodes.data[i].a);

		if (is.kind == PRINT_IS_NUMBER && v.kind == PRINT_IS_NUMBER && print_cut(is.num, v.size, v.is_signed) == v.num)
			return text(p->pool.data + p->nodes.data[i].num);
	}
	from = begin(run);
	put(run, "0x%" PRIx64, v.num);
	return end(run, from);
}

/* trace_print_flags_seq() */
static struct print_value eval_flags(struct print_run *run, const struct print_node *n)
{
	const struct printfmt *p = run->print;
	struct print_value v = print_eval(run, n->a);
	uint64_t rest = v.kind == PRINT_IS_NUMBER ? print_cut(v.num, v.size, false) : 0;
	size_t from = begin(run);
	bool any = false;

	for (uint32_t i = n->b; i && rest; i = p->nodes.data[i].b) {
		struct print_value mask = print_eval(run, p->nodes.data[i].a);

		if (mask.kind != PRINT_IS_NUMBER || (rest & mask.num) != mask.num)
			continue;
		put(run, "%s%s", any ? p->pool.data + n->num : "", p->pool.data + p->nodes.data[i].num);
		rest &= ~mask.num;
		any = true;
	}
	if (rest)
		put(run, "%s0x%" PRIx64, any ? p->pool.data + n->num : "", rest);
	return end(run, from);
}

static struct print_value eval_hex(struct print_run *run, const struct print_node *n)
{
	struct print_value v = print_eval(run, n->a), nr = print_eval(run, n->b);
	size_t len = v.kind == PRINT_IS_NUMBER ? 0 : nr.num < v.len ? nr.num : v.len, from = begin(run);

	for (size_t i = 0; i < len; i++)
		put(run, "%s%02x", i && n->num ? " " : "", (unsigned char)v.bytes[i]);
	return end(run, from);
}

/* trace_print_array_seq(): "{0x1,0x2}" */
static struct print_value eval_array(struct print_run *run, const struct print_node *n)
{
	struct print_value v = print_eval(run, n->a), nr = print_eval(run, n->b), size = print_eval(run, n->c);
	size_t from = begin(run), len;

	if (v.kind != PRINT_IS_BYTES || (size.num != 1 && size.num != 2 && size.num != 4 && size.num != 8))
		return text("{}");
	len = nr.num < v.len / size.num ? nr.num : v.len / size.num;
	put(run, "{");
	for (size_t i = 0; i < len && run->used < sizeof(run->scratch) - 1; i++)
		put(run, "%s0x%" PRIx64, i ? "," : "", print_load(v.bytes + i * size.num, size.num, false));
	put(run, "}");
	return end(run, from);
}

/* Bits as "0-3,7", or in words of 32 bits as "1,0000000f" (bitmap_string(), lib/vsprintf.c). */
struct print_value print_mask(struct print_run *run, const struct print_node *n)
{
	struct print_value v = print_eval(run, n->a);
	size_t from = begin(run), bits = v.kind == PRINT_IS_BYTES ? 8 * (v.len < MASK_BYTES_MAX ? v.len : MASK_BYTES_MAX) : 0;
	bool any = false;

	for (size_t i = 0, to; n->num && i < bits; i++) {
		if (!(v.bytes[i / 8] >> i % 8 & 1))
			continue;
		for (to = i; to + 1 < bits && v.bytes[(to + 1) / 8] >> (to + 1) % 8 & 1; to++)
			;
		put(run, to > i ? "%s%zu-%zu" : "%s%zu", any ? "," : "", i, to);
		any = true;
		i = to;
	}
	for (size_t word = bits / 32; !n->num && word; word--) {
		put(run, "%s%08x", any ? "," : "", (uint32_t)print_load(v.bytes + 4 * (word - 1), 4, false));
		any = true;
	}
	return end(run, from);
}

struct print_value print_eval(struct print_run *run, uint32_t node)
{
	const struct printfmt *p = run->print;
	const struct print_node *n = &p->nodes.data[node];
	struct print_value a, b;

	switch (n->kind) {
	case PRINT_NUMBER:
		return number(n->num, n->size, n->is_signed);
	case PRINT_LITERAL:
		return text(p->pool.data + n->num);
	case PRINT_FIELD:
		return eval_field(run, n);
	case PRINT_DYNAMIC:
	case PRINT_DYNAMIC_LEN:
		return eval_dynamic(run, n);
	case PRINT_UNARY:
		return eval_unary(run, n);
	case PRINT_BINARY:
		a = as_number(print_eval(run, n->a));
		b = as_number(print_eval(run, n->b));
		return print_binary(n->op, &a, &b);
	case PRINT_CHOICE:
		return print_eval(run, as_number(print_eval(run, n->a)).num ? n->b : n->c);
	case PRINT_CAST:
		return eval_cast(run, n);
	case PRINT_INDEX:
		return eval_index(run, n);
	case PRINT_SYMBOLIC:
		return eval_symbolic(run, n);
	case PRINT_FLAGS:
		return eval_flags(run, n);
	case PRINT_HEX:
		return eval_hex(run, n);
	case PRINT_ARRAY:
		return eval_array(run, n);
	case PRINT_MASK:
		return print_mask(run, n);
	}
	return number(0, 8, false);
}
