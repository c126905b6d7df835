/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which file a path of u:, ur: and usdt: means: "./prog", "bash" by PATH, "libc" by the loader's folders, all of them in -p's root. */
#ifndef SKEP_EVENT_UPATH_H
#define SKEP_EVENT_UPATH_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* An absolute path that opens. 0, or -errno with err filled: -ENOENT. pid: of -p, 0: none. */
int upath_find(const char *path, uint32_t pid, char *ret_path, size_t size, struct err *err);

#endif
