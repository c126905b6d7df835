/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf.data: what the writer wrote the reader reads, perf opens it, and damage of every kind ends in
 * whole records or a clear error. perf (6.1 or later) is the oracle where it is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "data/data.h"
#include "data/reader.h"

#define NR_EVENTS 3
#define KTEXT 0xffffffff81000000ull
#define T0 1000000000ull

static char dir[] = "/tmp/test_data.XXXXXX";

static const char *in_dir(const char *name)
{
	static char buf[64][256];
	static int at;
	char *p = buf[at++ % 64];

	snprintf(p, sizeof(buf[0]), "%s/%s", dir, name);
	return p;
}

static const struct event events[NR_EVENTS] = {
	{ .name = "cpu-clock", .unit = "ns", .type = PERF_TYPE_SOFTWARE, .freq = true, .period_or_freq = 999 },
	{ .name = "sched:sched_switch", .unit = "events", .type = PERF_TYPE_TRACEPOINT, .config = 315,
	  .period_or_freq = 1 },
	{ .name = "page-faults:u", .unit = "events", .type = PERF_TYPE_SOFTWARE,
	  .config = PERF_COUNT_SW_PAGE_FAULTS, .period_or_freq = 1, .exclude_kernel = true },
};

static const char *const command[] = { "skep", "record", "-e", "cpu-clock, it's", "\xff\x1b[31m", "" };

/* Of what the writer writes. Tests run with both: see COMPRESSED(). */
static int compression_level;

static struct data_meta make_meta(void)
{
	struct data_meta m = {
		.hostname = "host", .os_release = "6.1.0", .version = "skep 1", .arch = "x86_64",
		.cpu_desc = "A CPU", .nr_cpus_avail = 8, .nr_cpus_online = 4, .total_mem_kb = 123456,
		.argc = 6, .argv = command, .events = events, .nr_events = NR_EVENTS,
		.kernel_build_id = { 9, 8, 7 }, .kernel_build_id_size = BUILD_ID_MAX, .callchain = true,
		.compression_level = compression_level,
	};

	return m;
}

/* Events as text, one line each, so that whole runs can be compared. */
struct lines {
	struct sink sink;
	VEC(char *) v;
	uint64_t lost;
	uint64_t last_ns;
	bool unordered;
	size_t samples;
};

static void add_line(struct lines *l, char *text)
{
	assert_int_equal(vec_reserve(&l->v), 0);
	l->v.data[l->v.n++] = text;
}

static void watch_order(struct lines *l, uint64_t time_ns)
{
	l->unordered |= time_ns && time_ns < l->last_ns;
	l->last_ns = time_ns ? time_ns : l->last_ns;
}

static int line_sample(struct sink *sink, const struct sample *s)
{
	struct lines *l = (struct lines *)sink;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fprintf(f, "S %llu e%u %u/%u cpu%u ip%llx w%llu", (unsigned long long)s->time_ns, s->event, s->pid,
		s->tid, s->cpu, (unsigned long long)s->ip, (unsigned long long)s->weight);
	for (uint32_t i = 0; i < s->chains[CHAIN_KERNEL].n; i++)
		fprintf(f, " k%llx", (unsigned long long)s->chains[CHAIN_KERNEL].ips[i]);
	for (uint32_t i = 0; i < s->chains[CHAIN_USER].n; i++)
		fprintf(f, " u%llx", (unsigned long long)s->chains[CHAIN_USER].ips[i]);
	fprintf(f, " stop%u/%u off%u", s->chains[CHAIN_KERNEL].stop, s->chains[CHAIN_USER].stop, s->off_cpu);
	fclose(f);
	assert_int_equal(s->count, 1);
	watch_order(l, s->time_ns);
	l->samples++;
	add_line(l, text);
	return 0;
}

static int line_task(struct sink *sink, const struct task_event *t)
{
	static const char *const names[] = { "MMAP", "COMM", "EXEC", "FORK", "EXIT", "KSYM", "SWITCH", "NAMESPACES", "BUILD_ID" };
	struct lines *l = (struct lines *)sink;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fprintf(f, "T %s %llu", names[t->what], (unsigned long long)t->time_ns);
	if (t->what != TASK_KSYM)
		fprintf(f, " %u/%u", t->pid, t->tid);
	if (t->what == TASK_FORK || t->what == TASK_EXIT)
		fprintf(f, " by %u/%u", t->ppid, t->ptid);
	if (t->what == TASK_COMM || t->what == TASK_EXEC)
		fprintf(f, " '%s'", t->comm);
	if (t->what == TASK_MMAP || t->what == TASK_KSYM)
		fprintf(f, " %llx+%llx '%s' flags %x", (unsigned long long)t->addr,
			(unsigned long long)t->len, t->path, t->flags);
	if (t->what == TASK_MMAP) {
		fprintf(f, " @%llx kernel %d prot %x id", (unsigned long long)t->pgoff, t->kernel, t->prot);
		for (int i = 0; i < t->build_id_size; i++)
			fprintf(f, "%02x", t->build_id[i]);
		if (!t->build_id_size)
			fprintf(f, " %u:%u %llu %llu", t->maj, t->min, (unsigned long long)t->ino,
				(unsigned long long)t->ino_generation);
	}
	fclose(f);
	watch_order(l, t->time_ns);
	add_line(l, text);
	return 0;
}

static int line_lost(struct sink *sink, uint64_t n)
{
	((struct lines *)sink)->lost += n;
	return 0;
}

static struct lines lines_new(void)
{
	return (struct lines){ .sink = { .sample = line_sample, .task = line_task, .lost = line_lost } };
}

static void lines_free(struct lines *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		free(l->v.data[i]);
	vec_free(&l->v);
}

static uint64_t random_state = 1;

static uint64_t rnd(uint64_t below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % below;
}

