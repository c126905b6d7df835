/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A switch takes two rounds. At the end of the first the next file is opened and described from /proc. In the second both files get what
 * tasks do, and the old one the samples. So a process that ends while /proc is read has its names in the file that has its samples.
 */
#include "cmd/record_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/lastspan.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/program.h"

#define DATE_STEP_NS 10000000ull /* the last digits of a date */
#define DATE_STEPS_MAX 100

static volatile sig_atomic_t is_requested;

static void on_request(int sig)
{
	(void)sig;
	is_requested = 1;
}

/*
 * Another thread may get it: then the next tick of the session sees it. No SA_RESTART: it ends the session's wait. A handler also where
 * nothing switches: the signal would end skep, and COMMAND would inherit that it is ignored.
 */
void files_listen(void)
{
	const struct sigaction act = { .sa_handler = on_request };

	sigaction(SIGUSR2, &act, NULL);
}

static int open_stream(struct record_files *f, struct err *err)
{
	if (f->stream_fd < 0)
		return err_set(err, f->stream_fd, "cannot write to standard output: %s", strerror(-f->stream_fd));
	return data_writer_stream(f->stream_fd, &f->meta, &f->writer, err);
}

/* A device would be renamed, too. That a file is still ours is checked when it is closed. */
static bool may_rename(const struct record_files *f)
{
	struct stat st;

	return (!f->cfg->is_split && !f->cfg->is_dated && !f->cfg->last_ns) || lstat(f->path, &st) || S_ISREG(st.st_mode);
}

int files_open(struct record_files *f, struct err *err)
{
	int ret;

	if (!may_rename(f))
		return err_exit(err, -EINVAL, EXIT_USAGE, "cannot rename '%s' to a name with a date: not a regular file", f->path);
	if (f->cfg->files_max && !(f->names = calloc(f->cfg->files_max, sizeof(*f->names))))
		return err_set(err, -ENOMEM, "out of memory");
	if (f->cfg->last_ns) {
		f->begun_ns = now_ns();
		f->last = lastspan_new(f->cfg->last_ns, f->begun_ns);
		return f->last ? 0 : err_set(err, -ENOMEM, "out of memory");
	}
	ret = strcmp(f->path, "-") ? data_writer_open(f->path, &f->meta, &f->writer, err) : open_stream(f, err);
	f->opened_ns = now_ns();
	return ret;
}

int files_sample(struct record_files *f, const struct sample *s)
{
	struct sink *to;

	if (f->last)
		return lastspan_sample(f->last, s);
	to = data_writer_sink(f->writer);
	f->nr_samples++;
	return to->sample(to, s);
}

int files_task(struct record_files *f, const struct task_event *t)
{
	struct sink *to;
	int ret;

	if (f->last)
		return lastspan_task(f->last, t);
	to = data_writer_sink(f->writer);
	ret = to->task(to, t);
	if (ret || !f->next)
		return ret;
	to = data_writer_sink(f->next);
	return to->task(to, t);
}

/* Called by the name perf, skep says what scripts look for in perf's output. */
static void print_as_perf(const struct record_files *f, const char *path, int64_t bytes)
{
	log_note("[ perf record: Woken up %llu times to write data ]", (unsigned long long)f->nr_rounds);
	log_note("[ perf record: Captured and wrote %.3f MB %s (%llu samples) ]", bytes / 1048576.0, path, (unsigned long long)f->nr_samples);
}

static void print_wrote(const struct record_files *f, const char *path, int64_t bytes, uint64_t record_bytes)
{
	const struct data_meta *m = &f->meta;
	char events[EVENT_NAME_MAX], from[64] = "";

	if (program_is_perf())
		return print_as_perf(f, path, bytes);
	if (m->nr_events > 1)
		snprintf(events, sizeof(events), "%d events", m->nr_events);
	else
		snprintf(events, sizeof(events), "%s", m->events[0].name);
	if (m->compression_level)
		snprintf(from, sizeof(from), ", compressed from %.3f MB", record_bytes / 1048576.0);
	log_note("wrote %s: %.3f MB, %llu samples of %s%s", path, bytes / 1048576.0, (unsigned long long)f->nr_samples, events, from);
}

