/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of probes: knobs, maps and programs from the first to the last; what they are made of is in probe_link.c and probe_read.c. */
#include "capture/source/probe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/probe.h"
#include "capture/rows.h"
#include "capture/source/probe_parts.h"
#include "capture/tasks.h"
#include "util/clock.h"

#define RING_BYTES (1u << 20)
#define ONE_RING_CPUS 4
#define RECORD_BYTES_MAX 2048	  /* PERF_MAX_TRACE_SIZE of old kernels */
#define ROWS_DEFAULT 4096	  /* on each CPU: 300 bytes each, there from the start on */
#define ENTRIES_MAX (1u << 18)	  /* of the hash */

const struct site *probe_site(const struct probe *probes, int nr_probes, uint32_t i, const struct probe **ret_probe)
{
	for (int p = 0; p < nr_probes; p++) {
		const struct site_list *l = &probes[p].sites;

		if (i < l->all.n) {
			if (ret_probe)
				*ret_probe = &probes[p];
			return &l->all.data[i];
		}
		i -= l->all.n;
	}
	return NULL;
}

uint32_t probe_record_bytes(const struct bound_arg *a, uint32_t text_bytes)
{
	uint32_t bytes = a->bytes + a->texts * text_bytes;

	return bytes > RECORD_BYTES_MAX ? RECORD_BYTES_MAX : bytes;
}

static uint32_t text_bytes(const struct src_probe *src)
{
	uint32_t text = src->cfg->text_bytes ? src->cfg->text_bytes : PROBE_TEXT_DEFAULT;

	return (text + 7) & ~7u;
}

static uint32_t value_bytes(const struct bound_arg *a, uint32_t text)
{
	if (a->show == VALUE_RECORD)
		return probe_record_bytes(a, text);
	return a->is_comm ? PROBE_COMM_LEN : a->show == VALUE_TEXT ? text : 8;
}

int probe_place_args(struct probe_set *set, const struct site *s, uint32_t text_bytes, struct placed *ret_placed)
{
	struct placed p = { .first_dest = set->dests.n };
	int ret = 0;

	for (int i = 0; i < s->bound.nr_args && !ret; i++) {
		uint32_t bytes = value_bytes(&s->bound.args[i], text_bytes);

		ret = probe_add_dest(set, (struct gen_dest){ .arg = i, .off = p.bytes, .bytes = bytes });
		p.bytes += (bytes + 7) & ~7u;
	}
	p.nr_dests = set->dests.n - p.first_dest;
	*ret_placed = p;
	return ret ? ret : p.bytes > PROBE_DATA_MAX ? -EMSGSIZE : 0;
}

/* The fields of a key, and the value after it: without what the spec itself shows. */
static int place_key(const struct src_probe *src, struct probe_set *set, const struct site *s, int first_extra)
{
	const struct probe_sums *sums = &src->cfg->sums;
	int ret = 0;

	for (int i = 0; i < sums->nr_fields && !ret; i++) {
		bool is_text = s->bound.args[first_extra + i].show == VALUE_TEXT;

		ret = probe_add_dest(set, (struct gen_dest){ .arg = first_extra + i, .off = src->at.fields[i], .bytes = is_text ? BY_TEXT_MAX : 8 });
	}
	if (!ret && sums->has_value)
		ret = probe_add_dest(set, (struct gen_dest){ .arg = first_extra + sums->nr_fields, .off = PROBE_VALUE_AT, .bytes = 8 });
	return ret;
}

/* Where each value of a site goes, in its record or its key. */
static int place_values(void *arg, struct probe_set *set, const struct probe *probe, const struct site *s, struct placed *ret_placed)
{
	const struct src_probe *src = arg;
	struct placed p = { .first_dest = set->dests.n };
	int ret = 0;

	if (src->cfg->mode == PROBE_MODE_STREAM)
		return probe_place_args(set, s, text_bytes(src), ret_placed);
	if (src->cfg->mode == PROBE_MODE_SUM)
		ret = place_key(src, set, s, probe->spec.nr_args);
	p.nr_dests = set->dests.n - p.first_dest;
	*ret_placed = p;
	return ret;
}

static struct bpf_program *model_of(const struct src_probe *src)
{
	return src->cfg->mode == PROBE_MODE_STREAM ? src->skel->progs.probe_stream :
	       src->cfg->mode == PROBE_MODE_SUM	   ? src->skel->progs.probe_sum :
						     src->skel->progs.probe_count;
}

