/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a perf.data file into a sink that counts its samples: what a report cannot be cheaper than. usage: reader FILE */
#include <stdio.h>

#include "data/data.h"

struct counter {
	struct sink sink; /* first */
	uint64_t samples;
};

static int count(struct sink *sink, const struct sample *s)
{
	(void)s;
	((struct counter *)sink)->samples++;
	return 0;
}

int main(int argc, char **argv)
{
	struct counter counter = { .sink = { .sample = count } };
	struct data_reader *reader;
	struct err err = { 0 };

	if (argc != 2 || data_reader_open(argv[1], &reader, &err) || data_reader_run(reader, &counter.sink, &err)) {
		fprintf(stderr, "reader: %s\n", err.text);
		return 1;
	}
	printf("%llu\n", (unsigned long long)counter.samples);
	data_reader_close(reader);
	return 0;
}
