/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keeps a hash by thread right, which stands in for task storage before Linux 5.11. */
#ifndef SKEP_RENUMBER_BPF_H
#define SKEP_RENUMBER_BPF_H

/* At sched_process_exec: by an exec a thread that is not the first gets the number of the process. Its entry in by_tid moves there. */
static __always_inline int thread_renumbered(struct bpf_raw_tracepoint_args *ctx, void *by_tid)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u32 old_tid = ctx->args[1], tid = BPF_CORE_READ(task, pid);
	void *entry;

	if (tid == old_tid)
		return 0;
	entry = bpf_map_lookup_elem(by_tid, &old_tid);
	if (entry) {
		bpf_map_update_elem(by_tid, &tid, entry, BPF_ANY);
		bpf_map_delete_elem(by_tid, &old_tid);
	}
	return 0;
}

#endif
