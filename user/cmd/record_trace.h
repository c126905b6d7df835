/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a recording needs of tracepoints and probes: their formats, and their records as the kernel writes them for perf. */
#ifndef SKEP_CMD_RECORD_TRACE_H
#define SKEP_CMD_RECORD_TRACE_H

#include "capture/source/probe.h"
#include "cmd/record_probe.h"
#include "data/data.h"
#include "profile.h"

struct record_traces {
	struct data_tracing tracing;
	struct data_format *formats; /* of each event: tracing.formats */
	const struct site **sites; /* likewise, of tracepoints; NULL: it has no format */
	const struct probe **probes; /* likewise, of probes with arguments */
	struct record_probe_gaps gaps; /* of values of these */
	int nr_events;
	uint8_t *bytes; /* a record that is changed */
	size_t cap;
	uint64_t nr_cut; /* samples with data that was not copied whole */
	struct sample_value value;
};

/* Of zeroed t. 0 or -ENOMEM; a format that cannot be read is none. record_traces_free() in any case. */
int record_traces_load(struct record_traces *t, const struct probe *probes, int nr_probes, int nr_events);
void record_traces_free(struct record_traces *t);

/* Any format at all? */
bool record_traces_any(const struct record_traces *t);

/* What the records lack, as notes. */
void record_traces_profile(const struct record_traces *t, struct profile *p);

/*
 * The record of a sample as the kernel would have recorded it: the fields that all tracepoints begin with, where a BPF program sees
 * other bytes; cut after the data of its last field. The result is t's until the next call; s itself where it has no record.
 */
int record_traces_fix(struct record_traces *t, const struct sample *s, struct sample *ret_sample);

#endif
