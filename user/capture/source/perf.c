/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An event for each target, CPU and counter, inherited by the children; all of a CPU write into one ring of ours (sideband.h). What the
 * kernel says of a sample is decoded, its stack walked, here. Layouts: uapi/linux/perf_event.h, perf_output_sample().
 */
#include "capture/source/perf.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#ifdef __x86_64__
#include <asm/perf_regs.h>
#endif

#include "capture/refusal.h"
#include "capture/sideband.h"
#include "capture/source/rowstore.h"
#include "util/clock.h"
#include "util/num.h"
#include "util/vec.h"

#define STACK_BYTES (16u << 10) /* of each sample's user stack, a copy: a multiple of 8 */
#define CHAIN_MAX (2 * STACK_MAX_FRAMES + 8) /* both parts, with their marks */

struct id {
	uint64_t id;
	uint16_t event;
};

struct src_perf {
	struct source source; /* first */
	const struct sample_cfg *cfg;
	const struct unwinder_cfg *unwind;
	struct sideband *sideband;
	struct unwind_store *store; /* NULL: by frame pointers */
	VEC(int) fds, dummies;
	VEC(struct id) ids;
	bool has_kernel; /* its part is allowed */
	bool is_command, at_exec; /* at_exec: its events begin with its exec */
	bool no_children; /* are recorded */
	bool has_switches;
	bool has_dummy; /* while they do not count, an event that counts nothing reports what tasks do */
	uint64_t delivered, cut_copies;
	uint32_t max_frames, chain_max; /* of a chain: both parts */
	uint64_t sample_type; /* of each event */
	char note[2 * EVENT_NAME_MAX + 128];
	uint64_t kips[CHAIN_MAX], uips[SAMPLE_DEEP_MAX + 1];
};

#ifdef __x86_64__
/* In the order of their bits, and what DWARF calls them (System V ABI, table 3.36). */
static const uint8_t dwarf_regs[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };
#define REGS_MASK (0x1ffull | 0xffull << PERF_REG_X86_R8) /* ax to ip, r8 to r15 */
#define HAS_COPIES true
#else
static const uint8_t dwarf_regs[] = { 0 };
#define REGS_MASK 0ull
#define HAS_COPIES false
#endif
#define NR_REGS (sizeof(dwarf_regs) / sizeof(dwarf_regs[0]))

/* Reads the words of a record, and 0 past its end. */
struct cursor {
	const uint64_t *at, *end;
};

static uint64_t take(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

bool src_perf_can(const struct sample_cfg *cfg, const struct target *target)
{
	for (int i = 0; i < cfg->nr_events; i++)
		if (cfg->events[i].kind != EVENT_COUNTER || cfg->events[i].group_pos)
			return false;
	return !cfg->nr_probes && !cfg->has_cgroup && !target->all && !target->cpus.n && !target->uids.n && !target->comms.n && !target->cgroups.n;

}

/* What all of them are, and what tasks do: reported by one of them. */
static void fill_base(const struct src_perf *src, bool is_first, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | SIDEBAND_SAMPLE_TYPE | PERF_SAMPLE_PERIOD,
		.disabled = 1,
		.enable_on_exec = src->is_command,
		.inherit = !src->no_children,
		.sample_id_all = 1,
		.mmap = is_first,
		.mmap2 = is_first,
		.comm = is_first,
		.comm_exec = is_first,
		.task = is_first,
		.context_switch = is_first && src->has_switches,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static void fill_attr(const struct src_perf *src, const struct event *e, bool is_first, struct perf_event_attr *attr)
{
	bool stacks = src->max_frames > 1, user = stacks && !src->cfg->no_user_stack;

	fill_base(src, is_first, attr);
	attr->sample_type |= e->has_addr ? PERF_SAMPLE_ADDR : 0;
	attr->sample_period = e->period_or_freq;
	attr->freq = e->freq;
	attr->enable_on_exec = src->at_exec;
	if (user && src->store) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = REGS_MASK;
		attr->sample_stack_user = STACK_BYTES;
	}
	if ((user && !src->store) || (stacks && src->has_kernel && !src->cfg->no_kernel_stack)) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_user = !user || src->store;
		attr->exclude_callchain_kernel = src->cfg->no_kernel_stack || !src->has_kernel;
	}
}

#define NO_EVENT (-1)

