/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Print formats of tracepoints, as kernels write them, over records whose fields are known; and such as no kernel writes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "event/format.h"
#include "event/printfmt.h"
#include "event/record.h"

static const char fields[] = "name: x\nID: 7\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n"
			     "\tfield:int ret;\toffset:12;\tsize:4;\tsigned:1;\n"
			     "\tfield:unsigned long flags;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
			     "\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"
			     "\tfield:__rel_loc u32[] list;\toffset:44;\tsize:4;\tsigned:0;\n"
			     "\tfield:__u8 addr[4];\toffset:48;\tsize:4;\tsigned:0;\n"
			     "\tfield:dev_t dev;\toffset:52;\tsize:4;\tsigned:0;\n"
			     "\tfield:void * ptr;\toffset:56;\tsize:8;\tsigned:0;\n"
			     "\tfield:short delta;\toffset:64;\tsize:2;\tsigned:1;\n"
			     "\tfield:struct in6_addr six;\toffset:66;\tsize:16;\tsigned:0;\n"
			     "\nprint fmt: ";

struct __attribute__((packed)) rec {
	uint64_t common;
	uint32_t vec;
	int32_t ret;
	uint64_t flags;
	char comm[16];
	uint32_t name, list;
	uint8_t addr[4];
	uint32_t dev;
	uint64_t ptr;
	int16_t delta;
	uint8_t six[16];
	char text[6];
	uint32_t numbers[2];
};

static const struct rec rec = {
	.vec = 7, .ret = -11, .flags = 0x8000000000000005, .comm = "swapper/0", .name = 6 << 16 | offsetof(struct rec, text),
	.list = 8 << 16 | (offsetof(struct rec, numbers) - 48), .addr = { 10, 0, 0, 1 }, .dev = 8 << 20 | 17, .ptr = 0xffffffff81000010, .delta = -3,
	.six = { 0x20, 1, [15] = 1 }, .text = "hello", .numbers = { 3, 70000 },
};

static const char *symbol(void *arg, uint64_t addr, char *buf, size_t size)
{
	(void)arg;
	snprintf(buf, size, "schedule+0x%x/0x20", (unsigned)(addr & 0xff));
	return addr >> 63 ? buf : NULL;
}

static int load(const char *print, struct format *ret_format, struct printfmt **ret_print)
{
	char *text = NULL;
	int ret;

	*ret_print = NULL;
	assert_true(asprintf(&text, "%s%s\n", fields, print) > 0);
	ret = format_parse(text, strlen(text), ret_format);
	free(text);
	assert_int_equal(ret, 0);
	assert_string_equal(ret_format->print, print);
	return printfmt_parse(ret_format->print, ret_format, ret_print);
}

