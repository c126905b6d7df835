/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One record to one call of the sink. Every length comes from the file, so each read is checked
 * against the end of the record; a record that is shorter than its fields is counted and left out.
 */
#include <limits.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "data/reader.h"

#define WORD 8
#define BODY sizeof(struct perf_event_header)
#define NO_TIME UINT64_MAX /* perf's other way to say 0 */
#define PROT_KNOWN 0xff0000ffu /* PROT_*, those of architectures, and PROT_GROWSDOWN and _GROWSUP */
#define KERNEL_NAME "[kernel.kallsyms]"

struct cursor {
	const uint8_t *p, *end;
	bool bad; /* sticky: a read went past the end */
};

static bool skip(struct cursor *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		c->p = c->end;
		return false;
	}
	c->p += n;
	return true;
}

static bool skip_words(struct cursor *c, uint64_t n)
{
	return skip(c, n > UINT64_MAX / WORD ? UINT64_MAX : n * WORD);
}

static uint64_t take_u64(struct cursor *c)
{
	return skip(c, WORD) ? get_u64(c->p - WORD) : 0;
}

static uint32_t take_u32(struct cursor *c)
{
	return skip(c, sizeof(uint32_t)) ? get_u32(c->p - sizeof(uint32_t)) : 0;
}

/* The fields up to the call chain. */
#define FIELDS_FIRST                                                                                                                       \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |            \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)

enum mode { MODE_OTHER, MODE_KERNEL, MODE_USER };

static enum mode header_mode(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return MODE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return MODE_USER;
	}
	return MODE_OTHER; /* a guest's addresses mean nothing here */
}

/* Where a mark of a chain leads to. That of a deferred user chain is the last but one, before its cookie. */
static enum mode mark_mode(struct data_reader *r, uint64_t mark, const uint8_t *rest, uint64_t nr_rest)
{
	if (mark == (uint64_t)PERF_CONTEXT_KERNEL)
		return MODE_KERNEL;
	if (mark == (uint64_t)PERF_CONTEXT_USER)
		return MODE_USER;
	if (mark == CONTEXT_USER_DEFERRED && nr_rest == 1) {
		r->is_deferred = true;
		r->cookie = get_u64(rest);
	}
	return MODE_OTHER;
}

/* Copies addresses up to the next marker, or up to the end; returns how many. */
static uint64_t take_ips(const uint8_t *p, uint64_t nr, uint64_t *to)
{
	uint64_t n = 0, ip;

	for (; n < nr && (ip = get_u64(p + n * WORD)) < (uint64_t)PERF_CONTEXT_MAX; n++)
		to[n] = ip;
	return n;
}

/*
 * Splits a call chain at its markers. Frames of guests, and what markers to come announce, are left out. Of a chain that only its leaf is
 * wanted of, the first address is taken; functions that only deliver a tracepoint's hit may stand before its leaf.
 */
static void take_chain(struct data_reader *r, struct cursor *c, enum mode mode, struct sample *s)
{
	uint32_t *nr_kips = &s->chains[CHAIN_KERNEL].n, *nr_uips = &s->chains[CHAIN_USER].n;
	bool leaf_only = r->leaf_only && !s->is_tracepoint;
	uint64_t nr = take_u64(c), n;
	const uint8_t *p = c->p;

	if (!skip_words(c, nr))
		return;
	r->fields.chain = p;
	r->fields.nr_chain = nr;
	while (nr) {
		/* What is not wanted is overwritten by what is */
		n = take_ips(p, leaf_only && mode != MODE_OTHER ? 1 : nr, mode == MODE_KERNEL ? r->kips + *nr_kips : r->uips + *nr_uips);
		if (mode == MODE_KERNEL)
			*nr_kips += (uint32_t)n;
		else if (mode == MODE_USER)
			*nr_uips += (uint32_t)n;
		p += n * WORD;
		nr -= n;
		if (!nr || (leaf_only && *nr_kips + *nr_uips))
			return;
		nr--;
		mode = mark_mode(r, get_u64(p), p + WORD, nr);
		p += WORD;
	}
}

/* The user chain is of branch records. */
static void take_branches(struct data_reader *r, struct chain *user)
{
	uint32_t n = user->n ? branches_chain(&r->fields, r->uips[0], r->uips) : 0;

	if (!n)
		return;
	user->n = n;
	user->stop = STOP_BRANCHES;
	user->is_calls = true;
}

