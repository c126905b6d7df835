/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operands: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation; DWARF numbers: System V psABI x86-64, AADWARF64. */
#include "event/usdtarg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#define PERCENT "%"
static const struct {
	const char *names[4]; /* of 8, 4, 2 and 1 bytes */
} regs[] = {
	{ { "rax", "eax", "ax", "al" } },      { { "rdx", "edx", "dx", "dl" } },	{ { "rcx", "ecx", "cx", "cl" } },
	{ { "rbx", "ebx", "bx", "bl" } },      { { "rsi", "esi", "si", "sil" } },	{ { "rdi", "edi", "di", "dil" } },
	{ { "rbp", "ebp", "bp", "bpl" } },     { { "rsp", "esp", "sp", "spl" } },	{ { "r8", "r8d", "r8w", "r8b" } },
	{ { "r9", "r9d", "r9w", "r9b" } },     { { "r10", "r10d", "r10w", "r10b" } }, { { "r11", "r11d", "r11w", "r11b" } },
	{ { "r12", "r12d", "r12w", "r12b" } }, { { "r13", "r13d", "r13w", "r13b" } }, { { "r14", "r14d", "r14w", "r14b" } },
	{ { "r15", "r15d", "r15w", "r15b" } }, { { "rip", "eip", "ip", "" } },
};

int reg_by_name(const char *name, uint32_t len, uint8_t *ret_size)
{
	for (size_t i = 0; i < sizeof(regs) / sizeof(*regs); i++)
		for (int w = 0; w < 4; w++)
			if (len && strlen(regs[i].names[w]) == len && !memcmp(regs[i].names[w], name, len)) {
				*ret_size = 8 >> w;
				return (int)i;
			}
	return -1;
}
#else
#define PERCENT ""
int reg_by_name(const char *name, uint32_t len, uint8_t *ret_size)
{
	char text[8] = "";
	unsigned n;

	if (len == 2 && !memcmp(name, "sp", 2)) {
		*ret_size = 8;
		return 31;
	}
	if (len < 2 || len > 3 || (*name != 'x' && *name != 'w'))
		return -1;
	memcpy(text, name + 1, len - 1);
	n = strspn(text, "0123456789") == len - 1 ? atoi(text) : 32;
	*ret_size = *name == 'x' ? 8 : 4;
	return n < 31 ? (int)n : -1;
}
#endif

/* The next argument of the text and its length. Operands have no spaces but after the commas of [x0, 8]. */
static const char *next(const char *at, size_t *ret_len)
{
	int depth = 0;
	size_t n = 0;

	while (*at == ' ')
		at++;
	for (; at[n] && (depth || at[n] != ' '); n++) {
		depth += at[n] == '[';
		depth -= at[n] == ']' && depth;
	}
	*ret_len = n;
	return n ? at : NULL;
}

uint32_t usdt_nr_args(const char *args)
{
	uint32_t n = 0;
	size_t len;

	for (const char *at = args; (at = next(at, &len)); at += len)
		n++;
	return n;
}

/* A register at *at, which moves after it. */
static int take_reg(const char **at, const char *end, uint8_t *ret_size)
{
	const char *name = *at;
	size_t n = 0, percent = strlen(PERCENT);
	int reg;

	if ((size_t)(end - name) <= percent || memcmp(name, PERCENT, percent))
		return -1;
	name += percent;
	while (name + n < end && strchr("abcdefghijklmnopqrstuvwxyz0123456789", name[n]))
		n++;
	reg = reg_by_name(name, n, ret_size);
	*at = name + n;
	return reg;
}

static bool take_number(const char **at, int64_t *ret_num)
{
	char *end;

	errno = 0;
	*ret_num = strtoll(*at, &end, 0);
	if (errno || end == *at)
		return false;
	*at = end;
	return true;
}

#ifdef __x86_64__
/* "16(%rbp,%rax,8)": all but the brackets may be missing. */
static int parse_memory(const char *at, const char *end, struct usdt_arg *a)
{
	uint8_t size;
	int64_t scale = 1;

	a->num = 0;
	if (*at != '(' && !take_number(&at, &a->num))
		return -EOPNOTSUPP; /* a symbol's address */
	if (at >= end || *at++ != '(')
		return -EOPNOTSUPP;
	a->reg = take_reg(&at, end, &size);
	if (a->reg < 0 || size != 8)
		return -EOPNOTSUPP;
	if (at < end && *at == ',') {
		at++;
		a->index = take_reg(&at, end, &size);
		if (a->index < 0)
			return -EOPNOTSUPP;
		if (at < end && *at == ',' && (at++, !take_number(&at, &scale)))
			return -EOPNOTSUPP;
	}
	a->scale = (uint32_t)scale;
	a->place = USDT_MEMORY;
	return at + 1 == end && *at == ')' && scale >= 0 && scale <= 8 ? 0 : -EOPNOTSUPP;
}
#else
/* "[sp, 16]" */
static int parse_memory(const char *at, const char *end, struct usdt_arg *a)
{
	uint8_t size;

	a->num = 0;
	if (*at++ != '[')
		return -EOPNOTSUPP;
	a->reg = take_reg(&at, end, &size);
	if (a->reg < 0)
		return -EOPNOTSUPP;
	if (at < end && *at == ',') {
		for (at++; at < end && *at == ' '; at++)
			;
		if (!take_number(&at, &a->num))
			return -EOPNOTSUPP;
	}
	a->place = USDT_MEMORY;
	return at + 1 == end && *at == ']' ? 0 : -EOPNOTSUPP;
}
#endif

static int parse(const char *at, const char *end, struct usdt_arg *ret_arg)
{
	struct usdt_arg a = { .index = -1, .scale = 1, .size = 8 };
	const char *from = at;
	int64_t size;
	uint8_t width;

	if (memchr(at, '@', (size_t)(end - at))) {
		if (!take_number(&at, &size) || *at != '@') /* "8f@": a float */
			return -EOPNOTSUPP;
		at++;
		a.is_signed = size < 0;
		size = size < 0 ? -size : size;
		if (size != 1 && size != 2 && size != 4 && size != 8)
			return -EOPNOTSUPP;
		a.size = (uint8_t)size;
	}
	from = at;
	if (at < end && (*at == '$' || !*PERCENT)) {
		at += *at == '$';
		if (take_number(&at, &a.num) && at == end) {
			*ret_arg = a;
			return 0;
		}
		at = from;
	}
	a.reg = take_reg(&at, end, &width);
	a.place = USDT_REG;
	if (a.reg < 0 || at != end) {
		int ret = parse_memory(from, end, &a);

		if (ret)
			return ret;
	}
	*ret_arg = a;
	return 0;
}

int usdt_arg(const char *args, uint32_t i, struct usdt_arg *ret_arg)
{
	size_t len = 0;
	const char *at = next(args, &len);

	for (; at && i; i--)
		at = next(at + len, &len);
	return at ? parse(at, at + len, ret_arg) : -ENOENT;
}
