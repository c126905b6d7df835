/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What all sources on the scheduler's hooks set up, start and end in the same way. */
#include "capture/tasks.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/features.h"
#include "capture/iter.h"
#include "capture/load.h"
#include "types/btf.h"
#include "util/clock.h"

#define SWITCH_ARGS 4 /* with the state of the task that leaves the CPU */
#define OFFSET_TRIES 100

int tasks_set(const struct tasks *t, const struct place *place, struct err *err)
{
	bool storage;

	if (!object_kernel_types())
		return err_exit(err, -EBADMSG, EXIT_CANNOT, "cannot read the kernel's types in /sys/kernel/btf/vmlinux");
	storage = feature_use(FEATURE_TASK_STORAGE);
	*t->task_storage = storage;
	*t->has_state = btf_tracepoint_args(object_kernel_types(), "sched_switch") >= SWITCH_ARGS;
	*t->pidns_level = place->pidns.level;
	*t->pidns = place->pidns.ns;
	bpf_map__set_autocreate(t->stored, storage);
	bpf_map__set_autocreate(t->hashed, !storage);
	return 0;
}

int tasks_attach(const struct tasks_hook *hooks, size_t nr_hooks, const struct bpf_program *first, struct err *err)
{
	int ret;

	for (size_t i = 0; i < nr_hooks; i++) {
		if (!bpf_program__autoload(hooks[i].prog))
			continue;
		*hooks[i].link = bpf_program__attach(hooks[i].prog);
		if (!*hooks[i].link)
			return err_exit(err, -errno, EXIT_CANNOT, "cannot attach to the scheduler: %s", strerror(errno));
	}
	ret = iter_read(first, 1, NULL, NULL);
	return ret ? err_exit(err, ret, EXIT_CANNOT, "cannot list the tasks: %s", strerror(-ret)) : 0;
}

uint64_t tasks_now(const struct tasks *t)
{
	return now_ns() - *t->run_offset_ns;
}

void tasks_start(struct tasks *t)
{
	const struct timespec moment = { 0, 1000 };

	/* Whoever sleeps is switched out, and then it is known. */
	for (int i = 0; i < OFFSET_TRIES && !*t->run_offset_ns; i++)
		nanosleep(&moment, NULL);
	t->offset_ns = *t->run_offset_ns;
	t->started_ns = tasks_now(t);
	*t->run_start_ns = t->started_ns;
	__atomic_store_n(t->run_armed, 1, __ATOMIC_RELEASE);
}

void tasks_barrier(void)
{
	const struct timespec long_enough = { 0, 20000000 };

	/* Not where a CPU has no ticks (nohz_full): no program of ours runs so long */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&long_enough, NULL);
}

void tasks_stop(struct tasks *t)
{
	t->ended_ns = tasks_now(t);
	__atomic_store_n(t->run_end_ns, t->ended_ns, __ATOMIC_RELEASE);
	tasks_barrier();
}
