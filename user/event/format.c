/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A field is one line: "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;". */
#include "event/format.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "event/tracepoints.h"

#define PRINT_KEY "print fmt: "
#define FORMAT_BYTES_MAX (256 * 1024) /* the longest has 10,000, most of them print's */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Takes `word` from the front. */
static bool take(const char **at, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *at) < n || memcmp(*at, word, n))
		return false;
	*at += n;
	return true;
}

/* The number after `key` in the line. False: not there, or no 16 bits. */
static bool number_of(const char *at, const char *end, const char *key, uint32_t *ret_value)
{
	uint32_t value = 0;

	while (at < end && !take(&at, end, key))
		at++;
	if (at >= end || !isdigit((unsigned char)*at))
		return false;
	for (; at < end && isdigit((unsigned char)*at); at++) {
		value = value * 10 + (*at - '0');
		if (value > UINT16_MAX)
			return false;
	}
	*ret_value = value;
	return true;
}

static void skip_space(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
}

/* "const char * name", "char comm[16]", "__data_loc char[] name". */
static bool parse_declaration(const char *at, const char *end, struct format_field *f)
{
	const char *name;
	size_t n;

	skip_space(&at, end);
	if (take(&at, end, "__data_loc "))
		f->where = FORMAT_DATA_LOC;
	else if (take(&at, end, "__rel_loc "))
		f->where = FORMAT_REL_LOC;
	if (end > at && end[-1] == ']') {
		const char *after = end;

		while (end > at && *end != '[')
			end--;
		snprintf(f->array, sizeof(f->array), "%.*s", (int)(after - end), end);
	}
	for (name = end; name > at && is_name(name[-1]); name--)
		;
	n = end - name;
	if (!n || n >= sizeof(f->name))
		return false;
	memcpy(f->name, name, n);
	for (end = name; end > at && end[-1] == ' '; end--)
		;
	if (end - at > 2 && !memcmp(end - 2, "[]", 2)) {
		end -= 2;
		strcpy(f->array, "[]");
	}
	n = end - at;
	n = n < sizeof(f->type) ? n : sizeof(f->type) - 1;
	memcpy(f->type, at, n);
	return true;
}

static bool parse_field(const char *at, const char *end, struct format_field *f)
{
	const char *semicolon;
	uint32_t is_signed = 0;

	skip_space(&at, end);
	if (!take(&at, end, "field:"))
		return false;
	semicolon = memchr(at, ';', end - at);
	if (!semicolon || !parse_declaration(at, semicolon, f) || !number_of(semicolon, end, "offset:", &f->offset) ||
	    !number_of(semicolon, end, "size:", &f->size))
		return false;
	number_of(semicolon, end, "signed:", &is_signed);
	f->is_signed = is_signed;
	return strncmp(f->name, "common_", strlen("common_")) && f->offset + f->size <= UINT16_MAX;
}

int format_parse(const char *text, size_t len, struct format *ret_format)
{
	const char *end = text + len;

	*ret_format = (struct format){ 0 };
	for (const char *at = text; at < end;) {
		const char *eol = memchr(at, '\n', end - at), *line = at;
		struct format_field f = { 0 };
		uint32_t id;

		eol = eol ? eol : end;
		at = eol + 1;
		/* The last of a file: a format may have lines of its own. */
		if (eol - line > (long)strlen(PRINT_KEY) && !memcmp(line, PRINT_KEY, strlen(PRINT_KEY))) {
			line += strlen(PRINT_KEY);
			ret_format->print = strndup(line, end - line - (end[-1] == '\n'));
			return ret_format->print ? 0 : -ENOMEM;
		}
		if (eol - line > 4 && !memcmp(line, "ID: ", 4) && number_of(line, eol, "ID: ", &id))
			ret_format->id = id;
		if (!parse_field(line, eol, &f))
			continue;
		if (vec_reserve(&ret_format->fields))
			return -ENOMEM;
		ret_format->fields.data[ret_format->fields.n++] = f;
	}
	return 0;
}

int tracefs_text(const char *below, char **ret_text, size_t *ret_bytes)
{
	const char *tracefs = tracefs_path();
	char path[128 + EVENT_NAME_MAX], *text;
	ssize_t got = 1;
	size_t n = 0;
	int fd, ret;

	if (!tracefs || strstr(below, "..") || snprintf(path, sizeof(path), "%s/events/%s", tracefs, below) >= (int)sizeof(path))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	text = malloc(FORMAT_BYTES_MAX);
	while (text && n < FORMAT_BYTES_MAX && (got = read(fd, text + n, FORMAT_BYTES_MAX - n)) > 0)
		n += got;
	ret = !text ? -ENOMEM : got < 0 ? -errno : 0;
	close(fd);
	if (ret) {
		free(text);
		return ret;
	}
	*ret_text = text;
	*ret_bytes = n;
	return 0;
}

