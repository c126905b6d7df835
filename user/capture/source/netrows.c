/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was delivered of a sample is kept while more of it may come: as many as sockets live. */
#include "capture/source/netrows.h"

#include <errno.h>
#include <string.h>

#include "capture/source/netname.h"
#include "util/hash.h"
#include "util/num.h"

#define BIT(column) (1ull << (column))
#define OF_PROCESS (BIT(NET_COL_COMM) | BIT(NET_COL_PID) | BIT(NET_COL_USER) | BIT(NET_COL_CGROUP) | BIT(NET_COL_START))
#define ALL_KEYS (BIT(NET_KEYS) - 1)

static const struct column columns[NET_COLUMNS] = {
	[NET_COL_COMM] = { "comm", "comm", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[NET_COL_PID] = { "pid", "pid", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
	[NET_COL_USER] = { "user", "user", NULL, VALUE_USER, ROLE_KEY, .in = IN_ALL },
	[NET_COL_CGROUP] = { "cgroup", "cgroup", NULL, VALUE_CGROUP, ROLE_KEY, .in = IN_ALL },
	[NET_COL_PROTO] = { "proto", "proto", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[NET_COL_LPORT] = { "lport", "lport", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
	[NET_COL_REMOTE] = { "remote", "remote", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[NET_COL_RPORT] = { "rport", "rport", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
	[NET_COL_IFACE] = { "iface", "iface", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[NET_COL_NETNS] = { "netns", "netns", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
	[NET_COL_START] = { "start_ns", "start", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_JSON },
	[NET_COL_TX_PACKETS] = { "tx_packets", "tx pkts", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 9 },
	[NET_COL_TX_BYTES] = { "tx_bytes", "tx bytes", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 12 },
	[NET_COL_TX_IP_BYTES] = { "tx_ip_bytes", NULL, "sent", VALUE_NUMBER, ROLE_SUM, .in = IN_CSV | IN_JSON },
	[NET_COL_RX_PACKETS] = { "rx_packets", "rx pkts", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 9 },
	[NET_COL_RX_BYTES] = { "rx_bytes", "rx bytes", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 12 },
	[NET_COL_RX_IP_BYTES] = { "rx_ip_bytes", NULL, "received", VALUE_NUMBER, ROLE_SUM, .in = IN_CSV | IN_JSON },
	[NET_COL_TX_RATE] = { "tx_bytes_per_s", "tx/s", NULL, VALUE_RATE, ROLE_RATE, IN_ALL, 6, .of = NET_COL_TX_SECOND, .spare = 4 },
	[NET_COL_RX_RATE] = { "rx_bytes_per_s", "rx/s", NULL, VALUE_RATE, ROLE_RATE, IN_ALL, 6, .of = NET_COL_RX_SECOND, .spare = 4 },
	[NET_COL_RETRANSMITS] = { "retransmits", "retrans", "retransmits", VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7, .spare = 1 },
	[NET_COL_DROPS] = { "drops", "drops", "drops", VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 6 },
	[NET_COL_RTT] = { "rtt_ns", "rtt", NULL, VALUE_DURATION, ROLE_MEAN, IN_ALL, 6, .of = NET_COL_RTT_SUM, .per = NET_COL_RTTS, .spare = 2 },
	[NET_COL_SOCKETS] = { "sockets", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = IN_CSV | IN_JSON },
	[NET_COL_HOLDERS] = { "holders", "holders", NULL, VALUE_NUMBER, ROLE_MAX, IN_ALL, 7, .of = -1, .spare = 3 },
	[NET_COL_SHARED] = { "shared", "shared by turns", NULL, VALUE_FLAG, ROLE_MAX, IN_TEXT | IN_JSON, 0, .of = -1 },
	[NET_COL_REASONS] = { "drop_reasons", NULL, NULL, VALUE_REASONS, ROLE_REASONS, .in = IN_TEXT | IN_JSON },
	[NET_COL_BYTES] = { "bytes", NULL, "bytes", VALUE_NUMBER, ROLE_SUM, .in = 0 },
	[NET_COL_PACKETS] = { "packets", NULL, "packets", VALUE_NUMBER, ROLE_SUM, .in = 0 },
	[NET_COL_TX_SECOND] = { "tx_second", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = 0 },
	[NET_COL_RX_SECOND] = { "rx_second", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = 0 },
	[NET_COL_RTT_SUM] = { "rtt_sum", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = 0 },
	[NET_COL_RTTS] = { "rtts", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = 0 },
};
const struct schema net_schema = { columns, NET_COLUMNS, -1, .sort = NET_COL_BYTES };

uint64_t net_keys(uint64_t wanted)
{
	if (wanted & BIT(NET_COL_PID))
		wanted |= BIT(NET_COL_START);
	return wanted & BIT(NET_COL_IFACE) ? wanted | BIT(NET_COL_NETNS) : wanted; /* every namespace has its lo */
}

const char *const net_labels[NET_RANKS] = { NULL, "(kernel)", "(no process)", "(no socket)", "(other)" };

/* Zeroed before it is filled: compared byte by byte. */
struct known_key {
	uint64_t cookie, owner; /* net_owner.id; of paths, drops and totals none */
	uint64_t place;
	const char *iface;
	uint32_t peer_addr[4];
	uint32_t peer_port, code;
	bool is_path, is_drop, is_other, is_total;
};

struct net_known {
	struct known_key key;
	struct net_count ways[NET_WAYS];
	uint64_t dropped;
	uint32_t retransmits;
};

/* Of one interface with --by iface, else of all. */
struct net_side {
	const char *iface; /* interned; NULL: all */
	uint32_t netns;
	struct net_count sockets[NET_WAYS];
	uint64_t packets[NET_WAYS], bytes[NET_WAYS]; /* of the interfaces */
	bool has_device;
};

/* A row being made. */
struct net_row {
	struct row row;
	struct value values[NET_COLUMNS];
	struct reason reasons[REASONS_MAX];
	char comm[NET_COMM_LEN], remote[NET_ENDPOINT_BYTES], proto[8];
};

int net_rows_init(struct net_rows *r, uint64_t keys, bool is_whole)
{
	*r = (struct net_rows){ .keys = keys, .is_whole = is_whole, .pool = strpool_new() };
	return r->pool ? 0 : -ENOMEM;
}

void net_rows_free(struct net_rows *r)
{
	strpool_free(r->pool);
	vec_free(&r->devices);
	vec_free(&r->sides);
	vec_free(&r->known);
	map_free(&r->known_index);
}

/* What was delivered of this one: zeroes for a new one. NULL without memory. Forgotten by the caller where no more of it comes. */
static struct net_known *known_of(struct net_rows *r, const struct known_key *key)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));
	struct net_known *known;

	map_each(i, &r->known_index, hash)
		if (!memcmp(&r->known.data[i].key, key, sizeof(*key)))
			return &r->known.data[i];
	if (vec_reserve(&r->known) || map_add(&r->known_index, hash, r->known.n))
		return NULL;
	known = &r->known.data[r->known.n++];
	memset(known, 0, sizeof(*known));
	known->key = *key;
	return known;
}

/* The last of all moves to its place. */
static void forget(struct net_rows *r, struct net_known *known)
{
	const struct net_known *last = &r->known.data[--r->known.n];

	map_remove(&r->known_index, hash_bytes(&known->key, sizeof(known->key)), known - r->known.data,
		   hash_bytes(&last->key, sizeof(last->key)));
	*known = *last;
}

static void begin_row(struct net_row *row)
{
	memset(row, 0, sizeof(*row));
	row->row = (struct row){ .schema = &net_schema, .none = ALL_KEYS };
	row->values[NET_COL_REASONS].reasons = row->reasons;
}

static void set(struct net_row *row, const struct net_rows *r, int column, struct value value)
{
	if (!(r->keys >> column & 1))
		return;
	row->values[column] = value;
	row->row.none &= ~BIT(column);
}

static void set_label(struct net_row *row, int rank)
{
	row->row.label = net_labels[rank];
	row->row.rank = rank;
}

static void set_key(struct net_row *row, const struct net_rows *r, const struct net_sample *s)
{
	const struct net_flow *f = s->flow;
	const struct net_owner *o = s->owner;

	if (!f) {
		set_label(row, NET_RANK_OTHER);
		return;
	}
	if (o && o->tgid) {
		net_comm_text(row->comm, o->comm);
		set(row, r, NET_COL_COMM, (struct value){ .text = row->comm });
		set(row, r, NET_COL_PID, (struct value){ .num = o->pid });
		set(row, r, NET_COL_START, (struct value){ .num = o->start_ns });
		set(row, r, NET_COL_USER, (struct value){ .num = o->uid });
		set(row, r, NET_COL_CGROUP, (struct value){ .num = o->cgroup });
	} else {
		set_label(row, f->is_kernel ? NET_RANK_KERNEL : NET_RANK_NOBODY);
	}
	set(row, r, NET_COL_PROTO, (struct value){ .text = net_protocol_text(row->proto, sizeof(row->proto), f->protocol) });
	set(row, r, NET_COL_LPORT, (struct value){ .num = f->port });
	if (s->peer_addr) {
		net_address_text(row->remote, sizeof(row->remote), f->family, s->peer_addr);
		set(row, r, NET_COL_REMOTE, (struct value){ .text = row->remote });
		set(row, r, NET_COL_RPORT, (struct value){ .num = s->peer_port });
	}
	if (s->iface)
		set(row, r, NET_COL_IFACE, (struct value){ .text = s->iface });
	set(row, r, NET_COL_NETNS, (struct value){ .num = s->netns });
}

static void add_count(struct net_count *to, const struct net_count *now, struct net_count *before)
{
	to->packets += num_grown(now->packets, before->packets);
	to->ip_bytes += num_grown(now->ip_bytes, before->ip_bytes);
	to->bytes += num_grown(now->bytes, before->bytes);
	to->fewer_packets += num_grown(now->fewer_packets, before->fewer_packets);
	to->fewer_bytes += num_grown(now->fewer_bytes, before->fewer_bytes);
	*before = *now;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What is new in a sample, and no more than what is new of its socket: what was delivered stays whose it was. */
static void take_new(struct net_count *ret_new, const struct net_count *now, struct net_count *known, const struct net_count *total,
		     struct net_count *known_total)
{
	struct net_count left = { 0 }, all;

	memset(ret_new, 0, sizeof(*ret_new));
	add_count(ret_new, now, known);
	if (!total)
		return;
	all = *known_total;
	add_count(&left, total, &all);
	ret_new->packets = least(ret_new->packets, left.packets);
	ret_new->ip_bytes = least(ret_new->ip_bytes, left.ip_bytes);
	ret_new->bytes = least(ret_new->bytes, left.bytes);
	known_total->packets += ret_new->packets;
	known_total->ip_bytes += ret_new->ip_bytes;
	known_total->bytes += ret_new->bytes;
	known_total->fewer_packets += ret_new->fewer_packets;
	known_total->fewer_bytes += ret_new->fewer_bytes;
}

static bool is_nothing(const struct net_count more[NET_WAYS])
{
	static const struct net_count none[NET_WAYS];

	return !memcmp(more, none, sizeof(none));
}

/* The two that hold what was delivered: of this sample, and of its socket, which NULL has none of. */
static int find_known(struct net_rows *r, const struct net_sample *s, struct net_known **ret_known, struct net_known **ret_total)
{
	struct known_key k, total;

	memset(&k, 0, sizeof(k));
	memset(&total, 0, sizeof(total));
	total.cookie = k.cookie = s->flow ? s->flow->cookie : 0;
	total.is_total = true;
	*ret_total = NULL;
	if (s->flow && !s->is_path && !known_of(r, &total))
		return -ENOMEM;
	k.owner = s->is_path || !s->owner ? 0 : s->owner->id;
	k.is_path = s->is_path;
	k.is_other = !s->flow;
	if (s->is_path) {
		k.iface = s->iface ? strpool_add(r->pool, s->iface) : NULL;
		memcpy(k.peer_addr, s->peer_addr, sizeof(k.peer_addr));
		k.peer_port = s->peer_port;
	}
	*ret_known = known_of(r, &k);
	if (!*ret_known || (s->iface && s->is_path && !k.iface))
		return -ENOMEM;
	if (s->flow && !s->is_path) /* again: the table may have moved */
		*ret_total = known_of(r, &total);
	return 0;
}

static struct net_side *side_of(struct net_rows *r, const char *iface, uint32_t netns)
{
	bool by_iface = r->keys & BIT(NET_COL_IFACE), by_netns = r->keys & BIT(NET_COL_NETNS);
	const char *name = by_iface && iface ? strpool_add(r->pool, iface) : NULL;
	struct net_side *side;

	netns = by_netns ? netns : 0;
	for (size_t i = 0; i < r->sides.n; i++)
		if (r->sides.data[i].iface == name && r->sides.data[i].netns == netns)
			return &r->sides.data[i];
	side = by_iface && iface && !name ? NULL : vec_take(&r->sides, 1);
	if (side)
		*side = (struct net_side){ .iface = name, .netns = netns };
	return side;
}

/* has_bytes: the bytes without headers are known; else rates are of all bytes. */
static void set_ways(struct net_row *row, const struct net_count more[NET_WAYS], bool has_bytes)
{
	struct value *v = row->values;

	for (int way = 0; way < NET_WAYS; way++) {
		int to = way == NET_TX ? NET_COL_TX_PACKETS : NET_COL_RX_PACKETS;

		v[to].num = more[way].packets;
		v[to + 1].num = more[way].bytes;
		v[to + 2].num = more[way].ip_bytes;
		v[way == NET_TX ? NET_COL_TX_SECOND : NET_COL_RX_SECOND].num = has_bytes ? more[way].bytes : more[way].ip_bytes;
		v[NET_COL_BYTES].num += more[way].ip_bytes;
		v[NET_COL_PACKETS].num += more[way].packets;
	}
	if (!has_bytes)
		row->row.none |= BIT(NET_COL_TX_BYTES) | BIT(NET_COL_RX_BYTES);
}

static int send_row(struct net_rows *r, struct net_row *row)
{
	row->row.values = row->values;
	return r->sink->row(r->sink, &row->row);
}

static int send_sample(struct net_rows *r, const struct net_sample *s, const struct net_count more[NET_WAYS], uint32_t retransmits)
{
	struct net_side *side;
	struct net_row row;

	begin_row(&row);
	set_key(&row, r, s);
	set_ways(&row, more, true);
	row.values[NET_COL_RETRANSMITS].num = retransmits;
	row.values[NET_COL_RTT_SUM].num = s->rtt_us * 1000ull;
	row.values[NET_COL_RTTS].num = s->rtt_us != 0;
	row.values[NET_COL_SOCKETS].num = !s->is_path;
	row.values[NET_COL_HOLDERS].num = s->holders;
	row.values[NET_COL_SHARED].num = s->flow && s->flow->is_shared;
	if (!r->is_whole)
		return send_row(r, &row);
	side = side_of(r, s->iface, s->netns);
	if (!side)
		return -ENOMEM;
	for (int way = 0; way < NET_WAYS; way++) {
		struct net_count none = { 0 };

		add_count(&side->sockets[way], &more[way], &none);
	}
	return send_row(r, &row);
}

int net_rows_add(struct net_rows *r, const struct net_sample *s)
{
	struct net_count more[NET_WAYS];
	struct net_known *known, *total;
	uint32_t retransmits;
	int ret = 0;

	if (!r->is_whole && s->flow && !(s->owner && s->owner->is_target))
		return 0;
	if (find_known(r, s, &known, &total))
		return -ENOMEM;
	for (int way = 0; way < NET_WAYS; way++)
		take_new(&more[way], &s->ways[way], &known->ways[way], total ? &s->total[way] : NULL, total ? &total->ways[way] : NULL);
	retransmits = num_grown(s->retransmits, known->retransmits);
	known->retransmits = s->retransmits;
	if (s->is_last) {
		bool moves = total == &r->known.data[r->known.n - 1];

		forget(r, known);
		if (total && s->owner == &s->flow->owner) /* its parts came before */
			forget(r, moves ? known : total);
	}
	if (!is_nothing(more) || retransmits)
		ret = send_sample(r, s, more, retransmits);
	return ret;
}

int net_rows_add_dropped(struct net_rows *r, const struct net_dropped *d)
{
	const struct net_owner *o = d->flow ? &d->flow->owner : NULL;
	struct net_sample s = { .flow = d->flow, .owner = o };
	struct net_known *known;
	struct known_key k;
	struct net_row row;
	uint64_t more;

	if (!r->is_whole && !(o && o->is_target))
		return 0;
	memset(&k, 0, sizeof(k));
	k.is_drop = true;
	k.cookie = d->flow ? d->flow->cookie : 0;
	k.code = d->code;
	k.place = d->place;
	known = known_of(r, &k);
	if (!known)
		return -ENOMEM;
	more = num_grown(d->packets, known->dropped);
	known->dropped = d->packets;
	if (d->is_last)
		forget(r, known);
	if (!more)
		return 0;
	begin_row(&row);
	if (d->flow)
		set_key(&row, r, &s);
	else
		set_label(&row, NET_RANK_NO_SOCKET);
	row.row.none |= d->flow ? 0 : BIT(NET_COL_TX_BYTES) | BIT(NET_COL_RX_BYTES);
	row.values[NET_COL_DROPS].num = more;
	row.reasons[0] = (struct reason){ d->reason, more };
	return send_row(r, &row);
}

int net_rows_add_device(struct net_rows *r, const struct net_device *d)
{
	struct net_device *last = NULL;
	struct net_side *side;

	if (!r->is_whole)
		return 0;
	for (size_t i = 0; i < r->devices.n && !last; i++)
		if (r->devices.data[i].netns == d->netns && !strcmp(r->devices.data[i].iface, d->iface))
			last = &r->devices.data[i];
	if (!last) {
		last = vec_take(&r->devices, 1);
		if (!last)
			return -ENOMEM;
		*last = (struct net_device){ .netns = d->netns, .iface = strpool_add(r->pool, d->iface) };
		if (!last->iface)
			return -ENOMEM;
	}
	side = side_of(r, d->iface, d->netns);
	if (!side)
		return -ENOMEM;
	side->has_device = true;
	for (int way = 0; way < NET_WAYS; way++) {
		side->packets[way] += num_grown(d->packets[way], last->packets[way]);
		side->bytes[way] += num_grown(d->bytes[way], last->bytes[way]);
		last->packets[way] = d->packets[way];
		last->bytes[way] = d->bytes[way];
	}
	return 0;
}

/* An interface counts what sockets sent and received by it, too: each packet of MTU size, or, if that is more than it has, those whole. */
static int send_rest(struct net_rows *r, const struct net_side *side)
{
	struct net_count rest[NET_WAYS] = { 0 };
	struct net_row row;

	if (!side->has_device) /* it could not be read, or the sockets' is not known */
		return 0;
	for (int way = 0; way < NET_WAYS; way++) {
		const struct net_count *s = &side->sockets[way];
		uint64_t packets = side->packets[way];
		bool is_whole = packets < s->packets;

		r->beyond += is_whole ? num_grown(s->packets - s->fewer_packets, packets) : 0;
		rest[way].packets = num_grown(packets, is_whole ? s->packets - s->fewer_packets : s->packets);
		rest[way].ip_bytes = num_grown(side->bytes[way], is_whole ? s->ip_bytes - s->fewer_bytes : s->ip_bytes);
	}
	if (!rest[NET_TX].packets && !rest[NET_RX].packets)
		return 0;
	begin_row(&row);
	set_label(&row, NET_RANK_NO_SOCKET);
	if (side->iface)
		set(&row, r, NET_COL_IFACE, (struct value){ .text = side->iface });
	if (side->netns)
		set(&row, r, NET_COL_NETNS, (struct value){ .num = side->netns });
	set_ways(&row, rest, false);
	return send_row(r, &row);
}

int net_rows_end(struct net_rows *r)
{
	int ret = 0;

	for (size_t i = 0; i < r->sides.n && !ret; i++)
		ret = send_rest(r, &r->sides.data[i]);
	r->sides.n = 0;
	return ret;
}
