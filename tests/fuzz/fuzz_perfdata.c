/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes into the perf.data reader: no crash, no hang, no memory by the file's word, and time
 * never runs back. Copies of stacks are walked, with the tables of one file in the place of all;
 * samples and records are printed, as skep script does. Run with a directory as first argument: it is seeded with small files of ours.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/script_trace.h"
#include "data/data.h"
#include "data/format.h"
#include "data/reader.h"
#include "data/stat.h"
#include "frame.h"
#include "render/events/script.h"
#include "sym/dataaddr.h"
#include "sym/dump.h"
#include "tests/unit/test_image.h"

#define CODE "/usr/lib/x86_64-linux-gnu/libz.so.1"

struct checks {
	struct sink sink;
	uint64_t last_ns, sum;
	struct syms *syms;
	struct dumps *dumps;
	struct data_reader *reader;
	struct script_traces *traces;
	struct textbuf text; /* of records and samples, as skep script prints them */
};

static void print_sample(struct checks *c, const struct sample *s)
{
	static const struct stack no_stack;
	const struct named named = { .at = s, .comm = "fuzz", .stack = &no_stack };
	const struct script_line line = { .named = &named, .event = data_reader_meta(c->reader)->events[s->event].name, .fields = ~0ull,
					  .trace = script_traces_text(c->traces, s), .is_bpf_output = true, .has_addr_sym = true };
	size_t data_src_width = 0;
	const struct script_view view = { .event_width = 8, .ns = true, .data_src_width = &data_src_width };

	textbuf_init(&c->text, NULL);
	script_text(&c->text, &line, &view);
}

static int watch(void *arg, const struct data_record *record)
{
	struct checks *c = arg;
	struct stat_record counts;
	char comm[COMM_LEN + 1];

	if (!stat_record_parse(data_reader_meta(c->reader), record, &counts) && counts.kind == STAT_THREADS)
		for (size_t i = 0; i < counts.nr_threads; i++)
			c->sum += (uint64_t)stat_thread(&counts, i, comm) + strlen(comm);
	if (counts.kind == STAT_COUNT && data_reader_event(c->reader, counts.count.id) >= data_reader_meta(c->reader)->nr_events)
		abort();
	textbuf_init(&c->text, NULL);
	script_record(&c->text, record_name(record->type), record->type, record->misc, record->bytes, record->body);
	script_hex(&c->text, record->bytes, record->size);
	return 0;
}

static void in_order(struct checks *c, uint64_t time_ns)
{
	if (time_ns && time_ns < c->last_ns)
		abort();
	if (time_ns)
		c->last_ns = time_ns;
}

static void add_chains(struct checks *c, const struct sample *s)
{
	for (int k = 0; k < CHAIN_KINDS; k++) {
		if (s->chains[k].stop >= STOP_MAX)
			abort();
		for (uint32_t i = 0; i < s->chains[k].n; i++)
			c->sum += s->chains[k].ips[i];
	}
}

static int check_sample(struct sink *sink, const struct sample *s)
{
	struct checks *c = (struct checks *)sink;
	struct data_address address;

	/* Those whose user chain came later are late. */
	if (!(s->fields->has & PERF_SAMPLE_CALLCHAIN) || s->fields->nr_chain < 2 ||
	    get_u64(s->fields->chain + 8 * (s->fields->nr_chain - 2)) != CONTEXT_USER_DEFERRED)
		in_order(c, s->time_ns);
	add_chains(c, s);
	print_sample(c, s);
	syms_data_address(c->syms, s, true, &address);
	if (!address.at.name || !address.line.obj)
		abort();
	if (dumps_has(s)) {
		struct sample walked = *s;

		dumps_walk(c->dumps, &walked);
		if (walked.chains[CHAIN_USER].n > STACK_FRAMES_MAX + 1 && walked.chains[CHAIN_USER].n > s->chains[CHAIN_USER].n)
			abort();
		add_chains(c, &walked);
	}
	return 0;
}

static int check_task(struct sink *sink, const struct task_event *t)
{
	struct checks *c = (struct checks *)sink;

	struct task_event seen = *t;

	in_order(c, t->time_ns);
	if (t->what == TASK_MMAP && t->path[0] == '/' && t->path[1] != '/') {
		seen.path = CODE;
		seen.ino = seen.build_id_size = 0;
	}
	if (syms_task(c->syms, &seen))
		abort();
	if (t->build_id_size > BUILD_ID_MAX)
		abort();
	if ((t->what == TASK_COMM || t->what == TASK_EXEC) && strlen(t->comm) >= COMM_FILE_LEN)
		abort();
	if ((t->what == TASK_MMAP || t->what == TASK_KSYM) && strlen(t->path) >= PATH_MAX)
		abort();
	return 0;
}

