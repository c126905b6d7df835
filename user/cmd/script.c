/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep script: the samples of a perf.data file one after the other, as perf script prints them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/honesty.h"
#include "cmd/nothing.h"
#include "cmd/pick.h"
#include "cmd/report_file.h"
#include "cmd/script.h"
#include "util/outfile.h"

/* By --format, else by the ending of the file's name. */
static enum script_format format_of(struct script_options *o)
{
	const char *dot = o->out ? strrchr(o->out, '.') : NULL, *word = o->format_word ? o->format_word : dot ? dot + 1 : "";
	static const char *const words[] = { [SCRIPT_TEXT] = "text", [SCRIPT_JSON] = "json", [SCRIPT_CSV] = "csv", [SCRIPT_FOLDED] = "folded" };

	if (o->json)
		return SCRIPT_JSON;
	if (out_format_find(o->format_word, o->out ? o->out : "-", &o->viewer) && o->viewer.viewer)
		return SCRIPT_VIEWER; /* as X.speedscope.json */
	for (int i = 0; i < SCRIPT_VIEWER; i++)
		if (!strcmp(words[i], word))
			return (enum script_format)i;
	return SCRIPT_TEXT;
}

static int check(struct script_options *o, char **operands, struct err *err)
{
	if (operands[0]) {
		err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': use -i FILE to name a file", operands[0]);
		err_hint(err, "skep runs no scripts itself: 'skep script --json | python3 yours.py' (see man skep-script)");
		return -EINVAL;
	}
	if (o->out && same_file(o->input, o->out))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite the file that -i reads", o->out);
	if (o->per_event && !strcmp(o->input, "-"))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--per-event-dump writes files beside that of -i, and that is standard input");
	if (!o->fields_set)
		script_fields_init(&o->fields);
	o->format = format_of(o);
	if (o->format == SCRIPT_VIEWER && (o->fields_set || o->header || script_shows_records(o))) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' is a file for a viewer, whose content is fixed: without fields, headers and records", o->out);
		err_hint(err, "--format text writes text into a file of any name");
		return -EINVAL;
	}
	return 0;
}

static int script_into(struct script_options *o, struct script *s, struct outfile *out, struct err *err)
{
	int64_t bytes;
	int ret = script_read(s, o, out->stream, err);
	bool is_explained = !ret && s->meta->is_stat && s->profile.losses[LOSS_FILE_DAMAGED]; /* by the note of damage */

	if (!ret && !s->profile.kept && !is_explained && !ferror(out->stream)) {
		uint64_t out = o->on.nr_out + pick_out_all(s->pick);

		ret = out ? nothing_chosen(out, o->input, err) : nothing_sampled(&s->profile, o->input, 0, err);
	}
	if (ret)
		return ret;
	bytes = outfile_commit(out, err);
	if (bytes < 0)
		return (int)bytes;
	s->profile.receipt.bytes_out = (uint64_t)bytes;
	ret = script_dumps_end(s, &s->profile.receipt.bytes_out, err);
	if (ret)
		return ret;
	if (s->meta->is_stat) /* its lines are no samples */
		s->profile.event = NULL;
	honesty_print(&o->h, &s->profile);
	return honesty_exit(&o->h, &s->profile, 0, err);
}

int script_dump(const char *input, FILE *out, struct err *err)
{
	struct script_options o = { .input = input, .format = SCRIPT_TEXT, .dump = true };
	struct script *s = script_new();
	int ret;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	script_fields_init(&o.fields);
	ret = script_read(s, &o, out, err);
	script_free(s);
	return ret;
}

static int script_run(void *cfg, char **operands, struct err *err)
{
	struct script_options *o = cfg;
	struct script *s;
	struct outfile out;
	int ret;

	o->input = o->input ? o->input : "perf.data";
	ret = check(o, operands, err);
	if (!ret)
		ret = outfile_open(&out, o->out ? o->out : "-", err);
	if (ret)
		return ret;
	if (o->header_only) {
		struct report_file_cfg header = { .header_only = true, .whole = o->whole_header };

		ret = report_file(o->input, &header, out.stream, err);
		ret = ret ? ret : outfile_commit(&out, err) < 0 ? -EIO : 0;
		outfile_abort(&out);
		return ret;
	}
	s = script_new();
	ret = s ? script_into(o, s, &out, err) : err_set(err, -ENOMEM, "out of memory");
	script_free(s);
	outfile_abort(&out);
	return ret;
}

const struct cmd cmd_script = {
	.name = "script",
	.summary = "print the samples of a recorded file, one after the other",
	.operands = "",
	.groups = script_groups,
	.cfg_size = sizeof(struct script_options),
	.examples = "skep script                                 perf.data, as perf script prints it\n"
		    "skep script -F +pid,+srcline --time 10%-20%\n"
		    "skep script -F comm,time,event,trace        tracepoints with their values\n"
		    "skep script --json | jq -c '[.comm, .stack[0].sym]'\n",
	.others = script_others,
	.run = script_run,
};
