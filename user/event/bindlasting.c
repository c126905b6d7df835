/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The values of a probe of tracefs, from the words that the kernel fetches them by (Documentation/trace/kprobetrace.rst): "%di:s32",
 * "+4(%si):string", "$retval". To expressions they are names like any other.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/binder.h"
#include "event/lasting.h"
#include "event/usdtarg.h"

#define DEPTH_MAX 16
#define WORD 8

struct fetch {
	struct binder *b;
	const struct lasting_arg *arg;
	const char *at; /* in arg->fetch */
	int depth;
};

static int bad(struct fetch *f, const char *why)
{
	return err_exit(f->b->err, -EINVAL, EXIT_USAGE, "cannot read '%.64s' of '%s', '%.200s': %s", f->arg->name, f->b->env->what, f->arg->fetch, why);
}

static bool accept(struct fetch *f, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(f->at, word, n) != 0)
		return false;
	f->at += n;
	return true;
}

static bool take_number(struct fetch *f, int64_t *ret_num)
{
	char *end;

	errno = 0;
	*ret_num = (int64_t)strtoull(f->at, &end, 0);
	if (errno || end == f->at)
		return false;
	f->at = end;
	return true;
}

static int add(struct fetch *f, struct bound n)
{
	return binder_add(f->b, 0, n);
}

static int take_register(struct fetch *f)
{
	size_t n = 0;
	uint8_t size;
	int reg;

	while (islower((unsigned char)f->at[n]) || isdigit((unsigned char)f->at[n]))
		n++;
	reg = reg_by_name(f->at, n, &size);
	f->at += n;
	return reg < 0 ? bad(f, "no such register") : add(f, (struct bound){ .kind = BOUND_REG, .num = reg });
}

/* An argument by its number: of a kernel function's entry. */
static int take_arg(struct fetch *f)
{
	int64_t n;

	if (!take_number(f, &n) || n < 1 || n > f->b->env->nr_regs)
		return bad(f, "that argument is in no register");
	f->b->probe->needs_entry |= f->b->env->is_return; /* since Linux 6.9 it is what the call was entered with */
	return add(f, (struct bound){ .kind = BOUND_ARG, .num = n - 1 });
}

/* A value's node; or -errno. *ret_memory: it is not read yet, but at *ret_off from the node on. */
static int take_place(struct fetch *f, bool *ret_memory, int64_t *ret_off)
{
	bool is_inner_memory, is_minus;
	int64_t off, inner_off;
	int node;

	*ret_memory = false;
	*ret_off = 0;
	if (f->depth++ == DEPTH_MAX)
		return bad(f, "nested too deep");
	if (accept(f, "%"))
		return take_register(f);
	if (accept(f, "$retval"))
		return f->b->env->is_return ? add(f, (struct bound){ .kind = BOUND_RET }) : bad(f, "only a return has it");
	if (accept(f, "$arg"))
		return take_arg(f);
	if (accept(f, "$stack")) {
		*ret_memory = take_number(f, ret_off);
		*ret_off = (int64_t)((uint64_t)*ret_off * WORD);
		return add(f, (struct bound){ .kind = BOUND_SP });
	}
	if (accept(f, "\\")) {
		if (!take_number(f, &off))
			return bad(f, "only numbers can be constants");
		return add(f, (struct bound){ .kind = BOUND_NUMBER, .num = (uint64_t)off });
	}
	is_minus = *f->at == '-';
	if (!accept(f, "+") && !accept(f, "-"))
		return bad(f, "skep reads registers, returned values, and memory that they lead to");
	accept(f, "u");
	if (!take_number(f, &off) || !accept(f, "("))
		return bad(f, "expected an offset and a place in brackets");
	node = take_place(f, &is_inner_memory, &inner_off);
	if (node >= 0 && is_inner_memory)
		node = add(f, (struct bound){ .kind = BOUND_LOAD, .a = node, .num = (uint64_t)inner_off, .size = WORD });
	if (node >= 0 && !accept(f, ")"))
		return bad(f, "no closing bracket");
	*ret_memory = true;
	*ret_off = is_minus ? (int64_t)(0 - (uint64_t)off) : off;
	return node;
}

