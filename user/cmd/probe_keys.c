/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A word of --by is a part of the key that every hit has; any other word is an expression over the probe's arguments. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/byrows.h"
#include "capture/rows.h"
#include "cmd/probe_run.h"

static void add_extra(struct probe_keys *k, const struct exprs *exprs, const struct expr_arg *arg)
{
	k->extras[k->nr_extras++] = (struct site_extra){ exprs, *arg };
}

/* Other names of columns. */
static uint32_t alias_bit(const char *word, size_t n)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} aliases[] = { { "uid", BY_USER }, { "func", BY_EVENT }, { "probe", BY_EVENT } };

	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strlen(aliases[i].name) == n && !memcmp(aliases[i].name, word, n))
			return aliases[i].bit;
	return 0;
}

static int read_expression(void *arg, const char *text, size_t *at, struct err *err)
{
	struct probe_keys *k = arg;
	size_t n = strcspn(text + *at, ",");
	uint32_t bit = alias_bit(text + *at, n);
	struct expr_arg e;
	int ret;

	if (bit) {
		k->sums.by |= bit;
		*at += n;
		return 0;
	}
	if (k->sums.nr_fields == BY_FIELDS_MAX)
		return expr_bad(&k->by, "bad --by", *at, err, "at most %d expressions", BY_FIELDS_MAX);
	ret = expr_parse_arg(&k->by, at, &e, err);
	if (ret)
		return ret;
	n = e.name_len ? e.name_len : e.len;
	snprintf(k->names[k->sums.nr_fields++], BIND_NAME_MAX, "%.*s", (int)(n < BIND_NAME_MAX ? n : BIND_NAME_MAX - 1),
		 text + (e.name_len ? e.name_at : e.at));
	add_extra(k, &k->by, &e);
	return text[*at] && text[*at] != ',' ? expr_bad(&k->by, "bad --by", *at, err, "expected a comma") : 0;
}

static int parse_by(struct probe_keys *k, const char *text, struct err *err)
{
	const struct columns_other expressions = { read_expression, k, "expressions" };

	k->by.text = text;
	return rows_parse_by(text, BY_COMM | BY_PID | BY_TID | BY_CPU | BY_USER | BY_CGROUP | BY_EVENT, &expressions, &k->sums.by, err);
}

static int parse_linear(struct probe_keys *k, const char *text, struct err *err)
{
	long long low, high, step, width;
	char end;

	if (sscanf(text, "%lld:%lld:%lld%c", &low, &high, &step, &end) != 3 || high <= low || step <= 0 ||
	    __builtin_sub_overflow(high, low, &width) || width > INT64_MAX - step)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad --linear '%s': expected LOW:HIGH:STEP, as in 0:1000:100", text);
	if ((width + step - 1) / step > HIST_SLOTS - 2)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad --linear '%s': at most %d slots", text, HIST_SLOTS - 2);
	k->sums.linear = 1 + (width + step - 1) / step;
	k->sums.low = low;
	k->sums.step = step;
	return 0;
}

static int parse_hist(struct probe_keys *k, const char *text, struct err *err)
{
	struct expr_arg arg;
	size_t at = 0;
	int ret;

	k->hist.text = text;
	ret = expr_parse_arg(&k->hist, &at, &arg, err);
	if (ret)
		return ret;
	if (text[at])
		return expr_bad(&k->hist, "bad --hist", at, err, "expected one expression");
	k->sums.has_value = true;
	k->is_duration = !strcmp(text, "latency");
	add_extra(k, &k->hist, &arg);
	return 0;
}

/* Is there a column of this name before expression i? The last are of intervals, and of JSON. */
static bool is_taken(const struct byrows_schema *s, const struct probe_keys *k, int i)
{
	static const char *const others[] = { "time_ns", "of", "end" };

	for (size_t n = 0; n < sizeof(others) / sizeof(*others); n++)
		if (!strcmp(others[n], k->names[i]))
			return true;
	for (int other = 0; other < i; other++)
		if (!strcmp(k->names[other], k->names[i]))
			return true;
	for (size_t c = 0; c < s->schema.n; c++)
		if (s->columns[c].in && !strcmp(s->columns[c].name, k->names[i]))
			return true;
	return false;
}

static int check_names(const struct probe_keys *k, struct err *err)
{
	struct byrows_schema s;

	byrows_schema(&s, &(struct byrows_cfg){ .count = "hits", .offered = k->sums.by, .values = probe_keys_values(k) });
	for (int i = 0; i < k->sums.nr_fields; i++) {
		if (!is_taken(&s, k, i))
			continue;
		expr_bad(&k->by, "bad --by", k->extras[i].arg.at, err, "there is a column '%s' already", k->names[i]);
		err_hint(err, "NAME=EXPRESSION gives it another name");
		return -EINVAL;
	}
	return 0;
}

enum byrows_values probe_keys_values(const struct probe_keys *k)
{
	return !k->sums.has_value ? BYROWS_NOTHING : k->is_duration ? BYROWS_DURATIONS : BYROWS_NUMBERS;
}

int probe_keys_parse(const struct probe_options *o, struct probe_keys *ret_keys, struct err *err)
{
	struct probe_keys *k = ret_keys;
	int ret = o->view.by ? parse_by(k, o->view.by, err) : 0;

	if (!ret && (o->hist || o->latency))
		ret = parse_hist(k, o->hist ? o->hist : "latency", err);
	if (!ret && o->linear)
		ret = parse_linear(k, o->linear, err);
	if (!o->view.by)
		k->sums.by = BY_EVENT;
	k->sums.rows_max = o->rows_max;
	return ret ? ret : check_names(k, err);
}

void probe_keys_free(struct probe_keys *keys)
{
	vec_free(&keys->by.nodes);
	vec_free(&keys->hist.nodes);
}
