/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests over HTTP and HTTPS, by libcurl, which is opened when it is needed: TLS, proxies, IPv6 and the corners of the protocol are its
 * field. Each thread has a client of its own. Answers are hostile.
 */
#ifndef SKEP_PUSH_CLIENT_H
#define SKEP_PUSH_CLIENT_H

#include <stdatomic.h>
#include <stddef.h>

#include "util/err.h"

struct client;

/* Headers are lines such as "Content-Type: text/plain"; NULL ends them. */
#define CLIENT_HEADERS_MAX 6

struct client_request {
	const char *url;
	const char *user, *password; /* NULL: none */
	const char *headers[CLIENT_HEADERS_MAX + 1];
	const void *body;
	size_t n;
	size_t answer_max; /* bytes of an answer; one that has more is -EMSGSIZE */
	long seconds;	   /* it may take so long */
};

struct client_answer {
	long status; /* of HTTP */
	char *body;  /* with a NUL after it; free() */
	size_t n;
};

/* Before threads are started; once. 0, or -ENOTSUP with err filled: there is no libcurl. */
int client_library(struct err *err);

/* stop: a request ends when that is set; borrowed. NULL: no memory. */
struct client *client_new(const atomic_bool *stop);
void client_free(struct client *c); /* NULL is nothing */

/* POST. 0 when there is an answer, whatever it says; else -errno with err filled, -ECANCELED where `stop` ended it. */
int client_post(struct client *c, const struct client_request *r, struct client_answer *ret_answer, struct err *err);

/* Appends text to the len bytes in buf[size]. Bytes that mean something in a URL become %XX. Returns the new length; size: no room. */
size_t client_escape(char *buf, size_t size, size_t len, const char *text);

/* gzip of n bytes, for "Content-Encoding: gzip": *ret_n bytes of malloc(). NULL: no memory. */
char *client_pack(const void *bytes, size_t n, size_t *ret_n);

#endif
