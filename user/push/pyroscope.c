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

#define PATH_BYTES 2048
#define FORM_BYTES 512
#define NAME_BYTES 512

static size_t add_value(char *name, size_t at, const char *value)
{
	size_t n = text_append(name, NAME_BYTES, at, "%.200s", value);

	for (; at < n; at++)
		if (!isalnum((unsigned char)name[at]) && !strchr("._-", name[at]))
			name[at] = '_';
	return n;
}

/* "skep{host=a,event=b}": its labels have no quotes, so what has a meaning there is none of theirs. */
static void make_name(char *name, const char *host, const char *event)
{
	size_t n = add_value(name, text_append(name, NAME_BYTES, 0, "skep{host="), host);

	n = add_value(name, text_append(name, NAME_BYTES, n, ",event="), event);
	text_append(name, NAME_BYTES, n, "}");
}

/* The form is around the bytes: what separates its parts is nowhere in them, as far as a hash of them can tell. */
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

int pyroscope_send(const struct weburl *to, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err)
{
	uint64_t hash = hash_bytes(bytes, n);
	char path[PATH_BYTES], name[NAME_BYTES], boundary[64], type[128], *form;
	size_t len, form_n;
	int ret;

	snprintf(boundary, sizeof(boundary), "skep%016" PRIx64 "%016" PRIx64, hash, hash_u64(hash + 1));
	snprintf(type, sizeof(type), "Content-Type: multipart/form-data; boundary=%s", boundary);
	make_name(name, host, seg->view);
	len = text_append(path, sizeof(path), 0, "/ingest?format=pprof&spyName=skep&from=%" PRIu64 "&until=%" PRIu64 "&name=", seg->start_s, seg->end_s);
	client_escape(path, sizeof(path), len, name);
	form = make_form(bytes, n, boundary, &form_n);
	free(bytes);
	if (!form)
		return err_set(err, -ENOMEM, "out of memory");
	ret = weburl_post(to, path, type, false, form, form_n, NULL, err);
	free(form);
	return ret;
}