/* Of an open that returned fd. A thread, or a CPU, that is gone is no error. */
static int add_fd(struct src_perf *src, const struct event *e, int event, int fd, uint32_t cpu, struct err *err)
{
	struct id id = { .event = (uint16_t)event };
	int ret;

	if (fd == -ESRCH || fd == -ENODEV)
		return 0;
	if (fd < 0)
		return kernel_event_refused(e, fd, err);
	if (vec_reserve(&src->fds) || vec_reserve(&src->dummies) || vec_reserve(&src->ids)) {
		close(fd);
		return -ENOMEM;
	}
	if (event == NO_EVENT)
		src->dummies.data[src->dummies.n++] = fd;
	else
		src->fds.data[src->fds.n++] = fd;
	ret = ioctl(fd, PERF_EVENT_IOC_ID, &id.id) ? -errno : sideband_redirect(src->sideband, fd, cpu);
	if (event != NO_EVENT)
		src->ids.data[src->ids.n++] = id;
	return ret ? err_set(err, ret, "cannot sample '%s': %s", e->name, strerror(-ret)) : 0;
}

static int open_on(struct src_perf *src, int event, uint32_t tid, uint32_t cpu, struct err *err)
{
	struct event *e = &src->cfg->events[event];
	struct perf_event_attr attr;

	fill_attr(src, e, event == 0 && !src->has_dummy, &attr);
	src->sample_type = attr.sample_type;
	return add_fd(src, e, event, kernel_open_named(e, &attr, (int)tid, (int)cpu, -1, 0), cpu, err);
}

/* Reports what tasks do while the others do not count yet. */
static int open_dummy(struct src_perf *src, uint32_t tid, uint32_t cpu, struct err *err)
{
	static const struct event dummy = { .name = "dummy", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = true };
	struct perf_event_attr attr;

	fill_base(src, true, &attr);
	attr.disabled = src->is_command;
	return add_fd(src, &dummy, NO_EVENT, kernel_open_named(&dummy, &attr, (int)tid, (int)cpu, -1, 0), cpu, err);
}

static int open_thread(struct src_perf *src, const struct place *place, uint32_t tid, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < place->nr_cpus && !ret && src->has_dummy; i++)
		ret = open_dummy(src, tid, place->cpus[i], err);
	for (int e = 0; e < src->cfg->nr_events && !ret; e++)
		for (uint32_t i = 0; i < place->nr_cpus && !ret; i++)
			ret = open_on(src, e, tid, place->cpus[i], err);
	return ret;
}

static int open_process(struct src_perf *src, const struct place *place, uint32_t pid, struct err *err)
{
	char path[64];
	struct dirent *d;
	uint64_t tid;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return err_set(err, -errno, "cannot list the threads of process %u: %s", pid, strerror(errno));
	while (!ret && (d = readdir(dir)))
		if (!num_u64(d->d_name, UINT32_MAX, &tid))
			ret = open_thread(src, place, (uint32_t)tid, err);
	closedir(dir);
	return ret;
}

static int open_targets(struct src_perf *src, const struct place *place, struct err *err)
{
	const struct target *t = place->target;
	int ret = 0;

	if (src->is_command)
		return open_thread(src, place, (uint32_t)place->command_pid, err);
	for (size_t i = 0; i < t->pids.n && !ret; i++)
		ret = open_process(src, place, t->pids.data[i], err);
	for (size_t i = 0; i < t->tids.n && !ret; i++)
		ret = open_thread(src, place, t->tids.data[i], err);
	return ret;
}

