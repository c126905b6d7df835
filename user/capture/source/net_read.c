/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets that have ended come through a ring, as they end; those that live are read from the maps. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/iter.h"
#include "capture/load.h"
#include "capture/source/net_parts.h"
#include "types/btf.h"
#include "util/clock.h"
#include "util/num.h"

#define SYMBOL_BYTES 512
#define REASON_PREFIX "SKB_DROP_REASON_"

static void count_less(struct net_count *c, const struct net_count *before)
{
	c->packets = num_grown(c->packets, before->packets);
	c->ip_bytes = num_grown(c->ip_bytes, before->ip_bytes);
	c->bytes = num_grown(c->bytes, before->bytes);
	c->fewer_packets = num_grown(c->fewer_packets, before->fewer_packets);
	c->fewer_bytes = num_grown(c->fewer_bytes, before->fewer_bytes);
}

static void count_add(struct net_count *c, const struct net_count *more)
{
	c->packets += more->packets;
	c->ip_bytes += more->ip_bytes;
	c->bytes += more->bytes;
	c->fewer_packets += more->fewer_packets;
	c->fewer_bytes += more->fewer_bytes;
}

static void set_peer(struct net_sample *s, const struct net_flow *f)
{
	s->netns = f->netns;
	s->peer_addr = f->peer_addr;
	s->peer_port = f->peer_port;
}

/* Calls each() for what is in a map, while programs change it: an entry may be passed twice. 0, or what each() returned. */
static int walk(struct src_net *src, const struct bpf_map *map, int (*each)(struct src_net *src, const void *key, const void *value))
{
	size_t key_size = bpf_map__key_size(map);
	char *room = calloc(1, 2 * key_size + bpf_map__value_size(map)), *key = room, *value = room + 2 * key_size, *prev = NULL;
	int fd = bpf_map__fd(map), ret = 0;

	if (!room)
		return -ENOMEM;
	while (!ret && !bpf_map_get_next_key(fd, prev, key)) {
		if (!bpf_map_lookup_elem(fd, key, value))
			ret = each(src, key, value);
		prev = room + key_size;
		memcpy(prev, key, key_size);
	}
	free(room);
	return ret;
}

/* To rows of what is new, or, of connections, to one each. */
static int send_sample(struct src_net *src, const struct net_sample *s)
{
	if (!src->cfg->connections)
		return net_rows_add(&src->rows, s);
	if (!s->flow || !(src->cfg->is_whole || s->owner->is_target))
		return 0;
	return net_conn_row(s, src->start_ns, now_ns(), src->sink);
}

static int by_cookie(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b; /* each begins with its cookie */

	return *x < *y ? -1 : *x > *y;
}

static int keep_part(struct src_net *src, const void *key, const void *value)
{
	struct part *p = vec_take(&src->parts, 1);

	if (!p)
		return -ENOMEM;
	memcpy(&p->key, key, sizeof(p->key));
	memcpy(&p->part, value, sizeof(p->part));
	return 0;
}

/* What others had before it; what the owner itself had, before others, is added to *own. */
static int deliver_parts(struct src_net *src, const struct net_flow *f, struct net_sample *own)
{
	size_t at = 0, end = src->parts.n;
	int ret = 0;

	while (at < end) {
		size_t mid = (at + end) / 2;

		if (src->parts.data[mid].key.cookie < f->cookie)
			at = mid + 1;
		else
			end = mid;
	}
	for (; at < src->parts.n && src->parts.data[at].key.cookie == f->cookie && !ret; at++) {
		const struct part *p = &src->parts.data[at];
		struct net_sample s = *own;

		if (p->key.owner == f->owner.id) {
			for (int way = 0; way < NET_WAYS; way++)
				count_add(&own->ways[way], &p->part.ways[way]);
			own->retransmits += p->part.retransmits;
		} else {
			s.owner = &p->part.owner;
			s.retransmits = p->part.retransmits;
			s.rtt_us = 0;
			memcpy(s.ways, p->part.ways, sizeof(s.ways));
			ret = send_sample(src, &s);
		}
		if (own->is_last)
			bpf_map_delete_elem(bpf_map__fd(src->skel->maps.parts), &p->key);
	}
	return ret;
}

/* Of all owners, and of this one: what is TCP's own sum counts bytes once, also where they went twice. */
static void flow_sums(struct net_sample *s, const struct net_flow *f)
{
	memcpy(s->total, f->ways, sizeof(s->total));
	if (f->is_tcp) {
		s->total[NET_TX].bytes = f->tcp.sent - f->before.sent;
		s->total[NET_RX].bytes = f->tcp.received - f->before.received;
		s->retransmits = f->tcp.retransmits - f->before.retransmits - f->others_retransmits;
		s->rtt_us = f->tcp.rtt_us;
	}
	memcpy(s->ways, s->total, sizeof(s->ways));
	for (int way = 0; way < NET_WAYS; way++)
		count_less(&s->ways[way], &f->others[way]);
}

