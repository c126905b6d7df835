/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The shapes that leave NAMES: a frame, a stack of them, and a sample with both. Strings are interned in one pool: two names are the
 * same text iff their pointers are equal. They live as long as the pool; all else is valid only during the call.
 */
#ifndef SKEP_FRAME_H
#define SKEP_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/loss.h"

struct sample;

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_JIT,     /* named by a perf map */
	FRAME_INLINED, /* inlined into the next outer frame */
	FRAME_UNKNOWN, /* no symbol: name is "[object]" or "[unknown]" */
	FRAME_MARK,    /* not code: a process root or "[truncated: ...]" */
};

struct frame {
	const char *name; /* demangled; interned */
	const char *obj;  /* path of the file, "[kernel.kallsyms]", "[module]", "//anon"; interned */
	const char *file; /* source file or NULL; interned; only if lines were requested */
	uint32_t line;	  /* 0: not known */
	uint16_t kind;	  /* enum frame_kind */
	bool is_root;	  /* user stacks begin in this function: see symbol_is_root */
	bool is_data;	  /* a variable, which only who asks for them gets */
	bool is_kernel;	  /* the address is the kernel's, with a name or without */
	bool is_start;	  /* no symbol: name is "object+0x1590", where the function starts */
	uint64_t addr;	  /* the address that was looked up */
	uint64_t pos;	  /* of user code: where in the file that is mapped there; else addr */
	uint64_t off;	  /* bytes into the symbol; for FRAME_UNKNOWN into the object (ELF address) */
};

#define STACK_FRAMES_MAX 2048 /* kept of all chains of a sample, with inlined frames: a file's may be deeper */

/* A sample's chains as one list of frames. */
struct stack {
	struct frame frames[STACK_FRAMES_MAX + 2]; /* leaf first, with room for a mark, then "[truncated: ...]" (FRAME_MARK) if it is cut */
	uint32_t n;
	uint32_t cut;	    /* enum stack_stop of the user walk (or of the kernel walk if that was cut) */
	enum loss cut_loss; /* the loss that it is; LOSS_MAX: none */
	uint32_t unnamed_kernel, unnamed_user; /* frames without a name */
};

/* Adds what is missing of a stack that stands for `count` samples to a ledger of LOSS_MAX. */
static inline void stack_losses(const struct stack *st, uint64_t count, uint64_t *losses)
{
	losses[LOSS_UNNAMED_KERNEL] += st->unnamed_kernel * count;
	losses[LOSS_UNNAMED] += st->unnamed_user * count;
	if (st->cut_loss != LOSS_MAX)
		losses[st->cut_loss] += count;
}

/* A branch that the CPU recorded before a sample, with what it says of it (struct perf_branch_entry). */
struct branch {
	struct frame from, to;
	bool mispredicted, predicted, in_tx, abort;
	uint16_t cycles; /* since the branch before it; 0: not known */
};

struct task_namespace;

/* How large is what a frame is in. */
#define EXTENT_UNKNOWN UINT64_MAX

struct extent {
	uint64_t sym_bytes; /* of its function; EXTENT_UNKNOWN: it has none that has a size */
	uint64_t map_bytes; /* of the mapping that it is in; EXTENT_UNKNOWN: there is none */
};

enum data_map {
	DATA_NOWHERE, /* no mapping that is known */
	DATA_FILE,
	DATA_SHARED, /* memory that processes share, of a file or not */
	DATA_ANON,
};

/* What a sample's data address is in. */
struct data_address {
	uint64_t addr;
	struct frame at;
	struct frame line; /* of the first byte of its cache line, where wanted */
	uint64_t line_at;  /* likewise: where that is in the file, or its address */
	uint64_t owner;	   /* with line_at what tells one line from all others */
	enum data_map map;
	bool is_kernel; /* the kernel touched it */
};

/* A sample with its names. */
struct named {
	const struct sample *at;
	const char *comm; /* interned */
	const struct stack *stack;
	const struct stack *waker; /* of at->waker; or NULL */
	const char *trace; /* the text of a tracepoint's record, where it is requested; interned; or NULL */
	const struct branch *branch; /* of which the sample is; NULL: of none */
	const char *parent; /* the caller that was looked for; interned; or NULL */
	const struct extent *extents; /* of each frame of the stack; NULL: not wanted */
	const struct data_address *data; /* NULL: not wanted */
	const struct frame *code;	 /* of the sample's own address; NULL: not wanted */
	const struct task_namespace *cgroup_ns; /* the thread's; NULL: not wanted, or not known */
};

/* Who takes them. Each returns 0 or -errno, which fails the run. */
struct named_sink {
	bool (*wants)(struct named_sink *to, const struct sample *s); /* NULL: all. Names of the others are not looked up */
	int (*sample)(struct named_sink *to, const struct named *named);
	int (*lost)(struct named_sink *to, uint64_t n); /* n samples that the source saw are gone; may be NULL */
};

#endif
