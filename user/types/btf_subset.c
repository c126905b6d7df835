/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types get their new ids in the order in which they are first reached, and are written in that order. */
#include "types/btf_subset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "types/btf_read.h"

#define BYTES_MAX (64u << 20) /* strings are not shared */
#define LENGTHS 64 /* a bit per length of a name; longer ones share the last */

struct name {
	const char *text;
	size_t len;
};

struct subset {
	const struct btf_types *kernel;
	VEC(struct name) wanted;
	uint64_t lengths[256]; /* of wanted names, by their first byte */
	uint32_t *new_ids;     /* by the kernel's */
	VEC(uint32_t) old_ids;
	VEC(char) types, strings;
	bool no_memory;
};

static bool may_be_named(uint32_t info)
{
	uint32_t kind = BTF_INFO_KIND(info);

	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM || kind == KIND_ENUM64 || kind == BTF_KIND_TYPEDEF;
}

static struct name essential(const char *text)
{
	const char *flavour = strstr(text, "___");

	return (struct name){ text, flavour && flavour > text ? (size_t)(flavour - text) : strlen(text) };
}

static uint64_t length_bit(size_t len)
{
	return 1ULL << (len < LENGTHS ? len : LENGTHS - 1);
}

static bool is_wanted(const struct subset *s, const char *text)
{
	uint64_t lengths = s->lengths[(unsigned char)*text];
	struct name name;

	if (!lengths)
		return false;
	name = essential(text);
	if (!(lengths & length_bit(name.len)))
		return false;
	for (size_t i = 0; i < s->wanted.n; i++)
		if (s->wanted.data[i].len == name.len && !memcmp(s->wanted.data[i].text, text, name.len))
			return true;
	return false;
}

static int want_names(struct subset *s, const struct btf_types *object)
{
	for (size_t i = 0; i < object->at.n; i++) {
		struct btf_type t;
		struct name name;

		memcpy(&t, object->types + object->at.data[i], sizeof(t));
		name = essential(btf_string_at(object, t.name_off));
		if (!may_be_named(t.info) || !name.len || is_wanted(s, name.text))
			continue;
		if (vec_reserve(&s->wanted))
			return -ENOMEM;
		s->wanted.data[s->wanted.n++] = name;
		s->lengths[(unsigned char)*name.text] |= length_bit(name.len);
	}
	return 0;
}

/* The id that a type of the kernel has here; 0, void, for none. */
static uint32_t new_id(struct subset *s, uint32_t id)
{
	uint32_t *old;

	if (!id || id >= s->kernel->first_id + s->kernel->at.n)
		return 0;
	if (!s->new_ids[id]) {
		old = vec_take(&s->old_ids, 1);
		if (!old) {
			s->no_memory = true;
			return 0;
		}
		*old = id;
		s->new_ids[id] = (uint32_t)s->old_ids.n;
	}
	return s->new_ids[id];
}

static uint32_t new_string(struct subset *s, uint32_t off)
{
	const char *text = btf_string_at(s->kernel, off);
	uint32_t at = (uint32_t)s->strings.n;
	size_t size = strlen(text) + 1;
	char *to;

	if (size == 1 && at)
		return 0;
	to = vec_take(&s->strings, size);
	s->no_memory |= !to;
	if (to)
		memcpy(to, text, size);
	return at;
}

static void put(struct subset *s, const void *bytes, size_t size)
{
	char *to = vec_take(&s->types, size);

	s->no_memory |= !to;
	if (to)
		memcpy(to, bytes, size);
}

static void put_members(struct subset *s, uint32_t n, const char *more)
{
	for (uint32_t i = 0; i < n; i++) {
		struct btf_member m;

		memcpy(&m, more + i * sizeof(m), sizeof(m));
		m.name_off = new_string(s, m.name_off);
		m.type = new_id(s, m.type);
		put(s, &m, sizeof(m));
	}
}

