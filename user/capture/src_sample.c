/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sampler's user side: sets knobs and sizes before load, opens one perf event per CPU, and turns
 * ring records and hash entries into the one struct sample.
 */
#include "capture/src_sample.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bpf/sample.h"
#include "capture/kernel.h"
#include "skel/sample.skel.h"
#include "util/hash.h"
#include "util/vec.h"

#define RING_STREAM_BYTES (512u << 10)
#define RING_SPILL_BYTES (1u << 20)

struct src_sample {
	const struct session_cfg *cfg;
	struct sample_bpf *skel;
	struct ring_buffer *rb;
	VEC(int) perf_fds, inner_fds;
	VEC(struct bpf_link *) links;
	uint32_t skipped_cpus;
	char *bytes; /* ring records waiting for the side band, each behind its u64 size */
	size_t used, cap;
	int stats_fd;
	uint64_t delivered; /* samples that reached the sink */
};

static int set_targets(struct src_sample *src, uint32_t pid_at_exec, struct err *err)
{
	const struct target *t = src->cfg->target;
	int fd = bpf_map__fd(src->skel->maps.targets), dir;
	__u32 state = TARGET_ACTIVE;
	__u64 key;

	for (size_t i = 0; i < t->pids.n; i++) {
		key = TARGET_PID(t->pids.data[i]);
		if (bpf_map_update_elem(fd, &key, &state, BPF_ANY))
			return err_set(err, -errno, "too many targets: at most %d", TARGETS_MAX);
	}
	for (size_t i = 0; i < t->tids.n; i++) {
		key = TARGET_TID(t->tids.data[i]);
		if (bpf_map_update_elem(fd, &key, &state, BPF_ANY))
			return err_set(err, -errno, "too many targets: at most %d", TARGETS_MAX);
	}
	if (target_is_command(t)) {
		key = TARGET_PID(pid_at_exec);
		state = TARGET_AT_EXEC;
		if (bpf_map_update_elem(fd, &key, &state, BPF_ANY))
			return err_set(err, -errno, "cannot set the target: %s", strerror(errno));
	}
	for (__u32 i = 0; i < t->cgroups.n; i++) {
		dir = open(t->cgroups.data[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0 || bpf_map_update_elem(bpf_map__fd(src->skel->maps.cgroups), &i, &dir, BPF_ANY)) {
			int ret = -errno;

			if (dir >= 0)
				close(dir);
			return err_set(err, ret, "cannot use cgroup '%s': %s", t->cgroups.data[i], strerror(-ret));
		}
		close(dir);
	}
	return 0;
}

static void set_filter(struct src_sample *src)
{
	const struct target *t = src->cfg->target;
	struct sample_bpf__rodata *ro = src->skel->rodata;
	__u32 filter = FILTER_IDLE;

	if (t->pids.n || target_is_command(t))
		filter |= FILTER_PIDS;
	if (t->tids.n)
		filter |= FILTER_TIDS;
	if (t->cgroups.n)
		filter |= FILTER_CGROUPS;
	if (t->uids.n)
		filter |= FILTER_UIDS;
	if (t->comms.n)
		filter |= FILTER_COMMS;
	for (int i = 0; i < src->cfg->nr_events; i++)
		if (!src->cfg->events[i].exclude_idle)
			filter &= ~FILTER_IDLE;
	ro->cfg_filter = filter;
	ro->cfg_nr_cgroups = t->cgroups.n;
	ro->cfg_nr_uids = t->uids.n;
	ro->cfg_nr_comms = t->comms.n;
	for (size_t i = 0; i < t->uids.n; i++)
		ro->cfg_uids[i] = t->uids.data[i];
	for (size_t i = 0; i < t->comms.n; i++)
		strncpy((char *)ro->cfg_comms[i], t->comms.data[i], sizeof(ro->cfg_comms[i]) - 1);
	bpf_program__set_autoload(src->skel->progs.filter_fork, filter & FILTER_PIDS);
	bpf_program__set_autoload(src->skel->progs.filter_exec, target_is_command(t));
	bpf_program__set_autoload(src->skel->progs.filter_free, filter & (FILTER_PIDS | FILTER_TIDS));
	if (!(filter & (FILTER_PIDS | FILTER_TIDS)))
		bpf_map__set_max_entries(src->skel->maps.targets, 1);
}

static uint64_t ring_bytes(const struct session_cfg *cfg)
{
	return cfg->ring_bytes ? cfg->ring_bytes : cfg->aggregate ? RING_SPILL_BYTES : RING_STREAM_BYTES;
}

static void set_knobs(struct src_sample *src)
{
	const struct session_cfg *cfg = src->cfg;
	struct sample_bpf__rodata *ro = src->skel->rodata;

	ro->cfg_aggregate = cfg->aggregate;
	ro->cfg_kernel_stack = !cfg->no_kernel_stack;
	ro->cfg_user_stack = !cfg->no_user_stack;
	ro->cfg_by_tid = cfg->by_tid;
	ro->cfg_by_cgroup = 0;
	ro->cfg_nr_events = cfg->nr_events;
	ro->cfg_wake_bytes = ring_bytes(cfg) / 4;
	bpf_map__set_max_entries(src->skel->maps.spill, cfg->aggregate ? ring_bytes(cfg) : 4096);
	bpf_map__set_max_entries(src->skel->maps.stacks,
				 !cfg->aggregate ? 1 : cfg->stacks_max ? cfg->stacks_max : SAMPLE_STACKS_DEFAULT);
	bpf_map__set_max_entries(src->skel->maps.counts,
				 !cfg->aggregate ? 1 : cfg->counts_max ? cfg->counts_max : SAMPLE_COUNTS_DEFAULT);
	bpf_map__set_max_entries(src->skel->maps.rings, libbpf_num_possible_cpus());
	bpf_map__set_max_entries(src->skel->maps.event_ids, 4096 * EVENTS_MAX);
	if (cfg->nr_events <= 1)
		bpf_map__set_max_entries(src->skel->maps.event_ids, 1);
}

static char *bytes_take(struct src_sample *src, size_t n)
{
	size_t cap = src->cap ? src->cap : 1 << 16;
	char *p;

	while (cap - src->used < n)
		cap *= 2;
	if (cap != src->cap) {
		p = realloc(src->bytes, cap);
		if (!p)
			return NULL;
		src->bytes = p;
		src->cap = cap;
	}
	p = src->bytes + src->used;
	src->used += n;
	return p;
}

static int on_record(void *ctx, void *data, size_t size)
{
	struct src_sample *src = ctx;
	uint64_t n = size;
	char *p = bytes_take(src, sizeof(n) + ((size + 7) & ~7ul));

	if (!p)
		return -ENOMEM;
	memcpy(p, &n, sizeof(n));
	memcpy(p + sizeof(n), data, size);
	return 0;
}

static int watch_ring(struct src_sample *src, int fd, struct err *err)
{
	int ret = 0;

	if (!src->rb) {
		src->rb = ring_buffer__new(fd, on_record, src, NULL);
		ret = src->rb ? 0 : -errno;
	} else {
		ret = ring_buffer__add(src->rb, fd, on_record, src);
	}
	return ret ? err_exit(err, ret, EXIT_CANNOT, "cannot map a ring buffer: %s", strerror(-ret)) : 0;
}

/* One call fills the whole outer map, so that the RCU wait behind it is paid once and not per CPU (5.13). */
static int fill_rings(struct src_sample *src, const uint32_t *cpus, uint32_t n)
{
	int outer = bpf_map__fd(src->skel->maps.rings), ret = 0;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	__u32 count = n;

	if (!bpf_map_update_batch(outer, cpus, src->inner_fds.data, &count, &opts) && count == n)
		return 0;
	for (uint32_t i = 0; i < n && !ret; i++)
		if (bpf_map_update_elem(outer, &cpus[i], &src->inner_fds.data[i], BPF_ANY))
			ret = -errno;
	return ret;
}

static int open_rings(struct src_sample *src, const uint32_t *cpus, uint32_t n, struct err *err)
{
	uint64_t size = ring_bytes(src->cfg);
	int ret = 0;

	if (src->cfg->aggregate)
		return watch_ring(src, bpf_map__fd(src->skel->maps.spill), err);
	for (uint32_t i = 0; i < n && !ret; i++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, size, NULL);

		if (fd < 0)
			return err_exit(err, fd, EXIT_CANNOT, "cannot make a ring buffer of %llu bytes: %s",
					(unsigned long long)size, strerror(-fd));
		if (vec_reserve(&src->inner_fds)) {
			close(fd);
			return -ENOMEM;
		}
		src->inner_fds.data[src->inner_fds.n++] = fd;
		ret = watch_ring(src, fd, err);
	}
	if (ret)
		return ret;
	ret = fill_rings(src, cpus, n);
	return ret ? err_exit(err, ret, EXIT_CANNOT, "cannot set up the ring buffers: %s", strerror(-ret)) : 0;
}

