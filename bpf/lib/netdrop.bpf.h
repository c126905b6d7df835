/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets that the kernel drops: for which reason, and of which socket. */
#ifndef SKEP_NETDROP_BPF_H
#define SKEP_NETDROP_BPF_H

#include "bpf/net.h"
#include "lib/netflow.bpf.h"
#include "lib/netpacket.bpf.h"

const volatile __u32 cfg_drop_args = 4; /* of kfree_skb: 5.17 adds the reason, 6.10 the socket */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, NET_DROPS_MAX);
	__type(key, struct net_drop_key);
	__type(value, struct net_drop);
} drops SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct net_dropped_last);
} last_drop SEC(".maps");

static __always_inline void add_drop(const struct net_drop_key *key, __u64 packets, __u64 bytes)
{
	struct net_drop empty = {}, *drop = bpf_map_lookup_elem(&drops, key);

	if (!drop) {
		bpf_map_update_elem(&drops, key, &empty, BPF_NOEXIST);
		drop = bpf_map_lookup_elem(&drops, key);
	}
	if (!drop) {
		loss_count(LOSS_KEYS_FULL);
		return;
	}
	__sync_fetch_and_add(&drop->packets, packets);
	__sync_fetch_and_add(&drop->bytes, bytes);
}

SEC("tp_btf/kfree_skb")
int net_drop(__u64 *ctx)
{
	struct sk_buff *skb = (void *)ctx[0];
	__u32 protocol = skb->protocol, bytes = skb->len, zero = 0;
	struct net_dropped_last *last;
	struct net_drop_key key = {};
	struct net_flow *f;
	struct sock *sk;

	if (!run_armed || (protocol != __builtin_bswap16(ETH_P_IP) && protocol != __builtin_bswap16(ETH_P_IPV6)))
		return 0;
	if (cfg_drop_args >= 3)
		key.reason = (__u32)ctx[2];
	else
		key.place = ctx[1];
	sk = skb->sk;
	if (cfg_drop_args >= 4 && ctx[3])
		sk = (void *)ctx[3];
	if (sk)
		key.cookie = BPF_CORE_READ(sk, __sk_common.skc_cookie.counter);
	f = key.cookie ? bpf_map_lookup_elem(&flows, &key.cookie) : NULL;
	if (!f)
		key.cookie = 0;
	report(ctx, NET_DROP, f, key.reason, key.place);
	if (cfg_events)
		return 0;
	add_drop(&key, 1, bytes);
	last = cfg_drop_args < 4 && !f ? bpf_map_lookup_elem(&last_drop, &zero) : NULL;
	if (last)
		*last = (struct net_dropped_last){ key.place, key.reason, bytes };
	return 0;
}

/* Before 6.10 a dropped packet does not name the socket that had no room for it; but UDP does right after. */
SEC("?tp_btf/udp_fail_queue_rcv_skb")
int net_udp_full(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[1];
	struct net_drop_key key = {};
	struct net_dropped_last *last;
	__u32 zero = 0;

	last = bpf_map_lookup_elem(&last_drop, &zero);
	if (!run_armed || !last || !last->bytes)
		return 0;
	key.place = last->place;
	key.reason = last->reason;
	add_drop(&key, -1, -(__u64)last->bytes);
	key.cookie = sk->__sk_common.skc_cookie.counter;
	if (!bpf_map_lookup_elem(&flows, &key.cookie))
		key.cookie = 0;
	add_drop(&key, 1, last->bytes);
	last->bytes = 0;
	return 0;
}

#endif
