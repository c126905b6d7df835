/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading text files of unknown size, and their numbers. */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BYTES 4096u

int file_read_fd(int fd, size_t hint, size_t max, char **ret_bytes, size_t *ret_n)
{
	size_t cap = hint ? hint : FIRST_BYTES, n = 0;
	char *buf = malloc(cap + 1), *p;

	if (!buf)
		return -ENOMEM;
	while (n < max) {
		size_t room = cap - n < max - n ? cap - n : max - n;
		ssize_t got = read(fd, buf + n, room);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int ret = -errno;

			free(buf);
			return ret;
		}
		if (!got)
			break;
		n += (size_t)got;
		if (n < cap)
			continue;
		p = realloc(buf, cap * 2 + 1);
		if (!p) {
			free(buf);
			return -ENOMEM;
		}
		buf = p;
		cap *= 2;
	}
	buf[n] = '\0';
	*ret_bytes = buf;
	*ret_n = n;
	return 0;
}

int file_read(const char *path, size_t hint, size_t max, char **ret_bytes, size_t *ret_n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;

	if (fd < 0)
		return -errno;
	ret = file_read_fd(fd, hint, max, ret_bytes, ret_n);
	close(fd);
	return ret;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int file_stat_fields(const char *path, char *buf, size_t size, const char **ret_fields)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	buf[fread(buf, 1, size - 1, f)] = '\0';
	fclose(f);
	*ret_fields = strrchr(buf, ')');
	return *ret_fields ? 0 : -EBADMSG;
}

void file_comm(unsigned int id, char *buf, size_t size)
{
	char path[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/comm", id);
	f = fopen(path, "re");
	if (f) {
		n = fread(buf, 1, size - 1, f);
		fclose(f);
	}
	/* A name may hold a newline itself: only the last one is the file's. */
	buf[n && buf[n - 1] == '\n' ? n - 1 : n] = '\0';
}

int hex_parse(const char **p, const char *end, unsigned long long *ret_value)
{
	const char *s = *p;
	unsigned long long v = 0;
	int n = 0, d;

	if (end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2;
	for (; s < end && (d = digit(*s)) >= 0; s++, n++) {
		if (v >> 60)
			return -EINVAL;
		v = v << 4 | (unsigned long long)d;
	}
	if (!n)
		return -EINVAL;
	*p = s;
	*ret_value = v;
	return 0;
}