/* As perf has it: the time of the day to a hundredth of a second. */
static void put_date(char *to, size_t size, const char *path, uint64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	char date[32] = "";
	struct tm tm;

	if (localtime_r(&s, &tm))
		strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm);
	snprintf(to, size, "%s.%s%02u", path, date, (unsigned)(wall_ns % NS_PER_S / DATE_STEP_NS));
}

/* Never replaces a file. File systems without RENAME_NOREPLACE: what is there is looked at first. */
static int rename_new(const char *from, const char *to)
{
	struct stat st;

	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return !lstat(to, &st) ? -EEXIST : rename(from, to) ? -errno : 0;
}

/* Two files within a hundredth of a second: the later one gets the next date that is free. */
static int add_date(const struct record_files *f, char *ret_path, size_t size, struct err *err)
{
	uint64_t wall_ns = clock_ns(CLOCK_REALTIME);
	int ret = -EEXIST;

	for (int i = 0; ret == -EEXIST && i < DATE_STEPS_MAX; i++) {
		put_date(ret_path, size, f->path, wall_ns + i * DATE_STEP_NS);
		ret = rename_new(f->path, ret_path);
	}
	return ret ? err_set(err, ret, "cannot rename '%s' to '%s': %s", f->path, ret_path, strerror(-ret)) : 0;
}

/* Remembers a file, and deletes the oldest when there are too many. */
static int keep_name(struct record_files *f, const char *path, struct err *err)
{
	char *name = f->cfg->files_max ? strdup(path) : NULL;

	if (!f->cfg->files_max)
		return 0;
	if (!name)
		return err_set(err, -ENOMEM, "out of memory");
	if (f->nr_names < f->cfg->files_max) {
		f->names[f->nr_names++] = name;
		return 0;
	}
	if (unlink(f->names[f->oldest]) && errno != ENOENT)
		log_note("cannot delete %s: %s", f->names[f->oldest], strerror(errno));
	free(f->names[f->oldest]);
	f->names[f->oldest] = name;
	f->oldest = (f->oldest + 1) % f->cfg->files_max;
	return 0;
}

static int end_file(struct record_files *f, struct err *err)
{
	uint64_t record_bytes = data_writer_record_bytes(f->writer);
	bool is_dated = f->cfg->is_split || f->cfg->is_dated || f->last;
	int64_t bytes = data_writer_close(f->writer, err);
	char path[PATH_MAX + NAME_MAX];
	int ret;

	f->writer = NULL;
	if (bytes < 0)
		return (int)bytes;
	f->bytes_out += bytes;
	snprintf(path, sizeof(path), "%s", f->path);
	ret = is_dated ? add_date(f, path, sizeof(path), err) : 0;
	if (!ret)
		print_wrote(f, path, bytes, record_bytes);
	return ret ? ret : keep_name(f, path, err);
}

static bool is_time_to_switch(struct record_files *f)
{
	const struct record_files_cfg *cfg = f->cfg;
	uint64_t now = now_ns();

	if (cfg->switch_bytes)
		return data_writer_bytes(f->writer) >= cfg->switch_bytes;
	if (cfg->by_signal && is_requested) {
		is_requested = 0;
		return true;
	}
	if (!cfg->switch_ns || now - f->opened_ns < cfg->switch_ns)
		return false;
	f->opened_ns = now;
	return true;
}

static int begin_next(struct record_files *f)
{
	int ret = data_writer_open(f->path, &f->meta, &f->next, &f->err);

	if (!ret)
		ret = f->describe(f->arg, data_writer_sink(f->next));
	return !ret || f->err.text[0] ? ret : err_set(&f->err, ret, "cannot begin the next '%s': %s", f->path, strerror(-ret));
}

static int use_next(struct record_files *f)
{
	int ret = end_file(f, &f->err);

	f->writer = f->next;
	f->next = NULL;
	f->nr_samples = 0;
	return ret;
}

static int stop_full(struct record_files *f)
{
	if (!f->is_full)
		log_note("stopped: the file has the size of --max-size");
	f->is_full = true;
	return -ECANCELED;
}

