/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A bounded number of files is open: the one that was used least recently is closed, and opened again at its end when it has a line. */
#include "cmd/trace_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/callrow.h"
#include "render/events/call.h"
#include "util/hash.h"

int trace_files_open(struct trace_files *f, const char *path, bool append, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
	int ret = !dir ? -ENOMEM : access(dir, W_OK | X_OK) ? -errno : 0;

	free(dir);
	f->path = path;
	f->append = append;
	return ret ? err_set(err, ret, "cannot write '%s.TID': %s", path, strerror(-ret)) : 0;
}

static int close_one(struct trace_open_file *o, int ret, struct err *err)
{
	if (!o->path)
		return ret;
	ret = stat_out_close(&o->out, ret, err);
	free(o->path);
	o->path = NULL;
	return ret;
}

/* Of the thread; *ret_is_new: it has had no line yet. NULL without memory. Valid until the next. */
static struct thread_file *find(struct trace_files *f, uint32_t tid, bool *ret_is_new)
{
	int64_t at = map_find(&f->by_tid, hash_u64(tid));
	struct thread_file *file;

	*ret_is_new = at < 0;
	if (at >= 0)
		return &f->all.data[at];
	file = vec_take(&f->all, 1);
	if (!file || map_add(&f->by_tid, hash_u64(tid), f->all.n - 1)) {
		f->all.n -= file != NULL;
		return NULL;
	}
	*file = (struct thread_file){ .tid = tid };
	return file;
}

/* Its open file, or a place for it. */
static struct trace_open_file *place(struct trace_files *f, uint32_t tid)
{
	struct trace_open_file *oldest = &f->open[0];

	for (int i = 0; i < TRACE_FILES_OPEN; i++) {
		struct trace_open_file *o = &f->open[i];

		if (o->path && o->tid == tid)
			return o;
		if (oldest->path && (!o->path || o->used < oldest->used))
			oldest = o;
	}
	return oldest;
}

/* The number of a thread may be given again in the run: what its file has stays. */
static int open_one(struct trace_files *f, struct trace_open_file *o, uint32_t tid, bool is_new)
{
	int ret = close_one(o, 0, &f->err);

	if (ret < 0)
		return ret;
	if (asprintf(&o->path, "%s.%u", f->path, tid) < 0) {
		o->path = NULL;
		return -ENOMEM;
	}
	ret = stat_out_open(&o->out, o->path, f->append || !is_new, true, &f->err);
	if (ret < 0) {
		free(o->path);
		o->path = NULL;
		return ret;
	}
	o->tid = tid;
	stat_out_fresh(&o->out);
	return 0;
}

int trace_files_row(struct trace_files *f, const struct row *row, const struct rows_view *view)
{
	uint32_t tid = row->values[CALLROW_TID].num;
	struct call_lines *lines = view->arg;
	bool is_new;
	struct thread_file *file = find(f, tid, &is_new);
	struct trace_open_file *o;
	int ret = 0;

	if (!file)
		return -ENOMEM;
	o = place(f, tid);
	if (!o->path || o->tid != tid)
		ret = open_one(f, o, tid, is_new);
	if (ret)
		return ret;
	o->used = ++f->lines;
	lines->has_pid = false;
	lines->last_ns = file->last_ns;
	call_text.row(o->out.stream, row, view);
	file->last_ns = lines->last_ns;
	return ferror(o->out.stream) ? close_one(o, 0, &f->err) : 0;
}

int trace_files_flush(struct trace_files *f)
{
	for (int i = 0; i < TRACE_FILES_OPEN; i++)
		if (f->open[i].path && fflush(f->open[i].out.stream))
			return close_one(&f->open[i], 0, &f->err);
	return 0;
}

int trace_files_close(struct trace_files *f, int ret, struct err *err)
{
	for (int i = 0; i < TRACE_FILES_OPEN; i++) {
		int closed = close_one(&f->open[i], 0, &f->err);

		ret = ret < 0 ? ret : closed;
	}
	vec_free(&f->all);
	map_free(&f->by_tid);
	if (ret < 0 && f->err.text[0])
		*err = f->err;
	return ret;
}
