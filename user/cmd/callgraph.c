/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/callgraph.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "capture/session.h"
#include "capture/unwindstore.h"

static int set_call_graph(void *base, const char *text, struct err *err)
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
		if (text[n] && strcmp(words[i].word, "dwarf"))
			break;
		walks->call_graph = words[i].mode;
		return 0;
	}
	err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--call-graph': auto, eh, fp or none", text);
	if (!strncmp(text, "lbr", 3))
		err_hint(err, "lbr reads a hardware's list of branches, which is short and Intel's alone; eh walks whole stacks");
	return -EINVAL;
}

const struct opt walk_opts[] = {
	{ 0, "call-graph", "MODE", OPT_CALL, 0,
	  "how user stacks are walked: eh, by .eh_frame; fp, by frame pointers; none: only where it happened (default auto: eh)", set_call_graph,
	  false, "auto|eh|fp|none" },
	{ 0, "unwind-memory", "MB", OPT_U64, offsetof(struct walk_options, table_mb),
	  "room for tables of .eh_frame in the kernel (64); what was there for longest makes way", NULL, false, NULL },
	{ 0 },
};

int walk_check(const struct walk_options *walks, struct err *err)
{
	if (!walks->table_mb)
		return 0;
	if (!walk_by_tables(walks))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--unwind-memory is for the tables of --call-graph eh");
	if (walks->table_mb < UNWIND_BYTES_MIN >> 20 || walks->table_mb > UNWIND_BYTES_MAX >> 20)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--unwind-memory is %llu to %llu MB", UNWIND_BYTES_MIN >> 20, UNWIND_BYTES_MAX >> 20);
	return 0;
}

bool walk_given(const struct walk_options *walks)
{
	return walks->call_graph != CALL_GRAPH_AUTO || walks->table_mb;
}

bool walk_by_tables(const struct walk_options *walks)
{
	return walks->call_graph == CALL_GRAPH_EH || walks->call_graph == CALL_GRAPH_AUTO;
}

void walk_tell(const struct walk_options *walks, struct unwind_guide *guide, struct session_cfg *ret_cfg)
{
	ret_cfg->guide = guide;
	ret_cfg->must_unwind = walks->call_graph == CALL_GRAPH_EH;
	ret_cfg->unwind_bytes = walks->table_mb << 20;
}
