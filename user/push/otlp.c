/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables have what is in the profile once; the first entry of each is empty, and number 0 is none. */
#include "push/otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pprof/pprof.h"
#include "pprof/wire.h"
#include "push/client.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/map.h"
#include "util/strpool.h"

#define PATH "/v1development/profiles"
#define TYPE "Content-Type: application/x-protobuf"
#define INLINES_MAX 256
#define SCOPE "skep"

/* Numbers of fields */
enum { REQUEST_RESOURCES = 1, REQUEST_DICTIONARY = 2 };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPES = 2, RESOURCE_ATTRIBUTES = 1, SCOPE_SCOPE = 1, SCOPE_PROFILES = 2, SCOPE_NAME = 1 };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2, ANY_STRING = 1, ANY_INT = 3 };
enum { DICT_MAPPING = 1, DICT_LOCATION = 2, DICT_FUNCTION = 3, DICT_LINK = 4, DICT_STRING = 5, DICT_ATTRIBUTE = 6, DICT_STACK = 7 };
enum { PROFILE_TYPE = 1, PROFILE_SAMPLES = 2, PROFILE_TIME = 3, PROFILE_DURATION = 4, PROFILE_ID = 7 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2, SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES = 2, SAMPLE_VALUES = 4 };
enum { MAPPING_FILE = 4, MAPPING_ATTRIBUTES = 5, STACK_LOCATIONS = 1 };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS = 2, LOCATION_LINES = 3, LOCATION_ATTRIBUTES = 4, LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME = 2, FUNCTION_FILE = 3, ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2 };
enum { RESPONSE_PARTIAL = 1, PARTIAL_REJECTED = 1 };

#define IMAGE_BYTES 512

/* Labels of the store, by the names of OpenTelemetry's semantic conventions where they have one. */
static const struct {
	const char *label, *attribute;
} names[] = {
	{ "comm", "thread.name" },	  { "container", "container.id" },	     { "container_name", "container.name" },
	{ "image", "container.image.name" }, { "exe", "process.executable.path" },
	{ "build_id", "process.executable.build_id.gnu" }, { "pid", "process.pid" }, { "cgroup", "skep.cgroup" }, { "unit", "skep.unit" },
};

/* One table: its entries in the message, and which there are. */
struct entries {
	struct wire out;
	struct map by_hash; /* of what an entry is made of: 64 bits of it, which tell them apart in one profile */
	uint32_t n;
};

struct maker {
	struct pprof_reader *reader;
	struct strpool *pool;
	struct entries mappings, locations, functions, strings, attributes, stacks;
	struct wire counts, values; /* the samples of two profiles */
	struct wire part, piece;
	VEC(uint64_t) ids;
	uint32_t type; /* of the values */
};

/* The number of an entry that is made of `hash`; 0: it is not there, and is the next one. */
static uint32_t find(const struct entries *e, uint64_t hash)
{
	int64_t at = map_find(&e->by_hash, hash);

	return at < 0 ? 0 : (uint32_t)at + 1;
}

/* w->part as the next entry. Returns its number. */
static uint32_t add(struct maker *m, struct entries *e, uint32_t field, uint64_t hash)
{
	wire_bytes(&e->out, field, m->part.bytes.data, m->part.bytes.n);
	m->part.bytes.n = 0;
	if (map_add(&e->by_hash, hash, e->n))
		e->out.no_memory = true;
	return ++e->n;
}

/* Texts are interned: by their addresses. */
static uint32_t string_number(struct maker *m, const char *text)
{
	uint64_t hash = hash_u64((uintptr_t)text);
	uint32_t found = text && *text ? find(&m->strings, hash) : 0;

	if (!text || !*text || found)
		return found;
	wire_bytes(&m->strings.out, DICT_STRING, text, strlen(text));
	if (map_add(&m->strings.by_hash, hash, m->strings.n))
		m->strings.out.no_memory = true;
	return ++m->strings.n;
}

static const char *interned(struct maker *m, const char *text)
{
	const char *at = strpool_add(m->pool, text);

	m->part.no_memory |= !at;
	return at ? at : "";
}

