/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks are summed in tables of numbers; texts are looked at once a new name, location or set of labels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pprof/pprof.h"
#include "pprof/format.h"
#include "pprof/wire.h"
#include "util/hash.h"
#include "util/map.h"
#include "util/text.h"

#define FLUSH_BYTES (64u << 10)
#define GZIP_WINDOW (MAX_WBITS + 16) /* zlib.h: with the header of gzip */
#define GZIP_MEMORY 8

/* Numbers are positions; what is written counts from 1, as the format wants it. */
struct function {
	uint32_t name, file; /* strings */
	const char *name_at, *file_at;
};

struct line {
	uint32_t function, line;
};

/* A code address, with what is inlined there: the innermost first. */
struct location {
	uint64_t addr;
	uint32_t mapping; /* UINT32_MAX: none */
	uint32_t lines, nr_lines;
};

struct mapping {
	const char *obj;
	uint64_t end; /* beyond its last address */
	uint64_t weight; /* of stacks that begin in it */
	bool has_files, has_inlines;
};

struct label {
	uint32_t key, text; /* strings; text 0: the number */
	int64_t num;
};

struct stack_sum {
	uint32_t locations, nr_locations; /* in ids */
	uint32_t labels, nr_labels;
	uint64_t count, weight;
};

struct pprof_writer {
	VEC(char) text; /* of strings, each with its NUL */
	VEC(uint32_t) strings;
	VEC(struct function) functions;
	VEC(struct line) lines;
	VEC(struct location) locations;
	VEC(struct mapping) mappings;
	VEC(struct label) labels;
	VEC(uint32_t) ids;
	VEC(struct stack_sum) sums;
	struct map by_text, by_function, by_location, by_obj, by_labels, by_stack;
	VEC(uint64_t) numbers; /* of one sample, while it is written */
};

static const char *string_at(const struct pprof_writer *w, uint32_t i)
{
	return w->text.data + w->strings.data[i];
}

/* The number of a text, which may be NULL; -1: no memory. */
static int64_t string_number(struct pprof_writer *w, const char *text)
{
	size_t n = strlen(text ? text : "") + 1;
	uint64_t hash = hash_bytes(text ? text : "", n);
	uint32_t at = (uint32_t)w->text.n;
	char *to;

	map_each(i, &w->by_text, hash) {
		if (!strcmp(string_at(w, (uint32_t)i), text ? text : ""))
			return i;
	}
	if (w->text.n > UINT32_MAX - n || vec_reserve(&w->strings) || !(to = vec_take(&w->text, n)) || map_add(&w->by_text, hash, w->strings.n))
		return -1;
	memcpy(to, text ? text : "", n);
	w->strings.data[w->strings.n] = at;
	return (int64_t)w->strings.n++;
}

int pprof_writer_new(struct pprof_writer **ret_writer)
{
	struct pprof_writer *w = calloc(1, sizeof(*w));

	if (!w || vec_reserve(&w->ids) || string_number(w, "") != 0) { /* string 0 is the empty one */
		pprof_writer_free(w);
		return -ENOMEM;
	}
	*ret_writer = w;
	return 0;
}

void pprof_writer_free(struct pprof_writer *w)
{
	struct map *const maps[] = { &w->by_text, &w->by_function, &w->by_location, &w->by_obj, &w->by_labels, &w->by_stack };

	if (!w)
		return;
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		map_free(maps[i]);
	vec_free(&w->text);
	vec_free(&w->strings);
	vec_free(&w->functions);
	vec_free(&w->lines);
	vec_free(&w->locations);
	vec_free(&w->mappings);
	vec_free(&w->labels);
	vec_free(&w->ids);
	vec_free(&w->sums);
	vec_free(&w->numbers);
	free(w);
}

static int64_t function_number(struct pprof_writer *w, const struct frame *f)
{
	uint64_t hash = hash_pair((uintptr_t)f->name, (uintptr_t)f->file);
	int64_t name, file;

	map_each(i, &w->by_function, hash) {
		if (w->functions.data[i].name_at == f->name && w->functions.data[i].file_at == f->file)
			return i;
	}
	name = string_number(w, f->name);
	file = string_number(w, f->file);
	if (name < 0 || file < 0 || vec_reserve(&w->functions) || map_add(&w->by_function, hash, w->functions.n))
		return -1;
	w->functions.data[w->functions.n] = (struct function){ (uint32_t)name, (uint32_t)file, f->name, f->file };
	return (int64_t)w->functions.n++;
}

