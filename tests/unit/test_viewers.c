/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of other programs' viewers against tests/golden/viewers.* (GOLDEN_UPDATE=1 rewrites them: tools/golden.sh), and what no golden
 * file shows: hostile names, many threads, a temporary file that cannot be made, a full disk.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "formats.h"
#include "golden.h"
#include "render/viewers/stacktable.h"
#include "render/viewers/viewer.h"
#include "sample.h"
#include "util/gzfile.h"
#include "util/strands.h"

#define LONG 10000u
#define START_NS 1000000000u

static const struct viewer_event events[] = { { "cpu-clock", "ns", false }, { "sched:sched_switch", "events", true }, { "cycles:u", "cycles", false } };

static uint8_t build_id(void *arg, const char *obj, uint8_t *ret_id)
{
	(void)arg;
	for (uint8_t i = 0; i < BUILD_ID_MAX; i++)
		ret_id[i] = (uint8_t)(i + 1);
	return obj[0] == '/' ? BUILD_ID_MAX : 0;
}

static const struct viewer_cfg cfg = { .events = events, .nr_events = 3, .has_wall = true, .wall_ns = 1700000000000000000, .build_id = build_id };

/* A run into memory: what came out, and how many bytes. */
struct made {
	struct viewer *viewer;
	FILE *out;
	char *text;
	size_t n;
};

static void open_made(struct made *m, const char *format, const struct viewer_cfg *of)
{
	m->text = NULL;
	m->out = open_memstream(&m->text, &m->n);
	m->viewer = viewer_format(format)->open(m->out, of);
	assert_non_null(m->viewer);
}

static void close_made(struct made *m)
{
	struct profile p = { .title = "skep flame -i \"a\" </script>", .event = "cpu-clock", .unit = "ns", .seen = 9, .kept = 8,
			     .duration_ns = 5000000 };

	p.losses[LOSS_RING_FULL] = 1;
	profile_note(&p, "a note \x1b \xff");
	assert_int_equal(viewer_end(m->viewer, &p), 0);
	viewer_free(m->viewer);
	fclose(m->out);
}

static const struct frame main_frame = { .name = "main", .obj = "/bin/a", .file = "a.c", .line = 7, .addr = 0x401010, .pos = 0x1010, .off = 0x10 };
static const struct frame hot_frame = { .name = "hot", .obj = "/bin/a", .addr = 0x402020, .pos = 0x2020, .off = 0x20 };
static const struct frame inlined_frame = { .name = "tiny<int>", .obj = "/bin/a", .kind = FRAME_INLINED, .addr = 0x402020, .pos = 0x2020, .off = 0x20 };
static const struct frame kernel_frame = { .name = "__schedule", .obj = "[kernel.kallsyms]", .kind = FRAME_KERNEL, .is_kernel = true,
					   .addr = 0xffffffff81000010, .off = 0x10 };

struct record_of {
	const char *prev_comm;
	uint32_t prev_pid, next_pid;
	uint64_t prev_state;
};

static void put_fields(void *arg, const struct sample *s, viewer_field_fn *field, void *to)
{
	const struct record_of *r = arg;

	(void)s;
	field(to, &(struct viewer_field){ .name = "prev_comm", .text = r->prev_comm });
	field(to, &(struct viewer_field){ .name = "prev_pid", .num = r->prev_pid, .is_signed = true });
	field(to, &(struct viewer_field){ .name = "prev_state", .num = r->prev_state });
	field(to, &(struct viewer_field){ .name = "next_pid", .num = r->next_pid, .is_signed = true });
	field(to, &(struct viewer_field){ .name = "type", .num = (uint64_t)-1, .is_signed = true });
}

static bool put_json(void *arg, const struct sample *s, struct json *json)
{
	const struct record_of *r = arg;

	(void)s;
	json_key_text(json, "prev_comm", r->prev_comm);
	json_key_u64(json, "next_pid", r->next_pid);
	return true;
}

static int add(struct made *m, const struct sample *s, const char *comm, const struct frame *const *frames, uint32_t n, struct record_of *record)
{
	static struct stack stack;
	struct named named = { .at = s, .comm = comm, .stack = &stack };
	struct viewer_trace trace = { .text = "prev_comm=a ==> next_comm=b", .each = put_fields, .json = put_json, .arg = record };

	stack.n = n;
	for (uint32_t i = 0; i < n; i++)
		stack.frames[i] = *frames[i];
	return viewer_sample(m->viewer, &named, n, record ? &trace : NULL);
}

static struct sample at(uint64_t ns, uint32_t tid, uint16_t event, uint64_t weight)
{
	return (struct sample){ .time_ns = START_NS + ns, .weight = weight, .count = 1, .pid = 10, .tid = tid, .cpu = event == 2 ? 0 : 1, .event = event };
}

