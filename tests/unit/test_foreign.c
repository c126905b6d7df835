/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recordings of other machines and recorders, built byte by byte in the form that perf writes to a pipe: what is made of them. */
#include "tests/unit/test_image.h"
#include "tests/unit/test_sym.h"

#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "cmd/live.h"
#include "render/rows/report.h"
#include "sym/buildid.h"

#define KTEXT 0xffffffff81000000ull
#define F (KTEXT + 0x100) /* three functions, each of 0x100 bytes */
#define G (KTEXT + 0x200)
#define H (KTEXT + 0x300)
#define T0 1000000000ull
#define PID_TID ((uint64_t)PID << 32 | PID)

static const char kallsyms[] = "ffffffff81000000 T _text\nffffffff81000100 T f\nffffffff81000200 T g\nffffffff81000300 T h\n"
			       "ffffffff81000400 T _etext\n";

/* An image folded: rows of the table by symbol, the tree, the ledger. */
struct seen {
	struct picture *pic;
	struct profile p;
	struct tree tree;
	struct report table;
	struct data_meta meta;
	struct data_reader *reader;
};

/* pool: of its names; NULL: one of its own. */
static void see_beside(struct seen *s, const struct image *im, const struct syms_cfg *cfg, const char *sort, struct strpool *pool)
{
	struct syms_cfg shared = *cfg;
	struct err err = { 0 };

	*s = (struct seen){ 0 };
	s->pic = picture_new(pool);
	assert_non_null(s->pic);
	assert_int_equal(tree_init(&s->tree), 0);
	assert_int_equal(report_init(&s->table, &(struct report_request){ .sort = sort }, &err), 0);
	shared.pool = s->pic->names.pool;
	s->pic->names.syms = new_syms(&shared);
	s->pic->names.may_hold = true;
	s->pic->fold.view = (struct fold_view){ .profile = &s->p, .tree = &s->tree, .table = &s->table };
	s->pic->fold.root = ROOT_NONE;
	if (open_image(im, &s->reader, &err) || data_reader_run(s->reader, &s->pic->names.sink, &err))
		fail_msg("%s", err.text);
	assert_int_equal(names_end(&s->pic->names), 0);
	s->meta = *data_reader_meta(s->reader);
	report_sort(&s->table);
}

static void see(struct seen *s, const struct image *im, const struct syms_cfg *cfg, const char *sort)
{
	see_beside(s, im, cfg, sort, NULL);
}

static void seen_free(struct seen *s)
{
	data_reader_close(s->reader);
	picture_free(s->pic);
	tree_free(&s->tree);
	report_free(&s->table);
}

static const struct report_row *row(const struct seen *s, const char *sym)
{
	for (size_t i = 0; i < s->table.rows.n; i++)
		if (s->table.rows.data[i].sym && !strcmp(s->table.rows.data[i].sym, sym))
			return &s->table.rows.data[i];
	fail_msg("no row of '%s'", sym);
	return NULL;
}

static struct syms_cfg here(void)
{
	run("mkdir -p %s/proc/sys/kernel", scratch);
	write_file(in_scratch("proc/kallsyms"), kallsyms);
	return (struct syms_cfg){ .proc_root = in_scratch("proc"), .offline = true };
}

/* With one pool of names, functions of two files can be compared by their pointers. */
static void two_files_beside_each_other(void **state)
{
	static const struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .sample_period = 10,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };
	static struct image im[2];
	struct strpool *pool = strpool_new();
	struct syms_cfg cfg = here();
	struct seen s[2];

	(void)state;
	assert_non_null(pool);
	for (int i = 0; i < 2; i++) {
		image_begin(&im[i]);
		put_attr(&im[i], &attr, 1);
		SAMPLE(&im[i], PERF_RECORD_MISC_KERNEL, i ? G : F, PID_TID, T0 + 1, 1, 3, PERF_CONTEXT_KERNEL, i ? G : F, H + 8);
		see_beside(&s[i], &im[i], &cfg, "comm,dso,sym", pool);
	}
	assert_ptr_equal(row(&s[0], "h")->sym, row(&s[1], "h")->sym);
	assert_ptr_equal(row(&s[0], "h")->dso, row(&s[1], "h")->dso);
	assert_ptr_equal(row(&s[0], "h")->comm, row(&s[1], "h")->comm);
	assert_ptr_not_equal(row(&s[0], "f")->sym, row(&s[1], "g")->sym);
	assert_ptr_equal(row(&s[0], "f")->dso, row(&s[1], "g")->dso);
	seen_free(&s[0]);
	assert_string_equal(row(&s[1], "h")->sym, "h"); /* the strings are the pool's, not the file's */
	seen_free(&s[1]);
	strpool_free(pool);
}

