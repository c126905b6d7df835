/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The network namespaces of this machine, their interfaces and what these count: /proc/net/dev (proc(5)) of each. */
#ifndef SKEP_CAPTURE_SOURCE_NETDEVS_H
#define SKEP_CAPTURE_SOURCE_NETDEVS_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/net.h"

struct netdevs;

/* From the moment it was opened on. bytes: as the interface counts them, mostly with the link layer's header. */
struct netdev {
	uint32_t netns; /* inode number */
	uint32_t ifindex; /* 0: not known */
	char name[IF_NAMESIZE];
	uint64_t packets[NET_WAYS], bytes[NET_WAYS];
};

/* Notes what the interfaces have counted. all: of every namespace that may be entered, else of this one. 0 or -errno. */
int netdevs_open(bool all, struct netdevs **ret_devs);

/* Those of namespaces that were made since, too. Returns 0, -errno, or what each() returned. */
int netdevs_read(struct netdevs *devs, int (*each)(void *arg, const struct netdev *dev), void *arg);

/* Reads the names of the interfaces that exist now. 0 or -errno. */
int netdevs_look(struct netdevs *devs);

/* "eth0" as of the last look; "if7" where it is gone or its namespace may not be entered. Valid until the next call. */
const char *netdevs_name(struct netdevs *devs, uint32_t netns, uint32_t ifindex);

void netdevs_close(struct netdevs *devs);

#endif