/* One random event to both sinks; the second keeps what is to be expected. */
static void emit(struct sink *a, struct sink *b, uint64_t time_ns)
{
	static const char *const paths[] = { "/usr/bin/x", "[vdso]", "//anon", "/tmp/a\nb\x1b (deleted)",
					     "/\xff\xfe", "" };
	uint64_t kips[STACK_MAX_FRAMES], uips[STACK_MAX_FRAMES];
	struct task_event t = { .time_ns = time_ns, .pid = 100, .tid = 101, .cpu = 1 };
	struct sample s = {
		.time_ns = time_ns, .weight = rnd(1000000), .count = 1, .pid = (uint32_t)rnd(100) + 1,
		.tid = (uint32_t)rnd(1000) + 1, .cpu = (uint32_t)rnd(4), .event = (uint16_t)rnd(NR_EVENTS),
		.chains = { { .ips = kips }, { .ips = uips } },
	};

	if (rnd(4)) {
		s.chains[CHAIN_KERNEL].n = rnd(2) ? (uint32_t)rnd(STACK_MAX_FRAMES + 1) : 0;
		s.chains[CHAIN_USER].n = (uint32_t)rnd(STACK_MAX_FRAMES + 1);
		if (!s.chains[CHAIN_KERNEL].n && !s.chains[CHAIN_USER].n)
			s.chains[CHAIN_USER].n = 1;
		for (uint32_t i = 0; i < s.chains[CHAIN_KERNEL].n; i++)
			kips[i] = KTEXT + rnd(1u << 20);
		for (uint32_t i = 0; i < s.chains[CHAIN_USER].n; i++)
			uips[i] = 0x400000 + rnd(1u << 20);
		s.ip = s.chains[CHAIN_KERNEL].n ? kips[0] : uips[0];
		s.chains[CHAIN_KERNEL].stop = s.chains[CHAIN_KERNEL].n == STACK_MAX_FRAMES ? STOP_DEPTH : rnd(STOP_MAX);
		s.chains[CHAIN_USER].stop = s.chains[CHAIN_USER].n == STACK_MAX_FRAMES ? STOP_DEPTH : rnd(STOP_MAX);
		s.off_cpu = rnd(OFF_CPU_MAX);
		assert_int_equal(a->sample(a, &s), 0);
		if (b)
			b->sample(b, &s);
		return;
	}
	t.what = (enum task_what)rnd(6);
	t.comm = rnd(2) ? "short" : "fifteen\xffletters";
	t.path = paths[rnd(6)];
	t.addr = 0x400000 + rnd(100) * 4096;
	t.len = 4096;
	t.ppid = 1;
	t.ptid = 1;
	if (t.what == TASK_MMAP) {
		t.pgoff = 8192;
		t.prot = PROT_READ | PROT_EXEC;
		t.flags = MAP_PRIVATE;
		t.kernel = !rnd(8);
		if (t.kernel) {
			t.pid = UINT32_MAX;
			t.tid = t.flags = 0;
			t.path = "[a_module]";
		} else if (rnd(2)) {
			t.build_id_size = rnd(2) ? BUILD_ID_MAX : 16;
			memset(t.build_id, (int)rnd(256), t.build_id_size);
			t.path = "/usr/lib/libwith.so";
		} else {
			t.maj = 8;
			t.ino = rnd(1000);
			t.ino_generation = 7;
		}
	}
	if (t.what == TASK_KSYM)
		t.flags = (uint32_t)rnd(2);
	assert_int_equal(a->task(a, &t), 0);
	if (b)
		b->task(b, &t);
}

struct key {
	uint64_t time_ns;
	bool is_sample;
	size_t order;
	char *text;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->time_ns && x->is_sample != y->is_sample)
		return x->is_sample ? 1 : -1;
	return x->order < y->order ? -1 : 1;
}

static void sort_lines(struct lines *l)
{
	struct key *keys = calloc(l->v.n + 1, sizeof(*keys));
	unsigned long long t;

	for (size_t i = 0; i < l->v.n; i++) {
		char *text = l->v.data[i];

		assert_int_equal(sscanf(text, text[0] == 'S' ? "S %llu" : "T %*s %llu", &t), 1);
		keys[i] = (struct key){ t, text[0] == 'S', i, text };
	}
	qsort(keys, l->v.n, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < l->v.n; i++)
		l->v.data[i] = keys[i].text;
	free(keys);
}

/* Opens, runs, closes; returns what open or run returned. */
static int read_all(const char *path, struct lines *l, struct data_meta *ret_meta, struct err *err)
{
	struct data_reader *r;
	int ret = data_reader_open(path, &r, err);

	if (ret < 0)
		return ret;
	ret = data_reader_run(r, &l->sink, err);
	if (ret_meta)
		*ret_meta = *data_reader_meta(r);
	data_reader_close(r);
	return ret;
}

static void assert_same(const struct lines *got, const struct lines *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_string_equal(got->v.data[i], want->v.data[i]);
}

/* n events in batches whose times overlap with the next batch only. */
static void write_batches(const char *path, size_t n, bool rounds, bool lost, struct lines *want)
{
	struct data_meta meta = make_meta();
	struct data_writer *w;
	struct sink *sink;
	struct err err = { 0 };

	random_state = n;
	if (data_writer_open(path, &meta, &w, &err) < 0)
		fail_msg("%s", err.text);
	sink = data_writer_sink(w);
	for (size_t i = 0; i < 20 && i < n; i++)
		emit(sink, &want->sink, 0);
	for (size_t i = 20; i < n; i++) {
		emit(sink, &want->sink, T0 + i / 100 * 20000000 + rnd(150) * 200000);
		if (rounds && i % 100 == 99) {
			assert_int_equal(sink->round(sink), 0);
			assert_int_equal(sink->round(sink), 0);
		}
	}
	if (lost) {
		assert_int_equal(sink->lost(sink, 5), 0);
		assert_int_equal(sink->lost(sink, 7), 0);
	}
	if (data_writer_close(w, &err) < 0)
		fail_msg("%s", err.text);
	sort_lines(want);
}

static void round_trip(bool rounds)
{
	struct lines want = lines_new(), got = lines_new();
	struct data_meta meta;
	struct data_reader *r;
	struct err err = { 0 };
	const char *path = in_dir("trip.data");

	write_batches(path, 10000, rounds, true, &want);
	assert_int_equal(read_all(path, &got, &meta, &err), 0);
	assert_int_equal(got.v.n, want.v.n);
	assert_same(&got, &want, want.v.n);
	assert_int_equal(got.lost, 12);
	assert_int_equal(meta.lost, 12);
	assert_int_equal(meta.skipped, 0);
	assert_false(meta.truncated);
	assert_false(got.unordered);
	lines_free(&got);
	lines_free(&want);

	assert_int_equal(data_reader_open(path, &r, &err), 0);
	meta = *data_reader_meta(r);
	assert_string_equal(meta.hostname, "host");
	assert_string_equal(meta.os_release, "6.1.0");
	assert_string_equal(meta.version, "skep 1");
	assert_string_equal(meta.arch, "x86_64");
	assert_string_equal(meta.cpu_desc, "A CPU");
	assert_int_equal(meta.nr_cpus_avail, 8);
	assert_int_equal(meta.nr_cpus_online, 4);
	assert_int_equal(meta.total_mem_kb, 123456);
	assert_int_equal(meta.argc, 6);
	for (int i = 0; i < meta.argc; i++)
		assert_string_equal(meta.argv[i], command[i]);
	assert_int_equal(meta.nr_events, NR_EVENTS);
	for (int i = 0; i < NR_EVENTS; i++) {
		assert_string_equal(meta.events[i].name, events[i].name);
		assert_string_equal(meta.events[i].unit, events[i].unit);
		assert_int_equal(meta.events[i].freq, events[i].freq);
		assert_int_equal(meta.events[i].period_or_freq, events[i].period_or_freq);
		assert_int_equal(meta.events[i].exclude_kernel, events[i].exclude_kernel);
	}
	assert_int_equal(meta.kernel_build_id_size, BUILD_ID_MAX);
	assert_int_equal(meta.kernel_build_id[0], 9);
	assert_true(meta.callchain);
	assert_true(meta.first_ns >= T0 && meta.last_ns > meta.first_ns);
	data_reader_close(r);
}

