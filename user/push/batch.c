/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "push/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL /* its header is all that is needed. XXH3 of 128 bits is stable since 0.8, and far from repeating itself */
#include <xxhash.h>

#include "pprof/pprof.h"
#include "util/hash.h"
#include "util/map.h"
#include "util/strpool.h"

#define INLINES_MAX 256

/* Labels that are columns of their own, in their order. */
static const char *const label_keys[] = { "unit", "comm", "cgroup", "container", "container_name", "image", "exe", "build_id" };

enum { LABEL_SERVICE, NR_LABELS = sizeof(label_keys) / sizeof(label_keys[0]) };

struct sum {
	const char *labels[NR_LABELS]; /* interned */
	unsigned char hash[BATCH_HASH_BYTES];
	uint64_t count, value;
};

struct maker {
	struct batch *b;
	const struct segment *seg;
	const struct batch_from *from;
	struct pprof_reader *reader;
	struct strpool *pool;
	VEC(struct sum) sums;
	struct map by_key;
	struct map by_hash; /* stacks that are in the batch: positions in its hashes */
	XXH3_state_t *state;
	batch_knows *knows;
	void *arg;
	uint32_t type; /* of the values */
};

static void put_frame(struct maker *m, struct rows_out cols[4], const struct frame *f, const char *build, uint64_t *n)
{
	const unsigned char kind = f->kind == FRAME_INLINED ? BATCH_INLINED : f->is_kernel ? BATCH_KERNEL : BATCH_USER;
	const char *texts[] = { f->name, f->obj, build };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		XXH3_128bits_update(m->state, texts[i], strlen(texts[i]) + 1);
		rows_put_text(&cols[i], texts[i]);
	}
	XXH3_128bits_update(m->state, &kind, sizeof(kind));
	rows_put(&cols[3], &kind, sizeof(kind));
	++*n;
}

/* Appends the row of a stack, unless it is there or is known. */
static int put_stack(struct maker *m, const unsigned char *hash, const struct rows_out cols[4], uint64_t n)
{
	struct batch *b = m->b;
	uint64_t low;

	memcpy(&low, hash, sizeof(low));
	map_each(i, &m->by_hash, low) {
		if (!memcmp(b->hashes.data + i * BATCH_HASH_BYTES, hash, BATCH_HASH_BYTES))
			return 0;
	}
	if (m->knows(m->arg, hash))
		return 0;
	if (map_add(&m->by_hash, low, b->stacks.nr_rows++))
		return -ENOMEM;
	rows_put(&b->stacks, hash, BATCH_HASH_BYTES);
	for (int i = 0; i < 4; i++) {
		rows_put_size(&b->stacks, n);
		rows_put(&b->stacks, cols[i].bytes.data, cols[i].bytes.n);
	}
	if (!vec_take(&b->hashes, BATCH_HASH_BYTES))
		return -ENOMEM;
	memcpy(b->hashes.data + b->hashes.n - BATCH_HASH_BYTES, hash, BATCH_HASH_BYTES);
	return b->stacks.no_memory ? -ENOMEM : 0;
}

static int take_stack(struct maker *m, const struct pprof_sample *s, unsigned char *ret_hash)
{
	struct rows_out cols[4] = { 0 };
	struct frame frames[INLINES_MAX];
	XXH128_canonical_t hash;
	uint64_t nr = 0;
	bool lacks = false;
	int ret;

	XXH3_128bits_reset(m->state);
	for (size_t i = 0; i < s->n; i++) {
		const char *build = pprof_location_build(m->reader, s->locations[i]);
		int n = pprof_frames(m->reader, m->pool, s->locations[i], frames, INLINES_MAX);

		for (int k = 0; k < n && build && frames[k].name && frames[k].obj; k++)
			put_frame(m, cols, &frames[k], build, &nr);
		lacks |= !build || !frames[0].name || !frames[0].obj;
	}
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(m->state));
	memcpy(ret_hash, &hash, BATCH_HASH_BYTES);
	for (int i = 0; i < 4; i++)
		lacks |= cols[i].no_memory;
	ret = lacks ? -ENOMEM : put_stack(m, ret_hash, cols, nr);
	for (int i = 0; i < 4; i++)
		vec_free(&cols[i].bytes);
	return ret;
}

static int take_labels(struct maker *m, const struct pprof_sample *s, struct sum *sum)
{
	for (int k = 0; k < NR_LABELS; k++) {
		const char *text = "";

		for (size_t i = 0; i < s->nr_labels; i++)
			if (s->labels[i].text && !strcmp(s->labels[i].key, label_keys[k]))
				text = s->labels[i].text;
		sum->labels[k] = strpool_add(m->pool, text);
		if (!sum->labels[k])
			return -ENOMEM;
	}
	return 0;
}

