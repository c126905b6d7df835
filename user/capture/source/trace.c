/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of the rings in the order of time, joined to calls. What comes faster than it can be delivered waits in a spool: a ring has room for
 * 50 ms of a program that does nothing but cheap calls.
 */
#include "capture/source/trace.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "capture/base.h"
#include "capture/calljoin.h"
#include "capture/features.h"
#include "capture/rings.h"
#include "capture/source/callhooks.h"
#include "capture/refusal.h"
#include "capture/source/uringhooks.h"
#include "capture/tasks.h"
#include "capture/walker.h"
#include "event/syscalls.h"
#include "skel/trace.skel.h"
#include "util/clock.h"

#define WHAT "the program that traces system calls"
#define RINGS_BYTES (64u << 20) /* of all CPUs, unless that is too much or too little for one */
#define RING_BYTES_LEAST (1u << 20)
#define RING_BYTES_MOST (8u << 20)
#define ONE_RING_CPUS 4
#define UNWIND_ID 3 /* each object that walks by tables has another one */
#define SPOOL_BYTES (256ull << 20)
#define LOOK_EVERY 64 /* records that are delivered before the next look at the rings */
#define DRAIN_NS 100000000 /* after which the session has its turn */
#define SETTLE_NS 1000000 /* a record is in its ring that long after the clock was read at the latest */

struct src_trace {
	struct source source; /* first: a pointer to it is one to us */
	const struct trace_cfg *cfg;
	const struct place *place;
	struct base base;
	struct trace_bpf *skel;
	struct rings rings;
	struct callhooks hooks;
	struct uringhooks uring;
	struct faulthooks faults;
	uint64_t pending; /* operations of io_uring */
	uint32_t max_frames; /* a stack of so many is a cut one */
	struct calljoin join;
	struct spool spool; /* records that have left the rings and are not delivered yet */
	uint64_t whole_ns;  /* nothing older is missing there */
	int behind_fd;	    /* an eventfd, readable while is_behind; -1: not open */
	bool is_behind;
};

static void set_plans(struct src_trace *src)
{
	const struct trace_cfg *cfg = src->cfg;

	for (uint32_t nr = 0; nr < SYSCALL_NR_MAX; nr++) {
		cfg->plan(SYSCALL_NATIVE, nr, &src->skel->bss->plans[0][nr]);
		cfg->plan(SYSCALL_COMPAT, nr, &src->skel->bss->plans[1][nr]);
	}
}

static uint64_t ring_bytes(const struct src_trace *src)
{
	return src->cfg->ring_bytes ? src->cfg->ring_bytes : rings_share(RINGS_BYTES, RING_BYTES_LEAST, RING_BYTES_MOST, src->place);
}

