/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can stand at the end of a command line: what the completions of all shells ask for. */
#ifndef SKEP_CMD_COMPLETE_H
#define SKEP_CMD_COMPLETE_H

/*
 * words: those after "skep", the last one is being typed (may be empty); n of them. Prints "words", then a line each, WORD\tDESCRIPTION,
 * at most COMPLETE_MAX; or "files"; or "command N": words[N] and on are a COMMAND of its own, to be completed as such. 0 or -errno.
 */
int complete_words(char **words, int n);

/* Names that go on from `text` of what can be counted, probed: -e, and the operands of probe and list. Calls offer() for each. */
enum complete_events {
	COMPLETE_COUNTED = 1, /* counters, tracepoints */
	COMPLETE_PROBED = 2,  /* k:, u:..., t: */
};
struct complete;
void complete_events(struct complete *c, const char *text, unsigned which);

/* Offers a word if it starts with the typed text and has no character that is special to a shell. A negative return: there are enough. */
int complete_offer(struct complete *c, const char *word, const char *description);

/* Is there room for more? */
int complete_is_full(const struct complete *c);

#define COMPLETE_MAX 1000

#endif
