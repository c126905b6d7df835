/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes: their text, what their names are at a place, operands of USDT notes, patterns as state machines. */
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "capture/clone.h"
#include "capture/gen.h"
#include "event/bind.h"
#include "event/probe.h"
#include "event/usdtarg.h"

/* Every wrong row of a table is told before its test fails. */
static int wrong;
#define WRONG(...) (wrong++, print_error(__VA_ARGS__), print_error("\n"))

static struct probe_spec spec;
static struct err err;

/* What is parsed last is spec; it is freed by the next. */
static int parse_at(const char *text, size_t *at)
{
	probe_free(&spec);
	err = (struct err){ 0 };
	return probe_parse(text, at, &spec, &err);
}

static int parse(const char *text)
{
	size_t at = 0;
	int ret = parse_at(text, &at);

	if (!ret)
		assert_int_equal(at, strlen(text));
	else
		assert_true(err.text[0]);
	return ret;
}

static int parse_perf(const char *text, const char *path)
{
	probe_free(&spec);
	err = (struct err){ 0 };
	return probe_parse_perf(text, path, &spec, &err);
}

static void test_where(void **state)
{
	static const struct {
		const char *text;
		enum probe_kind kind;
		bool is_return;
		uint64_t offset;
		const char *path, *group, *name;
	} good[] = {
		{ "k:tcp_sendmsg", PROBE_KERNEL, false, 0, "", "", "tcp_sendmsg" },
		{ "kr:vfs_read", PROBE_KERNEL, true, 0, "", "", "vfs_read" },
		{ "k:vfs_read%return", PROBE_KERNEL, true, 0, "", "", "vfs_read" },
		{ "k:vfs_read+0x10", PROBE_KERNEL, false, 16, "", "", "vfs_read" },
		{ "k:vfs_read+12(arg0)", PROBE_KERNEL, false, 12, "", "", "vfs_read" },
		{ "k:ext4:ext4_*", PROBE_KERNEL, false, 0, "", "ext4", "ext4_*" },
		{ "k:vfs_[rw]*", PROBE_KERNEL, false, 0, "", "", "vfs_[rw]*" },
		{ "u:./a.out:main", PROBE_USER, false, 0, "./a.out", "", "main" },
		{ "u:libc:malloc+4", PROBE_USER, false, 4, "libc", "", "malloc" },
		{ "ur:/bin/bash:readline", PROBE_USER, true, 0, "/bin/bash", "", "readline" },
		{ "u:a:std::vector<int, x>::push_back(arg0)", PROBE_USER, false, 0, "a", "", "std::vector<int, x>::push_back" },
		{ "u:a b/c:main.(*T).F", PROBE_USER, false, 0, "a b/c", "", "main." },
		{ "usdt:libc:libc:setjmp", PROBE_USDT, false, 0, "libc", "libc", "setjmp" },
		{ "usdt:./a:*:*", PROBE_USDT, false, 0, "./a", "*", "*" },
		{ "t:sched:sched_switch", PROBE_TRACEPOINT, false, 0, "", "sched", "sched_switch" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		int ret = parse(good[i].text);

		if (strstr(good[i].text, "(*T)")) { /* what Go calls a method needs a glob */
			assert_int_equal(ret, -EINVAL);
			continue;
		}
		assert_int_equal(ret, 0);
		assert_int_equal(spec.kind, good[i].kind);
		assert_int_equal(spec.is_return, good[i].is_return);
		assert_int_equal(spec.has_offset, good[i].offset != 0);
		assert_int_equal(spec.offset, good[i].offset);
		assert_string_equal(spec.path, good[i].path);
		assert_string_equal(spec.group, good[i].group);
		assert_string_equal(spec.name, good[i].name);
	}
	assert_true(probe_begins("k:x") && probe_begins("usdt:") && probe_begins("t:a:b"));
	assert_false(probe_begins("cycles:k") || probe_begins("K:x") || probe_begins("k") || probe_begins("sched:sched_switch"));
}

/* An expression as brackets: what binds to what. */
static size_t tree(const struct exprs *x, uint32_t n, char *buf, size_t size)
{
	static const char *const ops[] = { [OP_OR] = "||", [OP_AND] = "&&", [OP_NOT] = "!", [OP_EQ] = "==", [OP_NE] = "!=", [OP_LT] = "<",
					   [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=", [OP_GLOB] = "~", [OP_NOT_GLOB] = "!~", [OP_BIT_OR] = "|",
					   [OP_BIT_XOR] = "^", [OP_BIT_AND] = "&", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_ADD] = "+", [OP_SUB] = "-",
					   [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%", [OP_NEG] = "-", [OP_INVERT] = "~" };
	const struct expr *e = &x->nodes.data[n];
	char a[2048] = "", b[2048] = "";

	if (e->a)
		tree(x, e->a, a, sizeof(a));
	if (e->b && e->kind != EXPR_CONTAINER)
		tree(x, e->b, b, sizeof(b));
	switch (e->kind) {
	case EXPR_NUMBER:
		return snprintf(buf, size, "%llu", (unsigned long long)e->num);
	case EXPR_TEXT:
		return snprintf(buf, size, "'%.*s'", (int)e->len, x->text + e->at);
	case EXPR_NAME:
		return snprintf(buf, size, "%.*s", (int)e->len, x->text + e->at);
	case EXPR_MEMBER:
		return snprintf(buf, size, "%.900s.%.*s", a, (int)e->len, x->text + e->at);
	case EXPR_INDEX:
		return snprintf(buf, size, "%.900s[%.900s]", a, b);
	case EXPR_DEREF:
		return snprintf(buf, size, "(*%.900s)", a);
	case EXPR_CAST:
		return snprintf(buf, size, "(cast<%.*s>%.900s)", (int)e->len, x->text + e->at, a);
	case EXPR_CONTAINER:
		return snprintf(buf, size, "of<%.*s,%.*s>(%.900s)", (int)e->len, x->text + e->at, (int)e->b, x->text + e->num, a);
	case EXPR_NTOH:
		return snprintf(buf, size, "ntoh%d(%.900s)", (int)e->num, a);
	case EXPR_UNARY:
		return snprintf(buf, size, "(%s%.900s)", ops[e->op], a);
	default:
		return snprintf(buf, size, "(%.900s %s %.900s)", a, ops[e->op], b);
	}
}

static void test_expressions(void **state)
{
	static const char *const good[][2] = {
		{ "1", "1" },
		{ "0x1F", "31" },
		{ "18446744073709551615", "18446744073709551615" },
		{ "1K", "1024" },
		{ "3M", "3145728" },
		{ "2G", "2147483648" },
		{ "1ms", "1000000" },
		{ "2us", "2000" },
		{ "1.5ms", "1500000" },
		{ "0.25K", "256" },
		{ "010.5ms", "10500000" },
		{ "1.0000000000s", "1000000000" },
		{ "0644", "420" },
		{ "5ns", "5" },
		{ "1s", "1000000000" },
		{ "a", "a" },
		{ "$retval", "retval" },
		{ "%di", "di" },
		{ "a->b.c", "a.b.c" },
		{ "a . b -> c", "a.b.c" },
		{ "a[1][b]", "a[1][b]" },
		{ "*a->b", "(*a.b)" },
		{ "**a", "(*(*a))" },
		{ "(*a).b", "(*a).b" },
		{ "-a", "(-a)" },
		{ "!~-a", "(!(~(-a)))" },
		{ "a+b*c", "(a + (b * c))" },
		{ "(a+b)*c", "((a + b) * c)" },
		{ "a-b-c", "((a - b) - c)" },
		{ "a/b%c*d", "(((a / b) % c) * d)" },
		{ "a<<b+c>>d", "((a << (b + c)) >> d)" },
		{ "a&b==c", "(a & (b == c))" },
		{ "a|b^c&d", "(a | (b ^ (c & d)))" },
		{ "a<b==c>=d", "((a < b) == (c >= d))" },
		{ "a&&b||c&&d", "((a && b) || (c && d))" },
		{ "a||b&&c||d", "((a || (b && c)) || d)" },
		{ "a&b", "(a & b)" },
		{ "a = b", "(a == b)" },
		{ "s == \"x y\"", "(s == 'x y')" },
		{ "s ~ \"a,b)*\"", "(s ~ 'a,b)*')" },
		{ "s !~ \"\"", "(s !~ '')" },
		{ "a in 1..2", "((a >= 1) && (a <= 2))" },
		{ "a in 1K..b+1 && c", "(((a >= 1024) && (a <= (b + 1))) && c)" },
		{ "in_x == 1", "(in_x == 1)" },
		{ "(struct foo *)p", "(cast<struct foo *>p)" },
		{ "((struct foo *)p)->a", "(cast<struct foo *>p).a" },
		{ "(struct foo *)p->a", "(cast<struct foo *>p.a)" },
		{ "(u32)a + 1", "((cast<u32>a) + 1)" },
		{ "(int)-1", "(cast<int>(-1))" },
		{ "(short)a", "(cast<short>a)" },
		{ "(unsigned)a", "(cast<unsigned>a)" },
		{ "(unsigned long) a", "(cast<unsigned long>a)" },
		{ "(char*)p", "(cast<char*>p)" },
		{ "(foo_t * )p", "(cast<foo_t *>p)" },
		{ "(a)*b", "(a * b)" },
		{ "(a * b)", "(a * b)" },
		{ "container_of(p, struct foo, m)->x", "of<struct foo,m>(p).x" },
		{ "container_of(p->a, struct foo, m.n)", "of<struct foo,m.n>(p.a)" },
		{ "ntohs(x)", "ntoh2(x)" },
		{ "ntohs(a->b)+1", "(ntoh2(a.b) + 1)" },
		{ "ntohl( x )", "ntoh4(x)" },
		{ "ntohs_of(x)", NULL },
		{ "sizeof(x)", NULL },
		{ "-1", "(-1)" },
		/* C's octal numbers: not silently another number */
		{ "mode & 0100", "(mode & 64)" },
	};

	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		char text[256], got[4096] = "";
		int ret;

		snprintf(text, sizeof(text), "k:f if %s", good[i][0]);
		ret = parse(text);
		if (!ret)
			tree(&spec.exprs, spec.filter, got, sizeof(got));
		if (!good[i][1] ? !ret : ret || strcmp(got, good[i][1]))
			WRONG("'%s' is '%s' (%d, %s), not '%s'", text, got, ret, err.text, good[i][1] ? good[i][1] : "refused");
		snprintf(text, sizeof(text), "k:f(%s, b)", good[i][0]);
		ret = parse(text);
		if (!good[i][1] ? !ret : ret || spec.nr_args != 2)
			WRONG("'%s': %d, %s", text, ret, err.text);
	}
	assert_int_equal(wrong, 0);
}

static void test_arguments(void **state)
{
	size_t at = 0;
	const char *two = "k:f(a, n=b->c:x64 ,d[0]:string) if a > 1 && b == \"x,y\",k:g";

	(void)state;
	assert_int_equal(parse_at(two, &at), 0);
	assert_string_equal(two + at, ",k:g");
	assert_int_equal(spec.nr_args, 3);
	assert_int_equal(spec.args[0].name_len, 0);
	assert_memory_equal(two + spec.args[1].name_at, "n", spec.args[1].name_len);
	assert_int_equal(spec.args[1].type_len, 3);
	assert_memory_equal(two + spec.args[1].type_at, "x64", 3);
	assert_int_equal(spec.args[1].len, 4);
	assert_memory_equal(two + spec.args[2].type_at, "string", spec.args[2].type_len);
	at++;
	assert_int_equal(parse_at(two, &at), 0);
	assert_string_equal(spec.name, "g");
	assert_int_equal(parse("k:f()"), 0);
	assert_int_equal(spec.nr_args, 0);
	assert_int_equal(parse("k:f( )"), 0);
	assert_int_equal(parse("k:f(a,)"), 0);
	assert_int_equal(parse("k:f(a) if(a)"), 0);
	assert_true(spec.filter);
	assert_int_equal(parse("k:f(a==b)"), 0);
	assert_int_equal(spec.args[0].name_len, 0);
}

/* bpftrace's words, and perf's name of a tracepoint. */
static void test_others(void **state)
{
	static const struct {
		const char *text;
		enum probe_kind kind;
		bool is_return;
		const char *path, *group, *name;
	} good[] = {
		{ "kprobe:vfs_read", PROBE_KERNEL, false, "", "", "vfs_read" },
		{ "kretprobe:vfs_read(ret)", PROBE_KERNEL, true, "", "", "vfs_read" },
		{ "fentry:vfs_read", PROBE_KERNEL, false, "", "", "vfs_read" },
		{ "kretfunc:ext4:ext4_sync", PROBE_KERNEL, true, "", "ext4", "ext4_sync" },
		{ "uprobe:/bin/bash:readline", PROBE_USER, false, "/bin/bash", "", "readline" },
		{ "uretprobe:./a:f if ret", PROBE_USER, true, "./a", "", "f" },
		{ "tracepoint:sched:sched_switch", PROBE_TRACEPOINT, false, "", "sched", "sched_switch" },
		{ "sched:sched_switch(prev_comm) if prev_prio < 120", PROBE_TRACEPOINT, false, "", "sched", "sched_switch" },
		{ "sched:*", PROBE_TRACEPOINT, false, "", "sched", "*" },
	};
	static const char *const lines[] = { "f:12", "a=f:x", "f x:y", "a::b", "a:b:c", "f", ":f", "a:" };

	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (parse(good[i].text) || spec.kind != good[i].kind || spec.is_return != good[i].is_return || strcmp(spec.path, good[i].path) ||
		    strcmp(spec.group, good[i].group) || strcmp(spec.name, good[i].name))
			WRONG("'%s': %d %s %s %s", good[i].text, spec.kind, spec.path, spec.group, spec.name);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (probe_is_tracepoint(lines[i]))
			WRONG("'%s' is a tracepoint", lines[i]);
	assert_int_equal(wrong, 0);
	err = (struct err){ 0 };
	assert_true(probe_hint_perf("probe:tcp_sendmsg", 17, &err));
	assert_string_equal(err.hint, "perf probe is not needed: k:tcp_sendmsg is that function");
	assert_true(probe_hint_perf("probe_bash:readline__return", 27, &err));
	assert_string_equal(err.hint, "perf probe is not needed: ur:bash:readline is that function");
	assert_false(probe_hint_perf("probes:x", 8, &err));
	assert_false(probe_hint_perf("probe", 5, &err));
	assert_int_equal(parse("profile:hz:99"), -EINVAL);
	assert_string_equal(err.text, "cannot probe 'profile:hz:99': not a function, tracepoint or USDT probe");
	assert_string_equal(err.hint, "samples on a timer: skep flame -F HZ -a");
	err = (struct err){ 0 };
	/* All fields: alone, among others; and no product */
	assert_int_equal(parse("t:a:b(*, n=c * 2)"), 0);
	assert_int_equal(spec.nr_args, 2);
	assert_int_equal(parse("t:a:b( * )"), 0);
	assert_int_equal(parse("t:a:b(*c)"), 0);
	assert_int_equal(parse("k:b(*)"), -EINVAL);
}

static void test_perf(void **state)
{
	static const char *const bad[] = { "", " ", "f:12", "f@file.c", "f;x*y", "f+", "f+0x", "f%return+4", "f+4%return", "f a:", "f =", "f a )", "f a if", "f\ta", "(", "f(a)" };

	(void)state;
	wrong = 0;
	assert_int_equal(parse_perf("tcp_sendmsg", NULL), 0);
	assert_int_equal(spec.kind, PROBE_KERNEL);
	assert_int_equal(parse_perf("vfs_read+0x4 count", NULL), 0);
	assert_int_equal(spec.offset, 4);
	assert_int_equal(parse_perf("vfs_read%return $retval", NULL), 0);
	assert_true(spec.is_return);
	assert_int_equal(spec.nr_args, 1);
	assert_int_equal(parse_perf("ev=vfs_read n=count:u32 file->f_inode->i_size  b", "./x"), 0);
	assert_int_equal(spec.kind, PROBE_USER);
	assert_string_equal(spec.path, "./x");
	assert_string_equal(spec.name, "vfs_read");
	assert_int_equal(spec.nr_args, 3);
	assert_int_equal(parse_perf("grp:ev=vfs_read count", NULL), 0);
	assert_string_equal(spec.name, "vfs_read");
	/* spaces part arguments: registers, too */
	assert_int_equal(parse_perf("f %di %si", NULL), 0);
	assert_int_equal(spec.nr_args, 2);
	assert_int_equal(parse_perf("f a %si:u8 b", NULL), 0);
	assert_int_equal(spec.nr_args, 3);
	assert_int_equal(parse_perf("f a if a > 2 && b", NULL), 0);
	assert_int_equal(spec.nr_args, 1);
	assert_true(spec.filter);
	assert_int_equal(parse_perf("if a", NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse_perf(bad[i], NULL) != -EINVAL || !err.text[0])
			WRONG("'%s' is taken", bad[i]);
	assert_int_equal(wrong, 0);
}

/* Where the caret is, in bytes of the text; -1: there is none. err_caret() shows a part of what is long. */
static int caret(void)
{
	const char *line = strchr(err.text, '\n'), *last = line ? strchr(line + 1, '\n') : NULL;

	return last ? (int)strspn(last + 1, " ") - 6 : -1;
}

static void test_carets(void **state)
{
	static const struct {
		const char *text;
		int at;
		const char *says;
	} bad[] = {
		{ "xf", 0, "expected k:, kr:" },
		{ "x:12", 0, "expected k:, kr:" },
		{ "k:", 2, "name is missing" },
		{ "u:a", 3, "expected u:PATH:FUNCTION" },
		{ "u::f", 2, "name is missing" },
		{ "u:a:", 4, "name is missing" },
		{ "usdt:a:b", 8, "PROVIDER:NAME" },
		{ "t:a", 3, "SUBSYSTEM:NAME" },
		{ "k:f+", 4, "offset" },
		{ "k:f+g", 4, "offset" },
		{ "kr:f+4", 6, "a return has no offset" },
		{ "k:f(", 4, "missing at the end" },
		{ "k:f(a", 3, "no closing bracket" },
		{ "k:f(a b)", 6, "comma" },
		{ "k:f(,)", 4, "expected a name" },
		{ "k:f(a+)", 6, "expected a name" },
		{ "k:f(a[1)", 5, "no closing bracket" },
		{ "k:f((a)", 3, "no closing bracket" },
		{ "k:f(a->)", 7, "member" },
		{ "k:f(a:)", 6, "no type" },
		{ "k:f(5q)", 5, "unit" },
		{ "k:f(0x)", 4, "no number" },
		{ "k:f(99999999999999999999)", 4, "too large" },
		{ "k:f(99999999999G)", 4, "too large" },
		{ "k:f(1.5)", 4, "needs a unit" },
		{ "k:f(1.0001us)", 4, "too many decimals" },
		{ "k:f(1.0000000009s)", 15, "too many decimals" },
		{ "k:f(18446744073.8s)", 4, "too large" },
		{ "k:f if", 6, "missing at the end" },
		{ "k:f if ", 7, "missing at the end" },
		{ "k:f if a ==", 11, "missing at the end" },
		{ "k:f if a == \"b", 12, "no quote" },
		{ "k:f if (a", 7, "no closing bracket" },
		{ "k:f if a in 3", 13, "range" },
		{ "k:f if a b", 9, "expected an operator" },
		{ "k:f x", 4, "expected (ARGUMENTS)" },
		{ "k:f if container_of(a)", 21, "container_of(" },
	};
	char deep[512] = "k:f if ";

	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse(bad[i].text), -EINVAL);
		if (caret() != bad[i].at || (bad[i].says && !strstr(err.text, bad[i].says)))
			WRONG("'%s': caret at %d, not %d: %s", bad[i].text, caret(), bad[i].at, err.text);
		assert_int_equal(err.exit, EXIT_USAGE);
	}
	memset(deep + strlen(deep), '(', 200);
	assert_int_equal(parse(deep), -EINVAL);
	assert_non_null(strstr(err.text, "nested too deeply"));
	assert_int_equal(parse("k:f(\x01)"), -EINVAL);
	assert_non_null(strstr(err.text, "control character"));
	assert_int_equal(wrong, 0);
}

static void test_usdt_arguments(void **state)
{
	struct usdt_arg a;
	(void)state;
	wrong = 0;

	assert_int_equal(usdt_nr_args(""), 0);
	assert_int_equal(usdt_arg("", 0, &a), -ENOENT);
#ifdef __x86_64__
	static const struct {
		const char *text;
		int ret;
		struct usdt_arg a;
	} all[] = {
		{ "-4@%edi", 0, { USDT_REG, 4, true, 5, -1, 1, 0 } },
		{ "8@%r15", 0, { USDT_REG, 8, false, 15, -1, 1, 0 } },
		{ "1@%al", 0, { USDT_REG, 1, false, 0, -1, 1, 0 } },
		{ "-2@%r9w", 0, { USDT_REG, 2, true, 9, -1, 1, 0 } },
		{ "4@$7", 0, { USDT_CONST, 4, false, 0, -1, 1, 7 } },
		{ "-4@$-5", 0, { USDT_CONST, 4, true, 0, -1, 1, -5 } },
		{ "4@$0x10", 0, { USDT_CONST, 4, false, 0, -1, 1, 16 } },
		{ "8@-16(%rbp)", 0, { USDT_MEMORY, 8, false, 6, -1, 1, -16 } },
		{ "8@(%rsp)", 0, { USDT_MEMORY, 8, false, 7, -1, 1, 0 } },
		{ "4@8(%rax,%rbx)", 0, { USDT_MEMORY, 4, false, 0, 3, 1, 8 } },
		{ "4@8(%rax,%rbx,4)", 0, { USDT_MEMORY, 4, false, 0, 3, 4, 8 } },
		{ "%rdi", 0, { USDT_REG, 8, false, 5, -1, 1, 0 } },
		{ "8f@%xmm0", -EOPNOTSUPP, { 0 } },
		{ "8@%xmm0", -EOPNOTSUPP, { 0 } },
		{ "3@%eax", -EOPNOTSUPP, { 0 } },
		{ "16@%rax", -EOPNOTSUPP, { 0 } },
		{ "4@foo(%rip)", -EOPNOTSUPP, { 0 } },
		{ "4@foo", -EOPNOTSUPP, { 0 } },
		{ "4@", -EOPNOTSUPP, { 0 } },
		{ "@%eax", -EOPNOTSUPP, { 0 } },
		{ "4@%", -EOPNOTSUPP, { 0 } },
		{ "4@8(%rax", -EOPNOTSUPP, { 0 } },
		{ "4@8(%rax,", -EOPNOTSUPP, { 0 } },
		{ "4@8(%rax,%rbx,", -EOPNOTSUPP, { 0 } },
		{ "4@8(%rax)x", -EOPNOTSUPP, { 0 } },
		{ "4@8(%eax)", -EOPNOTSUPP, { 0 } },
		{ "4@8(%rax,%rbx,-1)", -EOPNOTSUPP, { 0 } },
		{ "4@8(%rax,%rbx,16)", -EOPNOTSUPP, { 0 } },
		{ "4@$99999999999999999999", -EOPNOTSUPP, { 0 } },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		int ret = usdt_arg(all[i].text, 0, &a);

		if (ret != all[i].ret)
			WRONG("'%s': %d, not %d", all[i].text, ret, all[i].ret);
		if (ret)
			continue;
		assert_int_equal(a.place, all[i].a.place);
		assert_int_equal(a.size, all[i].a.size);
		assert_int_equal(a.is_signed, all[i].a.is_signed);
		if (a.place != USDT_CONST)
			assert_int_equal(a.reg, all[i].a.reg);
		assert_int_equal(a.index, all[i].a.index);
		assert_int_equal(a.scale, all[i].a.scale);
		assert_int_equal(a.num, all[i].a.num);
	}
	assert_int_equal(usdt_nr_args("-4@%edi 8@-16(%rbp) 4@$5"), 3);
	assert_int_equal(usdt_nr_args("  8@%rdi  "), 1);
	assert_int_equal(usdt_arg("-4@%edi 8@-16(%rbp) 4@$5", 2, &a), 0);
	assert_int_equal(a.num, 5);
	assert_int_equal(usdt_arg("-4@%edi 8@-16(%rbp) 4@$5", 3, &a), -ENOENT);
	assert_int_equal(wrong, 0);
#endif
}

/* As capture/gen.c's run_glob() has it. */
static bool run_glob(const struct gen_glob *g, const char *text)
{
	uint64_t states = 1;

	for (; *text; text++)
		states = (states & g->step[(unsigned char)*text]) << 1 | (states & g->loop);
	return states & g->accept;
}

static void test_globs(void **state)
{
	static const char *const fixed[] = { "", "*", "**", "?", "a", "a*", "*a", "*a*", "a?b", "a*b*c", "[abc]", "[a-c]x", "[!a]", "[^a]b", "*[0-9]",
					     "[]a]", "[!]a]", "[^]]", "[a-]", "[-a]", "[!-]", "[a", "[", "[]", "[!", "[!]", "a[", "\\*", "\\?a", "a\\\\", "\\a",
					     "[[]", "[a-c-e]", "x[*]y", "x[?]", "*.c", "*a?*b", "?*?", "*?", "[a]]", "\\[a]" };
	static const char *const texts[] = { "", "a", "b", "c", "ab", "abc", "aab", "x", "xa", "ax", "]", "[", "[a", "[]", "[!", "[!]", "-", "*", "\\", "?a", "*a", "a\\", "a0", "9",
					     "a.c", ".c", "a]", "[]a]", "abcabcabc", "aXbYc", "x*y", "x?", "xay", "e", "!", "^", "!a", "\xff", "a\377b", "[a]" };
	static const char alphabet[] = "ab*?[]!-\\^c";
	unsigned long seed = 1;
	struct gen_glob g;
	char pattern[12], text[10];

	(void)state;
	wrong = 0;
	for (size_t p = 0; p < sizeof(fixed) / sizeof(*fixed); p++) {
		assert_int_equal(gen_glob_compile(fixed[p], strlen(fixed[p]), &g), 0);
		for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++)
			if (run_glob(&g, texts[t]) != !fnmatch(fixed[p], texts[t], 0))
				WRONG("'%s' on '%s': %d", fixed[p], texts[t], run_glob(&g, texts[t]));
	}
	for (int i = 0; i < 200000 && wrong < 20; i++) {
		size_t n = 0, m = 0;

		for (n = 0; n < sizeof(pattern) - 1 && (seed = seed * 6364136223846793005ul + 1442695040888963407ul) >> 60; n++)
			pattern[n] = alphabet[(seed >> 33) % (sizeof(alphabet) - 1)];
		pattern[n] = '\0';
		/* what fnmatch() escapes in brackets is one of the set here (util/glob.h); nor does a lone backslash match itself there */
		if (strchr(pattern, '\\'))
			continue;
		for (m = 0; m < sizeof(text) - 1 && (seed = seed * 6364136223846793005ul + 1442695040888963407ul) >> 61; m++)
			text[m] = alphabet[(seed >> 33) % (sizeof(alphabet) - 1)];
		text[m] = '\0';
		assert_int_equal(gen_glob_compile(pattern, n, &g), 0);
		if (run_glob(&g, text) != !fnmatch(pattern, text, 0))
			WRONG("'%s' on '%s': %d", pattern, text, run_glob(&g, text));
	}
	memset(pattern, 0, sizeof(pattern));
	assert_int_equal(gen_glob_compile("01234567890123456789012345678901234567890123456789012345678901*", 63, &g), 0);
	assert_true(run_glob(&g, "01234567890123456789012345678901234567890123456789012345678901 and more"));
	assert_int_equal(gen_glob_compile("012345678901234567890123456789012345678901234567890123456789012", 63, &g), -E2BIG);
	assert_int_equal(wrong, 0);
}

