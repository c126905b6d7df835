/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hostile bytes to printable text; see text.h. No state, no allocation. */
#include "util/text.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

#define WRAP_LEAST 8 /* characters of a line, however narrow it is */
#define HEX_LEN 4 /* \xNN */
#define PIECE_MAX (4 * HEX_LEN + 1)

int utf8_decode(const char *text, uint32_t *ret_code)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t code, least;
	int len;

	if (p[0] < 0x80) {
		*ret_code = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	least = len == 2 ? 0x80 : len == 3 ? 0x800 : 0x10000;
	code = p[0] & (0x7f >> len);
	for (int i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return len;
}

int text_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* How many bytes from its begin on are printable ASCII. */
static size_t plain_length(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] < 0x7f)
		n++;
	return n;
}

char *text_decimal(char *end, uint64_t n)
{
	do
		*--end = (char)('0' + n % 10);
	while (n /= 10);
	return end;
}

char *text_fraction(char *end, uint64_t n, uint64_t unit, int decimals)
{
	uint64_t smallest = unit;

	for (int i = 0; i < decimals; i++)
		smallest /= 10;
	n = (n + smallest / 2) / smallest;
	for (int i = 0; i < decimals; i++, n /= 10)
		*--end = (char)('0' + n % 10);
	*--end = '.';
	return text_decimal(end, n);
}

char *text_seconds(char *end, int64_t ns, int decimals)
{
	end = text_fraction(end, ns < 0 ? -ns : ns, 1000000000, decimals);
	if (ns < 0)
		*--end = '-';
	return end;
}

void text_pad(FILE *out, size_t len, size_t width)
{
	while (len++ < width)
		putc_unlocked(' ', out);
}

void text_right(FILE *out, const char *begin, const char *end, size_t width)
{
	text_pad(out, end - begin, width);
	fwrite(begin, 1, end - begin, out);
}

/* One character of the text, escaped; returns how many bytes of the text it was. */
static int piece(const char *text, char out[PIECE_MAX])
{
	uint32_t code;
	int len = utf8_decode(text, &code);

	if (len && !text_is_control(code)) {
		memcpy(out, text, len);
		out[len] = '\0';
		return len;
	}
	if (!len)
		len = 1;
	for (int i = 0; i < len; i++)
		snprintf(out + i * HEX_LEN, HEX_LEN + 1, "\\x%02x", (unsigned char)text[i]);
	return len;
}

void text_hex(char *out, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 0xf];
	}
	*out = '\0';
}

void text_wrap(FILE *out, const char *text, size_t used, size_t columns, size_t indent)
{
	while (*text) {
		size_t room = columns > used + WRAP_LEAST ? columns - used : WRAP_LEAST, n = strlen(text), cut;

		if (columns && text_width(text) > room) {
			n = text_bytes(text, room);
			for (cut = n; cut && text[cut] != ' '; cut--)
				;
			n = cut ? cut : used > indent ? 0 : n; /* a word that has no room here may have it in the next line */
		}
		fwrite(text, 1, n, out);
		text += n;
		text += strspn(text, " ");
		if (*text)
			fprintf(out, "\n%*s", (int)indent, "");
		used = indent;
	}
}

void text_print(FILE *out, const char *text)
{
	char buf[PIECE_MAX];

	while (*text) {
		size_t n = plain_length(text);

		fwrite(text, 1, n, out);
		text += n;
		if (!*text)
			break;
		text += piece(text, buf);
		fputs(buf, out);
	}
}

size_t text_escape(char *buf, size_t size, const char *text)
{
	size_t plain = plain_length(text), used = plain < size ? plain : 0, len = used;
	char tmp[PIECE_MAX];

	if (used)
		memcpy(buf, text, used);
	text += used;
	while (*text) {
		size_t n;

		text += piece(text, tmp);
		n = strlen(tmp);
		if (len == used && used + n < size) {
			memcpy(buf + used, tmp, n);
			used += n;
		}
		len += n;
	}
	if (size)
		buf[used] = '\0';
	return len;
}

size_t text_shell(char *buf, size_t size, size_t len, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
	bool coded = text_escape(NULL, 0, text) != strlen(text);
	char tmp[PIECE_MAX];

	if (*text && !text[strspn(text, plain)])
		return text_append(buf, size, len, "%s", text);
	len = text_append(buf, size, len, coded ? "$'" : "'");
	while (*text) {
		bool is_quote = *text == '\'', is_escape = coded && (is_quote || *text == '\\');

		text += piece(text, tmp);
		len = text_append(buf, size, len, is_escape ? "\\%s" : is_quote ? "'\\'%s" : "%s", tmp);
	}
	return text_append(buf, size, len, "'");
}

/*
 * How many bytes the character at text has, and in *ret_cells how many columns of a terminal: two of CJK and most emoji, none of an accent that
 * joins the character before it. By the C library's tables of C.UTF-8, whatever the locale is.
 */
static size_t character(const char *text, size_t *ret_cells)
{
	static locale_t utf8;
	uint32_t code;
	locale_t before;
	int n, cells;

	*ret_cells = 1;
	if (!((unsigned char)*text & 0x80))
		return 1;
	n = utf8_decode(text, &code);
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (n <= 0 || !utf8)
		return n > 0 ? (size_t)n : 1;
	before = uselocale(utf8);
	cells = wcwidth((wchar_t)code);
	uselocale(before);
	*ret_cells = cells >= 0 ? (size_t)cells : 1;
	return (size_t)n;
}

bool text_ends(const char *text, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n > m && !memcmp(text + n - m, end, m);
}

size_t text_width(const char *text)
{
	size_t width = 0, cells;

	while (*text) {
		text += character(text, &cells);
		width += cells;
	}
	return width;
}

size_t text_bytes(const char *text, size_t columns)
{
	size_t at = 0, cells, n;

	while (text[at]) {
		n = character(text + at, &cells);
		if (cells > columns)
			break;
		columns -= cells;
		at += n;
	}
	return at;
}

void text_print_csv(FILE *out, const char *text, const char *sep)
{
	size_t plain = plain_length(text), len = plain + strlen(text + plain);
	char buf[PIECE_MAX];

	if (sep && !memchr(text, '"', len) && !(*sep && strstr(text, sep)) && (plain == len || text_escape(NULL, 0, text) == len)) {
		fwrite(text, 1, len, out);
		return;
	}
	putc('"', out);
	while (*text) {
		if (*text == '"')
			putc('"', out);
		text += piece(text, buf);
		fputs(buf, out);
	}
	putc('"', out);
}

size_t text_vappend(char *buf, size_t size, size_t len, const char *form, va_list args)
{
	int n = vsnprintf(buf + len, size - len, form, args);

	return n < 0 ? len : (size_t)n < size - len ? len + n : size - 1;
}

size_t text_append(char *buf, size_t size, size_t len, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	len = text_vappend(buf, size, len, form, args);
	va_end(args);
	return len;
}

void text_frame(char *buf, const char *name)
{
	size_t room = TEXT_FRAME_BYTES - (sizeof("...") - 1);
	size_t n = text_escape(buf, room, name && *name ? name : "[unknown]");

	for (char *p = buf; (p = strchr(p, ';'));)
		*p = ':';
	if (n >= room)
		strcat(buf, "...");
}