static void test_round_trip(void **state)
{
	(void)state;
	round_trip(true);
}

/* A record that comes 15 ms late is in order, however often rounds end. */
static void test_late(void **state)
{
	struct lines want = lines_new(), got = lines_new();
	struct data_meta meta = make_meta();
	struct data_writer *w;
	struct sink *sink;
	struct err err = { 0 };
	const char *path = in_dir("late.data");

	(void)state;
	assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
	sink = data_writer_sink(w);
	random_state = 11;
	for (uint64_t i = 0; i < 200; i++) {
		emit(sink, &want.sink, T0 + i * 1000000);
		if (i % 50 == 49)
			emit(sink, &want.sink, T0 + (i - 15) * 1000000 + 1);
		assert_int_equal(sink->round(sink), 0);
	}
	assert_true(data_writer_close(w, &err) > 0);
	sort_lines(&want);
	assert_int_equal(read_all(path, &got, &meta, &err), 0);
	assert_true(meta.records[RECORD_FINISHED_ROUND] >= 5);
	assert_int_equal(got.v.n, want.v.n);
	assert_same(&got, &want, want.v.n);
	lines_free(&got);
	lines_free(&want);
}

static void test_round_trip_no_rounds(void **state)
{
	(void)state;
	round_trip(false);
}

struct stops {
	struct sink sink;
	uint8_t ustop, kstop;
	uint32_t nr_kips, nr_uips;
	char path[PATH_MAX + 1];
};

static int keep_stops(struct sink *sink, const struct sample *s)
{
	struct stops *st = (struct stops *)sink;

	st->ustop = s->chains[CHAIN_USER].stop;
	st->kstop = s->chains[CHAIN_KERNEL].stop;
	st->nr_kips = s->chains[CHAIN_KERNEL].n;
	st->nr_uips = s->chains[CHAIN_USER].n;
	return 0;
}

static int keep_path(struct sink *sink, const struct task_event *t)
{
	if (t->path)
		snprintf(((struct stops *)sink)->path, PATH_MAX + 1, "%s", t->path);
	return 0;
}

static void test_extremes(void **state)
{
	struct data_meta meta = make_meta();
	uint64_t ips[5000];
	char path[9000];
	struct sample s = { .time_ns = T0, .count = 1, .chains = { { .ips = ips, .n = STACK_MAX_FRAMES }, { .ips = ips, .n = STACK_MAX_FRAMES } } };
	struct task_event t = { .what = TASK_MMAP, .time_ns = T0, .path = path };
	struct stops st = { .sink = { .sample = keep_stops, .task = keep_path } };
	struct data_writer *w;
	struct data_reader *r;
	struct sink *sink;
	struct err err;
	const char *file = in_dir("extreme.data");

	(void)state;
	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	for (size_t i = 0; i < 5000; i++)
		ips[i] = 0x1000 + i;
	assert_int_equal(data_writer_open(file, &meta, &w, &err), 0);
	sink = data_writer_sink(w);
	assert_int_equal(sink->task(sink, &t), 0);
	assert_int_equal(sink->sample(sink, &s), 0);
	s.count = 2;
	assert_int_equal(sink->sample(sink, &s), -EINVAL);
	s.count = 1;
	s.event = NR_EVENTS;
	assert_int_equal(sink->sample(sink, &s), -EINVAL);
	assert_true(data_writer_close(w, &err) > 0);
	assert_int_equal(data_reader_open(file, &r, &err), 0);
	assert_int_equal(data_reader_run(r, &st.sink, &err), 0);
	data_reader_close(r);
	assert_int_equal(st.nr_kips, STACK_MAX_FRAMES);
	assert_int_equal(st.nr_uips, STACK_MAX_FRAMES);
	assert_int_equal(st.ustop, STOP_DEPTH);
	assert_int_equal(st.kstop, STOP_DEPTH);
	assert_int_equal(strlen(st.path), PATH_MAX - 1);

	assert_int_equal(data_writer_open(file, &meta, &w, &err), 0);
	sink = data_writer_sink(w);
	s = (struct sample){ .time_ns = T0, .count = 1, .chains = { { .ips = ips, .n = 5000 }, { .ips = ips, .n = 5000 } } };
	assert_int_equal(sink->sample(sink, &s), 0);
	s.chains[CHAIN_KERNEL].n = 0;
	s.chains[CHAIN_USER].n = 3;
	assert_int_equal(sink->sample(sink, &s), 0);
	assert_true(data_writer_close(w, &err) > 0);
	assert_int_equal(data_reader_open(file, &r, &err), 0);
	assert_int_equal(data_reader_run(r, &st.sink, &err), 0);
	data_reader_close(r);
	assert_int_equal(st.nr_uips, 3);
	assert_int_equal(st.ustop, STOP_ROOT);
}

static const char *cgroup_path(void *arg, uint64_t id)
{
	(void)arg, (void)id;
	return "/here";
}

/* The types of records in the order in which they come. */
static int put_type(void *arg, const struct data_record *record)
{
	strcat(arg, record->type == PERF_RECORD_CGROUP ? "C" : record->type == PERF_RECORD_SAMPLE ? "S" : "");
	return 0;
}

/* A sample that another CPU took earlier is written later, and read earlier: the path of its cgroup comes before it. */
static void test_cgroup_first(void **state)
{
	struct data_meta meta = make_meta();
	struct sample s = { .time_ns = T0 + 2000, .count = 1, .cgroup = 7 };
	struct lines got = lines_new();
	const char *path = in_dir("cgroup.data");
	char order[16] = "";
	struct data_writer *w;
	struct data_reader *r;
	struct sink *sink;
	struct err err;

	(void)state;
	meta.cgroup_path = cgroup_path;
	assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
	sink = data_writer_sink(w);
	assert_int_equal(sink->sample(sink, &s), 0);
	s.time_ns = T0 + 1000;
	assert_int_equal(sink->sample(sink, &s), 0);
	assert_true(data_writer_close(w, &err) > 0);
	assert_int_equal(data_reader_open(path, &r, &err), 0);
	data_reader_watch(r, put_type, order);
	assert_int_equal(data_reader_run(r, &got.sink, &err), 0);
	data_reader_close(r);
	assert_string_equal(order, "CSS");
	assert_false(got.unordered);
	lines_free(&got);
}

