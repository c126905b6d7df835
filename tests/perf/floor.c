/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * floor [-x] COMMAND...: runs it while a BPF program that does nothing is attached to sys_enter, and with -x to sys_exit, too:
 * what counting costs at least.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int attach(const char *hook)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int prog;

	opts.attach_btf_id = libbpf_find_vmlinux_btf_id(hook, BPF_TRACE_RAW_TP);
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "floor", "GPL", nothing, 2, &opts);
	if (prog >= 0 && bpf_raw_tracepoint_open(NULL, prog) >= 0)
		return 0;
	perror("floor");
	return 1;
}

int main(int argc, char **argv)
{
	int status, is_both = argc > 1 && !strcmp(argv[1], "-x");

	argv += is_both;
	if (argc - is_both < 2)
		return 2;
	if (attach("sys_enter") || (is_both && attach("sys_exit")))
		return 1;
	if (!fork()) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
