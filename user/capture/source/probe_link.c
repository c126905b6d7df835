/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sites whose expressions came to the same code share one program: a glob without arguments is one program and one link, however
 * many functions it stands for.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/probe.h"
#include "capture/clone.h"
#include "capture/cost.h"
#include "capture/features.h"
#include "capture/refusal.h"
#include "capture/source/probe_parts.h"

/* What a program is for. */
enum role { ROLE_HIT, ROLE_ENTER, ROLE_DEEP };

static bool needs_call(const struct site *s)
{
	return !s->at_ret && (s->bound.needs_entry || s->bound.needs_latency);
}

/* Do only entries tell which returns will be missing? Those of a call's entry tell it, too. */
static bool needs_deep(const struct probe *p, const struct site *s)
{
	return (p->spec.kind == PROBE_USER || p->spec.kind == PROBE_USDT) && p->spec.is_return && !s->at_ret && !needs_call(s);
}

/*
 * A trampoline is the cheapest way to one kernel function, and has its arguments when it returns, but neither registers, nor the
 * stack, nor the time of the entry. Its programs may be preempted, which kernels without cookies (before 5.15) have no scratch for.
 */
static bool may_have_trampoline(const struct probe_set *set, const struct probe *p, const struct site *s)
{
	if (p->spec.kind != PROBE_KERNEL || p->sites.is_glob || p->spec.has_offset || s->module || !s->btf_id ||
	    !s->has_plain_args || s->bound.needs_latency ||
	    s->bound.needs_depth || set->has_stacks)
		return false;
	for (size_t i = 0; i < s->bound.nodes.n; i++)
		if (s->bound.nodes.data[i].kind == BOUND_SP || s->bound.nodes.data[i].kind == BOUND_REG ||
		    (s->bound.nodes.data[i].kind == BOUND_ARG && s->bound.nodes.data[i].num >= s->nr_params))
			return false;
	return feature_use(FEATURE_COOKIE) && feature_use(FEATURE_FENTRY);
}

static enum gen_context context_of(const struct probe *p, const struct site *s, bool on_trampoline)
{
	return p->spec.kind == PROBE_TRACEPOINT ? GEN_RECORD : on_trampoline ? GEN_ARGS : needs_call(s) ? GEN_CALL : GEN_REGS;
}

int probe_add_dest(struct probe_set *set, struct gen_dest d)
{
	if (vec_reserve(&set->dests))
		return -ENOMEM;
	set->dests.data[set->dests.n++] = d;
	return 0;
}

static uint32_t want_of(const struct probe *p, const struct site *s, bool on_trampoline)
{
	uint32_t want = p->spec.kind == PROBE_USER || p->spec.kind == PROBE_USDT ? PROBE_WANT_USER : 0;

	if (s->bound.filter)
		want |= PROBE_WANT_FILTER;
	if (needs_call(s) && !on_trampoline)
		want |= PROBE_WANT_CALL;
	if (s->bound.needs_depth)
		want |= PROBE_WANT_DEPTH;
	return want;
}

static int make_code(struct probe_set *set, const struct probe *p, const struct site *s, const struct placed *placed, bool on_trampoline,
		     struct code *ret_code, struct err *err)
{
	struct gen g = { .globs = set->globs, .nr_globs = &set->nr_globs };
	const struct gen_cfg cfg = {
		.probe = &s->bound,
		.context = context_of(p, s, on_trampoline),
		.is_user = p->spec.kind == PROBE_USER || p->spec.kind == PROBE_USDT,
		.is_go = p->sites.is_go,
		.nr_params = s->nr_params,
		.dests = set->dests.data + placed->first_dest,
		.nr_dests = placed->nr_dests,
		.globs_fd = set->globs_fd,
	};
	int ret = gen_code(&cfg, &g, err);

	if (ret) {
		vec_free(&g.insns);
		return ret;
	}
	*ret_code = (struct code){ g.insns.data, g.insns.n };
	return 0;
}