/* Which fields are texts, by the first site: expressions that are text at one place and a number at another are errors. */
uint32_t probe_texts(const struct src_probe *src)
{
	const struct probe *p;
	const struct site *s = probe_set_site(&src->set, 0, &p);
	uint32_t texts = 0;

	for (int i = 0; s && i < src->cfg->sums.nr_fields; i++)
		texts |= (uint32_t)(s->bound.args[p->spec.nr_args + i].show == VALUE_TEXT) << i;
	return texts;
}

static int check_texts(const struct src_probe *src, struct err *err)
{
	uint32_t texts = probe_texts(src);

	for (uint32_t i = 0; i < src->set.nr_sites; i++) {
		const struct probe *p = NULL;
		const struct site *s = probe_set_site(&src->set, i, &p);

		for (int f = 0; f < src->cfg->sums.nr_fields + src->cfg->sums.has_value; f++) {
			const struct bound_arg *a = &s->bound.args[p->spec.nr_args + f];
			bool is_text = a->show == VALUE_TEXT;

			if (f == src->cfg->sums.nr_fields && is_text)
				return err_exit(err, -EINVAL, EXIT_USAGE, "no histogram of '%s': it is a string", a->name);
			if (f < src->cfg->sums.nr_fields && is_text != (texts >> f & 1))
				return err_exit(err, -EINVAL, EXIT_USAGE, "the key '%s' is a string in one function and a number in '%s'", a->name,
						s->name);
		}
	}
	return 0;
}

static void set_sums(struct src_probe *src, const struct place *place)
{
	struct probe_bpf__rodata *ro = src->skel->rodata;
	const struct probe_sums *sums = &src->cfg->sums;
	uint64_t rows = (sums->rows_max ? sums->rows_max : ROWS_DEFAULT) * place->nr_cpus;

	/* What a number means is its site's to say. */
	ro->cfg_by = sums->by | BY_CPU | (sums->nr_fields && src->set.nr_sites > 1 ? BY_EVENT : 0);
	bpf_map__set_key_size(src->skel->maps.rows, rows_layout(ro->cfg_by, sums->nr_fields, probe_texts(src), &src->at));
	bpf_map__set_max_entries(src->skel->maps.rows, src->cfg->mode != PROBE_MODE_SUM ? 1 : rows < ENTRIES_MAX ? rows : ENTRIES_MAX);
	ro->cfg_at = src->at;
	ro->cfg_value = sums->has_value;
	ro->cfg_unsigned = sums->is_unsigned;
	ro->cfg_linear = sums->linear;
	ro->cfg_low = sums->low;
	ro->cfg_step = sums->step ? sums->step : 1;
}

static uint64_t ring_bytes(const struct src_probe *src)
{
	return src->cfg->ring_bytes ? src->cfg->ring_bytes : RING_BYTES;
}

static void set_knobs(struct src_probe *src, const struct place *place)
{
	struct probe_bpf__rodata *ro = src->skel->rodata;
	bool calls = probe_set_has_calls(&src->set);

	ro->cfg_pidns_level = place->pidns.level;
	ro->cfg_pidns = place->pidns.ns;
	ro->cfg_wake_bytes = ring_bytes(src) / 4;
	bpf_map__set_max_entries(src->skel->maps.hits, model_of(src) == src->skel->progs.probe_count ? src->set.nr_sites : 1);
	if (!calls)
		bpf_map__set_max_entries(src->skel->maps.calls, 1);
	ro->cfg_one_ring = place->nr_cpus <= ONE_RING_CPUS;
	if (!ro->cfg_one_ring)
		rings_size(src->skel->maps.rings, place);
	bpf_map__set_max_entries(src->skel->maps.one_ring, ro->cfg_one_ring && src->cfg->mode == PROBE_MODE_STREAM ? ring_bytes(src) : 4096);
	set_sums(src, place);
	bpf_program__set_autoload(model_of(src), true);
	bpf_program__set_autoload(src->skel->progs.probe_enter, calls);
	bpf_program__set_autoload(src->skel->progs.probe_deep, probe_set_has_deep(&src->set));
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_probe *src = (struct src_probe *)source;
	bool is_stream = src->cfg->mode == PROBE_MODE_STREAM;
	int ret;

	src->place = place;
	src->cpus = libbpf_num_possible_cpus();
	ret = BASE_OPEN(&src->base, src->skel, probe, err);
	if (ret)
		return ret;
	src->set = (struct probe_set){ .probes = src->cfg->probes, .nr_probes = src->cfg->nr_probes, .model = model_of(src),
				       .enter = src->skel->progs.probe_enter,
				       .deep = src->skel->progs.probe_deep, .has_size = is_stream, .has_calls = true, .place = place_values, .arg = src };
	ret = probe_set_open(&src->set, err);
	if (!ret)
		ret = check_texts(src, err);
	if (ret)
		return ret;
	set_knobs(src, place);
	ret = base_load(&src->base, place, err);
	if (ret)
		return ret;
	src->set.calls_fd = bpf_map__fd(src->skel->maps.call_sites);
	if (is_stream && src->skel->rodata->cfg_one_ring)
		ret = rings_watch(&src->rings, bpf_map__fd(src->skel->maps.one_ring), err);
	else if (is_stream)
		ret = rings_open(&src->rings, src->skel->maps.rings, ring_bytes(src), place, err);
	return ret ? ret : probe_set_attach(&src->set, err);
}

