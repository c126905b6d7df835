// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, system calls with their arguments: which memory is read of each call is in `plans`, set before the load. A record is put
 * together in a page of the CPU and copied into its ring with the length that it has.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/trace.h"
#include "lib/comm.bpf.h"
#include "lib/filter_task.bpf.h"
#include "lib/pidns.bpf.h"
#include "lib/renumber.bpf.h"
#include "lib/rings.bpf.h"
#include "lib/syscall.bpf.h"
#include "lib/tracefault.bpf.h"
#include "lib/tracestep.bpf.h"
#include "lib/unwind.bpf.h"
#include "lib/uring.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_task_storage = 1; /* 5.11; else a hash by thread */
const volatile __u32 cfg_all_calls = 0;
const volatile __u64 cfg_wanted[SYSCALL_ABIS][SYSCALL_NR_MAX / 64] = {};
const volatile __u64 cfg_wanted_any[SYSCALL_NR_MAX / 64] = {}; /* of any table */
const volatile __u32 cfg_pidns_level = 1; /* 0: skep runs in the initial PID namespace */
const volatile __u64 cfg_pidns = 1;
const volatile __u32 cfg_execve = 59, cfg_execveat = 322; /* native: COMMAND's first call is one, when it is no target yet */
const volatile __u32 cfg_sigreturn = 15; /* native: its argument is the stack */

/* Which results are shown. */
const volatile __u64 cfg_min_ns = 0;
const volatile __u32 cfg_results = 11; /* bit 0: of calls that are done; bit 1: of those that failed; bit 3: of those in which a thread ends */
const volatile __u64 cfg_errnos[64] = {}; /* with bit 2 of cfg_results: only these */

const volatile __u32 cfg_stacks = 1;

#define TRACE_UNWIND_SLOT 0 /* no two calls enter or return on a CPU at once */
const volatile __u64 cfg_signals = ~0ull; /* bit number - 1 of each that is shown */

/* Few CPUs share one ring (probe.bpf.c). */
const volatile __u32 cfg_one_ring = 0;

struct ring one_ring SEC(".maps");

/* A call that has not returned. */
struct call {
	__u64 start_ns;
	__u64 args[TRACE_ARGS];
	__u32 epoch; /* of `targets`, in which its task passed the filter */
	__u16 nr;
	__u8 abi, is_open, flags;
	__u8 is_first; /* COMMAND's exec: shown if it becomes a target by it */
	__u8 is_match; /* on entry: a path or file of it is selected */
	__u8 unused[5];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} task_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct call);
} thread_calls SEC(".maps");

/* Programs of one kind do not interrupt each other on a CPU, those of others may be preempted by them. */
enum note { NOTE_SIGNAL, NOTE_END, NOTES };

struct note_rec {
	struct trace_rec rec;
	__u8 data[TRACE_SIGINFO_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NOTES);
	__type(key, __u32);
	__type(value, struct note_rec);
} notes SEC(".maps");

static __always_inline struct note_rec *note_get(__u32 note)
{
	return bpf_map_lookup_elem(&notes, &note);
}

static __always_inline int wanted(__u32 abi, __u64 nr)
{
	if (nr >= SYSCALL_NR_MAX)
		return cfg_all_calls;
	return cfg_all_calls || (abi < SYSCALL_ABIS && cfg_wanted[abi][nr / 64] >> (nr % 64) & 1);
}

/* A quick test that most calls that were not selected fail: to find their table and task takes longer. -1: rt_sigreturn() has returned. */
static __always_inline int may_be_wanted(__u64 nr)
{
	if (cfg_all_calls || nr == ~0ull)
		return 1;
	nr &= ~(__u64)X32_BIT;
	return nr < SYSCALL_NR_MAX && cfg_wanted_any[nr / 64] >> (nr % 64) & 1;
}