/* Types of a made program: 1 int, 2 char, 3 char *, 4 struct node, 5 struct node *, 6 enum color, 7 unsigned long, 8 char[16], 9 double, 10 u8 */
static int fake_get(struct ctypes *types, uint64_t id, struct ctype *ret_type)
{
	static const struct ctype all[] = {
		[1] = { .kind = CTYPE_INT, .is_signed = true, .size = 4 },
		[2] = { .kind = CTYPE_CHAR, .is_signed = true, .size = 1 },
		[3] = { .kind = CTYPE_PTR, .size = 8, .to = 2 },
		[4] = { .kind = CTYPE_STRUCT, .size = 64 },
		[5] = { .kind = CTYPE_PTR, .size = 8, .to = 4 },
		[6] = { .kind = CTYPE_ENUM, .size = 4, .is_signed = true },
		[7] = { .kind = CTYPE_INT, .size = 8 },
		[8] = { .kind = CTYPE_ARRAY, .size = 16, .to = 2, .nr = 16 },
		[9] = { .kind = CTYPE_FLOAT, .size = 8 },
		[10] = { .kind = CTYPE_INT, .size = 1 },
	};

	(void)types;
	if (!id || id >= sizeof(all) / sizeof(*all))
		return -ENOENT;
	*ret_type = all[id];
	ret_type->id = id;
	return 0;
}

