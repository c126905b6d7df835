/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/hit.h"

#include <errno.h>
#include <string.h>

#define VALUE_WIDTH 12 /* of text, with --fields */
#define BIT(column) (1ull << (column))

void hit_site_init(struct hit_site *site, const struct hit_site *all)
{
	static const struct column columns[HIT_COLUMNS] = {
		[HIT_TIME] = { "time_ns", NULL, NULL, VALUE_NUMBER, ROLE_TIME, .in = IN_CSV | IN_JSON },
		[HIT_SECONDS] = { "time", "TIME", NULL, VALUE_SECONDS, ROLE_TIME, .in = IN_TEXT, .width = 11, .decimals = 6 },
		[HIT_COMM] = { "comm", "COMM", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 15 },
		[HIT_PID] = { "pid", "PID", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
		[HIT_TID] = { "tid", "TID", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
		[HIT_CPU] = { "cpu", "CPU", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 4 },
		[HIT_PROBE] = { "probe", NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_CSV | IN_JSON },
		[HIT_CALL] = { "call", "PROBE", NULL, VALUE_TEXT, ROLE_INFO, .in = IN_TEXT },
		[HIT_VALUES] = { "values", NULL, NULL, VALUE_GROUP, ROLE_INFO, .in = IN_JSON },
	};

	*site = (struct hit_site){ .schema = { site->columns, HIT_COLUMNS, -1 } };
	memcpy(site->columns, all ? all->columns : columns, (all ? all->schema.n : HIT_COLUMNS) * sizeof(*columns));
	if (!all)
		return;
	site->schema.n = all->schema.n;
	site->schema.like = &all->schema;
	for (size_t i = HIT_COLUMNS; i < all->schema.n; i++)
		site->none |= BIT(i);
}

int hit_site_add(struct hit_site *site, const char *name, enum value_kind kind)
{
	struct column *c = site->columns;
	size_t i = HIT_COLUMNS;
	uint64_t used = 0;

	for (uint32_t k = 0; k < site->nr_values; k++)
		used |= BIT(site->at[k]);
	while (i < site->schema.n && (used >> i & 1 || strcmp(c[i].name, name)))
		i++;
	if (i == ROW_COLUMNS_MAX)
		return -ENOSPC;
	if (i == site->schema.n)
		site->schema.n++;
	c[i] = (struct column){ name, name + strlen(HIT_NAME), NULL, kind, ROLE_INFO, IN_ALL, .width = VALUE_WIDTH };
	c[HIT_VALUES].of = (int8_t)(site->schema.n - HIT_COLUMNS);
	site->none &= ~BIT(i);
	site->at[site->nr_values++] = (uint8_t)i;
	return 0;
}

void hit_row(const struct hit_site *site, const struct sample *s, uint64_t start_ns, struct hit_row *ret_row)
{
	struct value *v = ret_row->values;

	ret_row->row = (struct row){ .schema = &site->schema, .values = v, .none = site->none };
	v[HIT_TIME].num = s->time_ns;
	v[HIT_SECONDS].num = s->time_ns - start_ns;
	v[HIT_COMM].text = s->comm;
	v[HIT_PID].num = s->pid;
	v[HIT_TID].num = s->tid;
	v[HIT_CPU].num = s->cpu;
	v[HIT_PROBE].text = site->title;
	v[HIT_CALL].text = site->call;
	for (uint32_t i = 0; i < s->nr_values; i++) {
		const struct sample_value *value = &s->values[i];
		uint8_t at = site->at[i];

		if (value->is_fault)
			ret_row->row.none |= BIT(at);
		else if (value->bytes)
			v[at].bytes = value;
		else if (value->text)
			v[at].text = value->text;
		else
			v[at].num = value->num;
	}
}