static int64_t mapping_number(struct pprof_writer *w, const char *obj)
{
	uint64_t hash = hash_u64((uintptr_t)obj);
	int64_t found = map_find(&w->by_obj, hash);

	if (found >= 0)
		return found;
	if (vec_reserve(&w->mappings) || map_add(&w->by_obj, hash, w->mappings.n))
		return -1;
	w->mappings.data[w->mappings.n] = (struct mapping){ .obj = obj };
	return (int64_t)w->mappings.n++;
}

static uint64_t frame_address(const struct frame *f)
{
	return f->is_kernel ? f->addr : f->pos;
}

static bool is_location(const struct pprof_writer *w, const struct location *l, const struct frame *frames, uint32_t n)
{
	const struct frame *outer = &frames[n - 1];

	if (l->nr_lines != n || l->addr != frame_address(outer) ||
	    (l->mapping == UINT32_MAX ? outer->obj && *outer->obj : w->mappings.data[l->mapping].obj != outer->obj))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct line *line = &w->lines.data[l->lines + i];
		const struct function *f = &w->functions.data[line->function];

		if (f->name_at != frames[i].name || f->file_at != frames[i].file || line->line != frames[i].line)
			return false;
	}
	return true;
}

/* n frames, of which all but the last are inlined there. */
static int64_t location_new(struct pprof_writer *w, const struct frame *frames, uint32_t n, uint64_t hash)
{
	const struct frame *outer = &frames[n - 1];
	struct location l = { .addr = frame_address(outer), .mapping = UINT32_MAX, .lines = (uint32_t)w->lines.n, .nr_lines = n };
	struct mapping *m = NULL;

	if (outer->obj && *outer->obj) {
		int64_t mapping = mapping_number(w, outer->obj);

		if (mapping < 0)
			return -1;
		l.mapping = (uint32_t)mapping;
		m = &w->mappings.data[mapping];
		m->end = l.addr >= m->end ? l.addr + 1 : m->end;
		m->has_inlines |= n > 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		int64_t function = function_number(w, &frames[i]);

		if (function < 0 || vec_reserve(&w->lines))
			return -1;
		w->lines.data[w->lines.n++] = (struct line){ (uint32_t)function, frames[i].line };
		if (m)
			m->has_files |= frames[i].file != NULL;
	}
	if (vec_reserve(&w->locations) || map_add(&w->by_location, hash, w->locations.n))
		return -1;
	w->locations.data[w->locations.n] = l;
	return (int64_t)w->locations.n++;
}

static int64_t location_number(struct pprof_writer *w, const struct frame *frames, uint32_t n)
{
	uint64_t hash = hash_pair(frame_address(&frames[n - 1]), (uintptr_t)frames[n - 1].obj);

	for (uint32_t i = 0; i < n; i++)
		hash = hash_pair(hash, (uintptr_t)frames[i].name ^ (uint64_t)frames[i].line << 48);
	map_each(i, &w->by_location, hash) {
		if (is_location(w, &w->locations.data[i], frames, n))
			return i;
	}
	return location_new(w, frames, n, hash);
}

/* Sets of labels are few: each is kept once. */
static int64_t labels_number(struct pprof_writer *w, const struct pprof_label *labels, size_t n)
{
	struct label set[PPROF_LABELS_MAX];
	uint32_t at = (uint32_t)w->labels.n;
	struct label *to;
	uint64_t hash;

	n = n < PPROF_LABELS_MAX ? n : PPROF_LABELS_MAX;
	memset(set, 0, sizeof(set));
	for (size_t i = 0; i < n; i++) {
		int64_t key = string_number(w, labels[i].key), text = string_number(w, labels[i].text);

		if (key < 0 || text < 0)
			return -1;
		set[i] = (struct label){ .key = (uint32_t)key, .text = (uint32_t)text, .num = labels[i].text ? 0 : labels[i].num };
	}
	hash = hash_bytes(set, n * sizeof(*set));
	map_each(i, &w->by_labels, hash) {
		if ((size_t)i + n <= w->labels.n && !memcmp(&w->labels.data[i], set, n * sizeof(*set)))
			return i;
	}
	to = vec_take(&w->labels, n);
	if (!to || map_add(&w->by_labels, hash, at))
		return -1;
	memcpy(to, set, n * sizeof(*set));
	return at;
}

