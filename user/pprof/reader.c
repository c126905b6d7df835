/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The message is unpacked into memory: its samples come before the tables that they need. These are indexed in one pass, and decoded where
 * a sample meets them; names are interned once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pprof/format.h"
#include "pprof/pprof.h"
#include "pprof/wire.h"
#include "util/hash.h"
#include "util/map.h"

#define HINT_BYTES (1u << 20)
#define GZIP_WINDOW (MAX_WBITS + 16) /* zlib.h: with the header of gzip */
#define LOCATIONS_MAX (1u << 28)     /* map.h */
#define FRAMES_MAX (1u << 24)	     /* of all locations: 1 GB */
#define OBJECT_TEXT_BYTES 272
#define NAMELESS "[unknown]"

/* A message of a table, with the number that others know it by. */
struct entry {
	uint64_t id;
	struct wire_reader bytes;
};

struct table {
	VEC(struct entry) all;
	struct map by_id;
};

/* A location, as far as it is decoded. */
struct decoded {
	uint32_t first, n; /* of frames; n 0: not yet */
	uint8_t where;	   /* enum where */
};

enum where { WHERE_UNSEEN, WHERE_KERNEL, WHERE_ELSE };

struct pprof_reader {
	struct pprof_meta meta;
	char *bytes; /* unpacked */
	size_t n;
	struct strpool *pool; /* of all texts but those of frames */
	VEC(struct wire_reader) strings;
	struct table mappings, locations, functions;
	VEC(struct decoded) decoded; /* by location */
	VEC(struct frame) frames;
	VEC(const char *) comments;
	/* Of one sample */
	VEC(uint32_t) ids; /* positions of its locations */
	int64_t values[PPROF_TYPES_MAX];
	uint32_t nr_values;
	struct pprof_label labels[PPROF_LABELS_MAX];
};

bool pprof_is(const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	/* A message begins with a sample type, of which only such files have one */
	return (n >= 2 && b[0] == 0x1f && b[1] == 0x8b) || (n >= 3 && b[0] == (PPROF_SAMPLE_TYPE << 3 | WIRE_BYTES) && b[1] <= 2 * (1 + WIRE_VARINT_MAX));
}

