/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inside data_reader_describe(): describe.c (sections), describe_event.c (events and their attributes), describe_machine.c. */
#ifndef SKEP_DATA_DESCRIBE_H
#define SKEP_DATA_DESCRIBE_H

#include <stdio.h>

#include "data/data.h"
#include "data/span.h"

struct description {
	FILE *out; /* the line that is made, in text */
	char *text;
	void (*line)(void *arg, const char *text);
	void *arg;
	bool whole; /* also what is long */
	uint32_t nr_cpus;
	const struct event *events; /* of the file */
	int nr_events;
};

/* n bytes into the line. */
void describe_text(struct description *d, const char *text, size_t n);
/* Delivers the line. 0 or -ENOMEM. */
int describe_end(struct description *d);

/* The content of FEATURE_EVENT_DESC and FEATURE_GROUP_DESC: a line for each. 0 or -ENOMEM. */
int describe_events(struct description *d, struct span s);
int describe_groups(struct description *d, struct span s);

/* FEATURE_CLOCK_DATA: which clock times are of, and what it was at a time of day. 0 or -ENOMEM. */
int describe_clock(struct description *d, struct span s);

/* Of the machine: as many CPUs as FEATURE_NRCPUS says are available. 0 or -ENOMEM. */
int describe_cpus(struct description *d, struct span s, uint32_t nr_cpus);
/* The same as data_reader_sockets() has it. */
int topology_sockets(struct span s, uint32_t nr_cpus, int **ret_sockets, uint32_t *ret_n);
int describe_nodes(struct description *d, struct span s);
int describe_caches(struct description *d, struct span s);
int describe_memory(struct description *d, struct span s);

#endif
