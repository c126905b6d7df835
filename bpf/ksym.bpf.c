// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Addresses to names and back by the kernel's own tables: a microsecond each, where /proc/kallsyms takes 35 to 45 ms to
 * print all of them. Run by BPF_PROG_TEST_RUN, one question at a time. Needs Linux 5.16 (bpf_kallsyms_lookup_name).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/ksym.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct ksym_io io = {};

static const char with_offset[] = "%pS";

SEC("syscall")
int ksym_name(void *ctx)
{
	__u64 addr = io.addr;

	return bpf_snprintf(io.text, sizeof(io.text), with_offset, &addr, sizeof(addr));
}

SEC("syscall")
int ksym_addr(void *ctx)
{
	__u64 addr = 0;
	long ret = bpf_kallsyms_lookup_name(io.name, sizeof(io.name), 0, &addr);

	io.addr = addr;
	return ret;
}

/* Not loaded where lockdown forbids to read kernel memory: names are allowed there. */
SEC("?syscall")
int ksym_code(void *ctx)
{
	__u64 n = io.n;

	if (n > sizeof(io.text))
		return -1;
	return bpf_probe_read_kernel(io.text, n, (const void *)io.addr);
}
