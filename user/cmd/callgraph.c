/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/callgraph.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "capture/unwindstore.h"
#include "capture/walker.h"

int walk_set_call_graph(void *base, const char *text, struct err *err)
{
	struct walk_options *walks = base;
	/* dwarf is what perf's users type for stacks of code without frame pointers */
	static const struct {
		const char *word;
		enum call_graph mode;
	} words[] = {
		{ "fp", CALL_GRAPH_FP },      { "eh", CALL_GRAPH_EH },	   { "auto", CALL_GRAPH_AUTO },
		{ "dwarf", CALL_GRAPH_EH }, { "none", CALL_GRAPH_NONE }, { "no", CALL_GRAPH_NONE },
	};
	size_t n = strcspn(text, ",");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) != n || strncmp(words[i].word, text, n))
			continue;
		/* dwarf,SIZE is how much of the stack perf copies */
		if (text[n] && (strcmp(words[i].word, "dwarf") || !text[n + 1] || text[n + 1 + strspn(text + n + 1, "0123456789")]))
			break;
		walks->call_graph = words[i].mode;
		return 0;
	}
	err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--call-graph': auto, eh, fp or none", text);
	if (!strncmp(text, "lbr", 3))
		err_hint(err, "use eh, which walks whole stacks; lbr is short and on Intel CPUs only");
	return -EINVAL;
}

const struct opt walk_opts[] = {
	{ 0, "call-graph", "MODE", OPT_CALL, 0,
	  "how user stacks are walked: eh, by .eh_frame; fp, by frame pointers; none: no callers (default auto: eh)", walk_set_call_graph,
	  .values = "auto|eh|fp|none" },
	{ 0, "unwind-memory", "MB", OPT_U64, offsetof(struct walk_options, table_mb),
	  "memory for .eh_frame tables in the kernel (default 64); the oldest are replaced" },
	{ 0 },
};

static int check_frames(const struct walk_options *walks, struct err *err)
{
	if (!walk_by_tables(walks))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--max-stack needs --call-graph eh");
	if (walks->max_frames < STACK_MAX_FRAMES || walks->max_frames > SAMPLE_DEEP_MAX)
		return err_exit(err, -ERANGE, EXIT_USAGE,
				"--max-stack, the frames of a stack, is from %d to %d (--max-stacks limits the number of stacks)",
				STACK_MAX_FRAMES, SAMPLE_DEEP_MAX);
	return 0;
}

int walk_check(const struct walk_options *walks, struct err *err)
{
	int ret = walks->max_frames ? check_frames(walks, err) : 0;

	if (ret || !walks->table_mb)
		return ret;
	if (!walk_by_tables(walks))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--unwind-memory needs --call-graph eh");
	if (walks->table_mb < UNWIND_BYTES_MIN >> 20 || walks->table_mb > UNWIND_BYTES_MAX >> 20)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--unwind-memory is from %llu to %llu MB", UNWIND_BYTES_MIN >> 20, UNWIND_BYTES_MAX >> 20);
	return 0;
}

bool walk_by_tables(const struct walk_options *walks)
{
	return walks->call_graph == CALL_GRAPH_EH || walks->call_graph == CALL_GRAPH_AUTO;
}

struct unwinder_cfg walk_cfg(const struct walk_options *walks, struct unwind_guide *guide)
{
	return (struct unwinder_cfg){ .guide = guide, .bytes = walks->table_mb << 20, .max_frames = (uint32_t)walks->max_frames,
				      .is_must = walks->call_graph != CALL_GRAPH_AUTO || walks->table_mb || walks->max_frames };
}
