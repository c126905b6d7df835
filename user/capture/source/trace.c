/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of the rings in the order of time; what was read before a call waits here for its return. */
#include "capture/source/trace.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base.h"
#include "capture/features.h"
#include "capture/rings.h"
#include "capture/source/callhooks.h"
#include "capture/source/uringhooks.h"
#include "capture/tasks.h"
#include "event/syscalls.h"
#include "skel/trace.skel.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/map.h"

#define WHAT "the program that traces system calls"
#define RINGS_BYTES (64u << 20) /* of all CPUs, unless that is too much or too little for one */
#define RING_BYTES_LEAST (1u << 20)
#define RING_BYTES_MOST (8u << 20)
#define ONE_RING_CPUS 4
#define SETTLE_NS 1000000 /* a record is in its ring that long after the clock was read at the latest */
#define PIECES_MAX 1280 /* as many as TRACE_MESSAGES_MAX messages have */

/* What waits for the return of a thread's call: the record of its entry, and signals that it will be seen to get after it. */
struct waiting {
	uint32_t tid;
	VEC(char) entry;
	VEC(char) signals; /* records of one size */
};

struct src_trace {
	struct source source; /* first: a pointer to it is one to us */
	const struct trace_cfg *cfg;
	const struct place *place;
	struct base base;
	struct trace_bpf *skel;
	struct rings rings;
	struct callhooks hooks;
	struct uringhooks uring;
	VEC(struct waiting) waiting;
	struct map by_tid;
	uint64_t delivered, damaged;
	uint64_t entries_lost, pending;
	struct sink *sink; /* of the drain */
};

#define SIGNAL_BYTES (sizeof(struct trace_rec) + TRACE_SIGINFO_BYTES)

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
	bool storage = feature_use(FEATURE_TASK_STORAGE);
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
	bpf_program__set_autoload(skel->progs.thread_end, true);
	bpf_program__set_autoload(skel->progs.thread_renumber, !storage);
	bpf_program__set_autoload(skel->progs.signal_deliver, cfg->signals);
	bpf_program__set_autoload(skel->progs.signal_undelivered, cfg->signals);
	src->base.watched[2] = skel->progs.thread_end;
	src->base.watched[3] = skel->progs.signal_deliver;
	src->base.watched[4] = skel->progs.uring_complete;
	return 0;
}

static int attach_one(struct bpf_program *prog, struct bpf_link **ret_link, struct err *err)
{
	int ret;

	if (!bpf_program__autoload(prog))
		return 0;
	*ret_link = bpf_program__attach(prog);
	ret = *ret_link ? 0 : -errno;
	return ret ? err_exit(err, ret, EXIT_CANNOT, "cannot attach %s: %s", bpf_program__name(prog), strerror(-ret)) : 0;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_trace *src = (struct src_trace *)source;
	struct trace_bpf *skel;
	int ret;

	src->place = place;
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
		ret = attach_one(skel->progs.thread_end, &skel->links.thread_end, err);
	if (!ret)
		ret = attach_one(skel->progs.thread_renumber, &skel->links.thread_renumber, err);
	if (!ret)
		ret = attach_one(skel->progs.signal_deliver, &skel->links.signal_deliver, err);
	if (!ret)
		ret = attach_one(skel->progs.signal_undelivered, &skel->links.signal_undelivered, err);
	if (!ret)
		ret = uringhooks_attach(&src->uring, err);
	return ret ? ret : callhooks_attach(&src->hooks, err);
}