/* text NULL: the value is num. */
static uint32_t attribute_number(struct maker *m, const char *key, const char *text, int64_t num)
{
	uint64_t hash = hash_pair((uintptr_t)(key = interned(m, key)), text ? (uintptr_t)(text = interned(m, text)) : hash_u64((uint64_t)num));
	uint32_t found = find(&m->attributes, hash);

	if (found)
		return found;
	wire_number(&m->part, ATTRIBUTE_KEY, string_number(m, key));
	if (text)
		wire_bytes(&m->piece, ANY_STRING, text, strlen(text));
	else
		wire_value(&m->piece, ANY_INT, (uint64_t)num);
	wire_bytes(&m->part, ATTRIBUTE_VALUE, m->piece.bytes.data, m->piece.bytes.n);
	m->piece.bytes.n = 0;
	return add(m, &m->attributes, DICT_ATTRIBUTE, hash);
}

static uint32_t mapping_number(struct maker *m, const char *obj, const char *build)
{
	uint64_t hash = hash_pair((uintptr_t)obj, (uintptr_t)build), attribute;
	uint32_t found = find(&m->mappings, hash);

	if (!obj || !*obj || found)
		return found;
	attribute = *build ? attribute_number(m, "process.executable.build_id.gnu", build, 0) : 0;
	wire_number(&m->part, MAPPING_FILE, string_number(m, obj));
	wire_numbers(&m->part, MAPPING_ATTRIBUTES, &attribute, attribute != 0);
	return add(m, &m->mappings, DICT_MAPPING, hash);
}

static uint32_t function_number(struct maker *m, const struct frame *f)
{
	uint64_t hash = hash_pair((uintptr_t)f->name, (uintptr_t)f->file);
	uint32_t found = find(&m->functions, hash), name;

	if (found)
		return found;
	name = string_number(m, f->name);
	wire_number(&m->part, FUNCTION_NAME, name);
	wire_number(&m->part, FUNCTION_SYSTEM_NAME, name);
	wire_number(&m->part, FUNCTION_FILE, string_number(m, f->file));
	return add(m, &m->functions, DICT_FUNCTION, hash);
}

static uint32_t location_number(struct maker *m, uint32_t at)
{
	uint64_t hash = hash_u64(at), kind;
	uint32_t found = find(&m->locations, hash), functions[INLINES_MAX], mapping;
	struct frame frames[INLINES_MAX];
	const char *build;
	int n;

	if (found)
		return found;
	n = pprof_frames(m->reader, m->pool, at, frames, INLINES_MAX);
	build = pprof_location_build(m->reader, at);
	if (!build || !frames[0].name || !frames[0].obj) {
		m->part.no_memory = true;
		return 0;
	}
	mapping = mapping_number(m, frames[n - 1].obj, build);
	kind = attribute_number(m, "profile.frame.type", frames[n - 1].is_kernel ? "kernel" : "native", 0);
	for (int i = 0; i < n; i++)
		functions[i] = function_number(m, &frames[i]);
	wire_number(&m->part, LOCATION_MAPPING, mapping);
	wire_number(&m->part, LOCATION_ADDRESS, frames[n - 1].addr);
	for (int i = 0; i < n; i++) {
		wire_number(&m->piece, LINE_FUNCTION, functions[i]);
		wire_number(&m->piece, LINE_LINE, frames[i].line);
		wire_bytes(&m->part, LOCATION_LINES, m->piece.bytes.data, m->piece.bytes.n);
		m->piece.bytes.n = 0;
	}
	wire_numbers(&m->part, LOCATION_ATTRIBUTES, &kind, 1);
	return add(m, &m->locations, DICT_LOCATION, hash);
}

static uint32_t stack_number(struct maker *m, const struct pprof_sample *s)
{
	uint64_t hash = XXH3_64bits(s->locations, s->n * sizeof(*s->locations));
	uint32_t found = find(&m->stacks, hash);

	if (found || !s->n)
		return found;
	m->ids.n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (vec_reserve(&m->ids)) {
			m->part.no_memory = true;
			return 0;
		}
		m->ids.data[m->ids.n++] = location_number(m, s->locations[i]);
	}
	wire_numbers(&m->part, STACK_LOCATIONS, m->ids.data, m->ids.n);
	return add(m, &m->stacks, DICT_STACK, hash);
}

