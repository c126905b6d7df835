/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep stat --by and --latency: system calls and tracepoints summed in the kernel by the user's keys. */
#include "cmd/stat_by.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/byrows.h"
#include "capture/source/callsby.h"
#include "capture/source/eventsby.h"
#include "cmd/run.h"
#include "event/keys.h"

#define ROWS_A_TASK 8ul
#define CALL_ROWS_MAX (1ul << 17)
#define EVENT_ROWS_MAX (1ul << 15) /* all of them are in memory from the start on, a CPU each */

struct by_run {
	struct run run; /* first */
	const struct stat_by *o;
	struct keys keys;
	struct traced_list traced;
	bool has_calls;
	char fields[BY_FIELDS_MAX][FORMAT_NAME_MAX + sizeof("args.")];
	struct byrows_schema schema;
	bool both_sides; /* see check_sides() */
};

/* A call is one in these tables: its entry and its return are not two. Sets both_sides where globs name both. */
static int check_sides(struct by_run *run, const struct event *events, int nr_events, struct err *err)
{
	const struct event *named[2] = { NULL, NULL };
	bool globbed[2] = { false, false };

	for (int i = 0; i < nr_events; i++) {
		if (events[i].kind != EVENT_SYSCALL)
			continue;
		globbed[events[i].is_exit] |= events[i].from_glob;
		if (!events[i].from_glob)
			named[events[i].is_exit] = &events[i];
	}
	if (named[0] && named[1])
		return err_exit(err, -EINVAL, EXIT_USAGE, "--by and --latency count a call once: leave out '%s' or '%s'", named[0]->name,
				named[1]->name);
	run->both_sides = (named[0] || globbed[0]) && (named[1] || globbed[1]);
	return 0;
}

/* What goes with what: only system calls have a return. */
static int check(struct by_run *run, const struct event *events, int nr_events, struct err *err)
{
	const struct event *other = NULL;

	if (!run->keys.nr_fields) {
		int ret = check_sides(run, events, nr_events, err);

		if (ret)
			return ret;
	}

	for (int i = 0; i < nr_events && !other; i++)
		if (events[i].kind != EVENT_SYSCALL || run->keys.nr_fields)
			other = &events[i];
	if (!other)
		return 0;
	if (run->o->latency && run->keys.nr_fields)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--latency cannot be combined with fields of tracepoints, which have no duration");
	if (run->o->latency)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--latency needs system calls: the tracepoint '%s' has no duration", other->name);
	if (run->keys.by & (BY_SYSCALL | BY_ERRNO))
		return err_exit(err, -EINVAL, EXIT_USAGE, "the key '%s' is for system calls: it cannot be combined with %s",
				run->keys.by & BY_ERRNO ? "errno" : "syscall", run->keys.nr_fields ? "fields" : "tracepoints (event)");
	return 0;
}

static int add_notes(void *arg, const struct session *session)
{
	struct by_run *run = arg;
	struct run *r = &run->run;

	(void)session;
	if (run->both_sides)
		profile_note(&r->profile, "each call is counted once, although -e names its entry and its return");
	if (run->traced.without)
		profile_note(&r->profile, "%d of the tracepoints do not have all of these fields: they are left out", run->traced.without);
	return 0;
}

static int prepare(struct by_run *run, const struct event *events, int nr_events, struct err *err)
{
	const struct stat_by *o = run->o;
	const struct columns_other fields = keys_fields(&run->keys);
	int ret = rows_parse_by(o->keys ? o->keys : "syscall", ROWS_BY_ALL, &fields, &run->keys.by, err);

	if (!ret)
		ret = check(run, events, nr_events, err);
	if (!ret)
		ret = keys_resolve(&run->keys, events, nr_events, format_read, &run->traced, err);
	for (int i = 0; i < nr_events; i++)
		run->has_calls |= events[i].kind == EVENT_SYSCALL && !run->keys.nr_fields;
	return ret;
}

/* How field i is shown: as a number, if it is one in all tracepoints. */
static enum value_kind field_kind(const struct by_run *run, int i)
{
	const struct traced *all = run->traced.all.data;