/* Self is where the event happened, wherever the chain begins; and no function stands twice for it. */
static void precise_ip(void **state)
{
	static const struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .sample_period = 10, .precise_ip = 2,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };
	const uint16_t k = PERF_RECORD_MISC_KERNEL, u = PERF_RECORD_MISC_USER;
	static struct image im;
	const struct stack *st;
	struct syms_cfg cfg = here();
	struct seen s;

	(void)state;
	image_begin(&im);
	put_attr(&im, &attr, 1);
	SAMPLE(&im, k, F, PID_TID, T0 + 1, 1, 3, PERF_CONTEXT_KERNEL, F + 4, H + 8); /* in the same function */
	SAMPLE(&im, k, F + 9, PID_TID, T0 + 2, 10, 3, PERF_CONTEXT_KERNEL, G, F + 14); /* into a callee */
	SAMPLE(&im, k, F + 0xff, PID_TID, T0 + 3, 100, 3, PERF_CONTEXT_KERNEL, G + 4, H + 8); /* back to the caller */
	SAMPLE(&im, k, G + 7, PID_TID, T0 + 4, 1000, 3, PERF_CONTEXT_USER, 0x4000, 0x5000); /* perf record --user-callchains */
	SAMPLE(&im, u, 0x4000, PID_TID, T0 + 5, 10000, 4, PERF_CONTEXT_KERNEL, H, PERF_CONTEXT_USER, 0x4004); /* into the kernel */
	see(&s, &im, &cfg, "sym");
	assert_int_equal(s.p.weight, 11111);
	assert_int_equal(row(&s, "f")->self, 111);
	assert_int_equal(row(&s, "f")->total, 111);
	assert_int_equal(row(&s, "g")->self, 1000);
	assert_int_equal(row(&s, "g")->total, 1100);
	assert_int_equal(row(&s, "h")->self, 0);
	assert_int_equal(row(&s, "h")->total, 101);
	assert_int_equal(row(&s, "[unknown]")->self, 10000);
	assert_int_equal(row(&s, "[unknown]")->total, 11000);
	st = &s.pic->names.stack;
	assert_true(st->n > 0 && st->frames[0].addr == 0x4000);
	seen_free(&s);
	/* Where the kernel is left out its address is, too. */
	image_begin(&im);
	put_attr(&im, &attr, 1);
	SAMPLE(&im, k, F, PID_TID, T0 + 1, 1, 4, PERF_CONTEXT_KERNEL, G, PERF_CONTEXT_USER, 0x4004);
	see(&s, &im, &cfg, "sym");
	assert_int_equal(row(&s, "f")->self, 1);
	seen_free(&s);
}

struct weights {
	struct sink sink;
	uint64_t weights[2], samples[2];
};

static int keep_weight(struct sink *sink, const struct sample *s)
{
	struct weights *w = (struct weights *)sink;

	assert_true(s->event < 2);
	w->weights[s->event] += s->weight;
	w->samples[s->event]++;
	return 0;
}

static struct weights weigh(const struct image *im, struct data_meta *ret_meta)
{
	struct weights w = { .sink = { .sample = keep_weight } };
	struct err err = { 0 };
	struct data_reader *r;

	if (open_image(im, &r, &err) || data_reader_run(r, &w.sink, &err))
		fail_msg("%s", err.text);
	*ret_meta = *data_reader_meta(r);
	data_reader_close(r);
	return w;
}

