/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the perf.data reader: directory.c (recordings of several files), stream.c (bytes to records), attr.c (events, ids and where their fields
 * are), names.c (of events without one), meta.c (features), queue.c (time order), record.c (record to sample or task event), fields.c (what few samples have), deferred.c (user chains that come later), reads.c (counters
 * read with a sample), decompress.c (compressed records), swap.c (the other byte order), summed.c (profiles of pprof), container.c (what is around the records), reader.c (the loop).
 */
#ifndef SKEP_DATA_READER_H
#define SKEP_DATA_READER_H

#include "data/data.h"
#include "data/format.h"
#include "data/store.h"
#include "util/map.h"
#include "util/strpool.h"
#include "util/vec.h"

/* A thousand CPUs times the syscall tracepoints; a file that has more is hostile. */
#define ATTRS_MAX 4096u
#define IDS_MAX (1u << 20)
#define BUILD_IDS_MAX (1u << 16)
#define FEATURE_BYTES_MAX (64u << 20)
#define ARGS_MAX 65536u

/* A piece of the stream. Records in the queue point into it and keep it alive. */
struct chunk {
	struct chunk *next; /* in the free list */
	struct chunk_pool *pool;
	uint32_t refs;
	size_t used, cap;
	const char *file; /* the reader's name of the file that it is of */
	uint64_t file_at; /* of its first byte; is_packed: of a record that it was inside of */
	bool is_packed;
	_Alignas(16) uint8_t bytes[];
};

struct chunk_pool {
	struct chunk *free;
	size_t nr_free, nr_live;
	size_t cap; /* bytes of each chunk */
};

/* Bytes that come in pieces, seen as records. */
struct stream {
	struct chunk_pool *pool;
	struct chunk *chunk;
	size_t at;	/* of the next record in the chunk */
	uint64_t skip;	/* bytes after the last record that are no records */
	VEC(uint8_t) kept; /* of these, if keep */
	bool keep;
	bool is_swapped; /* records have the other byte order */
	bool is_native;	 /* but for the one at hand, which has been swapped */
};

struct chunk *chunk_get(struct chunk_pool *pool);
void chunk_put(struct chunk *c);
void chunk_pool_free(struct chunk_pool *pool);

/*
 * The next whole record, aligned as the file has it, in our byte order but for what its event says (swap.c): 1 and ret_record; 0 when more bytes are needed;
 * -EBADMSG when the bytes are no record.
 */
int stream_peek(struct stream *s, const uint8_t **ret_record);
void stream_take(struct stream *s, size_t record_bytes);
/* Where to put more bytes, at least RECORD_MAX_BYTES of room: 0 or -ENOMEM. */
int stream_room(struct stream *s, uint8_t **ret_p, size_t *ret_n);
static inline void stream_filled(struct stream *s, size_t n)
{
	s->chunk->used += n;
}
static inline size_t stream_left(const struct stream *s)
{
	return s->chunk ? s->chunk->used - s->at : 0;
}
/* Goes on with a new chunk: the next bytes do not follow those before. Nothing may be left. */
void stream_restart(struct stream *s);
void stream_free(struct stream *s);

/* Where the fields of an event's records are; -1: there is no such field. */
struct layout {
	uint64_t sample_type, read_format;
	uint64_t period; /* of samples that do not say */
	uint64_t first_id;
	uint16_t max_stack;
	bool no_user_chain; /* chains are of the kernel only */
	uint64_t branch_type, user_mask, intr_mask; /* of struct perf_event_attr: what branch records and registers there are */
	bool inherited;	    /* each thread has counters of its own */
	int sample_time, sample_id; /* from the start of the record */
	int trailer;		    /* bytes of sample_id at the end of other records */
	int tail_tid, tail_time, tail_cpu, tail_id; /* from the start of the trailer */
};

/* Counters that were read with a sample, in its record: nr times so many words. */
struct reads {
	const uint8_t *p;
	uint64_t nr;
	uint32_t words, id_at; /* the value is the first */
	bool has_id;
};

