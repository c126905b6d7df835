/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums from two hashes, or records from rings whose stacks are in one of them: to samples. */
#include "capture/source/offcpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/offcpu.h"
#include "capture/base.h"
#include "capture/iter.h"
#include "capture/refusal.h"
#include "capture/rings.h"
#include "capture/source/schedtext.h"
#include "capture/stacks.h"
#include "capture/tasks.h"
#include "capture/walker.h"
#include "skel/offcpu.skel.h"
#include "util/clock.h"
#include "util/hash.h"

#define WHAT "the program that measures time off the CPUs"
#define RING_BYTES (1u << 20)
#define STREAM_STACKS_DEFAULT (2 * STACKS_DEFAULT)
#define ROWS_A_STACK 2
#define UNWIND_ID 1 /* each object that walks by tables has another one */

/* What was taken of a row of the kernel's, and how much of that is forgotten. */
struct known {
	struct offcpu_key key;
	struct offcpu_sums taken, forgotten;
};

struct src_offcpu {
	struct source source; /* first: a pointer to it is one to us */
	const struct offcpu_cfg *cfg;
	struct base base;
	struct offcpu_bpf *skel;
	const struct place *place;
	struct tasks tasks;
	struct rings rings;
	struct stacks stacks;	  /* of sums */
	struct stack_cache cache; /* of a stream, or of sums that are taken while programs run */
	uint64_t full; /* so often there was no room for a stack, when the tables were emptied last */
	struct schedtext text;
	uint32_t max_frames;	  /* a stack with this many was cut */
	uint64_t task_ips[SAMPLE_DEEP_MAX]; /* of who was woken, while those of the waker are found */
	uint64_t delivered;
	uint32_t turn; /* whose tables are read */
	bool is_again; /* what is delivered was counted before */
	bool is_live;  /* sums are taken while the programs run */
	bool forgets;  /* what was delivered, before the next sums are */
	VEC(struct known) known;
	struct map known_by_key;
	struct known other[2]; /* of what the kernel had no room for; by: preempted */
	bool outside; /* somebody without a number in our PID namespace */
};

/* For keep_stacks(). */
struct to_keep {
	struct src_offcpu *src;
	struct stack_cache cache;
};

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

/* The tables of a turn. */
static struct bpf_map *spans_of(const struct src_offcpu *src, uint32_t turn)
{
	return turn & 1 ? src->skel->maps.spans_odd : src->skel->maps.spans;
}

static struct bpf_map *stacks_of(const struct src_offcpu *src, uint32_t turn)
{
	return turn & 1 ? src->skel->maps.stacks_odd : src->skel->maps.stacks;
}

static const struct stack_val *find_stack(struct src_offcpu *src, uint64_t key)
{
	return src->cfg->aggregate && !src->is_live ? stacks_find(&src->stacks, key) : stack_cache_get(&src->cache, stacks_of(src, src->turn), key);
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
	const struct stack_val *k = find_stack(src, who->kstack), *u = find_stack(src, who->ustack);
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

static int deliver_row(struct src_offcpu *src, const struct offcpu_key *key, const struct offcpu_sums *sums, struct sink *sink)
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

static int deliver_other(struct src_offcpu *src, bool preempted, const struct offcpu_sums *sums, struct sink *sink)
{
	struct sample s = { .cpu = UINT32_MAX, .comm = "[other]", .time_ns = src->tasks.started_ns + src->tasks.offset_ns,
			    .event = src->cfg->event };

	return deliver_parts(src, preempted, sums, &s, sink);
}

static int read_other(struct src_offcpu *src, __u32 preempted, struct offcpu_sums *ret_all)
{
	int cpus = libbpf_num_possible_cpus(), ret = 0;
	struct offcpu_sums *per_cpu = calloc(cpus > 0 ? cpus : 1, sizeof(*per_cpu)), all = { 0 };

	if (!per_cpu)
		return -ENOMEM;
	if (bpf_map_lookup_elem(bpf_map__fd(src->skel->maps.other), &preempted, per_cpu))
		ret = -errno;
	for (int cpu = 0; cpu < cpus && !ret; cpu++) {
		all.spans += per_cpu[cpu].spans;
		all.off_ns += per_cpu[cpu].off_ns;
		all.waits += per_cpu[cpu].waits;
		all.wait_ns += per_cpu[cpu].wait_ns;
	}
	free(per_cpu);
	*ret_all = all;
	return ret;
}

static struct offcpu_sums less(const struct offcpu_sums *a, const struct offcpu_sums *b)
{
	return (struct offcpu_sums){ a->spans - b->spans, a->off_ns - b->off_ns, a->waits - b->waits, a->wait_ns - b->wait_ns, a->last_ns };
}

static struct known *find_known(struct src_offcpu *src, const struct offcpu_key *key)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));

	map_each(i, &src->known_by_key, hash)
		if (!memcmp(&src->known.data[i].key, key, sizeof(*key)))
			return &src->known.data[i];
	if (vec_reserve(&src->known) || map_add(&src->known_by_key, hash, src->known.n))
		return NULL;
	src->known.data[src->known.n] = (struct known){ .key = *key };
	return &src->known.data[src->known.n++];
}

/* While programs run: what a row has grown by. */
static int deliver_new(struct src_offcpu *src, const struct offcpu_key *key, const struct offcpu_sums *sums, struct sink *sink)
{
	struct known *known;
	struct offcpu_sums more;

	if (!src->is_live)
		return deliver_row(src, key, sums, sink);
	known = find_known(src, key);
	if (!known)
		return -ENOMEM;
	more = less(sums, &known->taken);
	known->taken = *sums;
	return deliver_row(src, key, &more, sink);
}

