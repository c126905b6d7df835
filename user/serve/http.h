/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A few texts over HTTP, for GET and HEAD, by libmicrohttpd (in Debian, small, kept, speaks to clients of every kind), which is opened
 * only by who serves: it brings a dozen libraries. It answers in a thread of its own: a slow client
 * delays nobody, but takes one of 64 connections for 10 seconds. When nothing was published for a minute, it answers 503.
 */
#ifndef SKEP_SERVE_HTTP_H
#define SKEP_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct http;

#define HTTP_WAITERS_MAX 8
#define HTTP_VALUE_BYTES 64

/*
 * listen: "PORT" or ":PORT" of 127.0.0.1, "ADDRESS:PORT", "[ADDRESS]:PORT"; port 0: any one. 0; -EINVAL for another text;
 * -ENOTSUP without the library; or another -errno; err filled.
 */
int http_open(const char *listen, struct http **ret_http, struct err *err);
void http_close(struct http *h); /* NULL is nothing */

/* Where it listens, "127.0.0.1:9099". */
const char *http_address(const struct http *h);

/*
 * GET PATH?seconds=N&view=NAME waits from now on: who serves takes such requests, and answers each in its time. More than HTTP_WAITERS_MAX at
 * once get 503. path is static.
 */
void http_wait_at(struct http *h, const char *path);

struct http_waiter {
	uint64_t id;	  /* of http_answer(); no two are equal */
	uint64_t seconds; /* 0: it did not say */
	char view[HTTP_VALUE_BYTES]; /* "": likewise */
};

/* A request that was not taken yet: true. Those whose clients have gone end here. */
bool http_take(struct http *h, struct http_waiter *ret_waiter);

/* Once for each that was taken, also when its client has gone. status: of HTTP; bytes are copied. -ENOMEM: it stays without. */
int http_answer(struct http *h, uint64_t id, unsigned int status, const char *type, const char *bytes, size_t n);

/* Is its client still there? */
bool http_is_waiting(struct http *h, uint64_t id);

/* What GET PATH answers from now on, and its type; path and type are static, text is copied. 0 or -ENOMEM. */
int http_publish(struct http *h, const char *path, const char *type, const char *text, size_t n);

#endif
