/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Answers of a server to the four queries of clickhouse_read(), each with its length before it, of two bytes, but for the last. They come in
 * the place of push/client.c, of which nothing else is linked.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/pprof.h"
#include "push/clickhouse.h"
#include "push/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct client {
	int unused;
};

static const uint8_t *rest;
static size_t rest_n, asked;

struct client *client_new(const atomic_bool *stop)
{
	(void)stop;
	return calloc(1, sizeof(struct client));
}

void client_free(struct client *c)
{
	free(c);
}

int client_library(struct err *err)
{
	(void)err;
	return 0;
}

size_t client_escape(char *buf, size_t size, size_t len, const char *text)
{
	(void)buf;
	(void)size;
	(void)text;
	return len;
}

char *client_pack(const void *bytes, size_t n, size_t *ret_n)
{
	(void)bytes;
	*ret_n = n;
	return NULL;
}

int client_post(struct client *c, const struct client_request *r, struct client_answer *ret_answer, struct err *err)
{
	size_t n = rest_n;

	(void)c;
	(void)err;
	if (!r->n || ((const char *)r->body)[r->n])
		abort();
	if (++asked < 4 && rest_n >= 2) {
		n = rest[0] | (size_t)rest[1] << 8;
		rest += 2;
		rest_n -= 2;
		n = n < rest_n ? n : rest_n;
	}
	*ret_answer = (struct client_answer){ .status = 200, .body = malloc(n + 1), .n = n };
	memcpy(ret_answer->body, rest, n);
	ret_answer->body[n] = '\0';
	rest += n;
	rest_n -= n;
	return 0;
}

static int count(void *arg, const struct pprof_sample *s)
{
	(void)s;
	++*(size_t *)arg;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct store_span span = { .since_s = 10, .until_s = 20, .labels = { { "unit", "a[!b-c]*?\\x'" }, { "unit", "[" }, { "host", "*" } }, .nr_labels = 3 };
	struct clickhouse *ch;
	struct err err = { 0 };
	char *bytes;
	size_t n;

	rest = data;
	rest_n = size;
	asked = 0;
	if (clickhouse_new("clickhouse://me:pw@[::1]:1/db", NULL, NULL, &ch, &err))
		abort();
	if (!clickhouse_read(ch, &span, size % 2 ? 0 : (1 << LABEL_HOST) | (1 << LABEL_UNIT), &bytes, &n, &err)) {
		struct pprof_reader *r;

		/* What it makes is a profile */
		if (pprof_open("x", bytes, n, &r, &err))
			abort();
		n = 0;
		if (pprof_each(r, count, &n))
			abort();
		pprof_close(r);
	}
	clickhouse_free(ch);
	return 0;
}