/* What a group's leader samples is what is new of each of its counters since it was read before: {a,b}:S. */
static void group_reads(void **state)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID };
	static const uint64_t formats[] = { 0, 1u << 4, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | 1u << 4 };
	static struct image im;
	struct data_meta meta;
	struct weights w;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		bool lost = formats[i] & 1u << 4, times = formats[i] & PERF_FORMAT_TOTAL_TIME_ENABLED;

		a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | formats[i];
		image_begin(&im);
		put_attr(&im, &a, 5);
		put_attr(&im, &a, 6);
		for (uint64_t k = 1; k <= 3; k++) {
			uint64_t body[16] = { F, PID_TID, T0 + k, 5, 2 };
			size_t n = 5 + 2 * times;

			body[n++] = 1000 * k;
			body[n++] = 5;
			n += lost;
			body[n++] = k < 3 ? 7 : 9; /* of the second sample nothing is new */
			body[n++] = 6;
			n += lost;
			put_record(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body, n * sizeof(*body));
		}
		w = weigh(&im, &meta);
		assert_int_equal(w.weights[0], 3000);
		assert_int_equal(w.samples[0], 3);
		assert_int_equal(w.weights[1], 9);
		assert_int_equal(w.samples[1], 2);
		assert_int_equal(meta.skipped, 0);
	}
	/* One counter by itself; each thread's own; more counters than there are bytes; one that no event has. */
	a.read_format = PERF_FORMAT_ID;
	a.inherit = 1;
	image_begin(&im);
	put_attr(&im, &a, 5);
	SAMPLE(&im, 0, F, PID_TID, T0 + 1, 5, 100, 5);
	SAMPLE(&im, 0, F, PID_TID + (1ull << 32), T0 + 2, 5, 50, 5);
	SAMPLE(&im, 0, F, PID_TID, T0 + 3, 5, 300, 5);
	SAMPLE(&im, 0, F, PID_TID, T0 + 4, 5, 300, 99);
	w = weigh(&im, &meta);
	assert_int_equal(w.weights[0], 350);
	assert_int_equal(meta.skipped, 1);
	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	image_begin(&im);
	put_attr(&im, &a, 5);
	SAMPLE(&im, 0, F, PID_TID, T0 + 1, 5, 2, 100, 5);
	SAMPLE(&im, 0, F, PID_TID, T0 + 1, 5, UINT64_MAX / 2, 100, 5);
	SAMPLE(&im, 0, F, PID_TID, T0 + 1, 5);
	w = weigh(&im, &meta);
	assert_int_equal(w.samples[0], 0);
	assert_int_equal(meta.skipped, 3);
}

static void kernel_map(struct syms *syms, uint64_t addr, uint64_t len, uint64_t pgoff, const char *path, uint8_t id_size, const uint8_t *id)
{
	struct task_event t = { .what = TASK_MMAP, .kernel = true, .pid = UINT32_MAX, .addr = addr, .len = len, .pgoff = pgoff, .path = path,
				.build_id_size = id_size };

	if (id_size)
		memcpy(t.build_id, id, id_size);
	assert_int_equal(syms_task(syms, &t), 0);
}

static void expect_kernel(struct syms *syms, uint64_t ip, const char *name, const char *obj)
{
	struct frame f;

	assert_int_equal(syms_resolve(syms, PID, T0, ip, true, false, &f, 1), 1);
	assert_string_equal(f.name, name);
	assert_string_equal(f.obj, obj);
	assert_true(f.is_kernel);
}

#define TEXT_BYTES 0x400
#define MODULE 0xffffffffc0000000ull

