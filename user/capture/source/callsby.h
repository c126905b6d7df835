/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls summed by a key in bpf/callsby.bpf.c. */
#ifndef SKEP_CAPTURE_SOURCE_CALLSBY_H
#define SKEP_CAPTURE_SOURCE_CALLSBY_H

#include "capture/source.h"
#include "bpf/syscalls.h"
#include "event/event.h"
#include "row.h"

struct callsby_cfg {
	const struct event *events; /* those that are EVENT_SYSCALL: which calls, whatever their side */
	int nr_events;
	const uint64_t (*wanted)[SYSCALL_NR_MAX / 64]; /* instead of events: bits of the numbers of each table; or NULL */
	const char *(*uring_name)(uint32_t opcode, char buf[32]); /* also operations of io_uring, by syscall: "IORING_OP_READ"; or NULL */
	bool first_exec; /* COMMAND's exec is a call, too */
	const struct schema *schema; /* capture/byrows.h */
	uint32_t by;	   /* enum by_bit */
	bool latency;	   /* errors and times too: counted when they return */
	uint32_t rows_max; /* 0: BY_ROWS_DEFAULT */
	bool bpf_stats;
	bool keeps_budget; /* of what happens a part may be left out (base_take_part()) */
};

/* Delivers rows with sums since the run began. cfg outlives it. NULL without memory. */
struct source *src_callsby_new(const struct callsby_cfg *cfg);

#endif