static int poll_fd(const struct source *source, uint32_t index)
{
	const struct src_probe *src = (const struct src_probe *)source;

	return index || src->cfg->mode != PROBE_MODE_STREAM ? -1 : rings_fd(&src->rings);
}

static void start(struct source *source)
{
	struct src_probe *src = (struct src_probe *)source;

	src->missed_before = probe_set_missed(&src->set);
	src->started_ns = now_ns();
	base_arm(&src->base);
}

/* Nothing is on its way into a map after this. To detach takes a minute with a thousand probes: the result is first. */
static void stop(struct source *source)
{
	struct src_probe *src = (struct src_probe *)source;

	base_disarm(&src->base);
	src->counted_ns = now_ns() - src->started_ns;
	src->missed = probe_set_missed(&src->set) - src->missed_before;
	tasks_barrier();
}

static int drain(struct source *source, struct sink *sink)
{
	struct src_probe *src = (struct src_probe *)source;

	return src->cfg->mode == PROBE_MODE_STREAM ? probe_drain(src, now_ns(), sink) : 0;
}

static int snapshot(struct source *source, struct sink *sink)
{
	struct src_probe *src = (struct src_probe *)source;

	return src->cfg->mode == PROBE_MODE_STREAM ? 0 : probe_snapshot(src, sink);
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	struct src_probe *src = (struct src_probe *)source;
	int ret = src->cfg->mode == PROBE_MODE_STREAM ? probe_drain(src, UINT64_MAX, sink) : probe_snapshot(src, sink);

	return ret && ret != -EPIPE && ret != -ECANCELED ? err_set(err, ret, "cannot read the hits: %s", strerror(-ret)) : ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_probe *src = (const struct src_probe *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	profile->seen += sum[COUNT_SEEN] + sum[LOSS_CALLS_FULL] + sum[LOSS_TOO_DEEP];
	if (model_of(src) == src->skel->progs.probe_count)
		profile->seen += src->delivered;
	profile->losses[LOSS_KEYS_FULL] += src->other;
	profile->kept += src->delivered;
	base_profile(&src->base, sum, profile);
	probe_set_profile(&src->set, profile);
	rings_cost(&src->rings, &profile->receipt);
	base_add_nested(&src->base, src->missed, profile);
	if (sum[COUNT_OUTSIDE])
		profile_note(profile,
				"%llu hits belong to processes outside this container: their PID is shown as 0", (unsigned long long)sum[COUNT_OUTSIDE]);
}

static void close_source(struct source *source)
{
	struct src_probe *src = (struct src_probe *)source;

	probe_set_close(&src->set);
	rings_close(&src->rings);
	base_close(&src->base);
	free(src);
}

struct source *src_probe_new(const struct probe_cfg *cfg)
{
	struct src_probe *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.open = open_source,
		.fd = poll_fd,
		.start = start,
		.in_part = cfg->keeps_budget ? &src->base : NULL,
		.stop = stop,
		.drain = drain,
		.snapshot = snapshot,
		.finish = finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = PROBE_WHAT, .own = "hits", .has_stats = cfg->bpf_stats, .has_idle = true };
	src->cfg = cfg;
	return &src->source;
}
