/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_threads.h"

#include "util/hash.h"

struct trace_thread *trace_thread_add(struct trace_threads *t, uint32_t pid, uint32_t tid)
{
	int64_t at = map_find(&t->by_tid, hash_u64(tid));

	if (at >= 0) {
		t->all.data[at].pid = pid;
		return &t->all.data[at];
	}
	if (vec_reserve(&t->all) || map_add(&t->by_tid, hash_u64(tid), t->all.n))
		return NULL;
	t->all.data[t->all.n] = (struct trace_thread){ .pid = pid, .tid = tid };
	return &t->all.data[t->all.n++];
}

void trace_thread_drop(struct trace_threads *t, uint32_t tid)
{
	int64_t at = map_find(&t->by_tid, hash_u64(tid));

	if (at < 0)
		return;
	map_remove(&t->by_tid, hash_u64(tid), at, hash_u64(t->all.data[t->all.n - 1].tid));
	t->all.data[at] = t->all.data[t->all.n - 1];
	t->all.n--;
}

void trace_threads_exec(struct trace_threads *t, uint32_t pid, uint32_t tid)
{
	for (size_t i = t->all.n; i-- > 0;)
		if (t->all.data[i].pid == pid && t->all.data[i].tid != tid)
			trace_thread_drop(t, t->all.data[i].tid);
}

void trace_threads_free(struct trace_threads *t)
{
	vec_free(&t->all);
	map_free(&t->by_tid);
}
