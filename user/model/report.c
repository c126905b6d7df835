/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows by key over an open-addressed index. */
#include "model/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/samplekey.h"
#include "sample.h"
#include "util/hash.h"
#include "util/strpool.h"

#define FIRST_INDEX 1024
#define QUANTUM_NS 100000000ull

int report_init(struct report *t, const struct report_request *q, struct err *err)
{
	int ret;

	*t = (struct report){ .children = q->children, .latency = q->latency, .chains = q->chains, .from_root = q->from_root, .of_callers = q->of_callers, .nr_index = FIRST_INDEX,
			      .quantum_ns = q->quantum_ns ? q->quantum_ns : QUANTUM_NS,
			      .sockets = q->sockets, .nr_sockets = q->nr_sockets };
	ret = report_layout_parse(&t->layout, q, err);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < t->layout.nr_keys; i++) {
		t->slot_of[t->layout.keys[i]] = t->nr_slots;
		t->nr_slots += report_columns[t->layout.keys[i]].slots;
	}
	t->with_task = t->layout.with[KEY_PID] || t->layout.with[KEY_TID];
	if (!q->long_files && report_layout_has_lines(&t->layout) && !(t->files = strpool_new()))
		return -ENOMEM;
	if (q->short_objects && !(t->objects = strpool_new()))
		return -ENOMEM;
	if (t->from_root && !(t->chain = malloc((STACK_FRAMES_MAX + 2) * sizeof(*t->chain))))
		return -ENOMEM;
	t->index = calloc(t->nr_index, sizeof(*t->index));
	return t->index ? 0 : -ENOMEM;
}

int report_group(struct report *t, uint32_t nr, const uint16_t *place, uint32_t first_by)
{
	t->group.wholes = calloc(nr, sizeof(*t->group.wholes));
	t->group.latencies = calloc(nr, sizeof(*t->group.latencies));
	t->group.squares = calloc(nr, sizeof(*t->group.squares));
	if (!t->group.wholes || !t->group.latencies || !t->group.squares)
		return -ENOMEM;
	t->group.nr = nr;
	t->group.place = place;
	t->group.first_by = first_by < nr ? first_by : 0;
	return 0;
}

static void row_free(struct report_row *r)
{
	if (!r->chains)
		return;
	tree_free(r->chains);
	free(r->chains);
}

void report_free(struct report *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		row_free(&t->rows.data[i]);
	vec_free(&t->rows);
	vec_free(&t->slots);
	vec_free(&t->group.sums);
	free(t->group.wholes);
	free(t->group.latencies);
	free(t->group.squares);
	t->group.squares = NULL;
	t->group.wholes = t->group.latencies = NULL;
	free(t->index);
	free(t->chain);
	strpool_free(t->files);
	strpool_free(t->objects);
	t->files = t->objects = NULL;
	t->index = NULL;
	t->chain = NULL;
}

/* Of the keys that all frames of a sample have in common. */
static uint64_t sample_hash(const struct report_row *r)
{
	return hash_pair(hash_pair((uintptr_t)r->comm, (uint64_t)r->pid << 32 | r->tid), (uint64_t)r->cpu << 32 | r->event);
}

static uint32_t row_hash(const struct report *t, const struct report_row *r, uint64_t sample)
{
	for (uint32_t i = 0; i < t->nr_slots; i++)
		sample = hash_pair(sample, t->now[i]);
	return (uint32_t)hash_u64(sample ^ (uintptr_t)r->sym ^ ((uintptr_t)r->dso << 20) ^ r->kind ^ r->is_kernel);
}

static bool row_same(const struct report *t, const struct report_row *a, const struct report_row *b)
{
	return a->hash == b->hash && a->comm == b->comm && a->dso == b->dso && a->sym == b->sym && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->event == b->event && a->kind == b->kind && a->is_kernel == b->is_kernel &&
	       (!t->nr_slots || !memcmp(&t->slots.data[a->slots], t->now, t->nr_slots * sizeof(t->now[0])));
}

static int grow(struct report *t)
{
	uint32_t n = t->nr_index * 2;
	uint32_t *index = calloc(n, sizeof(*index));

	if (!index)
		return -ENOMEM;
	for (size_t i = 0; i < t->rows.n; i++) {
		uint32_t at = t->rows.data[i].hash & (n - 1);

		while (index[at])
			at = (at + 1) & (n - 1);
		index[at] = i + 1;
	}
	free(t->index);
	t->index = index;
	t->nr_index = n;
	return 0;
}

