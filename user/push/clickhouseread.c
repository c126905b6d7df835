/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server sums; what comes is as large as what is shown: each distinct stack once, and how often it was seen by comm and labels. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "pprof/pprof.h"
#include "push/batch.h"
#include "push/clickhouseparts.h"
#include "sample.h"
#include "util/clock.h"
#include "util/glob.h"
#include "util/hash.h"
#include "util/strpool.h"

#define ANSWER_BYTES (1u << 29)
#define SEGMENT_MAX_S UINT64_C(90000) /* none is longer (--every): older partitions are not looked at */
#define NOTES_MAX 64
#define SET_BYTES 256 /* of a pattern */
#define NOTE_TEXT_BYTES 512

/* Labels of the store, and what they are called here. */
static const struct {
	const char *key, *column;
} columns[] = {
	{ "unit", "service" },	{ "comm", "comm" }, { "cgroup", "cgroup" }, { "container", "container" },
	{ "host", "host" },	{ "exe", "exe" },   { "build_id", "build" },
	{ "container_name", "container_name" },	    { "image", "image" },
};

/* A span's event, as its batches have it. */
struct summary {
	char *view;
	char unit[32];
	uint64_t from_s, to_s, hosts, batches;
	char notes[NOTES_MAX][NOTE_TEXT_BYTES];
	const char *comments[NOTES_MAX + 2];
};

/* Row of a stack in the answer, by its hash. */
struct stack_at {
	const char *hash, *columns;
};

struct answer_sums {
	struct clickhouse *ch;
	const struct store_span *span;
	uint32_t labels; /* that sums are by, beside comm: 1 << enum sample_label */
	struct summary sum;
	struct strpool *pool;
	struct pprof_writer *writer;
	struct client_answer stacks; /* lives as long as all */
	VEC(struct stack_at) all;
	struct map by_hash;
	VEC(const char *) builds; /* of objects: the build id that was seen first */
	struct map by_object; /* an interned path's position in builds */
};

static const char *column_of(const char *key)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (!strcmp(columns[i].key, key))
			return columns[i].column;
	return NULL;
}

/*
 * A set of a pattern (util/glob.h) as one of RE2, of the characters that it has below 0x80. Returns what is behind it, or NULL: nothing closes
 * it, and [ is itself.
 */
static const char *add_set(struct sql *s, const char *set)
{
	const char *end = set + 1 + (set[1] == '!' || set[1] == '^');
	char text[SET_BYTES];
	bool has_any = false;
	size_t n;

	end = strchr(*end ? end + 1 : end, ']'); /* one that comes first is of the set */
	if (!end || (size_t)(end + 2 - set) > sizeof(text))
		return NULL;
	n = (size_t)(end + 1 - set);
	memcpy(text, set, n);
	text[n] = '\0';
	sql_add(s, "[");
	for (int c = 1; c < 0x80; c++) {
		char byte = (char)c;

		if (glob_match(text, &byte, 1)) {
			sql_add(s, "\\\\x%02x", c);
			has_any = true;
		}
	}
	sql_add(s, has_any ? "]" : "^\\\\x00-\\\\x{10FFFF}]");
	return end + 1;
}

/* A pattern of names as a regular expression of RE2, which match() takes: each character stands for a byte. In SQL's quotes. */
static void add_pattern(struct sql *s, const char *pattern)
{
	const char *next;

	sql_add(s, "'^(?s)");
	for (const char *p = pattern; *p; p = next) {
		next = p + 1;
		if (*p == '*' || *p == '?') {
			sql_add(s, *p == '*' ? "\\\\C*" : "\\\\C");
			continue;
		}
		if (*p == '[' && (next = add_set(s, p)))
			continue;
		p += *p == '\\' && p[1];
		next = p + 1;
		if ((unsigned char)*p < 0x80)
			sql_add(s, "\\\\x%02x", *p);
		else
			sql_add(s, "%c", *p);
	}
	sql_add(s, "$'");
}

static int check_labels(const struct store_span *span, struct err *err)
{
	for (size_t i = 0; i < span->nr_labels; i++)
		if (!column_of(span->labels[i].key))
			return err_exit(err, -EINVAL, EXIT_USAGE, "no label '%s': there are host, unit, comm, cgroup, container, container_name, image, exe and build_id",
					span->labels[i].key);
	return 0;
}

