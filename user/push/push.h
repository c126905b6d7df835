/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * skep agent --push: segments of a store go to servers. Each server has a directory of the store with links to what it does not have yet:
 * that is kept over restarts, and up to a size. A thread for each sends the oldest first, and tries again and again.
 */
#ifndef SKEP_PUSH_PUSH_H
#define SKEP_PUSH_PUSH_H

#include <stdint.h>

#include "data/store.h"
#include "push/clickhouse.h"
#include "push/otlp.h"
#include "push/pyroscope.h"

#define PUSH_SCHEMES CLICKHOUSE_SCHEMES ", " PYROSCOPE_SCHEMES " or " OTLP_SCHEMES
#define PUSH_MAX 8
#define PUSH_PASSWORD_ENV "SKEP_PUSH_PASSWORD" /* a password that no list of processes shows */
#define PUSH_SPOOL_KIB (256u << 10)

/* cfg and its texts are borrowed until push_free(). */
struct push_cfg {
	void (*note)(bool is_detail, const char *text); /* to the user; also from the threads of the servers */
	const char *urls[PUSH_MAX];
	size_t nr_urls;
	const char *host;     /* NULL: the machine's name */
	const char *password; /* of users in URLs that have none there; or NULL */
	uint64_t spool_kib;   /* kept of each server; 0: PUSH_SPOOL_KIB */
	uint64_t spread_ns;   /* machines that write at the same moment begin to send within so long */
};

/* Of all servers, since push_open(). */
struct push_counts {
	uint64_t sent, dropped; /* segments; dropped: the spool was full, or they were damaged */
	uint64_t failures;	/* tries to send that had no success */
	uint64_t waiting;	/* in spools, or to be linked there */
	uint64_t bytes;		/* that were sent, as segments have them */
};

struct push;

/* May a URL be pushed to? 0, or -EINVAL with err filled. */
int push_check(const char *url, struct err *err);

/* A URL without its password, for messages. */
#define PUSH_SHOWN_BYTES 256
void push_shown(const char *url, char *buf, size_t size);

/* store: borrowed, and open. 0, or -errno with err filled. */
int push_open(const struct push_cfg *cfg, const struct store *store, struct push **ret_push, struct err *err);

/* A segment is there. What cannot be linked is noted, and linked with a later one. */
void push_segment(struct push *p, const struct segment *seg);

/* Without any server: a note of each that had one, and whose profiles are still there. push_open() does so, too. */
void push_note_others(const struct push_cfg *cfg, const struct store *store);

struct push_counts push_counts(struct push *p);

/* Sends what there is, for so long at most, and ends; the rest stays in the spools. */
void push_end(struct push *p, uint64_t ns);
void push_free(struct push *p); /* after that, or at once; NULL is nothing */

#endif
