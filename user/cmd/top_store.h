/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep top --store: what an agent keeps, read again and again, as skep report shows it. */
#ifndef SKEP_CMD_TOP_STORE_H
#define SKEP_CMD_TOP_STORE_H

#include "cmd/top.h"

/* Until the user ends it, or o->refreshes tables. operands: none are taken. 0, or -errno with err filled. */
int top_store(const struct top_options *o, char **operands, struct err *err);

#endif
