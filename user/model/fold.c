/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples to tree and table. */
#include "model/fold.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/hash.h"

#define COMMS_FIRST 1024
#define HELD_MAX (1u << 17) /* with stacks at most 48 MB; what comes then keeps a number as its name */
#define HELD_IPS_MAX (1u << 22)

static struct comm_slot *comm_find(struct fold *f, uint32_t tid)
{
	uint32_t at = hash_u64(tid) & (f->cap_comms - 1);

	while (f->comms[at].comm && f->comms[at].tid != tid)
		at = (at + 1) & (f->cap_comms - 1);
	return &f->comms[at];
}

/* How a thread came to its name: it has none, an event said so, it is its parent's. */
enum comm_from { COMM_MADE_UP, COMM_SAID, COMM_INHERITED };

static int comm_set(struct fold *f, uint32_t tid, const char *comm, enum comm_from from)
{
	struct comm_slot *slot;

	if (f->nr_comms * 2 >= f->cap_comms) {
		struct comm_slot *old = f->comms;
		uint32_t n = f->cap_comms;

		f->comms = calloc(n * 2, sizeof(*f->comms));
		if (!f->comms) {
			f->comms = old;
			return -ENOMEM;
		}
		f->cap_comms = n * 2;
		for (uint32_t i = 0; i < n; i++)
			if (old[i].comm)
				*comm_find(f, old[i].tid) = old[i];
		free(old);
	}
	slot = comm_find(f, tid);
	f->nr_comms += !slot->comm;
	if (!slot->comm)
		slot->first = NULL;
	else if (slot->is_made_up && from == COMM_SAID)
		slot->first = comm;
	slot->tid = tid;
	slot->comm = comm;
	slot->is_made_up = from == COMM_MADE_UP;
	return 0;
}

static int fold_task(struct sink *sink, const struct task_event *t)
{
	struct fold *f = (struct fold *)sink;
	struct comm_slot *slot;
	const char *comm;
	int ret = 0;

	if (t->what == TASK_COMM || t->what == TASK_EXEC) {
		comm = syms_intern(f->syms, t->comm);
		ret = comm ? comm_set(f, t->tid, comm, COMM_SAID) : -ENOMEM;
	} else if (t->what == TASK_FORK) {
		slot = comm_find(f, t->ptid);
		if (slot->comm && !slot->is_made_up)
			ret = comm_set(f, t->tid, slot->comm, COMM_INHERITED);
	}
	return ret ? ret : syms_task(f->syms, t);
}

/* perf's name for a thread it never saw named; NULL: no memory. */
static const char *made_up(struct fold *f, uint32_t tid)
{
	char text[16];

	snprintf(text, sizeof(text), ":%d", (int)tid);
	return syms_intern(f->syms, text);
}

/* Its name, or NULL without memory. *ret_made_up: nothing has named the thread yet. */
static const char *comm_of(struct fold *f, const struct sample *s, bool *ret_made_up)
{
	const struct comm_slot *slot;
	const char *comm;

	*ret_made_up = false;
	if (s->comm)
		return syms_intern(f->syms, s->comm);
	if (!s->pid || !s->tid)
		return syms_intern(f->syms, "swapper");
	slot = comm_find(f, s->tid);
	*ret_made_up = !slot->comm || slot->is_made_up;
	if (slot->comm)
		return slot->comm;
	comm = made_up(f, s->tid);
	return comm && !comm_set(f, s->tid, comm, COMM_MADE_UP) ? comm : NULL;
}

static const char *root_name(struct fold *f, const struct sample *s, const char *comm)
{
	char text[COMM_FILE_LEN + 32];

	if (f->root == ROOT_COMM)
		return comm;
	if (f->root == ROOT_PID)
		snprintf(text, sizeof(text), "%s (%d)", comm, (int)s->pid);
	else
		snprintf(text, sizeof(text), "%s (%d/%d)", comm, (int)s->pid, (int)s->tid);
	return syms_intern(f->syms, text);
}

/* That there was no room for a stack is said of the user's, and is so of both. */
static void leave_out(const struct fold *f, struct sample *s)
{
	if (f->no_kernel) {
		s->ip = s->nr_kips ? 0 : s->ip;
		s->nr_kips = s->kstop = 0;
	}
	if (f->no_user) {
		s->ip = s->nr_kips ? s->ip : 0;
		s->nr_uips = 0;
		s->ustop = s->ustop == STOP_NO_ROOM ? STOP_NO_ROOM : STOP_ROOT;
	}
}

