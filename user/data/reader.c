/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf.data reader: a source. In comes a file or a stream, hostile; out go its records in time
 * order. Bytes are read, not mapped: another process may cut the file while we read it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/reader.h"
#include "data/summed.h"
#include "pprof/pprof.h"

#define CHUNK_BYTES (1u << 20)
#define CHUNK_BYTES_MIN (192u << 10) /* two records of the largest size, and more */
/* What waits to be sorted. Beyond it the older half is delivered: without rounds that is a guess. */
#define QUEUE_BYTES_MAX (512u << 20)

/* One read(2) into the stream: 1 for bytes, 0 for the end. */
static int fill(struct data_reader *r, struct err *err)
{
	uint64_t left = r->in.end - r->in.pos;
	uint8_t *p;
	size_t n;
	ssize_t got;
	int ret;

	if (r->regular && r->in.stream.skip && !r->in.stream.keep) {
		uint64_t skip = r->in.stream.skip < left ? r->in.stream.skip : left;

		r->in.pos += skip;
		r->in.stream.skip -= skip;
		left -= skip;
		stream_restart(&r->in.stream);
	}
	ret = stream_room(&r->in.stream, &p, &n);
	if (ret < 0)
		return reader_fail(r, err, ret, strerror(-ret));
	n = n < left ? n : (size_t)left;
	do
		got = r->regular ? pread(r->in.fd, p, n, (off_t)r->in.pos) : read(r->in.fd, p, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return reader_fail(r, err, -errno, strerror(errno));
	r->in.pos += (uint64_t)got;
	stream_filled(&r->in.stream, (size_t)got);
	r->in.stream.chunk->file_at = r->in.pos - r->in.stream.chunk->used;
	r->in.stream.chunk->file = r->in.name;
	r->in.stream.chunk->is_packed = false;
	return got > 0;
}

/* Where the next record of the file begins. */
static uint64_t next_at(const struct data_reader *r)
{
	return r->in.pos - stream_left(&r->in.stream);
}

static void cut_here(struct data_reader *r)
{
	r->meta.truncated = true;
	if (!r->meta.cut.file)
		r->meta.cut = (struct data_place){ .file = r->in.name, .at = next_at(r) };
}

/* A record whose size cannot be: what follows it cannot be found. */
static int damaged_here(const struct data_reader *r, struct err *err)
{
	struct data_place here = record_place(r->in.stream.chunk, r->in.stream.chunk->bytes + r->in.stream.at);
	char text[PLACE_TEXT_BYTES];

	return err_set(err, -EBADMSG, "cannot read '%s': damaged record at %s", r->in.name, data_place_text(&here, text));
}

/* The next record: 1; 0 at the end, whole or cut; -errno. */
static int next_record(struct data_reader *r, const uint8_t **ret_record, struct err *err)
{
	static const uint8_t zeros[sizeof(struct perf_event_header)];
	int ret;

	while ((ret = stream_peek(&r->in.stream, ret_record)) == 0) {
		ret = fill(r, err);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (stream_left(&r->in.stream) || r->in.stream.skip || (r->regular && r->in.pos < r->in.end))
			cut_here(r);
		return 0;
	}
	if (ret > 0)
		return ret;
	/* A power cut leaves zeros where blocks were given out but not yet written. */
	if (!memcmp(r->in.stream.chunk->bytes + r->in.stream.at, zeros, sizeof(zeros))) {
		cut_here(r);
		return 0;
	}
	return damaged_here(r, err);
}

/* Delivers the first n of the sorted queue. */
static int deliver(struct data_reader *r, size_t n)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < n && ret >= 0; i++) {
		const struct queued *e = &r->queue.entries.data[i];

		/* Older than its round promised: all we can do for the order is to move it. */
		if (e->time_ns > r->delivered_ns)
			r->delivered_ns = e->time_ns;
		ret = record_pass(r, e->chunk, e->chunk->bytes + e->at, e->attr, r->delivered_ns);
		chunk_put(e->chunk);
	}
	queue_drop(&r->queue, i);
	return ret < 0 ? ret : 0;
}

int deliver_until(struct data_reader *r, uint64_t time_ns)
{
	size_t lo = 0, hi = r->queue.entries.n;
	int ret = queue_sort(&r->queue);

	if (ret < 0)
		return ret;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->queue.entries.data[mid].time_ns <= time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	ret = deliver(r, lo);
	if (ret == 0 && r->sink->round)
		ret = r->sink->round(r->sink);
	return ret < 0 ? ret : 0;
}

