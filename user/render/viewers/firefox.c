/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/viewers/firefox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/ledger.h"
#include "render/viewers/viewers.h"
#include "sample.h"

struct firefox {
	struct viewer viewer; /* first: what it does finds the rest by it */
	FILE *out;
	struct lanes set;
	struct firefox_markers markers;
	struct firefox_tables tables;
	uint32_t *mains; /* of a thread's first lane: the one that stands for the thread, and has its markers */
};

static int take_sample(struct viewer *v, const struct named *named, uint32_t nr_frames, const struct viewer_trace *trace)
{
	struct firefox *f = (struct firefox *)v;
	int64_t lane = lanes_add(&f->set, named, nr_frames, &v->err);

	if (lane < 0)
		return (int)lane;
	return trace ? firefox_markers_add(&f->markers, (uint32_t)lane, named, trace, &v->err) : 0;
}

static bool is_ns(const struct firefox *f, const struct lane *s)
{
	return !strcmp(f->set.cfg->events[s->event].unit, "ns");
}

/* Sums have no time: each stands after the one before, for as long as it weighs, or for 1 ms a sample. */
static uint64_t shown_ns(const struct firefox *f, const struct lane *s, const struct lane_sample *sample, uint64_t *end_ns)
{
	uint64_t begin = *end_ns;

	if (!f->set.cfg->is_sum)
		return sample->time_ns > f->set.first_ns ? sample->time_ns - f->set.first_ns : 0;
	*end_ns += is_ns(f, s) ? sample->weight : (uint64_t)sample->count * NS_PER_MS;
	return begin;
}

enum samples_column { COLUMN_STACK, COLUMN_TIME, COLUMN_WEIGHT, COLUMN_MAX };

static int put_column(const struct firefox *f, const struct lane *s, enum samples_column column, struct json *j)
{
	struct strand_reader r = lanes_read(&f->set, s->samples);
	struct lane_sample sample;
	uint64_t end_ns = 0;

	while (strand_read(&r, &sample, sizeof(sample))) {
		if (column == COLUMN_STACK && sample.node == STACK_NONE)
			json_text(j, NULL);
		else if (column == COLUMN_STACK)
			json_u64(j, sample.node);
		else if (column == COLUMN_TIME)
			json_fraction(j, shown_ns(f, s, &sample, &end_ns), NS_PER_MS, MS_DECIMALS);
		else if (is_ns(f, s))
			json_fraction(j, sample.weight, NS_PER_MS, MS_DECIMALS);
		else
			json_u64(j, sample.weight);
	}
	return r.failed;
}

static int put_samples(const struct firefox *f, const struct lane *s, struct json *j)
{
	static const char *const keys[] = { "stack", "time", "weight" };
	int ret = 0;

	json_key(j, "samples");
	json_object(j);
	for (int i = 0; i < COLUMN_MAX && !ret; i++) {
		json_key(j, keys[i]);
		json_array(j);
		ret = put_column(f, s, (enum samples_column)i, j);
		json_array_end(j);
	}
	json_key_text(j, "weightType", is_ns(f, s) ? "tracing-ms" : "samples");
	json_key_u64(j, "length", s->nr);
	json_object_end(j);
	return ret;
}

static bool is_main(const struct firefox *f, uint32_t lane)
{
	return f->mains[f->set.all.data[lane].of_thread] == lane;
}

/* The heaviest of a thread's lanes, if it can be one of samples rather than of a tracepoint's. */
static int choose_mains(struct firefox *f, const uint32_t *order)
{
	const struct lane *all = f->set.all.data;
	const struct viewer_event *events = f->set.cfg->events;

	f->mains = malloc((f->set.all.n + 1) * sizeof(*f->mains));
	if (!f->mains)
		return -ENOMEM;
	for (size_t i = 0; i < f->set.all.n; i++)
		f->mains[i] = UINT32_MAX;
	for (size_t i = 0; i < f->set.all.n; i++) {
		uint32_t *main = &f->mains[all[order[i]].of_thread];

		if (*main == UINT32_MAX || (events[all[*main].event].is_tracepoint && !events[all[order[i]].event].is_tracepoint))
			*main = order[i];
	}
	return 0;
}

