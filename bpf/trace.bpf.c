// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, system calls with their arguments: which memory is read of each call is in `plans`, set before the load. A record is put
 * together in a page of the CPU and copied into its ring with the length that it has. The programs of signals and ends of threads are in
 * lib/tracesignal.bpf.h, those of io_uring in lib/uring.bpf.h.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/trace.h"
#include "lib/tracecall.bpf.h"
#include "lib/tracefault.bpf.h"
#include "lib/tracerecord.bpf.h"
#include "lib/tracesignal.bpf.h"
#include "lib/tracestep.bpf.h"
#include "lib/unwind.bpf.h"
#include "lib/uring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_sigreturn = 15; /* native: its argument is the stack */
const volatile __u32 cfg_stacks = 1;

#define TRACE_UNWIND_SLOT 0 /* no two calls enter or return on a CPU at once */

/* Adds the user stack. */
static __always_inline void read_stack(void *ctx, struct page *p)
{
	__u32 at = piece_begin(p), nr = 0;
	struct stack_val *walk;
	__u64 *ips;

	if (at >= TRACE_DATA_MAX)
		return;
	ips = (__u64 *)(p->data + at + PIECE_BYTES);
	if (!cfg_unwind) {
		nr = stack_walk(ctx, ips, BPF_F_USER_STACK);
	} else {
		walk = unwind_walk_task(TRACE_UNWIND_SLOT, 1, p->rec.pid);
		if (!walk)
			return;
		nr = walk->nr & STACK_MAX_FRAMES;
		if (bpf_probe_read_kernel(ips, nr * sizeof(*ips), walk->ips))
			return;
	}
	nr &= STACK_MAX_FRAMES;
	piece_end(p, at, TRACE_STACK, nr * sizeof(*ips), 0);
}

/* A record of what is gone, or changed, when the call returns. */
static __noinline void write_entry(void *ctx, struct task_struct *current, struct call *call)
{
	struct page *p = page_get();

	if (!p) {
		loss_count(LOSS_INTERNAL);
		return;
	}
	begin_page(p, TRACE_ENTRY);
	copy_call(&p->rec, call);
	p->rec.time_ns = call->start_ns;
	p->rec.ret = 0;
	name_record(&p->rec, current, current_id(current));
	comm_of(p->rec.comm, current);
	read_steps(p, call->abi, call->nr, TRACE_AT_ENTRY);
	call->is_match = p->is_match;
	if (cfg_stacks && call->nr < SYSCALL_NR_MAX && plan_of(call->abi, call->nr)->when & TRACE_STACK_AT_ENTRY)
		read_stack(ctx, p);
	if (p->rec.nr_pieces)
		call->flags = emit(&p->rec, PAGE_BYTES) ? TRACE_NO_ENTRY : TRACE_HAS_ENTRY;
}

static __always_inline int has_entry(__u32 abi, __u64 nr)
{
	return nr < SYSCALL_NR_MAX && plan_of(abi, nr)->when & TRACE_AT_ENTRY;
}

/* regs NULL: the arguments are at `args`. */
static __always_inline void copy_args(struct call *call, struct pt_regs___kernel *regs, __u64 *args, __u32 abi)
{
	if (!regs) {
		for (int i = 0; i < TRACE_ARGS; i++)
			call->args[i] = args[i];
		return;
	}
#ifdef __TARGET_ARCH_x86
	if (abi == SYSCALL_COMPAT) {
		call->args[0] = (__u32)regs->bx;
		call->args[1] = (__u32)regs->cx;
		call->args[2] = (__u32)regs->dx;
		call->args[3] = (__u32)regs->si;
		call->args[4] = (__u32)regs->di;
		call->args[5] = (__u32)regs->bp;
		return;
	}
	call->args[0] = regs->di;
	call->args[1] = regs->si;
	call->args[2] = regs->dx;
	call->args[3] = regs->r10;
	call->args[4] = regs->r8;
	call->args[5] = regs->r9;
#else
	for (int i = 0; i < TRACE_ARGS; i++)
		call->args[i] = abi == SYSCALL_COMPAT ? (__u32)regs->regs[i] : regs->regs[i];
#endif
}

#define STACK_BYTES 16384 /* THREAD_SIZE of both machines, without KASAN: a task's registers are at its end */
#ifdef __TARGET_ARCH_x86
#define SIGNAL_MASK_AT 296 /* of struct ucontext, which begins where the handler has returned to: arch/x86/include/asm/sigframe.h */
#else
#define SIGNAL_MASK_AT 168 /* of struct rt_sigframe: arch/arm64/kernel/signal.c */
#endif

