/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/viewerout.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "cmd/replay.h"
#include "util/clock.h"
#include "util/gzfile.h"

static uint8_t build_id(void *arg, const char *obj, uint8_t *ret_id)
{
	return syms_build_id(arg, obj, ret_id);
}

static void set_wall(struct viewer_out *o)
{
	const struct data_meta *meta = o->reader ? data_reader_meta(o->reader) : NULL;

	o->cfg.has_wall = meta ? meta->has_wall : true;
	o->cfg.wall_ns = meta ? meta->wall_ns : (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
}

static int begin(struct viewer_out *o)
{
	bool has_tracepoints = false;

	o->names = calloc((size_t)o->nr_events + 1, sizeof(*o->names));
	if (!o->names)
		return -ENOMEM;
	for (int i = 0; i < o->nr_events; i++) {
		const struct event *e = &o->events[i];

		o->names[i] = (struct viewer_event){ .name = e->name, .unit = replay_unit_of(e), .is_tracepoint = e->type == PERF_TYPE_TRACEPOINT };
		has_tracepoints |= o->names[i].is_tracepoint;
	}
	o->cfg = (struct viewer_cfg){ .events = o->names, .nr_events = (uint32_t)o->nr_events, .is_sum = o->reader && data_reader_summed(o->reader),
				      .build_id = build_id, .build_id_arg = o->syms };
	set_wall(o);
	if (o->reader && has_tracepoints && !(o->traces = script_traces_new(o->reader, o->syms)))
		return -ENOMEM;
	if (o->format.is_packed && !(o->packed = gzfile_open(o->to)))
		return -ENOMEM;
	o->viewer = o->format.viewer->open(o->packed ? o->packed : o->to, &o->cfg);
	return o->viewer ? 0 : -ENOMEM;
}

struct passed {
	viewer_field_fn *field;
	void *to;
};

static void pass_field(void *arg, const struct record_value *value)
{
	const struct passed *to = arg;

	to->field(to->to, &(struct viewer_field){ .name = value->name, .text = value->text, .num = value->num, .is_signed = value->is_signed });
}

static void each_field(void *arg, const struct sample *s, viewer_field_fn *field, void *to)
{
	script_traces_each(arg, s, pass_field, &(struct passed){ field, to });
}

static bool put_fields(void *arg, const struct sample *s, struct json *json)
{
	return script_traces_json(arg, s, json);
}

int viewer_out_sample(struct viewer_out *o, const struct named *named, uint32_t nr_frames)
{
	const char *text;
	int ret = o->viewer ? 0 : begin(o);

	if (ret)
		return ret;
	text = o->traces ? script_traces_text(o->traces, named->at) : NULL;
	return viewer_sample(o->viewer, named, nr_frames,
			     text ? &(struct viewer_trace){ .text = text, .each = each_field, .json = put_fields, .arg = o->traces } : NULL);
}

int viewer_out_end(struct viewer_out *o, const struct profile *p)
{
	int ret = o->viewer ? viewer_end(o->viewer, p) : -ENODATA;

	if (o->packed && fclose(o->packed) && !ret)
		ret = -EIO;
	o->packed = NULL;
	return ret;
}

void viewer_out_why(const struct viewer_out *o, struct err *err)
{
	if (o->viewer && o->viewer->err.text[0])
		*err = o->viewer->err;
}

void viewer_out_free(struct viewer_out *o)
{
	viewer_free(o->viewer);
	script_traces_free(o->traces);
	if (o->packed)
		fclose(o->packed);
	free(o->names);
}
