/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * speedscope's own format (github.com/jlfwong/speedscope, src/lib/file-format-spec.ts): a "sampled" profile for each thread and event. Frames
 * are shared by all; they stand at the end, since JSON's keys have no order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/ledger.h"
#include "render/viewers/lanes.h"
#include "render/viewers/viewers.h"

struct speedscope {
	struct viewer viewer; /* first: what it does finds the rest by it */
	FILE *out;
	struct lanes set;
	struct stack_path path;
};

static int take_sample(struct viewer *v, const struct named *named, uint32_t nr_frames, const struct viewer_trace *trace)
{
	struct speedscope *s = (struct speedscope *)v;
	int64_t ret = lanes_add(&s->set, named, nr_frames, &v->err);

	(void)trace;
	return ret < 0 ? (int)ret : 0;
}

static int put_samples(struct speedscope *s, struct json *j, const struct lane *of)
{
	struct strand_reader r = lanes_read(&s->set, of->samples);
	struct lane_sample sample;

	json_key(j, "samples");
	json_array(j);
	while (strand_read(&r, &sample, sizeof(sample))) {
		int64_t n = stacktable_path(&s->set.stacks, sample.node, &s->path);

		if (n < 0)
			return (int)n;
		json_array(j);
		for (int64_t i = 0; i < n; i++)
			json_u64(j, s->path.frames.data[i]);
		json_array_end(j);
	}
	json_array_end(j);
	return r.failed;
}

static int put_weights(struct speedscope *s, struct json *j, const struct lane *of)
{
	struct strand_reader r = lanes_read(&s->set, of->samples);
	struct lane_sample sample;

	json_key(j, "weights");
	json_array(j);
	while (strand_read(&r, &sample, sizeof(sample)))
		json_u64(j, sample.weight);
	json_array_end(j);
	return r.failed;
}

static int put_profile(struct speedscope *s, struct json *j, const struct lane *of)
{
	char name[LANE_NAME_BYTES];
	int ret;

	json_line(j);
	json_object(j);
	json_key_text(j, "type", "sampled");
	json_key_text(j, "name", lane_name(&s->set, of, name));
	json_key_text(j, "unit", !strcmp(s->set.cfg->events[of->event].unit, "ns") ? "nanoseconds" : "none");
	json_key_u64(j, "startValue", 0);
	json_key_u64(j, "endValue", of->weight);
	ret = put_samples(s, j, of);
	if (!ret)
		ret = put_weights(s, j, of);
	json_object_end(j);
	return ret;
}

static void put_frames(const struct stacktable *t, struct json *j)
{
	json_key(j, "shared");
	json_object(j);
	json_key(j, "frames");
	json_array(j);
	for (size_t i = 0; i < t->frames.n; i++) {
		const struct stack_frame *f = &t->frames.data[i];

		json_line(j);
		json_object(j);
		json_key_text(j, "name", f->name);
		if (f->file || (f->obj && *f->obj))
			json_key_text(j, "file", f->file ? f->file : f->obj);
		if (f->file && f->line)
			json_key_u64(j, "line", f->line);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static int put_all(struct viewer *v, const struct profile *p)
{
	struct speedscope *s = (struct speedscope *)v;
	uint32_t *order = lanes_order(&s->set);
	struct json j;
	int ret = order ? 0 : -ENOMEM;

	json_begin(&j, s->out);
	json_object(&j);
	json_key_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_key_text(&j, "exporter", "skep");
	json_key_text(&j, "name", p->title ? p->title : "skep");
	json_key_u64(&j, "activeProfileIndex", 0);
	json_key(&j, "profiles");
	json_array(&j);
	for (size_t i = 0; i < s->set.all.n && !ret; i++)
		ret = put_profile(s, &j, &s->set.all.data[order[i]]);
	free(order);
	json_array_end(&j);
	put_frames(&s->set.stacks, &j);
	json_key(&j, "skep"); /* no field of the format: others pass it over */
	json_object(&j);
	profile_json(&j, p);
	json_object_end(&j);
	json_object_end(&j);
	fputc('\n', s->out);
	return ret ? ret : json_end(&j);
}

static void speedscope_free(struct viewer *v)
{
	struct speedscope *s = (struct speedscope *)v;

	lanes_free(&s->set);
	vec_free(&s->path.frames);
	free(s);
}

struct viewer *speedscope_open(FILE *out, const struct viewer_cfg *cfg)
{
	struct speedscope *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->viewer = (struct viewer){ .sample = take_sample, .end = put_all, .free = speedscope_free };
	s->out = out;
	s->set.cfg = cfg;
	return &s->viewer;
}
