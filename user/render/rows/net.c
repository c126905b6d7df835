/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One list of columns for text, CSV and JSON. Numbers are whole ones everywhere; rates are bytes a second. */
#include "render/rows/net.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>

#include "render/rows/netname.h"
#include "util/json.h"
#include "util/text.h"

#define KEY_COLUMNS 15 /* what is longer moves what stands behind it */

enum column_kind {
	COLUMN_NUMBER,
	COLUMN_RATE,
	COLUMN_TIME, /* us */
};

static const struct net_column {
	const char *head; /* of text; NULL: not there */
	const char *name; /* of CSV and JSON */
	enum column_kind kind;
	int width;
} columns[] = {
	{ "tx pkts", "tx_packets", COLUMN_NUMBER, 9 },
	{ "tx bytes", "tx_bytes", COLUMN_NUMBER, 12 },
	{ NULL, "tx_ip_bytes", COLUMN_NUMBER, 0 },
	{ "rx pkts", "rx_packets", COLUMN_NUMBER, 9 },
	{ "rx bytes", "rx_bytes", COLUMN_NUMBER, 12 },
	{ NULL, "rx_ip_bytes", COLUMN_NUMBER, 0 },
	{ "tx/s", "tx_bytes_per_s", COLUMN_RATE, 6 },
	{ "rx/s", "rx_bytes_per_s", COLUMN_RATE, 6 },
	{ "retrans", "retransmits", COLUMN_NUMBER, 7 },
	{ "drops", "drops", COLUMN_NUMBER, 6 },
	{ "rtt", "rtt_us", COLUMN_TIME, 6 },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static const struct key_column {
	uint32_t bit;
	const char *name;
} key_columns[] = {
	{ NET_BY_COMM, "comm" },     { NET_BY_PID, "pid" },	{ NET_BY_USER, "user" },     { NET_BY_CGROUP, "cgroup" },
	{ NET_BY_PROTO, "proto" },   { NET_BY_LPORT, "lport" }, { NET_BY_REMOTE, "remote" }, { NET_BY_RPORT, "rport" },
	{ NET_BY_IFACE, "iface" },   { NET_BY_NETNS, "netns" },
};
#define NR_KEYS (sizeof(key_columns) / sizeof(*key_columns))

static void column_values(const struct net_row *r, const struct net_view *view, double values[NR_COLUMNS])
{
	const struct net_count *tx = &r->ways[NET_TX], *rx = &r->ways[NET_RX];
	double seconds = view->round_ns / 1e9, of_tx = r->key.what == NET_OF_NO_SOCKET ? tx->ip_bytes : tx->bytes,
	       of_rx = r->key.what == NET_OF_NO_SOCKET ? rx->ip_bytes : rx->bytes;
	const double all[] = { tx->packets, tx->bytes, tx->ip_bytes, rx->packets, rx->bytes, rx->ip_bytes, seconds > 0 ? of_tx / seconds : 0,
			       seconds > 0 ? of_rx / seconds : 0, r->retransmits, r->drops, r->rtts ? (double)r->rtt_sum_us / r->rtts : 0 };

	_Static_assert(sizeof(all) / sizeof(*all) == NR_COLUMNS, "a value a column");
	memcpy(values, all, sizeof(all));
}

static void put_user(char *buf, size_t size, uint32_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		snprintf(buf, size, "%s", pw->pw_name);
	else
		snprintf(buf, size, "%u", uid);
}

/* What is of no process has its name in the first column that would tell whose it is. */
static const char *instead(enum net_what what)
{
	static const char *const names[] = { [NET_OF_PROCESS] = "-", [NET_OF_KERNEL] = "(kernel)", [NET_OF_NOBODY] = "(no process)",
					     [NET_OF_NO_SOCKET] = "(no socket)", [NET_OF_OTHER] = "(other)" };

	return names[what];
}

static void put_key(char *buf, size_t size, const struct net_row *r, uint32_t bit, const struct net_view *view)
{
	const struct net_key *k = &r->key;
	const char *name = NULL;

	snprintf(buf, size, "-");
	if (bit & (NET_BY_COMM | NET_BY_PID | NET_BY_USER | NET_BY_CGROUP) && k->what != NET_OF_PROCESS) {
		if (bit == (view->by & -view->by))
			snprintf(buf, size, "%s", instead(k->what));
		return;
	}
	if (k->what > NET_OF_NOBODY && bit == (view->by & -view->by) && bit != NET_BY_IFACE) {
		snprintf(buf, size, "%s", instead(k->what));
		return;
	}
	switch (bit) {
	case NET_BY_COMM:
		snprintf(buf, size, "%s", k->comm ? k->comm : "");
		break;
	case NET_BY_PID:
		snprintf(buf, size, "%u", k->pid);
		break;
	case NET_BY_USER:
		put_user(buf, size, k->uid);
		break;
	case NET_BY_CGROUP:
		name = view->cgroup_path ? view->cgroup_path(NULL, k->cgroup) : NULL;
		if (name)
			snprintf(buf, size, "%s", name);
		else
			snprintf(buf, size, "%llu", (unsigned long long)k->cgroup);
		break;
	case NET_BY_PROTO:
		name = net_protocol_name(k->protocol);
		if (name)
			snprintf(buf, size, "%s", name);
		else if (k->what < NET_OF_NO_SOCKET)
			snprintf(buf, size, "%u", k->protocol);
		break;
	case NET_BY_LPORT:
		snprintf(buf, size, "%u", k->port);
		break;
	case NET_BY_REMOTE:
		net_address_text(buf, size, k->family, k->peer_addr);
		break;
	case NET_BY_RPORT:
		snprintf(buf, size, "%u", k->peer_port);
		break;
	case NET_BY_IFACE:
		if (k->iface)
			snprintf(buf, size, "%s", k->iface);
		break;
	default:
		snprintf(buf, size, "%u", k->netns);
	}
}

/* "950", "1.23M" */
static void rate_text(char *buf, size_t size, double rate)
{
	static const char units[] = " KMGT";
	int u = 0;

	while (rate >= 999.5 && u < 4) {
		rate /= 1000;
		u++;
	}
	snprintf(buf, size, "%.*f%.*s", !u || rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2, rate, u ? 1 : 0, &units[u]);
}

static void time_text(char *buf, size_t size, double us)
{
	if (us <= 0)
		snprintf(buf, size, "-");
	else if (us < 999.5)
		snprintf(buf, size, "%.0fus", us);
	else
		snprintf(buf, size, "%.1fms", us / 1000);
}

/* Which processes have it open, too, and why packets were dropped. */
static void print_remarks(FILE *out, const struct net_row *r)
{
	char text[256];

	if (r->is_shared)
		fprintf(out, "  shared by turns");
	else if (r->holders > 1)
		fprintf(out, "  shared by %u", r->holders);
	for (int i = 0; i < NET_REASONS && r->reasons[i].reason; i++) {
		text_escape(text, sizeof(text), r->reasons[i].reason);
		fprintf(out, "  %s:%llu", text, (unsigned long long)r->reasons[i].packets);
	}
}

static void print_text(FILE *out, const struct net_row *r, const struct net_view *view)
{
	double values[NR_COLUMNS];
	char text[4096], key[4096];

	column_values(r, view, values);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (!columns[i].head)
			continue;
		if (columns[i].kind == COLUMN_RATE)
			rate_text(text, sizeof(text), values[i]);
		else if (columns[i].kind == COLUMN_TIME)
			time_text(text, sizeof(text), values[i]);
		else if (r->key.what == NET_OF_NO_SOCKET && columns[i].width > 9)
			snprintf(text, sizeof(text), "-"); /* an interface counts more than what is behind the headers */
		else
			snprintf(text, sizeof(text), "%.0f", values[i]);
		fprintf(out, "%s%*s", i ? " " : "", columns[i].width, text);
	}
	for (size_t i = 0; i < NR_KEYS; i++) {
		if (!(view->by & key_columns[i].bit))
			continue;
		put_key(key, sizeof(key), r, key_columns[i].bit, view);
		text_escape(text, sizeof(text), key);
		fprintf(out, "  %-*s", view->by >= key_columns[i].bit << 1 ? KEY_COLUMNS : 0, text);
	}
	print_remarks(out, r);
	putc('\n', out);
}

