/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A load of 64 bits is two instructions, each with a half of the number. */
#include "capture/clone.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cost.h"
#include "capture/kernel.h"

/* Returns how many loads there were. */
static int set_mark(struct bpf_insn *insns, size_t n, const struct clone_mark *m)
{
	int found = 0;

	for (size_t i = 0; i + 1 < n; i++)
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) && !insns[i].src_reg &&
		    ((uint64_t)(uint32_t)insns[i + 1].imm << 32 | (uint32_t)insns[i].imm) == m->mark) {
			insns[i].imm = (uint32_t)m->value;
			insns[i + 1].imm = m->value >> 32;
			found++;
		}
	return found;
}

int clone_load(const struct bpf_program *model, const struct clone_mark *marks, size_t nr_marks, const char *what, struct err *err)
{
	size_t n = bpf_program__insn_cnt(model);
	struct bpf_insn *insns = malloc(n * sizeof(*insns));
	int fd;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(model), n * sizeof(*insns));
	for (size_t i = 0; i < nr_marks; i++)
		if (!set_mark(insns, n, &marks[i])) {
			free(insns);
			return err_set(err, -ENOTSUP, "%s has no place for its number %zu", what, i);
		}
	fd = bpf_prog_load(bpf_program__type(model), bpf_program__name(model), "Dual BSD/GPL", insns, n, NULL);
	fd = fd < 0 ? kernel_load_refused(-errno, what, err) : fd;
	free(insns);
	return fd;
}

uint64_t clones_missed(const struct clones *c)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < c->all.n; i++)
		missed += cost_of_misses(c->all.data[i].prog_fd);
	return missed;
}

void clones_free(struct clones *c)
{
	for (size_t i = 0; i < c->all.n; i++) {
		close(c->all.data[i].link_fd);
		close(c->all.data[i].prog_fd);
	}
	vec_free(&c->all);
}