static int check_lost(struct sink *sink, uint64_t n)
{
	((struct checks *)sink)->sum += n;
	return 0;
}

/* Every byte of it can be read. */
static size_t touched;

static void check_line(void *arg, const char *text)
{
	(void)arg;
	touched += text ? strlen(text) : 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void seed(const char *path, bool callchain, int nr_events, int compression_level)
{
	static const struct event events[2] = { { .name = "cpu-clock", .type = 1 }, { .name = "x", .type = 4 } };
	struct data_meta meta = { .hostname = "h", .nr_cpus_avail = 1, .events = events,
				  .nr_events = nr_events, .callchain = callchain,
				  .compression_level = compression_level };
	uint64_t ips[3] = { 1, 2, 3 };
	struct data_writer *w;
	struct err err;

	if (data_writer_open(path, &meta, &w, &err) < 0)
		return;
	for (uint64_t i = 0; i < 12; i++) {
		struct sink *sink = data_writer_sink(w);
		struct task_event t = { .what = (enum task_what)(i % 6), .time_ns = 100 - i, .path = "/x",
					.comm = "c", .build_id_size = i / 6 ? BUILD_ID_MAX : 0 };
		struct sample s = { .time_ns = 90 + i, .count = 1, .ip = 1, .chains = { { .ips = ips, .n = i % 3 }, { .ips = ips, .n = i % 4 } }, .event = (uint16_t)(i % (unsigned)nr_events) };

		sink->task(sink, &t);
		sink->sample(sink, &s);
		if (i % 4 == 3)
			sink->round(sink);
		sink->lost(sink, 1);
	}
	data_writer_close(w, &err);
}

/* Counts, in two rounds. */
static void seed_stat(const char *dir)
{
	static const struct event events[2] = { { .name = "cpu-clock", .type = 1 }, { .name = "x", .type = 4, .pmu_unit = "J", .scale = 0.5 } };
	const struct data_meta meta = { .events = events, .nr_events = 2, .is_stat = true };
	const struct stat_config cfg = { .cpus = (const uint32_t[]){ 0, 1 }, .nr_cpus = 2, .pid = 7, .rows = STAT_ROWS_CPU, .interval_ms = 100 };
	char path[PATH_MAX];
	struct data_writer *w;
	struct err err;

	snprintf(path, sizeof(path), "%s/seed-stat", dir);
	if (data_writer_open(path, &meta, &w, &err) < 0)
		return;
	data_writer_stat_config(w, &cfg);
	for (uint64_t i = 0; i < 8; i++) {
		data_writer_stat_count(w, i % 2, i / 2 % 2, i, 10 * i, 10 * i);
		if (i % 4 == 3)
			data_writer_stat_round(w, i == 7, i);
	}
	data_writer_close(w, &err);
}

/* The stream form of a file made by seed(): short header, then its attributes as records. */
static void seed_pipe(const char *dir)
{
	char path[PATH_MAX];
	uint8_t b[8192], record[8 + PERF_ATTR_SIZE_VER5 + 8] = { RECORD_HEADER_ATTR };
	struct file_header h;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/seed-chain", dir);
	f = fopen(path, "rb");
	if (!f)
		return;
	n = fread(b, 1, sizeof(b), f);
	fclose(f);
	memcpy(&h, b, sizeof(h));
	if (h.data.offset + h.data.size > n)
		return;
	snprintf(path, sizeof(path), "%s/seed-pipe", dir);
	f = fopen(path, "wb");
	if (!f)
		return;
	record[6] = sizeof(record);
	memcpy(record + 8, b + h.attrs.offset, PERF_ATTR_SIZE_VER5);
	record[8 + PERF_ATTR_SIZE_VER5] = 1;
	fwrite("PERFILE2\20\0\0\0\0\0\0", 1, PIPE_HEADER_BYTES, f);
	fwrite(record, 1, sizeof(record), f);
	fwrite(b + h.data.offset, 1, h.data.size, f);
	fclose(f);
}

static void write_image(const char *dir, const char *name, const struct image *im)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f)
		return;
	fwrite(im->bytes, 1, im->n, f);
	fclose(f);
}

