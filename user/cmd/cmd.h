/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command: its tables and its entry. cmds.def lists them all. */
#ifndef SKEP_CMD_CMD_H
#define SKEP_CMD_CMD_H

#include <stdbool.h>

#include "util/err.h"
#include "util/opt.h"

struct cmd {
	const char *name;
	const char *summary;	       /* one line, no full stop */
	const char *operands;	       /* "[FILE] [-- COMMAND [ARG...]]" */
	const struct opt_group *groups; /* ends with an empty row */
	size_t cfg_size;	       /* the configuration, zeroed before parsing */
	const char *examples;	       /* lines of -h; run by the manual's test */
	/*
	 * Runs the command. operands: argv after the options. Returns an exit code (also COMMAND's own), or a
	 * negative errno with err filled.
	 */
	int (*run)(void *cfg, char **operands, struct err *err);
	/* Commands of two words that start with this one ("sched timehist"), ending with NULL; or NULL. Their second word is no COMMAND. */
	const struct cmd *const *subs;
	const struct opt_other *others; /* ending with an empty row; or NULL */
	bool has_config; /* an option --config FILE, in whose place the words of FILE are read, too (util/wordfile.h) */
};

#define CMD(name) extern const struct cmd cmd_##name;
#include "cmd/cmds.def"
#undef CMD

extern const struct cmd *const cmds[]; /* ends with NULL */

/* The last word of a command's name: what is typed after the others. */
const char *cmd_word(const struct cmd *c);

#endif