/* Names of the running kernel are for files of it: by build id, else by what the file says, else by where its text was. */
static void whose_kernel(void **state)
{
	struct utsname u;
	uint8_t id[BUILD_ID_MAX], other[BUILD_ID_MAX] = { 0x5a };
	uint8_t n = build_id_kernel(id);
	const struct {
		struct recorded recorded;
		uint64_t len, pgoff;
		const uint8_t *header_id, *map_id;
		bool named, said;
	} cases[] = {
		{ { NULL, u.release, u.machine }, TEXT_BYTES, KTEXT, NULL, NULL, true, true },
		{ { "elsewhere", u.release, u.machine }, TEXT_BYTES, KTEXT, NULL, NULL, true, true },
		{ { u.nodename, "4.14.18", u.machine }, TEXT_BYTES, KTEXT, NULL, NULL, false, true },
		{ { u.nodename, u.release, "pdp11" }, TEXT_BYTES, KTEXT, NULL, NULL, false, true },
		{ { 0 }, TEXT_BYTES, KTEXT, NULL, NULL, true, true }, /* a file that was cut */
		{ { 0 }, TEXT_BYTES + 1, KTEXT, NULL, NULL, false, false },
		{ { 0 }, TEXT_BYTES, KTEXT + 0x1000, NULL, NULL, false, false },
		{ { u.nodename, u.release, u.machine }, TEXT_BYTES, KTEXT, other, NULL, false, true },
		{ { u.nodename, u.release, u.machine }, TEXT_BYTES, KTEXT, NULL, other, false, true },
		{ { "elsewhere", "4.14.18", u.machine }, TEXT_BYTES, KTEXT, id, NULL, true, true },
		{ { "elsewhere", "4.14.18", u.machine }, TEXT_BYTES, KTEXT, NULL, id, true, true },
		{ { 0 }, TEXT_BYTES, KTEXT, NULL, id, true, true },
	};

	(void)state;
	assert_int_equal(uname(&u), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syms_cfg cfg = here();
		struct syms_stats stats;
		struct syms *syms;

		if ((cases[i].header_id || cases[i].map_id) && !n)
			continue;
		cfg.recorded = &cases[i].recorded;
		cfg.kernel_build_id_size = cases[i].header_id ? n : 0;
		memcpy(cfg.kernel_build_id, cases[i].header_id ? cases[i].header_id : other, BUILD_ID_MAX);
		syms = new_syms(&cfg);
		kernel_map(syms, KTEXT, cases[i].len, cases[i].pgoff, "[kernel.kallsyms]_text", cases[i].map_id ? n : 0, cases[i].map_id);
		map_at(syms, PID, 0, 0x7000, 0x2000, 0, "[vdso]");
		expect_kernel(syms, F, cases[i].named ? "f" : "[kernel.kallsyms]", "[kernel.kallsyms]");
		syms_stats(syms, &stats);
		assert_int_equal(stats.kernel_mismatch, !cases[i].named);
		assert_int_equal(stats.kernel_not_said, !cases[i].said);
		/* Its vDSO is the running kernel's, too. */
		assert_int_equal(resolve(syms, PID, T0, 0x7a00).obj[0], '[');
		if (!cases[i].named)
			assert_int_equal(resolve(syms, PID, T0, 0x7a00).kind, FRAME_UNKNOWN);
		syms_free(syms);
	}
}

/* The maps of a recording say which module an address is of, whatever runs here now. */
static void modules_of_a_file(void **state)
{
	struct recorded elsewhere = { .os_release = "4.14.18" };
	struct syms_cfg cfg = here();
	struct syms *syms;

	(void)state;
	write_file(in_scratch("proc/kallsyms"), "ffffffff81000000 T _text\nffffffff81000100 T f\nffffffff81000400 T _etext\n"
		   "ffffffffc0000000 t one\t[ext4]\nffffffffc0001000 t two\t[kvm]\nffffffffc0003000 t prog\t[bpf]\n");
	for (int here = 0; here < 2; here++) {
		cfg.recorded = here ? NULL : &elsewhere;
		syms = new_syms(&cfg);
		kernel_map(syms, KTEXT, TEXT_BYTES, KTEXT, "[kernel.kallsyms]_text", 0, NULL);
		kernel_map(syms, MODULE + 0x1000, 0x1000, 0, "/lib/modules/4.14.18/kernel/net/nf-tables.ko.xz", 0, NULL);
		kernel_map(syms, MODULE, 0x1000, 0, "/lib/modules/4.14.18/kernel/fs/ext4/ext4.ko", 0, NULL);
		kernel_map(syms, MODULE + 0x2000, UINT64_MAX, 0, "[nvidia]", 0, NULL);
		expect_kernel(syms, MODULE + 5, here ? "one" : "[ext4]", "[ext4]");
		expect_kernel(syms, MODULE + 0x1005, "[nf_tables]", "[nf_tables]"); /* where another one is now */
		expect_kernel(syms, MODULE + 0x2005, "[nvidia]", "[nvidia]");
		expect_kernel(syms, MODULE - 5, "[unknown]", "[unknown]");
		expect_kernel(syms, F, here ? "f" : "[kernel.kallsyms]", "[kernel.kallsyms]");
		syms_free(syms);
	}
	/* After another boot nothing but the kernel itself is where it was, with an offset. */
	cfg.recorded = NULL;
	syms = new_syms(&cfg);
	kernel_map(syms, KTEXT + 0x100000, TEXT_BYTES, KTEXT + 0x100000, "[kernel.kallsyms]_text", 0, NULL);
	expect_kernel(syms, F + 0x100000, "f", "[kernel.kallsyms]");
	expect_kernel(syms, MODULE + 0x3000, "[unknown]", "[unknown]");
	syms_free(syms);
}

