/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep net: packets and bytes of each process, sent and received. */
#include <errno.h>
#include <stdlib.h>

#include "capture/source/net.h"
#include "cmd/cmd.h"
#include "cmd/kernel_names.h"
#include "cmd/run.h"

#define FLOWS_MOST (1 << 22)

struct net_options {
	struct target target;
	struct view_options view;
	uint64_t flows_max;
	bool conn, events, stacks;
	struct honesty h;
};

static const struct opt what_opts[] = {
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct net_options, view.by),
	  "a row for each comm, pid, user, cgroup, proto, lport, remote, rport, iface, netns (default: comm,pid)" },
	{ 0, "conn", NULL, OPT_FLAG, offsetof(struct net_options, conn),
	  "a line for each connection when it ends: start, duration, state, bytes both ways, who closed it" },
	{ 0, "events", NULL, OPT_FLAG, offsetof(struct net_options, events),
	  "a line for each connect, accept, close, retransmit and drop, as it happens" },
	{ 'g', NULL, NULL, OPT_FLAG, offsetof(struct net_options, stacks), "with --events: the kernel stack of each event" },
	{ 0, "sort", "WHAT", OPT_TEXT, offsetof(struct net_options, view.sort),
	  "sort the rows by WHAT, largest first: bytes (default), sent, received, packets, retransmits, drops",
	  .values = "bytes|sent|received|packets|retransmits|drops" },
	{ 0, "max-sockets", "N", OPT_U64, offsetof(struct net_options, flows_max),
	  "at most N sockets at a time (default 131072); further sockets share one row" },
	{ 0 },
};

static const struct opt_rule net_rules[] = {
	{ "conn", .not_with = "events" },
	{ "conn|events", .not_with = "by|sort|top|interval-print" },
	{ "g", .needs = "events" },
	{ 0 },
};

static const struct opt_group net_groups[] = {
	{ "Who", target_opts, offsetof(struct net_options, target), target_rules },
	{ "Table", what_opts, 0, net_rules },
	{ "Output", view_opts, offsetof(struct net_options, view) },
	{ "Output", format_opts, offsetof(struct net_options, view) },
	{ "Output", output_opts, offsetof(struct net_options, view) },
	{ "Honesty", honesty_opts, offsetof(struct net_options, h) },
	{ 0 },
};

static int check(const struct net_options *o, struct err *err)
{
	if (o->target.cpus.n)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-C works with counters only: a packet may arrive on any CPU");
	if (o->flows_max > FLOWS_MOST)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--max-sockets is at most %d", FLOWS_MOST);
	return 0;
}

static int forget_counts(void *arg, const struct session *session)
{
	struct run *run = arg;

	(void)session;
	run->profile.seen = run->profile.kept = 0; /* all that the kernel reported, of whatever socket */
	return 0;
}

static int net_main(void *cfg, char **operands, struct err *err)
{
	static const struct run_hooks of_events = { .at_end = forget_counts };
	struct net_options *o = cfg;
	const struct schema *schema = o->conn ? &net_conn_schema : o->events ? &net_event_schema : &net_schema;
	struct session_cfg session = { .target = &o->target, .nr_sources = 1 };
	struct kernel_names names = { 0 };
	struct net_cfg net = { .connections = o->conn, .events = o->events, .stacks = o->stacks, .flows_max = o->flows_max,
			       .names = { kernel_name, &names }, .bpf_stats = o->h.receipt };
	struct run_cfg view = { 0 };
	struct run run = { 0 };
	int status = 0, ret;

	o->target.argv = operands[0] ? operands : NULL;
	ret = target_check(&o->target, err);
	if (!ret)
		ret = check(o, err);
	if (!ret)
		ret = run_view(&o->view, schema, o->conn || o->events ? "comm" : "comm,pid", &view, err);
	if (!ret) {
		view.is_stream = o->conn || o->events;
		view.nothing = o->conn ? "no matching connection ended" :
			       o->events ? "no connect, accept, close, retransmit or drop of a matching socket" : "no matching packet was sent or received";
		net.is_whole = target_is_whole(&o->target);
		if (!view.is_stream) {
			net.keys = net_keys(view.keys);
			view.hide = net.keys & ~view.keys & ~(1ull << NET_COL_START);
			view.keys = net.keys;
		}
		ret = run_open(&run, &view, err);
		session.sources[0] = ret ? NULL : src_net_new(&net);
		ret = ret ? ret : run_session(&run, &session, o->events ? &of_events : NULL, &status, err);
		ret = run_close(&run, ret, err);
		kernel_names_close(&names);
	}
	target_free(&o->target);
	return ret ? ret : run_end(&run, &o->h, status, err);
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
