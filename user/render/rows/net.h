/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: packets by key, and connections. */
#ifndef SKEP_RENDER_ROWS_NET_H
#define SKEP_RENDER_ROWS_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/net.h"

struct net_view {
	uint32_t by; /* enum net_by */
	bool json;
	const char *separator; /* CSV; NULL: none */
	uint64_t top;	       /* so many rows; 0: all */
	uint64_t round_ns;     /* how long the round was: rates */
	uint64_t since_start_ns; /* of the end of an interval; 0: the whole run */
	uint64_t start_ns;     /* CLOCK_MONOTONIC: when connections begin is told from there on */
	bool no_head;	       /* CSV has one line of names, before its first interval */
	const char *(*cgroup_path)(void *arg, uint64_t id); /* NULL for one that is gone */
};

/* The rows of a round. 0 or -EIO. */
int render_net(FILE *out, const struct net_table *t, const struct net_view *view);

/* One connection, as far as it was seen by now_ns; s NULL: the line of names, which JSON has none of. 0 or -EIO. */
int render_connection(FILE *out, const struct net_sample *s, uint64_t now_ns, const struct net_view *view);

/* What happens to sockets, a line each, times from start_ns on; name: of a kernel address, "f+0x1"; it returns 0 or -errno. */
struct net_event_view {
	bool json;
	const char *separator;
	uint64_t start_ns;
	int (*name)(void *arg, uint64_t addr, char *buf, size_t size);
	void *arg;
};

/* reason: of a drop; NULL: its place has a name. e NULL: the line of names. 0 or -EIO. */
int render_net_event(FILE *out, const struct net_event *e, const char *reason, const struct net_event_view *view);

#endif