/* Who woke it stands upon it, with the leaf below: what both did meets in the middle. Returns how many frames. */
static uint32_t add_waker(struct fold *f, const struct sample *s, struct profile *p, struct frame *down)
{
	struct sample waker = *s->waker;
	char text[64];

	waker.count = s->count;
	leave_out(f, &waker);
	snprintf(text, sizeof(text), "[woken by %s]", waker.comm);
	down[0] = (struct frame){ .name = syms_intern(f->syms, text), .obj = syms_intern(f->syms, ""), .kind = FRAME_MARK };
	stack_resolve(f->syms, &waker, &f->waker, p);
	memcpy(down + 1, f->waker.frames, f->waker.n * sizeof(*down));
	return 1 + f->waker.n;
}

static int add_tree(struct fold *f, const struct sample *s, const struct fold_view *v, const char *comm)
{
	uint32_t n = 0;

	if (f->root != ROOT_NONE)
		f->down[n++] = (struct frame){ .name = root_name(f, s, comm), .obj = syms_intern(f->syms, ""),
					       .kind = FRAME_MARK };
	for (uint32_t i = f->stack.n; i-- > 0;)
		f->down[n++] = f->stack.frames[i];
	if (s->waker)
		n += add_waker(f, s, v->profile, &f->down[n]);
	return tree_add(v->tree, f->down, n, s->weight, s->count);
}

/* The frame that says what it did on no CPU, or NULL. */
static const char *off_cpu_mark(const struct fold *f, const struct sample *s)
{
	if (s->off_cpu == OFF_CPU_QUEUED)
		return "[run queue]";
	if (s->off_cpu == OFF_CPU_PREEMPTED)
		return "[preempted]";
	if (s->event != f->off_event)
		return NULL;
	return s->off_cpu == OFF_CPU_BLOCKED ? "[blocked]" : "[off-CPU]";
}

static int add_sample(struct fold *f, const struct sample *s, struct fold_view *v, const char *comm)
{
	const char *mark = off_cpu_mark(f, s);
	int ret = 0;

	if (!v->first_ns || s->time_ns < v->first_ns)
		v->first_ns = s->time_ns;
	if (s->time_ns > v->last_ns)
		v->last_ns = s->time_ns;
	v->profile->weight += s->weight;
	v->folded += s->count;
	stack_resolve(f->syms, s, &f->stack, v->profile);
	if (mark)
		stack_mark(f->syms, mark, &f->stack);
	if (v->tree)
		ret = add_tree(f, s, v, comm);
	if (!ret && v->table)
		ret = report_add(v->table, s, comm, &f->stack);
	return ret;
}

/* 1: it waits. 0: there is no room for it. Or -ENOMEM. */
static int hold(struct fold *f, const struct sample *s, struct fold_view *v)
{
	uint32_t n = s->nr_kips + s->nr_uips;
	struct held *h;
	uint64_t *ips;

	if (f->held.n >= HELD_MAX || f->held_ips.n + n > HELD_IPS_MAX)
		return 0;
	h = vec_take(&f->held, 1);
	if (!h)
		return -ENOMEM;
	*h = (struct held){ *s, f->held_ips.n, v };
	ips = n ? vec_take(&f->held_ips, n) : NULL;
	if (n && !ips)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		ips[i] = i < s->nr_kips ? s->kips[i] : s->uips[i - s->nr_kips];
	return 1;
}

static int fold_sample(struct sink *sink, const struct sample *sample)
{
	struct fold *f = (struct fold *)sink;
	struct sample s = *sample;
	struct fold_view *v = &f->view;
	const char *comm;
	bool is_made_up;
	int ret = f->choose ? f->choose(f->choose_arg, s.event, &v) : 0;

	if (ret || !v)
		return ret;
	leave_out(f, &s);
	comm = comm_of(f, &s, &is_made_up);
	if (!comm)
		return -ENOMEM;
	if (is_made_up && f->may_hold && (ret = hold(f, &s, v)))
		return ret < 0 ? ret : 0;
	return add_sample(f, &s, v, comm);
}

int fold_end(struct fold *f)
{
	int ret = 0;

	for (size_t i = 0; i < f->held.n && !ret; i++) {
		struct held *h = &f->held.data[i];
		const struct comm_slot *slot = comm_find(f, h->s.tid);

		h->s.kips = f->held_ips.data + h->ips;
		h->s.uips = h->s.kips + h->s.nr_kips;
		ret = add_sample(f, &h->s, h->view, slot->first ? slot->first : made_up(f, h->s.tid));
	}
	f->held.n = 0;
	return ret;
}