	if (run->keys.texts >> i & 1 || !run->traced.all.n)
		return VALUE_TEXT;
	for (size_t t = 0; t < run->traced.all.n; t++)
		if (all[t].fields[i].kind != all[0].fields[i].kind)
			return VALUE_TEXT;
	return all[0].fields[i].kind == FIELD_SIGNED ? VALUE_SIGNED : all[0].fields[i].kind == FIELD_UNSIGNED ? VALUE_NUMBER : VALUE_TEXT;
}

static void make_schema(struct by_run *run)
{
	struct byrows_cfg cfg = { .count = run->has_calls ? "calls" : "hits", .values = run->o->latency ? BYROWS_LATENCY : BYROWS_NOTHING,
				  .offered = run->keys.by, .nr_fields = run->keys.nr_fields };

	for (int i = 0; i < run->keys.nr_fields; i++) {
		char name[FORMAT_NAME_MAX];

		memcpy(name, run->keys.fields[i], sizeof(name));
		snprintf(run->fields[i], sizeof(run->fields[i]), "args.%s", name);
		cfg.fields[i] = run->fields[i];
		cfg.kinds[i] = field_kind(run, i);
	}
	byrows_schema(&run->schema, &cfg);
}

/*
 * Room for rows, 0 for the sources' own: eight for each task of the machine where a key distinguishes tasks and all of them are
 * targets, up to so many.
 */
static uint64_t rows_for(const struct by_run *run, const struct target *t, unsigned long most)
{
	bool is_part = t->pids.n || t->tids.n || t->cgroups.n || t->uids.n || t->comms.n || target_is_command(t);
	unsigned long tasks = 0, rows;
	FILE *f;

	if (run->o->rows_max || !(run->keys.by & (BY_PID | BY_TID)) || is_part)
		return run->o->rows_max;
	f = fopen("/proc/loadavg", "re");
	if (f && fscanf(f, "%*s %*s %*s %*u/%lu", &tasks) != 1)
		tasks = 0;
	if (f)
		fclose(f);
	rows = tasks < most / ROWS_A_TASK ? ROWS_A_TASK * tasks : most;
	return rows > BY_ROWS_DEFAULT ? rows : 0;
}

int stat_by_run(const struct stat_by *o, const struct target *target, const struct event *events, int nr_events,
		struct profile *profile, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { .at_end = add_notes };
	struct by_run *run = calloc(1, sizeof(*run));
	struct callsby_cfg calls = { .events = events, .nr_events = nr_events, .latency = o->latency };
	struct eventsby_cfg traced = { 0 };
	struct run_cfg view = { .format = o->json ? "json" : o->separator ? "csv" : "text", .separator = o->separator, .fields = o->fields, .out = o->out,
				.append = o->append, .top = o->top, .duration_ns = o->duration_ns, .interval_ns = o->interval_ns };
	struct session_cfg cfg = { .target = target };
	int ret = run ? 0 : -ENOMEM;

	if (ret)
		return ret;
	run->o = o;
	ret = prepare(run, events, nr_events, err);
	make_schema(run);
	view.schema = calls.schema = traced.schema = &run->schema.schema;
	view.sort = run->schema.schema.sort;
	view.keys = byrows_keys(run->keys.by, run->keys.nr_fields);
	view.nothing = run->has_calls ? "none of these calls was made" : "none of these events happened";
	traced.keys = &run->keys;
	traced.traced = &run->traced;
	calls.by = run->keys.by;
	calls.rows_max = rows_for(run, target, CALL_ROWS_MAX);
	traced.rows_max = rows_for(run, target, EVENT_ROWS_MAX);
	if (!ret)
		ret = run_open(&run->run, &view, err);
	if (!ret && run->has_calls)
		cfg.sources[cfg.nr_sources++] = src_callsby_new(&calls);
	if (!ret && run->traced.all.n)
		cfg.sources[cfg.nr_sources++] = src_eventsby_new(&traced);
	ret = ret ? ret : run_session(&run->run, &cfg, &hooks, ret_status, err);
	ret = run_close(&run->run, ret, err);
	*profile = run->run.profile;
	vec_free(&run->traced.all);
	free(run);
	return ret;
}
