/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf.data writer: a sink. In come samples and task events, borrowed for the call; out go the
 * records of uapi/linux/perf_event.h, each with the sample_id trailer that puts it in time.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "data/writer.h"
#include "util/clock.h"
#include "util/hash.h"

/* What a SIGKILL may cost: a second of events. */
#define FLUSH_NS NS_PER_S
/*
 * A round promises that no later record is older than the round before. A paused virtual CPU delivered a sample 6 ms late, so rounds are
 * 20 ms apart.
 */
#define ROUND_MIN_NS (20 * NS_PER_MS)
/* Records are u16 long; far more frames than any walker returns. */
#define FRAMES_MAX 4000u
#define RAW_MAX 8192u /* PERF_MAX_TRACE_SIZE, include/linux/trace_events.h */
#define FIRST_ID 1

/* A record under construction. */
struct record {
	uint8_t *start, *p;
};

static bool record_begin(struct data_writer *w, struct record *r, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	r->start = output_reserve(&w->out);
	if (!r->start)
		return false;
	memcpy(r->start, &h, sizeof(h));
	r->p = r->start + sizeof(h);
	return true;
}

static void put_u32(struct record *r, uint32_t v)
{
	memcpy(r->p, &v, sizeof(v));
	r->p += sizeof(v);
}

static void put_u64(struct record *r, uint64_t v)
{
	memcpy(r->p, &v, sizeof(v));
	r->p += sizeof(v);
}

static void put_ips(struct record *r, uint64_t context, const uint64_t *ips, uint32_t n)
{
	if (!n)
		return;
	put_u64(r, context);
	memcpy(r->p, ips, n * sizeof(*ips));
	r->p += n * sizeof(*ips);
}

/* NUL-terminated and padded to 8 bytes; cut to what the kernel itself can send. */
static void put_text(struct record *r, const char *text, size_t max)
{
	size_t n = strnlen(text ? text : "", max - 1);
	size_t padded = (n + RECORD_ALIGN) & ~(size_t)(RECORD_ALIGN - 1);

	if (n)
		memcpy(r->p, text, n);
	memset(r->p + n, 0, padded - n);
	r->p += padded;
}

static int record_end(struct data_writer *w, struct record *r, uint64_t time_ns)
{
	size_t n = (size_t)(r->p - r->start);
	uint16_t size = (uint16_t)n;

	memcpy(r->start + offsetof(struct perf_event_header, size), &size, sizeof(size));
	output_commit(&w->out, n);
	w->round_open = true;
	if (time_ns > w->max_ns)
		w->max_ns = time_ns;
	if (w->max_ns - w->flushed_ns < FLUSH_NS)
		return 0;
	w->flushed_ns = w->max_ns;
	return output_flush(&w->out);
}

static void put_trailer(struct record *r, uint32_t pid, uint32_t tid, uint64_t time_ns, uint32_t cpu)
{
	put_u32(r, pid);
	put_u32(r, tid);
	put_u64(r, time_ns);
	put_u32(r, cpu);
	put_u32(r, 0);
	put_u64(r, FIRST_ID);
}

static bool in_kernel(const struct sample *s)
{
	if (sample_leaf(s))
		return s->chains[CHAIN_KERNEL].n;
	return s->ip >> 63; /* no stack: the upper half is the kernel's on every 64-bit machine */
}

/* Why its chains end, and what it did on no CPU. */
static uint32_t res_of(const struct sample *s)
{
	uint32_t res = (uint32_t)s->off_cpu << RES_OFF_CPU_SHIFT;

	for (int i = 0; i < CHAIN_KINDS; i++)
		res |= (s->chains[i].stop & RES_STOP_MASK) << RES_STOP_SHIFT(i) |
		       (uint32_t)s->chains[i].stop >> RES_STOP_BITS << RES_STOP_HIGH_SHIFT(i);
	return res;
}

