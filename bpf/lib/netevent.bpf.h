/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happens to sockets, one by one. */
#ifndef SKEP_NETEVENT_BPF_H
#define SKEP_NETEVENT_BPF_H

#include "bpf/net.h"
#include "lib/emit.bpf.h"

const volatile __u32 cfg_events = 1;
const volatile __u32 cfg_stacks = 1;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

static __always_inline void fill_event(void *ctx, struct net_event *e, enum net_event_what what, const struct net_flow *f, __u32 reason,
				       __u64 place)
{
	long bytes = 0;

	__builtin_memset(e, 0, offsetof(struct net_event, ips));
	e->time_ns = bpf_ktime_get_ns();
	e->what = what;
	e->reason = reason;
	e->place = place;
	if (f) {
		e->first_ns = f->first_ns;
		e->sent = f->tcp.sent - f->before.sent;
		e->received = f->tcp.received - f->before.received;
		e->owner = f->owner;
		e->family = f->family;
		e->port = f->port;
		e->peer_port = f->peer_port;
		e->protocol = f->protocol;
		e->state = f->state;
		e->end = f->end;
		__builtin_memcpy(e->addr, f->addr, sizeof(e->addr));
		__builtin_memcpy(e->peer_addr, f->peer_addr, sizeof(e->peer_addr));
	}
	if (cfg_stacks && ctx)
		bytes = bpf_get_stack(ctx, e->ips, sizeof(e->ips), 0);
	e->nr_ips = bytes > 0 ? bytes / sizeof(__u64) : 0;
}

/* f NULL: of no socket that is known. ctx NULL: a program that may not walk the stack. */
static __always_inline void report(void *ctx, enum net_event_what what, const struct net_flow *f, __u32 reason, __u64 place)
{
	struct net_event *e;

	if (!cfg_events)
		return;
	loss_count(COUNT_SEEN);
	RING_EMIT(e, &events, sizeof(*e), ring_wake(&events, e->time_ns, RING_WAKE_EACH))
		fill_event(ctx, e, what, f, reason, place);
}

#endif
