/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every program on a probe does first: whose hit it is, what its call was entered with, whether the probe's filter wants it.
 * Programs that include this are models: clones of them have the probe's own code and numbers (user/capture/source/probe_link.c).
 */
#ifndef SKEP_PROBE_BPF_H
#define SKEP_PROBE_BPF_H

#include <linux/ptrace.h>
#include <bpf/bpf_tracing.h>

#include "bpf/probe.h"
#include "lib/filter.bpf.h"
#include "lib/pidns.bpf.h"
#include "lib/syscall.bpf.h"

const volatile __u32 cfg_pidns_level = 1; /* 0: skep runs in the initial PID namespace */
const volatile __u64 cfg_pidns = 1;
/* Calls that have not returned yet. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROBE_CALLS_MAX);
	__type(key, struct probe_call_key);
	__type(value, struct probe_call);
} calls SEC(".maps");

/* Frames that are only counted. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[STACK_MAX_FRAMES + 1]);
} frames SEC(".maps");

const volatile __u32 cfg_never; /* 0, which the compiler does not know */

/*
 * Keeps the program's stack on that of its task. From 6.13 on (a76ab5731e32 "bpf: Find eligible subprogs for private stack support") the
 * stack of a kprobe's program is one for each CPU, as such programs do not run inside each other; but those of uprobes are preempted by
 * the next task's. Not so where a tail call is: this one is never reached, and the verifier removes it.
 */
static __always_inline void own_stack(void)
{
	if (cfg_never)
		asm volatile("call %0" : : "i"(BPF_FUNC_tail_call) : "r0", "r1", "r2", "r3", "r4", "r5");
}

#define MARK(name)                                                        \
	({                                                                \
		__u64 _value;                                             \
		asm volatile("%0 = %1 ll" : "=r"(_value) : "i"(name));    \
		_value;                                                   \
	})

/*
 * A probe's expressions. What is compiled here is never run: clones have another body at the same call. ask: enum probe_ask.
 */
static __attribute__((noinline)) int expr_body(void *ctx, void *to, struct probe_call *call, struct probe_info *info, __u64 ask)
{
	int ret;

	(void)MARK(PROBE_BODY_MARK);
	asm volatile("%0 = 1" : "=r"(ret) : "r"(ctx), "r"(to), "r"(call), "r"(info), "r"(ask) : "memory");
	return ret;
}

/* The compiler must not know the request, or it drops the argument where all calls pass the same. */
static __always_inline int expr_run(void *ctx, void *to, struct probe_call *call, struct probe_info *info, __u64 ask)
{
	asm volatile("" : "+r"(ask));
	return expr_body(ctx, to, call, info, ask);
}

/*
 * Of several scratches of a CPU: takes it if nobody has it. Two that meet may both leave it. No exchange: kernels before 5.12 refuse the
 * instruction even where it is never reached.
 */
static __always_inline int scratch_take(__u64 *users)
{
	__sync_fetch_and_add(users, 1);
	if (*(volatile __u64 *)users == 1)
		return 1;
	__sync_fetch_and_add(users, -1);
	return 0;
}

static __always_inline void scratch_give(__u64 *users)
{
	__sync_fetch_and_add(users, -1);
}

/* Which site: a number of the clone's own, or of the attachment. */
static __always_inline __u64 site_index(void *ctx)
{
	__u64 index = MARK(PROBE_INDEX_MARK);

	return index == PROBE_INDEX_COOKIE ? bpf_get_attach_cookie(ctx) : index;
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PROBE_CALL_ROWS);
	__type(key, __u32);
	__type(value, struct probe_call_sites);
} call_sites SEC(".maps");

/* On raw_syscalls: the site of this call and 1, or 0. The record: 8 bytes of all tracepoints, then the number. */
static __always_inline __u32 call_site(void *ctx, __u32 row)
{
	struct probe_call_sites *sites = bpf_map_lookup_elem(&call_sites, &row);
	__u64 nr = ((__u64 *)ctx)[1];

	if (!sites || nr >= SYSCALL_NR_MAX || !sites->site[nr] || is_compat())
		return 0;
	return sites->site[nr];
}

/* 0: not one of ours. Else what hit_index() wants to know. */
static __always_inline __u32 take_site(void *ctx)
{
	__u64 row = MARK(PROBE_CALLS_MARK);

	own_stack();
	return row == PROBE_NO_CALLS ? 1 : call_site(ctx, row);
}

static __always_inline void fill_info(struct probe_info *info, __u64 id)
{
	struct task_struct *task;

	info->pid = id >> 32;
	info->tid = (__u32)id;
	info->time_ns = bpf_ktime_get_ns();
	if (!cfg_pidns_level)
		return;
	task = (void *)bpf_get_current_task();
	info->tid = pidns_number(task, cfg_pidns_level, (void *)cfg_pidns);
	info->pid = pidns_number(BPF_CORE_READ(task, group_leader), cfg_pidns_level, (void *)cfg_pidns);
}

