/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each tracepoint has a clone of the program with its index, and the places of its fields, in it. Those without fields are raw
 * tracepoints. For those with fields perf's tracepoint is opened once: a program on it runs on every CPU, whatever CPU and task
 * the event is opened for (perf_trace_run_bpf_submit(), kernel/events/core.c).
 */
#include "capture/source/eventsby.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bpf/eventsby.h"
#include "capture/base.h"
#include "capture/byrows.h"
#include "capture/clone.h"
#include "capture/refusal.h"
#include "capture/rows.h"
#include "skel/eventsby.skel.h"
#include "util/vec.h"

#define WHAT "the program that sums tracepoints"
#define FIELD_TEXT_MAX (BY_TEXT_MAX > 32 ? BY_TEXT_MAX : 32) /* of a value, numbers too */

struct src_eventsby {
	struct source source; /* first: a pointer to it is one to us */
	const struct eventsby_cfg *cfg;
	struct base base;
	struct eventsby_bpf *skel;
	struct by_places at;
	struct rows_ended ended;
	int cpus;
	struct clones clones; /* its index is that in the key */
	int unattached;		/* of globs */
	uint64_t missed_before; /* start */
	struct sink *sink;	/* of the walk */
	uint64_t other;		/* of the last walk */
};

static void set_knobs(struct src_eventsby *src)
{
	const struct keys *keys = src->cfg->keys;
	struct eventsby_bpf__rodata *ro = src->skel->rodata;

	/* What a number means is its tracepoint's to say. */
	ro->cfg_by = keys->by | (keys->nr_fields && src->cfg->traced->all.n > 1 ? BY_EVENT : 0);
	bpf_map__set_key_size(src->skel->maps.rows, rows_layout(ro->cfg_by, keys->nr_fields, keys->texts, &src->at));
	ro->cfg_at = src->at;
	ro->cfg_nr_fields = keys->nr_fields;
	ro->cfg_texts = keys->texts;
	if (src->cfg->rows_max)
		bpf_map__set_max_entries(src->skel->maps.rows, src->cfg->rows_max);
	bpf_program__set_autoload(keys->nr_fields ? src->skel->progs.add_record : src->skel->progs.add_hit, true);
}

