/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: models to bytes. One file per format, listed in formats.def. Renderers write to the stream
 * they are given, never close it, and report a failed write by returning -errno. Names come from
 * traced processes and are hostile: each format escapes them in its own way.
 */
#ifndef SKEP_RENDER_TREE_RENDER_H
#define SKEP_RENDER_TREE_RENDER_H

#include <stdio.h>

#include "profile.h"
#include "model/slices.h"
#include "model/tree.h"

struct tree_before;

/* A picture of a change: the tree has what is after it. */
struct flame_sides {
	const struct tree_before *before; /* by node */
	const char *names[2];		  /* of before and after: files */
};

/* A view of the HTML page, which has several: the events of a recording. */
struct flame_page {
	const struct tree *tree;
	const struct profile *profile;
	const struct slices *slices; /* NULL: not known */
	const struct flame_sides *sides; /* NULL: of one side */
	int event; /* its number in the file; -1: of none */
};

struct flame_cfg {
	bool icicle;   /* root at the top when opened */
	const char *input; /* the file that is drawn; NULL: a live run */
	const char *by;	   /* of the HTML page, for its "Copy command": the value of --by; NULL: none */
	const char *const *options; /* and the others of the call that make the picture, ending with NULL; NULL: none */
	const struct flame_page *pages; /* of the HTML page, the picture's first; NULL: only that */
	uint32_t nr_pages;
	const struct flame_sides *sides; /* NULL: of one side */
};

int render_folded(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
int render_svg(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
int render_html(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
int render_flame_json(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);

#endif