static void put_identity(const struct firefox *f, uint32_t lane, struct json *j)
{
	const struct lane *s = &f->set.all.data[lane];
	char text[32], name[LANE_NAME_BYTES];

	json_key_text(j, "name", f->set.cfg->nr_events > 1 || f->set.cfg->is_sum ? lane_name(&f->set, s, name) : s->comm);
	json_key_text(j, "processName", s->comm);
	json_key_text(j, "processType", "default");
	json_key(j, "isMainThread");
	json_bool(j, s->pid == s->tid && is_main(f, lane));
	snprintf(text, sizeof(text), "%d", (int)s->pid);
	json_key_text(j, "pid", text);
	json_key(j, "tid");
	snprintf(text, sizeof(text), "%d.%u", (int)s->tid, s->event); /* one thread of several events is several here */
	if (is_main(f, lane))
		json_i64(j, (int32_t)s->tid);
	else
		json_text(j, text);
}

static int put_thread(struct firefox *f, uint32_t lane, struct json *j)
{
	const struct lane *s = &f->set.all.data[lane], *markers = is_main(f, lane) ? &f->set.all.data[s->of_thread] : NULL;
	int ret;

	json_line(j);
	json_object(j);
	put_identity(f, lane, j);
	json_key_u64(j, "processStartupTime", 0);
	json_key_text(j, "processShutdownTime", NULL);
	json_key_u64(j, "registerTime", 0);
	json_key_text(j, "unregisterTime", NULL);
	json_key(j, "pausedRanges");
	json_array(j);
	json_array_end(j);
	json_key(j, "showMarkersInTimeline");
	json_bool(j, markers && markers->nr_markers);
	ret = put_samples(f, s, j);
	if (!ret)
		ret = firefox_markers_put(&f->markers, markers, &f->tables.strings, j);
	json_object_end(j);
	return ret;
}

static void put_categories(struct json *j)
{
	static const struct {
		const char *name, *color;
	} all[CATEGORY_MAX] = {
		[CATEGORY_OTHER] = { "Other", "grey" }, [CATEGORY_USER] = { "User", "yellow" },	  [CATEGORY_KERNEL] = { "Kernel", "orange" },
		[CATEGORY_JIT] = { "JIT", "green" },	[CATEGORY_EVENT] = { "Event", "purple" }, [CATEGORY_SCHED] = { "Scheduler", "blue" },
	};

	json_key(j, "categories");
	json_array(j);
	for (int i = 0; i < CATEGORY_MAX; i++) {
		json_object(j);
		json_key_text(j, "name", all[i].name);
		json_key_text(j, "color", all[i].color);
		json_key(j, "subcategories");
		json_array(j);
		json_text(j, "Other");
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_entry(struct json *j, const char *label, const char *value)
{
	json_object(j);
	json_key_text(j, "label", label);
	json_key_text(j, "format", "string");
	json_key_text(j, "value", value);
	json_object_end(j);
}

/* The ledger: in the profile's information. */
static void put_extra(struct json *j, const struct profile *p)
{
	char text[64];

	json_key(j, "extra");
	json_array(j);
	json_object(j);
	json_key_text(j, "label", "skep");
	json_key(j, "entries");
	json_array(j);
	put_entry(j, "command", p->title ? p->title : "skep");
	snprintf(text, sizeof(text), "%llu of %llu", (unsigned long long)p->kept, (unsigned long long)p->seen);
	put_entry(j, "samples kept", text);
	for (int i = 0; i < LOSS_MAX; i++) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)p->losses[i]);
		if (p->losses[i])
			put_entry(j, loss_text(i), text);
	}
	for (uint32_t i = 0; i < p->nr_notes; i++)
		put_entry(j, "note", p->notes[i]);
	json_array_end(j);
	json_object_end(j);
	json_array_end(j);
}

/* The mean weight of the heaviest lane, where that is time: how far apart its samples are. */
static uint64_t interval_ns(const struct firefox *f, const uint32_t *order)
{
	const struct lane *s = f->set.all.n ? &f->set.all.data[order[0]] : NULL;

	return s && s->nr && !f->set.cfg->is_sum && is_ns(f, s) ? s->weight / s->nr : NS_PER_MS;
}

