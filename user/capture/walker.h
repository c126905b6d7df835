/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the walkers in the kernel read (bpf/lib/unwind.bpf.h), made once for all programs of a session, and what they could not walk:
 * the rest of such a stack is walked here, by a guide, and appended to the frames that the kernel found.
 */
#ifndef SKEP_CAPTURE_WALKER_H
#define SKEP_CAPTURE_WALKER_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"
#include "sample.h"
#include "unwinding.h"
#include "util/err.h"

struct bpf_object;
struct unwinder;

struct unwinder_cfg {
	struct unwind_guide *guide; /* borrowed, and used only in unwinder_walk(); NULL: there is to be no unwinder */
	uint64_t bytes;		    /* of tables (capture/unwindstore.h); 0: the default */
	uint64_t rate;		    /* samples a second and CPU, of all events; 0: not known */
	uint32_t max_frames;	    /* of a user stack, STACK_MAX_FRAMES to SAMPLE_DEEP_MAX; 0: the least */
	bool is_must;		    /* or there is to be no session; else stacks are walked by frame pointers where there is no room */
};

/* 0, or -errno with err filled. */
int unwinder_new(const struct unwinder_cfg *cfg, uint32_t nr_cpus, struct unwinder **ret_unwinder, struct err *err);
void unwinder_free(struct unwinder *u); /* NULL is nothing */

/* Before an object is loaded: it takes our maps for those of bpf/lib/unwind.bpf.h, or, without an unwinder (NULL), none. 0 or -errno. */
int unwinder_lend(const struct unwinder *u, struct bpf_object *obj);

/* An object's cfg_unwind; of NULL 0. */
uint32_t unwinder_mode(const struct unwinder *u);

/* Readable when the kernel has requests. */
int unwinder_fd(const struct unwinder *u);

/* Takes the kernel's requests; call it after collecting samples, or they lack the rest of their stacks. 0 or -errno. */
int unwinder_collect(struct unwinder *u);

/* Walks the taken requests; call it after the side band of that moment. 0 or -errno. */
int unwinder_walk(struct unwinder *u);

/*
 * Completes a sample whose chains have the addresses that the kernel's walkers left, each at most `limit`: why they end, where it
 * happened, and the whole user chain where the kernel left a mark for the rest of it, which lives until the next call. u: NULL where
 * frame pointers were followed. has_user: the task has a user stack.
 */
void unwinder_chains(struct unwinder *u, uint32_t limit, bool has_user, struct sample *s);

/* What a walk's end (UNWIND_ASK too) is for a sample. */
enum stack_stop unwinder_stop(uint32_t end);

/* The memory of its maps, and notes. */
void unwinder_profile(const struct unwinder *u, struct profile *profile);

#endif
