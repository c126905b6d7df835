/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: what works on a machine, what needs it, and how to enable the rest. All text is borrowed. */
#ifndef SKEP_RENDER_ROWS_DOCTOR_H
#define SKEP_RENDER_ROWS_DOCTOR_H

#include "render/rows/rows.h"

enum doctor_column {
	DOCTOR_NAME, DOCTOR_HAS, DOCTOR_NEEDED, DOCTOR_USED_BY,
	DOCTOR_INSTEAD, /* NULL: nothing */
	DOCTOR_WHY,     /* it is missing; NULL: no reason is known */
	DOCTOR_ENABLE,  /* the command that brings it; NULL: none */
	DOCTOR_COLUMNS
};

struct doctor_row {
	struct value values[DOCTOR_COLUMNS];
};

struct doctor_host {
	const char *release, *machine; /* of the kernel: uname(2) */
	int columns; /* text: the terminal's; 0: none */
};

/* JSON is one object; "works": no row that is needed is missing. 0 or -errno of the writer. */
int render_doctor(FILE *out, const struct rows_format *format, const struct doctor_host *host, const struct doctor_row *rows, size_t n);

#endif