/* Returns a descriptor or -errno. */
static int attach_perf(const struct traced *t, uint32_t cpu, int prog_fd)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = t->id };
	int fd = kernel_perf_event_open(&attr, -1, cpu, -1, 0), ret;

	if (fd < 0 || (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

static int attach_raw(const struct traced *t, int prog_fd)
{
	int fd = bpf_raw_tracepoint_open(strchr(t->name, ':') + 1, prog_fd);

	return fd < 0 ? -errno : fd;
}

/* Names of tracefs that are no tracepoint, or of a module that is not there: an error where they were named, left out where a glob named them. */
static int no_tracepoint(struct src_eventsby *src, const struct traced *t, struct err *err)
{
	src->unattached++;
	return t->from_glob ? 0 : err_exit(err, -ENOENT, EXIT_CANNOT, "cannot attach to '%s': the kernel has no such tracepoint", t->name);
}

static int attach(struct src_eventsby *src, const struct traced *t, uint32_t cpu, struct err *err)
{
	int nr_fields = src->cfg->keys->nr_fields, ret;
	struct clone_mark marks[1 + BY_FIELDS_MAX] = { { EVENTSBY_INDEX_MARK, src->clones.all.n } };
	struct clone a = { .of = t - src->cfg->traced->all.data };

	if (vec_reserve(&src->clones.all))
		return -ENOMEM;
	for (int i = 0; i < nr_fields; i++)
		marks[1 + i] = (struct clone_mark){ EVENTSBY_FIELD_MARK(i),
						    EVENTSBY_WHERE(t->fields[i].offset, t->fields[i].bytes, t->fields[i].how) };
	a.prog_fd = clone_load(nr_fields ? src->skel->progs.add_record : src->skel->progs.add_hit, marks, 1 + nr_fields, WHAT, err);
	if (a.prog_fd < 0)
		return a.prog_fd;
	a.link_fd = nr_fields ? attach_perf(t, cpu, a.prog_fd) : attach_raw(t, a.prog_fd);
	if (a.link_fd < 0) {
		ret = a.link_fd;
		close(a.prog_fd);
		return ret == -ENOENT ? no_tracepoint(src, t, err) :
					err_exit(err, ret, EXIT_CANNOT, "cannot attach to '%s': %s", t->name, strerror(-ret));
	}
	src->clones.all.data[src->clones.all.n++] = a;
	return 0;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_eventsby *src = (struct src_eventsby *)source;
	const struct traced_list *list = src->cfg->traced;
	int ret;

	src->ended.is_outer = place->pidns.level;
	src->cpus = libbpf_num_possible_cpus();
	ret = BASE_OPEN(&src->base, src->skel, eventsby, err);
	if (ret)
		return ret;
	if (list->all.n > EVENTSBY_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "too many tracepoints in one run: at most %d", EVENTSBY_MAX);
	set_knobs(src);
	ret = base_load(&src->base, place, err);
	for (size_t i = 0; i < list->all.n && !ret; i++)
		ret = attach(src, &list->all.data[i], place->cpus[0], err);
	if (!ret && !src->clones.all.n)
		return err_exit(err, -ENOENT, EXIT_CANNOT, "cannot attach to any of these tracepoints");
	return ret;
}

static void start(struct source *source)
{
	struct src_eventsby *src = (struct src_eventsby *)source;

	src->missed_before = clones_missed(&src->clones);
	base_arm(&src->base);
}

static void stop(struct source *source)
{
	base_disarm(&((struct src_eventsby *)source)->base);
}

/* The field's number. The kernel copied its bytes into a word of zeroes: a signed one has its sign extended. */
static uint64_t field_number(uint64_t value, const struct field_place *p)
{
	unsigned unused = 64 - 8 * (p->bytes < 8 ? p->bytes : 8);

	return p->kind == FIELD_SIGNED ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

/* value is field_number()'s. */
static void field_text(char *buf, uint64_t value, const struct field_place *p)
{
	switch (p->kind) {
	case FIELD_SIGNED:
		snprintf(buf, FIELD_TEXT_MAX, "%lld", (long long)value);
		break;
	case FIELD_ADDRESS:
		snprintf(buf, FIELD_TEXT_MAX, "0x%llx", (unsigned long long)value);
		break;
	case FIELD_DEVICE: /* MAJOR() and MINOR(), include/linux/kdev_t.h */
		snprintf(buf, FIELD_TEXT_MAX, "%u:%u", (uint32_t)value >> 20, (uint32_t)value & 0xfffff);
		break;
	default:
		snprintf(buf, FIELD_TEXT_MAX, "%llu", (unsigned long long)value);
	}
}

static void read_fields(const struct src_eventsby *src, const char *key, const struct traced *t, char (*texts)[FIELD_TEXT_MAX],
			struct byrow *row)
{
	const struct keys *keys = src->cfg->keys;

	for (int i = 0; i < keys->nr_fields; i++) {
		struct value value = { .text = texts[i] };
		uint64_t num;

		if (keys->texts >> i & 1) {
			memcpy(texts[i], key + src->at.fields[i], BY_TEXT_MAX);
			texts[i][BY_TEXT_MAX - 1] = '\0';
		} else {
			memcpy(&num, key + src->at.fields[i], sizeof(num));
			num = field_number(num, &t->fields[i]);
			if (row->row.schema->columns[BYROWS_FIELDS + i].kind == VALUE_TEXT)
				field_text(texts[i], num, &t->fields[i]);
			else
				value.num = num;
		}
		byrow_field(row, i, value);
	}
}

static int deliver(void *arg, const void *key, const void *values)
{
	struct src_eventsby *src = arg;
	const struct keys *keys = src->cfg->keys;
	const uint64_t *per_cpu = values;
	char texts[BY_FIELDS_MAX][FIELD_TEXT_MAX];
	struct by_sum sum = { 0 };
	const struct traced *t;
	uint32_t index = 0;
	struct byrow row;

	for (int cpu = 0; cpu < src->cpus; cpu++)
		sum.calls += per_cpu[cpu];
	if (!key)
		src->other = sum.calls;
	if (!sum.calls)
		return 0;
	byrow_begin(&row, src->cfg->schema, key, keys->by, &src->at);
	byrow_add(&row, &sum);
	if (key) {
		if (src->skel->rodata->cfg_by & BY_EVENT)
			memcpy(&index, (const char *)key + src->at.what, sizeof(index));
		if (index >= src->clones.all.n)
			return -EINVAL;
		t = &src->cfg->traced->all.data[src->clones.all.data[index].of];
		row.values[ROWS_EVENT].text = keys->by & BY_EVENT ? t->name : NULL;
		read_fields(src, key, t, texts, &row);
	}
	return byrow_send(&row, src->sink);
}

static int snapshot(struct source *source, struct sink *sink)
{
	struct src_eventsby *src = (struct src_eventsby *)source;
	const struct rows rows = { src->skel->maps.rows, src->skel->maps.other, src, deliver, &src->ended };

	src->ended.by = src->cfg->keys->by;
	src->ended.at = &src->at;
	src->other = 0;
	src->sink = sink;
	return rows_walk(&rows);
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_eventsby *src = (const struct src_eventsby *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	base_profile(&src->base, sum, profile);
	base_add_nested(&src->base, clones_missed(&src->clones) - src->missed_before, profile);
	if (src->unattached)
		profile_note(profile, "%d names of tracefs are left out: the kernel has no such tracepoints", src->unattached);
	profile->losses[LOSS_KEYS_FULL] += src->other;
}

static void close_source(struct source *source)
{
	struct src_eventsby *src = (struct src_eventsby *)source;

	clones_free(&src->clones);
	rows_ended_free(&src->ended);
	base_close(&src->base);
	free(src);
}

struct source *src_eventsby_new(const struct eventsby_cfg *cfg)
{
	struct src_eventsby *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.open = open_source,
		.start = start,
		.stop = stop,
		.snapshot = snapshot,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .own = "events", .has_idle = true };
	src->cfg = cfg;
	return &src->source;
}
