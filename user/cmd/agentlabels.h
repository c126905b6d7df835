/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What skep agent says of a sample beside its stack: comm, the control group, and of that the unit of systemd and the container, by the
 * names that systemd and the runtimes of containers give them, with the image; the program's file and its build id. A process's number only where it is
 * asked for: there is no end of them.
 */
#ifndef SKEP_CMD_AGENTLABELS_H
#define SKEP_CMD_AGENTLABELS_H

#include "frame.h"
#include "pprof/pprof.h"
#include "sym/names.h"

struct agent_labels;

/* names: borrowed; whose resolver knows what processes run. NULL: no memory. */
struct agent_labels *agent_labels_new(bool with_pid, const struct names *names);
void agent_labels_free(struct agent_labels *l);

/* As of struct pprof_out. Labels live until the next call of agent_labels_round(). */
int agent_labels_of(void *agent_labels, const struct named *named, struct pprof_label *ret_labels);

/* The unit of a control group, by its number: a text that lives as long as l. NULL: not known. */
const char *agent_labels_unit(struct agent_labels *l, uint64_t cgroup);

/* Control groups that were made meanwhile are looked for again, from now on. */
void agent_labels_round(struct agent_labels *l);

/* "nginx.service" of "/system.slice/nginx.service": the last part that is a service, a scope or a slice, but user@UID.service for all that is in
 * it; else the path. n: of its bytes. */
const char *agent_unit(const char *path, size_t *ret_n);

/* The first 12 digits of a container's id in the path, as docker ps has it; NULL: there is none. */
const char *agent_container(const char *path);

#endif
