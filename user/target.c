/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT, who: parsing and checking of targets. */
#include "target.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <linux/magic.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bpf/target.h"
#include "util/cpus.h"
#include "util/num.h"

#define CGROUPS_MADE 4096 /* until a round names what ran in them */
#define PID_LIMIT (1u << 22) /* PID_MAX_LIMIT, include/linux/threads.h */

typedef VEC(uint32_t) vec_u32;

static int add_u32(void *arg, uint64_t value)
{
	vec_u32 *v = arg;

	if (vec_reserve(v))
		return -ENOMEM;
	v->data[v->n++] = value;
	return 0;
}

static int set_list(void *list, const char *text, uint64_t max, const char *what, struct err *err)
{
	int ret = num_list(text, max, add_u32, list);

	if (ret == -ENOMEM)
		return err_set(err, ret, "out of memory");
	if (ret == -ERANGE)
		return err_exit(err, ret, EXIT_USAGE, "bad %s '%s': at most %llu", what, text, (unsigned long long)max);
	if (ret < 0)
		return err_exit(err, ret, EXIT_USAGE, "bad %s '%s': expected numbers such as 1,3-5", what, text);
	return 0;
}

static int set_pids(void *base, const char *text, struct err *err)
{
	return set_list(&((struct target *)base)->pids, text, PID_LIMIT, "process list", err);
}

static int set_tids(void *base, const char *text, struct err *err)
{
	return set_list(&((struct target *)base)->tids, text, PID_LIMIT, "thread list", err);
}

int target_add_cpus(struct target *t, const char *text, struct err *err)
{
	return set_list(&t->cpus, text, CPU_LIMIT, "CPU list", err);
}

static int set_cpus(void *base, const char *text, struct err *err)
{
	return target_add_cpus(base, text, err);
}

/* Calls each() with a copy of every piece of "a,b"; each() returns 1 if it keeps the copy. */
static int each_word(const char *text, int (*each)(struct target *t, const char *word, struct err *err),
		     struct target *t, struct err *err)
{
	int ret = 0;

	for (const char *at = text; !ret; at++) {
		size_t len = strcspn(at, ",");
		char *word = strndup(at, len);

		if (!word)
			return -ENOMEM;
		if (!len) {
			free(word);
			return err_exit(err, -EINVAL, EXIT_USAGE, "empty name in '%s'", text);
		}
		ret = each(t, word, err);
		if (ret <= 0)
			free(word);
		if (ret > 0)
			ret = 0;
		at += len;
		if (!*at)
			break;
	}
	return ret;
}

static int add_user(struct target *t, const char *word, struct err *err)
{
	struct passwd *pw;
	uint64_t uid;

	if (num_u64(word, UINT32_MAX - 1, &uid)) {
		pw = getpwnam(word);
		if (!pw)
			return err_exit(err, -ENOENT, EXIT_FAILED, "no such user '%s'", word);
		uid = pw->pw_uid;
	}
	return add_u32(&t->uids, uid);
}

static int add_comm(struct target *t, const char *word, struct err *err)
{
	if (strlen(word) > 15)
		return err_exit(err, -EINVAL, EXIT_USAGE,
				"bad thread name '%s': a thread name has at most 15 bytes", word);
	if (vec_reserve(&t->comms))
		return -ENOMEM;
	t->comms.data[t->comms.n++] = word;
	return 1;
}

static int add_cgroup(struct target *t, const char *word, struct err *err)
{
	(void)err;
	if (vec_reserve(&t->cgroups))
		return -ENOMEM;
	t->cgroups.data[t->cgroups.n++] = word;
	return 1;
}

static int set_users(void *base, const char *text, struct err *err)
{
	return each_word(text, add_user, base, err);
}

static int set_comms(void *base, const char *text, struct err *err)
{
	return each_word(text, add_comm, base, err);
}

static int set_cgroups(void *base, const char *text, struct err *err)
{
	return each_word(text, add_cgroup, base, err);
}

static int set_as(void *base, const char *text, struct err *err)
{
	if (!getpwnam(text))
		return err_exit(err, -ENOENT, EXIT_FAILED, "no such user '%s'", text);
	((struct target *)base)->as = text;
	return 0;
}