static void print_csv(FILE *out, const struct net_row *r, const struct net_view *view)
{
	double values[NR_COLUMNS];
	char key[4096];

	column_values(r, view, values);
	if (view->since_start_ns)
		fprintf(out, "%.9f%s", view->since_start_ns / 1e9, view->separator);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		fprintf(out, "%s%.0f", i ? view->separator : "", values[i]);
	fprintf(out, "%s%u%s%u", view->separator, r->sockets, view->separator, r->holders);
	for (size_t i = 0; i < NR_KEYS; i++) {
		if (!(view->by & key_columns[i].bit))
			continue;
		put_key(key, sizeof(key), r, key_columns[i].bit, view);
		fputs(view->separator, out);
		text_print_csv(out, key, view->separator);
	}
	putc('\n', out);
}

static void print_json(FILE *out, const struct net_row *r, const struct net_view *view)
{
	static const char *const whats[] = { [NET_OF_PROCESS] = "process", [NET_OF_KERNEL] = "kernel", [NET_OF_NOBODY] = "no_process",
					     [NET_OF_NO_SOCKET] = "no_socket", [NET_OF_OTHER] = "other" };
	double values[NR_COLUMNS];
	char key[4096];
	struct json j;

	column_values(r, view, values);
	json_begin(&j, out);
	json_object(&j);
	if (view->since_start_ns) {
		json_key(&j, "interval");
		json_double(&j, view->since_start_ns / 1e9, 9);
	}
	json_key_text(&j, "of", whats[r->key.what]);
	for (size_t i = 0; i < NR_KEYS; i++) {
		if (!(view->by & key_columns[i].bit))
			continue;
		put_key(key, sizeof(key), r, key_columns[i].bit, view);
		json_key_text(&j, key_columns[i].name, key);
	}
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		json_key(&j, columns[i].name);
		json_double(&j, values[i], 0);
	}
	json_key_u64(&j, "sockets", r->sockets);
	json_key_u64(&j, "holders", r->holders);
	json_key(&j, "shared");
	json_bool(&j, r->is_shared || r->holders > 1);
	json_key(&j, "drop_reasons");
	json_object(&j);
	for (int i = 0; i < NET_REASONS && r->reasons[i].reason; i++)
		json_key_u64(&j, r->reasons[i].reason, r->reasons[i].packets);
	json_object_end(&j);
	json_object_end(&j);
	putc('\n', out);
}

