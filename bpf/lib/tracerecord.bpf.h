/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records on their way into a ring. That of a call is put together in the page of the CPU (traceread.bpf.h), those of signals and ends in a
 * note. What finds no room is counted, and the next record of a call on this CPU comes after one that says how many were lost.
 */
#ifndef SKEP_TRACERECORD_BPF_H
#define SKEP_TRACERECORD_BPF_H

#include "lib/comm.bpf.h"
#include "lib/pidns.bpf.h"
#include "lib/rings.bpf.h"
#include "lib/tracecall.bpf.h"
#include "lib/traceread.bpf.h"

const volatile __u32 cfg_pidns_level = 1; /* 0: skep runs in the initial PID namespace */
const volatile __u64 cfg_pidns = 1;

/* Few CPUs share one ring (probe.bpf.c). */
const volatile __u32 cfg_one_ring = 0;

struct ring one_ring SEC(".maps");

/* A record a CPU for each kind of program: two of one kind do not interrupt each other there, two of different kinds may. */
enum note { NOTE_SIGNAL, NOTE_END, NOTES };

struct note_rec {
	struct trace_rec rec;
	__u8 data[TRACE_SIGINFO_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NOTES);
	__type(key, __u32);
	__type(value, struct note_rec);
} notes SEC(".maps");

static __always_inline struct note_rec *note_get(__u32 note)
{
	return bpf_map_lookup_elem(&notes, &note);
}

static __always_inline void name_record(struct trace_rec *rec, struct task_struct *task, __u64 id)
{
	if (cfg_pidns_level) {
		rec->tid = pidns_number(task, cfg_pidns_level, (void *)cfg_pidns);
		rec->pid = pidns_number(BPF_CORE_READ(task, group_leader), cfg_pidns_level, (void *)cfg_pidns);
	} else {
		rec->tid = id;
		rec->pid = id >> 32;
	}
	rec->cpu = bpf_get_smp_processor_id();
}

/* max: bytes of data. 0, or -1: there was no room. */
static __always_inline int emit(struct trace_rec *rec, __u64 max)
{
	__u64 bytes = rec->bytes;
	void *ring = cfg_one_ring ? (void *)&one_ring : ring_of(rec->cpu);

	if (!ring)
		return -1;
	asm volatile("" : "+r"(bytes));
	if (bytes > max)
		bytes = max;
	return bpf_ringbuf_output(ring, rec, sizeof(*rec) + bytes, ring_wake(ring, rec->time_ns, RING_WAKE_LIVE)) ? -1 : 0;
}

/* Counts an event of this CPU that found no room. */
static __always_inline void count_lost(void)
{
	struct page *p = page_get();

	loss_count(LOSS_RING_FULL);
	if (p)
		__sync_fetch_and_add(&p->lost, 1);
}

/* Writes where events of this CPU are missing, and how many. */
static __noinline void tell_lost(struct page *p, __u64 now)
{
	struct trace_rec rec = { .time_ns = now, .start_ns = now, .kind = TRACE_LOST };

	rec.cpu = bpf_get_smp_processor_id();
	rec.args[0] = p->lost;
	if (!emit(&rec, 0))
		__sync_fetch_and_add(&p->lost, -rec.args[0]);
}

static __always_inline void begin_record(struct trace_rec *rec, __u32 kind)
{
	rec->kind = kind;
	rec->flags = 0;
	rec->nr_pieces = 0;
	rec->bytes = 0;
}

static __always_inline void begin_page(struct page *p, __u32 kind)
{
	begin_record(&p->rec, kind);
	p->is_match = 0;
}

static __always_inline void copy_call(struct trace_rec *rec, const struct call *call)
{
	rec->start_ns = call->start_ns;
	for (int i = 0; i < TRACE_ARGS; i++)
		rec->args[i] = call->args[i];
	rec->nr = call->nr;
	rec->abi = call->abi;
	rec->flags = call->flags;
}

static __always_inline void count_event(int is_lost)
{
	loss_count(COUNT_SEEN);
	if (is_lost)
		count_lost();
}

#endif
