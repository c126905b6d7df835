/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of JSON of perf stat: counts that are numbers, or an error that says something. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/statjson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(void *arg, const char *event, const char *unit, double value)
{
	if (!event || !unit || !isfinite(value) || value < 0)
		abort();
	++*(size_t *)arg;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("stat.json", MFD_CLOEXEC);
	struct err err = { 0 };
	char path[64];
	size_t n = 0;
	int ret;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	statjson_is(path);
	ret = statjson_read(path, count, &n, &err);
	if (ret ? !err.text[0] : !n)
		abort();
	close(fd);
	return 0;
}
