/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hooks of io_uring's operations (bpf/lib/uring.bpf.h): which of them this kernel has, and what it passes to them. */
#ifndef SKEP_CAPTURE_SOURCE_URINGHOOKS_H
#define SKEP_CAPTURE_SOURCE_URINGHOOKS_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "bpf/uring.h"
#include "util/err.h"

struct uringhooks {
	struct bpf_program *submit_req, *submit_sqe, *refuse, *complete;
	struct bpf_link **submit_req_link, **submit_sqe_link, **refuse_link, **complete_link;
	struct bpf_map *ops;
	const volatile __u32 *submit_knob, *complete_knob, *refuse_knob, *by_req_knob;
	bool is_used;
};

/* Of a skeleton whose programs include bpf/lib/uring.bpf.h. */
#define URINGHOOKS_OF(skel)                                                                                                 \
	{                                                                                                                   \
		.submit_req = (skel)->progs.uring_submit_req, .submit_req_link = &(skel)->links.uring_submit_req,          \
		.submit_sqe = (skel)->progs.uring_submit_sqe, .submit_sqe_link = &(skel)->links.uring_submit_sqe,          \
		.refuse = (skel)->progs.uring_refuse, .refuse_link = &(skel)->links.uring_refuse,                          \
		.complete = (skel)->progs.uring_complete, .complete_link = &(skel)->links.uring_complete,                  \
		.ops = (skel)->maps.uring_ops, .submit_knob = &(skel)->rodata->cfg_uring_submit,                           \
		.complete_knob = &(skel)->rodata->cfg_uring_complete, .refuse_knob = &(skel)->rodata->cfg_uring_refuse,    \
		.by_req_knob = &(skel)->rodata->cfg_uring_by_req,                                                          \
	}

/* Before load: has those loaded that this kernel has, if they are wanted. */
void uringhooks_choose(struct uringhooks *h, bool is_wanted);

/* The completion first. 0, or -errno with err filled. */
int uringhooks_attach(const struct uringhooks *h, struct err *err);

/* Calls each() for the operations that have not ended. Returns 0 or what each() returned. */
int uringhooks_pending(const struct uringhooks *h, int (*each)(void *arg, const struct uring_op *op), void *arg);

#endif
