/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples, live or of a file, to the file of another program's viewer (render/viewers), with what records of tracepoints say. */
#ifndef SKEP_CMD_VIEWEROUT_H
#define SKEP_CMD_VIEWEROUT_H

#include "cmd/outformat.h"
#include "cmd/script_trace.h"
#include "data/data.h"
#include "sym/sym.h"

/* Zeroed but for the first members, which the owner sets before the first sample. */
struct viewer_out {
	struct out_format format;
	FILE *to;
	const struct event *events; /* what they are called is read with the first sample */
	int nr_events;
	const struct data_reader *reader; /* of a file; NULL: a live run */
	struct syms *syms;
	struct viewer *viewer;
	struct viewer_cfg cfg;
	struct viewer_event *names;
	struct script_traces *traces;
	FILE *packed; /* what the viewer writes to, where that is packed */
};

/* A sample with nr_frames of its innermost frames. 0 or -errno: viewer_out_why(). */
int viewer_out_sample(struct viewer_out *o, const struct named *named, uint32_t nr_frames);

/* After the last, with the ledger. Returns as viewer_out_sample() does. */
int viewer_out_end(struct viewer_out *o, const struct profile *p);

/* The cause of a failure that strerror() does not say: into err, which is left as it is where there is none. */
void viewer_out_why(const struct viewer_out *o, struct err *err);
void viewer_out_free(struct viewer_out *o);

#endif
