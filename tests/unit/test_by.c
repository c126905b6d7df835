/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys of --by: their text, format files of tracefs as kernels write them, the places of fields. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bpf/eventsby.h"
#include "bpf/target.h"
#include "capture/base.h"
#include "capture/rows.h"
#include "event/format.h"
#include "event/keys.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char block[] = "name: block_rq_issue\nID: 2104\n" COMMON
			    "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
			    "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
			    "\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n"
			    "\tfield:char comm[TASK_COMM_LEN];\toffset:44;\tsize:16;\tsigned:0;\n"
			    "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n"
			    "\tfield:__rel_loc char[] rel;\toffset:64;\tsize:4;\tsigned:0;\n"
			    "\tfield:u8 raw[4];\toffset:68;\tsize:4;\tsigned:0;\n"
			    "\tfield:const struct sock * sk;\toffset:72;\tsize:8;\tsigned:0;\n"
			    "\tfield:short delta;\toffset:80;\tsize:2;\tsigned:1;\n"
			    "\tfield:struct in6_addr addr;\toffset:84;\tsize:16;\tsigned:0;\n"
			    "\nprint fmt: \"%d,%d field:u8 x;\", ((unsigned int) ((REC->dev) >> 20))\n";

static const char call[] = "name: sys_enter_close\nID: 776\n" COMMON
			   "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
			   "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
			   "\tfield:int dfd;\toffset:24;\tsize:8;\tsigned:0;\n"
			   "\tfield:const char * filename;\toffset:32;\tsize:8;\tsigned:0;\n"
			   "\tfield:__data_loc char[] __filename_val;\toffset:40;\tsize:4;\tsigned:0;\n";

static const struct format_field *field(const struct format *f, const char *name)
{
	const struct format_field *found = format_find(f, name, strlen(name));

	assert_non_null(found);
	return found;
}

static void test_format(void **state)
{
	struct format f;

	(void)state;
	assert_int_equal(format_parse(block, strlen(block), &f), 0);
	assert_int_equal(f.id, 2104);
	assert_int_equal(f.fields.n, 10);
	assert_string_equal(field(&f, "dev")->type, "dev_t");
	assert_int_equal(field(&f, "sector")->offset, 16);
	assert_int_equal(field(&f, "sector")->size, 8);
	assert_string_equal(field(&f, "rwbs")->array, "[10]");
	assert_string_equal(field(&f, "comm")->type, "char");
	assert_int_equal(field(&f, "comm")->size, 16);
	assert_int_equal(field(&f, "cmd")->where, FORMAT_DATA_LOC);
	assert_string_equal(field(&f, "cmd")->array, "[]");
	assert_string_equal(field(&f, "cmd")->type, "char");
	assert_int_equal(field(&f, "rel")->where, FORMAT_REL_LOC);
	assert_string_equal(field(&f, "sk")->type, "const struct sock *");
	assert_true(field(&f, "delta")->is_signed);
	assert_null(format_find(&f, "common_pid", 10));
	assert_null(format_find(&f, "x", 1));
	format_free(&f);
}

/* The same record in the other byte order. */
static void test_format_swap(void **state)
{
	static const char text[] = "name: x\nID: 1\nformat:\n\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:char b[4];\toffset:12;\tsize:4;\tsigned:1;\n"
				   "\tfield:u16 c[2];\toffset:16;\tsize:4;\tsigned:0;\n\tfield:__data_loc u64[] d;\toffset:20;\tsize:4;\tsigned:0;\n"
				   "\tfield:u64 e;\toffset:60;\tsize:8;\tsigned:0;\n";
	uint8_t bytes[] = { 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 1, 2, 'a', 'b', 'c', 'd', 1, 2, 3, 4, 0, 16, 0, 24,
			    1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 7 };
	static const uint8_t want[] = { 9, 9, 9, 9, 9, 9, 9, 9, 2, 1, 0, 0, 'a', 'b', 'c', 'd', 2, 1, 4, 3, 24, 0, 16, 0,
					8, 7, 6, 5, 4, 3, 2, 1, 7, 0, 0, 0, 0, 0, 0, 0 };
	struct format f;

	(void)state;
	assert_int_equal(format_parse(text, strlen(text), &f), 0);
	assert_int_equal(f.fields.n, 5);
	format_swap(&f, bytes, sizeof(bytes));
	assert_memory_equal(bytes, want, sizeof(want));
	for (size_t n = 0; n < sizeof(bytes); n++) { /* cut: nothing beyond its end */
		uint8_t *cut = malloc(n ? n : 1);

		assert_non_null(cut);
		memset(cut, 0xff, n);
		format_swap(&f, cut, n);
		free(cut);
	}
	format_free(&f);
}

