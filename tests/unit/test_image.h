/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Builds recordings byte by byte, in the form that perf writes to a pipe: for tests and fuzzers. */
#ifndef SKEP_TEST_IMAGE_H
#define SKEP_TEST_IMAGE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/reader.h"

struct image {
	uint8_t bytes[1 << 16];
	size_t n;
};

static inline void put(struct image *im, const void *p, size_t n)
{
	if (im->n + n > sizeof(im->bytes))
		abort();
	memcpy(im->bytes + im->n, p, n);
	im->n += n;
}

static inline void image_begin(struct image *im)
{
	im->n = 0;
	put(im, "PERFILE2\20\0\0\0\0\0\0\0", PIPE_HEADER_BYTES);
}

/* A record of words. */
static inline void put_record(struct image *im, uint32_t type, uint16_t misc, const void *body, size_t n)
{
	static const uint8_t zeros[RECORD_ALIGN];
	size_t padded = (n + RECORD_ALIGN - 1) & ~(size_t)(RECORD_ALIGN - 1);
	struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + padded) };

	put(im, &h, sizeof(h));
	put(im, body, n);
	put(im, zeros, padded - n);
}

static inline void put_attr(struct image *im, const struct perf_event_attr *a, uint64_t id)
{
	uint8_t body[sizeof(*a) + sizeof(id)];
	struct perf_event_attr sized = *a;

	sized.size = sizeof(sized);
	memcpy(body, &sized, sizeof(sized));
	memcpy(body + sizeof(sized), &id, sizeof(id));
	put_record(im, RECORD_HEADER_ATTR, 0, body, sizeof(body));
}

#define SAMPLE(im, misc, ...)                                                              \
	do {                                                                               \
		const uint64_t words_[] = { __VA_ARGS__ };                                 \
		put_record(im, PERF_RECORD_SAMPLE, misc, words_, sizeof(words_));          \
	} while (0)

static inline int open_image(const struct image *im, struct data_reader **ret_r, struct err *err)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (write(fd, im->bytes, im->n) != (ssize_t)im->n)
		abort();
	return data_reader_open_fd(fd, "image", ret_r, err);
}

#endif