/* Index of the row with these keys, made if new; -ENOMEM. */
static long find_row(struct report *t, struct report_row *key, uint64_t sample)
{
	uint32_t at;
	uint64_t *slots;

	key->hash = row_hash(t, key, sample);
	for (at = key->hash & (t->nr_index - 1); t->index[at]; at = (at + 1) & (t->nr_index - 1))
		if (row_same(t, &t->rows.data[t->index[at] - 1], key))
			return t->index[at] - 1;
	if (vec_reserve(&t->rows))
		return -ENOMEM;
	if (t->nr_slots) {
		key->slots = t->slots.n;
		slots = vec_take(&t->slots, t->nr_slots);
		if (!slots)
			return -ENOMEM;
		memcpy(slots, t->now, t->nr_slots * sizeof(*slots));
	}
	key->sums = t->group.sums.n;
	if (t->group.nr) {
		struct report_sums *sums = vec_take(&t->group.sums, t->group.nr);

		if (!sums)
			return -ENOMEM;
		memset(sums, 0, t->group.nr * sizeof(*sums));
	}
	t->rows.data[t->rows.n++] = *key;
	t->index[at] = t->rows.n;
	if (t->rows.n * 2 > t->nr_index && grow(t))
		return -ENOMEM;
	return t->rows.n - 1;
}

/* A file's name as the table shows it: without paths, files of one name are one, as in perf. */
static const char *shown_file(struct report *t, const char *file)
{
	const char *slash, *name;

	if (!file || !t->files)
		return file;
	slash = strrchr(file, '/');
	name = strpool_add(t->files, slash ? slash + 1 : file);
	return name ? name : file;
}

/* An object's name as the row has it. */
static const char *row_object(struct report *t, const char *path)
{
	const char *name;

	if (!path || !path[0])
		return NULL;
	name = t->objects ? strpool_add(t->objects, report_object(path)) : path;
	return name ? name : path;
}

/* A line of a file; where it is not known, the symbol and the bytes into it. */
static void frame_line(struct report *t, const struct frame *f, uint64_t *slots)
{
	bool known = f->file && f->line;

	slots[0] = known ? (uintptr_t)shown_file(t, f->file) : 0;
	slots[1] = known ? f->line : f->off;
	slots[2] = known ? 0 : (uintptr_t)f->name;
}

static void branch_keys(struct report *t, const struct branch *b)
{
	uint64_t at[KEY_BRANCH_LAST + 1][3] = {
		[KEY_DSO_FROM] = { (uintptr_t)b->from.obj }, [KEY_DSO_TO] = { (uintptr_t)b->to.obj },
		[KEY_SYM_FROM] = { (uintptr_t)b->from.name, b->from.is_kernel }, [KEY_SYM_TO] = { (uintptr_t)b->to.name, b->to.is_kernel },
		[KEY_MISPREDICT] = { b->predicted ? BRANCH_PREDICTED : b->mispredicted ? BRANCH_MISPREDICTED : BRANCH_NOT_SAID },
		[KEY_IN_TX] = { b->in_tx }, [KEY_ABORT] = { b->abort }, [KEY_CYCLES] = { b->cycles },
	};

	frame_line(t, &b->from, at[KEY_SRCLINE_FROM]);
	frame_line(t, &b->to, at[KEY_SRCLINE_TO]);
	for (uint32_t i = 0; i < t->layout.nr_keys; i++) {
		enum report_column key = t->layout.keys[i];

		if (branch_key_is(key))
			memcpy(&t->now[t->slot_of[key]], at[key], report_columns[key].slots * sizeof(at[key][0]));
	}
}

static void address_slots(uint64_t *slots, uint64_t addr, const struct frame *f, char level)
{
	bool has_name = f->kind != FRAME_UNKNOWN && f->kind != FRAME_MARK;

	slots[ADDRESS_AT] = addr;
	slots[ADDRESS_NAME] = has_name ? (uintptr_t)f->name : 0;
	slots[ADDRESS_OFF] = has_name ? f->off : 0;
	slots[ADDRESS_LEVEL] = (uint64_t)level | (has_name && f->is_data ? ADDRESS_IS_DATA : 0);
}

static char level_of(bool is_kernel)
{
	return is_kernel ? 'k' : '.';
}