/* Opens event e on a CPU and attaches the program to it. -ENODEV: the CPU is not there any more. */
static int attach_event(struct src_sample *src, uint32_t e, uint32_t cpu, struct err *err)
{
	const struct event *event = &src->cfg->events[e];
	struct bpf_link *link;
	__u64 id;
	int fd, ret;

	if (vec_reserve(&src->perf_fds) || vec_reserve(&src->links))
		return -ENOMEM;
	fd = kernel_event_open(event, cpu);
	if (fd == -ENODEV)
		return fd;
	if (fd < 0)
		return kernel_event_refused(event, fd, err);
	src->perf_fds.data[src->perf_fds.n++] = fd;
	if (src->cfg->nr_events > 1) {
		if (ioctl(fd, PERF_EVENT_IOC_ID, &id) ||
		    bpf_map_update_elem(bpf_map__fd(src->skel->maps.event_ids), &id, &e, BPF_ANY))
			return err_set(err, -errno, "cannot tell events apart: %s", strerror(errno));
	}
	link = bpf_program__attach_perf_event(src->skel->progs.sample, fd);
	if (!link) {
		ret = -errno;
		return err_exit(err, ret, EXIT_CANNOT, "cannot attach to event '%s': %s", event->name, strerror(-ret));
	}
	src->perf_fds.n--; /* the link owns it now */
	src->links.data[src->links.n++] = link;
	return 0;
}

