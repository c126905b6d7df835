/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep script --per-event-dump: a file for the samples of each event, made with the first of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/script.h"
#include "util/log.h"
#include "util/outfile.h"

struct script_dump {
	char *path;
	struct outfile out;
	struct textbuf text;
	uint64_t samples;
};

static char file_char(char c)
{
	return c == '/' || (unsigned char)c < ' ' || c == 0x7f ? '_' : c;
}

static bool is_same_name(const char *a, const char *b)
{
	while (*a && file_char(*a) == file_char(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

/* INPUT.EVENT[.NUMBER].dump, as perf names it; number 0: none. What is no part of a file's name is an underscore. */
static char *put_path(const struct script *s, int event, int number)
{
	const char *input = s->options->input;
	char *path, *c;

	if ((number ? asprintf(&path, "%s.%s.%d.dump", input, s->meta->events[event].name, number) :
		      asprintf(&path, "%s.%s.dump", input, s->meta->events[event].name)) < 0)
		return NULL;
	for (c = path + strlen(input) + 1; *c; c++)
		*c = file_char(*c);
	return path;
}

static bool is_taken(const struct script *s, const char *path)
{
	for (int i = 0; i < s->meta->nr_events; i++)
		if (s->dumps[i] && !strcmp(s->dumps[i]->path, path))
			return true;
	return false;
}

/* With the event's number where an earlier event has this name, or the next number that no file of this run has: an event may be named like the file of another. */
static char *dump_path(const struct script *s, int event)
{
	int number = 0;
	char *path;

	for (int i = 0; i < event && !number; i++)
		if (is_same_name(s->meta->events[i].name, s->meta->events[event].name))
			number = event;
	while ((path = put_path(s, event, number)) && is_taken(s, path)) {
		free(path);
		number = number ? number + 1 : event + 1;
	}
	return path;
}

int script_dumps_begin(struct script *s)
{
	s->dumps = calloc(s->meta->nr_events, sizeof(*s->dumps));
	return s->dumps ? 0 : -ENOMEM;
}

struct textbuf *script_dumps_text(struct script *s, int event)
{
	struct script_dump *d = s->dumps[event];
	int ret;

	if (!d) {
		d = calloc(1, sizeof(*d));
		if (!d || !(d->path = dump_path(s, event))) {
			free(d);
			err_set(&s->dumps_err, -ENOMEM, "out of memory");
			return NULL;
		}
		ret = outfile_open(&d->out, d->path, &s->dumps_err);
		if (ret) {
			free(d->path);
			free(d);
			return NULL;
		}
		textbuf_init(&d->text, d->out.stream);
		s->dumps[event] = d;
	}
	d->samples++;
	return &d->text;
}

int script_dumps_end(struct script *s, uint64_t *bytes, struct err *err)
{
	for (int i = 0; s->dumps && i < s->meta->nr_events; i++) {
		struct script_dump *d = s->dumps[i];
		int64_t n;

		if (!d)
			continue;
		textbuf_flush(&d->text);
		n = outfile_commit(&d->out, err);
		if (n < 0)
			return (int)n;
		*bytes += (uint64_t)n;
		log_note("wrote %s: %" PRIu64 " samples", d->path, d->samples);
	}
	return 0;
}

void script_dumps_free(struct script *s)
{
	for (int i = 0; s->dumps && i < s->meta->nr_events; i++) {
		struct script_dump *d = s->dumps[i];

		if (!d)
			continue;
		outfile_abort(&d->out);
		free(d->path);
		free(d);
	}
	free(s->dumps);
}