static void data_keys(struct report *t, const struct data_address *d)
{
	const bool *with = t->layout.with;
	uint64_t *line = &t->now[t->slot_of[KEY_CACHE_LINE]];

	if (with[KEY_SYM_DADDR])
		address_slots(&t->now[t->slot_of[KEY_SYM_DADDR]], d->addr, &d->at, level_of(d->is_kernel));
	if (with[KEY_DSO_DADDR])
		t->now[t->slot_of[KEY_DSO_DADDR]] = d->map == DATA_NOWHERE ? 0 : (uintptr_t)d->at.obj;
	if (!with[KEY_CACHE_LINE])
		return;
	address_slots(line, d->line_at, &d->line, d->map == DATA_NOWHERE ? 'X' : d->map == DATA_SHARED ? 's' : level_of(d->is_kernel));
	line[ADDRESS_OWNER] = d->owner;
}

/* The key values that all frames of a sample have in common. */
static struct report_row sample_key(struct report *t, const struct named *named)
{
	const struct sample *s = named->at;
	const bool *with = t->layout.with;

	if (with[KEY_TIME])
		t->now[t->slot_of[KEY_TIME]] = s->time_ns - s->time_ns % t->quantum_ns;
	if (with[KEY_TRACE])
		t->now[t->slot_of[KEY_TRACE]] = (uintptr_t)named->trace;
	if (with[KEY_PARENT])
		t->now[t->slot_of[KEY_PARENT]] = (uintptr_t)named->parent;
	if (with[KEY_SOCKET])
		t->now[t->slot_of[KEY_SOCKET]] = (uint64_t)(int64_t)(s->cpu < t->nr_sockets ? t->sockets[s->cpu] : -1);
	if (with[KEY_CGROUP_ID]) {
		t->now[t->slot_of[KEY_CGROUP_ID]] = named->cgroup_ns ? named->cgroup_ns->dev : 0;
		t->now[t->slot_of[KEY_CGROUP_ID] + 1] = named->cgroup_ns ? named->cgroup_ns->ino : 0;
	}
	if (named->branch)
		branch_keys(t, named->branch);
	if (named->data)
		data_keys(t, named->data);
	if (named->code)
		address_slots(&t->now[t->slot_of[KEY_SYM_IADDR]], s->ip, named->code, level_of(named->code->is_kernel));
	for (uint32_t i = 0; i < t->layout.nr_keys; i++) {
		enum report_column key = t->layout.keys[i];

		if (sample_key_is(key))
			t->now[t->slot_of[key]] = sample_key_value(key, s);
		else if (label_key_is(key))
			t->now[t->slot_of[key]] = (uintptr_t)(s->labels ? s->labels[key - KEY_LABEL_FIRST] : NULL);
	}
	return (struct report_row){
		.comm = with[KEY_COMM] ? named->comm : NULL,
		.pid = with[KEY_PID] ? s->pid : 0,
		.tid = with[KEY_TID] ? s->tid : 0,
		.cpu = with[KEY_CPU] ? s->cpu : 0,
		.event = with[KEY_EVENT] ? s->event : 0,
	};
}

/* And those of frame f; extent: how large is what it is in, or NULL. */
static void frame_key(struct report *t, const struct frame *f, const struct extent *extent, struct report_row *r)
{
	const bool *with = t->layout.with;

	if (with[KEY_SYM_SIZE])
		t->now[t->slot_of[KEY_SYM_SIZE]] = extent ? extent->sym_bytes : EXTENT_UNKNOWN;
	if (with[KEY_DSO_SIZE])
		t->now[t->slot_of[KEY_DSO_SIZE]] = extent ? extent->map_bytes : EXTENT_UNKNOWN;

	if (with[KEY_DSO])
		r->dso = row_object(t, f->obj);
	if (with[KEY_SRCLINE])
		frame_line(t, f, &t->now[t->slot_of[KEY_SRCLINE]]);
	if (with[KEY_SRCFILE])
		t->now[t->slot_of[KEY_SRCFILE]] = (uintptr_t)shown_file(t, f->file);
	if (!with[KEY_SYM])
		return;
	r->sym = f->name;
	r->kind = f->kind == FRAME_INLINED ? FRAME_USER : f->kind;
	r->is_kernel = f->is_kernel;
}

/* i: which frame of the sample the row is of. Outermost first, the chain of a caller ends in what it called; that of the leaf has all. */
static int add_chain(struct report *t, struct report_row *r, const struct named *n, uint32_t i)
{
	const struct stack *st = n->stack;
	uint32_t first = t->from_root && i ? st->n - 1 - i : 0;

	if (!r->chains) {
		r->chains = malloc(sizeof(*r->chains));
		if (!r->chains)
			return -ENOMEM;
		if (tree_init(r->chains)) {
			free(r->chains);
			r->chains = NULL;
			return -ENOMEM;
		}
	}
	if (t->from_root)
		return tree_add(r->chains, t->chain + first, st->n - first, n->at->weight, n->at->count);
	return tree_add(r->chains, st->frames + i, st->n - i, n->at->weight, n->at->count);
}