static const struct {
	const char *print, *text;
} rows[] = {
	{ "\"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, { 7, \"SCHED\" })", "vec=7 [action=SCHED]" },
	{ "\"%s\", __print_symbolic(REC->vec, { 0, \"HI\" }, { -1, ((void *)0) })", "0x7" },
	{ "\"%s\", __print_symbolic(REC->vec, { NO_SUCH_ENUM, \"HI\" }, { 7, \"x\" \"y\" })", "xy" },
	{ "\"%d %u %x %#x %lx %lld %5d|%-5d|%05d|%+d|%.3d\", REC->ret, REC->ret, REC->ret, REC->vec, REC->flags, (long long)REC->ret, REC->vec, REC->vec, "
	  "REC->vec, REC->vec, REC->vec",
	  "-11 4294967285 fffffff5 0x7 8000000000000005 -11     7|7    |00007|+7|007" },
	{ "\"%s|%10s|%-10s|%.3s|%.*s|%c%%\", REC->comm, __get_str(name), __get_str(name), __get_str(name), 2, __get_str(name), 'x'",
	  "swapper/0|     hello|hello     |hel|he|x%" },
	{ "\"%d,%d %llu\", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), (unsigned long long)REC->vec", "8,17 7" },
	{ "\"%s%s\", REC->flags & ((((0x00 | 0x01) + 1) << 1) - 1) ? __print_flags(REC->flags & 3, \"|\", { 0x1, \"S\" }, { 0x2, \"D\" }) : \"R\", "
	  "REC->flags & 0x100 ? \"+\" : \"\"",
	  "S" },
	{ "\"%s\", __print_flags(REC->flags, \"|\", { (unsigned long)(1UL << 0), \"ONE\" }, { (( gfp_t)4), \"FOUR\" })", "ONE|FOUR|0x8000000000000000" },
	{ "\"%s %s\", __print_flags(REC->vec & 8, \"|\", { 1, \"A\" }), REC->delta < 0 ? \"neg\" : \"pos\"", " neg" },
	{ "\"%pI4 %pI6c %pI6 %d\", REC->addr, &REC->six, &REC->six, REC->addr[3]", "10.0.0.1 2001::1 2001:0000:0000:0000:0000:0000:0000:0001 1" },
	{ "\"%s %d %d %d\", __print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / sizeof(u32), sizeof(u32)), "
	  "((u32 *)__get_rel_dynamic_array(list))[1], *(u32 *)__get_dynamic_array(list), ((u32 *)__get_rel_dynamic_array(list))[2]",
	  "{0x3,0x11170} 70000 3 0" },
	{ "\"%s %s\", __print_hex(REC->addr, 4), __print_hex_str(REC->addr, 100)", "0a 00 00 01 0a000001" },
	{ "\"%p %ps %pS %pK\", REC->ptr, (void *)REC->ptr, REC->ptr, REC->vec", "0xffffffff81000010 schedule schedule+0x10/0x20 0x7" },
	{ "\"%p|%p|%pS|%8pK|\", REC->ret == 3 ? REC->ptr : ((void *)0), 0, 0, 0", "(nil)|(nil)|0x0|   (nil)|" },
	{ "\"page=%p vec=%d \", REC->vec != -1UL ? (((struct page *)vmemmap_base) + (REC->vec)) : ((void *)0), REC->vec", "page=? vec=7 " },
	{ "\"%ld %lu %d\", -1UL >> 60, ~0UL, -7 / 2 * 2 + 1", "15 18446744073709551615 -5" },
	{ "\"%d %d %d %d\", REC->vec / 0, REC->ret % -1, REC->vec == 7 && REC->ret != 0, !REC->vec", "0 0 1 0" },
	{ "\"%s\", __builtin_expect(!!((unsigned long)(void *)(REC->flags) >= (unsigned long)-4095), 0) ? \"err\" : \"ok\"", "ok" },
	{ "\"%*pbl %*pb %s\", 32, REC->addr, 32, REC->addr, __get_bitmask(list)", "1,3,24 0100000a 00011170,00000003" },
	{ "\"a\\n\tb\" \"c %s\", (REC->vec ? (const char *)\"yes\" : \"no\")", "a\n\tbc yes" },
	{ "\"%hhx %hx\", REC->flags + 0x1ff, REC->ret", "4 fff5" },
	{ "\"%s|%s\", REC->ptr, ((void *)0)", "0xffffffff81000010|(null)" },
};

