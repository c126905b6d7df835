/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of numbers, read from a BPF iterator over all tasks (Linux 5.8). */
#include "capture/pidns.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/features.h"
#include "capture/iter.h"
#include "capture/refusal.h"
#include "skel/pidns.skel.h"

/* PROC_PID_INIT_INO, include/linux/proc_ns.h: the initial PID namespace has this number on every machine. */
#define INIT_PID_NS 0xeffffffcu

/* unshare --pid without a /proc of its own: its numbers are those of the namespace outside. */
int pidns_check_proc(struct err *err)
{
	char text[32];
	ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	if (n > 0 && atol(text) == getpid())
		return 0;
	err_exit(err, -EXDEV, EXIT_CANNOT, n > 0 ? "/proc here belongs to another PID namespace than skep" : "/proc is not mounted");
	err_hint(err, "mount -t proc proc /proc");
	return -EXDEV;
}

static int add_task(void *arg, const void *record)
{
	struct pidns *ns = arg;

	if (vec_reserve(&ns->tasks))
		return -ENOMEM;
	memcpy(&ns->tasks.data[ns->tasks.n++], record, sizeof(*ns->tasks.data));
	return 0;
}

static int load_and_iterate(struct pidns *ns)
{
	struct pidns_bpf *skel = pidns_bpf__open_and_load();
	int ret = skel ? iter_read(skel->progs.tasks, sizeof(struct pidns_task), add_task, ns) : -errno;

	if (!ret) {
		ns->level = skel->bss->own_level;
		ns->ns = skel->bss->own_ns;
	}
	pidns_bpf__destroy(skel);
	return ret;
}

int pidns_try(void)
{
	struct pidns ns = { 0 };
	int ret = load_and_iterate(&ns);

	pidns_close(&ns);
	return ret;
}

int pidns_open(struct pidns *ns, struct err *err)
{
	struct stat st;
	int ret;

	*ns = (struct pidns){ 0 };
	if (stat("/proc/self/ns/pid", &st) || st.st_ino == INIT_PID_NS)
		return 0;
	kernel_talk();
	ret = load_and_iterate(ns);
	if (!feature_tried(FEATURE_TASK_ITER, ret)) {
		kernel_load_refused(ret, "the process numbers of this container", err);
		if (ret != -EPERM)
			err_hint(err, "run skep outside, or in a container with the host's PID namespace (--pid=host)");
	}
	return ret;
}

uint32_t pidns_outer_pid(const struct pidns *ns, uint32_t own_pid)
{
	if (!ns->level)
		return own_pid;
	for (size_t i = 0; i < ns->tasks.n; i++)
		if (ns->tasks.data[i].own_pid == own_pid)
			return ns->tasks.data[i].pid;
	return 0;
}

uint32_t pidns_outer_tid(const struct pidns *ns, uint32_t own_tid)
{
	if (!ns->level)
		return own_tid;
	for (size_t i = 0; i < ns->tasks.n; i++)
		if (ns->tasks.data[i].own_tid == own_tid)
			return ns->tasks.data[i].tid;
	return 0;
}

void pidns_close(struct pidns *ns)
{
	vec_free(&ns->tasks);
}
