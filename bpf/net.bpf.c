// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, the network: packets are counted with the socket that sends or receives them, at the border of the IP layer
 * (the root of cgroup v2, which every socket is below). Their owner is known when a process sends or receives: packets that
 * arrived since the socket's last use belong to the process that uses it next, not to the one that they interrupted.
 */
#include "vmlinux.h"
#include <asm/ptrace.h>
#include <linux/in.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "bpf/net.h"
#include "lib/netdrop.bpf.h"
#include "lib/netflow.bpf.h"
#include "lib/netpacket.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Which look at the open files this is. */
volatile __u32 run_round = 0;

#define S_IFMT 0170000
#define S_IFSOCK 0140000

#define ECONNRESET 104
#define ETIMEDOUT 110
#define ECONNREFUSED 111
#define EPIPE 32

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, NET_FLOWS_DEFAULT);
	__type(key, struct net_path_key);
	__type(value, struct net_path);
} paths SEC(".maps");

/* Sockets that have ended. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ended SEC(".maps");

/* What no room was for. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct net_path);
} other SEC(".maps");

static __always_inline void count_path(struct __sk_buff *skb, __u64 cookie, int way, const struct size *n)
{
	struct net_path_key key = { .cookie = cookie };
	struct net_path empty = {}, *path;
	__u32 zero = 0;

	if (cfg_by_iface)
		key.ifindex = skb->ifindex;
	if (cfg_by_peer)
		set_peer(&key, skb, way);
	if (cfg_by_peer && skb->protocol == __builtin_bswap16(ETH_P_IP) && skb->sk && skb->sk->family == AF_INET6) {
		key.peer_addr[3] = key.peer_addr[0]; /* ::ffff:10.0.0.1 */
		key.peer_addr[2] = __builtin_bswap32(0xffff);
		key.peer_addr[0] = 0;
	}
	path = bpf_map_lookup_elem(&paths, &key);
	if (!path) {
		bpf_map_update_elem(&paths, &key, &empty, BPF_NOEXIST);
		path = bpf_map_lookup_elem(&paths, &key);
	}
	if (!path) {
		loss_count(LOSS_KEYS_FULL);
		path = bpf_map_lookup_elem(&other, &zero);
	}
	if (path)
		count(&path->ways[way], n);
}

/* The last packet that a listening socket got; and of its TCP header ports, numbers, flags and window. */
struct heard {
	__u64 skb;
	__u64 tcp[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct heard);
} heard SEC(".maps");

#define EARLY_PACKETS 64 /* of a connection, which may overtake what ends its handshake */

/*
 * What ends a handshake comes to the listening socket. Where another CPU has just made the connection for a later packet, it comes to the
 * connection, too: tcp_v4_rcv(), req_stolen, "Try to feed this packet to this socket instead of discarding it".
 */
static __always_inline int is_heard_again(struct __sk_buff *skb, const struct net_flow *f)
{
	int listens = skb->sk && skb->sk->state == TCP_LISTEN;
	__u64 tcp[2] = {};
	struct heard *last;
	__u8 protocol = 0;
	__u32 zero = 0;

	if (!f || (!listens && f->ways[NET_RX].packets >= EARLY_PACKETS))
		return 0;
	last = bpf_map_lookup_elem(&heard, &zero);
	if (!last || (!listens && last->skb != (__u64)skb))
		return 0;
	bpf_skb_load_bytes(skb, headers(skb, &protocol), tcp, sizeof(tcp));
	if (!listens)
		return last->tcp[0] == tcp[0] && last->tcp[1] == tcp[1];
	last->skb = (__u64)skb;
	last->tcp[0] = tcp[0];
	last->tcp[1] = tcp[1];
	return 0;
}

static __always_inline int count_packet(struct __sk_buff *skb, int way)
{
	struct net_path *full;
	struct net_flow *f;
	__u32 zero = 0;
	struct size n;
	__u64 cookie;

	if (!run_armed)
		return 1;
	n.ip_bytes = skb->len;
	n.bytes = payload(skb);
	n.packets = skb->gso_segs;
	if (!n.packets) /* also of what a host put together for its guest, which has a size only */
		n.packets = skb->gso_size ? (n.bytes + skb->gso_size - 1) / skb->gso_size : 1;
	if (!n.packets)
		n.packets = 1;
	cookie = bpf_get_socket_cookie(skb); /* whole sockets only come here: those that wait for time to pass have no cgroup */
	f = bpf_map_lookup_elem(&flows, &cookie);
	if (!f || !f->first_ns)
		f = meet(skb, cookie);
	if (way == NET_RX && is_heard_again(skb, f))
		return 1;
	if (f) {
		count(&f->ways[way], &n);
		if (f->is_finished)
			follow_closed(skb, cookie);
		if (cfg_by_iface || cfg_by_peer)
			count_path(skb, cookie, way, &n);
		return 1;
	}
	loss_count(LOSS_KEYS_FULL);
	full = bpf_map_lookup_elem(&other, &zero);
	if (full)
		count(&full->ways[way], &n);
	return 1;
}