static int fake_member(struct ctypes *types, uint64_t id, uint32_t i, struct cmember *ret_member)
{
	static const struct cmember all[] = {
		{ "id", 1, 0, 0 }, { "name", 8, 64, 0 }, { "next", 5, 192, 0 }, { "flags", 1, 256, 3 }, { "level", 1, 259, 5 }, { "color", 6, 288, 0 },
		{ "label", 3, 320, 0 }, { "weight", 9, 384, 0 }, { "u", 10, 448, 0 },
	};

	(void)types;
	if (id != 4 || i >= sizeof(all) / sizeof(*all))
		return -ENOENT;
	*ret_member = all[i];
	return 0;
}

static int fake_enumerator(struct ctypes *types, uint64_t id, uint32_t i, struct cenumerator *ret_enumerator)
{
	static const struct cenumerator all[] = { { "RED", 1 }, { "GREEN", 20 }, { "BLUE", -3 } };

	(void)types;
	if (id != 6 || i >= sizeof(all) / sizeof(*all))
		return -ENOENT;
	*ret_enumerator = all[i];
	return 0;
}

static int fake_find(struct ctypes *types, enum ctype_kind kind, const char *name, size_t len, uint64_t *ret_id)
{
	(void)types;
	if (kind == CTYPE_STRUCT && len == 4 && !memcmp(name, "node", 4))
		*ret_id = 4;
	else if (kind == CTYPE_ENUM && len == 5 && !memcmp(name, "color", 5))
		*ret_id = 6;
	else if (kind == CTYPE_OTHER && len == 3 && !memcmp(name, "int", 3))
		*ret_id = 1;
	else if (kind == CTYPE_OTHER && len == 4 && !memcmp(name, "char", 4))
		*ret_id = 2;
	else
		return -ENOENT;
	return 0;
}

