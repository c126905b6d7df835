/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct opt symbol_opts[] = {
	{ 0, "inline", NULL, OPT_FLAG, offsetof(struct symbol_options, inlines), "show inlined functions, too (slower)" },
	{ 0, "no-demangle", NULL, OPT_FLAG, offsetof(struct symbol_options, no_demangle), "names as they are in the symbol table" },
	{ 0, "symfs", "DIR", OPT_TEXT, offsetof(struct symbol_options, symfs), "look for programs, libraries and debug files below DIR" },
	{ 0, "kallsyms", "FILE", OPT_TEXT, offsetof(struct symbol_options, kallsyms), "names of the recorded kernel, saved from /proc/kallsyms there" },
	{ 0 },
};

static int check_readable(const char *path, const char *option, struct err *err)
{
	return access(path, R_OK) ? err_set(err, -errno, "cannot read '%s' of '%s': %s", path, option, strerror(errno)) : 0;
}

int symbol_options_apply(struct symbol_options *o, struct syms_cfg *cfg, struct err *err)
{
	int ret = 0;

	cfg->no_demangle = o->no_demangle;
	cfg->inlines = o->inlines;
	cfg->lines |= o->inlines;
	cfg->kallsyms = o->kallsyms;
	cfg->symfs = o->symfs;
	if (o->kallsyms)
		ret = check_readable(o->kallsyms, "--kallsyms", err);
	if (ret || !o->symfs)
		return ret;
	if (snprintf(o->debug_dir, sizeof(o->debug_dir), "%s/usr/lib/debug", o->symfs) >= (int)sizeof(o->debug_dir))
		return err_exit(err, -ENAMETOOLONG, EXIT_USAGE, "bad value of '--symfs': too long");
	cfg->debug_dir = o->debug_dir;
	return check_readable(o->symfs, "--symfs", err);
}
