/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sampler's user side: sets knobs and sizes before load, opens one perf event per CPU, and turns
 * ring records and hash entries into the one struct sample.
 */
#include "capture/source/sample.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bpf/sample.h"
#include "capture/base.h"
#include "capture/load.h"
#include "capture/refusal.h"
#include "capture/rings.h"
#include "capture/sideband.h"
#include "capture/source/kept.h"
#include "capture/source/probe_parts.h"
#include "capture/source/sums.h"
#include "capture/tasks.h"
#include "capture/walker.h"
#include "skel/sample.skel.h"
#include "util/clock.h"
#include "util/vec.h"

#define RING_STREAM_BYTES (512u << 10)
#define RING_SPILL_BYTES (1u << 20)
#define INTERVALS_KEPT 8
#define SAMPLE_COUNTS_MIN 1024u
#define PROGRAMS_MAX_NS 20000000 /* far longer than a program runs */

/* One event on one CPU. The link, once there is one, closes the descriptor. */
struct attached {
	int fd;
	uint32_t event;
	struct bpf_link *link;
	__u64 id; /* in event_ids, where there is more than one event */
};

struct src_sample {
	struct source source; /* first: a pointer to it is one to us */
	const struct sample_cfg *cfg;
	struct base base;
	struct sample_bpf *skel;
	struct rings rings; /* records wait there for the side band */
	struct sideband *sideband; /* of the session */
	struct unwinder *unwinder; /* of the session; NULL: by frame pointers */
	bool is_tracepoint[EVENTS_MAX];
	char note[2 * EVENT_NAME_MAX + 128];
	uint32_t max_frames; /* a stack of so many is a cut one */
	VEC(struct attached) attached;
	const uint32_t *cpus; /* nr_cpus of them; borrowed */
	uint32_t nr_cpus;
	double rate; /* of what was asked for */
	struct probe_set set; /* tracepoints and probes */
	/* Of each event, by the first of its places, which are alike: where its values go; site NULL: its samples have none. */
	struct {
		const struct site *site;
		struct placed placed;
	} values[EVENTS_MAX];
	uint32_t skipped_cpus;
	struct sums *sums; /* what was taken of the hashes; of the first time on */
	struct kept *kept; /* what was delivered; NULL: it is not wanted again */
	uint64_t emptied_ns; /* when the hashes were emptied; CLOCK_MONOTONIC; 0: never */
	bool has_spilled; /* samples since then that they had no room for */
	uint64_t delivered; /* samples that reached the sink */
	uint64_t missed, missed_before; /* hits of tracepoints and probes; when it was armed last */
	bool is_paused;
	bool is_again; /* what is delivered was kept */
	bool forgets;  /* what is kept, when something new is delivered */
};

static uint64_t ring_bytes(const struct sample_cfg *cfg)
{
	return cfg->ring_bytes ? cfg->ring_bytes : cfg->aggregate ? RING_SPILL_BYTES : RING_STREAM_BYTES;
}

/* Samples that events of a rate have in one interval; 0: not known. */
static double samples_an_interval(const struct sample_cfg *cfg, const struct place *place)
{
	double a_second = 0;

	for (int i = 0; i < cfg->nr_events; i++) {
		if (!cfg->events[i].freq)
			return 0;
		a_second += cfg->events[i].period_or_freq;
	}
	return a_second * place->nr_cpus * (double)cfg->interval_ns / 1e9;
}

/*
 * Different sums that the kernel has room for. Reading a hash takes as long as it has buckets: sums that are taken often have room for those
 * of a few intervals, and are emptied.
 */
static uint32_t room_for_sums(const struct sample_cfg *cfg, const struct place *place)
{
	double wanted = INTERVALS_KEPT * samples_an_interval(cfg, place);
	uint32_t room = SAMPLE_COUNTS_MIN;

	while (room < SAMPLE_COUNTS_DEFAULT && (!wanted || room < wanted))
		room *= 2;
	return room;
}

