/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/rows/hist.h"

#include <string.h>

#include "render/rows/rows.h"

#define BAR_WIDTH 40

/* From the first slot that is not empty to the last. False: all are. */
static bool slots_span(const uint64_t *slots, int *ret_first, int *ret_last, uint64_t *ret_full)
{
	int first = 0, last = HIST_SLOTS - 1;
	uint64_t full = 0;

	while (first < HIST_SLOTS && !slots[first])
		first++;
	while (last > first && !slots[last])
		last--;
	for (int i = first; i <= last && i < HIST_SLOTS; i++)
		full = slots[i] > full ? slots[i] : full;
	*ret_first = first;
	*ret_last = last;
	*ret_full = full;
	return first < HIST_SLOTS;
}

static void slot_text(char *buf, size_t size, const struct column *c, int i)
{
	int64_t begin = hist_slot_begin(c->axis, i);

	if (begin == INT64_MIN)
		snprintf(buf, size, "...");
	else if (!(c->axis && c->axis->is_linear) && c->per == VALUE_DURATION)
		rows_duration(buf, size, begin);
	else
		snprintf(buf, size, "%lld", (long long)begin);
}

void hist_digits(char *buf, size_t size, const uint64_t *slots)
{
	char bars[HIST_SLOTS + 1], low[16], high[16];
	int first, last;
	uint64_t full;

	buf[0] = '\0';
	if (!slots_span(slots, &first, &last, &full))
		return;
	for (int i = first; i <= last; i++)
		bars[i - first] = slots[i] ? "0123456789"[(slots[i] * 9 + full / 2) / full] : '.';
	bars[last - first + 1] = '\0';
	rows_duration(low, sizeof(low), first ? (double)(1ull << first) : 0);
	rows_duration(high, sizeof(high), (double)(1ull << (last + 1)));
	snprintf(buf, size, "%s %s %s", low, bars, high);
}

void hist_bars(FILE *out, const struct column *c, const uint64_t *slots)
{
	int first, last, end = c->axis && c->axis->is_linear ? (int)c->axis->nr : HIST_SLOTS - 1;
	uint64_t full;

	slots_span(slots, &first, &last, &full);
	for (int i = first; i <= last && i < HIST_SLOTS; i++) {
		char low[32], high[32] = "...", bar[BAR_WIDTH + 1];
		int n = full ? (int)((double)slots[i] / full * BAR_WIDTH + 0.5) : 0;

		slot_text(low, sizeof(low), c, i);
		if (i < end)
			slot_text(high, sizeof(high), c, i + 1);
		memset(bar, '#', n);
		bar[n] = '\0';
		fprintf(out, "  [%9s, %9s) %12llu  %s\n", low, high, (unsigned long long)slots[i], bar);
	}
}
