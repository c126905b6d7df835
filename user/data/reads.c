/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters read with a sample (PERF_SAMPLE_READ; perf record -e '{a,b}:S'). In comes the part of a record that has their totals,
 * hostile; out goes a sample for each counter that moved, worth what is new of it, as perf does (deliver_sample_value(),
 * tools/perf/util/session.c).
 */
#include "data/reader.h"
#include "util/hash.h"

#define READS_MAX (1u << 19) /* beyond it, what is new is not known: all of it */
#define FORMAT_LOST (1u << 4) /* PERF_FORMAT_LOST, Linux 6.0 */

bool reads_take(const uint8_t **p, const uint8_t *end, uint64_t format, struct reads *ret)
{
	uint64_t left = (uint64_t)(end - *p) / sizeof(uint64_t), times = 0;
	bool group = format & PERF_FORMAT_GROUP, has_id = format & PERF_FORMAT_ID;

	times += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	times += !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (left < (group ? 1 : 0) + times)
		return false;
	*ret = (struct reads){ .nr = group ? get_u64(*p) : 1, .words = 1 + has_id + !!(format & FORMAT_LOST), .has_id = has_id };
	/* { nr, times, { value, id, lost }... } or { value, times, id, lost } */
	ret->id_at = group ? 1 : 1 + times;
	left -= (group ? 1 : 0) + times;
	if (ret->nr > left / ret->words)
		return false;
	ret->p = *p + (group ? 1 + times : 0) * sizeof(uint64_t);
	*p += ((group ? 1 : 0) + times + ret->nr * ret->words) * sizeof(uint64_t);
	return true;
}

/* Where the last total of a counter is kept, 0 before the first. NULL: no room. */
static uint64_t *last_of(struct data_reader *r, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_pair(id, tid);

	map_each(i, &r->last_index, hash)
		if (r->last_reads.data[i].id == id && r->last_reads.data[i].tid == tid)
			return &r->last_reads.data[i].value;
	if (r->last_reads.n == READS_MAX || vec_reserve(&r->last_reads) || map_add(&r->last_index, hash, r->last_reads.n))
		return NULL;
	r->last_reads.data[r->last_reads.n] = (struct last_read){ .id = id, .tid = tid };
	return &r->last_reads.data[r->last_reads.n++].value;
}

int reads_deliver(struct data_reader *r, const struct reads *reads, struct sample *s)
{
	int ret = 0;

	for (uint64_t i = 0; i < reads->nr && ret >= 0; i++) {
		const uint8_t *p = reads->p + i * reads->words * sizeof(uint64_t);
		uint64_t id = get_u64(p + reads->id_at * sizeof(uint64_t)), value = get_u64(p), *last;
		int attr = id_event(r, id);

		if (attr < 0) {
			record_skip(r, &r->passing);
			continue;
		}
		/* Of inherited counters each thread has its own under the same number. */
		last = last_of(r, id, r->layouts.data[attr].inherited ? s->tid : 0);
		s->event = (uint16_t)attr;
		if (!last) {
			record_skip(r, &r->passing);
			continue;
		}
		s->weight = value - (*last <= value ? *last : 0);
		*last = value;
		if (s->weight && r->sink->sample)
			ret = r->sink->sample(r->sink, s);
	}
	return ret;
}