static int set_knobs(struct src_trace *src, struct err *err)
{
	const struct trace_cfg *cfg = src->cfg;
	struct trace_bpf *skel = src->skel;
	struct trace_bpf__rodata *ro = skel->rodata;
	bool storage = feature_use(FEATURE_TASK_STORAGE), by_perf = !feature_use(FEATURE_TP_UNPREEMPTED) && feature_use(FEATURE_TRACEFS);
	struct bpf_program *end = by_perf ? skel->progs.tp_thread_end : skel->progs.raw_thread_end;
	bool has_calls = cfg->all_calls;
	int cpus = libbpf_num_possible_cpus();

	ro->cfg_task_storage = storage;
	bpf_map__set_autocreate(skel->maps.task_calls, storage);
	bpf_map__set_autocreate(skel->maps.thread_calls, !storage);
	ro->cfg_all_calls = cfg->all_calls;
	memcpy((void *)ro->cfg_wanted, cfg->wanted, sizeof(cfg->wanted));
	for (int abi = 0; abi < SYSCALL_ABIS; abi++)
		for (int i = 0; i < SYSCALL_NR_MAX / 64; i++)
			ro->cfg_wanted_any[i] |= cfg->wanted[abi][i];
	ro->cfg_text = cfg->text < TRACE_PIECE_MAX - 2 ? cfg->text : TRACE_PIECE_MAX - 2;
	ro->cfg_min_ns = cfg->min_ns;
	ro->cfg_results = cfg->results;
	memcpy((void *)ro->cfg_errnos, cfg->errnos, sizeof(cfg->errnos));
	ro->cfg_select = cfg->select;
	memcpy((void *)ro->cfg_fds, cfg->fds, sizeof(cfg->fds));
	memcpy((void *)ro->cfg_globs, cfg->globs, sizeof(cfg->globs));
	ro->cfg_nr_globs = cfg->nr_globs;
	ro->cfg_show_files = cfg->files;
	ro->cfg_stacks = cfg->stacks;
	ro->cfg_unwind = unwinder_mode(src->place->unwinder);
	ro->cfg_unwind_id = UNWIND_ID;
	src->max_frames = kernel_max_frames();
	if (src->max_frames > ro->cfg_max_frames)
		src->max_frames = ro->cfg_max_frames;
	ro->cfg_signals = cfg->signals;
	ro->cfg_execve = syscall_number("execve");
	ro->cfg_execveat = syscall_number("execveat");
	ro->cfg_sigreturn = syscall_number("rt_sigreturn");
	ro->cfg_pidns_level = src->place->pidns.level;
	ro->cfg_pidns = src->place->pidns.ns;
	ro->cfg_wake_bytes = ring_bytes(src) / 4;
	ro->cfg_one_ring = src->place->nr_cpus <= ONE_RING_CPUS;
	if (!ro->cfg_one_ring)
		rings_size(skel->maps.rings, src->place);
	bpf_map__set_max_entries(skel->maps.one_ring, ro->cfg_one_ring ? ring_bytes(src) : 4096);
	if (cpus < 0)
		return err_set(err, cpus, "cannot tell how many CPUs there are: %s", strerror(-cpus));
	bpf_map__set_max_entries(skel->maps.pages, cpus);
	src->hooks = (struct callhooks)CALLHOOKS_OF(skel, feature_use(FEATURE_SYSCALL_BTF));
	src->base.cgroup_ids = ro->cfg_cgroup_ids;
	for (int i = 0; i < SYSCALL_NR_MAX / 64; i++)
		has_calls |= ro->cfg_wanted_any[i] != 0;
	callhooks_choose(&src->hooks, has_calls, has_calls, &src->base);
	src->uring = (struct uringhooks)URINGHOOKS_OF(skel);
	uringhooks_choose(&src->uring, cfg->uring);
	src->faults.plain = skel->progs.page_fault;
	src->faults.mapped = skel->progs.page_fault_mapped;
	faulthooks_choose(&src->faults, cfg->faults);
	bpf_program__set_autoload(end, true);
	bpf_program__set_autoload(skel->progs.thread_renumber, !storage);
	bpf_program__set_autoload(skel->progs.signal_deliver, cfg->signals);
	bpf_program__set_autoload(skel->progs.signal_undelivered, cfg->signals);
	src->base.watched[2] = end;
	src->base.watched[3] = skel->progs.signal_deliver;
	src->base.watched[4] = skel->progs.uring_complete;
	src->base.watched[5] = faulthooks_program(&src->faults);
	return 0;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_trace *src = (struct src_trace *)source;
	struct trace_bpf *skel;
	int ret;

	src->place = place;
	src->rings.spool = &src->spool;
	src->behind_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (src->behind_fd < 0)
		return err_set(err, -errno, "cannot set up the event loop: %s", strerror(errno));
	ret = BASE_OPEN(&src->base, src->skel, trace, err);
	if (ret)
		return ret;
	skel = src->skel;
	ret = set_knobs(src, err);
	if (ret)
		return ret;
	set_plans(src);
	ret = base_load(&src->base, place, err);
	if (ret)
		return ret;
	if (skel->rodata->cfg_one_ring)
		ret = rings_watch(&src->rings, bpf_map__fd(skel->maps.one_ring), err);
	else
		ret = rings_open(&src->rings, skel->maps.rings, ring_bytes(src), place, err);
	if (!ret)
		ret = base_attach(skel->progs.tp_thread_end, &skel->links.tp_thread_end, err);
	if (!ret)
		ret = base_attach(skel->progs.raw_thread_end, &skel->links.raw_thread_end, err);
	if (!ret)
		ret = base_attach(skel->progs.thread_renumber, &skel->links.thread_renumber, err);
	if (!ret)
		ret = base_attach(skel->progs.signal_deliver, &skel->links.signal_deliver, err);
	if (!ret)
		ret = base_attach(skel->progs.signal_undelivered, &skel->links.signal_undelivered, err);
	if (!ret)
		ret = uringhooks_attach(&src->uring, err);
	if (!ret)
		ret = faulthooks_attach(&src->faults, place, err);
	return ret ? ret : callhooks_attach(&src->hooks, err);
}