/* A path of another machine says nothing of what has it here, but for the file itself. */
static void objects_of_another_machine(void **state)
{
	struct recorded elsewhere = { .hostname = "elsewhere", .os_release = "4.14.18", .arch = "x86_64" };
	struct profile p = { .losses = { [LOSS_UNNAMED] = 1 } };
	struct syms_cfg cfg = here();
	struct task_event t = { .what = TASK_MMAP, .pid = PID, .tid = PID, .prot = 5 };
	struct elf_file elf;
	struct stat st;
	struct syms *syms;
	uint64_t at;
	int fd;

	(void)state;
	build("gcc", "p.c", "int main(void) { return 0; }\n", "-fno-pie -no-pie -Wl,--build-id=none", "prog");
	at = nm_value("", in_scratch("prog"), "main");
	cfg.recorded = &elsewhere;
	syms = new_syms(&cfg);
	map_elf(syms, PID, in_scratch("prog"), 0);
	expect(syms, PID, T0, at, "[prog]");
	names_note(syms, &p);
	assert_int_equal(p.nr_notes, 1);
	assert_non_null(strstr(p.notes[0], "from another machine (elsewhere, x86_64)"));
	syms_free(syms);

	/* With its inode it is the same file: of an image, or of this machine before its kernel was changed. */
	fd = open(in_scratch("prog"), O_RDONLY);
	assert_true(fd >= 0 && !fstat(fd, &st) && !elf_open_fd(fd, &elf));
	for (uint32_t i = 0; i < elf.nr_segs; i++)
		if (elf.segs[i].type == PT_LOAD && elf.segs[i].flags & PF_X)
			t = (struct task_event){ .what = TASK_MMAP, .pid = PID, .tid = PID, .prot = 5, .addr = elf.segs[i].vaddr & ~0xfffull,
						 .len = 0x2000, .pgoff = elf.segs[i].off & ~0xfffull };
	elf_close(&elf);
	close(fd);
	t.path = in_scratch("prog");
	t.maj = major(st.st_dev);
	t.min = minor(st.st_dev);
	for (int other = 0; other < 2; other++) {
		t.ino = st.st_ino + (uint64_t)other;
		syms = new_syms(&cfg);
		assert_int_equal(syms_task(syms, &t), 0);
		expect(syms, PID, T0, at, other ? "[prog]" : "main");
		syms_free(syms);
	}
	cfg.recorded = NULL;
	syms = new_syms(&cfg);
	map_elf(syms, PID, in_scratch("prog"), 0);
	expect(syms, PID, T0, at, "main");
	syms_free(syms);
}

