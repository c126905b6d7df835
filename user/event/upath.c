/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process has its own root, and its own versions of libraries: its mapped files are tried first. */
#include "event/upath.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#else
#define MULTIARCH "aarch64-linux-gnu"
#endif

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Beside a library there are texts for the linker ("libc.so") of the same name. */
static bool is_elf(const char *path)
{
	char magic[4] = "";
	FILE *f = is_file(path) ? fopen(path, "re") : NULL;
	bool is = f && fread(magic, sizeof(magic), 1, f) == 1 && !memcmp(magic, "\177ELF", sizeof(magic));

	if (f)
		fclose(f);
	return is;
}

/* "libc" is the name of "libc.so.6" and "libc-2.31.so". */
static bool is_library(const char *base, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(base, name, n) && (!base[n] || !strncmp(base + n, ".so", 3) || (base[n] == '-' && strstr(base + n, ".so")));
}

/* What the process has mapped by that name. */
static bool in_process(const char *name, uint32_t pid, char *ret_path, size_t size)
{
	char maps[64], line[PATH_MAX + 128];
	bool found = false;
	FILE *f;

	snprintf(maps, sizeof(maps), "/proc/%u/maps", pid);
	f = fopen(maps, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		char *path = strchr(line, '/'), *base;

		if (!path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		base = strrchr(path, '/') + 1;
		found = is_library(base, name) && snprintf(ret_path, size, "/proc/%u/root%s", pid, path) < (int)size && is_file(ret_path);
	}
	if (f)
		fclose(f);
	return found;
}

static bool in_path(const char *name, char *ret_path, size_t size)
{
	const char *at = getenv("PATH");

	for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		int n = (int)strcspn(at, ":");

		if (n && snprintf(ret_path, size, "%.*s/%s", n, at, name) < (int)size && is_file(ret_path) && !access(ret_path, X_OK))
			return true;
	}
	return false;
}

static bool in_libraries(const char *name, char *ret_path, size_t size)
{
	static const char *const dirs[] = { "/lib/" MULTIARCH, "/usr/lib/" MULTIARCH, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib" };
	bool found = false;

	if (strncmp(name, "lib", 3) || strpbrk(name, "*?["))
		return false;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs) && !found; i++) {
		char pattern[PATH_MAX];
		glob_t g;

		snprintf(pattern, sizeof(pattern), "%s/%s*", dirs[i], name);
		if (glob(pattern, 0, NULL, &g))
			continue;
		for (size_t k = 0; k < g.gl_pathc && !found; k++)
			found = is_library(strrchr(g.gl_pathv[k], '/') + 1, name) && is_elf(g.gl_pathv[k]) &&
				snprintf(ret_path, size, "%s", g.gl_pathv[k]) < (int)size;
		globfree(&g);
	}
	return found;
}

int upath_find(const char *path, uint32_t pid, char *ret_path, size_t size, struct err *err)
{
	char real[PATH_MAX];

	if (!strchr(path, '/')) {
		if ((pid && in_process(path, pid, ret_path, size)) || in_path(path, ret_path, size) || in_libraries(path, ret_path, size))
			return 0;
		err_exit(err, -ENOENT, EXIT_USAGE, "cannot probe '%s': no program in PATH and no library has that name", path);
		err_hint(err, "./%s is a file in this directory", path);
		return -ENOENT;
	}
	if (pid && path[0] == '/' && strncmp(path, "/proc/", 6) && snprintf(ret_path, size, "/proc/%u/root%s", pid, path) < (int)size && is_file(ret_path))
		return 0;
	/* The link of /proc/PID/exe leads to deleted files, too: its text would not. */
	if (!strncmp(path, "/proc/", 6) && strlen(path) < size && is_file(path)) {
		strcpy(ret_path, path);
		return 0;
	}
	if (!realpath(path, real) || strlen(real) >= size)
		return err_exit(err, -errno, errno == EACCES ? EXIT_CANNOT : EXIT_USAGE, "cannot probe '%s': %s", path, strerror(errno));
	strcpy(ret_path, real);
	if (!is_file(real))
		return err_exit(err, -EINVAL, EXIT_USAGE, "cannot probe '%s': it is not a file", path);
	return 0;
}