static int inflate_some(z_stream *z, char **bytes, size_t *n, size_t *cap)
{
	size_t want = *cap ? *cap * 2 : HINT_BYTES;
	char *more;
	int ret;

	if (*n == *cap) {
		if (*cap >= PPROF_BYTES_MAX)
			return -EFBIG;
		more = realloc(*bytes, want);
		if (!more)
			return -ENOMEM;
		*bytes = more;
		*cap = want;
	}
	z->next_out = (Bytef *)*bytes + *n;
	z->avail_out = (uInt)(*cap - *n);
	ret = inflate(z, Z_NO_FLUSH);
	*n = *cap - z->avail_out;
	if (ret == Z_STREAM_END)
		return z->avail_in ? (inflateReset(z), 0) : 1; /* one stream may follow another: RFC 1952, 2.2 */
	return ret == Z_OK && (z->avail_in || !z->avail_out) ? 0 : ret == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int unpack(struct pprof_reader *r)
{
	z_stream z = { .next_in = (Bytef *)r->bytes, .avail_in = (uInt)r->n };
	size_t n = 0, cap = 0;
	char *out = NULL;
	int ret;

	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return -ENOMEM;
	do {
		ret = inflate_some(&z, &out, &n, &cap);
	} while (!ret);
	inflateEnd(&z);
	free(r->bytes);
	r->bytes = out;
	r->n = n;
	return ret < 0 ? ret : 0;
}

/* A text of the file in a pool; "" for a number that it does not have. NULL: no memory. */
static const char *string_in(const struct pprof_reader *r, struct strpool *pool, uint64_t i)
{
	struct wire_reader s;

	if (i >= r->strings.n)
		return strpool_add(pool, "");
	s = r->strings.data[i];
	return strpool_addn(pool, s.p, strnlen(s.p, (size_t)(s.end - s.p)));
}

static const char *string_at(const struct pprof_reader *r, uint64_t i)
{
	return string_in(r, r->pool, i);
}

static int put_entry(struct table *t, const struct wire_field *f)
{
	struct wire_reader inner = f->bytes;
	struct wire_field part;
	uint64_t id = 0;
	int ret;

	while ((ret = wire_next(&inner, &part)) == 1)
		if (part.number == PPROF_LOCATION_ID) /* as of all three */
			id = part.value;
	if (ret || !id || t->all.n >= LOCATIONS_MAX)
		return -EBADMSG;
	if (vec_reserve(&t->all) || map_add(&t->by_id, hash_u64(id), t->all.n))
		return -ENOMEM;
	t->all.data[t->all.n++] = (struct entry){ id, f->bytes };
	return 0;
}

/* Its position, or -1. */
static int64_t find_entry(const struct table *t, uint64_t id)
{
	return map_find(&t->by_id, hash_u64(id));
}

static int put_string(struct pprof_reader *r, struct wire_reader s)
{
	if (vec_reserve(&r->strings))
		return -ENOMEM;
	r->strings.data[r->strings.n++] = s;
	return 0;
}

/* Numbers of strings, whose texts may come later. */
struct heading {
	uint64_t types[PPROF_TYPES_MAX][2];
	VEC(uint64_t) comments;
};

static int put_type(struct pprof_reader *r, struct heading *h, struct wire_reader bytes)
{
	struct wire_field part;
	int ret;

	if (r->meta.nr_types == PPROF_TYPES_MAX)
		return -EBADMSG;
	while ((ret = wire_next(&bytes, &part)) == 1)
		if (part.number == PPROF_VALUE_TYPE || part.number == PPROF_VALUE_UNIT)
			h->types[r->meta.nr_types][part.number - PPROF_VALUE_TYPE] = part.value;
	r->meta.nr_types++;
	return ret;
}

static int put_comment(void *arg, uint64_t value)
{
	struct heading *h = arg;

	if (vec_reserve(&h->comments))
		return -ENOMEM;
	h->comments.data[h->comments.n++] = value;
	return 0;
}

static int put_number(struct pprof_reader *r, struct heading *h, const struct wire_field *f)
{
	if (f->number == PPROF_COMMENT)
		return wire_each(f, put_comment, h);
	if (f->type != WIRE_VARINT)
		return 0;
	if (f->number == PPROF_TIME)
		r->meta.time_ns = (int64_t)f->value;
	else if (f->number == PPROF_DURATION)
		r->meta.duration_ns = (int64_t)f->value;
	else if (f->number == PPROF_PERIOD)
		r->meta.period = (int64_t)f->value;
	return 0;
}

static int put_field(struct pprof_reader *r, struct heading *h, const struct wire_field *f)
{
	if (f->type != WIRE_BYTES)
		return put_number(r, h, f);
	switch (f->number) {
	case PPROF_SAMPLE_TYPE:
		return put_type(r, h, f->bytes);
	case PPROF_SAMPLE:
		r->meta.nr_samples++;
		return 0;
	case PPROF_MAPPING:
		return put_entry(&r->mappings, f);
	case PPROF_LOCATION:
		return put_entry(&r->locations, f);
	case PPROF_FUNCTION:
		return put_entry(&r->functions, f);
	case PPROF_STRING:
		return put_string(r, f->bytes);
	}
	return put_number(r, h, f);
}

static int name_all(struct pprof_reader *r, const struct heading *h)
{
	bool lacks = false;

	r->meta.count_type = -1;
	for (uint32_t i = 0; i < r->meta.nr_types; i++) {
		struct pprof_type *t = &r->meta.types[i];

		t->name = string_at(r, h->types[i][0]);
		t->unit = string_at(r, h->types[i][1]);
		if (!t->name || !t->unit)
			return -ENOMEM;
		if (r->meta.count_type < 0 && !strcmp(t->unit, "count") && (!strcmp(t->name, "samples") || !strcmp(t->name, "count")))
			r->meta.count_type = (int32_t)i;
	}
	r->meta.value_type = r->meta.nr_types > 1 && !r->meta.count_type ? 1 : 0;
	for (size_t i = 0; i < h->comments.n; i++) {
		const char *text = string_at(r, h->comments.data[i]);

		lacks |= !text || vec_reserve(&r->comments);
		if (!lacks)
			r->comments.data[r->comments.n++] = text;
	}
	r->meta.comments = r->comments.data;
	r->meta.nr_comments = r->comments.n;
	return lacks || (r->locations.all.n && !vec_take(&r->decoded, r->locations.all.n)) ? -ENOMEM : 0;
}

static int index_all(struct pprof_reader *r)
{
	struct wire_reader all = { r->bytes, r->bytes + r->n };
	struct heading h = { 0 };
	struct wire_field f;
	int ret;

	while ((ret = wire_next(&all, &f)) == 1)
		if ((ret = put_field(r, &h, &f)))
			break;
	if (!ret)
		ret = r->meta.nr_types && r->strings.n ? name_all(r, &h) : -EBADMSG;
	vec_free(&h.comments);
	if (!ret && r->decoded.n)
		memset(r->decoded.data, 0, r->decoded.n * sizeof(*r->decoded.data));
	return ret;
}

static int why(const char *path, int ret, struct err *err)
{
	if (ret == -EBADMSG || ret == -ENOMSG)
		return err_set(err, ret, "'%s' is no profile in pprof's format%s", path, ret == -EBADMSG ? ", or is damaged" : "");
	if (ret == -EFBIG)
		return err_set(err, ret, "'%s' is larger than %u MB when it is unpacked", path, PPROF_BYTES_MAX >> 20);
	return err_set(err, ret, "cannot read '%s': %s", path, strerror(-ret));
}

static int read_bytes(struct pprof_reader *r, char *bytes, size_t n)
{
	int ret;

	r->bytes = bytes;
	r->n = n;
	if (!pprof_is(bytes, n))
		return -ENOMSG;
	ret = bytes[0] == 0x1f ? unpack(r) : 0;
	return ret ? ret : index_all(r);
}

int pprof_open(const char *name, char *bytes, size_t n, struct pprof_reader **ret_reader, struct err *err)
{
	struct pprof_reader *r = calloc(1, sizeof(*r));
	int ret;

	if (!r) {
		free(bytes);
		return why(name, -ENOMEM, err);
	}
	r->pool = strpool_new();
	ret = r->pool ? read_bytes(r, bytes, n) : -ENOMEM;
	if (ret) {
		pprof_close(r);
		return why(name, ret, err);
	}
	*ret_reader = r;
	return 0;
}

static void table_free(struct table *t)
{
	vec_free(&t->all);
	map_free(&t->by_id);
}

void pprof_close(struct pprof_reader *r)
{
	if (!r)
		return;
	free(r->bytes);
	strpool_free(r->pool);
	vec_free(&r->strings);
	table_free(&r->mappings);
	table_free(&r->locations);
	table_free(&r->functions);
	vec_free(&r->decoded);
	vec_free(&r->frames);
	vec_free(&r->comments);
	vec_free(&r->ids);
	free(r);
}

const struct pprof_meta *pprof_meta(const struct pprof_reader *r)
{
	return &r->meta;
}

/* Kernel text, as skep and perf name its objects: "[kernel.kallsyms]", "[nf_tables]". Of "[unknown]" the address says it: the upper half is the kernel's. */
static bool is_kernel(const char *obj, uint64_t addr)
{
	static const char *const others[] = { "[vdso", "[vsyscall", "[anon", "[heap", "[stack", "[uprobes" };

	if (*obj != '[')
		return false;
	if (!strncmp(obj, NAMELESS, strlen(NAMELESS)))
		return addr >> 63;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(obj, others[i], strlen(others[i])))
			return false;
	return true;
}

