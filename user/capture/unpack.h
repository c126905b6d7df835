/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BPF objects are packed in the binary, by gzip: they are most of its bytes, and one run loads one or two of them. */
#ifndef SKEP_CAPTURE_UNPACK_H
#define SKEP_CAPTURE_UNPACK_H

#include <stddef.h>

/* What has so many bytes unpacked; the caller frees it. NULL: no memory, or it is not that. */
void *unpack(const void *packed, size_t packed_bytes, size_t bytes);

#endif
