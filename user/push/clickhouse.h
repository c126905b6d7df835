/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ClickHouse over HTTP (clickhouse.com/docs, "HTTP Interface"), from 18.16 on: segments of a store into its tables, and sums out of them.
 * What is sent is one block for each table, which the server takes whole or not; where an answer was lost, it is asked whether it has the
 * block, before that is sent again.
 */
#ifndef SKEP_PUSH_CLICKHOUSE_H
#define SKEP_PUSH_CLICKHOUSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "data/store.h"

#define CLICKHOUSE_SCHEMES "clickhouse://HOST:PORT/DATABASE"

struct batch_from;
struct clickhouse;

/* Is it a URL of one: clickhouse://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], or with clickhouse+https? */
bool clickhouse_is(const char *url);

/*
 * After client_library(). Nothing is sent yet. password: of the URL's user, where it has none; or NULL. stop: as of client_new(). 0, or
 * -errno with err filled.
 */
int clickhouse_new(const char *url, const char *password, const atomic_bool *stop, struct clickhouse **ret_ch, struct err *err);
void clickhouse_free(struct clickhouse *ch); /* NULL is nothing */

/*
 * Sends a segment of a machine (push/batch.h), whose n bytes, of malloc(), are gone then. may_be_there: it was tried before. 0; -EBADMSG: it is damaged; other
 * -errno: the server does not have it, or does not say so. err filled.
 */
int clickhouse_send(struct clickhouse *ch, const struct segment *seg, char *bytes, size_t n, const struct batch_from *from, bool may_be_there,
		    struct err *err);

/*
 * The sums of a span, as a profile in pprof's format that the caller frees: by comm, and by labels (1 << enum sample_label). Labels of the
 * span: those of the store, and host. -ENODATA: there is nothing. 0, or -errno with err filled.
 */
int clickhouse_read(struct clickhouse *ch, const struct store_span *span, uint32_t labels, char **ret_bytes, size_t *ret_n, struct err *err);

/* What makes the tables, in the database of a URL without one: with a cluster, those of one of its shards, and the tables over all of them. */
void clickhouse_schema(FILE *out, const char *cluster);

#endif
