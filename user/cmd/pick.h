/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which samples of a file a command shows: perf's -c --pid --tid -d -S -C --time. A sink between NAMES and whoever shows what it
 * delivers: in and out are named samples.
 *
 *	static const struct opt_group groups[] = { { "Which samples", pick_opts, offsetof(struct my_options, pick) }, ... };
 *	ret = pick_new(&o->pick, &pick, &err);                      the words are checked before a file is opened
 *	ret = pick_open(pick, reader, &err);                        once the file is open
 *	pick_insert(pick, &names);                                  before the first sample
 *	pick_out(pick, event)                                       at the end
 *	pick_free(pick);
 */
#ifndef SKEP_CMD_PICK_H
#define SKEP_CMD_PICK_H

#include "cmd/onoff.h"
#include "data/reader.h"
#include "sym/names.h"
#include "util/err.h"
#include "util/opt.h"
#include "util/vec.h"

#define PICK_FILE_WORD "file://" /* begins a word of a list that names a file with more of them */

struct pick_options {
	const char *comms, *pids, *tids, *dsos, *symbols, *cpus, *time; /* NULL: all */
	uint64_t addr_range; /* bytes from each address among the symbols on */
	struct onoff *onoff; /* of the command; NULL: none */
	bool costs; /* of the command: weights of samples are summed instead of periods */
	bool branches; /* of the command: a sample counts as often as it has branches */
	bool traces; /* of the command: samples get the text of their tracepoint, as the file has it */
	const char *parallelism; /* only samples with so many threads running, as in "1-4,8"; NULL: all; an option of the command's own */
	bool named_only; /* only samples in a function that has a name; an option of the command's own */
};

extern const struct opt pick_opts[];
extern const struct opt pick_diff_opts[]; /* the same, but -C is --comms, and there is no -c */
extern const struct opt pick_script_opts[]; /* the same but -d, which means something else there */

struct pick;

/* Checks the words. *ret_pick is NULL if none is given: then all samples are shown. 0, or -errno with err filled; o must outlive it. */
int pick_new(const struct pick_options *o, struct pick **ret_pick, struct err *err);
void pick_free(struct pick *p); /* NULL is nothing */

/* Once the file is open: has it what the words need? 0, or -EINVAL with err filled: -C without CPUs, or what pick_begin() says. */
int pick_open(struct pick *p, const struct data_reader *reader, struct err *err);
int pick_check_cpus(const struct data_reader *reader, struct err *err); /* for a --cpu of a command's own */

/* The time of a file's samples, 0, 0 if it does not say: 0, or -EINVAL with err filled, as "10%" then means nothing. */
int pick_begin(struct pick *p, uint64_t first_ns, uint64_t last_ns, struct err *err);

/* Puts it before names->to. */
void pick_insert(struct pick *p, struct names *names);

/*
 * What was left out of an event by comm, process, thread, parallelism, object or symbol: it counts where percentages are of all samples. Samples of
 * other CPUs or times, and those without a name, count nowhere, as in perf.
 */
struct pick_out {
	uint64_t weight, count, latency;
};
struct pick_counts {
	VEC(struct pick_out) by_event;
};
int pick_count(struct pick_counts *c, const struct sample *s); /* 0 or -ENOMEM */
struct pick_out pick_counted(const struct pick_counts *c, uint32_t event);
struct pick_out pick_out(const struct pick *p, uint32_t event);

/* All samples that were left out, for whatever reason. */
uint64_t pick_out_all(const struct pick *p);

#endif
