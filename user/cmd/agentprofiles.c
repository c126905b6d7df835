/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/agentprofiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"

#define SECONDS_DEFAULT 30 /* net/http/pprof */
#define STATUS_OK 200u
#define STATUS_NOT_FOUND 404u
#define STATUS_BUSY 503u

struct running {
	uint64_t id;
	const struct agent_view *view; /* NULL: free */
	struct agent_mark mark; /* when it began */
	uint64_t until_ns; /* CLOCK_MONOTONIC */
	char rate[NOTE_BYTES]; /* the last note of a lowered one since then */
	struct pprof_out out;
};

struct agent_profiles {
	struct http *http;
	const struct pprof_out *from;
	struct running all[HTTP_WAITERS_MAX]; /* there are no more at once, but for those whose clients have gone */
};

struct agent_profiles *agent_profiles_new(struct http *http, const struct pprof_out *out)
{
	struct agent_profiles *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->http = http;
	p->from = out;
	http_wait_at(http, PROFILES_PATH);
	return p;
}

void agent_profiles_free(struct agent_profiles *p)
{
	if (!p)
		return;
	for (int i = 0; i < HTTP_WAITERS_MAX; i++)
		pprof_out_free(&p->all[i].out);
	free(p);
}

int agent_profiles_add(struct agent_profiles *p, const struct fold_view *view, const struct named *named)
{
	int ret = 0;

	for (int i = 0; i < HTTP_WAITERS_MAX && !ret; i++)
		if (p->all[i].view && &p->all[i].view->at == view)
			ret = pprof_out_add(&p->all[i].out, view, named);
	return ret;
}

static int find_view(const char *name, const struct agent_view *all, int n)
{
	int i = 0;

	while (i < n && *name && strcmp(all[i].event->name, name) != 0)
		i++;
	return i < n ? i : -1;
}

static int begin(struct agent_profiles *p, const struct http_waiter *w, const struct agent_view *all, int n, const struct profile *run)
{
	static const char none[] = "no such view\n", busy[] = "too many profiles are made already\n";
	struct running *r = p->all;
	int view = find_view(w->view, all, n);

	if (view < 0)
		return http_answer(p->http, w->id, STATUS_NOT_FOUND, "text/plain", none, strlen(none));
	while (r < p->all + HTTP_WAITERS_MAX && r->view)
		r++;
	if (r == p->all + HTTP_WAITERS_MAX)
		return http_answer(p->http, w->id, STATUS_BUSY, "text/plain", busy, strlen(busy));
	*r = (struct running){ .id = w->id, .view = &all[view], .out = { .pic = p->from->pic, .label = p->from->label, .label_arg = p->from->label_arg } };
	agent_mark_set(&r->mark, r->view, run);
	r->until_ns = r->mark.begun_ns + (w->seconds ? w->seconds : SECONDS_DEFAULT) * NS_PER_S;
	return 0;
}

static void drop(struct running *r)
{
	pprof_out_free(&r->out);
	r->view = NULL;
}

static int end(struct agent_profiles *p, struct running *r, const struct profile *run)
{
	struct profile profile;
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	int ret = out ? 0 : -ENOMEM;

	agent_mark_since(&r->mark, r->view, run, &profile);
	profile.title = "skep agent";
	if (r->rate[0])
		profile_note(&profile, "%s", r->rate);
	if (out)
		ret = pprof_out_write(&r->out, &r->view->at, &profile, r->mark.wall_ns, out);
	if (out && fclose(out) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = http_answer(p->http, r->id, STATUS_OK, "application/octet-stream", bytes, n);
	free(bytes);
	drop(r);
	return ret;
}

int agent_profiles_round(struct agent_profiles *p, const struct agent_view *all, int n, const struct profile *run, const char *rate)
{
	struct http_waiter w;
	uint64_t now = now_ns();
	int ret = 0;

	for (int i = 0; i < HTTP_WAITERS_MAX && !ret; i++) {
		if (p->all[i].view && *rate)
			snprintf(p->all[i].rate, sizeof(p->all[i].rate), "%s", rate);
		if (p->all[i].view && now >= p->all[i].until_ns)
			ret = end(p, &p->all[i], run);
	}
	while (!ret && http_take(p->http, &w))
		ret = begin(p, &w, all, n, run);
	for (int i = 0; i < HTTP_WAITERS_MAX; i++)
		if (p->all[i].view && !http_is_waiting(p->http, p->all[i].id))
			drop(&p->all[i]);
	return ret;
}
