/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What precedes the records: in come events and the description of the machine, out go attributes and their ids. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "data/writer.h"

#define TRAILER_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define SAMPLE_TYPE (TRAILER_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD)

void writer_attr(struct perf_event_attr *a, const struct event *e, const struct data_meta *meta, bool has_format)
{
	*a = (struct perf_event_attr){
		.type = e->type,
		/* perf 6.1 refuses sizes that it does not know, so not the size of our headers. */
		.size = PERF_ATTR_SIZE_VER5,
		.config = e->config,
		.config1 = e->config1,
		.config2 = e->config2,
		.sample_period = e->period_or_freq,
		.freq = e->freq,
		.sample_type = SAMPLE_TYPE | (meta->callchain ? PERF_SAMPLE_CALLCHAIN : 0) | (e->has_addr ? PERF_SAMPLE_ADDR : 0) |
			       (meta->cgroup_path ? PERF_SAMPLE_CGROUP : 0),
		.exclude_user = e->exclude_user,
		.exclude_kernel = e->exclude_kernel,
		.exclude_hv = e->exclude_hv,
		.exclude_idle = e->exclude_idle,
		.precise_ip = e->precise & 3,
		.disabled = 1,
		.inherit = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = meta->has_switches,
		.namespaces = meta->has_namespaces,
		.ksymbol = 1,
		.build_id = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* each part has its own limit */
		.sample_max_stack = (uint16_t)(STACK_MAX_FRAMES + (meta->max_frames ? meta->max_frames : STACK_MAX_FRAMES)),
	};
	if (meta->is_stat) {
		a->sample_type = PERF_SAMPLE_IDENTIFIER;
		a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		a->sample_period = a->sample_id_all = a->sample_max_stack = 0;
		a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = a->ksymbol = a->build_id = 0;
	}
	/* what BPF has counted, or skep itself, has a name and no number that perf knows */
	if (meta->is_stat && e->kind != EVENT_COUNTER) {
		a->type = PERF_TYPE_SOFTWARE;
		a->config = PERF_COUNT_SW_BPF_OUTPUT;
	}
	/*
	 * perf refuses a file with tracepoints but without their formats (TRACING_DATA): where we have none
	 * the event goes by its name. Not as a dummy, which perf takes for one without samples: it prints their
	 * address and none of their frames (evsel__is_dummy_event(), tools/perf/builtin-script.c).
	 */
	if (a->type == PERF_TYPE_TRACEPOINT && has_format) {
		a->sample_type |= PERF_SAMPLE_RAW;
	} else if (a->type == PERF_TYPE_TRACEPOINT) {
		a->type = PERF_TYPE_SOFTWARE;
		a->config = PERF_COUNT_SW_BPF_OUTPUT;
	}
}

/* Header, ids, attributes: all that precedes the first record. */
int writer_head(struct data_writer *w)
{
	size_t n = (size_t)w->meta.nr_events, entry = PERF_ATTR_SIZE_VER5 + sizeof(struct file_section);
	struct file_header *h = &w->header;
	struct buffer b = { 0 };
	int ret;

	memcpy(h->magic, FILE_MAGIC, FILE_MAGIC_BYTES);
	h->size = sizeof(*h);
	h->attr_size = entry;
	h->attrs.offset = sizeof(*h) + n * sizeof(uint64_t);
	h->attrs.size = n * entry;
	h->data.offset = h->attrs.offset + h->attrs.size;
	buffer_add(&b, h, sizeof(*h));
	buffer_add(&b, w->ids, n * sizeof(*w->ids));
	for (size_t i = 0; i < n; i++) {
		struct file_section ids = { sizeof(*h) + i * sizeof(uint64_t), sizeof(uint64_t) };

		buffer_add(&b, &w->attrs[i], PERF_ATTR_SIZE_VER5);
		buffer_add(&b, &ids, sizeof(ids));
	}
	ret = b.failed ? -ENOMEM : output_begin(&w->out, b.data, b.n);
	free(b.data);
	return ret;
}

/* What a stream has in the place of a header: the magic, attributes with their ids, descriptions. */
int writer_stream_head(struct data_writer *w)
{
	struct feature_input in = { .meta = &w->meta, .attrs = w->attrs, .ids = w->ids, .wall_ns = w->wall_ns, .clock_ns = w->clock_ns };
	uint64_t size = PIPE_HEADER_BYTES;
	struct buffer b = { 0 };
	struct timespec ts;
	int ret;

	clock_getres(CLOCK_MONOTONIC, &ts);
	in.clock_resolution_ns = (uint64_t)ts.tv_nsec;
	buffer_add(&b, FILE_MAGIC, FILE_MAGIC_BYTES);
	buffer_add(&b, &size, sizeof(size));
	for (int i = 0; i < w->meta.nr_events; i++) {
		struct perf_event_header h = { .type = RECORD_HEADER_ATTR, .size = sizeof(h) + PERF_ATTR_SIZE_VER5 + sizeof(*w->ids) };

		buffer_add(&b, &h, sizeof(h));
		buffer_add(&b, &w->attrs[i], PERF_ATTR_SIZE_VER5);
		buffer_add(&b, &w->ids[i], sizeof(*w->ids));
	}
	ret = features_stream(&b, &in);
	if (ret == 0)
		ret = output_begin(&w->out, b.data, b.n);
	free(b.data);
	return ret;
}
