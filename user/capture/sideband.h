/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What tasks do to their names and address spaces, from the kernel's perf side-band records: one
 * dummy software event per CPU, in the order of their time, from before the first sample.
 */
#ifndef SKEP_CAPTURE_SIDEBAND_H
#define SKEP_CAPTURE_SIDEBAND_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "capture/source.h"
#include "sample.h"
#include "util/err.h"

struct sideband;

/* Records end in struct { u32 pid, tid; u64 time; u32 cpu, res; }. */
#define SIDEBAND_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

struct sideband_cfg {
	bool at_once; /* each record but a switch wakes who waits for it */
	bool has_namespaces;
	bool has_cgroups; /* as of struct session_cfg */
	const uint32_t *switch_cpus; /* where switches of threads are recorded */
	uint32_t nr_switch_cpus;
};

/* Opens one event per CPU of cpus[n], and one for the switches of each of cfg->switch_cpus, which are many. 0, or -errno with err filled. */
int sideband_open(const uint32_t *cpus, uint32_t n, const struct sideband_cfg *cfg, struct sideband **ret_sb, struct err *err);
void sideband_close(struct sideband *sb);

/*
 * Rings alone, for events that are redirected to them, side band and samples in one: no privileges are needed. Their records end in
 * struct { u32 pid, tid; u64 time; u32 cpu, res; u64 id; } (PERF_SAMPLE_IDENTIFIER), and samples begin with u64 id, ip; u32 pid, tid;
 * u64 time. each gets every sample in the order of time, among what tasks did. 0, or -errno with err filled.
 */
typedef int (*sideband_each)(void *arg, const struct perf_event_header *record, uint32_t cpu, struct sink *sink);
int sideband_open_rings(const uint32_t *cpus, uint32_t n, sideband_each each, void *arg, struct sideband **ret_sb, struct err *err);

/* For the targets of a place: on every CPU that is online, as mappings happen on any. 0, or -errno with err filled. */
int sideband_open_place(const struct place *place, struct sideband **ret_sb, struct err *err);

/* Only this process, the others added, and the children they make. Never called: every process. */
int sideband_follow(struct sideband *sb, uint32_t pid);

/* A descriptor that epoll reports when a buffer is a quarter full, or at once; index 0..n-1. The same of the buffers of switches. */
int sideband_fd(const struct sideband *sb, uint32_t index);
int sideband_switch_fd(const struct sideband *sb, uint32_t index);

/*
 * Has the kernel write what it has to say of another event of this CPU (that it is throttled) into our buffer. Only
 * for events of SIDEBAND_SAMPLE_TYPE with sample_id_all on CLOCK_MONOTONIC. 0 or -errno.
 */
int sideband_redirect(const struct sideband *sb, int event_fd, uint32_t cpu);

/* Delivers everything that happened up to until_ns, oldest first. 0 or what the sink returned. */
int sideband_drain(struct sideband *sb, uint64_t until_ns, struct sink *sink);

/* Are there records that were not taken yet, of other than switches? */
bool sideband_waits(const struct sideband *sb);

/* Records that the kernel could not store. */
uint64_t sideband_lost(const struct sideband *sb);

/* How often the kernel paused a redirected event until the next tick, because it fired too often. */
uint64_t sideband_throttled(const struct sideband *sb);

#endif
