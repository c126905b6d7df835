/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Perf events by the PMUs kprobe and uprobe (4.17, e12f03d7031a), links by bpf(2): structures are uapi/linux/bpf.h's of Linux 6.12. */
#include "capture/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/refusal.h"
#include "util/thread.h"

#define RETURN_BIT 1ull /* config:0 of both PMUs, "format/retprobe" */
#define SEMAPHORE_SHIFT 32 /* PERF_UPROBE_REF_CTR_OFFSET_SHIFT, 5.0 */
#define MULTI_RETURN 1	   /* BPF_F_KPROBE_MULTI_RETURN, BPF_F_UPROBE_MULTI_RETURN */

/* union bpf_attr.link_create with its parts for many places. */
struct link_attr {
	__u32 prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			__u32 flags, cnt;
			__u64 syms, addrs, cookies;
		} kprobe;
		struct {
			__u64 path, offsets, semaphores, cookies;
			__u32 cnt, flags, pid, pad;
		} uprobe;
		struct {
			__u64 cookie;
		} event;
	};
};

int attach_pmu(bool is_user)
{
	static int types[2] = { -ENOENT, -ENOENT };
	int type = types[is_user];
	char path[96];
	FILE *f;

	if (type >= 0)
		return type;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", is_user ? "uprobe" : "kprobe");
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &type) != 1)
		type = -ENOENT;
	if (f)
		fclose(f);
	return types[is_user] = type;
}

#define CLOSERS 32

struct closer {
	pthread_t thread;
	struct attachments *all;
	size_t first;
};

/* Those of events: every CLOSERS-th from the first on. */
static void *close_some(void *arg)
{
	struct closer *c = arg;

	for (size_t i = c->first; i < c->all->all.n; i += CLOSERS) {
		struct attached_link *l = &c->all->all.data[i];

		if (l->link_fd >= 0 && l->event_fd >= 0) {
			close(l->link_fd);
			l->link_fd = -1;
		}
	}
	return NULL;
}

static int open_event(enum attach_how how, const struct attach_place *p, bool is_return)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config = is_return ? RETURN_BIT : 0 };
	bool is_user = how == ATTACH_UPROBE;
	int type;

	if (how == ATTACH_TRACEPOINT) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = p->tracepoint;
	} else {
		type = attach_pmu(is_user);
		if (type < 0)
			return -EOPNOTSUPP;
		attr.type = type;
		attr.config1 = (uintptr_t)p->name;
		attr.config2 = p->offset;
		if (is_user)
			attr.config |= p->semaphore << SEMAPHORE_SHIFT;
	}
	/* The CPU does not matter: the program is the probe's own, and runs wherever that is hit. Ours is there. */
	return kernel_perf_event_open(&attr, -1, sched_getcpu(), -1, 0);
}

static int link_create(struct link_attr *attr)
{
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

static int keep(struct attachments *a, int link_fd, int event_fd)
{
	if (vec_reserve(&a->all)) {
		close(link_fd);
		close(event_fd);
		return -ENOMEM;
	}
	a->all.data[a->all.n++] = (struct attached_link){ link_fd, event_fd };
	return 0;
}

int attach_one(struct attachments *a, enum attach_how how, int prog_fd, const struct attach_place *place, bool is_return, bool cookie)
{
	int fd = open_event(how, place, is_return), link, ret;
	struct link_attr attr = { .prog_fd = prog_fd, .attach_type = BPF_PERF_EVENT };

	if (fd < 0)
		return fd;
	attr.target_fd = fd;
	attr.event.cookie = place->cookie;
	/* 5.15, b89fbfbb854c "bpf: Implement minimal BPF perf link": the link counts missed hits. */
	link = link_create(&attr);
	if (link >= 0)
		return keep(a, link, fd);
	if (cookie || (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)))
		ret = cookie ? link : 0;
	else
		ret = -errno;
	if (ret)
		close(fd);
	return ret ? ret : keep(a, -1, fd);
}

static int attach_kprobes(int prog_fd, const struct attach_place *places, size_t n, bool is_return)
{
	struct link_attr attr = { .prog_fd = prog_fd, .attach_type = ATTACH_TYPE_KPROBE_MULTI };
	const char **syms = calloc(n, sizeof(*syms));
	uint64_t *cookies = calloc(n, sizeof(*cookies));
	int ret = -ENOMEM;

	if (syms && cookies) {
		for (size_t i = 0; i < n; i++) {
			syms[i] = places[i].name;
			cookies[i] = places[i].cookie;
		}
		attr.kprobe.flags = is_return ? MULTI_RETURN : 0;
		attr.kprobe.cnt = n;
		attr.kprobe.syms = (uintptr_t)syms;
		attr.kprobe.cookies = (uintptr_t)cookies;
		ret = link_create(&attr);
	}
	free(syms);
	free(cookies);
	return ret;
}

