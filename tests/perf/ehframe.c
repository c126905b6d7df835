/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unwinding tables of objects: rows per second, and bytes. usage: ehframe [-s] FILE..., -s: as one, with one set of rules */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unwind/ehframe.h"

struct sum {
	uint64_t files, rows, pages, fdes, bad;
	double secs;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void add_file(const char *path, struct unwind_rules *rules, struct sum *sum)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_table table;
	struct elf_file elf;
	double start = now();

	if (fd < 0)
		return;
	if (!elf_open_fd(fd, &elf)) {
		if (!unwind_table_read(&elf, NULL, rules, &table)) {
			sum->secs += now() - start;
			sum->files++;
			sum->rows += table.nr_rows;
			sum->pages += table.nr_pages;
			sum->fdes += table.nr_fdes;
			sum->bad += table.nr_bad;
			unwind_table_free(&table);
		}
		elf_close(&elf);
	}
	close(fd);
}

static void print_sum(const char *what, const struct sum *sum, const struct unwind_rules *rules)
{
	uint64_t bytes = sum->rows * sizeof(uint32_t) + sum->pages * sizeof(struct unwind_page);

	printf("  %-44s %9llu rows %8llu functions %5llu bad %6u rules %7.2f MB %8.1f ms %6.1f M rows/s\n", what,
	       (unsigned long long)sum->rows, (unsigned long long)sum->fdes, (unsigned long long)sum->bad, rules->n, bytes / 1e6,
	       sum->secs * 1e3, sum->secs > 0 ? sum->rows / sum->secs / 1e6 : 0);
}

/* -s: one line for all of them. */
int main(int argc, char **argv)
{
	bool is_sum = argc > 1 && !strcmp(argv[1], "-s");
	struct sum sum = { 0 };
	struct unwind_rules rules;
	char what[64];

	if (unwind_rules_init(&rules))
		return 1;
	for (int i = 1 + is_sum; i < argc; i++) {
		add_file(argv[i], &rules, &sum);
		if (!is_sum) {
			print_sum(argv[i], &sum, &rules);
			unwind_rules_free(&rules);
			if (unwind_rules_init(&rules))
				return 1;
			sum = (struct sum){ 0 };
		}
	}
	snprintf(what, sizeof(what), "%llu objects", (unsigned long long)sum.files);
	if (is_sum)
		print_sum(what, &sum, &rules);
	unwind_rules_free(&rules);
	return 0;
}