#define OPTS_OF_TASKS \
	{ 'a', "all-cpus", NULL, OPT_FLAG, offsetof(struct target, all), "everything on all CPUs" }, \
	{ 'p', "pid", "PID,...", OPT_CALL, 0, "these processes and the children they start", set_pids, true }, \
	{ 't', "tid", "TID,...", OPT_CALL, 0, "these threads only", set_tids, true }
#define OPTS_OF_OWNERS \
	{ 'u', "uid", "USER,...", OPT_CALL, 0, "only tasks of these users", set_users, true }, \
	{ 'G', "cgroup", "PATH,...", OPT_CALL, 0, "only tasks below these cgroups (v2 path or name)", set_cgroups, true }, \
	{ 0, "comm", "NAME,...", OPT_CALL, 0, "only threads with these names", set_comms, true }, \
	{ 0, "as", "USER", OPT_CALL, 0, "run COMMAND as USER; needs root (default: the user who called sudo)", set_as }

const struct opt target_opts[] = {
	OPTS_OF_TASKS,
	{ 'C', "cpu", "LIST", OPT_CALL, 0, "only on these CPUs, such as 0-3,8", set_cpus, true },
	OPTS_OF_OWNERS,
	{ 0 },
};

const struct opt target_task_opts[] = {
	OPTS_OF_TASKS,
	OPTS_OF_OWNERS,
	{ 0 },
};

const struct opt_rule target_rules[] = {
	{ "all-cpus", .not_with = "pid|tid" },
	{ "as", .needs = OPT_COMMAND },
	{ 0 },
};

bool target_is_command(const struct target *t)
{
	return t->argv && !t->all && !t->pids.n && !t->tids.n && !t->cpus.n && !t->uids.n && !t->comms.n &&
	       !t->cgroups.n;
}

/* Reads a "Name:\tvalue" line of /proc/ID/status. Returns the number or -errno. */
static long status_field(uint32_t id, const char *name)
{
	char path[64], line[256];
	long value = -ENOENT;
	size_t len = strlen(name);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", id);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ':') {
			value = strtol(line + len + 1, NULL, 10);
			break;
		}
	fclose(f);
	return value;
}

uint32_t target_process(uint32_t tid)
{
	long pid = status_field(tid, "Tgid");

	return pid > 0 ? pid : 0;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void drop_twins(uint32_t *data, size_t *n)
{
	size_t kept = 0;

	if (*n)
		qsort(data, *n, sizeof(*data), compare_u32);
	for (size_t i = 0; i < *n; i++)
		if (!kept || data[kept - 1] != data[i])
			data[kept++] = data[i];
	*n = kept;
}

/* A zombie is there, but will never run again. */
static bool is_zombie(uint32_t pid)
{
	char path[64], line[256], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "State: %c", &state) == 1)
			break;
	if (f)
		fclose(f);
	return state == 'Z' || state == 'X';
}

/* A process whose first thread has ended goes on in the others. */
static bool has_threads(uint32_t pid)
{
	long n = status_field(pid, "Threads");

	return n > 1;
}

static int check_tasks(struct target *t, struct err *err)
{
	drop_twins(t->pids.data, &t->pids.n);
	drop_twins(t->tids.data, &t->tids.n);
	drop_twins(t->cpus.data, &t->cpus.n);
	for (size_t i = 0; i < t->pids.n; i++) {
		uint32_t pid = t->pids.data[i];
		long tgid = status_field(pid, "Tgid");

		if (tgid < 0)
			return err_set(err, -ESRCH, "no process %u", pid);
		if (tgid != pid) {
			err_set(err, -ESRCH, "%u is a thread of process %ld", pid, tgid);
			err_hint(err, "use -t %u for the thread or -p %ld for its process", pid, tgid);
			return -ESRCH;
		}
		if (is_zombie(pid) && !has_threads(pid))
			return err_set(err, -ESRCH, "process %u has ended: it is a zombie", pid);
	}
	for (size_t i = 0; i < t->tids.n; i++)
		if (status_field(t->tids.data[i], "Tgid") < 0)
			return err_set(err, -ESRCH, "no thread %u", t->tids.data[i]);
	return 0;
}

