/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that count packets, and those that find whose they are: loaded, attached, started. */
#include "capture/source/net.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "capture/features.h"
#include "capture/load.h"
#include "capture/refusal.h"
#include "capture/source/net_parts.h"
#include "capture/tasks.h"
#include "types/btf.h"
#include "util/clock.h"

#define WHAT "the program that counts packets"
#define RING_BYTES (8u << 20) /* 20,000 sockets that end between two looks */
#define RING_LEAST 65536
#define PATHS_A_SOCKET 4
#define FLOWS_AT_ONCE 16384
#define DROP_ARGS_SOCKET 4 /* of kfree_skb, with the receiver's socket */

/* Every socket of IP is called by one of these (include/net/inet_common.h). inet_sendpage: before 6.5. */
static const struct {
	const char *func;
	bool sends, optional;
} calls[CALLS_MAX] = {
	{ "inet_sendmsg", true, false },  { "inet_recvmsg", false, false }, { "inet6_sendmsg", true, true },
	{ "inet6_recvmsg", false, true }, { "inet_sendpage", true, true },
};

static void set_knobs(struct src_net *src)
{
	struct net_bpf *skel = src->skel;
	struct net_bpf__rodata *ro = skel->rodata;
	uint64_t flows = src->cfg->flows_max ? src->cfg->flows_max : NET_FLOWS_DEFAULT, wake;
	uint32_t ended = src->cfg->ended_bytes ? src->cfg->ended_bytes : RING_BYTES;

	src->drop_args = btf_tracepoint_args(object_kernel_types(), "kfree_skb");
	src->has_typed = btf_tracepoint_args(object_kernel_types(), "sock_send_length") > 0;
	ro->cfg_by_iface = net_by_iface(src->cfg);
	ro->cfg_by_peer = net_by_peer(src->cfg);
	ro->cfg_by_port = net_by_port(src->cfg);
	ro->cfg_drop_args = src->drop_args;
	ro->cfg_events = src->cfg->events;
	ro->cfg_stacks = src->cfg->stacks;
	bpf_map__set_max_entries(skel->maps.events, src->cfg->events ? RING_BYTES : RING_LEAST);
	bpf_program__set_autoload(skel->progs.net_retransmit, src->cfg->events);
	/* Of paths, those that have ended are in the way until they are taken */
	wake = flows / 4 * sizeof(struct net_flow);
	ro->cfg_wake_bytes = src->cfg->connections ? 0 : wake < ended / 4 ? wake : ended / 4;
	ro->cfg_pidns_level = src->place->pidns.level;
	ro->cfg_pidns = src->place->pidns.ns;
	bpf_map__set_max_entries(skel->maps.ended, ended);
	bpf_map__set_max_entries(skel->maps.flows, flows);
	bpf_map__set_max_entries(skel->maps.parts, flows);
	bpf_map__set_max_entries(skel->maps.paths, net_is_path(src->cfg) ? flows * PATHS_A_SOCKET : 1);
	src->has_udp_full = src->drop_args < DROP_ARGS_SOCKET && btf_tracepoint_args(object_kernel_types(), "udp_fail_queue_rcv_skb") > 0;
	bpf_program__set_autoload(skel->progs.net_udp_full, src->has_udp_full);
	bpf_program__set_autoload(skel->progs.net_sent, src->has_typed);
	bpf_program__set_autoload(skel->progs.net_received, src->has_typed);
	src->base.cgroup_ids = ro->cfg_cgroup_ids;
	src->base.watched[0] = src->has_typed ? skel->progs.net_sent : NULL;
	src->base.watched[1] = src->has_typed ? skel->progs.net_received : NULL;
	src->base.watched[2] = skel->progs.net_state;
	src->base.watched[3] = skel->progs.net_destroy;
	if (!src->has_typed && feature_use(FEATURE_KPROBE)) {
		/* Before 6.1 memory for kprobes' maps is taken at the start, or the kernel warns: 2af30f115d60 */
		if (!src->cfg->flows_max)
			flows = FLOWS_AT_ONCE;
		bpf_map__set_map_flags(skel->maps.flows, 0);
		bpf_map__set_map_flags(skel->maps.parts, 0);
		bpf_map__set_max_entries(skel->maps.flows, flows);
		bpf_map__set_max_entries(skel->maps.parts, flows < FLOWS_AT_ONCE ? flows : FLOWS_AT_ONCE);
		bpf_program__set_autoload(skel->progs.net_send_call, true);
		bpf_program__set_autoload(skel->progs.net_receive_call, true);
		src->nr_calls = CALLS_MAX;
	}
}

