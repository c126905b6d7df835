/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * floor [-x | -t | -s | -n] COMMAND...: runs it while a BPF program that does nothing is attached to sys_enter, with -x to sys_exit, too,
 * with -t as well, where they read the clock; with -s to sched_switch and sched_wakeup instead, with -n to sock_send_length,
 * sock_recv_length and the packets of the root of cgroup v2: what counting costs at least.
 * floor -r: "SECONDS" that the kernel takes to put a map into a map. It waits until no program has the one before: an RCU grace period.
 */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int attach(const char *hook, bool reads_clock)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int prog;

	opts.attach_btf_id = libbpf_find_vmlinux_btf_id(hook, BPF_TRACE_RAW_TP);
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "floor", "GPL", insns + !reads_clock, 2 + reads_clock, &opts);
	if (prog >= 0 && bpf_raw_tracepoint_open(NULL, prog) >= 0)
		return 0;
	perror("floor");
	return 1;
}

/* Packets pass. */
static int attach_packets(enum bpf_attach_type way)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const char *roots[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = way);
	int prog = bpf_prog_load(BPF_PROG_TYPE_CGROUP_SKB, "floor", "GPL", pass, 2, &opts);

	for (int i = 0; i < 2 && prog >= 0; i++) {
		int root = open(roots[i], O_RDONLY | O_DIRECTORY);

		if (root >= 0 && bpf_link_create(prog, root, way, NULL) >= 0)
			return 0;
	}
	perror("floor");
	return 1;
}

static int put_map_into_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "floor", 4, 8, 1, NULL), outer, zero = 0;
	struct timespec t, end;

	opts.inner_map_fd = inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "floor_of", 4, 4, 1, &opts);
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (inner < 0 || outer < 0 || bpf_map_update_elem(outer, &zero, &inner, BPF_ANY) < 0) {
		perror("floor");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.4f\n", end.tv_sec - t.tv_sec + (end.tv_nsec - t.tv_nsec) / 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int status, reads_clock = !strcmp(how, "-t"), is_exit = reads_clock || !strcmp(how, "-x"), is_sched = !strcmp(how, "-s");
	int is_net = !strcmp(how, "-n");

	if (!strcmp(how, "-r"))
		return put_map_into_map();
	argv += is_exit || is_sched || is_net;
	if (!argv[1])
		return 2;
	if (is_net && (attach("sock_send_length", 0) || attach("sock_recv_length", 0) || attach_packets(BPF_CGROUP_INET_INGRESS) ||
		       attach_packets(BPF_CGROUP_INET_EGRESS)))
		return 1;
	if (!is_net && (attach(is_sched ? "sched_switch" : "sys_enter", reads_clock) || (is_exit && attach("sys_exit", reads_clock)) ||
			(is_sched && attach("sched_wakeup", 0))))
		return 1;
	if (!fork()) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
