/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a target to the tables of the one filter. */
#include "capture/filter.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/target.h"
#include "util/file.h"

void filter_set(const struct filter *f, const struct target *t, bool idle)
{
	__u32 filter = idle ? 0 : FILTER_IDLE;

	if (t->pids.n || target_is_command(t))
		filter |= FILTER_PIDS;
	if (t->tids.n)
		filter |= FILTER_TIDS;
	if (t->cgroups.n)
		filter |= FILTER_CGROUPS;
	if (t->uids.n)
		filter |= FILTER_UIDS;
	if (t->comms.n)
		filter |= FILTER_COMMS;
	*f->filter = filter;
	*f->self_pid = 0;
	*f->nr_cgroups = t->cgroups.n;
	*f->nr_uids = t->uids.n;
	*f->nr_comms = t->comms.n;
	for (size_t i = 0; i < t->uids.n; i++)
		f->uids[i] = t->uids.data[i];
	for (size_t i = 0; i < t->comms.n; i++)
		strncpy((char *)f->comms[i], t->comms.data[i], sizeof(f->comms[i]) - 1);
	*f->follow = !t->no_children;
	bpf_program__set_autoload(f->progs[0], filter & (FILTER_PIDS | FILTER_TIDS));
	bpf_program__set_autoload(f->progs[1], target_is_command(t));
	bpf_program__set_autoload(f->progs[2], filter & (FILTER_PIDS | FILTER_TIDS));
	if (!(filter & (FILTER_PIDS | FILTER_TIDS)))
		bpf_map__set_max_entries(f->targets, 1);
}

void filter_leave_self(const struct filter *f, const struct place *place)
{
	const struct target *t = place->target;
	char comm[COMM_LEN] = "";

	for (size_t i = 0; i < t->pids.n; i++)
		if (t->pids.data[i] == (uint32_t)getpid())
			return;
	prctl(PR_GET_NAME, comm);
	for (size_t i = 0; i < t->comms.n; i++)
		if (!strcmp(t->comms.data[i], comm))
			return;
	if (!t->tids.n)
		*f->self_pid = pidns_outer_pid(&place->pidns, getpid());
}

int filter_cgroup_ids(const struct target *t, __u64 *ids, struct err *err)
{
	struct stat st;

	for (size_t i = 0; i < t->cgroups.n; i++) {
		if (stat(t->cgroups.data[i], &st))
			return err_set(err, -errno, "cannot use cgroup '%s': %s", t->cgroups.data[i], strerror(errno));
		ids[i] = st.st_ino;
	}
	return 0;
}

static int add_target(const struct filter *f, __u64 key, __u32 state, struct err *err)
{
	if (bpf_map_update_elem(bpf_map__fd(f->targets), &key, &state, BPF_ANY))
		return errno == E2BIG ? err_set(err, -errno, "too many targets: at most %d", TARGETS_MAX) :
					err_set(err, -errno, "cannot set the targets: %s", strerror(errno));
	return 0;
}

static int fill_tasks(const struct filter *f, const struct place *place, struct err *err)
{
	const struct target *t = place->target;
	int ret = 0;

	for (size_t i = 0; i < t->pids.n && !ret; i++) {
		uint32_t pid = pidns_outer_pid(&place->pidns, t->pids.data[i]);

		ret = pid ? add_target(f, TARGET_PID(pid), TARGET_ACTIVE, err) :
			    err_set(err, -ESRCH, "process %u has ended", t->pids.data[i]);
		if (!ret)
			*f->run_target = pid;
	}
	for (size_t i = 0; i < t->tids.n && !ret; i++) {
		uint32_t tid = pidns_outer_tid(&place->pidns, t->tids.data[i]);

		ret = tid ? add_target(f, TARGET_TID(tid), TARGET_ACTIVE, err) :
			    err_set(err, -ESRCH, "thread %u has ended", t->tids.data[i]);
	}
	if (!ret && target_is_command(t)) {
		uint32_t pid = pidns_outer_pid(&place->pidns, place->command_pid);

		ret = pid ? add_target(f, TARGET_PID(pid), place->command_runs ? TARGET_ACTIVE : TARGET_AT_EXEC, err) : err_set(err, -ESRCH, "COMMAND has ended");
	}
	return ret;
}

static int fill_cgroups(const struct filter *f, const struct target *t, struct err *err)
{
	for (__u32 i = 0; i < t->cgroups.n; i++) {
		int dir = open(t->cgroups.data[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;

		if (dir < 0 || bpf_map_update_elem(bpf_map__fd(f->cgroups), &i, &dir, BPF_ANY))
			ret = -errno;
		if (dir >= 0)
			close(dir);
		if (ret)
			return err_set(err, ret, "cannot use cgroup '%s': %s", t->cgroups.data[i], strerror(-ret));
	}
	return 0;
}

/* Gone, or a zombie: proc_pid_stat(5). A first thread that has ended looks the same while others run on. */
static bool has_ended(uint32_t pid)
{
	char path[32], text[512], state = 0;
	const char *fields;
	long threads = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (file_stat_fields(path, text, sizeof(text), &fields))
		return kill((pid_t)pid, 0) && errno == ESRCH;
	return sscanf(fields, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &state, &threads) == 2 && state == 'Z' &&
	       threads <= 1;
}

bool filter_has_targets(const struct filter *f, const struct place *place)
{
	uint64_t key, *before = NULL;

	while (!bpf_map_get_next_key(bpf_map__fd(f->targets), before, &key)) {
		before = &key;
		/*
		 * Not a thread of -t. A process of -p may have ended before there was anything to notice it. In a PID namespace the numbers
		 * of the table are not those of /proc.
		 */
		if (key == TARGET_PID((uint32_t)key) && (place->pidns.level || !has_ended((uint32_t)key)))
			return true;
	}
	return false;
}

int filter_start(const struct filter *f, const struct place *place, struct err *err)
{
	int ret = fill_tasks(f, place, err);

	if (!ret)
		ret = fill_cgroups(f, place->target, err);
	for (int i = 0; i < FILTER_PROGS && !ret; i++) {
		if (!bpf_program__autoload(f->progs[i]))
			continue;
		*f->links[i] = bpf_program__attach(f->progs[i]);
		if (!*f->links[i])
			ret = err_exit(err, -errno, EXIT_CANNOT, "cannot follow children: %s", strerror(errno));
	}
	return ret;
}
