/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words of a line are read by the option tables, as the parser does: which command, which option waits for a value, where COMMAND
 * starts. The kind of a value follows from its name in -h.
 */
#include "cmd/complete.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "sample.h"
#include "util/text.h"

/* Bash puts an answer into the line as it is: a file or symbol called $(x) would be a command there. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%="

struct complete {
	const char *typed; /* the whole word */
	size_t kept;	   /* of it, in front of the element of a list that is typed */
	char **words;	   /* of the command line, up to the one that is typed */
	int nr_words;
	int nr;
};

int complete_is_full(const struct complete *c)
{
	return c->nr >= COMPLETE_MAX;
}

int complete_offer(struct complete *c, const char *word, const char *description)
{
	const char *typed = c->typed + c->kept;

	if (complete_is_full(c))
		return -E2BIG;
	if (word[strspn(word, PLAIN)])
		return 0;
	if (strncmp(word, typed, strlen(typed)))
		return 0;
	if (!c->nr++)
		puts("words");
	printf("%.*s", (int)c->kept, c->typed);
	text_print(stdout, word);
	if (description && *description) {
		putchar('\t');
		text_print(stdout, description);
	}
	putchar('\n');
	return 0;
}

/* "a|b" or "a, b": each of them. */
static void offer_list(struct complete *c, const char *list, const char *between)
{
	char word[64];

	for (const char *at = list + strspn(list, between); *at; at += strspn(at, between)) {
		size_t n = strcspn(at, between);

		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		complete_offer(c, word, NULL);
		at += n;
	}
}

static void offer_options(struct complete *c, const struct cmd *cmd)
{
	char word[64];

	complete_offer(c, "--help", "this command's options");
	for (const struct opt_group *g = cmd->groups; g->title; g++)
		for (const struct opt *o = g->opts; o->key || o->name; o++) {
			if (o->key == OPT_OPERAND)
				continue;
			if (o->name)
				snprintf(word, sizeof(word), "--%s", o->name);
			else
				snprintf(word, sizeof(word), "-%c", o->key);
			complete_offer(c, word, o->help);
			/* -x beside --xxx only where a dash was typed */
			snprintf(word, sizeof(word), "-%c", o->key);
			if (o->key && o->name && strlen(c->typed) == 2)
				complete_offer(c, word, o->help);
		}
}

static void offer_commands(struct complete *c, const struct cmd *const *list)
{
	for (; list && *list; list++)
		complete_offer(c, cmd_word(*list), (*list)->summary);
}

/* Numbers or names of processes. */
static void offer_processes(struct complete *c, int names)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while (dir && !complete_is_full(c) && (d = readdir(dir))) {
		char path[300], comm[32] = "";
		FILE *f;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", d->d_name);
		f = fopen(path, "re");
		if (f && fgets(comm, sizeof(comm), f))
			comm[strcspn(comm, "\n")] = '\0';
		if (f)
			fclose(f);
		if (names)
			complete_offer(c, comm, NULL);
		else
			complete_offer(c, d->d_name, comm);
	}
	if (dir)
		closedir(dir);
}

static void offer_users(struct complete *c)
{
	const struct passwd *p;

	setpwent();
	while (!complete_is_full(c) && (p = getpwent()))
		complete_offer(c, p->pw_name, NULL);
	endpwent();
}

#define NET_SUMS "tx_packets|tx_bytes|rx_packets|rx_bytes|tx_bytes_per_s|rx_bytes_per_s|retransmits|drops|rtt|sockets|holders"
#define SCHED_SUMS "run|wait|sleep|blocked|stopped|voluntary|involuntary|wakeups|migrations|waits|wait_mean|wait_p50|wait_p99|wait_max|wait_max_at"
#define REPORT_SORTS                                                                                                                       \
	"comm|pid|tid|cpu|socket|dso|sym|event|srcline|srcfile|parent|time|trace|addr|cgroup|cgroup_id|symbol_size|dso_size|symbol_daddr|" \
	"dso_daddr|symbol_iaddr|dcacheline|mem|tlb|snoop|locked|blocked|phys_daddr|data_page_size|code_page_size|weight|local_weight|" \
	"ins_lat|local_ins_lat|p_stage_cyc|local_p_stage_cyc|transaction|parallelism|dso_from|dso_to|symbol_from|symbol_to|srcline_from|" \
	"srcline_to|mispredict|in_tx|abort|cycles|" SAMPLE_LABELS_OFFERED

/*
 * The words of --by, --sort and --fields; tests/cli has each of them taken by its command. The first line that fits is used: its option `with`
 * was typed, or it has none. With --by its keys are columns, too.
 */
