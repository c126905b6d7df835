/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of a record: printk()'s conversions, of which %p has many (lib/vsprintf.c, pointer()). */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "event/printnode.h"

#define WIDTH_MAX 256
#define CELL_MAX 512

struct out {
	char *buf;
	size_t size, len;
};

static void put(struct out *o, const char *text, size_t len)
{
	size_t room = o->size - 1 - o->len;

	len = len < room ? len : room;
	memcpy(o->buf + o->len, text, len);
	o->len += len;
}

static void fill(struct out *o, char c, int n)
{
	for (; n > 0 && o->len + 1 < o->size; n--)
		put(o, &c, 1);
}

static const char *parse_width(const char *at, bool *ret_is_arg, int *ret_width)
{
	if (*at == '*') {
		*ret_is_arg = true;
		return at + 1;
	}
	for (*ret_width = 0; isdigit((unsigned char)*at); at++)
		*ret_width = *ret_width < WIDTH_MAX ? *ret_width * 10 + (*at - '0') : WIDTH_MAX;
	return at;
}

bool print_spec_parse(const char *begin, struct print_spec *ret_spec)
{
	struct print_spec s = { .size = 4 };
	const char *at = begin + 1;
	size_t n = 0;

	for (; *at && strchr("-+ #0", *at); at++) {
		s.left |= *at == '-';
		s.plus |= *at == '+';
		s.space |= *at == ' ';
		s.hash |= *at == '#';
		s.zero |= *at == '0';
	}
	at = parse_width(at, &s.width_is_arg, &s.width);
	if (*at == '.') {
		s.has_precision = true;
		at = parse_width(at + 1, &s.precision_is_arg, &s.precision);
	}
	for (; *at && strchr("hlLzjt", *at); at++)
		s.size = *at == 'h' ? s.size / 2 : 8;
	s.what = *at == 'i' ? 'd' : *at;
	if (!*at || !strchr("duxXocsp%", s.what) || !s.size)
		return false;
	at++;
	if (s.what == 'p') {
		while (isalnum((unsigned char)at[n]))
			n++;
		memcpy(s.how, at, n < sizeof(s.how) - 1 ? n : sizeof(s.how) - 1);
		at += n;
		/* What takes an address that is not in the record, or that nothing needs yet. */
		if (s.how[0] && !strchr("sSfFBKxiIMmUhb", s.how[0]))
			return false;
	}
	s.len = at - begin;
	*ret_spec = s;
	return true;
}

/* A number in its width: sign, 0x, zeroes. */
static void put_number(struct out *o, const struct print_spec *s, uint64_t num)
{
	char digits[72], *end = digits + sizeof(digits), *at = end;
	unsigned base = s->what == 'o' ? 8 : s->what == 'x' || s->what == 'X' ? 16 : 10;
	const char *set = s->what == 'X' ? "0123456789ABCDEF" : "0123456789abcdef", *prefix = "";
	bool is_negative = s->what == 'd' && (int64_t)num < 0;
	int pad;

	if (s->hash && num)
		prefix = s->what == 'x' ? "0x" : s->what == 'X' ? "0X" : s->what == 'o' ? "0" : "";
	if (s->what == 'd')
		prefix = is_negative ? "-" : s->plus ? "+" : s->space ? " " : "";
	num = is_negative ? -num : num;
	do {
		*--at = set[num % base];
		num /= base;
	} while (num);
	while (s->has_precision && end - at < s->precision && at > digits)
		*--at = '0';
	pad = s->width - (int)(end - at) - (int)strlen(prefix);
	if (!s->left && (!s->zero || s->has_precision))
		fill(o, ' ', pad);
	put(o, prefix, strlen(prefix));
	if (!s->left && s->zero && !s->has_precision)
		fill(o, '0', pad);
	put(o, at, end - at);
	if (s->left)
		fill(o, ' ', pad);
}

static void put_text(struct out *o, const struct print_spec *s, const char *text, size_t len)
{
	len = s->has_precision && (size_t)s->precision < len ? (size_t)s->precision : len;
	len = strnlen(text, len);
	if (!s->left)
		fill(o, ' ', s->width - (int)len);
	put(o, text, len);
	if (s->left)
		fill(o, ' ', s->width - (int)len);
}