static bool same_code(const struct group *g, const struct probe *p, bool is_module, const struct code *c, uint32_t want, uint32_t bytes)
{
	return g->probe == p && !g->on_trampoline && g->is_module == is_module && g->want == want && g->bytes == bytes && g->code.n == c->n &&
	       !memcmp(g->code.insns, c->insns, c->n * sizeof(*c->insns));
}

/* Does its code read the record of the tracepoint? */
static bool reads_record(const struct probe_set *set, const struct site *s, const struct placed *placed)
{
	for (uint32_t i = 0; i < placed->nr_dests; i++)
		if (s->bound.args[set->dests.data[placed->first_dest + i].arg].show == VALUE_RECORD)
			return true;
	for (size_t i = 0; i < s->bound.nodes.n && (s->bound.filter || placed->nr_dests); i++)
		switch (s->bound.nodes.data[i].kind) {
		case BOUND_RECORD:
		case BOUND_RECORD_AT:
		case BOUND_RECORD_LOC:
			return true;
		}
	return s->bound.needs_depth; /* from where perf's tracepoint is */
}

static int add_site(struct probe_set *set, const struct probe *p, const struct site *s, uint32_t index, struct err *err)
{
	struct placed *placed = &set->placed[index];
	int ret = set->place ? set->place(set->arg, set, p, s, placed) : 0;
	bool on_trampoline = may_have_trampoline(set, p, s);
	uint32_t want = want_of(p, s, on_trampoline);
	struct code code;
	struct group *g = NULL;

	if (ret == -EMSGSIZE)
		return err_exit(err, ret, EXIT_USAGE, "the values of '%s' have more than %d bytes: use a smaller --text-size", s->name, PROBE_DATA_MAX);
	if (!ret)
		ret = make_code(set, p, s, placed, on_trampoline, &code, err);
	if (ret)
		return ret;
	/* Of a glob most are alike: the newest groups first. */
	for (size_t i = set->groups.n; i > 0 && !g; i--)
		if (same_code(&set->groups.data[i - 1], p, s->module, &code, want, placed->bytes))
			g = &set->groups.data[i - 1];
	if (g) {
		free(code.insns);
	} else {
		if (vec_reserve(&set->groups)) {
			free(code.insns);
			return -ENOMEM;
		}
		g = &set->groups.data[set->groups.n++];
		*g = (struct group){ .probe = p, .code = code, .want = want, .bytes = placed->bytes, .on_trampoline = on_trampoline,
				      .is_module = s->module, .on_record = reads_record(set, s, placed) };
	}
	if (vec_reserve(&g->sites))
		return -ENOMEM;
	g->sites.data[g->sites.n++] = index;
	return 0;
}

static int group_sites(struct probe_set *set, struct err *err)
{
	uint32_t index = 0;

	for (int p = 0; p < set->nr_probes; p++)
		for (size_t i = 0; i < set->probes[p].sites.all.n; i++) {
			int ret = add_site(set, &set->probes[p], &set->probes[p].sites.all.data[i], index++, err);

			if (ret)
				return ret;
		}
	return 0;
}

/* What a group is attached as. */
static enum attach_how how_of(const struct probe_set *set, const struct group *g, bool *ret_many)
{
	bool user = g->want & PROBE_WANT_USER, many;

	*ret_many = false;
	if (g->on_trampoline)
		return ATTACH_FENTRY;
	if (g->probe->spec.kind == PROBE_TRACEPOINT)
		return g->on_record || set->has_stacks ? ATTACH_TRACEPOINT : ATTACH_RAW;
	if (g->probe->spec.has_offset && !user)
		return ATTACH_KPROBE;
	many = (user || g->sites.n > 1) && !g->is_module && feature_use(user ? FEATURE_UPROBE_MULTI : FEATURE_KPROBE_MULTI);
	*ret_many = many;
	return user ? many ? ATTACH_UPROBE_MULTI : ATTACH_UPROBE : many ? ATTACH_KPROBE_MULTI : ATTACH_KPROBE;
}

