/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was told of a sample is kept while more of it may come: as many as sockets live. */
#include "model/net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define FIRST_PLACES 64
#define ROWS_MAX (1u << 20)

enum told_state { TOLD_EMPTY, TOLD_USED, TOLD_GONE };

/* Zeroed before it is filled: compared byte by byte. */
struct told_key {
	uint64_t cookie, owner; /* net_owner.id; of paths, drops and totals none */
	uint64_t place;
	const char *iface;
	uint32_t peer_addr[4];
	uint32_t peer_port, code;
	bool is_path, is_drop, is_other, is_total;
};

struct net_told {
	struct told_key key;
	enum told_state state;
	struct net_count ways[NET_WAYS];
	uint64_t dropped;
	uint32_t retransmits;
};

int net_table_init(struct net_table *t, uint32_t by, bool is_whole)
{
	*t = (struct net_table){ .by = by, .is_whole = is_whole, .pool = strpool_new() };
	return t->pool ? 0 : -ENOMEM;
}

void net_table_free(struct net_table *t)
{
	strpool_free(t->pool);
	vec_free(&t->rows);
	vec_free(&t->devices);
	free(t->places);
	free(t->told);
}

static uint32_t *place_of(const struct net_table *t, const struct net_key *key)
{
	size_t i = hash_bytes(key, sizeof(*key)) & (t->nr_places - 1);

	while (t->places[i] && memcmp(&t->rows.data[t->places[i] - 1].key, key, sizeof(*key)))
		i = (i + 1) & (t->nr_places - 1);
	return &t->places[i];
}

/* Half of the places stay empty. */
static int make_places(struct net_table *t)
{
	size_t n = t->nr_places ? 2 * t->nr_places : FIRST_PLACES;
	uint32_t *places;

	if (2 * t->rows.n < t->nr_places)
		return 0;
	places = calloc(n, sizeof(*places));
	if (!places)
		return -ENOMEM;
	free(t->places);
	t->places = places;
	t->nr_places = n;
	for (size_t i = 0; i < t->rows.n; i++)
		*place_of(t, &t->rows.data[i].key) = i + 1;
	return 0;
}

static struct net_row *row_of(struct net_table *t, const struct net_key *key)
{
	struct net_key other;
	uint32_t *place;

	if (make_places(t))
		return NULL;
	place = place_of(t, key);
	if (!*place && t->rows.n >= ROWS_MAX) {
		memset(&other, 0, sizeof(other));
		other.what = NET_OF_OTHER;
		key = &other;
		place = place_of(t, key);
	}
	if (!*place) {
		if (vec_reserve(&t->rows))
			return NULL;
		memset(&t->rows.data[t->rows.n], 0, sizeof(*t->rows.data));
		t->rows.data[t->rows.n++].key = *key;
		*place = t->rows.n;
	}
	return &t->rows.data[*place - 1];
}

static struct net_told *told_place(const struct net_table *t, const struct told_key *key)
{
	size_t i = hash_bytes(key, sizeof(*key)) & (t->told_places - 1);
	struct net_told *free_one = NULL;

	for (; t->told[i].state != TOLD_EMPTY; i = (i + 1) & (t->told_places - 1)) {
		if (t->told[i].state == TOLD_USED && !memcmp(&t->told[i].key, key, sizeof(*key)))
			return &t->told[i];
		if (t->told[i].state == TOLD_GONE && !free_one)
			free_one = &t->told[i];
	}
	return free_one ? free_one : &t->told[i];
}

/* As large as those need that are used: places of the gone are had again. nr_told: used and gone. */
static int make_told(struct net_table *t)
{
	struct net_table bigger = *t;
	size_t used = 0;

	if (2 * t->nr_told < t->told_places)
		return 0;
	for (size_t i = 0; i < t->told_places; i++)
		used += t->told[i].state == TOLD_USED;
	bigger.told_places = FIRST_PLACES;
	while (bigger.told_places < 4 * used)
		bigger.told_places *= 2;
	bigger.told = calloc(bigger.told_places, sizeof(*bigger.told));
	if (!bigger.told)
		return -ENOMEM;
	for (size_t i = 0; i < t->told_places; i++)
		if (t->told[i].state == TOLD_USED)
			*told_place(&bigger, &t->told[i].key) = t->told[i];
	free(t->told);
	t->told = bigger.told;
	t->told_places = bigger.told_places;
	t->nr_told = used;
	return 0;
}

/* What was told of this one: zeroes for a new one. NULL without memory. Forgotten by the caller where no more of it comes. */
static struct net_told *told_of(struct net_table *t, const struct told_key *key)
{
	struct net_told *told;