const volatile __u64 no_call[sizeof(struct call) / 8] = {}; /* not on the stack, of which the programs and what they call have 512 bytes */

static __always_inline struct call *find_call(struct task_struct *task, __u32 tid, int create)
{
	if (cfg_task_storage)
		return bpf_task_storage_get(&task_calls, task, NULL, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (create)
		bpf_map_update_elem(&thread_calls, &tid, (const void *)no_call, BPF_ANY);
	return bpf_map_lookup_elem(&thread_calls, &tid);
}

/* The filter runs once a task and epoch, where nothing else than `targets` can change its result. NULL: not a target. */
static __always_inline struct call *pass(struct task_struct *current, __u64 nr)
{
	__u32 epoch = targets_epoch, is_kept = cfg_task_storage && !(cfg_filter & (FILTER_CGROUPS | FILTER_UIDS | FILTER_COMMS));
	__u64 id = current_id(current);
	struct call *call = NULL;
	int is_first = 0;

	if (is_kept)
		call = find_call(current, id, 0);
	if (call && call->epoch == epoch && !call->is_first)
		return call;
	if (!filter_pass(id)) {
		is_first = (nr == cfg_execve || nr == cfg_execveat) && run_armed && filter_at_exec(id); /* of what it does before only that is shown */
		if (!is_first)
			return NULL;
	}
	if (!call)
		call = find_call(current, id, 1);
	if (call) {
		call->epoch = epoch;
		call->is_first = is_first;
	} else {
		loss_count(LOSS_INTERNAL);
	}
	return call;
}

static __always_inline void name_record(struct trace_rec *rec, struct task_struct *task, __u64 id)
{
	if (cfg_pidns_level) {
		rec->tid = pidns_number(task, cfg_pidns_level, (void *)cfg_pidns);
		rec->pid = pidns_number(BPF_CORE_READ(task, group_leader), cfg_pidns_level, (void *)cfg_pidns);
	} else {
		rec->tid = id;
		rec->pid = id >> 32;
	}
	rec->cpu = bpf_get_smp_processor_id();
}

/* max: bytes of data. 0, or -1: there was no room. */
static __always_inline int emit(struct trace_rec *rec, __u64 max)
{
	__u64 bytes = rec->bytes;
	void *ring = cfg_one_ring ? (void *)&one_ring : ring_of(rec->cpu);

	if (!ring)
		return -1;
	asm volatile("" : "+r"(bytes));
	if (bytes > max)
		bytes = max;
	return bpf_ringbuf_output(ring, rec, sizeof(*rec) + bytes, ring_wake(ring, rec->time_ns, RING_WAKE_LIVE)) ? -1 : 0;
}

/* An event of this CPU found no room. */
static __always_inline void count_lost(void)
{
	struct page *p = page_get();

	loss_count(LOSS_RING_FULL);
	if (p)
		__sync_fetch_and_add(&p->lost, 1);
}

/* Where they would have been. A function of its own: its record is not on the stack of the others. */
static __noinline void tell_lost(struct page *p, __u64 now)
{
	struct trace_rec rec = { .time_ns = now, .start_ns = now, .kind = TRACE_LOST };

	rec.cpu = bpf_get_smp_processor_id();
	rec.args[0] = p->lost;
	if (!emit(&rec, 0))
		__sync_fetch_and_add(&p->lost, -rec.args[0]);
}

static __always_inline void begin_record(struct trace_rec *rec, __u32 kind)
{
	rec->kind = kind;
	rec->flags = 0;
	rec->nr_pieces = 0;
	rec->bytes = 0;
}

static __always_inline void begin_page(struct page *p, __u32 kind)
{
	begin_record(&p->rec, kind);
	p->is_match = 0;
}

static __always_inline void copy_call(struct trace_rec *rec, const struct call *call)
{
	rec->start_ns = call->start_ns;
	for (int i = 0; i < TRACE_ARGS; i++)
		rec->args[i] = call->args[i];
	rec->nr = call->nr;
	rec->abi = call->abi;
	rec->flags = call->flags;
}

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
	call->nr = nr < TRACE_NO_NR ? nr : TRACE_NO_NR;
	call->abi = abi;
	call->is_open = 1;
	call->flags = 0;
	call->is_match = 0;
	call->start_ns = bpf_ktime_get_ns();
	if (has_entry(abi, nr)) {
		find_mask(current, call, regs);
		write_entry(ctx, current, call);
	}
	return 0;
}

