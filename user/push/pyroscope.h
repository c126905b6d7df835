/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pyroscope's /ingest with format=pprof (grafana.com/docs/pyroscope, "Server HTTP API"): a segment as it is, in a form. */
#ifndef SKEP_PUSH_PYROSCOPE_H
#define SKEP_PUSH_PYROSCOPE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "data/store.h"

#define PYROSCOPE_SCHEMES "pyroscope+http://HOST:PORT"

struct pyroscope;

/* Is it a URL of one: pyroscope+http://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX], or with pyroscope+https? */
bool pyroscope_is(const char *url);

/* As clickhouse_new(). */
int pyroscope_new(const char *url, const char *password, const atomic_bool *stop, struct pyroscope **ret_p, struct err *err);
void pyroscope_free(struct pyroscope *p); /* NULL is nothing */

/*
 * Sends a segment, whose n bytes, of malloc(), are gone then. 0; -EBADMSG: the server refuses it for good; other -errno: it
 * did not say that it has it; err filled.
 */
int pyroscope_send(struct pyroscope *p, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err);

#endif
