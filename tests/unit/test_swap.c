/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One recording in both byte orders, as a file and as a stream: what is read of them is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/unit/test_image.h"

#define BITS_SAMPLE_ID_ALL 18 /* number of the bit in struct perf_event_attr */
#define BITS_FREQ 10
#define ID 77
#define FEATURES 6
#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	      PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | \
	      PERF_SAMPLE_STACK_USER)

/* Writes numbers in one of both orders. */
struct out {
	struct image im;
	bool is_big;
};

static void number(struct out *o, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t byte = (uint8_t)(v >> 8 * (o->is_big ? n - 1 - i : i));

		put(&o->im, &byte, 1);
	}
}

static void words(struct out *o, size_t n, const uint64_t *v)
{
	for (size_t i = 0; i < n; i++)
		number(o, v[i], 8);
}
#define WORDS(o, ...) words(o, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, (const uint64_t[]){ __VA_ARGS__ })

static void halves(struct out *o, uint32_t a, uint32_t b)
{
	number(o, a, 4);
	number(o, b, 4);
}

static void text(struct out *o, const char *s, size_t room)
{
	char padded[64] = "";

	memcpy(padded, s, strlen(s));
	put(&o->im, padded, room);
}

static void head(struct out *o, uint32_t type, uint16_t misc, uint16_t body_bytes)
{
	number(o, type, 4);
	number(o, misc, 2);
	number(o, sizeof(struct perf_event_header) + body_bytes, 2);
}

static uint32_t event_type = PERF_TYPE_SOFTWARE;

static void attr(struct out *o)
{
	static const int bits[] = { BITS_SAMPLE_ID_ALL, BITS_FREQ };
	uint8_t flags[8] = { 0 };

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		flags[bits[i] / 8] |= (uint8_t)(1 << (o->is_big ? 7 - bits[i] % 8 : bits[i] % 8));
	halves(o, event_type, PERF_ATTR_SIZE_VER5);
	WORDS(o, PERF_COUNT_SW_TASK_CLOCK, 1000, TYPE, PERF_FORMAT_ID);
	put(&o->im, flags, sizeof(flags));
	halves(o, 1, 0);
	WORDS(o, 0, 0, PERF_SAMPLE_BRANCH_USER);
	WORDS(o, 1 << 3 | 1 << 5);
	halves(o, 16, 0);
	WORDS(o, 0);
	number(o, 0, 4);
	number(o, 99, 2); /* sample_max_stack */
	number(o, 0, 2);
}

/* sample_id after other records */
static void trailer(struct out *o, uint64_t time_ns)
{
	halves(o, 10, 11);
	WORDS(o, time_ns);
	halves(o, 3, 0);
	WORDS(o, ID);
}
#define TRAILER_BYTES 32