/* What a round promises is of its own file. */
static int finish_round(struct data_reader *r)
{
	uint64_t limit = r->in.before_ns;

	r->in.before_ns = r->in.max_ns;
	return r->more.n ? 0 : deliver_until(r, limit);
}

static int enqueue(struct data_reader *r, struct stream *s, const uint8_t *record, size_t size, bool is_sample)
{
	int attr = record_attr(r, record, size, is_sample), ret;
	struct queued e = { .class = is_sample ? QUEUE_SAMPLE : QUEUE_TASK };

	if (attr < 0) {
		struct data_place place = record_place(s->chunk, record);

		record_skip(r, &place);
		return 0;
	}
	if (s->is_swapped)
		(is_sample ? swap_sample : swap_trailer)(&r->layouts.data[attr], s->chunk->bytes + (record - s->chunk->bytes), size);
	e.time_ns = record_time(&r->layouts.data[attr], record, size, is_sample);
	if (!e.time_ns) {
		ret = record_pass(r, s->chunk, record, (unsigned)attr, 0);
		return ret < 0 ? ret : 0;
	}
	e.chunk = s->chunk;
	e.at = (uint32_t)(record - s->chunk->bytes);
	e.attr = (uint16_t)attr;
	ret = queue_push(&r->queue, &e);
	if (ret < 0)
		return ret;
	s->chunk->refs++;
	if (e.time_ns > r->in.max_ns)
		r->in.max_ns = e.time_ns;
	if (r->pool.nr_live * r->pool.cap < QUEUE_BYTES_MAX)
		return 0;
	ret = queue_sort(&r->queue);
	return ret < 0 ? ret : deliver(r, (r->queue.entries.n + 1) / 2);
}

static int accept_attr(struct data_reader *r, const uint8_t *record, size_t size)
{
	size_t at = sizeof(struct perf_event_header), attr_size;
	int ret;

	if (!r->pipe_format || r->started)
		return 0;
	if (size < at + PERF_ATTR_SIZE_VER0)
		return -EBADMSG;
	attr_size = get_u32(record + at + offsetof(struct perf_event_attr, size));
	if (!attr_size)
		attr_size = PERF_ATTR_SIZE_VER0;
	if (attr_size > size - at)
		return -EBADMSG;
	ret = attr_add(r, record + at, attr_size);
	at += attr_size;
	return ret < 0 ? ret : attr_add_ids(r, r->layouts.n - 1, record + at, (size - at) / sizeof(uint64_t));
}

static void accept_update(struct data_reader *r, const uint8_t *record, size_t size)
{
	uint64_t what = size > 24 ? get_u64(record + 8) : UINT64_MAX, id = size > 24 ? get_u64(record + 16) : 0;
	const char *text = (const char *)record + 24;
	double scale;

	if (what == EVENT_UPDATE_NAME)
		event_set_name(r, id, SIZE_MAX, text, strnlen(text, size - 24));
	if (what == EVENT_UPDATE_UNIT)
		event_set_unit(r, id, text, strnlen(text, size - 24));
	if (what == EVENT_UPDATE_SCALE && size >= 24 + sizeof(scale)) {
		memcpy(&scale, text, sizeof(scale));
		event_set_scale(r, id, scale);
	}
}

static int accept_compressed(struct data_reader *r, const uint8_t *record, size_t size, struct err *err)
{
	uint64_t n;

	if (get_u32(record) == RECORD_COMPRESSED)
		return decompress_record(r, record + 8, size - 8, err);
	n = size < 16 ? 0 : get_u64(record + 8);
	if (size < 16 || n > size - 16)
		return reader_fail(r, err, -EBADMSG, "damaged compressed record");
	return decompress_record(r, record + 16, (size_t)n, err);
}

/* Records of perf itself. */
static int accept_user(struct data_reader *r, struct stream *s, const uint8_t *record, size_t size,
		       struct err *err)
{
	int ret = 0;

