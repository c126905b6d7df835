/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/script_fields.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "render/events/script.h"
#include "util/near.h"

#define WHO (SCRIPT_BIT(COMM) | SCRIPT_BIT(TID) | SCRIPT_BIT(CPU) | SCRIPT_BIT(TIME) | SCRIPT_BIT(EVENT))
#define WHERE (SCRIPT_BIT(IP) | SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO))
#define BRANCHES (SCRIPT_BIT(BRSTACK) | SCRIPT_BIT(BRSTACKSYM) | SCRIPT_BIT(BRSTACKOFF))
#define MEMORY                                                                                                                             \
	(SCRIPT_BIT(ADDR) | SCRIPT_BIT(DATA_SRC) | SCRIPT_BIT(WEIGHT) | SCRIPT_BIT(PHYS_ADDR) | SCRIPT_BIT(DATA_PAGE_SIZE) |            \
	 SCRIPT_BIT(CODE_PAGE_SIZE) | SCRIPT_BIT(INS_LAT))

#define WORD(name, word) word,
static const char *const field_words[] = { SCRIPT_FIELDS(WORD) };

/* Fields of perf's that are none here, and why. */
static const struct {
	const char *word, *why;
} refused[] = {
	{ "brstackinsn", "skep has no code bytes of samples" },
	{ "brstackinsnlen", "skep has no code bytes of samples" },
	{ "insn", "only hardware traces (AUX) have instructions, which skep does not decode" },
	{ "insnlen", "only hardware traces (AUX) have instructions, which skep does not decode" },
	{ "ipc", "only hardware traces (AUX) have cycles, which skep does not decode" },
	{ "callindent", "only hardware traces (AUX) have calls, which skep does not decode" },
	{ "synth", "only hardware traces (AUX) have such events, which skep does not decode" },
	{ "metric", "metrics are printed by 'skep stat'" },
	{ "srccode", "'skep annotate' prints source lines" },
	{ "machine_pid", "skep records no guests" },
	{ "vcpu", "skep records no guests" },
};

static const struct {
	const char *word;
	enum script_type type;
} type_words[] = {
	{ "hw", SCRIPT_TYPE_HARDWARE }, { "sw", SCRIPT_TYPE_SOFTWARE }, { "trace", SCRIPT_TYPE_TRACEPOINT }, { "raw", SCRIPT_TYPE_RAW },
};

void script_fields_init(struct script_fields *f)
{
	for (int i = 0; i < SCRIPT_TYPE_MAX; i++)
		f->types[i] = (struct script_choice){ .fields = WHO | WHERE | SCRIPT_BIT(PERIOD) };
	f->types[SCRIPT_TYPE_SOFTWARE].fields |= SCRIPT_BIT(BPF_OUTPUT);
	f->types[SCRIPT_TYPE_TRACEPOINT].fields = WHO | SCRIPT_BIT(TRACE);
	f->types[SCRIPT_TYPE_RAW].fields |= MEMORY;
	f->types[SCRIPT_TYPE_OTHER].fields |= MEMORY;
}

enum script_type script_type_of(const struct event *e)
{
	switch (e->type) {
	case PERF_TYPE_HARDWARE:
		return SCRIPT_TYPE_HARDWARE;
	case PERF_TYPE_SOFTWARE:
		return SCRIPT_TYPE_SOFTWARE;
	case PERF_TYPE_TRACEPOINT:
		return SCRIPT_TYPE_TRACEPOINT;
	case PERF_TYPE_HW_CACHE:
		return SCRIPT_TYPE_CACHE;
	case PERF_TYPE_RAW:
		return SCRIPT_TYPE_RAW;
	case PERF_TYPE_BREAKPOINT:
		return SCRIPT_TYPE_BREAKPOINT;
	}
	return SCRIPT_TYPE_OTHER;
}

/* Events of that type never have the field. */
static bool is_senseless(enum script_type type, enum script_field field)
{
	if (field == SCRIPT_TRACE)
		return type != SCRIPT_TYPE_TRACEPOINT;
	return field == SCRIPT_BPF_OUTPUT && type != SCRIPT_TYPE_SOFTWARE;
}