/* %pI4, %pI6, %pI6c, %pISpc */
static size_t address_text(const char *how, const struct print_value *v, char *buf, size_t size)
{
	const unsigned char *b = (const unsigned char *)v->bytes;
	bool is_short = strchr(how, 'c'), has_port = strchr(how, 'p');
	uint16_t family = 0;
	size_t n = 0;

	if (how[1] == 'S' && v->len >= 16) {
		memcpy(&family, b, sizeof(family));
		if (family == AF_INET) {
			n = snprintf(buf, size, "%u.%u.%u.%u", b[4], b[5], b[6], b[7]);
		} else if (family == AF_INET6 && v->len >= 28) {
			buf[n++] = '[';
			inet_ntop(AF_INET6, b + 8, buf + n, size - n);
			n = strlen(buf);
			n += snprintf(buf + n, size - n, "]");
		} else {
			return snprintf(buf, size, "(no address)");
		}
		return has_port ? n + snprintf(buf + n, size - n, ":%u", b[2] << 8 | b[3]) : n;
	}
	if (how[1] == '4' && v->len >= 4)
		return snprintf(buf, size, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
	if (how[1] == '6' && v->len >= 16 && is_short && inet_ntop(AF_INET6, b, buf, size))
		return strlen(buf);
	for (int i = 0; how[1] == '6' && v->len >= 16 && i < 8; i++)
		n += snprintf(buf + n, size - n, "%s%02x%02x", i ? ":" : "", b[2 * i], b[2 * i + 1]);
	return n ? n : (size_t)snprintf(buf, size, "(no address)");
}

/* %pU: of 16 bytes, as they are or, with l, in the order of little endian */
static size_t uuid_text(const char *how, const struct print_value *v, char *buf, size_t size)
{
	static const uint8_t big[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
			     little[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *order = (how[1] | 0x20) == 'l' ? little : big;
	size_t n = 0;

	for (int i = 0; i < 16 && v->len >= 16; i++)
		n += snprintf(buf + n, size - n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)v->bytes[order[i]]);
	return n ? n : (size_t)snprintf(buf, size, "(no uuid)");
}

static size_t hex_text(const struct print_value *v, size_t len, const char *between, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && i < v->len && n + 4 < size; i++)
		n += snprintf(buf + n, size - n, "%s%02x", i ? between : "", (unsigned char)v->bytes[i]);
	return n;
}

/* %p of an address, or of bytes in the record. False: of this value there is no such text. */
static bool put_pointer(struct out *o, struct print_spec *s, const struct print_value *v, const struct printfmt_names *names)
{
	char cell[CELL_MAX];
	const char *name = NULL;
	size_t n = 0;

	if (v->kind == PRINT_IS_NUMBER) {
		if (s->how[0] && strchr("sSfFB", s->how[0]) && names && names->symbol)
			name = names->symbol(names->arg, v->num, cell, sizeof(cell));
		if (!name && s->how[0] && !strchr("sSfFBKx", s->how[0]))
			return false;
		if (!name && !v->num && !(s->how[0] && strchr("sSfFB", s->how[0])))
			n = snprintf(cell, sizeof(cell), "(nil)"); /* as libc's printf(), which perf uses */
		else if (!name)
			n = snprintf(cell, sizeof(cell), "0x%llx", (unsigned long long)v->num);
		else if (s->how[0] == 's' || s->how[0] == 'f') /* without the offset */
			n = strcspn(name, "+");
		else
			n = strlen(name);
		put_text(o, s, name ? name : cell, n);
		return true;
	}
	switch (s->how[0]) {
	case 'i':
	case 'I':
		n = address_text(s->how, v, cell, sizeof(cell));
		break;
	case 'M':
	case 'm':
		n = hex_text(v, 6, s->how[0] == 'M' ? ":" : "", cell, sizeof(cell));
		break;
	case 'U':
		n = uuid_text(s->how, v, cell, sizeof(cell));
		break;
	case 'h':
		n = hex_text(v, s->width, s->how[1] == 'C' ? ":" : s->how[1] == 'D' ? "-" : s->how[1] == 'N' ? "" : " ", cell, sizeof(cell));
		s->width = 0;
		break;
	default:
		return false;
	}
	put_text(o, s, cell, n);
	return true;
}

/* The next argument as a number, for * in a width. */
static int next_width(struct print_run *run, int *arg)
{
	struct print_value v = print_eval(run, run->print->args[(*arg)++]);
	int64_t n = v.kind == PRINT_IS_NUMBER ? (int64_t)v.num : 0;

	return n < 0 ? 0 : n < WIDTH_MAX ? (int)n : WIDTH_MAX;
}

static bool put_value(struct out *o, struct print_spec *s, struct print_value *v, const struct printfmt_names *names)
{
	char c;

	switch (s->what) {
	case 's':
		if (v->kind == PRINT_IS_NUMBER && v->num) /* an address in the kernel: whose, is not known here */
			return s->size = 8, s->hash = true, s->what = 'x', put_number(o, s, v->num), true;
		if (v->kind == PRINT_IS_NUMBER)
			put_text(o, s, "(null)", 6);
		else
			put_text(o, s, v->bytes, v->len);
		return true;
	case 'p':
		return put_pointer(o, s, v, names);
	case 'c':
		c = (char)v->num;
		put_text(o, s, &c, c != '\0');
		return true;
	default:
		if (v->kind != PRINT_IS_NUMBER)
			return false;
		put_number(o, s, print_cut(v->num, s->size, s->what == 'd'));
		return true;
	}
}

/* %*pb and %*pbl have the number of bits as their width. */
static void put_bitmap(struct out *o, struct print_run *run, const struct print_spec *s, int arg)
{
	struct print_node mask = { .kind = PRINT_MASK, .a = run->print->args[arg], .num = s->how[1] == 'l' };
	struct print_value v = print_mask(run, &mask);

	put(o, v.bytes, v.len);
}

size_t printfmt_text(const struct printfmt *print, const void *record, size_t bytes, const struct printfmt_names *names, char *buf, size_t size)
{
	struct print_run run; /* its scratch is not set: 4 KB for each hit */
	struct out o = { buf, size, 0 };
	int arg = 0;

	run.print = print;
	run.record = record;
	run.bytes = bytes;
	run.used = 0;
	for (const char *at = print->pool.data + print->text; *at;) {
		size_t plain = strcspn(at, "%");
		struct print_spec s;
		struct print_value v;

		put(&o, at, plain);
		at += plain;
		if (!*at || !print_spec_parse(at, &s))
			break;
		at += s.len;
		if (s.what == '%') {
			put(&o, "%", 1);
			continue;
		}
		if (s.width_is_arg)
			s.width = next_width(&run, &arg);
		if (s.precision_is_arg)
			s.precision = next_width(&run, &arg);
		if (s.what == 'p' && s.how[0] == 'b') {
			put_bitmap(&o, &run, &s, arg++);
			continue;
		}
		if (print->args[arg] == PRINT_NO_NODE) {
			put(&o, "?", 1);
			arg++;
			continue;
		}
		v = print_eval(&run, print->args[arg++]);
		if (!put_value(&o, &s, &v, names))
			put(&o, "?", 1);
	}
	o.buf[o.len] = '\0';
	return o.len;
}
