/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections and events of sockets: a row each, as they come. */
#include <netinet/in.h>
#include <stdio.h>

#include "capture/ksym.h"
#include "capture/source/netname.h"
#include "capture/source/netrows.h"

#define SYMBOL_BYTES 512
#define BIT(column) (1ull << (column))

/* A connection. */
enum {
	CONN_COMM, CONN_START, CONN_DURATION, CONN_PROTO, CONN_LOCAL, CONN_REMOTE, CONN_STATE, CONN_END, CONN_TX, CONN_RX, CONN_RETRANSMITS,
	CONN_RTT, CONN_PID, CONN_HOLDERS, CONN_COLUMNS
};

static const struct column conn_columns[CONN_COLUMNS] = {
	[CONN_COMM] = { "comm", "comm", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[CONN_START] = { "start_ns", "start", NULL, VALUE_MOMENT, ROLE_TIME, IN_ALL, 12, .decimals = 6 },
	[CONN_DURATION] = { "duration_ns", "duration", NULL, VALUE_DURATION, ROLE_INFO, IN_ALL, .width = 8, .spare = 4 },
	[CONN_PROTO] = { "proto", "proto", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 5, .spare = 3 },
	[CONN_LOCAL] = { "local", "local", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 21, .spare = 2 },
	[CONN_REMOTE] = { "remote", "remote", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 21 },
	[CONN_STATE] = { "state", "state", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 11, .spare = 5 },
	[CONN_END] = { "ending", "ending", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 12, .spare = 6 },
	[CONN_TX] = { "tx_bytes", "tx bytes", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 11 },
	[CONN_RX] = { "rx_bytes", "rx bytes", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 11 },
	[CONN_RETRANSMITS] = { "retransmits", "retrans", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7, .spare = 7 },
	[CONN_RTT] = { "rtt_ns", "rtt", NULL, VALUE_DURATION, ROLE_INFO, IN_ALL, .width = 6, .spare = 8 },
	[CONN_PID] = { "pid", "pid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
	[CONN_HOLDERS] = { "holders", "holders", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7, .spare = 9 },
};
const struct schema net_conn_schema = { conn_columns, CONN_COLUMNS, -1 };

static const char *state_name(const struct net_flow *f)
{
	if (f->is_dead)
		return "closed";
	return f->protocol == IPPROTO_TCP ? net_state_name(f->state) : "open";
}

/* It had traffic before the run: when it began is not known. */
static bool is_older(const struct net_flow *f)
{
	return f->before.received || f->before.sent > f->is_active; /* a SYN is a byte to TCP */
}

static uint64_t since(uint64_t ns, uint64_t start_ns)
{
	return ns > start_ns ? ns - start_ns : 0;
}

int net_conn_row(const struct net_sample *s, uint64_t start_ns, uint64_t now_ns, struct sink *sink)
{
	const struct net_flow *f = s->flow;
	char local[NET_ENDPOINT_BYTES], remote[NET_ENDPOINT_BYTES], proto[8], comm[NET_COMM_LEN];
	struct value v[CONN_COLUMNS] = { 0 };
	struct row row = { .schema = &net_conn_schema, .values = v };

	net_endpoint_text(local, sizeof(local), f->family, f->addr, f->port);
	net_endpoint_text(remote, sizeof(remote), f->family, f->peer_addr, f->peer_port);
	net_comm_text(comm, s->owner->comm);
	v[CONN_COMM].text = comm;
	if (!s->owner->tgid) {
		row.label = net_labels[f->is_kernel ? NET_RANK_KERNEL : NET_RANK_NOBODY];
		row.none |= BIT(CONN_COMM) | BIT(CONN_PID);
	}
	row.none |= is_older(f) ? BIT(CONN_START) : 0;
	v[CONN_START].num = since(f->first_ns, start_ns);
	v[CONN_DURATION].num = since(f->is_dead ? f->time_ns : now_ns, f->first_ns);
	v[CONN_PROTO].text = net_protocol_text(proto, sizeof(proto), f->protocol);
	v[CONN_LOCAL].text = local;
	v[CONN_REMOTE].text = remote;
	v[CONN_STATE].text = state_name(f);
	v[CONN_END].text = f->end ? net_end_name(f->end) : NULL;
	v[CONN_TX].num = s->ways[NET_TX].bytes;
	v[CONN_RX].num = s->ways[NET_RX].bytes;
	v[CONN_RETRANSMITS].num = s->retransmits;
	v[CONN_RTT].num = s->rtt_us * 1000ull;
	row.none |= s->rtt_us ? 0 : BIT(CONN_RTT);
	v[CONN_PID].num = s->owner->pid;
	v[CONN_HOLDERS].num = s->holders;
	row.none |= s->holders ? 0 : BIT(CONN_HOLDERS);
	return sink->row(sink, &row);
}

/* Something that happened to a socket. */
enum {
	EVENT_COMM, EVENT_TIME, EVENT_WHAT, EVENT_PROTO, EVENT_LOCAL, EVENT_REMOTE, EVENT_DETAIL, EVENT_PID, EVENT_SENT, EVENT_RECEIVED,
	EVENT_DURATION, EVENT_STACK, EVENT_COLUMNS
};

static const struct column event_columns[EVENT_COLUMNS] = {
	[EVENT_COMM] = { "comm", "comm", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[EVENT_TIME] = { "time_ns", "time", NULL, VALUE_MOMENT, ROLE_TIME, IN_ALL, 12, .decimals = 6 },
	[EVENT_WHAT] = { "event", "event", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 10 },
	[EVENT_PROTO] = { "proto", "proto", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 5 },
	[EVENT_LOCAL] = { "local", "local", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 21 },
	[EVENT_REMOTE] = { "remote", "remote", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 21 },
	[EVENT_DETAIL] = { "detail", "detail", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 12 },
	[EVENT_PID] = { "pid", "pid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
	[EVENT_SENT] = { "sent_bytes", "sent", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 9 },
	[EVENT_RECEIVED] = { "received_bytes", "received", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 9 },
	[EVENT_DURATION] = { "duration_ns", "lived", NULL, VALUE_DURATION, ROLE_INFO, IN_ALL, .width = 8 },
	[EVENT_STACK] = { "stack", NULL, NULL, VALUE_STACK, ROLE_INFO, .in = IN_ALL },
};
const struct schema net_event_schema = { event_columns, EVENT_COLUMNS, -1 };

static void symbol_text(char *buf, size_t size, uint64_t addr, const struct net_names *names)
{
	if (names->name(names->arg, addr, buf, size))
		snprintf(buf, size, "%#llx", (unsigned long long)addr);
}

/* What came of it, or why. */
static const char *detail_text(char *buf, size_t size, const struct net_event *e, const char *reason, const struct net_names *names)
{
	switch (e->what) {
	case NET_CONNECT:
		return e->end ? net_end_name(e->end) : "established";
	case NET_CLOSE:
		return net_end_name(e->end);
	case NET_RETRANSMIT:
		return net_state_name(e->state);
	case NET_DROP:
		if (reason)
			return reason;
		symbol_text(buf, size, e->place, names);
		return buf;
	default:
		return "";
	}
}

int net_event_row(const struct net_event *e, const char *reason, uint64_t start_ns, const struct net_names *names, struct sink *sink)
{
	static const char *const whats[NET_EVENTS] = { [NET_CONNECT] = "connect", [NET_ACCEPT] = "accept", [NET_CLOSE] = "close",
						       [NET_RETRANSMIT] = "retransmit", [NET_DROP] = "drop" };
	char local[NET_ENDPOINT_BYTES], remote[NET_ENDPOINT_BYTES], proto[8], comm[NET_COMM_LEN], detail[SYMBOL_BYTES];
	char symbols[NET_FRAMES_MAX][SYMBOL_BYTES];
	const char *stack[NET_FRAMES_MAX + 1];
	struct value v[EVENT_COLUMNS] = { 0 };
	struct row row = { .schema = &net_event_schema, .values = v };
	int n = 0;

	net_endpoint_text(local, sizeof(local), e->family, e->addr, e->port);
	net_endpoint_text(remote, sizeof(remote), e->family, e->peer_addr, e->peer_port);
	net_comm_text(comm, e->owner.comm);
	for (int i = 0; i < e->nr_ips && i < NET_FRAMES_MAX; i++) {
		symbol_text(symbols[n], sizeof(symbols[n]), e->ips[i], names);
		if (!ksym_is_hook(symbols[n])) {
			stack[n] = symbols[n];
			n++;
		}
	}
	stack[n] = NULL;
	v[EVENT_COMM].text = e->owner.tgid ? comm : NULL;
	row.none |= e->owner.tgid ? 0 : BIT(EVENT_PID);
	v[EVENT_TIME].num = since(e->time_ns, start_ns);
	v[EVENT_WHAT].text = e->what < NET_EVENTS ? whats[e->what] : "?";
	v[EVENT_PROTO].text = net_protocol_text(proto, sizeof(proto), e->protocol);
	v[EVENT_LOCAL].text = local;
	v[EVENT_REMOTE].text = remote;
	v[EVENT_DETAIL].text = detail_text(detail, sizeof(detail), e, reason, names);
	v[EVENT_PID].num = e->owner.pid;
	v[EVENT_SENT].num = e->sent;
	v[EVENT_RECEIVED].num = e->received;
	v[EVENT_DURATION].num = since(e->time_ns, e->first_ns);
	v[EVENT_STACK].frames = stack;
	row.none |= e->what == NET_CLOSE ? 0 : BIT(EVENT_SENT) | BIT(EVENT_RECEIVED) | BIT(EVENT_DURATION);
	row.none |= e->nr_ips ? 0 : BIT(EVENT_STACK);
	return sink->row(sink, &row);
}
