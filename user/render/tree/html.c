/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: one HTML file that needs nothing else: the page and its program (page/, put together and embedded when skep is built) with the
 * profile as JSON in its data element. The call tree is columns in preorder, so that a browser reads 100,000 nodes in one JSON.parse:
 *   names, objs, files: strings, each once      frames: name, obj, kind, name, obj, kind ...
 *   node: frame of each node    depth: of each node    count: samples in the node itself
 *   self: weight in the node itself; left out when it is count * scale for every node
 *   file, line: of each node (file -1: none); left out when no node has any
 *   before: of a change, the weight in the node itself before it; before_weight, before_count: of all nodes; names_of_sides: before and after
 *   slices: what the nodes have by bin of time, thread and CPU: start_ns, bin_ns, span_ns; of each thread comm, pid, tid; of each bin
 *   in_bin: how many slices; of each slice task (less that of the slice before it in its bin), cpu (-1: not known), node, count, weight
 *   (left out likewise)
 *   left_out: frames, weight: what stands in frames "[left out]" of the tree, as it weighs less than `below`; of a change the side counts of which
 *   more is left out, as if both weighed the same
 *   more: the other views, each with all this but for the strings and frames, which views share
 * What a page can add up (totals) or number (parents) is not in the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/treepair.h"
#include "render/tree/flame.h"
#include "util/hash.h"
#include "util/map.h"

#define PLACEHOLDER "@@SKEP_DATA@@"
#define NO_ID (-1)
#define NODES_MAX 200000u /* of one view: a page of 10 MB, drawn in half a second */
#define REST_NAME "[left out]"

#ifndef FLAME_HTML
#define FLAME_HTML "gen/flame.html"
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

/* A line of the columns: a node, or the sum of what is left out below it. */
struct line {
	uint32_t node, depth;
	bool is_rest;
	uint64_t rest_weight, rest_count, rest_before;
};

struct view {
	const struct flame_page *of;
	VEC(struct line) lines; /* in preorder */
	uint32_t *line_of;	/* by node: where it is, or its weight */
	uint64_t scale;		/* self = count * scale everywhere; 0: not so */
	uint64_t below, frames_out, weight_out, before_out; /* what is left out: frames of less weight */
};

struct page {
	struct ids names, objs, files, frames;
	struct json json;
	struct view *views;
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

static int by_weight(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* Of both sides of a change. */
static uint64_t node_total(const struct view *v, size_t i)
{
	return v->of->tree->nodes.data[i].total + (v->of->sides ? v->of->sides->before[i].total : 0);
}

/* The least weight of a frame that the page has: of more than NODES_MAX, what is lighter is left out. 0 or -ENOMEM. */
static int choose_least(struct view *v)
{
	const struct tree *tree = v->of->tree;
	uint64_t *totals;

	if (tree->nodes.n <= NODES_MAX)
		return 0;
	totals = malloc(tree->nodes.n * sizeof(*totals));
	if (!totals)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nodes.n; i++)
		totals[i] = node_total(v, i);
	qsort(totals, tree->nodes.n, sizeof(*totals), by_weight);
	v->below = totals[NODES_MAX] + 1; /* there may be many of that weight: all or none */
	free(totals);
	return 0;
}

static bool is_kept(const struct view *v, uint32_t i)
{
	return !i || node_total(v, i) >= v->below;
}

static int line_add(struct view *v, struct line line)
{
	if (vec_reserve(&v->lines))
		return -ENOMEM;
	v->lines.data[v->lines.n++] = line;
	return 0;
}

/* The node, and after it what its children have that are left out. */
static int lines_of(struct view *v, uint32_t i, uint32_t depth)
{
	const struct tree_node *nodes = v->of->tree->nodes.data;
	struct line rest = { .node = i, .depth = depth + 1, .is_rest = true };

	v->line_of[i] = (uint32_t)v->lines.n;
	for (uint32_t k = nodes[i].first_child; k != TREE_NONE; k = nodes[k].next_sibling) {
		if (is_kept(v, k))
			continue;
		rest.rest_weight += nodes[k].total;
		rest.rest_count += nodes[k].total_count;
		rest.rest_before += v->of->sides ? v->of->sides->before[k].total : 0;
	}
	v->weight_out += rest.rest_weight;
	v->before_out += rest.rest_before;
	if (line_add(v, (struct line){ .node = i, .depth = depth }))
		return -ENOMEM;
	return rest.rest_count || rest.rest_weight || rest.rest_before ? line_add(v, rest) : 0;
}

/* Fills the lines. A node that is left out counts in the line after that of the last caller that is not. */
static int view_lines(struct view *v)
{
	const struct tree *tree = v->of->tree;
	const struct tree_node *nodes = tree->nodes.data;
	uint32_t depth = 0;
	int ret = choose_least(v);

	v->line_of = malloc(tree->nodes.n * sizeof(*v->line_of));
	if (!ret && !v->line_of)
		ret = -ENOMEM;
	for (uint32_t i = 0; i != TREE_NONE && !ret;) {
		if (is_kept(v, i)) {
			ret = lines_of(v, i, depth);
			i = preorder_next(tree, i, &depth);
			continue;
		}
		for (; i && nodes[i].next_sibling == TREE_NONE; depth--)
			i = nodes[i].parent;
		i = i ? nodes[i].next_sibling : TREE_NONE;
	}
	/* a child comes after its parent */
	for (uint32_t i = 1; i < tree->nodes.n && !ret; i++) {
		if (is_kept(v, i))
			continue;
		v->line_of[i] = v->line_of[nodes[i].parent] + is_kept(v, nodes[i].parent);
		v->frames_out++;
	}
	return ret;
}

static const char rest_name[] = REST_NAME;

static struct id frame_id(const struct view *v, const struct line *line)
{
	const struct tree_node *n = &v->of->tree->nodes.data[line->node];