static enum frame_kind kind_of(const struct frame *f)
{
	if (*f->name == '[')
		return *f->obj || !strcmp(f->name, NAMELESS) ? FRAME_UNKNOWN : FRAME_MARK;
	if (f->is_kernel)
		return FRAME_KERNEL;
	return !strncmp(f->obj, "//anon", 6) ? FRAME_JIT : FRAME_USER;
}

/* "[libc.so.6]": what has no function. */
static const char *unknown_name(struct strpool *pool, const char *obj)
{
	const char *slash = strrchr(obj, '/');
	char text[OBJECT_TEXT_BYTES];

	if (*obj == '[')
		return obj;
	snprintf(text, sizeof(text), "[%.255s]", slash && slash[1] ? slash + 1 : *obj && *obj != '/' ? obj : "unknown");
	return strpool_add(pool, text);
}

static void decode_function(const struct pprof_reader *r, struct strpool *pool, uint64_t id, struct frame *f)
{
	int64_t at = find_entry(&r->functions, id);
	struct wire_reader bytes = { 0 };
	struct wire_field part;
	uint64_t name = 0, file = 0;

	if (at >= 0)
		bytes = r->functions.all.data[at].bytes;
	while (wire_next(&bytes, &part) == 1) {
		if (part.number == PPROF_FUNCTION_NAME)
			name = part.value;
		else if (part.number == PPROF_FUNCTION_FILE)
			file = part.value;
	}
	f->name = string_in(r, pool, name);
	f->file = file ? string_in(r, pool, file) : NULL;
}

