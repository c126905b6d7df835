/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records to a file, whole frames through one buffer. There are millions a second: none is decoded, nothing is allocated for one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/calllog.h"
#include "util/outfile.h"

#define FILE_MODE 0600 /* it has memory of the traced programs */
#define TEXT_BYTES 8192
#define LINE_BYTES 64 /* of the ledger, but for a note: a word and a number */
_Static_assert(NOTES_MAX * (NOTE_BYTES + sizeof("note \n")) + (LOSS_MAX + 3) * LINE_BYTES < TEXT_BYTES, "the ledger has room");
_Static_assert(CALLLOG_TITLE_MAX + 16 * LINE_BYTES < TEXT_BYTES, "the head has room");

struct calllog_writer {
	struct sink sink; /* first */
	struct outfile out;
	bool has_records;
	char *path;
	int old_fd; /* PATH.old, which goes when the first records come; -1: there is none */
};

/* Whether there is room for it. */
static bool old_path(const char *path, char old[PATH_MAX])
{
	return snprintf(old, PATH_MAX, "%s" NEWFILE_OLD, path) < PATH_MAX;
}

/*
 * To free a large file takes longer than a ring lasts: it is open until the end. And where a rename replaces a file, ext4 first gives blocks to
 * all that was not yet written of the renamed one (auto_da_alloc), the recording before: nothing is replaced.
 */
static int place(struct calllog_writer *w)
{
	char old[PATH_MAX];

	if (w->old_fd >= 0 && w->out.unplaced && old_path(w->path, old))
		unlink(old);
	return outfile_place(&w->out);
}

static int failure(void)
{
	return errno ? -errno : -EIO;
}

static int put(struct calllog_writer *w, const void *bytes, size_t n)
{
	return fwrite_unlocked(bytes, 1, n, w->out.stream) == n ? 0 : failure();
}

static int put_frame(struct calllog_writer *w, enum calllog_kind kind, const void *bytes, size_t n)
{
	static const char zeros[8];
	const struct calllog_frame frame = { n, kind };
	int ret;

	errno = 0;
	ret = put(w, &frame, sizeof(frame));
	if (!ret)
		ret = put(w, bytes, n);
	return ret || !(n & 7) ? ret : put(w, zeros, 8 - (n & 7));
}

static int take_record(struct sink *sink, const void *record, size_t size)
{
	struct calllog_writer *w = (struct calllog_writer *)sink;

	w->has_records = true;
	return put_frame(w, CALLLOG_RECORD, record, size);
}

/* What was recorded so far is in the file, even if skep is killed. */
static int flush(struct sink *sink)
{
	struct calllog_writer *w = (struct calllog_writer *)sink;
	int ret = w->has_records ? place(w) : 0;

	if (ret)
		return ret;
	errno = 0;
	return fflush(w->out.stream) ? failure() : 0;
}

int calllog_create(const char *path, struct calllog_writer **ret_w, struct err *err)
{
	struct calllog_writer *w = calloc(1, sizeof(*w));
	char old[PATH_MAX];
	int ret = w && (w->path = strdup(path)) ? outfile_open(&w->out, w->path, err) : -ENOMEM;

	if (!ret && w->out.unplaced && fchmod(w->out.channel.fd, FILE_MODE)) {
		ret = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
		outfile_abort(&w->out);
	}
	if (ret) {
		free(w ? w->path : NULL);
		free(w);
		return ret;
	}
	w->out.keep_old = true;
	w->old_fd = w->out.unplaced && old_path(path, old) ? open(old, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
	w->sink = (struct sink){ .raw = take_record, .round = flush };
	*ret_w = w;
	return 0;
}

int calllog_begin(struct calllog_writer *w, const struct calllog_meta *meta)
{
	struct calllog_head head = { CALLLOG_MAGIC, CALLLOG_VERSION, 0 };
	char text[TEXT_BYTES] = "", boot[CALLLOG_BOOT_MAX];
	int n, ret;

	calllog_boot(boot);
	n = snprintf(text, sizeof(text), "machine %s\ntext %u\nwhole %d\nfirst_tid %u\nstart_ns %llu\nclock_ns %llu\nboot %s\ntitle %.*s\n", calllog_machine, meta->text,
		     meta->is_whole, meta->first_tid, (unsigned long long)meta->start_ns, (unsigned long long)meta->clock_ns, boot, CALLLOG_TITLE_MAX - 1, meta->title);
	head.bytes = (n + 7) & ~7;
	errno = 0;
	ret = put(w, &head, sizeof(head));
	return ret ? ret : put(w, text, head.bytes);
}

struct sink *calllog_sink(struct calllog_writer *w)
{
	return &w->sink;
}

static size_t ledger_text(char *text, size_t size, const struct profile *p)
{
	size_t n = snprintf(text, size, "seen %llu\nkept %llu\nduration_ns %llu\n", (unsigned long long)p->seen, (unsigned long long)p->kept,
			    (unsigned long long)p->duration_ns);

	for (int i = 0; i < LOSS_MAX; i++)
		if (p->losses[i])
			n += snprintf(text + n, size - n, "%s %llu\n", loss_name(i), (unsigned long long)p->losses[i]);
	for (uint32_t i = p->nr_details; i < p->nr_notes; i++)
		n += snprintf(text + n, size - n, "note %.*s\n", (int)strcspn(p->notes[i], "\n"), p->notes[i]);
	return n;
}

int64_t calllog_close(struct calllog_writer *w, int ret, const struct profile *ledger, struct err *err)
{
	bool is_failed = ferror(w->out.stream);
	char text[TEXT_BYTES];
	int64_t bytes = ret;

	if (!ret && !is_failed && ledger->kept)
		put_frame(w, CALLLOG_END, text, ledger_text(text, sizeof(text), ledger));
	if ((ret || !ledger->kept) && !is_failed) {
		outfile_abort(&w->out);
	} else {
		bytes = outfile_commit(&w->out, err); /* reports any failed write, with the path */
		bytes = bytes < 0 || !ret ? bytes : ret;
	}
	if (w->old_fd >= 0)
		close(w->old_fd);
	free(w->path);
	free(w);
	return bytes;
}