static int bad_field(const char *text, size_t at, size_t len, struct err *err)
{
	struct near near;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (strlen(refused[i].word) == len && !strncmp(refused[i].word, text + at, len))
			return err_exit(err, -EINVAL, EXIT_USAGE, "field '%s' is not supported: %s", refused[i].word, refused[i].why);
	err_exit(err, -EINVAL, EXIT_USAGE, "bad field list '%s': unknown field '%.*s'", text, (int)len, text + at);
	err_caret(err, text, at);
	near_init(&near, text + at, len);
	for (int i = 0; i < SCRIPT_FIELD_MAX; i++)
		near_offer(&near, field_words[i], strlen(field_words[i]));
	if (near_is_close(&near))
		near_hint(&near, err);
	else
		err_hint(err, "man skep-script lists the fields");
	return -EINVAL;
}

static void change(struct script_choice *c, uint64_t bit, bool removes)
{
	if (removes) {
		c->fields &= ~bit;
		c->chosen &= ~bit;
	} else {
		c->fields |= bit;
		c->chosen |= bit;
	}
	c->is_set = true;
}

static bool is_valid_somewhere(int type, enum script_field field)
{
	for (int i = 0; i < SCRIPT_TYPE_MAX; i++)
		if ((type < 0 || type == i) && !is_senseless(i, field))
			return true;
	return false;
}

/* One word without its sign. */
static int choose(struct script_fields *f, int type, const char *text, size_t at, size_t len, bool removes, struct err *err)
{
	int field = 0;

	while (field < SCRIPT_FIELD_MAX && (strlen(field_words[field]) != len || strncmp(field_words[field], text + at, len) != 0))
		field++;
	if (field == SCRIPT_FIELD_MAX)
		return bad_field(text, at, len, err);
	if (!is_valid_somewhere(type, field))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad field list '%s': events of that type have no '%s'", text, field_words[field]);
	for (int i = 0; i < SCRIPT_TYPE_MAX; i++)
		if ((type < 0 || type == i) && !is_senseless(i, field))
			change(&f->types[i], 1ull << field, removes);
	return 0;
}

/* -1: all types; less than that: none of this name, err filled. */
static int take_type(const char *text, size_t *ret_at, struct err *err)
{
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;

	*ret_at = colon ? len + 1 : 0;
	if (!colon)
		return -1;
	for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++)
		if (strlen(type_words[i].word) == len && !strncmp(type_words[i].word, text, len))
			return type_words[i].type;
	err_exit(err, -EINVAL, EXIT_USAGE, "bad field list '%s': unknown type of events '%.*s' (expected hw, sw, trace or raw)", text, (int)len, text);
	err_caret(err, text, 0);
	return -EINVAL;
}