static int run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void test_paths(void **state)
{
	struct data_meta meta = make_meta();
	struct data_writer *w;
	struct stat st;
	struct err err = { 0 };
	const char *path = in_dir("former.data");

	(void)state;
	assert_int_equal(data_writer_open(dir, &meta, &w, &err), -EISDIR);
	assert_non_null(strstr(err.text, "is a directory"));
	assert_int_equal(symlink("elsewhere", in_dir("link.data")), 0);
	assert_int_equal(data_writer_open(in_dir("link.data"), &meta, &w, &err), -ELOOP);
	assert_int_equal(data_writer_open(in_dir("no/such/dir"), &meta, &w, &err), -ENOENT);
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	assert_int_equal(data_writer_open(in_dir("fifo"), &meta, &w, &err), -ESPIPE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
		assert_true(data_writer_close(w, &err) > 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(access(in_dir("former.data.old"), F_OK), i ? 0 : -1);
	}
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
	assert_true(data_writer_close(w, &err) > 0);
	meta.nr_events = 0;
	assert_int_equal(data_writer_open(path, &meta, &w, &err), -EINVAL);
}

/* A file takes its name with the first sample; without one nothing was recorded and the former file stays. */
static void test_first_sample(void **state)
{
	struct data_meta meta = make_meta();
	struct task_event t = { .what = TASK_COMM, .time_ns = T0, .comm = "x" };
	struct sample s = { .time_ns = T0, .count = 1, .ip = 1 };
	const char *path = in_dir("first.data"), *old = in_dir("first.data.old");
	struct data_writer *w;
	struct sink *sink;
	struct stat former, now;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_true(data_writer_close(w, &err) > 0);
	assert_int_equal(stat(path, &former), 0);
	for (int sampled = 0; sampled < 2; sampled++) {
		assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
		sink = data_writer_sink(w);
		assert_int_equal(sink->task(sink, &t), 0);
		if (sampled)
			assert_int_equal(sink->sample(sink, &s), 0);
		assert_int_equal(stat(path, &now), 0);
		assert_int_equal(now.st_ino != former.st_ino, sampled);
		data_writer_abort(w);
		assert_int_equal(access(old, F_OK), sampled - 1);
	}
	assert_int_equal(stat(old, &now), 0);
	assert_int_equal(now.st_ino, former.st_ino);
	assert_int_equal(run("test $(ls %s/first* | wc -l) = 2", dir), 0);
}

static void put_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *bytes, *says;
		size_t n;
	} cases[] = {
		{ "", "empty", 0 },
		{ "PERF", "not a perf.data file", 4 },
		{ "#!/bin/sh\nexit 0\nexit 1\n", "not a perf.data file", 24 },
		{ "2ELIFREP\0\0\0\0\0\0\0\150", "ends inside its header", 16 },
		{ "PERFFILE\150\0\0\0\0\0\0\0", "format 1", 16 },
		{ "PERFILE2\150\0\0\0\0\0\0\0", "ends inside its header", 16 },
		{ "PERFILE2\7\0\0\0\0\0\0\0", "damaged header", 16 },
		{ "PERFILE2\20\0\0\0\0\0\0\0", "describes no event", 16 },
	};
	struct lines l = lines_new();
	struct err err = { 0 };
	const char *path = in_dir("bad.data");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_file(path, cases[i].bytes, cases[i].n);
		assert_true(read_all(path, &l, NULL, &err) < 0);
		assert_non_null(strstr(err.text, cases[i].says));
		assert_non_null(strstr(err.text, "bad.data"));
	}
	assert_int_equal(read_all(dir, &l, NULL, &err), -EISDIR);
	assert_int_equal(read_all(in_dir("absent"), &l, NULL, &err), -ENOENT);
}

/* A file's bytes in a descriptor, cut to n. */
static int cut_fd(const uint8_t *bytes, size_t n)
{
	int fd = memfd_create("cut", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	return fd;
}

static uint8_t *slurp(const char *path, size_t *ret_n)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	uint8_t *p;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	p = malloc((size_t)st.st_size + 1);
	assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
	close(fd);
	*ret_n = (size_t)st.st_size;
	return p;
}

#ifdef HAVE_ZSTD
/* What perf has to get along with, counted in a file. */
struct pieces {
	size_t nr, cut; /* cut: with the begin of a record at their end */
	size_t largest; /* bytes */
	struct compression said; /* in the stream */
	uint8_t *bytes; /* what is in all of them */
	size_t n;
};

/* One COMPRESSED record: it yields something, and all that was put into it. */
static void add_piece(struct pieces *z, ZSTD_DStream *zstd, const uint8_t *p, size_t n)
{
	ZSTD_inBuffer in = { p, n, 0 };
	ZSTD_outBuffer out = { NULL, COMPRESSION_MMAP_BYTES, 0 };

	z->bytes = realloc(z->bytes, z->n + COMPRESSION_MMAP_BYTES);
	out.dst = z->bytes + z->n;
	assert_false(ZSTD_isError(ZSTD_decompressStream(zstd, &out, &in)));
	assert_int_equal(in.pos, in.size);
	assert_true(out.pos > 0 && out.pos < out.size);
	z->n += out.pos;
	z->nr++;
	z->largest = out.pos > z->largest ? out.pos : z->largest;
}

static struct pieces pieces_of(const uint8_t *file)
{
	ZSTD_DStream *zstd = ZSTD_createDStream();
	struct pieces z = { 0 };
	struct file_header h;
	size_t at = 0;

	memcpy(&h, file, sizeof(h));
	for (const uint8_t *p = file + h.data.offset, *end = p + h.data.size; p < end; p += get_u16(p + 6)) {
		if (get_u32(p) == RECORD_HEADER_FEATURE)
			memcpy(&z.said, p + 16, sizeof(z.said));
		else if (get_u32(p) != RECORD_COMPRESSED)
			assert_int_equal(get_u32(p), RECORD_EVENT_UPDATE);
		else
			add_piece(&z, zstd, p + 8, get_u16(p + 6) - 8);
		while (at + 8 <= z.n && at + get_u16(z.bytes + at + 6) <= z.n)
			at += get_u16(z.bytes + at + 6);
		z.cut += at < z.n;
	}
	assert_int_equal(at, z.n);
	ZSTD_freeDStream(zstd);
	return z;
}