/* RHEL 7's MMAP2: without protection and flags; and perf inject's of code that a JIT dumped: with the mode of a file as its protection. */
static void odd_mmap2(void **state)
{
	static const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .sample_period = 10,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	uint64_t map[16] = { PID_TID, 0x4000, 0x1000, 0, 0, 77, 0 };
	static struct image im;
	struct syms_cfg cfg = here();
	struct seen s;

	(void)state;
	strcpy((char *)&map[7], "/usr/lib64/ld-2.17.so");
	image_begin(&im);
	put_attr(&im, &attr, 1);
	put_record(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, map, 7 * 8 + 24);
	SAMPLE(&im, PERF_RECORD_MISC_USER, 0x4000, PID_TID, T0 + 1);
	see(&s, &im, &cfg, "dso,sym");
	assert_string_equal(row(&s, "[ld-2.17.so]")->dso, "/usr/lib64/ld-2.17.so");
	seen_free(&s);
	map[7] = S_IFREG | 0644;
	strcpy((char *)&map[8], "/tmp/jitted-1-1.so");
	image_begin(&im);
	put_attr(&im, &attr, 1);
	put_record(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, map, 8 * 8 + 24);
	SAMPLE(&im, PERF_RECORD_MISC_USER, 0x4000, PID_TID, T0 + 1);
	see(&s, &im, &cfg, "dso,sym");
	assert_string_equal(row(&s, "[jitted-1-1.so]")->dso, "/tmp/jitted-1-1.so");
	seen_free(&s);
}

static void put_comm(struct image *im, uint32_t pid, uint32_t tid, const char *comm, uint64_t time_ns)
{
	uint8_t body[300] = { 0 };
	size_t n = 8 + (strlen(comm) + 8) / 8 * 8;

	memcpy(body, &pid, 4);
	memcpy(body + 4, &tid, 4);
	strcpy((char *)body + 8, comm);
	memcpy(body + n, &(uint64_t){ (uint64_t)tid << 32 | pid }, 8); /* sample_id_all */
	memcpy(body + n + 8, &time_ns, 8);
	put_record(im, PERF_RECORD_COMM, 0, body, n + 16);
}

static const struct report_row *row_of_comm(const struct seen *s, const char *comm)
{
	for (size_t i = 0; i < s->table.rows.n; i++)
		if (!strcmp(s->table.rows.data[i].comm, comm))
			return &s->table.rows.data[i];
	fail_msg("no row of '%s'", comm);
	return NULL;
}

