/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pyroscope's /ingest with format=pprof (grafana.com/docs/pyroscope, "Server HTTP API"): a segment as it is, in a form. */
#ifndef SKEP_PUSH_PYROSCOPE_H
#define SKEP_PUSH_PYROSCOPE_H

#include "data/store.h"
#include "push/weburl.h"

#define PYROSCOPE_SCHEME "pyroscope+"
#define PYROSCOPE_SCHEMES PYROSCOPE_SCHEME "http://HOST:PORT"

/*
 * Sends a segment, whose n bytes, of malloc(), are gone then. 0; -EBADMSG: the server refuses it for good; other -errno: it
 * did not say that it has it; err filled.
 */
int pyroscope_send(const struct weburl *to, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err);

#endif
