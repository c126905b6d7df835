/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the events of a file to views: one for each, or one for all that count the same thing in different places. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/offcpu.h"
#include "cmd/replay.h"

#define PMU_SHIFT 32 /* PERF_PMU_TYPE_SHIFT: of hardware events of CPUs with several kinds of cores */

const char *replay_unit_of(const struct event *e)
{
	if (event_is_clock(e))
		return "ns";
	if (!strcmp(e->name, OFFCPU_EVENT)) /* skep record --off-cpu, perf record --off-cpu */
		return "ns";
	return e->unit ? e->unit : "events";
}

/* perf records side-band events of a dummy, which has no samples. */
bool replay_is_dummy(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && e->config == PERF_COUNT_SW_DUMMY;
}

/* "cycles" of "cpu_core/cycles/ppp" and "cycles:u". Returns its length. */
static size_t base_name(const char *name, const char **ret_base)
{
	const char *slash = strchr(name, '/');

	*ret_base = slash ? slash + 1 : name;
	return strcspn(*ret_base, ":/");
}

bool replay_adds_up(const struct event *a, const struct event *b)
{
	const char *x, *y;
	size_t n = base_name(a->name, &x), m = base_name(b->name, &y);

	if (n != m || memcmp(x, y, n) || strcmp(replay_unit_of(a), replay_unit_of(b)) || a->type == PERF_TYPE_TRACEPOINT)
		return false;
	return a->type != b->type || (a->type == PERF_TYPE_HARDWARE && a->config >> PMU_SHIFT != b->config >> PMU_SHIFT) ||
	       (a->exclude_user && b->exclude_kernel) || (a->exclude_kernel && b->exclude_user);
}

/* The first event whose view takes this one, too. */
static int shared_view(const struct replay *r, const struct event *events, int event)
{
	for (int i = 0; i < event; i++) {
		bool all = r->view_of[i] == i;

		for (int k = i; k < event && all; k++)
			all = r->view_of[k] != i || replay_adds_up(&events[k], &events[event]);
		if (all)
			return i;
	}
	return event;
}

static int find_offcpu(const struct replay *r, const struct data_meta *meta, struct err *err)
{
	for (int i = 0; i < meta->nr_events; i++)
		if (!strcmp(meta->events[i].name, OFFCPU_EVENT))
			return i;
	err_exit(err, -ENOENT, EXIT_FAILED, "'%s' has no event '%s'", r->path, OFFCPU_EVENT);
	err_hint(err, "skep record --off-cpu");
	return -ENOENT;
}

/* Time off the CPUs, or all time: events in ns, of which there must be both kinds. Others are left out. */
static int choose_time(struct replay *r, const struct data_meta *meta, struct err *err)
{
	int off = find_offcpu(r, meta, err), clock = -1, clocks = 0;

	if (off < 0)
		return off;
	r->view_of[off] = off;
	if (r->event == REPLAY_OFFCPU)
		return 0;
	for (int i = 0; i < meta->nr_events; i++) {
		const struct event *e = &meta->events[i];

		if (i == off || replay_is_dummy(e))
			continue;
		if (strcmp(replay_unit_of(e), "ns")) {
			profile_note(&r->total, "'%s' counts no time, and is not in this sum", e->name);
			continue;
		}
		if (e->exclude_user || e->exclude_kernel)
			return err_exit(err, -EINVAL, EXIT_FAILED, "'%s' counts the time in %s only: --wall cannot add it up", e->name,
					e->exclude_user ? "the kernel" : "user space");
		clock = i;
		clocks++;
	}
	if (clocks != 1)
		return err_exit(err, -EINVAL, EXIT_FAILED, "'%s' has %d clocks beside '%s': --wall needs one", r->path, clocks, OFFCPU_EVENT);
	r->view_of[off] = r->view_of[clock] = clock;
	r->pic->names.off_event = off;
	return 0;
}

/* All in one, but for dummies. */
static int choose_group(struct replay *r, const struct data_meta *meta, struct err *err)
{
	int first = -1;

	r->group_place = calloc(meta->nr_events, sizeof(*r->group_place));
	if (!r->group_place)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < meta->nr_events; i++) {
		if (replay_is_dummy(&meta->events[i]))
			continue;
		first = first < 0 ? i : first;
		r->view_of[i] = first;
		r->group_place[i] = (uint16_t)r->nr_group++;
	}
	if (r->group_first && r->group_first >= r->nr_group)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--group-sort-idx %u: the group has %u events, counted from 0", r->group_first, r->nr_group);
	return 0;
}

static int choose_events(struct replay *r, const struct data_meta *meta, struct err *err)
{
	if (r->event <= REPLAY_OFFCPU)
		return choose_time(r, meta, err);
	if (r->event >= meta->nr_events)
		return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' has %d event%s: no event %d", r->path, meta->nr_events, meta->nr_events == 1 ? "" : "s",
				r->event);
	if (r->event >= 0)
		r->view_of[r->event] = r->event;
	if (r->group)
		return choose_group(r, meta, err);
	for (int i = 0; i < meta->nr_events && r->event == REPLAY_EACH; i++)
		if (!replay_is_dummy(&meta->events[i]))
			r->view_of[i] = r->add_up ? shared_view(r, meta->events, i) : i;
	return 0;
}

