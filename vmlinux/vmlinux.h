/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Picks the kernel types of the architecture the objects are built for. */
#if defined(__TARGET_ARCH_x86) || defined(__TARGET_ARCH_arm64)
#include "vmlinux.common.h" /* the fields used so far are the same on both */
#else
#error "no vmlinux header for this architecture: see vmlinux/vmlinux.common.h"
#endif
