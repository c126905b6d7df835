/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples by instruction: what skep annotate and skep flame --annotate share. A reader of what is folded, then printed by function. */
#ifndef SKEP_CMD_ANNOTATION_H
#define SKEP_CMD_ANNOTATION_H

#include "capture/kcode.h"
#include "cmd/live.h"
#include "cmd/notshown.h"
#include "event/event.h"
#include "model/annotate.h"
#include "render/annotate/annotate.h"
#include "sym/code.h"
#include "sym/source.h"

struct annotation {
	/* Set by the command. */
	const char *function; /* a name or a pattern; NULL: all that have samples */
	double percent_limit; /* of all samples: functions below it are left out */
	uint64_t funcs_max;   /* 0: all */
	bool intel, skip_missing;
	struct annotate_look look;
	struct sources sources;
	struct code_cfg code;
	/* Own. */
	struct picture *pic; /* borrowed */
	struct annotate model;
	VEC(struct code_place) places; /* by function */
	struct kcode *kcode;
	struct code_reader *reader; /* NULL: there was no sample yet */
	size_t nr_shown, nr_missing; /* functions */
	struct not_shown not_shown;
};

/* Has the fold of a picture hand its samples over. Before the run. 0 or -errno with err filled. */
int annotation_begin(struct annotation *a, struct picture *pic, struct err *err);
/* While the picture, whose names it has, is there. */
void annotation_free(struct annotation *a);

/* What was folded into a view. */
struct annotation_series {
	const struct fold_view *at;
	const char *event; /* its name */
	uint64_t weight, count; /* own */
};

/*
 * After the run: prints the functions of n series to out. What cannot be shown is reported on standard error. total: with the
 * notes of all. 0, or -errno with err filled: -ENOENT when nothing is left to show.
 */
int annotation_print(struct annotation *a, const struct annotate_format *format, struct annotation_series *series, size_t n,
		     const struct profile *total, FILE *out, struct err *err);

/* Samples in user space whose function has no name: JITs' dumps have names that other views do not see. */
uint64_t annotation_unnamed(const struct annotation *a);

/* Adds a note when samples of an event are counted later than where it happened. */
void annotation_note_skid(const struct event *e, const char *name, struct profile *p);

#endif