	if (make_told(t))
		return NULL;
	told = told_place(t, key);
	if (told->state != TOLD_USED) {
		t->nr_told += told->state == TOLD_EMPTY;
		memset(told, 0, sizeof(*told));
		told->key = *key;
		told->state = TOLD_USED;
	}
	return told;
}

static void begin_round(struct net_table *t)
{
	t->rows.n = 0;
	if (t->places)
		memset(t->places, 0, t->nr_places * sizeof(*t->places));
	memset(t->beyond, 0, sizeof(t->beyond));
	t->is_ended = false;
}

static int fill_key(struct net_table *t, const struct net_flow *f, const struct net_owner *o, struct net_key *key)
{
	if (o && o->tgid) {
		char comm[NET_COMM_LEN];

		memcpy(comm, o->comm, sizeof(comm));
		comm[sizeof(comm) - 1] = '\0';
		key->comm = t->by & NET_BY_COMM ? strpool_add(t->pool, comm) : NULL;
		if (t->by & NET_BY_COMM && !key->comm)
			return -ENOMEM;
		key->pid = t->by & NET_BY_PID ? o->pid : 0;
		key->start_ns = t->by & NET_BY_PID ? o->start_ns : 0;
		key->uid = t->by & NET_BY_USER ? o->uid : 0;
		key->cgroup = t->by & NET_BY_CGROUP ? o->cgroup : 0;
	} else {
		key->what = f->is_kernel ? NET_OF_KERNEL : NET_OF_NOBODY;
	}
	key->protocol = t->by & NET_BY_PROTO ? f->protocol : 0;
	key->port = t->by & NET_BY_LPORT ? f->port : 0;
	return 0;
}

static int key_of(struct net_table *t, const struct net_sample *s, struct net_key *key)
{
	memset(key, 0, sizeof(*key));
	if (!s->flow) {
		key->what = NET_OF_OTHER;
		return 0;
	}
	if (t->by & NET_BY_IFACE && s->iface) {
		key->iface = strpool_add(t->pool, s->iface);
		if (!key->iface)
			return -ENOMEM;
	}
	key->netns = t->by & (NET_BY_NETNS | NET_BY_IFACE) ? s->netns : 0;
	if (t->by & NET_BY_REMOTE && s->peer_addr) {
		memcpy(key->peer_addr, s->peer_addr, sizeof(key->peer_addr));
		key->family = s->flow->family;
	}
	key->peer_port = t->by & NET_BY_RPORT ? s->peer_port : 0;
	return fill_key(t, s->flow, s->owner, key);
}

