/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of each socket, and whose they are; what the interfaces counted meanwhile; what the kernel dropped. Rows are of
 * what is new since the round before.
 */
#ifndef SKEP_CAPTURE_SOURCE_NET_H
#define SKEP_CAPTURE_SOURCE_NET_H

#include "capture/source.h"
#include "capture/source/netrows.h"

struct net_cfg {
	uint64_t keys;	   /* of the table: net_keys(); of net_schema's rows */
	bool is_whole;	   /* all sockets are targets: what has none or no process has rows, too */
	bool connections;  /* instead: net_conn_schema's, when they end, and at the end of the run */
	bool events, stacks; /* instead: net_event_schema's, as they happen; where in the kernel */
	struct net_names names; /* of addresses of the kernel */
	uint64_t flows_max;	/* sockets at one time; 0: NET_FLOWS_DEFAULT */
	uint32_t ended_bytes;	/* memory for sockets that end between two looks, a power of two; beyond that they are among flows_max; 0: 8 MB */
	bool bpf_stats;
};

/* cfg is borrowed for the source's life. NULL without memory. */
struct source *src_net_new(const struct net_cfg *cfg);

#endif
