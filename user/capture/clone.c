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
#include "capture/refusal.h"
#include "util/log.h"

static bool is_mark(const struct bpf_insn *insn, uint64_t mark)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && !insn->src_reg &&
	       ((uint64_t)(uint32_t)insn[1].imm << 32 | (uint32_t)insn->imm) == mark;
}

/* Returns how many loads there were. */
static int set_mark(struct bpf_insn *insns, size_t n, const struct clone_mark *m)
{
	int found = 0;

	for (size_t i = 0; i + 1 < n; i++)
		if (is_mark(&insns[i], m->mark)) {
			insns[i].imm = (uint32_t)m->value;
			insns[i + 1].imm = m->value >> 32;
			found++;
		}
	return found;
}

/* Does it say where a function begins? As BPF_PSEUDO_FUNC it is a callback. */
static bool is_reference(const struct bpf_insn *insn)
{
	return (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC);
}

static size_t target_of(const struct bpf_insn *insns, size_t i)
{
	return i + 1 + insns[i].imm;
}

/* Sets begins[i] where a function begins, and begins[n]. Returns how many begin, or -ENOTSUP. */
static ssize_t find_functions(const struct bpf_insn *insns, size_t n, bool *begins)
{
	ssize_t nr = 1;

	memset(begins, 0, n + 1);
	begins[0] = begins[n] = true;
	for (size_t i = 0; i < n; i++) {
		if (!is_reference(&insns[i]))
			continue;
		if (target_of(insns, i) >= n)
			return -ENOTSUP;
		nr += !begins[target_of(insns, i)];
		begins[target_of(insns, i)] = true;
	}
	return nr;
}

/* The function that has the mark: 0, or -ENOTSUP. */
static int find_body(const struct bpf_insn *insns, size_t n, uint64_t mark, size_t *ret_begin, size_t *ret_end)
{
	bool *begins = malloc(n + 1);
	size_t begin = 0, end = n, at = 0, nr = 0;
	int ret = begins ? 0 : -ENOMEM;

	if (!ret && find_functions(insns, n, begins) < 0)
		ret = -ENOTSUP;
	for (size_t i = 0; i + 1 < n && !ret; i++)
		if (is_mark(&insns[i], mark)) {
			at = i;
			nr++;
		}
	for (size_t i = 0; i <= n && !ret; i++) {
		if (begins[i] && i <= at)
			begin = i;
		if (begins[i] && i > at && i < end)
			end = i;
	}
	free(begins);
	if (ret || nr != 1 || !begin)
		return ret ? ret : -ENOTSUP;
	*ret_begin = begin;
	*ret_end = end;
	return 0;
}

/* Where it is when the function that ends at `end` has become so much longer. */
static size_t moved(size_t at, size_t end, ssize_t longer)
{
	return at < end ? at : at + longer;
}

ssize_t clone_set_body(const struct bpf_insn *insns, size_t n, const struct clone_as *as, struct bpf_insn *out)
{
	size_t begin = 0, end = 0;
	int ret = find_body(insns, n, as->body_mark, &begin, &end);
	ssize_t longer = as->nr_body - (end - begin);

	if (ret)
		return ret;
	memcpy(out, insns, begin * sizeof(*out));
	memcpy(out + begin, as->body, as->nr_body * sizeof(*out));
	memcpy(out + begin + as->nr_body, insns + end, (n - end) * sizeof(*out));
	for (size_t i = 0; i < n; i++)
		if ((i < begin || i >= end) && is_reference(&insns[i]))
			out[moved(i, end, longer)].imm = moved(target_of(insns, i), end, longer) - moved(i, end, longer) - 1;
	return n + longer;
}

/*
 * Which functions these are: as the kernel has them of the model, in the same order, begun elsewhere. Returns how many; 0: the kernel
 * keeps none (before 5.0), or has dropped those that the model would never call.
 */
static uint32_t name_functions(const struct bpf_program *model, const struct bpf_insn *insns, size_t n,
			       struct bpf_func_info **ret_all)
{
	bool *begins = malloc(n + 1);
	ssize_t nr = begins ? find_functions(insns, n, begins) : -ENOMEM;
	struct bpf_func_info *all = nr > 0 ? calloc(nr, sizeof(*all)) : NULL;
	struct bpf_prog_info info = { .func_info = (uintptr_t)all, .func_info_rec_size = sizeof(*all), .nr_func_info = nr };
	__u32 size = sizeof(info), k = 0;
	bool known = all && !bpf_obj_get_info_by_fd(bpf_program__fd(model), &info, &size) && info.nr_func_info == nr;

	for (size_t i = 0; i < n && known; i++)
		if (begins[i])
			all[k++].insn_off = i;
	free(begins);
	*ret_all = all;
	return k;
}

#define LOG_BYTES (16u << 20)

/* Loads it once more for what the verifier says (-vv). */
static void note_why(uint32_t type, const char *name, const struct bpf_insn *insns, size_t n, struct bpf_prog_load_opts *opts)
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

static int load(const struct bpf_program *model, const struct bpf_insn *insns, size_t n, const struct clone_as *as, const char *what,
		struct err *err)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = as->attach_type, .attach_btf_id = as->btf_id);
	uint32_t type = as->prog_type ? as->prog_type : bpf_program__type(model);
	struct bpf_func_info *functions = NULL;
	int fd;

	if (as->btf_fd > 0)
		opts.func_info_cnt = name_functions(model, insns, n, &functions);
	if (opts.func_info_cnt) {
		opts.prog_btf_fd = as->btf_fd;
		opts.func_info = functions;
		opts.func_info_rec_size = sizeof(*functions);
	}
	fd = bpf_prog_load(type, bpf_program__name(model), "Dual BSD/GPL", insns, n, &opts);
	if (fd < 0) {
		fd = kernel_load_refused(-errno, what, err);
		note_why(type, bpf_program__name(model), insns, n, &opts);
	}
	free(functions);
	return fd;
}

int clone_load_as(const struct bpf_program *model, const struct clone_mark *marks, size_t nr_marks, const struct clone_as *as,
		  const char *what, struct err *err)
{
	size_t model_n = bpf_program__insn_cnt(model);
	struct bpf_insn *own = malloc(model_n * sizeof(*own)), *whole = as->body ? malloc((model_n + as->nr_body) * sizeof(*own)) : NULL;
	ssize_t n = model_n;
	int ret = own && (whole || !as->body) ? 0 : -ENOMEM;

	if (!ret)
		memcpy(own, bpf_program__insns(model), model_n * sizeof(*own));
	for (size_t i = 0; i < nr_marks && !ret; i++)
		if (!set_mark(own, model_n, &marks[i]))
			ret = err_set(err, -ENOTSUP, "%s has no place for its number %zu", what, i);
	if (!ret && whole)
		n = clone_set_body(own, model_n, as, whole);
	if (!ret && n < 0)
		ret = err_set(err, n, "%s has no place for its expressions", what);
	if (!ret)
		ret = load(model, whole ? whole : own, n, as, what, err);
	free(own);
	free(whole);
	return ret;
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
