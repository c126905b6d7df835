/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BPF objects are packed in the binary, by gzip: they are most of its bytes, and one run loads one or two of them. */
#ifndef SKEP_CAPTURE_UNPACK_H
#define SKEP_CAPTURE_UNPACK_H

#include <stddef.h>

/* So many bytes, malloc'ed; skeletons keep them until the process ends. NULL: no memory, or `packed` is damaged. */
void *unpack(const void *packed, size_t packed_bytes, size_t bytes);

#endif