static void set_knobs(struct src_sample *src, const struct place *place)
{
	uint32_t room = room_for_sums(src->cfg, place);
	const struct sample_cfg *cfg = src->cfg;
	struct sample_bpf__rodata *ro = src->skel->rodata;

	ro->cfg_aggregate = cfg->aggregate;
	ro->cfg_kernel_stack = !cfg->no_kernel_stack;
	ro->cfg_user_stack = !cfg->no_user_stack;
	ro->cfg_by_tid = cfg->by_tid;
	ro->cfg_unwind = unwinder_mode(place->unwinder);
	if (cfg->max_frames && !cfg->aggregate)
		ro->cfg_max_frames = cfg->max_frames;
	src->max_frames = kernel_max_frames();
	if (src->max_frames > ro->cfg_max_frames)
		src->max_frames = ro->cfg_max_frames;
	ro->cfg_nr_events = cfg->nr_events;
	ro->cfg_addr = cfg->events[0].has_addr;
	ro->cfg_cgroup = cfg->has_cgroup;
	ro->cfg_pidns_level = place->pidns.level;
	ro->cfg_pidns = place->pidns.ns;
	ro->cfg_wake_bytes = ring_bytes(cfg) / 4;
	bpf_map__set_max_entries(src->skel->maps.spill, cfg->aggregate ? ring_bytes(cfg) : 4096);
	bpf_map__set_max_entries(src->skel->maps.stacks,
				 !cfg->aggregate ? 1 : cfg->stacks_max ? cfg->stacks_max : room < STACKS_DEFAULT ? room : STACKS_DEFAULT);
	bpf_map__set_max_entries(src->skel->maps.counts, cfg->aggregate ? room : 1);
	if (cfg->aggregate) { /* what finds no memory at once goes by the ring */
		bpf_map__set_map_flags(src->skel->maps.stacks, object_hash_flags());
		bpf_map__set_map_flags(src->skel->maps.counts, object_hash_flags());
	}
	rings_size(src->skel->maps.rings, place);
	bpf_map__set_max_entries(src->skel->maps.event_ids, cfg->nr_events > 1 ? cfg->nr_events * place->nr_cpus : 1);
}

static int open_rings(struct src_sample *src, const struct place *place, struct err *err)
{
	if (src->cfg->aggregate)
		return rings_watch(&src->rings, bpf_map__fd(src->skel->maps.spill), err);
	return rings_open(&src->rings, src->skel->maps.rings, ring_bytes(src->cfg), place, err);
}

/* The arguments of a probe, or the record of a tracepoint, which stands for one place. */
static int place_values(void *arg, struct probe_set *set, const struct probe *probe, const struct site *s, struct placed *ret_placed)
{
	struct src_sample *src = arg;
	bool is_record = s->bound.nr_args && s->bound.args[0].show == VALUE_RECORD;
	int ret;

	*ret_placed = (struct placed){ .first_dest = set->dests.n };
	if (!src->cfg->records || !s->bound.nr_args || (is_record && probe->sites.all.n != 1))
		return 0;
	ret = probe_place_args(set, s, PROBE_TEXT_DEFAULT, ret_placed);
	if (!src->values[probe->event].site) {
		src->values[probe->event].site = s;
		src->values[probe->event].placed = *ret_placed;
	}
	return ret;
}

/* Opens event e on a CPU and attaches the program to it; leader: of its group there, or -1. -ENODEV: the CPU is not there any more. */
static int attach_event(struct src_sample *src, uint32_t e, uint32_t cpu, int leader, int *ret_fd, struct err *err)
{
	struct event at_rate = src->cfg->events[e];
	const struct event *event = &at_rate;
	struct attached *a;
	int fd, ret;

	if (vec_reserve(&src->attached))
		return -ENOMEM;
	if (at_rate.freq && src->rate < 1) {
		at_rate.period_or_freq = (uint64_t)((double)at_rate.period_or_freq * src->rate + 0.5);
		at_rate.period_or_freq += !at_rate.period_or_freq;
	}
	fd = kernel_event_open(event, cpu, leader);
	if (fd == -ENODEV)
		return fd;
	if (fd < 0)
		return kernel_event_refused(event, fd, err);
	a = &src->attached.data[src->attached.n++];
	*a = (struct attached){ .fd = fd, .event = e };
	if (src->cfg->nr_events > 1) {
		if (ioctl(fd, PERF_EVENT_IOC_ID, &a->id) ||
		    bpf_map_update_elem(bpf_map__fd(src->skel->maps.event_ids), &a->id, &e, BPF_ANY))
			return err_set(err, -errno, "cannot store the ids of events: %s", strerror(errno));
	}
	/* Only to hear of throttling: the program keeps the samples themselves out of that buffer. */
	ret = sideband_redirect(src->sideband, fd, cpu);
	if (ret)
		return err_set(err, ret, "cannot watch for throttling of '%s': %s", event->name, strerror(-ret));
	a->link = bpf_program__attach_perf_event(src->skel->progs.sample, fd);
	if (!a->link) {
		ret = -errno;
		return err_exit(err, ret, EXIT_CANNOT, "cannot attach to event '%s': %s", event->name, strerror(-ret));
	}
	*ret_fd = fd;
	return 0;
}

