/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rows of skep net are by, and in which order. */
#ifndef SKEP_CMD_NET_KEYS_H
#define SKEP_CMD_NET_KEYS_H

#include "model/net.h"
#include "util/err.h"

/* "comm,remote" to enum net_by; "bytes" to its order. 0, or -EINVAL with err filled: a caret below the word. */
int net_keys_parse(const char *text, uint32_t *ret_by, struct err *err);
int net_sort_parse(const char *text, enum net_sort *ret_sort, struct err *err);

#endif
