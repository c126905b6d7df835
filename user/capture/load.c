/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libbpf reads the types from a path; the file at that path is memory of ours, filled again for each object. */
#include "capture/load.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/features.h"
#include "types/btf.h"
#include "types/btf_subset.h"

#define TYPES_BYTES (1u << 20) /* they are 30 KB */

static struct {
	struct btf_types *kernel;
	int fd;
	char path[sizeof("/proc/self/fd/-2147483648")];
	struct bpf_object_open_opts opts; /* without a path libbpf reads the kernel's types itself */
} types = { .fd = -1, .opts.sz = sizeof(types.opts) };

const struct btf_types *object_kernel_types(void)
{
	if (!types.kernel && btf_open("/sys/kernel/btf/vmlinux", NULL, &types.kernel))
		types.kernel = NULL;
	return types.kernel;
}

/* The limit on the size of files is one on that memory, too. */
static bool may_write(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur >= TYPES_BYTES;
}

const struct bpf_object_open_opts *object_opts(void)
{
	if (types.fd >= 0 || !object_kernel_types())
		return &types.opts;
	types.fd = may_write() ? memfd_create("skep-types", MFD_CLOEXEC) : -1;
	snprintf(types.path, sizeof(types.path), "/proc/self/fd/%d", types.fd);
	if (types.fd >= 0 && !access(types.path, R_OK))
		types.opts.btf_custom_path = types.path;
	return &types.opts;
}

/* False without memory: nothing else can fail in here, whatever it is called. */
static bool fill_types(const struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	struct btf_types *names;
	void *bytes;
	size_t size;
	uint32_t n;
	const void *raw = btf ? btf__raw_data(btf, &n) : NULL;
	bool ok;

	if (!raw || btf_open_mem(raw, n, NULL, &names))
		return false;
	ok = !btf_subset(types.kernel, names, &bytes, &size);
	btf_close(names);
	if (!ok)
		return false;
	ok = !ftruncate(types.fd, 0) && pwrite(types.fd, bytes, size, 0) == (ssize_t)size;
	free(bytes);
	return ok;
}

uint32_t object_hash_flags(void)
{
	return feature_use(FEATURE_GROWING_HASH) ? BPF_F_NO_PREALLOC : 0;
}

int object_load(struct bpf_object_skeleton *skeleton)
{
	if (types.opts.btf_custom_path && !fill_types(*skeleton->obj))
		return -ENOMEM;
	return bpf_object__load_skeleton(skeleton);
}