/* f: what the frames of one location share. */
static int decode_line(struct pprof_reader *r, struct strpool *pool, struct wire_reader bytes, struct frame f)
{
	struct wire_field part;
	uint64_t function = 0;

	while (wire_next(&bytes, &part) == 1) {
		if (part.number == PPROF_LINE_FUNCTION)
			function = part.value;
		else if (part.number == PPROF_LINE_LINE)
			f.line = part.value <= UINT32_MAX ? (uint32_t)part.value : 0;
	}
	decode_function(r, pool, function, &f);
	f.name = f.name && *f.name ? f.name : unknown_name(pool, f.obj);
	if (!f.name || r->frames.n == FRAMES_MAX || vec_reserve(&r->frames))
		return -ENOMEM;
	f.kind = kind_of(&f);
	r->frames.data[r->frames.n++] = f;
	return 0;
}

/* The number of a text of a mapping: what it is called by, or its build id. */
static uint64_t mapping_text(const struct pprof_reader *r, uint64_t id, uint32_t field)
{
	int64_t at = find_entry(&r->mappings, id);
	struct wire_reader bytes = { 0 };
	struct wire_field part;
	uint64_t text = 0;

	if (at >= 0)
		bytes = r->mappings.all.data[at].bytes;
	while (wire_next(&bytes, &part) == 1)
		if (part.number == field)
			text = part.value;
	return text;
}

static uint64_t mapping_file(const struct pprof_reader *r, uint64_t id)
{
	return mapping_text(r, id, PPROF_MAPPING_FILE);
}

/* Address and mapping of a location; returns the mapping's number. */
static uint64_t location_numbers(const struct pprof_reader *r, uint32_t location, uint64_t *ret_addr)
{
	struct wire_reader bytes = r->locations.all.data[location].bytes;
	struct wire_field part;
	uint64_t mapping = 0;

	*ret_addr = 0;
	while (wire_next(&bytes, &part) == 1) {
		if (part.number == PPROF_LOCATION_MAPPING)
			mapping = part.value;
		else if (part.number == PPROF_LOCATION_ADDRESS)
			*ret_addr = part.value;
	}
	return mapping;
}

static int decode_location(struct pprof_reader *r, struct strpool *pool, uint32_t location)
{
	struct decoded *d = &r->decoded.data[location];
	struct wire_reader bytes = r->locations.all.data[location].bytes;
	struct frame f = { .is_kernel = d->where == WHERE_KERNEL };
	uint64_t mapping = location_numbers(r, location, &f.addr);
	uint32_t first = (uint32_t)r->frames.n;
	struct wire_field part;
	int ret = 0;

	f.pos = f.addr;
	f.obj = string_in(r, pool, mapping_file(r, mapping));
	if (!f.obj)
		return -ENOMEM;
	while (!ret && wire_next(&bytes, &part) == 1)
		if (part.number == PPROF_LOCATION_LINE && part.type == WIRE_BYTES)
			ret = decode_line(r, pool, part.bytes, f);
	if (!ret && r->frames.n == first) /* it has no line */
		ret = decode_line(r, pool, (struct wire_reader){ 0 }, f);
	if (ret)
		return ret;
	d->first = first;
	d->n = (uint32_t)r->frames.n - first;
	for (uint32_t i = 0; i + 1 < d->n; i++)
		r->frames.data[first + i].kind = FRAME_INLINED;
	return 0;
}

int pprof_frames(struct pprof_reader *r, struct strpool *pool, uint32_t location, struct frame *ret_frames, int max)
{
	uint32_t n;

	if (location >= r->decoded.n || (!r->decoded.data[location].n && decode_location(r, pool, location))) {
		*ret_frames = (struct frame){ .name = strpool_add(pool, NAMELESS), .obj = strpool_add(pool, ""), .kind = FRAME_UNKNOWN };
		return 1;
	}
	n = r->decoded.data[location].n;
	n = n > (uint32_t)max ? (uint32_t)max : n;
	/* The outer ones, where there is no room for all */
	memcpy(ret_frames, &r->frames.data[r->decoded.data[location].first + r->decoded.data[location].n - n], n * sizeof(*ret_frames));
	return (int)n;
}