static const struct {
	const char *cmd, *opt, *with, *words;
} keys[] = {
	{ "stat", "by", NULL, "comm|pid|tid|cpu|user|cgroup|event|syscall|errno" },
	{ "probe", "by", NULL, "comm|pid|tid|cpu|user|cgroup|event" },
	{ "sched", "by", NULL, "comm|pid|tid|user|cgroup" },
	{ "net", "by", NULL, "comm|pid|user|cgroup|proto|lport|remote|rport|iface|netns" },
	{ "flame", "by", NULL, "comm|pid|tid|none|" SAMPLE_LABELS_OFFERED },
	{ "sched", "fields", "by", SCHED_SUMS },
	{ "sched", "fields", NULL, "comm|pid|tid|" SCHED_SUMS },
	{ "net", "fields", "conn", "comm|start|duration|proto|local|remote|state|ending|tx_bytes|rx_bytes|retransmits|rtt|pid|holders" },
	{ "net", "fields", "events", "comm|time|event|proto|local|remote|detail|pid|sent_bytes|received_bytes|duration|stack" },
	{ "net", "fields", "by", NET_SUMS },
	{ "net", "fields", NULL, "comm|pid|" NET_SUMS },
	{ "sched timehist", "fields", NULL,
	  "time|what|cpu|comm|pid|tid|wait|delay|run|state|waker_in|waker_comm|waker_pid|waker_tid|next_comm|next_pid|next_tid" },
	{ "probe", "fields", "hist", "hits|mean|max" },
	{ "probe", "fields", "latency", "hits|mean|max" },
	{ "probe", "fields", "by", "hits" },
	{ "probe", "fields", "count", "event|hits" },
	{ "probe", "fields", NULL, "time|comm|pid|tid|cpu|call" },
	{ "stat", "fields", "latency", "calls|errors|total|mean|p50|p99|max" },
	{ "stat", "fields", "by", "" }, /* calls or hits, by what -e names */
	{ "report", "sort", NULL, REPORT_SORTS },
	{ "report", "fields", NULL,
	  "overhead|overhead_children|overhead_sys|overhead_us|overhead_guest_sys|overhead_guest_us|latency|latency_children|sample|period|" REPORT_SORTS },
};

/* What is after "--name=" or is the word after "--name"; NULL: that option is not there. */
static const char *option_value(const struct complete *c, const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; i < c->nr_words; i++) {
		const char *w = c->words[i];

		if (strncmp(w, "--", 2) || strncmp(w + 2, name, len))
			continue;
		if (w[2 + len] == '=')
			return w + 2 + len + 1;
		if (!w[2 + len])
			return i + 1 < c->nr_words ? c->words[i + 1] : "";
	}
	return NULL;
}

/* The columns that the keys of --by make: of NAME=EXPRESSION the name. */
static void offer_by(struct complete *c, const char *by)
{
	static const struct { const char *key, *column; } aliases[] = { { "uid", "user" }, { "func", "event" }, { "probe", "event" } };
	char word[64];

	for (const char *at = by; *at; at += strspn(at, ",")) {
		size_t n = strcspn(at, ","), name = strcspn(at, ",=");

		snprintf(word, sizeof(word), "%.*s", (int)name, at);
		for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
			if (!strcmp(word, aliases[i].key))
				snprintf(word, sizeof(word), "%s", aliases[i].column);
		complete_offer(c, word, NULL);
		at += n;
	}
}

static void offer_keys(struct complete *c, const struct cmd *cmd, const struct opt *o)
{
	const char *by = o->name && !strcmp(o->name, "fields") ? option_value(c, "by") : NULL;

	if (by)
		offer_by(c, by);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcmp(keys[i].cmd, cmd->name) || !o->name || strcmp(keys[i].opt, o->name) || (keys[i].with && !option_value(c, keys[i].with)))
			continue;
		offer_list(c, keys[i].words, "|");
		return;
	}
}

/* A list's element is what follows its last comma. */
static void keep_list(struct complete *c)
{
	const char *comma = strrchr(c->typed + c->kept, ',');

	if (comma)
		c->kept = comma + 1 - c->typed;
}

/* c->kept: where the value begins. Returns 1 when it is a file. */
static int complete_value(struct complete *c, const struct cmd *cmd, const struct opt *o)
{
	const char *arg = o->arg + (o->arg[0] == '[' ? 2 : 0);
	size_t n = strcspn(arg, ",]"), len = strlen("EVENT");

	if (o->values) {
		offer_list(c, o->values, "|");
		return 0;
	}
	if ((n == len && !memcmp(arg, "EVENT", len)) || (n == len && !memcmp(arg, "PROBE", len))) {
		bool is_event = *arg == 'E';

		if (is_event) /* an event of a list, or of a group */
			keep_list(c);
		c->kept += c->typed[c->kept] == '{';
		complete_events(c, c->typed + c->kept, COMPLETE_PROBED | (is_event ? COMPLETE_COUNTED : 0));
		return 0;
	}
	if (!strncmp(arg, "FILE", 4) || !strncmp(arg, "PATH", 4))
		return 1;
	keep_list(c);
	if (!strncmp(arg, "PID", 3) || !strncmp(arg, "TID", 3))
		offer_processes(c, 0);
	else if (!strncmp(arg, "USER", 4))
		offer_users(c);
	else if (!strncmp(arg, "NAME", 4))
		offer_processes(c, 1);
	else if (!strncmp(arg, "KEY", 3) || !strncmp(arg, "COLUMN", 6))
		offer_keys(c, cmd, o);
	return 0;
}