/* The user chain is of a record of its own, or missing. */
static void take_merge(struct data_reader *r, struct chain *user)
{
	bool is_user = true;

	user->n = 0;
	user->stop = r->merge.chain ? STOP_ROOT : STOP_DEFERRED;
	for (uint64_t i = 0; i < r->merge.nr; i++) {
		uint64_t ip = get_u64(r->merge.chain + i * WORD);

		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			is_user = ip == (uint64_t)PERF_CONTEXT_USER;
		else if (is_user)
			r->uips[user->n++] = ip;
	}
}

_Static_assert(STOP_MAX <= 1 << 2 * RES_STOP_BITS && CHAIN_KINDS == 2, "the bits of res");

/* What a file of skep has there. Other writers of these bits are not known: then nothing is taken. */
static void take_res(uint32_t res, struct sample *s)
{
	uint32_t stops[CHAIN_KINDS], off_cpu = res >> RES_OFF_CPU_SHIFT & RES_OFF_CPU_MASK;

	if (res >> RES_BITS || off_cpu >= OFF_CPU_MAX)
		return;
	for (int i = 0; i < CHAIN_KINDS; i++) {
		stops[i] = (res >> RES_STOP_SHIFT(i) & RES_STOP_MASK) | (res >> RES_STOP_HIGH_SHIFT(i) & RES_STOP_MASK) << RES_STOP_BITS;
		if (stops[i] >= STOP_MAX)
			return;
	}
	for (int i = 0; i < CHAIN_KINDS; i++)
		s->chains[i].stop = stops[i];
	s->off_cpu = off_cpu;
}

/* The chain may be of one side only; and its side is the one that the CPU was in when it was interrupted. */
static void place_ip(struct data_reader *r, enum mode mode, struct sample *s)
{
	struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];

	if (mode == MODE_USER && kernel->n && s->ip == r->kips[0])
		mode = MODE_KERNEL; /* of a recorder that does not care */
	if (mode != MODE_KERNEL)
		kernel->n = 0;
	if (mode == MODE_OTHER)
		user->n = 0;
	if (mode == MODE_KERNEL && !kernel->n)
		r->kips[kernel->n++] = s->ip;
	else if (mode == MODE_USER && !user->n)
		r->uips[user->n++] = s->ip;
}

static void take_fields(struct data_reader *r, struct cursor *c, const struct layout *l, uint16_t misc, struct sample *s,
			struct reads *reads)
{
	enum mode mode = header_mode(misc);
	uint64_t t = l->sample_type;
	struct sample_fields *f = &r->fields;

	f->misc = misc;
	f->has = t & FIELDS_FIRST;
	if (t & PERF_SAMPLE_IDENTIFIER)
		f->id = take_u64(c);
	if (t & PERF_SAMPLE_IP)
		s->ip = take_u64(c);
	if (t & PERF_SAMPLE_TID) {
		s->pid = take_u32(c);
		s->tid = take_u32(c);
	}
	if (t & PERF_SAMPLE_TIME)
		f->time_ns = take_u64(c);
	if (t & PERF_SAMPLE_ADDR)
		f->addr = take_u64(c);
	if (t & PERF_SAMPLE_ID)
		f->id = take_u64(c);
	if (t & PERF_SAMPLE_STREAM_ID)
		f->stream_id = take_u64(c);
	if (t & PERF_SAMPLE_CPU) {
		s->cpu = take_u32(c);
		take_res(take_u32(c), s);
	}
	if (t & PERF_SAMPLE_PERIOD)
		s->weight = take_u64(c);
	if (t & PERF_SAMPLE_READ && !c->bad)
		c->bad = !reads_take(&c->p, c->end, l->read_format, reads);
	if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_CPUMODE_UNKNOWN)
		mode = s->ip >> 63 ? MODE_KERNEL : MODE_USER;
	if (t & PERF_SAMPLE_CALLCHAIN)
		take_chain(r, c, mode, s);
	if (!c->bad && t & ~FIELDS_FIRST)
		fields_take(c->p, c->end, l, f);
	if (s->ip)
		place_ip(r, mode, s);
	if (l->branch_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		take_branches(r, &s->chains[CHAIN_USER]);
	if (r->is_deferred && r->merge.is_on)
		take_merge(r, &s->chains[CHAIN_USER]);
}

/* Skep writes no raw data: its tracepoints, and its probes of functions (k:, u: ...), are BPF_OUTPUT, as those of perf's BPF programs. */
static bool is_tracepoint(const struct event *e)
{
	if (e->type != PERF_TYPE_SOFTWARE || e->config != PERF_COUNT_SW_BPF_OUTPUT)
		return e->type == PERF_TYPE_TRACEPOINT;
	return strcspn(e->name, ":") > strlen("usdt") || e->name[0] == 't';
}

