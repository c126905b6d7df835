/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How every run ends: what it lost and what it cost. */
#ifndef SKEP_CMD_HONESTY_H
#define SKEP_CMD_HONESTY_H

#include <stdbool.h>

#include "profile.h"
#include "util/err.h"
#include "util/opt.h"

/* Options of honesty, shared by every command: --strict --receipt. */
struct honesty {
	bool strict, receipt;
};

extern const struct opt honesty_opts[];

/* Ledger (only what is not zero) and, if requested, receipt, on stderr. */
void honesty_print(const struct honesty *h, const struct profile *p);

/* The same after text whose head has the ledger: of that, only lost samples are printed again. */
void honesty_end(const struct honesty *h, const struct profile *p);

/*
 * The exit code of a finished run that kept samples: -ENODATA, err filled, with --strict and a loss; else COMMAND's
 * status.
 */
int honesty_exit(const struct honesty *h, const struct profile *p, int status, struct err *err);

/* "skep flame -a -- sh -c 'a  b'" from this process's own command line, quoted for a shell. Static. */
const char *command_line(void);

#endif
