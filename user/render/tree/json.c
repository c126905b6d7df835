/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: the call tree as JSON, for programs. Format 1:
 *   { "skep": 1, "title", "event", "unit": text,
 *     "seen", "kept": samples (seen = kept + the losses that are whole), "weight": in unit, over kept,
 *     "duration_ns", "notes": [ text, ... ],
 *     "losses": { reason: count, ... every reason, zeros too },
 *     "receipt": { "wall_ns", "own_cpu_ns", "bpf_ns", "bpf_runs" (these two with --receipt), "peak_rss_bytes", "map_bytes", "cpus" },
 *     "tree": NODE }
 *   NODE = { "name": text, "obj": text or null, "kind": "user|kernel|jit|inlined|unknown|mark",
 *            "file": text, "line": number (both only when known),
 *            "value": weight here and below, "self": weight here, "count", "self_count": samples, likewise,
 *            "children": [ NODE, ... ] (only when there are any) }
 * Integers are written exactly; readers that use doubles see them exactly up to 2^53. Keys may be
 * added in format 1, never changed. Names are any bytes: what is not UTF-8 is U+FFFD.
 */
#include "render/tree/flame.h"

static const char *const kinds[] = {
	[FRAME_USER] = "user",	     [FRAME_KERNEL] = "kernel",	  [FRAME_JIT] = "jit",
	[FRAME_INLINED] = "inlined", [FRAME_UNKNOWN] = "unknown", [FRAME_MARK] = "mark",
};

const char *kind_name(uint32_t kind)
{
	return kind < sizeof(kinds) / sizeof(*kinds) ? kinds[kind] : "unknown";
}

static void node_open(struct json *json, const struct tree_node *node)
{
	json_line(json);
	json_object(json);
	json_key_text(json, "name", node->name);
	json_key_text(json, "obj", node->obj);
	json_key_text(json, "kind", kind_name(node->kind));
	if (node->file) {
		json_key_text(json, "file", node->file);
		json_key_u64(json, "line", node->line);
	}
	json_key_u64(json, "value", node->total);
	json_key_u64(json, "self", node->self);
	json_key_u64(json, "count", node->total_count);
	json_key_u64(json, "self_count", node->self_count);
}

/* By the links, not by recursion: the depth of a tree is the input's choice. */
static void tree_json(struct json *json, const struct tree *tree)
{
	const struct tree_node *nodes = tree->nodes.data;
	uint32_t i = 0;

	node_open(json, nodes);
	for (;;) {
		if (nodes[i].first_child != TREE_NONE) {
			i = nodes[i].first_child;
			json_key(json, "children");
			json_array(json);
			node_open(json, &nodes[i]);
			continue;
		}
		json_object_end(json);
		while (i && nodes[i].next_sibling == TREE_NONE) {
			i = nodes[i].parent;
			json_array_end(json);
			json_object_end(json);
		}
		if (!i)
			return;
		i = nodes[i].next_sibling;
		node_open(json, &nodes[i]);
	}
}

int render_flame_json(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg)
{
	struct json json;

	(void)cfg;
	json_begin(&json, out);
	json_object(&json);
	json_key_u64(&json, "skep", 1);
	profile_json(&json, p);
	json_key(&json, "tree");
	tree_json(&json, tree);
	json_object_end(&json);
	putc('\n', out);
	return json_end(&json);
}