/* Of the sample that is delivered. */
static uint32_t parallelism(const struct data_reader *r)
{
	int64_t n = 1 + r->running, most = r->meta.nr_cpus_avail ? r->meta.nr_cpus_avail : UINT32_MAX;

	if (r->merge.is_on)
		return r->merge.parallelism;
	if (!r->counts_running)
		return 0;
	return (uint32_t)(n < 1 ? 1 : n > most ? most : n);
}

static int deliver_sample(struct data_reader *r, const uint8_t *record, size_t size, unsigned attr,
			  uint64_t time_ns)
{
	const struct layout *l = &r->layouts.data[attr];
	uint16_t misc = get_u16(record + offsetof(struct perf_event_header, misc));
	struct cursor c = { record + BODY, record + size, false };
	struct reads reads = { 0 };
	uint32_t limit = l->max_stack ? l->max_stack : STACK_MAX_FRAMES;
	struct sample s = {
		.time_ns = time_ns, .weight = l->period, .count = 1, .cpu = UINT32_MAX,
		.parallelism = parallelism(r), .event = (uint16_t)attr, .fields = &r->fields, .is_tracepoint = is_tracepoint(&r->meta.events[attr]),
		.chains = { [CHAIN_KERNEL] = { .ips = r->kips }, [CHAIN_USER] = { .ips = r->uips } },
	};
	struct chain *kernel = &s.chains[CHAIN_KERNEL], *user = &s.chains[CHAIN_USER];

	r->is_deferred = false;
	take_fields(r, &c, l, misc, &s, &reads);
	if (c.bad) {
		record_skip(r, &r->passing);
		return 0;
	}
	if (r->is_deferred && !r->merge.is_on)
		return deferred_keep(r, record, size, attr, &s);
	if (!s.ip)
		s.ip = sample_leaf(&s);
	/* Files of others do not say. The kernel's limit is for both parts together, and the user part comes last. */
	if (user->stop == STOP_ROOT && (user->n >= STACK_MAX_FRAMES || kernel->n + user->n >= limit))
		user->stop = STOP_DEPTH;
	if (kernel->n >= STACK_MAX_FRAMES)
		kernel->stop = STOP_DEPTH;
	if (!(l->sample_type & PERF_SAMPLE_CALLCHAIN))
		kernel->stop = user->stop = STOP_LEAF;
	if (l->no_user_chain)
		user->stop = STOP_LEAF;
	if (reads.has_id)
		return reads_deliver(r, &reads, &s);
	return r->sink->sample ? r->sink->sample(r->sink, &s) : 0;
}

/* A string in [at, end) of the record, which may lack its NUL. NULL: no room for one. */
static const char *text_at(struct data_reader *r, const uint8_t *record, size_t at, size_t end, size_t max)
{
	size_t n;

	if (at >= end)
		return NULL;
	n = strnlen((const char *)record + at, end - at);
	if (n < end - at && n <= max)
		return (const char *)record + at;
	n = n < max ? n : max;
	memcpy(r->text, record + at, n);
	r->text[n] = '\0';
	return r->text;
}

/*
 * Bytes before the path. Linux 3.12 to 3.15, and RHEL 7, wrote MMAP2 without protection and flags: no protection looks like a path.
 * perf inject --jit has the mode of a plain file there, whose two bytes are no beginning of a path.
 */
static size_t path_at(const uint8_t *record, uint32_t type)
{
	uint32_t prot;

	if (type == PERF_RECORD_MMAP)
		return MMAP_PATH_AT;
	prot = get_u32(record + MMAP2_PROT_AT);
	return prot & ~PROT_KNOWN && (prot & ~0xffffu || !S_ISREG(prot)) ? MMAP2_PROT_AT : MMAP2_PATH_AT;
}

/*
 * with_build_ids: the recorder requested them. Kernels (6.18 seen) leave the mark on records of listeners that did not,
 * when another listener did; the union then holds the inode.
 */
