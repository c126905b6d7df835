/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep net: packets and bytes of each process, sent and received. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/session.h"
#include "capture/source/net.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/net_keys.h"
#include "cmd/net_names.h"
#include "cmd/stat_out.h"
#include "render/rows/net.h"
#include "util/clock.h"
#include "util/interrupt.h"

#define INTERVAL_MIN_MS 10
#define INTERVAL_MAX_MS 86400000
#define FLOWS_MOST (1 << 22)
#define SYMBOL_BYTES 512

struct net_options {
	struct target target;
	const char *by, *sort, *format, *out;
	uint64_t duration_ns, interval_ms, top, flows_max;
	bool conn, events, stacks;
	struct honesty h;
};

static const struct opt view_opts[] = {
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct net_options, by),
	  "a row for each comm, pid, user, cgroup, proto, lport, remote, rport, iface, netns (default: comm,pid)", NULL, false, NULL },
	{ 0, "conn", NULL, OPT_FLAG, offsetof(struct net_options, conn),
	  "a line for each connection when it ends: start, duration, state, bytes both ways, who closed it", NULL, false, NULL },
	{ 0, "events", NULL, OPT_FLAG, offsetof(struct net_options, events),
	  "a line for each connect, accept, close, retransmit and drop, as it happens", NULL, false, NULL },
	{ 'g', NULL, NULL, OPT_FLAG, offsetof(struct net_options, stacks), "with --events: the kernel stack of each event", NULL, false, NULL },
	{ 0, "sort", "WHAT", OPT_TEXT, offsetof(struct net_options, sort),
	  "sort the rows by KEY, largest first: bytes (default), sent, received, packets, retransmits, drops", NULL, false,
	  "bytes|sent|received|packets|retransmits|drops" },
	{ 0, "top", "N", OPT_U64, offsetof(struct net_options, top), "only the first N rows", NULL, false, NULL },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct net_options, duration_ns), "stop after TIME (10, 500ms, 2m), and stop COMMAND",
	  NULL, false, NULL },
	{ 'I', "interval-print", "MS", OPT_U64, offsetof(struct net_options, interval_ms), "a table every MS milliseconds", NULL, false, NULL },
	{ 0, "max-sockets", "N", OPT_U64, offsetof(struct net_options, flows_max),
	  "at most N sockets at a time (default 131072); further sockets share one row", NULL, false, NULL },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct net_options, format), "text, csv or json (an object a line)", NULL, false,
	  "text|csv|json" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct net_options, out), "write to FILE instead of standard output", NULL, false, NULL },
	{ 0 },
};

static const struct opt_group net_groups[] = {
	{ "Who", target_opts, offsetof(struct net_options, target) },
	{ "Output", view_opts, 0 },
	{ "Honesty", honesty_opts, offsetof(struct net_options, h) },
	{ 0 },
};

struct net_run {
	struct sink sink;
	const struct net_options *o;
	enum net_sort sort;
	struct net_table table;
	struct net_view view;
	struct net_event_view event_view;
	struct net_names names;
	struct stat_out out;
	size_t nr_rows;	   /* shown so far */
	uint64_t round_ns; /* when the last round ended, from the start on */
	uint64_t beyond;   /* packets that no interface counted */
};

static int take(struct sink *sink, const struct net_sample *s)
{
	return net_table_add(&((struct net_run *)sink)->table, s);
}

static int take_device(struct sink *sink, const struct net_device *d)
{
	return net_table_add_device(&((struct net_run *)sink)->table, d);
}

/* A kernel without reasons tells where: "tcp_v4_rcv+0x50". */
static int take_dropped(struct sink *sink, const struct net_dropped *d)
{
	struct net_run *run = (struct net_run *)sink;
	char place[SYMBOL_BYTES];

	if (!d->reason && net_name(&run->names, d->place, place, sizeof(place)))
		snprintf(place, sizeof(place), "%#llx", (unsigned long long)d->place);
	return net_table_add_dropped(&run->table, d, d->reason ? d->reason : place);
}