static int attach_events(struct src_sample *src, const uint32_t *cpus, uint32_t n, struct err *err)
{
	for (int e = 0; e < src->cfg->nr_events; e++)
		for (uint32_t i = 0; i < n; i++) {
			int ret = attach_event(src, e, cpus[i], err);

			if (ret == -ENODEV)
				src->skipped_cpus++;
			else if (ret < 0)
				return ret;
		}
	if (!src->links.n)
		return err_exit(err, -ENODEV, EXIT_CANNOT, "no CPU could be sampled");
	return 0;
}

/* The default event: hardware cycles where the PMU has them, else the clock of the scheduler. */
static void pick_event(const struct session_cfg *cfg, uint32_t cpu, char *note, size_t note_size)
{
	struct event *e = &cfg->events[0], clock = *e;
	int fd;

	if (!cfg->may_fall_back)
		return;
	fd = kernel_event_open(e, cpu);
	if (fd >= 0) {
		close(fd);
		return;
	}
	if (fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENXIO && fd != -EINVAL)
		return;
	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_CPU_CLOCK;
	clock.unit = "ns";
	strcpy(clock.name, "cpu-clock");
	snprintf(note, note_size, "event: cpu-clock, since this machine has no hardware '%s' (%s)", e->name, strerror(-fd));
	*e = clock;
}

