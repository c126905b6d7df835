/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts are in quotes, with what a terminal must not see escaped; what could not be read is (fault), and null in JSON. */
#include "render/hit.h"

#include <errno.h>
#include <string.h>

#include "util/json.h"
#include "util/text.h"

void hit_value_text(char *buf, size_t size, const struct sample_value *v, enum hit_show show)
{
	unsigned long long n = v->num;

	switch (show) {
	case HIT_SIGNED:
	case HIT_ENUM:
		snprintf(buf, size, "%lld", (long long)n);
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
		snprintf(buf, size, "%llu", n);
	}
}

void render_hit_head(FILE *out, const struct hit_cfg *cfg)
{
	if (!cfg->json)
		fprintf(out, "%14s  %-15s %15s %3s  %s\n", "TIME", "COMM", "PID/TID", "CPU", "PROBE(VALUES)");
}

static const char *named(const struct sample *s, const struct hit_site *site, uint32_t i, const struct hit_cfg *cfg, char *buf, size_t size)
{
	enum hit_show show = site->values[i].show;

	return cfg->name && (show == HIT_ENUM || show == HIT_SYMBOL) ? cfg->name(cfg->arg, s->site, i, s, buf, size) : NULL;
}

static void print_text(FILE *out, const struct sample *s, const struct hit_site *site, const struct hit_cfg *cfg)
{
	char who[32], buf[512];
	const char *name;

	fprintf(out, "%14.6f  ", ((double)s->time_ns - (double)cfg->start_ns) / 1e9);
	text_escape(buf, sizeof(buf), s->comm);
	snprintf(who, sizeof(who), "%u/%u", s->pid, s->tid);
	fprintf(out, "%-15s %15s %3u  ", buf, who, s->cpu);
	text_print(out, site->name);
	fputs(site->is_return ? "%return(" : "(", out);
	for (uint32_t i = 0; i < s->nr_values; i++) {
		const struct sample_value *v = &s->values[i];

		fputs(i ? ", " : "", out);
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
