/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: what works on a machine, what needs it, and how to enable the rest. All text is borrowed. */
#ifndef SKEP_RENDER_ROWS_DOCTOR_H
#define SKEP_RENDER_ROWS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct doctor_row {
	const char *name, *used_by;
	const char *instead; /* NULL: nothing */
	const char *why;     /* it is missing; NULL: no reason is known */
	const char *enable;  /* the command that brings it; NULL: none */
	bool has, needed;
};

struct doctor_host {
	const char *release, *machine; /* of the kernel: uname(2) */
};

void render_doctor_text(FILE *out, const struct doctor_host *host, const struct doctor_row *rows, size_t n);

/* One object; "works": no row that is needed is missing. 0 or -errno of the writer. */
int render_doctor_json(FILE *out, const struct doctor_host *host, const struct doctor_row *rows, size_t n);

#endif
