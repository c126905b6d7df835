/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/outformat.h"

#include <string.h>

#include "util/text.h"

static const struct {
	const char *name;
	int (*render)(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
} pictures[] = {
#define FORMAT(name, render) { #name, render },
#include "render/tree/formats.def"
#undef FORMAT
};

static bool find_picture(const char *name, struct out_format *ret_format)
{
	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		if (strcmp(pictures[i].name, name))
			continue;
		ret_format->render = pictures[i].render;
		return true;
	}
	return false;
}

static bool find(const char *name, struct out_format *ret_format)
{
	if (!strcmp(name, "pprof") || find_picture(name, ret_format))
		return true;
	ret_format->viewer = viewer_format(name);
	return ret_format->viewer;
}

bool out_format_find(const char *name, const char *path, struct out_format *ret_format)
{
	const char *dot = strrchr(path, '.');
	const struct viewer_format *viewer;

	*ret_format = (struct out_format){ 0 };
	viewer = viewer_format_of(path, &ret_format->is_packed);
	if (name)
		return find(name, ret_format);
	ret_format->viewer = viewer;
	if (viewer)
		return true;
	return text_ends(path, strlen(path), ".pb.gz") || find_picture(dot ? dot + 1 : "", ret_format);
}
