/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line an event, and below it the kernel's stack, leaf first; in JSON an array. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "render/rows/net.h"
#include "render/rows/netname.h"
#include "util/json.h"
#include "util/text.h"

#define SYMBOL_BYTES 512
#define DETAIL_BYTES (SYMBOL_BYTES + 64)

static const char *const events[NET_EVENTS] = { [NET_CONNECT] = "connect", [NET_ACCEPT] = "accept", [NET_CLOSE] = "close",
						[NET_RETRANSMIT] = "retransmit", [NET_DROP] = "drop" };

/* Between the kernel's function and the program that told of it. */
static bool is_hook(const char *name)
{
	static const char *const names[] = { "bpf_prog_", "bpf_trace_run", "__bpf_trace_", "__traceiter_", "bpf_trampoline_" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void symbol_text(char *buf, size_t size, uint64_t addr, const struct net_event_view *view)
{
	if (view->name(view->arg, addr, buf, size))
		snprintf(buf, size, "%#llx", (unsigned long long)addr);
}

/* What came of it, or why. */
static void detail_text(char *buf, size_t size, const struct net_event *e, const char *reason, const struct net_event_view *view)
{
	switch (e->what) {
	case NET_CONNECT:
		snprintf(buf, size, "%s", e->end ? net_end_name(e->end) : "established");
		break;
	case NET_CLOSE:
		snprintf(buf, size, "%s", net_end_name(e->end));
		break;
	case NET_RETRANSMIT:
		snprintf(buf, size, "%s", net_state_name(e->state));
		break;
	case NET_DROP:
		if (reason)
			snprintf(buf, size, "%s", reason);
		else
			symbol_text(buf, size, e->place, view);
		break;
	default:
		buf[0] = '\0';
	}
}

static void print_json(FILE *out, const struct net_event *e, const char *detail, const char *local, const char *remote, const char *comm,
		       const struct net_event_view *view)
{
	char symbol[SYMBOL_BYTES];
	struct json j;

	json_begin(&j, out);
	json_object(&j);
	json_key(&j, "time_s");
	json_double(&j, e->time_ns > view->start_ns ? (e->time_ns - view->start_ns) / 1e9 : 0, 9);
	json_key_text(&j, "event", e->what < NET_EVENTS ? events[e->what] : "?");
	json_key_text(&j, "proto", net_protocol_name(e->protocol));
	json_key_text(&j, "local", local);
	json_key_text(&j, "remote", remote);
	json_key_text(&j, "detail", detail);
	json_key_text(&j, "comm", e->owner.tgid ? comm : NULL);
	json_key_u64(&j, "pid", e->owner.pid);
	if (e->what == NET_CLOSE) {
		json_key_u64(&j, "sent_bytes", e->sent);
		json_key_u64(&j, "received_bytes", e->received);
		json_key_u64(&j, "duration_ns", e->time_ns > e->first_ns ? e->time_ns - e->first_ns : 0);
	}
	if (e->nr_ips) {
		json_key(&j, "stack");
		json_array(&j);
		for (int i = 0; i < e->nr_ips && i < NET_FRAMES_MAX; i++) {
			symbol_text(symbol, sizeof(symbol), e->ips[i], view);
			if (!is_hook(symbol))
				json_text(&j, symbol);
		}
		json_array_end(&j);
	}
	json_object_end(&j);
	putc('\n', out);
}

static void print_text(FILE *out, const struct net_event *e, const char *detail, const char *local, const char *remote, const char *comm,
		       const struct net_event_view *view)
{
	char text[4 * NET_COMM_LEN + 1], symbol[SYMBOL_BYTES], safe[DETAIL_BYTES];

	text_escape(text, sizeof(text), comm);
	text_escape(safe, sizeof(safe), detail);
	fprintf(out, "%12.6f %-10s %-5s %-21s %-21s %-12s %7u %s", e->time_ns > view->start_ns ? (e->time_ns - view->start_ns) / 1e9 : 0,
		e->what < NET_EVENTS ? events[e->what] : "?", net_protocol_name(e->protocol) ? net_protocol_name(e->protocol) : "-", local,
		remote, safe, e->owner.pid, e->owner.tgid ? text : "-");
	if (e->what == NET_CLOSE)
		fprintf(out, " sent %llu received %llu", (unsigned long long)e->sent, (unsigned long long)e->received);
	putc('\n', out);
	for (int i = 0; i < e->nr_ips && i < NET_FRAMES_MAX; i++) {
		symbol_text(symbol, sizeof(symbol), e->ips[i], view);
		text_escape(safe, sizeof(safe), symbol);
		if (!is_hook(symbol))
			fprintf(out, "             %s\n", safe);
	}
}

static void print_csv(FILE *out, const struct net_event *e, const char *detail, const char *local, const char *remote, const char *comm,
		      const struct net_event_view *view)
{
	const char *proto = net_protocol_name(e->protocol);
	const char *cells[] = { e->what < NET_EVENTS ? events[e->what] : "?", proto ? proto : "-", local, remote, detail,
				e->owner.tgid ? comm : "-" };

	fprintf(out, "%.9f", e->time_ns > view->start_ns ? (e->time_ns - view->start_ns) / 1e9 : 0);
	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
		fputs(view->separator, out);
		text_print_csv(out, cells[i], view->separator);
	}
	fprintf(out, "%s%u%s%llu%s%llu\n", view->separator, e->owner.pid, view->separator, (unsigned long long)e->sent, view->separator,
		(unsigned long long)e->received);
}

int render_net_event(FILE *out, const struct net_event *e, const char *reason, const struct net_event_view *view)
{
	char detail[DETAIL_BYTES], local[NET_ENDPOINT_BYTES], remote[NET_ENDPOINT_BYTES], comm[NET_COMM_LEN];

	if (!e) {
		if (view->separator)
			fprintf(out, "time_s%sevent%sproto%slocal%sremote%sdetail%scomm%spid%ssent_bytes%sreceived_bytes\n", view->separator,
				view->separator, view->separator, view->separator, view->separator, view->separator, view->separator,
				view->separator, view->separator);
		else if (!view->json)
			fprintf(out, "%12s %-10s %-5s %-21s %-21s %-12s %7s %s\n", "time", "event", "proto", "local", "remote", "detail", "pid",
				"comm");
		return ferror(out) ? -EIO : 0;
	}
	detail_text(detail, sizeof(detail), e, reason, view);
	net_endpoint_text(local, sizeof(local), e->family, e->addr, e->port);
	net_endpoint_text(remote, sizeof(remote), e->family, e->peer_addr, e->peer_port);
	memcpy(comm, e->owner.comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	(view->json ? print_json : view->separator ? print_csv : print_text)(out, e, detail, local, remote, comm, view);
	return ferror(out) ? -EIO : 0;
}