static size_t fake_name(struct ctypes *types, uint64_t id, char *buf, size_t size)
{
	(void)types;
	return snprintf(buf, size, "type%llu", (unsigned long long)id);
}

static struct ctypes fake = { fake_get, fake_member, fake_enumerator, fake_find, fake_name };
static const struct cfunc func = {
	.params = { { "n", 5, CPLACE_REG, 0, false }, { "count", 7, CPLACE_REG, 1, false }, { "s", 3, CPLACE_REG, 2, false }, { "color", 6, CPLACE_REG, 3, false },
		    { "f", 9, CPLACE_FLOAT, 0, false }, { "on_stack", 1, CPLACE_STACK, 8, false }, { "lost", 1, CPLACE_NONE, 0, false },
		    { "small", 10, CPLACE_REG, 4, false }, { "pid", 1, CPLACE_REG, 5, false } },
	.nr_params = 9,
	.result = 1,
};
static struct bound_probe bound;

static int bind_in(const char *text, const struct bind_env *env)
{
	int ret = parse(text);

	if (ret) {
		WRONG("'%s' is not parsed: %s", text, err.text);
		return ret;
	}
	bind_free(&bound);
	err = (struct err){ 0 };
	return bind_probe(&spec, env, &bound, &err);
}

static int bind_func(const char *text)
{
	const struct bind_env env = { .kind = spec.kind, .is_return = text[1] == 'r', .what = "f", .types = &fake, .func = &func, .nr_regs = 6 };

	return bind_in(text, &env);
}