static const struct opt *find_long(const struct cmd *cmd, const char *name, size_t len)
{
	for (const struct opt_group *g = cmd->groups; g->title; g++)
		for (const struct opt *o = g->opts; o->key || o->name; o++)
			if (o->name && strlen(o->name) == len && !memcmp(o->name, name, len))
				return o;
	return NULL;
}

static const struct opt *find_short(const struct cmd *cmd, char key)
{
	for (const struct opt_group *g = cmd->groups; g->title; g++)
		for (const struct opt *o = g->opts; o->key || o->name; o++)
			if (o->key == key && key != OPT_OPERAND)
				return o;
	return NULL;
}

/* The option of a word whose value is the next one. NULL: none is waited for. */
static const struct opt *waits(const struct cmd *cmd, const char *word)
{
	const struct opt *o;

	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-') {
		o = strchr(word, '=') ? NULL : find_long(cmd, word + 2, strlen(word + 2));
		return o && o->arg && !opt_optional(o) ? o : NULL;
	}
	for (const char *at = word + 1; *at; at++) {
		o = find_short(cmd, *at);
		if (o && o->arg) /* the rest of the word is its value */
			return at[1] || opt_optional(o) ? NULL : o;
	}
	return NULL;
}

static bool takes_command(const struct cmd *cmd)
{
	return strstr(cmd->operands, "COMMAND");
}

/* Words that are no options: those of probe, list, annotate and diff are their own. */
static bool takes_operands(const struct cmd *cmd)
{
	return !strcmp(cmd->name, "probe") || !strcmp(cmd->name, "list") || !strcmp(cmd->name, "annotate") ||
	       !strcmp(cmd->name, "diff") ||
	       !strcmp(cmd->name, "completion");
}

/* Returns 1 when it is a file. */
static int complete_operand(struct complete *c, const struct cmd *cmd)
{
	if (!strcmp(cmd->name, "diff"))
		return 1;
	if (!strcmp(cmd->name, "completion")) {
		offer_list(c, "bash|zsh|fish", "|");
	} else if (!strcmp(cmd->name, "list")) {
		offer_list(c, "hardware|cache|software|pmu|tracepoint|syscall", "|");
		complete_events(c, c->typed, COMPLETE_COUNTED | COMPLETE_PROBED);
	} else if (strcmp(cmd->name, "annotate") != 0) { /* its functions are in a file that is not read here */
		complete_events(c, c->typed, COMPLETE_PROBED);
	}
	return 0;
}

/* The word that is typed: with = in it its value is, else its name. Returns 1 when it is a file. */
static int complete_option(struct complete *c, const struct cmd *cmd)
{
	const char *equals = strchr(c->typed, '=');
	const struct opt *o = equals && !strncmp(c->typed, "--", 2) ? find_long(cmd, c->typed + 2, equals - c->typed - 2) : NULL;

	if (o && o->arg) {
		c->kept = equals + 1 - c->typed;
		return complete_value(c, cmd, o);
	}
	if (!equals)
		offer_options(c, cmd);
	return 0;
}

int complete_words(char **words, int n)
{
	struct complete c = { .typed = n ? words[n - 1] : "", .words = words, .nr_words = n ? n - 1 : 0 };
	const struct cmd *const *at = cmds, *cmd = NULL;
	const struct opt *waiting = NULL;
	int i = 0, begin, is_file = 0;

	while (i < n - 1 && !cmd && words[i][0] == '-')
		i++;
	for (; i < n - 1 && at; i++) {
		for (; *at && strcmp(cmd_word(*at), words[i]); at++)
			;
		if (!*at)
			break;
		cmd = *at;
		at = cmd->subs;
	}
	if (!cmd && i < n - 1) /* a word that is none */
		return 0;
	if (!cmd) {
		offer_commands(&c, cmds);
		offer_list(&c, c.typed[0] == '-' ? "--help|--version|-v|-q" : "help", "|");
		return 0;
	}
	begin = i;
	for (; i < n - 1; i++) {
		bool ends = !strcmp(words[i], "--");

		if (waiting) {
			waiting = NULL;
		} else if (ends || (words[i][0] != '-' && !takes_operands(cmd))) {
			if (takes_command(cmd))
				printf("command %d\n", i + ends);
			return 0;
		} else {
			waiting = waits(cmd, words[i]);
		}
	}
	if (waiting) {
		is_file = complete_value(&c, cmd, waiting);
	} else if (c.typed[0] == '-') {
		is_file = complete_option(&c, cmd);
	} else if (takes_operands(cmd)) {
		is_file = complete_operand(&c, cmd);
	} else {
		if (begin == n - 1) /* nothing but the name stands in front */
			offer_commands(&c, cmd->subs);
		if (!c.nr && takes_command(cmd))
			printf("command %d\n", n - 1);
	}
	if (is_file)
		puts("files");
	return 0;
}
