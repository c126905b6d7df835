/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of the commands that read a file: where names come from, and how they look. */
#ifndef SKEP_CMD_SYMBOLS_H
#define SKEP_CMD_SYMBOLS_H

#include "sym/sym.h"
#include "util/err.h"
#include "util/opt.h"

struct symbol_options {
	const char *symfs, *kallsyms, *vmlinux; /* NULL: not given */
	bool no_demangle, inlines, addresses;
	char debug_dir[4096]; /* below symfs */
};

extern const struct opt symbol_opts[];
extern const struct opt_rule symbol_rules[];

/* Into cfg, which borrows from o. 0, or -errno with err filled: there is no such file. */
int symbol_options_apply(struct symbol_options *o, struct syms_cfg *cfg, struct err *err);

#endif