int script_fields_parse(struct script_fields *f, const char *text, struct err *err)
{
	size_t at, len;
	int type = take_type(text, &at, err), ret;
	bool changes = strchr("+-", text[at]) && text[at];

	if (type < -1)
		return type;
	if (type < 0 && !text[0])
		return err_exit(err, -EINVAL, EXIT_USAGE, "empty field list: -F needs the names of fields");
	for (int i = 0; i < SCRIPT_TYPE_MAX && !changes; i++)
		if (type < 0 || type == i)
			f->types[i] = (struct script_choice){ .is_set = true };
	for (; text[at]; at += len + (text[at + len] == ',')) {
		bool is_change = text[at] == '+' || text[at] == '-', removes = text[at] == '-';

		if (is_change != changes) {
			err_exit(err, -EINVAL, EXIT_USAGE, "bad field list '%s': '+FIELD' and '-FIELD' change the list, 'FIELD' is a new one", text);
			err_caret(err, text, at);
			return -EINVAL;
		}
		at += is_change;
		len = strcspn(text + at, ",");
		ret = choose(f, type, text, at, len, removes, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* What a field takes of a sample. */
struct need {
	enum script_field field;
	uint64_t one_of; /* PERF_SAMPLE_* */
	const char *what;
};

static const struct need needs[] = {
	{ SCRIPT_IP, PERF_SAMPLE_IP, "addresses (IP)" },
	{ SCRIPT_ADDR, PERF_SAMPLE_ADDR, "data addresses (ADDR): record with -d" },
	{ SCRIPT_DATA_SRC, PERF_SAMPLE_DATA_SRC, "data sources (DATA_SRC)" },
	{ SCRIPT_WEIGHT, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "weights (WEIGHT): record with -W" },
	{ SCRIPT_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "latencies (WEIGHT_STRUCT): record with -W" },
	{ SCRIPT_RETIRE_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "latencies (WEIGHT_STRUCT): record with -W" },
	{ SCRIPT_SYM, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "addresses (IP or ADDR)" },
	{ SCRIPT_DSO, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "addresses (IP or ADDR)" },
	{ SCRIPT_SRCLINE, PERF_SAMPLE_IP, "addresses (IP)" },
	{ SCRIPT_PID, PERF_SAMPLE_TID, "processes (TID)" },
	{ SCRIPT_TID, PERF_SAMPLE_TID, "threads (TID)" },
	{ SCRIPT_TIME, PERF_SAMPLE_TIME, "times (TIME): record with -T" },
	{ SCRIPT_CPU, PERF_SAMPLE_CPU, "CPUs (CPU): record with -a or --sample-cpu" },
	{ SCRIPT_IREGS, PERF_SAMPLE_REGS_INTR, "registers (REGS_INTR): record with -I" },
	{ SCRIPT_UREGS, PERF_SAMPLE_REGS_USER, "registers (REGS_USER): record with --user-regs" },
	{ SCRIPT_BRSTACK, PERF_SAMPLE_BRANCH_STACK, "branch records (BRANCH_STACK): record with -b" },
	{ SCRIPT_BRSTACKSYM, PERF_SAMPLE_BRANCH_STACK, "branch records (BRANCH_STACK): record with -b" },
	{ SCRIPT_BRSTACKOFF, PERF_SAMPLE_BRANCH_STACK, "branch records (BRANCH_STACK): record with -b" },
	{ SCRIPT_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "physical addresses (PHYS_ADDR): record with --phys-data" },
	{ SCRIPT_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "page sizes (DATA_PAGE_SIZE): record with --data-page-size" },
	{ SCRIPT_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "page sizes (CODE_PAGE_SIZE): record with --code-page-size" },
	{ SCRIPT_CGROUP, PERF_SAMPLE_CGROUP, "cgroups (CGROUP): record with --all-cgroups" },
};

static int check_type(struct script_choice *c, const struct event *e, const struct perf_event_attr *attr, struct err *err)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct need *n = &needs[i];

		if (!(c->fields >> n->field & 1) || attr->sample_type & n->one_of)
			continue;
		if (c->chosen >> n->field & 1)
			return err_exit(err, -EINVAL, EXIT_USAGE, "cannot print '%s': samples of '%s' have no %s", field_words[n->field], e->name, n->what);
		c->fields &= ~(1ull << n->field);
	}
	if (c->chosen & SCRIPT_BIT(SYMOFF) && !(c->fields & SCRIPT_BIT(SYM)))
		return err_exit(err, -EINVAL, EXIT_USAGE, "'symoff' needs 'sym'");
	if (c->chosen & SCRIPT_BIT(SRCLINE) && !(c->fields & SCRIPT_BIT(IP)))
		return err_exit(err, -EINVAL, EXIT_USAGE, "'srcline' needs 'ip'");
	if (c->fields & SCRIPT_BIT(DSOFF))
		c->fields |= SCRIPT_BIT(DSO);
	return 0;
}

int script_fields_check(struct script_fields *f, const struct data_reader *reader, bool chains, struct err *err)
{
	const struct data_meta *meta = data_reader_meta(reader);
	struct script_choice *traces = &f->types[SCRIPT_TYPE_TRACEPOINT];
	bool is_seen[SCRIPT_TYPE_MAX] = { false };
	uint64_t printed = 0, chosen = 0;
	int ret = 0;

	for (int i = 0; i < meta->nr_events && !ret; i++) {
		enum script_type type = script_type_of(&meta->events[i]);
		const struct perf_event_attr *attr = data_reader_attr(reader, i);

		if (chains && type == SCRIPT_TYPE_TRACEPOINT && !traces->is_set && attr->sample_type & PERF_SAMPLE_CALLCHAIN)
			traces->fields |= WHERE;
		if (f->types[type].fields & SCRIPT_BIT(TOD) && !meta->has_wall)
			return err_exit(err, -EINVAL, EXIT_USAGE, "cannot print 'tod': the file does not say what time of the day it was (record with -k mono)");
		if (!is_seen[type])
			ret = check_type(&f->types[type], &meta->events[i], attr, err);
		is_seen[type] = true;
		printed |= f->types[type].fields;
		chosen |= f->types[type].chosen;
	}
	if (!ret && chosen & (SCRIPT_BIT(SYM) | SCRIPT_BIT(DSO)) && !(printed & (SCRIPT_BIT(IP) | SCRIPT_BIT(ADDR) | BRANCHES)))
		return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' needs 'ip' or 'addr'", chosen & SCRIPT_BIT(SYM) ? "sym" : "dso");
	if (!ret && !printed && traces->chosen & SCRIPT_BIT(TRACE))
		return err_exit(err, -EINVAL, EXIT_USAGE, "cannot print 'trace': the file has no tracepoints");
	return ret;
}
