/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "push/client.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZIP_WINDOW (MAX_WBITS + 16) /* zlib.h: with the header of gzip */
#define GZIP_MEMORY 8

size_t client_escape(char *buf, size_t size, size_t len, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"; /* RFC 3986, 2.3 */

	for (; *text && len < size; text++) {
		int n = snprintf(buf + len, size - len, strchr(plain, *text) ? "%c" : "%%%02X", (unsigned char)*text);

		len = (size_t)n < size - len ? len + (size_t)n : size;
	}
	return len;
}

char *client_pack(const void *bytes, size_t n, size_t *ret_n)
{
	z_stream z = { .next_in = (Bytef *)bytes, .avail_in = (uInt)n };
	char *to;

	*ret_n = 0;
	if (n > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	z.avail_out = (uInt)deflateBound(&z, (uLong)n);
	to = malloc(z.avail_out);
	z.next_out = (Bytef *)to;
	if (to && deflate(&z, Z_FINISH) != Z_STREAM_END) {
		free(to);
		to = NULL;
	}
	*ret_n = to ? z.total_out : 0;
	deflateEnd(&z);
	return to;
}

#ifdef HAVE_CURL
#include <curl/curl.h>
#include <dlfcn.h>

#include "util/library.h"

#define SONAME "libcurl.so.4" /* of 7.85 and later, and of 8 */
#define CONNECT_SECONDS 10L

static struct {
	__typeof__(curl_global_init) *init;
	CURL *(*handle)(void);
	void (*end)(CURL *handle);
	void (*reset)(CURL *handle);
	CURLcode (*set)(CURL *handle, CURLoption option, ...);
	CURLcode (*perform)(CURL *handle);
	CURLcode (*info)(CURL *handle, CURLINFO info, ...);
	const char *(*why)(CURLcode code);
	struct curl_slist *(*append)(struct curl_slist *list, const char *line);
	void (*free_list)(struct curl_slist *list);
} curl;

struct client {
	CURL *handle;
	const atomic_bool *stop;
	/* Of one request */
	struct client_answer answer;
	size_t max;
	bool no_room, no_memory;
};

static bool open_library(void)
{
	const struct library_symbol symbols[] = {
		{ &curl.handle, "curl_easy_init" },	 { &curl.end, "curl_easy_cleanup" },	 { &curl.reset, "curl_easy_reset" },
		{ &curl.set, "curl_easy_setopt" },	 { &curl.perform, "curl_easy_perform" }, { &curl.info, "curl_easy_getinfo" },
		{ &curl.why, "curl_easy_strerror" },	 { &curl.append, "curl_slist_append" },	 { &curl.free_list, "curl_slist_free_all" },
		{ &curl.init, "curl_global_init" },
	};
	static bool is_open;

	if (!is_open)
		is_open = library_open(SONAME, symbols, sizeof(symbols) / sizeof(symbols[0])) && !curl.init(CURL_GLOBAL_DEFAULT);
	return is_open;
}

int client_library(struct err *err)
{
	const char *why;

	if (open_library())
		return 0;
	why = dlerror();
	err_exit(err, -ENOTSUP, EXIT_CANNOT, "cannot load the library that talks to servers: %s", why ? why : SONAME " lacks functions");
	err_hint(err, "on Debian: apt install libcurl4");
	return -ENOTSUP;
}

struct client *client_new(const atomic_bool *stop)
{
	struct client *c = calloc(1, sizeof(*c));

	if (c && !(c->handle = curl.handle())) {
		free(c);
		return NULL;
	}
	if (c)
		c->stop = stop;
	return c;
}

void client_free(struct client *c)
{
	if (!c)
		return;
	curl.end(c->handle);
	free(c);
}

/* Of libcurl: whatever is returned that is not n ends the request. */
static size_t take_body(char *bytes, size_t one, size_t n, void *arg)
{
	struct client *c = arg;
	char *more;

	(void)one; /* 1 */
	if (n > c->max - c->answer.n) {
		c->no_room = true;
		return 0;
	}
	more = realloc(c->answer.body, c->answer.n + n + 1);
	if (!more) {
		c->no_memory = true;
		return 0;
	}
	memcpy(more + c->answer.n, bytes, n);
	c->answer.body = more;
	c->answer.n += n;
	more[c->answer.n] = '\0';
	return n;
}

static int at_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t d, curl_off_t e)
{
	const struct client *c = arg;

	(void)a;
	(void)b;
	(void)d;
	(void)e;
	return c->stop && atomic_load(c->stop);
}

