/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep stat --stack: hits of system calls and tracepoints, by event and function, with the callers. */
#include "cmd/stat_stack.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/rows.h"
#include "cmd/live.h"
#include "cmd/stat_out.h"
#include "render/rows/report.h"
#include "render/tree/render.h"

#define KEYS_BYTES 128

/* The rows are functions, innermost first: "comm" to "comm,event,sym". */
static int row_keys(const char *by, char *buf, size_t size, struct err *err)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} words[] = { { BY_COMM, "comm," }, { BY_PID, "pid," }, { BY_TID, "tid," }, { BY_CPU, "cpu," } };
	uint32_t bits = 0;
	size_t at = 0;
	int ret = by ? rows_parse_by(by, BY_COMM | BY_PID | BY_TID | BY_CPU | BY_EVENT, NULL, &bits, err) : 0;

	if (ret)
		return ret;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (bits & words[i].bit)
			at += snprintf(buf + at, size - at, "%s", words[i].name);
	snprintf(buf + at, size - at, "event,sym");
	return 0;
}

static int print(const struct stat_stack *o, const struct fold_view *v, const struct measure *m, FILE *out)
{
	const char *names[EVENTS_MAX];
	const struct report_cfg cfg = { .event_names = names, .chains = { .min_percent = CHAINS_PERCENT, .skip_first = true } };
	const struct report_limits limits = { .max = o->top, .self_only = true };

	for (int i = 0; i < m->nr_events; i++)
		names[i] = m->events[i].name;
	if (o->folded) {
		const struct flame_cfg picture = { 0 };

		tree_end(v->tree, 0);
		return render_folded(out, v->tree, v->profile, &picture);
	}
	report_sort(v->table);
	report_cut(v->table, &limits);
	return (o->json ? render_report_json : o->csv ? render_report_csv : render_report_text)(out, v->table, v->profile, &cfg);
}

/* event: the name of the first. */
static int run(const struct stat_stack *o, const char *event, struct measure *m, struct picture *pic, struct stat_out *out, int *ret_status,
	       struct err *err)
{
	struct sample_cfg cfg = { .aggregate = true, .by_tid = true };
	struct syms_cfg syms_cfg = { .servers = SERVERS_WAIT };
	const struct fold_view *v = &pic->fold.view;
	int ret = live_run(m, &cfg, &syms_cfg, pic, ret_status, err);

	v->profile->event = m->nr_events > 1 ? "several events" : event;
	if (!ret && !v->profile->seen)
		profile_note(v->profile, "none of these events happened");
	if (!ret)
		ret = print(o, v, m, out->stream);
	return ret;
}

int stat_stack_measure(const struct stat_stack *o, struct measure *m, struct profile *profile, int *ret_status, struct err *err)
{
	struct picture *pic = picture_new(NULL);
	char keys[KEYS_BYTES];
	struct report table = { 0 };
	struct tree tree = { 0 };
	struct stat_out out = { 0 };
	int ret;

	if (o->walks.call_graph == CALL_GRAPH_NONE) {
		picture_free(pic);
		return err_exit(err, -EINVAL, EXIT_USAGE, "--call-graph none leaves no stacks to show");
	}
	m->walks = o->walks;
	ret = pic ? walk_check(&o->walks, err) : -ENOMEM;
	if (!ret)
		ret = row_keys(o->keys, keys, sizeof(keys), err);
	if (!ret)
		ret = report_init(&table, &(struct report_request){ .sort = keys, .chains = true, .counts = true }, err);
	if (!ret && o->folded)
		ret = tree_init(&tree);
	if (ret)
		goto out;
	pic->fold.view = (struct fold_view){ .profile = profile, .table = o->folded ? NULL : &table, .tree = o->folded ? &tree : NULL };
	ret = stat_out_open(&out, o->out, false, false, err);
	if (!ret)
		ret = stat_out_close(&out, run(o, m->events[0].name, m, pic, &out, ret_status, err), err);
out:
	tree_free(&tree);
	report_free(&table);
	picture_free(pic);
	return ret;
}

int stat_stack_run(const struct stat_stack *o, const struct target *target, struct event *events, int nr_events,
		   struct profile *profile, int *ret_status, struct err *err)
{
	struct measure *m;
	int ret;

	if (nr_events > EVENTS_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "--stack takes at most %d events (raw_syscalls:sys_enter counts all system calls)",
				EVENTS_MAX);
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->target = *target; /* which stays the caller's */
	m->duration_ns = o->duration_ns;
	m->event_text = "";
	for (m->nr_events = 0; m->nr_events < nr_events; m->nr_events++) {
		m->events[m->nr_events] = events[m->nr_events];
		events[m->nr_events].probe = NULL;
	}
	ret = measure_events(m, err);
	if (!ret)
		ret = stat_stack_measure(o, m, profile, ret_status, err);
	if (profile->event == m->events[0].name)
		profile->event = events[0].name; /* m is gone */
	measure_free_probes(m);
	events_free(m->events, m->nr_events);
	free(m);
	return ret;
}