static void records(struct out *o)
{
	head(o, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 8 + 8 + TRAILER_BYTES);
	halves(o, 10, 11);
	text(o, "prog", 8);
	trailer(o, 100);
	head(o, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, MMAP2_PATH_AT - 8 + 16 + TRAILER_BYTES);
	halves(o, 10, 11);
	WORDS(o, 0x400000, 0x1000, 0x2000);
	halves(o, 8, 1);
	WORDS(o, 1234, 5);
	halves(o, 5, 2);
	text(o, "/usr/bin/prog", 16);
	trailer(o, 101);
	head(o, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, MMAP_PATH_AT - 8 + 8 + TRAILER_BYTES);
	halves(o, 10, 11);
	WORDS(o, 0x500000, 0x1000, 0x3000);
	text(o, "/lib/b", 8);
	trailer(o, 102);
	head(o, PERF_RECORD_FORK, 0, 24 + TRAILER_BYTES);
	halves(o, 12, 10);
	halves(o, 13, 11);
	WORDS(o, 103);
	trailer(o, 103);
	head(o, PERF_RECORD_KSYMBOL, 0, 16 + 8 + TRAILER_BYTES);
	WORDS(o, 0xffffffffc0001000);
	number(o, 64, 4);
	number(o, 1, 2);
	number(o, 0, 2);
	text(o, "bpf_x", 8);
	trailer(o, 104);
	head(o, PERF_RECORD_LOST, 0, 16 + TRAILER_BYTES);
	WORDS(o, ID, 9);
	trailer(o, 105);
	head(o, PERF_RECORD_READ, 0, 16 + TRAILER_BYTES);
	halves(o, 10, 11);
	WORDS(o, 4321);
	trailer(o, 105);
	head(o, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 * 29);
	WORDS(o, ID, 0x400100);
	halves(o, 10, 11);
	WORDS(o, 106);
	halves(o, 3, 0);
	WORDS(o, 1000, 5000, ID, 3, PERF_CONTEXT_USER, 0x400100, 0x400200);
	number(o, 12, 4); /* raw */
	text(o, "raw bytes+++", 12);
	WORDS(o, 1, 0x400300, 0x400400, 0);
	WORDS(o, PERF_SAMPLE_REGS_ABI_64, 0x33, 0x55);
	WORDS(o, 24);
	text(o, "the bytes of the stack", 24);
	WORDS(o, 20, 0, 0, 0);
	head(o, RECORD_AUXTRACE_INFO, 0, 16);
	halves(o, 4, 0);
	WORDS(o, 0);
	head(o, RECORD_AUXTRACE, 0, 40);
	WORDS(o, 16, 0, 0);
	halves(o, 0, 0);
	halves(o, 3, 0);
	text(o, "the AUX area", 16);
	head(o, RECORD_FINISHED_ROUND, 0, 0);
}

static void string(struct out *o, const char *s)
{
	number(o, 16, 4);
	text(o, s, 16);
}

/* As perf's tracing data (tools/perf/util/trace-event-info.c): the format of tracepoint 1. */
static const char format[] = "name: our_point\nID: 1\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n";

static void tracing(struct out *o)
{
	uint8_t sizes[2] = { o->is_big, 8 };

	put(&o->im, TRACING_MAGIC, strlen(TRACING_MAGIC));
	put(&o->im, "0.6", 4);
	put(&o->im, sizes, sizeof(sizes));
	number(o, 4096, 4);
	put(&o->im, "header_page", 12);
	number(o, 0, 8);
	put(&o->im, "header_event", 13);
	number(o, 0, 8);
	number(o, 0, 4);
	number(o, 1, 4);
	put(&o->im, "hive", 5);
	number(o, 1, 4);
	number(o, strlen(format), 8);
	put(&o->im, format, strlen(format));
}

/* A feature's place, and its content from there on. */
static size_t features(struct out *o, size_t table)
{
	static const uint8_t build_id[24] = { 1, 2, 3, 4, 5 };
	struct out place = { .is_big = o->is_big }, tracepoints = { .is_big = o->is_big }; /* which come first */
	size_t from = o->im.n;

	for (int f = 0; f < FEATURES; f++) {
		size_t at = o->im.n;

		if (f == 5) {
			tracing(o);
			WORDS(&tracepoints, at, o->im.n - at);
			break;
		}
		if (f == 0) {
			head(o, 0, PERF_RECORD_MISC_USER, 4 + sizeof(build_id) + 16);
			number(o, UINT32_MAX, 4);
			put(&o->im, build_id, sizeof(build_id));
			text(o, "/lib/b", 16);
		} else if (f == 1) {
			string(o, "hive");
		} else if (f == 2) {
			string(o, "s390x");
		} else if (f == 3) {
			halves(o, 8, 4);
		} else {
			halves(o, 1, 8);
			WORDS(o, 0);
			number(o, 1, 4);
			string(o, "our-event");
			WORDS(o, ID);
		}
		WORDS(&place, at, o->im.n - at);
	}
	memcpy(o->im.bytes + table, tracepoints.im.bytes, tracepoints.im.n);
	memcpy(o->im.bytes + table + tracepoints.im.n, place.im.bytes, place.im.n);
	return o->im.n - from;
}
#define FEATURE_BITS (1 << FEATURE_TRACING_DATA | 1 << FEATURE_BUILD_ID | 1 << FEATURE_HOSTNAME | 1 << FEATURE_ARCH | 1 << FEATURE_NRCPUS | 1 << FEATURE_EVENT_DESC)
#define TABLE_BYTES (FEATURES * sizeof(struct file_section))