/* Stacks of noise, which cannot be compressed, in the largest records. */
static void write_noise(const char *path, size_t n)
{
	struct data_meta meta = make_meta();
	uint64_t ips[4000];
	struct sample s = { .count = 1, .chains = { { .ips = ips, .n = 4000 }, { .ips = ips, .n = 4000 } } };
	struct data_writer *w;
	struct err err = { 0 };

	random_state = 3;
	assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < 4000; k++)
			ips[k] = rnd(1ull << 31) << 33 | rnd(1ull << 31) << 2 | rnd(4);
		s.time_ns = T0 + i;
		assert_int_equal(data_writer_sink(w)->sample(data_writer_sink(w), &s), 0);
	}
	assert_true(data_writer_close(w, &err) > 0);
}

/* The same file, but for its compression: to the byte; in pieces that perf can take. */
static void compare_pieces(const uint8_t *plain, const uint8_t *packed, uint32_t level, size_t least)
{
	struct pieces z = pieces_of(packed);
	struct file_header a, b;
	size_t preamble;

	memcpy(&a, plain, sizeof(a));
	memcpy(&b, packed, sizeof(b));
	preamble = a.data.size - z.n;
	assert_memory_equal(plain + a.data.offset, packed + b.data.offset, preamble);
	assert_memory_equal(plain + a.data.offset + preamble, z.bytes, z.n);
	assert_true(z.nr >= least && z.cut > 0 && z.cut < z.nr);
	assert_int_equal(z.said.type, COMPRESSION_ZSTD);
	assert_int_equal(z.said.level, level);
	assert_true(z.said.mmap_bytes >= z.largest);
	assert_int_equal(z.said.ratio, (a.data.size + b.data.size / 2) / b.data.size);
	assert_false(a.features[0] & 1ull << FEATURE_COMPRESSED);
	assert_true(b.features[0] & 1ull << FEATURE_COMPRESSED);
	free(z.bytes);
}

static void test_compressed_pieces(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	static const int levels[] = { 1, 9, 19 }; /* 22 takes 0.7 GB, and unit tests run twice at once */
#else
	static const int levels[] = { 1, 9, 22 }; /* whose window is the largest that a decoder takes by default */
#endif
	const char *plain = in_dir("plain.data"), *packed = in_dir("packed.data");
	struct lines want = lines_new();
	uint8_t *a, *b;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		bool noise = i == 0;

		for (int pass = 0; pass < 2; pass++) {
			compression_level = pass ? levels[i] : 0;
			noise ? write_noise(pass ? packed : plain, 100) : write_batches(pass ? packed : plain, 2000, true, true, &want);
		}
		compression_level = 0;
		a = slurp(plain, &n);
		b = slurp(packed, &n);
		compare_pieces(a, b, (uint32_t)levels[i], noise ? 100 : 20);
		free(a);
		free(b);
	}
	lines_free(&want);
}

static int compressed(void **state)
{
	(void)state;
	compression_level = 1;
	return 0;
}

static int uncompressed(void **state)
{
	(void)state;
	compression_level = 0;
	return 0;
}

#else

static void test_no_zstd(void **state)
{
	struct data_meta meta = make_meta();
	struct data_writer *w;
	struct err err = { 0 };

	(void)state;
	meta.compression_level = 1;
	assert_int_equal(data_writer_open(in_dir("none.data"), &meta, &w, &err), -EOPNOTSUPP);
	assert_int_equal(err.exit, EXIT_CANNOT);
	assert_non_null(strstr(err.text, "no zstd"));
	assert_non_null(strstr(err.hint, "libzstd"));
	assert_int_equal(access(in_dir("none.data"), F_OK), -1);
}

#endif

/* Every length of a file: never more than the whole had, never a wrong event, and it says that it is cut. */
static void test_truncation(void **state)
{
	struct lines want = lines_new();
	const char *path = in_dir("small.data");
	size_t n, before = 0;
	uint8_t *bytes;

	(void)state;
	write_batches(path, 30, true, true, &want);
	bytes = slurp(path, &n);
	for (size_t cut = 0; cut <= n; cut++) {
		int fd = cut_fd(bytes, cut);
		struct lines got = lines_new();
		struct data_reader *r;
		struct err err = { 0 };
		size_t at = 0;

		if (data_reader_open_fd(fd, "cut", &r, &err) == 0) {
			assert_int_equal(data_reader_run(r, &got.sink, &err), 0);
			assert_int_equal(data_reader_meta(r)->truncated, cut < n);
			data_reader_close(r);
		} else {
			assert_int_equal(got.v.n, 0);
			assert_true(err.text[0]);
		}
		close(fd);
		assert_false(got.unordered);
		assert_true(got.v.n >= before);
		before = got.v.n;
		/* Sorting puts later records before earlier ones: what came is a subsequence. */
		for (size_t i = 0; i < got.v.n; i++, at++)
			while (strcmp(got.v.data[i], want.v.data[at]))
				assert_true(++at < want.v.n);
		lines_free(&got);
	}
	assert_int_equal(before, want.v.n);
	free(bytes);
	lines_free(&want);
}

/* Every byte of a small file, spoiled: no crash, no hang. What comes out is not judged. */
static void test_spoiled(void **state)
{
	struct lines want = lines_new();
	const char *path = in_dir("small.data");
	uint8_t *bytes;
	size_t n;

	(void)state;
	write_batches(path, 26, true, true, &want);
	bytes = slurp(path, &n);
	for (size_t at = 0; at < n; at++) {
		static const uint8_t masks[] = { 0xff, 0x80, 0x01 };
		struct lines got = lines_new();
		struct data_reader *r;
		struct err err = { 0 };
		int fd;

		bytes[at] ^= masks[at % 3];
		fd = cut_fd(bytes, n);
		bytes[at] ^= masks[at % 3];
		if (data_reader_open_fd(fd, "spoiled", &r, &err) == 0) {
			if (data_reader_run(r, &got.sink, &err) < 0)
				assert_true(err.text[0]);
			data_reader_close(r);
		} else {
			assert_true(err.text[0]);
		}
		close(fd);
		assert_false(got.unordered);
		lines_free(&got);
	}
	free(bytes);
	lines_free(&want);
}

static bool has_perf(void)
{
	static int known = -1;

	if (known < 0)
		known = system("perf --version >/dev/null 2>&1") == 0;
	return known;
}

static bool can_record(void)
{
	char cmd[512];
	static int known = -1;

	if (known < 0) {
		snprintf(cmd, sizeof(cmd), "perf record -o %s -- true >/dev/null 2>&1", in_dir("probe.data"));
		known = has_perf() && system(cmd) == 0;
	}
	return known;
}

#define NEED(condition, why)                      \
	do {                                      \
		if (!(condition)) {               \
			print_message("skip: " why "\n"); \
			skip();                   \
		}                                 \
	} while (0)

