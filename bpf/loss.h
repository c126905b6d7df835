/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters that the kernel side keeps per CPU, read once at the end (map `counters`). */
#ifndef SKEP_BPF_LOSS_H
#define SKEP_BPF_LOSS_H

enum counter {
	COUNT_SEEN,	    /* events that passed the filter */
	COUNT_RING_FULL,    /* sample lost: no room in the ring buffer */
	COUNT_SPILLED,	    /* sample kept, through the ring: a hash was full, or two stacks share a key */
	COUNT_TARGETS_FULL, /* a child of a target that will not be followed */
	COUNT_NO_SCRATCH,   /* sample lost: a map look-up failed that should not */
	COUNT_OUTSIDE,	    /* sample kept, of a task that has no number in our PID namespace */
	COUNT_READ_FAULT,   /* hit lost: memory that its filter needs could not be read */
	COUNT_CALLS_FULL,   /* return lost: no room to keep the arguments of its call */
	COUNT_TOO_DEEP,	    /* return of a user function lost: the kernel keeps no more of them at once for a task */
	COUNT_SELF,	    /* not seen: of skep itself, which is not a target */
	COUNT_KEYS_FULL,    /* task that ended, summed without its key: no room for one more */
	COUNT_STACKS_FULL,  /* sample kept without its stack: no room for one more */
	COUNT_MAX
};

#endif