/* What no kernel writes, and a file cut anywhere. */
static void test_format_bad(void **state)
{
	static const char *const bad[] = {
		"\tfield:int a;\toffset:70000;\tsize:4;\tsigned:0;\n", "\tfield:int a;\toffset:65535;\tsize:4;\n",
		"\tfield:int a;\toffset:;\tsize:4;\n", "\tfield:int a;\tsize:4;\n", "\tfield:;\toffset:8;\tsize:4;\n", "\tfield:]", "\tfield:];offset:1;size:1;",
		"field", "\tfield:int a\toffset:8\tsize:4\n", "\tfield:int a;\toffset:99999999999999999999;\tsize:4;\n",
	};
	struct format f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(format_parse(bad[i], strlen(bad[i]), &f), 0);
		assert_int_equal(f.fields.n, 0);
		format_free(&f);
	}
	for (size_t n = 0; n < sizeof(block); n++) {
		assert_int_equal(format_parse(block, n, &f), 0);
		format_free(&f);
	}
}

static void place(const char *text, const char *name, int offset, int bytes, int how, int kind)
{
	struct field_place p;
	struct format f;

	assert_int_equal(format_parse(text, strlen(text), &f), 0);
	assert_null(field_place_of(field(&f, name), text == call, &p));
	assert_int_equal(p.offset, offset);
	assert_int_equal(p.bytes, bytes);
	assert_int_equal(p.how, how);
	assert_int_equal(p.kind, kind);
	format_free(&f);
}

static void no_place(const char *text, const char *name)
{
	struct field_place p;
	struct format f;

	assert_int_equal(format_parse(text, strlen(text), &f), 0);
	assert_non_null(field_place_of(field(&f, name), text == call, &p));
	format_free(&f);
}

static void test_places(void **state)
{
	(void)state;
	place(block, "dev", 8, 4, EVENTSBY_PLAIN, FIELD_DEVICE);
	place(block, "sector", 16, 8, EVENTSBY_PLAIN, FIELD_UNSIGNED);
	place(block, "rwbs", 34, 11, EVENTSBY_PLAIN, FIELD_TEXT);
	place(block, "cmd", 60, BY_TEXT_MAX, EVENTSBY_DATA_LOC, FIELD_TEXT);
	place(block, "rel", 64, BY_TEXT_MAX, EVENTSBY_REL_LOC, FIELD_TEXT);
	place(block, "sk", 72, 8, EVENTSBY_PLAIN, FIELD_ADDRESS);
	place(block, "delta", 80, 2, EVENTSBY_PLAIN, FIELD_SIGNED);
	no_place(block, "raw");
	no_place(block, "addr");
	place(call, "__syscall_nr", 8, 4, EVENTSBY_PLAIN, FIELD_SIGNED);
	place(call, "fd", 16, 4, EVENTSBY_PLAIN, FIELD_UNSIGNED);
	place(call, "dfd", 24, 4, EVENTSBY_PLAIN, FIELD_SIGNED);
	place(call, "filename", 32, 8, EVENTSBY_PLAIN, FIELD_ADDRESS);
	no_place(call, "__filename_val");
}

static int parse(const char *text, struct keys *k, struct err *err)
{
	const struct columns_other fields = keys_fields(k);

	*k = (struct keys){ 0 };
	return rows_parse_by(text, ROWS_BY_ALL, &fields, &k->by, err);
}

static void refused(const char *text, const char *says)
{
	struct err err = { 0 };
	struct keys k;

	assert_int_equal(parse(text, &k, &err), -EINVAL);
	assert_int_equal(err.exit, EXIT_USAGE);
	assert_non_null(strstr(err.text, says));
}

