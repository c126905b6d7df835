/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each question is a BPF_PROG_TEST_RUN; it and its answer are in memory that the program shares with us. */
#include "capture/ksym.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ksym.h"
#include "capture/refusal.h"
#include "skel/ksym.skel.h"

struct ksym_asker {
	struct ksym_bpf *skel;
	int name_fd, addr_fd;
};

int ksym_open(struct ksym_asker **ret_asker)
{
	struct ksym_asker *asker = calloc(1, sizeof(*asker));
	int ret;

	if (!asker)
		return -ENOMEM;
	kernel_talk();
	asker->skel = ksym_bpf__open_and_load();
	if (!asker->skel) {
		ret = -errno;
		free(asker);
		return ret;
	}
	asker->name_fd = bpf_program__fd(asker->skel->progs.ksym_name);
	asker->addr_fd = bpf_program__fd(asker->skel->progs.ksym_addr);
	*ret_asker = asker;
	return 0;
}

void ksym_close(struct ksym_asker *asker)
{
	if (!asker)
		return;
	ksym_bpf__destroy(asker->skel);
	free(asker);
}

int ksym_name(void *arg, uint64_t addr, char *buf, size_t size)
{
	struct ksym_asker *asker = arg;
	struct ksym_io *io = &asker->skel->bss->io;
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	size_t n;

	io->addr = addr;
	if (bpf_prog_test_run_opts(asker->name_fd, &opts) || (int)opts.retval <= 0 || opts.retval > sizeof(io->text))
		return -ENOENT;
	n = strnlen(io->text, sizeof(io->text));
	if (n >= size || n == sizeof(io->text))
		return -ENOENT;
	memcpy(buf, io->text, n + 1);
	return 0;
}

uint64_t ksym_addr(void *arg, const char *name)
{
	struct ksym_asker *asker = arg;
	struct ksym_io *io = &asker->skel->bss->io;
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	memset(io->name, 0, sizeof(io->name));
	strncpy(io->name, name, sizeof(io->name) - 1);
	return bpf_prog_test_run_opts(asker->addr_fd, &opts) || opts.retval ? 0 : io->addr;
}

bool ksym_is_hook(const char *name)
{
	static const char *const names[] = { "bpf_prog_", "bpf_trace_run", "__bpf_trace_", "__traceiter_", "bpf_trampoline_" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}
