/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sampler's user side: sets knobs and sizes before load, opens one perf event per CPU, and turns
 * ring records and hash entries into the one struct sample.
 */
#include "capture/source/sample.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bpf/sample.h"
#include "capture/base.h"
#include "capture/load.h"
#include "capture/refusal.h"
#include "capture/rings.h"
#include "capture/sideband.h"
#include "capture/source/sample_parts.h"
#include "capture/tasks.h"
#include "capture/walker.h"
#include "skel/sample.skel.h"
#include "util/clock.h"
#include "util/vec.h"

#define RING_STREAM_BYTES (512u << 10)
#define RING_SPILL_BYTES (1u << 20)

static uint64_t ring_bytes(const struct sample_cfg *cfg)
{
	return cfg->ring_bytes ? cfg->ring_bytes : cfg->aggregate ? RING_SPILL_BYTES : RING_STREAM_BYTES;
}

static void set_knobs(struct src_sample *src, const struct place *place)
{
	uint32_t room = sample_sums_room(src->cfg, place);
	const struct sample_cfg *cfg = src->cfg;
	struct sample_bpf__rodata *ro = src->skel->rodata;

	ro->cfg_aggregate = cfg->aggregate;
	ro->cfg_kernel_stack = !cfg->no_kernel_stack;
	ro->cfg_user_stack = !cfg->no_user_stack;
	ro->cfg_by_tid = cfg->by_tid;
	ro->cfg_unwind = unwinder_mode(place->unwinder);
	if (cfg->max_frames)
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
	return sample_deliver(to->src, &s, &rec->key, to->sink);
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
		profile_note(profile, "%llu sample%s went through the ring buffer: the table of stacks was full (--max-stacks), or had no "
				      "memory at hand", (unsigned long long)sum[COUNT_SPILLED], sum[COUNT_SPILLED] == 1 ? "" : "s");
	rings_cost(&src->rings, &profile->receipt);
}

static bool has_counters(const struct sample_cfg *cfg)
{
	for (int i = 0; i < cfg->nr_events; i++)
		if (cfg->events[i].kind == EVENT_COUNTER)
			return true;
	return false;
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
		.rate = has_counters(cfg) ? set_rate : NULL,
		.in_part = cfg->keeps_budget ? &src->base : NULL,
		.stop = stop,
		.collect = collect,
		.drain = drain,
		.snapshot = sample_sums_snapshot,
		.again = sample_sums_again,
		.forget = sample_sums_forget,
		.finish = sample_sums_finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = "the sampling program", .own = cfg->keeps_self ? NULL : "samples", .has_stats = cfg->bpf_stats };
	src->cfg = cfg;
	src->rate = 1;
	return &src->source;
}