static int take_event(struct sink *sink, const struct net_event *e, const char *reason)
{
	struct net_run *run = (struct net_run *)sink;

	if (!run->table.is_whole && !e->owner.is_target)
		return 0;
	run->nr_rows++;
	stat_out_fresh(&run->out);
	return render_net_event(run->out.stream, e, reason, &run->event_view);
}

static int flush_events(struct sink *sink)
{
	return fflush(((struct net_run *)sink)->out.stream) ? -errno : 0;
}

/* Those that have ended, when they do, and the others in the one look at the end. */
static int take_connection(struct sink *sink, const struct net_sample *s)
{
	struct net_run *run = (struct net_run *)sink;

	if (!s->flow || !(run->table.is_whole || s->owner->is_target))
		return 0;
	run->nr_rows++;
	stat_out_fresh(&run->out);
	return render_connection(run->out.stream, s, now_ns(), &run->view);
}

static int print_round(struct sink *sink, uint64_t since_start_ns)
{
	struct net_run *run = (struct net_run *)sink;
	int ret = net_table_round(&run->table, run->sort);

	if (ret)
		return ret;
	stat_out_fresh(&run->out);
	run->view.round_ns = since_start_ns - run->round_ns;
	run->round_ns = since_start_ns;
	run->view.since_start_ns = run->o->interval_ms ? since_start_ns : 0;
	run->nr_rows += run->table.rows.n;
	run->beyond += run->table.beyond[NET_TX] + run->table.beyond[NET_RX];
	ret = render_net(run->out.stream, &run->table, &run->view);
	run->view.no_head = true;
	return fflush(run->out.stream) ? -errno : ret;
}

static int check(struct net_run *run, struct net_cfg *cfg, uint32_t *ret_by, struct err *err)
{
	const struct net_options *o = run->o;
	int ret = net_keys_parse(o->by ? o->by : "comm,pid", ret_by, err);

	if (!ret)
		ret = net_sort_parse(o->sort ? o->sort : "bytes", &run->sort, err);
	if (!ret && o->interval_ms && (o->interval_ms < INTERVAL_MIN_MS || o->interval_ms > INTERVAL_MAX_MS))
		ret = err_exit(err, -ERANGE, EXIT_USAGE, "bad interval %llu: %d to %d ms", (unsigned long long)o->interval_ms, INTERVAL_MIN_MS,
			       INTERVAL_MAX_MS);
	if (!ret && o->target.cpus.n)
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "-C works with counters only: a packet may arrive on any CPU");
	if (!ret && o->flows_max > FLOWS_MOST)
		ret = err_exit(err, -ERANGE, EXIT_USAGE, "--max-sockets is at most %d", FLOWS_MOST);
	if (!ret && (o->conn || o->events) && (o->by || o->sort || o->top || o->interval_ms))
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "--conn and --events cannot be combined with --by, --sort, --top or -I");
	if (!ret && o->conn && o->events)
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "--conn and --events exclude each other");
	if (!ret && o->stacks && !o->events)
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "-g needs --events");
	if (ret)
		return ret;
	*cfg = (struct net_cfg){ .by_iface = *ret_by & NET_BY_IFACE, .by_peer = *ret_by & (NET_BY_REMOTE | NET_BY_RPORT),
				 .by_port = *ret_by & NET_BY_RPORT, .at_once = o->conn,
				 .events = o->events, .stacks = o->stacks, .flows_max = o->flows_max, .bpf_stats = o->h.receipt };
	run->view = (struct net_view){ .by = *ret_by, .top = o->top, .cgroup_path = target_cgroup_path,
				       .json = o->format && !strcmp(o->format, "json"),
				       .separator = o->format && !strcmp(o->format, "csv") ? "," : NULL };
	return 0;
}

