/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: figures as OpenMetrics 1.0 text (the IETF draft, and the document of the CNCF that it became), which Prometheus reads. */
#ifndef SKEP_RENDER_OPENMETRICS_H
#define SKEP_RENDER_OPENMETRICS_H

#include <stdio.h>

#include "model/series.h"

#define OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* All of them, and the line that ends the text. Errors stay in the stream (ferror). */
void openmetrics_write(FILE *out, const struct series *s);

#endif
