/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A socket: how it is met, whose it is, and what goes to whom when it becomes another's. */
#ifndef SKEP_NETFLOW_BPF_H
#define SKEP_NETFLOW_BPF_H

#include "bpf/net.h"
#include "lib/filter_task.bpf.h"
#include "lib/netevent.bpf.h"
#include "lib/pidns.bpf.h"

const volatile __u32 cfg_by_iface = 1;
const volatile __u32 cfg_by_peer = 1; /* its address; and */
const volatile __u32 cfg_by_port = 1;
const volatile __u32 cfg_pidns_level = 1; /* 0: skep runs in the initial PID namespace */
const volatile __u64 cfg_pidns = 1;

#define AF_INET 2
#define AF_INET6 10
/* include/net/tcp_states.h */
#define TCP_ESTABLISHED 1
#define TCP_SYN_SENT 2
#define TCP_FIN_WAIT1 4
#define TCP_FIN_WAIT2 5
#define TCP_CLOSE 7
#define TCP_CLOSE_WAIT 8
#define TCP_LAST_ACK 9
#define TCP_LISTEN 10
#define TCP_CLOSING 11
/* Our FIN is on its way, or there. */
#define TCP_FINISHED (1u << TCP_FIN_WAIT1 | 1u << TCP_FIN_WAIT2 | 1u << TCP_LAST_ACK | 1u << TCP_CLOSING)

#define SOCK_STREAM 1
#define HANDSHAKE_SEGMENTS 2 /* that come in */

#define SOCK_DONE 1 /* enum sock_flags of include/net/sock.h: the other side's FIN has come */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, NET_FLOWS_DEFAULT);
	__type(key, __u64);
	__type(value, struct net_flow);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, NET_FLOWS_DEFAULT);
	__type(key, struct net_part_key);
	__type(value, struct net_part);
} parts SEC(".maps");

/* Sockets whose owner is being changed. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u32);
} turns SEC(".maps");

/* A new entry begins as this: too large for the stack. Never written: a program may be interrupted by one that makes an entry, too. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct net_flow);
} nothing SEC(".maps");

/* Up to the owner's last use. What comes meanwhile on another CPU is in it or not: of the same owner most likely. */
static __always_inline void mark_way(struct net_count *mark, const struct net_count *c)
{
	__u64 packets = *(volatile __u64 *)&c->packets;

	if (packets <= mark->packets)
		return; /* another thread of the owner was later */
	mark->packets = packets;
	mark->ip_bytes = *(volatile __u64 *)&c->ip_bytes;
	mark->bytes = *(volatile __u64 *)&c->bytes;
	mark->fewer_packets = *(volatile __u64 *)&c->fewer_packets;
	mark->fewer_bytes = *(volatile __u64 *)&c->fewer_bytes;
}

static __always_inline void add_way(struct net_count *to, const struct net_count *now, struct net_count *before)
{
	if (now->packets <= before->packets)
		return;
	to->packets += now->packets - before->packets;
	to->ip_bytes += now->ip_bytes - before->ip_bytes;
	to->bytes += now->bytes - before->bytes;
	to->fewer_packets += now->fewer_packets - before->fewer_packets;
	to->fewer_bytes += now->fewer_bytes - before->fewer_bytes;
	*before = *now;
}

#define BASE_TRIES 3

/* The number of the stream's first byte: with it one number that changes is enough, and whoever changes it may do so meanwhile. */
static __always_inline void find_base(struct net_flow *f, struct tcp_sock___kernel *tp)
{
	__u32 acked, una;

	for (int i = 0; i < BASE_TRIES && !f->has_base; i++) {
		acked = BPF_CORE_READ(tp, bytes_acked);
		una = BPF_CORE_READ(tp, snd_una);
		f->tcp_base = una - acked;
		f->has_base = acked == (__u32)BPF_CORE_READ(tp, bytes_acked) && una == BPF_CORE_READ(tp, snd_una);
	}
}

/*
 * bytes_sent and bytes_retrans would not do: what the queue of an interface refused is sent again as if it were new. A SYN and a FIN
 * are a byte each, there and in what was received.
 */
static __always_inline void read_tcp(struct net_tcp *to, struct net_flow *f, struct sock *sk)
{
	struct tcp_sock___kernel *tp = (void *)sk;
	__u64 acked = BPF_CORE_READ(tp, bytes_acked);
	__u32 next = BPF_CORE_READ(tp, snd_nxt);
	__s32 in_flight;

	find_base(f, tp);
	in_flight = next - f->tcp_base - (__u32)acked;
	to->sent = acked + (in_flight > 0 ? in_flight : 0);
	if (to->sent && f->is_finished && next == BPF_CORE_READ(tp, write_seq))
		to->sent--;
	to->received = BPF_CORE_READ(tp, bytes_received) - (BPF_CORE_READ(sk, __sk_common.skc_flags) >> SOCK_DONE & 1);
	to->retransmits = BPF_CORE_READ(tp, total_retrans);
	to->rtt_us = BPF_CORE_READ(tp, srtt_us) >> 3;
}

