/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inside render/viewers: what opens each format of formats.def. NULL: no memory. */
#ifndef SKEP_RENDER_VIEWERS_VIEWERS_H
#define SKEP_RENDER_VIEWERS_VIEWERS_H

#include "render/viewers/viewer.h"

#define VIEWER(name, ending, other, needs_time, open) struct viewer *open(FILE *out, const struct viewer_cfg *cfg);
#include "render/viewers/formats.def"
#undef VIEWER

#endif
