/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A second table of the same readings, by CPU, which goes into the file at the end of each round. */
#include "cmd/stat_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cpus.h"

static bool is_of_threads(const struct target *t)
{
	return target_is_command(t) || t->pids.n || t->tids.n;
}

int stat_file_open(struct stat_file *f, const char *path, const struct stat_options *o, const struct event *events, int nr_events, struct err *err)
{
	bool is_stream = !strcmp(path, "-");
	int ret = counts_init(&f->counts, events, nr_events, COUNT_BY_CPU), fd;

	if (ret)
		return err_set(err, ret, "out of memory");
	if (is_stream && machine_check_stdout("skep stat record -o - ... | skep stat report -i -", err))
		return -EINVAL;
	f->meta = (struct data_meta){ .events = events, .nr_events = nr_events, .is_stat = true };
	ret = machine_describe(&f->machine, &f->meta);
	if (ret)
		return err_set(err, ret, "out of memory");
	f->by_cpu = !is_of_threads(&o->target);
	f->by_rounds = o->interval_ms;
	if (!is_stream)
		return data_writer_open(path, &f->meta, &f->writer, err);
	fd = machine_take_stdout();
	return fd < 0 ? err_set(err, fd, "cannot write standard output: %s", strerror(-fd)) : data_writer_stream(fd, &f->meta, &f->writer, err);
}

/* The process or thread that is counted; UINT32_MAX: all. */
static uint32_t counted_pid(const struct target *t, pid_t command_pid)
{
	if (target_is_command(t))
		return (uint32_t)command_pid;
	return t->pids.n ? t->pids.data[0] : t->tids.n ? t->tids.data[0] : UINT32_MAX;
}

int stat_file_begin(struct stat_file *f, const struct stat_options *o, pid_t command_pid)
{
	const struct target *t = &o->target;
	struct stat_config cfg = { .pid = counted_pid(t, command_pid), .interval_ms = o->interval_ms,
				   .rows = o->per_cpu ? STAT_ROWS_CPU : o->per_socket ? STAT_ROWS_SOCKET : o->per_die ? STAT_ROWS_DIE : STAT_ROWS_ALL };
	uint32_t *online = NULL;
	int n = f->by_cpu && !t->cpus.n ? cpus_online(&online) : 0, ret;

	if (n < 0)
		return n;
	cfg.cpus = t->cpus.n ? t->cpus.data : online;
	cfg.nr_cpus = t->cpus.n ? t->cpus.n : (size_t)n;
	f->first_cpu = cfg.nr_cpus ? cfg.cpus[0] : UINT32_MAX;
	ret = data_writer_stat_config(f->writer, &cfg);
	free(online);
	return ret;
}

int stat_file_add(struct stat_file *f, const struct reading *r)
{
	struct reading at = *r;

	/* BPF counts by CPU also where perf's counters are of threads. */
	if (!f->by_cpu)
		at.cpu = UINT32_MAX;
	return counts_add(&f->counts, &at);
}

int stat_file_round(struct stat_file *f, const enum counter_state *states, uint64_t time_ns)
{
	int ret = 0;

	for (int e = 0; e < f->meta.nr_events; e++) {
		if (states[e] != COUNTER_OPEN)
			continue;
		for (size_t k = 0; k < f->counts.keys.n && !ret; k++) {
			const struct count *now = &counts_cell(&f->counts, k, e)->now;

			ret = data_writer_stat_count(f->writer, e, f->counts.keys.data[k].cpu, now->value, now->enabled_ns, now->running_ns);
		}
	}
	counts_round(&f->counts);
	return ret ? ret : data_writer_stat_round(f->writer, !f->by_rounds, time_ns);
}

int stat_file_close(struct stat_file *f, int ret, struct err *err)
{
	int64_t bytes = 0;

	if (f->writer && ret < 0)
		data_writer_abort(f->writer);
	else if (f->writer)
		bytes = data_writer_close(f->writer, err);
	f->writer = NULL;
	machine_free(&f->machine);
	counts_free(&f->counts);
	return ret < 0 || bytes >= 0 ? ret : (int)bytes;
}
