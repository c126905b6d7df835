/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which CPUs are online, from sysfs. */
#ifndef SKEP_UTIL_CPUS_H
#define SKEP_UTIL_CPUS_H

#include <stdint.h>

#define CPU_LIMIT 65536u /* far above NR_CPUS of any kernel */

/* Online CPUs, ascending. Returns how many (caller frees *ret_cpus) or -errno. */
int cpus_online(uint32_t **ret_cpus);

#endif
