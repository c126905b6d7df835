/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* pprof's format, there and back; go tool pprof reads the same files in tests/root/pprof.bats. */
#include "pprof/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pprof/wire.h"

static struct strpool *pool;

static struct frame frame(const char *name, const char *obj, uint64_t pos, enum frame_kind kind)
{
	return (struct frame){ .name = strpool_add(pool, name), .obj = strpool_add(pool, obj), .kind = kind, .pos = pos, .addr = pos,
			       .is_kernel = kind == FRAME_KERNEL };
}

static void test_numbers(void **state)
{
	static const uint64_t numbers[] = { 1, 127, 128, 16383, 16384, 1ULL << 32, 1ULL << 63, UINT64_MAX };
	struct wire w = { 0 }, inner = { 0 };
	struct wire_reader r, packed;
	struct wire_field f;
	uint64_t n;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		wire_number(&w, (uint32_t)i + 1, numbers[i]);
	wire_number(&w, 20, 0); /* not written */
	wire_numbers(&w, 3000, numbers, 8);
	wire_bytes(&inner, 1, "text", 4);
	wire_bytes(&w, 21, inner.bytes.data, inner.bytes.n);
	wire_bytes(&w, 22, NULL, 0);
	r = (struct wire_reader){ w.bytes.data, w.bytes.data + w.bytes.n };
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(wire_next(&r, &f), 1);
		assert_int_equal(f.number, i + 1);
		assert_int_equal(f.type, WIRE_VARINT);
		assert_true(f.value == numbers[i]);
	}
	assert_int_equal(wire_next(&r, &f), 1);
	assert_int_equal(f.number, 3000);
	packed = f.bytes;
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(wire_packed(&packed, &n), 1);
		assert_true(n == numbers[i]);
	}
	assert_int_equal(wire_packed(&packed, &n), 0);
	assert_int_equal(wire_next(&r, &f), 1);
	assert_int_equal(f.number, 21);
	packed = f.bytes;
	assert_int_equal(wire_next(&packed, &f), 1);
	assert_memory_equal(f.bytes.p, "text", 4);
	assert_int_equal(wire_next(&r, &f), 1);
	assert_int_equal(f.number, 22);
	assert_ptr_equal(f.bytes.p, f.bytes.end);
	assert_int_equal(wire_next(&r, &f), 0);
	wire_free(&w);
	wire_free(&inner);
}

static void test_bad_numbers(void **state)
{
	static const char *const bad[] = {
		"\x80",				      /* a tag that does not end */
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", /* a number of 11 bytes */
		"\x0a\x05xx",			      /* more bytes than there are */
		"\x0b",				      /* a group */
		"\x0d\x01\x01",			      /* a cut number of 32 bits */
		"\x02\x01x",			      /* field 0 */
	};
	struct wire_reader r;
	struct wire_field f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		r = (struct wire_reader){ bad[i], bad[i] + strlen(bad[i]) };
		assert_true(wire_next(&r, &f) < 0);
	}
}

static uint8_t build_id(void *arg, const char *obj, uint8_t *ret_id)
{
	(void)arg;
	memcpy(ret_id, "\x01\xab", 2);
	return strcmp(obj, "/bin/a") ? 0 : 2;
}

/* A profile of three stacks, of which one is added three times. */
static char *written(size_t *ret_n)
{
	static const char *const comments[] = { "skep flame", "lost: 3  of them", NULL };
	const struct pprof_head head = { .event = "cpu-clock", .unit = "ns", .time_ns = 1700000000000000000ULL, .duration_ns = 5, .period = 1000, .comments = comments };
	const struct pprof_label a[] = { { .key = "comm", .text = "a;\n\"b" }, { .key = "pid", .num = 7 } };
	const struct pprof_label b[] = { { .key = "comm", .text = "a;\n\"b" }, { .key = "pid", .num = 8 } };
	struct frame frames[] = { frame("inner", "/bin/a", 0x10, FRAME_INLINED), frame("outer", "/bin/a", 0x10, FRAME_USER),
				  frame("main", "/bin/a", 0x20, FRAME_USER), frame("sys_read", "[kernel.kallsyms]", 0xffffffff81000000ULL, FRAME_KERNEL),
				  frame("[unknown]", "[unknown]", 0xffffffffc0000000ULL, FRAME_UNKNOWN), frame("[unknown]", "[unknown]", 0x30, FRAME_UNKNOWN),
				  frame("[truncated: too deep]", "", 0, FRAME_MARK) };
	struct pprof_writer *w;
	char *bytes = NULL;
	FILE *out;

	frames[0].file = strpool_add(pool, "a.c");
	frames[0].line = 12;
	frames[4].is_kernel = true; /* of no module */
	assert_int_equal(pprof_writer_new(&w), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pprof_add(w, frames, 3, a, 2, 1, 1000), 0);
	assert_int_equal(pprof_add(w, frames, 3, b, 2, 1, 1000), 0); /* of another process */
	assert_int_equal(pprof_add(w, frames + 3, 4, a, 2, 5, 5000), 0);
	assert_int_equal(pprof_stacks(w), 3);
	out = open_memstream(&bytes, ret_n);
	assert_int_equal(pprof_write(w, &head, build_id, NULL, out), 0);
	fclose(out);
	pprof_writer_free(w);
	return bytes;
}

