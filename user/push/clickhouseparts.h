/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What sending to and reading from ClickHouse share. */
#ifndef SKEP_PUSH_CLICKHOUSEPARTS_H
#define SKEP_PUSH_CLICKHOUSEPARTS_H

#include "push/clickhouse.h"
#include "push/client.h"
#include "util/map.h"
#include "util/vec.h"

#define CLICKHOUSE_DATABASE_BYTES 64
#define CLICKHOUSE_UNKNOWN_TABLE 60 /* its dbms/src/Common/ErrorCodes.cpp */
#define CLICKHOUSE_UNKNOWN_DATABASE 81

struct clickhouse {
	struct weburl *web; /* without the database */
	char database[CLICKHOUSE_DATABASE_BYTES];
	bool is_checked;    /* it is a ClickHouse */
	uint64_t forgot_ns; /* when `seen` was emptied last */
	struct map seen; /* the first 64 bits of hashes of stacks that the server has */
};

/* SQL on its way, cut nowhere: a failed allocation stays. */
struct sql {
	VEC(char) text; /* with a NUL after it, when sql_end() was called */
	bool no_memory;
};

void sql_add(struct sql *s, const char *form, ...) __attribute__((format(printf, 2, 3)));
void sql_quote(struct sql *s, const char *text); /* as 'text' */
const char *sql_end(struct sql *s); /* NULL: no memory */

/*
 * One query; `body` of n bytes follows it (an INSERT's rows, packed), or NULL. settings: "&name=value" or "". *ret_code: that of the server's
 * own error, else 0. The answer is the caller's to free where 0 is returned; else -errno with err filled.
 */
int clickhouse_query(struct clickhouse *ch, struct sql *query, const char *settings, const void *body, size_t n, size_t answer_max,
		     struct client_answer *ret_answer, int *ret_code, struct err *err);

#endif