static int run(const char *fmt, ...)
{
	/* perf copies all maps at each fork: what we make up must not eat the machine. */
	char cmd[2048] = "ulimit -v 4000000; ";
	size_t n = strlen(cmd);
	va_list ap;
	int ret;

	va_start(ap, fmt);
	vsnprintf(cmd + n, sizeof(cmd) - n, fmt, ap);
	va_end(ap);
	ret = system(cmd);
	return WIFEXITED(ret) ? WEXITSTATUS(ret) : -1;
}

/* perf reads the file, says nothing on stderr, and finds all samples. */
static void perf_likes(const char *path, size_t nr_samples, bool whole)
{
	FILE *f;
	char cmd[512];
	size_t found = 0;

	assert_int_equal(run("perf script --ns -F comm,pid,tid,time,event,period,ip,sym -i %s >%s 2>%s", path,
			     in_dir("out"), in_dir("err")), 0);
	if (whole)
		assert_int_equal(run("test ! -s %s || { cat %s >&2; false; }", in_dir("err"), in_dir("err")), 0);
	assert_int_equal(run("perf report --stdio -i %s >%s 2>%s", path, in_dir("out2"), in_dir("err")), 0);
	if (whole)
		assert_int_equal(run("test ! -s %s || { cat %s >&2; false; }", in_dir("err"), in_dir("err")), 0);
	assert_int_equal(run("perf buildid-list -i %s >%s 2>%s", path, in_dir("ids"), in_dir("err")), 0);
	snprintf(cmd, sizeof(cmd), "grep -cE '[0-9]+\\.[0-9]{9}:' %s", in_dir("out"));
	f = popen(cmd, "r");
	assert_int_equal(fscanf(f, "%zu", &found), 1);
	pclose(f);
	assert_int_equal(found, nr_samples);
}

/* Where the kernel's text begins, as kernel_scan() would say; 0 if that is hidden. */
static uint64_t kernel_text(void)
{
	FILE *f = popen("grep -m1 ' T _text$' /proc/kallsyms", "r");
	unsigned long long addr = 0;

	if (fscanf(f, "%llx", &addr) != 1)
		addr = 0;
	pclose(f);
	return addr;
}

/* The GNU build id in /sys/kernel/notes: notes of name size, size, type, name, content. */
static void kernel_build_id(struct data_meta *meta)
{
	uint8_t b[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY);
	size_t n = fd < 0 ? 0 : (size_t)read(fd, b, sizeof(b)), at = 0;

	close(fd);
	meta->kernel_build_id_size = 0;
	while (at + 12 <= n) {
		size_t name = (get_u32(b + at) + 3) & ~3u, size = get_u32(b + at + 4), type = get_u32(b + at + 8);

		if (type == 3 && size == BUILD_ID_MAX && !memcmp(b + at + 12, "GNU", 4)) {
			memcpy(meta->kernel_build_id, b + at + 12 + name, size);
			meta->kernel_build_id_size = BUILD_ID_MAX;
			return;
		}
		at += 12 + name + ((size + 3) & ~3u);
	}
}

static void test_perf_reads_ours(void **state)
{
	struct data_meta meta = make_meta();
	struct task_event kernel = { .what = TASK_MMAP, .kernel = true, .pid = UINT32_MAX, .addr = kernel_text(),
				     .path = "[kernel.kallsyms]_text", .len = 1u << 24 };
	const char *path = in_dir("ours.data");
	struct lines want = lines_new();
	struct data_writer *w;
	struct sink *sink;
	struct err err;

	(void)state;
	NEED(has_perf(), "no perf");
	kernel_build_id(&meta);
	assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
	sink = data_writer_sink(w);
	kernel.pgoff = kernel.addr;
	assert_int_equal(sink->task(sink, &kernel), 0);
	random_state = 7;
	for (uint64_t i = 0; i < 300; i++) {
		emit(sink, &want.sink, T0 + i * 1000);
		if (i % 50 == 0)
			sink->round(sink);
	}
	assert_true(data_writer_close(w, &err) > 0);
	perf_likes(path, want.samples, kernel.addr);
	assert_int_equal(run("grep -q 'sched:sched_switch' %s", in_dir("out")), 0);
	assert_int_equal(run("grep -q 'page-faults:u' %s", in_dir("out")), 0);
	assert_int_equal(run("grep -qF '[kernel.kallsyms]' %s", in_dir("ids")),
			 !meta.kernel_build_id_size);
	assert_int_equal(run("grep -q '/usr/lib/libwith.so' %s", in_dir("ids")), 0);
	assert_int_equal(run("perf report --header-only -i %s 2>&1 | grep -q 'hostname : host'", path), 0);
	assert_int_equal(run("perf report --header-only -i %s 2>&1 | grep -q 'nrcpus avail : 8'", path), 0);
	assert_int_equal(run("perf report --header-only -i %s 2>&1 | grep -q 'compressed : Zstd, level = 1, ratio = [1-9]'", path),
			 !compression_level);
	lines_free(&want);
}

