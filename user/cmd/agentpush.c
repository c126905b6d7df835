/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/agentpush.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/interrupt.h"
#include "util/log.h"

#define SPREAD 4 /* machines that write with the minute send within a quarter of it */
#define END_NS UINT64_C(5000000000) /* what is not sent by then is sent by the next run */

static int add_url(void *base, const char *text, struct err *err)
{
	struct push_cfg *c = &((struct agent_push_options *)base)->cfg;
	char shown[PUSH_SHOWN_BYTES], other[PUSH_SHOWN_BYTES];

	if (c->nr_urls == PUSH_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "more than %d servers to push to", PUSH_MAX);
	for (size_t i = 0; i < c->nr_urls; i++) {
		push_shown(c->urls[i], other, sizeof(other));
		push_shown(text, shown, sizeof(shown));
		if (!strcmp(other, shown))
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' is given twice", shown);
	}
	c->urls[c->nr_urls++] = text;
	return push_check(text, err);
}

static int set_schema(void *base, const char *text, struct err *err)
{
	struct agent_push_options *o = base;

	if (text && !*text)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '' of '--schema': expected the name of a cluster, or none");
	o->schema = true;
	o->cluster = text;
	return 0;
}

const struct opt agent_push_opts[] = {
	{ 0, "push", "URL", OPT_CALL, 0, "send the profiles to a server: " PUSH_SCHEMES, add_url, .many = true },
	{ 0, "host", "NAME", OPT_TEXT, offsetof(struct agent_push_options, cfg.host), "what this machine is called there (default: its host name)" },
	{ 0, "spool", "SIZE", OPT_KIB, offsetof(struct agent_push_options, cfg.spool_kib), "what a server lacks is kept up to SIZE (default: 256M)" },
	{ 0, "schema", "[=CLUSTER]", OPT_CALL, 0, "print what makes ClickHouse's tables, also for a CLUSTER of shards, and end", set_schema },
	{ 0 },
};

const struct opt_rule agent_push_rules[] = {
	{ "schema", .not_with = "push", .why = "it prints the tables of the database skep: another one has its name instead" },
	{ "host", .needs = "push" },
	{ "spool", .needs = "push" },
	{ 0 },
};

/* Also from threads: each is one write. */
static void print_note(bool is_detail, const char *text)
{
	if (is_detail)
		log_detail("%s", text);
	else
		log_note("%s", text);
}

int agent_push_open(struct agent_push_options *o, uint64_t every_ns, const struct store *store, struct push **ret_push, struct err *err)
{
	*ret_push = NULL;
	o->cfg.note = print_note;
	if (!o->cfg.nr_urls) {
		push_note_others(&o->cfg, store);
		return 0;
	}
	o->cfg.password = getenv(PUSH_PASSWORD_ENV);
	o->cfg.spread_ns = every_ns / SPREAD;
	return push_open(&o->cfg, store, ret_push, err);
}

void agent_push_end(struct push *p)
{
	struct push_counts c;

	if (!p)
		return;
	interrupts_stage(INTERRUPT_FINISH, "sending profiles", "nothing: the next run sends the rest");
	push_end(p, END_NS);
	c = push_counts(p);
	log_note("sent: %" PRIu64 " profiles, %.1f KB; waiting: %" PRIu64 ", dropped: %" PRIu64 ", tries without success: %" PRIu64, c.sent,
		 (double)c.bytes / 1000, c.waiting, c.dropped, c.failures);
	push_free(p);
}
