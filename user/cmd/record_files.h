/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of a recording: one, or with --switch-output one after the other. In come samples and task events, each file gets what is
 * needed to read it alone.
 */
#ifndef SKEP_CMD_RECORD_FILES_H
#define SKEP_CMD_RECORD_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "data/data.h"
#include "util/err.h"
#include "util/opt.h"

/* Options: record_files_opts. */
struct record_files_cfg {
	bool is_split;		/* --switch-output; of the next three one is set */
	bool by_signal;		/* SIGUSR2 */
	uint64_t switch_bytes;
	uint64_t switch_ns;
	uint64_t files_max;	/* the oldest are deleted; 0: all are kept */
	uint64_t bytes_max;	/* the run ends; 0: it does not */
	bool is_dated;		/* the date is a part of the name */
	uint64_t last_ns;	/* --last: nothing is written until it is asked for; 0: not so */
	uint64_t pause_ns;	/* between two files that events ask for */
};

extern const struct opt record_files_opts[];
extern const struct opt_rule record_files_rules[];

/* Zeroed but for the first members, which the caller sets. */
struct record_files {
	const struct record_files_cfg *cfg;
	const char *path; /* "-": stream_fd */
	int stream_fd;	  /* the writer's once it is open; or -errno */
	struct data_meta meta;
	/* Reports all that is there now, the kernel's code and the processes, to sink->task. 0, -errno, or what that returned. */
	int (*describe)(void *arg, struct sink *sink);
	uint64_t (*lost)(void *arg); /* samples that the run has lost so far */
	void *arg;

	struct data_writer *writer;
	struct data_writer *next; /* described, and waits for the end of the round */
	uint64_t nr_samples;	  /* of the writer */
	uint64_t bytes_out;	  /* of all files that are complete */
	uint64_t nr_rounds;	  /* how often data was taken out of the rings */
	uint64_t opened_ns;
	struct lastspan *last; /* with --last */
	uint64_t begun_ns;     /* likewise */
	uint64_t asked_ns;     /* by an event, last; 0: never */
	uint64_t nr_passed;    /* events that asked too early */
	const char *asks;      /* of the next round: which; NULL: none does */
	bool is_full;
	char **names; /* of those that are complete, with files_max: the oldest at `oldest` */
	uint64_t nr_names, oldest;
	struct err err; /* why files_round() failed */
};

/* Before all else: from here on SIGUSR2 asks for another file; where there is to be none it has no effect, as with perf record. */
void files_listen(void);

/* Opens the first file. The caller describes what is there, as task events. 0, or -errno with err filled. */
int files_open(struct record_files *f, struct err *err);

/* 0 or -errno. */
int files_sample(struct record_files *f, const struct sample *s);
int files_task(struct record_files *f, const struct task_event *t);

/* With --last: a trigger asks for a file, at that time, unless another did a short while before. trigger: its text, borrowed. */
void files_ask(struct record_files *f, uint64_t time_ns, const char *trigger);

/*
 * The end of a round: switches files where it is time to. 0; -ECANCELED: the file is as large as it may become; or -errno with f->err
 * filled.
 */
int files_round(struct record_files *f);

/* Ends a recording: lost samples become a record of the last file. 0, or -errno with err filled. */
int files_close(struct record_files *f, uint64_t lost, struct err *err);

/* Ends one that failed. What is on disk is closed as far as that goes. */
void files_abort(struct record_files *f);

/* In any case, last. */
void files_free(struct record_files *f);

#endif
