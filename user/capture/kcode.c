/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A BPF_PROG_TEST_RUN for each piece, which is left in memory that the program shares with us. */
#include "capture/kcode.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ksym.h"
#include "capture/refusal.h"
#include "skel/ksym.skel.h"

struct kcode {
	struct ksym_bpf *skel;
	int failed; /* -errno of the load */
};

struct kcode *kcode_new(void)
{
	return calloc(1, sizeof(struct kcode));
}

void kcode_free(struct kcode *k)
{
	if (!k)
		return;
	ksym_bpf__destroy(k->skel);
	free(k);
}

static int load(struct kcode *k)
{
	if (k->skel || k->failed)
		return k->failed;
	kernel_talk();
	k->skel = ksym_bpf__open();
	if (!k->skel)
		return k->failed = -errno;
	bpf_program__set_autoload(k->skel->progs.ksym_name, false);
	bpf_program__set_autoload(k->skel->progs.ksym_addr, false);
	bpf_program__set_autoload(k->skel->progs.ksym_code, true);
	k->failed = ksym_bpf__load(k->skel);
	if (k->failed) {
		ksym_bpf__destroy(k->skel);
		k->skel = NULL;
	}
	return k->failed;
}

int kcode_read(void *kcode, uint64_t addr, void *buf, size_t n)
{
	struct kcode *k = kcode;
	int ret = load(k), fd;

	if (ret)
		return ret;
	fd = bpf_program__fd(k->skel->progs.ksym_code);
	for (size_t done = 0; done < n;) {
		struct ksym_io *io = &k->skel->bss->io;
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		io->addr = addr + done;
		io->n = n - done < sizeof(io->text) ? n - done : sizeof(io->text);
		ret = bpf_prog_test_run_opts(fd, &opts);
		if (ret)
			return ret;
		if (opts.retval)
			return -EFAULT;
		memcpy((char *)buf + done, io->text, io->n);
		done += io->n;
	}
	return 0;
}