static void add_notes(const struct net_run *run, struct profile *profile)
{
	if (run->beyond)
		profile_note(profile,
				"%llu packets of sockets are missing from the interfaces' counters: they were dropped, or put together from fragments",
			     (unsigned long long)run->beyond);
	if (run->o->events) /* all that the kernel told, of whatever socket */
		profile->seen = profile->kept = 0;
	if (!run->nr_rows)
		profile_note(profile, "no matching packet was sent or received");
}

static int measure(struct net_run *run, const struct net_cfg *net, struct profile *profile, int *ret_status, struct err *err)
{
	const struct net_options *o = run->o;
	sigset_t mask;
	struct session_cfg cfg = { .target = &o->target, .sources = { src_net_new(net) }, .nr_sources = 1, .command_mask = &mask,
				   .duration_ns = o->duration_ns, .interval_ns = o->interval_ms * 1000000 };
	struct session *session;
	int ret;

	if (!cfg.sources[0])
		return -ENOMEM;
	interrupts_take(&mask);
	ret = session_open(&cfg, &session, err);
	if (ret)
		return ret;
	run->view.start_ns = now_ns();
	run->event_view = (struct net_event_view){ .json = run->view.json, .separator = run->view.separator, .start_ns = run->view.start_ns,
						   .name = net_name, .arg = &run->names };
	if (o->conn || o->events)
		stat_out_fresh(&run->out);
	if (o->conn)
		ret = render_connection(run->out.stream, NULL, 0, &run->view);
	else if (o->events)
		ret = render_net_event(run->out.stream, NULL, NULL, &run->event_view);
	ret = ret ? ret : session_run(session, &run->sink, err);
	if (!ret) {
		*ret_status = session_status(session);
		session_profile(session, profile);
		ret = o->conn || o->events ? 0 : print_round(&run->sink, session_duration_ns(session));
		add_notes(run, profile);
	}
	session_close(session);
	return ret;
}

static int net_main(void *cfg, char **operands, struct err *err)
{
	struct net_options *o = cfg;
	struct net_run run = { .sink = { .net = take, .net_device = take_device, .net_dropped = take_dropped, .interval = print_round }, .o = o };
	struct profile profile = { .title = command_line() };
	struct net_cfg net;
	int status = 0, ret;
	uint32_t by = 0;

	o->target.argv = operands[0] ? operands : NULL;
	ret = target_check(&o->target, err);
	if (!ret)
		ret = check(&run, &net, &by, err);
	if (!ret)
		ret = net_table_init(&run.table, by, o->target.all && !o->target.uids.n && !o->target.comms.n && !o->target.cgroups.n);
	if (o->conn)
		run.sink = (struct sink){ .net = take_connection };
	else if (o->events)
		run.sink = (struct sink){ .net_event = take_event, .round = flush_events };
	if (!ret) {
		ret = stat_out_open(&run.out, o->out ? o->out : "-", false, o->interval_ms || o->conn || o->events, err);
		ret = ret ? ret : measure(&run, &net, &profile, &status, err);
		ret = stat_out_close(&run.out, ret, err);
		net_names_close(&run.names);
		net_table_free(&run.table);
	}
	target_free(&o->target);
	if (ret)
		return ret;
	honesty_print(&o->h, &profile);
	return honesty_exit(&o->h, &profile, status, err);
}

const struct cmd cmd_net = {
	.name = "net",
	.summary = "packets and bytes of each process, sent and received",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = net_groups,
	.cfg_size = sizeof(struct net_options),
	.examples = "skep net -a --duration 2                  who sent and received what in the next 2 s\n"
		    "skep net -a -I 1000 --top 10 --duration 3    a table every second\n"
		    "skep net -a --by comm,proto,remote --duration 2\n"
		    "skep net --conn -- ping -c 1 localhost    its connections: how long, how many bytes\n"
		    "skep net -p 1234 --by iface --duration 2\n",
	.run = net_main,
};