int src_sample_open(const struct session_cfg *cfg, const uint32_t *cpus, uint32_t n, uint32_t pid_at_exec,
		    struct src_sample **ret_src, char *note, size_t note_size, struct err *err)
{
	struct src_sample *src = calloc(1, sizeof(*src));
	struct bpf_link **tp[3];
	struct bpf_program *prog[3];
	int ret;

	if (!src)
		return -ENOMEM;
	src->cfg = cfg;
	src->stats_fd = -1;
	pick_event(cfg, cpus[0], note, note_size);
	src->skel = sample_bpf__open();
	if (!src->skel) {
		ret = err_exit(err, -errno, EXIT_CANNOT, "cannot open the BPF object: %s", strerror(errno));
		goto fail;
	}
	set_knobs(src);
	set_filter(src);
	ret = sample_bpf__load(src->skel);
	if (ret) {
		err_exit(err, ret, EXIT_CANNOT, "the kernel refuses the sampling program: %s", strerror(-ret));
		err_hint(err, "skep -vv shows the verifier's log");
		goto fail;
	}
	if (cfg->bpf_stats)
		src->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME); /* 5.8; without it the receipt leaves BPF out */
	ret = set_targets(src, pid_at_exec, err);
	if (!ret)
		ret = open_rings(src, cpus, n, err);
	if (ret)
		goto fail;
	tp[0] = &src->skel->links.filter_fork, prog[0] = src->skel->progs.filter_fork;
	tp[1] = &src->skel->links.filter_exec, prog[1] = src->skel->progs.filter_exec;
	tp[2] = &src->skel->links.filter_free, prog[2] = src->skel->progs.filter_free;
	for (int i = 0; i < 3; i++) {
		if (!bpf_program__autoload(prog[i]))
			continue;
		*tp[i] = bpf_program__attach(prog[i]);
		if (!*tp[i]) {
			ret = err_exit(err, -errno, EXIT_CANNOT, "cannot follow children: %s", strerror(errno));
			goto fail;
		}
	}
	ret = attach_events(src, cpus, n, err);
	if (ret)
		goto fail;
	*ret_src = src;
	return 0;
fail:
	src_sample_close(src);
	return ret;
}

void src_sample_close(struct src_sample *src)
{
	if (!src)
		return;
	for (size_t i = 0; i < src->links.n; i++)
		bpf_link__destroy(src->links.data[i]);
	for (size_t i = 0; i < src->perf_fds.n; i++)
		close(src->perf_fds.data[i]);
	ring_buffer__free(src->rb);
	for (size_t i = 0; i < src->inner_fds.n; i++)
		close(src->inner_fds.data[i]);
	sample_bpf__destroy(src->skel);
	if (src->stats_fd >= 0)
		close(src->stats_fd);
	vec_free(&src->links);
	vec_free(&src->perf_fds);
	vec_free(&src->inner_fds);
	free(src->bytes);
	free(src);
}

void src_sample_arm(struct src_sample *src, bool on)
{
	__atomic_store_n(&src->skel->bss->run_armed, on, __ATOMIC_RELEASE);
}

int src_sample_poll_fd(const struct src_sample *src)
{
	return ring_buffer__epoll_fd(src->rb);
}

int src_sample_collect(struct src_sample *src)
{
	int ret = ring_buffer__consume(src->rb);

	return ret < 0 ? ret : 0;
}

/* Comm from the kernel is at most 15 bytes, but a wire field is not to be trusted for its NUL. */
static void fill_who(struct sample *s, struct sample_key *key)
{
	key->comm[SAMPLE_COMM_LEN - 1] = '\0';
	s->pid = key->pid;
	s->tid = key->tid;
	s->event = key->event;
	s->cgroup = key->cgroup;
	s->comm = key->comm;
}

static int deliver(struct src_sample *src, struct sample *s, bool has_user, struct sink *sink)
{
	s->kstop = s->nr_kips == STACK_MAX_FRAMES ? STOP_DEPTH : STOP_ROOT;
	s->ustop = s->nr_uips == STACK_MAX_FRAMES ? STOP_DEPTH : s->nr_uips || !has_user ? STOP_ROOT : STOP_UNREADABLE;
	s->ip = s->nr_kips ? s->kips[0] : s->nr_uips ? s->uips[0] : 0;
	src->delivered += s->count;
	return sink->sample(sink, s);
}