static void add_match(struct sql *s, const char *column, const char *pattern)
{
	sql_add(s, "match(%s, ", column);
	add_pattern(s, pattern);
	sql_add(s, ")");
}

/* What store_label says. only: of this key; NULL: of all. */
static void add_labels(struct sql *s, const struct store_span *span, const char *only)
{
	for (size_t i = 0; i < span->nr_labels; i++) {
		const struct store_label *l = &span->labels[i];
		const char *column = column_of(l->key);
		bool is_first = true;

		if (only && strcmp(l->key, only) != 0)
			continue;
		if (l->is_not) {
			sql_add(s, " AND (%s = '' OR NOT ", column);
			add_match(s, column, l->pattern);
			sql_add(s, ")");
			continue;
		}
		for (size_t k = 0; k < i && is_first; k++)
			is_first = span->labels[k].is_not || strcmp(span->labels[k].key, l->key) != 0;
		if (!is_first)
			continue;
		sql_add(s, " AND %s != '' AND (", column);
		for (size_t k = i; k < span->nr_labels; k++) {
			if (span->labels[k].is_not || strcmp(span->labels[k].key, l->key) != 0)
				continue;
			sql_add(s, k == i ? "" : " OR ");
			add_match(s, column, span->labels[k].pattern);
		}
		sql_add(s, ")");
	}
}

/* What overlaps the span. DateTime has 32 bits. */
static void add_time(struct sql *s, const struct store_span *span)
{
	uint64_t since_s = span->since_s < UINT32_MAX ? span->since_s : UINT32_MAX;

	sql_add(s, " WHERE time >= toDateTime(%" PRIu64 ") AND toUInt64(time) + seconds > %" PRIu64, since_s > SEGMENT_MAX_S ? since_s - SEGMENT_MAX_S : 0, since_s);
	if (span->until_s && span->until_s <= UINT32_MAX)
		sql_add(s, " AND time < toDateTime(%" PRIu64 ")", span->until_s);
}

/* One row for each profile, also where its answer was lost and it came twice. */
static void add_batches(struct sql *s, const struct answer_sums *r, const char *view)
{
	sql_add(s, " FROM (SELECT event, time, seconds, host, store, any(unit) AS unit, any(notes) AS notes FROM %s.skep_batches", r->ch->database);
	add_time(s, r->span);
	if (view) {
		sql_add(s, " AND event = ");
		sql_quote(s, view);
	}
	add_labels(s, r->span, "host");
	sql_add(s, " GROUP BY event, time, seconds, host, store)");
}

static void add_samples(struct sql *s, const struct answer_sums *r)
{
	sql_add(s, " FROM %s.skep_samples", r->ch->database);
	add_time(s, r->span);
	sql_add(s, " AND event = ");
	sql_quote(s, r->sum.view);
	add_labels(s, r->span, NULL);
}

static int ask(const struct answer_sums *r, struct sql *s, struct client_answer *ret_answer, struct rows_in *ret_in, struct err *err)
{
	int code, ret = clickhouse_query(r->ch, s, "", NULL, 0, ANSWER_BYTES, ret_answer, &code, err);

	if (ret == -EMSGSIZE)
		err_hint(err, "a shorter span (--since, --until), or a narrower --label");
	if (!ret)
		*ret_in = (struct rows_in){ .p = ret_answer->body, .end = ret_answer->body + ret_answer->n };
	return ret;
}

static char *take_string(struct rows_in *in)
{
	size_t n;
	const char *text = rows_take_text(in, &n);

	return strndup(text, n);
}

static int garbage(struct err *err)
{
	return err_set(err, -EPROTO, "its answer is garbage");
}