/* The root of cgroup v2 by a mount of our own that nobody sees (5.2); else where it is mounted. A descriptor or -errno. */
static int open_root(void)
{
	char path[4096];
	int fs = fsopen("cgroup2", FSOPEN_CLOEXEC), mnt = -1, fd = -1;

	if (fs >= 0 && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (mnt >= 0) {
		fd = openat(mnt, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(mnt);
	}
	if (fs >= 0)
		close(fs);
	if (fd >= 0)
		return fd;
	if (target_cgroup_mount(path, sizeof(path)))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attach_root(struct bpf_program *prog, int root_fd, struct bpf_link **ret_link, struct err *err)
{
	*ret_link = bpf_program__attach_cgroup(prog, root_fd);
	return *ret_link ? 0 : err_exit(err, -errno, EXIT_CANNOT, "cannot attach to the root of cgroup v2: %s", strerror(errno));
}

static int attach_calls(struct src_net *src, struct err *err)
{
	for (int i = 0; i < src->nr_calls; i++) {
		const struct bpf_program *prog = calls[i].sends ? src->skel->progs.net_send_call : src->skel->progs.net_receive_call;

		if (!calls[i].func)
			continue;
		src->calls[i] = bpf_program__attach_kprobe(prog, false, calls[i].func);
		if (!src->calls[i] && !calls[i].optional)
			return err_exit(err, -errno, EXIT_CANNOT, "cannot attach to %s: %s", calls[i].func, strerror(errno));
	}
	return 0;
}

/* Who uses sockets first, then their packets. */
static int attach_all(struct src_net *src, struct err *err)
{
	struct net_bpf *skel = src->skel;
	int root_fd, ret = 0;

	if (src->has_typed)
		ret = base_attach(skel->progs.net_sent, &skel->links.net_sent, err);
	if (!ret && src->has_typed)
		ret = base_attach(skel->progs.net_received, &skel->links.net_received, err);
	if (!ret)
		ret = attach_calls(src, err);
	if (!ret)
		ret = base_attach(skel->progs.net_state, &skel->links.net_state, err);
	if (!ret)
		ret = base_attach(skel->progs.net_destroy, &skel->links.net_destroy, err);
	if (!ret)
		ret = base_attach(skel->progs.net_drop, &skel->links.net_drop, err);
	if (!ret && src->has_udp_full)
		ret = base_attach(skel->progs.net_udp_full, &skel->links.net_udp_full, err);
	if (!ret && src->cfg->events)
		ret = base_attach(skel->progs.net_retransmit, &skel->links.net_retransmit, err);
	if (ret)
		return ret;
	root_fd = open_root();
	if (root_fd < 0)
		return err_exit(err, root_fd, EXIT_CANNOT, "cannot open the root of cgroup v2, where packets are counted: %s", strerror(-root_fd));
	ret = attach_root(skel->progs.net_create, root_fd, &skel->links.net_create, err);
	if (!ret)
		ret = attach_root(skel->progs.net_release, root_fd, &skel->links.net_release, err);
	if (!ret)
		ret = attach_root(skel->progs.net_egress, root_fd, &skel->links.net_egress, err);
	if (!ret)
		ret = attach_root(skel->progs.net_ingress, root_fd, &skel->links.net_ingress, err);
	close(root_fd);
	return ret;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_net *src = (struct src_net *)source;
	int ret;

	src->place = place;
	src->cpus = libbpf_num_possible_cpus();
	if (!object_kernel_types())
		return err_exit(err, -EBADMSG, EXIT_CANNOT, "cannot read the kernel's types in /sys/kernel/btf/vmlinux");
	ret = BASE_OPEN(&src->base, src->skel, net, err);
	if (ret)
		return ret;
	set_knobs(src);
	ret = kernel_check_net(err);
	if (!ret)
		ret = base_load(&src->base, place, err);
	if (ret)
		return ret;
	ret = rings_watch(&src->rings, bpf_map__fd(src->skel->maps.ended), err);
	if (!ret && src->cfg->events)
		ret = rings_watch(&src->events, bpf_map__fd(src->skel->maps.events), err);
	if (!ret)
		ret = attach_all(src, err);
	source->note = src->has_typed  ? "tracepoints of sockets report who sends and receives" :
		       src->nr_calls ? "kprobes on inet_sendmsg and inet_recvmsg report who sends and receives" :
				       "this kernel does not report who sends and receives: a socket's packets count for its last owner";
	return ret;
}

static int ring_fd(const struct source *source, uint32_t index)
{
	const struct src_net *src = (const struct src_net *)source;

	if (index == 1 && src->cfg->events)
		return rings_fd(&src->events);
	return index ? -1 : rings_fd(&src->rings);
}

static void start(struct source *source)
{
	struct src_net *src = (struct src_net *)source;

	src->start_ns = now_ns();
	src->no_devices = netdevs_open(src->place->target->all, &src->devs);
	base_arm(&src->base);
}

/* After a barrier of all CPUs no packet is being counted any more. */
static void stop(struct source *source)
{
	struct src_net *src = (struct src_net *)source;

	base_disarm(&src->base);
	tasks_barrier();
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_net *src = (const struct src_net *)source;
	uint64_t sum[COUNT_MAX], n = base_missed(&src->base);

	base_counts(&src->base, sum);
	profile->seen += sum[COUNT_SEEN]; /* of events */
	base_profile(&src->base, sum, profile);
	if (src->rows.beyond)
		profile_note(profile,
			     "%llu packets of sockets are missing from the interfaces' counters: they were dropped, or put together from fragments",
			     (unsigned long long)src->rows.beyond);
	if (src->no_devices)
		profile_note(profile, "the interfaces' counters could not be read: there are no rows of (no socket)");
	if (n)
		profile_note(profile, "the kernel skipped %llu looks at who sends or receives, or at the state of connections",
			     (unsigned long long)n);
}

static void close_source(struct source *source)
{
	struct src_net *src = (struct src_net *)source;

	for (int i = 0; i < CALLS_MAX; i++)
		bpf_link__destroy(src->calls[i]);
	rings_close(&src->rings);
	rings_close(&src->events);
	base_close(&src->base);
	netdevs_close(src->devs);
	vec_free(&src->ended);
	vec_free(&src->parts);
	vec_free(&src->gone);
	vec_free(&src->gone_drops);
	vec_free(&src->left);
	net_rows_free(&src->rows);
	free(src);
}

struct source *src_net_new(const struct net_cfg *cfg)
{
	struct src_net *src = calloc(1, sizeof(*src));

	if (!src || net_rows_init(&src->rows, cfg->keys, cfg->is_whole)) {
		free(src);
		return NULL;
	}
	src->source = (struct source){
		.is_bpf = true,
		.open = open_source,
		.fd = ring_fd,
		.start = start,
		.stop = stop,
		.drain = net_drain,
		.snapshot = net_snapshot,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .has_stats = cfg->bpf_stats, .has_idle = true };
	src->cfg = cfg;
	return &src->source;
}