/* What is in memory goes into a file of its own, and stays in memory. */
static int write_last(struct record_files *f)
{
	uint64_t now = now_ns(), since = now > f->cfg->last_ns ? now - f->cfg->last_ns : 0, from;
	int ret = data_writer_open(f->path, &f->meta, &f->writer, &f->err);

	if (ret)
		return ret;
	ret = lastspan_replay(f->last, since, data_writer_sink(f->writer), &f->nr_samples, &from);
	if (ret) {
		data_writer_abort(f->writer);
		f->writer = NULL;
		return f->err.text[0] ? ret : err_set(&f->err, ret, "cannot write '%s': %s", f->path, strerror(-ret));
	}
	if (from > since + NS_PER_S)
		log_note("note: the next file has the last %.1f s: there is no more%s", (double)(now - from) / 1e9,
			 now - f->begun_ns > f->cfg->last_ns ? " in memory" : " yet");
	return end_file(f, &f->err);
}

void files_ask(struct record_files *f, uint64_t time_ns, const char *trigger)
{
	if (f->asked_ns && time_ns < f->asked_ns + f->cfg->pause_ns) {
		f->nr_passed++;
		return;
	}
	f->asked_ns = time_ns;
	f->asks = trigger;
}

static int round_last(struct record_files *f)
{
	uint64_t now = now_ns();
	int ret = lastspan_lost(f->last, now, f->lost(f->arg));

	if (!ret)
		ret = lastspan_round(f->last, now);
	if (ret == 1)
		ret = f->describe(f->arg, lastspan_sink(f->last));
	if (ret && !f->err.text[0])
		err_set(&f->err, ret, "cannot keep the last seconds: %s", strerror(-ret));
	if (ret || (!f->asks && !is_requested))
		return ret;
	if (f->asks)
		log_note("note: '%s' asks for a file", f->asks);
	else
		log_note("note: SIGUSR2 asks for a file");
	f->asks = NULL;
	is_requested = 0;
	ret = write_last(f);
	if (!ret || ret == -ENOMEM)
		return ret;
	log_note("note: %s: what was asked for is not written; the recording goes on", f->err.text);
	f->err = (struct err){ 0 };
	return 0;
}

int files_round(struct record_files *f)
{
	struct sink *to;
	int ret;

	f->nr_rounds++;
	if (f->last)
		return round_last(f);
	to = data_writer_sink(f->writer);
	ret = to->round(to);
	if (ret)
		return ret;
	if (f->cfg->bytes_max && data_writer_bytes(f->writer) >= f->cfg->bytes_max)
		return stop_full(f);
	if (!f->cfg->is_split)
		return 0;
	if (f->next)
		return use_next(f);
	return is_time_to_switch(f) && f->nr_samples ? begin_next(f) : 0;
}

static void drop_next(struct record_files *f)
{
	if (f->next)
		data_writer_abort(f->next);
	f->next = NULL;
}

/* Nobody asked for what is left. */
static int close_last(struct record_files *f, uint64_t lost, struct err *err)
{
	int ret = f->asks || is_requested ? lastspan_lost(f->last, now_ns(), lost) : 0;

	if (!ret && (f->asks || is_requested))
		ret = write_last(f);

	if (ret && !f->err.text[0])
		err_set(&f->err, ret, "cannot keep the last seconds: %s", strerror(-ret));
	if (ret)
		*err = f->err;
	if (f->nr_passed)
		log_note("note: %llu events came within the %.1f s after one that had asked for a file", (unsigned long long)f->nr_passed,
			 (double)f->cfg->pause_ns / 1e9);
	if (!ret && !f->bytes_out)
		log_note("note: nothing was written: neither SIGUSR2 nor a --trigger asked for it");
	return ret;
}

int files_close(struct record_files *f, uint64_t lost, struct err *err)
{
	struct sink *to;

	if (f->last)
		return close_last(f, lost, err);
	to = data_writer_sink(f->writer);
	drop_next(f);
	/* A file has a sample at least, but for that of a run that has none. */
	if (!f->nr_samples && !lost && f->bytes_out) {
		files_abort(f);
		return 0;
	}
	to->lost(to, lost); /* the close reports a failed write */
	return end_file(f, err);
}

void files_abort(struct record_files *f)
{
	drop_next(f);
	if (f->writer)
		data_writer_abort(f->writer);
	f->writer = NULL;
}

void files_free(struct record_files *f)
{
	for (uint64_t i = 0; i < f->nr_names; i++)
		free(f->names[i]);
	free(f->names);
	lastspan_free(f->last);
}