/* Where paths are keys, packets are theirs, and the rest is this one's. */
static int deliver_flow(struct src_net *src, const struct net_flow *f)
{
	struct net_sample s = { .flow = f, .owner = &f->owner, .is_last = f->is_dead };
	int ret = 0;

	if (!f->first_ns) /* no packet yet */
		return 0;
	s.holders = f->round && f->round == src->skel->bss->run_round ? f->holders : 0;
	set_peer(&s, f);
	flow_sums(&s, f);
	if (net_is_path(src->cfg))
		memset(s.ways, 0, sizeof(s.ways));
	else if (f->is_changed)
		ret = deliver_parts(src, f, &s);
	if (net_by_iface(src->cfg) && src->devs)
		s.iface = netdevs_name(src->devs, f->netns, f->ifindex);
	return ret ? ret : send_sample(src, &s);
}

/* The ring had no room for its last record. */
static int deliver_live(struct src_net *src, const void *key, const void *value)
{
	const struct net_flow *f = value;

	if (f->is_dead) {
		if (vec_reserve(&src->left))
			return -ENOMEM;
		memcpy(&src->left.data[src->left.n++], key, sizeof(*src->left.data));
	}
	return deliver_flow(src, f);
}

/* The socket of a path: one that has ended since the last look, or lives. */
static const struct net_flow *flow_of(struct src_net *src, const uint64_t *cookie, struct net_flow *live, bool *ret_is_ended)
{
	size_t low = 0, high = src->ended.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (src->ended.data[mid].cookie < *cookie)
			low = mid + 1;
		else
			high = mid;
	}
	*ret_is_ended = low < src->ended.n && src->ended.data[low].cookie == *cookie;
	if (*ret_is_ended)
		return &src->ended.data[low];
	return bpf_map_lookup_elem(bpf_map__fd(src->skel->maps.flows), cookie, live) ? NULL : live;
}

static int deliver_path(struct src_net *src, const void *key, const void *value)
{
	const struct net_path *path = value;
	struct net_path_key k;
	struct net_flow live;
	bool is_ended;
	const struct net_flow *f;
	uint64_t cookie;

	memcpy(&k, key, sizeof(k));
	cookie = k.cookie;
	f = flow_of(src, &cookie, &live, &is_ended);
	if (!f || !(is_ended || src->is_all))
		return 0;
	if (is_ended) {
		if (vec_reserve(&src->gone))
			return -ENOMEM;
		src->gone.data[src->gone.n++] = k;
	}
	struct net_sample s = { .flow = f, .owner = &f->owner, .netns = f->netns, .peer_addr = k.peer_addr, .peer_port = k.peer_port,
				.is_path = true, .is_last = is_ended };

	memcpy(s.ways, path->ways, sizeof(s.ways));
	if (!net_by_peer(src->cfg))
		set_peer(&s, f);
	if (f->is_tcp)
		s.rtt_us = f->tcp.rtt_us;
	if (k.ifindex && src->devs)
		s.iface = netdevs_name(src->devs, f->netns, k.ifindex);
	return send_sample(src, &s);
}

/* NULL: a kernel without reasons, which names the place. Valid until the next call. */
static const char *reason_name(struct src_net *src, uint64_t place, uint32_t reason)
{
	const char *name;

	if (place)
		return NULL;
	if (src->reason[0] && src->reason_code == reason)
		return src->reason;
	name = btf_enum_name(object_kernel_types(), "skb_drop_reason", reason);
	if (name && !strncmp(name, REASON_PREFIX, strlen(REASON_PREFIX)))
		name += strlen(REASON_PREFIX);
	if (name)
		snprintf(src->reason, sizeof(src->reason), "%s", name);
	else
		snprintf(src->reason, sizeof(src->reason), "%#x", reason);
	src->reason_code = reason;
	return src->reason;
}

static int deliver_drop(struct src_net *src, const void *key, const void *value)
{
	const struct net_drop *d = value;
	struct net_drop_key k;
	struct net_dropped s = { .packets = d->packets };
	char place[SYMBOL_BYTES];
	struct net_flow live;
	uint64_t cookie;

	memcpy(&k, key, sizeof(k));
	cookie = k.cookie;
	s.flow = cookie ? flow_of(src, &cookie, &live, &s.is_last) : NULL;
	if (s.is_last) {
		if (vec_reserve(&src->gone_drops))
			return -ENOMEM;
		src->gone_drops.data[src->gone_drops.n++] = k;
	} else if (!src->is_all) {
		return 0;
	}
	s.place = k.place;
	s.code = k.reason;
	s.reason = reason_name(src, k.place, k.reason);
	if (!s.reason && src->cfg->names.name(src->cfg->names.arg, k.place, place, sizeof(place)))
		snprintf(place, sizeof(place), "%#llx", (unsigned long long)k.place);
	if (!s.reason)
		s.reason = place;
	return net_rows_add_dropped(&src->rows, &s);
}

static int keep_ended(void *arg, const void *record, size_t size)
{
	struct src_net *src = arg;
	struct net_flow *f = size >= sizeof(*f) ? vec_take(&src->ended, 1) : NULL;

	if (!f)
		return size >= sizeof(*f) ? -ENOMEM : 0;
	memcpy(f, record, sizeof(*f));
	return 0;
}

