/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libbpf takes the types from a path; the file behind it is memory of ours, filled anew for each object. */
#include "capture/object.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sym/btf.h"
#include "sym/btf_subset.h"

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

static int write_all(int fd, const char *bytes, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = pwrite(fd, bytes + at, size - at, (off_t)at);

		if (n <= 0)
			return n ? -errno : -EIO;
		at += (size_t)n;
	}
	return 0;
}

static int fill_types(const struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	struct btf_types *names;
	void *bytes;
	size_t size;
	uint32_t n;
	const void *raw = btf ? btf__raw_data(btf, &n) : NULL;
	int ret;

	if (!raw)
		return -EBADMSG;
	ret = btf_open_mem(raw, n, NULL, &names);
	if (ret)
		return ret;
	ret = btf_subset(types.kernel, names, &bytes, &size);
	btf_close(names);
	if (ret)
		return ret;
	ret = ftruncate(types.fd, 0) ? -errno : write_all(types.fd, bytes, size);
	free(bytes);
	return ret;
}

int object_load(struct bpf_object_skeleton *skeleton)
{
	/* What can fail in there is memory, whatever it is called. */
	if (types.opts.btf_custom_path && fill_types(*skeleton->obj))
		return -ENOMEM;
	return bpf_object__load_skeleton(skeleton);
}
