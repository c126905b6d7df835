/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NAMES: the sink between a source (a live capture, a file) and whoever shows what it delivers. In: samples and task events. Out: each
 * sample with the name of its thread and its frames (struct named), looked up while its process is known.
 */
#ifndef SKEP_SYM_NAMES_H
#define SKEP_SYM_NAMES_H

#include "frame.h"
#include "profile.h"
#include "sym/comms.h"
#include "sym/sym.h"
#include "util/vec.h"

/* A sample of a thread that has no name yet: it waits for one. Its stacks are in held_ips, from `ips` on. */
struct held {
	struct sample s;
	size_t ips;
	struct sample_fields fields; /* its numbers; of what is in the file's record nothing */
};

struct dumps;
struct stack_sums;

struct names {
	struct sink sink; /* first: the sink functions find the rest by it */
	/* Set by the owner, after names_init(). */
	struct syms *syms; /* names_free() frees it; made with the pool below */
	bool no_kernel, no_user; /* drop those frames (a file holds both) */
	int off_event;		 /* the event whose samples are time off the CPUs, among others: blocked time then has a frame, too; or -1 */
	bool pin;		 /* read symbols while processes live (live capture) */
	bool plain;		 /* stacks as they were recorded, without marks */
	bool leaf_only;		 /* callers are not shown: only the leaf is looked up */
	/*
	 * Samples of one event, thread and stack are delivered as one, at the latest by names_end(), and without CPU, addr, cgroup,
	 * parallelism, values and fields: for a sink that reads none of these.
	 */
	bool may_sum;
	bool by_process;	 /* live: threads have the name of their process, that of its first thread */
	bool may_hold;		 /* samples of threads without a name until names_end() */
	int (*interval)(void *arg, uint64_t since_start_ns); /* as of struct sink; or NULL */
	void *interval_arg;
	/* Own. */
	struct named_sink *to; /* borrowed */
	struct strpool *pool;
	bool owns_pool;
	uint64_t sums_until_ns; /* sums that come now are named as of then: most of what they are of was before; 0: as of their last sample */
	struct comms comms;
	struct stack_sums *sums; /* of the first sample that may be summed; else NULL */
	struct dumps *dumps; /* of the first sample with a copy of its stack; else NULL */
	VEC(struct held) held;
	VEC(uint64_t) held_ips;
	struct stack stack, waker;
};

/*
 * Fills the sink. pool: borrowed, for names that are compared with those of another run or file; NULL: one of its own. 0 or -ENOMEM;
 * names_free() in either case.
 */
int names_init(struct names *n, struct strpool *pool, struct named_sink *to);
void names_free(struct names *n);

/* After the last event, with may_sum or may_hold: what was summed, and the samples that waited get the names that arrived since. 0 or -errno. */
int names_end(struct names *n);

/* Once, at the end: notes in the profile that say why names are missing, where its ledger has some. */
void names_note(const struct syms *syms, struct profile *profile);

#endif
