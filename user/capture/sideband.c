/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Side-band records of the dummy event: copied out of the per-CPU buffers, ordered by time, turned
 * into task events. Layouts: uapi/linux/perf_event.h.
 */
#include "capture/sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/refusal.h"
#include "capture/rings.h"
#include "target.h"
#include "util/cpus.h"
#include "util/hash.h"
#include "util/map.h"
#include "util/vec.h"

/* Powers of two. */
#define MAPS_BYTES (256u << 10)
#define SWITCHES_BYTES (1u << 20) /* two processes with a pipe fill 6 MB a second on a CPU */
#define SAMPLES_BYTES (4u << 20)  /* samples and side band in one */
#define LEAST_BYTES (64u << 10)   /* where the user may lock no more memory (kernel.perf_event_mlock_kb); one page of the largest */
#define SAMPLE_TIME_AT 32 /* of a sample's record: after its header, id, ip, pid and tid */

/* What a ring receives. */
enum ring_kind {
	RING_OTHERS,   /* events redirected to it */
	RING_MAPS,     /* what tasks do to their names and address spaces */
	RING_SWITCHES, /* context switches */
};

/* Rings of one kind, one for each CPU. */
struct rings_cfg {
	enum ring_kind kind;
	const uint32_t *cpus;
	uint32_t n;
	size_t bytes;	  /* of each; less where the user may lock no more memory */
	const char *what; /* they are for, in messages: "sample" */
	bool at_once, has_namespaces, has_cgroups; /* as in struct sideband_cfg */
};

struct ring {
	int fd;
	uint32_t cpu;
	size_t bytes;
	void *map;
};

/* A record waiting for its turn; its bytes are in `bytes`. */
struct pending {
	uint64_t time_ns;
	size_t at;
	uint32_t cpu;
};

struct sideband {
	struct ring *rings; /* those of switches are the last */
	uint32_t nr_rings, nr_maps; /* nr_maps: without those of switches */
	size_t page, trailer;
	bool no_memory; /* a ring could not be mapped: the user may lock no more memory */
	sideband_each each; /* of samples; NULL: none come */
	void *arg;
	VEC(struct pending) queue;
	VEC(char) bytes; /* records of the queue, aligned to 8 */
	uint64_t lost, throttled;
	struct map follow; /* a set of pids; empty: all */
};

/* sample_id_all trailer for SIDEBAND_SAMPLE_TYPE. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
};

/*
 * attr.build_id stays 0. Kernels (6.18 seen) build one MMAP2 record for all listeners and, once it is marked as
 * holding a build id for one of them, leave the mark for the next: a perf record -a beside us read inode numbers as
 * build ids and aborted. For the same reason the mark means nothing in what we receive.
 */
static int open_event(const struct rings_cfg *cfg, uint32_t cpu, size_t bytes)
{
	bool is_maps = cfg->kind == RING_MAPS;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = SIDEBAND_SAMPLE_TYPE,
		.mmap = is_maps,
		.mmap2 = is_maps,
		.comm = is_maps,
		.comm_exec = is_maps,
		.task = is_maps,
		.namespaces = cfg->has_namespaces,
		.cgroup = cfg->has_cgroups && target_cgroups_are_reported(),
		.context_switch = cfg->kind == RING_SWITCHES,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = cfg->at_once ? 1 : (uint32_t)bytes / 4,
	};
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, cfg->kind == RING_OTHERS ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* 0, -ENODEV: the CPU went offline since the list was read, or -errno. */
static int open_ring(struct sideband *sb, const struct rings_cfg *cfg, uint32_t cpu, size_t bytes)
{
	struct ring *r = &sb->rings[sb->nr_rings];
	int fd = open_event(cfg, cpu, bytes), ret;

	if (fd < 0)
		return fd;
	*r = (struct ring){ .cpu = cpu, .fd = fd, .bytes = bytes };
	r->map = mmap(NULL, bytes + sb->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->map == MAP_FAILED) {
		ret = -errno;
		sb->no_memory = ret == -EPERM;
		close(fd);
		return ret;
	}
	sb->nr_rings++;
	return 0;
}

