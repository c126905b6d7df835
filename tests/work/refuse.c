/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* refuse CALL,... COMMAND: those system calls fail with EPERM, as in a container with a seccomp filter. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	int nr;
} calls[] = {
	{ "bpf", SYS_bpf },
	{ "perf_event_open", SYS_perf_event_open },
	{ "pidfd_open", SYS_pidfd_open },
	{ "prlimit64", SYS_prlimit64 },
};
#define NR_CALLS (sizeof(calls) / sizeof(*calls))

int main(int argc, char **argv)
{
	struct sock_filter code[2 * NR_CALLS + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog prog = { 1, code };

	if (argc < 3)
		return 2;
	for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < NR_CALLS && strcmp(calls[i].name, name))
			i++;
		if (i == NR_CALLS)
			return 2;
		code[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, 1);
		code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog)) {
		perror("refuse");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
