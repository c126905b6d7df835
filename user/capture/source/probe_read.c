/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records, hits and rows of the kernel to samples and sums; their sizes are checked, their texts end in NUL. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/probe.h"
#include "capture/byrows.h"
#include "capture/rows.h"
#include "capture/source/probe_parts.h"
#include "util/clock.h"

#define FIELD_TEXT_BYTES 256

struct to_sink {
	struct src_probe *src;
	struct sink *sink;
};

void probe_values(const struct probe_set *set, const struct site *s, const struct placed *placed, char *data, uint64_t faults,
		  struct sample_value *ret_values)
{
	for (uint32_t i = 0; i < placed->nr_dests; i++) {
		const struct gen_dest *d = &set->dests.data[placed->first_dest + i];
		struct sample_value *v = &ret_values[i];
		char *at = data + d->off;

		*v = (struct sample_value){ .is_fault = faults >> i & 1 };
		if (s->bound.args[d->arg].show == VALUE_RECORD) {
			v->bytes = at;
			v->nr_bytes = d->bytes;
		} else if (s->bound.args[d->arg].show != VALUE_TEXT) {
			memcpy(&v->num, at, sizeof(v->num));
		} else {
			at[d->bytes - 1] = '\0';
			v->text = at;
		}
	}
}

static int deliver(void *arg, const void *bytes, size_t size)
{
	struct to_sink *to = arg;
	struct src_probe *src = to->src;
	const struct probe_rec *rec = bytes;
	struct sample_value values[PROBE_ARGS_MAX];
	struct sample s = { .count = 1, .weight = 1, .values = values };
	const struct placed *placed;
	const struct site *site;
	char comm[PROBE_COMM_LEN];

	if (size < sizeof(*rec) || rec->index >= src->set.nr_sites || size < sizeof(*rec) + src->set.placed[rec->index].bytes)
		return -EINVAL;
	placed = &src->set.placed[rec->index];
	site = probe_set_site(&src->set, rec->index, NULL);
	memcpy(comm, rec->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	s.time_ns = rec->time_ns;
	s.pid = rec->pid;
	s.tid = rec->tid;
	s.cpu = rec->cpu;
	s.site = rec->index;
	s.comm = comm;
	probe_values(&src->set, site, placed, (char *)rec->data, rec->faults, values);
	s.nr_values = placed->nr_dests;
	src->delivered++;
	return to->sink->sample(to->sink, &s);
}

int probe_drain(struct src_probe *src, uint64_t until_ns, struct sink *sink)
{
	struct to_sink to = { src, sink };

	return rings_drain(&src->rings, until_ns, deliver, &to);
}

static int deliver_hits(struct src_probe *src, struct sink *sink)
{
	uint64_t *per_cpu = calloc(src->cpus, sizeof(*per_cpu));
	int ret = per_cpu ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < src->set.nr_sites && !ret; i++) {
		char title[PROBE_PATH_MAX + 2 * PROBE_NAME_MAX];
		struct by_sum sum = { 0 };
		const struct probe *p = NULL;
		struct byrow row;
		const struct site *s = probe_set_site(&src->set, i, &p);

		if (bpf_map_lookup_elem(bpf_map__fd(src->skel->maps.hits), &i, per_cpu))
			ret = -errno;
		for (int cpu = 0; cpu < src->cpus && !ret; cpu++)
			sum.calls += per_cpu[cpu];
		if (ret || !sum.calls)
			continue;
		src->delivered += sum.calls;
		probe_title(&p->spec, s->name, title, sizeof(title));
		byrow_begin(&row, src->cfg->sums.schema, title, 0, &(struct by_places){ 0 });
		byrow_add(&row, &sum);
		row.values[ROWS_EVENT].text = title;
		row.row.none &= ~(1ull << ROWS_EVENT);
		ret = byrow_send(&row, sink);
	}
	free(per_cpu);
	return ret;
}

