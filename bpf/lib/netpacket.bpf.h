/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What one packet is, at the IP layer: its bytes, with and without headers, and its other end. */
#ifndef SKEP_NETPACKET_BPF_H
#define SKEP_NETPACKET_BPF_H

#include "bpf/net.h"

#define IPPROTO_ICMPV6 58
#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd

#define WHOLE_MAX 65536 /* GSO_LEGACY_MAX_SIZE: what is longer is cut before the interface */

/* What one packet adds. */
struct size {
	__u32 ip_bytes, bytes, packets;
};

static __always_inline void count(struct net_count *c, const struct size *n)
{
	__u32 headers = n->ip_bytes - n->bytes, more = (n->packets - 1) * headers;

	__sync_fetch_and_add(&c->packets, n->packets);
	__sync_fetch_and_add(&c->ip_bytes, n->ip_bytes + more);
	__sync_fetch_and_add(&c->bytes, n->bytes);
	if (more && n->ip_bytes <= WHOLE_MAX) {
		__sync_fetch_and_add(&c->fewer_packets, n->packets - 1);
		__sync_fetch_and_add(&c->fewer_bytes, more);
	}
}

/* Behind a packet's headers. What is not in one piece is the larger part of what is read here, never a header. */
static __always_inline __u32 headers_v4(const void *data, const void *end, __u8 *ret_protocol)
{
	const __u8 *ip = data;

	if (data + 20 > end)
		return 20;
	*ret_protocol = ip[9];
	return (ip[0] & 0xf) * 4;
}

#define IPV6_HOPOPTS 0
#define IPV6_ROUTING 43
#define IPV6_FRAGMENT 44
#define IPV6_DSTOPTS 60
#define IPV6_HEADERS_MAX 4

static __always_inline __u32 headers_v6(const void *data, const void *end, __u8 *ret_protocol)
{
	__u32 at = 40;
	__u8 next;

	if (data + 40 > end)
		return at;
	next = ((const __u8 *)data)[6];
	for (int i = 0; i < IPV6_HEADERS_MAX; i++) {
		const __u8 *h = data + at;

		if (next != IPV6_HOPOPTS && next != IPV6_ROUTING && next != IPV6_DSTOPTS && next != IPV6_FRAGMENT)
			break;
		if ((const void *)h + 8 > end)
			break;
		at += next == IPV6_FRAGMENT ? 8 : (h[1] + 1) * 8;
		next = h[0];
	}
	*ret_protocol = next;
	return at;
}

static __always_inline __u32 headers(struct __sk_buff *skb, __u8 *ret_protocol)
{
	const void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;

	return skb->protocol == __builtin_bswap16(ETH_P_IP) ? headers_v4(data, end, ret_protocol) : headers_v6(data, end, ret_protocol);
}

static __always_inline __u32 payload(struct __sk_buff *skb)
{
	const void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
	__u8 protocol = 0;
	__u32 at = headers(skb, &protocol), l4 = 0;
	const __u8 *tcp;

	if (protocol == IPPROTO_TCP) {
		tcp = data + at;
		l4 = (const void *)tcp + 20 > end ? 20 : (tcp[12] >> 4) * 4;
	} else if (protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE || protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6) {
		l4 = 8;
	}
	return skb->len > at + l4 ? skb->len - at - l4 : 0;
}

static __always_inline void set_peer(struct net_path_key *key, struct __sk_buff *skb, int way)
{
	__u32 v4 = skb->protocol == __builtin_bswap16(ETH_P_IP), at = v4 ? (way == NET_TX ? 16 : 12) : way == NET_TX ? 24 : 8;
	__u8 first = 0, next = 0;
	__be16 port = 0;

	if (v4) {
		bpf_skb_load_bytes(skb, at, key->peer_addr, 4);
		bpf_skb_load_bytes(skb, 0, &first, 1);
		bpf_skb_load_bytes(skb, 9, &next, 1);
		at = (first & 0xf) * 4;
	} else {
		bpf_skb_load_bytes(skb, at, key->peer_addr, 16);
		bpf_skb_load_bytes(skb, 6, &next, 1);
		at = 40;
	}
	if (!cfg_by_port)
		return;
	if (next == IPPROTO_TCP || next == IPPROTO_UDP || next == IPPROTO_UDPLITE)
		bpf_skb_load_bytes(skb, at + (way == NET_TX ? 2 : 0), &port, 2);
	key->peer_port = __builtin_bswap16(port);
}

#endif
