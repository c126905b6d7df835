/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets and their traffic, shared by both sides. */
#ifndef SKEP_BPF_NET_H
#define SKEP_BPF_NET_H

#include <linux/types.h>

#define NET_FLOWS_DEFAULT 131072 /* sockets at one time; 500 bytes of kernel memory each, while it is there */
#define NET_DROPS_MAX 16384
#define NET_COMM_LEN 16

enum net_way {
	NET_TX,
	NET_RX,
	NET_WAYS
};

/*
 * Packets of MTU size, as nstat(8) counts them (TcpOutSegs) and a network card does. A virtual interface forwards larger ones whole,
 * and counts so many packets and bytes of headers fewer.
 */
struct net_count {
	__u64 packets;
	__u64 ip_bytes; /* from the IP header on */
	__u64 bytes;	/* after the headers of IP and TCP, UDP or ICMP */
	__u64 fewer_packets, fewer_bytes;
};

/* Who used a socket last. */
struct net_owner {
	__u64 id;	/* a process, and which program, user and cgroup it was then; 0: not known */
	__u64 start_ns; /* of the process, since boot: numbers are reused */
	__u64 cgroup;	/* its inode number */
	__u32 tgid;	/* in the initial PID namespace; 0: not known */
	__u32 pid;	/* as skep's user sees it */
	__u32 uid;
	__u32 is_target;
	char comm[NET_COMM_LEN];
};

/* The task that used a socket last, as it was: the same task has the same id, which takes longer to compute. */
struct net_user {
	__u64 id; /* its owner then; 0: none yet */
	__u64 cred, cgroups; /* the kernel's addresses */
	__u32 tgid, exec_id;
};

/* Why a connection ended. */
enum net_end {
	NET_OPEN,
	NET_CLOSED_HERE, /* its owner closed it first */
	NET_CLOSED_THERE,
	NET_RESET,	 /* by the other side */
	NET_ABORTED,	 /* by a reset from here */
	NET_TIMED_OUT,
	NET_REFUSED,
	NET_ENDS
};

/* What TCP itself knows of a connection: its own sums, so bytes that were sent or received twice count once. */
struct net_tcp {
	__u64 sent, received; /* bytes of the stream */
	__u32 retransmits;    /* segments */
	__u32 rtt_us;	      /* smoothed; 0: none yet */
};

/* One socket, keyed by its cookie (SO_COOKIE). Also the record of one that has ended, in the ring. */
struct net_flow {
	__u64 time_ns; /* CLOCK_MONOTONIC, of the record */
	__u64 cookie;
	__u64 first_ns; /* when a first packet was seen */
	struct net_count ways[NET_WAYS];  /* since the run began */
	struct net_count marks[NET_WAYS]; /* so much of it up to its owner's last use */
	struct net_count others[NET_WAYS]; /* so much of it was owners' before: the sum of its parts */
	__u32 others_retransmits, tcp_base;
	__u64 former; /* the id of who owned it before */
	struct net_owner owner;
	struct net_user user;
	struct net_tcp tcp, before; /* before: what it had done when the run first met it */
	__u32 netns; /* inode number */
	__u32 round, holders, holder; /* of the last look at open files that met it: processes that have it open; the last of them */
	__u16 family, port, peer_port; /* host byte order */
	__u8 protocol, state; /* IPPROTO_, enum of include/net/tcp_states.h */
	__u8 end; /* enum net_end */
	/* A byte each: CPUs that write them do not know of each other. */
	__u8 is_kernel;	 /* the kernel's own socket */
	__u8 is_changed; /* was another process's: entries of `parts` */
	__u8 is_shared;	 /* processes used it in turns */
	__u8 is_dead;
	__u8 is_active;	  /* it connects */
	__u8 is_finished; /* it sends a FIN, once all else is sent */
	__u8 is_tcp;	  /* and no raw socket with its number */
	__u8 has_base;	  /* tcp_base is known */
	__u8 unused;
	__u32 ifindex; /* of its first packet */
	__u32 addr[4], peer_addr[4]; /* network byte order; an IPv4 address in the first */
};

enum net_event_what {
	NET_CONNECT, /* it is there, or was refused */
	NET_ACCEPT,  /* by the process that used it first */
	NET_CLOSE,   /* the kernel gave it up: its last packet was before */
	NET_RETRANSMIT,
	NET_DROP,
	NET_EVENTS
};

#define NET_FRAMES_MAX 48

/* Something happened to a socket, as it was then. */
struct net_event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 first_ns; /* as of a flow; 0: of no socket that is known */
	__u64 place;   /* as of a drop */
	__u64 sent, received; /* bytes of a TCP stream */
	struct net_owner owner;
	__u32 what, reason;
	__u32 addr[4], peer_addr[4];
	__u16 family, port, peer_port;
	__u8 protocol, state, end;
	__u8 unused;
	__u16 nr_ips;
	__u16 unused_too;
	__u64 ips[NET_FRAMES_MAX]; /* of the kernel, leaf first */
};

_Static_assert(sizeof(struct net_flow) % 8 == 0 && sizeof(struct net_event) % 8 == 0, "records of a ring");

/* What a process that used a socket before its owner did with it. */
struct net_part_key {
	__u64 cookie;
	__u64 owner; /* its id */
};

struct net_part {
	struct net_count ways[NET_WAYS];
	struct net_owner owner;
	__u32 retransmits, unused; /* as far as they were known then */
};

/* Packets of a socket by interface or by peer, if requested. */
struct net_path_key {
	__u64 cookie;
	__u32 ifindex; /* 0: not requested */
	__u16 peer_port, unused;
	__u32 peer_addr[4];
};

struct net_path {
	struct net_count ways[NET_WAYS];
};

/* Packets that the kernel dropped. */
struct net_drop_key {
	__u64 cookie; /* 0: of no socket, or none that is known */
	__u64 place;  /* of a kernel without reasons: the address that dropped it; else 0 */
	__u32 reason, unused;
};

struct net_drop {
	__u64 packets, bytes;
};

/* What a CPU dropped last without reporting a socket. */
struct net_dropped_last {
	__u64 place;
	__u32 reason, bytes; /* 0: there is none */
};

#endif