struct read_all {
	struct pprof_reader *r;
	int samples;
};

static uint32_t frames_of(struct read_all *at, const struct pprof_sample *s, struct frame *ret_frames)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += (uint32_t)pprof_frames(at->r, pool, s->locations[i], ret_frames + n, 8);
	return n;
}

static int check(void *arg, const struct pprof_sample *s)
{
	struct read_all *at = arg;
	struct frame frames[32];
	uint32_t n = frames_of(at, s, frames);
	int i = at->samples++;

	assert_int_equal(s->nr_labels, 2);
	assert_string_equal(s->labels[0].key, "comm");
	assert_string_equal(s->labels[0].text, "a;\n\"b");
	assert_null(s->labels[1].text);
	assert_int_equal(s->labels[1].num, i == 1 ? 8 : 7);
	assert_int_equal(s->values[0], i == 0 ? 3 : i == 1 ? 1 : 5);
	assert_int_equal(s->values[1], s->values[0] * 1000);
	assert_int_equal(n, i == 2 ? 4 : 3);
	assert_int_equal(s->n, i == 2 ? 4 : 2);
	if (i == 2) {
		assert_string_equal(frames[0].obj, "[kernel.kallsyms]");
		assert_int_equal(frames[0].kind, FRAME_KERNEL);
		assert_true(frames[0].is_kernel && frames[0].addr == 0xffffffff81000000ULL);
		assert_true(pprof_in_kernel(at->r, s->locations[0]) && pprof_in_kernel(at->r, s->locations[1]));
		assert_true(!pprof_in_kernel(at->r, s->locations[2]) && !pprof_in_kernel(at->r, s->locations[3]));
		assert_true(frames[1].is_kernel && frames[1].kind == FRAME_UNKNOWN && !frames[2].is_kernel && frames[2].kind == FRAME_UNKNOWN);
		assert_int_equal(frames[3].kind, FRAME_MARK);
		assert_string_equal(frames[3].name, "[truncated: too deep]");
		return 0;
	}
	assert_int_equal(frames[0].kind, FRAME_INLINED);
	assert_string_equal(frames[0].name, "inner");
	assert_string_equal(frames[0].file, "a.c");
	assert_int_equal(frames[0].line, 12);
	assert_int_equal(frames[1].kind, FRAME_USER);
	assert_ptr_equal(frames[1].name, strpool_add(pool, "outer")); /* interned */
	assert_null(frames[1].file);
	assert_int_equal(frames[2].pos, 0x20);
	return 0;
}

static void test_there_and_back(void **state)
{
	struct read_all at = { 0 };
	struct err err = { 0 };
	size_t n;
	char *bytes = written(&n);
	const struct pprof_meta *m;

	(void)state;
	assert_true(pprof_is(bytes, n));
	assert_int_equal(pprof_open("x", bytes, n, &at.r, &err), 0);
	m = pprof_meta(at.r);
	assert_int_equal(m->nr_types, 2);
	assert_int_equal(m->count_type, 0);
	assert_string_equal(m->types[1].name, "cpu");
	assert_string_equal(m->types[1].unit, "nanoseconds");
	assert_true(m->time_ns == 1700000000000000000LL && m->duration_ns == 5 && m->period == 1000);
	assert_int_equal(m->nr_comments, 2);
	assert_string_equal(m->comments[1], "lost: 3  of them");
	assert_int_equal(m->nr_samples, 3);
	assert_int_equal(pprof_each(at.r, check, &at), 0);
	assert_int_equal(at.samples, 3);
	pprof_close(at.r);
}

