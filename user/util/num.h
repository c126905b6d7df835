/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Strict numbers: the whole text or nothing ("12abc", "", " 1" and overflow are errors). */
#ifndef SKEP_UTIL_NUM_H
#define SKEP_UTIL_NUM_H

#include <stdint.h>

/* Decimal, or hexadecimal with 0x. Returns 0, -EINVAL, or -ERANGE when above max. */
int num_u64(const char *text, uint64_t max, uint64_t *ret_value);

/* "5", "0.5", at most max. Returns 0, -EINVAL or -ERANGE. */
int num_double(const char *text, double max, double *ret_value);

/* "10", "1.5", with unit s (default), ms, us, m, h. Result in ns. Returns 0, -EINVAL or -ERANGE. */
/* A number of KiB, or of what its ending says: B, K, M, G. 0, -EINVAL, or -ERANGE: no whole KiB, or too many. */
int num_kib(const char *text, uint64_t *ret_kib);

int num_duration(const char *text, uint64_t *ret_ns);

/*
 * A list as sysfs and perf write it, "0-3,8": calls each(arg, value) for every member in order.
 * Returns 0, -EINVAL, -ERANGE, or what `each` returned if negative.
 */
int num_list(const char *text, uint64_t max, int (*each)(void *arg, uint64_t value), void *arg);

/* What a counter grew by; 0 where it went back. */
static inline uint64_t num_grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

#endif