	switch (get_u32(record)) {
	case RECORD_FINISHED_ROUND:
		return finish_round(r);
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return accept_compressed(r, record, size, err);
	case RECORD_HEADER_ATTR:
		ret = accept_attr(r, record, size);
		break;
	case RECORD_HEADER_FEATURE:
		if (!r->started && size >= 16 && get_u64(record + 8) < FEATURE_MAX)
			ret = feature_read(r, (unsigned)get_u64(record + 8), record + 16, size - 16);
		break;
	case RECORD_HEADER_BUILD_ID:
		ret = build_id_read(r, record, size, false);
		break;
	case RECORD_EVENT_UPDATE:
		accept_update(r, record, size);
		break;
	case RECORD_AUXTRACE_INFO:
		r->meta.aux_type = size < 12 ? 0 : get_u32(record + 8);
		break;
	case RECORD_AUXTRACE:
		s->skip = size < 16 ? 0 : get_u64(record + 8);
		r->meta.aux_bytes += s->skip;
		break;
	case RECORD_HEADER_TRACING_DATA:
		s->skip = size < 12 ? 0 : ((uint64_t)get_u32(record + 8) + 7) & ~7ull;
		s->keep = !r->started && s->skip <= FEATURE_BYTES_MAX;
		break;
	}
	if (ret == -EBADMSG || ret == -E2BIG)
		return reader_fail(r, err, ret, ret == -E2BIG ? "too many events or ids" : "damaged attribute record");
	return ret;
}

int record_accept(struct data_reader *r, struct stream *s, const uint8_t *record, struct err *err)
{
	size_t size = get_u16(record + offsetof(struct perf_event_header, size));
	uint32_t type = get_u32(record);
	int ret = 0;

	if (type < RECORD_TYPES)
		r->meta.records[type]++;
	switch (type) {
	case PERF_RECORD_SAMPLE:
		ret = enqueue(r, s, record, size, true);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_KSYMBOL:
	case RECORD_CALLCHAIN_DEFERRED:
		ret = enqueue(r, s, record, size, false);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (r->watch || r->counts_running)
			ret = enqueue(r, s, record, size, false);
		break;
	case PERF_RECORD_THROTTLE:
		r->meta.throttled++;
		if (r->watch)
			ret = enqueue(r, s, record, size, false);
		break;
	default:
		if (type >= RECORD_USER_FIRST) {
			ret = accept_user(r, s, record, size, err);
			if (!ret && r->watch)
				ret = record_watch(r, s->chunk, record, 0, 0);
		} else if (r->watch) {
			ret = enqueue(r, s, record, size, false);
		}
	}
	if (ret == -ENOMEM)
		reader_fail(r, err, ret, strerror(ENOMEM));
	return ret;
}

/* Lists of threads and CPUs are in streams of perf record, too. */
static bool is_count(uint32_t type)
{
	return type >= RECORD_STAT_CONFIG && type <= RECORD_STAT_ROUND;
}

/* What precedes the data: attributes and features of a stream, names of an interrupted file. */
static bool is_preamble(uint32_t type)
{
	return type >= RECORD_USER_FIRST && type != RECORD_FINISHED_ROUND && type != RECORD_AUXTRACE &&
	       type != RECORD_COMPRESSED && type != RECORD_COMPRESSED2 && !is_count(type);
}

static int read_preamble(struct data_reader *r, struct err *err)
{
	const uint8_t *record;
	bool is_described = !r->pipe_format && !r->meta.truncated; /* by what is around the records */
	int ret = 0;

	while (!is_described && (ret = next_record(r, &record, err)) > 0 && is_preamble(get_u32(record))) {
		size_t size = get_u16(record + offsetof(struct perf_event_header, size));

		ret = record_accept(r, &r->in.stream, record, err);
		/* Counts have the index of a thread in this list. */
		if (!ret && get_u32(record) == RECORD_THREAD_MAP && (ret = record_hold(r, r->in.stream.chunk, record)))
			reader_fail(r, err, ret, strerror(-ret));
		if (ret < 0)
			return ret;
		stream_take(&r->in.stream, size);
	}
	if (ret > 0 && !is_described && is_count(get_u32(record)))
		r->meta.is_stat = true;
	/* The run reports a damaged record, after what precedes it. */
	if (ret < 0 && ret != -EBADMSG)
		return ret;
	if (ret < 0 && err)
		*err = (struct err){ 0 };
	if (r->in.stream.kept.n)
		tracing_read(r, r->in.stream.kept.data, r->in.stream.kept.n);
	vec_free(&r->in.stream.kept);
	ret = attrs_settle(r);
	if (ret < 0)
		return reader_fail(r, err, ret,
			    r->layouts.n ? "its events have different layouts and no identifiers" :
					   "it describes no event");
	r->started = true;
	return 0;
}

