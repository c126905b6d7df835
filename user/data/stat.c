/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The records of counts, to and from struct stat_record; their layouts are in tools/lib/perf/include/perf/event.h. */
#include "data/stat.h"

#include <errno.h>
#include <string.h>

#include "data/reader.h"
#include "data/writer.h"

#define WORD sizeof(uint64_t)
#define CONFIG_WORDS 2	    /* a tag and its value */
#define THREAD_BYTES 24	    /* struct perf_record_thread_map_entry: the number, then the name */
#define THREAD_NAME_BYTES 16
#define COUNT_BYTES 48
#define ROUND_BYTES 24
#define CPUS_MAX 32000	    /* u16 each, of a record */

enum config_tag { CONFIG_ROWS, CONFIG_INTERVAL, CONFIG_SCALE };
enum round_type { ROUND_INTERVAL, ROUND_FINAL };

static int put(struct data_writer *w, uint32_t type, const void *body, size_t n)
{
	size_t padded = (n + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
	struct perf_event_header h = { .type = type, .size = (uint16_t)(sizeof(h) + padded) };
	uint8_t *p = output_reserve(&w->out);

	if (!p)
		return w->out.failed;
	memcpy(p, &h, sizeof(h));
	memset(p + sizeof(h), 0, padded);
	memcpy(p + sizeof(h), body, n);
	output_commit(&w->out, sizeof(h) + padded);
	return 0;
}

static int put_update(struct data_writer *w, uint64_t what, uint64_t id, const void *data, size_t n)
{
	uint8_t body[2 * WORD + sizeof(((struct event *)0)->pmu_unit)] = { 0 };

	memcpy(body, &what, WORD);
	memcpy(body + WORD, &id, WORD);
	memcpy(body + 2 * WORD, data, n);
	return put(w, RECORD_EVENT_UPDATE, body, 2 * WORD + n);
}

/* What a count is in: clocks count ns and are shown in msec. */
static int put_unit(struct data_writer *w, int event)
{
	const struct event *e = &w->meta.events[event];
	const char *unit = event_is_clock(e) ? "msec" : e->pmu_unit;
	double scale = event_is_clock(e) ? 1e-6 : e->scale;
	int ret = *unit ? put_update(w, EVENT_UPDATE_UNIT, w->ids[event], unit, strlen(unit) + 1) : 0;

	return ret || scale == 0 ? ret : put_update(w, EVENT_UPDATE_SCALE, w->ids[event], &scale, sizeof(scale));
}

static int put_cpus(struct data_writer *w, const struct stat_config *cfg)
{
	static uint16_t body[2 + CPUS_MAX]; /* the kind, 0: a list; how many; the CPUs, 65535 is any */
	size_t n = cfg->nr_cpus < CPUS_MAX ? cfg->nr_cpus : CPUS_MAX;

	body[1] = n ? (uint16_t)n : 1;
	body[2] = UINT16_MAX;
	for (size_t i = 0; i < n; i++)
		body[2 + i] = (uint16_t)cfg->cpus[i];
	return put(w, RECORD_CPU_MAP, body, (2 + (n ? n : 1)) * sizeof(*body));
}

int data_writer_stat_config(struct data_writer *w, const struct stat_config *cfg)
{
	const uint64_t config[] = { 3, CONFIG_ROWS, cfg->rows, CONFIG_INTERVAL, cfg->interval_ms, CONFIG_SCALE, 1 };
	const uint64_t threads[1 + THREAD_BYTES / WORD] = { 1, cfg->pid == UINT32_MAX ? UINT64_MAX : cfg->pid };
	int ret = 0;

	for (int i = 0; i < w->meta.nr_events && !ret; i++)
		ret = put_unit(w, i);
	if (!ret)
		ret = put(w, RECORD_THREAD_MAP, threads, sizeof(threads));
	if (!ret)
		ret = put_cpus(w, cfg);
	return ret ? ret : put(w, RECORD_STAT_CONFIG, config, sizeof(config));
}

int data_writer_stat_count(struct data_writer *w, int event, uint32_t cpu, uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
	const uint64_t body[] = { w->ids[event], cpu, value, enabled_ns, running_ns }; /* the upper half of the CPU is the thread: 0 */

	return put(w, RECORD_STAT, body, sizeof(body));
}

int data_writer_stat_round(struct data_writer *w, bool is_last, uint64_t time_ns)
{
	const uint64_t body[] = { is_last ? ROUND_FINAL : ROUND_INTERVAL, time_ns };
	int ret = put(w, RECORD_STAT_ROUND, body, sizeof(body));

	return ret ? ret : output_flush(&w->out);
}

static void parse_config(const uint8_t *p, uint64_t nr, struct stat_config *ret)
{
	*ret = (struct stat_config){ .rows = STAT_ROWS_ALL };
	for (uint64_t i = 0; i < nr; i++, p += CONFIG_WORDS * WORD) {
		uint64_t value = get_u64(p + WORD);

		if (get_u64(p) == CONFIG_ROWS)
			ret->rows = value < STAT_ROWS_OTHER ? (enum stat_rows)value : STAT_ROWS_OTHER;
		else if (get_u64(p) == CONFIG_INTERVAL)
			ret->interval_ms = value;
	}
}

int stat_record_parse(const struct data_meta *meta, const struct data_record *rec, struct stat_record *ret)
{
	const uint8_t *p = rec->bytes + sizeof(struct perf_event_header);
	size_t left = rec->size - sizeof(struct perf_event_header);
	uint64_t nr = left < WORD ? 0 : get_u64(p);

	*ret = (struct stat_record){ .kind = STAT_NOTHING };
	if (rec->type < RECORD_THREAD_MAP || rec->type > RECORD_STAT_ROUND || rec->type == RECORD_CPU_MAP)
		return 0;
	if (meta->is_swapped || left < WORD)
		return -EBADMSG;
	switch (rec->type) {
	case RECORD_THREAD_MAP:
		if (nr > (left - WORD) / THREAD_BYTES)
			return -EBADMSG;
		*ret = (struct stat_record){ .kind = STAT_THREADS, .threads = p + WORD, .nr_threads = (size_t)nr };
		return 0;
	case RECORD_STAT_CONFIG:
		if (nr > (left - WORD) / (CONFIG_WORDS * WORD))
			return -EBADMSG;
		ret->kind = STAT_CONFIG;
		parse_config(p + WORD, nr, &ret->config);
		return 0;
	case RECORD_STAT:
		if (rec->size < COUNT_BYTES)
			return -EBADMSG;
		ret->kind = STAT_COUNT;
		ret->count = (struct stat_count){ get_u64(p), get_u32(p + 8), get_u32(p + 12), get_u64(p + 16), get_u64(p + 24), get_u64(p + 32) };
		return 0;
	default:
		if (rec->size < ROUND_BYTES)
			return -EBADMSG;
		ret->kind = STAT_ROUND;
		ret->is_last = nr == ROUND_FINAL;
		ret->time_ns = get_u64(p + WORD);
		return 0;
	}
}

int64_t stat_thread(const struct stat_record *rec, size_t i, char comm[COMM_LEN + 1])
{
	const uint8_t *p = rec->threads + i * THREAD_BYTES;

	memcpy(comm, p + WORD, THREAD_NAME_BYTES);
	comm[THREAD_NAME_BYTES] = '\0';
	return (int64_t)get_u64(p);
}

int data_reader_event(struct data_reader *r, uint64_t id)
{
	return id_event(r, id);
}
