/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report for people: perf's columns in perf's places. */
#include "render/rows/report.h"

#include <errno.h>
#include <string.h>

#include "render/rows/cells.h"
#include "render/rows/hierarchy.h"
#include "render/rows/reportlines.h"
#include "util/text.h"

static int print_chains(FILE *out, const struct report *t, const struct report_row *r, uint64_t whole, const struct report_cfg *cfg)
{
	enum report_column c = t->children ? SUM_CHILDREN : SUM_SELF;

	if (t->group.nr)
		return render_chains(out, r->chains, t->group.wholes[0], report_group_sum(t, r, c, 0), &cfg->chains);
	return render_chains(out, r->chains, whole, report_sum(r, c), &cfg->chains);
}

static int print_rows(FILE *out, const struct report *t, uint64_t whole, const struct report_cfg *cfg)
{
	struct report_lines l;
	int ret = 0;

	report_lines_fit(&l, t, cfg);
	report_lines_hidden(out, t, cfg, &l);
	report_lines_title(out, t, cfg, &l);
	if (!cfg->separator)
		report_lines_rule(out, t, &l);
	for (size_t i = 0; i < t->rows.n && !ret; i++) {
		const struct report_row *r = &t->rows.data[i];

		report_lines_row(out, t, r, whole, cfg, &l);
		if (r->chains)
			ret = print_chains(out, t, r, whole, cfg);
	}
	return ret;
}

/* What the file lost, and then what is missing of samples that it has. */
static void print_ledger(FILE *out, const struct profile *total)
{
	fprintf(out, "#\n# Total Lost Samples: %llu\n", (unsigned long long)profile_lost(total));
	for (int i = 0; i < LOSS_MAX; i++)
		if (total->losses[i])
			fprintf(out, "# %s: %llu  %s\n", loss_word(i), (unsigned long long)total->losses[i], loss_text(i));
	fputs("#\n", out);
}

int render_report_rows(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	int ret = print_rows(out, t, report_whole(t, p), cfg);

	return ferror(out) ? -EIO : ret;
}

int render_report_text(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	uint64_t whole = report_whole(t, p);
	int ret = 0;

	for (const char *(*head)[2] = cfg->heads; head && (*head)[0] && !cfg->is_next; head++) {
		fprintf(out, "# %s: ", (*head)[0]);
		text_print(out, (*head)[1]);
		fputc('\n', out);
	}
	if (cfg->total && !cfg->is_next)
		print_ledger(out, cfg->total);
	fprintf(out, "%s# Samples: %llu of event%s '", cfg->is_next ? "\n" : "", (unsigned long long)(t->whole_count ? t->whole_count : p->kept),
		t->group.nr ? "s" : "");
	text_print(out, p->event);
	fprintf(out, "'\n# Event count (approx.): %llu\n", (unsigned long long)whole);
	for (uint32_t i = 0; i < p->nr_notes; i++) {
		fputs("# Note: ", out);
		text_print(out, p->notes[i]);
		fputc('\n', out);
	}
	fputs("#\n", out);
	if (cfg->hierarchy)
		ret = render_hierarchy(out, t, whole, cfg);
	else
		ret = print_rows(out, t, whole, cfg);
	if (t->nr_cut && cfg->percent_limit > 0)
		fprintf(out, "# %zu rows below %g%% are not shown (--percent-limit 0 shows all)\n", t->nr_cut, cfg->percent_limit);
	return ferror(out) ? -EIO : ret;
}

void render_report_more(FILE *out, uint64_t rows)
{
	if (rows)
		fprintf(out, "# %llu more row%s (-E N shows N)\n", (unsigned long long)rows, rows == 1 ? "" : "s");
}