/* "b3@0/32": 3 bits from bit 0 on of 32. */
static int take_bits(struct fetch *f, int node, bool is_memory, int64_t off, struct operand *v)
{
	int64_t bits, from, of;

	f->at++;
	if (!take_number(f, &bits) || !accept(f, "@") || !take_number(f, &from) || !accept(f, "/") || !take_number(f, &of) || *f->at)
		return bad(f, "expected bWIDTH@OFFSET/CONTAINER");
	if ((of != 8 && of != 16 && of != 32 && of != 64) || bits < 1 || from < 0 || bits > of || from > of - bits)
		return bad(f, "such bits there are none");
	if (is_memory)
		node = add(f, (struct bound){ .kind = BOUND_LOAD, .a = node, .num = (uint64_t)off, .size = of / 8 });
	if (node >= 0)
		node = add(f, (struct bound){ .kind = BOUND_BITS, .a = node, .num = from, .bits = bits });
	*v = operand_number(node, WORD, false);
	return node < 0 ? node : 0;
}

static int take_text(struct fetch *f, int node, bool is_memory, int64_t off, struct operand *v)
{
	if (!is_memory)
		return bad(f, "a string is in memory");
	if (off) {
		int by = add(f, (struct bound){ .kind = BOUND_NUMBER, .num = (uint64_t)off });

		node = by < 0 ? by : add(f, (struct bound){ .kind = BOUND_BINARY, .op = OP_ADD, .a = node, .b = by });
	}
	*v = (struct operand){ .kind = OPERAND_TEXT, .node = node };
	return node < 0 ? node : 0;
}

/* The type after the colon; without one it is that of the kernel's field, or x64 (DEFAULT_FETCH_TYPE, kernel/trace/trace_probe.h). */
static int take_type(struct fetch *f, int node, bool is_memory, int64_t off, struct operand *v)
{
	uint8_t show = VALUE_HEX, size = WORD;
	bool is_signed = false;
	int64_t bits;

	if (!*f->at)
		f->at = f->arg->type;
	else if (!accept(f, ":") || !*f->at)
		return bad(f, "expected its type");
	if (*f->at) {
		if (!strcmp(f->at, "string") || !strcmp(f->at, "ustring"))
			return take_text(f, node, is_memory, off, v);
		if (*f->at == 'b')
			return take_bits(f, node, is_memory, off, v);
		is_signed = *f->at == 's';
		show = *f->at == 'x' ? VALUE_HEX : is_signed ? VALUE_SIGNED : VALUE_NUMBER;
		if (!strcmp(f->at, "symbol")) {
			show = VALUE_SYMBOL;
		} else if (!strcmp(f->at, "char")) {
			show = VALUE_CHAR;
			size = 1;
		} else if (strchr("sux", *f->at) && *f->at++ && take_number(f, &bits) && !*f->at && (bits == 8 || bits == 16 || bits == 32 || bits == 64)) {
			size = bits / 8;
		} else {
			return bad(f, "skep does not know its type");
		}
	}
	if (is_memory)
		node = add(f, (struct bound){ .kind = BOUND_LOAD, .a = node, .num = (uint64_t)off, .size = size, .is_signed = is_signed });
	else if (size < WORD)
		node = add(f, (struct bound){ .kind = BOUND_CUT, .a = node, .size = size, .is_signed = is_signed });
	*v = operand_number(node, size, is_signed);
	v->show = show;
	return node < 0 ? node : 0;
}

int bind_lasting(struct binder *b, const struct lasting_arg *arg, struct operand *ret_value)
{
	struct fetch f = { b, arg, arg->fetch, 0 };
	bool is_memory;
	int64_t off;
	int node;

	if (!strncmp(arg->fetch, "$comm", strlen("$comm"))) {
		*ret_value = (struct operand){ .kind = OPERAND_COMM };
		return 0;
	}
	node = take_place(&f, &is_memory, &off);
	return node < 0 ? node : take_type(&f, node, is_memory, off, ret_value);
}