/* One sample of the profile whose samples are `to`. */
static void put_sample(struct maker *m, struct wire *to, uint32_t stack, const uint64_t *attributes, size_t nr_attributes, uint64_t value)
{
	wire_number(&m->part, SAMPLE_STACK, stack);
	wire_numbers(&m->part, SAMPLE_ATTRIBUTES, attributes, nr_attributes);
	wire_numbers(&m->part, SAMPLE_VALUES, &value, 1);
	wire_bytes(to, PROFILE_SAMPLES, m->part.bytes.data, m->part.bytes.n);
	m->part.bytes.n = 0;
}

/* An image without its tag and digest ("host:port/name:tag@sha256:..."): container.image.name. */
static void untagged(char *buf, size_t size, const char *image)
{
	size_t n = strcspn(image, "@");
	const char *path = memrchr(image, '/', n), *name = path ? path : image, *tag = memchr(name, ':', (size_t)(image + n - name));

	snprintf(buf, size, "%.*s", tag ? (int)(tag - image) : (int)n, image);
}

static uint64_t label_number(struct maker *m, const struct pprof_label *l, const char *attribute)
{
	char image[IMAGE_BYTES];

	if (!l->text || strcmp(l->key, "image") != 0)
		return attribute_number(m, attribute, l->text, l->num);
	untagged(image, sizeof(image), l->text);
	return attribute_number(m, attribute, image, 0);
}

static int take_sample(void *arg, const struct pprof_sample *s)
{
	struct maker *m = arg;
	const int32_t count_type = pprof_meta(m->reader)->count_type;
	uint64_t attributes[PPROF_LABELS_MAX];
	uint32_t stack = stack_number(m, s);
	size_t n = 0;

	for (size_t i = 0; i < s->nr_labels; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!strcmp(s->labels[i].key, names[k].label))
				attributes[n++] = label_number(m, &s->labels[i], names[k].attribute);
	if (s->values[m->type] < 0 || (count_type >= 0 && s->values[count_type] < 0))
		return -EBADMSG;
	put_sample(m, &m->counts, stack, attributes, n, count_type < 0 ? 1 : (uint64_t)s->values[count_type]);
	put_sample(m, &m->values, stack, attributes, n, (uint64_t)s->values[m->type]);
	return m->part.no_memory ? -ENOMEM : 0;
}

static void put_message(struct wire *to, uint32_t field, struct wire *message)
{
	wire_bytes(to, field, message->bytes.data, message->bytes.n);
	to->no_memory |= message->no_memory;
	wire_free(message);
}

/* A profile's number is its content's: one that is sent again has the same. */
static void put_profile(struct maker *m, struct wire *scope, const struct segment *seg, const struct wire *samples, const char *type, const char *unit, XXH128_hash_t id)
{
	struct wire profile = { 0 };
	XXH128_canonical_t bytes;

	wire_number(&m->part, TYPE_TYPE, string_number(m, interned(m, type)));
	wire_number(&m->part, TYPE_UNIT, string_number(m, interned(m, unit)));
	wire_bytes(&profile, PROFILE_TYPE, m->part.bytes.data, m->part.bytes.n);
	m->part.bytes.n = 0;
	wire_fixed64(&profile, PROFILE_TIME, seg->start_s * NS_PER_S);
	wire_number(&profile, PROFILE_DURATION, segment_seconds(seg) * NS_PER_S);
	XXH128_canonicalFromHash(&bytes, id);
	wire_bytes(&profile, PROFILE_ID, &bytes, sizeof(bytes));
	wire_append(&profile, samples);
	put_message(scope, SCOPE_PROFILES, &profile);
}

/* {KEY_VALUE_KEY: "host.name", KEY_VALUE_VALUE: {ANY_STRING: host}} */
static void put_resource(struct maker *m, struct wire *resources, const char *host)
{
	struct wire attribute = { 0 }, resource = { 0 };

	wire_bytes(&m->piece, ANY_STRING, host, strlen(host));
	wire_bytes(&attribute, KEY_VALUE_KEY, "host.name", strlen("host.name"));
	wire_bytes(&attribute, KEY_VALUE_VALUE, m->piece.bytes.data, m->piece.bytes.n);
	m->piece.bytes.n = 0;
	put_message(&resource, RESOURCE_ATTRIBUTES, &attribute);
	put_message(resources, RESOURCE_RESOURCE, &resource);
}