/* Two threads of a process: one runs, is switched out for the other, comes back; a sample of another event; a stack that is empty. */
static void fill(struct made *m)
{
	const struct frame *hot[] = { &inlined_frame, &hot_frame, &main_frame }, *out[] = { &kernel_frame, &hot_frame, &main_frame };
	struct record_of first = { "a", 10, 11, 1 }, second = { "b", 11, 10, 0 };
	const struct {
		struct sample s;
		const char *comm;
		const struct frame *const *frames;
		uint32_t n;
		struct record_of *record;
	} all[] = {
		{ at(0, 10, 0, 1000000), "a", hot, 3, NULL },
		{ at(1000010, 10, 0, 1000000), "a", hot + 1, 2, NULL },
		{ at(1500000, 10, 1, 1), "a", out, 3, &first },
		{ at(2000000, 11, 0, 1000000), "b", hot + 1, 2, NULL },
		{ at(2100000, 11, 1, 1), "b", out, 3, &second },
		{ at(2500000, 10, 2, 77), "a", hot, 3, NULL },
		{ at(3000000, 10, 0, 1000000), "renamed", hot, 0, NULL },
		{ at(3100000, 10, 1, 1), "renamed", out, 3, &first },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(add(m, &all[i].s, all[i].comm, all[i].frames, all[i].n, all[i].record), 0);
}

static void json_golden(const char *format, const char *name)
{
	struct made m;

	open_made(&m, format, &cfg);
	fill(&m);
	close_made(&m);
	assert_true(is_json(m.text));
	golden(name, m.text);
	free(m.text);
}

static void speedscope(void **state)
{
	(void)state;
	json_golden("speedscope", "viewers.speedscope.json");
}

static void firefox(void **state)
{
	(void)state;
	json_golden("gecko", "viewers.firefox.json");
}

static void chrome(void **state)
{
	(void)state;
	json_golden("chrome", "viewers.chrome.json");
}

/* A message as lines; bytes that are a message themselves are taken for one. */
static void dump(FILE *to, struct wire_reader message, int depth)
{
	struct wire_field f;

	while (wire_next(&message, &f) > 0) {
		struct wire_reader probe = f.bytes;
		struct wire_field inner;
		int ret;

		fprintf(to, "%*s%u", 2 * depth, "", f.number);
		if (f.type != WIRE_BYTES) {
			fprintf(to, ": %" PRIu64 "\n", f.value);
			continue;
		}
		while ((ret = wire_next(&probe, &inner)) > 0)
			;
		fputs(ret ? ": \"" : " {\n", to);
		if (ret) {
			for (const char *p = f.bytes.p; p < f.bytes.end; p++)
				fprintf(to, *p >= ' ' && *p <= '~' ? "%c" : "\\x%02x", (unsigned char)*p);
		} else {
			dump(to, f.bytes, depth + 1);
		}
		fprintf(to, ret ? "\"\n" : "%*s}\n", 2 * depth, "");
	}
}

/* The file as lines; free() it. */
static char *dumped(const struct made *m)
{
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	dump(to, (struct wire_reader){ m->text, m->text + m->n }, 0);
	fclose(to);
	return text;
}

static void perfetto(void **state)
{
	static struct trace_seen seen;
	struct made m;
	char *text;

	(void)state;
	open_made(&m, "perfetto", &cfg);
	fill(&m);
	close_made(&m);
	assert_true(is_trace(m.text, m.n, &seen));
	assert_int_equal(seen.samples, 8);
	assert_int_equal(seen.events, 4); /* and the ledger */
	assert_int_equal(seen.switches, 3);
	assert_int_equal(seen.clocks, 1);
	assert_int_equal(seen.tracks, 5); /* a process, two threads, and the names that both get later */
	text = dumped(&m);
	golden("viewers.perfetto.txt", text);
	free(text);
	free(m.text);
}

/* What has no thread, such as a sample of the moment that one ends, has -1: as the int32 of a track in 64 bits, as the uint32 of a sample in 32. */
static void perfetto_no_thread(void **state)
{
	const struct frame *hot[] = { &hot_frame, &main_frame };
	struct sample s = at(0, UINT32_MAX, 0, 1000000);
	struct made m;
	char *text;

	(void)state;
	s.pid = UINT32_MAX;
	open_made(&m, "perfetto", &cfg);
	assert_int_equal(add(&m, &s, "a", hot, 2, NULL), 0);
	close_made(&m);
	text = dumped(&m);
	assert_non_null(strstr(text, "    3 {\n      1: 18446744073709551615\n      6: \"a\"\n"));
	assert_non_null(strstr(text, "    4 {\n      1: 18446744073709551615\n      2: 18446744073709551615\n      5: \"a\"\n"));
	assert_non_null(strstr(text, "    2: 4294967295\n    3: 4294967295\n"));
	free(text);
	free(m.text);
}

/* Names that end what they are in, break lines, reorder text, are not UTF-8, or are very long. */
static void hostile(void **state)
{
	static const char *const formats[] = { "speedscope", "firefox", "chrome", "perfetto" };
	static char longest[LONG + 1];
	static struct trace_seen seen;
	const char *const names[] = { "</script>", "\"quoted\\\"",
				      "a\n\r\t\x01\x1b[31m\x7f", "\xff\xfe\xc0\xaf\xed\xa0\x80", "\xe2\x80\xae" "reversed\xe2\x80\xa8", "", "\xc3", longest };

	(void)state;
	memset(longest, 'x', LONG);
	longest[LONG - 1] = '\xe2';
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct made m;

		open_made(&m, formats[i], &cfg);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			struct frame f = { .name = names[k], .obj = names[k], .file = names[k], .line = UINT32_MAX, .kind = (uint16_t)(k % 6),
					   .pos = UINT64_MAX, .off = 1 };
			const struct frame *stack[] = { &f, &f };
			struct record_of record = { names[k], UINT32_MAX, UINT32_MAX, UINT64_MAX };
			struct sample s = { .time_ns = k % 2 ? UINT64_MAX : 5, .weight = UINT64_MAX, .count = UINT64_MAX, .pid = UINT32_MAX, .tid = (uint32_t)k,
					    .cpu = UINT32_MAX, .event = k % 3 };

			assert_int_equal(add(&m, &s, names[k], stack, 2, k % 3 == 1 ? &record : NULL), 0);
		}
		close_made(&m);
		if (!strcmp(formats[i], "perfetto"))
			assert_true(is_trace(m.text, m.n, &seen));
		else
			assert_true(is_json(m.text));
		free(m.text);
	}
}

