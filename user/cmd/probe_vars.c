/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep probe -V: as perf probe -V, each function and a line for each of its arguments. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/probe_run.h"
#include "util/log.h"
#include "util/text.h"

static void print_lines(const char *lines)
{
	char line[512];

	for (size_t n; *lines; lines += n + (lines[n] == '\n')) {
		n = strcspn(lines, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)n, lines);
		fputs("\t", stdout);
		text_print(stdout, line);
		putchar('\n');
	}
}

int probe_vars(struct probe *probes, int nr_probes, struct err *err)
{
	(void)err;
	for (int p = 0; p < nr_probes; p++) {
		const struct site_list *l = &probes[p].sites;

		for (size_t i = 0; i < l->all.n; i++) {
			size_t n = probe_title(&probes[p].spec, l->all.data[i].name, NULL, 0) + 1;
			char *title = malloc(n);

			if (!title)
				return -ENOMEM;
			probe_title(&probes[p].spec, l->all.data[i].name, title, n);
			text_print(stdout, title);
			putchar('\n');
			free(title);
			print_lines(l->all.data[i].vars);
		}
		for (size_t i = 0; i < l->refused.n; i++)
			log_note("note: %s: %s", l->refused.data[i].name, l->refused.data[i].why);
	}
	return 0;
}