int src_sample_flush(struct src_sample *src, struct sink *sink)
{
	size_t head = offsetof(struct sample_rec, ips);
	int ret = 0;

	for (size_t at = 0; at < src->used && !ret;) {
		struct sample s = { .count = 1 };
		struct sample_rec *rec;
		uint64_t size;

		memcpy(&size, src->bytes + at, sizeof(size));
		rec = (struct sample_rec *)(src->bytes + at + sizeof(size));
		at += sizeof(size) + ((size + 7) & ~7ul);
		if (size < head || size < head + (rec->nr_kips + rec->nr_uips) * sizeof(uint64_t))
			continue;
		fill_who(&s, &rec->key);
		s.time_ns = rec->time_ns;
		s.weight = rec->weight;
		s.cpu = rec->cpu;
		s.nr_kips = rec->nr_kips;
		s.nr_uips = rec->nr_uips;
		s.kips = (uint64_t *)rec->ips;
		s.uips = s.kips + rec->nr_kips;
		ret = deliver(src, &s, rec->key.has_user, sink);
	}
	src->used = 0;
	return ret;
}

/* All entries of a hash: keys and values side by side. Returns how many or -errno. */
static long read_hash(struct bpf_map *map, void *keys, void *values)
{
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map);
	__u32 n = bpf_map__max_entries(map), cursor = 0;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	long nr = 0;
	char *prev = NULL;

	/* 5.6, 057996380a42 "bpf: Add batch ops to all htab bpf map" */
	if (!bpf_map_lookup_batch(bpf_map__fd(map), NULL, &cursor, keys, values, &n, &opts) || errno == ENOENT)
		return n;
	while (nr < (long)bpf_map__max_entries(map) &&
	       !bpf_map_get_next_key(bpf_map__fd(map), prev, (char *)keys + nr * key_size)) {
		prev = (char *)keys + nr * key_size;
		if (!bpf_map_lookup_elem(bpf_map__fd(map), prev, (char *)values + nr * value_size))
			nr++;
	}
	return nr;
}

/* Key of a stack -> its index in the array that was read, open addressing. */
struct stack_index {
	const uint64_t *keys;
	uint32_t *slots;
	uint64_t mask;
};

static int index_build(struct stack_index *ix, const uint64_t *keys, long n)
{
	uint64_t size = 16;

	while (size < (uint64_t)n * 2)
		size *= 2;
	ix->keys = keys;
	ix->mask = size - 1;
	ix->slots = calloc(size, sizeof(*ix->slots));
	if (!ix->slots)
		return -ENOMEM;
	for (long i = 0; i < n; i++) {
		uint64_t at = hash_u64(keys[i]) & ix->mask;

		while (ix->slots[at])
			at = (at + 1) & ix->mask;
		ix->slots[at] = i + 1;
	}
	return 0;
}

static const struct stack_val *index_find(const struct stack_index *ix, const struct stack_val *values, uint64_t key)
{
	for (uint64_t at = hash_u64(key) & ix->mask; key && ix->slots[at]; at = (at + 1) & ix->mask)
		if (ix->keys[ix->slots[at] - 1] == key)
			return &values[ix->slots[at] - 1];
	return NULL;
}

static int deliver_counts(struct src_sample *src, struct sample_key *keys, const struct sample_count *counts, long n,
			  const struct stack_index *ix, const struct stack_val *stacks, struct sink *sink)
{
	int ret = 0;

	for (long i = 0; i < n && !ret; i++) {
		const struct stack_val *k = index_find(ix, stacks, keys[i].kstack);
		const struct stack_val *u = index_find(ix, stacks, keys[i].ustack);
		struct sample s = { .cpu = UINT32_MAX, .count = counts[i].count, .weight = counts[i].weight,
				    .time_ns = counts[i].last_ns };

		fill_who(&s, &keys[i]);
		if (k && k->nr <= STACK_MAX_FRAMES) {
			s.kips = (const uint64_t *)k->ips;
			s.nr_kips = k->nr;
		}
		if (u && u->nr <= STACK_MAX_FRAMES) {
			s.uips = (const uint64_t *)u->ips;
			s.nr_uips = u->nr;
		}
		ret = deliver(src, &s, keys[i].has_user, sink);
	}
	return ret;
}

