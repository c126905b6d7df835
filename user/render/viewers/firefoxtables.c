/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "render/viewers/firefox.h"
#include "sample.h"
#include "util/hash.h"
#include "util/text.h"

#define NONE UINT32_MAX
#define RESOURCE_LIBRARY 1 /* ResourceType.Library */
#define BREAKPAD_BYTES 16

int64_t firefox_string(struct firefox_strings *s, const char *text)
{
	uint64_t hash = hash_bytes(text, strlen(text));

	map_each(i, &s->by_text, hash) {
		if (!strcmp(s->all.data[i], text))
			return i;
	}
	if (vec_reserve(&s->all) || map_add(&s->by_text, hash, s->all.n))
		return -ENOMEM;
	s->all.data[s->all.n] = text;
	return (int64_t)s->all.n++;
}

/* Of texts of which equal ones have one address. NONE: there is no text; -ENOMEM. */
static int64_t address_number(const char *text, struct map *map, size_t n)
{
	uint64_t hash = hash_u64((uintptr_t)text);
	int64_t found = map_find(map, hash);

	return found >= 0 ? found : map_add(map, hash, n) ? -ENOMEM : (int64_t)n;
}

static int64_t lib_number(struct firefox_tables *t, const char *obj)
{
	int64_t i;

	if (!obj || !*obj)
		return NONE;
	i = vec_reserve(&t->libs) ? -ENOMEM : address_number(obj, &t->by_lib, t->libs.n);
	if (i == (int64_t)t->libs.n)
		t->libs.data[t->libs.n++] = obj;
	return i;
}

static int64_t source_number(struct firefox_tables *t, const char *file)
{
	int64_t i;

	if (!file)
		return NONE;
	i = vec_reserve(&t->sources) ? -ENOMEM : address_number(file, &t->by_source, t->sources.n);
	if (i == (int64_t)t->sources.n)
		t->sources.data[t->sources.n++] = file;
	return i;
}

static int64_t func_number(struct firefox_tables *t, const struct stack_frame *f)
{
	int64_t name = firefox_string(&t->strings, f->name), lib = lib_number(t, f->obj), source = source_number(t, f->file);
	struct firefox_func new = { .name = (uint32_t)name, .source = (uint32_t)source, .lib = (uint32_t)lib };
	uint64_t hash = hash_pair((uint64_t)new.name << 32 | new.source, new.lib);

	if (name < 0 || lib < 0 || source < 0)
		return -ENOMEM;
	map_each(i, &t->by_func, hash) {
		if (!memcmp(&t->funcs.data[i], &new, sizeof(new)))
			return i;
	}
	if (vec_reserve(&t->funcs) || map_add(&t->by_func, hash, t->funcs.n))
		return -ENOMEM;
	t->funcs.data[t->funcs.n] = new;
	return (int64_t)t->funcs.n++;
}

int firefox_tables_make(struct firefox_tables *t, const struct stacktable *stacks)
{
	for (size_t i = 0; i < stacks->frames.n; i++) {
		int64_t func = func_number(t, &stacks->frames.data[i]);

		if (func < 0 || vec_reserve(&t->func_of))
			return -ENOMEM;
		t->func_of.data[t->func_of.n++] = (uint32_t)func;
	}
	for (size_t i = 0; i < t->libs.n + t->sources.n; i++)
		if (firefox_string(&t->strings, i < t->libs.n ? t->libs.data[i] : t->sources.data[i - t->libs.n]) < 0)
			return -ENOMEM;
	return 0;
}

static void put_or_null(struct json *j, uint32_t n)
{
	if (n == NONE)
		json_text(j, NULL);
	else
		json_u64(j, n);
}

static void put_same(struct json *j, const char *key, size_t n, void (*put)(struct json *j))
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; i < n; i++)
		put(j);
	json_array_end(j);
}

static void put_null(struct json *j)
{
	json_text(j, NULL);
}

static void put_false(struct json *j)
{
	json_bool(j, false);
}

static void put_minus_one(struct json *j)
{
	json_i64(j, -1);
}

static void put_zero(struct json *j)
{
	json_u64(j, 0);
}

static void begin_table(struct json *j, const char *key, size_t n)
{
	json_line(j);
	json_key(j, key);
	json_object(j);
	json_key_u64(j, "length", n);
}

/* A column of a table. */
#define PUT_COLUMN(j, key, i, n, put)           \
	do {                                \
		json_key(j, key);           \
		json_array(j);              \
		for (size_t i = 0; i < (n); i++) \
			put;                \
		json_array_end(j);          \
	} while (0)

static void put_stacks(const struct stacktable *s, struct json *j)
{
	begin_table(j, "stackTable", s->nodes.n);
	PUT_COLUMN(j, "frame", i, s->nodes.n, json_u64(j, s->nodes.data[i].frame));
	PUT_COLUMN(j, "prefix", i, s->nodes.n, put_or_null(j, s->nodes.data[i].parent));
	json_object_end(j);
}

static enum firefox_category category_of(const struct stack_frame *f)
{
	if (f->kind == FRAME_KERNEL || f->is_kernel)
		return CATEGORY_KERNEL;
	return f->kind == FRAME_JIT ? CATEGORY_JIT : f->kind == FRAME_MARK ? CATEGORY_OTHER : CATEGORY_USER;
}

