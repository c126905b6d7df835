/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hooks of system calls: which of the two ways of a BPF object's programs is taken on this kernel. */
#ifndef SKEP_CAPTURE_SOURCE_CALLHOOKS_H
#define SKEP_CAPTURE_SOURCE_CALLHOOKS_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "capture/base.h"

struct callhooks {
	struct bpf_program *enter, *exit; /* NULL: not wanted */
	struct bpf_link **enter_link, **exit_link;
};

/* Of a skeleton with btf_enter, btf_exit, tp_enter and tp_exit. */
#define CALLHOOKS_OF(skel, btf)                                                                                             \
	{                                                                                                                   \
		(btf) ? (skel)->progs.btf_enter : (skel)->progs.tp_enter, (btf) ? (skel)->progs.btf_exit : (skel)->progs.tp_exit, \
			(btf) ? &(skel)->links.btf_enter : &(skel)->links.tp_enter,                                        \
			(btf) ? &(skel)->links.btf_exit : &(skel)->links.tp_exit                                            \
	}

/* Before load: has those loaded that are wanted, and watched, whoever it is that calls. */
void callhooks_choose(struct callhooks *h, bool want_enter, bool want_exit, struct base *base);

/* The return first: a call whose entry is seen has its return seen. 0 or -errno. */
int callhooks_attach(const struct callhooks *h, struct err *err);

/* Says of so many that they may be missing. */
void callhooks_note(uint64_t missed, struct profile *profile);

#endif
