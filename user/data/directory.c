/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings that are a directory. Its files are read in turn, a piece at a time, always from the file whose last record is the earliest.
 * What every file had passed a piece earlier is delivered in order, so only a few pieces of each file are in memory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/reader.h"

#define PIECE_BYTES (1u << 20)
/* A thread for each CPU at most. */
#define INPUTS_MAX 8192u
#define PREFIX "data."

/* A regular file of the directory; links are not followed. */
static int open_file(int dir, const char *path, const char *file, char **ret_name, struct stat *ret_st, struct err *err)
{
	int fd, ret;

	if (asprintf(ret_name, "%s/%s", path, file) < 0)
		return err_set(err, -ENOMEM, "cannot read '%s/%s': %s", path, file, strerror(ENOMEM));
	fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, ret_st) && S_ISREG(ret_st->st_mode))
		return fd;
	ret = fd < 0 ? -errno : -EINVAL;
	if (fd >= 0)
		close(fd);
	err_set(err, ret, "cannot read '%s': %s", *ret_name, fd < 0 ? strerror(-ret) : "it is not a regular file");
	free(*ret_name);
	return ret;
}

int directory_open(int dir, const char *path, char **ret_name, struct err *err)
{
	struct stat st;

	if (faccessat(dir, "data", F_OK, AT_SYMLINK_NOFOLLOW)) {
		err_set(err, -EISDIR, "cannot read '%s': is a directory, without the file 'data' of a recording", path);
		return -EISDIR;
	}
	return open_file(dir, path, "data", ret_name, &st, err);
}

static int add_input(struct data_reader *r, int dir, const char *path, const char *file, struct err *err)
{
	struct input in = { .stream = { .pool = &r->pool, .is_swapped = r->in.stream.is_swapped } }, *slot;
	struct stat st;

	in.fd = open_file(dir, path, file, &in.name, &st, err);
	if (in.fd < 0)
		return in.fd;
	in.bytes = in.end = (uint64_t)st.st_size;
	slot = vec_take(&r->more, 1);
	if (!slot) {
		close(in.fd);
		free(in.name);
		return reader_fail(r, err, -ENOMEM, strerror(ENOMEM));
	}
	*slot = in;
	return 0;
}

/* Its files are numbered from 0 on. How many there were is not known, only that there were some. */
static void count_missing(struct data_reader *r, int dir)
{
	bool by_thread = r->header.features[0] >> FEATURE_DIR_FORMAT & 1;
	uint32_t found = 0, missing = 0, first = 0;
	char name[sizeof(PREFIX) + 16];

	/* Without a file for each thread there is one for all. */
	r->meta.has_no_files = !r->more.n && by_thread;
	for (uint32_t i = 0; i < INPUTS_MAX && found < r->more.n; i++) {
		snprintf(name, sizeof(name), PREFIX "%u", i);
		if (!faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW))
			found++;
		else if (!missing++)
			first = i;
	}
	if (found < r->more.n) /* other names */
		return;
	r->meta.missing_files = missing;
	r->meta.first_missing = first;
}

int directory_inputs(struct data_reader *r, int dir, const char *path, struct err *err)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!d) {
		ret = reader_fail(r, err, -errno, strerror(errno));
		if (copy >= 0)
			close(copy);
		return ret;
	}
	while (!ret && (e = readdir(d)))
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)))
			ret = r->more.n < INPUTS_MAX ? add_input(r, dir, path, e->d_name, err) : reader_fail(r, err, -E2BIG, "too many files");
	closedir(d);
	if (!ret)
		count_missing(r, dir);
	return ret;
}

static void swap_in(struct data_reader *r, struct input *in)
{
	struct input was = r->in;

	r->in = *in;
	*in = was;
}

/* The file whose last record is the earliest; NULL: all are read. *ret_settled_ns: the time that all files had passed a piece earlier. */
static struct input *earliest(struct data_reader *r, uint64_t *ret_settled_ns)
{
	struct input *first = NULL;

	*ret_settled_ns = UINT64_MAX;
	for (size_t i = 0; i < r->more.n; i++) {
		struct input *in = &r->more.data[i];

		if (in->is_done)
			continue;
		if (!first || in->max_ns < first->max_ns)
			first = in;
		if (in->before_ns < *ret_settled_ns)
			*ret_settled_ns = in->before_ns;
	}
	return first;
}

int directory_run(struct data_reader *r, struct err *err)
{
	uint64_t settled_ns, delivered_ns = 0;
	struct input *in;
	int ret, damaged = 0;

	while ((in = earliest(r, &settled_ns))) {
		if (settled_ns > delivered_ns) {
			delivered_ns = settled_ns;
			ret = deliver_until(r, settled_ns);
			if (ret < 0)
				return ret;
		}
		in->before_ns = in->max_ns;
		swap_in(r, in);
		ret = input_run(r, r->in.pos + PIECE_BYTES, err);
		swap_in(r, in);
		if (ret == -EBADMSG)
			damaged = ret;
		else if (ret < 0)
			return ret;
		in->is_done = ret <= 0;
	}
	return damaged;
}
