/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this kernel can do, found by probing; and hints for its refusals. */
#ifndef SKEP_CAPTURE_REFUSAL_H
#define SKEP_CAPTURE_REFUSAL_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/err.h"

#ifndef CAP_PERFMON /* Linux 5.8 */
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

struct perf_event_attr;

/* The command that gives this very program, by its path, the capabilities that it needs, and more ("cap_net_admin,") of them. Static. */
const char *kernel_setcap_command(const char *more);

/* Is a capability (linux/capability.h) in our effective set? */
bool kernel_has_cap(int cap);

/* What libbpf has to say belongs to -vv. Before its first use. */
void kernel_talk(void);

/* May we load programs that sample? Else *ret_missing names the capabilities. */
bool kernel_may_load(const char **ret_missing);

/* Is CAP_NET_ADMIN there, which programs on packets also need? 0, or -errno with exit 3 and a hint in err. */
int kernel_check_net(struct err *err);

/* Privileges, BTF and bpf() at all? 0, or -errno with exit 3 and the way out in err. */
int kernel_check(struct err *err);

/* perf_event_open(2), without attr.exclude_guest where that is refused. Returns a descriptor or -errno. */
int kernel_perf_event_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd, unsigned long flags);

/* The same for e: its type, its numbers and whom it leaves out are put into attr, as precise as available where :P requests it. */
int kernel_open_named(const struct event *e, struct perf_event_attr *attr, int pid, int cpu, int group_fd, unsigned long flags);

/* Opens an event on a CPU for all tasks, in the group of group_fd, or alone (-1). Returns a descriptor or -errno. */
int kernel_event_open(const struct event *e, uint32_t cpu, int group_fd);

/*
 * As perf does: where there is no PMU the clock of the scheduler stands in for cycles, on a CPU for all tasks (pid -1), or for one (cpu -1).
 * Then e is that clock and note says so. Another event has no replacement.
 */
bool kernel_clock_instead(struct event *e, int pid, int cpu, char *note, size_t size);

/* Frames that the kernel walks at most: kernel.perf_event_max_stack, STACK_MAX_FRAMES where that cannot be read. */
uint32_t kernel_max_frames(void);

/* Fills err for a BPF object that could not be loaded. Returns ret. */
int kernel_load_refused(int ret, const char *what, struct err *err);

/* Adds what would make perf_event_open() allowed. */
void kernel_hint_perf(struct err *err);

/* Fills err for a failed kernel_event_open(e) (ret is its result). Returns ret. */
int kernel_event_refused(const struct event *e, int ret, struct err *err);

#endif
