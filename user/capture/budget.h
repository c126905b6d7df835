/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a run may cost, as a part of all CPUs' time, and the rate of sampling that keeps to it. The cost is nearly proportional to the rate,
 * but comes in bursts: it is averaged over some seconds, and the rate is lowered before the average is there.
 */
#ifndef SKEP_CAPTURE_BUDGET_H
#define SKEP_CAPTURE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_ROUND_NS UINT64_C(1000000000)

struct budget {
	double share; /* of all CPUs' time: 0.01; 0: no limit */
	uint32_t cpus;
	double rate;  /* of what was asked for: 1 at first */
	double least; /* it was since budget_least() */
	double lowest; /* it was, ever */
	double rate_min; /* it is never less */
	double used;  /* the share, averaged */
	uint32_t nr_changes;
	/* Its own */
	uint64_t at_ns, cost_ns, changed_ns;
	uint32_t nr_rounds; /* as far as they count */
	bool has_begun;
};

/* freq: samples a second and CPU that are asked for, of which one is left at least; 0: not known. least_rate: the rate is never less. */
void budget_init(struct budget *b, double share, uint32_t cpus, uint64_t freq, double least_rate);

/* Once a second: cost_ns is the time that the run took so far. Returns true when b->rate is another one. */
bool budget_round(struct budget *b, uint64_t now_ns, uint64_t cost_ns);

/* Is the share passed at a rate that cannot be lowered? */
bool budget_is_passed(const struct budget *b);

/* The least rate since the last call, or since the beginning. */
double budget_least(struct budget *b);

#endif
