/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as they are, for who wants to see them all. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "data/reader.h"

/* The trailer of other records than samples: struct sample_id of uapi/linux/perf_event.h. */
static void take_trailer(const struct layout *l, const uint8_t *trailer, struct data_record *rec)
{
	if (l->tail_tid >= 0) {
		rec->pid = get_u32(trailer + l->tail_tid - 4);
		rec->tid = get_u32(trailer + l->tail_tid);
	}
	if (l->tail_cpu >= 0)
		rec->cpu = get_u32(trailer + l->tail_cpu);
}

struct data_place record_place(const struct chunk *chunk, const uint8_t *record)
{
	return (struct data_place){ .file = chunk->file, .at = chunk->file_at + (chunk->is_packed ? 0 : (uint64_t)(record - chunk->bytes)),
				    .type = get_u32(record) };
}

void record_skip(struct data_reader *r, const struct data_place *place)
{
	if (!r->meta.skipped++)
		r->meta.first_skipped = *place;
}

static int show(struct data_reader *r, const struct data_place *place, const uint8_t *record, unsigned attr, uint64_t time_ns)
{
	const struct layout *l = &r->layouts.data[attr];
	struct data_record rec = {
		.bytes = record,
		.size = get_u16(record + offsetof(struct perf_event_header, size)),
		.type = get_u32(record) < UINT16_MAX ? (uint16_t)get_u32(record) : UINT16_MAX, /* of none that is known */
		.misc = get_u16(record + offsetof(struct perf_event_header, misc)),
		.event = (int)attr,
		.time_ns = time_ns,
		.file = place->file,
		.at = place->at,
	};

	rec.body = rec.size;
	if (rec.type != PERF_RECORD_SAMPLE && rec.type < RECORD_USER_FIRST &&
	    rec.size >= sizeof(struct perf_event_header) + (size_t)l->trailer) {
		rec.body -= (size_t)l->trailer;
		take_trailer(l, record + rec.body, &rec);
	}
	return r->watch(r->watch_arg, &rec);
}

int record_watch(struct data_reader *r, const struct chunk *chunk, const uint8_t *record, unsigned attr, uint64_t time_ns)
{
	const struct data_place place = record_place(chunk, record);

	return show(r, &place, record, attr, time_ns);
}

int record_hold(struct data_reader *r, const struct chunk *chunk, const uint8_t *record)
{
	const struct data_place place = record_place(chunk, record);
	size_t size = get_u16(record + offsetof(struct perf_event_header, size)), at = r->held_bytes.n;
	uint8_t *copy;

	if (at + size > HELD_BYTES_MAX) {
		record_skip(r, &place);
		return 0;
	}
	copy = vec_take(&r->held_bytes, (size + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN);
	if (!copy || vec_reserve(&r->held))
		return -ENOMEM;
	memcpy(copy, record, size);
	r->held.data[r->held.n++] = (struct held_record){ place, at };
	return 0;
}

int records_held(struct data_reader *r)
{
	int ret = 0;

	for (size_t i = 0; i < r->held.n && r->watch && !ret; i++)
		ret = show(r, &r->held.data[i].place, r->held_bytes.data + r->held.data[i].at, 0, 0);
	return ret;
}
