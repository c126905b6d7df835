/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text that came from traced processes: any bytes at all. These calls make it safe to print. Valid
 * UTF-8 passes; control characters (C0, DEL, C1), characters that reorder or break a line
 * (U+2028/9, bidi controls) and bytes that are not UTF-8 become \xNN, byte by byte.
 */
#ifndef SKEP_UTIL_TEXT_H
#define SKEP_UTIL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The character at text (not its end) as ret_code; returns its length in bytes, or 0 when the bytes are not UTF-8 (RFC 3629). */
int utf8_decode(const char *text, uint32_t *ret_code);

/* True for a character that must not reach a terminal as it is. */
int text_is_control(uint32_t code);

/*
 * Writes the escaped text as a field of a CSV file, in quotes, those in it doubled (RFC 4180), when it holds a quote, the separator
 * or what is escaped. sep NULL: always in quotes.
 */
void text_print_csv(FILE *out, const char *text, const char *sep);

/* n in decimal, its last digit in front of end, without a NUL. Returns where it begins: at most 20 bytes in front of end. */
char *text_decimal(char *end, uint64_t n);

/* n in units, rounded to so many decimals, likewise: 1234567 of 1000000 is "1.235". At most 22 bytes. */
char *text_fraction(char *end, uint64_t n, uint64_t unit, int decimals);

/* The same of ns in s; less than 0 with its sign. */
char *text_seconds(char *end, int64_t ns, int decimals);

/* Blanks after len characters, up to a width; and a column of that width with text at its right. One thread writes to the stream. */
void text_pad(FILE *out, size_t len, size_t width);
void text_right(FILE *out, const char *begin, const char *end, size_t width);

/* printf() after the len bytes that are in buf[size], cut at its end. Returns the new length, less than size. */
size_t text_append(char *buf, size_t size, size_t len, const char *form, ...) __attribute__((format(printf, 4, 5)));
size_t text_vappend(char *buf, size_t size, size_t len, const char *form, va_list args) __attribute__((format(printf, 4, 0)));

/* Appends text likewise, as one word of a shell: in quotes where it needs some; what is escaped in bash's own, as $'\x0a'. */
size_t text_shell(char *buf, size_t size, size_t len, const char *text);

/* Writes the escaped text. Errors stay in the stream (ferror). */
void text_print(FILE *out, const char *text);

/*
 * The same into a buffer, cut at a character's end and always NUL-terminated when size > 0. Returns
 * the length the whole result has, as snprintf does.
 */
size_t text_escape(char *buf, size_t size, const char *text);

/* n bytes as 2 * n hexadecimal digits in lower case and a NUL, in out[2 * n + 1]. */
void text_hex(char *out, const uint8_t *bytes, size_t n);

/* Do the n bytes of text end in `end`, with something before it? */
bool text_ends(const char *text, size_t n, const char *end);

/* Of escaped text: how many columns of a terminal it takes, and how many bytes of it have room in `columns`. */
size_t text_width(const char *text);
size_t text_bytes(const char *text, size_t columns);

/*
 * Escaped text, broken between words, if it can be, so that no line has more than `columns` characters (0: any number). `used` characters
 * stand before it; what follows the first line is indented.
 */
void text_wrap(FILE *out, const char *text, size_t used, size_t columns, size_t indent);

/*
 * A name as a frame of a folded stack, escaped: ';' separates frames, so it becomes ':'; NULL and "" are [unknown]; one that is cut ends
 * with "...". buf has TEXT_FRAME_BYTES.
 */
#define TEXT_FRAME_BYTES (1024 + sizeof("...") - 1)
void text_frame(char *buf, const char *name);

#endif
