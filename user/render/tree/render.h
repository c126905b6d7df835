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
#include "model/tree.h"

struct flame_cfg {
	bool icicle;   /* root at the top when opened */
};

int render_folded(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
int render_svg(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
int render_html(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
int render_flame_json(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);

#endif