static const struct perf_event_attr clock_attr = { .type = PERF_TYPE_SOFTWARE, .sample_period = 10, .sample_id_all = 1, .exclude_guest = 1,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

/* A thread's name counts from its begin, whenever it is told; the idle task has one; names may be long. */
static void names_of_threads(void **state)
{
	static const char long_name[] = "com.example.application.with_a_name_of_more_than_63_characters:worker";
	static const char *const sorts[] = { "comm", "comm,tid" };
	const uint16_t k = PERF_RECORD_MISC_KERNEL;
	uint64_t a = 7ull << 32 | 7, b = 8ull << 32 | 7, c = 9ull << 32 | 7, idle = 7, none = UINT64_MAX;
	static struct image im;
	struct syms_cfg cfg = here();
	struct seen s;
	char *text;
	size_t n;
	FILE *f;

	(void)state;
	image_begin(&im);
	put_attr(&im, &clock_attr, 1);
	SAMPLE(&im, k, F, a, T0 + 1);
	SAMPLE(&im, k, F, b, T0 + 2);
	put_comm(&im, 7, 7, "early", T0 + 3);
	SAMPLE(&im, k, F, a, T0 + 4);
	put_comm(&im, 7, 7, "later", T0 + 5);
	SAMPLE(&im, k, F, a, T0 + 6);
	SAMPLE(&im, k, F, idle, T0 + 7);
	SAMPLE(&im, k, F, none, T0 + 8);
	SAMPLE(&im, k, F, c, T0 + 8);
	put_comm(&im, 7, 9, long_name, T0 + 9);
	for (size_t i = 0; i < 2; i++) {
		see(&s, &im, &cfg, sorts[i]);
		assert_int_equal(row_of_comm(&s, "early")->self, 20);
		assert_int_equal(row_of_comm(&s, "later")->self, 10);
		assert_int_equal(row_of_comm(&s, ":8")->self, 10);
		assert_int_equal(row_of_comm(&s, "swapper")->self, 10);
		assert_int_equal(row_of_comm(&s, ":-1")->self, 10);
		assert_int_equal(row_of_comm(&s, long_name)->self, 10);
		if (i) {
			f = open_memstream(&text, &n);
			assert_int_equal(render_report_csv(f, &s.table, &s.p, &(struct report_cfg){ 0 }), 0);
			assert_int_equal(render_report_json(f, &s.table, &s.p, &(struct report_cfg){ 0 }), 0);
			fclose(f);
			assert_non_null(strstr(text, "\":-1\",-1"));
			assert_non_null(strstr(text, "\"tid\":-1"));
			assert_null(strstr(text, "4294967295"));
			free(text);
		}
		seen_free(&s);
	}
}

/* perf inject -B marks every map as a guest's. */
static void maps_marked_as_of_guests(void **state)
{
	uint64_t map[16] = { PID_TID, 0x4000, 0x1000, 0, 0, 77, 0, PROT_READ | PROT_EXEC };
	uint64_t kernel[16] = { UINT32_MAX, KTEXT, 0x400, KTEXT };
	static struct image im;
	struct syms_cfg cfg = here();
	struct seen s;

	(void)state;
	strcpy((char *)&map[8], "/usr/bin/mapped");
	image_begin(&im);
	put_attr(&im, &clock_attr, 1);
	strcpy((char *)&kernel[4], "[guest.kernel.kallsyms]_text");
	put_record(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_GUEST_KERNEL, kernel, 4 * 8 + 32 + 16);
	strcpy((char *)&kernel[4], "[kernel.kallsyms]_text");
	put_record(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_GUEST_KERNEL, kernel, 4 * 8 + 24 + 16);
	put_record(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_GUEST_USER, map, 8 * 8 + 16 + 16);
	SAMPLE(&im, PERF_RECORD_MISC_USER, 0x4000, PID_TID, T0 + 1);
	SAMPLE(&im, PERF_RECORD_MISC_GUEST_USER, 0x4000, PID_TID, T0 + 1);
	see(&s, &im, &cfg, "dso,sym");
	assert_int_equal(row(&s, "[mapped]")->self, 10);
	assert_int_equal(s.p.weight, 20);
	assert_int_equal(s.meta.skipped, 0);
	seen_free(&s);
}

static void put_sized(struct image *im, const char *text)
{
	uint64_t n = strlen(text);

	put(im, &n, sizeof(n));
	put(im, text, n);
}

/* What perf writes of tracefs into a stream: as much of it as is read. */
static void put_tracing(struct image *im)
{
	static const uint8_t zeros[8];
	uint32_t head[3] = { RECORD_HEADER_TRACING_DATA, 12 << 16, 0 }, one = 1, two = 2;
	size_t at = im->n, n;

	put(im, head, sizeof(head));
	put(im, "\027\010\104tracing0.6", 14);
	put(im, "\0\10\0\20\0\0header_page", 18);
	put_sized(im, "\tfield: u64 timestamp;\n");
	put(im, "header_event", 13);
	put_sized(im, "# compressed entry header\n");
	put(im, &one, sizeof(one));
	put_sized(im, "name: function\nID: 1\n");
	put(im, &one, sizeof(one));
	put(im, "sched", 6);
	put(im, &two, sizeof(two));
	put_sized(im, "name: sched_switch\nID: 1329\nformat:\n");
	put_sized(im, "name: sched_wakeup\nID: 1330\nformat:\n");
	n = im->n - at - sizeof(head);
	memcpy(im->bytes + at + 8, &(uint32_t){ (uint32_t)n }, 4);
	put(im, zeros, (8 - n % 8) % 8);
}

/* A stream of an older perf has no names: they are made of attributes as perf makes them, and of the formats of tracepoints. */
static void names_of_events(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		const char *name, *unit;
	} events[] = {
		{ { .type = PERF_TYPE_HARDWARE, .exclude_guest = 1 }, "cycles", "cycles" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1 }, "cycles:uH", "cycles" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1, .exclude_hv = 1 }, "cycles:u", "cycles" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 1, .precise_ip = 2, .exclude_guest = 1 }, "instructions:ppH", "events" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0xa00000000, .exclude_guest = 1 }, "cycles", "cycles" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x10003, .exclude_guest = 1 }, "dTLB-load-misses", "events" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x100, .exclude_guest = 1 }, "L1-dcache-stores", "events" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 0x531 }, "sched:sched_switch", "events" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 0x999 }, "type-2:0x999", "events" },
	};
	const size_t nr = sizeof(events) / sizeof(events[0]);
	static struct image im;
	struct data_reader *r;
	struct err err = { 0 };

	(void)state;
	image_begin(&im);
	for (size_t i = 0; i < nr; i++) {
		struct perf_event_attr a = events[i].attr;

		a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
		put_attr(&im, &a, i + 1);
	}
	put_tracing(&im);
	SAMPLE(&im, 0, 1, F, T0);
	for (size_t n = im.n; n > 0; n -= n > im.n - 300 ? 1 : n) { /* cut anywhere, it is read as far as it goes */
		struct image cut = im;

		cut.n = n;
		if (open_image(&cut, &r, &err))
			fail_msg("%s", err.text);
		for (size_t i = 0; i < nr && n == im.n; i++) {
			assert_string_equal(data_reader_meta(r)->events[i].name, events[i].name);
			assert_string_equal(data_reader_meta(r)->events[i].unit, events[i].unit);
		}
		data_reader_close(r);
	}
}