/* What TCP did since the run met it. A socket that is closed, or connects, has no stream: what it had is known from before. */
static __always_inline void refresh_tcp(struct net_flow *f, struct sock *sk)
{
	if (!f->is_tcp || f->state == TCP_CLOSE)
		return;
	if (f->state == TCP_SYN_SENT)
		f->tcp.retransmits = BPF_CORE_READ((struct tcp_sock___kernel *)sk, total_retrans);
	else
		read_tcp(&f->tcp, f, sk);
}

/* It begins at 0 again; the SYN will be a byte. */
static __always_inline void connect_anew(struct net_flow *f)
{
	f->before.sent -= f->tcp.sent - 1;
	f->before.received -= f->tcp.received;
	f->before.retransmits -= f->tcp.retransmits;
	f->tcp.sent = 1;
	f->tcp.received = f->tcp.retransmits = 0;
	f->is_finished = f->end = f->has_base = 0;
}

/* By what of a process makes rows of their own. */
static __always_inline __u64 owner_id(__u32 tgid, __u64 exec_id, __u32 uid, __u64 cgroup)
{
	__u32 hash = (__u32)exec_id * 0x9e3779b1u ^ uid * 0x85ebca6bu ^ (__u32)cgroup * 0xc2b2ae35u;

	return (__u64)hash << 32 | tgid;
}

/* Of a socket's process; where the first thread has another name that is the process's. */
static __always_inline void fill_owner(struct net_owner *o, struct task_struct *t, __u32 is_target)
{
	struct task_struct *leader = BPF_CORE_READ(t, group_leader);

	o->start_ns = BPF_CORE_READ(leader, start_boottime);
	o->cgroup = BPF_CORE_READ(t, cgroups, dfl_cgrp, kn, id);
	o->tgid = BPF_CORE_READ(t, tgid);
	o->pid = cfg_pidns_level ? pidns_number(leader, cfg_pidns_level, (void *)cfg_pidns) : o->tgid;
	o->uid = BPF_CORE_READ(t, cred, uid.val);
	o->id = owner_id(o->tgid, BPF_CORE_READ(leader, self_exec_id), o->uid, o->cgroup);
	o->is_target = is_target;
	bpf_probe_read_kernel(o->comm, sizeof(o->comm), &leader->comm);
}

static __always_inline void set_owner(struct net_flow *f, struct task_struct *t, __u32 is_target)
{
	fill_owner(&f->owner, t, is_target);
}

static __always_inline void set_addresses(struct net_flow *f, struct sock *sk)
{
	f->port = BPF_CORE_READ(sk, __sk_common.skc_num);
	f->peer_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (f->family == AF_INET) {
		f->addr[0] = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
		f->peer_addr[0] = BPF_CORE_READ(sk, __sk_common.skc_daddr);
	} else {
		BPF_CORE_READ_INTO(&f->addr, sk, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&f->peer_addr, sk, __sk_common.skc_v6_daddr);
	}
}

/* "R1 pointer arithmetic on sock prohibited": as a number it is a kernel's address like any other. */
static __always_inline struct sock *kernel_sock(struct bpf_sock *sk)
{
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &sk);
	return (void *)address;
}

/* No process has it any more, and no look at open files meets it. */
static __noinline int follow_closed(struct __sk_buff *skb, __u64 cookie)
{
	struct bpf_sock *sk = skb->sk;
	struct net_flow *f = bpf_map_lookup_elem(&flows, &cookie);

	sk = sk ? bpf_sk_fullsock(sk) : NULL;
	if (f && sk)
		refresh_tcp(f, kernel_sock(sk));
	return 0;
}

/* A new entry, or the one that is there. NULL: no room for one more. */
static __always_inline struct net_flow *make(__u64 cookie, int *ret_is_new)
{
	struct net_flow *f;
	__u32 zero = 0;

	f = bpf_map_lookup_elem(&nothing, &zero);
	if (!f)
		return NULL;
	*ret_is_new = !bpf_map_update_elem(&flows, &cookie, f, BPF_NOEXIST);
	f = bpf_map_lookup_elem(&flows, &cookie);
	if (f)
		f->cookie = cookie;
	return f;
}

