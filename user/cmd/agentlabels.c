/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/agentlabels.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/containers.h"
#include "target.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/map.h"
#include "util/text.h"
#include "util/vec.h"

#define CONTAINER_DIGITS 64 /* of docker, containerd, CRI-O and podman */
#define CONTAINER_SHOWN 12
#define USER_MANAGER "user@"

struct group {
	uint64_t id;
	const char *path, *unit, *container, *name, *image; /* interned; of a container; NULL: none, or not known */
};

struct agent_labels {
	bool with_pid;
	const struct names *names;
	bool is_noted; /* that files of a runtime cannot be read */
	struct strpool *pool;
	VEC(struct group) groups;
	struct map by_id;
	bool looked; /* since the last round */
};

struct agent_labels *agent_labels_new(bool with_pid, const struct names *names)
{
	struct agent_labels *l = calloc(1, sizeof(*l));

	if (l && !(l->pool = strpool_new())) {
		free(l);
		l = NULL;
	}
	if (l)
		*l = (struct agent_labels){ .with_pid = with_pid, .names = names, .pool = l->pool };
	return l;
}

void agent_labels_free(struct agent_labels *l)
{
	if (!l)
		return;
	strpool_free(l->pool);
	vec_free(&l->groups);
	map_free(&l->by_id);
	free(l);
}

const char *agent_unit(const char *path, size_t *ret_n)
{
	const char *unit = path;
	size_t len = strlen(path);

	for (const char *p = path; *p;) {
		size_t n;

		p += *p == '/';
		n = strcspn(p, "/");
		if (text_ends(p, n, ".service") || text_ends(p, n, ".scope") || text_ends(p, n, ".slice")) {
			unit = p;
			len = n;
		}
		if (!strncmp(p, USER_MANAGER, strlen(USER_MANAGER)) && text_ends(p, n, ".service"))
			break; /* whatever a user calls the units of his own manager */
		p += n;
	}
	*ret_n = len;
	return unit;
}

const char *agent_container(const char *path)
{
	size_t n = 0;

	for (const char *p = path; *p; p++) {
		n = isxdigit((unsigned char)*p) ? n + 1 : 0;
		if (n == CONTAINER_DIGITS && !isxdigit((unsigned char)p[1]))
			return p + 1 - CONTAINER_DIGITS;
	}
	return NULL;
}

/* One that is not known may be new, or gone. */
static const char *path_of(struct agent_labels *l, uint64_t id)
{
	const char *path = target_cgroup_path(NULL, id);

	if (path || l->looked)
		return path;
	l->looked = true;
	target_cgroups_forget();
	return target_cgroup_path(NULL, id);
}

/* By what its runtime says. 0 or -ENOMEM. */
static int name_container(struct agent_labels *l, const char *container, struct group *g)
{
	char id[CONTAINER_DIGITS + 1];
	struct container_about about;

	snprintf(id, sizeof(id), "%s", container);
	if (container_about("", id, &about) == -EACCES && !l->is_noted) {
		log_note("note: containers have no names: files of their runtime cannot be read (needs CAP_DAC_READ_SEARCH)");
		l->is_noted = true;
	}
	if (about.name[0] && !(g->name = strpool_add(l->pool, about.name)))
		return -ENOMEM;
	if (about.image[0] && !(g->image = strpool_add(l->pool, about.image)))
		return -ENOMEM;
	return 0;
}

static const struct group *group_of(struct agent_labels *l, uint64_t id)
{
	int64_t found = map_find(&l->by_id, hash_u64(id));
	const char *path, *unit, *container;
	struct group g = { .id = id };
	size_t n;

	if (found >= 0)
		return &l->groups.data[found];
	path = path_of(l, id);
	if (!path || vec_reserve(&l->groups))
		return NULL;
	unit = agent_unit(path, &n);
	container = agent_container(path);
	if (container && name_container(l, container, &g))
		return NULL;
	g.path = strpool_add(l->pool, path);
	g.unit = strpool_addn(l->pool, unit, n);
	g.container = container ? strpool_addn(l->pool, container, CONTAINER_SHOWN) : NULL;
	if (!g.path || !g.unit || (container && !g.container) || map_add(&l->by_id, hash_u64(id), l->groups.n))
		return NULL;
	l->groups.data[l->groups.n] = g;
	return &l->groups.data[l->groups.n++];
}

const char *agent_labels_unit(struct agent_labels *l, uint64_t cgroup)
{
	const struct group *g = cgroup ? group_of(l, cgroup) : NULL;

	return g ? g->unit : NULL;
}

/* What the process ran then. Returns how many labels that is. */
static int label_program(const struct agent_labels *l, const struct sample *at, struct pprof_label *ret_labels)
{
	const char *id, *path = at->pid ? syms_program(l->names->syms, at->pid, at->time_ns, &id) : NULL;

	if (!path)
		return 0;
	ret_labels[0] = (struct pprof_label){ .key = "exe", .text = path };
	ret_labels[1] = (struct pprof_label){ .key = "build_id", .text = id };
	return *id ? 2 : 1;
}

int agent_labels_of(void *agent_labels, const struct named *named, struct pprof_label *ret_labels)
{
	struct agent_labels *l = agent_labels;
	const struct group *g = named->at->cgroup ? group_of(l, named->at->cgroup) : NULL;
	int n = 0;

	ret_labels[n++] = (struct pprof_label){ .key = "comm", .text = named->comm };
	if (l->with_pid)
		ret_labels[n++] = (struct pprof_label){ .key = "pid", .num = named->at->pid };
	if (g) {
		ret_labels[n++] = (struct pprof_label){ .key = "unit", .text = g->unit };
		ret_labels[n++] = (struct pprof_label){ .key = "cgroup", .text = g->path };
	}
	if (g && g->container)
		ret_labels[n++] = (struct pprof_label){ .key = "container", .text = g->container };
	if (g && g->name)
		ret_labels[n++] = (struct pprof_label){ .key = "container_name", .text = g->name };
	if (g && g->image)
		ret_labels[n++] = (struct pprof_label){ .key = "image", .text = g->image };
	return n + label_program(l, named->at, ret_labels + n);
}

void agent_labels_round(struct agent_labels *l)
{
	l->looked = false;
}
