/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/namespaces.h"

#include <stdio.h>
#include <sys/stat.h>

int namespaces_report(pid_t pid, const struct task_event *t, struct sink *sink)
{
	/* By number in PERF_RECORD_NAMESPACES: enum in uapi/linux/perf_event.h. */
	static const char *const names[TASK_NAMESPACES_MAX] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct task_namespace found[TASK_NAMESPACES_MAX] = { { 0 } };
	struct task_event all = { .what = TASK_NAMESPACES, .time_ns = t->time_ns, .pid = t->pid, .tid = t->tid, .cpu = t->cpu,
				  .namespaces = found, .nr_namespaces = TASK_NAMESPACES_MAX };
	char who[16] = "self", path[64];
	struct stat st;
	bool any = false;

	if (pid)
		snprintf(who, sizeof(who), "%d", pid);
	for (int i = 0; i < TASK_NAMESPACES_MAX; i++) {
		snprintf(path, sizeof(path), "/proc/%s/ns/%s", who, names[i]);
		if (stat(path, &st))
			continue;
		found[i] = (struct task_namespace){ st.st_dev, st.st_ino };
		any = true;
	}
	return any ? sink->task(sink, &all) : 0;
}
