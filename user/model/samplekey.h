/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys that a recorded sample has as a number: weights, what a memory access met, sizes of pages. Pure. */
#ifndef SKEP_MODEL_SAMPLEKEY_H
#define SKEP_MODEL_SAMPLEKEY_H

#include "model/columns.h"
#include "sample.h"

/* Is it one of these keys? */
static inline bool sample_key_is(enum report_column key)
{
	return key >= KEY_SAMPLE_FIRST && key <= KEY_SAMPLE_LAST;
}

/* By it rows are summed: of data sources the bits that the key shows. 0 where the sample does not say. */
uint64_t sample_key_value(enum report_column key, const struct sample *s);

/* The order of two values as perf has it (tools/perf/util/sort.c): weights and transactions from the greatest on, addresses as signed numbers, so that the kernel's come first. */
int address_cmp(uint64_t a, uint64_t b);
int sample_key_cmp(enum report_column key, uint64_t a, uint64_t b);

/* Its share of the time that the program takes, times 1000 (perf's al->latency). 0: its parallelism is not counted. */
static inline uint64_t sample_latency(const struct sample *s)
{
	return s->parallelism ? s->weight * 1000 / s->parallelism : 0;
}

/* What perf's --mem-mode sums instead of periods: the weight, at least 1. */
uint64_t sample_cost(const struct sample *s);

#endif
