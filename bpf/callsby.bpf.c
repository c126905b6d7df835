// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, system calls by any key: counted on entry, or, if their result is requested (errors, time), on return. The CPU
 * is a part of every key, so no two CPUs write the same entry; the look-up takes no lock. A per-CPU hash does not work: it allocates
 * memory in pieces that run out after some hundred new keys in a row.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "lib/by.bpf.h"
#include "lib/uring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_at_exit = 1;
const volatile __u32 cfg_time = 1;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC); /* tracing programs may, and memory is only for rows that are there */
	__uint(max_entries, BY_ROWS_DEFAULT);
	__uint(key_size, BY_KEY_MAX); /* no type: user space makes it as long as the key is */
	__uint(value_size, sizeof(struct by_sum));
} rows SEC(".maps");

/* What did not fit into `rows`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct by_sum);
} other SEC(".maps");

/* A call that has not returned. */
struct call {
	__u64 since_ns;
	__u32 call, is_open;
	__u32 epoch, is_first; /* which opencall.bpf.h needs */
};

#include "lib/opencall.bpf.h"

static __always_inline struct by_sum *find_key(const __u64 *key)
{
	struct by_sum *sum;
	__u32 zero = 0;

	sum = bpf_map_lookup_elem(&rows, key);
	if (!sum) {
		struct by_sum empty = {};

		bpf_map_update_elem(&rows, key, &empty, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&rows, key);
	}
	return sum ? sum : bpf_map_lookup_elem(&other, &zero);
}

static __always_inline struct by_sum *find_row(struct task_struct *current, __u32 call, __u32 error)
{
	__u64 key[BY_KEY_MAX / sizeof(__u64)];

	by_key_fill(key, current, current_id(current), call, error);
	return find_key(key);
}

/* is_shared: an interrupt of this CPU may write the same row. */
#define ADD(to, n, is_shared) (void)((is_shared) ? __sync_fetch_and_add(&(to), (n)) : ((to) += (n)))

static __always_inline void count_end(struct by_sum *sum, __u32 error, int is_shared)
{
	ADD(sum->calls, 1, is_shared);
	if (error)
		ADD(sum->errors, 1, is_shared);
}

static __always_inline void count_time(struct by_sum *sum, __u64 took, int is_shared)
{
	ADD(sum->total_ns, took, is_shared);
	if (took > sum->max_ns)
		sum->max_ns = took;
	if (~took > sum->not_min_ns)
		sum->not_min_ns = ~took;
	ADD(sum->slots[by_slot(took)], 1, is_shared);
}

static __always_inline int enter(__u64 nr)
{
	struct task_struct *current;
	struct by_sum *sum;
	struct call *call;
	__u32 abi;

	if (!run_armed)
		return 0;
	current = current_task();
	abi = syscall_abi_of(task_is_compat(current), &nr);
	if (!wanted(abi, nr))
		return 0;
	if (nr >= SYSCALL_NR_MAX)
		nr = SYSCALL_NR_MAX;
	if (!cfg_at_exit) {
		sum = filter_pass(current_id(current)) && !filter_leaves_out() ? find_row(current, abi << 16 | nr, 0) : NULL;
		if (sum)
			sum->calls++;
		return 0;
	}
	call = pass(current, nr);
	if (!call)
		return 0;
	if (!call->is_first && filter_leaves_out()) {
		call->is_open = 0;
		return 0;
	}
	if (!call->is_first)
		loss_count_alone(COUNT_SEEN);
	call->call = abi << 16 | nr;
	call->is_open = 1;
	if (cfg_time)
		call->since_ns = bpf_ktime_get_ns();
	return 0;
}

