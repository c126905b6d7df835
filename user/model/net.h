/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: what went through sockets, by key, in rounds that end with the table of what was added in each; and what the interfaces
 * counted that went through none. Pure.
 */
#ifndef SKEP_MODEL_NET_H
#define SKEP_MODEL_NET_H

#include <stdbool.h>

#include "sample.h"
#include "util/strpool.h"
#include "util/vec.h"

/* Parts of a key. */
enum net_by {
	NET_BY_COMM = 1 << 0,
	NET_BY_PID = 1 << 1,
	NET_BY_USER = 1 << 2,
	NET_BY_CGROUP = 1 << 3,
	NET_BY_PROTO = 1 << 4,
	NET_BY_LPORT = 1 << 5,
	NET_BY_REMOTE = 1 << 6,
	NET_BY_RPORT = 1 << 7,
	NET_BY_IFACE = 1 << 8,
	NET_BY_NETNS = 1 << 9,
};

/* What a row is of. */
enum net_what {
	NET_OF_PROCESS,
	NET_OF_KERNEL,	  /* the kernel's own sockets */
	NET_OF_NOBODY,	  /* sockets that no process has used or has open */
	NET_OF_NO_SOCKET, /* an interface counted it: forwarded, answered by the kernel, dropped before its socket */
	NET_OF_OTHER,	  /* more than there was room for */
};

struct net_key {
	enum net_what what;
	const char *comm, *iface; /* interned; NULL: not in the key, as 0 is in the others */
	uint64_t start_ns, cgroup;
	uint32_t pid, uid, netns;
	uint32_t peer_addr[4];
	uint16_t peer_port, port, family;
	uint8_t protocol;
};

#define NET_REASONS 4

struct net_row {
	struct net_key key;
	struct net_count ways[NET_WAYS];
	uint64_t retransmits;
	uint64_t drops; /* packets */
	struct {
		const char *reason; /* interned */
		uint64_t packets;
	} reasons[NET_REASONS]; /* of drops; the last: of all others, "..." */
	uint64_t rtt_sum_us, rtts; /* of connections that have one */
	uint32_t sockets, holders; /* holders: processes that have one of them open, at most; 0: not known */
	bool is_shared;		   /* processes took turns with one of them */
};

enum net_sort { NET_BY_BYTES, NET_BY_SENT, NET_BY_RECEIVED, NET_BY_PACKETS, NET_BY_RETRANSMITS, NET_BY_DROPS };

struct net_told;

struct net_table {
	uint32_t by;	/* enum net_by */
	bool is_whole;	/* all sockets are asked for: what has none or no process has rows, too */
	struct strpool *pool;
	VEC(struct net_row) rows; /* of this round; sorted once it has ended */
	uint32_t *places;	  /* open addressing: index in rows + 1, 0 empty */
	size_t nr_places;	  /* a power of two */
	struct net_told *told;	  /* open addressing: what was told of each sample that will come again */
	size_t nr_told, told_places;
	VEC(struct net_device) devices; /* their last sums */
	uint64_t beyond[NET_WAYS]; /* packets of sockets that no interface counted, in this round */
	bool is_ended;
};

int net_table_init(struct net_table *t, uint32_t by, bool is_whole); /* 0 or -ENOMEM */
void net_table_free(struct net_table *t);

/* Sums from the start on; what is new in them is added. 0 or -ENOMEM. reason: of the drop, or NULL for its own. */
int net_table_add(struct net_table *t, const struct net_sample *s);
int net_table_add_device(struct net_table *t, const struct net_device *d);
int net_table_add_dropped(struct net_table *t, const struct net_dropped *d, const char *reason);

/* Ends a round: rows are what was added since the last one, until the next sample. 0 or -ENOMEM. */
int net_table_round(struct net_table *t, enum net_sort sort);

#endif
