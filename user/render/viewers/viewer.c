/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/viewers/viewers.h"

#include <string.h>

#include "util/text.h"

#define GZ ".gz"
#define SCHED_SWITCH "sched:sched_switch"

static const struct viewer_format formats[] = {
#define VIEWER(name, ending, other, needs_time, open) { #name, ending, other, needs_time, open },
#include "render/viewers/formats.def"
#undef VIEWER
};
#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

const struct viewer_format *viewer_format(const char *name)
{
	if (!strcmp(name, "gecko")) /* perf script report's word */
		name = "firefox";
	for (size_t i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

const struct viewer_format *viewer_format_of(const char *path, bool *ret_gz)
{
	size_t n = strlen(path);

	*ret_gz = text_ends(path, n, GZ);
	n -= *ret_gz ? strlen(GZ) : 0;
	for (size_t i = 0; i < NR_FORMATS; i++)
		if (text_ends(path, n, formats[i].ending) || (formats[i].other && text_ends(path, n, formats[i].other)))
			return &formats[i];
	return NULL;
}

bool viewer_is_switch(const char *event)
{
	size_t n = strlen(SCHED_SWITCH);

	return !strncmp(event, SCHED_SWITCH, n) && (!event[n] || event[n] == ':');
}
