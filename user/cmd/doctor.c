/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep doctor: what works on this machine, what needs it, and how to enable the rest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/features.h"
#include "capture/refusal.h"
#include "cmd/cmd.h"
#include "render/rows/doctor.h"

struct doctor {
	bool json;
};

static const struct opt doctor_opts[] = {
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct doctor, json), "print one JSON object", NULL, false, NULL },
	{ 0 },
};

static const struct opt_group doctor_groups[] = {
	{ "Output", doctor_opts, 0 },
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
	host = (struct doctor_host){ uts.release, uts.machine };
	for (int i = 0; i < FEATURE_MAX; i++) {
		const struct feature_row *row = &feature_rows[i];
		const struct feature_state *s = feature(i);

		rows[i] = (struct doctor_row){ row->name, row->used_by, row->instead, s->why[0] ? s->why : NULL, s->enable[0] ? s->enable : NULL,
					       s->has, row->needed };
		if (row->needed && !s->has && !lacks)
			lacks = row->name;
	}
	if (d->json) {
		ret = render_doctor_json(stdout, &host, rows, FEATURE_MAX);
		if (ret && ret != -EIO) /* a failed write is told by the last flush */
			return err_set(err, ret, "cannot print: %s", strerror(-ret));
	} else {
		render_doctor_text(stdout, &host, rows, FEATURE_MAX);
	}
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
