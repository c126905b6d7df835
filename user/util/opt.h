/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One table per group of options feeds the parser, -h and the shell completions. A group stores into
 * the command's configuration at its own offset, so that commands share groups.
 */
#ifndef SKEP_UTIL_OPT_H
#define SKEP_UTIL_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

enum opt_type {
	OPT_FLAG,     /* bool: true */
	OPT_COUNT,    /* uint64_t: how often it was given */
	OPT_U64,      /* uint64_t, from 1: 0 is left for "not given" */
	OPT_DURATION, /* uint64_t ns */
	OPT_KIB,      /* uint64_t KiB: a number of them, or one with B, K, M or G */
	OPT_TEXT,     /* const char * into argv */
	OPT_CALL,     /* set(base, text), text NULL when it was left out */
	OPT_NOTHING,  /* of perf, accepted without effect: help says why */
};

#define OPT_OPERAND 1

struct opt {
	char key;	  /* short letter or 0; OPT_OPERAND: takes each word in front of "--" that is no option */
	const char *name; /* long name or NULL */
	const char *arg;  /* name of the value; NULL for flags; "[=NAME]", of OPT_CALL and OPT_NOTHING: may be left out, and has no space before it */
	enum opt_type type;
	size_t offset; /* in the group's struct */
	const char *help;
	int (*set)(void *base, const char *text, struct err *err); /* OPT_CALL: 0 or -errno with err filled */
	bool many;	       /* may be given more than once (lists) */
	const char *values;    /* "a|b|c": checked for OPT_TEXT and offered by completions; or NULL */
	bool takes_next;       /* a value that may be left out is also the next word, unless that begins with - (perf's -g caller) */
	bool lone_letter;      /* only the long name has the value that may be left out: -qq is -q twice */
};

static inline bool opt_optional(const struct opt *o)
{
	return o->arg && o->arg[0] == '[';
}

#define OPT_COMMAND "COMMAND"

/*
 * Options that exclude or need others. Words are joined by |: an option's long name, or its letter if it has no name; "NAME=VALUE"; or
 * OPT_COMMAND, an operand.
 */
struct opt_rule {
	const char *words;    /* as soon as one of them is given: */
	const char *not_with; /* none of these */
	const char *needs;    /* one of these */
	const char *why;      /* ends the message; or NULL */
	const char *hint;     /* what to type instead; or NULL */
};

struct opt_group {
	const char *title; /* groups of one title that follow each other are printed as one */
	const struct opt *opts; /* ends with an empty row */
	size_t offset;		/* of the group's struct in the command's configuration */
	const struct opt_rule *rules; /* may name options of the command's other groups; ends with an empty row, or NULL */
};

/* A word or option of perf's that is none here, and what to type instead. */
struct opt_other {
	const char *word; /* "record", "--add", "-l" */
	const char *why;  /* after the word, in quotes: "is not needed" */
	const char *hint;
};

/*
 * Parses argv[1..] into cfg. others ends with an empty row, or is NULL: its options, and its words in front of all, are refused with
 * what to type. Stops at the first word that is no option (unless a group takes them), or after "--"; then the rules of all groups are
 * checked. Returns the index of the first operand, or -EINVAL with err filled, or -ECANCELED when -h was given.
 * Commands without a -v or -q of their own have the global ones: *talk grows by one for each -v, and is -1 after -q. "--no-NAME" unsets a
 * flag, as in perf. nothing (or NULL) is called at the end for each option given that has no effect.
 */
int opt_parse(const struct opt_group *groups, const struct opt_other *others, void *cfg, int argc, char **argv, int *talk,
	      void (*nothing)(const char *option, const char *why), struct err *err);

/* Prints the option lines of -h, wrapped to `columns`. */
void opt_help(FILE *out, const struct opt_group *groups, int columns);

#endif
