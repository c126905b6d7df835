/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read from uname(2) and /proc; what cannot be read stays out of the file. */
#include "cmd/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Our own command line, for the file's CMDLINE feature. */
static void read_argv(struct machine *m)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t n = f ? fread(m->raw, 1, sizeof(m->raw) - 1, f) : 0;

	if (f)
		fclose(f);
	m->raw[n] = '\0';
	for (size_t at = 0; at < n && m->argc < MACHINE_ARGS_MAX; at += strlen(m->raw + at) + 1)
		m->argv[m->argc++] = m->raw + at;
}

int machine_describe(struct machine *m, struct data_meta *meta)
{
	uint32_t nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	int ret = processors_read(&m->processors, nr_cpus);

	if (ret)
		return ret;
	m->argc = 0;
	uname(&m->uts);
	read_argv(m);
	meta->hostname = m->uts.nodename;
	meta->os_release = m->uts.release;
	meta->arch = m->uts.machine;
	meta->version = "skep";
	meta->cpu_desc = m->processors.cpu_desc;
	meta->processors = &m->processors;
	meta->nr_cpus_avail = nr_cpus;
	meta->nr_cpus_online = sysconf(_SC_NPROCESSORS_ONLN);
	meta->total_mem_kb = (uint64_t)sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024);
	meta->argc = m->argc;
	meta->argv = (const char *const *)m->argv;
	return 0;
}

void machine_free(struct machine *m)
{
	processors_free(&m->processors);
}

int machine_check_stdout(const char *example, struct err *err)
{
	if (!isatty(STDOUT_FILENO))
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "-o - is for a pipe, and standard output is a terminal");
	err_hint(err, "%s", example);
	return -EINVAL;
}

int machine_take_stdout(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	return fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? -errno : fd;
}
