/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/browser_pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/tree/render.h"
#include "util/outfile.h"
#include "util/text.h"

void page_flame(struct browser *b, const char *name, struct tree *tree, const struct profile *p)
{
	struct flame_cfg cfg = { 0 };
	struct err err = { 0 };
	struct outfile out;
	time_t now = time(NULL);
	char when[32], path[128];
	struct tm tm;

	if (!tree) {
		browser_say(b, "stacks are not recorded");
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
