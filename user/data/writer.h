/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the perf.data writer: writer.c turns events into records, writertail.c ends the file, output.c owns file and buffer, compress.c
 * compresses what goes from the buffer to the file, feature.c builds the sections after the records.
 */
#ifndef SKEP_DATA_WRITER_H
#define SKEP_DATA_WRITER_H

#include "data/data.h"
#include "data/format.h"
#include "util/map.h"
#include "util/newfile.h"
#include "util/vec.h"

/*
 * The file being written. Records are built in a buffer and leave it only whole, so that a file
 * whose writer was killed ends at a record.
 */
struct output {
	int fd;
	char *path;
	struct newfile file;
	bool placed; /* the file is at path */
	bool is_stream; /* nothing can be rewritten */
	uint8_t *buf;
	size_t used;
	uint64_t data_at;    /* file offset of the first record */
	uint64_t data_bytes; /* of records in the file */
	uint64_t record_bytes; /* that left the buffer: what data_bytes would be without compression */
	struct compressor *compressor; /* NULL: records go into the file as they are */
	int failed;	     /* negative errno of the first failed write; nothing is written after it */
};

/* Makes the file for path and fills o (zeroed, fd -1 before). On failure too, output_close frees it. */
int output_open(struct output *o, const char *path, struct err *err);

/* The same for a stream; fd is o's. */
int output_stream(struct output *o, int fd, struct err *err);

/* Puts it at path, a former file at PATH.old; once. Returns o->failed. */
int output_place(struct output *o);

/* Writes the bytes before the first record. */
int output_begin(struct output *o, const void *bytes, size_t n);

/* Room for a record of up to RECORD_MAX_BYTES, or NULL after a failure. */
uint8_t *output_reserve(struct output *o);
static inline void output_commit(struct output *o, size_t n)
{
	o->used += n;
}

/* Moves the buffer to the file and the new data size to its header. */
int output_flush(struct output *o);

/* Writes after the last record; on failure the file ends at the last record again. */
int output_tail(struct output *o, const void *bytes, size_t n);
/* Overwrites what is in the file already. */
int output_rewrite(struct output *o, uint64_t at, const void *bytes, size_t n);
/* A file that was not placed is gone. */
int output_close(struct output *o);

/* compress.c: 0, or a negative errno with err filled: -EOPNOTSUPP when skep was built without zstd. */
int compress_open(const char *path, int level, struct compressor **ret_c, struct err *err);
/* Whole COMPRESSED records that hold the n bytes, good until the next call. 0 or a negative errno. */
int compress_bytes(struct compressor *c, const uint8_t *p, size_t n, const uint8_t **ret_p, size_t *ret_n);
void compress_free(struct compressor *c);

/* A growing byte string; failed is sticky, so that callers check once. */
struct buffer {
	uint8_t *data;
	size_t n, cap;
	bool failed;
};

void buffer_add(struct buffer *b, const void *data, size_t n);

/* An object with a known build id. */
struct seen_object {
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	bool kernel;
	char path[];
};

struct seen_objects {
	VEC(struct seen_object *) objects;
	struct map index; /* by build id and path */
};

/* For the BUILD_ID section. An object beyond 65,536, or without memory, is left out: its MMAP2 record has the build id, too. */
void seen_add(struct seen_objects *seen, const struct task_event *t);
void seen_free(struct seen_objects *seen);

struct feature_input {
	const struct data_meta *meta;
	const struct perf_event_attr *attrs;
	const uint64_t *ids; /* one per event */
	struct seen_object *const *objects;
	size_t nr_objects;
	uint64_t first_ns, last_ns;
	uint64_t wall_ns, clock_ns; /* one instant on CLOCK_REALTIME and CLOCK_MONOTONIC */
	uint64_t clock_resolution_ns;
	const struct compression *compression; /* NULL: none */
};

/*
 * Builds the feature table and sections for the file offset `at`, and sets their bits in h.
 * Returns 0 or -ENOMEM.
 */
int features_build(struct buffer *b, uint64_t at, const struct feature_input *in, struct file_header *h);

/* The same as records of a stream: whole ones, one after the other. Sections that need the end of the recording are left out. */
int features_stream(struct buffer *b, const struct feature_input *in);

/* The writer's own. */
struct data_writer {
	struct sink sink; /* first: the callbacks cast it back */
	struct output out;
	struct data_meta meta;
	struct file_header header;
	struct perf_event_attr *attrs;
	uint64_t *ids;
	struct seen_objects seen;
	struct map cgroups; /* a set: they have a record */
	uint64_t first_ns, last_ns; /* of samples */
	uint64_t max_ns;	    /* of all records */
	uint64_t round_ns;	    /* the same when the last round ended */
	uint64_t flushed_ns;
	uint64_t wall_ns, clock_ns;
	struct compression compression;
	uint64_t compression_at; /* file offset of its copy in the stream */
	bool round_open; /* records since the last FINISHED_ROUND */
};

/* writerhead.c: attributes; then header, ids and attributes, or what a stream has in their place. 0 or -errno. */
void writer_attr(struct perf_event_attr *a, const struct event *e, const struct data_meta *meta, bool has_format);
int writer_head(struct data_writer *w);
int writer_stream_head(struct data_writer *w);

/* All but the output, which is closed before. */
void writer_free(struct data_writer *w);

#endif