static int attach_uprobes(int prog_fd, const struct attach_place *places, size_t n, bool is_return)
{
	struct link_attr attr = { .prog_fd = prog_fd, .attach_type = ATTACH_TYPE_UPROBE_MULTI };
	uint64_t *all = calloc(3 * n, sizeof(*all)), *offsets = all, *semaphores = all + n, *cookies = all + 2 * n;
	bool any = false;
	int ret;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		offsets[i] = places[i].offset;
		semaphores[i] = places[i].semaphore;
		cookies[i] = places[i].cookie;
		any |= semaphores[i];
	}
	attr.uprobe.path = (uintptr_t)places[0].name;
	attr.uprobe.offsets = (uintptr_t)offsets;
	attr.uprobe.semaphores = any ? (uintptr_t)semaphores : 0;
	attr.uprobe.cookies = (uintptr_t)cookies;
	attr.uprobe.cnt = n;
	attr.uprobe.flags = is_return ? MULTI_RETURN : 0;
	ret = link_create(&attr);
	free(all);
	return ret;
}

int attach_many(struct attachments *a, enum attach_how how, int prog_fd, const struct attach_place *places, size_t n, bool is_return)
{
	int fd = how == ATTACH_UPROBE_MULTI ? attach_uprobes(prog_fd, places, n, is_return) : attach_kprobes(prog_fd, places, n, is_return);

	return fd < 0 ? fd : keep(a, fd, -1);
}

int attach_trampoline(struct attachments *a, int prog_fd)
{
	int fd = bpf_raw_tracepoint_open(NULL, prog_fd);

	return fd < 0 ? -errno : keep(a, fd, -1);
}

int attach_raw(struct attachments *a, int prog_fd, const char *tracepoint)
{
	const char *colon = strchr(tracepoint, ':');
	int fd = bpf_raw_tracepoint_open(colon ? colon + 1 : tracepoint, prog_fd);

	return fd < 0 ? -errno : keep(a, fd, -1);
}

/* struct bpf_link_info of Linux 6.7 (e2b2cd592adf, 3acf8ace6823), as far as the figures. */
struct link_info {
	__u32 type, id, prog_id, pad;
	union {
		struct {
			__u64 addrs;
			__u32 count, flags;
			__u64 missed;
		} multi;
		struct {
			__u32 type, pad;
			__u64 func_name;
			__u32 name_len, offset;
			__u64 addr, missed;
		} kprobe;
	};
	__u64 more[8];
};
#define LINK_PERF_EVENT 7
#define LINK_KPROBE_MULTI 8

uint64_t attachments_missed(const struct attachments *a)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < a->all.n; i++) {
		struct link_info info = { 0 };
		__u32 size = sizeof(info);

		if (a->all.data[i].link_fd < 0 || bpf_obj_get_info_by_fd(a->all.data[i].link_fd, &info, &size))
			continue;
		if (info.type == LINK_KPROBE_MULTI)
			missed += info.multi.missed;
		else if (info.type == LINK_PERF_EVENT && (info.kprobe.type == 3 || info.kprobe.type == 4)) /* kprobe, kretprobe */
			missed += info.kprobe.missed;
	}
	return missed;
}

/* To close the link of a perf event waits for tasks-trace RCU from 6.12 on, whoever else does: all of them at once. */
static void close_links(struct attachments *a)
{
	struct closer closers[CLOSERS];
	size_t started = 0;

	for (size_t i = 0; i < CLOSERS && a->all.n > 1; i++) {
		closers[i] = (struct closer){ .all = a, .first = i };
		if (!thread_start(&closers[i].thread, close_some, &closers[i]))
			break;
		started++;
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(closers[i].thread, NULL);
}

void attachments_free(struct attachments *a)
{
	close_links(a);
	for (size_t i = 0; i < a->all.n; i++) {
		if (a->all.data[i].link_fd >= 0)
			close(a->all.data[i].link_fd);
		if (a->all.data[i].event_fd >= 0)
			close(a->all.data[i].event_fd);
	}
	vec_free(&a->all);
}
