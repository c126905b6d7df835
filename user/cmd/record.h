/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inside skep record: its options (record_options.c). */
#ifndef SKEP_CMD_RECORD_H
#define SKEP_CMD_RECORD_H

#include "cmd/measure.h"
#include "cmd/offcpu.h"
#include "cmd/record_files.h"
#include "cmd/unittrigger.h"
#include "util/opt.h"

#define TRIGGERS_MAX 16

struct record {
	struct measure m;
	struct honesty h;
	const char *out, *control_text;
	struct control control;
	struct record_files_cfg files;
	const char *triggers[TRIGGERS_MAX]; /* each is one event, after all others */
	int nr_triggers;
	struct unit_trigger units[TRIGGERS_MAX]; /* those of --trigger that are no event */
	int nr_units;
	int compression_level;
	int priority; /* of SCHED_FIFO; 0: as it is */
	bool callgraph, off_cpu, dry_run;
	struct offcpu_cfg off_cfg;
};

/* The run of a command with such options: operands are COMMAND. As struct cmd's run(). */
int record_run(void *cfg, char **operands, struct err *err);

/* -z, -z19, --compression-level=19: of a struct record. */
int record_set_compression(void *base, const char *text, struct err *err);

extern const struct opt_group record_groups[];
extern const struct opt_other record_others[];

#endif