int data_reader_open_fd(int fd, const char *name, struct data_reader **ret_r, struct err *err)
{
	struct data_reader *r = calloc(1, sizeof(*r));
	struct stat st;
	int ret;

	if (!r)
		return err_set(err, -ENOMEM, "cannot read '%s': %s", name, strerror(ENOMEM));
	r->in.fd = fd;
	r->store.dir = r->store.mark = -1;
	r->in.name = strdup(name);
	r->strings = strpool_new();
	if (!r->in.name || !r->strings || fstat(fd, &st) < 0) {
		ret = r->in.name && r->strings ? -errno : -ENOMEM;
		err_set(err, ret, "cannot read '%s': %s", name, strerror(-ret));
		goto fail;
	}
	r->regular = S_ISREG(st.st_mode);
	r->in.bytes = r->regular ? (uint64_t)st.st_size : 0;
	r->pool.cap = CHUNK_BYTES;
	if (r->regular && r->in.bytes < CHUNK_BYTES)
		r->pool.cap = r->in.bytes < CHUNK_BYTES_MIN ? CHUNK_BYTES_MIN : r->in.bytes;
	r->in.stream.pool = &r->pool;
	if (summed_is(r)) {
		ret = summed_open(r, err);
	} else {
		ret = container_read(r, err);
		if (ret == 0)
			ret = read_preamble(r, err);
	}
	if (ret < 0)
		goto fail;
	*ret_r = r;
	return 0;
fail:
	data_reader_close(r);
	return ret;
}

/* Not a named pipe: it would be waited for, and could only hold a stream. */
static int open_path(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		ret = err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		ret = err_set(err, -ESPIPE, "'%s' is not a regular file", path);
		err_hint(err, "a stream, as 'perf record -o -' writes it, is read as the file '-'");
	}
	if (ret < 0 && fd >= 0)
		close(fd);
	return ret < 0 ? ret : fd;
}

static int open_directory(int dir, const char *path, struct data_reader **ret_r, struct err *err)
{
	struct data_reader *r;
	char *name;
	int fd = directory_open(dir, path, &name, err), ret;

	if (fd < 0)
		return fd;
	ret = data_reader_open_fd(fd, name, &r, err);
	free(name);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	r->close_fd = true;
	ret = directory_inputs(r, dir, path, err);
	if (ret < 0)
		data_reader_close(r);
	else
		*ret_r = r;
	return ret;
}

int data_reader_open(const char *path, struct data_reader **ret_r, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open_path(path, err), ret;
	struct stat st;

	if (fd < 0)
		return fd;
	if (!is_stdin && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		ret = open_directory(fd, path, ret_r, err);
		close(fd);
		return ret;
	}
	ret = data_reader_open_fd(fd, is_stdin ? "standard input" : path, ret_r, err);
	if (ret == 0)
		(*ret_r)->close_fd = !is_stdin;
	else if (!is_stdin)
		close(fd);
	return ret;
}

/* One without a file. NULL: no memory. */
static struct data_reader *reader_new(const char *name)
{
	struct data_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->store.dir = r->store.mark = -1;
	r->in.fd = -1;
	r->in.name = strdup(name);
	r->strings = strpool_new();
	if (r->in.name && r->strings)
		return r;
	data_reader_close(r);
	return NULL;
}

int data_reader_open_store(const char *path, const struct store_span *span, struct data_reader **ret_r, struct err *err)
{
	struct data_reader *r = reader_new(path);
	int ret = r ? store_open(&r->store, path, false, err) : err_set(err, -ENOMEM, "cannot read '%s': %s", path, strerror(ENOMEM));

	if (!ret)
		ret = summed_open_store(r, span, err);
	if (!ret)
		*ret_r = r;
	else if (r)
		data_reader_close(r);
	return ret;
}

int data_reader_open_profile(const char *name, char *bytes, size_t n, struct data_reader **ret_r, struct err *err)
{
	struct data_reader *r = reader_new(name);
	int ret;

	if (!r) {
		free(bytes);
		return err_set(err, -ENOMEM, "cannot read '%s': %s", name, strerror(ENOMEM));
	}
	ret = summed_open_bytes(r, bytes, n, err);
	if (ret)
		data_reader_close(r);
	else
		*ret_r = r;
	return ret;
}

