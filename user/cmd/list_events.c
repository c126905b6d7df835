/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep list: events that have a table or a folder of their own. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "capture/present.h"
#include "cmd/list.h"
#include "event/event.h"
#include "event/format.h"
#include "event/pmu.h"
#include "event/syscalls.h"
#include "event/tracepoints.h"
#include "util/vec.h"

#define SYSCALL_EVENTS_MAX 8192
#define FIELDS_MAX 128

/* What counts what the system does, and what counts what a command does. */
static const char system_wide[] = "-a -- sleep 1", of_command[] = "-- ls";

struct named {
	struct list_run *run;
	enum list_kind kind; /* of this pass: the table has them in another order than the list */
	struct event last; /* waits for its alias */
	bool has_last;
};

static enum list_kind kind_of(const struct event *e)
{
	return e->type == PERF_TYPE_HARDWARE ? LIST_HARDWARE : e->type == PERF_TYPE_SOFTWARE ? LIST_SOFTWARE : LIST_CACHE;
}

static void named_row(struct named *n, const char *alias)
{
	struct list_row row = { .kind = kind_of(&n->last), .name = n->last.name, .alias = alias };
	char why[128];

	if (!n->has_last || !list_wants(n->run, row.kind, row.name, alias))
		return;
	if (event_present(&n->last, why, sizeof(why)))
		row.missing = why;
	if (n->run->details)
		list_text(&row, LIST_UNIT, n->last.unit);
	if (n->run->details && !row.missing)
		row.example = list_example(row.name, of_command);
	list_row(&n->run->out, &row);
}

static int add_name(void *arg, const struct event *e)
{
	struct named *n = arg;

	if (n->has_last && e->type == n->last.type && e->config == n->last.config) {
		named_row(n, e->name);
		n->has_last = false;
		return 0;
	}
	named_row(n, NULL);
	n->has_last = kind_of(e) == n->kind;
	n->last = *e;
	return 0;
}

static int add_pmu_event(void *arg, const char *pmu, const char *event, const char *terms)
{
	struct list_run *run = arg;
	struct list_row row = { .kind = LIST_PMU, .note = terms };
	char name[512];

	if (snprintf(name, sizeof(name), "%s/%s/", pmu, event) >= (int)sizeof(name) || !list_wants(run, LIST_PMU, name, NULL))
		return 0;
	row.name = name;
	list_text(&row, LIST_TERMS, terms);
	if (run->details)
		row.example = list_example(name, system_wide);
	list_row(&run->out, &row);
	return 0;
}

/* A tracepoint's fields; a row borrows them until the next call. */
struct fields {
	struct format format;
	struct member shown[FIELDS_MAX];
	char types[FIELDS_MAX][2 * FORMAT_TYPE_MAX];
};

static void read_fields(struct fields *f, const char *tracepoint, struct list_row *row)
{
	static const char *const where[] = { [FORMAT_DATA_LOC] = "__data_loc ", [FORMAT_REL_LOC] = "__rel_loc " };

	format_free(&f->format);
	if (format_read(tracepoint, &f->format))
		return;
	for (size_t i = 0; i < f->format.fields.n && i < FIELDS_MAX; i++) {
		const struct format_field *field = &f->format.fields.data[i];

		snprintf(f->types[i], sizeof(f->types[i]), "%s%s%s", where[field->where] ? where[field->where] : "", field->type, field->array);
		f->shown[i] = (struct member){ f->types[i], field->name };
	}
	row->fields = (struct members){ f->shown, f->format.fields.n < FIELDS_MAX ? f->format.fields.n : FIELDS_MAX };
	row->has_fields = true;
}

static int add_tracepoint(void *arg, const char *name)
{
	static struct fields fields;
	struct list_run *run = arg;
	struct list_row row = { .kind = LIST_TRACEPOINT, .name = name };

	/* Those of system calls are rows of their own kind. */
	if (!strncmp(name, "syscalls:", strlen("syscalls:")) || !strncmp(name, "raw_syscalls:", strlen("raw_syscalls:")))
		return 0;
	if (!list_wants(run, LIST_TRACEPOINT, name, NULL))
		return 0;
	if (run->details) {
		read_fields(&fields, name, &row);
		row.example = list_example(name, system_wide);
	}
	list_row(&run->out, &row);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct event *)a)->name, ((const struct event *)b)->name);
}