static int add_ids(struct pprof_writer *w, const struct frame *frames, uint32_t n)
{
	for (uint32_t i = 0, first = 0; i < n; i++) {
		int64_t location;

		if (frames[i].kind == FRAME_INLINED && i + 1 < n)
			continue;
		location = location_number(w, frames + first, i + 1 - first);
		if (location < 0 || vec_reserve(&w->ids))
			return -ENOMEM;
		w->ids.data[w->ids.n++] = (uint32_t)location;
		first = i + 1;
	}
	return 0;
}

int pprof_add(struct pprof_writer *w, const struct frame *frames, uint32_t n, const struct pprof_label *labels, size_t nr_labels, uint64_t count,
	      uint64_t weight)
{
	struct stack_sum new = { .locations = (uint32_t)w->ids.n, .nr_labels = nr_labels < PPROF_LABELS_MAX ? nr_labels : PPROF_LABELS_MAX };
	int64_t set = nr_labels ? labels_number(w, labels, nr_labels) : 0;
	const uint32_t *ids;
	uint64_t hash;

	if (set < 0 || add_ids(w, frames, n))
		return -ENOMEM;
	new.labels = (uint32_t)set;
	new.nr_locations = (uint32_t)w->ids.n - new.locations;
	ids = w->ids.data + new.locations;
	hash = hash_pair(hash_bytes(ids, new.nr_locations * sizeof(*ids)), hash_pair(new.labels, new.nr_labels));
	map_each(i, &w->by_stack, hash) {
		struct stack_sum *s = &w->sums.data[i];

		if (s->nr_locations != new.nr_locations || s->labels != new.labels || s->nr_labels != new.nr_labels ||
		    memcmp(w->ids.data + s->locations, ids, new.nr_locations * sizeof(*ids)))
			continue;
		s->count += count;
		s->weight += weight;
		w->ids.n = new.locations;
		return 0;
	}
	new.count = count;
	new.weight = weight;
	if (vec_reserve(&w->sums) || map_add(&w->by_stack, hash, w->sums.n))
		return -ENOMEM;
	w->sums.data[w->sums.n++] = new;
	return 0;
}

size_t pprof_stacks(const struct pprof_writer *w)
{
	return w->sums.n;
}

/* The message on its way: wires of its parts, deflated when there are enough of them. */
struct gzip {
	struct wire wire, part, piece;
	z_stream z;
	FILE *out;
	int ret;
};

static void gzip_flush(struct gzip *g, int how)
{
	char buf[16u << 10];
	int ret;

	if (g->wire.no_memory || g->part.no_memory || g->piece.no_memory)
		g->ret = -ENOMEM;
	g->z.next_in = (Bytef *)g->wire.bytes.data;
	g->z.avail_in = (uInt)g->wire.bytes.n;
	do {
		g->z.next_out = (Bytef *)buf;
		g->z.avail_out = sizeof(buf);
		ret = deflate(&g->z, how);
		if (!g->ret && sizeof(buf) - g->z.avail_out && !fwrite(buf, sizeof(buf) - g->z.avail_out, 1, g->out))
			g->ret = -EIO;
	} while (ret == Z_OK && !g->z.avail_out);
	g->wire.bytes.n = 0;
}

/* Adds g->part as a message. */
static void put_part(struct gzip *g, uint32_t field)
{
	wire_bytes(&g->wire, field, g->part.bytes.data, g->part.bytes.n);
	g->part.bytes.n = 0;
	if (g->wire.bytes.n >= FLUSH_BYTES)
		gzip_flush(g, Z_NO_FLUSH);
}