const char *pprof_location_build(struct pprof_reader *r, uint32_t location)
{
	uint64_t addr;

	if (location >= r->locations.all.n)
		return "";
	return string_at(r, mapping_text(r, location_numbers(r, location, &addr), PPROF_MAPPING_BUILD_ID));
}

bool pprof_in_kernel(const struct pprof_reader *r, uint32_t location)
{
	return r->decoded.data[location].where == WHERE_KERNEL;
}

static int put_location(void *arg, uint64_t id)
{
	struct pprof_reader *r = arg;
	int64_t at = find_entry(&r->locations, id);
	const char *obj;
	uint64_t addr;

	if (at < 0)
		return -EBADMSG;
	if (r->decoded.data[at].where == WHERE_UNSEEN) {
		obj = string_at(r, mapping_file(r, location_numbers(r, (uint32_t)at, &addr)));
		if (!obj)
			return -ENOMEM;
		r->decoded.data[at].where = is_kernel(obj, addr) ? WHERE_KERNEL : WHERE_ELSE;
	}
	if (vec_reserve(&r->ids))
		return -ENOMEM;
	r->ids.data[r->ids.n++] = (uint32_t)at;
	return 0;
}

static int put_value(void *arg, uint64_t value)
{
	struct pprof_reader *r = arg;

	if (r->nr_values < PPROF_TYPES_MAX)
		r->values[r->nr_values++] = (int64_t)value;
	return 0;
}

static int put_label(struct pprof_reader *r, struct wire_reader bytes, struct pprof_sample *s)
{
	struct pprof_label l = { 0 };
	struct wire_field part;
	uint64_t key = 0, text = 0;
	int ret;

	while ((ret = wire_next(&bytes, &part)) == 1) {
		if (part.number == PPROF_LABEL_KEY)
			key = part.value;
		else if (part.number == PPROF_LABEL_TEXT)
			text = part.value;
		else if (part.number == PPROF_LABEL_NUMBER)
			l.num = (int64_t)part.value;
	}
	if (ret || s->nr_labels == PPROF_LABELS_MAX)
		return ret;
	l.key = string_at(r, key);
	l.text = text ? string_at(r, text) : NULL;
	if (!l.key || (text && !l.text))
		return -ENOMEM;
	r->labels[s->nr_labels++] = l;
	return 0;
}

static int put_part(struct pprof_reader *r, const struct wire_field *part, struct pprof_sample *s)
{
	if (part->number == PPROF_SAMPLE_LOCATION)
		return wire_each(part, put_location, r);
	if (part->number == PPROF_SAMPLE_VALUE)
		return wire_each(part, put_value, r);
	return part->number == PPROF_SAMPLE_LABEL && part->type == WIRE_BYTES ? put_label(r, part->bytes, s) : 0;
}

static int decode_sample(struct pprof_reader *r, struct wire_reader bytes, struct pprof_sample *s)
{
	struct wire_field part;
	int ret;

	*s = (struct pprof_sample){ .values = r->values, .labels = r->labels };
	r->ids.n = 0;
	r->nr_values = 0;
	memset(r->values, 0, r->meta.nr_types * sizeof(*r->values));
	while ((ret = wire_next(&bytes, &part)) == 1)
		if ((ret = put_part(r, &part, s)))
			break;
	s->locations = r->ids.data;
	s->n = r->ids.n;
	return ret;
}

int pprof_each(struct pprof_reader *r, int (*each)(void *arg, const struct pprof_sample *s), void *arg)
{
	struct wire_reader all = { r->bytes, r->bytes + r->n };
	struct pprof_sample s;
	struct wire_field f;
	int ret;

	while ((ret = wire_next(&all, &f)) == 1) {
		if (f.number != PPROF_SAMPLE || f.type != WIRE_BYTES)
			continue;
		ret = decode_sample(r, f.bytes, &s);
		ret = ret ? ret : each(arg, &s);
		if (ret)
			break;
	}
	return ret;
}
