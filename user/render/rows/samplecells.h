/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of a key that sample_key_is(). */
#ifndef SKEP_RENDER_ROWS_SAMPLECELLS_H
#define SKEP_RENDER_ROWS_SAMPLECELLS_H

#include <stddef.h>

#include "model/columns.h"

/* value: of a row, which has count samples of its own. As snprintf(). */
int sample_cell(char *buf, size_t size, enum report_column key, uint64_t value, uint64_t count);

#endif
