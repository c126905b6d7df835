/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The JSON writer; see json.h. The only state is whether a comma is due, so depth costs nothing. One thread writes to a stream: to lock
 * it for each character takes a third of the time.
 */
#include "util/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/text.h"

#define DOUBLE_CHARS 352 /* DBL_MAX has 309 digits before the point */
#define DOUBLE_DECIMALS 30

void json_begin(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
}

int json_end(struct json *json)
{
	if (!json->error && ferror(json->out))
		json->error = -EIO;
	return json->error;
}

static void value_begin(struct json *json)
{
	if (json->comma)
		putc_unlocked(',', json->out);
	json->comma = true;
}

static void open_with(struct json *json, char c)
{
	value_begin(json);
	putc_unlocked(c, json->out);
	json->comma = false;
}

static void close_with(struct json *json, char c)
{
	putc_unlocked(c, json->out);
	json->comma = true;
}

void json_object(struct json *json)
{
	open_with(json, '{');
}

void json_object_end(struct json *json)
{
	close_with(json, '}');
}

void json_array(struct json *json)
{
	open_with(json, '[');
}

void json_array_end(struct json *json)
{
	close_with(json, ']');
}

void json_line(struct json *json)
{
	if (json->comma)
		putc_unlocked(',', json->out);
	putc_unlocked('\n', json->out);
	json->comma = false;
}

/* How many bytes need nothing done to them. */
static size_t plain(const struct json *json, const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] < 0x7f && text[n] != '"' && text[n] != '\\' &&
	       !(json->in_html && (text[n] == '<' || text[n] == '>' || text[n] == '&')))
		n++;
	return n;
}

static void put_text(struct json *json, const char *text)
{
	uint32_t code;

	putc_unlocked('"', json->out);
	while (*text) {
		size_t n = plain(json, text);
		int len;

		fwrite_unlocked(text, 1, n, json->out);
		text += n;
		if (!*text)
			break;
		len = utf8_decode(text, &code);
		if (!len) {
			fputs("\xef\xbf\xbd", json->out);
			text++;
			continue;
		}
		if (code == '"' || code == '\\')
			fprintf(json->out, "\\%c", (int)code);
		else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
			 (json->in_html && (code == '<' || code == '>' || code == '&')))
			fprintf(json->out, "\\u%04x", code);
		else
			fwrite_unlocked(text, 1, len, json->out);
		text += len;
	}
	putc_unlocked('"', json->out);
}

void json_key(struct json *json, const char *key)
{
	value_begin(json);
	put_text(json, key);
	putc_unlocked(':', json->out);
	json->comma = false;
}

void json_text(struct json *json, const char *text)
{
	value_begin(json);
	if (text)
		put_text(json, text);
	else
		fputs("null", json->out);
}

void json_u64(struct json *json, uint64_t value)
{
	char buf[20], *end = buf + sizeof(buf), *p = text_decimal(end, value);

	value_begin(json);
	fwrite_unlocked(p, 1, end - p, json->out);
}

void json_i64(struct json *json, int64_t value)
{
	if (value >= 0) {
		json_u64(json, value);
		return;
	}
	value_begin(json);
	fprintf(json->out, "%" PRId64, value);
}

void json_double(struct json *json, double value, int decimals)
{
	char buf[DOUBLE_CHARS], *point;

	if (!isfinite(value) || decimals < 0 || decimals > DOUBLE_DECIMALS) {
		json->error = -EINVAL;
		json_text(json, NULL);
		return;
	}
	value_begin(json);
	snprintf(buf, sizeof(buf), "%.*f", decimals, value);
	point = strchr(buf, ','); /* a program that calls setlocale may get a comma */
	if (point)
		*point = '.';
	fputs(buf, json->out);
}

void json_fraction(struct json *json, uint64_t value, uint64_t unit, int decimals)
{
	char buf[32], *end = buf + sizeof(buf), *p = text_fraction(end, value, unit, decimals);

	value_begin(json);
	fwrite_unlocked(p, 1, (size_t)(end - p), json->out);
}

void json_bool(struct json *json, bool value)
{
	value_begin(json);
	fputs(value ? "true" : "false", json->out);
}

void json_raw(struct json *json)
{
	value_begin(json);
}

void json_key_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

void json_key_u64(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_u64(json, value);
}
