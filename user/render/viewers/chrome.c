/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chrome's trace event format: each sample is a moment of its thread (render/events/scriptviews.h). One of a clock stands for the time since
 * the one before: its functions are slices, too, joined with those of the sample before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/events/scriptviews.h"
#include "render/viewers/viewers.h"
#include "sample.h"
#include "util/hash.h"
#include "util/vec.h"

#define NS_PER_US 1000u
#define US_DECIMALS 3
#define JOIN_PART 8 /* a gap of less than this part of the sample's time is none: timers are not exact */

struct slice {
	const char *name, *obj;
};

struct track {
	uint32_t pid, tid;
	uint64_t end_ns;  /* slices are drawn up to then */
	VEC(struct slice) open; /* the root first; they end at end_ns, if no sample follows */
};

struct chrome_viewer {
	struct viewer viewer; /* first: what it does finds the rest by it */
	const struct viewer_cfg *cfg;
	struct script_chrome chrome;
	VEC(struct track) tracks;
	struct map by_thread;
	bool has_begun;
	FILE *out;
};

static struct track *track_of(struct chrome_viewer *c, const struct sample *s)
{
	uint64_t hash = hash_u64((uint64_t)s->pid << 32 | s->tid);
	int64_t found = map_find(&c->by_thread, hash);

	if (found >= 0)
		return &c->tracks.data[found];
	if (vec_reserve(&c->tracks) || map_add(&c->by_thread, hash, c->tracks.n))
		return NULL;
	c->tracks.data[c->tracks.n] = (struct track){ .pid = s->pid, .tid = s->tid, .end_ns = c->chrome.start_ns };
	return &c->tracks.data[c->tracks.n++];
}

/* ph: B, a slice begins; E, it ends. Both have the name, by which some readers pair them; a length would not be as exact as two times. */
static void put_edge(struct chrome_viewer *c, const struct track *t, const char *ph, const struct slice *s, uint64_t at_ns)
{
	struct json *j = &c->chrome.json;

	json_line(j);
	json_object(j);
	json_key_text(j, "ph", ph);
	json_key_text(j, "name", s->name);
	if (ph[0] == 'B')
		json_key_text(j, "cat", s->obj ? s->obj : "");
	json_key(j, "pid");
	json_i64(j, (int32_t)t->pid);
	json_key(j, "tid");
	json_i64(j, (int32_t)t->tid);
	json_key(j, "ts");
	json_fraction(j, at_ns - c->chrome.start_ns, NS_PER_US, US_DECIMALS);
	json_object_end(j);
}

/* Ends the slices from number `first` on, where they are drawn to: the innermost first. */
static void end_slices(struct chrome_viewer *c, struct track *t, size_t first)
{
	while (t->open.n > first)
		put_edge(c, t, "E", &t->open.data[--t->open.n], t->end_ns);
}

static int draw(struct chrome_viewer *c, struct track *t, const struct sample *s, const struct frame *frames, uint32_t n)
{
	uint64_t from_ns = s->weight < s->time_ns ? s->time_ns - s->weight : 0;
	size_t same = 0;

	if (from_ns <= t->end_ns || from_ns - t->end_ns < s->weight / JOIN_PART)
		from_ns = t->end_ns;
	else
		end_slices(c, t, 0);
	while (same < t->open.n && same < n && t->open.data[same].name == frames[n - 1 - same].name && t->open.data[same].obj == frames[n - 1 - same].obj)
		same++;
	if (same < t->open.n && from_ns + 1 < s->time_ns)
		from_ns++; /* at one time readers cannot know if a function of that name ends or begins first */
	end_slices(c, t, same);
	for (size_t i = same; i < n; i++) {
		const struct frame *f = &frames[n - 1 - i];

		if (vec_reserve(&t->open))
			return -ENOMEM;
		t->open.data[t->open.n] = (struct slice){ f->name, f->obj };
		put_edge(c, t, "B", &t->open.data[t->open.n++], from_ns);
	}
	t->end_ns = s->time_ns;
	return 0;
}

static void begin(struct chrome_viewer *c)
{
	if (!c->has_begun)
		script_chrome_begin(&c->chrome, c->out);
	c->has_begun = true;
}

static int take_sample(struct viewer *v, const struct named *named, uint32_t nr_frames, const struct viewer_trace *trace)
{
	static const struct stack none;
	struct chrome_viewer *c = (struct chrome_viewer *)v;
	const struct viewer_event *event = &c->cfg->events[named->at->event];
	struct named bare = *named; /* slices have the stack */
	struct script_line line = { .named = named, .event = event->name, .trace = trace ? trace->text : NULL };
	struct script_view view = { .max_stack = nr_frames, .inlined = true };
	struct script_args args = { trace ? trace->json : NULL, trace ? trace->arg : NULL };
	struct track *t = NULL;

	begin(c);
	if (!c->chrome.start_ns)
		c->chrome.start_ns = named->at->time_ns;
	if (!strcmp(event->unit, "ns") && !(t = track_of(c, named->at)))
		return -ENOMEM;
	if (t && named->at->time_ns <= t->end_ns) /* the first, and what comes late */
		t = NULL;
	bare.stack = &none;
	line.named = t ? &bare : named;
	script_chrome(&c->chrome, &line, &view, &args);
	return t ? draw(c, t, named->at, named->stack->frames, nr_frames) : 0;
}

static int put_end(struct viewer *v, const struct profile *p)
{
	struct chrome_viewer *c = (struct chrome_viewer *)v;

	begin(c);
	for (size_t i = 0; i < c->tracks.n; i++)
		end_slices(c, &c->tracks.data[i], 0);
	script_chrome_end(&c->chrome, p);
	return json_end(&c->chrome.json);
}

static void chrome_viewer_free(struct viewer *v)
{
	struct chrome_viewer *c = (struct chrome_viewer *)v;

	for (size_t i = 0; i < c->tracks.n; i++)
		vec_free(&c->tracks.data[i].open);
	vec_free(&c->tracks);
	map_free(&c->by_thread);
	script_chrome_free(&c->chrome);
	free(c);
}

struct viewer *chrome_open(FILE *out, const struct viewer_cfg *cfg)
{
	struct chrome_viewer *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->viewer = (struct viewer){ .sample = take_sample, .end = put_end, .free = chrome_viewer_free };
	c->cfg = cfg;
	c->out = out;
	return &c->viewer;
}