static void put_piece(struct gzip *g, uint32_t field)
{
	wire_bytes(&g->part, field, g->piece.bytes.data, g->piece.bytes.n);
	g->piece.bytes.n = 0;
}

static void put_type(struct gzip *g, uint32_t field, int64_t type, int64_t unit)
{
	wire_number(&g->part, PPROF_VALUE_TYPE, (uint64_t)type);
	wire_number(&g->part, PPROF_VALUE_UNIT, (uint64_t)unit);
	put_part(g, field);
}

static void put_samples(struct pprof_writer *w, struct gzip *g)
{
	for (size_t i = 0; i < w->sums.n; i++) {
		const struct stack_sum *s = &w->sums.data[i];
		const uint64_t values[] = { s->count, s->weight };

		w->numbers.n = 0;
		for (uint32_t k = 0; k < s->nr_locations; k++) {
			if (vec_reserve(&w->numbers)) {
				g->ret = -ENOMEM;
				return;
			}
			w->numbers.data[w->numbers.n++] = w->ids.data[s->locations + k] + 1;
		}
		wire_numbers(&g->part, PPROF_SAMPLE_LOCATION, w->numbers.data, w->numbers.n);
		wire_numbers(&g->part, PPROF_SAMPLE_VALUE, values, 2);
		for (uint32_t k = 0; k < s->nr_labels; k++) {
			const struct label *l = &w->labels.data[s->labels + k];

			wire_number(&g->piece, PPROF_LABEL_KEY, l->key);
			wire_number(&g->piece, PPROF_LABEL_TEXT, l->text);
			wire_number(&g->piece, PPROF_LABEL_NUMBER, (uint64_t)l->num);
			put_piece(g, PPROF_SAMPLE_LABEL);
		}
		put_part(g, PPROF_SAMPLE);
	}
}

static int64_t id_text(struct pprof_writer *w, const uint8_t *id, size_t n)
{
	char hex[2 * BUILD_ID_MAX + 1];

	text_hex(hex, id, n < BUILD_ID_MAX ? n : BUILD_ID_MAX);
	return string_number(w, hex);
}

static void put_mapping(struct pprof_writer *w, struct gzip *g, size_t i, pprof_build_id *build_id, void *arg)
{
	const struct mapping *m = &w->mappings.data[i];
	uint8_t id[BUILD_ID_MAX];
	uint8_t n = build_id ? build_id(arg, m->obj, id) : 0;
	int64_t name = string_number(w, m->obj), hex = id_text(w, id, n);

	if (name < 0 || hex < 0)
		g->ret = -ENOMEM;
	wire_number(&g->part, PPROF_MAPPING_ID, i + 1);
	wire_number(&g->part, PPROF_MAPPING_END, m->end);
	wire_number(&g->part, PPROF_MAPPING_FILE, (uint64_t)name);
	wire_number(&g->part, PPROF_MAPPING_BUILD_ID, (uint64_t)hex);
	wire_number(&g->part, PPROF_MAPPING_HAS_FUNCTIONS, 1);
	wire_number(&g->part, PPROF_MAPPING_HAS_FILES, m->has_files);
	wire_number(&g->part, PPROF_MAPPING_HAS_LINES, m->has_files);
	wire_number(&g->part, PPROF_MAPPING_HAS_INLINES, m->has_inlines);
	put_part(g, PPROF_MAPPING);
}

/* The first one is taken for that of the program (profile.proto): the one in which most stacks begin. */
static void put_mappings(struct pprof_writer *w, struct gzip *g, pprof_build_id *build_id, void *arg)
{
	size_t first = 0;

	for (size_t i = 0; i < w->sums.n; i++) {
		const struct stack_sum *s = &w->sums.data[i];
		uint32_t outer = s->nr_locations ? w->locations.data[w->ids.data[s->locations + s->nr_locations - 1]].mapping : UINT32_MAX;

		if (outer != UINT32_MAX)
			w->mappings.data[outer].weight += s->weight;
	}
	for (size_t i = 0; i < w->mappings.n; i++)
		first = w->mappings.data[i].weight > w->mappings.data[first].weight ? i : first;
	if (w->mappings.n)
		put_mapping(w, g, first, build_id, arg);
	for (size_t i = 0; i < w->mappings.n; i++)
		if (i != first)
			put_mapping(w, g, i, build_id, arg);
}