/* The number that a site has in records: its own, or the one of all sites of its probe. */
static uint64_t index_of(const struct group *g, uint32_t site)
{
	return g->probe->has_event ? g->probe->event : site;
}

/* row: PROBE_NO_CALLS, or its own in the map of calls. */
static int load_for(struct probe_set *set, const struct bpf_program *model, const struct group *g, enum attach_how how, uint64_t index,
		    enum role role, uint64_t row, struct err *err)
{
	struct clone_mark marks[4];
	size_t nr_marks = 0;
	struct clone_as as = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.attach_type = how == ATTACH_KPROBE_MULTI ? ATTACH_TYPE_KPROBE_MULTI : how == ATTACH_UPROBE_MULTI ? ATTACH_TYPE_UPROBE_MULTI : 0,
		.body = role ? NULL : g->code.insns,
		.nr_body = role ? 0 : g->code.n,
		.body_mark = PROBE_BODY_MARK,
		.btf_fd = role ? 0 : set->btf_fd,
	};
	int fd;

	if (role != ROLE_DEEP) {
		marks[nr_marks++] = (struct clone_mark){ PROBE_INDEX_MARK, index };
		marks[nr_marks++] = (struct clone_mark){ PROBE_WANT_MARK, g->want };
	}
	if (role == ROLE_HIT && set->has_calls)
		marks[nr_marks++] = (struct clone_mark){ PROBE_CALLS_MARK, row };
	if (role == ROLE_HIT && set->has_size)
		marks[nr_marks++] = (struct clone_mark){ PROBE_SIZE_MARK, sizeof(struct probe_rec) + g->bytes };
	if (how == ATTACH_RAW)
		as.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	if (how == ATTACH_TRACEPOINT)
		as.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	if (how == ATTACH_FENTRY) {
		as.prog_type = BPF_PROG_TYPE_TRACING;
		as.attach_type = g->probe->spec.is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
		as.btf_id = probe_set_site(set, g->sites.data[0], NULL)->btf_id;
	}
	fd = clone_load_as(model, marks, nr_marks, &as, PROBE_WHAT, err);

	if (fd >= 0 && vec_reserve(&set->prog_fds)) {
		close(fd);
		return -ENOMEM;
	}
	if (fd >= 0)
		set->prog_fds.data[set->prog_fds.n++] = fd;
	return fd;
}

static int load(struct probe_set *set, const struct bpf_program *model, const struct group *g, enum attach_how how, uint64_t index, enum role role,
		struct err *err)
{
	return load_for(set, model, g, how, index, role, PROBE_NO_CALLS, err);
}

int probe_load_calls(struct probe_set *set, const struct group *g, uint32_t row, struct err *err)
{
	return load_for(set, set->model, g, ATTACH_TRACEPOINT, index_of(g, g->sites.data[0]), ROLE_HIT, row, err);
}

static void set_place(const struct probe_set *set, const struct group *g, uint32_t site, char *name, size_t size, struct attach_place *p)
{
	const struct site *s = probe_set_site(set, site, NULL);

	*p = (struct attach_place){ .offset = s->addr, .semaphore = s->semaphore, .tracepoint = s->tracepoint, .cookie = site,
				    .name = g->probe->sites.path };
	if (g->probe->spec.kind == PROBE_KERNEL) {
		p->offset = g->probe->spec.lasting ? s->addr : g->probe->spec.offset;
		if (s->module)
			snprintf(name, size, "%s:%s", s->module, s->name);
		p->name = s->module ? name : s->name;
	}
}

static const char *why_not(const struct group *g, int ret)
{
	bool kernel = g->probe->spec.kind == PROBE_KERNEL;

	switch (-ret) {
	case ENOENT:
		return kernel ? "no such kernel function" : "no such file";
	case EADDRNOTAVAIL:
		return "several functions have that name";
	case EOPNOTSUPP:
		return kernel ? "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)" : "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)";
	case 524: /* ENOTSUPP of the kernel's own */
		return "the kernel cannot run this instruction under a probe";
	case EINVAL:
	case EILSEQ:
	case EBUSY:
		return kernel ? "the kernel allows no probe there" : "the kernel allows no probe at this instruction";
	default:
		return strerror(-ret);
	}
}

