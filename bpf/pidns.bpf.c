// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every task that has a number in the PID namespace of the iterator's reader, with both its numbers. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/pidns.h"
#include "lib/pidns.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Of the reader: where `sample` finds the numbers of its tasks. */
__u32 own_level = 0;
__u64 own_ns = 0;

SEC("iter/task")
int tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct pid *self;
	struct pidns_task out = {};

	if (!task)
		return 0;
	if (!own_ns) {
		self = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), thread_pid);
		own_level = BPF_CORE_READ(self, level);
		own_ns = (__u64)BPF_CORE_READ(pidns_slot(self, own_level), ns);
	}
	out.own_tid = pidns_number(task, own_level, (void *)own_ns);
	out.own_pid = pidns_number(BPF_CORE_READ(task, group_leader), own_level, (void *)own_ns);
	if (!out.own_tid || !out.own_pid)
		return 0;
	out.pid = BPF_CORE_READ(task, tgid);
	out.tid = BPF_CORE_READ(task, pid);
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}