/* rt_sigreturn() takes what it restores from the stack: its first argument is to be the address of the signal mask there. */
static __always_inline void find_mask(struct task_struct *current, struct call *call, struct pt_regs___kernel *regs)
{
	if (call->nr != cfg_sigreturn || call->abi != SYSCALL_NATIVE)
		return;
	if (!regs && bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) /* 5.15 */
		regs = (void *)bpf_task_pt_regs(current);
	else if (!regs)
		regs = BPF_CORE_READ(current, stack) + STACK_BYTES - bpf_core_type_size(struct pt_regs___kernel);
	call->args[0] = regs ? BPF_CORE_READ(regs, sp) + SIGNAL_MASK_AT : 0;
}

static __always_inline int enter(void *ctx, struct pt_regs___kernel *regs, __u64 nr, __u64 *args)
{
	struct task_struct *current;
	struct call *call;
	__u32 abi;

	if (!run_armed || !may_be_wanted(nr))
		return 0;
	current = current_task();
	abi = syscall_abi_of(regs ? regs_are_compat(regs) : task_is_compat(current), &nr);
	if (!wanted(abi, nr))
		return 0;
	call = pass(current, nr);
	if (!call)
		return 0;
	copy_args(call, regs, args, abi);
	call->is_open = 0;
	if (nr < SYSCALL_NR_MAX && has_no_match(plan_of(abi, nr)->fds, call->args))
		return 0;
	call->is_left_out = !cfg_select && !call->is_first && filter_is_left_out();
	if (call->is_left_out && all_results_are_wanted()) {
		loss_count_alone(LOSS_BUDGET);
		return 0;
	}
	call->nr = nr < TRACE_NO_NR ? nr : TRACE_NO_NR;
	call->abi = abi;
	call->is_open = 1;
	call->flags = 0;
	call->is_match = 0;
	call->start_ns = bpf_ktime_get_ns();
	if (has_entry(abi, nr) && !call->is_left_out) {
		find_mask(current, call, regs);
		write_entry(ctx, current, call);
	}
	return 0;
}

static __noinline void write_call(void *ctx, struct task_struct *current, struct call *call, __s64 ret, __u64 now)
{
	struct page *p = page_get();

	if (!p) {
		loss_count(LOSS_INTERNAL);
		return;
	}
	begin_page(p, TRACE_CALL);
	copy_call(&p->rec, call);
	p->rec.time_ns = now;
	p->rec.ret = ret;
	name_record(&p->rec, current, current_id(current));
	comm_of(p->rec.comm, current);
	read_steps(p, call->abi, call->nr, TRACE_AT_EXIT);
	if (!ret && call->nr < SYSCALL_NR_MAX && plan_of(call->abi, call->nr)->when & TRACE_AGAIN)
		read_image(p, current);
	if (cfg_select && ((!p->is_match && !call->is_match) || filter_leaves_out()))
		return;
	if (cfg_stacks)
		read_stack(ctx, p);
	loss_count_alone(COUNT_SEEN);
	if (p->lost)
		tell_lost(p, now);
	if (emit(&p->rec, PAGE_BYTES))
		count_lost();
}

/* No filter: who passed it on entry is shown on return, whatever the call made of the task. */
static __always_inline int leave(void *ctx, __u64 nr, __s64 ret)
{
	struct task_struct *current;
	struct call *call;
	__u64 now;
	__u32 tid;

	if (!run_armed || !may_be_wanted(nr))
		return 0;
	current = current_task();
	tid = current_id(current);
	call = find_call(current, tid, 0);
	if (!call || !call->is_open)
		return 0;
	call->is_open = 0;
	now = bpf_ktime_get_ns();
	if (result_is_wanted(ret, now - call->start_ns) && (!call->is_first || filter_pass(current_id(current)))) {
		if (call->is_left_out)
			loss_count_alone(LOSS_BUDGET);
		else
			write_call(ctx, current, call, ret, now);
	}
	forget_call(tid);
	return 0;
}

/* Two ways to the same hooks: syscalls.bpf.c says why. In both preemption is off, and no interrupt makes a system call. */
SEC("?tp_btf/sys_enter")
int btf_enter(__u64 *ctx)
{
	return enter(ctx, (void *)ctx[0], ctx[1], NULL);
}

SEC("?tp_btf/sys_exit")
int btf_exit(__u64 *ctx)
{
	return leave(ctx, syscall_nr_at_exit(ctx), ctx[1]);
}

