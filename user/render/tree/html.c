/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: one HTML file that needs nothing else: flame.html (the page and its program, embedded when
 * skep is built) with the profile as JSON in its data element. The call tree is columns in preorder,
 * so that a browser reads 100,000 nodes in one JSON.parse:
 *   names, objs, files: strings, each once      frames: name, obj, kind, name, obj, kind ...
 *   node: frame of each node    depth: of each node    count: samples in the node itself
 *   self: weight in the node itself; left out when it is count * scale for every node
 *   file, line: of each node (file -1: none); left out when no node has any
 *   before: of a change, the weight in the node itself before it; before_weight, before_count: of all nodes; names_of_sides: before and after
 * What a page can add up (totals) or number (parents) is not in the file.
 */
#include <errno.h>
#include <string.h>

#include "model/treepair.h"
#include "render/tree/flame.h"
#include "util/hash.h"
#include "util/map.h"

#define PLACEHOLDER "@@SKEP_DATA@@"
#define NO_ID (-1)

#ifndef FLAME_HTML
#define FLAME_HTML "user/render/tree/flame.html"
#endif
__asm__(".pushsection .rodata\n"
	".global skep_flame_html, skep_flame_html_end\n"
	".hidden skep_flame_html, skep_flame_html_end\n"
	"skep_flame_html: .incbin \"" FLAME_HTML "\"\n"
	"skep_flame_html_end: .byte 0\n"
	".popsection\n");
extern const char skep_flame_html[], skep_flame_html_end[];

/* Numbers things in the order they come. Strings are compared by address: they are interned. */
struct id {
	const char *name, *obj;
	uint32_t kind;
};

struct ids {
	VEC(struct id) seen;
	struct map index;
};

struct page {
	struct ids names, objs, files, frames;
	const struct tree *tree;
	const struct flame_sides *sides;
	struct json json;
	uint64_t scale; /* self = self_count * scale everywhere; 0: not so */
};

static void ids_free(struct ids *ids)
{
	vec_free(&ids->seen);
	map_free(&ids->index);
}

static uint64_t id_hash(const struct id *id)
{
	return hash_pair(hash_pair((uintptr_t)id->name, (uintptr_t)id->obj), id->kind);
}

static int64_t ids_find(const struct ids *ids, struct id id)
{
	map_each(i, &ids->index, id_hash(&id)) {
		const struct id *have = &ids->seen.data[i];

		if (have->name == id.name && have->obj == id.obj && have->kind == id.kind)
			return i;
	}
	return NO_ID;
}

static int ids_add(struct ids *ids, struct id id)
{
	if (ids_find(ids, id) != NO_ID)
		return 0;
	if (vec_reserve(&ids->seen) || map_add(&ids->index, id_hash(&id), ids->seen.n))
		return -ENOMEM;
	ids->seen.data[ids->seen.n++] = id;
	return 0;
}

static int64_t ids_find_text(const struct ids *ids, const char *text)
{
	return text ? ids_find(ids, (struct id){ .name = text }) : NO_ID;
}

static int page_number(struct page *page)
{
	const struct tree *tree = page->tree;
	uint32_t depth = 0;
	int ret = 0;

	for (uint32_t i = 0; i != TREE_NONE && !ret; i = preorder_next(tree, i, &depth)) {
		const struct tree_node *n = &tree->nodes.data[i];

		ret = ids_add(&page->frames, (struct id){ n->name, n->obj, n->kind });
		if (!ret && n->name)
			ret = ids_add(&page->names, (struct id){ .name = n->name });
		if (!ret && n->obj)
			ret = ids_add(&page->objs, (struct id){ .name = n->obj });
		if (!ret && n->file)
			ret = ids_add(&page->files, (struct id){ .name = n->file });
	}
	return ret;
}

static uint64_t tree_scale(const struct tree *tree)
{
	uint64_t scale = 0;

	for (size_t i = 0; i < tree->nodes.n; i++) {
		const struct tree_node *n = &tree->nodes.data[i];

		if (!scale && n->self_count)
			scale = n->self / n->self_count;
		if (n->self != n->self_count * scale)
			return 0;
	}
	return scale;
}

static void texts_put(struct json *json, const char *key, const struct ids *ids)
{
	json_line(json);
	json_key(json, key);
	json_array(json);
	for (size_t i = 0; i < ids->seen.n; i++)
		json_text(json, ids->seen.data[i].name);
	json_array_end(json);
}

