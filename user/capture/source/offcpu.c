/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums from two hashes, or records from rings whose stacks are in one of them: to samples. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/iter.h"
#include "capture/refusal.h"
#include "capture/source/offcpu_parts.h"
#include "capture/walker.h"
#include "skel/offcpu.skel.h"
#include "util/clock.h"

#define WHAT "the program that measures time off the CPUs"
#define RING_BYTES (1u << 20)
#define STREAM_STACKS_DEFAULT (2 * STACKS_DEFAULT)
#define ROWS_A_STACK 2
#define UNWIND_ID 1 /* each object that walks by tables has another one */

static void set_knobs(struct src_offcpu *src, const struct place *place)
{
	const struct offcpu_cfg *cfg = src->cfg;
	struct offcpu_bpf__rodata *ro = src->skel->rodata;
	uint64_t stacks_max = cfg->stacks_max ? cfg->stacks_max : cfg->aggregate ? STACKS_DEFAULT : STREAM_STACKS_DEFAULT;

	ro->cfg_stream = !cfg->aggregate;
	ro->cfg_kernel_stack = !cfg->no_kernel_stack;
	ro->cfg_user_stack = !cfg->no_user_stack;
	ro->cfg_by_tid = cfg->by_tid;
	ro->cfg_cgroup = cfg->has_cgroup;
	ro->cfg_unwind = unwinder_mode(place->unwinder);
	ro->cfg_unwind_id = UNWIND_ID;
	ro->cfg_blocked = !!(cfg->parts & (OFFCPU_PART_BLOCKED | OFFCPU_PART_QUEUED));
	ro->cfg_preempted = !!(cfg->parts & OFFCPU_PART_PREEMPTED);
	ro->cfg_key_bytes = cfg->wakers ? sizeof(struct offcpu_key) : sizeof(struct offcpu_who);
	ro->cfg_wake_bytes = (cfg->ring_bytes ? cfg->ring_bytes : RING_BYTES) / 4;
	src->max_frames = kernel_max_frames();
	if (src->max_frames > ro->cfg_max_frames)
		src->max_frames = ro->cfg_max_frames;
	bpf_map__set_key_size(src->skel->maps.spans, ro->cfg_key_bytes);
	bpf_map__set_max_entries(src->skel->maps.spans, cfg->aggregate ? stacks_max * ROWS_A_STACK : 1);
	bpf_map__set_max_entries(src->skel->maps.stacks, stacks_max);
	bpf_map__set_key_size(src->skel->maps.spans_odd, ro->cfg_key_bytes);
	bpf_map__set_max_entries(src->skel->maps.spans_odd, cfg->empties ? stacks_max * ROWS_A_STACK : 1);
	bpf_map__set_max_entries(src->skel->maps.stacks_odd, cfg->empties ? stacks_max : 1);
	rings_size(src->skel->maps.rings, place);
	src->tasks = (struct tasks)TASKS_OF(src->skel);
	src->base.cgroup_ids = ro->cfg_cgroup_ids;
	src->base.watched[0] = src->skel->progs.offcpu_switch;
}

/* New tasks first, then what happens to tasks, then those that are there. */
static int attach_all(struct src_offcpu *src, struct err *err)
{
	struct offcpu_bpf *skel = src->skel;
	const struct tasks_hook hooks[] = {
		{ skel->progs.offcpu_newtask, &skel->links.offcpu_newtask }, { skel->progs.offcpu_wakeup_new, &skel->links.offcpu_wakeup_new },
		{ skel->progs.offcpu_waking, &skel->links.offcpu_waking },   { skel->progs.offcpu_wakeup, &skel->links.offcpu_wakeup },
		{ skel->progs.offcpu_switch, &skel->links.offcpu_switch },   { skel->progs.offcpu_exec, &skel->links.offcpu_exec },
	};

	return tasks_attach(hooks, sizeof(hooks) / sizeof(*hooks), skel->progs.offcpu_begin, err);
}

static void set_programs(struct src_offcpu *src)
{
	struct offcpu_bpf *skel = src->skel;

	bpf_program__set_autoload(skel->progs.offcpu_switch, true);
	bpf_program__set_autoload(skel->progs.offcpu_wakeup, src->skel->rodata->cfg_blocked);
	bpf_program__set_autoload(skel->progs.offcpu_wakeup_new, true);
	bpf_program__set_autoload(skel->progs.offcpu_waking, src->cfg->wakers);
	bpf_program__set_autoload(skel->progs.offcpu_newtask, true);
	bpf_program__set_autoload(skel->progs.offcpu_exec, !skel->rodata->cfg_task_storage);
	bpf_program__set_autoload(skel->progs.offcpu_begin, true);
	bpf_program__set_autoload(skel->progs.offcpu_end, true);
	bpf_program__set_autoload(skel->progs.offcpu_asleep, src->cfg->empties);
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_offcpu *src = (struct src_offcpu *)source;
	uint64_t ring_bytes = src->cfg->ring_bytes ? src->cfg->ring_bytes : RING_BYTES;
	int ret;

	src->place = place;
	if (!src->cfg->no_kernel_stack)
		schedtext_open(&src->text, src->cfg->wakers);
	ret = BASE_OPEN(&src->base, src->skel, offcpu, err);
	if (ret)
		return ret;
	set_knobs(src, place);
	ret = tasks_set(&src->tasks, place, err);
	if (ret)
		return ret;
	set_programs(src);
	ret = base_load(&src->base, place, err);
	if (!ret && !src->cfg->aggregate)
		ret = rings_open(&src->rings, src->skel->maps.rings, ring_bytes, place, err);
	return ret ? ret : attach_all(src, err);
}

