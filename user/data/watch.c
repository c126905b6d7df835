/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as they are, for who wants to see them all. */
#include <stddef.h>

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

int record_watch(struct data_reader *r, const struct chunk *chunk, const uint8_t *record, unsigned attr, uint64_t time_ns)
{
	const struct layout *l = &r->layouts.data[attr];
	struct data_place place = record_place(chunk, record);
	struct data_record rec = {
		.bytes = record,
		.size = get_u16(record + offsetof(struct perf_event_header, size)),
		.type = get_u32(record) < UINT16_MAX ? (uint16_t)get_u32(record) : UINT16_MAX, /* of none that is known */
		.misc = get_u16(record + offsetof(struct perf_event_header, misc)),
		.event = (int)attr,
		.time_ns = time_ns,
		.file = place.file,
		.at = place.at,
	};

	rec.body = rec.size;
	if (rec.type != PERF_RECORD_SAMPLE && rec.type < RECORD_USER_FIRST &&
	    rec.size >= sizeof(struct perf_event_header) + (size_t)l->trailer) {
		rec.body -= (size_t)l->trailer;
		take_trailer(l, record + rec.body, &rec);
	}
	return r->watch(r->watch_arg, &rec);
}
