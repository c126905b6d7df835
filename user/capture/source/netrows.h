/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sockets, interfaces and drops, whose sums since the run began are delivered again and again, to rows of what is new; a connection, an
 * event, to a row. A process has what its own sockets sent and received; the rest has a label: (kernel), (no process), (no socket)
 * where an interface counted it and no socket did, (other).
 */
#ifndef SKEP_CAPTURE_SOURCE_NETROWS_H
#define SKEP_CAPTURE_SOURCE_NETROWS_H

#include "bpf/net.h"
#include "row.h"
#include "sample.h"
#include "util/map.h"
#include "util/strpool.h"
#include "util/vec.h"

enum net_column {
	NET_COL_COMM, NET_COL_PID, NET_COL_USER, NET_COL_CGROUP, NET_COL_PROTO, NET_COL_LPORT, NET_COL_REMOTE, NET_COL_RPORT, NET_COL_IFACE,
	NET_COL_NETNS,
	NET_COL_START, /* with the pid: numbers come again */
	NET_KEYS,
	NET_COL_TX_PACKETS = NET_KEYS, NET_COL_TX_BYTES, NET_COL_TX_IP_BYTES, NET_COL_RX_PACKETS, NET_COL_RX_BYTES, NET_COL_RX_IP_BYTES,
	NET_COL_TX_RATE, NET_COL_RX_RATE, NET_COL_RETRANSMITS, NET_COL_DROPS, NET_COL_RTT, NET_COL_SOCKETS, NET_COL_HOLDERS, NET_COL_SHARED,
	NET_COL_REASONS,
	/* For orders, rates and the mean */
	NET_COL_BYTES, NET_COL_PACKETS, NET_COL_TX_SECOND, NET_COL_RX_SECOND, NET_COL_RTT_SUM, NET_COL_RTTS,
	NET_COLUMNS
};

/* Rows without a process of their own: their ranks and labels. */
enum net_rank { NET_RANK_PROCESS, NET_RANK_KERNEL, NET_RANK_NOBODY, NET_RANK_NO_SOCKET, NET_RANK_OTHER, NET_RANKS };
extern const char *const net_labels[NET_RANKS];

extern const struct schema net_schema, net_conn_schema, net_event_schema;

/* The columns of a table's key, shown or not, for those of --by. */
uint64_t net_keys(uint64_t wanted);

/* What went through a socket since the run began, of one of the processes that used it, on one path. */
struct net_sample {
	const struct net_flow *flow; /* its cookie identifies the socket; NULL: the sum of those beyond --max-sockets */
	const struct net_owner *owner; /* tgid 0: not known */
	struct net_count ways[NET_WAYS];
	struct net_count total[NET_WAYS]; /* of all who owned it; not of paths */
	uint32_t retransmits, rtt_us;
	uint32_t holders; /* processes that had it open at this look; 0: not known */
	uint32_t netns;
	const char *iface; /* NULL: of all */
	const uint32_t *peer_addr; /* network byte order, 4 words */
	uint16_t peer_port;
	bool is_last; /* the socket has ended: no more of this one comes */
	bool is_path; /* packets by path, whoever owned the socket meanwhile; the sample without is of the rest */
};

/* What an interface has counted since the run began. */
struct net_device {
	uint32_t netns;
	const char *iface;
	uint64_t packets[NET_WAYS], bytes[NET_WAYS];
};

/* Packets that the kernel dropped since the run began, for one reason. */
struct net_dropped {
	const struct net_flow *flow; /* NULL: of no socket that is known */
	bool is_last;		     /* of a socket that has ended */
	uint32_t code;		     /* identifies the reason */
	const char *reason;
	uint64_t place; /* of a kernel without reasons: the address that dropped it */
	uint64_t packets;
};

struct net_known;
struct net_side;

struct net_rows {
	uint64_t keys;	   /* of the table */
	bool is_whole;	   /* all sockets are targets: what has none or no process has rows, too */
	struct sink *sink; /* where rows go */
	struct strpool *pool;
	VEC(struct net_known) known; /* what of each sample was delivered, while more of it may come */
	struct map known_index;
	VEC(struct net_device) devices; /* their last sums */
	VEC(struct net_side) sides;	/* what sockets and interfaces had in this round */
	uint64_t beyond;		/* packets of sockets that no interface counted, in the run */
};

int net_rows_init(struct net_rows *r, uint64_t keys, bool is_whole); /* 0 or -ENOMEM */
void net_rows_free(struct net_rows *r);

/* Each sends what is new to the sink. 0 or -errno. */
int net_rows_add(struct net_rows *r, const struct net_sample *s);
int net_rows_add_dropped(struct net_rows *r, const struct net_dropped *d);
int net_rows_add_device(struct net_rows *r, const struct net_device *d);

/* A round ends, in which all sockets and then all interfaces were delivered: what no socket had. 0 or -errno. */
int net_rows_end(struct net_rows *r);

/* One connection, as far as it was seen by now_ns; and something that happened to a socket. name: of a kernel address, 0 or -errno. */
struct net_names {
	int (*name)(void *arg, uint64_t addr, char *buf, size_t size);
	void *arg;
};
int net_conn_row(const struct net_sample *s, uint64_t start_ns, uint64_t now_ns, struct sink *sink);
int net_event_row(const struct net_event *e, const char *reason, uint64_t start_ns, const struct net_names *names, struct sink *sink);

#endif