/* As a machine of the other byte order has it, as far as it is of words. */
static void swap_image(struct image *im)
{
	memcpy(im->bytes, FILE_MAGIC_SWAPPED, FILE_MAGIC_BYTES);
	swap_words(im->bytes + FILE_MAGIC_BYTES, 8);
	for (size_t at = PIPE_HEADER_BYTES, n; at < im->n; at += n) {
		uint8_t *record = im->bytes + at;
		uint32_t type = __builtin_bswap32(get_u32(record));
		uint16_t misc = __builtin_bswap16(get_u16(record + 4)), size;

		n = get_u16(record + 6);
		size = __builtin_bswap16((uint16_t)n);
		if (get_u32(record) == RECORD_HEADER_ATTR) { /* with one id */
			swap_attr(record + 8, n - 16);
			swap_words(record + n - 8, 8);
		} else {
			swap_words(record + 8, n - 8);
		}
		memcpy(record, &type, sizeof(type));
		memcpy(record + 4, &misc, sizeof(misc));
		memcpy(record + 6, &size, sizeof(size));
	}
}

/* User chains of other places: branch records, a copy of the stack, a record that comes later. */
static void seed_chains(const char *dir)
{
	const uint64_t ids = 1ull << 32 | 1;
	const uint64_t map[] = { ids, 0x400000, 0x20000, 0, 0, 0, 0, 5, 0x622f, ids, 1 }; /* the path is /b */
	const uint64_t dump[] = { 0x403000, ids, 3, 1, 2, PERF_CONTEXT_USER, 0x403000, 2, 0x402000, 0, 0, 0x401000, 0, 0,
				  PERF_SAMPLE_REGS_ABI_64, 0, 0x7fff0010, 0x7fff0000, 0x403000, 32, 0, 0x402000, 0, 0x401000, 32 };
	const uint64_t kernel[] = { 1ull << 63, ids, 4, 1, 3, 1ull << 63, CONTEXT_USER_DEFERRED, 9, 0, 0, 0, 0 };
	const uint64_t later[] = { 9, 2, PERF_CONTEXT_USER, 0x403000, ids, 5 };
	struct perf_event_attr a = { .sample_id_all = 1, .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK,
		.sample_regs_user = 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER };
	static struct image im;

	image_begin(&im);
	put_attr(&im, &a, 1);
	put_record(&im, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, map, sizeof(map));
	put_record(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, dump, sizeof(dump));
	put_record(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, kernel, sizeof(kernel));
	put_record(&im, RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER, later, sizeof(later));
	write_image(dir, "seed-chains", &im);
	swap_image(&im);
	write_image(dir, "seed-swapped", &im);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[PATH_MAX];
	struct stat st;

	for (int i = 1; i < *argc; i++) {
		if (stat((*argv)[i], &st) || !S_ISDIR(st.st_mode))
			continue;
		snprintf(path, sizeof(path), "%s/seed-chain", (*argv)[i]);
		seed(path, true, 2, 0);
		snprintf(path, sizeof(path), "%s/seed-flat", (*argv)[i]);
		seed(path, false, 1, 0);
		snprintf(path, sizeof(path), "%s/seed-packed", (*argv)[i]);
		seed(path, true, 2, 1);
		seed_pipe((*argv)[i]);
		seed_chains((*argv)[i]);
		seed_stat((*argv)[i]);
		break;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct checks c;
	struct syms_cfg cfg = { .proc_root = "/nowhere", .offline = true, .data = true };
	struct err err = { 0 };
	struct data_reader *r;
	static int fd = -1;

	c = (struct checks){ .sink = { .sample = check_sample, .task = check_task, .lost = check_lost } };
	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	if (data_reader_open_fd(fd, "fuzz", &r, &err) < 0) {
		if (!err.text[0])
			abort();
		return 0;
	}
	if (data_reader_describe(r, true, check_line, NULL))
		abort();
	if (syms_new(&cfg, &c.syms, &err) || !(c.dumps = dumps_new(c.syms)))
		abort();
	c.reader = r;
	c.traces = script_traces_new(r, c.syms);
	if (!c.traces)
		abort();
	if (size % 2)
		data_reader_leaf_only(r);
	data_reader_keep_data(r);
	data_reader_watch(r, watch, &c);
	if (data_reader_run(r, &c.sink, &err) < 0 && !err.text[0])
		abort();
	script_traces_free(c.traces);
	data_reader_close(r);
	dumps_free(c.dumps);
	syms_free(c.syms);
	return 0;
}
