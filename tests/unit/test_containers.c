/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What runtimes of containers keep, in their forms, and in none: names and images. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/containers.h"

#define ID "5f1c0ffee0000000000000000000000000000000000000000000000000000abc"
#define DOCKER "/var/lib/docker/containers/" ID "/config.v2.json"
#define STORAGE "/var/lib/containers/storage/overlay-containers/containers.json"
#define CONTAINERD "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json"

static char root[] = "/tmp/skep-containers.XXXXXX";

static int make_root(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -r '%s'", root);
	return system(line);
}

static void put(const char *path, const char *text)
{
	char full[512];
	FILE *out;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	out = fopen(full, "w");
	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void expect(int ret, const char *name, const char *image)
{
	struct container_about about;
	int is = container_about(root, ID, &about);

	if (is == -ENOTSUP)
		skip();
	assert_int_equal(is, ret);
	assert_string_equal(about.name, name);
	assert_string_equal(about.image, image);
}

static void each_runtime(void **state)
{
	(void)state;
	expect(-ENOENT, "", "");
	put(CONTAINERD, "{\"ociVersion\":\"1.0.2\",\"annotations\":{\"io.kubernetes.cri.container-name\":\"nginx\",\"io.kubernetes.cri.container-type\":"
			"\"container\",\"io.kubernetes.cri.image-name\":\"docker.io/library/nginx:1.25\",\"io.kubernetes.cri.sandbox-name\":\"web-0\","
			"\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}");
	expect(0, "shop/web-0/nginx", "docker.io/library/nginx:1.25");
	put(CONTAINERD, "{\"annotations\":{\"nerdctl/name\":\"cache\"}}");
	expect(0, "cache", "");
	put(STORAGE, "[{\"id\":\"other\",\"names\":[\"no\"]},{\"id\":\"" ID "\",\"names\":[\"db\",\"alias\"],\"image\":\"0123\",\"metadata\":"
		     "\"{\\\"image-name\\\":\\\"docker.io/library/postgres:16\\\",\\\"name\\\":\\\"db\\\"}\"}]");
	expect(0, "db", "docker.io/library/postgres:16");
	put(STORAGE, "[{\"id\":\"" ID "\",\"names\":[\"k8s_nginx_web-0_shop_3f1c-77_0\"],\"metadata\":\"{\\\"image-name\\\":\\\"quay.io/nginx:1\\\"}\"}]");
	expect(0, "shop/web-0/nginx", "quay.io/nginx:1");
	put(DOCKER, "{\"ID\":\"" ID "\",\"Name\":\"/web\",\"Config\":{\"Image\":\"nginx:1.25\",\"Env\":null}}");
	expect(0, "web", "nginx:1.25");
}

/* None of them says anything, and nothing is read beyond. */
static void other_forms(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "null", "7", "{\"Name\":7,\"Config\":[\"Image\"]}", "{\"Name\":null,\"Config\":{\"Image\":{}}}", "{\"Config\":7}", "\"Name\"",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
		"[{\"id\":7},{\"id\":\"" ID "\",\"names\":7,\"metadata\":\"{\"},7]", "{\"annotations\":7}", "{\"annotations\":{\"io.kubernetes.cri.sandbox-name\":7}}",
	};
	struct container_about about;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(DOCKER, texts[i]);
		put(STORAGE, texts[i]);
		put(CONTAINERD, texts[i]);
		if (container_about(root, ID, &about) == -ENOTSUP)
			skip();
		assert_string_equal(about.name, "");
		assert_string_equal(about.image, "");
	}
}

static void long_texts(void **state)
{
	char text[4096], longer[1025];
	struct container_about about;

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	snprintf(text, sizeof(text), "{\"Name\":\"/%s\",\"Config\":{\"Image\":\"%s\"}}", longer, longer);
	put(DOCKER, text);
	if (container_about(root, ID, &about) == -ENOTSUP)
		skip();
	assert_int_equal(strlen(about.name), CONTAINER_TEXT - 1);
	assert_int_equal(strlen(about.image), CONTAINER_TEXT - 1);
}

static void links_are_not_followed(void **state)
{
	char from[512], to[512];

	(void)state;
	put(DOCKER, "{\"Name\":\"/web\",\"Config\":{\"Image\":\"nginx\"}}");
	snprintf(from, sizeof(from), "%s%s", root, DOCKER);
	snprintf(to, sizeof(to), "%s/elsewhere", root);
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(symlink(to, from), 0);
	expect(-ENOENT, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_runtime, make_root, remove_root),
		cmocka_unit_test_setup_teardown(other_forms, make_root, remove_root),
		cmocka_unit_test_setup_teardown(long_texts, make_root, remove_root),
		cmocka_unit_test_setup_teardown(links_are_not_followed, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