/* Stacks that differ by addresses alone, or by labels that are no columns, are one row: the server drops rows with equal keys. */
static int take_sample(void *arg, const struct pprof_sample *s)
{
	struct maker *m = arg;
	const int32_t count_type = pprof_meta(m->reader)->count_type;
	struct sum sum = { .value = (uint64_t)s->values[m->type], .count = count_type < 0 ? 1 : (uint64_t)s->values[count_type] };
	uint64_t hash;
	int ret = (int64_t)sum.value < 0 || (int64_t)sum.count < 0 ? -EBADMSG : take_labels(m, s, &sum);

	ret = ret ? ret : take_stack(m, s, sum.hash);
	if (ret)
		return ret;
	hash = hash_pair(hash_bytes(sum.labels, sizeof(sum.labels)), hash_bytes(sum.hash, sizeof(sum.hash)));
	map_each(i, &m->by_key, hash) {
		struct sum *old = &m->sums.data[i];

		if (memcmp(old->labels, sum.labels, sizeof(sum.labels)) || memcmp(old->hash, sum.hash, sizeof(sum.hash)))
			continue;
		old->count += sum.count;
		old->value += sum.value;
		return 0;
	}
	if (vec_reserve(&m->sums) || map_add(&m->by_key, hash, m->sums.n))
		return -ENOMEM;
	m->sums.data[m->sums.n++] = sum;
	return 0;
}

static void put_samples(struct maker *m)
{
	const char *unit = pprof_meta(m->reader)->types[m->type].unit;
	struct rows_out *o = &m->b->samples;

	for (size_t i = 0; i < m->sums.n; i++) {
		const struct sum *s = &m->sums.data[i];

		rows_put_u32(o, (uint32_t)m->seg->start_s);
		rows_put_u32(o, segment_seconds(m->seg));
		rows_put_text(o, m->from->host);
		rows_put_text(o, m->from->store);
		rows_put_text(o, s->labels[LABEL_SERVICE]);
		rows_put_text(o, m->seg->view);
		rows_put_text(o, unit);
		for (int k = LABEL_SERVICE + 1; k < NR_LABELS; k++)
			rows_put_text(o, s->labels[k]);
		rows_put(o, s->hash, BATCH_HASH_BYTES);
		rows_put_u64(o, s->count);
		rows_put_u64(o, s->value);
	}
	o->nr_rows = m->sums.n;
}

static void put_head(struct maker *m)
{
	const struct pprof_meta *meta = pprof_meta(m->reader);
	struct rows_out *o = &m->b->head;
	uint64_t count = 0, value = 0;

	for (size_t i = 0; i < m->sums.n; i++) {
		count += m->sums.data[i].count;
		value += m->sums.data[i].value;
	}
	rows_put_u32(o, (uint32_t)m->seg->start_s);
	rows_put_u32(o, segment_seconds(m->seg));
	rows_put_text(o, m->from->host);
	rows_put_text(o, m->from->store);
	rows_put_text(o, m->seg->view);
	rows_put_text(o, meta->types[m->type].unit);
	rows_put_u64(o, count);
	rows_put_u64(o, value);
	rows_put_u64(o, m->sums.n);
	rows_put_size(o, meta->nr_comments);
	for (size_t i = 0; i < meta->nr_comments; i++)
		rows_put_text(o, meta->comments[i]);
	o->nr_rows = 1;
}

static int fill(struct maker *m, struct err *err)
{
	int ret;

	m->pool = strpool_new();
	m->state = XXH3_createState();
	if (!m->pool || !m->state)
		return -ENOMEM;
	m->type = pprof_meta(m->reader)->value_type;
	ret = pprof_each(m->reader, take_sample, m);
	if (ret)
		return ret == -ENOMEM ? ret : err_set(err, ret, "'%s' is damaged", m->seg->name);
	put_samples(m);
	put_head(m);
	if (m->sums.n)
		m->b->service = strdup(m->sums.data[0].labels[LABEL_SERVICE]);
	return m->b->samples.no_memory || m->b->head.no_memory || (m->sums.n && !m->b->service) ? -ENOMEM : 0;
}

int batch_make(struct batch *b, const struct segment *seg, char *bytes, size_t n, const struct batch_from *from, batch_knows *knows, void *arg,
	       struct err *err)
{
	struct maker m = { .b = b, .seg = seg, .from = from, .knows = knows, .arg = arg };
	int ret;

	*b = (struct batch){ 0 };
	ret = pprof_open(seg->name, bytes, n, &m.reader, err);
	if (!ret)
		ret = fill(&m, err);
	pprof_close(m.reader);
	strpool_free(m.pool);
	XXH3_freeState(m.state);
	vec_free(&m.sums);
	map_free(&m.by_key);
	map_free(&m.by_hash);
	return ret;
}

void batch_free(struct batch *b)
{
	vec_free(&b->stacks.bytes);
	vec_free(&b->samples.bytes);
	vec_free(&b->head.bytes);
	vec_free(&b->hashes);
	free(b->service);
	*b = (struct batch){ 0 };
}