/* Frames of the stack that the probe is on: of the kernel's own, or of the process when the kernel has none. */
static __always_inline __u64 depth(void *ctx, __u64 flags)
{
	__u32 zero = 0;
	__u64 *ips = bpf_map_lookup_elem(&frames, &zero);
	long bytes = ips ? bpf_get_stack(ctx, ips, STACK_MAX_FRAMES * sizeof(*ips), flags) : 0;

	return bytes > 0 ? (__u64)bytes / sizeof(*ips) : 0;
}

#ifdef __TARGET_ARCH_x86
#define PROBE_RETURN_BYTES sizeof(long)
#else
#define PROBE_RETURN_BYTES 0
#endif

/*
 * Where the return address was. A return finds the stack one word higher on x86 (it is off the stack); how kernels before 6.0
 * tell that of a kernel function differs, so both are tried.
 */
static __always_inline struct probe_call *find_call(struct pt_regs *ctx, struct probe_call_key *key)
{
	struct probe_call *call;

	key->sp = PT_REGS_SP(ctx) - PROBE_RETURN_BYTES;
	call = bpf_map_lookup_elem(&calls, key);
	if (call || !PROBE_RETURN_BYTES)
		return call;
	key->sp += PROBE_RETURN_BYTES;
	return bpf_map_lookup_elem(&calls, key);
}

/* Is this hit to be reported? Fills info; *call is what was entered, for a return that wants it. */
static __always_inline int probe_take(void *ctx, __u64 want, struct probe_info *info, struct probe_call_key *key, struct probe_call **call)
{
	__u64 id = bpf_get_current_pid_tgid();
	int pass;

	if (want & PROBE_WANT_CALL) { /* the filter ran at its entry */
		key->id = id;
		key->index = site_index(ctx);
		*call = find_call(ctx, key);
		if (!*call || !run_armed)
			return 0;
	} else if (!filter_pass(id)) {
		return 0;
	}
	if (!(want & PROBE_WANT_FILTER) && filter_leaves_out())
		return 0;
	fill_info(info, id);
	if (want & PROBE_WANT_CALL)
		info->latency_ns = info->time_ns - (*call)->time_ns;
	if (want & PROBE_WANT_DEPTH)
		info->depth = depth(ctx, want & PROBE_WANT_USER ? BPF_F_USER_STACK : 0);
	if (!(want & PROBE_WANT_FILTER))
		return 1;
	pass = expr_run(ctx, info, *call, info, PROBE_ASK_FILTER);
	if (pass == PROBE_FAULT) {
		loss_count(COUNT_SEEN);
		loss_count(LOSS_READ_FAULT);
	}
	return pass == 1 && !filter_leaves_out();
}

/* Will the kernel omit the return of the user function that is entered? It says so only in its log. */
static __always_inline int is_too_deep(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return bpf_core_field_exists(task->utask) && BPF_CORE_READ(task, utask, depth) >= PROBE_RETURNS_MAX;
}

/* The entry of a user function whose return is probed: counts those that will be missing. */
SEC("?kprobe")
int probe_deep(struct pt_regs *ctx)
{
	if (is_too_deep() && filter_pass(bpf_get_current_pid_tgid()))
		loss_count(LOSS_TOO_DEEP);
	return 0;
}

/* The entry of a call whose return wants to know of it. */
SEC("?kprobe")
int probe_enter(struct pt_regs *ctx)
{
	struct probe_call_key key = { .id = bpf_get_current_pid_tgid() };
	__u64 want = MARK(PROBE_WANT_MARK);
	struct probe_call call = {};

	own_stack();
	if (!filter_pass(key.id))
		return 0;
	if (want & PROBE_WANT_USER && is_too_deep()) {
		loss_count(LOSS_TOO_DEEP);
		return 0;
	}
	key.index = site_index(ctx);
	key.sp = PT_REGS_SP(ctx);
	call.sp = key.sp;
	call.regs[0] = PT_REGS_PARM1(ctx);
	call.regs[1] = PT_REGS_PARM2(ctx);
	call.regs[2] = PT_REGS_PARM3(ctx);
	call.regs[3] = PT_REGS_PARM4(ctx);
	call.regs[4] = PT_REGS_PARM5(ctx);
#ifdef __TARGET_ARCH_x86
	call.regs[5] = ctx->r9;
#else
	call.regs[5] = ((__u64 *)ctx)[5];
	call.regs[6] = ((__u64 *)ctx)[6];
	call.regs[7] = ((__u64 *)ctx)[7];
#endif
	call.time_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&calls, &key, &call, BPF_ANY))
		loss_count(LOSS_CALLS_FULL);
	return 0;
}

#endif