static int fold_lost(struct sink *sink, uint64_t n)
{
	((struct fold *)sink)->view.profile->losses[LOSS_FILE] += n;
	return 0;
}

static int fold_round(struct sink *sink)
{
	struct fold *f = (struct fold *)sink;

	if (f->pin)
		syms_pin(f->syms);
	return 0;
}

int fold_init(struct fold *f)
{
	memset(f, 0, offsetof(struct fold, stack));
	f->sink = (struct sink){ .sample = fold_sample, .task = fold_task, .lost = fold_lost, .round = fold_round };
	f->off_event = -1;
	f->cap_comms = COMMS_FIRST;
	f->comms = calloc(f->cap_comms, sizeof(*f->comms));
	return f->comms ? 0 : -ENOMEM;
}

void fold_free(struct fold *f)
{
	free(f->comms);
	f->comms = NULL;
	vec_free(&f->held);
	vec_free(&f->held_ips);
}

static void note_other_kernel(struct profile *p, const struct recorded *r)
{
	struct utsname u;

	if (!r || !r->os_release || uname(&u) || !strcmp(r->os_release, u.release))
		profile_note(p, "kernel addresses have no names: the file was recorded under another kernel than this one");
	else
		profile_note(p,
				"kernel addresses have no names: the file was recorded under kernel %s (%s), this one is %s (%s): read the file where it was recorded",
			     r->os_release, r->arch ? r->arch : "-", u.release, u.machine);
}

static void note_kernel(struct profile *p, const struct syms_stats *stats)
{
	if (stats->kernel_hidden && stats->kptr_restrict > 1)
		profile_note(p, "kernel addresses are hidden (kernel.kptr_restrict=%d): "
			     "sysctl kernel.kptr_restrict=1 shows them to root", stats->kptr_restrict);
	else if (stats->kernel_hidden)
		profile_note(p, "kernel addresses are hidden (kernel.kptr_restrict=%d): run as root or with CAP_SYSLOG",
			     stats->kptr_restrict);
	if (stats->kernel_mismatch && stats->kernel_not_said)
		profile_note(p, "kernel addresses have no names: the file does not name its kernel (it was cut, or came through a pipe)");
	else if (stats->kernel_mismatch)
		note_other_kernel(p, stats->recorded);
}

/* Files are found by their build ids, wherever they are from: only without one it matters whose the path is. */
static void note_objects(struct profile *p, const struct syms_stats *stats)
{
	const struct recorded *r = stats->recorded;

	if (stats->other_machine && stats->kernel_not_said)
		profile_note(p, "no names for the functions of %llu files: the recording does not say which machine they are from (%s%s)",
			     (unsigned long long)stats->objects_missing, stats->missing, stats->objects_missing > 1 ? " ..." : "");
	else if (stats->other_machine)
		profile_note(p, "no names for the functions of %llu files: they are from another machine (%s, %s), and no file here has the build ids "
			     "that 'perf record --buildid-mmap' and skep record keep: %s%s", (unsigned long long)stats->objects_missing,
			     r->hostname ? r->hostname : "-", r->arch ? r->arch : "-", stats->missing, stats->objects_missing > 1 ? " ..." : "");
	else
		profile_note(p, "no names for the functions of %llu files, which are deleted, unreadable or replaced: %s%s",
			     (unsigned long long)stats->objects_missing, stats->missing, stats->objects_missing > 1 ? " ..." : "");
}

void fold_note_names(struct profile *profile, const struct syms *syms)
{
	struct syms_stats stats;

	syms_stats(syms, &stats);
	if (profile->losses[LOSS_UNNAMED_KERNEL])
		note_kernel(profile, &stats);
	if (stats.debugfiles_unchecked)
		profile_note(profile, "debug files found by .gnu_debuglink are not used: one is larger than 1 GB, or all together are larger than 2 GB");
	if (stats.dwarf_refused)
		profile_note(profile,
				"no source lines or inlined functions for %llu files: their debug information is too large, or unpacks to more than 64 times its size",
			     (unsigned long long)stats.dwarf_refused);
	if (stats.perfmaps_cut)
		profile_note(profile, "a perf map is too large to be read whole: names of JIT code may be old or missing");
	if (profile->losses[LOSS_UNNAMED] && stats.objects_missing)
		note_objects(profile, &stats);
}

void fold_note(struct fold *f)
{
	fold_note_names(f->view.profile, f->syms);
}