static void test_keys(void **state)
{
	struct err err = { 0 };
	struct keys k;

	(void)state;
	assert_int_equal(parse("comm,args->dev,cpu,args.rwbs,args->dev", &k, &err), 0);
	assert_int_equal(k.by, BY_COMM | BY_CPU);
	assert_int_equal(k.nr_fields, 2);
	assert_string_equal(k.fields[0], "dev");
	assert_string_equal(k.fields[1], "rwbs");
	assert_int_equal(k.places[0], strlen("comm,args->"));
	refused("", "bad key ''");
	refused("comm,", "bad key ''");
	refused("com", "bad key 'com'");
	assert_int_equal(parse("user,evnet", &k, &err), -EINVAL);
	assert_string_equal(err.hint, "similar: event; keys are comm, pid, tid, cpu, user, cgroup, event, syscall, "
				      "errno and fields of tracepoints (args->NAME)");
	refused("args->", "bad key 'args->'");
	refused("args->a b", "not the name of a field");
	refused("args->../x", "not the name of a field");
	refused("args.a,args.b,args.c,args.d,args.e", "at most four");
	refused("args->0123456789012345678901234567890123456789012345678901234567890123456789", "not the name of a field");
}

static int read_any(const char *event, struct format *ret)
{
	const char *text = !strcmp(event, "block:issue") ? block : !strcmp(event, "block:close") ? call : NULL;

	*ret = (struct format){ 0 };
	return text ? format_parse(text, strlen(text), ret) : -ENOENT;
}

static int resolve(const char *text, bool is_glob, struct keys *k, struct traced_list *list, struct err *err)
{
	const struct event events[] = {
		{ .name = "block:issue", .kind = EVENT_TRACEPOINT, .from_glob = is_glob },
		{ .name = "block:close", .kind = EVENT_TRACEPOINT, .from_glob = is_glob },
	};

	*err = (struct err){ 0 };
	assert_int_equal(parse(text, k, err), 0);
	return keys_resolve(k, events, 2, read_any, list, err);
}

static void test_resolve(void **state)
{
	struct traced_list list;
	struct err err;
	struct keys k;

	(void)state;
	assert_int_equal(resolve("comm", false, &k, &list, &err), 0);
	assert_int_equal(list.all.n, 2);
	assert_false(list.all.data[0].from_glob);
	vec_free(&list.all);
	assert_int_equal(resolve("args->rwbs,args->dev", true, &k, &list, &err), 0);
	assert_int_equal(list.all.n, 1);
	assert_int_equal(list.without, 1);
	assert_int_equal(list.all.data[0].id, 2104);
	assert_true(list.all.data[0].from_glob);
	assert_int_equal(list.all.data[0].fields[1].offset, 8);
	assert_int_equal(k.texts, 1);
	vec_free(&list.all);
	assert_int_equal(resolve("cpu,args->dfd", false, &k, &list, &err), -EINVAL);
	assert_non_null(strstr(err.text, "bad key 'args->dfd' in --by: block:issue has no such field\n"));
	assert_non_null(strstr(err.text, "\n                ^"));
	assert_non_null(strstr(err.hint, "similar: "));
	vec_free(&list.all);
	assert_int_equal(resolve("args->nosuch", true, &k, &list, &err), -EINVAL);
	assert_non_null(strstr(err.text, "none has all of the fields"));
	vec_free(&list.all);
	assert_int_equal(resolve("args->raw", true, &k, &list, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'raw' of block:issue is an array"));
	vec_free(&list.all);
}

static void test_misses(void **state)
{
	uint32_t filter = FILTER_COMMS | FILTER_IDLE;
	const struct base base = { .object.filter.filter = &filter };
	struct profile p = { 0 };

	(void)state;
	base_add_nested(&base, 0, &p);
	assert_int_equal(p.nr_notes, 0);
	base_add_nested(&base, 3, &p);
	assert_int_equal(p.losses[LOSS_NESTED], 0);
	assert_int_equal(p.nr_notes, 1);
	assert_non_null(strstr(p.notes[0], "3 hits of any task"));
	filter = FILTER_IDLE;
	base_add_nested(&base, 4, &p);
	assert_int_equal(p.losses[LOSS_NESTED], 4);
	assert_int_equal(p.nr_notes, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format), cmocka_unit_test(test_format_swap),
		cmocka_unit_test(test_format_bad), cmocka_unit_test(test_places),
		cmocka_unit_test(test_keys),   cmocka_unit_test(test_resolve), cmocka_unit_test(test_misses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