static const struct bound *node(uint32_t i)
{
	return &bound.nodes.data[i];
}

static void test_bind_function(void **state)
{
	const struct bound *b;

	(void)state;
	assert_int_equal(bind_func("k:f(n->id, n->next->name, n->level, s, color, count, on_stack, n, n->u, small)"), 0);
	assert_int_equal(bound.nr_args, 10);
	assert_string_equal(bound.args[0].name, "id");
	assert_int_equal(bound.args[0].show, VALUE_SIGNED);
	b = node(bound.args[0].node);
	assert_true(b->kind == BOUND_LOAD && b->num == 0 && b->size == 4 && b->is_signed);
	assert_true(node(b->a)->kind == BOUND_ARG && node(b->a)->num == 0);
	assert_int_equal(bound.args[1].show, VALUE_TEXT);
	b = node(bound.args[1].node);
	assert_true(b->kind == BOUND_BINARY && b->op == OP_ADD && node(b->b)->num == 8 && node(b->a)->kind == BOUND_LOAD && node(b->a)->num == 24);
	b = node(bound.args[2].node);
	assert_true(b->kind == BOUND_BITS && b->num == 3 && b->bits == 5 && b->is_signed);
	assert_true(node(b->a)->kind == BOUND_LOAD && node(b->a)->num == 32 && node(b->a)->size == 1);
	assert_int_equal(bound.args[3].show, VALUE_TEXT);
	assert_int_equal(bound.args[4].show, VALUE_ENUM);
	assert_int_equal(bound.args[4].enum_id, 6);
	assert_int_equal(bound.args[5].show, VALUE_NUMBER);
	b = node(bound.args[6].node);
	assert_true(b->kind == BOUND_LOAD && b->num == 8 && node(b->a)->kind == BOUND_SP);
	assert_int_equal(bound.args[7].show, VALUE_HEX);
	assert_false(bound.needs_entry || bound.needs_latency || bound.needs_depth);

	/* a parameter before a built-in name */
	assert_int_equal(bind_func("k:f(pid, tid, depth)"), 0);
	assert_true(node(bound.args[0].node)->kind == BOUND_CUT && node(bound.args[1].node)->kind == BOUND_BUILTIN);
	assert_true(bound.needs_depth);

	assert_int_equal(bind_func("kr:f(ret, latency)"), 0);
	assert_true(bound.needs_latency && !bound.needs_entry);
	assert_int_equal(bind_func("kr:f(ret) if count > 1"), 0);
	assert_true(bound.needs_entry && bound.filter);
	b = node(bound.filter);
	assert_true(b->kind == BOUND_BINARY && b->op == OP_GT && !b->is_signed);
	assert_int_equal(bind_func("kr:f if ret < 0"), 0);
	assert_true(node(bound.filter)->is_signed);

	assert_int_equal(bind_func("k:f if color == GREEN || BLUE == color"), 0);
	b = node(bound.filter);
	assert_int_equal(node(node(b->a)->b)->num, 20);
	assert_int_equal((int64_t)node(node(b->b)->a)->num, -3);
	assert_int_equal(bind_func("k:f if s ~ \"a*\" && n->name != \"b\" && comm == \"c\""), 0);
	assert_int_equal(bind_func("k:f(((struct node *)count)->id, *(int *)count, (u8)count)"), 0);
	assert_int_equal(bind_func("k:f(container_of(n, struct node, next)->id)"), 0);
	b = node(bound.args[0].node);
	assert_true(b->kind == BOUND_LOAD && (int64_t)b->num == -24);
	assert_int_equal(bind_func("k:f(arg0, arg5, arg6, arg7)"), 0);
	b = node(bound.args[3].node);
	assert_true(b->kind == BOUND_LOAD && b->num == 16);
	assert_int_equal(bind_func("k:f(n->name[3], n->next[2].id, s[count])"), 0);
	assert_int_equal(node(bound.args[1].node)->num, 128);

	/* two members of one name have two names */
	assert_int_equal(bind_func("k:f(n->id, n->next->id)"), 0);
	assert_string_not_equal(bound.args[0].name, bound.args[1].name);
}

