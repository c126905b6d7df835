/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Feature sections to struct data_meta. In comes the content of one section, hostile: what is
 * damaged is left out, since samples are worth more than their description. Texts are interned.
 */
#include <byteswap.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include "data/reader.h"
#include "data/span.h"

#define KERNEL_OBJECT "[kernel.kallsyms]"
#define LATE_IDS_MAX 4096u

static int read_text(struct data_reader *r, struct span s, const char **ret_text)
{
	const char *text;
	size_t n;

	if (!take_string(&s, &text, &n))
		return 0;
	text = strpool_addn(r->strings, text, n);
	if (!text)
		return -ENOMEM;
	*ret_text = text;
	return 0;
}

static int read_cmdline(struct data_reader *r, struct span s)
{
	const char *text;
	uint32_t nr;
	size_t n;

	if (!take_u32(&s, &nr))
		return 0;
	r->args.n = 0;
	while (nr-- && r->args.n < ARGS_MAX && take_string(&s, &text, &n)) {
		if (vec_reserve(&r->args) < 0)
			return -ENOMEM;
		text = strpool_addn(r->strings, text, n);
		if (!text)
			return -ENOMEM;
		r->args.data[r->args.n++] = text;
	}
	r->meta.argv = r->args.data;
	r->meta.argc = (int)r->args.n;
	return 0;
}

static void read_events(struct data_reader *r, struct span s)
{
	uint32_t nr, attr_size, nr_ids;
	const uint8_t *attr;
	const char *name;
	size_t n;

	if (!take_u32(&s, &nr) || !take_u32(&s, &attr_size) || nr > ATTRS_MAX)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t id = 0, unused;

		if (!take(&s, attr_size, &attr) || !take_u32(&s, &nr_ids) || !take_string(&s, &name, &n) ||
		    nr_ids > s.n / sizeof(uint64_t))
			return;
		for (uint32_t k = 0; k < nr_ids; k++)
			take_u64(&s, k ? &unused : &id);
		event_set_name(r, id, i, name, n);
	}
}

