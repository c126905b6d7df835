/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples made of the input, with its bytes as names, to each viewer's file: it is JSON, or a trace whose parts fit. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/viewers/viewer.h"
#include "sample.h"
#include "tests/unit/formats.h"
#include "util/strpool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FRAMES_MAX 32
#define SAMPLES_MAX 512

static const struct viewer_event events[] = { { "cpu-clock", "ns", false }, { "sched:sched_switch", "events", true }, { "cycles", "cycles", false } };

struct input {
	const uint8_t *data, *end;
	struct strpool *pool;
};

static uint64_t number(struct input *in, size_t bytes)
{
	uint64_t n = 0;

	for (; bytes && in->data < in->end; bytes--)
		n = n << 8 | *in->data++;
	return n;
}

/* Up to a 0, or 15 bytes. Equal ones have one address. */
static const char *text(struct input *in)
{
	char buf[16];
	size_t n = 0;

	while (n < sizeof(buf) - 1 && in->data < in->end && *in->data)
		buf[n++] = (char)*in->data++;
	buf[n] = '\0';
	in->data += in->data < in->end;
	return strpool_add(in->pool, buf);
}

struct record_of {
	const char *name, *text;
	uint64_t num;
};

static void put_fields(void *arg, const struct sample *s, viewer_field_fn *field, void *to)
{
	const struct record_of *r = arg;

	(void)s;
	field(to, &(struct viewer_field){ .name = r->name, .text = r->text });
	field(to, &(struct viewer_field){ .name = "prev_state", .num = r->num });
	field(to, &(struct viewer_field){ .name = "next_pid", .num = r->num % 4 });
}

static bool put_json(void *arg, const struct sample *s, struct json *json)
{
	const struct record_of *r = arg;

	(void)s;
	json_key_text(json, r->name, r->text);
	return true;
}

static int put_sample(struct input *in, struct viewer *v)
{
	static struct stack stack;
	uint64_t head = number(in, 2);
	struct sample s = { .time_ns = number(in, head % 9), .weight = number(in, head / 9 % 9), .count = 1, .pid = (uint32_t)number(in, 1) % 3,
			    .tid = (uint32_t)number(in, 1) % 4, .cpu = head & 1 ? (uint32_t)head % 3 : UINT32_MAX, .event = head / 81 % 3 };
	struct named named = { .at = &s, .comm = text(in), .stack = &stack };
	struct record_of record = { text(in), text(in), head };
	struct viewer_trace trace = { .text = record.text, .each = put_fields, .json = put_json, .arg = &record };

	stack.n = (uint32_t)number(in, 1) % FRAMES_MAX;
	for (uint32_t i = 0; i < stack.n; i++) {
		uint64_t how = number(in, 1);

		stack.frames[i] = (struct frame){ .name = text(in), .obj = text(in), .file = how & 1 ? text(in) : NULL, .line = (uint32_t)how,
						  .kind = (uint16_t)(how / 2 % 6), .is_kernel = how & 64, .addr = how << 56, .pos = how, .off = how / 3 };
	}
	return viewer_sample(v, &named, stack.n, events[s.event].is_tracepoint ? &trace : NULL);
}

static void run(const uint8_t *data, size_t size, const char *format, bool is_sum)
{
	static struct trace_seen seen;
	const struct viewer_cfg cfg = { .events = events, .nr_events = 3, .is_sum = is_sum, .has_wall = true };
	const struct profile p = { .title = "x", .seen = 1 };
	struct input in = { data, data + size, strpool_new() };
	char *out_text;
	size_t n;
	FILE *out = open_memstream(&out_text, &n);
	struct viewer *v = viewer_format(format)->open(out, &cfg);

	if (!in.pool || !v)
		abort();
	for (int i = 0; i < SAMPLES_MAX && in.data < in.end; i++)
		if (put_sample(&in, v))
			abort();
	if (viewer_end(v, &p))
		abort();
	fclose(out);
	if (strcmp(format, "perfetto") ? !is_json(out_text) || strlen(out_text) != n : !is_trace(out_text, n, &seen))
		abort();
	viewer_free(v);
	strpool_free(in.pool);
	free(out_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 4096) /* the checker keeps so many ids */
		size = 4096;
	run(data, size, "speedscope", false);
	run(data, size, "firefox", size % 2);
	run(data, size, "chrome", false);
	run(data, size, "perfetto", false);
	return 0;
}
