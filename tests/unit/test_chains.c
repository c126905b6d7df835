/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* User chains that are not in the call chain of a sample: from branch records, from a later record, from a copy of the stack. How many threads ran. */
#include "tests/unit/test_image.h"
#include "tests/unit/test_sym.h"

#include "sym/names.h"

#define KTEXT 0xffffffff81000000ull
#define T0 1000000000ull
#define TID 4243u
#define PID_TID ((uint64_t)TID << 32 | PID)
#define CODE 0x400000ull /* executable memory without a file: walked by frame pointers */
#define CODE_BYTES 0x10000u
#define STACK 0x7ffe0000ull
#define CHAIN_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define SEEN_MAX 8

/* What was delivered, with the addresses of its frames. */
struct seen {
	struct named_sink to; /* first */
	struct names names;
	uint32_t n;
	struct one {
		uint64_t time_ns, addrs[16];
		uint32_t n, cut;
		bool is_marked;
	} all[SEEN_MAX];
	uint64_t skipped;
};

static int take(struct named_sink *to, const struct named *named)
{
	struct seen *s = (struct seen *)to;
	struct one *one = &s->all[s->n++];

	assert_true(s->n <= SEEN_MAX);
	*one = (struct one){ .time_ns = named->at->time_ns, .cut = named->stack->cut };
	for (uint32_t i = 0; i < named->stack->n && one->n < 16; i++) {
		one->is_marked = named->stack->frames[i].kind == FRAME_MARK;
		if (!one->is_marked)
			one->addrs[one->n++] = named->stack->frames[i].addr;
	}
	return 0;
}

static struct seen *see_some(const struct image *im, const char *arch, bool leaf_only)
{
	static struct seen s;
	struct recorded recorded = { .arch = arch };
	struct syms_cfg cfg = { .proc_root = scratch, .offline = true, .recorded = &recorded };
	struct data_reader *r;
	struct err err = { 0 };

	memset(&s, 0, sizeof(s));
	s.to.sample = take;
	assert_int_equal(names_init(&s.names, NULL, &s.to), 0);
	cfg.pool = s.names.pool;
	s.names.syms = new_syms(&cfg);
	s.names.leaf_only = leaf_only;
	if (open_image(im, &r, &err))
		fail_msg("%s", err.text);
	if (leaf_only)
		data_reader_leaf_only(r);
	if (data_reader_run(r, &s.names.sink, &err))
		fail_msg("%s", err.text);
	s.skipped = data_reader_meta(r)->skipped;
	data_reader_close(r);
	names_free(&s.names);
	return &s;
}

/* Static: reused by the next. */
static struct seen *see(const struct image *im, const char *arch)
{
	return see_some(im, arch, false);
}