static int read_build_ids(struct data_reader *r, struct span s)
{
	const uint8_t *record;
	size_t size;
	int ret;

	while (s.n >= BUILD_ID_PATH_AT) {
		size = s.is_swapped ? swap_size(s.p) : get_u16(s.p + offsetof(struct perf_event_header, size));
		if (size < BUILD_ID_PATH_AT || !take(&s, size, &record))
			break;
		ret = build_id_read(r, record, size, s.is_swapped);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Index of the first one of a later path; they are sorted. */
static size_t build_id_after(const struct data_reader *r, const char *path)
{
	size_t lo = 0, hi = r->build_ids.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(r->build_ids.data[mid].path, path) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* After the first records: what is mapped already gets it, too. Returns what the sink returned. */
static int note_late(struct data_reader *r, const struct build_id *id, const char *path, bool kernel)
{
	struct task_event t = { .what = TASK_BUILD_ID, .kernel = kernel, .pid = UINT32_MAX, .cpu = UINT32_MAX, .path = path,
				.build_id_size = id->size };

	memcpy(t.build_id, id->bytes, sizeof(t.build_id));
	return r->sink && r->sink->task ? r->sink->task(r->sink, &t) : 0;
}

int build_id_read(struct data_reader *r, const uint8_t *record, size_t size, bool is_swapped)
{
	uint16_t as_is = get_u16(record + offsetof(struct perf_event_header, misc)), misc = is_swapped ? bswap_16(as_is) : as_is;
	const char *path = (const char *)record + BUILD_ID_PATH_AT;
	struct build_id id = { .size = BUILD_ID_MAX };
	size_t n, at;

	if (size <= BUILD_ID_PATH_AT || r->build_ids.n >= BUILD_IDS_MAX)
		return 0;
	if (misc & BUILD_ID_MISC_SIZE && record[BUILD_ID_SIZE_AT] < BUILD_ID_MAX)
		id.size = record[BUILD_ID_SIZE_AT];
	memcpy(id.bytes, record + BUILD_ID_BYTES_AT, id.size);
	n = strnlen(path, size - BUILD_ID_PATH_AT);
	if (n == strlen(KERNEL_OBJECT) && !memcmp(path, KERNEL_OBJECT, n)) {
		r->meta.kernel_build_id_size = id.size;
		memcpy(r->meta.kernel_build_id, id.bytes, BUILD_ID_MAX);
		return note_late(r, &id, KERNEL_OBJECT, true);
	}
	id.order = (uint32_t)r->build_ids.n;
	id.path = strpool_addn(r->strings, path, n < PATH_MAX ? n : PATH_MAX);
	if (!id.path || vec_reserve(&r->build_ids) < 0)
		return -ENOMEM;
	if (!r->build_ids_sorted) {
		r->build_ids.data[r->build_ids.n++] = id;
		return 0;
	}
	/* Each costs a move: of a stream as perf inject -b writes it there is one for each file that has samples. */
	if (++r->nr_late_ids > LATE_IDS_MAX)
		return 0;
	at = build_id_after(r, id.path);
	memmove(r->build_ids.data + at + 1, r->build_ids.data + at, (r->build_ids.n - at) * sizeof(id));
	r->build_ids.data[at] = id;
	r->build_ids.n++;
	return note_late(r, &id, id.path, false);
}

static int compare_paths(const void *a, const void *b)
{
	const struct build_id *x = a, *y = b;
	int d = strcmp(x->path, y->path);

	return d ? d : x->order < y->order ? -1 : x->order > y->order;
}

const struct build_id *build_id_find(struct data_reader *r, const char *path)
{
	size_t at;

	if (!r->build_ids_sorted && r->build_ids.n)
		qsort(r->build_ids.data, r->build_ids.n, sizeof(*r->build_ids.data), compare_paths);
	r->build_ids_sorted = true;
	at = build_id_after(r, path);
	if (!at || strcmp(r->build_ids.data[at - 1].path, path) != 0)
		return NULL;
	return &r->build_ids.data[at - 1];
}

/* For data_reader_describe(). */
static int keep(struct data_reader *r, unsigned feature, const uint8_t *p, size_t n)
{
	struct feature_bytes *f;

	if (n > FEATURE_KEPT_MAX || feature >= sizeof(r->has_features) * CHAR_BIT)
		return 0;
	f = vec_take(&r->features, 1);
	if (!f)
		return -ENOMEM;
	*f = (struct feature_bytes){ feature, malloc(n ? n : 1), n };
	if (!f->bytes)
		return -ENOMEM;
	memcpy(f->bytes, p, n);
	return 0;
}

/* Version, clock, then time of the day and of the clock at one moment. */
static void read_clock(struct data_meta *m, struct span s)
{
	uint32_t version, clock;
	uint64_t wall_ns, clock_ns;

	if (!take_u32(&s, &version) || version != CLOCK_DATA_VERSION || !take_u32(&s, &clock) || !take_u64(&s, &wall_ns) || !take_u64(&s, &clock_ns))
		return;
	m->has_wall = true;
	m->wall_ns = (int64_t)(wall_ns - clock_ns);
}

int feature_read(struct data_reader *r, unsigned feature, const uint8_t *p, size_t n)
{
	struct data_meta *m = &r->meta;
	struct span s = { p, n, r->in.stream.is_swapped };
	int ret = 0;

	if (feature < sizeof(r->has_features) * CHAR_BIT)
		r->has_features |= 1ull << feature;
	if (feature != FEATURE_TRACING_DATA && feature != FEATURE_BUILD_ID)
		ret = keep(r, feature, p, n);
	if (ret)
		return ret;
	switch (feature) {
	case FEATURE_TRACING_DATA:
		tracing_read(r, p, n);
		return 0;
	case FEATURE_BUILD_ID:
		return read_build_ids(r, s);
	case FEATURE_HOSTNAME:
		return read_text(r, s, &m->hostname);
	case FEATURE_OSRELEASE:
		return read_text(r, s, &m->os_release);
	case FEATURE_VERSION:
		return read_text(r, s, &m->version);
	case FEATURE_ARCH:
		return read_text(r, s, &m->arch);
	case FEATURE_CPUDESC:
		return read_text(r, s, &m->cpu_desc);
	case FEATURE_CMDLINE:
		return read_cmdline(r, s);
	case FEATURE_NRCPUS:
		if (n >= 8) {
			take_u32(&s, &m->nr_cpus_avail);
			take_u32(&s, &m->nr_cpus_online);
		}
		return 0;
	case FEATURE_TOTAL_MEM:
		take_u64(&s, &m->total_mem_kb);
		return 0;
	case FEATURE_SAMPLE_TIME:
		if (n >= 16) {
			take_u64(&s, &m->first_ns);
			take_u64(&s, &m->last_ns);
		}
		return 0;
	case FEATURE_CLOCK_DATA:
		read_clock(m, s);
		return 0;
	case FEATURE_EVENT_DESC:
		read_events(r, s);
		return 0;
	}
	return 0;
}
