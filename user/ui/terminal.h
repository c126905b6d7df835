/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What kind of place standard output is. */
#ifndef SKEP_UI_TERMINAL_H
#define SKEP_UI_TERMINAL_H

/* Columns of the terminal behind fd (COLUMNS overrides), 0 when it is none. */
int terminal_columns(int fd);

#endif
