/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records into a ring buffer: each that was reserved is submitted or discarded, each that found no room is counted. */
#ifndef SKEP_EMIT_BPF_H
#define SKEP_EMIT_BPF_H

#include "lib/loss.bpf.h"

const volatile __u64 cfg_wake_bytes = 1 << 18; /* wake the reader when so much waits in a ring */

/* When the reader is woken, which looks ten times a second anyway. */
enum ring_wake {
	RING_WAKE_FULL, /* when cfg_wake_bytes wait; each record asks, 10 ns */
	RING_WAKE_HOT,	/* the same for a million records a second: one in 16 asks, and a wake-up has 1 ms for itself */
	RING_WAKE_LIVE, /* as HOT; besides, a record after a pause wakes at once, and many records a hundred times a second */
	RING_WAKE_EACH, /* at once, unless the reader is reading */
	RING_WAKE_NOW,	/* always */
};

#define WAKE_LATE_NS 10000000
#define WAKE_SOON_NS 1000000
#define WAKE_ASK 0xf0 /* bits of the clock */

volatile __u64 last_wake_ns = 0;

/*
 * To wake a reader that does not keep up at every record took longer than all the rest of it. It is an interrupt of its own that wakes
 * it (irq_work), after the locks that are held here. when is a constant.
 */
static __always_inline __u64 ring_wake(void *ring, __u64 now_ns, enum ring_wake when)
{
	__u64 since_ns;

	if (when == RING_WAKE_NOW)
		return BPF_RB_FORCE_WAKEUP;
	if (when == RING_WAKE_EACH)
		return 0;
	if (when == RING_WAKE_FULL)
		return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >= cfg_wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	if (when == RING_WAKE_HOT && now_ns & WAKE_ASK)
		return BPF_RB_NO_WAKEUP;
	since_ns = now_ns - last_wake_ns;
	if (since_ns < WAKE_SOON_NS)
		return BPF_RB_NO_WAKEUP;
	if ((when == RING_WAKE_HOT || since_ns < WAKE_LATE_NS) &&
	    (now_ns & WAKE_ASK || bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) < cfg_wake_bytes))
		return BPF_RB_NO_WAKEUP;
	last_wake_ns = now_ns;
	return BPF_RB_FORCE_WAKEUP;
}

struct ring_slot {
	void *rec; /* NULL: no room */
	__u64 flags;
	int is_done;
};

static __always_inline void ring_slot_end(struct ring_slot *slot)
{
	if (!slot->rec)
		return;
	if (slot->is_done)
		bpf_ringbuf_submit(slot->rec, slot->flags);
	else
		bpf_ringbuf_discard(slot->rec, BPF_RB_NO_WAKEUP);
}

static __always_inline void *ring_reserve(void *ring, __u64 size)
{
	void *rec = bpf_ringbuf_reserve(ring, size, 0);

	if (!rec)
		loss_count(LOSS_RING_FULL);
	return rec;
}

/*
 * RING_EMIT(rec, ring, size, wake) { ... } reserves a record, runs the block to fill it, and submits it with the flags that wake gives
 * after the block. Leaving the block early discards the record. size is a constant. Without room the block does not run.
 */
#define RING_EMIT(record, ring, size, wake) RING_FILL(record, ring_reserve((ring), (size)), wake)

/* The same for a record that the expression `reserved` reserves; the caller counts where there was no room. */
#define RING_FILL(record, reserved, wake)                                                                                   \
	for (struct ring_slot _slot __attribute__((cleanup(ring_slot_end))) = { (reserved), 0, 0 };                         \
	     !_slot.is_done && ((record) = _slot.rec); _slot.flags = (wake), _slot.is_done = 1)

/* Copies a record that was filled elsewhere, of any size. */
static __always_inline void ring_copy(void *ring, void *rec, __u64 size, __u64 wake)
{
	if (bpf_ringbuf_output(ring, rec, size, wake))
		loss_count(LOSS_RING_FULL);
}

#endif