static void file(struct out *o, bool is_stream)
{
	const size_t attrs = sizeof(struct file_header), ids = attrs + PERF_ATTR_SIZE_VER5 + 16, data = ids + 8;
	struct out end;
	size_t n;

	o->im.n = 0;
	put(&o->im, o->is_big ? FILE_MAGIC_SWAPPED : FILE_MAGIC, FILE_MAGIC_BYTES);
	if (is_stream) {
		WORDS(o, PIPE_HEADER_BYTES);
		head(o, RECORD_HEADER_ATTR, 0, PERF_ATTR_SIZE_VER5 + 8);
		attr(o);
		WORDS(o, ID);
		records(o);
		return;
	}
	end = (struct out){ .is_big = o->is_big };
	records(&end);
	n = end.im.n;
	WORDS(o, attrs, PERF_ATTR_SIZE_VER5 + 16, attrs, PERF_ATTR_SIZE_VER5 + 16, data, n, 0, 0, FEATURE_BITS, 0, 0, 0);
	attr(o);
	WORDS(o, ids, 8, ID);
	put(&o->im, end.im.bytes, n);
	n = o->im.n;
	o->im.n += TABLE_BYTES;
	features(o, n);
}

/* What was read, as text. */
struct seen {
	struct sink sink;
	char said[8192];
	size_t n;
};

#define SAY(s, ...) ((s)->n += (size_t)snprintf((s)->said + (s)->n, sizeof((s)->said) - (s)->n, __VA_ARGS__))

static int say_task(struct sink *sink, const struct task_event *t)
{
	struct seen *s = (struct seen *)sink;

	SAY(s, "task %d %lu: %u %u %u %u cpu %u at %lx %lx %lx prot %x flags %x dev %u:%u ino %lu %lu id %u %02x '%s' '%s'\n", t->what, t->time_ns, t->pid,
	    t->tid, t->ppid, t->ptid, t->cpu, t->addr, t->len, t->pgoff, t->prot, t->flags, t->maj, t->min, t->ino, t->ino_generation,
	    t->build_id_size, t->build_id[0], t->comm ? t->comm : "", t->path ? t->path : "");
	return 0;
}

static int say_sample(struct sink *sink, const struct sample *sample)
{
	struct seen *s = (struct seen *)sink;
	const struct sample_fields *f = sample->fields;
	const struct chain *user = &sample->chains[CHAIN_USER];

	SAY(s, "sample %lu %u %u cpu %u weight %lu ip %lx:", sample->time_ns, sample->pid, sample->tid, sample->cpu, sample->weight, sample->ip);
	for (uint32_t i = 0; i < user->n; i++)
		SAY(s, " %lx", user->ips[i]);
	SAY(s, " raw %u '%.*s' branch %lx regs %lu %lx %lx stack %lu '%.*s'\n", f->raw_bytes, (int)f->raw_bytes, f->raw, get_u64(f->branches),
	    f->user_regs.abi, get_u64(f->user_regs.words), get_u64(f->user_regs.words + 8), f->stack_bytes, (int)f->stack_bytes, f->stack);
	return 0;
}

static int say_lost(struct sink *sink, uint64_t n)
{
	SAY((struct seen *)sink, "lost %lu\n", n);
	return 0;
}

/* Those that no sink gets. */
static int say_record(void *arg, const struct data_record *rec)
{
	struct seen *s = arg;

	if (rec->type == PERF_RECORD_READ)
		SAY(s, "read %u %u %lu\n", get_u32(rec->bytes + 8), get_u32(rec->bytes + 12), get_u64(rec->bytes + 16));
	return 0;
}

