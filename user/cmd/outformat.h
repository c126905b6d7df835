/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The one place that knows what samples can be written as: by --format, or by the ending of the file's name. */
#ifndef SKEP_CMD_OUTFORMAT_H
#define SKEP_CMD_OUTFORMAT_H

#include <stdbool.h>

#include "render/tree/render.h"
#include "render/viewers/viewer.h"

#define OUT_VIEWERS VIEWER_FORMATS "|gecko"
#define OUT_FORMATS "html|svg|folded|json|pprof|" OUT_VIEWERS
#define OUT_ENDINGS ".html, .svg, .folded, .json, .pb.gz, " VIEWER_ENDINGS

/* One of these: a picture of the tree, another program's file, or neither: a profile in pprof's format. */
struct out_format {
	int (*render)(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
	const struct viewer_format *viewer;
	bool is_packed; /* the viewer's file, by gzip */
};

/* The format of that name (NULL: by the path), for a file at path. False: there is none such. */
bool out_format_find(const char *name, const char *path, struct out_format *ret_format);

#endif