/* Calls of other ABIs are as many again: only for who names one. */
static bool asks_abi(const struct list_run *run, const struct event *e)
{
	for (size_t i = 0; i < run->nr_queries; i++)
		if (strstr(run->queries[i].text, syscall_abi_mark(e->abi)))
			return true;
	return false;
}

/* The other name that -e takes: syscalls:sys_enter_fstat of ..._newfstat. NULL: none. */
static const char *syscall_alias(const struct event *e, char *buf, size_t size)
{
	const char *kernel, *call;

	if (e->config >= SYSCALL_NR_MAX)
		return NULL;
	kernel = syscall_name(e->abi, e->config);
	call = syscall_call_name(e->abi, e->config);
	if (!kernel || !call || !strcmp(kernel, call))
		return NULL;
	snprintf(buf, size, "syscalls:sys_%s_%s%s", e->is_exit ? "exit" : "enter", call, syscall_abi_mark(e->abi));
	return buf;
}

static void add_syscall(struct list_run *run, const struct event *e)
{
	static struct fields fields;
	struct list_row row = { .kind = LIST_SYSCALL, .name = e->name };
	char alias[EVENT_NAME_MAX];

	if (!asks_abi(run, e))
		return;
	row.alias = syscall_alias(e, alias, sizeof(alias));
	if (!list_wants(run, LIST_SYSCALL, row.name, row.alias))
		return;
	if (e->config < SYSCALL_NR_MAX)
		list_number(&row, LIST_NUMBER, e->config);
	if (run->details) {
		if (e->abi == SYSCALL_NATIVE)
			read_fields(&fields, e->name, &row);
		row.example = list_example(e->name, of_command);
	}
	list_row(&run->out, &row);
}

static int list_syscalls(struct list_run *run, struct err *err)
{
	static const char *const patterns[] = { "raw_syscalls:*", "syscalls:*" };
	struct event *events = malloc(SYSCALL_EVENTS_MAX * sizeof(*events));
	int ret = 0;

	if (!events)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]) && ret >= 0; i++) {
		ret = syscall_events(patterns[i], strlen(patterns[i]), events, SYSCALL_EVENTS_MAX);
		if (ret > 0)
			qsort(events, (size_t)ret, sizeof(*events), by_name);
		for (int e = 0; e < ret; e++)
			add_syscall(run, &events[e]);
	}
	free(events);
	return ret < 0 ? err_set(err, ret, "cannot list the system calls: %s", strerror(-ret)) : 0;
}

static void list_tracepoints(struct list_run *run)
{
	int ret = tracepoint_each(add_tracepoint, run);

	if (ret == -EACCES)
		list_refuse(run, LIST_TRACEPOINT, ret, "only root can read tracefs", "sudo mount -o remount,mode=755 /sys/kernel/tracing");
	else if (ret == -ENOTDIR)
		list_refuse(run, LIST_TRACEPOINT, ret, "tracefs is not mounted", "mount -t tracefs tracefs /sys/kernel/tracing");
	else if (ret)
		list_refuse(run, LIST_TRACEPOINT, ret, strerror(-ret), NULL);
}

int list_events(struct list_run *run, struct err *err)
{
	static const enum list_kind kinds[] = { LIST_HARDWARE, LIST_CACHE, LIST_SOFTWARE };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct named n = { .run = run, .kind = kinds[i] };

		if (!list_asks(run, kinds[i]))
			continue;
		event_each_name(add_name, &n);
		named_row(&n, NULL);
	}
	if (list_asks(run, LIST_PMU))
		pmu_each_event(add_pmu_event, run);
	if (list_asks(run, LIST_TRACEPOINT))
		list_tracepoints(run);
	return list_asks(run, LIST_SYSCALL) ? list_syscalls(run, err) : 0;
}
