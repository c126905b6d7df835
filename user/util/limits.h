/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Resource limits: we need more files and locked memory than we are given, COMMAND gets what it was meant to have. */
#ifndef SKEP_UTIL_LIMITS_H
#define SKEP_UTIL_LIMITS_H

/* Once, first: remembers what we were given. */
void limits_init(void);

/*
 * As many open files as the hard limit allows, and more with CAP_SYS_RESOURCE. Locked memory, which bounds BPF maps before 5.11, is
 * libbpf's to raise.
 */
void limits_raise(void);

/* In a child before its exec: as they were at limits_init. */
void limits_restore(void);

#endif