/* A size and the record, so padded that what follows is at a multiple of 8 (perf_prepare_sample(), kernel/events/core.c). */
static void put_raw(struct record *r, const struct sample *s)
{
	uint32_t n = s->nr_values && s->values->bytes ? s->values->nr_bytes : 0;
	uint32_t room = ((n < RAW_MAX ? n : RAW_MAX) + sizeof(n) + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN - sizeof(n);

	n = n < room ? n : room;
	put_u32(r, room);
	if (n)
		memcpy(r->p, s->values->bytes, n);
	memset(r->p + n, 0, room - n);
	r->p += room;
}

/* The path of a cgroup, before the first sample of it, and without a time: samples of other CPUs that are taken earlier come later. */
static int write_cgroup(struct data_writer *w, const struct sample *s)
{
	const char *path;
	struct record r;

	if (!w->meta.cgroup_path || map_find(&w->cgroups, hash_u64(s->cgroup)) >= 0)
		return 0;
	if (map_add(&w->cgroups, hash_u64(s->cgroup), 0))
		return -ENOMEM;
	path = w->meta.cgroup_path(NULL, s->cgroup);
	if (!path)
		return 0;
	if (!record_begin(w, &r, PERF_RECORD_CGROUP, 0))
		return w->out.failed;
	put_u64(&r, s->cgroup);
	put_text(&r, path, PATH_MAX);
	put_trailer(&r, s->pid, s->tid, 0, s->cpu);
	return record_end(w, &r, 0);
}

static int write_sample(struct sink *sink, const struct sample *s)
{
	struct data_writer *w = (struct data_writer *)sink;
	const struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];
	uint32_t nk = kernel->n < FRAMES_MAX ? kernel->n : FRAMES_MAX, nu = user->n < FRAMES_MAX ? user->n : FRAMES_MAX;
	uint16_t misc = in_kernel(s) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	struct record r;

	if (s->count != 1 || s->event >= w->meta.nr_events)
		return -EINVAL;
	if (output_place(&w->out) < 0)
		return w->out.failed;
	if (write_cgroup(w, s))
		return w->out.failed ? w->out.failed : -ENOMEM;
	if (!record_begin(w, &r, PERF_RECORD_SAMPLE, misc))
		return w->out.failed;
	put_u64(&r, w->ids[s->event]);
	put_u64(&r, s->ip ? s->ip : sample_leaf(s));
	put_u32(&r, s->pid);
	put_u32(&r, s->tid);
	put_u64(&r, s->time_ns);
	if (w->attrs[s->event].sample_type & PERF_SAMPLE_ADDR)
		put_u64(&r, s->addr);
	put_u32(&r, s->cpu);
	put_u32(&r, res_of(s));
	put_u64(&r, s->weight);
	if (w->meta.callchain) {
		put_u64(&r, nk + !!nk + nu + !!nu);
		put_ips(&r, PERF_CONTEXT_KERNEL, kernel->ips, nk);
		put_ips(&r, PERF_CONTEXT_USER, user->ips, nu);
	}
	if (w->attrs[s->event].sample_type & PERF_SAMPLE_RAW)
		put_raw(&r, s);
	if (w->meta.cgroup_path)
		put_u64(&r, s->cgroup);
	if (!w->first_ns || s->time_ns < w->first_ns)
		w->first_ns = s->time_ns;
	if (s->time_ns > w->last_ns)
		w->last_ns = s->time_ns;
	return record_end(w, &r, s->time_ns);
}

