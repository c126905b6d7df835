/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Histograms as text: in a cell, and drawn. slots: HIST_SLOTS of them. */
#ifndef SKEP_RENDER_ROWS_HIST_H
#define SKEP_RENDER_ROWS_HIST_H

#include <stdio.h>

#include "row.h"

/* A digit a slot, 0 for a part of less than a tenth of the fullest, '.' for none: "256ns .1960. 16us". "" for no values. */
void hist_digits(char *buf, size_t size, const uint64_t *slots);

/* A line a slot: "  [     1us,      2us)           12  ####". */
void hist_bars(FILE *out, const struct column *c, const uint64_t *slots);

#endif