/* The event of the span: the one that is wanted, or the first of those that there are. */
static int read_summary(struct answer_sums *r, struct err *err)
{
	struct summary *sum = &r->sum;
	struct client_answer a;
	struct rows_in in;
	struct sql s = { 0 };
	char *unit;
	int ret;

	sql_add(&s, "SELECT event, any(unit), toUInt64(min(time)), max(toUInt64(time) + seconds), uniqExact(host, store), count()");
	add_batches(&s, r, r->span->view);
	sql_add(&s, " GROUP BY event ORDER BY event != '" STORE_VIEW_FIRST "', event LIMIT 1 FORMAT RowBinary");
	ret = ask(r, &s, &a, &in, err);
	if (ret)
		return ret;
	if (!a.n) {
		free(a.body);
		return err_set(err, -ENODATA, r->span->view ? "the store has nothing of that time and event" : "the store has nothing of that time");
	}
	sum->view = take_string(&in);
	unit = take_string(&in);
	snprintf(sum->unit, sizeof(sum->unit), "%s", unit && !strcmp(unit, "nanoseconds") ? "ns" : "events");
	sum->from_s = rows_take_u64(&in);
	sum->to_s = rows_take_u64(&in);
	sum->hosts = rows_take_u64(&in);
	sum->batches = rows_take_u64(&in);
	free(unit);
	free(a.body);
	return in.is_bad || !sum->view ? garbage(err) : 0;
}

/* What the batches lost, "word: N  what that is", summed; a note of a lowered rate, and of how many; and which command made them. */
static int read_notes(struct answer_sums *r, struct err *err)
{
	struct summary *sum = &r->sum;
	struct client_answer a;
	struct rows_in in;
	struct sql s = { 0 };
	size_t n = 0;
	int ret;

	snprintf(sum->notes[n], NOTE_TEXT_BYTES, "%" PRIu64 " profiles of %" PRIu64 " machines", sum->batches, sum->hosts);
	sum->comments[0] = sum->notes[n++];
	sql_add(&s, "SELECT if(startsWith(note, 'note: " STORE_RATE "'), 'rate', extract(note, '^(lost|note): [0-9]+  ')) AS word, "
		    "sum(if(word = 'rate', 1, toUInt64OrZero(extract(note, '^[a-z]+: ([0-9]+)  ')))), "
		    "if(word = 'rate', any(substring(note, 7)), extract(note, '^[a-z]+: [0-9]+  (.*)$') AS what)");
	add_batches(&s, r, sum->view);
	sql_add(&s, " ARRAY JOIN notes AS note GROUP BY word, what HAVING word != '' ORDER BY word, what LIMIT %d FORMAT RowBinary", NOTES_MAX - 1);
	ret = ask(r, &s, &a, &in, err);
	if (ret)
		return ret;
	while (in.p < in.end && n < NOTES_MAX) {
		char *word = take_string(&in);
		uint64_t lost = rows_take_u64(&in);
		char *text = take_string(&in);

		snprintf(sum->notes[n], NOTE_TEXT_BYTES, "%.64s: %" PRIu64 "  %.400s", word && strcmp(word, "rate") != 0 ? word : "note", lost, text ? text : "");
		sum->comments[n] = sum->notes[n];
		n++;
		free(word);
		free(text);
	}
	free(a.body);
	return in.is_bad ? garbage(err) : 0;
}

static void skip_texts(struct rows_in *in)
{
	for (uint64_t n = rows_take_size(in); n && !in->is_bad; n--) {
		size_t len;

		rows_take_text(in, &len);
	}
}

static int read_stacks(struct answer_sums *r, struct err *err)
{
	struct rows_in in;
	struct sql s = { 0 };
	int ret;

	sql_add(&s, "SELECT hash, any(functions), any(objects), any(builds), any(kinds) FROM %s.skep_stacks WHERE hash GLOBAL IN (SELECT stack", r->ch->database);
	add_samples(&s, r);
	sql_add(&s, ") GROUP BY hash FORMAT RowBinary");
	ret = ask(r, &s, &r->stacks, &in, err);
	while (!ret && in.p < in.end) {
		const char *hash = rows_take(&in, BATCH_HASH_BYTES), *texts = in.p;
		uint64_t low;

		for (int i = 0; i < 3; i++)
			skip_texts(&in);
		rows_take(&in, rows_take_size(&in));
		if (in.is_bad)
			return garbage(err);
		memcpy(&low, hash, sizeof(low));
		if (vec_reserve(&r->all) || map_add(&r->by_hash, low, r->all.n))
			return err_set(err, -ENOMEM, "out of memory");
		r->all.data[r->all.n++] = (struct stack_at){ hash, texts };
	}
	return ret;
}

