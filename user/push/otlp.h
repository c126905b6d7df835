/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * OTLP/HTTP profiles, v1development (github.com/open-telemetry/opentelemetry-proto at ac2c4b5d1f3a, profiles.proto and docs/specification.md): the
 * signal is experimental there, and its fields may change.
 */
#ifndef SKEP_PUSH_OTLP_H
#define SKEP_PUSH_OTLP_H

#include "data/store.h"
#include "push/weburl.h"

#define OTLP_SCHEME "otlp+"
#define OTLP_SCHEMES OTLP_SCHEME "http://HOST:PORT"

/*
 * Sends a segment, whose n bytes, of malloc(), are gone then. 0; -EBADMSG: it is damaged, or the server refuses it for good; other -errno: it
 * is to be sent again. err filled.
 */
int otlp_send(const struct weburl *to, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err);

#endif