static struct curl_slist *header_list(const struct client_request *r)
{
	/* Without it libcurl waits for a word of the server before it sends a large body */
	struct curl_slist *all = curl.append(NULL, "Expect:"), *more = all;

	for (int i = 0; more && r->headers[i]; i++) {
		more = curl.append(all, r->headers[i]);
		all = more ? more : all;
	}
	if (!more && all) {
		curl.free_list(all);
		all = NULL;
	}
	return all;
}

static void prepare(struct client *c, const struct client_request *r, struct curl_slist *headers)
{
	curl.reset(c->handle);
	curl.set(c->handle, CURLOPT_URL, r->url);
	curl.set(c->handle, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.set(c->handle, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	curl.set(c->handle, CURLOPT_QUICK_EXIT, 1L); /* a request that is ended does not wait for a server of names */
#endif
	curl.set(c->handle, CURLOPT_FORBID_REUSE, 1L); /* a request on a used connection that ended is sent again, by libcurl, without a word */
	curl.set(c->handle, CURLOPT_USERAGENT, "skep");
	curl.set(c->handle, CURLOPT_HTTPHEADER, headers);
	curl.set(c->handle, CURLOPT_POST, 1L);
	curl.set(c->handle, CURLOPT_POSTFIELDS, r->body ? r->body : "");
	curl.set(c->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->n);
	curl.set(c->handle, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	curl.set(c->handle, CURLOPT_TIMEOUT, r->seconds);
	curl.set(c->handle, CURLOPT_WRITEFUNCTION, take_body);
	curl.set(c->handle, CURLOPT_WRITEDATA, c);
	curl.set(c->handle, CURLOPT_NOPROGRESS, 0L);
	curl.set(c->handle, CURLOPT_XFERINFOFUNCTION, at_progress);
	curl.set(c->handle, CURLOPT_XFERINFODATA, c);
	if (r->user)
		curl.set(c->handle, CURLOPT_USERNAME, r->user);
	if (r->password)
		curl.set(c->handle, CURLOPT_PASSWORD, r->password);
}

int client_post(struct client *c, const struct client_request *r, struct client_answer *ret_answer, struct err *err)
{
	struct curl_slist *headers = header_list(r);
	CURLcode code;
	int ret = 0;

	c->answer = (struct client_answer){ .body = calloc(1, 1) };
	c->max = r->answer_max;
	c->no_room = c->no_memory = !c->answer.body || !headers;
	if (!c->no_memory) {
		prepare(c, r, headers);
		code = curl.perform(c->handle);
		if (!code)
			curl.info(c->handle, CURLINFO_RESPONSE_CODE, &c->answer.status);
		else if (code == CURLE_ABORTED_BY_CALLBACK)
			ret = err_set(err, -ECANCELED, "the run has ended");
		else if (code != CURLE_WRITE_ERROR)
			ret = err_set(err, -EIO, "%s", curl.why(code));
	}
	if (c->no_memory)
		ret = err_set(err, -ENOMEM, "out of memory");
	else if (c->no_room)
		ret = err_set(err, -EMSGSIZE, "the answer has more than %zu bytes", r->answer_max);
	if (headers)
		curl.free_list(headers);
	if (ret)
		free(c->answer.body);
	else
		*ret_answer = c->answer;
	c->answer = (struct client_answer){ 0 };
	return ret;
}
#else

int client_library(struct err *err)
{
	return err_exit(err, -ENOTSUP, EXIT_CANNOT, "this skep was built without libcurl, which talks to servers");
}

struct client *client_new(const atomic_bool *stop)
{
	(void)stop;
	return NULL;
}

void client_free(struct client *c)
{
	(void)c;
}

int client_post(struct client *c, const struct client_request *r, struct client_answer *ret_answer, struct err *err)
{
	(void)c;
	(void)r;
	(void)ret_answer;
	return err_set(err, -ENOTSUP, "this skep was built without libcurl");
}
#endif
