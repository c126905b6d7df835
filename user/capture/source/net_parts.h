/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the two halves of the source share: net.c loads and attaches, net_read.c reads what the programs have summed. */
#ifndef SKEP_CAPTURE_SOURCE_NET_PARTS_H
#define SKEP_CAPTURE_SOURCE_NET_PARTS_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/net.h"
#include "capture/base.h"
#include "capture/rings.h"
#include "capture/source/net.h"
#include "capture/source/netdevs.h"
#include "skel/net.skel.h"
#include "util/vec.h"

#define CALLS_MAX 6

/* An entry of `parts`, which begins with its cookie. */
struct part {
	struct net_part_key key;
	struct net_part part;
};

struct src_net {
	struct source source; /* first: a pointer to it is one to us */
	const struct net_cfg *cfg;
	struct base base;
	struct net_bpf *skel;
	const struct place *place;
	struct netdevs *devs;
	struct rings rings, events;
	struct bpf_link *calls[CALLS_MAX];
	int nr_calls, cpus, drop_args;
	bool has_typed; /* tracepoints name who sends and receives */
	bool has_udp_full;
	struct sink *sink; /* of the walk */
	struct net_rows rows;
	uint64_t start_ns;
	VEC(struct net_flow) ended;	/* since the last look; by cookie */
	VEC(struct part) parts;		/* of now; by cookie */
	VEC(struct net_path_key) gone;	/* of those that have ended */
	VEC(struct net_drop_key) gone_drops;
	VEC(uint64_t) left;		/* sockets that have ended and are in the map still */
	char reason[64];		/* the last name of one, of reason_code */
	uint32_t reason_code;
	bool no_devices;		/* what the interfaces count cannot be read */
	bool is_all; /* of this look: not only what has ended */
};

/* What is counted apart: interfaces, addresses at the other end, their ports. */
static inline bool net_by_iface(const struct net_cfg *cfg)
{
	return cfg->keys >> NET_COL_IFACE & 1;
}

static inline bool net_by_port(const struct net_cfg *cfg)
{
	return cfg->keys >> NET_COL_RPORT & 1;
}

static inline bool net_by_peer(const struct net_cfg *cfg)
{
	return cfg->keys >> NET_COL_REMOTE & 1 || net_by_port(cfg);
}

/* Are packets counted by more than their socket? */
static inline bool net_is_path(const struct net_cfg *cfg)
{
	return net_by_iface(cfg) || net_by_peer(cfg);
}

/* Delivers what has come, or, at the end of a round, all there is. 0 or -errno. */
int net_drain(struct source *source, struct sink *sink);
int net_snapshot(struct source *source, struct sink *sink);

#endif
