/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Page faults: from where, at which address, and what is mapped there. A record of the ring of calls each, so that they are in their order. */
#ifndef SKEP_TRACEFAULT_BPF_H
#define SKEP_TRACEFAULT_BPF_H

#include <linux/bpf_perf_event.h>
#include <linux/perf_event.h>

#include "lib/tracefile.bpf.h"
#include "lib/unwindregs.bpf.h"

#define MAPPED_EXEC 4 /* include/linux/mm.h: VM_EXEC */
#define PAGE_BITS 12

struct mapped {
	__u64 addr, offset, file;
	__u32 flags;
};

static long take_mapped(struct task_struct *task, struct vm_area_struct *area, struct mapped *to)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u64 start = BPF_CORE_READ(area, vm_start), end = BPF_CORE_READ(area, vm_end), stack = BPF_CORE_READ(mm, start_stack);

	to->flags = TRACE_FAULT_PLACED;
	to->offset = to->addr - start + (BPF_CORE_READ(area, vm_pgoff) << PAGE_BITS);
	to->file = (__u64)BPF_CORE_READ(area, vm_file);
	if (BPF_CORE_READ(area, vm_flags) & MAPPED_EXEC)
		to->flags |= TRACE_FAULT_EXEC;
	if (to->file)
		return 0;
	if (start < BPF_CORE_READ(mm, brk) && end > BPF_CORE_READ(mm, start_brk))
		to->flags |= TRACE_FAULT_HEAP;
	else if (start <= stack && end >= stack)
		to->flags |= TRACE_FAULT_STACK;
	return 0;
}

/* Adds a piece with an open file. */
__noinline int read_mapped(__u64 addr)
{
	const struct file *file = (void *)addr;
	struct file_read *r = file_read_get();
	struct page *p = page_get();
	__u32 at, n;

	if (!p || !r || !file)
		return 0;
	at = piece_begin(p);
	if (at >= TRACE_DATA_MAX)
		return 0;
	__builtin_memset(&r->file, 0, sizeof(r->file));
	r->dentry = (__u64)BPF_CORE_READ(file, f_path.dentry);
	r->mount = (__u64)BPF_CORE_READ(file, f_path.mnt);
	n = read_dentry(r, BPF_CORE_READ(file, f_inode), NULL);
	add_file(p, r, at, n, TRACE_MAPPED, 0);
	return 0;
}

static __always_inline __u64 fault_ip(const struct bpf_perf_event_data *ctx)
{
#ifdef __TARGET_ARCH_x86
	return ctx->regs.rip;
#else
	return ctx->regs.pc;
#endif
}

static __always_inline __u64 fault_flags(const struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *kctx = (void *)ctx;
	struct perf_event *event = NULL;
	__u64 config = 0;

	bpf_core_read(&event, sizeof(event), &kctx->event);
	bpf_core_read(&config, sizeof(config), &event->attr.config);
	return (config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ? TRACE_FAULT_MAJOR : 0) | (unwind_in_user(ctx) ? TRACE_FAULT_USER : 0);
}

#endif