static void put_locations(const struct pprof_writer *w, struct gzip *g)
{
	for (size_t i = 0; i < w->locations.n; i++) {
		const struct location *l = &w->locations.data[i];

		wire_number(&g->part, PPROF_LOCATION_ID, i + 1);
		wire_number(&g->part, PPROF_LOCATION_MAPPING, l->mapping == UINT32_MAX ? 0 : l->mapping + 1ULL);
		wire_number(&g->part, PPROF_LOCATION_ADDRESS, l->addr);
		for (uint32_t k = 0; k < l->nr_lines; k++) {
			wire_number(&g->piece, PPROF_LINE_FUNCTION, w->lines.data[l->lines + k].function + 1ULL);
			wire_number(&g->piece, PPROF_LINE_LINE, w->lines.data[l->lines + k].line);
			put_piece(g, PPROF_LOCATION_LINE);
		}
		put_part(g, PPROF_LOCATION);
	}
	for (size_t i = 0; i < w->functions.n; i++) {
		wire_number(&g->part, PPROF_FUNCTION_ID, i + 1);
		wire_number(&g->part, PPROF_FUNCTION_NAME, w->functions.data[i].name);
		wire_number(&g->part, PPROF_FUNCTION_SYSTEM_NAME, w->functions.data[i].name);
		wire_number(&g->part, PPROF_FUNCTION_FILE, w->functions.data[i].file);
		put_part(g, PPROF_FUNCTION);
	}
}

/* pprof's own words for time on the CPUs, which its tools know. */
static void names_of(const struct pprof_head *head, const char **ret_type, const char **ret_unit)
{
	bool is_ns = head->unit && !strcmp(head->unit, "ns");

	*ret_unit = is_ns ? "nanoseconds" : "count";
	*ret_type = head->event ? head->event : "events";
	if (is_ns && (!strcmp(*ret_type, "cpu-clock") || !strcmp(*ret_type, "task-clock")))
		*ret_type = "cpu";
}

static void put_head(struct pprof_writer *w, const struct pprof_head *head, struct gzip *g)
{
	const char *type, *unit;
	int64_t event, measured, samples, count;

	names_of(head, &type, &unit);
	event = string_number(w, type);
	measured = string_number(w, unit);
	samples = string_number(w, "samples");
	count = string_number(w, "count");
	if (event < 0 || measured < 0 || samples < 0 || count < 0)
		g->ret = -ENOMEM;
	put_type(g, PPROF_SAMPLE_TYPE, samples, count);
	put_type(g, PPROF_SAMPLE_TYPE, event, measured);
	put_type(g, PPROF_PERIOD_TYPE, event, measured);
	wire_number(&g->wire, PPROF_TIME, head->time_ns);
	wire_number(&g->wire, PPROF_DURATION, head->duration_ns);
	wire_number(&g->wire, PPROF_PERIOD, head->period);
	for (const char *const *c = head->comments; c && *c; c++) {
		int64_t text = string_number(w, *c);

		if (text < 0)
			g->ret = -ENOMEM;
		wire_number(&g->wire, PPROF_COMMENT, (uint64_t)text);
	}
}

int pprof_write(struct pprof_writer *w, const struct pprof_head *head, pprof_build_id *build_id, void *arg, FILE *out)
{
	struct gzip g = { .out = out };

	if (deflateInit2(&g.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	put_head(w, head, &g);
	put_samples(w, &g);
	put_mappings(w, &g, build_id, arg);
	put_locations(w, &g);
	for (size_t i = 0; i < w->strings.n; i++) {
		wire_text(&g.wire, PPROF_STRING, string_at(w, (uint32_t)i));
		if (g.wire.bytes.n >= FLUSH_BYTES)
			gzip_flush(&g, Z_NO_FLUSH);
	}
	gzip_flush(&g, Z_FINISH);
	deflateEnd(&g.z);
	wire_free(&g.wire);
	wire_free(&g.part);
	wire_free(&g.piece);
	return g.ret;
}
