/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/browser_pages.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/annotate.h"
#include "render/tree/render.h"
#include "util/clock.h"
#include "util/outfile.h"
#include "util/text.h"

#define MAX_WAIT_MS 60000

void page_flame(struct browser *b, const char *name, struct tree *tree, const struct profile *p)
{
	struct flame_cfg cfg = { 0 };
	struct err err = { 0 };
	struct outfile out;
	time_t now = time(NULL);
	char when[32], path[128];
	struct tm tm;

	if (!tree) {
		browser_say(b, BROWSER_NO_STACKS);
		return;
	}
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(path, sizeof(path), "%s-%s.html", name, when);
	if (!outfile_open(&out, path, &err)) {
		tree_end(tree, 0);
		if (render_html(out.stream, tree, p, &cfg) < 0)
			err_set(&err, -EIO, "cannot draw");
		else if (outfile_commit(&out, &err) >= 0)
			browser_say(b, "wrote %s", path);
		outfile_abort(&out);
	}
	if (err.text[0])
		browser_say(b, "%s", err.text);
}

int page_annotation(struct browser *b, const char *function, char *text, int ret, const struct err *err)
{
	char title[300] = "instructions of ";

	if (ret) {
		browser_say(b, "%s", err->text);
		free(text);
		return ret == -ENOMEM ? ret : 0;
	}
	text_escape(title + strlen(title), sizeof(title) - strlen(title), function);
	return browser_text(b, title, text);
}

const struct report_row *page_function(struct browser *b)
{
	const struct report_row *row = browser_row(b);

	if (row && row->sym)
		return row;
	browser_say(b, "this row is not a function");
	return NULL;
}

int page_annotate(struct browser *b, const char *input, const struct symbol_options *symbols)
{
	const struct report_row *row = page_function(b);
	struct symbol_options own = *symbols;
	struct err err = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int ret;

	if (!row)
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	ret = annotate_function(input, row->sym, &own, out, &err);
	fclose(out);
	return page_annotation(b, row->sym, text, ret, &err);
}

int page_loop(struct browser *b, uint64_t ns)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t until_ns = now_ns() + ns;
	int ret = browser_input(b);

	while (!ret) {
		bool waits = ns && browser_is_at_table(b);
		uint64_t at_ns = now_ns(), left_ns = until_ns > at_ns ? until_ns - at_ns : 0;

		if (waits && !left_ns)
			return -ETIME;
		if (poll(&p, 1, waits ? (int)(left_ns / NS_PER_MS < MAX_WAIT_MS ? left_ns / NS_PER_MS + 1 : MAX_WAIT_MS) : -1) < 0 && errno != EINTR)
			return -errno;
		ret = browser_input(b);
	}
	return ret;
}