/* May it see the kernel's part of our own tasks? */
static bool kernel_allowed(void)
{
	const struct event clock = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK };
	struct perf_event_attr attr = { .disabled = 1 };
	int fd = kernel_open_named(&clock, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The file and the table say what was left out, in perf's words. */
static void leave_kernel_out(struct event *e)
{
	size_t n = strlen(e->name);

	if (e->exclude_kernel)
		return;
	e->exclude_kernel = true;
	e->exclude_hv = true;
	if (n + sizeof(":u") <= sizeof(e->name))
		strcpy(e->name + n, strchr(e->name, ':') ? "u" : ":u");
}

static int by_id(const void *a, const void *b)
{
	const struct id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int take_sample(void *arg, const struct perf_event_header *h, uint32_t cpu, struct sink *sink);

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_perf *src = (struct src_perf *)source;
	int ret;

	if (place->has_namespaces) /* perf_event_open(), kernel/events/core.c */
		return err_exit(err, -EACCES, EXIT_CANNOT, "not permitted to record namespaces (needs CAP_PERFMON and CAP_BPF)");
	src->is_command = target_is_command(place->target);
	src->has_dummy = place->is_late || place->may_pause;
	src->no_children = place->target->no_children;
	src->has_switches = place->has_switches;
	src->at_exec = src->is_command && !place->is_late;
	src->has_kernel = kernel_allowed();
	for (int i = 0; i < src->cfg->nr_events; i++) {
		struct event *e = &src->cfg->events[i];

		if (!src->has_kernel && e->exclude_user)
			return err_exit(err, -EACCES, EXIT_CANNOT, "not permitted to sample the kernel ('%s')", e->name);
		if (!src->has_kernel)
			leave_kernel_out(e);
		if (kernel_clock_instead(e, 0, -1, src->note, sizeof(src->note)))
			src->source.note = src->note;
	}
	if (HAS_COPIES && src->unwind->guide && !(src->store = rowstore_new()))
		return -ENOMEM;
	ret = sideband_open_rings(place->cpus, place->nr_cpus, take_sample, src, &src->sideband, err);
	if (!ret)
		ret = open_targets(src, place, err);
	if (!ret && !src->fds.n)
		return err_set(err, -ESRCH, "all target processes have ended");
	if (!ret)
		qsort(src->ids.data, src->ids.n, sizeof(*src->ids.data), by_id);
	return ret;
}

static void switch_all(struct src_perf *src, unsigned long request)
{
	for (size_t i = 0; i < src->fds.n; i++)
		ioctl(src->fds.data[i], request, 0);
}

static void start(struct source *source)
{
	struct src_perf *src = (struct src_perf *)source;

	if (!src->at_exec)
		switch_all(src, PERF_EVENT_IOC_ENABLE);
}

static void set_paused(struct source *source, bool is_paused)
{
	switch_all((struct src_perf *)source, is_paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE);
}

static void stop(struct source *source)
{
	switch_all((struct src_perf *)source, PERF_EVENT_IOC_DISABLE);
}

static int poll_fd(const struct source *source, uint32_t index)
{
	return sideband_fd(((const struct src_perf *)source)->sideband, index);
}

/* Kernel and user part, each after its mark. */
static void take_chain(struct src_perf *src, struct cursor *c, struct sample *s)
{
	struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];
	uint64_t n = take(c);
	bool is_user = false;

	for (; n && c->at < c->end; n--) {
		uint64_t ip = take(c);

		if (ip >= PERF_CONTEXT_MAX)
			is_user = ip == (uint64_t)PERF_CONTEXT_USER;
		else if (!is_user && kernel->n < CHAIN_MAX)
			src->kips[kernel->n++] = ip;
		else if (is_user && user->n < STACK_MAX_FRAMES)
			src->uips[user->n++] = ip;
	}
	/* The kernel's limit is for both parts together, and the user part comes last. */
	kernel->stop = kernel->n >= src->chain_max ? STOP_DEPTH : STOP_ROOT;
	user->stop = kernel->n + user->n >= src->chain_max ? STOP_DEPTH : STOP_ROOT;
}

/* Walks the copy of the stack from the registers. */
static void take_copy(struct src_perf *src, struct cursor *c, struct sample *s)
{
	struct unwind_rest rest = { .time_ns = s->time_ns, .id = 1, .space = { 0 }, .pid = s->pid, .nr = 1 };
	uint64_t abi = take(c), regs[UNWIND_LEAF_REGS] = { 0 }, size, live;
	struct chain *user = &s->chains[CHAIN_USER];
	const uint64_t *stack;
	uint32_t end;

	for (size_t i = 0; abi && i < NR_REGS; i++)
		regs[dwarf_regs[i]] = take(c);
	size = take(c);
	stack = c->at;
	if (size > (size_t)(c->end - c->at) * sizeof(uint64_t) || size % sizeof(uint64_t))
		return;
	c->at += size / sizeof(uint64_t);
	live = size ? take(c) : 0;
	if (!abi) /* a thread of the kernel */
		return;
	if (abi == PERF_SAMPLE_REGS_ABI_32) {
		src->uips[user->n++] = regs[16];
		user->stop = STOP_COMPAT;
		return;
	}
	rest.bytes = (uint32_t)(live < size ? live : size);
	rest.regs = (struct unwind_regs){ .ip = regs[16], .sp = regs[7], .bp = regs[6], .bx = regs[3], .is_exact = 1 };
	memcpy(rest.leaf, regs, sizeof(rest.leaf));
	src->uips[0] = rest.regs.ip;
	user->n = 1 + src->unwind->guide->walk(src->unwind->guide, src->store, &rest, stack, src->uips + 1, src->max_frames - 1, &end);
	user->stop = unwinder_stop(end);
	src->cut_copies += user->stop == STOP_NO_STACK && rest.bytes == STACK_BYTES;
}

