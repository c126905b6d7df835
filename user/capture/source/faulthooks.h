/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hooks of page faults (bpf/lib/tracefault.bpf.h): the kernel's two events that count them, on each CPU. */
#ifndef SKEP_CAPTURE_SOURCE_FAULTHOOKS_H
#define SKEP_CAPTURE_SOURCE_FAULTHOOKS_H

#include <bpf/libbpf.h>
#include <stdint.h>

#include "capture/source.h"
#include "util/err.h"
#include "util/vec.h"

enum fault_kinds {
	FAULTS_MINOR = 1,
	FAULTS_MAJOR = 2,
};

struct faulthooks {
	struct bpf_program *plain, *mapped; /* mapped: with what is mapped at the address */
	uint32_t kinds; /* bits of enum fault_kinds */
	VEC(struct bpf_link *) links; /* each closes its event */
};

/* Before load: has the one loaded that this kernel can run, if any kind is wanted. */
void faulthooks_choose(struct faulthooks *h, uint32_t kinds);

/* Opens the events of all CPUs. 0, or -errno with err filled. */
int faulthooks_attach(struct faulthooks *h, const struct place *place, struct err *err);

/* The one that was chosen; NULL: none. */
const struct bpf_program *faulthooks_program(const struct faulthooks *h);
void faulthooks_close(struct faulthooks *h);

#endif
