/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "row.h"

double hist_quantile(const uint64_t *slots, uint64_t min, uint64_t max, double part)
{
	uint64_t all = 0, below = 0;
	double rank, at;

	for (int i = 0; i < HIST_SLOTS; i++)
		all += slots[i];
	if (!all)
		return 0;
	rank = part * all;
	if (rank > all - 1)
		return max; /* the longest one, which is known */
	for (int i = 0; i < HIST_SLOTS; i++) {
		double low = i ? (double)(1ull << i) : 0, high = i + 1 < HIST_SLOTS ? (double)(1ull << (i + 1)) : max;

		if (!slots[i] || below + slots[i] < rank) {
			below += slots[i];
			continue;
		}
		high = high > max ? max : high; /* nothing took longer than the longest */
		at = low + (high - low) * (rank - below) / slots[i];
		return at > max ? max : at < min ? min : at;
	}
	return max;
}

int64_t hist_slot_begin(const struct hist_axis *axis, int i)
{
	if (!axis || !axis->is_linear)
		return i ? (int64_t)(1ull << i) : 0;
	return i ? axis->low + (i - 1) * (int64_t)axis->step : INT64_MIN;
}

bool row_knows(const struct row *row, size_t column)
{
	const struct column *c = &row->schema->columns[column];

	if (row->none >> column & 1 || (c->kind == VALUE_TEXT && !row->values[column].text))
		return false;
	if (c->role == ROLE_MIN)
		return row->values[column].num != UINT64_MAX;
	if (c->kind == VALUE_MOMENT && c->role != ROLE_TIME)
		return row->values[column].num;
	if (c->role == ROLE_MEAN || (c->role == ROLE_MAX && c->per))
		return row->values[c->per].num;
	for (int i = 0; c->role == ROLE_QUANTILE && i < HIST_SLOTS; i++)
		if (row->values[c->of].slots[i])
			return true;
	return c->role != ROLE_QUANTILE;
}

double row_number(const struct row *row, size_t column, double seconds)
{
	const struct column *c = &row->schema->columns[column];
	uint64_t per;

	switch (c->role) {
	case ROLE_MEAN:
		per = row->values[c->per].num;
		return per ? (double)row->values[c->of].num / per : 0;
	case ROLE_QUANTILE:
		return hist_quantile(row->values[c->of].slots, c->per && row_knows(row, c->per) ? row->values[c->per].num : 0,
				     row->values[row->schema->columns[c->of].of].num, c->part);
	case ROLE_RATE:
		return seconds > 0 ? row->values[c->of].num / seconds : 0;
	default:
		if (c->kind == VALUE_COUNT)
			return row->values[column].real;
		if (c->kind == VALUE_FIXED || c->kind == VALUE_CHANGE)
			return (double)(int64_t)row->values[column].num / VALUE_ONE;
		return c->kind == VALUE_SIGNED || c->kind == VALUE_ENUM || c->kind == VALUE_SECONDS ? (double)(int64_t)row->values[column].num :
												      (double)row->values[column].num;
	}
}
