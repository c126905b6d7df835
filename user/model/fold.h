/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: the sink that every picture of stacks starts from. It resolves each sample while names are
 * known and adds it to a call tree, a table, or both. Live capture and files feed it alike.
 */
#ifndef SKEP_MODEL_FOLD_H
#define SKEP_MODEL_FOLD_H

#include "model/profile.h"
#include "model/report.h"
#include "model/stack.h"
#include "model/tree.h"
#include "sample.h"
#include "sym/sym.h"

/* What stands at the foot of every stack of the tree. */
enum fold_root { ROOT_COMM, ROOT_PID, ROOT_TID, ROOT_NONE };

struct comm_slot {
	uint32_t tid;
	bool is_made_up; /* no event has named it yet */
	const char *comm;
	const char *first; /* what the first event after that called it, or NULL */
};

/* A sample of a thread that has no name yet: it waits for one. */
struct held {
	struct sample s; /* its stacks are in held_ips, from here on: */
	size_t ips;
	struct fold_view *view;
};

/* Where samples go. The first three are the owner's, borrowed. */
struct fold_view {
	struct profile *profile;
	struct tree *tree;   /* NULL: not wanted */
	struct report *table; /* NULL: not wanted */
	uint64_t first_ns, last_ns, folded; /* folded: samples that were added */
};

struct fold {
	struct sink sink; /* first: the sink functions find the rest by it */
	/* Set by the owner; borrowed. */
	struct syms *syms;
	struct fold_view view; /* of all samples; and what the source lost is in its profile in any case */
	/* Where the samples of this event go; NULL as its result: nowhere. 0 or -errno. NULL: to view. */
	int (*choose)(void *arg, uint32_t event, struct fold_view **ret_view);
	void *choose_arg;
	enum fold_root root;
	bool no_kernel, no_user; /* drop those frames (a file holds both) */
	int off_event;		 /* of time off the CPUs among samples of what runs: blocked time has a frame, too; or -1 */
	bool pin;		 /* read symbols while processes live (live capture) */
	bool may_hold;		 /* samples of threads without a name until fold_end() */
	/* Own. */
	VEC(struct held) held;
	VEC(uint64_t) held_ips;
	struct comm_slot *comms; /* names of threads from task events, open addressing */
	uint32_t nr_comms, cap_comms;
	struct stack stack, waker;
	struct frame down[2 * (STACK_FRAMES_MAX + 3)]; /* outermost first, below what stands at the foot; then the waker */
};

/* Fills the sink; fields above "Own" are the caller's to set after it. 0 or -ENOMEM. */
int fold_init(struct fold *f);
void fold_free(struct fold *f);

/* After the last event, with may_hold: the samples that waited get the names that arrived since. 0 or -errno. */
int fold_end(struct fold *f);

/* Once, at the end: notes in the profile that say why names are missing, where some are. */
void fold_note(struct fold *f);

/* The same for stacks that were resolved without a fold. */
void fold_note_names(struct profile *profile, const struct syms *syms);

#endif