static void put_dictionary(struct maker *m, struct wire *request)
{
	const struct wire *const all[] = { &m->mappings.out, &m->locations.out, &m->functions.out, &m->strings.out, &m->attributes.out, &m->stacks.out };
	struct wire dictionary = { 0 };

	for (uint32_t field = DICT_MAPPING; field <= DICT_STACK; field++)
		wire_bytes(&dictionary, field, "", 0); /* number 0 of each table */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		wire_append(&dictionary, all[i]);
	put_message(request, REQUEST_DICTIONARY, &dictionary);
}

static void put_request(struct maker *m, struct wire *request, const struct segment *seg, const char *host, XXH128_hash_t id)
{
	const struct pprof_type *type = &pprof_meta(m->reader)->types[m->type];
	struct wire resources = { 0 }, scopes = { 0 }, scope = { 0 };
	XXH128_hash_t second = id;

	second.low64 ^= 1;
	put_resource(m, &resources, host);
	wire_bytes(&scope, SCOPE_NAME, SCOPE, strlen(SCOPE));
	put_message(&scopes, SCOPE_SCOPE, &scope);
	put_profile(m, &scopes, seg, &m->counts, "samples", "count", id);
	put_profile(m, &scopes, seg, &m->values, type->name, type->unit, second);
	put_message(&resources, RESOURCE_SCOPES, &scopes);
	put_message(request, REQUEST_RESOURCES, &resources);
	put_dictionary(m, request); /* last: names of types are in it */
}

static void maker_free(struct maker *m)
{
	struct entries *const tables[] = { &m->mappings, &m->locations, &m->functions, &m->strings, &m->attributes, &m->stacks };
	struct wire *const wires[] = { &m->counts, &m->values, &m->part, &m->piece };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		wire_free(&tables[i]->out);
		map_free(&tables[i]->by_hash);
	}
	for (size_t i = 0; i < sizeof(wires) / sizeof(wires[0]); i++)
		wire_free(wires[i]);
	vec_free(&m->ids);
	strpool_free(m->pool);
	pprof_close(m->reader);
}

/* A segment as a request. bytes are gone then. */
static int make_request(struct wire *request, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err)
{
	XXH128_hash_t id = XXH3_128bits(bytes, n);
	struct maker m = { .pool = strpool_new() };
	int ret = m.pool ? 0 : -ENOMEM;

	if (ret)
		free(bytes);
	else if ((ret = pprof_open(seg->name, bytes, n, &m.reader, err)) && ret != -ENOMEM)
		ret = -EBADMSG;
	if (!ret) {
		m.type = pprof_meta(m.reader)->value_type;
		ret = pprof_each(m.reader, take_sample, &m);
	}
	if (!ret) {
		put_request(&m, request, seg, host, id);
		ret = request->no_memory || m.part.no_memory || m.piece.no_memory ? -ENOMEM : 0;
	}
	maker_free(&m);
	if (ret && !err->text[0])
		err_set(err, ret, "%s", ret == -ENOMEM ? "out of memory" : "it is damaged");
	return ret;
}

/* A server that took a part says so; the rest is not to be sent again (docs/specification.md, "Partial Success"). */
static int check_partial(const struct client_answer *a, struct err *err)
{
	struct wire_reader r = { a->body, a->body + a->n };
	struct wire_field f, part;
	uint64_t rejected = 0;

	while (wire_next(&r, &f) == 1)
		if (f.number == RESPONSE_PARTIAL && f.type == WIRE_BYTES)
			while (wire_next(&f.bytes, &part) == 1)
				rejected = part.number == PARTIAL_REJECTED ? part.value : rejected;
	return rejected ? err_set(err, -EBADMSG, "the server has refused %llu profiles", (unsigned long long)rejected) : 0;
}

int otlp_send(const struct weburl *to, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err)
{
	struct wire request = { 0 };
	struct client_answer a;
	char *packed = NULL;
	size_t packed_n;
	int ret = make_request(&request, seg, bytes, n, host, err);

	if (!ret && !(packed = client_pack(request.bytes.data, request.bytes.n, &packed_n)))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = weburl_post(to, PATH, TYPE, true, packed, packed_n, &a, err);
	if (!ret) {
		ret = check_partial(&a, err);
		free(a.body);
	}
	free(packed);
	wire_free(&request);
	return ret;
}
