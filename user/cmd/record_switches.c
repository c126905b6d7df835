/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/record_switches.h"

#include <errno.h>

#include "util/hash.h"

static int add_exited(struct record_switches *s, uint32_t tid)
{
	if (map_find(&s->by_tid, hash_u64(tid)) >= 0)
		return 0;
	if (vec_reserve(&s->exited) || map_add(&s->by_tid, hash_u64(tid), s->exited.n))
		return -ENOMEM;
	s->exited.data[s->exited.n++] = tid;
	return 0;
}

/* The number is that of another thread now. */
static void remove_exited(struct record_switches *s, uint32_t tid)
{
	int64_t at = map_find(&s->by_tid, hash_u64(tid));
	uint32_t last;

	if (at < 0)
		return;
	last = s->exited.data[s->exited.n - 1];
	map_remove(&s->by_tid, hash_u64(tid), (size_t)at, hash_u64(last));
	s->exited.data[at] = last;
	s->exited.n--;
}

int record_switches_task(struct record_switches *s, const struct task_event *t)
{
	switch (t->what) {
	case TASK_SWITCH:
		return !s->has_begun || map_find(&s->by_tid, hash_u64(t->tid)) >= 0;
	case TASK_EXEC: /* by a thread that is not the first, it takes the number of the first, which exits */
		s->has_begun = true;
		remove_exited(s, t->tid);
		return 0;
	case TASK_FORK:
		remove_exited(s, t->tid);
		return 0;
	case TASK_EXIT:
		return add_exited(s, t->tid);
	default:
		return 0;
	}
}

void record_switches_free(struct record_switches *s)
{
	vec_free(&s->exited);
	map_free(&s->by_tid);
}