/* Of both kinds of enums a value begins with its name. */
static void put_values(struct subset *s, uint32_t n, size_t size, const char *more)
{
	uint32_t value[3];

	for (uint32_t i = 0; i < n; i++) {
		memcpy(value, more + i * size, size);
		value[0] = new_string(s, value[0]);
		put(s, value, size);
	}
}

static void put_type(struct subset *s, uint32_t id)
{
	struct btf_type t;
	struct btf_array a;
	const char *more;
	uint32_t kind, n;

	if (!btf_type_at(s->kernel, id, &t, &more))
		return;
	kind = BTF_INFO_KIND(t.info);
	n = BTF_INFO_VLEN(t.info);
	t.name_off = new_string(s, t.name_off);
	switch (kind) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		put(s, &t, sizeof(t));
		put_members(s, n, more);
		break;
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		put(s, &t, sizeof(t));
		put_values(s, n, kind == BTF_KIND_ENUM ? sizeof(struct btf_enum) : 3 * sizeof(uint32_t), more);
		break;
	case BTF_KIND_ARRAY:
		memcpy(&a, more, sizeof(a));
		a.type = new_id(s, a.type);
		a.index_type = new_id(s, a.index_type);
		put(s, &t, sizeof(t));
		put(s, &a, sizeof(a));
		break;
	case BTF_KIND_INT:
		put(s, &t, sizeof(t));
		put(s, more, sizeof(uint32_t));
		break;
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD:
		put(s, &t, sizeof(t));
		break;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case KIND_TYPE_TAG:
		t.type = new_id(s, t.type);
		put(s, &t, sizeof(t));
		break;
	default: /* a pointer; and functions, which are nobody's value */
		t = (struct btf_type){ .info = BTF_KIND_PTR << 24 };
		put(s, &t, sizeof(t));
	}
}

static bool is_too_big(const struct subset *s)
{
	return s->types.n + s->strings.n > BYTES_MAX;
}

static void put_wanted(struct subset *s)
{
	const struct btf_types *kernel = s->kernel;

	new_string(s, 0); /* "" is the first of all strings */
	for (size_t i = 0; i < kernel->at.n; i++) {
		struct btf_type t;

		memcpy(&t, kernel->types + kernel->at.data[i], sizeof(t));
		if (may_be_named(t.info) && t.name_off && is_wanted(s, btf_string_at(kernel, t.name_off)))
			new_id(s, kernel->first_id + (uint32_t)i);
	}
	for (size_t i = 0; i < s->old_ids.n && !s->no_memory && !is_too_big(s); i++)
		put_type(s, s->old_ids.data[i]);
}

static char *join(const struct subset *s, size_t *ret_size)
{
	const struct btf_header h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h), .type_len = (uint32_t)s->types.n,
				      .str_off = (uint32_t)s->types.n, .str_len = (uint32_t)s->strings.n };
	char *bytes = malloc(sizeof(h) + s->types.n + s->strings.n);

	if (!bytes)
		return NULL;
	memcpy(bytes, &h, sizeof(h));
	if (s->types.n)
		memcpy(bytes + sizeof(h), s->types.data, s->types.n);
	memcpy(bytes + sizeof(h) + s->types.n, s->strings.data, s->strings.n);
	*ret_size = sizeof(h) + s->types.n + s->strings.n;
	return bytes;
}

int btf_subset(const struct btf_types *kernel, const struct btf_types *object, void **ret_bytes, size_t *ret_size)
{
	struct subset s = { .kernel = kernel };
	bool too_big = false;
	char *bytes = NULL;

	s.new_ids = calloc(kernel->first_id + kernel->at.n, sizeof(*s.new_ids));
	if (s.new_ids && !want_names(&s, object)) {
		put_wanted(&s);
		too_big = is_too_big(&s);
		bytes = s.no_memory || too_big ? NULL : join(&s, ret_size);
	}
	free(s.new_ids);
	vec_free(&s.wanted);
	vec_free(&s.old_ids);
	vec_free(&s.types);
	vec_free(&s.strings);
	if (!bytes)
		return too_big ? -E2BIG : -ENOMEM;
	*ret_bytes = bytes;
	return 0;
}