static int compare_flows(const void *a, const void *b)
{
	const struct net_flow *x = a, *y = b;

	return by_cookie(&x->cookie, &y->cookie);
}

/* Sockets that have ended, with their paths; all paths at the end. */
static int deliver_ended(struct src_net *src, bool all)
{
	int ret = rings_collect(&src->rings);

	src->ended.n = src->parts.n = src->gone.n = src->gone_drops.n = 0;
	src->is_all = all;
	if (!ret)
		ret = rings_deliver(&src->rings, keep_ended, src);
	if (!ret && (all || src->ended.n))
		ret = walk(src, src->skel->maps.parts, keep_part);
	if (ret)
		return ret;
	if (src->parts.n)
		qsort(src->parts.data, src->parts.n, sizeof(*src->parts.data), by_cookie);
	if (src->ended.n)
		qsort(src->ended.data, src->ended.n, sizeof(*src->ended.data), compare_flows);
	if (net_is_path(src->cfg) && (all || src->ended.n))
		ret = walk(src, src->skel->maps.paths, deliver_path);
	if (!ret && (all || src->ended.n) && !src->cfg->connections)
		ret = walk(src, src->skel->maps.drops, deliver_drop);
	for (size_t i = 0; i < src->ended.n && !ret; i++)
		ret = deliver_flow(src, &src->ended.data[i]);
	for (size_t i = 0; i < src->gone.n; i++)
		bpf_map_delete_elem(bpf_map__fd(src->skel->maps.paths), &src->gone.data[i]);
	for (size_t i = 0; i < src->gone_drops.n; i++)
		bpf_map_delete_elem(bpf_map__fd(src->skel->maps.drops), &src->gone_drops.data[i]);
	return ret;
}

static int deliver_event(void *arg, const void *record, size_t size)
{
	struct src_net *src = arg;
	const struct net_event *e = record;

	if (size < sizeof(*e))
		return 0;
	if (!src->cfg->is_whole && !e->owner.is_target)
		return 0;
	return net_event_row(e, e->what == NET_DROP ? reason_name(src, e->place, e->reason) : NULL, src->start_ns, &src->cfg->names, src->sink);
}

/* Events have their own ring; else what has ended is taken before its ring is full. */
int net_drain(struct source *source, struct sink *sink)
{
	struct src_net *src = (struct src_net *)source;

	src->sink = src->rows.sink = sink;
	if (!src->cfg->events)
		return deliver_ended(src, false);
	return rings_drain(&src->events, UINT64_MAX, deliver_event, src);
}

static int deliver_device(void *arg, const struct netdev *dev)
{
	struct src_net *src = arg;
	struct net_device d = { .netns = dev->netns, .iface = dev->name };

	memcpy(d.packets, dev->packets, sizeof(d.packets));
	memcpy(d.bytes, dev->bytes, sizeof(d.bytes));
	return net_rows_add_device(&src->rows, &d);
}

/* What no room was for, of all CPUs. */
static int deliver_other(struct src_net *src)
{
	struct net_path *per_cpu = calloc(src->cpus, sizeof(*per_cpu));
	struct net_sample s = { 0 };
	__u32 zero = 0;
	int ret = 0;

	if (!per_cpu)
		return -ENOMEM;
	if (!bpf_map_lookup_elem(bpf_map__fd(src->skel->maps.other), &zero, per_cpu))
		for (int cpu = 0; cpu < src->cpus; cpu++)
			for (int way = 0; way < NET_WAYS; way++)
				count_add(&s.ways[way], &per_cpu[cpu].ways[way]);
	free(per_cpu);
	if (s.ways[NET_TX].packets || s.ways[NET_RX].packets)
		ret = send_sample(src, &s);
	return ret;
}

/* Open files show whose sockets are that no call used; the interfaces come last: they count what came meanwhile. */
int net_snapshot(struct source *source, struct sink *sink)
{
	struct src_net *src = (struct src_net *)source;
	int ret;

	src->sink = src->rows.sink = sink;
	if (src->cfg->events)
		return rings_drain(&src->events, UINT64_MAX, deliver_event, src);
	src->skel->bss->run_round++;
	if (net_by_iface(src->cfg) && src->devs && (ret = netdevs_look(src->devs)))
		return ret;
	ret = iter_read(src->skel->progs.net_files, 1, NULL, NULL);
	if (!ret)
		ret = deliver_ended(src, true);
	src->left.n = 0;
	if (!ret)
		ret = walk(src, src->skel->maps.flows, deliver_live);
	for (size_t i = 0; i < src->left.n; i++)
		bpf_map_delete_elem(bpf_map__fd(src->skel->maps.flows), &src->left.data[i]);
	if (!ret)
		ret = deliver_other(src);
	if (!ret && src->devs && !src->cfg->connections)
		ret = netdevs_read(src->devs, deliver_device, src);
	return ret ? ret : net_rows_end(&src->rows);
}