/* The content of a feature section, for data_reader_describe(). */
struct feature_bytes {
	unsigned feature;
	uint8_t *bytes;
	size_t n;
};

#define FEATURE_KEPT_MAX (1u << 20)

struct last_read {
	uint64_t id, value;
	uint32_t tid;
};

struct id_entry {
	uint64_t id;
	uint32_t attr;
};

/* The format file of a tracepoint, by its number. */
struct tracing_format {
	uint64_t id;
	const char *text; /* owned */
	size_t bytes;
};

struct build_id {
	const char *path; /* interned */
	uint32_t order;	  /* the last one of a path counts */
	uint8_t size;
	uint8_t bytes[BUILD_ID_MAX];
};

/* What waits for its turn. */
struct queued {
	uint64_t time_ns;
	struct chunk *chunk;
	uint32_t at; /* in the chunk */
	uint16_t attr;
	uint8_t class; /* enum queue_class */
};

enum queue_class {
	QUEUE_TASK,
	QUEUE_SAMPLE,
};

struct queue {
	VEC(struct queued) entries;
	struct queued *spare; /* of the same size, for merging */
	size_t spare_cap;
	VEC(size_t) runs;     /* starts of the ascending runs in entries */
};

int queue_push(struct queue *q, const struct queued *e);
/* Sorts by time and class, stable. 0 or -ENOMEM. */
int queue_sort(struct queue *q);
/* Drops the first n. */
void queue_drop(struct queue *q, size_t n);
void queue_free(struct queue *q);

/* A record of the preamble, for who watches the run. */
struct held_record {
	struct data_place place;
	size_t at; /* in held_bytes */
};

#define HELD_BYTES_MAX (1u << 20) /* the numbers and names of 43000 threads */

struct waiting;

/* The user chain of the sample that is being delivered, of a record of its own. */
struct merge {
	const uint8_t *chain; /* nr words; NULL: it never came */
	uint64_t nr;
	uint32_t parallelism; /* of the sample */
	bool is_on;
};

struct decompressor;

/* A file that records are read from: the recording, or one of the files of a directory. */
struct input {
	char *name; /* for messages */
	int fd;
	uint64_t bytes;	   /* of the file; 0: it is a stream */
	uint64_t pos, end; /* file offsets: next byte to read, end of the data */
	struct stream stream;
	struct decompressor *decompressor; /* NULL until the first compressed record */
	uint64_t max_ns, before_ns; /* latest time seen; the same when the last round, or piece of a directory's file, began */
	bool is_done;
};

void input_close(struct input *in);

struct pprof_reader;

struct data_reader {
	struct data_meta meta;
	struct pprof_reader *summed; /* it is such a file, or the one of a store at hand (summed.h); else NULL */
	VEC(uint32_t) summed_types;  /* of its values, by event; UINT32_MAX: it has none of it */
	struct store store;	     /* where its files are; dir -1: it is one file */
	struct segments segments;
	size_t first_segment; /* of these, the one that can be read: it is open when the run begins */
	const struct store_span *span; /* of these; borrowed */
	uint32_t with_labels; /* of samples of profiles: 1 << enum sample_label */
	struct strpool *label_texts; /* borrowed */
	struct input in;      /* that is being read */
	VEC(struct input) more; /* of a directory: its other files */
	bool close_fd;
	bool regular;	   /* can be read at any offset */
	bool pipe_format;  /* attributes and features come as records */
	bool started;	   /* data records were seen: the events are settled */
	struct file_header header;
	struct chunk_pool pool;

	VEC(struct event) events;
	VEC(struct layout) layouts; /* one per event */
	VEC(struct perf_event_attr) attrs; /* likewise */
	VEC(struct tracing_format) formats; /* of events of the file only */
	VEC(struct id_entry) ids;   /* sorted once started */
	struct id_entry last_id;    /* of the last look-up: samples come in bursts */
	bool has_build_ids; /* attr.build_id of any event */
	bool with_data; /* mappings of data are delivered, too */
	bool one_layout; /* no ids: all samples are of event 0 */

