/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `tasks` of pidns.bpf.c prints: the two numbers of each thread in skep's own PID namespace. */
#ifndef SKEP_BPF_PIDNS_H
#define SKEP_BPF_PIDNS_H

#include <linux/types.h>

struct pidns_task {
	__u32 pid, tid;	      /* in the initial PID namespace: what the kernel side filters by */
	__u32 own_pid, own_tid; /* in the namespace that skep runs in: what its user sees */
};

#endif
