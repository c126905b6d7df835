/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A record may come in two pieces. */
#include "capture/iter.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS_A_READ 64

int iter_read(const struct bpf_program *prog, size_t size, int (*each)(void *arg, const void *record), void *arg)
{
	char *records = malloc(RECORDS_A_READ * size);
	struct bpf_link *link = records ? bpf_program__attach_iter(prog, NULL) : NULL;
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1, ret = fd >= 0 ? 0 : records ? -errno : -ENOMEM;
	size_t used = 0;
	ssize_t n;

	while (!ret) {
		n = read(fd, records + used, RECORDS_A_READ * size - used);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			ret = -errno;
		if (!n)
			break;
		used += n > 0 ? n : 0;
		for (size_t i = 0; i < used / size && !ret && each; i++)
			ret = each(arg, records + i * size);
		memmove(records, records + used / size * size, used % size);
		used %= size;
	}
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	free(records);
	return ret;
}
