/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The feature sections at the end of a perf.data file: in comes the description of machine, command
 * and events, out goes one byte string, the table of sections first.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "data/writer.h"
#include "util/processors.h"

#define BYTES_FIRST 4096u
#define KERNEL_OBJECT "[kernel.kallsyms]"

void buffer_add(struct buffer *b, const void *data, size_t n)
{
	size_t cap = b->cap ? b->cap : BYTES_FIRST;
	uint8_t *p;

	if (b->failed || !n)
		return;
	while (cap - b->n < n)
		cap *= 2;
	if (cap != b->cap) {
		p = realloc(b->data, cap);
		if (!p) {
			b->failed = true;
			return;
		}
		b->data = p;
		b->cap = cap;
	}
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

static void add_u32(struct buffer *b, uint32_t v)
{
	buffer_add(b, &v, sizeof(v));
}

static void add_u64(struct buffer *b, uint64_t v)
{
	buffer_add(b, &v, sizeof(v));
}

/* The bytes of text, then NULs up to a multiple of align, at least one. */
static size_t add_padded(struct buffer *b, const char *text, size_t align)
{
	static const char zeros[FEATURE_STRING_ALIGN];
	size_t n = strlen(text), padded = (n + align) / align * align;

	buffer_add(b, text, n);
	buffer_add(b, zeros, padded - n);
	return padded;
}

static void add_string(struct buffer *b, const char *text)
{
	size_t n = strlen(text) + 1;

	add_u32(b, (uint32_t)((n + FEATURE_STRING_ALIGN - 1) / FEATURE_STRING_ALIGN * FEATURE_STRING_ALIGN));
	add_padded(b, text, FEATURE_STRING_ALIGN);
}

static void add_build_id(struct buffer *b, const struct seen_object *o, const char *path, size_t path_bytes)
{
	static const char zeros[FEATURE_STRING_ALIGN];
	size_t padded = (path_bytes / FEATURE_STRING_ALIGN + 1) * FEATURE_STRING_ALIGN;
	struct perf_event_header h = {
		.type = RECORD_HEADER_BUILD_ID,
		.misc = (uint16_t)(BUILD_ID_MISC_SIZE |
				   (o->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER)),
		.size = (uint16_t)(BUILD_ID_PATH_AT + padded),
	};
	uint8_t id[BUILD_ID_PATH_AT - BUILD_ID_BYTES_AT] = { 0 };

	memcpy(id, o->build_id, BUILD_ID_MAX);
	id[BUILD_ID_SIZE_AT - BUILD_ID_BYTES_AT] = o->build_id_size;
	buffer_add(b, &h, sizeof(h));
	add_u32(b, UINT32_MAX); /* pid -1: of the host */
	buffer_add(b, id, sizeof(id));
	buffer_add(b, path, path_bytes);
	buffer_add(b, zeros, padded - path_bytes);
}

static void add_build_ids(struct buffer *b, const struct feature_input *in)
{
	struct seen_object kernel = { .kernel = true };

	if (in->meta->kernel_build_id_size && in->meta->kernel_build_id_size <= BUILD_ID_MAX) {
		kernel.build_id_size = in->meta->kernel_build_id_size;
		memcpy(kernel.build_id, in->meta->kernel_build_id, kernel.build_id_size);
		add_build_id(b, &kernel, KERNEL_OBJECT, strlen(KERNEL_OBJECT));
	}
	for (size_t i = 0; i < in->nr_objects; i++) {
		const struct seen_object *o = in->objects[i];

		/* The kernel's own id comes from meta, once: its map is called [kernel.kallsyms]_text. */
		if (strncmp(o->path, KERNEL_OBJECT, strlen(KERNEL_OBJECT)))
			add_build_id(b, o, o->path, strlen(o->path));
	}
}

static void add_events(struct buffer *b, const struct feature_input *in)
{
	const struct data_meta *m = in->meta;

	add_u32(b, (uint32_t)m->nr_events);
	add_u32(b, PERF_ATTR_SIZE_VER5);
	for (int i = 0; i < m->nr_events; i++) {
		buffer_add(b, &in->attrs[i], PERF_ATTR_SIZE_VER5);
		add_u32(b, 1); /* ids */
		add_string(b, m->events[i].name);
		add_u64(b, in->ids[i]);
	}
}

static void add_texts(struct buffer *b, const struct processor_texts *list)
{
	add_u32(b, (uint32_t)list->n);
	for (size_t i = 0; i < list->n; i++)
		add_string(b, list->data[i]);
}

/*
 * Lists of the CPUs that share a socket, and a core; core and socket of each CPU; the same of dies. perf takes the padding of a record in a
 * stream for the beginning of the dies, so these are there where the kernel does not name them.
 */
static void add_topology(struct buffer *b, const struct processors *p)
{
	add_texts(b, &p->sockets);
	add_texts(b, &p->cores);
	for (size_t i = 0; i < p->cpus.n; i++) {
		add_u32(b, (uint32_t)p->cpus.data[i].core);
		add_u32(b, (uint32_t)p->cpus.data[i].socket);
	}
	add_texts(b, &p->dies);
	for (size_t i = 0; i < p->cpus.n; i++)
		add_u32(b, (uint32_t)p->cpus.data[i].die);
}

static void add_pmus(struct buffer *b, const struct processors *p)
{
	add_u32(b, (uint32_t)p->pmus.n);
	for (size_t i = 0; i < p->pmus.n; i++) {
		add_u32(b, p->pmus.data[i].type);
		add_string(b, p->pmus.data[i].name);
	}
}

/* How many events there are in the group that begins here; 1: it has no other. */
static uint32_t group_size(const struct data_meta *m, int leader)
{
	uint32_t n = 1;

	while (leader + (int)n < m->nr_events && m->events[leader + n].group_pos > 1)
		n++;
	return n;
}

/* { name, leader, members } each. */
static void add_groups(struct buffer *b, const struct data_meta *m)
{
	uint32_t nr = 0;

	for (int i = 0; i < m->nr_events; i++)
		nr += m->events[i].group_pos == 1 && group_size(m, i) > 1;
	if (!nr)
		return;
	add_u32(b, nr);
	for (int i = 0; i < m->nr_events; i++) {
		if (m->events[i].group_pos != 1 || group_size(m, i) < 2)
			continue;
		add_string(b, NO_GROUP_NAME);
		add_u32(b, (uint32_t)i);
		add_u32(b, group_size(m, i));
	}
}

static void add_name(struct buffer *b, const char *text, size_t n)
{
	buffer_add(b, text, n);
	buffer_add(b, "", 1);
}

static void add_sized(struct buffer *b, struct data_text text)
{
	add_u64(b, text.bytes);
	buffer_add(b, text.text, text.bytes);
}

/*
 * What perf calls tracing data: tools/perf/util/trace-event-info.c, version 0.6. A system may be there more than once: each format is
 * alone in its own.
 */
static void add_tracing(struct buffer *b, const struct data_meta *m)
{
	static const char magic[] = TRACING_MAGIC "0.6";
	const struct data_tracing *t = m->tracing;
	const uint8_t layout[] = { 0, sizeof(long) }; /* little-endian */
	uint32_t nr = 0;

	for (int i = 0; t && i < m->nr_events; i++)
		nr += !!t->formats[i].file.text;
	if (!nr)
		return;
	buffer_add(b, magic, sizeof(magic));
	buffer_add(b, layout, sizeof(layout));
	add_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
	add_name(b, "header_page", strlen("header_page"));
	add_sized(b, t->header_page);
	add_name(b, "header_event", strlen("header_event"));
	add_sized(b, t->header_event);
	add_u32(b, 0); /* formats of ftrace itself */
	add_u32(b, nr);
	for (int i = 0; i < m->nr_events; i++) {
		if (!t->formats[i].file.text)
			continue;
		add_name(b, t->formats[i].name, strcspn(t->formats[i].name, ":"));
		add_u32(b, 1);
		add_sized(b, t->formats[i].file);
	}
	add_u32(b, 0); /* kallsyms */
	add_u32(b, 0); /* formats of trace_printk() */
	add_u64(b, 0); /* names of threads */
}

static void add_text(struct buffer *b, const char *text)
{
	if (text)
		add_string(b, text);
}

/* Adds the content of one section; nothing added means no such section. */
static void add_feature(struct buffer *b, unsigned feature, const struct feature_input *in)
{
	const struct data_meta *m = in->meta;

	switch (feature) {
	case FEATURE_TRACING_DATA:
		return add_tracing(b, m);
	case FEATURE_BUILD_ID:
		return add_build_ids(b, in);
	case FEATURE_HOSTNAME:
		return add_text(b, m->hostname);
	case FEATURE_OSRELEASE:
		return add_text(b, m->os_release);
	case FEATURE_VERSION:
		return add_text(b, m->version);
	case FEATURE_ARCH:
		return add_text(b, m->arch);
	case FEATURE_CPUDESC:
		return add_text(b, m->cpu_desc);
	case FEATURE_CPUID:
		return add_text(b, m->processors && m->processors->cpuid[0] ? m->processors->cpuid : NULL);
	case FEATURE_CPU_TOPOLOGY:
		return m->processors && m->processors->cpus.n == m->nr_cpus_avail ? add_topology(b, m->processors) : (void)0;
	case FEATURE_PMU_MAPPINGS:
		return m->processors && m->processors->pmus.n ? add_pmus(b, m->processors) : (void)0;
	case FEATURE_GROUP_DESC:
		return add_groups(b, m);
	case FEATURE_NRCPUS:
		if (!m->nr_cpus_avail)
			return;
		add_u32(b, m->nr_cpus_avail);
		return add_u32(b, m->nr_cpus_online);
	case FEATURE_TOTAL_MEM:
		return m->total_mem_kb ? add_u64(b, m->total_mem_kb) : (void)0;
	case FEATURE_CMDLINE:
		if (m->argc <= 0)
			return;
		add_u32(b, (uint32_t)m->argc);
		for (int i = 0; i < m->argc; i++)
			add_string(b, m->argv[i]);
		return;
	case FEATURE_EVENT_DESC:
		return add_events(b, in);
	case FEATURE_SAMPLE_TIME:
		if (m->is_stat)
			return;
		add_u64(b, in->first_ns);
		return add_u64(b, in->last_ns);
	case FEATURE_CLOCKID:
		return add_u64(b, in->clock_resolution_ns);
	case FEATURE_COMPRESSED:
		return in->compression ? buffer_add(b, in->compression, sizeof(*in->compression)) : (void)0;
	case FEATURE_CLOCK_DATA:
		add_u32(b, CLOCK_DATA_VERSION);
		add_u32(b, CLOCK_MONOTONIC);
		add_u64(b, in->wall_ns);
		return add_u64(b, in->clock_ns);
	}
}

static void add_record(struct buffer *b, uint32_t type, uint64_t feature, const struct buffer *content)
{
	static const char zeros[RECORD_ALIGN];
	size_t padding = -content->n % RECORD_ALIGN, size = sizeof(struct perf_event_header) + sizeof(feature) + content->n + padding;
	struct perf_event_header h = { .type = type, .size = (uint16_t)size };

	if (size > RECORD_MAX_BYTES) /* a description, which the samples do without */
		return;
	buffer_add(b, &h, sizeof(h));
	add_u64(b, feature);
	buffer_add(b, content->data, content->n);
	buffer_add(b, zeros, padding);
}

/* A record with the size of the data, then the data, padded. */
static void add_tracing_record(struct buffer *b, const struct buffer *content)
{
	static const char zeros[RECORD_ALIGN];
	size_t padding = -content->n % RECORD_ALIGN;
	struct perf_event_header h = { .type = RECORD_HEADER_TRACING_DATA, .size = sizeof(h) + sizeof(uint32_t) };

	buffer_add(b, &h, sizeof(h));
	add_u32(b, (uint32_t)(content->n + padding));
	buffer_add(b, content->data, content->n);
	buffer_add(b, zeros, padding);
}

int features_stream(struct buffer *b, const struct feature_input *in)
{
	for (unsigned f = FEATURE_FIRST; f < FEATURE_MAX; f++) {
		struct buffer content = { 0 };

		if (f == FEATURE_SAMPLE_TIME || f == FEATURE_COMPRESSED)
			continue;
		add_feature(&content, f, in);
		if (f == FEATURE_BUILD_ID) /* these are records as they are */
			buffer_add(b, content.data, content.n);
		else if (f == FEATURE_TRACING_DATA && content.n)
			add_tracing_record(b, &content);
		else if (content.n)
			add_record(b, RECORD_HEADER_FEATURE, f, &content);
		b->failed |= content.failed;
		free(content.data);
	}
	return b->failed ? -ENOMEM : 0;
}

int features_build(struct buffer *b, uint64_t at, const struct feature_input *in, struct file_header *h)
{
	struct file_section table[FEATURE_MAX];
	struct buffer sections = { 0 };
	size_t nr = 0;

	for (unsigned f = FEATURE_FIRST; f < FEATURE_MAX; f++) {
		size_t from = sections.n;

		add_feature(&sections, f, in);
		if (sections.n == from && !(f == FEATURE_STAT && in->meta->is_stat)) /* whose section is empty */
			continue;
		table[nr++] = (struct file_section){ from, sections.n - from };
		h->features[f / 64] |= 1ull << (f % 64);
	}
	/* The table holds one entry per section found, so the offsets are known only now. */
	for (size_t i = 0; i < nr; i++)
		table[i].offset += at + nr * sizeof(*table);
	buffer_add(b, table, nr * sizeof(*table));
	buffer_add(b, sections.data, sections.n);
	if (sections.failed)
		b->failed = true;
	free(sections.data);
	return b->failed ? -ENOMEM : 0;
}