int format_text(const char *event, char **ret_text, size_t *ret_bytes)
{
	const char *colon = strchr(event, ':');
	char below[64 + EVENT_NAME_MAX];

	if (!colon || strchr(event, '/'))
		return -ENOENT;
	snprintf(below, sizeof(below), "%.*s/%s/format", (int)(colon - event), event, colon + 1);
	return tracefs_text(below, ret_text, ret_bytes);
}

int format_read(const char *event, struct format *ret_format)
{
	char *text;
	size_t n;
	int ret = format_text(event, &text, &n);

	*ret_format = (struct format){ 0 };
	if (ret)
		return ret;
	ret = format_parse(text, n, ret_format);
	free(text);
	return ret;
}

void format_free(struct format *f)
{
	vec_free(&f->fields);
	free(f->print);
	f->print = NULL;
}

void format_drop_dynamics(struct format *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->fields.n; i++)
		if (f->fields.data[i].where == FORMAT_PLAIN)
			f->fields.data[n++] = f->fields.data[i];
	f->fields.n = n;
}

const struct format_field *format_find(const struct format *f, const char *name, size_t len)
{
	for (size_t i = 0; i < f->fields.n; i++)
		if (strlen(f->fields.data[i].name) == len && !memcmp(f->fields.data[i].name, name, len))
			return &f->fields.data[i];
	return NULL;
}

size_t format_record(const struct format *f, int *ret_dynamics)
{
	size_t bytes = 0;

	*ret_dynamics = 0;
	for (size_t i = 0; i < f->fields.n; i++) {
		const struct format_field *field = &f->fields.data[i];

		bytes = field->offset + field->size > bytes ? field->offset + field->size : bytes;
		*ret_dynamics += field->where != FORMAT_PLAIN;
	}
	return bytes;
}

uint8_t format_element(const struct format_field *f)
{
	static const struct {
		const char *type;
		uint8_t bytes;
	} types[] = { { "char", 1 },	 { "u8", 1 },	     { "__u8", 1 }, { "bool", 1 },	   { "unsigned char", 1 }, { "s8", 1 },
		      { "u16", 2 },	 { "__u16", 2 },     { "s16", 2 },  { "unsigned short", 2 }, { "short", 2 },	   { "u32", 4 },
		      { "__u32", 4 },	 { "s32", 4 },	     { "int", 4 },  { "unsigned int", 4 }, { "u64", 8 },	   { "__u64", 8 },
		      { "unsigned long", 8 }, { "long", 8 }, { "s64", 8 },  { "cpumask_t", 8 },	   { "unsigned long long", 8 } };

	if (!f->array[0] && f->where == FORMAT_PLAIN)
		return f->size <= 8 ? f->size : 0;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(f->type, types[i].type))
			return types[i].bytes;
	return 0;
}

/* Reverses the bytes of each number in n bytes. each: the size of a number; texts (1) and structures (0) stay as they are. */
static void swap_numbers(uint8_t *p, size_t n, size_t each)
{
	if (each != 2 && each != 4 && each != 8)
		return;
	for (size_t i = 0; i + each <= n; i += each)
		for (size_t k = 0; k < each / 2; k++) {
			uint8_t was = p[i + k];

			p[i + k] = p[i + each - 1 - k];
			p[i + each - 1 - k] = was;
		}
}

void format_swap(const struct format *f, uint8_t *record, size_t bytes)
{
	for (size_t i = 0; i < f->fields.n; i++) {
		const struct format_field *field = &f->fields.data[i];
		size_t at, n;

		if (field->offset > bytes || field->size > bytes - field->offset)
			continue;
		if (field->where == FORMAT_PLAIN) {
			swap_numbers(record + field->offset, field->size, format_element(field));
			continue;
		}
		swap_numbers(record + field->offset, field->size, field->size);
		n = format_dynamic(field, record, bytes, &at);
		if (at <= bytes)
			swap_numbers(record + at, n < bytes - at ? n : bytes - at, format_element(field));
	}
}

size_t format_dynamic(const struct format_field *f, const void *record, size_t bytes, size_t *ret_offset)
{
	uint32_t location;

	*ret_offset = 0;
	if (f->where == FORMAT_PLAIN || f->size != sizeof(location) || f->offset + sizeof(location) > bytes)
		return 0;
	memcpy(&location, (const char *)record + f->offset, sizeof(location));
	*ret_offset = (location & 0xffff) + (f->where == FORMAT_REL_LOC ? f->offset + sizeof(location) : 0);
	return location >> 16;
}