static int write_mmap(struct data_writer *w, const struct task_event *t)
{
	bool id = t->build_id_size && t->build_id_size <= BUILD_ID_MAX;
	uint32_t pid = t->kernel ? UINT32_MAX : t->pid, tid = t->kernel ? 0 : t->tid;
	uint32_t type = t->kernel ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2;
	uint16_t misc = t->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	struct record r;

	if (!t->path)
		return -EINVAL;
	if (id)
		seen_add(&w->seen, t);
	if (id && !t->kernel)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (!record_begin(w, &r, type, misc))
		return w->out.failed;
	put_u32(&r, pid);
	put_u32(&r, tid);
	put_u64(&r, t->addr);
	put_u64(&r, t->len);
	put_u64(&r, t->pgoff);
	if (!t->kernel) {
		memset(r.p, 0, MMAP2_PROT_AT - MMAP2_ID_AT);
		if (id) {
			r.p[0] = t->build_id_size;
			memcpy(r.p + MMAP2_BUILD_ID_AT, t->build_id, t->build_id_size);
			r.p += MMAP2_PROT_AT - MMAP2_ID_AT;
		} else {
			put_u32(&r, t->maj);
			put_u32(&r, t->min);
			put_u64(&r, t->ino);
			put_u64(&r, t->ino_generation);
		}
		put_u32(&r, t->prot);
		put_u32(&r, t->flags);
	}
	put_text(&r, t->path, PATH_MAX);
	put_trailer(&r, pid, tid, t->time_ns, t->cpu);
	return record_end(w, &r, t->time_ns);
}

static int write_comm(struct data_writer *w, const struct task_event *t)
{
	struct record r;

	if (!record_begin(w, &r, PERF_RECORD_COMM,
			  t->what == TASK_EXEC ? PERF_RECORD_MISC_COMM_EXEC : 0))
		return w->out.failed;
	put_u32(&r, t->pid);
	put_u32(&r, t->tid);
	put_text(&r, t->comm, COMM_LEN);
	put_trailer(&r, t->pid, t->tid, t->time_ns, t->cpu);
	return record_end(w, &r, t->time_ns);
}

/* FORK and EXIT have one layout. */
static int write_life(struct data_writer *w, const struct task_event *t)
{
	struct record r;

	if (!record_begin(w, &r, t->what == TASK_FORK ? PERF_RECORD_FORK : PERF_RECORD_EXIT, 0))
		return w->out.failed;
	put_u32(&r, t->pid);
	put_u32(&r, t->ppid);
	put_u32(&r, t->tid);
	put_u32(&r, t->ptid);
	put_u64(&r, t->time_ns);
	put_trailer(&r, t->pid, t->tid, t->time_ns, t->cpu);
	return record_end(w, &r, t->time_ns);
}

static int write_switch(struct data_writer *w, const struct task_event *t)
{
	uint16_t misc = (t->is_out ? PERF_RECORD_MISC_SWITCH_OUT : 0) | (t->is_preempted ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0);
	struct record r;

	if (!record_begin(w, &r, w->meta.all_cpus ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH, misc))
		return w->out.failed;
	if (w->meta.all_cpus) {
		put_u32(&r, t->ppid);
		put_u32(&r, t->ptid);
	}
	put_trailer(&r, t->pid, t->tid, t->time_ns, t->cpu);
	return record_end(w, &r, t->time_ns);
}

static int write_namespaces(struct data_writer *w, const struct task_event *t)
{
	struct record r;

	if (!record_begin(w, &r, PERF_RECORD_NAMESPACES, 0))
		return w->out.failed;
	put_u32(&r, t->pid);
	put_u32(&r, t->tid);
	put_u64(&r, t->nr_namespaces);
	for (uint32_t i = 0; i < t->nr_namespaces; i++) {
		put_u64(&r, t->namespaces[i].dev);
		put_u64(&r, t->namespaces[i].ino);
	}
	put_trailer(&r, t->pid, t->tid, t->time_ns, t->cpu);
	return record_end(w, &r, t->time_ns);
}