int src_sample_finish(struct src_sample *src, struct sink *sink, struct err *err)
{
	size_t nr_stacks = bpf_map__max_entries(src->skel->maps.stacks);
	size_t nr_counts = bpf_map__max_entries(src->skel->maps.counts);
	uint64_t *stack_keys = NULL;
	struct stack_val *stacks = NULL;
	struct sample_key *keys = NULL;
	struct sample_count *counts = NULL;
	struct stack_index ix = {};
	long n;
	int ret = -ENOMEM;

	if (!src->cfg->aggregate)
		return 0;
	stack_keys = calloc(nr_stacks, sizeof(*stack_keys));
	stacks = calloc(nr_stacks, sizeof(*stacks));
	keys = calloc(nr_counts, sizeof(*keys));
	counts = calloc(nr_counts, sizeof(*counts));
	if (!stack_keys || !stacks || !keys || !counts)
		goto out;
	n = read_hash(src->skel->maps.stacks, stack_keys, stacks);
	ret = index_build(&ix, stack_keys, n);
	if (ret)
		goto out;
	n = read_hash(src->skel->maps.counts, keys, counts);
	ret = deliver_counts(src, keys, counts, n, &ix, stacks, sink);
out:
	free(ix.slots);
	free(stack_keys);
	free(stacks);
	free(keys);
	free(counts);
	return ret < 0 ? err_set(err, ret, "cannot read the kernel's sums: %s", strerror(-ret)) : 0;
}

/* Kernel memory of a map: the kernel's own figure in fdinfo. */
static uint64_t map_bytes(int fd)
{
	unsigned long long value = 0;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &value) == 1)
			break;
	fclose(f);
	return value;
}

static void fill_cost(const struct src_sample *src, struct receipt *r)
{
	struct bpf_program *prog;
	struct bpf_map *map;

	bpf_object__for_each_program(prog, src->skel->obj) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);

		if (bpf_program__fd(prog) >= 0 && src->stats_fd >= 0 &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size)) {
			r->bpf_ns += info.run_time_ns;
			r->bpf_runs += info.run_cnt;
		}
	}
	bpf_object__for_each_map(map, src->skel->obj)
		r->map_bytes += map_bytes(bpf_map__fd(map));
	for (size_t i = 0; i < src->inner_fds.n; i++)
		r->map_bytes += map_bytes(src->inner_fds.data[i]);
}

void src_sample_profile(const struct src_sample *src, struct profile *profile)
{
	int cpus = libbpf_num_possible_cpus();
	__u64 (*per_cpu)[COUNT_MAX] = calloc(cpus, sizeof(*per_cpu));
	__u64 sum[COUNT_MAX] = {};
	__u32 zero = 0;

	if (per_cpu && !bpf_map_lookup_elem(bpf_map__fd(src->skel->maps.counters), &zero, per_cpu))
		for (int cpu = 0; cpu < cpus; cpu++)
			for (int c = 0; c < COUNT_MAX; c++)
				sum[c] += per_cpu[cpu][c];
	free(per_cpu);
	profile->seen += sum[COUNT_SEEN];
	profile->kept += src->delivered;
	profile->losses[LOSS_RING_FULL] += sum[COUNT_RING_FULL];
	profile->losses[LOSS_MAP_FULL] += sum[COUNT_NO_SCRATCH];
	profile->losses[LOSS_TARGETS_FULL] += sum[COUNT_TARGETS_FULL];
	fill_cost(src, &profile->receipt);
}