/* A clock that joins a group that runs does not begin to count (Linux 6.18). */
static void restart_group(int leader)
{
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
}

/* On all CPUs; leaders: of its group, one for each of them. */
static int attach_counter(struct src_sample *src, uint32_t e, const uint32_t *cpus, uint32_t n, int *leaders, struct err *err)
{
	uint16_t pos = src->cfg->events[e].group_pos;
	int ret = 0;

	for (uint32_t i = 0; i < n && ret == 0; i++) {
		int fd = -1;

		if (pos > 1 && leaders[i] < 0) /* its leader's CPU was gone */
			continue;
		ret = attach_event(src, e, cpus[i], pos > 1 ? leaders[i] : -1, &fd, err);
		if (ret == -ENODEV) {
			src->skipped_cpus++;
			ret = 0;
		}
		if (pos == 1)
			leaders[i] = fd;
		else if (pos && fd >= 0)
			restart_group(leaders[i]);
	}
	return ret;
}

/* Does it follow the rate? Events of a group are opened together. */
static bool has_rate(const struct src_sample *src, uint32_t e)
{
	bool any = src->cfg->events[e].freq;

	for (int i = 0; src->cfg->events[e].group_pos && i < src->cfg->nr_events; i++)
		any |= src->cfg->events[i].group_pos && src->cfg->events[i].freq;
	return any;
}

/* only_rated: those that follow the rate. */
static int attach_counters(struct src_sample *src, bool only_rated, struct err *err)
{
	int *leaders = calloc(src->nr_cpus, sizeof(*leaders)), ret = leaders ? 0 : -ENOMEM;

	for (int e = 0; e < src->cfg->nr_events && !ret; e++)
		if (src->cfg->events[e].kind == EVENT_COUNTER && (!only_rated || has_rate(src, (uint32_t)e)))
			ret = attach_counter(src, e, src->cpus, src->nr_cpus, leaders, err);
	free(leaders);
	return ret;
}