	struct strpool *strings;
	VEC(struct feature_bytes) features;
	uint64_t has_features; /* a bit each */
	VEC(const char *) args;
	VEC(struct build_id) build_ids; /* sorted by path once build_ids_sorted */
	bool build_ids_sorted;
	uint32_t nr_late_ids; /* that came after the first look-up */

	struct queue queue;
	uint64_t delivered_ns;
	struct data_place passing; /* the record that is being delivered */
	struct sink *sink;
	int (*watch)(void *arg, const struct data_record *record); /* NULL: records are not watched */
	void *watch_arg;
	VEC(struct held_record) held;
	VEC(uint8_t) held_bytes; /* each aligned as in a file */
	bool leaf_only;	     /* chains end with their first address */
	bool counts_running; /* samples have their parallelism */
	int64_t running;     /* switches in, less those out and exits */
	VEC(struct last_read) last_reads;
	struct map last_index; /* by id and thread */
	struct sample_fields fields; /* of the sample that is being delivered */
	bool is_deferred;	     /* its user chain comes later, with: */
	uint64_t cookie;
	struct merge merge;
	VEC(struct waiting *) deferred; /* samples that wait for their user chains, the oldest first */
	size_t deferred_bytes;
	uint64_t kips[RECORD_MAX_BYTES / 8], uips[RECORD_MAX_BYTES / 8];
	char text[RECORD_MAX_BYTES + 1];
};

/*
 * Reads from a descriptor that stays the caller's; name is for messages. Used by the tests and the
 * fuzzer too.
 */
int data_reader_open_fd(int fd, const char *name, struct data_reader **ret_r, struct err *err);

/* container.c: up to the first record. 0 or -errno, err filled. */
int container_read(struct data_reader *r, struct err *err);
/* "cannot read 'NAME': WHY"; returns ret. */
int reader_fail(const struct data_reader *r, struct err *err, int ret, const char *why);

/* attr.c. attr holds size bytes. 0, -E2BIG, -EBADMSG or -ENOMEM. */
int attr_add(struct data_reader *r, const uint8_t *attr, size_t size);
int attr_add_ids(struct data_reader *r, size_t attr, const uint8_t *ids, size_t n);
/* After the last attribute. -EBADMSG: the records cannot be distinguished. */
int attrs_settle(struct data_reader *r);
/* The event that has this id, or -1. */
int id_event(struct data_reader *r, uint64_t id);
/* The event of a record, or -1. */
int record_attr(struct data_reader *r, const uint8_t *record, size_t size, bool is_sample);
/* Names the event with this first id; else, if there is one, event number fallback. */
void event_set_name(struct data_reader *r, uint64_t id, size_t fallback, const char *name, size_t n);

/* Of counts: what they are in, and what one is. */
void event_set_unit(struct data_reader *r, uint64_t id, const char *unit, size_t n);
void event_set_scale(struct data_reader *r, uint64_t id, double scale);

/* names.c: a name by its attributes; those of tracepoints that have none, by formats of perf's tracing data, hostile. */
void event_name(struct event *e, const struct perf_event_attr *a);
void tracing_read(struct data_reader *r, const uint8_t *bytes, size_t n);
void tracing_free(struct data_reader *r);

/* meta.c: content of one feature section; damaged content is left out. 0 or -ENOMEM. */
int feature_read(struct data_reader *r, unsigned feature, const uint8_t *p, size_t n);
int build_id_read(struct data_reader *r, const uint8_t *record, size_t size, bool is_swapped);
/* By path, or NULL. */
const struct build_id *build_id_find(struct data_reader *r, const char *path);

