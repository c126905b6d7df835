/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/agentsegments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/log.h"
#include "util/outfile.h"

#define PATH_BYTES 4096

static int write_file(struct agent_segments *s, const struct agent_view *v, const struct profile *p, const char *path, struct err *err)
{
	struct outfile out;
	int64_t bytes;
	int ret = outfile_open(&out, path, err);

	if (ret)
		return ret;
	ret = pprof_out_write(&s->out, &v->at, p, v->segment.wall_ns, out.stream);
	if (ret < 0 && !ferror(out.stream))
		bytes = err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret));
	else if (!fflush(out.stream) && fdatasync(out.channel.fd)) /* its bytes are there before its name, also after a power cut */
		bytes = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	else
		bytes = outfile_commit(&out, err); /* which says what could not be written */
	outfile_abort(&out);
	return bytes < 0 ? (int)bytes : 0;
}

static void trim(struct agent_segments *s)
{
	uint64_t now_s = clock_ns(CLOCK_REALTIME) / NS_PER_S, keep_s = s->keep_ns / NS_PER_S;
	int n = store_trim(&s->store, s->keep_kib << 10, now_s > keep_s ? now_s - keep_s : 0);

	if (n > 0)
		log_detail("deleted %d profiles that were too old, or too many", n);
	else if (n < 0)
		log_note("note: cannot delete old profiles: %s", strerror(-n));
}

/* The directory was removed, or another one has its name: its lock is no lock of what has the name now. */
static int open_again(struct agent_segments *s, struct err *err)
{
	int ret;

	store_close(&s->store);
	ret = store_open(&s->store, s->store.path, true, err);
	if (!ret)
		log_note("note: the store '%s' was removed or replaced: what it had is not there any more", s->store.path);
	return ret;
}

static int write_view(struct agent_segments *s, struct agent_view *v, const struct profile *ledger, const char *rate)
{
	char path[PATH_BYTES];
	struct segment seg;
	struct err err = { 0 };
	struct profile p;
	int ret;

	agent_mark_since(&v->segment, v, ledger, &p);
	p.title = command_line();
	if (*rate)
		profile_note(&p, "%s", rate);
	ret = store_is_there(&s->store) ? 0 : open_again(s, &err);
	if (ret == -EBUSY) { /* who has it now samples the same */
		s->is_taken = true;
		return -ECANCELED; /* the run ends, as by a signal */
	}
	if (!ret) {
		store_name(&s->store, &seg, v->segment.wall_ns / NS_PER_S, agent_mark_now_ns(&v->segment) / NS_PER_S, p.event);
		snprintf(path, sizeof(path), "%s/%s", s->store.path, seg.name);
		ret = write_file(s, v, &p, path, &err);
	}
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		log_note("note: %s: what was sampled stays in memory, for the next profile", err.text);
		v->failed = true;
		return 0;
	}
	if (v->failed)
		log_note("note: '%s' has what could not be written before", seg.name);
	v->failed = false;
	log_detail("wrote %s: %" PRIu64 " samples, %zu stacks", seg.name, p.kept, pprof_out_stacks(&s->out, &v->at));
	if (s->push)
		push_segment(s->push, &seg);
	pprof_out_forget(&s->out, &v->at);
	agent_mark_set(&v->segment, v, ledger);
	return 0;
}

int agent_segments_write(struct agent_segments *s, struct agent_view *views, int n, const struct profile *ledger, const char *rate)
{
	int ret = 0;

	for (int i = 0; i < n && !ret; i++)
		ret = write_view(s, &views[i], i ? NULL : ledger, rate); /* what is lost of all events stands with the first */
	if (!ret && s->store.dir >= 0)
		trim(s);
	return ret;
}