static void test_text(void **state)
{
	const struct printfmt_names names = { symbol, NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct printfmt *p;
		struct format f;
		char text[256];

		if (load(rows[i].print, &f, &p))
			fail_msg("refused: %s", rows[i].print);
		assert_int_equal(printfmt_text(p, &rec, sizeof(rec), &names, text, sizeof(text)), strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
		/* A record that ends anywhere, and a small buffer */
		for (size_t n = 0; n < sizeof(rec); n++) {
			char *part = malloc(n + 1);

			memcpy(part, &rec, n);
			assert_in_range(printfmt_text(p, part, n, NULL, text, n % 32 + 1), 0, n % 32);
			free(part);
		}
		printfmt_free(p);
		format_free(&f);
	}
}

/* Texts of flags beyond the room that a record has for them */
static void test_full(void **state)
{
	char print[20000] = "\"", text[8192];
	struct printfmt *p;
	struct format f;

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(print, "%s");
	strcat(print, "\"");
	for (int i = 0; i < 60; i++)
		strcat(print, i % 2 ? ", __print_flags(0, \"|\", { 1, \"A\" })" : ", __print_flags(REC->vec, \"|\", { 7, \"0123456789012345678901234567890123456789"
			       "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\" })");
	assert_int_equal(load(print, &f, &p), 0);
	assert_in_range(printfmt_text(p, &rec, sizeof(rec), NULL, text, sizeof(text)), 2048, 4096 + 150);
	printfmt_free(p);
	format_free(&f);
}

/* What is not understood is refused, so that the fields are shown by name. */
static void test_refused(void **state)
{
	static const char *const prints[] = {
		"vec", "\"%d\"", "\"%d\", REC->vec, REC->vec", "\"%d\", REC->nosuch", "\"%d\", jiffies_to_msecs(REC->vec)", "\"%d\", HZ", "\"%d %d\", HZ, HZ + REC->vec",
		"\"%d\", ({ int x = 1; x; })", "\"%d\", (foo_t)(REC->vec)", "\"%d\", REC->vec +", "\"%d\", (REC->vec", "\"%f\", REC->vec", "\"%n\", REC->vec",
		"\"%pV\", REC->ptr", "\"%d", "\"%d\", __get_str(vec)", "\"%d\", REC->common_pid", "\"%\", 1", "\"%s\", __print_symbolic(REC->vec, { 0 })",
		"\"%d\", 99999999999999999999999", "\"%d\", 1x", "\"%hhhd\", 1", "\"%d\", &(REC->vec + 1)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(prints) / sizeof(*prints); i++) {
		struct printfmt *p;
		struct format f;

		if (!load(prints[i], &f, &p))
			fail_msg("taken: %s", prints[i]);
		format_free(&f);
	}
}

/* Bounded: nesting, length, number of arguments. */
static void test_deep(void **state)
{
	char text[20000] = "\"%d\", ";
	struct printfmt *p;
	struct format f;

	(void)state;
	memset(text + 6, '(', 5000);
	assert_int_equal(load(text, &f, &p), -EINVAL);
	format_free(&f);
	memset(text + 6, '!', 19000);
	assert_int_equal(load(text, &f, &p), -EINVAL);
	format_free(&f);
	strcpy(text, "\"\"");
	for (int i = 0; i < 100; i++)
		strcat(text, ", 1");
	assert_int_equal(load(text, &f, &p), -EINVAL);
	format_free(&f);
}

static void test_record(void **state)
{
	struct printfmt *p;
	struct format f;
	struct record r = { &f, &rec, sizeof(rec), false };
	char text[512], *json = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&json, &size);
	struct json j;

	(void)state;
	assert_int_equal(load("\"\"", &f, &p), 0);
	printfmt_free(p);
	record_text(&r, text, sizeof(text));
	assert_string_equal(text, "vec=7, ret=-11, flags=9223372036854775813, comm=\"swapper/0\", name=\"hello\", list={3,70000}, addr={10,0,0,1}, dev=8:17, "
				  "ptr=0xffffffff81000010, delta=-3, six=20010000000000000000000000000001");
	json_begin(&j, out);
	json_object(&j);
	record_json(&r, &j);
	json_object_end(&j);
	fclose(out);
	assert_string_equal(json, "{\"vec\":7,\"ret\":-11,\"flags\":9223372036854775813,\"comm\":\"swapper/0\",\"name\":\"hello\",\"list\":[3,70000],"
				  "\"addr\":[10,0,0,1],\"dev\":\"8:17\",\"ptr\":\"0xffffffff81000010\",\"delta\":-3,\"six\":\"20010000000000000000000000000001\"}");
	free(json);
	for (size_t n = 0; n < sizeof(rec); n++) {
		char *part = malloc(n + 1);

		memcpy(part, &rec, n);
		r.bytes = part;
		r.nr_bytes = n;
		assert_in_range(record_text(&r, text, n % 64 + 1), 0, n % 64);
		free(part);
	}
	format_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