static void map_fields(const uint8_t *record, uint32_t type, uint16_t misc, bool with_build_ids, struct task_event *t)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	t->kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
	t->pid = t->kernel ? UINT32_MAX : get_u32(record + 8);
	t->tid = get_u32(record + 12);
	t->addr = get_u64(record + 16);
	t->len = get_u64(record + 24);
	t->pgoff = get_u64(record + 32);
	t->is_data = misc & PERF_RECORD_MISC_MMAP_DATA;
	t->prot = t->is_data ? PROT_READ : PROT_READ | PROT_EXEC;
	if (type == PERF_RECORD_MMAP)
		return;
	if (path_at(record, type) == MMAP2_PATH_AT) {
		t->prot = get_u32(record + MMAP2_PROT_AT);
		t->flags = get_u32(record + MMAP2_PROT_AT + 4);
	}
	if (with_build_ids && misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		t->build_id_size = record[MMAP2_ID_AT];
		if (t->build_id_size > BUILD_ID_MAX)
			t->build_id_size = BUILD_ID_MAX;
		memcpy(t->build_id, record + MMAP2_ID_AT + MMAP2_BUILD_ID_AT, t->build_id_size);
		return;
	}
	t->maj = get_u32(record + MMAP2_ID_AT);
	t->min = get_u32(record + MMAP2_ID_AT + 4);
	t->ino = get_u64(record + MMAP2_ID_AT + 8);
	t->ino_generation = get_u64(record + MMAP2_ID_AT + 16);
}

static void map_build_id(struct data_reader *r, struct task_event *t)
{
	const struct build_id *id;

	if (t->build_id_size)
		return;
	if (t->kernel && !strncmp(t->path, KERNEL_NAME, strlen(KERNEL_NAME))) {
		t->build_id_size = r->meta.kernel_build_id_size;
		memcpy(t->build_id, r->meta.kernel_build_id, t->build_id_size);
		return;
	}
	id = build_id_find(r, t->path);
	if (!id)
		return;
	t->build_id_size = id->size;
	memcpy(t->build_id, id->bytes, id->size);
}

/* Bytes before the strings; 0 for a type that is no task event. */
static size_t fixed_bytes(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
		return 16;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return 32;
	case PERF_RECORD_MMAP:
		return MMAP_PATH_AT;
	case PERF_RECORD_MMAP2:
		return MMAP2_PATH_AT;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_LOST:
	case RECORD_CALLCHAIN_DEFERRED:
		return 24;
	case PERF_RECORD_LOST_SAMPLES:
		return 16;
	}
	return 0;
}

/* Fills what type says. False: damaged, or nothing that a task event can express. */
static bool task_fields(struct data_reader *r, const uint8_t *record, uint32_t type, uint16_t misc,
			size_t end, struct task_event *t)
{
	switch (type) {
	case PERF_RECORD_COMM:
		t->what = misc & PERF_RECORD_MISC_COMM_EXEC ? TASK_EXEC : TASK_COMM;
		t->pid = get_u32(record + 8);
		t->tid = get_u32(record + 12);
		t->comm = text_at(r, record, 16, end, COMM_FILE_LEN - 1);
		return t->comm;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		t->what = type == PERF_RECORD_FORK ? TASK_FORK : TASK_EXIT;
		t->pid = get_u32(record + 8);
		t->ppid = get_u32(record + 12);
		t->tid = get_u32(record + 16);
		t->ptid = get_u32(record + 20);
		return true;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		t->what = TASK_MMAP;
		map_fields(record, type, misc, r->has_build_ids, t);
		t->path = text_at(r, record, path_at(record, type), end, PATH_MAX - 1);
		if (!t->path)
			return false;
		map_build_id(r, t);
		return true;
	case PERF_RECORD_KSYMBOL:
		t->what = TASK_KSYM;
		t->kernel = true;
		t->addr = get_u64(record + 8);
		t->len = get_u32(record + 16);
		t->flags = get_u16(record + 22);
		t->path = text_at(r, record, 24, end, PATH_MAX - 1);
		return t->path;
	}
	return false;
}

/* Starts with a guest's kernel: what perf record --guest calls its maps. */
static bool is_guest_kernel(const uint8_t *record, size_t size, uint32_t type)
{
	static const char name[] = "[guest.kernel";
	size_t at = path_at(record, type);

	return size >= at + sizeof(name) && !memcmp(record + at, name, sizeof(name) - 1);
}

/*
 * A guest's mapping, or one of data (perf record -d) when that is not wanted. That a map is of guest mode is no sign of a guest: perf inject -B
 * marks all maps so (6.12 seen), and perf report takes them for the host's, unless its options name guests.
 */
