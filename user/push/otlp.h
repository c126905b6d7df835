/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * OTLP/HTTP profiles, v1development (github.com/open-telemetry/opentelemetry-proto at ac2c4b5d1f3a, profiles.proto and docs/specification.md): the
 * signal is experimental there, and its fields may change.
 */
#ifndef SKEP_PUSH_OTLP_H
#define SKEP_PUSH_OTLP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "data/store.h"

#define OTLP_SCHEMES "otlp+http://HOST:PORT"

struct otlp;

/* Is it a URL of one: otlp+http://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX], or with otlp+https? */
bool otlp_is(const char *url);

/* As clickhouse_new(). */
int otlp_new(const char *url, const char *password, const atomic_bool *stop, struct otlp **ret_o, struct err *err);
void otlp_free(struct otlp *o); /* NULL is nothing */

/*
 * Sends a segment, whose n bytes, of malloc(), are gone then. 0; -EBADMSG: it is damaged, or the server refuses it for good; other -errno: it
 * is to be sent again. err filled.
 */
int otlp_send(struct otlp *o, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err);

#endif