static int take_build(struct answer_sums *r, const char *obj, const char *build, size_t n)
{
	uint64_t hash = hash_u64((uintptr_t)obj);

	if (!n || map_find(&r->by_object, hash) >= 0)
		return 0;
	if (vec_reserve(&r->builds) || map_add(&r->by_object, hash, r->builds.n))
		return -ENOMEM;
	r->builds.data[r->builds.n] = strpool_addn(r->pool, build, n);
	return r->builds.data[r->builds.n++] ? 0 : -ENOMEM;
}

/* Four arrays of equal length: the frames of one stack. Returns how many, or -errno. */
static int take_frames(struct answer_sums *r, const char *p, struct frame *frames, uint32_t max)
{
	struct rows_in in[4];
	uint64_t n[4];

	in[0] = (struct rows_in){ .p = p, .end = r->stacks.body + r->stacks.n };
	for (int i = 0; i < 4; i++) { /* read_stacks() went over them */
		struct rows_in next = in[i];

		n[i] = rows_take_size(&in[i]);
		if (i == 3)
			break;
		skip_texts(&next);
		in[i + 1] = next;
	}
	if (n[0] != n[1] || n[0] != n[2] || n[0] != n[3])
		return -EPROTO;
	for (uint64_t i = 0; i < n[0] && i < max; i++) {
		size_t name_len, obj_len, build_len;
		const char *name = rows_take_text(&in[0], &name_len), *obj = rows_take_text(&in[1], &obj_len), *build = rows_take_text(&in[2], &build_len);
		const char *kind = rows_take(&in[3], 1);

		frames[i] = (struct frame){ .name = strpool_addn(r->pool, name, strnlen(name, name_len)),
					    .obj = strpool_addn(r->pool, obj, strnlen(obj, obj_len)),
					    .kind = *kind == BATCH_INLINED ? FRAME_INLINED : *kind == BATCH_KERNEL ? FRAME_KERNEL : FRAME_USER,
					    .is_kernel = *kind == BATCH_KERNEL };
		if (!frames[i].name || !frames[i].obj || take_build(r, frames[i].obj, build, build_len))
			return -ENOMEM;
	}
	return (int)(n[0] < max ? n[0] : max);
}

/* A stack without a row, as of a server that lost it, has a frame that says so. */
static int take_stack(struct answer_sums *r, const char *hash, struct frame *frames, uint32_t max)
{
	uint64_t low;

	memcpy(&low, hash, sizeof(low));
	map_each(i, &r->by_hash, low) {
		if (!memcmp(r->all.data[i].hash, hash, BATCH_HASH_BYTES))
			return take_frames(r, r->all.data[i].columns, frames, max);
	}
	*frames = (struct frame){ .name = strpool_add(r->pool, "[unknown]"), .obj = strpool_add(r->pool, ""), .kind = FRAME_UNKNOWN };
	return frames->name && frames->obj ? 1 : -ENOMEM;
}

/* The keys of sums beside the stack: comm, then labels. Returns how many. */
static size_t sum_keys(uint32_t labels, const char *ret_keys[1 + LABEL_MAX])
{
	size_t n = 0;

	ret_keys[n++] = "comm";
	for (int i = 0; i < LABEL_MAX; i++)
		if (labels >> i & 1)
			ret_keys[n++] = sample_label_name((enum sample_label)i);
	return n;
}

static void add_keys(struct sql *s, const char *const *keys, size_t n)
{
	sql_add(s, "stack");
	for (size_t i = 0; i < n; i++)
		sql_add(s, ", %s", column_of(keys[i]));
}

/* A label of a row; an empty one is none. */
static int take_label(struct answer_sums *r, struct rows_in *in, const char *key, struct pprof_label *label)
{
	size_t n;
	const char *text = rows_take_text(in, &n);

	*label = (struct pprof_label){ .key = key, .text = strpool_addn(r->pool, text, n) };
	return label->text ? 0 : -ENOMEM;
}

