// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that are broken on purpose, each on some kernels: they read a field that is not there. Whatever kernel the
 * matrix runs has to report at least one of them; if not, the matrix is blind.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct bpf_prog_aux {
	int (*bpf_exception_cb)(void); /* from 6.7 on */
};

struct pid_namespace {
	int pid_max; /* from 6.14 on */
};

struct page {
	unsigned long index; /* until 6.15 */
};
#pragma clang attribute pop

SEC("raw_tp/sched_process_fork")
int from_6_7(void **ctx)
{
	return BPF_CORE_READ((struct bpf_prog_aux *)ctx[0], bpf_exception_cb) != 0;
}

SEC("raw_tp/sched_process_fork")
int from_6_14(void **ctx)
{
	return BPF_CORE_READ((struct pid_namespace *)ctx[0], pid_max) != 0;
}

SEC("raw_tp/sched_process_fork")
int until_6_15(void **ctx)
{
	return BPF_CORE_READ((struct page *)ctx[0], index) != 0;
}