static int write_ksym(struct data_writer *w, const struct task_event *t)
{
	bool bpf = t->path && !strncmp(t->path, "bpf_", strlen("bpf_"));
	uint16_t type = bpf ? PERF_RECORD_KSYMBOL_TYPE_BPF : PERF_RECORD_KSYMBOL_TYPE_OOL;
	struct record r;

	if (!record_begin(w, &r, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL))
		return w->out.failed;
	put_u64(&r, t->addr);
	put_u32(&r, t->len < UINT32_MAX ? (uint32_t)t->len : UINT32_MAX);
	put_u32(&r, type | (uint32_t)(t->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) << 16);
	put_text(&r, t->path, PATH_MAX);
	put_trailer(&r, t->pid, t->tid, t->time_ns, t->cpu);
	return record_end(w, &r, t->time_ns);
}

static int write_task(struct sink *sink, const struct task_event *t)
{
	struct data_writer *w = (struct data_writer *)sink;

	switch (t->what) {
	case TASK_MMAP:
		return write_mmap(w, t);
	case TASK_COMM:
	case TASK_EXEC:
		return write_comm(w, t);
	case TASK_FORK:
	case TASK_EXIT:
		return write_life(w, t);
	case TASK_KSYM:
		return write_ksym(w, t);
	case TASK_NAMESPACES:
		return write_namespaces(w, t);
	case TASK_SWITCH:
		return write_switch(w, t);
	case TASK_BUILD_ID: /* of files that are read */
		break;
	}
	return -EINVAL;
}

static int write_lost(struct sink *sink, uint64_t n)
{
	struct data_writer *w = (struct data_writer *)sink;
	struct record r;

	if (!n)
		return 0;
	if (!record_begin(w, &r, PERF_RECORD_LOST_SAMPLES, 0))
		return w->out.failed;
	put_u64(&r, n);
	put_trailer(&r, UINT32_MAX, UINT32_MAX, w->max_ns, 0);
	return record_end(w, &r, w->max_ns);
}

static int write_round(struct sink *sink)
{
	struct data_writer *w = (struct data_writer *)sink;
	struct record r;
	int ret;

	if (!w->round_open || w->max_ns - w->round_ns < ROUND_MIN_NS)
		return w->out.failed;
	if (!record_begin(w, &r, RECORD_FINISHED_ROUND, 0))
		return w->out.failed;
	ret = record_end(w, &r, 0);
	w->round_open = false;
	w->round_ns = w->max_ns;
	return ret;
}

/* The name of an event, in the stream: an interrupted file has no EVENT_DESC section. */
static int write_name(struct data_writer *w, int event)
{
	struct record r;

	if (!record_begin(w, &r, RECORD_EVENT_UPDATE, 0))
		return w->out.failed;
	put_u64(&r, EVENT_UPDATE_NAME);
	put_u64(&r, w->ids[event]);
	put_text(&r, w->meta.events[event].name, EVENT_NAME_MAX);
	return record_end(w, &r, 0);
}

/*
 * FEATURE_COMPRESSED, in the stream: an interrupted file has no section of it, and without it perf has no room for what comes out of a
 * compressed record. perf's report, script and annotate (6.1) take it from there, too: perf_event__process_feature(),
 * tools/perf/util/header.c. Its other commands do not; with --header it prints both.
 */
static int write_compression(struct data_writer *w)
{
	struct record r;

	w->compression = (struct compression){ .type = COMPRESSION_ZSTD, .level = (uint32_t)w->meta.compression_level,
					       .mmap_bytes = COMPRESSION_MMAP_BYTES };
	if (!record_begin(w, &r, RECORD_HEADER_FEATURE, 0))
		return w->out.failed;
	put_u64(&r, FEATURE_COMPRESSED);
	w->compression_at = w->out.data_at + w->out.data_bytes + (uint64_t)(r.p - w->out.buf);
	memcpy(r.p, &w->compression, sizeof(w->compression));
	r.p += sizeof(w->compression);
	put_u32(&r, 0); /* padding */
	return record_end(w, &r, 0);
}

