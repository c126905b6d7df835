/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Strings are in quotes, with control characters escaped; a value that could not be read is (fault), and null in JSON. */
#include "render/events/hit.h"

#include <errno.h>
#include <string.h>

#include "util/text.h"

#define TIME_WIDTH 14
#define TIME_DECIMALS 6
#define COMM_WIDTH 15
#define WHO_WIDTH 15
#define CPU_WIDTH 3
#define RECORD_TEXT_MAX 4096

/* n in decimal, for a buffer that has room for it. */
static void put_number(char *buf, uint64_t n, bool is_negative)
{
	char digits[24], *end = digits + sizeof(digits), *p = text_decimal(end, is_negative ? -n : n);

	if (is_negative)
		*--p = '-';
	memcpy(buf, p, end - p);
	buf[end - p] = '\0';
}

void hit_value_text(char *buf, size_t size, const struct sample_value *v, enum hit_show show)
{
	unsigned long long n = v->num;

	switch (show) {
	case HIT_SIGNED:
	case HIT_ENUM:
		put_number(buf, n, (int64_t)n < 0);
		break;
	case HIT_HEX:
	case HIT_SYMBOL:
		snprintf(buf, size, "0x%llx", n);
		break;
	case HIT_BOOL:
		snprintf(buf, size, "%s", n ? "true" : "false");
		break;
	case HIT_CHAR:
		if (n >= ' ' && n < 127)
			snprintf(buf, size, "'%c'", (char)n);
		else
			snprintf(buf, size, "'\\x%02llx'", n & 0xff);
		break;
	case HIT_IPV4: /* in the order of the network */
		snprintf(buf, size, "%llu.%llu.%llu.%llu", n & 0xff, n >> 8 & 0xff, n >> 16 & 0xff, n >> 24 & 0xff);
		break;
	case HIT_NS:
		if (n < 1000)
			snprintf(buf, size, "%lluns", n);
		else if (n < 1000000)
			snprintf(buf, size, "%.3fus", n / 1e3);
		else if (n < 1000000000)
			snprintf(buf, size, "%.3fms", n / 1e6);
		else
			snprintf(buf, size, "%.3fs", n / 1e9);
		break;
	case HIT_DEVICE:
		snprintf(buf, size, "%llu:%llu", n >> 20 & 0xfff, n & 0xfffff);
		break;
	default:
		put_number(buf, n, false);
	}
}

void render_hit_head(FILE *out, const struct hit_cfg *cfg)
{
	if (!cfg->json)
		fprintf(out, "%*s  %-*s %*s %*s  %s\n", TIME_WIDTH, "TIME", COMM_WIDTH, "COMM", WHO_WIDTH, "PID/TID", CPU_WIDTH, "CPU",
			"PROBE(VALUES)");
}

static const char *named(const struct sample *s, const struct hit_site *site, uint32_t i, const struct hit_cfg *cfg, char *buf, size_t size)
{
	enum hit_show show = site->values[i].show;

	return cfg->name && (show == HIT_ENUM || show == HIT_SYMBOL) ? cfg->name(cfg->arg, s->site, i, s, buf, size) : NULL;
}

static void pad(FILE *out, size_t len, size_t width)
{
	while (len++ < width)
		putc(' ', out);
}

/* A column of a width, filled at its left. */
static void put_right(FILE *out, const char *begin, const char *end, size_t width)
{
	pad(out, end - begin, width);
	fwrite(begin, 1, end - begin, out);
}

