/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Knobs before the load; each key's sums are added up over the CPUs. */
#include "capture/source/callsby.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/by.h"
#include "capture/base.h"
#include "capture/byrows.h"
#include "capture/features.h"
#include "capture/rows.h"
#include "capture/source/callhooks.h"
#include "capture/source/uringhooks.h"
#include "event/syscalls.h"
#include "skel/callsby.skel.h"

#define ENTRIES_MAX (1u << 24) /* of the hash: a limit, no memory */

struct src_callsby {
	struct source source; /* first: a pointer to it is one to us */
	const struct callsby_cfg *cfg;
	const struct place *place;
	struct base base;
	struct callsby_bpf *skel;
	int cpus;
	struct by_places at;
	bool is_exit; /* no entry was requested */
	struct sink *sink; /* of the walk */
	uint64_t returned, other; /* of the last walk */
	uint64_t dropped; /* of rows that left the map */
	struct rows_ended ended;
	struct callhooks hooks;
	struct uringhooks uring;
};

#define URING_PREFIX "IORING_OP_"

static void set_knobs(struct src_callsby *src, uint32_t nr_cpus)
{
	const struct callsby_cfg *cfg = src->cfg;
	struct callsby_bpf__rodata *ro = src->skel->rodata;
	uint64_t entries;
	bool storage = !cfg->latency || feature_use(FEATURE_TASK_STORAGE);

	ro->cfg_by = cfg->by | BY_CPU;
	bpf_map__set_key_size(src->skel->maps.rows, rows_layout(ro->cfg_by, 0, 0, &src->at));
	ro->cfg_at = src->at;
	src->is_exit = true;
	ro->cfg_time = cfg->latency;
	ro->cfg_at_exit = cfg->latency || cfg->by & BY_ERRNO;
	ro->cfg_task_storage = storage;
	bpf_map__set_autocreate(src->skel->maps.task_calls, storage && ro->cfg_at_exit);
	bpf_map__set_autocreate(src->skel->maps.thread_calls, !storage);
	bpf_program__set_autoload(src->skel->progs.thread_renumber, !storage && ro->cfg_at_exit);
	if (cfg->wanted)
		memcpy((void *)ro->cfg_wanted, cfg->wanted, sizeof(ro->cfg_wanted));
	ro->cfg_execve = cfg->first_exec ? syscall_number("execve") : UINT32_MAX;
	ro->cfg_execveat = cfg->first_exec ? syscall_number("execveat") : UINT32_MAX;
	for (int i = 0; i < cfg->nr_events; i++) {
		const struct event *e = &cfg->events[i];

		if (e->kind != EVENT_SYSCALL)
			continue;
		src->is_exit &= e->is_exit;
		if (e->config == SYSCALL_ANY)
			ro->cfg_all_calls = 1;
		else if (e->config < SYSCALL_NR_MAX)
			ro->cfg_wanted[e->abi][e->config / 64] |= 1ull << (e->config % 64);
	}
	entries = (uint64_t)(cfg->rows_max ? cfg->rows_max : BY_ROWS_DEFAULT) * nr_cpus;
	bpf_map__set_max_entries(src->skel->maps.rows, entries < ENTRIES_MAX ? entries : ENTRIES_MAX);
	src->hooks = (struct callhooks)CALLHOOKS_OF(src->skel, feature_use(FEATURE_SYSCALL_BTF));
	callhooks_choose(&src->hooks, true, ro->cfg_at_exit, &src->base);
	src->uring = (struct uringhooks)URINGHOOKS_OF(src->skel);
	uringhooks_choose(&src->uring, cfg->uring_name);
	src->base.watched[2] = src->skel->progs.uring_complete;
	src->base.cgroup_ids = ro->cfg_cgroup_ids;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_callsby *src = (struct src_callsby *)source;
	int ret;

	src->place = place;
	src->ended.is_outer = place->pidns.level;
	src->cpus = libbpf_num_possible_cpus();
	ret = BASE_OPEN(&src->base, src->skel, callsby, err);
	if (ret)
		return ret;
	set_knobs(src, place->nr_cpus);
	ret = base_load(&src->base, place, err);
	if (!ret)
		ret = uringhooks_attach(&src->uring, err);
	if (!ret)
		ret = base_attach(src->skel->progs.thread_renumber, &src->skel->links.thread_renumber, err);
	return ret ? ret : callhooks_attach(&src->hooks, err);
}

static void start(struct source *source)
{
	base_arm(&((struct src_callsby *)source)->base);
}

static void stop(struct source *source)
{
	base_disarm(&((struct src_callsby *)source)->base);
}

static const char *uring_name(const struct src_callsby *src, uint32_t opcode, char *buf, size_t size)
{
	char other[32];
	const char *name = src->cfg->uring_name(opcode, other);

	snprintf(buf, size, "io_uring:%s", strncmp(name, URING_PREFIX, strlen(URING_PREFIX)) ? name : name + strlen(URING_PREFIX));
	return buf;
}

static const char *call_name(const struct src_callsby *src, uint32_t call, char *buf, size_t size)
{
	enum syscall_abi abi = call >> 16;
	uint32_t nr = call & 0xffff;
	const char *name;

	if (call >> 16 == SYSCALL_URING)
		return uring_name(src, nr, buf, size);
	name = syscall_call_name(abi, nr);
	if (name && abi == SYSCALL_NATIVE)
		return name;
	if (name)
		snprintf(buf, size, "%s%s", name, syscall_abi_mark(abi));
	else
		snprintf(buf, size, nr < SYSCALL_NR_MAX ? "syscall_%u" : "unknown", nr);
	return buf;
}

