// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, counts of system calls: one program on entry and one on exit for all of them. Each CPU has a page of its own, reached
 * through an array, whose look-up is inlined on every kernel; a per-CPU map's is not.
 *
 * Where these tracepoints may be preempted (7.2, with sleepable programs) the kernel skips the program for all other tasks of the
 * CPU until the one in it goes on: calls are lost by the hundreds. There the slower way through perf's tracepoints is used,
 * which turns preemption off. So additions need not be atomic: no interrupt makes a system call.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/syscalls.h"
#include "lib/filter.bpf.h"
#include "lib/syscall.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* one a CPU, by its number */
	__type(key, __u32);
	__type(value, struct syscall_tally);
} tallies SEC(".maps");

static __always_inline int pass(struct syscall_tally *t, __u64 task)
{
	__u64 epoch;
	int answer;

	if (!run_armed)
		return 0;
	if (!(cfg_filter & ~FILTER_IDLE)) /* no task that calls is the idle one */
		return 1;
	/* What a name, a user or a cgroup says may change with no event that we see, and the number of a thread that calls exec. */
	if (cfg_filter & (FILTER_CGROUPS | FILTER_UIDS | FILTER_COMMS | FILTER_TIDS))
		return filter_pass(bpf_get_current_pid_tgid());
	epoch = ((__u64)targets_epoch + forks_epoch) << 1;
	if (t->task == task && (t->checked & ~1ull) == epoch)
		return t->checked & 1;
	answer = filter_pass(bpf_get_current_pid_tgid());
	t->task = task;
	t->checked = epoch | answer;
	return answer;
}

static __always_inline struct syscall_tally *tally(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&tallies, &cpu);
}

/*
 * regs: of the hook. They lie at one place in the task's kernel stack: their address is the task's own while it lives. NULL: the hook
 * passes none.
 */
static __always_inline int count(struct pt_regs___kernel *regs, __u64 nr, int is_exit)
{
	struct syscall_tally *t = tally();
	__u32 abi;

	if (!t || !pass(t, regs ? (__u64)regs : (__u64)current_task()))
		return 0;
	abi = syscall_abi_of(regs ? regs_are_compat(regs) : is_compat(), &nr);
	if (nr < SYSCALL_NR_MAX)
		t->calls[is_exit][abi][nr]++;
	else
		t->unknown[is_exit]++;
	return 0;
}

SEC("?tp_btf/sys_enter")
int btf_enter(__u64 *ctx)
{
	return count((void *)ctx[0], ctx[1], 0);
}

SEC("?tp_btf/sys_exit")
int btf_exit(__u64 *ctx)
{
	return count((void *)ctx[0], syscall_nr_at_exit(ctx), 1);
}

SEC("?tp/raw_syscalls/sys_enter")
int tp_enter(__u64 *ctx)
{
	return count(NULL, ctx[1], 0);
}

SEC("?tp/raw_syscalls/sys_exit")
int tp_exit(__u64 *ctx)
{
	return count(NULL, ctx[1], 1);
}
