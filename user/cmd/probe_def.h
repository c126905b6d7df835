/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A probe that is to stay, as perf probe spells it, "[GROUP:][NAME=]POINT [NAME=]ARG[:TYPE]..." (perf-probe(1)): what is in it, and where it is. */
#ifndef SKEP_CMD_PROBE_DEF_H
#define SKEP_CMD_PROBE_DEF_H

#include "event/lasting.h"
#include "event/probe.h"
#include "event/site.h"

struct probe_word {
	char name[LASTING_NAME_MAX]; /* of the value; empty: the kernel's own */
	char type[32];		     /* after its colon; empty: none */
	const char *shown;	     /* as it was written */
	const char *text;	     /* what the kernel takes as it is, or an expression */
	int bound;		     /* the argument of the spec that it is; -1: text is for the kernel */
};

struct probe_def {
	char group[LASTING_NAME_MAX], event[LASTING_NAME_MAX]; /* empty: not written */
	const char *point, *path; /* path: of the file that was found */
	struct probe_spec spec;
	struct probe_word args[PROBE_ARGS_MAX];
	int nr_args;
	char *words;	/* the strings above */
	char *expanded; /* "$params" */
	char *exprs;	/* the spec's text */
	char *found;
};

/* Zeroed words. Finds the places, too; both are freed by the caller in any case. 0 or -errno with err filled. */
int probe_def_parse(const char *text, const char *path, struct probe_def *ret_def, struct site_list *ret_sites, struct err *err);
void probe_def_free(struct probe_def *words);

/* "  probe:do_sys_open    (on do_sys_open@fs/open.c with filename)" */
void probe_show(const struct lasting *probe);

#endif