static void start(struct source *source)
{
	struct src_offcpu *src = (struct src_offcpu *)source;

	base_watch(&src->base);
	tasks_start(&src->tasks);
}

static void stop(struct source *source)
{
	tasks_stop(&((struct src_offcpu *)source)->tasks);
}

static int poll_fd(const struct source *source, uint32_t index)
{
	const struct src_offcpu *src = (const struct src_offcpu *)source;

	return !src->cfg->aggregate && !index ? rings_fd(&src->rings) : -1;
}

/* Why nothing is there of a user stack that there should be. By tables there is none only between two programs of a task. */
static enum stack_stop why_none(const struct src_offcpu *src, const struct offcpu_who *who)
{
	if (who->how & OFFCPU_BEFORE)
		return STOP_BEFORE;
	return src->place->unwinder && !who->ustack ? STOP_WHOLE : STOP_UNREADABLE;
}

/* Who it was, and its stacks; those of user space live until the next call. */
static void fill(struct src_offcpu *src, const struct offcpu_who *who, bool is_waker, char comm[COMM_LEN], struct sample *s)
{
	const struct stack_val *k = offcpu_stack(src, who->kstack), *u = offcpu_stack(src, who->ustack);
	struct chain *kernel = &s->chains[CHAIN_KERNEL];
	uint32_t skip;

	memcpy(comm, who->comm, COMM_LEN);
	comm[COMM_LEN - 1] = '\0';
	s->comm = comm;
	s->pid = who->pid;
	s->tid = who->tid;
	s->event = src->cfg->event;
	s->cgroup = who->cgroup;
	src->outside |= !is_waker && !who->pid && src->place->pidns.level; /* a waker may be the idle task */
	if (who->how & OFFCPU_NO_ROOM) {
		s->chains[CHAIN_USER].stop = STOP_NO_ROOM;
		return;
	}
	*kernel = k ? (struct chain){ .ips = (const uint64_t *)k->ips, .n = k->nr } : (struct chain){ 0 };
	s->chains[CHAIN_USER] = u ? (struct chain){ .ips = (const uint64_t *)u->ips, .n = u->nr } : (struct chain){ 0 };
	unwinder_chains(src->place->unwinder, src->max_frames, u, s);
	if (!u && who->how & OFFCPU_HAS_USER)
		s->chains[CHAIN_USER].stop = why_none(src, who);
	if (k && !(who->how & OFFCPU_BEFORE)) { /* no hook has walked who was off before */
		skip = schedtext_begin(&src->text, k, is_waker);
		if (src->cfg->from_caller && !is_waker)
			skip = schedtext_caller(&src->text, k, skip);
		kernel->ips += skip;
		kernel->n -= skip;
		s->ip = sample_leaf(s);
	}
}

static int deliver_sum(struct src_offcpu *src, struct sample *s, uint64_t count, uint64_t weight, enum off_cpu what, struct sink *sink)
{
	if (!count)
		return 0;
	s->count = count;
	s->weight = weight;
	s->off_cpu = what;
	src->delivered += src->is_again ? 0 : count;
	return sink->sample(sink, s);
}

/* The requested parts of spans with one stack, which s has: up to two samples. Leaves s changed. */
static int deliver_parts(struct src_offcpu *src, bool preempted, const struct offcpu_sums *sums, struct sample *s, struct sink *sink)
{
	uint32_t parts = src->cfg->parts;
	int ret = 0;

	if (preempted)
		return deliver_sum(src, s, sums->spans, sums->off_ns, OFF_CPU_PREEMPTED, sink);
	/* A new task has none: it waits for its first turn */
	if (parts & OFFCPU_PART_BLOCKED && sums->off_ns)
		ret = deliver_sum(src, s, sums->spans, sums->off_ns, OFF_CPU_BLOCKED, sink);
	s->waker = NULL;
	if (!ret && parts & OFFCPU_PART_QUEUED)
		ret = deliver_sum(src, s, sums->waits, sums->wait_ns, OFF_CPU_QUEUED, sink);
	return ret;
}

