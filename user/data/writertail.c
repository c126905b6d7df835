/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of a recording: what follows the records, and the file under its name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "data/writer.h"

/* How much smaller the records have become, now that it is known. */
static int write_ratio(struct data_writer *w)
{
	uint64_t bytes = w->out.data_bytes;

	w->compression.ratio = (uint32_t)((w->out.record_bytes + bytes / 2) / bytes);
	return output_rewrite(&w->out, w->compression_at, &w->compression, sizeof(w->compression));
}

/* Features follow the data; their bits in the header, written last, make them valid. */
static int write_features(struct data_writer *w)
{
	struct feature_input in = {
		.meta = &w->meta,
		.attrs = w->attrs,
		.ids = w->ids,
		.objects = w->seen.objects.data,
		.nr_objects = w->seen.objects.n,
		.first_ns = w->first_ns,
		.last_ns = w->last_ns,
		.wall_ns = w->wall_ns,
		.clock_ns = w->clock_ns,
		.compression = w->meta.compression_level ? &w->compression : NULL,
	};
	struct buffer b = { 0 };
	struct timespec ts;
	int ret = 0;

	clock_getres(CLOCK_MONOTONIC, &ts);
	in.clock_resolution_ns = (uint64_t)ts.tv_nsec;
	w->header.data.size = w->out.data_bytes;
	if (w->meta.compression_level)
		ret = write_ratio(w);
	if (ret == 0)
		ret = features_build(&b, w->out.data_at + w->out.data_bytes, &in, &w->header);
	if (ret == 0)
		ret = output_tail(&w->out, b.data, b.n);
	if (ret == 0)
		ret = output_rewrite(&w->out, 0, &w->header, sizeof(w->header));
	free(b.data);
	return ret;
}

int64_t data_writer_close(struct data_writer *w, struct err *err)
{
	char *path = w->out.path;
	int ret, closed, named = 0;
	int64_t bytes;

	ret = output_flush(&w->out);
	if (ret == 0)
		ret = output_place(&w->out);
	if (ret == 0 && !w->out.is_stream)
		ret = write_features(w);
	w->out.path = NULL;
	bytes = w->out.is_stream ? (int64_t)(w->out.data_at + w->out.data_bytes) : lseek(w->out.fd, 0, SEEK_END);
	if (ret == 0 && !w->out.is_stream)
		named = newfile_check(w->out.fd, path, err);
	closed = output_close(&w->out);
	if (ret == 0)
		ret = closed;
	if (ret < 0 && !(ret == -EPIPE && w->out.is_stream)) {
		err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret));
		if (w->out.placed && !w->out.is_stream)
			err_hint(err, "the %llu bytes of records before it can be read",
				 (unsigned long long)w->out.data_bytes);
	}
	free(path);
	writer_free(w);
	ret = ret < 0 ? ret : named;
	return ret < 0 ? ret : bytes > 0 ? bytes : 0;
}

void data_writer_abort(struct data_writer *w)
{
	struct err err;

	if (w->out.placed) {
		data_writer_close(w, &err);
		return;
	}
	output_close(&w->out);
	writer_free(w);
}
