/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A load of 64 bits is two instructions, each with a half of the number. */
#include "capture/clone.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cost.h"
#include "capture/kernel.h"
#include "util/log.h"

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

/* Puts the body in the place of the function that the model calls, which is behind the model. Returns the new length or -ENOTSUP. */
static ssize_t set_body(struct bpf_insn *insns, size_t n, const struct clone_as *as)
{
	size_t begin = 0;

	for (size_t i = 0; i < n; i++) {
		size_t to = i + 1 + insns[i].imm;

		if (insns[i].code != (BPF_JMP | BPF_CALL) || insns[i].src_reg != BPF_PSEUDO_CALL)
			continue;
		if ((begin && begin != to) || to >= n)
			return -ENOTSUP;
		begin = to;
	}
	if (!begin)
		return -ENOTSUP;
	memcpy(insns + begin, as->body, as->nr_body * sizeof(*insns));
	return begin + as->nr_body;
}

#define LOG_BYTES (16u << 20)

/* Loads it once more for what the verifier says (-vv). */
static void tell_why(uint32_t type, const char *name, const struct bpf_insn *insns, size_t n, struct bpf_prog_load_opts *opts)
{
	char *log = log_level >= 2 ? malloc(LOG_BYTES) : NULL;
	int fd;

	if (!log)
		return;
	opts->log_buf = log;
	opts->log_size = LOG_BYTES;
	opts->log_level = log_level > 2 ? 2 : 1;
	*log = '\0';
	fd = bpf_prog_load(type, name, "Dual BSD/GPL", insns, n, opts);
	if (fd >= 0)
		close(fd);
	fputs(log, stderr);
	free(log);
}

int clone_load_as(const struct bpf_program *model, const struct clone_mark *marks, size_t nr_marks, const struct clone_as *as,
		  const char *what, struct err *err)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = as->attach_type, .attach_btf_id = as->btf_id);
	size_t model_n = bpf_program__insn_cnt(model);
	struct bpf_insn *insns = malloc((model_n + as->nr_body) * sizeof(*insns));
	ssize_t n = model_n;
	int fd;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(model), n * sizeof(*insns));
	for (size_t i = 0; i < nr_marks && n >= 0; i++)
		if (!set_mark(insns, model_n, &marks[i])) {
			free(insns);
			return err_set(err, -ENOTSUP, "%s has no place for its number %zu", what, i);
		}
	if (as->body)
		n = set_body(insns, model_n, as);
	if (n < 0)
		fd = err_set(err, n, "%s has no place for its expressions", what);
	else
		fd = bpf_prog_load(as->prog_type ? as->prog_type : bpf_program__type(model), bpf_program__name(model), "Dual BSD/GPL", insns, n, &opts);
	if (n >= 0 && fd < 0) {
		fd = kernel_load_refused(-errno, what, err);
		tell_why(as->prog_type ? as->prog_type : bpf_program__type(model), bpf_program__name(model), insns, n, &opts);
	}
	free(insns);
	return fd;
}

int clone_load(const struct bpf_program *model, const struct clone_mark *marks, size_t nr_marks, const char *what, struct err *err)
{
	const struct clone_as as = { 0 };

	return clone_load_as(model, marks, nr_marks, &as, what, err);
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
