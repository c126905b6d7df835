/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/onoff.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct opt onoff_opts[] = {
	{ 0, "switch-on", "EVENT", OPT_TEXT, offsetof(struct onoff, on), "only what follows this event" },
	{ 0, "switch-off", "EVENT", OPT_TEXT, offsetof(struct onoff, off), "only what precedes this event, or is between the two" },
	{ 0, "show-on-off-events", NULL, OPT_FLAG, offsetof(struct onoff, shown), "also the events of --switch-on and --switch-off" },
	{ 0 },
};

const struct opt_rule onoff_rules[] = {
	{ "show-on-off-events", .needs = "switch-on|switch-off" },
	{ 0 },
};

static int find_event(const struct data_meta *meta, const char *name, const char *option, int *ret_event, struct err *err)
{
	*ret_event = -1;
	for (int i = 0; name && i < meta->nr_events && *ret_event < 0; i++)
		if (!strcmp(meta->events[i].name, name))
			*ret_event = i;
	if (name && *ret_event < 0)
		return err_exit(err, -ENOENT, EXIT_USAGE, "%s '%s': the file has no such event", option, name);
	return 0;
}

int onoff_open(struct onoff *o, const struct data_meta *meta, struct err *err)
{
	int ret = find_event(meta, o->on, "--switch-on", &o->on_event, err);

	o->is_on = !o->on;
	return ret ? ret : find_event(meta, o->off, "--switch-off", &o->off_event, err);
}

bool onoff_hides(struct onoff *o, const struct sample *s)
{
	int switches = o->is_on ? o->off_event : o->on_event;
	bool out = !o->is_on;

	if (s->event == switches) {
		o->is_on = !o->is_on;
		out = !o->shown;
	}
	o->nr_out += out ? s->count : 0;
	return out;
}