SEC("cgroup_skb/egress")
int net_egress(struct __sk_buff *skb)
{
	return count_packet(skb, NET_TX);
}

SEC("cgroup_skb/ingress")
int net_ingress(struct __sk_buff *skb)
{
	return count_packet(skb, NET_RX);
}

#define MSG_PEEK 2

static __always_inline int use_typed(__u64 *ctx, enum net_way way)
{
	struct sock *sk = (void *)ctx[0];
	__u32 family = sk->__sk_common.skc_family;
	struct call call = { .way = way, .bytes = ctx[1] };

	/* Who got nothing did not use it: several may wait for what one gets */
	if (run_armed && (int)ctx[1] >= 0 && (family == AF_INET || family == AF_INET6) && !(way == NET_RX && ctx[2] & MSG_PEEK))
		use(ctx, sk->__sk_common.skc_cookie.counter, bpf_get_current_task_btf(), &call);
	return 0;
}

/* 6.3, 6e6eda44b939 "sock: add tracepoint for send recv length" */
SEC("?tp_btf/sock_send_length")
int net_sent(__u64 *ctx)
{
	return use_typed(ctx, NET_TX);
}

SEC("?tp_btf/sock_recv_length")
int net_received(__u64 *ctx)
{
	return use_typed(ctx, NET_RX);
}

static __always_inline int use_called(struct pt_regs *ctx, int before_send)
{
	struct socket *sock = (void *)PT_REGS_PARM1(ctx);
	struct sock *sk = BPF_CORE_READ(sock, sk);
	struct call call = { .before_send = before_send };

	if (run_armed && sk)
		use(ctx, BPF_CORE_READ(sk, __sk_common.skc_cookie.counter), NULL, &call);
	return 0;
}

/* Where these are not: what every socket of IP is called by. */
SEC("?kprobe")
int net_send_call(struct pt_regs *ctx)
{
	return use_called(ctx, 1);
}

SEC("?kprobe")
int net_receive_call(struct pt_regs *ctx)
{
	return use_called(ctx, 0);
}

/* A socket's last record; one that there is no room for stays, and is found there. */
static __always_inline void bury(void *ctx, struct net_flow *f, __u64 cookie)
{
	__u64 wake = ring_wake(&ended, 0, RING_WAKE_FULL);

	report(ctx, NET_CLOSE, f, 0, 0);
	if (cfg_events) {
		bpf_map_delete_elem(&flows, &cookie);
		return;
	}
	f->is_dead = 1;
	f->time_ns = bpf_ktime_get_ns();
	if (!bpf_ringbuf_output(&ended, f, sizeof(*f), wake))
		bpf_map_delete_elem(&flows, &cookie);
}

/* Who makes a socket owns it, until somebody else uses it. */
SEC("cgroup/sock_create")
int net_create(struct bpf_sock *sk)
{
	__u64 cookie;
	struct net_flow *f;
	struct task_struct *t;
	int is_new = 0;

	if (!run_armed)
		return 1;
	cookie = bpf_get_socket_cookie(sk);
	t = (void *)bpf_get_current_task();
	f = make(cookie, &is_new);
	if (f && is_new && !(BPF_CORE_READ(t, flags) & PF_KTHREAD))
		set_owner(f, t, filter_task(t));
	return 1;
}

/* The last process that had it open closes it. TCP goes on without it. */
SEC("cgroup/sock_release")
int net_release(struct bpf_sock *sk)
{
	__u64 cookie;
	struct net_flow *f;
	struct task_struct *t;

	if (!run_armed)
		return 1;
	cookie = bpf_get_socket_cookie(sk);
	f = bpf_map_lookup_elem(&flows, &cookie);
	if (!f)
		return 1;
	t = (void *)bpf_get_current_task();
	if (!f->owner.tgid && !(BPF_CORE_READ(t, flags) & PF_KTHREAD))
		set_owner(f, t, filter_task(t));
	if (!f->first_ns)
		bpf_map_delete_elem(&flows, &cookie); /* without a packet */
	else if (!f->is_tcp)
		bury(NULL, f, cookie);
	return 1;
}