/* All after the first so many. */
static void close_rings(struct sideband *sb, uint32_t nr_left)
{
	for (; sb->nr_rings > nr_left; sb->nr_rings--) {
		const struct ring *r = &sb->rings[sb->nr_rings - 1];

		munmap(r->map, r->bytes + sb->page);
		close(r->fd);
	}
}

/* All of one size. */
static int try_rings(struct sideband *sb, const struct rings_cfg *cfg, size_t bytes)
{
	uint32_t before = sb->nr_rings;
	int ret = 0;

	sb->no_memory = false;
	for (uint32_t i = 0; i < cfg->n && !ret; i++) {
		ret = open_ring(sb, cfg, cfg->cpus[i], bytes);
		ret = ret == -ENODEV ? 0 : ret;
	}
	if (ret)
		close_rings(sb, before);
	return ret;
}

static int refuse(const struct sideband *sb, int ret, const char *what, struct err *err)
{
	if (sb->no_memory) {
		err_exit(err, ret, EXIT_CANNOT, "cannot %s: this user may not lock more memory for its ring buffers", what);
		err_hint(err, "raise kernel.perf_event_mlock_kb, or the limit of locked memory (ulimit -l)");
		return ret;
	}
	err_exit(err, ret, EXIT_CANNOT, "cannot %s: perf_event_open: %s", what, strerror(-ret));
	if (ret == -EACCES || ret == -EPERM)
		kernel_hint_perf(err);
	return ret;
}

/* As large as the user may have them. */
static int open_rings(struct sideband *sb, const struct rings_cfg *cfg, struct err *err)
{
	size_t bytes = cfg->bytes;
	int ret;

	while ((ret = try_rings(sb, cfg, bytes)) && sb->no_memory && bytes > LEAST_BYTES)
		bytes /= 2;
	return ret ? refuse(sb, ret, cfg->what, err) : 0;
}

static struct sideband *new_sideband(uint32_t n)
{
	struct sideband *sb = calloc(1, sizeof(*sb));

	if (!sb)
		return NULL;
	sb->page = sysconf(_SC_PAGESIZE);
	sb->trailer = sizeof(struct trailer);
	sb->rings = calloc(n, sizeof(*sb->rings));
	if (sb->rings)
		return sb;
	free(sb);
	return NULL;
}

int sideband_open(const uint32_t *cpus, uint32_t n, const struct sideband_cfg *cfg, struct sideband **ret_sb, struct err *err)
{
	const struct rings_cfg maps = { .kind = RING_MAPS, .cpus = cpus, .n = n, .bytes = MAPS_BYTES, .what = "follow the mappings of processes",
					.at_once = cfg->at_once, .has_namespaces = cfg->has_namespaces, .has_cgroups = cfg->has_cgroups };
	const struct rings_cfg switches = { .kind = RING_SWITCHES, .cpus = cfg->switch_cpus, .n = cfg->nr_switch_cpus, .bytes = SWITCHES_BYTES,
					    .what = "follow context switches" };
	struct sideband *sb = new_sideband(n + cfg->nr_switch_cpus);
	int ret;

	if (!sb)
		return err_set(err, -ENOMEM, "out of memory");
	ret = open_rings(sb, &maps, err);
	sb->nr_maps = sb->nr_rings;
	if (!ret)
		ret = open_rings(sb, &switches, err);
	if (!ret)
		*ret_sb = sb;
	else
		sideband_close(sb);
	return ret;
}

