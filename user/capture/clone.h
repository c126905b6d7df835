/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many programs from one: libbpf loads the model once, with its maps and relocations; each clone is a copy of those instructions
 * with numbers of its own in them.
 */
#ifndef SKEP_CAPTURE_CLONE_H
#define SKEP_CAPTURE_CLONE_H

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"
#include "util/vec.h"

/* Each load of 64 bits of `mark` loads `value` in the clone. */
struct clone_mark {
	uint64_t mark, value;
};

/* The model is loaded, and every mark is in it. Returns a descriptor, or -errno with err filled; what: "the program that ...". */
int clone_load(const struct bpf_program *model, const struct clone_mark *marks, size_t nr_marks, const char *what, struct err *err);

/* What a clone is loaded as, where it is not its model's kind, and the body of one of the functions after the model. */
struct clone_as {
	uint32_t prog_type;   /* enum bpf_prog_type; 0: the model's */
	uint32_t attach_type; /* enum bpf_attach_type */
	uint32_t btf_id;      /* of the kernel function that a trampoline is put on */
	const struct bpf_insn *body; /* calls no functions of the program, and refers to none; NULL: the model's */
	size_t nr_body;
	uint64_t body_mark; /* that function has a load of this */
	int btf_fd; /* types of the model's object: functions that are not static are verified once, as in the model; 0: at each call */
};

/*
 * The n instructions of a model with as->body in its place, to out, which has room for n + as->nr_body. Returns how many, or -ENOTSUP:
 * no function after the model has the mark, or several. For tests.
 */
ssize_t clone_set_body(const struct bpf_insn *insns, size_t n, const struct clone_as *as, struct bpf_insn *out);

/* As clone_load(). -ENOTSUP: the model has no such function. */
int clone_load_as(const struct bpf_program *model, const struct clone_mark *marks, size_t nr_marks, const struct clone_as *as,
		  const char *what, struct err *err);

/* Those of one source, attached; each of them counts for what has the number `of` in the source's own list. */
struct clone {
	int prog_fd, link_fd;
	uint32_t of;
};

struct clones {
	VEC(struct clone) all;
};

/* cost_of_misses() of all. */
uint64_t clones_missed(const struct clones *c);

/* Detaches and unloads them. */
void clones_free(struct clones *c);

#endif