/* Millions of lines: printf() takes ten times as long. */
static void print_head(FILE *out, const struct sample *s, const struct hit_cfg *cfg)
{
	bool early = s->time_ns < cfg->start_ns;
	uint64_t us = ((early ? cfg->start_ns - s->time_ns : s->time_ns - cfg->start_ns) + 500) / 1000;
	char buf[128], *end = buf + sizeof(buf), *p = end;
	size_t len;

	for (int i = 0; i < TIME_DECIMALS; i++, us /= 10)
		*--p = (char)('0' + us % 10);
	*--p = '.';
	p = text_decimal(p, us);
	if (early)
		*--p = '-';
	put_right(out, p, end, TIME_WIDTH);
	fputs("  ", out);
	len = text_escape(buf, sizeof(buf), s->comm);
	fputs(buf, out);
	pad(out, len, COMM_WIDTH);
	putc(' ', out);
	p = text_decimal(end, s->tid);
	*--p = '/';
	put_right(out, text_decimal(p, s->pid), end, WHO_WIDTH);
	putc(' ', out);
	put_right(out, text_decimal(end, s->cpu), end, CPU_WIDTH);
	fputs("  ", out);
}

static void print_record(FILE *out, uint32_t site, const struct sample_value *v, const struct hit_cfg *cfg)
{
	char text[RECORD_TEXT_MAX];

	cfg->record_text(cfg->arg, site, v, text, sizeof(text));
	text_print(out, text);
}

static void print_text(FILE *out, const struct sample *s, const struct hit_site *site, const struct hit_cfg *cfg)
{
	char buf[512];
	const char *name;

	print_head(out, s, cfg);
	text_print(out, site->name);
	fputs(site->is_return ? "%return(" : "(", out);
	for (uint32_t i = 0; i < s->nr_values; i++) {
		const struct sample_value *v = &s->values[i];

		fputs(i ? ", " : "", out);
		if (v->bytes && !v->is_fault) {
			print_record(out, s->site, v, cfg);
			continue;
		}
		text_print(out, site->values[i].name);
		putc('=', out);
		name = v->is_fault ? "(fault)" : named(s, site, i, cfg, buf, sizeof(buf));
		if (name) {
			text_print(out, name);
		} else if (v->text) {
			putc('"', out);
			text_print(out, v->text);
			putc('"', out);
		} else {
			hit_value_text(buf, sizeof(buf), v, site->values[i].show);
			fputs(buf, out);
		}
	}
	fputs(")\n", out);
}

static void print_json_value(struct json *j, const struct sample *s, const struct hit_site *site, uint32_t i, const struct hit_cfg *cfg)
{
	const struct sample_value *v = &s->values[i];
	char buf[512];
	const char *name = named(s, site, i, cfg, buf, sizeof(buf));

	if (v->bytes && !v->is_fault) {
		cfg->record_json(cfg->arg, s->site, v, j);
		return;
	}
	json_key(j, site->values[i].name);
	if (v->is_fault || name || v->text) {
		json_text(j, v->is_fault ? NULL : name ? name : v->text);
		return;
	}
	switch (site->values[i].show) {
	case HIT_SIGNED:
	case HIT_ENUM:
		json_i64(j, (int64_t)v->num);
		break;
	case HIT_BOOL:
		json_bool(j, v->num);
		break;
	case HIT_HEX:
	case HIT_SYMBOL:
	case HIT_IPV4:
	case HIT_DEVICE:
		hit_value_text(buf, sizeof(buf), v, site->values[i].show);
		json_text(j, buf);
		break;
	default:
		json_u64(j, v->num);
	}
}

static void print_json(FILE *out, const struct sample *s, const struct hit_site *site, const struct hit_cfg *cfg)
{
	struct json j;

	json_begin(&j, out);
	json_object(&j);
	json_key_u64(&j, "time_ns", s->time_ns);
	json_key_text(&j, "comm", s->comm);
	json_key_u64(&j, "pid", s->pid);
	json_key_u64(&j, "tid", s->tid);
	json_key_u64(&j, "cpu", s->cpu);
	json_key_text(&j, "probe", site->title);
	json_key(&j, "values");
	json_object(&j);
	for (uint32_t i = 0; i < s->nr_values; i++)
		print_json_value(&j, s, site, i, cfg);
	json_object_end(&j);
	json_object_end(&j);
	putc('\n', out);
}

int render_hit(FILE *out, const struct sample *s, const struct hit_site *site, const struct hit_cfg *cfg)
{
	(cfg->json ? print_json : print_text)(out, s, site, cfg);
	return ferror(out) ? -EIO : 0;
}
