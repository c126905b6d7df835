/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recording of skep trace: in comes a file or a stream, hostile; out go its records. Sizes and numbers are checked here, records by who joins them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/calllog.h"
#include "util/file.h"
#include "util/num.h"

#define BUFFER_BYTES (1u << 20)
#define TEXT_MAX 65536u /* of the head, and of the ledger */
#define FRAME_MAX (sizeof(struct trace_rec) + TRACE_DATA_MAX + TRACE_PIECE_MAX + 4096)

#if defined(__x86_64__)
const char calllog_machine[] = "x86_64";
#elif defined(__aarch64__)
const char calllog_machine[] = "arm64";
#else
#error "a name for this machine's table of system calls"
#endif

struct calllog_reader {
	struct calllog_meta meta;
	char machine[32];
	char *name; /* for messages */
	int fd;
	bool close_fd;
	char *buffer; /* frames begin at multiples of 8 */
	size_t at, n;
	uint64_t pos; /* in the file, of the buffer's end */
};

void calllog_boot(char boot[CALLLOG_BOOT_MAX])
{
	char *text;
	size_t n;

	boot[0] = '\0';
	if (file_read("/proc/sys/kernel/random/boot_id", CALLLOG_BOOT_MAX, CALLLOG_BOOT_MAX - 1, &text, &n))
		return;
	n = strcspn(text, "\n");
	memcpy(boot, text, n);
	boot[n] = '\0';
	free(text);
}

static int fail(const struct calllog_reader *r, struct err *err, int ret, const char *why)
{
	return err_set(err, ret, "cannot read '%s': %s", r->name, why);
}

/* 1: at least `want` bytes, at most BUFFER_BYTES, are in the buffer. 0: the file ends before. Or -errno with err filled. */
static int fill(struct calllog_reader *r, size_t want, struct err *err)
{
	if (r->n - r->at >= want)
		return 1;
	memmove(r->buffer, r->buffer + r->at, r->n - r->at);
	r->n -= r->at;
	r->at = 0;
	while (r->n < want) {
		ssize_t got = read(r->fd, r->buffer + r->n, BUFFER_BYTES - r->n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(r, err, -errno, strerror(errno));
		if (!got)
			return 0;
		r->n += got;
		r->pos += got;
	}
	return 1;
}

/* Calls each() for every "WORD VALUE" of n bytes of text. */
static void each_line(char *text, size_t n, void (*each)(void *arg, const char *word, const char *value), void *arg)
{
	char *end = text + n;

	for (char *line = text, *next; line < end; line = next) {
		char *stop = memchr(line, '\n', end - line), *blank;

		if (!stop || memchr(line, '\0', stop - line))
			return;
		*stop = '\0';
		next = stop + 1;
		blank = strchr(line, ' ');
		if (!blank)
			continue;
		*blank = '\0';
		each(arg, line, blank + 1);
	}
}

static uint64_t number(const char *value, uint64_t max)
{
	uint64_t n;

	return num_u64(value, max, &n) ? 0 : n;
}

static void take_fact(void *arg, const char *word, const char *value)
{
	struct calllog_reader *r = arg;
	struct calllog_meta *m = &r->meta;
	char boot[CALLLOG_BOOT_MAX];

	if (!strcmp(word, "machine"))
		snprintf(r->machine, sizeof(r->machine), "%s", value);
	else if (!strcmp(word, "text"))
		m->text = number(value, TRACE_PIECE_MAX - 2);
	else if (!strcmp(word, "whole"))
		m->is_whole = number(value, 1);
	else if (!strcmp(word, "first_tid"))
		m->first_tid = number(value, INT32_MAX);
	else if (!strcmp(word, "start_ns"))
		m->start_ns = number(value, INT64_MAX);
	else if (!strcmp(word, "clock_ns"))
		m->clock_ns = number(value, INT64_MAX);
	else if (!strcmp(word, "title"))
		snprintf(m->title, sizeof(m->title), "%s", value);
	else if (!strcmp(word, "boot")) {
		calllog_boot(boot);
		m->is_here = boot[0] && !strcmp(boot, value);
	}
}

static int read_head(struct calllog_reader *r, struct err *err)
{
	struct calllog_head head;
	int ret = fill(r, sizeof(head), err);

	if (ret < 0)
		return ret;
	if (ret && !memcmp(r->buffer, "PERFILE2", 8)) {
		fail(r, err, -EBADMSG, "it is a perf.data file");
		err_hint(err, "skep report -i '%s'", r->name);
		return -EBADMSG;
	}
	if (!ret || memcmp(r->buffer, CALLLOG_MAGIC, sizeof(head.magic)))
		return fail(r, err, -EBADMSG, "it is no recording of skep trace --record");
	memcpy(&head, r->buffer, sizeof(head));
	if (head.version != CALLLOG_VERSION) {
		return err_set(err, -EBADMSG, "cannot read '%s': its format has version %u, and this skep reads version %d", r->name, head.version,
			       CALLLOG_VERSION);
	}
	if (head.bytes > TEXT_MAX || head.bytes & 7)
		return fail(r, err, -EBADMSG, "its head is damaged");
	r->at += sizeof(head);
	ret = fill(r, head.bytes, err);
	if (ret < 0)
		return ret;
	if (!ret)
		return fail(r, err, -EBADMSG, "it ends in its head");
	each_line(r->buffer + r->at, head.bytes, take_fact, r);
	r->at += head.bytes;
	if (!r->machine[0])
		return fail(r, err, -EBADMSG, "its head is damaged");
	if (strcmp(r->machine, calllog_machine))
		return err_set(err, -EBADMSG, "cannot read '%s': it was recorded on %s, and this skep knows the system calls of %s", r->name, r->machine,
			       calllog_machine);
	return 0;
}

int calllog_open_fd(int fd, const char *name, struct calllog_reader **ret_r, struct err *err)
{
	struct calllog_reader *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM;

	if (r) {
		r->fd = fd;
		r->name = strdup(name);
		r->buffer = malloc(BUFFER_BYTES);
		if (r->name && r->buffer)
			ret = read_head(r, err);
	}
	if (ret) {
		calllog_free(r);
		return ret;
	}
	*ret_r = r;
	return 0;
}

int calllog_open(const char *path, struct calllog_reader **ret_r, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), ret;

	if (fd < 0)
		return err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	ret = calllog_open_fd(fd, is_stdin ? "standard input" : path, ret_r, err);
	if (!is_stdin && ret)
		close(fd);
	else if (!is_stdin)
		(*ret_r)->close_fd = true;
	return ret;
}