static int bind_filtered(const char *text, const char *filter, char *ret_title, size_t size)
{
	const struct bind_env env = { .kind = PROBE_KERNEL, .what = "f", .types = &fake, .func = &func, .nr_regs = 6 };
	struct probe_filter also = { 0 };
	int ret = parse(text);

	bind_free(&bound);
	bound = (struct bound_probe){ 0 };
	err = (struct err){ 0 };
	if (!ret)
		ret = probe_filter_parse(filter, &also, &err);
	if (!ret) {
		spec.also = &also;
		ret = bind_probe(&spec, &env, &bound, &err);
		probe_title(&spec, NULL, ret_title, size);
		spec.also = NULL;
	}
	probe_filter_free(&also);
	return ret;
}

/* The filter of a command is a tree of its own beside the probe's: whatever operators both have, and its errors point into its text. */
static void test_bind_filters(void **state)
{
	char title[128];
	struct bound *b;

	(void)state;
	assert_int_equal(bind_filtered("k:f(count) if count == 1 || count == 2", "s == \"x\" || count > 3", title, sizeof(title)), 0);
	assert_string_equal(title, "k:f if (count == 1 || count == 2) && (s == \"x\" || count > 3)");
	b = &bound.nodes.data[bound.filter];
	assert_true(b->kind == BOUND_BINARY && b->op == OP_AND);
	assert_true(node(b->a)->op == OP_OR && node(b->b)->op == OP_OR);
	assert_int_equal(node(node(node(b->b)->b)->b)->num, 3);
	assert_int_equal(bind_filtered("k:f", "count > 3", title, sizeof(title)), 0);
	assert_string_equal(title, "k:f if count > 3");
	assert_int_equal(node(bound.filter)->op, OP_GT);
	assert_int_equal(bind_filtered("k:f if count == 1", "count > 3 && nosuch", title, sizeof(title)), -EINVAL);
	assert_non_null(strstr(err.text, "\n      count > 3 && nosuch\n                   ^"));
	assert_int_equal(bind_filtered("k:f if nosuch == 1", "count > 3", title, sizeof(title)), -EINVAL);
	assert_non_null(strstr(err.text, "\n      k:f if nosuch == 1\n             ^"));
	assert_int_equal(bind_filtered("k:f", "count > 3,k:g", title, sizeof(title)), -EINVAL);
	assert_string_equal(err.text, "bad filter: expected an operator\n      count > 3,k:g\n               ^");
	assert_int_equal(bind_filtered("k:f", "", title, sizeof(title)), -EINVAL);
	assert_int_equal(bind_filtered("k:f", "count\t", title, sizeof(title)), -EINVAL);
	assert_int_equal(bind_filtered("k:f", "\"x\"", title, sizeof(title)), -EINVAL);
}