static int64_t col_frame(const struct page *page, const struct tree_node *n, uint32_t depth)
{
	(void)depth;
	return ids_find(&page->frames, (struct id){ n->name, n->obj, n->kind });
}

static int64_t col_depth(const struct page *page, const struct tree_node *n, uint32_t depth)
{
	(void)page, (void)n;
	return depth;
}

static int64_t col_count(const struct page *page, const struct tree_node *n, uint32_t depth)
{
	(void)page, (void)depth;
	return n->self_count;
}

static int64_t col_self(const struct page *page, const struct tree_node *n, uint32_t depth)
{
	(void)page, (void)depth;
	return n->self;
}

static int64_t col_before(const struct page *page, const struct tree_node *n, uint32_t depth)
{
	(void)depth;
	return page->sides->before[n - page->tree->nodes.data].self;
}

static int64_t col_file(const struct page *page, const struct tree_node *n, uint32_t depth)
{
	(void)depth;
	return ids_find_text(&page->files, n->file);
}

static int64_t col_line(const struct page *page, const struct tree_node *n, uint32_t depth)
{
	(void)page, (void)depth;
	return n->line;
}

static void column_put(struct page *page, const char *key,
		       int64_t (*get)(const struct page *, const struct tree_node *, uint32_t))
{
	uint32_t depth = 0;

	json_line(&page->json);
	json_key(&page->json, key);
	json_array(&page->json);
	for (uint32_t i = 0; i != TREE_NONE;) {
		json_i64(&page->json, get(page, &page->tree->nodes.data[i], depth));
		i = preorder_next(page->tree, i, &depth);
	}
	json_array_end(&page->json);
}

static void ledger_put(struct json *json, const struct profile *p)
{
	json_line(json);
	json_key(json, "ledger");
	json_array(json);
	for (int i = 0; i < LOSS_MAX; i++) {
		if (!p->losses[i])
			continue;
		json_array(json);
		json_text(json, loss_text(i));
		json_u64(json, p->losses[i]);
		json_bool(json, loss_is_whole(i));
		json_array_end(json);
	}
	json_array_end(json);
}

static void sides_put(struct page *page)
{
	struct json *json = &page->json;

	column_put(page, "before", col_before);
	json_key_u64(json, "before_weight", page->sides->before[0].total);
	json_key_u64(json, "before_count", page->sides->before[0].total_count);
	json_key(json, "names_of_sides");
	json_array(json);
	json_text(json, page->sides->names[0]);
	json_text(json, page->sides->names[1]);
	json_array_end(json);
}

static void tree_put(struct page *page)
{
	struct json *json = &page->json;

	texts_put(json, "names", &page->names);
	texts_put(json, "objs", &page->objs);
	json_line(json);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = 0; i < page->frames.seen.n; i++) {
		const struct id *id = &page->frames.seen.data[i];

		json_i64(json, ids_find_text(&page->names, id->name));
		json_i64(json, ids_find_text(&page->objs, id->obj));
		json_u64(json, id->kind);
	}
	json_array_end(json);
	column_put(page, "node", col_frame);
	column_put(page, "depth", col_depth);
	column_put(page, "count", col_count);
	if (page->scale)
		json_key_u64(json, "scale", page->scale);
	else
		column_put(page, "self", col_self);
	if (page->files.seen.n) {
		texts_put(json, "files", &page->files);
		column_put(page, "file", col_file);
		column_put(page, "line", col_line);
	}
	if (page->sides)
		sides_put(page);
}

int render_html(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg)
{
	const char *hole = strstr(skep_flame_html, PLACEHOLDER);
	struct page page = { .tree = tree, .sides = cfg ? cfg->sides : NULL };
	int ret = page_number(&page);

	if (!ret) {
		page.scale = tree_scale(tree);
		fwrite(skep_flame_html, 1, hole - skep_flame_html, out);
		json_begin(&page.json, out);
		page.json.in_html = true;
		json_object(&page.json);
		json_key_u64(&page.json, "skep", 1);
		profile_json(&page.json, p);
		json_key(&page.json, "icicle");
		json_bool(&page.json, cfg && cfg->icicle);
		ledger_put(&page.json, p);
		tree_put(&page);
		json_object_end(&page.json);
		hole += strlen(PLACEHOLDER);
		fwrite(hole, 1, skep_flame_html_end - hole, out);
		ret = json_end(&page.json);
	}
	ids_free(&page.names);
	ids_free(&page.objs);
	ids_free(&page.files);
	ids_free(&page.frames);
	return ret;
}
