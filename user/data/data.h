/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf.data: the writer is a sink, the reader is a source. The format is the kernel's ring-buffer
 * records (uapi/linux/perf_event.h) inside the container of
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef SKEP_DATA_DATA_H
#define SKEP_DATA_DATA_H

#include <stdint.h>

#include "bpf/loss.h"
#include "event/event.h"
#include "sample.h"
#include "util/err.h"

/* Bytes of a file of tracefs; text NULL: none. */
struct processors;

struct data_text {
	const char *text;
	size_t bytes;
};

struct data_format {
	const char *name; /* SUBSYSTEM:NAME of the tracepoint, which the event may have more words around */
	struct data_text file; /* text NULL: the event has no format */
};

/* Formats of tracepoints: what other programs read their records by. */
struct data_tracing {
	struct data_text header_page, header_event;
	const struct data_format *formats; /* of each event. Samples of those that have one have one value, the record */
};
#define RECORD_TYPES 128 /* of the kernel, and from 64 on of perf */

/* Where in a recording something is. */
struct data_place {
	const char *file; /* hostile; NULL: nowhere */
	uint64_t at;	  /* of a record in compressed data that of the COMPRESSED one */
	uint32_t type;	  /* of the record there */
};

/* The description in a file's header. All strings and arrays are borrowed by the writer, owned by the reader. */
struct data_meta {
	const char *hostname, *os_release, *version, *arch, *cpu_desc;
	const struct processors *processors; /* writer; NULL: not described */
	uint32_t nr_cpus_avail, nr_cpus_online;
	uint64_t total_mem_kb;
	int argc;
	const char *const *argv; /* the command line that recorded */
	const struct event *events;
	int nr_events;
	uint8_t kernel_build_id[BUILD_ID_MAX];
	uint8_t kernel_build_id_size; /* 0: not known */
	const struct data_tracing *tracing; /* writer; NULL: none */
	const char *(*cgroup_path)(void *arg, uint64_t id); /* writer: samples carry their cgroups, whose paths these are, or NULL; arg NULL */
	bool has_switches; /* writer: TASK_SWITCH come */
	bool has_namespaces; /* writer: TASK_NAMESPACES come */
	bool all_cpus;	   /* writer: of everything, so that each switch has both threads */
	bool callchain;	   /* samples carry call chains */
	uint32_t max_frames; /* of user stacks; 0: STACK_MAX_FRAMES */
	bool is_stat; /* counts, not samples (data/stat.h) */
	uint64_t duration_ns; /* reader: of a file without times; 0: not known */
	uint64_t left_out;    /* reader: stacks of a store that have other labels than those that are wanted */
	uint64_t nr_lowered; /* reader: profiles of a store whose rate --budget lowered */
	const char *lowered; /* reader: what that of the lowest rate says */
	uint64_t nr_others; /* reader: profiles of a store whose event has the name of the one that is read there, and is another; they are left out */
	const char *other; /* reader: the last such event */
	uint64_t without_pid, without_tid; /* reader: samples of profiles that do not say their process, or thread */
	uint64_t said_lost[LOSS_MAX]; /* reader: what profiles in pprof's format say that they lost, when they were made */
	int compression_level; /* writer: of zstd, 1 to 22; 0: records are written as they are */
	bool has_wall;	   /* reader: the next is known */
	int64_t wall_ns;   /* reader: time since 1970 at the file's time 0 */
	uint64_t first_ns, last_ns; /* of samples; set by the reader, 0 if the file does not say */
	bool other_clock;  /* reader: some times are not CLOCK_MONOTONIC */
	bool is_swapped;   /* reader: of the other byte order; raw data is as it was recorded */
	uint64_t aux_bytes; /* reader: of the processor's own trace, which is passed over */
	uint32_t aux_type;  /* reader: what that is */
	bool truncated;	   /* reader: the file ends in the middle (killed, disk full) */
	struct data_place cut; /* reader: where that is, if it is among the records: the type is not known */
	bool has_no_files; /* reader: a directory of which all data.N are missing, however many they were */
	uint32_t missing_files; /* reader: of a directory; those that it is known to have had */
	uint32_t first_missing; /* reader: the least of their numbers, N of data.N */
	struct data_place first_skipped; /* reader: of these */
	uint64_t lost;	   /* reader: sum of LOST and LOST_SAMPLES records */
	uint64_t throttled; /* reader: times that the kernel paused an event, it fired too often */
	uint64_t records[RECORD_TYPES]; /* reader: how many, by type */
	uint64_t skipped;  /* reader: damaged records and samples of unknown events, not delivered */
};

struct data_writer;

/*
 * Begins a file, mode 0600, of the invoking user. It is at path from the first sample on, or from
 * data_writer_close; a former file of that name then becomes PATH.old. Links are not followed. meta
 * and all it points to must live until data_writer_close.
 */
int data_writer_open(const char *path, const struct data_meta *meta, struct data_writer **ret_w, struct err *err);

/*
 * The same as a stream, as 'perf record -o -' writes it, into a descriptor that is the writer's from now on, also on failure: attributes and
 * descriptions come as records before all others. A reader that leaves is -EPIPE of data_writer_close, with err empty.
 */
int data_writer_stream(int fd, const struct data_meta *meta, struct data_writer **ret_w, struct err *err);

/*
 * The sink that turns samples and task events into records. round() writes FINISHED_ROUND. Aggregated
 * samples (count > 1) are refused with -EINVAL: the file has no room for a count. After a failed write
 * every call returns its -errno and data_writer_close reports it with the path.
 */
