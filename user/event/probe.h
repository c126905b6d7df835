/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SELECT: the text of a probe. skep's spelling, in -e and `skep probe`, WHERE[(ARG,...)] [if FILTER]:
 *	k:FUNC[+OFF] k:MODULE:FUNC kr:FUNC u:PATH:FUNC[+OFF] ur:PATH:FUNC usdt:PATH:PROVIDER:NAME t:SUBSYSTEM:NAME
 * (bpftrace's words are taken too: kprobe: kretprobe: uprobe: uretprobe: tracepoint:), and perf probe's, in `skep probe` alone:
 *	[GROUP:][EVENT=]FUNC[@SRC][+OFF|:LINE|%return] ARG..., SRC:LINE, 0xADDR (perf-probe(1))
 */
#ifndef SKEP_EVENT_PROBE_H
#define SKEP_EVENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/expr.h"

#define PROBE_ARGS_MAX 16
#define PROBE_PATH_MAX 4096
#define PROBE_NAME_MAX 512

enum probe_kind {
	PROBE_KERNEL,
	PROBE_USER,
	PROBE_USDT,
	PROBE_TRACEPOINT,
};

/* A condition of its own text, for all probes of a command. */
struct probe_filter {
	struct exprs exprs;
	uint32_t node;
};

struct probe_spec {
	enum probe_kind kind;
	bool is_return;
	bool has_offset;
	bool is_address;	       /* offset is the address: the file's, or the kernel's. name is its text */
	uint64_t offset;
	uint32_t line;		       /* of file, or counted from the function's first one (0: there); has_line */
	bool has_line;
	char file[PROBE_NAME_MAX];     /* of source code, its end; empty: any */
	char path[PROBE_PATH_MAX];     /* PROBE_USER, PROBE_USDT: as it was written */
	char group[PROBE_NAME_MAX];    /* module, provider, subsystem; empty: any */
	char name[PROBE_NAME_MAX];     /* of the function, probe or tracepoint; may be a glob */
	size_t name_at;		       /* in the text */
	struct exprs exprs;
	struct expr_arg args[PROBE_ARGS_MAX];
	int nr_args;
	bool has_brackets; /* arguments were written, if only "()" */
	uint32_t filter; /* its node; 0: none */
	size_t filter_at, filter_len; /* its text */
	struct lastings *lasting; /* the probe of tracefs that it is a second one of (event/lasting.h), each of its places; owned; NULL: none */
	bool lasting_args; /* all values of that one */
	const struct probe_filter *also; /* must be true, too; borrowed, set by the command; NULL: none */
};

/* Does an item of -e start like a probe: k: kr: u: ur: usdt: t:, or bpftrace's prefixes? */
bool probe_begins(const char *text);

/* Without such a prefix: is it SUBSYSTEM:NAME, as perf calls a tracepoint? */
bool probe_is_tracepoint(const char *text);

/*
 * --filter of the event before it: here a filter is a part of an event's text. event: what -e named last, one tracepoint; NULL: nothing.
 * *ret_text, the caller's to free, is EVENT if FILTER. 0, or -errno with err filled.
 */
int probe_add_filter(const char *event, const char *filter, char **ret_text, struct err *err);

/* Is a name one of those that perf probe makes (probe:FUNCTION, probe_FILE:FUNCTION__return)? Then the hint has ours. */
bool probe_hint_perf(const char *name, size_t len, struct err *err);

/*
 * From text + *at on to the next comma or the end, where *at is then; text is borrowed for as long as the spec is used. 0 or -errno
 * with err filled. The caller frees it in either case.
 */
int probe_parse(const char *text, size_t *at, struct probe_spec *ret_spec, struct err *err);

/* The whole text, in perf's spelling; path: of -x, else NULL: a kernel function. */
int probe_parse_perf(const char *text, const char *path, struct probe_spec *ret_spec, struct err *err);

/* The whole text, without "if"; it is borrowed. 0 or -errno with err filled. The caller frees it in either case. */
int probe_filter_parse(const char *text, struct probe_filter *ret_filter, struct err *err);
void probe_filter_free(struct probe_filter *filter);

/*
 * GROUP:NAME of a tracepoint that is a probe of tracefs: the kernel keeps its record from BPF programs, so that skep puts a probe of its
 * own at the place, with the same values. Returns 1; 0: it is none; or -errno with err filled. The caller frees the spec in any case.
 */
int probe_lasting(const char *name, struct probe_spec *ret_spec, struct err *err);

/* Adds the argument "*" to a tracepoint that has none. 0 or -errno. */
int probe_add_record(struct probe_spec *spec, struct err *err);

/* Frees what parsing took; the spec itself is the caller's. */
void probe_free(struct probe_spec *spec);

/*
 * "k:tcp_sendmsg", "ur:/bin/bash:readline": how a probe is called in tables; name: of one of its sites (event/site.h), NULL: as the
 * spec has it. As snprintf().
 */
size_t probe_title(const struct probe_spec *spec, const char *name, char *buf, size_t size);

#endif
