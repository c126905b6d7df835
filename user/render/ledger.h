/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: the ledger and the receipt of a run, which every JSON has. */
#ifndef SKEP_RENDER_LEDGER_H
#define SKEP_RENDER_LEDGER_H

#include "profile.h"
#include "util/json.h"

/* The members of render/tree/json.c's format from "title" to "receipt", into the object that is open. */
void profile_json(struct json *json, const struct profile *p);

#endif