static int poll_fd(const struct source *source, uint32_t index)
{
	const struct src_trace *src = (const struct src_trace *)source;

	return !index ? rings_fd(&src->rings) : index == 1 ? src->behind_fd : -1;
}

static void start(struct source *source)
{
	base_arm(&((struct src_trace *)source)->base);
}

/* After it nothing is on its way into a ring. */
static void stop(struct source *source)
{
	base_disarm(&((struct src_trace *)source)->base);
	tasks_barrier();
}

static int deliver(struct src_trace *src, const void *record, size_t size, struct sink *sink)
{
	bool no_entry;

	if (sink->raw) {
		src->join.delivered += calljoin_events(record, size, &no_entry);
		src->join.entries_lost += no_entry;
		src->join.lost += calljoin_lost(record, size);
		return sink->raw(sink, record, size);
	}
	return calljoin_take(&src->join, record, size, sink);
}

static void complete_stack(void *arg, struct sample *s)
{
	struct src_trace *src = arg;

	unwinder_chains(src->place->unwinder, src->max_frames, true, s);
}

static int collect(struct src_trace *src, bool is_end)
{
	uint64_t now = now_ns();
	int ret;

	if (!is_end && spool_is_full(&src->spool))
		return 0; /* the rings lose and count what finds no room there */
	ret = rings_collect(&src->rings);
	spool_sort(&src->spool);
	src->whole_ns = is_end ? UINT64_MAX : now - SETTLE_NS;
	return ret;
}

/* The session is to come back at once, or to wait for the rings again. */
static int set_behind(struct src_trace *src, bool is_behind)
{
	uint64_t n = 1;

	if (is_behind == src->is_behind)
		return 0;
	src->is_behind = is_behind;
	return (is_behind ? write(src->behind_fd, &n, sizeof(n)) : read(src->behind_fd, &n, sizeof(n))) == sizeof(n) ? 0 : -errno;
}

/* Delivering takes longer than the kernel needs to fill a ring: they are looked at in between. */
static int drain_some(struct src_trace *src, bool is_end, struct sink *sink)
{
	uint64_t begin = now_ns(), quarter = ring_bytes(src) / 4;
	const void *record = NULL;
	size_t size, n = 0;
	int ret = collect(src, is_end);

	while (!ret && (record = spool_first(&src->spool, src->whole_ns, &size))) {
		ret = deliver(src, record, size, sink);
		spool_drop(&src->spool);
		if (ret || ++n % LOOK_EVERY || is_end)
			continue;
		if (!src->source.has_stacks && rings_filled(&src->rings) >= quarter)
			ret = collect(src, false);
		if (now_ns() - begin > DRAIN_NS && !src->source.has_stacks) /* their names are those of now */
			break;
	}
	return ret ? ret : set_behind(src, record != NULL);
}

static int drain(struct source *source, struct sink *sink)
{
	return drain_some((struct src_trace *)source, false, sink);
}

bool src_trace_is_behind(const struct source *source)
{
	return ((const struct src_trace *)source)->is_behind;
}

uint32_t src_trace_first(const struct source *source)
{
	const struct place *place = ((const struct src_trace *)source)->place;
	const struct target *t = place->target;

	return t->pids.n ? t->pids.data[0] : t->tids.n ? t->tids.data[0] : (uint32_t)place->command_pid;
}

struct pending_to {
	struct src_trace *src;
	struct sink *sink;
};

