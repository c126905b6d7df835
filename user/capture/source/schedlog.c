/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of the rings in the order of time, from the scheduler's clock to ours. */
#include "capture/source/schedlog.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/schedlog.h"
#include "capture/base.h"
#include "capture/iter.h"
#include "capture/refusal.h"
#include "capture/rings.h"
#include "capture/tasks.h"
#include "capture/walker.h"
#include "skel/schedlog.skel.h"
#include "types/btf.h"
#include "util/clock.h"

#define WHAT "the program that reports what the scheduler does"
#define RINGS_BYTES (32u << 20) /* of all CPUs, unless that is too much or too little for one */
#define RING_BYTES_LEAST (1u << 20)
#define RING_BYTES_MOST (8u << 20)
#define UNWIND_ID 2 /* each object that walks by tables has another one */
#define SETTLE_NS 1000000 /* a record is in its ring that long after the clock was read at the latest */

struct src_schedlog {
	struct source source; /* first: a pointer to it is one to us */
	const struct schedlog_cfg *cfg;
	struct base base;
	struct schedlog_bpf *skel;
	struct tasks tasks;
	struct rings rings;
	const struct place *place;
	uint32_t max_frames; /* a stack of so many is a cut one */
	uint64_t delivered;
	struct sink *sink; /* of the drain */
};

/* Bytes from a CPU's run queue to its count of what must not be preempted. 0: not known. */
static int64_t preempt_at(void)
{
	const struct btf_types *types = object_kernel_types();
	int64_t queue = btf_percpu_offset(types, "runqueues"), count = btf_percpu_offset(types, "__preempt_count");

	if (count < 0)
		count = btf_percpu_offset(types, "pcpu_hot");
	return queue < 0 || count < 0 ? 0 : count - queue;
}

static uint64_t ring_bytes(const struct src_schedlog *src)
{
	return src->cfg->ring_bytes ? src->cfg->ring_bytes : rings_share(RINGS_BYTES, RING_BYTES_LEAST, RING_BYTES_MOST, src->place);
}

static void set_knobs(struct src_schedlog *src)
{
	const struct schedlog_cfg *cfg = src->cfg;
	struct schedlog_bpf *skel = src->skel;
	struct schedlog_bpf__rodata *ro = skel->rodata;

	ro->cfg_stacks = cfg->stacks;
	ro->cfg_unwind = unwinder_mode(src->place->unwinder);
	ro->cfg_unwind_id = UNWIND_ID;
	if (cfg->max_frames && cfg->max_frames < STACK_MAX_FRAMES)
		ro->cfg_max_frames = cfg->max_frames;
	src->max_frames = kernel_max_frames();
	if (src->max_frames > ro->cfg_max_frames)
		src->max_frames = ro->cfg_max_frames;
	ro->cfg_next = cfg->next;
	ro->cfg_wakes = cfg->wakeups;
	ro->cfg_cpus = src->place->target->cpus.n != 0;
	ro->cfg_own_pid = cfg->self ? 0 : pidns_outer_pid(&src->place->pidns, getpid());
	ro->cfg_preempt_at = preempt_at();
	ro->cfg_wake_bytes = ring_bytes(src) / 4;
	bpf_program__set_autoload(skel->progs.sched_migrate, cfg->migrations);
	bpf_program__set_autoload(skel->progs.schedlog_left, cfg->left);
	rings_size(skel->maps.rings, src->place);
	src->base.cgroup_ids = ro->cfg_cgroup_ids;
	src->base.watched[0] = skel->progs.sched_switch;
	src->base.watched[1] = skel->progs.sched_waking;
	src->base.watched[2] = skel->progs.sched_wakeup;
	src->base.watched[3] = skel->progs.sched_wakeup_new;
}

static int load(struct src_schedlog *src, struct err *err)
{
	struct schedlog_bpf *skel = src->skel;
	const struct tasks_hook hooks[] = {
		TASKS_STATE_HOOKS(skel),
		{ skel->progs.sched_switch, &skel->links.sched_switch },
		{ skel->progs.sched_waking, &skel->links.sched_waking },
		{ skel->progs.sched_wakeup, &skel->links.sched_wakeup },
		{ skel->progs.sched_wakeup_new, &skel->links.sched_wakeup_new },
		{ skel->progs.sched_migrate, &skel->links.sched_migrate },
	};
	int ret;

	src->tasks = (struct tasks)TASKS_OF(skel);
	ret = tasks_set(&src->tasks, src->place, err);
	if (ret)
		return ret;
	set_knobs(src);
	ret = base_load(&src->base, src->place, err);
	if (!ret)
		ret = rings_open(&src->rings, skel->maps.rings, ring_bytes(src), src->place, err);
	return ret ? ret : tasks_attach(hooks, sizeof(hooks) / sizeof(*hooks), skel->progs.task_first, err);
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_schedlog *src = (struct src_schedlog *)source;
	int ret;

	src->place = place;
	ret = BASE_OPEN(&src->base, src->skel, schedlog, err);
	return ret ? ret : load(src, err);
}

