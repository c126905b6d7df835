/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares with a committed file, or rewrites it (GOLDEN_UPDATE=1: tools/golden.sh). Included after cmocka.h. */
#ifndef SKEP_TESTS_GOLDEN_H
#define SKEP_TESTS_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void golden(const char *name, const char *got)
{
	char path[128], *want;
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (getenv("GOLDEN_UPDATE")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(got, file);
		assert_int_equal(fclose(file), 0);
		return;
	}
	file = fopen(path, "r");
	assert_non_null(file);
	want = calloc(1, strlen(got) + 2);
	n = fread(want, 1, strlen(got) + 1, file);
	fclose(file);
	if (n != strlen(got) || memcmp(want, got, n))
		fail_msg("%s differs from what is rendered now: tools/golden.sh, then git diff", path);
	free(want);
}

#endif