/* perf inject -b puts build ids into a stream where their files have the first sample: after the maps. */
static void late_build_ids(void **state)
{
	struct recorded elsewhere = { .hostname = "elsewhere", .os_release = "4.14.18", .arch = "x86_64" };
	struct { int32_t pid; uint8_t id[24]; char path[256]; } body = { .pid = -1, .id = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
										       17, 18, 19, 20 } };
	struct { uint64_t pid_tid, addr, len, pgoff, dev, ino, generation; uint32_t prot, flags; char path[256]; } map = {
		PID_TID, 0, 0x2000, 0, 0, 77, 0, PROT_READ | PROT_EXEC, 0, "" };
	static struct image im;
	struct syms_cfg cfg = here();
	struct elf_file elf;
	struct seen s;
	uint64_t at;
	int fd;

	(void)state;
	cfg.recorded = &elsewhere;
	build("gcc", "p.c", "int main(void) { return 0; }\n", "-fno-pie -no-pie -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314", "with_id");
	at = nm_value("", in_scratch("with_id"), "main");
	fd = open(in_scratch("with_id"), O_RDONLY);
	assert_true(fd >= 0 && !elf_open_fd(fd, &elf));
	for (uint32_t i = 0; i < elf.nr_segs; i++)
		if (elf.segs[i].type == PT_LOAD && elf.segs[i].flags & PF_X) {
			map.addr = elf.segs[i].vaddr & ~0xfffull;
			map.pgoff = elf.segs[i].off & ~0xfffull;
		}
	elf_close(&elf);
	close(fd);
	snprintf(map.path, 128, "%s", in_scratch("with_id"));
	snprintf(body.path, 128, "%s", in_scratch("with_id"));
	for (int right = 0; right < 2; right++) {
		body.id[0] = (uint8_t)right; /* the file of that path here has another one, or this one */
		image_begin(&im);
		put_attr(&im, &clock_attr, 1);
		put_comm(&im, PID, PID, "named", T0);
		put_record(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &map, 64 + 128 + 16);
		SAMPLE(&im, PERF_RECORD_MISC_USER, at, PID_TID, T0 + 1);
		put_record(&im, RECORD_FINISHED_ROUND, 0, "", 0);
		put_record(&im, RECORD_FINISHED_ROUND, 0, "", 0);
		put_record(&im, RECORD_HEADER_BUILD_ID, PERF_RECORD_MISC_USER, &body, 28 + 128);
		SAMPLE(&im, PERF_RECORD_MISC_USER, at, PID_TID, T0 + 2);
		see(&s, &im, &cfg, "sym");
		assert_int_equal(row(&s, right ? "main" : "[with_id]")->self, right ? 10 : 20);
		seen_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_files_beside_each_other),
		cmocka_unit_test(precise_ip),
		cmocka_unit_test(group_reads),
		cmocka_unit_test(whose_kernel),
		cmocka_unit_test(modules_of_a_file),
		cmocka_unit_test(objects_of_another_machine),
		cmocka_unit_test(odd_mmap2),
		cmocka_unit_test(names_of_threads),
		cmocka_unit_test(maps_marked_as_of_guests),
		cmocka_unit_test(names_of_events),
		cmocka_unit_test(late_build_ids),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