static int poll_fd(const struct source *source, uint32_t index)
{
	const struct src_schedlog *src = (const struct src_schedlog *)source;

	return index ? -1 : rings_fd(&src->rings);
}

static void start(struct source *source)
{
	struct src_schedlog *src = (struct src_schedlog *)source;

	base_watch(&src->base);
	tasks_start(&src->tasks);
}

/* After another barrier no program is running that is armed. */
static void stop(struct source *source)
{
	struct src_schedlog *src = (struct src_schedlog *)source;

	tasks_stop(&src->tasks);
	base_disarm(&src->base);
	tasks_barrier();
}

static uint64_t own_clock(const struct src_schedlog *src, uint64_t ns)
{
	return ns ? ns + src->tasks.offset_ns : 0;
}

/* A wire field is not to be trusted for its NUL. */
static struct thread_name who_of(const struct schedlog_who *wire)
{
	struct thread_name who = { .pid = wire->pid, .tid = wire->tid };

	memcpy(who.comm, wire->comm, sizeof(who.comm) - 1);
	return who;
}

static int deliver(void *arg, const void *record)
{
	const struct schedlog_rec *r = record;
	struct src_schedlog *src = arg;
	struct thread_name task = who_of(&r->task);
	const uint64_t *ips = (const uint64_t *)r->ips;
	struct sched_event e = {
		.kind = r->kind, .flags = r->flags, .waker_kind = r->waker_kind, .now = r->now, .state = r->state, .off_state = r->off_state,
		.off_ns = own_clock(src, r->off_ns), .ready_ns = own_clock(src, r->ready_ns), .on_ns = own_clock(src, r->on_ns),
		.delay_ns = r->delay_ns, .run_ns = r->run_ns, .other_cpu = r->other_cpu, .other = who_of(&r->other), .waker = who_of(&r->waker),
	};
	struct sample s = { .time_ns = own_clock(src, r->time_ns), .weight = 1, .count = 1, .pid = task.pid, .tid = task.tid, .comm = task.comm,
			    .cpu = r->cpu, .sched = &e,
			    .chains = { [CHAIN_KERNEL] = { .ips = ips, .n = r->nr_kips }, [CHAIN_USER] = { .ips = ips + r->nr_kips, .n = r->nr_uips } } };

	unwinder_chains(src->place->unwinder, src->max_frames, r->flags & SCHEDLOG_HAS_USER, &s);
	return src->sink->sample(src->sink, &s);
}

static int deliver_record(void *arg, const void *record, size_t size)
{
	const struct schedlog_rec *r = record;
	struct src_schedlog *src = arg;

	if (size < SCHEDLOG_HEAD_BYTES || size < SCHEDLOG_HEAD_BYTES + (r->nr_kips + r->nr_uips) * sizeof(uint64_t))
		return 0;
	src->delivered++;
	return deliver(arg, record);
}

static int drain_until(struct src_schedlog *src, uint64_t until_ns, struct sink *sink)
{
	src->sink = sink;
	return rings_drain(&src->rings, until_ns, deliver_record, src);
}

static int drain(struct source *source, struct sink *sink)
{
	struct src_schedlog *src = (struct src_schedlog *)source;

	return drain_until(src, tasks_now(&src->tasks) - SETTLE_NS, sink);
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	struct src_schedlog *src = (struct src_schedlog *)source;
	int ret = drain_until(src, UINT64_MAX, sink);

	if (!ret && src->cfg->left)
		ret = iter_read(src->skel->progs.schedlog_left, SCHEDLOG_HEAD_BYTES, deliver, src);
	return ret && ret != -EPIPE && ret != -ECANCELED ? err_set(err, ret, "cannot read the scheduler's events: %s", strerror(-ret)) : ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_schedlog *src = (const struct src_schedlog *)source;
	uint64_t sum[COUNT_MAX], n = base_missed(&src->base);

	base_counts(&src->base, sum);
	profile->seen += sum[COUNT_SEEN];
	profile->kept += src->delivered;
	base_profile(&src->base, sum, profile);
	if (n)
		profile_note(profile, "the kernel skipped %llu switches or wake-ups", (unsigned long long)n);
	if (src->place->pidns.level && src->place->target->all)
		profile_note(profile, "tasks outside this container that ran before the start are not shown");
	rings_cost(&src->rings, &profile->receipt);
}

static void close_source(struct source *source)
{
	struct src_schedlog *src = (struct src_schedlog *)source;

	rings_close(&src->rings);
	base_close(&src->base);
	free(src);
}

struct source *src_schedlog_new(const struct schedlog_cfg *cfg)
{
	struct src_schedlog *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.has_stacks = cfg->stacks,
		.open = open_source,
		.fd = poll_fd,
		.start = start,
		.stop = stop,
		.drain = drain,
		.finish = finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .has_stats = cfg->bpf_stats, .has_idle = true };
	src->cfg = cfg;
	return &src->source;
}
