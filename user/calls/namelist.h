/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lists of names.txt. It includes nothing: whoever has their values includes headers that do not go with others. */
#ifndef SKEP_CALLS_NAMELIST_H
#define SKEP_CALLS_NAMELIST_H

#include <stdint.h>

struct name {
	uint64_t value;
	const char *text;
};

struct names {
	const char *unknown; /* stands for a value without a name: "O_???"; or "-" */
	const struct name *all;
	uint32_t n;
};

#define NAMES(list) extern const struct names names_##list;
#include "gen/names_lists.h"
#undef NAMES

#endif
