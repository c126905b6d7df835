/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has changed, as a flame graph: the stacks of both sides in one tree, whose frames have a weight on each. */
#include <errno.h>
#include <string.h>

#include "cmd/diff.h"
#include "cmd/outformat.h"
#include "model/treepair.h"
#include "render/rows/rows.h"
#include "render/tree/render.h"
#include "util/log.h"
#include "util/outfile.h"
#include "util/text.h"

#define DIFF_ENDINGS ".html, .svg, .folded, .json, .csv, .txt"

static const struct picture_format {
	const char *name;
	int (*render)(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);
} formats[] = {
	{ "html", render_html },
	{ "svg", render_svg },
	{ "folded", render_folded },
};

/* What a picture has not: it is of all stacks. */
static int check_picture(const struct diff_options *o, struct err *err)
{
	const struct {
		const char *name;
		bool is_set;
	} options[] = {
		{ "--top", o->view.top }, { "--filter", o->view.filter }, { "--fields", o->view.fields }, { "--compute", o->order != DIFF_BY_CHANGE },
		{ "--percentage", o->percentage },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_set)
			return err_exit(err, -EINVAL, EXIT_USAGE, "%s is of the table, and a flame graph has all stacks", options[i].name);
	return 0;
}

int diff_find_format(struct diff *d, struct err *err)
{
	const struct diff_options *o = d->o;
	const char *dot = o->view.out ? strrchr(o->view.out, '.') : NULL, *ending = dot && !strchr(dot, '/') ? dot + 1 : "";
	struct out_format other;
	const char *name = o->json ? "json" : o->view.format ? o->view.format : ending;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(name, formats[i].name))
			d->picture = &formats[i];
	if (d->picture)
		return check_picture(o, err);
	if (!*name)
		return 0;
	if (name == ending && out_format_find(NULL, o->view.out, &other) && !other.render)
		return err_exit(err, -EINVAL, EXIT_USAGE, "'%s': a change cannot be written in the format of that ending", o->view.out);
	name = name == ending && !strcmp(ending, "txt") ? "text" : name;
	if (!rows_format(name)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "unknown format of '%s'", o->view.out);
		err_hint(err, "use a name that ends in " DIFF_ENDINGS ", or has no ending, or give --format");
		return -EINVAL;
	}
	d->rows_format = name;
	return 0;
}

static const char *name_of(const struct diff *d, uint32_t first, uint32_t n, char *buf, size_t size)
{
	if (n > 1)
		snprintf(buf, size, "%u files", n);
	else
		text_escape(buf, size, d->paths[first]);
	return buf;
}

/* A picture's widths are of the files after the change, and so is what it says of samples. What others lost is a note, before those that may have no room. */
static void picture_profile(const struct diff *d, struct profile *ret_p)
{
	*ret_p = d->profile;
	ret_p->seen = d->after.seen;
	ret_p->kept = d->after.kept;
	ret_p->weight = diff_weight_after(d);
	ret_p->duration_ns = d->after.duration_ns;
	ret_p->nr_notes = 0;
	for (int i = 0; i < LOSS_MAX; i++) {
		uint64_t before = d->profile.losses[i] - d->after.losses[i];

		ret_p->losses[i] = d->after.losses[i];
		if (before)
			profile_note(ret_p, "before the change: %llu %s", (unsigned long long)before, loss_text(i));
	}
	for (uint32_t i = 0; i < d->profile.nr_notes; i++)
		profile_note(ret_p, "%s", d->profile.notes[i]);
}

static int write_to(struct diff *d, const struct treepair *pair, struct outfile *out, struct err *err)
{
	char names[2][256];
	const struct flame_sides sides = {
		.before = pair->before.data,
		.names = { name_of(d, 0, d->nr_before, names[0], sizeof(names[0])),
			   name_of(d, d->nr_before, d->nr_paths - d->nr_before, names[1], sizeof(names[1])) },
	};
	struct flame_cfg cfg = { .sides = &sides };
	struct profile profile;
	int64_t bytes;
	int ret;

	picture_profile(d, &profile);
	ret = d->picture->render(out->stream, &pair->tree, &profile, &cfg);
	if (ret < 0 && !ferror(out->stream))
		return err_set(err, ret, "cannot draw: %s", strerror(-ret));
	bytes = outfile_commit(out, err);
	if (bytes < 0)
		return (int)bytes;
	d->profile.receipt.bytes_out = (uint64_t)bytes;
	if (strcmp(out->path, "-"))
		log_note("wrote %s: %s of %s to %s, %zu frames", out->path, d->event, names[0], names[1], pair->tree.nodes.n - 1);
	return 0;
}

int diff_picture(struct diff *d, struct err *err)
{
	struct treepair pair = { 0 };
	struct outfile out;
	int ret = outfile_open(&out, d->o->view.out ? d->o->view.out : "-", err);

	if (ret)
		return ret;
	out.keep_old = true;
	if (treepair_join(&pair, &d->trees[0], &d->trees[1], d->pool))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = write_to(d, &pair, &out, err);
	outfile_abort(&out);
	treepair_free(&pair);
	if (ret)
		return ret;
	honesty_print(&d->o->h, &d->profile);
	return honesty_exit(&d->o->h, &d->profile, 0, err);
}