int offcpu_row(struct src_offcpu *src, const struct offcpu_key *key, const struct offcpu_sums *sums, struct sink *sink)
{
	char comm[COMM_LEN], waker_comm[COMM_LEN];
	uint64_t last_ns = sums->last_ns > src->tasks.started_ns ? sums->last_ns : src->tasks.started_ns;
	struct sample s = { .cpu = UINT32_MAX, .time_ns = last_ns + src->tasks.offset_ns }, waker = s;
	struct chain *user = &s.chains[CHAIN_USER];

	if (!sums->spans && !sums->waits)
		return 0;
	fill(src, &key->task, false, comm, &s);
	if (src->cfg->wakers && (key->waker.comm[0] || key->waker.kstack)) {
		if (user->n)
			memcpy(src->task_ips, user->ips, user->n * sizeof(*user->ips));
		user->ips = src->task_ips;
		fill(src, &key->waker, true, waker_comm, &waker);
		s.waker = &waker;
	}
	return deliver_parts(src, key->task.how & OFFCPU_PREEMPTED, sums, &s, sink);
}

int offcpu_other(struct src_offcpu *src, bool preempted, const struct offcpu_sums *sums, struct sink *sink)
{
	struct sample s = { .cpu = UINT32_MAX, .comm = "[other]", .time_ns = src->tasks.started_ns + src->tasks.offset_ns,
			    .event = src->cfg->event };

	return deliver_parts(src, preempted, sums, &s, sink);
}

struct to_sink {
	struct src_offcpu *src;
	struct sink *sink;
};

static int flush(void *arg, const void *record, size_t size)
{
	const struct to_sink *to = arg;
	struct src_offcpu *src = to->src;
	const struct offcpu_rec *rec = record;
	struct sample s = { 0 };
	struct offcpu_sums sums;
	char comm[COMM_LEN];

	if (size < offsetof(struct offcpu_rec, key) + sizeof(rec->key.task))
		return 0;
	s.time_ns = rec->time_ns;
	s.cpu = rec->cpu;
	fill(src, &rec->key.task, false, comm, &s);
	sums = (struct offcpu_sums){ .spans = 1, .off_ns = rec->off_ns, .waits = !!rec->wait_ns, .wait_ns = rec->wait_ns };
	return deliver_parts(src, rec->key.task.how & OFFCPU_PREEMPTED, &sums, &s, to->sink);
}

static int deliver_records(struct src_offcpu *src, struct sink *sink)
{
	struct to_sink to = { src, sink };

	return src->cfg->aggregate ? 0 : rings_deliver(&src->rings, flush, &to);
}

static int collect(struct source *source)
{
	struct src_offcpu *src = (struct src_offcpu *)source;

	return src->cfg->aggregate ? 0 : rings_collect(&src->rings);
}

static int drain(struct source *source, struct sink *sink)
{
	return deliver_records((struct src_offcpu *)source, sink);
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	struct src_offcpu *src = (struct src_offcpu *)source;
	int ret = iter_read(src->skel->progs.offcpu_end, 1, NULL, NULL);

	if (!ret)
		ret = src->cfg->aggregate ? offcpu_rows(src, sink) : collect(source);
	if (!ret)
		ret = deliver_records(src, sink);
	return ret && ret != -ECANCELED ? err_set(err, ret, "cannot read the kernel's sums: %s", strerror(-ret)) : ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_offcpu *src = (const struct src_offcpu *)source;
	uint64_t sum[COUNT_MAX], n = base_missed(&src->base);

	base_counts(&src->base, sum);
	profile->seen += src->delivered + sum[LOSS_RING_FULL] + sum[LOSS_INTERNAL];
	profile->kept += src->delivered;
	base_profile(&src->base, sum, profile);
	if (src->is_live)
		receipt_fill(&profile->receipt, "off_cpu_sums", src->known.n, bpf_map__max_entries(src->skel->maps.spans));
	if (n)
		profile_note(profile, "the kernel skipped %llu switches", (unsigned long long)n);
	if (src->outside)
		profile_note(profile, "some tasks belong to processes outside this container: their PID is shown as 0 and their frames have no names");
	if (src->place->pidns.level && src->place->target->all)
		profile_note(profile, "tasks outside this container that ran before the start are not in the sums");
	rings_cost(&src->rings, &profile->receipt);
}

static void close_source(struct source *source)
{
	struct src_offcpu *src = (struct src_offcpu *)source;

	schedtext_close(&src->text);
	rings_close(&src->rings);
	base_close(&src->base);
	stacks_free(&src->stacks);
	stack_cache_free(&src->cache);
	vec_free(&src->known);
	map_free(&src->known_by_key);
	free(src);
}

struct source *src_offcpu_new(const struct offcpu_cfg *cfg)
{
	struct src_offcpu *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.has_stacks = true,
		.open = open_source,
		.fd = poll_fd,
		.start = start,
		.stop = stop,
		.collect = collect,
		.drain = drain,
		.snapshot = offcpu_snapshot,
		.again = offcpu_again,
		.forget = offcpu_forget,
		.finish = finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .own = "waits", .own_is_apart = true, .has_stats = cfg->bpf_stats, .has_idle = true };
	src->cfg = cfg;
	return &src->source;
}
