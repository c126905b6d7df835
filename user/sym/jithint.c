/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What to switch on for names of a JIT's code, by the files that its process has mapped. */
#include <fnmatch.h>
#include <string.h>

#include "sym/jithint.h"
#include "sym/syms.h"

/* Patterns of the last part of a path, and what the project's own documents say. */
static const struct jit_kind {
	const char *file, *hint;
} kinds[] = {
	{ "libjvm.so", "Java: -XX:+DumpPerfMapAtExit, or jcmd PID Compiler.perfmap while it runs (JDK 17 and later)" },
	{ "node", "node: --perf-basic-prof" },
	{ "nodejs", "node: --perf-basic-prof" },
	{ "libnode.so*", "node: --perf-basic-prof" },
	{ "deno", "deno: --v8-flags=--perf-basic-prof" },
	{ "chrom*", "Chromium: --no-sandbox --js-flags=--perf-basic-prof" },
	{ "libcoreclr.so", ".NET: DOTNET_PerfMapEnabled=1 in its environment" },
	{ "libpython3*", "Python: PYTHONPERFSUPPORT=1 in its environment (3.12 and later)" },
	{ "python3*", "Python: PYTHONPERFSUPPORT=1 in its environment (3.12 and later)" },
	{ "beam.smp", "Erlang: erl +JPperf true" },
	{ "libruby*", "Ruby: --yjit --yjit-perf (3.3 and later)" },
	{ "ruby*", "Ruby: --yjit --yjit-perf (3.3 and later)" },
	{ "php*", "PHP: -d opcache.jit_debug=0x10" },
	{ "libjulia*", "Julia: ENABLE_JITPROFILING=1 in its environment" },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))
_Static_assert(NR_KINDS <= 32, "bits of jit_stats.kinds");

static uint32_t kind_of(const struct object *obj)
{
	const char *slash = strrchr(obj->path, '/');

	for (uint32_t i = 0; i < NR_KINDS && slash; i++)
		if (!fnmatch(kinds[i].file, slash + 1, 0))
			return 1u << i;
	return 0;
}

void jithint_look(struct syms *syms, struct space *space)
{
	const struct mapset *live = space->nr_epochs ? space->epochs[space->nr_epochs - 1].live : NULL;

	if (space->is_looked_at)
		return;
	space->is_looked_at = true;
	for (uint32_t i = 0; live && i < live->n; i++)
		if (live->data[i].obj->kind == OBJECT_FILE)
			syms->stats.jit.kinds |= kind_of(live->data[i].obj);
}

const char *jithint_text(uint32_t *kinds_left)
{
	const char *hint = NULL;

	for (uint32_t i = 0; i < NR_KINDS; i++) {
		if (!(*kinds_left & 1u << i) || (hint && strcmp(hint, kinds[i].hint) != 0))
			continue;
		hint = kinds[i].hint;
		*kinds_left &= ~(1u << i);
	}
	return hint;
}
