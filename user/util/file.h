/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whole files of /proc and of foreign writers, whose size stat() does not know. */
#ifndef SKEP_UTIL_FILE_H
#define SKEP_UTIL_FILE_H

#include <stddef.h>

/*
 * Reads fd from its position to the end, or to max bytes, into malloc'ed memory with a NUL after it.
 * hint: the size to start with. 0, -errno.
 */
int file_read_fd(int fd, size_t hint, size_t max, char **ret_bytes, size_t *ret_n);
int file_read(const char *path, size_t hint, size_t max, char **ret_bytes, size_t *ret_n);

/*
 * The fields of /proc/ID/stat, or of a thread's, behind the name, which may have brackets itself: ") S 1 ...". They are in buf. 0; -errno: it
 * cannot be opened; -EBADMSG: it has no name.
 */
int file_stat_fields(const char *path, char *buf, size_t size, const char **ret_fields);

/* The name of a thread: /proc/ID/comm, of any process that is there. "" where it is not. */
void file_comm(unsigned int id, char *buf, size_t size);

/* Parses hexadecimal digits at *p (after 0x or not) and moves *p after them. 0, or -EINVAL: none, or more than 64 bits. */
int hex_parse(const char **p, const char *end, unsigned long long *ret_value);

#endif