static void test_bind_refused(void **state)
{
	static const struct {
		const char *text;
		int at;
		const char *says, *hint;
	} bad[] = {
		{ "k:f(nosuch)", 4, "f has no argument 'nosuch'", "f has n, count, s, color" },
		{ "k:f(n->nosuch)", 7, "no member 'nosuch'", NULL },
		{ "k:f(n->idd)", 7, "no member 'idd'", "id" },
		{ "k:f(count->id)", 11, "no members", NULL },
		{ "k:f(f)", 4, "floating-point", NULL },
		{ "k:f(n->weight)", 4, "floating", NULL },
		{ "k:f(lost)", 4, "not known", NULL },
		{ "k:f(*count)", 4, "not a pointer", NULL },
		{ "k:f(*n)", 4, "name one of its members", NULL },
		{ "k:f(n->name[16])", 11, "16 elements", NULL },
		{ "k:f(ret)", 4, "only a return", "kr:FUNCTION" },
		{ "k:f(latency)", 4, "only a return", "kr:FUNCTION" },
		{ "k:f(s + 1 == \"x\")", -2, NULL, NULL },
		{ "k:f(s:u99)", 6, "unknown type 'u99'", "types are" },
		{ "k:f(\"text\")", 4, "constant string", NULL },
		{ "k:f if \"text\"", 8, "not a condition", NULL },
		{ "k:f if s > \"b\"", 9, "no order", NULL },
		{ "k:f if small == \"b\"", 13, "cannot be compared with a string", NULL },
		{ "k:f if count ~ s", 13, "pattern", NULL },
		{ "k:f if count / 0", 13, "division by zero", NULL },
		{ "k:f if color == PURPLE", 16, "PURPLE", NULL },
		{ "k:f((struct nod *)n)", 5, "no such type", NULL },
		{ "k:f((struct node)n)", 5, "cast", NULL },
		{ "k:f(container_of(n, struct node, nosuch))", 33, "no member 'nosuch'", NULL },
		/* the first of two is told */
		{ "k:f(nosuch == nosuch_either)", 4, "'nosuch'", NULL },
	};

	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int ret = bind_func(bad[i].text);

		if (bad[i].at == -2)
			continue;
		if (ret != -EINVAL || caret() != bad[i].at || !strstr(err.text, bad[i].says) || (bad[i].hint && !strstr(err.hint, bad[i].hint)))
			WRONG("'%s': %d, caret at %d, not %d: %s; %s", bad[i].text, ret, caret(), bad[i].at, err.text, err.hint);
	}
	assert_int_equal(wrong, 0);
}