/* Sums have no times: each stands after the one before. */
static void sums(void **state)
{
	const struct frame *hot[] = { &hot_frame, &main_frame };
	struct viewer_cfg of = cfg;
	struct made m;

	(void)state;
	of.is_sum = true;
	open_made(&m, "firefox", &of);
	assert_int_equal(add(&m, &(struct sample){ .weight = 3000000, .count = 3, .pid = 10 }, "a", hot, 2, NULL), 0);
	assert_int_equal(add(&m, &(struct sample){ .weight = 2000000, .count = 2, .pid = 10 }, "a", hot + 1, 1, NULL), 0);
	assert_int_equal(add(&m, &(struct sample){ .weight = 1000000, .count = 1, .pid = 10 }, "other", hot, 2, NULL), 0);
	close_made(&m);
	assert_true(is_json(m.text));
	assert_non_null(strstr(m.text, "\"time\":[0.000000,3.000000],\"weight\":[3.000000,2.000000]"));
	assert_non_null(strstr(m.text, "\"time\":[0.000000],\"weight\":[1.000000]"));
	free(m.text);
}

static void full_disk(void **state)
{
	static const char *const formats[] = { "speedscope", "firefox", "chrome", "perfetto" };
	struct profile p = { .title = "x" };

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct made m = { .out = fopen("/dev/full", "w") };

		assert_non_null(m.out);
		setvbuf(m.out, NULL, _IONBF, 0);
		m.viewer = viewer_format(formats[i])->open(m.out, &cfg);
		assert_non_null(m.viewer);
		add(&m, &(struct sample){ .time_ns = 5, .weight = 1, .count = 1 }, "a", NULL, 0, NULL);
		assert_int_equal(viewer_end(m.viewer, &p), -EIO);
		viewer_free(m.viewer);
		fclose(m.out);
	}
}

/* Streams that grow in turn, beyond what is kept in memory, are read as they were written. */
static void strands(void **state)
{
	struct strands s = { 0 };
	struct err err = { 0 };
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(strands_add(&s), i);
	for (uint32_t i = 0; i < 70000; i++)
		assert_int_equal(strands_put(&s, i % 6, &i, 1 + i % 4, &err), 0);
	assert_true(s.nr_blocks > 30);
	for (uint32_t k = 0; k < 7; k++) {
		struct strand_reader r = { .of = &s, .strand = k };
		uint32_t got;

		for (uint32_t i = k; i < 70000 && k < 6; i += 6, n++) {
			got = i;
			memset(&got, 0, 1 + i % 4);
			assert_int_equal(strand_read(&r, &got, 1 + i % 4), 1);
			assert_int_equal(got, i);
		}
		assert_int_equal(strand_read(&r, &got, 1), 0);
		assert_int_equal(r.failed, 0);
	}
	assert_int_equal(n, 70000);
	strands_free(&s);
}

