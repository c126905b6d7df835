/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording of skep trace: what decoding needs, the records of bpf/trace.h as the kernel wrote them, in the order of time, and the ledger.
 * The writer is a sink, the reader delivers to one.
 *
 * The file, little-endian: struct calllog_head, its text; then frames, each at a multiple of 8: struct calllog_frame, its bytes. The last
 * frame is CALLLOG_END; a file without it was cut. Texts are lines "WORD VALUE"; words that are not known are skipped.
 */
#ifndef SKEP_DATA_CALLLOG_H
#define SKEP_DATA_CALLLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/trace.h"
#include "profile.h"
#include "sample.h"
#include "util/err.h"

#define CALLLOG_MAGIC "SKEPCALL"
#define CALLLOG_VERSION 1
_Static_assert(sizeof(struct trace_rec) == 112 && TRACE_LOST == 6, "other records need another version");

struct calllog_head {
	char magic[8];
	uint32_t version;
	uint32_t bytes; /* of the text; with it the head has a multiple of 8 bytes */
};

enum calllog_kind {
	CALLLOG_RECORD = 1, /* a struct trace_rec and its data */
	CALLLOG_END = 2,    /* text: the ledger */
};

struct calllog_frame {
	uint32_t bytes; /* that follow, without those up to the next multiple of 8 */
	uint32_t kind;
};

#define CALLLOG_TITLE_MAX 1024
#define CALLLOG_BOOT_MAX 40 /* /proc/sys/kernel/random/boot_id */

/* What decoding needs to know. */
struct calllog_meta {
	char title[CALLLOG_TITLE_MAX]; /* the command line that recorded, without newlines */
	uint32_t text;	   /* bytes of strings that were read */
	uint32_t first_tid; /* whose lines have no number as long as there are no others; 0: not known */
	bool is_whole;	   /* all members of structures were, and the environment */
	bool is_here;	   /* reader: recorded on this machine since it was started */
	uint64_t start_ns; /* CLOCK_MONOTONIC of the begin */
	uint64_t clock_ns; /* CLOCK_REALTIME of the same moment */
};

struct calllog_writer;

/*
 * Begins a file ("-": standard output), of mode 0600. It is at path from the first flush with a record on; a former file of that name is
 * PATH.old then. 0, or -errno with err filled.
 */
int calllog_create(const char *path, struct calllog_writer **ret_w, struct err *err);

/* Before the first record. 0 or -errno. */
int calllog_begin(struct calllog_writer *w, const struct calllog_meta *meta);

/* Takes records: sink->raw, 0 or -errno. round() flushes. It is the writer's. */
struct sink *calllog_sink(struct calllog_writer *w);

/*
 * Writes the ledger, closes and frees. ret: how the run ended. After a run that failed or kept nothing there is no ledger: before the first
 * record the former file stays, after it the new one has what was written. Returns the size in bytes (0: no file), or -errno
 * with err filled: the error of the run, or of a write. -EPIPE: the reader of the pipe has left.
 */
int64_t calllog_close(struct calllog_writer *w, int ret, const struct profile *ledger, struct err *err);

struct calllog_reader;

/* Opens a file ("-": standard input) and reads its head; one of another machine or version is refused. 0, or -errno with err filled. */
int calllog_open(const char *path, struct calllog_reader **ret_r, struct err *err);

/* The same from a descriptor that stays the caller's; name is for messages. */
int calllog_open_fd(int fd, const char *name, struct calllog_reader **ret_r, struct err *err);

/* Valid as long as the reader. */
const struct calllog_meta *calllog_meta(const struct calllog_reader *r);

/*
 * Delivers the records by sink->raw and adds the ledger of the recording; to be called once. Of a file that was cut, or is damaged, it
 * delivers what comes before, and adds the loss. 0, -errno with err filled, or what the sink returned. *ret_has_end: the ledger was there.
 */
int calllog_read(struct calllog_reader *r, struct sink *sink, struct profile *ledger, bool *ret_has_end, struct err *err);
void calllog_free(struct calllog_reader *r);

/* Identifies this machine since it was started; "": it is not known. */
void calllog_boot(char boot[CALLLOG_BOOT_MAX]);

/* "x86_64": the machine whose table of system calls the records' numbers are of. */
extern const char calllog_machine[];

#endif
