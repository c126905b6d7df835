/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "SCHEME+http://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX]", of stores that take profiles over HTTP, and what is asked of them. */
#ifndef SKEP_PUSH_WEBURL_H
#define SKEP_PUSH_WEBURL_H

#include <stdbool.h>

#include "push/client.h"

struct weburl {
	char *base; /* "http://host:4040/prefix" */
	char *user, *password; /* NULL: none */
	struct client *client;
};

/* scheme: "pyroscope+" */
bool weburl_is(const char *url, const char *scheme);

/*
 * After client_library(). password: of a user without one in the URL; or NULL. expected: for the message. stop: as of client_new(). 0, or -errno
 * with err filled.
 */
int weburl_new(const char *url, const char *scheme, const char *password, const char *expected, const atomic_bool *stop, struct weburl **ret_u,
	       struct err *err);
void weburl_free(struct weburl *u); /* NULL is nothing */

/*
 * POST of n bytes to base + path, with the header "Content-Type: ..." and, if they are, "Content-Encoding: gzip". 0: status 2xx; -EBADMSG: what no second try makes
 * better (400, 413, 415, 422); else -errno. err filled. The answer, where that is wanted, is the caller's to free if 0 is returned.
 */
int weburl_post(const struct weburl *u, const char *path, const char *type, bool is_packed, const void *bytes, size_t n,
		struct client_answer *ret_answer, struct err *err);

#endif