/* No filter: who passed it on entry is measured on return, whatever the call made of the task. */
static __always_inline int leave(__s64 ret)
{
	__u32 error = ret < 0 && ret >= -SYSCALL_ERRNO_MAX ? -ret : 0;
	struct task_struct *current;
	__u64 took = 0;
	struct by_sum *sum;
	struct call *call;

	if (!run_armed)
		return 0;
	current = current_task();
	call = find_call(current, current_id(current), 0);
	if (!call || !call->is_open)
		return 0;
	if (call->is_first) {
		call->is_open = filter_pass(current_id(current));
		if (!call->is_open) {
			forget_call(current_id(current));
			return 0;
		}
		loss_count_alone(COUNT_SEEN);
	}
	if (cfg_time)
		took = bpf_ktime_get_ns() - call->since_ns;
	sum = find_row(current, call->call, error);
	call->is_open = 0;
	forget_call(current_id(current));
	if (!sum)
		return 0;
	count_end(sum, error, 0);
	if (cfg_time)
		count_time(sum, took, 0);
	return 0;
}

/* Two ways to the same hooks: syscalls.bpf.c says why. In both preemption is off, and no interrupt makes a system call. */
SEC("?tp_btf/sys_enter")
int btf_enter(__u64 *ctx)
{
	return enter(ctx[1]);
}

SEC("?tp_btf/sys_exit")
int btf_exit(__u64 *ctx)
{
	return leave(ctx[1]);
}

SEC("?tp/raw_syscalls/sys_enter")
int tp_enter(__u64 *ctx)
{
	return enter(ctx[1]);
}

SEC("?tp/raw_syscalls/sys_exit")
int tp_exit(__u64 *ctx)
{
	return leave(ctx[2]);
}

volatile __u64 uring_unseen = 0;  /* operations that have ended without a completion */
volatile __u64 uring_untimed = 0; /* those whose beginning was not seen */

/* The key of its row, but for the CPU and the error of its end. */
static __always_inline void uring_whose(struct uring_op *op, struct task_struct *owner)
{
	__u64 id = (__u64)(__u32)BPF_CORE_READ(owner, tgid) << 32 | (__u32)BPF_CORE_READ(owner, pid);
	void *key = op->whose;

	by_key_fill(key, NULL, id, SYSCALL_URING << 16 | op->sqe.opcode, 0);
	if (cfg_by & (BY_PID | BY_TID))
		*(__u64 *)(key + cfg_at.start) = cfg_by & BY_TID ? BPF_CORE_READ(owner, start_boottime) : BPF_CORE_READ(owner, group_leader, start_boottime);
	if (cfg_by & BY_COMM)
		comm_read(key + cfg_at.comm, owner);
}

/* Rows of operations are their own, but on some kernels an interrupt may complete one while the program runs for another. */
static __always_inline void uring_ended(struct uring_op *op, const struct uring_end *end)
{
	__u32 error = end->res < 0 && end->res >= -SYSCALL_ERRNO_MAX ? -end->res : 0;
	__u64 took = end->now_ns - op->start_ns, key[BY_KEY_MAX / sizeof(__u64)];
	struct by_sum *sum;

	if (end->flags & URING_NO_END) {
		__sync_fetch_and_add(&uring_unseen, 1);
		return;
	}
	if (filter_leaves_out())
		return;
	__builtin_memcpy(key, op->whose, sizeof(key));
	if (cfg_by & BY_CPU)
		*(__u32 *)((void *)key + cfg_at.cpu) = bpf_get_smp_processor_id();
	if (cfg_by & BY_ERRNO)
		*(__u32 *)((void *)key + cfg_at.error) = error;
	if (cfg_by & BY_SYSCALL)
		*(__u32 *)((void *)key + cfg_at.what) = SYSCALL_URING << 16 | op->sqe.opcode; /* it may have become unknown */
	sum = find_key(key);
	if (!sum)
		return;
	loss_count(COUNT_SEEN);
	count_end(sum, error, 1);
	if (end->flags & URING_NO_START)
		__sync_fetch_and_add(&uring_untimed, 1);
	else
		count_time(sum, took, 1);
}
