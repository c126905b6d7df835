/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep doctor: what works on this machine, what needs it, and what would bring the rest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/features.h"
#include "capture/kernel.h"
#include "cmd/cmd.h"
#include "util/json.h"
#include "util/text.h"

struct doctor {
	bool json;
};

static const struct opt doctor_opts[] = {
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct doctor, json), "as one JSON object", NULL, false, NULL },
	{ 0 },
};

static const struct opt_group doctor_groups[] = {
	{ "Output", doctor_opts, 0 },
	{ 0 },
};

static void print_text(const struct utsname *uts)
{
	const char *last = "";

	printf("skep on Linux %s, %s\n\n%-22s %-5s %s\n", uts->release, uts->machine, "FEATURE", "", "USED BY");
	for (int i = 0; i < FEATURE_MAX; i++) {
		const struct feature_row *row = &feature_rows[i];
		const struct feature_state *s = feature(i);

		printf("%-22s %-5s %s", row->name, s->has ? "yes" : row->needed ? "NO" : "no", row->used_by);
		if (row->instead)
			printf("; else %s", row->instead);
		putchar('\n');
		if (s->why[0]) {
			printf("%28s", "");
			text_print(stdout, s->why);
			putchar('\n');
		}
		if (s->has || !s->enable[0])
			continue;
		if (strcmp(s->enable, last)) /* one command brings most of them: once is enough */
			printf("%28sto have it: %s\n", "", s->enable);
		last = s->enable;
	}
}

static int print_json(const struct utsname *uts, bool works)
{
	struct json j;

	json_begin(&j, stdout);
	json_object(&j);
	json_key_u64(&j, "skep", 1);
	json_key_text(&j, "kernel", uts->release);
	json_key_text(&j, "machine", uts->machine);
	json_key(&j, "works");
	json_bool(&j, works);
	json_key(&j, "features");
	json_array(&j);
	for (int i = 0; i < FEATURE_MAX; i++) {
		const struct feature_state *s = feature(i);

		json_line(&j);
		json_object(&j);
		json_key_text(&j, "name", feature_rows[i].name);
		json_key(&j, "has");
		json_bool(&j, s->has);
		json_key(&j, "needed");
		json_bool(&j, feature_rows[i].needed);
		json_key_text(&j, "used_by", feature_rows[i].used_by);
		json_key_text(&j, "instead", feature_rows[i].instead);
		json_key_text(&j, "why", s->why[0] ? s->why : NULL);
		json_key_text(&j, "enable", s->enable[0] ? s->enable : NULL);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	putchar('\n');
	return json_end(&j);
}

static int doctor_run(void *cfg, char **operands, struct err *err)
{
	const struct doctor *d = cfg;
	struct utsname uts;
	const char *lacks = NULL, *missing;
	bool own;
	int ret;

	if (operands[0])
		return err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s'", operands[0]);
	uname(&uts);
	for (int i = 0; i < FEATURE_MAX && !lacks; i++)
		if (feature_rows[i].needed && !feature(i)->has)
			lacks = feature_rows[i].name;
	if (d->json) {
		ret = print_json(&uts, !lacks);
		if (ret && ret != -EIO) /* a failed write is told by the last flush */
			return err_set(err, ret, "cannot print: %s", strerror(-ret));
	} else {
		print_text(&uts);
	}
	if (!lacks)
		return 0;
	own = !kernel_may_load(&missing) && feature(FEATURE_OWN_EVENTS)->has;
	return err_exit(err, -ENOTSUP, EXIT_CANNOT, "%s can be sampled here: no %s", own ? "only your own programs" : "nothing", lacks);
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "tell what works on this machine, and what would bring the rest",
	.operands = "",
	.groups = doctor_groups,
	.cfg_size = sizeof(struct doctor),
	.examples = "skep doctor\n"
		    "skep doctor --json | jq '.features[] | select(.has | not)'\n",
	.run = doctor_run,
};
