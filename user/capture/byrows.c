/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Their sums are those since the run began, a row for each CPU that has some: the table adds them up and takes rounds apart. */
#include "capture/byrows.h"

#include <string.h>

#define OF_KEY ((1ull << BYROWS_COUNT) - 1)

static void show_values(struct column *c, const struct byrows_cfg *cfg)
{
	bool is_ns = cfg->values == BYROWS_DURATIONS;
	const char *heading;

	if (cfg->values == BYROWS_LATENCY)
		return;
	for (int i = BYROWS_ERRORS; i <= BYROWS_SLOTS; i++) {
		c[i].in = 0;
		c[i].sort = NULL;
	}
	if (cfg->values == BYROWS_NOTHING)
		return;
	heading = !cfg->is_unsigned ? cfg->axis.is_linear ? "negative" : "negative and not in the histogram" :
		  cfg->axis.is_linear ? "of 2^63 or more" : "of 2^63 or more and not in the histogram";
	c[BYROWS_ERRORS] = (struct column){ "out_of_range", heading, NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL };
	c[BYROWS_TOTAL].in = IN_CSV | IN_JSON;
	c[BYROWS_MEAN].in = c[BYROWS_MIN].in = c[BYROWS_MAX].in = IN_ALL;
	c[BYROWS_SLOTS].in = IN_TEXT | IN_JSON;
	c[BYROWS_MEAN].per = c[BYROWS_MAX].per = BYROWS_KEPT;
	if (is_ns)
		return;
	c[BYROWS_TOTAL].name = "total";
	c[BYROWS_MEAN].name = "mean";
	c[BYROWS_MIN].name = "min";
	c[BYROWS_MAX].name = "max";
	c[BYROWS_MEAN].kind = VALUE_REAL;
	c[BYROWS_TOTAL].kind = c[BYROWS_MIN].kind = c[BYROWS_MAX].kind = VALUE_NUMBER;
	c[BYROWS_SLOTS].per = VALUE_NUMBER;
}

void byrows_schema(struct byrows_schema *ret, const struct byrows_cfg *cfg)
{
	static const struct column columns[BYROWS_COLUMNS] = {
		[BYROWS_COUNT] = { "calls", "calls", "calls", VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 12 },
		[BYROWS_ERRORS] = { "errors", "errors", "errors", VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 9 },
		[BYROWS_TOTAL] = { "total_ns", "total", "total", VALUE_DURATION, ROLE_SUM, IN_ALL, .width = 8 },
		[BYROWS_MEAN] = { "mean_ns", "mean", NULL, VALUE_DURATION, ROLE_MEAN, IN_ALL, 8, .of = BYROWS_TOTAL, .per = BYROWS_COUNT },
		[BYROWS_MIN] = { "min_ns", "min", "min", VALUE_DURATION, ROLE_MIN, IN_ALL, 8, .of = BYROWS_SLOTS, .spare = 2 },
		[BYROWS_P50] = { "p50_ns", "p50", NULL, VALUE_DURATION, ROLE_QUANTILE, IN_ALL, 8, .of = BYROWS_SLOTS, .per = BYROWS_MIN, .part = 0.5, .spare = 1 },
		[BYROWS_P99] = { "p99_ns", "p99", NULL, VALUE_DURATION, ROLE_QUANTILE, IN_ALL, 8, .of = BYROWS_SLOTS, .per = BYROWS_MIN, .part = 0.99 },
		[BYROWS_MAX] = { "max_ns", "max", "max", VALUE_DURATION, ROLE_MAX, IN_ALL, 8, .of = BYROWS_SLOTS },
		[BYROWS_SLOTS] = { "slots", "", NULL, VALUE_HIST, ROLE_HIST, IN_TEXT | IN_JSON, 32, .of = BYROWS_MAX, .per = VALUE_DURATION },
		[BYROWS_KEPT] = { "kept", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = 0 },
	};

	memcpy(ret->columns, columns, sizeof(columns));
	rows_columns(ret->columns, cfg->offered);
	for (int i = 0; i < BY_FIELDS_MAX; i++)
		ret->columns[BYROWS_FIELDS + i] = (struct column){ "", "", NULL, VALUE_TEXT, ROLE_KEY };
	for (int i = 0; i < cfg->nr_fields; i++) {
		bool is_number = cfg->kinds[i] == VALUE_NUMBER || cfg->kinds[i] == VALUE_SIGNED || cfg->kinds[i] == VALUE_DURATION;

		ret->columns[BYROWS_FIELDS + i] = (struct column){ cfg->fields[i], cfg->fields[i], NULL, is_number ? cfg->kinds[i] : VALUE_TEXT,
								   ROLE_KEY, IN_ALL };
	}
	ret->columns[BYROWS_COUNT].name = ret->columns[BYROWS_COUNT].heading = ret->columns[BYROWS_COUNT].sort = cfg->count;
	ret->axis = cfg->axis;
	ret->columns[BYROWS_SLOTS].axis = &ret->axis;
	show_values(ret->columns, cfg);
	ret->schema = (struct schema){ ret->columns, BYROWS_COLUMNS, .count = BYROWS_COUNT,
				       .sort = cfg->values == BYROWS_LATENCY || cfg->values == BYROWS_DURATIONS ? BYROWS_TOTAL : BYROWS_COUNT };
}

uint64_t byrows_keys(uint32_t by, int nr_fields)
{
	return rows_keys(by) | ((1ull << nr_fields) - 1) << BYROWS_FIELDS;
}

_Static_assert(HIST_SLOTS == BY_SLOTS, "a histogram of the kernel's fits");

void byrow_begin(struct byrow *r, const struct schema *schema, const void *key, uint32_t by, const struct by_places *at)
{
	memset(r, 0, sizeof(*r));
	r->row = (struct row){ .schema = schema, .values = r->values, .none = OF_KEY, .is_total = true };
	r->values[BYROWS_SLOTS].slots = r->slots;
	r->values[BYROWS_MIN].num = UINT64_MAX;
	if (key)
		r->row.none &= rows_values(key, by, at, r->comm, r->values) | ~rows_none(0);
	else
		rows_other(&r->row);
}

void byrow_field(struct byrow *r, int i, struct value value)
{
	r->values[BYROWS_FIELDS + i] = value;
	r->row.none &= ~(1ull << (BYROWS_FIELDS + i));
}

void byrow_add(struct byrow *r, const struct by_sum *s)
{
	struct value *v = r->values;

	v[BYROWS_COUNT].num += s->calls;
	v[BYROWS_ERRORS].num += s->errors;
	v[BYROWS_KEPT].num += s->calls - s->errors;
	v[BYROWS_TOTAL].num += s->total_ns;
	v[BYROWS_MAX].num = s->max_ns > v[BYROWS_MAX].num ? s->max_ns : v[BYROWS_MAX].num;
	v[BYROWS_MIN].num = ~s->not_min_ns < v[BYROWS_MIN].num ? ~s->not_min_ns : v[BYROWS_MIN].num;
	for (int i = 0; i < BY_SLOTS; i++)
		r->slots[i] += s->slots[i];
}

int byrow_send(struct byrow *r, struct sink *sink)
{
	return sink->row(sink, &r->row);
}