static uint64_t less(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void add_count(struct net_count *to, const struct net_count *now, struct net_count *before)
{
	to->packets += less(now->packets, before->packets);
	to->ip_bytes += less(now->ip_bytes, before->ip_bytes);
	to->bytes += less(now->bytes, before->bytes);
	to->fewer_packets += less(now->fewer_packets, before->fewer_packets);
	to->fewer_bytes += less(now->fewer_bytes, before->fewer_bytes);
	*before = *now;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What is new in a sample, and no more than what is new of its socket: what was told stays whose it was told to be. */
static void take_new(struct net_count *ret_new, const struct net_count *now, struct net_count *told, const struct net_count *total,
		     struct net_count *told_total)
{
	struct net_count left = { 0 }, all;

	memset(ret_new, 0, sizeof(*ret_new));
	add_count(ret_new, now, told);
	if (!total)
		return;
	all = *told_total;
	add_count(&left, total, &all);
	ret_new->packets = least(ret_new->packets, left.packets);
	ret_new->ip_bytes = least(ret_new->ip_bytes, left.ip_bytes);
	ret_new->bytes = least(ret_new->bytes, left.bytes);
	told_total->packets += ret_new->packets;
	told_total->ip_bytes += ret_new->ip_bytes;
	told_total->bytes += ret_new->bytes;
	told_total->fewer_packets += ret_new->fewer_packets;
	told_total->fewer_bytes += ret_new->fewer_bytes;
}

static bool is_nothing(const struct net_count more[NET_WAYS])
{
	static const struct net_count none[NET_WAYS];

	return !memcmp(more, none, sizeof(none));
}

static void add_row(struct net_row *row, const struct net_sample *s, const struct net_count more[NET_WAYS], uint32_t retransmits)
{
	for (int way = 0; way < NET_WAYS; way++) {
		struct net_count none = { 0 };

		add_count(&row->ways[way], &more[way], &none);
	}
	row->retransmits += retransmits;
	row->rtt_sum_us += s->rtt_us;
	row->rtts += s->rtt_us != 0;
	row->sockets += !s->is_path;
	row->holders = s->holders > row->holders ? s->holders : row->holders;
	row->is_shared |= s->flow && s->flow->is_shared;
}

/* The two that tell what was told: of this sample, and of its socket, which NULL has none of. */
static int find_told(struct net_table *t, const struct net_sample *s, const struct net_key *key, struct net_told **ret_told,
		     struct net_told **ret_total)
{
	struct told_key k;

	memset(&k, 0, sizeof(k));
	k.cookie = s->flow ? s->flow->cookie : 0;
	k.is_total = true;
	*ret_total = NULL;
	if (s->flow && !s->is_path && !told_of(t, &k))
		return -ENOMEM;
	k.is_total = false;
	k.owner = s->is_path || !s->owner ? 0 : s->owner->id;
	k.is_path = s->is_path;
	k.is_other = !s->flow;
	if (s->is_path) {
		k.iface = key->iface;
		memcpy(k.peer_addr, s->peer_addr, sizeof(k.peer_addr));
		k.peer_port = s->peer_port;
	}
	*ret_told = told_of(t, &k);
	if (!*ret_told)
		return -ENOMEM;
	if (s->flow && !s->is_path) { /* again: the table may have moved */
		memset(&k, 0, sizeof(k));
		k.cookie = s->flow->cookie;
		k.is_total = true;
		*ret_total = told_place(t, &k);
	}
	return 0;
}

int net_table_add(struct net_table *t, const struct net_sample *s)
{
	bool is_wanted = t->is_whole || !s->flow || (s->owner && s->owner->is_target);
	struct net_count more[NET_WAYS];
	struct net_told *told, *total;
	uint32_t retransmits;
	struct net_row *row;
	struct net_key key;

	if (t->is_ended)
		begin_round(t);
	if (!is_wanted)
		return 0;
	if (key_of(t, s, &key) || find_told(t, s, &key, &told, &total))
		return -ENOMEM;
	for (int way = 0; way < NET_WAYS; way++)
		take_new(&more[way], &s->ways[way], &told->ways[way], total ? &s->total[way] : NULL, total ? &total->ways[way] : NULL);
	retransmits = less(s->retransmits, told->retransmits);
	told->retransmits = s->retransmits;
	if (!is_nothing(more) || retransmits) {
		row = row_of(t, &key);
		if (!row)
			return -ENOMEM;
		add_row(row, s, more, retransmits);
	}
	if (s->is_last) {
		told->state = TOLD_GONE;
		if (total && s->owner == &s->flow->owner)
			total->state = TOLD_GONE; /* its parts came before */
	}
	return 0;
}

static int add_reason(struct net_table *t, struct net_row *row, const char *reason, uint64_t packets)
{
	const char *name = strpool_add(t->pool, reason);
	int i = 0;

	if (!name)
		return -ENOMEM;
	row->drops += packets;
	while (i < NET_REASONS - 1 && row->reasons[i].reason && row->reasons[i].reason != name)
		i++;
	if (i == NET_REASONS - 1)
		name = strpool_add(t->pool, "...");
	row->reasons[i].reason = name;
	row->reasons[i].packets += packets;
	return name ? 0 : -ENOMEM;
}

int net_table_add_dropped(struct net_table *t, const struct net_dropped *d, const char *reason)
{
	const struct net_owner *o = d->flow ? &d->flow->owner : NULL;
	struct net_sample s = { .flow = d->flow, .owner = o };
	struct net_told *told;
	struct told_key k;
	struct net_row *row;
	struct net_key key;
	uint64_t more;
	int ret = 0;

	if (t->is_ended)
		begin_round(t);
	if (!t->is_whole && !(o && o->is_target))
		return 0;
	memset(&k, 0, sizeof(k));
	k.is_drop = true;
	k.cookie = d->flow ? d->flow->cookie : 0;
	k.code = d->code;
	k.place = d->place;
	memset(&key, 0, sizeof(key));
	key.what = NET_OF_NO_SOCKET;
	if (d->flow && key_of(t, &s, &key))
		return -ENOMEM;
	told = told_of(t, &k);
	more = told ? less(d->packets, told->dropped) : 0;
	row = told && more ? row_of(t, &key) : NULL;
	if (!told || (more && !row))
		return -ENOMEM;
	if (row)
		ret = add_reason(t, row, reason, more);
	told->dropped = d->packets;
	if (d->is_last)
		told->state = TOLD_GONE;
	return ret;
}

int net_table_add_device(struct net_table *t, const struct net_device *d)
{
	struct net_device *known = NULL;
	struct net_key key;
	struct net_row *row;

	if (!t->is_whole)
		return 0;
	if (t->is_ended)
		begin_round(t);
	memset(&key, 0, sizeof(key));
	key.what = NET_OF_NO_SOCKET;
	for (size_t i = 0; i < t->devices.n && !known; i++)
		if (t->devices.data[i].netns == d->netns && !strcmp(t->devices.data[i].iface, d->iface))
			known = &t->devices.data[i];
	if (!known) {
		known = vec_take(&t->devices, 1);
		if (!known)
			return -ENOMEM;
		*known = (struct net_device){ .netns = d->netns, .iface = strpool_add(t->pool, d->iface) };
		if (!known->iface)
			return -ENOMEM;
	}
	key.iface = t->by & NET_BY_IFACE ? known->iface : NULL;
	key.netns = t->by & (NET_BY_IFACE | NET_BY_NETNS) ? d->netns : 0;
	row = row_of(t, &key);
	if (!row)
		return -ENOMEM;
	for (int way = 0; way < NET_WAYS; way++) {
		row->ways[way].packets += less(d->packets[way], known->packets[way]);
		row->ways[way].ip_bytes += less(d->bytes[way], known->bytes[way]);
		known->packets[way] = d->packets[way];
		known->bytes[way] = d->bytes[way];
	}
	return 0;
}

static uint64_t amount(const struct net_row *r, enum net_sort sort)
{
	const struct net_count *tx = &r->ways[NET_TX], *rx = &r->ways[NET_RX];

	switch (sort) {
	case NET_BY_SENT:
		return tx->ip_bytes;
	case NET_BY_RECEIVED:
		return rx->ip_bytes;
	case NET_BY_PACKETS:
		return tx->packets + rx->packets;
	case NET_BY_RETRANSMITS:
		return r->retransmits;
	case NET_BY_DROPS:
		return r->drops;
	default:
		return tx->ip_bytes + rx->ip_bytes;
	}
}

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct net_row *a = x, *b = y;
	const enum net_sort *sort = arg;
	uint64_t of_a = amount(a, *sort), of_b = amount(b, *sort);
	int names;

	if (a->key.what != b->key.what)
		return a->key.what < b->key.what ? -1 : 1;
	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	names = text_order(a->key.comm, b->key.comm);
	if (!names)
		names = text_order(a->key.iface, b->key.iface);
	if (names)
		return names;
	return a->key.pid != b->key.pid ? (a->key.pid < b->key.pid ? -1 : 1) : memcmp(&a->key.peer_addr, &b->key.peer_addr,
										     sizeof(a->key.peer_addr));
}

/* What sockets sent and received by each interface, in their order in rows. */
static void sum_sockets(struct net_table *t, struct net_count (*sums)[NET_WAYS])
{
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct net_row *r = &t->rows.data[i];
		struct net_key key;
		uint32_t *place;

		if (r->key.what == NET_OF_NO_SOCKET)
			continue;
		memset(&key, 0, sizeof(key));
		key.what = NET_OF_NO_SOCKET;
		key.iface = r->key.iface;
		key.netns = r->key.netns;
		place = place_of(t, &key);
		for (int way = 0; way < NET_WAYS && *place; way++) {
			struct net_count none = { 0 }, of = r->ways[way];

			add_count(&sums[*place - 1][way], &of, &none);
		}
	}
}

