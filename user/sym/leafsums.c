/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/leafsums.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hash.h"

#define SLOTS 4096 /* 192 KB: they stay in a CPU's cache */
#define SUMS_MAX (SLOTS / 2)
#define REST 32768 /* samples that are not summed after sums that held fewer than two samples each */
#define EVENTS_KNOWN 64 /* samples of events with higher numbers are not summed */

struct leaf_sum {
	uint64_t ip, weight, count, last_ns; /* count 0: empty */
	uint32_t pid, tid;
	uint16_t event;
	bool is_kernel;
};

struct leaf_sums {
	struct leaf_sum slots[SLOTS];
	uint16_t order[SUMS_MAX]; /* the slots as they were filled */
	uint32_t n, added; /* sums, and samples in them */
	uint32_t rest;
	uint64_t seen; /* a bit for each event that had a sample */
};

struct leaf_sums *leaf_sums_new(void)
{
	return calloc(1, sizeof(struct leaf_sums));
}

void leaf_sums_free(struct leaf_sums *sums)
{
	free(sums);
}

static bool is_first(struct leaf_sums *sums, uint16_t event)
{
	bool was = sums->seen >> event & 1;

	sums->seen |= 1ull << event;
	return !was;
}

int leaf_sums_add(struct leaf_sums *sums, const struct sample *s)
{
	uint64_t ip = s->ip ? s->ip : sample_leaf(s);
	bool is_kernel = s->chains[CHAIN_KERNEL].n;
	uint32_t at;

	if (s->event >= EVENTS_KNOWN || is_first(sums, s->event))
		return 0;
	if (sums->rest) {
		sums->rest--;
		return 0;
	}
	if (!sample_leaf(s) || s->is_tracepoint || s->comm || s->off_cpu || s->waker || !s->count)
		return 0;
	at = hash_pair(ip, (uint64_t)s->tid << 32 ^ s->event) & (SLOTS - 1);
	for (struct leaf_sum *sum; (sum = &sums->slots[at])->count; at = (at + 1) & (SLOTS - 1)) {
		if (sum->ip != ip || sum->tid != s->tid || sum->pid != s->pid || sum->event != s->event || sum->is_kernel != is_kernel)
			continue;
		sum->weight += s->weight;
		sum->count += s->count;
		sum->last_ns = s->time_ns;
		sums->added++;
		return 1;
	}
	if (sums->n == SUMS_MAX)
		return -ENOSPC;
	sums->order[sums->n++] = (uint16_t)at;
	sums->added++;
	sums->slots[at] = (struct leaf_sum){ .ip = ip, .weight = s->weight, .count = s->count, .last_ns = s->time_ns, .pid = s->pid, .tid = s->tid,
					     .event = s->event, .is_kernel = is_kernel };
	return 1;
}

int leaf_sums_take(struct leaf_sums *sums, int (*each)(void *arg, const struct sample *s), void *arg)
{
	int ret = 0;

	for (uint32_t i = 0; i < sums->n; i++) {
		struct leaf_sum *sum = &sums->slots[sums->order[i]];
		struct sample s = { .time_ns = sum->last_ns, .weight = sum->weight, .count = sum->count, .ip = sum->ip, .pid = sum->pid, .tid = sum->tid,
				    .cpu = UINT32_MAX, .event = sum->event };

		s.chains[sum->is_kernel ? CHAIN_KERNEL : CHAIN_USER] = (struct chain){ .ips = &sum->ip, .n = 1 };
		if (ret >= 0)
			ret = each(arg, &s);
		sum->count = 0;
	}
	sums->rest = sums->n >= SUMS_MAX / 4 && sums->added < 2 * sums->n ? REST : 0;
	sums->n = sums->added = 0;
	return ret;
}
