/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts in a perf.data file, as perf stat record has them: whose counters and where, then at the end, or after each interval of -I, a record
 * for each counter and one that ends the round. Values are totals since the start.
 */
#ifndef SKEP_DATA_STAT_H
#define SKEP_DATA_STAT_H

#include <stdbool.h>

#include "data/data.h"

/* enum aggr_mode of perf, as far as its versions agree (tools/perf/util/stat.h). */
enum stat_rows { STAT_ROWS_CPU = 0, STAT_ROWS_ALL = 1, STAT_ROWS_SOCKET = 2, STAT_ROWS_DIE = 3, STAT_ROWS_OTHER };

struct stat_count {
	uint64_t id; /* of the event, for data_reader_event() */
	uint32_t cpu; /* UINT32_MAX: on any */
	uint32_t thread; /* index in the list of threads */
	uint64_t value, enabled_ns, running_ns;
};

/* What precedes the counts. */
struct stat_config {
	const uint32_t *cpus; /* nr_cpus of them; none: counters are of threads, on any CPU */
	size_t nr_cpus;
	uint32_t pid; /* whose, UINT32_MAX: not known, or all */
	enum stat_rows rows;
	uint64_t interval_ms; /* 0: one round */
};

/* Into a writer whose meta.is_stat is set; the first before all counts. Each returns 0 or -errno. */
int data_writer_stat_config(struct data_writer *w, const struct stat_config *cfg);
int data_writer_stat_count(struct data_writer *w, int event, uint32_t cpu, uint64_t value, uint64_t enabled_ns, uint64_t running_ns);
int data_writer_stat_round(struct data_writer *w, bool is_last, uint64_t time_ns);

enum stat_kind { STAT_NOTHING, STAT_THREADS, STAT_CONFIG, STAT_COUNT, STAT_ROUND };

/* A record of a file, from data_reader_watch(). */
struct stat_record {
	enum stat_kind kind;
	size_t nr_threads;	    /* STAT_THREADS */
	const uint8_t *threads;	    /* for stat_thread() */
	struct stat_config config;  /* STAT_CONFIG: rows and interval_ms */
	struct stat_count count;    /* STAT_COUNT */
	bool is_last;		    /* STAT_ROUND: of all, not of an interval */
	uint64_t time_ns;	    /* STAT_ROUND: since the start */
};

/* 0, also for other records, which are STAT_NOTHING; -EBADMSG: it is too short, or of the other byte order. */
int stat_record_parse(const struct data_meta *meta, const struct data_record *rec, struct stat_record *ret);

/* Thread i of the record: its number, -1 for none in particular, and its name, at most COMM_LEN bytes and hostile. */
int64_t stat_thread(const struct stat_record *rec, size_t i, char comm[COMM_LEN + 1]);

/* The event of an id, or -1. */
int data_reader_event(struct data_reader *r, uint64_t id);

#endif