static void expect_frames(const struct one *one, const uint64_t *addrs, uint32_t n, uint32_t cut)
{
	assert_int_equal(one->n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(one->addrs[i], addrs[i]);
	assert_int_equal(one->cut, cut);
	assert_int_equal(one->is_marked, cut != STOP_ROOT);
}
#define EXPECT(one, cut, ...) expect_frames(one, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, cut)

static void branches(void **state)
{
	struct perf_event_attr a = { .sample_type = CHAIN_TYPE | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_HW_INDEX };
	const uint16_t k = PERF_RECORD_MISC_KERNEL, u = PERF_RECORD_MISC_USER;
	static struct image im;
	const struct seen *s;

	(void)state;
	image_begin(&im);
	put_attr(&im, &a, 1);
	SAMPLE(&im, u, 0x4004, PID_TID, T0 + 1, 1, 3, PERF_CONTEXT_USER, 0x4004, 0x9999, 2, 31, 0x5008, 0x4000, 0, 0x6008, 0x5000, 0);
	SAMPLE(&im, k, KTEXT, PID_TID, T0 + 2, 1, 4, PERF_CONTEXT_KERNEL, KTEXT, PERF_CONTEXT_USER, 0x4004, 1, 0, 0x5008, 0x4000, 0);
	SAMPLE(&im, u, 0x4004, PID_TID, T0 + 3, 1, 3, PERF_CONTEXT_USER, 0x4004, 0x9999, 0, 0); /* none yet */
	SAMPLE(&im, k, KTEXT, PID_TID, T0 + 4, 1, 2, PERF_CONTEXT_KERNEL, KTEXT, 1, 0, 0x5008, 0x4000, 0); /* in the kernel alone */
	SAMPLE(&im, u, 0x4004, PID_TID, T0 + 5, 1, 2, PERF_CONTEXT_USER, 0x4004, 1ull << 61, 0, 0x5008); /* more than there are */
	s = see(&im, NULL);
	assert_int_equal(s->n, 5);
	EXPECT(&s->all[0], STOP_BRANCHES, 0x4004, 0x5008, 0x6008);
	EXPECT(&s->all[1], STOP_BRANCHES, KTEXT, 0x4004, 0x5008);
	EXPECT(&s->all[2], STOP_NO_ROOT, 0x4004, 0x9999);
	EXPECT(&s->all[3], STOP_ROOT, KTEXT);
	EXPECT(&s->all[4], STOP_NO_ROOT, 0x4004);
	/* Branches of another kind are no callers. */
	a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	image_begin(&im);
	put_attr(&im, &a, 1);
	SAMPLE(&im, u, 0x4004, PID_TID, T0 + 1, 1, 3, PERF_CONTEXT_USER, 0x4004, 0x7777, 1, 0x5008, 0x4000, 0);
	s = see(&im, NULL);
	EXPECT(&s->all[0], STOP_NO_ROOT, 0x4004, 0x7777);
}

/* The record of a user chain, of a thread. */
static void put_later(struct image *im, uint64_t time_ns, uint64_t tids, uint64_t cookie, uint64_t nr, uint64_t a, uint64_t b)
{
	const uint64_t words[] = { cookie, nr, PERF_CONTEXT_USER, a, b, tids, time_ns };

	put_record(im, RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER, words, sizeof(words));
}

#define DEFERRED_SAMPLE(im, time_ns, cookie) \
	SAMPLE(im, PERF_RECORD_MISC_KERNEL, KTEXT, PID_TID, time_ns, 1, 4, PERF_CONTEXT_KERNEL, KTEXT, CONTEXT_USER_DEFERRED, cookie)

static void deferred(void **state)
{
	static const struct perf_event_attr a = { .sample_type = CHAIN_TYPE, .sample_id_all = 1 };
	static struct image im;
	const struct seen *s;

	(void)state;
	image_begin(&im);
	put_attr(&im, &a, 1);
	DEFERRED_SAMPLE(&im, T0 + 1, 7);
	DEFERRED_SAMPLE(&im, T0 + 2, 7);
	DEFERRED_SAMPLE(&im, T0 + 3, 8); /* whose record is lost */
	SAMPLE(&im, PERF_RECORD_MISC_KERNEL, KTEXT, PID_TID, T0 + 4, 1, 2, PERF_CONTEXT_KERNEL, KTEXT);
	put_later(&im, T0 + 5, PID_TID + (1ull << 32), 7, 3, 0xbad, 0xbad); /* of another thread */
	put_later(&im, T0 + 6, PID_TID, 7, UINT64_MAX / 4, 0xbad, 0xbad);
	put_later(&im, T0 + 7, PID_TID, 7, 3, 0x4004, 0x5005);
	put_later(&im, T0 + 8, PID_TID, 7, 3, 0xbad, 0xbad); /* nobody waits */
	s = see(&im, NULL);
	assert_int_equal(s->n, 4);
	assert_int_equal(s->skipped, 1);
	assert_int_equal(s->all[0].time_ns, T0 + 4);
	EXPECT(&s->all[0], STOP_ROOT, KTEXT);
	assert_int_equal(s->all[1].time_ns, T0 + 1);
	EXPECT(&s->all[1], STOP_NO_ROOT, KTEXT, 0x4004, 0x5005);
	EXPECT(&s->all[2], STOP_NO_ROOT, KTEXT, 0x4004, 0x5005);
	assert_int_equal(s->all[3].time_ns, T0 + 3);
	EXPECT(&s->all[3], STOP_DEFERRED, KTEXT);
}

/* Whatever the chain and the header say, the leaf is the same as with callers, and nobody waits for a user chain. */
static void leaves(void **state)
{
	static const struct perf_event_attr a = { .sample_type = CHAIN_TYPE, .sample_id_all = 1 };
	const uint16_t k = PERF_RECORD_MISC_KERNEL, u = PERF_RECORD_MISC_USER;
	static const uint64_t leaf[] = { KTEXT, 0x4004, KTEXT, 0x4004, 0x4008, 0x4004, KTEXT + 4, 0x4004 };
	static struct image im;
	struct seen whole;
	const struct seen *s;

	(void)state;
	image_begin(&im);
	put_attr(&im, &a, 1);
	SAMPLE(&im, k, KTEXT, PID_TID, T0 + 1, 1, 4, PERF_CONTEXT_KERNEL, KTEXT, PERF_CONTEXT_USER, 0x4004);
	SAMPLE(&im, u, 0x4004, PID_TID, T0 + 2, 1, 3, PERF_CONTEXT_USER, 0x4004, 0x5005);
	SAMPLE(&im, u, KTEXT, PID_TID, T0 + 3, 1, 5, PERF_CONTEXT_KERNEL, KTEXT, KTEXT + 8, PERF_CONTEXT_USER, 0x4004); /* of a recorder that does not care */
	SAMPLE(&im, u, 0x4004, PID_TID, T0 + 4, 1, 2, 0x4004, 0x5005); /* without markers */
	SAMPLE(&im, u, 0x4008, PID_TID, T0 + 5, 1, 3, PERF_CONTEXT_USER, 0x4004, 0x5005); /* precise */
	SAMPLE(&im, u, 0, PID_TID, T0 + 6, 1, 3, PERF_CONTEXT_USER, 0x4004, 0x5005);
	SAMPLE(&im, k, KTEXT + 4, PID_TID, T0 + 7, 1, 2, PERF_CONTEXT_USER, 0x4004); /* callers of user space alone */
	SAMPLE(&im, u, 0x4004, PID_TID, T0 + 8, 1, 5, PERF_CONTEXT_GUEST_USER, 0xbad, 0xbad, PERF_CONTEXT_USER, 0x4004);
	s = see(&im, NULL);
	assert_int_equal(s->n, 8);
	whole = *s;
	s = see_some(&im, NULL, true);
	assert_int_equal(s->n, 8);
	for (int i = 0; i < 8; i++) {
		EXPECT(&s->all[i], STOP_ROOT, leaf[i]);
		assert_int_equal(whole.all[i].addrs[0], leaf[i]);
	}
	image_begin(&im);
	put_attr(&im, &a, 1);
	DEFERRED_SAMPLE(&im, T0 + 1, 7);
	put_later(&im, T0 + 2, PID_TID, 7, 3, 0x4004, 0x5005);
	s = see_some(&im, NULL, true);
	assert_int_equal(s->n, 1);
	EXPECT(&s->all[0], STOP_ROOT, KTEXT);
	assert_int_equal(s->skipped, 0);
}

static void put_feature(struct image *im, uint64_t feature, uint32_t a, uint32_t b)
{
	const struct { uint64_t feature; uint32_t words[2]; } body = { feature, { a, b } };

	put_record(im, RECORD_HEADER_FEATURE, 0, &body, sizeof(body));
}

static void put_switch(struct image *im, uint64_t time_ns, bool is_out)
{
	const uint64_t words[] = { PID_TID, time_ns };

	put_record(im, PERF_RECORD_SWITCH, is_out ? PERF_RECORD_MISC_SWITCH_OUT : 0, words, sizeof(words));
}

static void put_exit(struct image *im, uint64_t time_ns)
{
	const uint64_t words[] = { PID_TID, PID_TID, time_ns, PID_TID, time_ns };

	put_record(im, PERF_RECORD_EXIT, 0, words, sizeof(words));
}

struct running {
	struct sink sink; /* first */
	uint32_t n;
	struct {
		uint64_t time_ns;
		uint32_t parallelism;
	} all[16];
};

static int take_running(struct sink *sink, const struct sample *s)
{
	struct running *r = (struct running *)sink;

	assert_true(r->n < 16);
	r->all[r->n].time_ns = s->time_ns;
	r->all[r->n++].parallelism = s->parallelism;
	return 0;
}

static struct running run_counted(const struct image *im, bool counted)
{
	struct running s = { .sink.sample = take_running };
	struct data_reader *r;
	struct err err = { 0 };

	assert_int_equal(open_image(im, &r, &err), 0);
	if (counted)
		data_reader_count_running(r);
	assert_int_equal(data_reader_run(r, &s.sink, &err), 0);
	data_reader_close(r);
	return s;
}

#define PLAIN_SAMPLE(im, time_ns) SAMPLE(im, PERF_RECORD_MISC_KERNEL, KTEXT, PID_TID, time_ns, 1, 2, PERF_CONTEXT_KERNEL, KTEXT)

static void counts_running(void **state)
{
	static const struct perf_event_attr a = { .sample_type = CHAIN_TYPE, .sample_id_all = 1, .context_switch = 1 };
	static const struct {
		uint64_t at;
		uint32_t parallelism;
	} want[] = { { 1, 1 }, { 3, 2 }, { 6, 3 }, { 8, 2 }, { 12, 1 }, { 15, 1 }, { 5, 3 } };
	static struct image im;
	struct running s;

	(void)state;
	image_begin(&im);
	put_attr(&im, &a, 1);
	put_feature(&im, FEATURE_NRCPUS, 3, 2);
	PLAIN_SAMPLE(&im, T0 + 1);
	put_switch(&im, T0 + 4, false); /* 3: records are counted in the order of time */
	put_switch(&im, T0 + 2, false); /* 2 */
	PLAIN_SAMPLE(&im, T0 + 3);
	put_switch(&im, T0 + 5, false);  /* 4 of 3 CPUs */
	DEFERRED_SAMPLE(&im, T0 + 5, 7); /* 3, also when it comes last */
	PLAIN_SAMPLE(&im, T0 + 6);
	put_switch(&im, T0 + 7, true);
	put_exit(&im, T0 + 7); /* 2 */
	PLAIN_SAMPLE(&im, T0 + 8);
	put_exit(&im, T0 + 9);
	put_exit(&im, T0 + 10);
	put_exit(&im, T0 + 11); /* -1 */
	PLAIN_SAMPLE(&im, T0 + 12);
	put_switch(&im, T0 + 13, false); /* 0 */
	PLAIN_SAMPLE(&im, T0 + 15);
	s = run_counted(&im, true);
	assert_int_equal(s.n, sizeof(want) / sizeof(want[0]));
	for (uint32_t i = 0; i < s.n; i++) {
		assert_int_equal(s.all[i].time_ns, T0 + want[i].at);
		assert_int_equal(s.all[i].parallelism, want[i].parallelism);
	}
	s = run_counted(&im, false);
	assert_int_equal(s.n, sizeof(want) / sizeof(want[0]));
	for (uint32_t i = 0; i < s.n; i++)
		assert_int_equal(s.all[i].parallelism, 0);
}

struct counts {
	struct sink sink;
	uint64_t whole, cut;
};

static int count(struct sink *sink, const struct sample *s)
{
	struct counts *c = (struct counts *)sink;

	*(s->chains[CHAIN_USER].stop == STOP_DEFERRED ? &c->cut : &c->whole) += 1;
	return 0;
}

/* Many wait for records that never come: the oldest are let go. */
static void deferred_many(void **state)
{
	static const struct perf_event_attr a = { .sample_type = CHAIN_TYPE, .sample_id_all = 1 };
	struct counts c = { .sink = { .sample = count } };
	struct err err = { 0 };
	struct data_reader *r;
	static struct image im;
	const uint64_t nr = 700, times = 10;
	size_t head;
	int fd = memfd_create("many", MFD_CLOEXEC);

	(void)state;
	image_begin(&im);
	put_attr(&im, &a, 1);
	head = im.n;
	assert_int_equal(write(fd, im.bytes, head), head);
	for (uint64_t t = 0; t < times; t++) {
		im.n = 0;
		for (uint64_t i = 0; i < nr; i++)
			DEFERRED_SAMPLE(&im, T0 + t * nr + i, t * nr + i);
		assert_int_equal(write(fd, im.bytes, im.n), im.n);
	}
	im.n = 0;
	put_later(&im, T0 + times * nr, PID_TID, 0, 3, 0x4004, 0x5005); /* of the first */
	put_later(&im, T0 + times * nr, PID_TID, times * nr - 1, 3, 0x4004, 0x5005);
	assert_int_equal(write(fd, im.bytes, im.n), im.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	if (data_reader_open_fd(fd, "many", &r, &err) || data_reader_run(r, &c.sink, &err))
		fail_msg("%s", err.text);
	assert_int_equal(c.whole, 1);
	assert_int_equal(c.cut, times * nr - 1);
	data_reader_close(r);
	close(fd);
}

/* A sample with registers and a copy of the stack: as regs and stack of so many words say. */
static void put_dump(struct image *im, uint64_t time_ns, uint64_t abi, const uint64_t *regs, size_t nr_regs, const uint64_t *stack,
		     size_t nr_words, uint64_t filled)
{
	uint64_t body[128] = { CODE + 0x10, PID_TID, time_ns, 1, 0, abi };
	size_t n = 6;

	memcpy(body + n, regs, (abi ? nr_regs : 0) * sizeof(*regs));
	n += abi ? nr_regs : 0;
	body[n++] = nr_words * sizeof(*stack);
	memcpy(body + n, stack, nr_words * sizeof(*stack));
	n += nr_words;
	body[n++] = filled;
	put_record(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, n * sizeof(*body));
}

static void begin_dumps(struct image *im, uint64_t mask)
{
	struct perf_event_attr a = { .sample_type = CHAIN_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, .exclude_callchain_user = 1,
				     .sample_regs_user = mask };
	uint64_t map[12] = { (uint64_t)PID << 32 | PID, CODE, CODE_BYTES, 0, 0, 0, 0, 5 };

	map[0] = (uint64_t)TID << 32 | PID;
	memcpy(&map[8], "//anon", sizeof("//anon"));
	image_begin(im);
	put_attr(im, &a, 1);
	put_record(im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, map, 10 * sizeof(*map));
}

/* Frame records: the caller's frame pointer and the return address. */
static const uint64_t records[] = { 0, 0, STACK + 32, CODE + 0x20, STACK + 48, CODE + 0x30, 0, CODE + 0x40 };
#define WORDS (sizeof(records) / sizeof(*records))

static void dumps_of(const char *arch, uint64_t mask, const uint64_t *regs, size_t nr_regs, const uint64_t *stack)
{
	static struct image im;
	const struct seen *s;

	begin_dumps(&im, mask);
	put_dump(&im, T0 + 1, PERF_SAMPLE_REGS_ABI_64, regs, nr_regs, stack, WORDS, sizeof(records));
	put_dump(&im, T0 + 2, PERF_SAMPLE_REGS_ABI_64, regs, nr_regs, stack, WORDS - 2, sizeof(records) - 16); /* all filled */
	put_dump(&im, T0 + 3, PERF_SAMPLE_REGS_ABI_64, regs, nr_regs, stack, WORDS, sizeof(records) - 16); /* as far as it was in memory */
	put_dump(&im, T0 + 4, PERF_SAMPLE_REGS_ABI_32, regs, nr_regs, stack, WORDS, sizeof(records));
	put_dump(&im, T0 + 5, PERF_SAMPLE_REGS_ABI_NONE, regs, nr_regs, stack, WORDS, sizeof(records));
	put_dump(&im, T0 + 6, PERF_SAMPLE_REGS_ABI_64, regs, nr_regs, stack, WORDS, UINT64_MAX);
	s = see(&im, arch);
	assert_int_equal(s->n, 6);
	EXPECT(&s->all[0], STOP_ROOT, CODE + 0x10, CODE + 0x20, CODE + 0x30, CODE + 0x40);
	EXPECT(&s->all[1], STOP_COPY_END, CODE + 0x10, CODE + 0x20, CODE + 0x30);
	EXPECT(&s->all[2], STOP_NO_STACK, CODE + 0x10, CODE + 0x20, CODE + 0x30);
	EXPECT(&s->all[3], STOP_COMPAT, CODE + 0x10);
	assert_int_equal(s->all[4].n, 1);
	EXPECT(&s->all[5], STOP_ROOT, CODE + 0x10, CODE + 0x20, CODE + 0x30, CODE + 0x40);
}

static void dumps_x86(void **state)
{
	const uint64_t regs[] = { STACK + 16, STACK, CODE + 0x10 }; /* bp, sp, ip */
	static struct image im;

	(void)state;
	dumps_of("x86_64", 1 << 6 | 1 << 7 | 1 << 8, regs, 3, records);
	/* Without the instruction pointer; of a machine that is not walked */
	begin_dumps(&im, 1 << 6 | 1 << 7);
	put_dump(&im, T0 + 1, PERF_SAMPLE_REGS_ABI_64, regs, 2, records, WORDS, sizeof(records));
	EXPECT(&see(&im, "x86_64")->all[0], STOP_NO_REGS, CODE + 0x10);
	begin_dumps(&im, 1 << 6 | 1 << 7 | 1 << 8);
	put_dump(&im, T0 + 1, PERF_SAMPLE_REGS_ABI_64, regs, 3, records, WORDS, sizeof(records));
	EXPECT(&see(&im, "s390x")->all[0], STOP_NO_REGS, CODE + 0x10);
}

/* Return addresses may be signed. */
static void dumps_arm64(void **state)
{
	const uint64_t regs[] = { STACK + 16, 0, STACK, CODE + 0x10 }; /* x29, lr, sp, pc */
	uint64_t stack[WORDS];

	(void)state;
	memcpy(stack, records, sizeof(stack));
	stack[5] |= 0x2aull << 48;
	dumps_of("aarch64", 1ull << 29 | 1ull << 30 | 1ull << 31 | 1ull << 32, regs, 4, stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches),
		cmocka_unit_test(deferred), cmocka_unit_test(leaves),
		cmocka_unit_test(counts_running),
		cmocka_unit_test(deferred_many),
		cmocka_unit_test(dumps_x86),
		cmocka_unit_test(dumps_arm64),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
