/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a perf.data file says of the machine and the command line that made it. */
#ifndef SKEP_CMD_MACHINE_H
#define SKEP_CMD_MACHINE_H

#include <sys/utsname.h>

#include "data/data.h"
#include "util/processors.h"

#define MACHINE_ARGS_MAX 64

/* The strings of a description, which lives as long. */
struct machine {
	struct utsname uts;
	struct processors processors;
	char raw[8192];
	int argc;
	char *argv[MACHINE_ARGS_MAX];
};

/* Of this machine and this process: fills m, zeroed before, and those members of meta. 0 or -ENOMEM; machine_free() in any case. */
int machine_describe(struct machine *m, struct data_meta *meta);
void machine_free(struct machine *m);

/* Refuses a stream to a terminal. example: the command line that the hint shows. 0, or -EINVAL with err filled. */
int machine_check_stdout(const char *example, struct err *err);

/*
 * Standard output becomes a recording's stream: COMMAND, which is not started yet, will write to standard error instead, as under perf. A
 * descriptor, or -errno.
 */
int machine_take_stdout(void);

#endif