/* Armed until now, on the CPUs that are there. */
static int deliver_readings(struct src_probe *src, struct sink *sink)
{
	uint64_t *per_cpu = calloc(src->cpus, sizeof(*per_cpu)), ns = src->counted_ns ? src->counted_ns : now_ns() - src->started_ns;
	uint32_t index = 0;
	int ret = per_cpu ? 0 : -ENOMEM;

	for (int p = 0; p < src->cfg->nr_probes; p++)
		for (size_t i = 0; i < src->cfg->probes[p].sites.all.n && !ret; i++, index++) {
			if (bpf_map_lookup_elem(bpf_map__fd(src->skel->maps.hits), &index, per_cpu))
				ret = -errno;
			for (uint32_t c = 0; c < src->place->nr_cpus && !ret; c++) {
				struct reading r = { .event = src->cfg->probes[p].event + i, .cpu = src->place->cpus[c], .enabled_ns = ns,
						     .running_ns = ns };

				r.value = r.cpu < (uint32_t)src->cpus ? per_cpu[r.cpu] : 0;
				src->delivered += r.value;
				ret = sink->reading(sink, &r);
			}
		}
	free(per_cpu);
	return ret;
}

static void read_fields(const struct src_probe *src, const char *key, const struct probe *p, const struct site *s,
			char (*texts)[FIELD_TEXT_BYTES], struct byrow *row)
{
	const struct probe_sums *sums = &src->cfg->sums;
	uint32_t is_text = probe_texts(src);

	for (int i = 0; i < sums->nr_fields; i++) {
		struct sample_value v = { 0 };
		char text[BY_TEXT_MAX];

		if (is_text >> i & 1) {
			memcpy(text, key + src->at.fields[i], sizeof(text));
			text[sizeof(text) - 1] = '\0';
			v.text = text;
		} else {
			memcpy(&v.num, key + src->at.fields[i], sizeof(v.num));
		}
		if (sums->schema->columns[BYROWS_FIELDS + i].kind != VALUE_TEXT) {
			byrow_field(row, i, (struct value){ .num = v.num });
			continue;
		}
		sums->field_text(sums->arg, s, p->spec.nr_args + i, &v, texts[i], FIELD_TEXT_BYTES);
		byrow_field(row, i, (struct value){ .text = texts[i] });
	}
}

/* A row of one CPU, or of all of them what did not fit. */
static int deliver_row(void *arg, const void *key, const void *values)
{
	struct src_probe *src = arg;
	const struct by_sum *per_cpu = values;
	char title[PROBE_PATH_MAX + 2 * PROBE_NAME_MAX], texts[BY_FIELDS_MAX][FIELD_TEXT_BYTES];
	const struct probe *p = NULL;
	const struct site *s;
	uint32_t index = 0;
	struct byrow row;
	uint64_t n;

	byrow_begin(&row, src->cfg->sums.schema, key, src->cfg->sums.by, &src->at);
	for (int cpu = 0; cpu < (key ? 1 : src->cpus); cpu++)
		byrow_add(&row, &per_cpu[cpu]);
	n = row.values[BYROWS_COUNT].num;
	if (!n)
		return 0;
	src->delivered += n;
	src->other = key ? src->other : n;
	if (key) {
		if (src->skel->rodata->cfg_by & BY_EVENT)
			memcpy(&index, (const char *)key + src->at.what, sizeof(index));
		s = probe_set_site(&src->set, index, &p);
		if (!s)
			return -EINVAL;
		probe_title(&p->spec, s->name, title, sizeof(title));
		row.values[ROWS_EVENT].text = src->cfg->sums.by & BY_EVENT ? title : NULL;
		read_fields(src, key, p, s, texts, &row);
	}
	return byrow_send(&row, src->sink);
}

int probe_snapshot(struct src_probe *src, struct sink *sink)
{
	const struct rows rows = { src->skel->maps.rows, src->skel->maps.other, src, deliver_row, NULL };

	src->delivered = src->other = 0;
	if (src->cfg->mode == PROBE_MODE_COUNT)
		return deliver_hits(src, sink);
	if (src->cfg->mode == PROBE_MODE_READ)
		return deliver_readings(src, sink);
	src->sink = sink;
	return rows_walk(&rows);
}