static void no_temporary_file(void **state)
{
	struct strands s = { 0 };
	struct err err = { 0 };
	char bytes[STRANDS_BLOCK] = "";
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;

	(void)state;
	assert_int_equal(strands_add(&s), 0);
	setenv("TMPDIR", "/proc/self", 1);
	assert_true(strands_put(&s, 0, bytes, sizeof(bytes), &err) < 0);
	assert_non_null(strstr(err.text, "cannot write a temporary file in '/proc/self'"));
	assert_non_null(strstr(err.hint, "TMPDIR"));
	strands_free(&s);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

/* Equal paths are one node; a path that ends within another is one of its nodes. */
static void stacks(void **state)
{
	const struct frame deep[] = { inlined_frame, hot_frame, main_frame };
	struct stacktable t = { 0 };
	struct stack_path path = { 0 };
	int64_t whole, caller, other;

	(void)state;
	assert_int_equal(stacktable_add(&t, deep, 0), STACK_NONE);
	whole = stacktable_add(&t, deep, 3);
	caller = stacktable_add(&t, deep + 1, 2);
	other = stacktable_add(&t, &deep[1], 1);
	assert_int_equal(stacktable_add(&t, deep, 3), whole);
	assert_int_equal(stacktable_add(&t, deep + 1, 2), caller);
	assert_int_equal(t.nodes.data[whole].parent, caller);
	assert_int_equal(t.nodes.data[other].parent, STACK_NONE);
	assert_int_equal(t.frames.n, 3);
	assert_int_equal(stacktable_path(&t, (uint32_t)whole, &path), 3);
	assert_string_equal(t.frames.data[path.frames.data[0]].name, "main");
	assert_string_equal(t.frames.data[path.frames.data[2]].name, "tiny<int>");
	assert_int_equal(t.frames.data[path.frames.data[2]].depth, 1);
	assert_int_equal(t.frames.data[path.frames.data[1]].pos, 0x2000);
	vec_free(&path.frames);
	stacktable_free(&t);
}

static void packed(void **state)
{
	char *text = NULL, *bytes = calloc(1, 1u << 20), *back = malloc(1u << 20);
	size_t n;
	FILE *to = open_memstream(&text, &n), *gz = gzfile_open(to);
	z_stream z = { 0 };

	(void)state;
	for (size_t i = 0; i < 1u << 20; i++)
		bytes[i] = (char)(i * i >> 7);
	assert_non_null(gz);
	assert_int_equal(fwrite(bytes, 1, 1u << 20, gz), 1u << 20);
	assert_int_equal(fclose(gz), 0);
	fclose(to);
	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	z.next_in = (Bytef *)text;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)back;
	z.avail_out = 1u << 20;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_memory_equal(back, bytes, 1u << 20);
	inflateEnd(&z);
	free(bytes);
	free(back);
	free(text);
	to = fopen("/dev/full", "w");
	setvbuf(to, NULL, _IONBF, 0);
	gz = gzfile_open(to);
	fputs("x", gz);
	assert_int_not_equal(fclose(gz), 0);
	fclose(to);
}

static void endings(void **state)
{
	static const struct {
		const char *path, *name;
		bool is_gz;
	} all[] = {
		{ "a.speedscope.json", "speedscope", false }, { "/x/a.firefox.json.gz", "firefox", true }, { "a.trace.json", "chrome", false },
		{ "a.chrome.json", "chrome", false }, { "a.pftrace", "perfetto", false }, { "a.perfetto-trace.gz", "perfetto", true },
		{ "a.json", NULL, false }, { ".pftrace", NULL, false }, { "a.pb.gz", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool is_gz;
		const struct viewer_format *f = viewer_format_of(all[i].path, &is_gz);

		assert_int_equal(!f, !all[i].name);
		assert_int_equal(is_gz, all[i].is_gz);
		if (f)
			assert_string_equal(f->name, all[i].name);
	}
	assert_null(viewer_format("html"));
	assert_true(viewer_is_switch("sched:sched_switch:u"));
	assert_false(viewer_is_switch("sched:sched_switch_more"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speedscope), cmocka_unit_test(firefox), cmocka_unit_test(chrome), cmocka_unit_test(perfetto),
		cmocka_unit_test(perfetto_no_thread),
		cmocka_unit_test(hostile), cmocka_unit_test(sums), cmocka_unit_test(full_disk), cmocka_unit_test(strands),
		cmocka_unit_test(no_temporary_file), cmocka_unit_test(stacks), cmocka_unit_test(packed), cmocka_unit_test(endings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