static void print_head(FILE *out, const struct net_view *view)
{
	const char *sep = view->separator;
	bool first = true;

	if (view->since_start_ns && sep)
		fprintf(out, "time%s", sep);
	else if (view->since_start_ns)
		fprintf(out, "# %.3f s\n", view->since_start_ns / 1e9);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (sep)
			fprintf(out, "%s%s", first ? "" : sep, columns[i].name);
		else if (columns[i].head)
			fprintf(out, "%s%*s", first ? "" : " ", columns[i].width, columns[i].head);
		first = false;
	}
	if (sep)
		fprintf(out, "%ssockets%sholders", sep, sep);
	for (size_t i = 0; i < NR_KEYS; i++) {
		if (!(view->by & key_columns[i].bit))
			continue;
		if (sep)
			fprintf(out, "%s%s", sep, key_columns[i].name);
		else
			fprintf(out, "  %-*s", view->by >= key_columns[i].bit << 1 ? KEY_COLUMNS : 0, key_columns[i].name);
	}
	putc('\n', out);
}

int render_net(FILE *out, const struct net_table *t, const struct net_view *view)
{
	if (!view->json && !(view->separator && view->no_head))
		print_head(out, view);
	for (size_t i = 0; i < t->rows.n && (!view->top || i < view->top); i++)
		(view->json ? print_json : view->separator ? print_csv : print_text)(out, &t->rows.data[i], view);
	if (!view->json && !view->separator && view->top && t->rows.n > view->top)
		fprintf(out, "(%zu more rows)\n", t->rows.n - view->top);
	return ferror(out) ? -EIO : 0;
}