const struct data_meta *data_reader_meta(const struct data_reader *r)
{
	return &r->meta;
}

struct pprof_reader *data_reader_summed(const struct data_reader *r)
{
	return r->summed;
}

const struct perf_event_attr *data_reader_attr(const struct data_reader *r, int event)
{
	return &r->attrs.data[event];
}

const char *data_reader_format(const struct data_reader *r, int event, size_t *ret_bytes)
{
	const struct event *e = &r->events.data[event];

	for (size_t i = 0; e->type == PERF_TYPE_TRACEPOINT && i < r->formats.n; i++)
		if (r->formats.data[i].id == e->config) {
			*ret_bytes = r->formats.data[i].bytes;
			return r->formats.data[i].text;
		}
	return NULL;
}

void data_reader_keep_data(struct data_reader *r)
{
	r->with_data = true;
}

void data_reader_keep_labels(struct data_reader *r, uint32_t labels, struct strpool *pool)
{
	r->with_labels = labels;
	r->label_texts = pool;
}

void data_reader_watch(struct data_reader *r, int (*record)(void *arg, const struct data_record *record), void *arg)
{
	r->watch = record;
	r->watch_arg = arg;
}

int input_run(struct data_reader *r, uint64_t until, struct err *err)
{
	const uint8_t *record;
	int ret = 1;

	while (r->in.pos <= until && (ret = next_record(r, &record, err)) > 0) {
		size_t size = get_u16(record + offsetof(struct perf_event_header, size));

		ret = record_accept(r, &r->in.stream, record, err);
		if (ret < 0)
			break;
		stream_take(&r->in.stream, size);
	}
	return ret < 0 ? ret : r->in.pos > until;
}

int data_reader_run(struct data_reader *r, struct sink *sink, struct err *err)
{
	int ret, damaged;

	r->sink = sink;
	if (r->summed)
		return summed_run(r, err);
	ret = records_held(r);
	if (ret == -ENOMEM)
		reader_fail(r, err, ret, strerror(ENOMEM));
	if (!ret)
		ret = input_run(r, UINT64_MAX, err);
	/* What was read before a damaged record is still good. */
	damaged = ret == -EBADMSG ? ret : 0;
	if (ret < 0 && !damaged)
		return ret;
	ret = r->more.n ? directory_run(r, err) : 0;
	damaged = ret == -EBADMSG ? ret : damaged;
	if (ret < 0 && !damaged)
		return ret;
	ret = queue_sort(&r->queue);
	if (ret == 0)
		ret = deliver(r, r->queue.entries.n);
	if (ret == 0)
		ret = deferred_end(r);
	if (ret == -ENOMEM)
		reader_fail(r, err, ret, strerror(ENOMEM));
	if (ret >= 0 && damaged && r->meta.first_skipped.file) {
		char text[PLACE_TEXT_BYTES];

		err_hint(err, "the damage may begin at %s", data_place_text(&r->meta.first_skipped, text));
	}
	return ret < 0 ? ret : damaged;
}

void input_close(struct input *in)
{
	decompress_free(in->decompressor);
	stream_free(&in->stream);
	free(in->name);
}

void data_reader_close(struct data_reader *r)
{
	if (!r)
		return;
	if (r->close_fd)
		close(r->in.fd);
	pprof_close(r->summed);
	vec_free(&r->summed_types);
	store_close(&r->store);
	vec_free(&r->segments.all);
	queue_free(&r->queue);
	deferred_free(r);
	for (size_t i = 0; i < r->more.n; i++) {
		close(r->more.data[i].fd);
		input_close(&r->more.data[i]);
	}
	vec_free(&r->more);
	input_close(&r->in);
	chunk_pool_free(&r->pool);
	strpool_free(r->strings);
	vec_free(&r->events);
	vec_free(&r->layouts);
	vec_free(&r->attrs);
	tracing_free(r);
	vec_free(&r->ids);
	vec_free(&r->args);
	vec_free(&r->build_ids);
	vec_free(&r->last_reads);
	vec_free(&r->held);
	vec_free(&r->held_bytes);
	for (size_t i = 0; i < r->features.n; i++)
		free(r->features.data[i].bytes);
	vec_free(&r->features);
	map_free(&r->last_index);
	free(r);
}
