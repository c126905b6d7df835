/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/source.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/debugfile.h"
#include "util/file.h"

#define FILE_MAX_BYTES (16u << 20)
#define ALL_MAX_BYTES (256ull << 20)

void sources_free(struct sources *s)
{
	for (size_t i = 0; i < s->files.n; i++) {
		free(s->files.data[i].text);
		vec_free(&s->files.data[i].lines);
	}
	vec_free(&s->files);
}

/* Drops the first names of an absolute path, as objdump --prefix-strip does. */
static const char *stripped(const char *path, uint64_t n)
{
	while (n-- && *path) {
		const char *next = strchr(path + 1, '/');

		if (!next)
			break;
		path = next;
	}
	return path;
}

static int note_line(struct source_file *f, size_t at)
{
	if (vec_reserve(&f->lines))
		return -1;
	f->lines.data[f->lines.n++] = at;
	return 0;
}

static void read_source(struct sources *s, struct source_file *f)
{
	char path[PATH_MAX];
	size_t n = 0;
	int fd;

	if (snprintf(path, sizeof(path), "%s%s", s->prefix ? s->prefix : "", s->prefix ? stripped(f->path, s->strip) : f->path) >= PATH_MAX)
		return;
	if (path[0] != '/' || s->bytes >= ALL_MAX_BYTES)
		return;
	fd = regular_open(path);
	if (fd < 0)
		return;
	if (file_read_fd(fd, 0, FILE_MAX_BYTES, &f->text, &n))
		f->text = NULL;
	close(fd);
	s->bytes += n;
	for (size_t at = 0; f->text && at < n;) {
		const char *end = memchr(f->text + at, '\n', n - at);

		if (note_line(f, at))
			break;
		at = end ? (size_t)(end - f->text) + 1 : n + 1;
		if (at >= n && note_line(f, at))
			break;
	}
}

static struct source_file *file_of(struct sources *s, const char *path)
{
	for (size_t i = s->files.n; i-- > 0;)
		if (s->files.data[i].path == path)
			return &s->files.data[i];
	if (vec_reserve(&s->files))
		return NULL;
	s->files.data[s->files.n] = (struct source_file){ .path = path };
	read_source(s, &s->files.data[s->files.n]);
	return &s->files.data[s->files.n++];
}

const char *sources_line(struct sources *s, const char *path, uint32_t line, size_t *ret_len)
{
	struct source_file *f = file_of(s, path);
	const char *text;
	size_t n;

	if (!f || !f->text || !line || line >= f->lines.n)
		return NULL;
	text = f->text + f->lines.data[line - 1];
	n = f->lines.data[line] - f->lines.data[line - 1] - 1;
	*ret_len = n && text[n - 1] == '\r' ? n - 1 : n;
	return text;
}
