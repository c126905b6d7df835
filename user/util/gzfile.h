/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stream whose bytes reach another one packed by gzip. */
#ifndef SKEP_UTIL_GZFILE_H
#define SKEP_UTIL_GZFILE_H

#include <stdio.h>

/* to is borrowed. NULL: no memory. fclose() writes the rest: not 0 when that or an earlier write failed. */
FILE *gzfile_open(FILE *to);

#endif