static void test_bind_record(void **state)
{
	static const char text[] = "ID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				   "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:int nr;\toffset:24;\tsize:4;\tsigned:1;\n"
				   "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n\tfield:__rel_loc char[] rel;\toffset:32;\tsize:4;\tsigned:0;\n"
				   "\tfield:const char * path;\toffset:40;\tsize:8;\tsigned:0;\n\tfield:dev_t dev;\toffset:48;\tsize:4;\tsigned:0;\n"
				   "\tfield:struct node * n;\toffset:56;\tsize:8;\tsigned:0;\n";
	struct format format;
	struct bind_env env = { .kind = PROBE_TRACEPOINT, .what = "a:b", .format = &format, .types = &fake };
	const struct bound *b;

	(void)state;
	assert_int_equal(format_parse(text, strlen(text), &format), 0);
	assert_int_equal(bind_in("t:a:b(comm, nr, name, rel, path, dev, n->id, args->nr, pid)", &env), 0);
	assert_int_equal(bound.args[0].show, VALUE_TEXT);
	assert_true(node(bound.args[0].node)->kind == BOUND_RECORD_AT && node(bound.args[0].node)->num == 8);
	b = node(bound.args[1].node);
	assert_true(b->kind == BOUND_RECORD && b->num == 24 && b->size == 4 && b->is_signed);
	b = node(bound.args[2].node);
	assert_true(b->kind == BOUND_RECORD_LOC && b->num == 28 && b->op == 0);
	b = node(bound.args[3].node);
	assert_true(b->kind == BOUND_RECORD_LOC && b->num == 32 && b->op == 1);
	assert_int_equal(bound.args[4].show, VALUE_TEXT);
	assert_int_equal(bound.args[5].show, VALUE_DEVICE);
	assert_int_equal(node(bound.args[6].node)->kind, BOUND_LOAD);
	assert_int_equal(node(bound.args[7].node)->num, 24);
	assert_int_equal(bind_in("t:a:b if name ~ \"x*\" && comm == \"y\" && nr < 0", &env), 0);
	assert_int_equal(bind_in("t:a:b(nosuch)", &env), -EINVAL);
	assert_non_null(strstr(err.text, "a:b has no field 'nosuch'"));
	assert_non_null(strstr(err.hint, "comm, nr, name"));
	assert_int_equal(bind_in("t:a:b(ret)", &env), -EINVAL);
	assert_int_equal(bind_in("t:a:b if nr == \"x\"", &env), -EINVAL);
	format_free(&format);
}

static void test_bind_usdt(void **state)
{
#ifdef __x86_64__
	const struct bind_env env = { .kind = PROBE_USDT, .what = "a:b", .usdt_args = "-4@%edi 8@-16(%rbp,%rax,8) 4@$5 8@%xmm0", .nr_regs = 6 };
	const struct bound *b;

	(void)state;
	assert_int_equal(bind_in("usdt:a:b:c(arg0, arg1, arg2, arg1:string) if arg0 < 0", &env), 0);
	b = node(bound.args[0].node);
	assert_true(b->kind == BOUND_CUT && b->size == 4 && b->is_signed && node(b->a)->kind == BOUND_REG && node(b->a)->num == 5);
	b = node(bound.args[1].node);
	assert_true(b->kind == BOUND_LOAD && (int64_t)b->num == -16 && b->size == 8);
	assert_true(node(bound.filter)->is_signed);
	assert_int_equal(bind_in("usdt:a:b:c(arg3)", &env), -EINVAL);
	assert_non_null(strstr(err.text, "place of arg"));
	assert_int_equal(bind_in("usdt:a:b:c(arg4)", &env), -EINVAL);
	assert_non_null(strstr(err.hint, "arg0, arg1, arg2, arg3"));
#else
	(void)state;
	skip();
#endif
}

/* A model of four functions of three instructions each; the third has the mark. Each calls one, the first has a callback, too. */
#define BODY_MARK 0x51ee7c0de0ddb0d1ULL

static struct bpf_insn call_of(size_t at, size_t to)
{
	return (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (int32_t)(to - at - 1) };
}

static size_t called(const struct bpf_insn *insns, size_t at)
{
	return at + 1 + insns[at].imm;
}

static void test_clone_body(void **state)
{
	const struct bpf_insn leave = { .code = BPF_JMP | BPF_EXIT }, helper = { .code = BPF_JMP | BPF_CALL, .imm = 5 };
	const struct bpf_insn body[] = { helper, helper, helper, helper, leave };
	struct bpf_insn model[] = {
		call_of(0, 6), call_of(1, 9), { .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = 9 - 2 - 1 }, { 0 }, leave,
		leave,
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .imm = (int32_t)BODY_MARK }, { .imm = (int32_t)(BODY_MARK >> 32) }, leave,
		call_of(9, 5), call_of(10, 6), leave,
	};
	size_t n = sizeof(model) / sizeof(*model);
	struct bpf_insn out[32];

	(void)state;
	for (size_t len = 1; len <= 5; len++) {
		const struct clone_as as = { .body = body + 5 - len, .nr_body = len, .body_mark = BODY_MARK };
		size_t last = 6 + len; /* where the last function begins */

		memset(out, 0xff, sizeof(out));
		assert_int_equal(clone_set_body(model, n, &as, out), n - 3 + len);
		assert_memory_equal(out + 6, as.body, len * sizeof(*body));
		assert_int_equal(called(out, 0), 6);
		assert_int_equal(called(out, 1), last);
		assert_int_equal(called(out, 2), last);
		assert_int_equal(called(out, last), 5);
		assert_int_equal(called(out, last + 1), 6);
		assert_int_equal(out[last + 2].code, leave.code);
		assert_int_equal(out[n - 3 + len].code, 0xff);
	}
	{
		const struct clone_as as = { .body = body, .nr_body = 5, .body_mark = BODY_MARK }, other = { .body = body, .body_mark = 1 };

		assert_int_equal(clone_set_body(model, n, &other, out), -ENOTSUP);
		model[9] = call_of(9, n);
		assert_int_equal(clone_set_body(model, n, &as, out), -ENOTSUP);
		model[9] = model[6];
		model[10] = model[7];
		assert_int_equal(clone_set_body(model, n, &as, out), -ENOTSUP);
		assert_int_equal(clone_set_body(model + 6, 3, &as, out), -ENOTSUP);
	}
}

static int free_all(void **state)
{
	(void)state;
	probe_free(&spec);
	bind_free(&bound);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where), cmocka_unit_test(test_expressions), cmocka_unit_test(test_arguments), cmocka_unit_test(test_perf), cmocka_unit_test(test_others),
		cmocka_unit_test(test_carets), cmocka_unit_test(test_usdt_arguments), cmocka_unit_test(test_globs), cmocka_unit_test(test_bind_function),
		cmocka_unit_test(test_bind_filters), cmocka_unit_test(test_bind_refused), cmocka_unit_test(test_bind_record), cmocka_unit_test(test_bind_usdt),
		cmocka_unit_test(test_clone_body),
	};

	return cmocka_run_group_tests(tests, NULL, free_all);
}