int sideband_open_rings(const uint32_t *cpus, uint32_t n, sideband_each each, void *arg, struct sideband **ret_sb, struct err *err)
{
	const struct rings_cfg cfg = { .kind = RING_OTHERS, .cpus = cpus, .n = n, .bytes = SAMPLES_BYTES, .what = "sample" };
	struct sideband *sb = new_sideband(n);
	int ret;

	if (!sb)
		return err_set(err, -ENOMEM, "out of memory");
	sb->trailer += sizeof(uint64_t);
	sb->each = each;
	sb->arg = arg;
	ret = open_rings(sb, &cfg, err);
	sb->nr_maps = sb->nr_rings;
	if (!ret)
		*ret_sb = sb;
	else
		sideband_close(sb);
	return ret;
}

void sideband_close(struct sideband *sb)
{
	if (!sb)
		return;
	close_rings(sb, 0);
	vec_free(&sb->queue);
	vec_free(&sb->bytes);
	map_free(&sb->follow);
	free(sb->rings);
	free(sb);
}

int sideband_fd(const struct sideband *sb, uint32_t index)
{
	return index < sb->nr_maps ? sb->rings[index].fd : -1;
}

int sideband_switch_fd(const struct sideband *sb, uint32_t index)
{
	return sb->nr_maps + index < sb->nr_rings ? sb->rings[sb->nr_maps + index].fd : -1;
}

bool sideband_waits(const struct sideband *sb)
{
	for (uint32_t i = 0; i < sb->nr_maps; i++) {
		const struct perf_event_mmap_page *page = sb->rings[i].map;

		if (__atomic_load_n(&page->data_head, __ATOMIC_RELAXED) != page->data_tail)
			return true;
	}
	return false;
}

uint64_t sideband_lost(const struct sideband *sb)
{
	return sb->lost;
}

uint64_t sideband_throttled(const struct sideband *sb)
{
	return sb->throttled;
}

int sideband_redirect(const struct sideband *sb, int event_fd, uint32_t cpu)
{
	for (uint32_t i = 0; i < sb->nr_rings; i++)
		if (sb->rings[i].cpu == cpu)
			return ioctl(event_fd, PERF_EVENT_IOC_SET_OUTPUT, sb->rings[i].fd) ? -errno : 0;
	return -ENODEV;
}

static bool followed(const struct sideband *sb, uint32_t pid)
{
	return !sb->follow.n || map_find(&sb->follow, hash_u64(pid)) >= 0;
}

int sideband_follow(struct sideband *sb, uint32_t pid)
{
	return map_find(&sb->follow, hash_u64(pid)) < 0 ? map_add(&sb->follow, hash_u64(pid), 0) : 0;
}

static int queue_record(struct sideband *sb, const struct ring *r, const char *data, uint64_t mask, uint64_t at, uint16_t size)
{
	struct perf_event_header *h;
	struct trailer tr;
	size_t start = sb->bytes.n;
	char *copy = vec_take(&sb->bytes, (size + 7u) & ~7u);

	if (!copy || vec_reserve(&sb->queue))
		return -ENOMEM;
	ring_copy(copy, data, mask, at, size);
	h = (struct perf_event_header *)copy;
	if (h->type == PERF_RECORD_LOST || h->type == PERF_RECORD_THROTTLE || h->type == PERF_RECORD_UNTHROTTLE) {
		sb->lost += h->type == PERF_RECORD_LOST ? ((uint64_t *)copy)[2] : 0;
		sb->throttled += h->type == PERF_RECORD_THROTTLE;
		sb->bytes.n = start;
		return 0;
	}
	memcpy(&tr, copy + size - sb->trailer, sizeof(tr));
	if (h->type == PERF_RECORD_SAMPLE)
		memcpy(&tr.time, copy + SAMPLE_TIME_AT, sizeof(tr.time));
	sb->queue.data[sb->queue.n++] = (struct pending){ tr.time, start, r->cpu };
	return 0;
}