SEC("tp_btf/tcp_destroy_sock")
int net_destroy(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	__u64 cookie = sk->__sk_common.skc_cookie.counter;
	struct net_flow *f;

	if (!run_armed)
		return 0;
	f = bpf_map_lookup_elem(&flows, &cookie);
	if (!f)
		return 0;
	refresh_tcp(f, sk);
	bury(ctx, f, cookie);
	return 0;
}

static __always_inline __u32 end_of(__u32 was, __u32 state, int error)
{
	if (state == TCP_FIN_WAIT1 && was == TCP_ESTABLISHED)
		return NET_CLOSED_HERE;
	if (state == TCP_CLOSE_WAIT)
		return NET_CLOSED_THERE;
	if (state != TCP_CLOSE)
		return NET_OPEN;
	if (error == ETIMEDOUT)
		return NET_TIMED_OUT;
	if (error == ECONNREFUSED)
		return NET_REFUSED;
	if (error == ECONNRESET || error == EPIPE)
		return NET_RESET;
	return was == TCP_ESTABLISHED || was == TCP_SYN_SENT || was == TCP_CLOSE_WAIT ? NET_ABORTED : NET_OPEN;
}

SEC("tp_btf/inet_sock_set_state")
int net_state(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	__u64 cookie = sk->__sk_common.skc_cookie.counter;
	__u32 was = ctx[1], state = ctx[2], end;
	struct net_flow *f;

	if (!run_armed)
		return 0;
	f = cookie ? bpf_map_lookup_elem(&flows, &cookie) : NULL;
	if (!f)
		return 0;
	end = end_of(was, state, sk->sk_err);
	f->state = state;
	if (state == TCP_SYN_SENT) {
		f->is_active = 1;
		if (f->first_ns)
			connect_anew(f);
	} else if (f->is_tcp && was != TCP_CLOSE) {
		f->is_finished |= TCP_FINISHED >> was & 1; /* where the kernel skipped the look at that */
		read_tcp(&f->tcp, f, sk); /* before it is closed, which may forget it */
	}
	/* Who closes first is reported once; that it went wrong afterwards is one more report */
	if (state == TCP_FIN_WAIT1 || state == TCP_LAST_ACK)
		f->is_finished = 1;
	if (end && (f->end == NET_OPEN || end >= NET_RESET))
		f->end = end;
	if (was == TCP_SYN_SENT && (state == TCP_ESTABLISHED || state == TCP_CLOSE))
		report(ctx, NET_CONNECT, f, 0, 0);
	return 0;
}

SEC("?tp_btf/tcp_retransmit_skb")
int net_retransmit(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	__u64 cookie = sk->__sk_common.skc_cookie.counter;
	struct net_flow *f;

	if (!run_armed)
		return 0;
	f = cookie ? bpf_map_lookup_elem(&flows, &cookie) : NULL;
	report(ctx, NET_RETRANSMIT, f, 0, 0);
	return 0;
}

/* Who has sockets open, and what TCP knows now: of each table of files once a round. */
SEC("iter/task_file")
int net_files(struct bpf_iter__task_file *ctx)
{
	struct task_struct *t = ctx->task;
	struct file *file = ctx->file;
	struct socket *sock;
	struct net_flow *f;
	struct sock *sk;
	__u64 cookie;
	__u32 tgid;

	if (!t || !file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return 0;
	sock = BPF_CORE_READ(file, private_data); /* none: opened as a path */
	sk = sock ? BPF_CORE_READ(sock, sk) : NULL;
	cookie = sk ? BPF_CORE_READ(sk, __sk_common.skc_cookie.counter) : 0;
	f = cookie ? bpf_map_lookup_elem(&flows, &cookie) : NULL;
	if (!f)
		return 0;
	if (f->round != run_round) {
		f->round = run_round;
		f->holders = f->holder = 0;
	}
	/* Descriptors of a process follow each other */
	tgid = BPF_CORE_READ(t, tgid);
	if (f->holder != tgid)
		f->holders++;
	f->holder = tgid;
	if (!f->owner.tgid)
		set_owner(f, t, filter_task(t));
	refresh_tcp(f, sk);
	return 0;
}
