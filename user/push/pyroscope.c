/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "push/pyroscope.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "push/client.h"
#include "util/hash.h"
#include "util/text.h"

#define PREFIX "pyroscope+"
#define URL_BYTES 2048
#define FORM_BYTES 512
#define NAME_BYTES 512
#define ANSWER_BYTES (64u << 10)
#define WHY_BYTES 200
#define SECONDS 60L

struct pyroscope {
	struct client *client;
	char *base; /* "http://host:4040/prefix" */
	char *user, *password;
};

bool pyroscope_is(const char *url)
{
	return !strncmp(url, PREFIX "http://", strlen(PREFIX "http://")) || !strncmp(url, PREFIX "https://", strlen(PREFIX "https://"));
}

/* "http://[USER[:PASSWORD]@]HOST..." */
static int take_url(struct pyroscope *p, const char *url, struct err *err)
{
	const char *host = strstr(url, "://") + 3, *slash = host + strcspn(host, "/"), *at = memrchr(host, '@', (size_t)(slash - host));
	const char *colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL, *from = at ? at + 1 : host;
	size_t n = strlen(from);

	if (!*from || *from == '/' || strpbrk(from, "?#\\ "))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad URL of a server: expected " PYROSCOPE_SCHEMES);
	while (n && from[n - 1] == '/')
		n--;
	if (at)
		p->user = strndup(host, (size_t)((colon ? colon : at) - host));
	if (colon) {
		free(p->password);
		p->password = strndup(colon + 1, (size_t)(at - colon - 1));
	}
	if ((at && !p->user) || (colon && !p->password) || asprintf(&p->base, "%.*s%.*s", (int)(host - url), url, (int)n, from) < 0) {
		p->base = NULL;
		return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

int pyroscope_new(const char *url, const char *password, const atomic_bool *stop, struct pyroscope **ret_p, struct err *err)
{
	struct pyroscope *p = calloc(1, sizeof(*p));
	int ret;

	if (!p || (password && !(p->password = strdup(password)))) {
		free(p);
		return err_set(err, -ENOMEM, "out of memory");
	}
	ret = take_url(p, url + strlen(PREFIX), err);
	if (!ret && !(p->client = client_new(stop)))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (ret)
		pyroscope_free(p);
	else
		*ret_p = p;
	return ret;
}

void pyroscope_free(struct pyroscope *p)
{
	if (!p)
		return;
	client_free(p->client);
	free(p->base);
	free(p->user);
	free(p->password);
	free(p);
}

/* "skep{host=a,event=b}": its labels have no quotes, so what has a meaning there is none of theirs. */
static void make_name(char *name, const char *host, const char *event)
{
	size_t n = text_append(name, NAME_BYTES, 0, "skep{host=%.200s,event=%.64s}", host, event);
	int level = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		bool is_form = (name[i] == '{' && !level++) || (name[i] == ',' && !strncmp(name + i, ",event=", 7)) || name[i] == '=';

		if (!is_form && !isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			name[i] = '_';
	}
}

static int check_answer(const struct client_answer *a, struct err *err)
{
	size_t n = strcspn(a->body, "\n");

	if (a->status >= 200 && a->status < 300)
		return 0;
	return err_set(err, -EPROTO, "it says: status %ld, '%.*s'", a->status, (int)(n < WHY_BYTES ? n : WHY_BYTES), a->body);
}

/* The form is around the bytes: what separates its parts is nowhere in them, as far as 128 bits can tell. */
static char *make_form(const char *bytes, size_t n, const char *boundary, size_t *ret_n)
{
	char *form = malloc(n + 2 * FORM_BYTES);
	size_t len;

	if (!form)
		return NULL;
	len = text_append(form, FORM_BYTES, 0,
			  "--%s\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"profile.pb.gz\"\r\n"
			  "Content-Type: application/octet-stream\r\n\r\n",
			  boundary);
	memcpy(form + len, bytes, n);
	len += n;
	*ret_n = text_append(form, len + FORM_BYTES, len, "\r\n--%s--\r\n", boundary);
	return form;
}

int pyroscope_send(struct pyroscope *p, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err)
{
	uint64_t hash = hash_bytes(bytes, n);
	char url[URL_BYTES], name[NAME_BYTES], boundary[64], type[128];
	struct client_request r = { .url = url, .user = p->user, .password = p->password, .headers = { type }, .answer_max = ANSWER_BYTES, .seconds = SECONDS };
	struct client_answer a;
	char *form;
	size_t len;
	int ret;

	snprintf(boundary, sizeof(boundary), "skep%016" PRIx64 "%016" PRIx64, hash, hash_u64(hash + 1));
	snprintf(type, sizeof(type), "Content-Type: multipart/form-data; boundary=%s", boundary);
	make_name(name, host, seg->view);
	len = text_append(url, sizeof(url), 0, "%s/ingest?format=pprof&spyName=skep&from=%" PRIu64 "&until=%" PRIu64 "&name=", p->base, seg->start_s, seg->end_s);
	client_escape(url, sizeof(url), len, name);
	form = make_form(bytes, n, boundary, &r.n);
	free(bytes);
	if (!form)
		return err_set(err, -ENOMEM, "out of memory");
	r.body = form;
	ret = client_post(p->client, &r, &a, err);
	if (!ret) {
		ret = check_answer(&a, err);
		free(a.body);
	}
	free(form);
	return ret;
}