static void turn_chain(struct report *t, const struct stack *st)
{
	for (uint32_t i = 0; i < st->n; i++)
		t->chain[i] = st->frames[st->n - 1 - i];
}

static void add_self(struct report_row *r, const struct sample *s, uint64_t latency, bool is_kernel)
{
	r->self += s->weight;
	r->now += s->weight;
	r->self_count += s->count;
	r->latency += latency;
	if (is_kernel)
		r->self_sys += s->weight;
}

/* Of the group's event that a sample is of. */
static struct report_sums *sums_of(const struct report *t, const struct report_row *r, const struct sample *s)
{
	return t->group.nr ? &t->group.sums.data[r->sums + t->group.place[s->event]] : NULL;
}

static void add_sums(struct report_sums *sums, const struct sample *s, uint64_t latency, bool is_self, bool is_kernel)
{
	sums->total += s->weight;
	sums->latency_total += latency;
	if (!is_self)
		return;
	sums->self += s->weight;
	sums->self_count += s->count;
	sums->latency += latency;
	sums->self_sys += is_kernel ? s->weight : 0;
}

/* Of a group the chains are those of its first event, as in perf. */
static bool has_chains(const struct report *t, const struct sample *s)
{
	return t->chains && (!t->group.nr || !t->group.place[s->event]);
}

int report_add(struct report *t, const struct named *named)
{
	static const struct frame nothing = { .kind = FRAME_UNKNOWN };
	const struct sample *s = named->at;
	const struct stack *st = named->stack;
	struct report_row key = sample_key(t, named);
	uint64_t hash = sample_hash(&key), latency = t->latency ? sample_latency(s) : 0;

	t->samples++;
	if (t->group.nr) {
		t->group.wholes[t->group.place[s->event]] += s->weight;
		t->group.latencies[t->group.place[s->event]] += latency;
		t->group.squares[t->group.place[s->event]] += s->count ? (double)s->weight * (double)s->weight / (double)s->count : 0;
	}
	t->whole_latency += latency;
	if (t->from_root)
		turn_chain(t, st);
	for (uint32_t k = 0; k < st->n || k == 0; k++) {
		uint32_t i = k && t->from_root ? st->n - k : k;
		const struct frame *f = st->n ? &st->frames[i] : &nothing;
		bool is_kernel = f->kind == FRAME_MARK ? s->chains[CHAIN_KERNEL].n || s->off_cpu : f->is_kernel; /* a mark stands before what it is about */
		struct report_row *r;
		long at;

		if (f->kind == FRAME_MARK && i > 0)
			continue;
		frame_key(t, f, named->extents && st->n ? &named->extents[i] : NULL, &key);
		at = find_row(t, &key, hash);
		if (at < 0)
			return at;
		r = &t->rows.data[at];
		if (i == 0)
			add_self(r, s, latency, is_kernel);
		if (r->mark == t->samples)
			continue;
		if (t->with_task && s->time_ns >= r->task_ns) { /* sums of samples come in any order */
			r->task = named->comm;
			r->task_ns = s->time_ns;
		}
		r->mark = t->samples;
		r->total += s->weight;
		r->total_count += s->count;
		r->latency_total += latency;
		if (t->group.nr)
			add_sums(sums_of(t, r, s), s, latency, i == 0, is_kernel);
		if (has_chains(t, s) && (i == 0 || t->of_callers) && st->n && add_chain(t, r, named, i))
			return -ENOMEM;
	}
	return 0;
}

void report_cut(struct report *t, const struct report_limits *limits)
{
	enum report_column part_column = t->children ? SUM_CHILDREN : SUM_SELF;
	uint64_t whole = t->group.nr ? t->group.wholes[0] : limits->whole;
	size_t n = 0;

	for (size_t i = 0; i < t->rows.n; i++) {
		struct report_row *r = &t->rows.data[i];
		double part = t->group.nr ? report_group_sum(t, r, part_column, 0) : report_sum(r, part_column);
		bool other = (limits->self_only && !r->self) || (limits->symbol && !(r->sym && strstr(r->sym, limits->symbol)));
		bool small = !other && whole && 100.0 * part / whole < limits->percent;

		if (other || small || (limits->max && n >= limits->max)) {
			t->nr_cut += small;
			t->nr_beyond += !other && !small;
			row_free(r);
		} else {
			t->rows.data[n++] = *r;
		}
	}
	t->rows.n = n;
}