static void put_frames(const struct firefox_tables *t, const struct stacktable *s, struct json *j)
{
	size_t n = s->frames.n;

	begin_table(j, "frameTable", n);
	put_same(j, "address", n, put_minus_one); /* -1: the names are in the file, and the profiler looks up none */
	PUT_COLUMN(j, "inlineDepth", i, n, json_u64(j, s->frames.data[i].depth));
	PUT_COLUMN(j, "category", i, n, json_u64(j, category_of(&s->frames.data[i])));
	put_same(j, "subcategory", n, put_zero);
	PUT_COLUMN(j, "func", i, n, json_u64(j, t->func_of.data[i]));
	put_same(j, "nativeSymbol", n, put_null);
	put_same(j, "innerWindowID", n, put_zero);
	PUT_COLUMN(j, "line", i, n, put_or_null(j, s->frames.data[i].line ? s->frames.data[i].line : NONE));
	put_same(j, "column", n, put_null);
	json_object_end(j);
}

static void put_funcs(const struct firefox_tables *t, struct json *j)
{
	size_t n = t->funcs.n;

	begin_table(j, "funcTable", n);
	PUT_COLUMN(j, "name", i, n, json_u64(j, t->funcs.data[i].name));
	put_same(j, "isJS", n, put_false);
	put_same(j, "relevantForJS", n, put_false);
	PUT_COLUMN(j, "resource", i, n, json_i64(j, t->funcs.data[i].lib == NONE ? -1 : (int64_t)t->funcs.data[i].lib));
	PUT_COLUMN(j, "source", i, n, put_or_null(j, t->funcs.data[i].source));
	put_same(j, "lineNumber", n, put_null);
	put_same(j, "columnNumber", n, put_null);
	json_object_end(j);
}

/* A resource for each library, of its number. */
static void put_resources(const struct firefox_tables *t, struct json *j)
{
	struct firefox_strings *strings = (struct firefox_strings *)&t->strings; /* it has them all */
	size_t n = t->libs.n;

	begin_table(j, "resourceTable", n);
	PUT_COLUMN(j, "lib", i, n, json_u64(j, i));
	PUT_COLUMN(j, "name", i, n, json_u64(j, (uint64_t)firefox_string(strings, t->libs.data[i])));
	put_same(j, "host", n, put_null);
	PUT_COLUMN(j, "type", i, n, json_u64(j, RESOURCE_LIBRARY));
	json_object_end(j);
}

static void put_sources(const struct firefox_tables *t, struct json *j)
{
	struct firefox_strings *strings = (struct firefox_strings *)&t->strings;
	size_t n = t->sources.n;

	begin_table(j, "sources", n);
	put_same(j, "uuid", n, put_null);
	PUT_COLUMN(j, "filename", i, n, json_u64(j, (uint64_t)firefox_string(strings, t->sources.data[i])));
	json_object_end(j);
}

void firefox_tables_put(const struct firefox_tables *t, const struct stacktable *stacks, struct json *j)
{
	json_key(j, "shared");
	json_object(j);
	put_stacks(stacks, j);
	put_frames(t, stacks, j);
	put_funcs(t, j);
	put_resources(t, j);
	put_sources(t, j);
	begin_table(j, "nativeSymbols", 0);
	put_same(j, "libIndex", 0, put_null);
	put_same(j, "address", 0, put_null);
	put_same(j, "name", 0, put_null);
	put_same(j, "functionSize", 0, put_null);
	json_object_end(j);
	json_line(j);
	PUT_COLUMN(j, "stringArray", i, t->strings.all.n, json_text(j, t->strings.all.data[i]));
	json_object_end(j);
}

/*
 * The identifier of a file by which symbol servers know it: the begin of its build id as a GUID, whose first three numbers have the other
 * byte order.
 */
static void breakpad_id(const uint8_t *id, size_t size, char *ret_text)
{
	static const uint8_t order[BREAKPAD_BYTES] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	for (size_t i = 0; i < BREAKPAD_BYTES; i++)
		sprintf(ret_text + 2 * i, "%02X", order[i] < size ? id[order[i]] : 0);
	strcpy(ret_text + 2 * BREAKPAD_BYTES, "0");
}

static void put_lib(const char *path, const struct viewer_cfg *cfg, struct json *j)
{
	const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
	char breakpad[2 * BREAKPAD_BYTES + 2] = "", code[2 * BUILD_ID_MAX + 1];
	uint8_t id[BUILD_ID_MAX], size = cfg->build_id ? cfg->build_id(cfg->build_id_arg, path, id) : 0;

	if (size)
		breakpad_id(id, size, breakpad);
	text_hex(code, id, size);
	json_line(j);
	json_object(j);
	json_key_text(j, "arch", "");
	json_key_text(j, "name", name);
	json_key_text(j, "path", path);
	json_key_text(j, "debugName", name);
	json_key_text(j, "debugPath", path);
	json_key_text(j, "breakpadId", breakpad);
	json_key_text(j, "codeId", size ? code : NULL);
	json_object_end(j);
}

void firefox_libs_put(const struct firefox_tables *t, const struct viewer_cfg *cfg, struct json *j)
{
	json_key(j, "libs");
	json_array(j);
	for (size_t i = 0; i < t->libs.n; i++)
		put_lib(t->libs.data[i], cfg, j);
	json_array_end(j);
}

void firefox_tables_free(struct firefox_tables *t)
{
	vec_free(&t->strings.all);
	map_free(&t->strings.by_text);
	vec_free(&t->funcs);
	vec_free(&t->func_of);
	vec_free(&t->libs);
	vec_free(&t->sources);
	map_free(&t->by_func);
	map_free(&t->by_lib);
	map_free(&t->by_source);
}