/* The first packet of a socket in this run: TCP counts it when it is on its way. NULL: no room for one more. */
static __noinline struct net_flow *meet(struct __sk_buff *skb, __u64 cookie)
{
	struct bpf_sock *sk = skb->sk;
	struct sock *kernel_sk;
	struct tcp_sock___kernel *tp;
	struct task_struct *t;
	struct net_flow *f;
	int is_new;

	sk = sk ? bpf_sk_fullsock(sk) : NULL;
	f = sk ? make(cookie, &is_new) : NULL;
	if (!f || f->first_ns)
		return f;
	kernel_sk = kernel_sock(sk);
	f->first_ns = bpf_ktime_get_ns();
	f->ifindex = skb->ifindex;
	f->family = sk->family;
	f->protocol = sk->protocol;
	f->state = sk->state;
	set_addresses(f, kernel_sk);
	f->netns = BPF_CORE_READ(kernel_sk, __sk_common.skc_net.net, ns.inum);
	if (BPF_CORE_READ_BITFIELD_PROBED(kernel_sk, sk_kern_sock))
		f->is_kernel = 1;
	f->is_tcp = f->protocol == IPPROTO_TCP && sk->type == SOCK_STREAM;
	if (!f->is_tcp)
		return f;
	read_tcp(&f->before, f, kernel_sk);
	/* Data that came with the SYN or with the ACK of the handshake, which was its listener's packet, is this one's: it is that young */
	tp = (void *)kernel_sk;
	if (f->state != TCP_SYN_SENT && BPF_CORE_READ(tp, segs_in) <= HANDSHAKE_SEGMENTS)
		f->before.received = 0;
	if (f->state == TCP_SYN_SENT && !f->before.sent)
		f->before.sent = 1; /* the SYN will be a byte */
	f->tcp = f->before;
	if (f->state != TCP_SYN_SENT)
		return f;
	f->is_active = 1;
	/* The first SYN is sent by who connects; the next ones by a timer. */
	t = (void *)bpf_get_current_task();
	if (!f->owner.tgid && !f->before.retransmits && !(BPF_CORE_READ(t, flags) & PF_KTHREAD))
		set_owner(f, t, filter_task(t));
	return f;
}

/* What its owner did goes to its part. The caller has the turn. */
static __always_inline void hand_over(struct net_flow *f, __u64 cookie, __u64 id)
{
	struct net_part_key key = { cookie, f->owner.id };
	struct net_part *part = bpf_map_lookup_elem(&parts, &key);
	__u32 zero = 0;

	if (f->former == id && !(cfg_events || cfg_by_iface || cfg_by_peer))
		f->is_shared = f->is_changed = 1;
	f->former = f->owner.id;
	if (f->marks[NET_TX].packets == f->others[NET_TX].packets && f->marks[NET_RX].packets == f->others[NET_RX].packets)
		return; /* it did nothing with it */
	if (cfg_events || cfg_by_iface || cfg_by_peer)
		return; /* nobody reads parts */
	if (!part) {
		part = bpf_map_lookup_elem(&nothing, &zero); /* zeroes, and more than it needs */
		if (!part)
			return;
		bpf_map_update_elem(&parts, &key, part, BPF_NOEXIST);
		part = bpf_map_lookup_elem(&parts, &key);
	}
	if (!part) {
		loss_count(LOSS_KEYS_FULL); /* it stays the new owner's */
		return;
	}
	part->owner = f->owner;
	add_way(&part->ways[NET_TX], &f->marks[NET_TX], &f->others[NET_TX]);
	add_way(&part->ways[NET_RX], &f->marks[NET_RX], &f->others[NET_RX]);
	part->retransmits += f->tcp.retransmits - f->before.retransmits - f->others_retransmits;
	f->others_retransmits = f->tcp.retransmits - f->before.retransmits;
	f->is_changed = 1;
}

/* A connection that came from outside, in this run. */
static __always_inline int is_accepted(const struct net_flow *f)
{
	return f->is_tcp && !f->is_active && f->state != TCP_LISTEN && !f->before.sent && !f->before.received;
}

/* What one call sent or received; bytes 0: that is not known. */
struct call {
	enum net_way way;
	__u32 bytes, before_send; /* before_send: nothing of it has been sent yet; else all */
};

#define IP_UDP_BYTES 28
#define IPV6_UDP_BYTES 48

