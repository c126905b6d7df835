/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Promise 1: an empty picture is an error with its reason. */
#include "cmd/nothing.h"

#include <errno.h>
#include <string.h>

#include "util/log.h"

static int explain(const struct profile *p, const char *input, struct err *err)
{
	if (p->seen) {
		err_set(err, -ENODATA, "no samples%s%s%s: all %llu were lost", input ? " in '" : "", input ? input : "",
			input ? "'" : "", (unsigned long long)p->seen);
		err_hint(err, "use a lower frequency (-F) or a larger ring buffer (-m)");
		return -ENODATA;
	}
	if (p->is_time) {
		err_set(err, -ENODATA, "no %s in %.3f s: no matching task was off a CPU", p->event, p->duration_ns / 1e9);
		err_hint(err, "'skep sched -a' shows what each task does");
		return -ENODATA;
	}
	if (input && p->has_no_files) {
		err_set(err, -ENODATA, "no samples of '%s' in '%s': the directory has no data.N files", p->event, input);
		err_hint(err, "copy the whole directory: perf record --threads keeps the samples in its files data.0, data.1, ...");
		return -ENODATA;
	}
	if (input) {
		err_set(err, -ENODATA, "no samples of '%s' in '%s'", p->event, input);
		if (p->other_event)
			err_hint(err, "--event-index %d has samples of '%s'", p->other_index, p->other_event);
		else
			err_hint(err, "the recorded command may have used no CPU time, or the recording was killed in its first second");
		return -ENODATA;
	}
	if (p->unit && !strcmp(p->unit, "hits")) {
		err_set(err, -ENODATA, "no samples in %.3f s: '%s' did not happen in the target", p->duration_ns / 1e9, p->event);
		err_hint(err, "'skep stat -a -e %s' counts it everywhere", p->event);
		return -ENODATA;
	}
	err_set(err, -ENODATA, "no samples in %.3f s: the target was on a CPU for less than one period of '%s'",
		p->duration_ns / 1e9, p->event);
	err_hint(err, "use a higher frequency (-F) or measure longer; 'skep flame -a' shows what runs");
	return -ENODATA;
}

int nothing_sampled(const struct profile *p, const char *input, int status, struct err *err)
{
	int ret = explain(p, input, err);

	err->exit = status;
	return ret;
}

void nothing_recorded(const struct profile *p)
{
	struct err err = { 0 };

	explain(p, NULL, &err);
	log_note("note: %s", err.text);
	if (err.hint[0])
		log_note("hint: %s", err.hint);
}

int nothing_chosen(uint64_t out, const char *input, struct err *err)
{
	return err_set(err, -ENODATA, "none of the %llu samples in '%s' is of those that the options name", (unsigned long long)out, input);
}
