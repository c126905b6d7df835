/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a bound expression to BPF instructions: the body of expr_body() in bpf/probe.bpf.c. Every piece is straight code or a jump
 * forward, and every value that is read is on the stack or a number, so that what verifies here verifies on every kernel.
 * An interpreter of operations would be one program for all: 15 ns slower for each operation, and 100,000 instructions to verify (100 ms).
 */
#ifndef SKEP_CAPTURE_GEN_H
#define SKEP_CAPTURE_GEN_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "event/bind.h"
#include "util/err.h"
#include "util/vec.h"

#define GEN_GLOBS_MAX 8
#define GEN_CHARS 256

/* What the program's context is, and where arguments are. */
enum gen_context {
	GEN_REGS,   /* struct pt_regs, at the entry of a function or in the middle of it */
	GEN_CALL,   /* struct pt_regs of a return; what the call was entered with is in a struct probe_call */
	GEN_ARGS,   /* BPF trampoline: u64 a parameter, then the result */
	GEN_RECORD, /* of a tracepoint */
};

/* Where a value goes. */
struct gen_dest {
	uint32_t arg;	/* index in the probe's args */
	uint32_t off;	/* in what expr_body() is given */
	uint32_t bytes; /* of a text's room; numbers have 8 */
};

/* Texts that a pattern matches: bit i of step[c]: character c takes state i to i + 1; of loop: state i stays, whatever comes. */
struct gen_glob {
	uint64_t step[GEN_CHARS];
	uint64_t loop, accept;
};

struct gen_cfg {
	const struct bound_probe *probe;
	enum gen_context context;
	bool is_user, is_go; /* only memory of the process is read; arguments are where Go has them */
	uint32_t nr_params; /* GEN_ARGS */
	const struct gen_dest *dests;
	int nr_dests;
	int globs_fd; /* an array of one struct gen_glob[GEN_GLOBS_MAX] */
};

struct gen {
	VEC(struct bpf_insn) insns;
	struct gen_glob *globs; /* GEN_GLOBS_MAX, of all probes of a run; the caller's */
	int *nr_globs;
};

/* Appends the body to g->insns. 0 or -errno with err filled. */
int gen_code(const struct gen_cfg *cfg, struct gen *g, struct err *err);

/* pattern[len] (of util/glob.h's kind) to its states. 0, or -E2BIG: more than 62 characters. For tests. */
int gen_glob_compile(const char *pattern, size_t len, struct gen_glob *ret_glob);

#endif