SEC("?tp/raw_syscalls/sys_enter")
int tp_enter(__u64 *ctx)
{
	__u64 args[TRACE_ARGS] = { ctx[2], ctx[3], ctx[4], ctx[5], ctx[6], ctx[7] };

	return enter(ctx, NULL, ctx[1], args);
}

SEC("?tp/raw_syscalls/sys_exit")
int tp_exit(__u64 *ctx)
{
	return leave(ctx, (__s64)ctx[1], ctx[2]);
}

static __always_inline int write_fault(struct bpf_perf_event_data *ctx, struct mapped *mapped)
{
	struct task_struct *current = current_task();
	struct page *p = page_get();

	if (!p) {
		loss_count(LOSS_INTERNAL);
		return 0;
	}
	begin_page(p, TRACE_PAGE_FAULT);
	p->rec.start_ns = p->rec.time_ns = bpf_ktime_get_ns();
	p->rec.ret = 0;
	p->rec.nr = 0;
	p->rec.abi = SYSCALL_NATIVE;
	p->rec.args[TRACE_FAULT_IP] = fault_ip(ctx);
	p->rec.args[TRACE_FAULT_ADDR] = ctx->addr;
	p->rec.args[TRACE_FAULT_FLAGS] = fault_flags(ctx) | mapped->flags;
	p->rec.args[TRACE_FAULT_OFFSET] = mapped->offset;
	name_record(&p->rec, current, current_id(current));
	comm_of(p->rec.comm, current);
	if (mapped->file)
		read_mapped(mapped->file);
	count_event(emit(&p->rec, PAGE_BYTES));
	return 0;
}

/* Page faults of both kinds, by the events that count them. */
SEC("?perf_event")
int page_fault(struct bpf_perf_event_data *ctx)
{
	struct mapped mapped = {};

	return filter_pass(current_id(current_task())) && !filter_leaves_out() ? write_fault(ctx, &mapped) : 0;
}

/* With what is mapped there: 5.17. The kernel holds the lock for reading; where a writer waits for it, it is not known. */
SEC("?perf_event")
int page_fault_mapped(struct bpf_perf_event_data *ctx)
{
	struct mapped mapped = { .addr = ctx->addr };

	if (!filter_pass(current_id(current_task())) || filter_leaves_out())
		return 0;
	bpf_find_vma(bpf_get_current_task_btf(), mapped.addr, take_mapped, &mapped, 0);
	return write_fault(ctx, &mapped);
}

static __always_inline void uring_whose(struct uring_op *op, struct task_struct *owner)
{
	struct trace_whose *whose = (void *)op->whose;
	struct trace_rec rec;

	name_record(&rec, owner, (__u64)(__u32)BPF_CORE_READ(owner, tgid) << 32 | (__u32)BPF_CORE_READ(owner, pid));
	whose->pid = rec.pid;
	whose->tid = rec.tid;
	comm_read(whose->comm, owner);
}

static __always_inline void uring_ended(struct uring_op *op, const struct uring_end *end)
{
	__u64 start_ns = end->flags & URING_NO_START ? end->now_ns : op->start_ns;
	const struct trace_whose *whose = (void *)op->whose;
	struct trace_rec rec = {};

	if (end->flags & URING_NO_END ? !all_results_are_wanted() : !result_is_wanted(end->res, end->now_ns - start_ns))
		return;
	if (filter_leaves_out())
		return;
	begin_record(&rec, TRACE_URING);
	rec.time_ns = end->now_ns;
	rec.start_ns = start_ns;
	rec.ret = end->res;
	rec.nr = op->sqe.opcode;
	rec.flags = end->flags << TRACE_URING_SHIFT;
	rec.cpu = bpf_get_smp_processor_id();
	rec.pid = whose->pid;
	rec.tid = whose->tid;
	__builtin_memcpy(rec.comm, whose->comm, sizeof(rec.comm));
	rec.args[TRACE_URING_USER_DATA] = op->sqe.user_data;
	rec.args[TRACE_URING_FD] = op->sqe.fd;
	rec.args[TRACE_URING_ADDR] = op->sqe.addr;
	rec.args[TRACE_URING_LEN] = op->sqe.len | (__u64)op->sqe.op_flags << 32;
	rec.args[TRACE_URING_OFF] = op->sqe.off;
	rec.args[TRACE_URING_FLAGS] = op->sqe.flags | (__u32)op->sqe.ioprio << 16 | (__u64)end->cqe_flags << 32;
	count_event(emit(&rec, 0));
}