static void put_meta(const struct firefox *f, const struct profile *p, const uint32_t *order, struct json *j)
{
	const struct viewer_cfg *cfg = f->set.cfg;
	int64_t start_ns = cfg->has_wall && !cfg->is_sum ? (int64_t)f->set.first_ns + cfg->wall_ns : 0;
	uint64_t end_ns = cfg->is_sum ? p->duration_ns : f->set.last_ns - f->set.first_ns;

	json_key(j, "meta");
	json_object(j);
	json_key_u64(j, "preprocessedProfileVersion", FIREFOX_VERSION);
	json_key_u64(j, "version", FIREFOX_GECKO_VERSION);
	json_key(j, "interval");
	json_fraction(j, interval_ns(f, order), NS_PER_MS, MS_DECIMALS);
	json_key(j, "startTime");
	json_fraction(j, start_ns > 0 ? (uint64_t)start_ns : 0, NS_PER_MS, MS_DECIMALS);
	json_key_u64(j, "profilingStartTime", 0);
	json_key(j, "profilingEndTime");
	json_fraction(j, end_ns, NS_PER_MS, MS_DECIMALS);
	json_key_u64(j, "processType", 0);
	json_key_text(j, "product", "skep");
	json_key_text(j, "importedFrom", "skep");
	json_key_text(j, "arguments", p->title);
	json_key_text(j, "platform", "Linux");
	json_key_u64(j, "stackwalk", 1);
	json_key(j, "symbolicated");
	json_bool(j, true);
	json_key(j, "usesOnlyOneStackType");
	json_bool(j, true);
	json_key(j, "sourceCodeIsNotOnSearchfox");
	json_bool(j, true);
	json_key(j, "sampleUnits");
	json_object(j);
	json_key_text(j, "time", "ms");
	json_key_text(j, "eventDelay", "ms");
	json_key_text(j, "threadCPUDelta", "ns");
	json_object_end(j);
	put_categories(j);
	firefox_schema_put(&f->markers, j);
	put_extra(j, p);
	json_object_end(j);
}

static int put_all(struct viewer *v, const struct profile *p)
{
	struct firefox *f = (struct firefox *)v;
	uint32_t *order = lanes_order(&f->set);
	struct json j;
	int ret = order ? choose_mains(f, order) : -ENOMEM;

	if (!ret)
		ret = firefox_markers_end(&f->markers, &v->err);
	json_begin(&j, f->out);
	json_object(&j);
	if (!ret)
		put_meta(f, p, order, &j);
	json_key(&j, "threads");
	json_array(&j);
	for (size_t i = 0; i < f->set.all.n && !ret; i++)
		ret = put_thread(f, order[i], &j);
	json_array_end(&j);
	free(order);
	if (!ret)
		ret = firefox_tables_make(&f->tables, &f->set.stacks);
	if (!ret) {
		firefox_libs_put(&f->tables, f->set.cfg, &j);
		firefox_tables_put(&f->tables, &f->set.stacks, &j);
	}
	json_key(&j, "pages");
	json_array(&j);
	json_array_end(&j);
	json_key(&j, "skep"); /* no field of the format: others pass it over */
	json_object(&j);
	profile_json(&j, p);
	json_object_end(&j);
	json_object_end(&j);
	fputc('\n', f->out);
	return ret ? ret : json_end(&j);
}

static void firefox_free(struct viewer *v)
{
	struct firefox *f = (struct firefox *)v;

	firefox_markers_free(&f->markers);
	firefox_tables_free(&f->tables);
	lanes_free(&f->set);
	free(f->mains);
	free(f);
}

struct viewer *firefox_open(FILE *out, const struct viewer_cfg *cfg)
{
	struct firefox *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->viewer = (struct viewer){ .sample = take_sample, .end = put_all, .free = firefox_free };
	f->out = out;
	f->set.cfg = cfg;
	f->markers.set = &f->set;
	return &f->viewer;
}