/* A recorder that dies in the middle: all but the last second, or the last buffer, is there. */
static void test_killed(void **state)
{
	struct data_meta meta = make_meta(), seen;
	const char *path = in_dir("killed.data");
	struct lines got = lines_new();
	struct err err = { 0 };
	int ready[2];
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct data_writer *w;
		struct sink *sink;

		if (data_writer_open(path, &meta, &w, &err) < 0)
			_exit(1);
		sink = data_writer_sink(w);
		for (uint64_t i = 0;; i++) {
			struct sample s = { .time_ns = T0 + i * 1000, .count = 1, .pid = 1, .tid = 1,
					    .ip = 0x400000 + i % 7, .event = i % NR_EVENTS };

			sink->sample(sink, &s);
			if (i % 100 == 0)
				sink->round(sink);
			if (i == 20000 && write(ready[1], "x", 1) != 1)
				_exit(1);
			if (i > 20000)
				usleep(10);
		}
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	usleep(20000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(read_all(path, &got, &seen, &err), 0);
	assert_true(seen.truncated);
	assert_true(got.samples > 20000 - 256 * 1024 / 72);
	assert_false(got.unordered);
	if (has_perf()) {
		assert_int_equal(run("perf report --stdio -i %s 2>&1 | grep -q sched:sched_switch", path), 0);
		assert_int_equal(run("test $(perf script -F time -i %s 2>/dev/null | grep -c .) = %zu", path, got.samples), 0);
	}
	lines_free(&got);
}

/* Writes until it fails. */
static void fill_up(const char *path, int want, size_t *ret_written, struct err *err)
{
	struct data_meta meta = make_meta();
	struct data_writer *w;
	struct sink *sink;
	int ret = 0;

	*ret_written = 0;
	ret = data_writer_open(path, &meta, &w, err);
	if (ret < 0) {
		assert_int_equal(ret, want);
		return;
	}
	sink = data_writer_sink(w);
	for (uint64_t i = 0; ret == 0 && i < 10000000; i++, ++*ret_written) {
		struct sample s = { .time_ns = T0 + i, .count = 1, .ip = 0x400000, .pid = 1, .tid = 1 };

		ret = sink->sample(sink, &s);
	}
	assert_int_equal(ret, want);
	assert_int_equal(data_writer_close(w, err), want);
}

static void test_disk_full(void **state)
{
	char mnt[256], path[300];
	struct lines got = lines_new();
	struct data_meta meta;
	struct err err = { 0 };
	size_t written;

	(void)state;
	fill_up("/dev/full", -ENOSPC, &written, &err);
	assert_non_null(strstr(err.text, "/dev/full"));
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	mkdir(mnt, 0700);
	NEED(mount("none", mnt, "tmpfs", 0, "size=2m") == 0, "cannot mount a tmpfs");
	snprintf(path, sizeof(path), "%s/full.data", mnt);
	fill_up(path, -ENOSPC, &written, &err);
	if (!strstr(err.text, "No space left") || !strstr(err.text, path) ||
	    read_all(path, &got, &meta, &err) < 0 || !meta.truncated) {
		umount(mnt);
		fail_msg("%s", err.text);
	}
	if (has_perf())
		assert_int_equal(run("perf script -i %s -F time >%s 2>/dev/null", path, in_dir("out")), 0);
	umount(mnt);
	/* No more is missing than one buffer. */
	assert_true(got.samples > 20000 && got.samples <= written);
	assert_true(written - got.samples < 256 * 1024 / 72 + 1);
	lines_free(&got);
}

/* Reads along in the output of perf script -D and compares. */
struct file_read {
	struct sink sink;
	FILE *perf;
	char *line;
	size_t cap;
	size_t samples, with_ids;
	char comms[65536][COMM_FILE_LEN]; /* by tid */
	char differ[512];	     /* the first difference */
};

static bool differ(struct file_read *rd, const char *what, const struct sample *s)
{
	if (!rd->differ[0])
		snprintf(rd->differ, sizeof(rd->differ), "sample %zu at %llu: %s; perf: %s", rd->samples,
			 (unsigned long long)s->time_ns, what, rd->line);
	return false;
}

static bool compare_head(struct file_read *rd, const struct sample *s)
{
	unsigned long long time, at, size, ip, period;
	unsigned pid, tid;
	char *p;

	do {
		if (getline(&rd->line, &rd->cap, rd->perf) < 0)
			return differ(rd, "perf has no more", s);
		p = strstr(rd->line, "]: PERF_RECORD_SAMPLE(");
	} while (!p);
	/* With CPUs asked for, the line begins with one. */
	if (sscanf(rd->line, "%*u %llu %llx [%llx]", &time, &at, &size) != 3 &&
	    sscanf(rd->line, "%llu %llx [%llx]", &time, &at, &size) != 3)
		return differ(rd, "not understood", s);
	p = strstr(p, "): ");
	if (!p || sscanf(p, "): %u/%u: %llx period: %llu", &pid, &tid, &ip, &period) != 4)
		return differ(rd, "not understood", s);
	if (time != s->time_ns)
		return differ(rd, "time", s);
	if (pid != s->pid || tid != s->tid)
		return differ(rd, "pid", s);
	if (ip != s->ip)
		return differ(rd, "ip", s);
	return period == s->weight || differ(rd, "period", s);
}

/* The chain, then the thread's name. */
static bool compare_rest(struct file_read *rd, const struct sample *s)
{
	unsigned long long ip;
	uint32_t at = 0, n = s->chains[CHAIN_KERNEL].n + s->chains[CHAIN_USER].n;
	bool chain = false, foreign = false; /* behind a marker of neither side: a word of the stack that looks like one, too */
	char *p, *end;

	while (getline(&rd->line, &rd->cap, rd->perf) > 0) {
		if (strstr(rd->line, "chain: nr:"))
			chain = !strstr(rd->line, "nr:0"); /* then the ip is our only frame */
		p = strstr(rd->line, " ... thread: ");
		if (p) {
			p += strlen(" ... thread: ");
			end = strrchr(p, ':');
			*end = '\0';
			if (s->tid && s->tid < 65536 && strcmp(p, rd->comms[s->tid]))
				return differ(rd, rd->comms[s->tid], s);
			return !chain || at == n || differ(rd, "number of addresses", s);
		}
		if (sscanf(rd->line, "..... %*u: %llx", &ip) != 1 || !strchr(rd->line, ':') || !chain)
			continue;
		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			foreign = ip != (uint64_t)PERF_CONTEXT_KERNEL && ip != (uint64_t)PERF_CONTEXT_USER;
		if (ip >= (uint64_t)PERF_CONTEXT_MAX || foreign)
			continue;
		if (at >= n || ip != (at < s->chains[CHAIN_KERNEL].n ? s->chains[CHAIN_KERNEL].ips[at] : s->chains[CHAIN_USER].ips[at - s->chains[CHAIN_KERNEL].n]))
			return differ(rd, "address", s);
		at++;
	}
	return differ(rd, "no thread", s);
}

static bool compare_sample(struct file_read *rd, const struct sample *s)
{
	return compare_head(rd, s) && compare_rest(rd, s);
}

static int reading_sample(struct sink *sink, const struct sample *s)
{
	struct file_read *rd = (struct file_read *)sink;

	rd->samples++;
	return rd->differ[0] || compare_sample(rd, s) ? 0 : -ECANCELED;
}

static int reading_task(struct sink *sink, const struct task_event *t)
{
	struct file_read *rd = (struct file_read *)sink;

	rd->with_ids += t->what == TASK_MMAP && t->build_id_size;
	if (t->tid >= 65536 || t->ptid >= 65536)
		return 0;
	if (t->what == TASK_COMM || t->what == TASK_EXEC)
		strcpy(rd->comms[t->tid], t->comm);
	if (t->what == TASK_FORK)
		strcpy(rd->comms[t->tid], rd->comms[t->ptid]);
	return 0;
}

#define WORKLOAD \
	"sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; ls -lR /usr/share/doc >/dev/null; (cat /proc/kallsyms | wc -l) >/dev/null'"

static void compare_with_perf(const char *path, size_t least)
{
	struct file_read *rd = calloc(1, sizeof(*rd));
	struct data_meta meta;
	struct data_reader *r;
	struct err err = { 0 };
	char cmd[512], *rest = NULL;
	size_t cap = 0;
	int ret;

	rd->sink = (struct sink){ .sample = reading_sample, .task = reading_task };
	snprintf(cmd, sizeof(cmd), "perf script -D -i %s 2>/dev/null | grep -av '^\\. '", path);
	rd->perf = popen(cmd, "r");
	if (data_reader_open(path, &r, &err) < 0)
		fail_msg("%s", err.text);
	ret = data_reader_run(r, &rd->sink, &err);
	meta = *data_reader_meta(r);
	if (rd->differ[0])
		fail_msg("%s", rd->differ);
	if (ret < 0)
		fail_msg("%s", err.text);
	assert_true(rd->samples >= least);
	/* From the record or, by path, from the BUILD_ID section. */
	assert_true(rd->with_ids > 0);
	assert_int_equal(meta.skipped, 0);
	while (getline(&rest, &cap, rd->perf) > 0)
		if (strstr(rest, "]: PERF_RECORD_SAMPLE("))
			fail_msg("perf has more: %s", rest);
	print_message("%zu samples, %d events, %llu lost\n", rd->samples, meta.nr_events,
		      (unsigned long long)meta.lost);
	data_reader_close(r);
	pclose(rd->perf);
	free(rest);
	free(rd->line);
	free(rd);
}

static void test_perf_files(void **state)
{
	static const char *const options[] = {
		"-g -F 999",
		"-F 999",
		"-g -F 999 -e cpu-clock,task-clock,page-faults",
		"-a -g -F 499",
		"-a -F 499 -e cpu-clock -e context-switches",
		"--call-graph dwarf,4096 -F 499",
		"-g -F 999 -d --phys-data --all-cgroups --sample-cpu",
		"-g -F 999 --buildid-mmap",
		"-g -c 100000 -e cpu-clock",
	};
	const char *path = in_dir("perf.data");
	size_t done = 0;

	(void)state;
	NEED(can_record(), "no perf, or not permitted to record");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (run("perf record %s -o %s -- %s >/dev/null 2>&1", options[i], path, WORKLOAD)) {
			print_message("skip: perf record %s\n", options[i]);
			continue;
		}
		print_message("perf record %s: ", options[i]);
		compare_with_perf(path, 20);
		done++;
	}
	assert_true(done >= 4);
}