/* Else it is not known before its end whether a call has a line. */
static __always_inline int all_results_are_wanted(void)
{
	return (cfg_results & 7) == 3 && !cfg_min_ns && !cfg_select;
}

static __always_inline int ends_are_wanted(void)
{
	return cfg_results & 8 && !cfg_min_ns && !cfg_select;
}

static __always_inline int result_is_wanted(__s64 ret, __u64 took_ns)
{
	int is_failed = ret < 0 && ret >= -4095;
	__u32 error = -ret;

	if (took_ns < cfg_min_ns)
		return 0;
	if (cfg_results & 4)
		return is_failed && cfg_errnos[(error >> 6) & 63] >> (error & 63) & 1;
	return cfg_results & (is_failed ? 2 : 1);
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
	if (cfg_select && !p->is_match && !call->is_match)
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
	if (result_is_wanted(ret, now - call->start_ns) && (!call->is_first || filter_pass(current_id(current))))
		write_call(ctx, current, call, ret, now);
	if (!cfg_task_storage)
		bpf_map_delete_elem(&thread_calls, &tid);
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

static __always_inline void count_event(int is_lost)
{
	loss_count(COUNT_SEEN);
	if (is_lost)
		count_lost();
}

SEC("?raw_tp/sched_process_exec")
int thread_renumber(struct bpf_raw_tracepoint_args *ctx)
{
	return thread_renumbered(ctx, &thread_calls);
}

#define SIGNAL_KILL 9

#define STOP_SIGNALS 0x3c0000ull /* STOP TSTP TTIN TTOU */

/* of: who gets it; stops: it stops there. info: SEND_SIG_NOINFO, SEND_SIG_PRIV (include/linux/sched/signal.h), or an address. */
static __always_inline int take_signal(struct task_struct *of, int sig, const void *info, __u64 id, int stops)
{
	struct note_rec *p = note_get(NOTE_SIGNAL);
	struct call *call;

	if (!p || sig < 1 || sig > 64 || !(cfg_signals >> (sig - 1) & 1))
		return 0;
	call = find_call(of, id, 0);
	begin_record(&p->rec, TRACE_SIGNAL);
	p->rec.start_ns = p->rec.time_ns = bpf_ktime_get_ns();
	p->rec.nr = sig;
	p->rec.ret = stops;
	if (call && call->is_open && all_results_are_wanted())
		p->rec.flags = TRACE_IN_CALL;
	name_record(&p->rec, of, id);
	comm_of(p->rec.comm, of);
	if ((__u64)info <= 1 || bpf_probe_read_kernel(p->data, TRACE_SIGINFO_BYTES, info)) {
		__u32 *words = (void *)p->data;

		__builtin_memset(p->data, 0, TRACE_SIGINFO_BYTES);
		words[0] = sig;
		words[2] = (__u64)info == 1 ? 0x80 : 0; /* SI_KERNEL, SI_USER */
	}
	p->rec.bytes = TRACE_SIGINFO_BYTES;
	count_event(emit(&p->rec, TRACE_SIGINFO_BYTES));
	return 0;
}

SEC("?tp_btf/signal_deliver")
int signal_deliver(__u64 *ctx)
{
	struct task_struct *current = current_task();
	struct k_sigaction___kernel *action = (void *)ctx[2];
	__u64 id = current_id(current), sig = ctx[0];
	int stops;

	if (sig == SIGNAL_KILL || !filter_pass(id)) /* strace does not see that one either */
		return 0;
	stops = sig <= 64 && STOP_SIGNALS >> ((sig - 1) & 63) & 1 && !BPF_CORE_READ(action, sa.sa_handler);
	return take_signal(current, sig, (void *)ctx[1], id, stops);
}

#define TRACE_SIGNAL_DELIVERED 0
#define TRACE_SIGNAL_IGNORED 1

#define FATAL_SIGNALS 0xffffffffb600fa03ull /* HUP INT USR1 USR2 PIPE ALRM TERM STKFLT VTALRM PROF IO PWR, real-time ones: those with a core are delivered */

/* Will it end the process at once? Then it is not delivered: kernel/signal.c, complete_signal() sends SIGKILL to all threads instead. */
static __always_inline int is_end(struct task_struct *of, int sig)
{
	struct sighand_struct *sighand = BPF_CORE_READ(of, sighand);
	struct k_sigaction___kernel *action;

	if (sig < 1 || sig > 64 || !(FATAL_SIGNALS >> (sig - 1) & 1) || BPF_CORE_READ(of, blocked.sig[0]) >> (sig - 1) & 1)
		return 0;
	action = (void *)sighand + bpf_core_field_offset(struct sighand_struct, action) + (sig - 1) * bpf_core_type_size(struct k_sigaction___kernel);
	return !BPF_CORE_READ(action, sa.sa_handler); /* SIG_DFL */
}

/* A signal that is ignored, or ends the process, is never delivered. strace shows it all the same. */
SEC("?tp_btf/signal_generate")
int signal_undelivered(__u64 *ctx)
{
	struct task_struct *of = (void *)ctx[2];
	__u64 id = (__u64)(__u32)of->tgid << 32 | (__u32)of->pid;

	if (!run_armed || (cfg_self_pid && id >> 32 == cfg_self_pid) || !filter_task(of))
		return 0;
	/* enum of include/trace/events/signal.h */
	if (ctx[4] != TRACE_SIGNAL_IGNORED && !(ctx[4] == TRACE_SIGNAL_DELIVERED && is_end(of, ctx[0])))
		return 0;
	return take_signal(of, ctx[0], (void *)ctx[1], id, 0);
}

SEC("?raw_tp/sched_process_exit")
int thread_end(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *current = current_task();
	__u64 id = current_id(current);
	struct note_rec *p = note_get(NOTE_END);
	struct call *call;
	int is_lost;
	__u32 tid;

	if (!p || uring_is_worker(current) || !filter_pass(id))
		return 0;
	call = find_call(current, id, 0);
	begin_record(&p->rec, TRACE_GONE);
	if (call && call->is_open) {
		copy_call(&p->rec, call);
		if (ends_are_wanted())
			p->rec.flags |= TRACE_IN_CALL;
		call->is_open = 0;
	}
	p->rec.time_ns = bpf_ktime_get_ns();
	p->rec.ret = BPF_CORE_READ(current, exit_code);
	name_record(&p->rec, current, id);
	comm_of_current(p->rec.comm);
	is_lost = emit(&p->rec, TRACE_SIGINFO_BYTES);
	count_event(is_lost);
	if (p->rec.flags & TRACE_IN_CALL)
		count_event(is_lost);
	if (!cfg_task_storage) {
		tid = id;
		bpf_map_delete_elem(&thread_calls, &tid);
	}
	return 0;
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

	return filter_pass(current_id(current_task())) ? write_fault(ctx, &mapped) : 0;
}

/* With what is mapped there: 5.17. The kernel holds the lock for reading; where a writer waits for it, it is not known. */
SEC("?perf_event")
int page_fault_mapped(struct bpf_perf_event_data *ctx)
{
	struct mapped mapped = { .addr = ctx->addr };

	if (!filter_pass(current_id(current_task())))
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