/* The records that a reader needs before any other, as they are. */
static int write_preamble(struct data_writer *w)
{
	int ret = 0;

	for (int i = 0; i < w->meta.nr_events && ret == 0; i++)
		ret = write_name(w, i);
	if (ret == 0 && w->meta.compression_level)
		ret = write_compression(w);
	return ret < 0 ? ret : output_flush(&w->out);
}

void writer_free(struct data_writer *w)
{
	seen_free(&w->seen);
	map_free(&w->cgroups);
	free(w->attrs);
	free(w->ids);
	free(w);
}

/* Everything but the output. 0, -ENOMEM, or -EINVAL: no event; err filled. */
static int writer_new(const char *name, const struct data_meta *meta, struct data_writer **ret_w, struct err *err)
{
	size_t n = meta->nr_events > 0 ? (size_t)meta->nr_events : 0;
	struct data_writer *w;

	if (!n)
		return err_set(err, -EINVAL, "cannot write '%s': no event", name);
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_set(err, -ENOMEM, "cannot write '%s': %s", name, strerror(ENOMEM));
	w->sink = (struct sink){ .sample = write_sample, .task = write_task, .lost = write_lost, .round = write_round };
	w->out.fd = -1;
	w->meta = *meta;
	w->attrs = calloc(n, sizeof(*w->attrs));
	w->ids = calloc(n, sizeof(*w->ids));
	w->wall_ns = clock_ns(CLOCK_REALTIME);
	w->clock_ns = w->flushed_ns = now_ns();
	if (!w->attrs || !w->ids) {
		writer_free(w);
		return err_set(err, -ENOMEM, "cannot write '%s': %s", name, strerror(ENOMEM));
	}
	for (size_t i = 0; i < n; i++) {
		writer_attr(&w->attrs[i], &meta->events[i], meta, meta->tracing && meta->tracing->formats[i].file.text);
		w->ids[i] = FIRST_ID + i;
	}
	*ret_w = w;
	return 0;
}

/* All that precedes the first record, into an output whose opening returned ret. Frees w on failure. */
static int writer_begin(struct data_writer *w, int ret, struct data_writer **ret_w, struct err *err)
{
	if (ret < 0)
		goto fail;
	ret = w->out.is_stream ? writer_stream_head(w) : writer_head(w);
	if (ret == 0)
		ret = write_preamble(w);
	if (ret < 0 && !(ret == -EPIPE && w->out.is_stream))
		err_set(err, ret, "cannot write '%s': %s", w->out.path, strerror(-ret));
	else if (ret == 0 && w->meta.compression_level)
		ret = compress_open(w->out.path, w->meta.compression_level, &w->out.compressor, err);
	if (ret < 0)
		goto fail;
	*ret_w = w;
	return 0;
fail:
	output_close(&w->out);
	writer_free(w);
	return ret;
}

int data_writer_open(const char *path, const struct data_meta *meta, struct data_writer **ret_w, struct err *err)
{
	struct data_writer *w;
	int ret = writer_new(path, meta, &w, err);

	return ret ? ret : writer_begin(w, output_open(&w->out, path, err), ret_w, err);
}

int data_writer_stream(int fd, const struct data_meta *meta, struct data_writer **ret_w, struct err *err)
{
	struct data_writer *w;
	int ret = writer_new("standard output", meta, &w, err);

	/* perf script takes a stream's events with a sample type for events with samples, and refuses what these lack */
	for (int i = 0; !ret && meta->is_stat && i < meta->nr_events; i++)
		w->attrs[i].sample_type = 0;
	if (!ret)
		return writer_begin(w, output_stream(&w->out, fd, err), ret_w, err);
	close(fd);
	return ret;
}

struct sink *data_writer_sink(struct data_writer *w)
{
	return &w->sink;
}

uint64_t data_writer_record_bytes(const struct data_writer *w)
{
	return w->out.record_bytes + w->out.used;
}

uint64_t data_writer_bytes(const struct data_writer *w)
{
	return w->out.data_at + w->out.data_bytes + (w->out.compressor ? 0 : w->out.used);
}