static int deliver_new_other(struct src_offcpu *src, bool preempted, struct sink *sink)
{
	struct known *known = &src->other[preempted];
	struct offcpu_sums more, before = known->taken;
	int ret = read_other(src, preempted, &known->taken);

	more = less(&known->taken, &before);
	return ret ? ret : deliver_other(src, preempted, &more, sink);
}

static int deliver_rows(struct src_offcpu *src, struct sink *sink)
{
	struct bpf_map *map = spans_of(src, src->turn);
	size_t max = bpf_map__max_entries(map), key_size = bpf_map__key_size(map);
	char *keys = calloc(max, key_size);
	struct offcpu_sums *sums = calloc(max, sizeof(*sums));
	int ret = !keys || !sums ? -ENOMEM : src->is_live ? 0 : stacks_read(&src->stacks, src->skel->maps.stacks);
	long n = ret ? ret : hash_read(map, keys, sums);

	for (long i = 0; i < n && ret >= 0; i++) {
		struct offcpu_key key = { 0 };

		memcpy(&key, keys + i * key_size, key_size);
		ret = deliver_new(src, &key, &sums[i], sink);
	}
	free(keys);
	free(sums);
	if (n < 0)
		return (int)n;
	for (int preempted = 0; preempted < 2 && !ret; preempted++)
		ret = deliver_new_other(src, preempted, sink);
	return ret;
}

static void forget(struct source *source, bool later)
{
	struct src_offcpu *src = (struct src_offcpu *)source;

	src->forgets = later;
	if (later)
		return;
	for (size_t i = 0; i < src->known.n; i++)
		src->known.data[i].forgotten = src->known.data[i].taken;
	for (int preempted = 0; preempted < 2; preempted++)
		src->other[preempted].forgotten = src->other[preempted].taken;
}

/* Of a task that sleeps since before the turn: its stacks stay. */
static int keep_stacks(void *arg, const void *record)
{
	const struct offcpu_asleep *asleep = record;
	struct to_keep *to = arg;
	int ret = 0;

	for (size_t i = 0; i < sizeof(asleep->stacks) / sizeof(asleep->stacks[0]) && !ret; i++)
		if (find_stack(to->src, asleep->stacks[i]))
			ret = stack_cache_move(&to->cache, &to->src->cache, asleep->stacks[i]);
	return ret;
}

static bool is_full(const struct src_offcpu *src)
{
	uint64_t sum[COUNT_MAX];

	/* A quarter: the next second may bring three more */
	if (src->known.n > bpf_map__max_entries(src->skel->maps.spans) / 4 || src->cache.values.n > bpf_map__max_entries(src->skel->maps.stacks) / 4)
		return true;
	base_counts(&src->base, sum);
	return sum[LOSS_STACKS_FULL] != src->full;
}

/* Programs write to the other tables from now on; these are taken, and emptied. */
static int empty_tables(struct src_offcpu *src, struct sink *sink)
{
	struct to_keep to = { .src = src };
	uint64_t sum[COUNT_MAX];
	int ret;

	__atomic_store_n(&src->skel->bss->run_turn, src->turn + 1, __ATOMIC_RELEASE);
	tasks_barrier();
	ret = deliver_rows(src, sink);
	if (!ret)
		ret = iter_read(src->skel->progs.offcpu_asleep, sizeof(struct offcpu_asleep), keep_stacks, &to);
	if (!ret)
		ret = hash_clear(spans_of(src, src->turn));
	if (!ret)
		ret = hash_clear(stacks_of(src, src->turn));
	stack_cache_free(&src->cache);
	src->cache = to.cache;
	map_clear(&src->known_by_key);
	src->known.n = 0;
	src->turn++;
	base_counts(&src->base, sum);
	src->full = sum[LOSS_STACKS_FULL];
	return ret;
}

/* Spans that have ended since the last time. */
static int snapshot(struct source *source, struct sink *sink)
{
	struct src_offcpu *src = (struct src_offcpu *)source;

	if (!src->cfg->aggregate)
		return 0;
	src->is_live = true;
	if (src->forgets)
		forget(source, false);
	return src->cfg->empties && is_full(src) ? empty_tables(src, sink) : deliver_rows(src, sink);
}

static int again(struct source *source, struct sink *sink)
{
	struct src_offcpu *src = (struct src_offcpu *)source;
	struct offcpu_sums sums;
	int ret = 0;

	src->is_again = true;
	for (size_t i = 0; i < src->known.n && !ret; i++) {
		sums = less(&src->known.data[i].taken, &src->known.data[i].forgotten);
		ret = deliver_row(src, &src->known.data[i].key, &sums, sink);
	}
	for (int preempted = 0; preempted < 2 && !ret; preempted++) {
		sums = less(&src->other[preempted].taken, &src->other[preempted].forgotten);
		ret = deliver_other(src, preempted, &sums, sink);
	}
	src->is_again = false;
	return ret;
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
		ret = src->cfg->aggregate ? deliver_rows(src, sink) : collect(source);
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
		.snapshot = snapshot,
		.again = again,
		.forget = forget,
		.finish = finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .own = "waits", .own_is_apart = true, .has_stats = cfg->bpf_stats, .has_idle = true };
	src->cfg = cfg;
	return &src->source;
}