const struct calllog_meta *calllog_meta(const struct calllog_reader *r)
{
	return &r->meta;
}

static void take_count(void *arg, const char *word, const char *value)
{
	struct profile *p = arg;

	if (!strcmp(word, "note")) {
		profile_note(p, "%s", value);
		return;
	}
	if (!strcmp(word, "seen"))
		p->seen = number(value, UINT64_MAX);
	else if (!strcmp(word, "kept"))
		p->kept = number(value, UINT64_MAX);
	else if (!strcmp(word, "duration_ns"))
		p->duration_ns = number(value, UINT64_MAX);
	for (int i = 0; i < LOSS_MAX; i++)
		if (!strcmp(word, loss_name(i)))
			p->losses[i] += number(value, UINT64_MAX / 2);
}

/* 1: the next frame is in the buffer. 0: the file ends, whole or not. -EBADMSG: what follows is no frame. Or -errno with err filled. */
static int next_frame(struct calllog_reader *r, struct calllog_frame *ret_frame, struct err *err)
{
	static const struct calllog_frame zeros;
	int ret = fill(r, sizeof(*ret_frame), err);

	if (ret <= 0)
		return ret;
	memcpy(ret_frame, r->buffer + r->at, sizeof(*ret_frame));
	if (!memcmp(ret_frame, &zeros, sizeof(zeros))) /* a power cut leaves zeros where blocks were given out but not yet written */
		return 0;
	if (ret_frame->bytes > FRAME_MAX)
		return -EBADMSG;
	return fill(r, sizeof(*ret_frame) + ((ret_frame->bytes + 7) & ~7u), err);
}

int calllog_read(struct calllog_reader *r, struct sink *sink, struct profile *ledger, bool *ret_has_end, struct err *err)
{
	struct calllog_frame f;
	int ret;

	*ret_has_end = false;
	while ((ret = next_frame(r, &f, err)) > 0) {
		char *bytes = r->buffer + r->at + sizeof(f);

		r->at += sizeof(f) + ((f.bytes + 7) & ~7u);
		if (f.kind == CALLLOG_END) {
			each_line(bytes, f.bytes, take_count, ledger);
			*ret_has_end = true;
			return 0;
		}
		ret = 0;
		if (f.kind == CALLLOG_RECORD)
			ret = sink->raw(sink, bytes, f.bytes);
		else
			ledger->losses[LOSS_FILE_DAMAGED]++;
		if (ret)
			return ret;
	}
	if (ret == -EBADMSG) {
		profile_note(ledger, "the file is damaged before byte %llu: only the part before that is shown", (unsigned long long)r->pos);
		ledger->losses[LOSS_FILE_DAMAGED]++;
	} else if (!ret) {
		ledger->losses[LOSS_FILE_CUT]++;
	}
	return ret == -EBADMSG ? 0 : ret;
}

void calllog_free(struct calllog_reader *r)
{
	if (!r)
		return;
	if (r->close_fd)
		close(r->fd);
	free(r->buffer);
	free(r->name);
	free(r);
}