struct sink *data_writer_sink(struct data_writer *w);

/* Bytes of the records so far, as they are before compression. */
uint64_t data_writer_record_bytes(const struct data_writer *w);

/* Bytes of the file so far; where it is compressed, without what is not written yet. */
uint64_t data_writer_bytes(const struct data_writer *w);

/* Flushes, writes the feature sections and the final header, closes and frees. Returns the size in bytes or -errno (err filled). */
int64_t data_writer_close(struct data_writer *w, struct err *err);

/* Ends a recording that failed: without a sample nothing of it is left, else it is closed as far as that goes. */
void data_writer_abort(struct data_writer *w);

struct perf_event_attr;
struct data_reader;
struct pprof_reader;

/*
 * Of a profile in pprof's format, which is read as a recording is: its reader. Addresses of samples are then 1 + the numbers that
 * pprof_frames() takes. NULL: it is a recording.
 */
struct pprof_reader *data_reader_summed(const struct data_reader *r);

struct store_span;

/* Of a store of skep agent (data/store.h): its profiles in the span, as one recording. */
int data_reader_open_store(const char *path, const struct store_span *span, struct data_reader **ret_r, struct err *err);

/* How many of the profiles that a directory's store has for the reader are in another span's time, too. Of a server: 0. */
size_t data_reader_shared(const struct data_reader *r, const struct store_span *other);

/* A profile in pprof's format, n bytes of malloc() that are gone then, also on failure; name is what messages call it. */
int data_reader_open_profile(const char *name, char *bytes, size_t n, struct data_reader **ret_r, struct err *err);

/* Opens and checks a file, or a directory of files ("-" is standard input); reads header, attributes and features. */
int data_reader_open(const char *path, struct data_reader **ret_r, struct err *err);
const struct data_meta *data_reader_meta(const struct data_reader *r);

/* The attribute of an event: what newer perfs add is left out. Pointers are the reader's, and live as long. */
const struct perf_event_attr *data_reader_attr(const struct data_reader *r, int event);

/* The format file of a tracepoint, as the recording has it: *ret_bytes of text, hostile. NULL: the recording has none. */
const char *data_reader_format(const struct data_reader *r, int event, size_t *ret_bytes);

/*
 * Pushes all records into the sink, once: first (and at once) those without a time, in the file's
 * order, then the others in time order, at equal time task events before samples: only those whose user chain was recorded later come when it
 * has come. A file cut short
 * ends at its last whole record and is no error. Returns 0, -errno with err filled, or what the sink
 * returned. In meta, truncated and the counters are final only now.
 */
int data_reader_run(struct data_reader *r, struct sink *sink, struct err *err);
void data_reader_close(struct data_reader *r);

/*
 * Has samples say how many threads ran then, as perf counts them: 1 at first, 1 more for each switch in, 1 less for each switch out and each
 * exit, at most the file's CPUs. In files of CPUs (-a) switches of the idle task are among them: meta's records say if there were any
 * PERF_RECORD_SWITCH_CPU_WIDE. Before data_reader_run.
 */
void data_reader_count_running(struct data_reader *r);

/* The chains of a sample end with its leaf, but for a tracepoint's: the rest is not read. Before data_reader_run. */
void data_reader_leaf_only(struct data_reader *r);

/* A record as it is in the file, hostile. What the trailer of other records than samples does not say is 0. */
struct data_record {
	const uint8_t *bytes; /* size of them, from struct perf_event_header on */
	size_t size;
	uint16_t type, misc;
	int event;
	uint32_t pid, tid, cpu;
	uint64_t time_ns; /* 0: none */
	const char *file; /* that it is in: hostile */
	uint64_t at;	  /* where in the file it is; of a compressed one a COMPRESSED record that it may be in */
	size_t body;	  /* bytes without the trailer */
};

/* Mappings of data (perf record -d) are delivered as well as those of code. Before data_reader_run. */
void data_reader_keep_data(struct data_reader *r);

struct strpool;

/* Samples of profiles have their labels, those of the bits 1 << enum sample_label, of which the texts are in pool. Before data_reader_run. */
void data_reader_keep_labels(struct data_reader *r, uint32_t labels, struct strpool *pool);

/* record() gets each record of the run: a sample before the sink has it, another after. Returns 0 or -errno, which fails the run. Before data_reader_run. */
void data_reader_watch(struct data_reader *r, int (*record)(void *arg, const struct data_record *record), void *arg);
/*
 * What the file says of itself, line by line as perf report --header-only prints it, without the # at the start. text is of the file: any
 * bytes. NULL: a line without a text. whole: with CPUs,
 * nodes, caches and memory of the machine, as -I has them. 0 or -ENOMEM.
 */
int data_reader_describe(struct data_reader *r, bool whole, void (*line)(void *arg, const char *text), void *arg);

/* The socket of each CPU, an array that the caller frees; *ret_n 0: the file does not say. 0 or -ENOMEM. */
int data_reader_sockets(struct data_reader *r, int **ret_sockets, uint32_t *ret_n);

/* "intel_pt": what a file says that its AUX area data is (enum auxtrace_type, tools/perf/util/auxtrace.h); NULL: not known. */
const char *aux_name(uint32_t type);

/* "SAMPLE": a type of records as perf report --stats names it; NULL: there is none. */
const char *record_name(unsigned type);

/* "offset 0x1b8: MMAP2 (10)", as perf names the place of a record. Returns buf. */
#define PLACE_TEXT_BYTES 64
const char *data_place_text(const struct data_place *p, char *buf);

#endif
