/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes of a profile in pprof's format to its samples, and these to a profile again. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FRAMES_MAX 256

struct copy {
	struct pprof_reader *from;
	struct pprof_writer *to;
	struct strpool *pool;
	struct frame frames[FRAMES_MAX];
};

static int add(void *arg, const struct pprof_sample *s)
{
	struct copy *c = arg;
	int n = 0;

	for (size_t i = 0; i < s->n && n < FRAMES_MAX; i++)
		n += pprof_frames(c->from, c->pool, s->locations[i], c->frames + n, FRAMES_MAX - n);
	for (int i = 0; i < n; i++)
		if (!c->frames[i].name || !c->frames[i].obj)
			abort();
	return pprof_add(c->to, c->frames, (uint32_t)n, s->labels, s->nr_labels, 1, (uint64_t)s->values[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pprof_head head = { .event = "x", .unit = "ns" };
	struct copy c = { .pool = strpool_new() };
	char *bytes = malloc(size + 1), *out_bytes;
	struct err err = { 0 };
	size_t out_n;
	FILE *out;

	if (!c.pool || !bytes || pprof_writer_new(&c.to))
		abort();
	memcpy(bytes, data, size);
	if (!pprof_open("x", bytes, size, &c.from, &err)) {
		pprof_each(c.from, add, &c);
		out = open_memstream(&out_bytes, &out_n);
		if (!out || pprof_write(c.to, &head, NULL, NULL, out))
			abort();
		fclose(out);
		free(out_bytes);
	}
	pprof_writer_free(c.to);
	pprof_close(c.from);
	strpool_free(c.pool);
	return 0;
}