static int attach_events(struct src_sample *src, struct err *err)
{
	int ret = attach_counters(src, false, err);

	if (ret)
		return ret;
	if (src->cfg->nr_probes)
		return probe_set_attach(&src->set, err);
	if (!src->attached.n)
		return err_exit(err, -ENODEV, EXIT_CANNOT, "no CPU could be sampled");
	return 0;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_sample *src = (struct src_sample *)source;
	bool counters = false;
	int ret;

	src->sideband = place->sideband;
	for (int i = 0; i < src->cfg->nr_probes; i++)
		src->is_tracepoint[src->cfg->probes[i].event] = src->cfg->probes[i].spec.kind == PROBE_TRACEPOINT;
	for (int i = 0; i < src->cfg->nr_events; i++) {
		src->base.has_idle |= !src->cfg->events[i].exclude_idle;
		counters |= src->cfg->events[i].kind == EVENT_COUNTER;
	}
	for (int i = 0; i < src->cfg->nr_events; i++)
		if (kernel_clock_instead(&src->cfg->events[i], -1, (int)place->cpus[0], src->note, sizeof(src->note)))
			src->source.note = src->note;
	ret = BASE_OPEN(&src->base, src->skel, sample, err);
	if (ret)
		return ret;
	if (src->cfg->keeps && !(src->kept = kept_new()))
		return -ENOMEM;
	set_knobs(src, place);
	bpf_program__set_autoload(src->skel->progs.sample, counters);
	bpf_program__set_autoload(src->skel->progs.sample_hit, src->cfg->nr_probes);
	src->set = (struct probe_set){ .probes = src->cfg->probes, .nr_probes = src->cfg->nr_probes, .model = src->skel->progs.sample_hit,
				       .enter = src->skel->progs.probe_enter,
				       .deep = src->skel->progs.probe_deep, .has_calls = true, .has_stacks = true,
				       .has_size = true, .place = place_values, .arg = src };
	bpf_program__set_autoload(src->skel->progs.probe_enter, probe_set_has_calls(&src->set));
	bpf_program__set_autoload(src->skel->progs.probe_deep, probe_set_has_deep(&src->set));
	if (!probe_set_has_calls(&src->set))
		bpf_map__set_max_entries(src->skel->maps.calls, 1);
	ret = src->cfg->nr_probes ? probe_set_open(&src->set, err) : 0;
	if (ret)
		return ret;
	src->unwinder = place->unwinder;
	ret = base_load(&src->base, place, err);
	if (ret)
		return ret;
	src->set.calls_fd = bpf_map__fd(src->skel->maps.call_sites);
	src->set.btf_fd = place->unwinder ? bpf_object__btf_fd(src->skel->obj) : 0;
	ret = open_rings(src, place, err);
	src->cpus = place->cpus;
	src->nr_cpus = place->nr_cpus;
	return ret ? ret : attach_events(src, err);
}

static void detach(struct attached *a)
{
	if (a->link)
		bpf_link__destroy(a->link);
	else if (a->fd >= 0)
		close(a->fd);
}

/*
 * New events in the place of the old ones: the kernel changes the period of one that is there, but of a clock it goes on to report the old
 * one (perf_swevent_init_hrtimer() sets what samples have). Each CPU lacks some microseconds, and begins a new period.
 */
static int set_rate(struct source *source, double rate, struct err *err)
{
	struct src_sample *src = (struct src_sample *)source;
	uint32_t skipped = src->skipped_cpus;
	size_t kept = 0;
	int ret;

	src->skipped_cpus = 0;
	for (size_t i = 0; i < src->attached.n; i++) {
		struct attached *a = &src->attached.data[i];

		if (!has_rate(src, a->event)) {
			src->attached.data[kept++] = *a;
			continue;
		}
		if (src->cfg->nr_events > 1)
			bpf_map_delete_elem(bpf_map__fd(src->skel->maps.event_ids), &a->id);
		detach(a);
	}
	src->attached.n = kept;
	src->rate = rate;
	ret = attach_counters(src, true, err);
	if (src->skipped_cpus < skipped) /* those that were skipped before count once */
		src->skipped_cpus = skipped;
	return ret == -ENOMEM ? err_set(err, ret, "out of memory") : ret;
}

static void close_source(struct source *source)
{
	struct src_sample *src = (struct src_sample *)source;

	for (size_t i = 0; i < src->attached.n; i++)
		detach(&src->attached.data[i]);
	probe_set_close(&src->set);
	rings_close(&src->rings);
	sums_free(src->sums);
	kept_free(src->kept);
	base_close(&src->base);
	vec_free(&src->attached);
	free(src);
}

static void start(struct source *source)
{
	struct src_sample *src = (struct src_sample *)source;

	src->missed_before = probe_set_missed(&src->set);
	base_arm(&src->base);
}

/* Hits that the kernel skips meanwhile are not ours. */
static void set_paused(struct source *source, bool is_paused)
{
	struct src_sample *src = (struct src_sample *)source;

	if (is_paused) {
		base_disarm(&src->base);
		src->missed += probe_set_missed(&src->set) - src->missed_before;
	}
	src->missed_before = probe_set_missed(&src->set);
	src->is_paused = is_paused;
	if (!is_paused)
		base_arm(&src->base);
}

