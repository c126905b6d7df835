/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A few texts over HTTP, for GET and HEAD, by libmicrohttpd (in Debian, small, kept, speaks to clients of every kind), which is opened
 * only by who serves: it brings a dozen libraries. It answers in a thread of its own: a slow client
 * delays nobody, but takes one of 64 connections for 10 seconds. When nothing was published for a minute, it answers 503.
 */
#ifndef SKEP_SERVE_HTTP_H
#define SKEP_SERVE_HTTP_H

#include <stddef.h>

#include "util/err.h"

struct http;

/*
 * listen: "PORT" or ":PORT" of 127.0.0.1, "ADDRESS:PORT", "[ADDRESS]:PORT"; port 0: any one. 0; -EINVAL for another text;
 * -ENOTSUP without the library; or another -errno; err filled.
 */
int http_open(const char *listen, struct http **ret_http, struct err *err);
void http_close(struct http *h); /* NULL is nothing */

/* Where it listens, "127.0.0.1:9099". */
const char *http_address(const struct http *h);

/* What GET PATH answers from now on, and its type; path and type are static, text is copied. 0 or -ENOMEM. */
int http_publish(struct http *h, const char *path, const char *type, const char *text, size_t n);

#endif