/* An operation that has not ended has a line, too, if the others have. */
static int send_pending(void *arg, const struct uring_op *op)
{
	const struct trace_whose *whose = (const void *)op->whose;
	const struct pending_to *to = arg;
	struct trace_rec rec = { .time_ns = now_ns(), .pid = whose->pid, .tid = whose->tid, .kind = TRACE_URING, .nr = op->sqe.opcode };

	rec.flags = (URING_NO_END | (op->is_mixed ? URING_NO_START : 0) | (op->has_sqe ? 0 : URING_NO_SQE)) << TRACE_URING_SHIFT;
	rec.start_ns = op->is_mixed ? rec.time_ns : op->start_ns;
	memcpy(rec.comm, whose->comm, sizeof(rec.comm));
	rec.args[TRACE_URING_USER_DATA] = op->sqe.user_data;
	rec.args[TRACE_URING_FD] = op->sqe.fd;
	rec.args[TRACE_URING_ADDR] = op->sqe.addr;
	rec.args[TRACE_URING_LEN] = op->sqe.len | (uint64_t)op->sqe.op_flags << 32;
	rec.args[TRACE_URING_OFF] = op->sqe.off;
	rec.args[TRACE_URING_FLAGS] = op->sqe.flags | (uint32_t)op->sqe.ioprio << 16;
	to->src->pending++;
	return deliver(to->src, &rec, sizeof(rec), to->sink);
}

/* Events that were lost after the last TRACE_LOST of their CPU are only counted: one more record, of all CPUs, reports them. */
static int send_lost(struct src_trace *src, struct sink *sink)
{
	struct trace_rec rec = { .time_ns = now_ns(), .kind = TRACE_LOST };
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	rec.start_ns = rec.time_ns;
	rec.args[0] = sum[LOSS_RING_FULL] > src->join.lost ? sum[LOSS_RING_FULL] - src->join.lost : 0;
	return rec.args[0] ? deliver(src, &rec, sizeof(rec), sink) : 0;
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	struct src_trace *src = (struct src_trace *)source;
	struct pending_to to = { src, sink };
	int ret = drain_some(src, true, sink);

	if (!ret && !sink->raw)
		ret = calljoin_end(&src->join, sink);
	if (!ret && src->cfg->results & TRACE_UNFINISHED && !src->cfg->min_ns)
		ret = uringhooks_pending(&src->uring, send_pending, &to);
	if (!ret)
		ret = send_lost(src, sink);
	return ret && ret != -EPIPE && ret != -ECANCELED ? err_set(err, ret, "cannot read the calls: %s", strerror(-ret)) : ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_trace *src = (const struct src_trace *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	profile->seen += sum[COUNT_SEEN] + src->pending;
	profile->kept += src->join.delivered;
	base_profile(&src->base, sum, profile);
	callhooks_note(base_missed(&src->base), profile);
	calljoin_note(src->join.entries_lost, profile);
	rings_cost(&src->rings, &profile->receipt);
}

static bool has_targets(const struct source *source)
{
	const struct src_trace *src = (const struct src_trace *)source;

	return filter_has_targets(&src->base.object.filter, src->place);
}

static void close_source(struct source *source)
{
	struct src_trace *src = (struct src_trace *)source;

	faulthooks_close(&src->faults);
	calljoin_free(&src->join);
	spool_free(&src->spool);
	if (src->behind_fd >= 0)
		close(src->behind_fd);
	rings_close(&src->rings);
	base_close(&src->base);
	free(src);
}

struct source *src_trace_new(const struct trace_cfg *cfg)
{
	struct src_trace *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.has_stacks = cfg->stacks || cfg->faults,
		.open = open_source,
		.fd = poll_fd,
		.start = start,
		.in_part = cfg->keeps_budget ? &src->base : NULL,
		.stop = stop,
		.drain = drain,
		.finish = finish,
		.has_targets = has_targets,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .own = "calls", .has_stats = cfg->bpf_stats };
	src->cfg = cfg;
	src->behind_fd = -1;
	if (cfg->stacks) {
		src->join.stack = complete_stack;
		src->join.arg = src;
	}
	src->spool.max_bytes = SPOOL_BYTES;
	return &src->source;
}