static uint16_t event_of(const struct src_perf *src, uint64_t id)
{
	const struct id key = { .id = id }, *found;

	if (src->cfg->nr_events == 1)
		return 0;
	found = bsearch(&key, src->ids.data, src->ids.n, sizeof(key), by_id);
	return found ? found->event : 0;
}

static int take_sample(void *arg, const struct perf_event_header *h, uint32_t cpu, struct sink *sink)
{
	struct src_perf *src = arg;
	struct cursor c = { (const uint64_t *)(h + 1), (const uint64_t *)((const char *)h + (h->size & ~7u)) };
	bool in_kernel = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct sample s = { .count = 1, .cpu = cpu, .chains = { { .ips = src->kips }, { .ips = src->uips } } };
	struct chain *kernel = &s.chains[CHAIN_KERNEL], *user = &s.chains[CHAIN_USER];
	uint64_t who;

	s.event = event_of(src, take(&c));
	s.ip = take(&c);
	who = take(&c);
	s.pid = (uint32_t)who;
	s.tid = (uint32_t)(who >> 32);
	s.time_ns = take(&c);
	if (src->sample_type & PERF_SAMPLE_ADDR)
		s.addr = take(&c);
	take(&c); /* CPU */
	s.weight = take(&c);
	if (src->sample_type & PERF_SAMPLE_CALLCHAIN)
		take_chain(src, &c, &s);
	if (src->sample_type & PERF_SAMPLE_STACK_USER)
		take_copy(src, &c, &s);
	/* Of a part that is left out nothing is known, and so not where in it the sample was. */
	if (in_kernel ? src->cfg->no_kernel_stack : src->cfg->no_user_stack)
		s.ip = sample_leaf(&s);
	/* An interrupted kernel without its chain, and a leaf without a walk, are still where the sample was. */
	if (in_kernel && !kernel->n && !src->cfg->no_kernel_stack)
		src->kips[kernel->n++] = s.ip;
	if (!in_kernel && !user->n && !src->cfg->no_user_stack)
		src->uips[user->n++] = s.ip;
	if (src->max_frames == 1)
		kernel->stop = user->stop = STOP_LEAF;
	src->delivered++;
	return sink->sample(sink, &s);
}

static int drain(struct source *source, struct sink *sink)
{
	return sideband_drain(((struct src_perf *)source)->sideband, now_ns(), sink);
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	(void)source, (void)sink, (void)err;
	return 0;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_perf *src = (const struct src_perf *)source;
	uint64_t lost = sideband_lost(src->sideband);

	profile->seen += src->delivered + lost;
	profile->kept += src->delivered;
	profile->losses[LOSS_RING_FULL] += lost;
	profile->losses[LOSS_THROTTLED] += sideband_throttled(src->sideband);
	profile_note(profile, "sampled by perf events, without BPF (which needs CAP_BPF and CAP_PERFMON): only the target's own tasks%s",
		     src->has_kernel ? "" : ", only in user space (kernel.perf_event_paranoid)");
	if (src->cut_copies)
		profile_note(profile, "%llu user stacks cut short: the kernel copies only %u KiB of each (try --call-graph fp)",
			     (unsigned long long)src->cut_copies, STACK_BYTES >> 10);
}

static void close_source(struct source *source)
{
	struct src_perf *src = (struct src_perf *)source;

	for (size_t i = 0; i < src->fds.n; i++)
		close(src->fds.data[i]);
	for (size_t i = 0; i < src->dummies.n; i++)
		close(src->dummies.data[i]);
	vec_free(&src->fds);
	vec_free(&src->dummies);
	vec_free(&src->ids);
	sideband_close(src->sideband);
	rowstore_free(src->store);
	free(src);
}

struct source *src_perf_new(const struct sample_cfg *cfg, const struct unwinder_cfg *unwind)
{
	struct src_perf *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.open = open_source,
		.fd = poll_fd,
		.start = start,
		.pause = set_paused,
		.stop = stop,
		.drain = drain,
		.finish = finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->cfg = cfg;
	src->unwind = unwind;
	src->chain_max = kernel_max_frames();
	src->max_frames = cfg->max_frames == 1 ? 1 : unwind->max_frames ? unwind->max_frames : STACK_MAX_FRAMES;
	return &src->source;
}