static int poll_fd(const struct source *source, uint32_t index)
{
	const struct src_trace *src = (const struct src_trace *)source;

	return index ? -1 : rings_fd(&src->rings);
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

static struct waiting *find(struct src_trace *src, uint32_t tid, bool create)
{
	int64_t at = map_find(&src->by_tid, hash_u64(tid));
	struct waiting *w;

	if (at >= 0)
		return &src->waiting.data[at];
	if (!create)
		return NULL;
	w = vec_take(&src->waiting, 1);
	if (!w || map_add(&src->by_tid, hash_u64(tid), src->waiting.n - 1)) {
		src->waiting.n -= w != NULL;
		return NULL;
	}
	*w = (struct waiting){ .tid = tid };
	return w;
}

static void forget(struct src_trace *src, struct waiting *w)
{
	size_t at = w - src->waiting.data;
	struct waiting *last = &src->waiting.data[src->waiting.n - 1];

	vec_free(&w->entry);
	vec_free(&w->signals);
	map_remove(&src->by_tid, hash_u64(w->tid), at, hash_u64(last->tid));
	*w = *last;
	src->waiting.n--;
}

/* The pieces of a record, whose sizes are not to be trusted. Returns how many there are then. */
static uint32_t add_pieces(const struct trace_rec *rec, bool is_entry, struct call_piece *pieces, uint32_t n)
{
	const char *data = (const char *)(rec + 1);
	uint32_t at = 0;

	for (uint16_t i = 0; i < rec->nr_pieces && n < PIECES_MAX; i++) {
		const struct trace_piece *p = (const void *)(data + at);

		if (rec->bytes < sizeof(*p) || at > rec->bytes - sizeof(*p) || p->size > rec->bytes - at - sizeof(*p))
			break;
		pieces[n++] = (struct call_piece){ .addr = p->addr, .bytes = p + 1, .size = p->size, .is_fault = p->flags & TRACE_FAULT,
						   .is_entry = is_entry };
		at += (sizeof(*p) + p->size + 7) & ~7u;
	}
	return n;
}

static int send(struct src_trace *src, const struct trace_rec *rec, const struct trace_rec *entry)
{
	static const uint8_t kinds[] = { [TRACE_CALL] = CALL_DONE, [TRACE_SIGNAL] = CALL_SIGNAL, [TRACE_GONE] = CALL_GONE,
					 [TRACE_URING] = CALL_URING };
	struct call_piece pieces[PIECES_MAX];
	struct call_event e = { .kind = kinds[rec->kind], .abi = rec->abi, .nr = rec->nr, .in_call = rec->flags & TRACE_IN_CALL,
				.no_entry = rec->flags & (TRACE_NO_ENTRY | TRACE_HAS_ENTRY) && !entry, .start_ns = rec->start_ns,
				.ret = rec->ret, .pieces = pieces, .siginfo = rec + 1 };
	uint32_t uring = rec->kind == TRACE_URING ? rec->flags >> TRACE_URING_SHIFT : 0;
	struct sample s = { .time_ns = rec->time_ns, .weight = 1, .count = 1, .pid = rec->pid, .tid = rec->tid, .cpu = rec->cpu, .call = &e };
	char comm[COMM_LEN];

	e.no_start = uring & URING_NO_START;
	e.no_args = uring & URING_NO_SQE;
	e.no_result = uring & URING_NO_END;
	memcpy(e.args, rec->args, sizeof(e.args));
	memcpy(comm, rec->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	s.comm = comm;
	if (entry)
		e.nr_pieces = add_pieces(entry, true, pieces, 0);
	if (rec->kind == TRACE_CALL)
		e.nr_pieces = add_pieces(rec, false, pieces, e.nr_pieces);
	src->entries_lost += e.no_entry;
	src->delivered += 1 + (rec->kind == TRACE_GONE && e.in_call); /* the call that it ends in is an event, too */
	return src->sink->sample(src->sink, &s);
}

static int keep(struct src_trace *src, const struct trace_rec *rec, size_t size)
{
	struct waiting *w = find(src, rec->tid, true);
	char *to;

	if (!w)
		return -ENOMEM;
	if (rec->kind == TRACE_ENTRY) {
		w->entry.n = 0;
		to = vec_take(&w->entry, size);
	} else {
		to = vec_take(&w->signals, SIGNAL_BYTES);
		size = SIGNAL_BYTES;
	}
	if (!to)
		return -ENOMEM;
	memcpy(to, rec, size);
	return 0;
}

static int send_signals(struct src_trace *src, struct waiting *w)
{
	int ret = 0;

	for (size_t at = 0; at < w->signals.n && !ret; at += SIGNAL_BYTES) {
		struct trace_rec *rec = (void *)(w->signals.data + at);

		rec->flags = 0;
		ret = send(src, rec, NULL);
	}
	w->signals.n = 0;
	return ret;
}

static bool has_entry_of(const struct waiting *w, const struct trace_rec *rec)
{
	const struct trace_rec *entry = w && w->entry.n ? (const void *)w->entry.data : NULL;

	return entry && entry->start_ns == rec->start_ns && entry->nr == rec->nr;
}

/* A thread that is not the first takes the number of the process with its exec. */
static struct waiting *find_renumbered(struct src_trace *src, const struct trace_rec *rec)
{
	for (size_t i = 0; i < src->waiting.n; i++)
		if (has_entry_of(&src->waiting.data[i], rec))
			return &src->waiting.data[i];
	return NULL;
}

static int deliver(void *arg, const void *record, size_t size)
{
	struct src_trace *src = arg;
	const struct trace_rec *rec = record, *entry = NULL;
	struct waiting *w, *from;
	int ret;

	if (size < sizeof(*rec) || rec->bytes > size - sizeof(*rec) || rec->kind > TRACE_URING ||
	    (rec->kind == TRACE_SIGNAL && rec->bytes < TRACE_SIGINFO_BYTES)) {
		src->damaged++;
		return 0;
	}
	if (rec->kind == TRACE_ENTRY || (rec->kind == TRACE_SIGNAL && rec->flags & TRACE_IN_CALL))
		return keep(src, rec, size);
	if (rec->kind == TRACE_URING) /* whatever its thread does */
		return send(src, rec, NULL);
	w = src->waiting.n && rec->kind != TRACE_SIGNAL ? find(src, rec->tid, false) : NULL;
	from = has_entry_of(w, rec) || !(rec->flags & TRACE_HAS_ENTRY) ? w : find_renumbered(src, rec);
	if (rec->flags & TRACE_HAS_ENTRY && from)
		entry = (const void *)from->entry.data;
	ret = send(src, rec, entry);
	if (!ret && w)
		ret = send_signals(src, w);
	if (from && from != w) {
		forget(src, from);
		w = find(src, rec->tid, false);
	}
	if (w)
		forget(src, w);
	return ret;
}

static int drain_until(struct src_trace *src, uint64_t until_ns, struct sink *sink)
{
	src->sink = sink;
	return rings_drain(&src->rings, until_ns, deliver, src);
}

static int drain(struct source *source, struct sink *sink)
{
	return drain_until((struct src_trace *)source, now_ns() - SETTLE_NS, sink);
}

/* An operation that has not ended has a line, too, if the others have. */
static int send_pending(void *arg, const struct uring_op *op)
{
	const struct trace_whose *whose = (const void *)op->whose;
	struct src_trace *src = arg;
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
	src->pending++;
	return send(src, &rec, NULL);
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	struct src_trace *src = (struct src_trace *)source;
	int ret = drain_until(src, UINT64_MAX, sink);

	for (size_t i = 0; i < src->waiting.n && !ret; i++)
		ret = send_signals(src, &src->waiting.data[i]);
	if (!ret && src->cfg->results == (TRACE_DONE | TRACE_FAILED) && !src->cfg->min_ns)
		ret = uringhooks_pending(&src->uring, send_pending, src);
	return ret && ret != -EPIPE && ret != -ECANCELED ? err_set(err, ret, "cannot read the calls: %s", strerror(-ret)) : ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_trace *src = (const struct src_trace *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	profile->seen += sum[COUNT_SEEN] + src->pending;
	profile->kept += src->delivered;
	base_profile(&src->base, sum, profile);
	callhooks_note(base_missed(&src->base), profile);
	if (src->entries_lost)
		profile_note(profile, "of %llu calls what was read on their entry is missing: there was no room for it in the ring buffer",
			     (unsigned long long)src->entries_lost);
	profile->receipt.map_bytes += rings_cost(&src->rings);
}

static void close_source(struct source *source)
{
	struct src_trace *src = (struct src_trace *)source;

	for (size_t i = 0; i < src->waiting.n; i++) {
		vec_free(&src->waiting.data[i].entry);
		vec_free(&src->waiting.data[i].signals);
	}
	vec_free(&src->waiting);
	map_free(&src->by_tid);
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
		.open = open_source,
		.fd = poll_fd,
		.start = start,
		.stop = stop,
		.drain = drain,
		.finish = finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .own = "calls", .has_stats = cfg->bpf_stats };
	src->cfg = cfg;
	return &src->source;
}