static int not_possible(const struct probe_set *set, const struct group *g, struct err *err)
{
	err_exit(err, -EOPNOTSUPP, EXIT_CANNOT, "cannot attach to '%s': %s", probe_set_site(set, g->sites.data[0], NULL)->name,
		 why_not(g, -EOPNOTSUPP));
	err_hint(err, "skep doctor shows what this kernel can do; tracepoints (t:) work on every kernel");
	return -EOPNOTSUPP;
}

/* One that cannot be attached: of a glob it is left out, with a note. */
static int refuse(const struct probe_set *set, const struct group *g, uint32_t site, int ret, struct err *err)
{
	const struct site *s = probe_set_site(set, site, NULL);
	struct probe *p = (struct probe *)g->probe;

	if (p->sites.is_glob && ret != -EPERM && ret != -EACCES && ret != -EMFILE)
		return site_refuse(&p->sites, s->name, why_not(g, ret));
	if (p->spec.kind == PROBE_KERNEL && !s->module && (ret == -ENOENT || ret == -EINVAL || ret == -EADDRNOTAVAIL))
		return site_kernel_refused(s->name, ret, err);
	err_exit(err, ret, ret == -ENOENT ? EXIT_USAGE : EXIT_CANNOT, "cannot attach to '%s%s%s': %s", s->module ? s->module : "",
		 s->module ? ":" : "", s->name, s->module && ret == -ENOENT ? "no such module, or no such function in it" : why_not(g, ret));
	if (ret == -EPERM || ret == -EACCES)
		kernel_hint_perf(err);
	return ret;
}

/* A raw tracepoint; by perf where only perf knows it. */
static int attach_tracepoint(struct probe_set *set, const struct group *g, uint32_t site, struct err *err)
{
	uint64_t index = index_of(g, site);
	struct attach_place place;
	const char *name = probe_set_site(set, site, NULL)->name;
	int fd, ret = -ENOENT;

	if (strncmp(name, "syscalls:", strlen("syscalls:"))) {
		fd = load(set, set->model, g, ATTACH_RAW, index, ROLE_HIT, err);
		if (fd < 0)
			return fd;
		ret = attach_raw(&set->attachments, fd, name);
	}
	if (ret != -ENOENT)
		return ret ? refuse(set, g, site, ret, err) : 0;
	fd = load(set, set->model, g, ATTACH_TRACEPOINT, index, ROLE_HIT, err);
	if (fd < 0)
		return fd;
	set_place(set, g, site, NULL, 0, &place);
	ret = attach_one(&set->attachments, ATTACH_TRACEPOINT, fd, &place, false, false);
	return ret ? refuse(set, g, site, ret, err) : 0;
}

static int attach_singly(struct probe_set *set, const struct group *g, const struct bpf_program *model, enum attach_how how, bool is_return,
			 enum role role, struct err *err)
{
	bool cookie = role != ROLE_DEEP && g->sites.n > 1 && !g->probe->has_event && feature_use(FEATURE_COOKIE);
	bool same = cookie || g->probe->has_event || role == ROLE_DEEP;
	int fd = -1;

