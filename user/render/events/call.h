/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: rows of callrow_schema as strace's lines. */
#ifndef SKEP_RENDER_EVENTS_CALL_H
#define SKEP_RENDER_EVENTS_CALL_H

#include "render/rows/rows.h"

enum call_time { CALL_TIME_NONE, CALL_TIME_DAY, CALL_TIME_UNIX, CALL_TIME_SINCE };

#define CALL_NO_NUMBER (-1)

/* In rows_view.arg. */
struct call_lines {
	uint8_t time;	  /* enum call_time; _SINCE: since the line before */
	uint8_t decimals; /* of it: 0, 3, 6, 9 */
	bool has_duration;
	uint8_t duration_decimals;
	bool has_comm;	  /* "[pid 123<make>] " */
	bool has_number;  /* "[ 257] " in front of a call */
	int number;	  /* of the line that is printed; CALL_NO_NUMBER: it has none */
	bool has_colours; /* of a terminal: ECMA-48 */
	bool has_pid;	  /* "[pid 123] " in front of the line */
	int column;	  /* of the result */
	int64_t wall_ns;  /* CLOCK_REALTIME less the rows' clock */
	uint64_t last_ns; /* of the line before */
};

extern const struct rows_format call_text;

#endif