static int read_ring(struct sideband *sb, const struct ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	const char *data = (const char *)r->map + sb->page;
	uint64_t mask = r->bytes - 1, tail = page->data_tail;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	int ret = 0;

	while (tail < head && !ret) {
		/* Records are 8-byte aligned, so a header never wraps. */
		const struct perf_event_header *h = (const void *)(data + (tail & mask));
		uint16_t size = h->size;

		if (size < sizeof(*h) + sb->trailer || (h->type == PERF_RECORD_SAMPLE && size < SAMPLE_TIME_AT + sizeof(uint64_t))) {
			sb->lost++; /* and all after it: its end is not known */
			break;
		}
		ret = queue_record(sb, r, data, mask, tail, size);
		tail += size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return ret;
}

static int by_time(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool decode_mmap(const struct perf_event_header *h, struct task_event *t)
{
	const struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, gen;
		uint32_t prot, flags;
		char path[];
	} *m = (const void *)h;

	t->what = TASK_MMAP;
	t->pid = m->pid;
	t->tid = m->tid;
	t->addr = m->addr;
	t->len = m->len;
	t->pgoff = m->pgoff;
	t->prot = m->prot;
	t->flags = m->flags;
	t->path = m->path; /* the kernel ends and pads it with NULs before the trailer */
	t->maj = m->maj;
	t->min = m->min;
	t->ino = m->ino;
	t->ino_generation = m->gen;
	return true;
}

static bool decode_namespaces(const struct perf_event_header *h, size_t trailer, struct task_event *t)
{
	const struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t nr;
		struct task_namespace all[];
	} *n = (const void *)h;

	if (h->size < sizeof(*n) + trailer || n->nr > (h->size - sizeof(*n) - trailer) / sizeof(n->all[0]))
		return false;
	t->what = TASK_NAMESPACES;
	t->pid = n->pid;
	t->tid = n->tid;
	t->namespaces = n->all;
	t->nr_namespaces = n->nr < TASK_NAMESPACES_MAX ? (uint32_t)n->nr : TASK_NAMESPACES_MAX;
	return true;
}

/* PERF_RECORD_CGROUP: one was made. */
static void take_cgroup(const struct perf_event_header *h, size_t trailer)
{
	const struct {
		struct perf_event_header h;
		uint64_t id;
		char path[];
	} *c = (const void *)h;
	size_t n = h->size < sizeof(*c) + trailer ? 0 : h->size - sizeof(*c) - trailer;

	if (n && memchr(c->path, '\0', n))
		target_cgroup_made(c->id, c->path);
}

static bool decode(const struct perf_event_header *h, size_t trailer, struct task_event *t)
{
	const uint32_t *w = (const uint32_t *)(h + 1);
	struct trailer tr;

	switch (h->type) {
	case PERF_RECORD_MMAP2:
		return decode_mmap(h, t);
	case PERF_RECORD_NAMESPACES:
		return decode_namespaces(h, trailer, t);
	case PERF_RECORD_COMM:
		t->what = h->misc & PERF_RECORD_MISC_COMM_EXEC ? TASK_EXEC : TASK_COMM;
		t->pid = w[0];
		t->tid = w[1];
		t->comm = (const char *)&w[2];
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		t->what = h->type == PERF_RECORD_FORK ? TASK_FORK : TASK_EXIT;
		t->pid = w[0];
		t->ppid = w[1];
		t->tid = w[2];
		t->ptid = w[3];
		return true;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		t->ppid = w[0];
		t->ptid = w[1];
		/* fall through */
	case PERF_RECORD_SWITCH:
		t->what = TASK_SWITCH;
		t->is_out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
		t->is_preempted = h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		memcpy(&tr, (const char *)h + h->size - trailer, sizeof(tr));
		t->pid = tr.pid;
		t->tid = tr.tid;
		return true;
	default:
		return false;
	}
}