	for (size_t i = 0; i < g->sites.n; i++) {
		char name[2 * PROBE_NAME_MAX];
		struct attach_place place;
		int ret;

		if (set->served[g->sites.data[i]])
			continue;
		if (how == ATTACH_RAW) {
			ret = attach_tracepoint(set, g, g->sites.data[i], err);
			if (ret)
				return ret;
			continue;
		}
		if (fd < 0 || !same)
			fd = load(set, model, g, how, cookie ? PROBE_INDEX_COOKIE : index_of(g, g->sites.data[i]), role, err);
		if (fd < 0)
			return fd;
		set_place(set, g, g->sites.data[i], name, sizeof(name), &place);
		ret = attach_one(&set->attachments, how, fd, &place, is_return, cookie);
		if (ret)
			ret = refuse(set, g, g->sites.data[i], ret, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* One link for [from, from + n); where that is refused its halves are tried, down to the one that is to blame. */
static int attach_range(struct probe_set *set, const struct group *g, int fd, enum attach_how how, size_t from, size_t n, bool is_return,
			struct err *err)
{
	struct attach_place *places = calloc(n, sizeof(*places));
	char (*names)[2 * PROBE_NAME_MAX] = calloc(n, sizeof(*names));
	int ret = places && names ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++)
		set_place(set, g, g->sites.data[from + i], names[i], sizeof(names[i]), &places[i]);
	if (!ret)
		ret = attach_many(&set->attachments, how, fd, places, n, is_return);
	free(places);
	free(names);
	if (!ret || ret == -ENOMEM || ret == -EPERM || ret == -EACCES)
		return ret ? refuse(set, g, g->sites.data[from], ret, err) : 0;
	if (n == 1)
		return refuse(set, g, g->sites.data[from], ret, err);
	ret = attach_range(set, g, fd, how, from, n / 2, is_return, err);
	return ret ? ret : attach_range(set, g, fd, how, from + n / 2, n - n / 2, is_return, err);
}

static int attach_side(struct probe_set *set, const struct group *g, const struct bpf_program *model, bool is_return, enum role role, struct err *err)
{
	bool many;
	enum attach_how how = how_of(set, g, &many);
	int fd;

	if (!many && set->has_calls && g->probe->spec.kind == PROBE_TRACEPOINT) {
		int ret = probe_calls_attach(set, g, err);

		if (ret)
			return ret;
	}
	if (!many)
		return attach_singly(set, g, model, how, is_return, role, err);
	fd = load(set, model, g, how, g->probe->has_event || g->sites.n == 1 ? index_of(g, g->sites.data[0]) : PROBE_INDEX_COOKIE, role, err);
	return fd < 0 ? fd : attach_range(set, g, fd, how, 0, g->sites.n, is_return, err);
}

/* The same site by a kprobe: its code is another. */
static int leave_trampoline(struct probe_set *set, struct group *g, struct err *err)
{
	const struct site *s = probe_set_site(set, g->sites.data[0], NULL);
	struct code code;
	int ret = make_code(set, g->probe, s, &set->placed[g->sites.data[0]], false, &code, err);

	if (ret)
		return ret;
	free(g->code.insns);
	g->code = code;
	g->want = want_of(g->probe, s, false);
	g->on_trampoline = false;
	return 0;
}

static int attach_to_trampoline(struct probe_set *set, const struct group *g)
{
	struct err quiet = { 0 };
	int fd = load(set, set->model, g, ATTACH_FENTRY, index_of(g, g->sites.data[0]), ROLE_HIT, &quiet);

	return fd < 0 ? fd : attach_trampoline(&set->attachments, fd);
}

/* Entries first: a return whose entry is not there would be none. */
static int attach_group(struct probe_set *set, struct group *g, struct err *err)
{
	const struct site *s = probe_set_site(set, g->sites.data[0], NULL);
	int ret = 0;

	if (g->on_trampoline) {
		if (!attach_to_trampoline(set, g))
			return 0;
		ret = leave_trampoline(set, g, err);
	}
	if (!ret && g->want & PROBE_WANT_CALL)
		ret = attach_side(set, g, set->enter, false, ROLE_ENTER, err);
	if (!ret && needs_deep(g->probe, s))
		ret = attach_side(set, g, set->deep, false, ROLE_DEEP, err);
	return ret ? ret : attach_side(set, g, set->model, g->probe->spec.is_return && !s->at_ret, ROLE_HIT, err);
}

int probe_set_attach(struct probe_set *set, struct err *err)
{
	const struct refused *r;
	__u32 zero = 0;
	int ret = group_sites(set, err);

	if (!ret && set->nr_globs && bpf_map_update_elem(set->globs_fd, &zero, set->globs, BPF_ANY))
		ret = err_set(err, -errno, "cannot set the patterns: %s", strerror(errno));
	for (size_t i = 0; i < set->groups.n && !ret; i++) {
		struct group *g = &set->groups.data[i];

		if (g->probe->spec.kind != PROBE_TRACEPOINT && attach_pmu(g->want & PROBE_WANT_USER) < 0)
			return not_possible(set, g, err);
		ret = attach_group(set, g, err);
	}
	if (ret || set->attachments.all.n)
		return ret;
	r = set->probes[0].sites.refused.data;
	return err_exit(err, -ENOENT, EXIT_CANNOT, "none of these functions can be probed: '%s': %s", r ? r->name : "?", r ? r->why : "?");
}

const struct site *probe_set_site(const struct probe_set *set, uint32_t i, const struct probe **ret_probe)
{
	return probe_site(set->probes, set->nr_probes, i, ret_probe);
}

bool probe_set_has_calls(const struct probe_set *set)
{
	for (int p = 0; p < set->nr_probes; p++)
		for (size_t i = 0; i < set->probes[p].sites.all.n; i++)
			if (needs_call(&set->probes[p].sites.all.data[i]))
				return true;
	return false;
}

bool probe_set_has_deep(const struct probe_set *set)
{
	for (int p = 0; p < set->nr_probes; p++)
		for (size_t i = 0; i < set->probes[p].sites.all.n; i++)
			if (needs_deep(&set->probes[p], &set->probes[p].sites.all.data[i]))
				return true;
	return false;
}

/* The tables that patterns step through; code refers to them by their descriptor, so they are made first and filled last. */
int probe_set_open(struct probe_set *set, struct err *err)
{
	for (int p = 0; p < set->nr_probes; p++)
		set->nr_sites += set->probes[p].sites.all.n;
	set->placed = calloc(set->nr_sites + 1, sizeof(*set->placed));
	set->served = calloc(set->nr_sites + 1, sizeof(*set->served));
	set->globs = calloc(GEN_GLOBS_MAX, sizeof(*set->globs));
	set->globs_fd = -1;
	if (!set->placed || !set->globs || !set->served)
		return -ENOMEM;
	set->globs_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "globs", 4, GEN_GLOBS_MAX * sizeof(*set->globs), 1, NULL);
	return set->globs_fd < 0 ? kernel_load_refused(set->globs_fd, PROBE_WHAT, err) : 0;
}

uint64_t probe_set_missed(const struct probe_set *set)
{
	uint64_t missed = attachments_missed(&set->attachments);

	for (size_t i = 0; i < set->prog_fds.n; i++)
		missed += cost_of_misses(set->prog_fds.data[i]);
	return missed;
}

void probe_set_profile(const struct probe_set *set, struct profile *profile)
{
	for (int i = 0; i < set->nr_probes; i++) {
		const struct site_list *l = &set->probes[i].sites;

		profile->losses[LOSS_NOT_PROBED] += l->refused.n;
		if (l->refused.n)
			profile_note(profile, "not probed: %s: %s%s", l->refused.data[0].name, l->refused.data[0].why,
				     l->refused.n > 1 ? "; and others (skep -v probe lists all)" : "");
	}
	for (size_t i = 0; i < set->prog_fds.n; i++)
		cost_of_prog(set->prog_fds.data[i], &profile->receipt);
}

void probe_set_close(struct probe_set *set)
{
	attachments_free(&set->attachments);
	for (size_t i = 0; i < set->prog_fds.n; i++)
		close(set->prog_fds.data[i]);
	for (size_t i = 0; i < set->groups.n; i++) {
		free(set->groups.data[i].code.insns);
		vec_free(&set->groups.data[i].sites);
	}
	if (set->placed && set->globs_fd >= 0)
		close(set->globs_fd);
	vec_free(&set->prog_fds);
	vec_free(&set->dests);
	vec_free(&set->groups);
	free(set->globs);
	free(set->served);
	free(set->placed);
}
