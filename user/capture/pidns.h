/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Process numbers. The kernel side filters by those of the initial PID namespace; the user, /proc and the side band speak
 * those of the namespace that skep runs in. Outside a container they are the same and nothing is loaded.
 */
#ifndef SKEP_CAPTURE_PIDNS_H
#define SKEP_CAPTURE_PIDNS_H

#include <stdint.h>

#include "bpf/pidns.h"
#include "util/err.h"
#include "util/vec.h"

struct pidns {
	uint32_t level; /* namespaces below the initial one; 0: it is that one */
	uint64_t ns;	/* its struct pid_namespace in the kernel */
	VEC(struct pidns_task) tasks; /* all threads of the namespace, when it was opened */
};

/* Has /proc the numbers of our namespace? Else those that a user reads there mean others. 0, or -errno with exit 3 in err. */
int pidns_check_proc(struct err *err);

/* Asks the kernel for the threads of our namespace. 0, or -errno with exit 3 in err. */
int pidns_open(struct pidns *ns, struct err *err);

/* The initial namespace's number of a process or a thread of ours; 0: there was no such task. */
uint32_t pidns_outer_pid(const struct pidns *ns, uint32_t own_pid);
uint32_t pidns_outer_tid(const struct pidns *ns, uint32_t own_tid);

/* Would pidns_open() work in a container? 0 or -errno. */
int pidns_try(void);

void pidns_close(struct pidns *ns);

#endif
