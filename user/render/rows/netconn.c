/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line a connection. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "render/rows/net.h"
#include "render/rows/netname.h"
#include "util/json.h"
#include "util/text.h"

#define CELLS 14

struct cell {
	const char *name;
	int width; /* of text; negative: to the left */
	bool is_number;
	char text[NET_ENDPOINT_BYTES];
};

static const char *state_name(const struct net_flow *f)
{
	if (f->is_dead)
		return "closed";
	return f->protocol == IPPROTO_TCP ? net_state_name(f->state) : "open";
}

/* It had traffic before the run: when it began is not known. */
static bool is_older(const struct net_flow *f)
{
	return f->before.received || f->before.sent > (f->is_active); /* a SYN is a byte to TCP */
}

static void fill(struct cell *c, const struct net_sample *s, uint64_t now_ns, const struct net_view *view)
{
	const struct net_flow *f = s->flow;
	uint64_t end_ns = f->is_dead ? f->time_ns : now_ns;
	double start = f->first_ns > view->start_ns ? (f->first_ns - view->start_ns) / 1e9 : 0;
	char comm[NET_COMM_LEN];

	memcpy(comm, s->owner->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	if (is_older(f))
		snprintf(c[0].text, sizeof(c->text), "%s", view->json ? "null" : "-");
	else
		snprintf(c[0].text, sizeof(c->text), "%.6f", start);
	snprintf(c[1].text, sizeof(c->text), "%.6f", end_ns > f->first_ns ? (end_ns - f->first_ns) / 1e9 : 0);
	if (net_protocol_name(f->protocol))
		snprintf(c[2].text, sizeof(c->text), "%s", net_protocol_name(f->protocol));
	else
		snprintf(c[2].text, sizeof(c->text), "%u", f->protocol);
	net_endpoint_text(c[3].text, sizeof(c->text), f->family, f->addr, f->port);
	net_endpoint_text(c[4].text, sizeof(c->text), f->family, f->peer_addr, f->peer_port);
	snprintf(c[5].text, sizeof(c->text), "%s", state_name(f));
	snprintf(c[6].text, sizeof(c->text), "%s", net_end_name(f->end));
	snprintf(c[7].text, sizeof(c->text), "%llu", (unsigned long long)s->ways[NET_TX].bytes);
	snprintf(c[8].text, sizeof(c->text), "%llu", (unsigned long long)s->ways[NET_RX].bytes);
	snprintf(c[9].text, sizeof(c->text), "%u", s->retransmits);
	snprintf(c[10].text, sizeof(c->text), "%u", s->rtt_us);
	snprintf(c[11].text, sizeof(c->text), "%u", s->owner->pid);
	snprintf(c[12].text, sizeof(c->text), "%u", s->holders);
	snprintf(c[13].text, sizeof(c->text), "%s", s->owner->tgid ? comm : f->is_kernel ? "(kernel)" : "(no process)");
}

int render_connection(FILE *out, const struct net_sample *s, uint64_t now_ns, const struct net_view *view)
{
	struct cell c[CELLS] = {
		{ "start_s", 11, true, "" },	{ "duration_s", 11, true, "" }, { "proto", -5, false, "" },	  { "local", -21, false, "" },
		{ "remote", -21, false, "" },	{ "state", -11, false, "" },	{ "end", -12, false, "" },	  { "tx_bytes", 11, true, "" },
		{ "rx_bytes", 11, true, "" },	{ "retransmits", 11, true, "" }, { "rtt_us", 7, true, "" },	  { "pid", 7, true, "" },
		{ "holders", 7, true, "" },	{ "comm", 0, false, "" },
	};
	char text[4 * NET_ENDPOINT_BYTES];
	struct json j;

	if (s)
		fill(c, s, now_ns, view);
	if (view->json && s) {
		json_begin(&j, out);
		json_object(&j);
		for (int i = 0; i < CELLS; i++) {
			if (!c[i].is_number) {
				json_key_text(&j, c[i].name, c[i].text);
				continue;
			}
			json_key(&j, c[i].name);
			fputs(c[i].text, out);
			j.comma = true;
		}
		json_object_end(&j);
		putc('\n', out);
	} else if (!view->json) {
		for (int i = 0; i < CELLS; i++) {
			const char *cell = s ? c[i].text : c[i].name;

			text_escape(text, sizeof(text), cell);
			if (view->separator && i)
				fputs(view->separator, out);
			if (view->separator)
				text_print_csv(out, cell, view->separator);
			else
				fprintf(out, "%s%*s", i ? " " : "", c[i].width, text);
		}
		putc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}
