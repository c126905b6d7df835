/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of each socket, and whose they are; what the interfaces counted meanwhile; what the kernel dropped. Every round delivers
 * sums from the start on; of sockets that have ended once more, marked as the last.
 */
#ifndef SKEP_CAPTURE_SOURCE_NET_H
#define SKEP_CAPTURE_SOURCE_NET_H

#include "capture/source.h"

struct net_cfg {
	bool by_iface, by_peer; /* a sample for each interface, each address at the other end */
	bool by_port;		/* with by_peer: and each of its ports */
	bool at_once;		/* sockets are told of when they end */
	bool events, stacks;	/* what happens to sockets, one by one; where in the kernel */
	uint64_t flows_max;	/* sockets at one time; 0: NET_FLOWS_DEFAULT */
	bool bpf_stats;
};

/* cfg is borrowed for the source's life. NULL without memory. */
struct source *src_net_new(const struct net_cfg *cfg);

#endif