static void see(struct seen *s, const struct image *im)
{
	struct data_reader *r;
	struct err err = { 0 };
	const struct data_meta *m;

	*s = (struct seen){ .sink = { .sample = say_sample, .task = say_task, .lost = say_lost } };
	if (open_image(im, &r, &err))
		fail_msg("%s", err.text);
	data_reader_watch(r, say_record, s);
	if (data_reader_run(r, &s->sink, &err))
		fail_msg("%s", err.text);
	m = data_reader_meta(r);
	SAY(s, "aux %s %lu\n", aux_name(m->aux_type), m->aux_bytes);
	SAY(s, "%s %s cpus %u %u event %s skipped %lu cut %d max_stack %u\n", m->hostname ? m->hostname : "-", m->arch ? m->arch : "-", m->nr_cpus_avail,
	    m->nr_cpus_online, m->events[0].name, m->skipped, m->truncated, r->layouts.data[0].max_stack);
	data_reader_close(r);
}

static void both(bool is_stream, struct seen *ret)
{
	static struct out little, big;
	static struct seen swapped;

	little.is_big = false;
	big.is_big = true;
	file(&little, is_stream);
	file(&big, is_stream);
	assert_int_equal(little.im.n, big.im.n);
	assert_memory_not_equal(little.im.bytes, big.im.bytes, little.im.n);
	see(ret, &little.im);
	see(&swapped, &big.im);
	assert_string_equal(swapped.said, ret->said);
}

static void files(void **state)
{
	static struct seen s;

	(void)state;
	both(false, &s);
	assert_non_null(strstr(s.said, "task 2 100: 10 11 0 0 cpu 3"));
	assert_non_null(strstr(s.said, "prot 5 flags 2 dev 8:1 ino 1234 5 id 0 00 '' '/usr/bin/prog'"));
	assert_non_null(strstr(s.said, "id 20 01 '' '/lib/b'"));
	assert_non_null(strstr(s.said, "lost 9"));
	assert_non_null(strstr(s.said, "read 10 11 4321"));
	assert_non_null(strstr(s.said, "aux arm_spe 16\n"));
	assert_non_null(strstr(s.said, "sample 106 10 11 cpu 3 weight 5000 ip 400100: 400100 400200 raw 12 'raw bytes+++' branch 400300 regs 2 33 55 "
				       "stack 20 'the bytes of the sta'"));
	assert_non_null(strstr(s.said, "hive s390x cpus 8 4 event our-event skipped 0 cut 0 max_stack 99"));
}

/* Those of tracepoints, with their names. */
static void formats(void **state)
{
	static struct out big;
	struct data_reader *r;
	struct err err = { 0 };
	const char *text;
	size_t bytes;

	(void)state;
	event_type = PERF_TYPE_TRACEPOINT;
	big.is_big = true;
	file(&big, false);
	event_type = PERF_TYPE_SOFTWARE;
	assert_int_equal(open_image(&big.im, &r, &err), 0);
	assert_true(data_reader_meta(r)->is_swapped);
	text = data_reader_format(r, 0, &bytes);
	assert_non_null(text);
	assert_int_equal(bytes, strlen(format));
	assert_memory_equal(text, format, bytes);
	data_reader_close(r);
}

static void streams(void **state)
{
	static struct seen s;

	(void)state;
	both(true, &s);
	assert_non_null(strstr(s.said, "sample 106 10 11 cpu 3"));
	assert_non_null(strstr(s.said, "skipped 0 cut 0 max_stack 99"));
}

/* Any length that is wrong: nothing is read past the end (the sanitizers see it). */
static void damaged(void **state)
{
	static struct out big, broken;
	static struct seen s;
	int fd = memfd_create("broken", MFD_CLOEXEC);
	struct data_reader *r;

	(void)state;
	big.is_big = true;
	file(&big, true);
	for (size_t i = PIPE_HEADER_BYTES; i < big.im.n; i++) {
		struct err err = { 0 };

		broken = big;
		broken.im.bytes[i] ^= 0xff;
		s = (struct seen){ 0 };
		assert_int_equal(pwrite(fd, broken.im.bytes, broken.im.n, 0), broken.im.n);
		if (data_reader_open_fd(fd, "broken", &r, &err) < 0)
			continue;
		data_reader_run(r, &s.sink, &err);
		data_reader_close(r);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(formats), cmocka_unit_test(streams),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
