/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/agentlabels.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/containers.h"
#include "elf/elf.h"
#include "target.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/map.h"
#include "util/text.h"
#include "util/vec.h"

#define CONTAINER_DIGITS 64 /* of docker, containerd, CRI-O and podman */
#define CONTAINER_SHOWN 12
#define USER_MANAGER "user@"
#define DELETED " (deleted)" /* proc(5) */

struct group {
	uint64_t id;
	const char *path, *unit, *container, *name, *image; /* interned; of a container; NULL: none, or not known */
};

/* A file that runs. */
struct exe {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	const char *path, *build; /* interned; build "": it has none */
};

struct agent_labels {
	bool with_pid;
	bool is_noted; /* that files of a runtime cannot be read */
	struct strpool *pool;
	VEC(struct group) groups;
	struct map by_id;
	bool looked; /* since the last round */
	VEC(struct exe) exes;
	struct map by_file;
	VEC(uint32_t) of_process; /* since the last round: positions of exes; UINT32_MAX: not known */
	struct map by_pid;
};

struct agent_labels *agent_labels_new(bool with_pid)
{
	struct agent_labels *l = calloc(1, sizeof(*l));

	if (l && !(l->pool = strpool_new())) {
		free(l);
		l = NULL;
	}
	if (l)
		l->with_pid = with_pid;
	return l;
}

void agent_labels_free(struct agent_labels *l)
{
	if (!l)
		return;
	strpool_free(l->pool);
	vec_free(&l->groups);
	map_free(&l->by_id);
	vec_free(&l->exes);
	map_free(&l->by_file);
	vec_free(&l->of_process);
	map_free(&l->by_pid);
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

static const char *build_of(struct agent_labels *l, const char *proc)
{
	int fd = open(proc, O_RDONLY | O_CLOEXEC);
	char hex[2 * BUILD_ID_MAX + 1] = "";
	uint8_t id[BUILD_ID_MAX];
	struct elf_file elf;

	if (fd >= 0 && !elf_open_fd(fd, &elf)) {
		int n = elf_build_id(&elf, id, sizeof(id));

		for (int i = 0; i < n; i++)
			snprintf(hex + 2 * i, 3, "%02x", id[i]);
		elf_close(&elf);
	}
	if (fd >= 0)
		close(fd);
	return strpool_add(l->pool, hex);
}

static uint32_t exe_new(struct agent_labels *l, const char *proc, const struct stat *st, uint64_t hash)
{
	struct exe e = { .dev = st->st_dev, .ino = st->st_ino, .changed = st->st_mtim };
	char path[PATH_MAX];
	ssize_t n = readlink(proc, path, sizeof(path) - 1);

	if (n < 0)
		return UINT32_MAX;
	path[n] = '\0';
	if (text_ends(path, (size_t)n, DELETED))
		path[n - (ssize_t)strlen(DELETED)] = '\0';
	e.path = strpool_add(l->pool, path);
	e.build = build_of(l, proc);
	if (!e.path || !e.build || vec_reserve(&l->exes) || map_add(&l->by_file, hash, l->exes.n))
		return UINT32_MAX;
	l->exes.data[l->exes.n] = e;
	return (uint32_t)l->exes.n++;
}

static uint32_t look_at(struct agent_labels *l, uint32_t pid)
{
	char proc[sizeof("/proc/4294967295/exe")];
	struct stat st;
	uint64_t hash;

	snprintf(proc, sizeof(proc), "/proc/%u/exe", pid);
	if (stat(proc, &st)) /* a thread of the kernel, or gone */
		return UINT32_MAX;
	hash = hash_pair(st.st_ino, st.st_dev);
	map_each(i, &l->by_file, hash) {
		const struct exe *e = &l->exes.data[i];

		if (e->dev == st.st_dev && e->ino == st.st_ino && e->changed.tv_sec == st.st_mtim.tv_sec && e->changed.tv_nsec == st.st_mtim.tv_nsec)
			return (uint32_t)i;
	}
	return exe_new(l, proc, &st, hash);
}

/* NULL: not known. Each process is looked at once a round: it may become another program, and its number another process. */
static const struct exe *exe_of(struct agent_labels *l, uint32_t pid)
{
	int64_t found = map_find(&l->by_pid, hash_u64(pid));
	uint32_t at = found < 0 ? look_at(l, pid) : l->of_process.data[found];

	if (found < 0 && !vec_reserve(&l->of_process) && !map_add(&l->by_pid, hash_u64(pid), l->of_process.n))
		l->of_process.data[l->of_process.n++] = at;
	return at == UINT32_MAX ? NULL : &l->exes.data[at];
}

int agent_labels_of(void *agent_labels, const struct named *named, struct pprof_label *ret_labels)
{
	struct agent_labels *l = agent_labels;
	const struct group *g = named->at->cgroup ? group_of(l, named->at->cgroup) : NULL;
	const struct exe *e = named->at->pid ? exe_of(l, named->at->pid) : NULL;
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
	if (e)
		ret_labels[n++] = (struct pprof_label){ .key = "exe", .text = e->path };
	if (e && *e->build)
		ret_labels[n++] = (struct pprof_label){ .key = "build_id", .text = e->build };
	return n;
}

void agent_labels_round(struct agent_labels *l)
{
	l->looked = false;
	l->of_process.n = 0;
	map_clear(&l->by_pid);
}