/* An interface counts what sockets sent and received by it, too: each packet of MTU size, or, if that is more than it has, those whole. */
static int take_sockets_away(struct net_table *t)
{
	struct net_count(*sums)[NET_WAYS] = calloc(t->rows.n, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	sum_sockets(t, sums);
	for (size_t i = 0; i < t->rows.n; i++) {
		struct net_row *r = &t->rows.data[i];

		for (int way = 0; way < NET_WAYS && r->key.what == NET_OF_NO_SOCKET; way++) {
			struct net_count *c = &r->ways[way], *s = &sums[i][way];
			bool is_whole = c->packets < s->packets;

			t->beyond[way] += is_whole ? less(s->packets - s->fewer_packets, c->packets) : 0;
			c->packets = less(c->packets, is_whole ? s->packets - s->fewer_packets : s->packets);
			c->ip_bytes = less(c->ip_bytes, is_whole ? s->ip_bytes - s->fewer_bytes : s->ip_bytes);
		}
	}
	free(sums);
	return 0;
}

int net_table_round(struct net_table *t, enum net_sort sort)
{
	size_t kept = 0;

	if (t->is_ended)
		begin_round(t);
	if (t->rows.n && take_sockets_away(t))
		return -ENOMEM;
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct net_row *r = &t->rows.data[i];

		if (r->ways[NET_TX].packets || r->ways[NET_RX].packets || r->ways[NET_TX].bytes || r->ways[NET_RX].bytes || r->drops || r->retransmits)
			t->rows.data[kept++] = *r;
	}
	t->rows.n = kept;
	if (kept)
		qsort_r(t->rows.data, kept, sizeof(*t->rows.data), compare, &sort);
	t->is_ended = true;
	return 0;
}