static int count(void *arg, const struct pprof_sample *s)
{
	struct read_all *at = arg;
	struct frame frames[32];

	if (s->n < 4)
		frames_of(at, s, frames);
	at->samples++;
	return 0;
}

/* The message itself, unpacked by the reader's own means: it is what it takes, too. */
static char *message(size_t *ret_n)
{
	struct wire w = { 0 }, type = { 0 }, sample = { 0 }, location = { 0 };
	const uint64_t ids[] = { 9, 9 }, values[] = { 4 };
	char *bytes;

	wire_number(&type, 1, 1);
	wire_number(&type, 2, 2);
	wire_bytes(&w, 1, type.bytes.data, type.bytes.n);
	wire_numbers(&sample, 1, ids, 2);
	wire_numbers(&sample, 2, values, 1);
	wire_bytes(&w, 2, sample.bytes.data, sample.bytes.n);
	wire_number(&location, 1, 9); /* no function, no mapping */
	wire_number(&location, 3, 0x1234);
	wire_bytes(&w, 4, location.bytes.data, location.bytes.n);
	wire_bytes(&w, 6, "", 0);
	wire_bytes(&w, 6, "alloc_space", 11);
	wire_bytes(&w, 6, "bytes", 5);
	bytes = malloc(w.bytes.n);
	assert_non_null(bytes);
	memcpy(bytes, w.bytes.data, *ret_n = w.bytes.n);
	wire_free(&w);
	wire_free(&type);
	wire_free(&sample);
	wire_free(&location);
	return bytes;
}

static int check_nameless(void *arg, const struct pprof_sample *s)
{
	struct read_all *at = arg;
	struct frame frames[32];

	assert_int_equal(frames_of(at, s, frames), 2);
	assert_string_equal(frames[0].name, "[unknown]");
	assert_int_equal(frames[0].kind, FRAME_UNKNOWN);
	assert_int_equal(frames[0].addr, 0x1234);
	assert_int_equal(s->values[0], 4);
	at->samples++;
	return 0;
}

static void test_others(void **state)
{
	struct read_all at = { 0 };
	struct err err = { 0 };
	size_t n;
	char *bytes = message(&n);

	(void)state;
	assert_int_equal(pprof_open("x", bytes, n, &at.r, &err), 0);
	assert_int_equal(pprof_meta(at.r)->count_type, -1);
	assert_string_equal(pprof_meta(at.r)->types[0].name, "alloc_space");
	assert_int_equal(pprof_each(at.r, check_nameless, &at), 0);
	assert_int_equal(at.samples, 1);
	pprof_close(at.r);
}

/* Each prefix, and each byte changed: an error or fewer samples, never more than that. */
static void test_damaged(void **state)
{
	size_t n, plain;
	char *good = written(&n), *more = message(&plain);

	(void)state;
	for (size_t i = 0; i < 2 * n + 9 * plain; i++) {
		size_t at = i < 2 * n ? i % n : (i - 2 * n) % plain;
		size_t size = i < n ? at : i < 2 * n ? n : i < 2 * n + plain ? at : plain;
		char *bytes = malloc(size + 1);
		struct read_all reading = { 0 };
		struct err err = { 0 };

		assert_non_null(bytes);
		memcpy(bytes, i < 2 * n ? good : more, size);
		if (size > at)
			bytes[at] ^= i < 2 * n ? 0x55 : 1 << i % 8;
		if (pprof_open("x", bytes, size, &reading.r, &err)) {
			assert_true(err.text[0]);
			continue;
		}
		pprof_each(reading.r, count, &reading);
		assert_true(reading.samples <= 3);
		pprof_close(reading.r);
	}
	free(good);
	free(more);
}

static int make_pool(void **state)
{
	(void)state;
	pool = strpool_new();
	return pool ? 0 : -1;
}

static int drop_pool(void **state)
{
	(void)state;
	strpool_free(pool);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_bad_numbers), cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_others),	cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("pprof", tests, make_pool, drop_pool);
}