static void view_free(struct replay_view *v)
{
	if (!v)
		return;
	tree_free(&v->tree);
	report_free(&v->table);
	slices_free(&v->slices);
	free(v);
}

/* Sums of a store or a profile have no time. Time off the CPUs ends at the time of its sample. */
static void slices_begin(const struct replay *r, struct replay_view *v)
{
	const struct data_meta *meta = data_reader_meta(r->file.reader);

	slices_init(&v->slices);
	v->slices.has_time = !data_reader_summed(r->file.reader);
	for (int i = 0; i < meta->nr_events; i++)
		if (!strcmp(meta->events[i].name, OFFCPU_EVENT))
			v->slices.spans_event = i;
	v->at.slices = &v->slices;
}

static struct replay_view *view_new(const struct replay *r, int event)
{
	struct replay_view *v = calloc(1, sizeof(*v));
	struct err err;

	if (!v)
		return NULL;
	v->event = event;
	v->at.profile = &v->profile;
	v->at.tree = r->tree ? r->tree : r->trees ? &v->tree : NULL;
	v->at.table = r->table ? r->table : r->request ? &v->table : NULL;
	if (r->slices)
		slices_begin(r, v);
	if ((r->trees && tree_init(&v->tree)) || (r->request && !r->table && report_init(&v->table, r->request, &err))) {
		view_free(v);
		return NULL;
	}
	if (r->nr_group && report_group(&v->table, r->nr_group, r->group_place, r->group_first)) {
		view_free(v);
		return NULL;
	}
	return v;
}

static int choose(void *arg, uint32_t event, struct fold_view **ret_view)
{
	struct replay *r = arg;
	int at = event < (uint32_t)r->nr_events ? r->view_of[event] : -1;

	*ret_view = NULL;
	if (at < 0) {
		r->other_event = (int)event;
		return 0;
	}
	if (!r->slots[at] && !(r->slots[at] = view_new(r, at)))
		return -ENOMEM;
	*ret_view = &r->slots[at]->at;
	return 0;
}

int replay_views_choose(struct replay *r, struct err *err)
{
	const struct data_meta *meta = data_reader_meta(r->file.reader);

	r->nr_events = meta->nr_events;
	r->other_event = -1;
	r->view_of = malloc(meta->nr_events * sizeof(*r->view_of));
	r->slots = calloc(meta->nr_events, sizeof(*r->slots));
	if (!r->view_of || !r->slots)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < meta->nr_events; i++)
		r->view_of[i] = -1;
	r->pic->fold.view.profile = &r->total;
	r->pic->fold.choose = choose;
	r->pic->fold.choose_arg = r;
	return choose_events(r, meta, err);
}

/* "cpu_core/cycles/, cpu_atom/cycles/" */
static void name_view(const struct replay *r, const struct data_meta *meta, struct replay_view *v)
{
	size_t n = 0;

	for (int i = v->event; i < r->nr_events && n < sizeof(v->name); i++) {
		if (r->view_of[i] != v->event)
			continue;
		n += snprintf(v->name + n, sizeof(v->name) - n, "%s%s", n ? ", " : "", meta->events[i].name);
		v->nr_events++;
	}
	v->profile.event = r->event == REPLAY_WALL ? "wall-clock time" : v->name;
	v->profile.unit = replay_unit_of(&meta->events[v->event]);
	v->profile.is_time = r->event <= REPLAY_OFFCPU || !strcmp(v->name, OFFCPU_EVENT);
	v->profile.other_index = r->other_event;
	v->profile.other_event = r->other_event < 0 ? NULL : meta->events[r->other_event].name;
}

int replay_views_end(struct replay *r)
{
	const struct data_meta *meta = data_reader_meta(r->file.reader);
	int first = -1;

	for (int i = 0; i < r->nr_events; i++) {
		first = first < 0 && r->view_of[i] == i ? i : first;
		if (!r->slots[i])
			continue;
		if (vec_reserve(&r->views))
			return -ENOMEM;
		r->views.data[r->views.n++] = r->slots[i];
	}
	if (!r->views.n) {
		if (vec_reserve(&r->views))
			return -ENOMEM;
		first = first < 0 ? 0 : first; /* a file of nothing but a dummy */
		r->view_of[first] = first;
		r->slots[first] = view_new(r, first);
		if (!r->slots[first])
			return -ENOMEM;
		r->views.data[r->views.n++] = r->slots[first];
	}
	for (size_t i = 0; i < r->views.n; i++)
		name_view(r, meta, r->views.data[i]);
	return 0;
}

void replay_views_free(struct replay *r)
{
	for (int i = 0; r->slots && i < r->nr_events; i++)
		view_free(r->slots[i]);
	free(r->slots);
	free(r->view_of);
	free(r->group_place);
	vec_free(&r->views);
}
