/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/callgraph.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

int call_graph_parse(const char *text, enum call_graph *ret_mode, struct err *err)
{
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
		*ret_mode = words[i].mode;
		return 0;
	}
	err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--call-graph': auto, eh, fp or none", text);
	if (!strncmp(text, "lbr", 3))
		err_hint(err, "lbr reads a hardware's list of branches, which is short and Intel's alone; eh walks whole stacks");
	return -EINVAL;
}
