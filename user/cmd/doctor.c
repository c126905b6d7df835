/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep doctor: what works on this machine, what needs it, and how to enable the rest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/features.h"
#include "capture/refusal.h"
#include "cmd/cmd.h"
#include "render/rows/doctor.h"
#include "ui/terminal.h"

struct doctor {
	const char *format;
	bool json;
};

static const struct opt doctor_opts[] = {
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct doctor, format), "text, csv or json (one object)", .values = ROWS_FORMATS },
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct doctor, json), "the same as --format json" },
	{ 0 },
};

static const struct opt_rule doctor_rules[] = {
	{ "json", .not_with = "format" },
	{ 0 },
};

static const struct opt_group doctor_groups[] = {
	{ "Output", doctor_opts, 0, doctor_rules },
	{ 0 },
};

static int doctor_run(void *cfg, char **operands, struct err *err)
{
	const struct doctor *d = cfg;
	struct utsname uts;
	struct doctor_row rows[FEATURE_MAX];
	struct doctor_host host;
	const char *lacks = NULL, *missing;
	bool own;
	int ret;

	if (operands[0])
		return err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s'", operands[0]);
	uname(&uts);
	host = (struct doctor_host){ uts.release, uts.machine, terminal_columns(STDOUT_FILENO) };
	for (int i = 0; i < FEATURE_MAX; i++) {
		const struct feature_row *row = &feature_rows[i];
		const struct feature_state *s = feature(i);

		rows[i] = (struct doctor_row){ { [DOCTOR_NAME].text = row->name, [DOCTOR_HAS].num = s->has, [DOCTOR_NEEDED].num = row->needed,
						 [DOCTOR_USED_BY].text = row->used_by, [DOCTOR_INSTEAD].text = row->instead,
						 [DOCTOR_WHY].text = s->why[0] ? s->why : NULL, [DOCTOR_ENABLE].text = s->enable[0] ? s->enable : NULL } };
		if (row->needed && !s->has && !lacks)
			lacks = row->name;
	}
	ret = render_doctor(stdout, rows_format(d->json ? "json" : d->format ? d->format : "text"), &host, rows, FEATURE_MAX);
	if (ret && ret != -EIO) /* out_close() reports a failed write */
		return err_set(err, ret, "cannot print: %s", strerror(-ret));
	if (!lacks)
		return 0;
	own = !kernel_may_load(&missing) && feature(FEATURE_OWN_EVENTS)->has;
	return err_exit(err, -ENOTSUP, EXIT_CANNOT, "%s can be sampled here: no %s", own ? "only your own programs" : "nothing", lacks);
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "show what works on this machine, and how to enable the rest",
	.operands = "",
	.groups = doctor_groups,
	.cfg_size = sizeof(struct doctor),
	.examples = "skep doctor\n"
		    "skep doctor --json | jq '.features[] | select(.has | not)'\n",
	.run = doctor_run,
};