static int check_cpus(const struct target *t, struct err *err)
{
	uint32_t *online = NULL;
	int n = t->cpus.n ? cpus_online(&online) : 0, ret = 0;

	for (size_t i = 0; i < t->cpus.n && n > 0 && !ret; i++) {
		int k = 0;

		while (k < n && online[k] != t->cpus.data[i])
			k++;
		if (k == n)
			ret = err_set(err, -ENODEV, "CPU %u is not online", t->cpus.data[i]);
	}
	free(online);
	return ret;
}

/* From /proc/self/mountinfo (proc(5)): hybrid systems hide it in a corner. */
int target_cgroup_mount(char *buf, size_t size)
{
	char line[4096], point[1024];
	int ret = -ENOENT;
	FILE *f = fopen("/proc/self/mountinfo", "re");

	if (!f)
		return -errno;
	while (ret && fgets(line, sizeof(line), f))
		if (strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %1023s", point) == 1 &&
		    strlen(point) < size) {
			strcpy(buf, point);
			ret = 0;
		}
	fclose(f);
	return ret;
}

/* Is path below other, or the same? */
static bool is_within(const char *path, const char *other)
{
	size_t n = strlen(other);

	while (n && other[n - 1] == '/')
		n--;
	return !strncmp(path, other, n) && (path[n] == '/' || !path[n]);
}

/* One that is in the list twice, or below another of it, adds no task. At most FILTER_LIST_MAX. */
static void drop_inner_cgroups(struct target *t)
{
	bool drop[FILTER_LIST_MAX] = {};
	size_t kept = 0;

	for (size_t i = 0; i < t->cgroups.n; i++)
		for (size_t k = 0; k < t->cgroups.n; k++)
			drop[i] |= k != i && !drop[k] && is_within(t->cgroups.data[i], t->cgroups.data[k]);
	for (size_t i = 0; i < t->cgroups.n; i++)
		if (drop[i])
			free((char *)t->cgroups.data[i]);
		else
			t->cgroups.data[kept++] = t->cgroups.data[i];
	t->cgroups.n = kept;
}

static int check_cgroups(struct target *t, struct err *err)
{
	char mount[1024], path[PATH_MAX], procs[PATH_MAX + 32];
	struct statfs fs;
	struct stat st;

	if (!t->cgroups.n)
		return 0;
	if (target_cgroup_mount(mount, sizeof(mount))) {
		err_exit(err, -ENODEV, EXIT_CANNOT, "no cgroup v2 hierarchy is mounted");
		err_hint(err, "mount -t cgroup2 none /sys/fs/cgroup/unified");
		return -ENODEV;
	}
	for (size_t i = 0; i < t->cgroups.n; i++) {
		const char *name = t->cgroups.data[i];
		char *copy;

		snprintf(path, sizeof(path), "%s", name);
		if (strncmp(name, mount, strlen(mount)))
			snprintf(path, sizeof(path), "%s/%s", mount, name + strspn(name, "/"));
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
		if (stat(procs, &st)) {
			err_set(err, -ENOENT, "no cgroup '%s' below %s", name, mount);
			err_hint(err, "cat /proc/PID/cgroup shows a process's path (the line that starts with 0::)");
			return -ENOENT;
		}
		if (statfs(path, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
			return err_set(err, -ENOENT, "'%s' is not a cgroup v2 directory", path);
		copy = realpath(path, NULL);
		if (!copy)
			return -ENOMEM;
		free((char *)name);
		t->cgroups.data[i] = copy;
	}
	drop_inner_cgroups(t);
	return 0;
}

/* "skep record 1234" means that process. */
static int check_command(const struct target *t, struct err *err)
{
	const char *word = t->argv ? t->argv[0] : "";
	size_t len = strlen(word);
	char path[64];

	if (!len || len > 10 || strspn(word, "0123456789") < len)
		return 0;
	snprintf(path, sizeof(path), "/proc/%s", word);
	if (access(path, F_OK))
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "'%s' is a process number, not a COMMAND", word);
	err_hint(err, "-p %s selects that process; ./%s runs a program with that name", word, word);
	return -EINVAL;
}

bool target_is_whole(const struct target *t)
{
	return t->all && !t->uids.n && !t->comms.n && !t->cgroups.n;
}

bool target_is_given(const struct target *t)
{
	return t->argv || t->all || t->pids.n || t->tids.n || t->cpus.n || t->uids.n || t->comms.n || t->cgroups.n;
}

int target_check(struct target *t, struct err *err)
{
	int ret;

	if (!target_is_given(t)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "nothing to measure");
		err_hint(err, "give a COMMAND, -p PID, or -a for the whole machine");
		return -EINVAL;
	}
	if (t->as && geteuid())
		return err_exit(err, -EPERM, EXIT_CANNOT, "--as needs root");
	ret = check_command(t, err);
	if (ret)
		return ret;
	if (t->uids.n > FILTER_LIST_MAX || t->comms.n > FILTER_LIST_MAX || t->cgroups.n > FILTER_LIST_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "at most %d users, names or cgroups in one run",
				FILTER_LIST_MAX);
	ret = check_tasks(t, err);
	if (!ret)
		ret = check_cpus(t, err);
	if (!ret)
		ret = check_cgroups(t, err);
	return ret;
}