static bool is_unwanted_map(const struct data_reader *r, const uint8_t *record, size_t size, uint32_t type, uint16_t misc)
{
	if (type != PERF_RECORD_MMAP && type != PERF_RECORD_MMAP2)
		return false;
	return (misc & PERF_RECORD_MISC_MMAP_DATA && !r->with_data) || is_guest_kernel(record, size, type);
}

static int deliver_lost(struct data_reader *r, uint64_t n)
{
	if (__builtin_add_overflow(r->meta.lost, n, &r->meta.lost))
		r->meta.lost = UINT64_MAX;
	return r->sink->lost ? r->sink->lost(r->sink, n) : 0;
}

static int deliver_task(struct data_reader *r, const uint8_t *record, size_t size, unsigned attr,
			uint64_t time_ns)
{
	const struct layout *l = &r->layouts.data[attr];
	uint32_t type = get_u32(record);
	uint16_t misc = get_u16(record + offsetof(struct perf_event_header, misc));
	size_t fixed = fixed_bytes(type), trailer = (size_t)l->trailer;
	struct task_event t = { .time_ns = time_ns, .cpu = UINT32_MAX };

	if (!fixed || size < fixed + trailer) {
		record_skip(r, &r->passing);
		return 0;
	}
	if (is_unwanted_map(r, record, size, type, misc))
		return 0;
	if (type == PERF_RECORD_LOST)
		return deliver_lost(r, get_u64(record + 16));
	if (type == PERF_RECORD_LOST_SAMPLES)
		return deliver_lost(r, get_u64(record + 8));
	if (type == RECORD_CALLCHAIN_DEFERRED)
		return deferred_arrived(r, record, size - trailer,
					l->tail_tid >= 0 ? get_u32(record + size - trailer + (size_t)l->tail_tid) : 0);
	if (l->tail_cpu >= 0)
		t.cpu = get_u32(record + size - trailer + (size_t)l->tail_cpu);
	if (!task_fields(r, record, type, misc, size - trailer, &t)) {
		record_skip(r, &r->passing);
		return 0;
	}
	return r->sink->task ? r->sink->task(r->sink, &t) : 0;
}

void data_reader_leaf_only(struct data_reader *r)
{
	r->leaf_only = true;
}

void data_reader_count_running(struct data_reader *r)
{
	r->counts_running = true;
}

/* As machine__process_switch_event() and machine__process_exit_event() of perf: a thread that exits is not switched out before. */
static void count_running(struct data_reader *r, const uint8_t *record)
{
	uint32_t type = get_u32(record);
	bool is_out = get_u16(record + offsetof(struct perf_event_header, misc)) & PERF_RECORD_MISC_SWITCH_OUT;

	if (type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE)
		r->running += is_out ? -1 : 1;
	else if (type == PERF_RECORD_EXIT)
		r->running--;
}

int record_deliver(struct data_reader *r, const uint8_t *record, unsigned attr, uint64_t time_ns)
{
	size_t size = get_u16(record + offsetof(struct perf_event_header, size));

	if (get_u32(record) == PERF_RECORD_SAMPLE)
		return deliver_sample(r, record, size, attr, time_ns);
	count_running(r, record);
	/* Of the others only those that are watched, or counted, come here. */
	return fixed_bytes(get_u32(record)) ? deliver_task(r, record, size, attr, time_ns) : 0;
}

int record_pass(struct data_reader *r, const struct chunk *chunk, const uint8_t *record, unsigned attr, uint64_t time_ns)
{
	bool is_sample = get_u32(record) == PERF_RECORD_SAMPLE;
	int ret = r->watch && is_sample ? record_watch(r, chunk, record, attr, time_ns) : 0;

	r->passing = record_place(chunk, record);
	if (ret >= 0)
		ret = record_deliver(r, record, attr, time_ns);
	return ret >= 0 && r->watch && !is_sample ? record_watch(r, chunk, record, attr, time_ns) : ret;
}

uint64_t record_time(const struct layout *l, const uint8_t *record, size_t size, bool is_sample)
{
	uint32_t type = get_u32(record);
	uint64_t t = 0;

	if (is_sample) {
		if (l->sample_time >= 0 && size >= (size_t)l->sample_time + WORD)
			t = get_u64(record + l->sample_time);
	} else if (l->tail_time >= 0) {
		if (size >= BODY + (size_t)l->trailer)
			t = get_u64(record + size - (size_t)(l->trailer - l->tail_time));
	} else if (l->sample_time >= 0 && (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT) && size >= fixed_bytes(type)) {
		t = get_u64(record + 24);
	}
	return t == NO_TIME ? 0 : t;
}