	return line->is_rest ? (struct id){ rest_name, NULL, FRAME_MARK } : (struct id){ n->name, n->obj, n->kind };
}

static int view_number(struct page *page, struct view *v)
{
	int ret = view_lines(v);

	for (size_t i = 0; i < v->lines.n && !ret; i++) {
		const struct line *line = &v->lines.data[i];
		const struct id id = frame_id(v, line);
		const char *file = line->is_rest ? NULL : v->of->tree->nodes.data[line->node].file;

		ret = ids_add(&page->frames, id);
		if (!ret && id.name)
			ret = ids_add(&page->names, (struct id){ .name = id.name });
		if (!ret && id.obj)
			ret = ids_add(&page->objs, (struct id){ .name = id.obj });
		if (!ret && file)
			ret = ids_add(&page->files, (struct id){ .name = file });
	}
	return ret;
}

static uint64_t line_weight(const struct view *v, const struct line *line)
{
	return line->is_rest ? line->rest_weight : v->of->tree->nodes.data[line->node].self;
}

static uint64_t line_count(const struct view *v, const struct line *line)
{
	return line->is_rest ? line->rest_count : v->of->tree->nodes.data[line->node].self_count;
}

static uint64_t view_scale(const struct view *v)
{
	const struct slices *s = v->of->slices;
	uint64_t scale = 0;

	for (size_t i = 0; i < v->lines.n; i++) {
		uint64_t weight = line_weight(v, &v->lines.data[i]), count = line_count(v, &v->lines.data[i]);

		if (!scale && count)
			scale = weight / count;
		if (weight != count * scale)
			return 0;
	}
	for (size_t i = 0; s && i < s->all.n; i++)
		if (s->all.data[i].weight != s->all.data[i].count * scale)
			return 0;
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

static int64_t col_frame(const struct page *page, const struct view *v, const struct line *line)
{
	return ids_find(&page->frames, frame_id(v, line));
}

static int64_t col_depth(const struct page *page, const struct view *v, const struct line *line)
{
	(void)page, (void)v;
	return line->depth;
}

static int64_t col_count(const struct page *page, const struct view *v, const struct line *line)
{
	(void)page;
	return (int64_t)line_count(v, line);
}

static int64_t col_self(const struct page *page, const struct view *v, const struct line *line)
{
	(void)page;
	return (int64_t)line_weight(v, line);
}

static int64_t col_before(const struct page *page, const struct view *v, const struct line *line)
{
	(void)page;
	return (int64_t)(line->is_rest ? line->rest_before : v->of->sides->before[line->node].self);
}

static int64_t col_file(const struct page *page, const struct view *v, const struct line *line)
{
	return line->is_rest ? NO_ID : ids_find_text(&page->files, v->of->tree->nodes.data[line->node].file);
}

static int64_t col_line(const struct page *page, const struct view *v, const struct line *line)
{
	(void)page;
	return line->is_rest ? 0 : v->of->tree->nodes.data[line->node].line;
}

static void column_put(struct page *page, const struct view *v, const char *key,
		       int64_t (*get)(const struct page *, const struct view *, const struct line *))
{
	json_line(&page->json);
	json_key(&page->json, key);
	json_array(&page->json);
	for (size_t i = 0; i < v->lines.n; i++)
		json_i64(&page->json, get(page, v, &v->lines.data[i]));
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

/* In the order of bins, then of threads, CPUs and lines, which makes numbers small. */
static int slice_cmp(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->bin != y->bin)
		return x->bin < y->bin ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int64_t slice_task(const struct slice *list, size_t i)
{
	return (int64_t)list[i].task - (i && list[i].bin == list[i - 1].bin ? list[i - 1].task : 0);
}

static int64_t slice_cpu(const struct slice *list, size_t i)
{
	return list[i].cpu == SLICE_NO_CPU ? -1 : (int64_t)list[i].cpu;
}

static int64_t slice_node(const struct slice *list, size_t i)
{
	return list[i].node;
}

static int64_t slice_count(const struct slice *list, size_t i)
{
	return (int64_t)list[i].count;
}

static int64_t slice_weight(const struct slice *list, size_t i)
{
	return (int64_t)list[i].weight;
}

static void slice_column(struct json *json, const char *key, const struct slice *list, size_t n, int64_t (*get)(const struct slice *, size_t))
{
	json_line(json);
	json_key(json, key);
	json_array(json);
	for (size_t i = 0; i < n; i++)
		json_i64(json, get(list, i));
	json_array_end(json);
}

static void in_bin_put(struct json *json, const struct slices *s, const struct slice *list)
{
	size_t i = 0;

	json_key(json, "in_bin");
	json_array(json);
	for (uint32_t bin = 0; bin < s->nr_bins; bin++) {
		size_t from = i;

		while (i < s->all.n && list[i].bin == bin)
			i++;
		json_u64(json, i - from);
	}
	json_array_end(json);
}

static void tasks_put(struct json *json, const struct slices *s)
{
	json_key(json, "comm");
	json_array(json);
	for (size_t i = 0; i < s->tasks.n; i++)
		json_text(json, s->tasks.data[i].comm ? s->tasks.data[i].comm : "");
	json_array_end(json);
	json_key(json, "pid");
	json_array(json);
	for (size_t i = 0; i < s->tasks.n; i++)
		json_u64(json, s->tasks.data[i].pid);
	json_array_end(json);
	json_key(json, "tid");
	json_array(json);
	for (size_t i = 0; i < s->tasks.n; i++)
		json_u64(json, s->tasks.data[i].tid);
	json_array_end(json);
}

static int slices_put(struct page *page, const struct view *v)
{
	const struct slices *s = v->of->slices;
	struct json *json = &page->json;
	struct slice *list = malloc((s->all.n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < s->all.n; i++) {
		list[i] = s->all.data[i];
		list[i].node = v->line_of[list[i].node];
	}
	qsort(list, s->all.n, sizeof(*list), slice_cmp);
	json_line(json);
	json_key(json, "slices");
	json_object(json);
	json_key_u64(json, "start_ns", s->start_ns);
	json_key_u64(json, "bin_ns", s->bin_ns);
	json_key_u64(json, "span_ns", s->last_ns - s->start_ns);
	json_key_u64(json, "left_out", s->left_out);
	tasks_put(json, s);
	in_bin_put(json, s, list);
	slice_column(json, "task", list, s->all.n, slice_task);
	slice_column(json, "cpu", list, s->all.n, slice_cpu);
	slice_column(json, "node", list, s->all.n, slice_node);
	slice_column(json, "count", list, s->all.n, slice_count);
	if (!v->scale)
		slice_column(json, "weight", list, s->all.n, slice_weight);
	json_object_end(json);
	free(list);
	return 0;
}

static void frames_put(struct page *page)
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
	if (page->files.seen.n)
		texts_put(json, "files", &page->files);
}

/* Its part of the tree's weight is the larger part of both sides. */
static uint64_t weight_left_out(const struct view *v)
{
	const struct flame_sides *sides = v->of->sides;
	uint64_t before = sides ? sides->before[0].total : 0;
	double scaled = before ? (double)v->before_out / (double)before * (double)v->of->tree->nodes.data[0].total : 0;

	return scaled > (double)v->weight_out ? (uint64_t)scaled : v->weight_out;
}

static void left_out_put(struct json *json, const struct view *v)
{
	json_key(json, "left_out");
	json_object(json);
	json_key_u64(json, "frames", v->frames_out);
	json_key_u64(json, "below", v->below);
	json_key_u64(json, "weight", weight_left_out(v));
	json_object_end(json);
}

static void sides_put(struct page *page, const struct view *v)
{
	const struct flame_sides *sides = v->of->sides;
	struct json *json = &page->json;

	column_put(page, v, "before", col_before);
	json_key_u64(json, "before_weight", sides->before[0].total);
	json_key_u64(json, "before_count", sides->before[0].total_count);
	json_key(json, "names_of_sides");
	json_array(json);
	json_text(json, sides->names[0]);
	json_text(json, sides->names[1]);
	json_array_end(json);
}

/* All of a view but what views share, into the object that is open. */
static int view_put(struct page *page, struct view *v)
{
	const struct flame_page *of = v->of;
	struct json *json = &page->json;

	v->scale = view_scale(v);
	json_line(json);
	profile_json(json, of->profile);
	json_key(json, "is_time");
	json_bool(json, of->profile->is_time);
	if (of->event >= 0)
		json_key_u64(json, "event_index", of->event);
	ledger_put(json, of->profile);
	if (v->frames_out)
		left_out_put(json, v);
	column_put(page, v, "node", col_frame);
	column_put(page, v, "depth", col_depth);
	column_put(page, v, "count", col_count);
	if (v->scale)
		json_key_u64(json, "scale", v->scale);
	else
		column_put(page, v, "self", col_self);
	if (page->files.seen.n) {
		column_put(page, v, "file", col_file);
		column_put(page, v, "line", col_line);
	}
	if (of->sides)
		sides_put(page, v);
	return of->slices && of->slices->all.n ? slices_put(page, v) : 0;
}

static void call_put(struct json *json, const struct flame_cfg *cfg)
{
	json_key_text(json, "input", cfg->input);
	if (cfg->by)
		json_key_text(json, "by", cfg->by);
	if (!cfg->options || !*cfg->options)
		return;
	json_key(json, "options");
	json_array(json);
	for (const char *const *option = cfg->options; *option; option++)
		json_text(json, *option);
	json_array_end(json);
}

static int data_put(struct page *page, uint32_t nr, const struct flame_cfg *cfg)
{
	struct json *json = &page->json;
	int ret;

	json->in_html = true;
	json_object(json);
	json_key_u64(json, "skep", 1);
	json_key(json, "icicle");
	json_bool(json, cfg && cfg->icicle);
	if (cfg && cfg->input)
		call_put(json, cfg);
	frames_put(page);
	ret = view_put(page, &page->views[0]);
	if (nr > 1) {
		json_key(json, "more");
		json_array(json);
		for (uint32_t i = 1; i < nr && !ret; i++) {
			json_object(json);
			ret = view_put(page, &page->views[i]);
			json_object_end(json);
		}
		json_array_end(json);
	}
	json_object_end(json);
	return ret;
}

static void page_free(struct page *page, uint32_t nr)
{
	for (uint32_t i = 0; page->views && i < nr; i++) {
		vec_free(&page->views[i].lines);
		free(page->views[i].line_of);
	}
	free(page->views);
	ids_free(&page->names);
	ids_free(&page->objs);
	ids_free(&page->files);
	ids_free(&page->frames);
}

int render_html(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg)
{
	const struct flame_page only = { .tree = tree, .profile = p, .sides = cfg ? cfg->sides : NULL, .event = -1 };
	const char *hole = strstr(skep_flame_html, PLACEHOLDER);
	uint32_t nr = cfg && cfg->pages ? cfg->nr_pages : 1;
	struct page page = { .views = calloc(nr, sizeof(*page.views)) };
	int ret = page.views ? 0 : -ENOMEM, failed;

	for (uint32_t i = 0; i < nr && !ret; i++) {
		page.views[i].of = cfg && cfg->pages ? &cfg->pages[i] : &only;
		ret = view_number(&page, &page.views[i]);
	}
	if (!ret) {
		fwrite(skep_flame_html, 1, hole - skep_flame_html, out);
		json_begin(&page.json, out);
		ret = data_put(&page, nr, cfg);
		hole += strlen(PLACEHOLDER);
		fwrite(hole, 1, skep_flame_html_end - hole, out);
		failed = json_end(&page.json);
		ret = ret ? ret : failed;
	}
	page_free(&page, nr);
	return ret;
}