static int take_row(struct answer_sums *r, struct rows_in *in, const char *const *keys, size_t nr_keys)
{
	static struct frame frames[STACK_FRAMES_MAX]; /* large */
	const char *hash = rows_take(in, BATCH_HASH_BYTES);
	struct pprof_label labels[1 + LABEL_MAX];
	uint64_t count, value;
	size_t nr = 0;
	int n;

	for (size_t i = 0; i < nr_keys; i++) {
		if (take_label(r, in, keys[i], &labels[nr]))
			return -ENOMEM;
		nr += !i || labels[nr].text[0];
	}
	count = rows_take_u64(in);
	value = rows_take_u64(in);
	n = in->is_bad ? -EPROTO : take_stack(r, hash, frames, STACK_FRAMES_MAX);
	return n < 0 ? n : pprof_add(r->writer, frames, (uint32_t)n, labels, nr, count, value);
}

static int read_sums(struct answer_sums *r, struct err *err)
{
	const char *keys[1 + LABEL_MAX];
	size_t nr_keys = sum_keys(r->labels, keys);
	struct client_answer a;
	struct rows_in in;
	struct sql s = { 0 };
	int ret;

	sql_add(&s, "SELECT ");
	add_keys(&s, keys, nr_keys);
	sql_add(&s, ", sum(count), sum(value)");
	add_samples(&s, r);
	sql_add(&s, " GROUP BY ");
	add_keys(&s, keys, nr_keys);
	sql_add(&s, " FORMAT RowBinary");
	ret = ask(r, &s, &a, &in, err);
	if (ret)
		return ret;
	while (!ret && in.p < in.end)
		ret = take_row(r, &in, keys, nr_keys);
	free(a.body);
	return ret == -EPROTO ? garbage(err) : ret ? err_set(err, ret, "out of memory") : 0;
}

static uint8_t build_id(void *arg, const char *obj, uint8_t *ret_id)
{
	const struct answer_sums *r = arg;
	int64_t i = map_find(&r->by_object, hash_u64((uintptr_t)obj));
	const char *hex = i < 0 ? "" : r->builds.data[i];
	uint8_t n = 0;

	for (; n < BUILD_ID_MAX && isxdigit((unsigned char)hex[2 * n]) && isxdigit((unsigned char)hex[2 * n + 1]); n++)
		sscanf(hex + 2 * n, "%2hhx", &ret_id[n]);
	return n;
}

static int write_profile(struct answer_sums *r, char **ret_bytes, size_t *ret_n, struct err *err)
{
	FILE *out = open_memstream(ret_bytes, ret_n);
	const struct pprof_head head = { .event = r->sum.view,
					 .unit = r->sum.unit,
					 .time_ns = r->sum.from_s * NS_PER_S,
					 .duration_ns = (r->sum.to_s - r->sum.from_s) * NS_PER_S,
					 .comments = r->sum.comments };
	int ret = out ? pprof_write(r->writer, &head, build_id, r, out) : -ENOMEM;

	if (out && fclose(out) && !ret)
		ret = -ENOMEM;
	if (ret && out)
		free(*ret_bytes);
	return ret ? err_set(err, ret, "out of memory") : 0;
}

int clickhouse_read(struct clickhouse *ch, const struct store_span *span, uint32_t labels, char **ret_bytes, size_t *ret_n, struct err *err)
{
	struct answer_sums *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->ch = ch;
	r->span = span;
	r->labels = labels;
	r->pool = strpool_new();
	ret = !r->pool || pprof_writer_new(&r->writer) ? err_set(err, -ENOMEM, "out of memory") : check_labels(span, err);
	ret = ret ? ret : read_summary(r, err);
	ret = ret ? ret : read_notes(r, err);
	ret = ret ? ret : read_stacks(r, err);
	ret = ret ? ret : read_sums(r, err);
	ret = ret ? ret : write_profile(r, ret_bytes, ret_n, err);
	free(r->sum.view);
	free(r->stacks.body);
	vec_free(&r->all);
	vec_free(&r->builds);
	map_free(&r->by_hash);
	map_free(&r->by_object);
	pprof_writer_free(r->writer);
	strpool_free(r->pool);
	free(r);
	return ret;
}