/* One of several who use a socket in turns: its calls are its own, and all else stays the owner's. Segments of TCP are nobody's call. */
static __always_inline void count_call(struct net_flow *f, __u64 cookie, __u64 owner, struct task_struct *t, const struct call *call)
{
	__u32 headers = f->is_tcp ? 0 : f->family == AF_INET ? IP_UDP_BYTES : IPV6_UDP_BYTES, zero = 0;
	struct net_part_key key = { cookie, owner };
	struct net_part *part = bpf_map_lookup_elem(&parts, &key);
	struct net_count *c, *others;

	if (!part) {
		part = bpf_map_lookup_elem(&nothing, &zero);
		if (!part || bpf_map_update_elem(&parts, &key, part, BPF_NOEXIST))
			return;
		part = bpf_map_lookup_elem(&parts, &key);
		if (!part)
			return;
		fill_owner(&part->owner, t, filter_pass(bpf_get_current_pid_tgid()));
	}
	c = &part->ways[call->way & 1];
	others = &f->others[call->way & 1];
	__sync_fetch_and_add(&c->packets, !f->is_tcp);
	__sync_fetch_and_add(&others->packets, !f->is_tcp);
	__sync_fetch_and_add(&c->ip_bytes, call->bytes + headers);
	__sync_fetch_and_add(&others->ip_bytes, call->bytes + headers);
	__sync_fetch_and_add(&c->bytes, call->bytes);
	__sync_fetch_and_add(&others->bytes, call->bytes);
}

/* Who is running. known: of the verifier's knowledge, which is read at once; or NULL. */
static __always_inline void read_user(struct net_user *u, struct task_struct *known)
{
	struct task_struct *t;

	if (known) {
		u->tgid = known->tgid;
		u->exec_id = known->self_exec_id;
		u->cred = (__u64)known->cred;
		u->cgroups = (__u64)known->cgroups;
		return;
	}
	t = (void *)bpf_get_current_task();
	u->tgid = bpf_get_current_pid_tgid() >> 32;
	u->exec_id = BPF_CORE_READ(t, self_exec_id);
	u->cred = (__u64)BPF_CORE_READ(t, cred);
	u->cgroups = (__u64)BPF_CORE_READ(t, cgroups);
}

static __always_inline int is_same_user(const struct net_user *a, const struct net_user *b)
{
	return a->tgid == b->tgid && a->exec_id == b->exec_id && a->cred == b->cred && a->cgroups == b->cgroups;
}

/* Of the current task. */
static __always_inline __u64 current_owner_id(struct task_struct *t)
{
	return owner_id(BPF_CORE_READ(t, tgid), BPF_CORE_READ(t, group_leader, self_exec_id), BPF_CORE_READ(t, cred, uid.val),
			BPF_CORE_READ(t, cgroups, dfl_cgrp, kn, id));
}

/* Another process than the socket's owner uses it. False: another one does at the same moment. */
static __always_inline int change_owner(void *ctx, struct net_flow *f, __u64 cookie, struct task_struct *t, __u64 id, const struct call *call)
{
	__u32 one = 1, is_first = !f->owner.tgid;

	if (bpf_map_update_elem(&turns, &cookie, &one, BPF_NOEXIST))
		return 0;
	if (call->before_send)
		mark_way(&f->marks[NET_TX], &f->ways[NET_TX]);
	if (!is_first)
		hand_over(f, cookie, id);
	set_owner(f, t, filter_pass(bpf_get_current_pid_tgid()));
	if (is_first && is_accepted(f))
		report(ctx, NET_ACCEPT, f, 0, 0);
	bpf_map_delete_elem(&turns, &cookie);
	return 1;
}

/* The current process uses a socket of IP. */
static __always_inline void use(void *ctx, __u64 cookie, struct task_struct *known, const struct call *call)
{
	struct net_user user;
	struct net_flow *f;

	f = bpf_map_lookup_elem(&flows, &cookie);
	if (!f)
		return;
	read_user(&user, known);
	if (!is_same_user(&user, &f->user) || f->user.id != f->owner.id) {
		struct task_struct *t = (void *)bpf_get_current_task();

		user.id = current_owner_id(t);
		if (f->owner.id != user.id) {
			if (f->is_shared && call->bytes) {
				count_call(f, cookie, user.id, t, call);
				return;
			}
			if (BPF_CORE_READ(t, flags) & PF_KTHREAD || !change_owner(ctx, f, cookie, t, user.id, call))
				return;
		}
		f->user = user;
	}
	if (f->is_shared && call->bytes)
		return;
	if (!f->owner.is_target && cfg_filter & ~(FILTER_PIDS | FILTER_IDLE))
		f->owner.is_target = filter_pass(bpf_get_current_pid_tgid()); /* another of its threads may be one */
	if (!call->before_send)
		mark_way(&f->marks[NET_TX], &f->ways[NET_TX]);
	mark_way(&f->marks[NET_RX], &f->ways[NET_RX]);
}

#endif
