/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/containers.h"

#include <errno.h>

#ifdef HAVE_JSON_C
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/jsonread.h"
#include "util/text.h"

#define FILE_MAX (16u << 20)

#define DOCKER "/var/lib/docker/containers/%s/config.v2.json"
#define STORAGE "/var/lib/containers/storage"
#define STORAGE_DIR "-containers" /* after the name of the driver: overlay, vfs */
#define CONTAINERD "/run/containerd/io.containerd.runtime.v2.task"

/* Only a regular file of root's, or of skep's user's. 0, or -errno; -EBADMSG: it is no JSON, or too long. */
static int read_json(const char *path, struct json_object **ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), error;
	struct stat st;
	char *text = NULL;
	size_t n = 0;

	*ret = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_uid && st.st_uid != geteuid()))
		error = -EBADMSG;
	else
		error = file_read_fd(fd, (size_t)st.st_size + 1, FILE_MAX, &text, &n);
	close(fd);
	if (!error)
		*ret = jsonread_parse(text, n);
	free(text);
	return error ? error : *ret ? 0 : -EBADMSG;
}

static void keep(char to[CONTAINER_TEXT], const char *text)
{
	if (text)
		snprintf(to, CONTAINER_TEXT, "%s", text);
}

/*
 * k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT, as CRI-O and cri-dockerd have it, becomes NAMESPACE/POD/CONTAINER: none of these has an underscore
 * (they are labels of DNS). The name as it is, if it is no such one.
 */
static void keep_name(char to[CONTAINER_TEXT], const char *name)
{
	char container[64], pod[254], space[64];

	if (name && sscanf(name, "k8s_%63[^_]_%253[^_]_%63[^_]_", container, pod, space) == 3)
		snprintf(to, CONTAINER_TEXT, "%s/%s/%s", space, pod, container);
	else
		keep(to, name);
}

static int of_docker(const char *root, const char *id, struct container_about *ret)
{
	struct json_object *o, *config = NULL;
	const char *name;
	char path[PATH_MAX];
	int error;

	if (snprintf(path, sizeof(path), "%s" DOCKER, root, id) >= (int)sizeof(path))
		return -ENOENT;
	error = read_json(path, &o);
	if (error)
		return error;
	name = jsonread_text(o, "Name");
	keep_name(ret->name, name && *name == '/' ? name + 1 : name);
	if (json_c.get(o, "Config", &config))
		keep(ret->image, jsonread_text(config, "Image"));
	json_c.put(o);
	return 0;
}

/* Of one of containers/storage. What the runtime keeps with it is JSON in a text. */
static void of_entry(const struct json_object *entry, struct container_about *ret)
{
	const char *kept = jsonread_text(entry, "metadata");
	struct json_object *about = kept ? jsonread_parse(kept, strlen(kept)) : NULL, *names, *name;

	if (json_c.get(entry, "names", &names) && json_c.is(names, json_type_array) && json_c.length(names)) {
		name = json_c.at(names, 0);
		keep_name(ret->name, json_c.is(name, json_type_string) ? json_c.text(name) : NULL);
	}
	keep(ret->image, jsonread_text(about, "image-name"));
	json_c.put(about);
}

static int of_storage_file(const char *path, const char *id, struct container_about *ret)
{
	struct json_object *all;
	int error = read_json(path, &all);

	if (error)
		return error;
	error = -ENOENT;
	for (size_t i = 0; error && json_c.is(all, json_type_array) && i < json_c.length(all); i++) {
		const char *other = jsonread_text(json_c.at(all, i), "id");

		if (!other || strcmp(other, id) != 0)
			continue;
		of_entry(json_c.at(all, i), ret);
		error = 0;
	}
	json_c.put(all);
	return error;
}

static bool is_storage(const char *name)
{
	return text_ends(name, strlen(name), STORAGE_DIR);
}

static bool is_space(const char *name)
{
	return name[0] != '.';
}

/* Each directory in `dir` that is one, with a path below it, until one has the container. */
static int each(const char *root, const char *dir, bool (*is_one)(const char *name), const char *below, const char *id,
		int (*look)(const char *path, const char *id, struct container_about *ret), struct container_about *ret)
{
	char path[PATH_MAX];
	struct dirent *one;
	int error = -ENOENT;
	DIR *in;

	if (snprintf(path, sizeof(path), "%s%s", root, dir) >= (int)sizeof(path))
		return -ENOENT;
	in = opendir(path);
	if (!in)
		return -errno;
	while (error && error != -EACCES && (one = readdir(in)))
		if (is_one(one->d_name) && snprintf(path, sizeof(path), "%s%s/%s/%s", root, dir, one->d_name, below) < (int)sizeof(path))
			error = look(path, id, ret);
	closedir(in);
	return error;
}

static int of_storage(const char *root, const char *id, struct container_about *ret)
{
	return each(root, STORAGE, is_storage, "containers.json", id, of_storage_file, ret);
}

/* https://github.com/containerd/containerd: pkg/cri/annotations; https://github.com/containerd/nerdctl: pkg/labels */
static void of_annotations(const struct json_object *a, struct container_about *ret)
{
	const char *pod = jsonread_text(a, "io.kubernetes.cri.sandbox-name"), *space = jsonread_text(a, "io.kubernetes.cri.sandbox-namespace");
	const char *name = jsonread_text(a, "io.kubernetes.cri.container-name");

	if (pod && space)
		snprintf(ret->name, sizeof(ret->name), "%s/%s%s%s", space, pod, name ? "/" : "", name ? name : "");
	else
		keep(ret->name, jsonread_text(a, "nerdctl/name"));
	keep(ret->image, jsonread_text(a, "io.kubernetes.cri.image-name"));
}

static int of_spec(const char *path, const char *id, struct container_about *ret)
{
	struct json_object *o, *annotations;
	int error = read_json(path, &o);

	(void)id;
	if (error)
		return error;
	if (json_c.get(o, "annotations", &annotations))
		of_annotations(annotations, ret);
	json_c.put(o);
	return 0;
}

static int of_containerd(const char *root, const char *id, struct container_about *ret)
{
	char below[NAME_MAX];

	snprintf(below, sizeof(below), "%s/config.json", id);
	return each(root, CONTAINERD, is_space, below, id, of_spec, ret);
}

int container_about(const char *root, const char *id, struct container_about *ret)
{
	static int (*const runtimes[])(const char *root, const char *id, struct container_about *ret) = { of_docker, of_storage, of_containerd };
	int error = -ENOENT;

	*ret = (struct container_about){ 0 };
	if (!jsonread_open())
		return -ENOTSUP;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		int one = runtimes[i](root, id, ret);

		if (!one)
			return 0;
		if (one == -EACCES || one == -EPERM)
			error = -EACCES;
	}
	return error;
}
#else
int container_about(const char *root, const char *id, struct container_about *ret)
{
	(void)root, (void)id;
	*ret = (struct container_about){ 0 };
	return -ENOTSUP;
}
#endif