/* record.c: the time of a record, 0 if it has none. */
uint64_t record_time(const struct layout *l, const uint8_t *record, size_t size, bool is_sample);
/* Turns one record into a call of the sink. Returns what the sink returned. */
int record_deliver(struct data_reader *r, const uint8_t *record, unsigned attr, uint64_t time_ns);
/* The same of a record in a chunk, with a call of who watches. */
int record_pass(struct data_reader *r, const struct chunk *chunk, const uint8_t *record, unsigned attr, uint64_t time_ns);
/* watch.c: where a record in a chunk is. */
struct data_place record_place(const struct chunk *chunk, const uint8_t *record);
/* Counts a record that is not delivered. */
void record_skip(struct data_reader *r, const struct data_place *place);
/* Only the call of who watches. */
int record_watch(struct data_reader *r, const struct chunk *chunk, const uint8_t *record, unsigned attr, uint64_t time_ns);
/* Keeps a copy of a record that comes before anyone watches; what is beyond HELD_BYTES_MAX is skipped. 0 or -ENOMEM. */
int record_hold(struct data_reader *r, const struct chunk *chunk, const uint8_t *record);
/* record_watch() of those. Returns what the watcher returned. */
int records_held(struct data_reader *r);

/* fields.c: those that follow the call chain, from p on. What does not fit before end is not there. */
void fields_take(const uint8_t *p, const uint8_t *end, const struct layout *l, struct sample_fields *f);

/* The user chain of a sample with records of the CPU's call stack (--call-graph lbr), the leaf first. How many addresses; 0: it has none. */
uint32_t branches_chain(const struct sample_fields *f, uint64_t leaf, uint64_t *ret_ips);

/* deferred.c: a copy of the sample waits. 0, -ENOMEM, or what the sink returned for one that had to go. */
int deferred_keep(struct data_reader *r, const uint8_t *record, size_t size, unsigned attr, const struct sample *s);
/* The record with the chain for samples of this thread, up to end. Both return what the sink returned. */
int deferred_arrived(struct data_reader *r, const uint8_t *record, size_t end, uint32_t tid);
int deferred_end(struct data_reader *r); /* what still waits goes without */
void deferred_free(struct data_reader *r);

/* reads.c: the counters at *p, which is moved past them. False: more than there is up to end. */
bool reads_take(const uint8_t **p, const uint8_t *end, uint64_t format, struct reads *ret);
/* s for each that moved, with its event and weight. Returns what the sink returned. */
int reads_deliver(struct data_reader *r, const struct reads *reads, struct sample *s);

/*
 * directory.c: a recording by perf record --threads, or --kcore, is a directory (perf_data__create_dir() and perf_data__open_dir(), tools/perf/util/data.c):
 * its file data is a perf.data file, and each data.N has records of one thread of perf, which have no rounds.
 */
/* Opens data of the directory. A descriptor, or -errno with err filled; *ret_name: its name, the caller's to free. */
int directory_open(int dir, const char *path, char **ret_name, struct err *err);
/* Opens each data.N as a further input of the reader. 0 or -errno, err filled. */
int directory_inputs(struct data_reader *r, int dir, const char *path, struct err *err);
/* All records of the further inputs. As data_reader_run. */
int directory_run(struct data_reader *r, struct err *err);

/* reader.c: records of the input up to about its byte until: 1; 0 at its end; -errno. */
int input_run(struct data_reader *r, uint64_t until, struct err *err);
/* Delivers what is not later than a time, in order. 0 or -errno. */
int deliver_until(struct data_reader *r, uint64_t time_ns);
/* Takes the record at the head of a stream, the file's or the decompressed one. */
int record_accept(struct data_reader *r, struct stream *s, const uint8_t *record, struct err *err);

/* swap.c, in place: whole words in n bytes; an attribute of size bytes; a record, of which it is known how long it is there. */
void swap_words(uint8_t *p, size_t n);
void swap_attr(uint8_t *attr, size_t size);
size_t swap_size(const uint8_t *record);
void swap_record(uint8_t *record);
/* What of a swapped record is smaller than a word, where the layout of its event says so: of a sample; of sample_id after other records. */
void swap_sample(const struct layout *l, uint8_t *record, size_t size);
void swap_trailer(const struct layout *l, uint8_t *record, size_t size);

/* decompress.c: the records inside a COMPRESSED one. */
int decompress_record(struct data_reader *r, const uint8_t *p, size_t n, struct err *err);
void decompress_free(struct decompressor *z);

#endif