static void test_perf_compressed(void **state)
{
	const char *path = in_dir("z.data");
	struct lines l = lines_new();
	struct err err = { 0 };
	int ret;

	(void)state;
	NEED(can_record() && !run("perf record -z --buildid-mmap -g -F 4999 -o %s -- %s >/dev/null 2>&1", path, WORKLOAD),
	     "no perf record -z");
	ret = read_all(path, &l, NULL, &err);
	lines_free(&l);
	if (ret == -EOPNOTSUPP) {
		assert_non_null(strstr(err.text, "compressed"));
		assert_non_null(strstr(err.hint, "perf inject"));
		return;
	}
	compare_with_perf(path, 20);
}

static void test_perf_pipe(void **state)
{
	const char *path = in_dir("pipe.data");
	struct lines file = lines_new(), piped = lines_new();
	struct data_meta meta;
	struct err err = { 0 };
	int saved, fd;
	FILE *f;
	char cmd[512];

	(void)state;
	NEED(can_record() && !run("perf record -g -F 999 -e cpu-clock,page-faults -o - -- %s 2>/dev/null >%s",
				  WORKLOAD, path), "no perf record -o -");
	assert_int_equal(read_all(path, &file, &meta, &err), 0);
	assert_int_equal(meta.nr_events, 2);
	assert_true(file.samples > 20);
	snprintf(cmd, sizeof(cmd), "cat %s", path);
	f = popen(cmd, "r");
	saved = dup(STDIN_FILENO);
	dup2(fileno(f), STDIN_FILENO);
	assert_int_equal(read_all("-", &piped, &meta, &err), 0);
	assert_string_equal(meta.events ? "events" : "", "events");
	dup2(saved, STDIN_FILENO);
	pclose(f);
	assert_int_equal(piped.v.n, file.v.n);
	assert_same(&piped, &file, file.v.n);
	lines_free(&file);
	lines_free(&piped);

	/* A file of the other format has its attributes elsewhere: a pipe cannot go there. */
	write_batches(path, 30, true, true, &file);
	snprintf(cmd, sizeof(cmd), "cat %s", path);
	f = popen(cmd, "r");
	dup2(fileno(f), STDIN_FILENO);
	assert_int_equal(read_all("-", &piped, NULL, &err), -ESPIPE);
	dup2(saved, STDIN_FILENO);
	pclose(f);
	fd = open(path, O_RDONLY);
	dup2(fd, STDIN_FILENO);
	piped = lines_new();
	assert_int_equal(read_all("-", &piped, NULL, &err), 0);
	assert_same(&piped, &file, file.v.n);
	dup2(saved, STDIN_FILENO);
	close(fd);
	close(saved);
	lines_free(&file);
	lines_free(&piped);
}

/* An interrupted perf: data.size is 0 and the feature bits lie. */
static void test_perf_killed(void **state)
{
	const char *path = in_dir("pk.data");
	struct lines l = lines_new();
	struct data_meta meta;
	struct err err = { 0 };

	(void)state;
	NEED(can_record(), "no perf, or not permitted to record");
	run("perf record -F 4999 -g -m 16 -a -o %s -- sleep 3 >/dev/null 2>&1 & pid=$!; "
	    "timeout 2 sh -c 'while :; do :; done'; kill -9 $pid; wait $pid 2>/dev/null", path);
	assert_int_equal(read_all(path, &l, &meta, &err), 0);
	assert_true(meta.truncated);
	assert_true(l.samples > 100);
	assert_false(l.unordered);
	lines_free(&l);
}

static int group_setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void)state;
	return run("rm -rf %s", dir);
}

/* The same test of files that are compressed. */
#define COMPRESSED(test) { #test ", compressed", test, compressed, uncompressed, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_no_rounds),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_cgroup_first),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_first_sample),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_spoiled),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_perf_reads_ours),
		cmocka_unit_test(test_perf_files),
		cmocka_unit_test(test_perf_compressed),
		cmocka_unit_test(test_perf_pipe),
		cmocka_unit_test(test_perf_killed),
#ifdef HAVE_ZSTD
		cmocka_unit_test(test_compressed_pieces),
		COMPRESSED(test_round_trip),
		COMPRESSED(test_round_trip_no_rounds),
		COMPRESSED(test_extremes),
		COMPRESSED(test_truncation),
		COMPRESSED(test_spoiled),
		COMPRESSED(test_killed),
		COMPRESSED(test_disk_full),
		COMPRESSED(test_perf_reads_ours),
#else
		cmocka_unit_test(test_no_zstd),
#endif
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
