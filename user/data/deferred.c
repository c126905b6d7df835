/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deferred call chains (Linux 6.19, PERF_RECORD_CALLCHAIN_DEFERRED in uapi/linux/perf_event.h): the kernel walks the user stack when a
 * thread returns to user space, once for all samples since it left. In come samples whose chains end in a cookie; they are kept until the
 * record of their thread and cookie arrives, and are then delivered with its chain. What is kept is bounded: the oldest goes without.
 */
#include <errno.h>

#include "data/reader.h"

#define WORD sizeof(uint64_t)
#define BODY sizeof(struct perf_event_header)
#define DEFERRED_MAX 4096u
#define DEFERRED_MAX_BYTES (16u << 20)

/* A sample that waits for its user chain. */
struct waiting {
	uint64_t cookie, time_ns;
	uint32_t tid, size, parallelism;
	uint16_t attr;
	uint8_t record[];
};

void deferred_free(struct data_reader *r)
{
	for (size_t i = 0; i < r->deferred.n; i++)
		free(r->deferred.data[i]);
	vec_free(&r->deferred);
}

/* Delivers number i with nr words at chain; NULL: without. Returns what the sink returned. */
static int release(struct data_reader *r, size_t i, const uint8_t *chain, uint64_t nr)
{
	struct waiting *w = r->deferred.data[i];
	int ret;

	memmove(r->deferred.data + i, r->deferred.data + i + 1, (--r->deferred.n - i) * sizeof(w));
	r->deferred_bytes -= w->size;
	r->merge = (struct merge){ .chain = chain, .nr = nr, .parallelism = w->parallelism, .is_on = true };
	ret = record_deliver(r, w->record, w->attr, w->time_ns);
	r->merge.is_on = false;
	free(w);
	return ret;
}

int deferred_keep(struct data_reader *r, const uint8_t *record, size_t size, unsigned attr, const struct sample *s)
{
	uint64_t cookie = r->cookie; /* a sample that goes now has another */
	struct waiting *w;
	int ret = 0;

	while (ret >= 0 && r->deferred.n && (r->deferred.n == DEFERRED_MAX || r->deferred_bytes + size > DEFERRED_MAX_BYTES))
		ret = release(r, 0, NULL, 0);
	if (ret < 0)
		return ret;
	w = malloc(sizeof(*w) + size);
	if (!w || vec_reserve(&r->deferred)) {
		free(w);
		return -ENOMEM;
	}
	*w = (struct waiting){ .cookie = cookie, .time_ns = s->time_ns, .tid = s->tid, .size = (uint32_t)size, .parallelism = s->parallelism, .attr = (uint16_t)attr };
	memcpy(w->record, record, size);
	r->deferred.data[r->deferred.n++] = w;
	r->deferred_bytes += size;
	return 0;
}

int deferred_arrived(struct data_reader *r, const uint8_t *record, size_t end, uint32_t tid)
{
	const uint8_t *chain = record + BODY + 2 * WORD;
	uint64_t cookie = get_u64(record + BODY), nr = get_u64(record + BODY + WORD);
	int ret = 0;

	if (nr > (end - BODY - 2 * WORD) / WORD) {
		record_skip(r, &r->passing);
		return 0;
	}
	for (size_t i = 0; i < r->deferred.n && ret >= 0;) {
		if (r->deferred.data[i]->cookie == cookie && r->deferred.data[i]->tid == tid)
			ret = release(r, i, chain, nr);
		else
			i++;
	}
	return ret;
}

int deferred_end(struct data_reader *r)
{
	int ret = 0;

	while (r->deferred.n && ret >= 0)
		ret = release(r, 0, NULL, 0);
	return ret < 0 ? ret : 0;
}