static void stop(struct source *source)
{
	struct src_sample *src = (struct src_sample *)source;

	base_disarm(&src->base);
	/* An event is off only when its CPU is done with it: nothing is still on its way into a map after this. */
	for (size_t i = 0; i < src->attached.n; i++)
		ioctl(src->attached.data[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	if (!src->is_paused)
		src->missed += probe_set_missed(&src->set) - src->missed_before;
	if (src->cfg->nr_probes)
		tasks_barrier();
}

static int poll_fd(const struct source *source, uint32_t index)
{
	const struct src_sample *src = (const struct src_sample *)source;

	return index ? -1 : rings_fd(&src->rings);
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

static void forget_if_due(struct src_sample *src)
{
	if (src->forgets)
		kept_clear(src->kept);
	src->forgets = false;
}

static int keep(struct src_sample *src, const struct sample *s, const struct sample_key *key)
{
	forget_if_due(src);
	return kept_add(src->kept, s, key);
}

/* The way of every sample out of the kernel: from its key and frames to the sink. */
static int deliver(struct src_sample *src, struct sample *s, struct sample_key *key, struct sink *sink)
{
	bool has_user = key->has_user;
	int ret;

	fill_who(s, key);
	ret = src->kept && !src->is_again ? keep(src, s, key) : 0;
	if (ret)
		return ret;
	s->is_tracepoint = s->event < EVENTS_MAX && src->is_tracepoint[s->event];
	unwinder_chains(src->unwinder, src->max_frames, has_user, s);
	return sink->sample(sink, s);
}

struct to_sink {
	struct src_sample *src;
	struct sink *sink;
};

/* What follows the stacks: a word that says what could not be read, and the values. Returns how many. */
static uint32_t take_values(const struct src_sample *src, uint16_t event, char *at, size_t bytes, struct sample_value *ret_values)
{
	const struct placed *placed;
	uint64_t faults;

	if (event >= EVENTS_MAX || !src->values[event].site)
		return 0;
	placed = &src->values[event].placed;
	if (bytes < sizeof(faults) + placed->bytes)
		return 0;
	memcpy(&faults, at, sizeof(faults));
	probe_values(&src->set, src->values[event].site, placed, at + sizeof(faults), faults, ret_values);
	return placed->nr_dests;
}

static int flush(void *arg, const void *record, size_t size)
{
	struct to_sink *to = arg;
	struct sample_rec *rec = (struct sample_rec *)record;
	struct sample s = { .count = 1 };
	struct sample_value values[PROBE_ARGS_MAX];
	size_t head = offsetof(struct sample_rec, ips);

	if (size < head || size < head + (rec->nr_kips + rec->nr_uips) * sizeof(uint64_t))
		return 0;
	s.time_ns = rec->time_ns;
	s.weight = rec->weight;
	s.cpu = rec->cpu;
	s.addr = to->src->cfg->aggregate ? 0 : rec->key.addr;
	s.chains[CHAIN_KERNEL] = (struct chain){ .ips = (const uint64_t *)rec->ips, .n = rec->nr_kips };
	s.chains[CHAIN_USER] = (struct chain){ .ips = (const uint64_t *)rec->ips + rec->nr_kips, .n = rec->nr_uips };
	head += (rec->nr_kips + rec->nr_uips) * sizeof(uint64_t);
	s.nr_values = take_values(to->src, rec->key.event, (char *)record + head, size - head, values);
	s.values = values;
	to->src->has_spilled |= rec->time_ns > to->src->emptied_ns;
	to->src->delivered += s.count;
	return deliver(to->src, &s, &rec->key, to->sink);
}

static int collect(struct source *source)
{
	return rings_collect(&((struct src_sample *)source)->rings);
}

static int drain(struct source *source, struct sink *sink)
{
	struct src_sample *src = (struct src_sample *)source;
	struct to_sink to = { src, sink };

	return rings_deliver(&src->rings, flush, &to);
}

static int deliver_sum(void *arg, struct sample *s, struct sample_key *key)
{
	struct to_sink *to = arg;

	to->src->delivered += s->count;
	return deliver(to->src, s, key, to->sink);
}

/*
 * Until every program has ended that may not have seen a flag: membarrier(2) waits for an RCU grace period, and programs run inside of
 * one read side. It is refused where CPUs have no ticks; no program runs for so long.
 */
static void wait_for_programs(void)
{
	const struct timespec longer = { .tv_nsec = PROGRAMS_MAX_NS };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&longer, NULL);
}

/* What comes meanwhile goes by the ring: nothing is lost. */
static int empty_sums(struct src_sample *src, struct to_sink *to)
{
	int ret;

	src->skel->bss->is_emptying = 1;
	wait_for_programs();
	ret = sums_empty(src->sums, deliver_sum, to);
	src->skel->bss->is_emptying = 0;
	src->emptied_ns = now_ns();
	src->has_spilled = false;
	return ret;
}

static int make_sums(struct src_sample *src)
{
	if (!src->sums)
		src->sums = sums_new(src->skel->maps.stacks, src->skel->maps.counts);
	return src->sums ? 0 : -ENOMEM;
}

/* What the sums have grown by since the last time. Hashes that fill up are emptied: reading them takes as long as they are full. */
static int snapshot(struct source *source, struct sink *sink)
{
	struct src_sample *src = (struct src_sample *)source;
	struct to_sink to = { src, sink };
	int ret = src->cfg->aggregate ? make_sums(src) : 0;

	if (ret || !src->cfg->aggregate)
		return ret;
	forget_if_due(src);
	return src->has_spilled || sums_are_full(src->sums) ? empty_sums(src, &to) : sums_take(src->sums, deliver_sum, &to);
}

static int deliver_again(void *arg, struct sample *s, struct sample_key *key)
{
	struct to_sink *to = arg;

	return deliver(to->src, s, key, to->sink);
}

static int again(struct source *source, struct sink *sink)
{
	struct src_sample *src = (struct src_sample *)source;
	struct to_sink to = { src, sink };
	int ret;

	if (!src->kept)
		return 0;
	src->is_again = true;
	ret = kept_each(src->kept, deliver_again, &to);
	src->is_again = false;
	return ret;
}

static void forget(struct source *source, bool later)
{
	struct src_sample *src = (struct src_sample *)source;

	src->forgets = later && src->kept;
	if (src->kept && !later)
		kept_clear(src->kept);
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	struct src_sample *src = (struct src_sample *)source;
	struct to_sink to = { src, sink };
	int ret = src->cfg->aggregate ? make_sums(src) : 0;

	if (!ret && src->cfg->aggregate)
		ret = sums_take(src->sums, deliver_sum, &to);
	return ret < 0 ? err_set(err, ret, "cannot read the kernel's sums: %s", strerror(-ret)) : 0;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_sample *src = (const struct src_sample *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	profile->seen += sum[COUNT_SEEN] + sum[LOSS_CALLS_FULL] + sum[LOSS_TOO_DEEP];
	profile->kept += src->delivered;
	base_profile(&src->base, sum, profile);
	if (src->sums)
		receipt_fill(&profile->receipt, "sums", sums_used(src->sums), bpf_map__max_entries(src->skel->maps.counts));
	probe_set_profile(&src->set, profile);
	base_add_nested(&src->base, src->missed, profile);
	if (src->skipped_cpus)
		profile_note(profile, "%u CPUs went offline and were not sampled", src->skipped_cpus);
	if (sum[COUNT_OUTSIDE])
		profile_note(profile, "%llu samples belong to processes outside this container: their PID is shown as 0 and their frames "
				      "have no names", (unsigned long long)sum[COUNT_OUTSIDE]);
	if (sum[COUNT_SPILLED])
		profile_note(profile, "%llu samples went through the ring buffer: the table of stacks was full (--max-stacks), or had no "
				      "memory at hand", (unsigned long long)sum[COUNT_SPILLED]);
	rings_cost(&src->rings, &profile->receipt);
}

struct source *src_sample_new(const struct sample_cfg *cfg)
{
	struct src_sample *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.has_stacks = true,
		.open = open_source,
		.fd = poll_fd,
		.start = start,
		.pause = set_paused,
		.rate = set_rate,
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
	src->base = (struct base){ .what = "the sampling program", .own = cfg->keeps_self ? NULL : "samples", .has_stats = cfg->bpf_stats };
	src->cfg = cfg;
	src->rate = 1;
	return &src->source;
}
