/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "push/weburl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_BYTES (64u << 10)
#define WHY_BYTES 200
#define SECONDS 60L

bool weburl_is(const char *url, const char *scheme)
{
	size_t n = strlen(scheme);

	return !strncmp(url, scheme, n) && (!strncmp(url + n, "http://", 7) || !strncmp(url + n, "https://", 8));
}

static int parse(struct weburl *u, const char *url, const char *scheme, const char *password, const char *expected, struct err *err)
{
	const char *begin = url + strlen(scheme), *host = strstr(begin, "://") + 3, *slash = host + strcspn(host, "/");
	const char *at = memrchr(host, '@', (size_t)(slash - host)), *colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
	const char *from = at ? at + 1 : host;
	size_t n = strlen(from);

	if (!*from || *from == '/' || strpbrk(from, "?#\\ "))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad URL of a server: expected %s", expected);
	while (n && from[n - 1] == '/')
		n--;
	if (at)
		u->user = strndup(host, (size_t)((colon ? colon : at) - host));
	if (at)
		u->password = colon ? strndup(colon + 1, (size_t)(at - colon - 1)) : password ? strdup(password) : NULL;
	if (asprintf(&u->base, "%.*s%.*s", (int)(host - begin), begin, (int)n, from) < 0)
		u->base = NULL;
	return !u->base || (at && !u->user) || ((colon || (at && password)) && !u->password) ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int weburl_new(const char *url, const char *scheme, const char *password, const char *expected, const atomic_bool *stop, struct weburl **ret_u,
	       struct err *err)
{
	struct weburl *u = calloc(1, sizeof(*u));
	int ret = u ? parse(u, url, scheme, password, expected, err) : err_set(err, -ENOMEM, "out of memory");

	if (!ret && !(u->client = client_new(stop)))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (ret)
		weburl_free(u);
	else
		*ret_u = u;
	return ret;
}

void weburl_free(struct weburl *u)
{
	if (!u)
		return;
	client_free(u->client);
	free(u->base);
	free(u->user);
	free(u->password);
	free(u);
}

/* For good: bad request, too large, of a type that it does not take, of a content that it does not take. */
static bool is_refused(long status)
{
	return status == 400 || status == 413 || status == 415 || status == 422;
}

static int check(const struct client_answer *a, struct err *err)
{
	size_t n = strcspn(a->body, "\n");

	if (a->status >= 200 && a->status < 300)
		return 0;
	return err_set(err, is_refused(a->status) ? -EBADMSG : -EPROTO, "it says: status %ld, '%.*s'", a->status, (int)(n < WHY_BYTES ? n : WHY_BYTES), a->body);
}

int weburl_post(const struct weburl *u, const char *path, const char *type, bool is_packed, const void *bytes, size_t n,
		struct client_answer *ret_answer, struct err *err)
{
	struct client_request r = { .user = u->user, .password = u->password, .headers = { type, is_packed ? "Content-Encoding: gzip" : NULL },
				    .body = bytes, .n = n, .answer_max = ANSWER_BYTES, .seconds = SECONDS };
	struct client_answer a;
	char *url;
	int ret;

	if (asprintf(&url, "%s%s", u->base, path) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	r.url = url;
	ret = client_post(u->client, &r, &a, err);
	free(url);
	if (ret)
		return ret;
	ret = check(&a, err);
	if (!ret && ret_answer)
		*ret_answer = a;
	else
		free(a.body);
	return ret;
}