/* As the tracepoint is called; those of numbers without a name have none. */
static const char *event_name(const struct src_callsby *src, uint32_t call, char *buf, size_t size)
{
	const char *name = syscall_name(call >> 16, call & 0xffff), *side = src->is_exit ? "exit" : "enter";

	if (name)
		snprintf(buf, size, "syscalls:sys_%s_%s%s", side, name, syscall_abi_mark(call >> 16));
	else
		snprintf(buf, size, "syscalls:sys_%s_unknown", side);
	return buf;
}

/* A row of one CPU, or of all of them what did not fit. */
static int deliver(void *arg, const void *key, const void *values)
{
	struct src_callsby *src = arg;
	const struct by_sum *per_cpu = values;
	char call[64], event[EVENT_NAME_MAX];
	uint32_t what = 0;
	struct byrow row;
	uint64_t n;

	byrow_begin(&row, src->cfg->schema, key, src->cfg->by, &src->at);
	for (int cpu = 0; cpu < (key ? 1 : src->cpus); cpu++)
		byrow_add(&row, &per_cpu[cpu]);
	n = row.values[BYROWS_COUNT].num;
	src->returned += n;
	if (!key)
		src->other = n;
	if (!n)
		return 0;
	if (key && src->cfg->by & (BY_SYSCALL | BY_EVENT))
		memcpy(&what, (const char *)key + src->at.what, sizeof(what));
	if (key && src->cfg->by & BY_SYSCALL)
		row.values[ROWS_SYSCALL].text = call_name(src, what, call, sizeof(call));
	if (key && src->cfg->by & BY_EVENT)
		row.values[ROWS_EVENT].text = event_name(src, what, event, sizeof(event));
	return byrow_send(&row, src->sink);
}
_Static_assert(sizeof(struct by_sum) % 8 == 0, "per-CPU values are a multiple of 8");

static void drop(void *arg, const void *values)
{
	((struct src_callsby *)arg)->dropped += ((const struct by_sum *)values)->calls;
}

static int snapshot(struct source *source, struct sink *sink)
{
	struct src_callsby *src = (struct src_callsby *)source;
	const struct rows rows = { src->skel->maps.rows, src->skel->maps.other, src, deliver, &src->ended };

	src->ended.by = src->cfg->by;
	src->ended.at = &src->at;
	src->ended.drop = drop;
	src->other = 0;
	src->returned = src->dropped;
	src->sink = sink;
	return rows_walk(&rows);
}

static int count_pending(void *arg, const struct uring_op *op)
{
	(void)op;
	++*(unsigned long long *)arg;
	return 0;
}

static void note_uring(const struct src_callsby *src, struct profile *profile)
{
	unsigned long long pending = 0;

	if (!src->uring.is_used)
		return;
	uringhooks_pending(&src->uring, count_pending, &pending);
	if (pending)
		profile_note(profile, "%llu operation%s of io_uring had not completed at the end: not in the table", pending, pending == 1 ? "" : "s");
	if (src->skel->bss->uring_unseen)
		profile_note(profile, "operations of io_uring that ended without a completion (IOSQE_CQE_SKIP_SUCCESS, a full queue) are not in the table: %llu",
			     (unsigned long long)src->skel->bss->uring_unseen);
	if (src->skel->bss->uring_untimed)
		profile_note(profile, "operations of io_uring whose beginning is not known count with a time of 0: %llu",
			     (unsigned long long)src->skel->bss->uring_untimed);
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_callsby *src = (const struct src_callsby *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	base_profile(&src->base, sum, profile);
	if (src->cfg->keeps_budget) { /* what is left out is a part of that */
		profile->seen += sum[COUNT_SEEN];
		profile->kept += sum[COUNT_SEEN];
	}
	callhooks_note(base_missed(&src->base), profile);
	if (sum[COUNT_SEEN] == src->returned + 1)
		profile_note(profile, "1 call had not returned at the end, as the exit of a thread never does: it is not in the table");
	else if (sum[COUNT_SEEN] > src->returned)
		profile_note(profile, "%llu calls had not returned at the end, as the exit of a thread never does: they are not in the table",
			     (unsigned long long)(sum[COUNT_SEEN] - src->returned));
	note_uring(src, profile);
	profile->losses[LOSS_KEYS_FULL] += src->other;
}

static bool has_targets(const struct source *source)
{
	const struct src_callsby *src = (const struct src_callsby *)source;

	return filter_has_targets(&src->base.object.filter, src->place);
}

static void close_source(struct source *source)
{
	struct src_callsby *src = (struct src_callsby *)source;

	rows_ended_free(&src->ended);
	base_close(&src->base);
	free(src);
}

struct source *src_callsby_new(const struct callsby_cfg *cfg)
{
	struct src_callsby *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.open = open_source,
		.start = start,
		.in_part = cfg->keeps_budget ? &src->base : NULL,
		.stop = stop,
		.snapshot = snapshot,
		.has_targets = has_targets,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = "the program that sums system calls", .own = "calls", .has_stats = cfg->bpf_stats };
	src->cfg = cfg;
	return &src->source;
}
