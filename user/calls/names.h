/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of flags and constants: lists of names.txt, with the values of the headers that skep was built with. */
#ifndef SKEP_CALLS_NAMES_H
#define SKEP_CALLS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "calls/namelist.h"
#include "calls/out.h"


/* How they are shown: strace's -X. */
enum names_style { NAMES_ABBREV, NAMES_RAW, NAMES_VERBOSE };

/* NULL: no name has this value. */
const char *names_find(const struct names *names, uint64_t value);

/* One of them: "SEEK_SET", or "0x5 SEEK_??? in a comment". */
void names_one(struct out *o, const struct names *names, uint64_t value, enum names_style style);

/* Some of them: "O_CREAT|O_EXCL|0x8", "0", or "0x8 O_??? in a comment". */
void names_flags(struct out *o, const struct names *names, uint64_t value, enum names_style style);

/* Those of value after what was already written of it (`any`: something was): "|A|B|0x8", or nothing. */
void names_more_flags(struct out *o, const struct names *names, uint64_t value, bool any);

#endif