static int deliver(struct sideband *sb, const struct pending *p, struct sink *sink)
{
	const struct perf_event_header *h = (const void *)(sb->bytes.data + p->at);
	struct task_event t = { .time_ns = p->time_ns, .cpu = p->cpu };

	if (h->type == PERF_RECORD_SAMPLE)
		return sb->each ? sb->each(sb->arg, h, p->cpu, sink) : 0;
	if (h->type == PERF_RECORD_CGROUP) {
		take_cgroup(h, sb->trailer);
		return 0;
	}
	if (!decode(h, sb->trailer, &t))
		return 0;
	/*
	 * Of a PID namespace outside ours: all such tasks have these numbers (perf_event_pid_type(), kernel/events/core.c). But the idle
	 * task takes turns with others as 0, and a thread that ends leaves its CPU as UINT32_MAX.
	 */
	if ((!t.pid && t.what != TASK_SWITCH) || t.pid == UINT32_MAX || t.tid == UINT32_MAX)
		return 0;
	if (sb->follow.n) {
		if (t.what == TASK_FORK && followed(sb, t.ppid) && sideband_follow(sb, t.pid))
			return -ENOMEM;
		if (!followed(sb, t.pid))
			return 0;
	}
	return sink->task ? sink->task(sink, &t) : 0;
}

static int by_place(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Drops the n oldest records; what is left (newer than the drain) moves to the front, in place. */
static void forget(struct sideband *sb, size_t n)
{
	size_t left = sb->queue.n - n, used = 0;

	memmove(sb->queue.data, sb->queue.data + n, left * sizeof(*sb->queue.data));
	sb->queue.n = left;
	if (left)
		qsort(sb->queue.data, left, sizeof(*sb->queue.data), by_place);
	for (size_t i = 0; i < left; i++) {
		struct pending *p = &sb->queue.data[i];
		size_t size = (((struct perf_event_header *)(sb->bytes.data + p->at))->size + 7u) & ~7u;

		memmove(sb->bytes.data + used, sb->bytes.data + p->at, size);
		p->at = used;
		used += size;
	}
	sb->bytes.n = used;
}

int sideband_drain(struct sideband *sb, uint64_t until_ns, struct sink *sink)
{
	size_t n;
	int ret = 0;

	for (uint32_t i = 0; i < sb->nr_rings && !ret; i++)
		ret = read_ring(sb, &sb->rings[i]);
	if (ret)
		return ret;
	if (!sb->queue.n)
		return 0;
	qsort(sb->queue.data, sb->queue.n, sizeof(*sb->queue.data), by_time);
	for (n = 0; n < sb->queue.n && sb->queue.data[n].time_ns <= until_ns && !ret; n++)
		ret = deliver(sb, &sb->queue.data[n], sink);
	forget(sb, n);
	return ret;
}

int sideband_open_place(const struct place *place, struct sideband **ret_sb, struct err *err)
{
	const struct target *t = place->target;
	uint32_t *all;
	int n = cpus_online(&all), ret;
	/* Where the kernel walks by mappings it gets those that take the place of others before more walks use them. */
	const struct sideband_cfg cfg = { .at_once = place->unwinder, .has_namespaces = place->has_namespaces, .has_cgroups = place->has_cgroups,
					  .switch_cpus = place->cpus, .nr_switch_cpus = place->has_switches ? place->nr_cpus : 0 };

	if (n < 0)
		return err_set(err, n, "cannot list the CPUs: %s", strerror(-n));
	ret = sideband_open(all, n, &cfg, ret_sb, err);
	free(all);
	if (!ret && target_is_command(t))
		ret = sideband_follow(*ret_sb, place->command_pid);
	for (size_t i = 0; i < t->pids.n && !ret; i++)
		ret = sideband_follow(*ret_sb, t->pids.data[i]);
	for (size_t i = 0; i < t->tids.n && !ret; i++) {
		uint32_t pid = target_process(t->tids.data[i]);

		ret = pid ? sideband_follow(*ret_sb, pid) : err_set(err, -ESRCH, "no thread %u", t->tids.data[i]);
	}
	return ret;
}
