/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A perf.data file that is opened for names: the names are those of the machine that was recorded. */
#ifndef SKEP_CMD_RECORDING_H
#define SKEP_CMD_RECORDING_H

#include "capture/ksym.h"
#include "data/data.h"
#include "model/report.h"
#include "profile.h"
#include "sym/names.h"

struct recording {
	const struct store_span *span; /* set by the owner: the path is that of a store, of which this is read; NULL: a file */
	uint32_t labels; /* set by the owner: of profiles, those that samples are to have; 1 << enum sample_label */
	bool needs_pid, needs_tid, needs_cgroup; /* set by the owner: samples without a process or thread, or whose control group is a label only, are refused */
	struct data_reader *reader; /* its sink is names.sink */
	struct recorded recorded;
	struct strpool *pool; /* of names; borrowed */
	char *kallsyms, *kcore; /* that perf record --kcore kept; NULL: none */
};

/*
 * Opens path and makes names->syms by cfg's choices, which is completed here. *ret_ksym: what names of the running kernel come from, the
 * caller's to close after names_free(); or NULL. 0 or -errno; recording_close() in any case, after names_free().
 */
int recording_open(struct recording *rec, const char *path, struct names *names, struct ksym_asker **ret_ksym, struct syms_cfg *cfg,
		   struct err *err);
/* Before that: what a table with these keys needs of samples. */
void recording_for(struct recording *rec, const struct report_layout *layout);

/* "FILE: COMMAND", what was recorded, into buf, which is returned. */
const char *recording_title(const char *path, const struct data_meta *meta, char *buf, size_t size);

/* For what a profile in pprof's format does not have: 0, or -ENODATA with err filled. */
int recording_needs_samples(const struct recording *rec, const char *path, struct err *err);

void recording_close(struct recording *rec);

/* A damaged record, which err names, has ended the file: what precedes it counts, with a note and a loss in p. Empties err. */
void recording_damaged(struct profile *p, struct err *err);

/* After the run: adds to p what the file lost, and what reading it since start_ns cost. */
void recording_end(const struct recording *rec, uint64_t start_ns, struct profile *p);

#endif
