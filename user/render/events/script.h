/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: a recorded sample with its fields. The text is that of perf script (6.1), by which stackcollapse-perf.pl and other programs read
 * it: tools/perf/builtin-script.c.
 */
#ifndef SKEP_RENDER_EVENTS_SCRIPT_H
#define SKEP_RENDER_EVENTS_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frame.h"
#include "util/json.h"
#include "util/textbuf.h"

/* Words of -F, by the order in which their text is printed where that is possible. */
#define SCRIPT_FIELDS(X)                                                                                                                   \
	X(COMM, "comm")                                                                                                                    \
	X(PID, "pid")                                                                                                                      \
	X(TID, "tid")                                                                                                                      \
	X(CPU, "cpu")                                                                                                                      \
	X(MISC, "misc")                                                                                                                    \
	X(TOD, "tod")                                                                                                                      \
	X(TIME, "time")                                                                                                                    \
	X(PERIOD, "period")                                                                                                                \
	X(EVENT, "event")                                                                                                                  \
	X(FLAGS, "flags")                                                                                                                  \
	X(TRACE, "trace")                                                                                                                  \
	X(ADDR, "addr")                                                                                                                    \
	X(DATA_SRC, "data_src")                                                                                                            \
	X(WEIGHT, "weight")                                                                                                                \
	X(INS_LAT, "ins_lat")                                                                                                              \
	X(RETIRE_LAT, "retire_lat")                                                                                                        \
	X(CGROUP, "cgroup")                                                                                                                \
	X(IP, "ip")                                                                                                                        \
	X(SYM, "sym")                                                                                                                      \
	X(SYMOFF, "symoff")                                                                                                                \
	X(DSO, "dso")                                                                                                                      \
	X(DSOFF, "dsoff")                                                                                                                  \
	X(SRCLINE, "srcline")                                                                                                              \
	X(IREGS, "iregs")                                                                                                                  \
	X(UREGS, "uregs")                                                                                                                  \
	X(BRSTACK, "brstack")                                                                                                              \
	X(BRSTACKSYM, "brstacksym")                                                                                                        \
	X(BRSTACKOFF, "brstackoff")                                                                                                        \
	X(BPF_OUTPUT, "bpf-output")                                                                                                        \
	X(PHYS_ADDR, "phys_addr")                                                                                                          \
	X(DATA_PAGE_SIZE, "data_page_size")                                                                                                \
	X(CODE_PAGE_SIZE, "code_page_size")

#define SCRIPT_MISC_PREEMPT (1u << 14) /* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, Linux 4.17 */

#define SCRIPT_ENUM(name, word) SCRIPT_##name,
enum script_field { SCRIPT_FIELDS(SCRIPT_ENUM) SCRIPT_FIELD_MAX };
#define SCRIPT_BIT(name) (1ull << SCRIPT_##name)

/* An address beside the stack that has a name: of a branch, of data. */
struct script_place {
	/* Fills ret_frame: false when nothing is known about it. */
	bool (*find)(void *arg, const struct sample *s, uint64_t addr, struct frame *ret_frame);
	void *arg;
};

/* What one line shows. All is borrowed. */
struct script_line {
	const struct named *named;
	const char *event;
	uint64_t fields;  /* SCRIPT_BIT()s */
	const char *trace; /* of a tracepoint: its values as text; or NULL */
	uint64_t shown_ns; /* the time, or what was requested instead */
	bool has_chain;	   /* the stack is a call chain: each of its frames is in a line of its own */
	bool is_walked;	   /* user frames are from a walk of a copy of the stack: perf shows callers by the byte before their return address */
	bool is_bpf_output; /* its raw data is what a BPF program passed */
	bool has_addr_sym; /* addr is of something that may have a name */
};

/*
 * The last call chain that was printed of a process, and its text: the callers that the next one shares with it are copied from there.
 * Zeroed at first.
 */
#define SCRIPT_CHAINS 16u /* by process */
#define SCRIPT_CHAIN_FRAMES 128u
#define SCRIPT_CHAIN_BYTES (12u << 10)
struct script_chain {
	uint64_t fields; /* that it was printed with */
	uint32_t n;
	struct frame frames[SCRIPT_CHAIN_FRAMES];
	uint32_t bytes[SCRIPT_CHAIN_FRAMES]; /* of the text of a frame and all its callers, which is at the end of text */
	uint32_t text_bytes;
	char text[SCRIPT_CHAIN_BYTES];
};

struct script_view {
	struct script_chain *chains; /* SCRIPT_CHAINS of them; NULL: all text is made anew */
	int event_width;  /* of the longest name */
	size_t *data_src_width; /* of the longest text of data_src so far; 0 at first */
	bool ns;	  /* times with all their digits */
	bool long_files;  /* source files with their path */
	bool inlined;	  /* inlined functions have lines of their own; else only their source line counts */
	int64_t wall_ns;  /* of time 0; for tod */
	bool has_wall;
	uint32_t max_stack; /* 0: all */
	const char *const *stop_at; /* the chain ends after these; NULL ends it */
	struct script_place place;
};

/* How many frames of a stack are shown. */
uint32_t script_frames(const struct stack *st, const struct script_view *view);

void script_text(struct textbuf *b, const struct script_line *line, const struct script_view *view);

/* scriptjson.c: the same as an object in a line, with every field that there is; args writes those of a tracepoint, and may be NULL. */
struct script_args {
	bool (*json)(void *arg, const struct sample *s, struct json *json);
	void *arg;
};
void script_json(FILE *out, const struct script_line *line, const struct script_view *view, const struct script_args *args);

/* As CSV: the names of the columns, and a sample. The stack is one text, the outermost function first, as folded stacks are;
 * of one of more than 64 KB the innermost functions are cut. */
void script_csv_head(FILE *out, const char *separator);
void script_csv(FILE *out, const struct script_line *line, const struct script_view *view, const char *separator);

/* scriptmore.c: fields that few samples have, those before the address and those after it. */
void script_before(struct textbuf *b, const struct script_line *line, const struct script_view *view);
void script_after(struct textbuf *b, const struct script_line *line, const struct script_view *view);

/* What stands before the fields of a line: the command, numbers, the CPU, the time. For records that are no samples, too. */
struct script_start {
	const char *comm; /* NULL: none */
	uint32_t pid, tid, cpu;
	uint16_t type, misc; /* of the record's header */
	uint64_t shown_ns, time_ns;
	bool has_chain;
};
void script_start(struct textbuf *b, const struct script_start *s, uint64_t fields, const struct script_view *view);

/*
 * scriptrecord.c: "PERF_RECORD_FORK(12:12):(1:1)" and a line break of any record but samples. name: of its type, "FORK", NULL: none is
 * known; bytes: `body` of them, hostile, without the trailer.
 */
void script_record(struct textbuf *b, const char *name, uint16_t type, uint16_t misc, const uint8_t *bytes, size_t body);

/* Bytes in hexadecimal, sixteen a line, as the dumps of perf are. */
void script_hex(struct textbuf *b, const uint8_t *bytes, size_t n);

/* name+0x12 (object), as far as the fields request them. */
void script_symbol(struct textbuf *b, const struct frame *f, uint64_t fields);

#endif