void target_free(struct target *t)
{
	for (size_t i = 0; i < t->comms.n; i++)
		free((char *)t->comms.data[i]);
	for (size_t i = 0; i < t->cgroups.n; i++)
		free((char *)t->cgroups.data[i]);
	vec_free(&t->pids);
	vec_free(&t->tids);
	vec_free(&t->cpus);
	vec_free(&t->uids);
	vec_free(&t->comms);
	vec_free(&t->cgroups);
}

struct known_cgroup {
	uint64_t id;
	char *path; /* below the mount point */
};

/* All cgroups, once: a table may have a row for each many times over. They live as long as skep. */
static struct {
	VEC(struct known_cgroup) list;
	size_t skip; /* bytes of the mount point */
	bool is_read;
} known;

/* Those that were made last, also when they are gone again. */
static struct {
	struct known_cgroup ring[CGROUPS_MADE];
	size_t n; /* so far */
} made;

void target_cgroup_made(uint64_t id, const char *path)
{
	struct known_cgroup *k = &made.ring[made.n % CGROUPS_MADE];
	char *copy = strdup(path);

	if (!copy)
		return;
	free(k->path);
	*k = (struct known_cgroup){ id, copy };
	made.n++;
}

bool target_cgroups_are_reported(void)
{
	static int reported = -1;
	unsigned int hierarchy = 1;
	char line[256];
	FILE *f;

	if (reported >= 0)
		return reported;
	f = fopen("/proc/cgroups", "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "perf_event %u", &hierarchy) == 1)
			break;
	if (f)
		fclose(f);
	reported = !hierarchy;
	return reported;
}

static const char *path_of_made(uint64_t id)
{
	for (size_t i = 0; i < made.n && i < CGROUPS_MADE; i++)
		if (made.ring[i].id == id)
			return made.ring[i].path;
	return NULL;
}

static int keep_cgroup(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct known_cgroup *k;

	(void)ftw;
	if (type != FTW_D)
		return 0;
	if (vec_reserve(&known.list))
		return 1;
	k = &known.list.data[known.list.n];
	*k = (struct known_cgroup){ st->st_ino, strdup(path[known.skip] ? path + known.skip : "/") };
	known.list.n += k->path != NULL;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct known_cgroup *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void target_cgroups_forget(void)
{
	for (size_t i = 0; i < known.list.n; i++)
		free(known.list.data[i].path);
	known.list.n = 0;
	known.is_read = false;
}

const char *target_cgroup_path(void *arg, uint64_t id)
{
	struct known_cgroup key = { .id = id }, *k;
	char mount[1024];

	(void)arg;
	if (!known.is_read && !target_cgroup_mount(mount, sizeof(mount))) {
		known.skip = strlen(mount);
		nftw(mount, keep_cgroup, 16, FTW_PHYS | FTW_MOUNT);
		if (known.list.n)
			qsort(known.list.data, known.list.n, sizeof(*known.list.data), by_id);
	}
	known.is_read = true;
	k = known.list.n ? bsearch(&key, known.list.data, known.list.n, sizeof(key), by_id) : NULL;
	return k ? k->path : path_of_made(id);
}
