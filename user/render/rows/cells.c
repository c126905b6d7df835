/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/rows/cells.h"

#include <string.h>

#include "frame.h"
#include "model/samplekey.h"
#include "render/rows/samplecells.h"
#include "util/clock.h"
#include "util/text.h"

#define ADDRESS_DIGITS 16
#define NS_PER_US 1000ull

double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

uint64_t report_whole(const struct report *t, const struct profile *p)
{
	return t->whole ? t->whole : p->weight;
}

static const char *short_file(const char *path, const struct report_cfg *cfg)
{
	const char *slash = strrchr(path, '/');

	return slash && !cfg->long_files ? slash + 1 : path;
}

bool cell_number(const struct report_row *r, enum report_column key, int64_t *ret)
{
	*ret = key == KEY_PID ? (int)r->pid : key == KEY_TID ? (int)r->tid : (int64_t)r->cpu; /* -1: none */
	return key == KEY_PID || key == KEY_TID || (key == KEY_CPU && r->cpu != UINT32_MAX);
}

static const char *pointer(uint64_t slot)
{
	return (const char *)(uintptr_t)slot;
}

static int line_text(char *buf, size_t size, const uint64_t *slots, const struct report_cfg *cfg)
{
	if (slots[0])
		return snprintf(buf, size, "%s:%llu", short_file(pointer(slots[0]), cfg), (unsigned long long)slots[1]);
	return snprintf(buf, size, "%s+%llu", slots[2] ? pointer(slots[2]) : "[unknown]", (unsigned long long)slots[1]);
}

static int time_text(char *buf, size_t size, uint64_t time_ns, const struct report_cfg *cfg)
{
	uint64_t part = time_ns % NS_PER_S;

	if (cfg->long_times)
		return snprintf(buf, size, "%llu.%09llu", (unsigned long long)(time_ns / NS_PER_S), (unsigned long long)part);
	return snprintf(buf, size, "%llu.%06llu", (unsigned long long)(time_ns / NS_PER_S), (unsigned long long)(part / NS_PER_US));
}

static int object_text(char *buf, size_t size, const char *path)
{
	return snprintf(buf, size, "%s", path && path[0] ? report_object(path) : "[unknown]");
}

/* As perf has it of data: of "//anon", too. */
static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int cgroup_text(char *buf, size_t size, uint64_t id, const struct report_cfg *cfg)
{
	const char *name = id && cfg->cgroup_name ? cfg->cgroup_name(cfg->cgroup_arg, id) : NULL;

	return snprintf(buf, size, "%s", name ? name : id ? "unknown" : "N/A");
}

static int extent_text(char *buf, size_t size, uint64_t bytes)
{
	return bytes == EXTENT_UNKNOWN ? snprintf(buf, size, "unknown") : snprintf(buf, size, "%llu", (unsigned long long)bytes);
}

static int branch_text(char *buf, size_t size, enum report_column key, const uint64_t *slots, const struct report_cfg *cfg)
{
	switch (key) {
	case KEY_DSO_FROM:
	case KEY_DSO_TO:
		return object_text(buf, size, pointer(*slots));
	case KEY_SYM_FROM:
	case KEY_SYM_TO:
		return snprintf(buf, size, "%s", *slots ? pointer(*slots) : "[unknown]");
	case KEY_SRCLINE_FROM:
	case KEY_SRCLINE_TO:
		return line_text(buf, size, slots, cfg);
	case KEY_MISPREDICT:
		return snprintf(buf, size, "%s", *slots == BRANCH_PREDICTED ? "N" : *slots == BRANCH_MISPREDICTED ? "Y" : "N/A");
	case KEY_IN_TX:
		return snprintf(buf, size, "%s", *slots ? "T" : ".");
	case KEY_ABORT:
		return snprintf(buf, size, "%s", *slots ? "A" : ".");
	default:
		return *slots ? snprintf(buf, size, "%llu", (unsigned long long)*slots) : snprintf(buf, size, "-");
	}
}

static int level_text(char *buf, size_t size, const uint64_t *slots)
{
	return snprintf(buf, size, "[%c] ", (char)(slots[ADDRESS_LEVEL] & UINT8_MAX));
}

/* with_off: of a function, too, which perf prints without. */
static int address_text(char *buf, size_t size, const uint64_t *slots, bool with_off)
{
	const char *name = pointer(slots[ADDRESS_NAME]);

	if (!name)
		return snprintf(buf, size, "%-#.*llx", ADDRESS_DIGITS, (unsigned long long)slots[ADDRESS_AT]);
	if (!with_off && !(slots[ADDRESS_LEVEL] & ADDRESS_IS_DATA))
		return snprintf(buf, size, "%s", name);
	return snprintf(buf, size, "%s+0x%llx", name, (unsigned long long)slots[ADDRESS_OFF]);
}

int cell_plain(char *buf, size_t size, const struct report *t, const struct report_row *r, enum report_column key, const struct report_cfg *cfg)
{
	const uint64_t *slots;
	int64_t n = 0;

	if (report_columns[key].slots) {
		slots = report_slots(t, r, key);
		if (key == KEY_CGROUP)
			return cgroup_text(buf, size, *slots, cfg);
		if (branch_key_is(key))
			return branch_text(buf, size, key, slots, cfg);
		if (sample_key_is(key))
			return sample_cell(buf, size, key, *slots, r->self_count);
		if (key == KEY_SYM_SIZE || key == KEY_DSO_SIZE)
			return extent_text(buf, size, *slots);
		if (key == KEY_CACHE_LINE)
			n = level_text(buf, size, slots);
		if (address_key_is(key))
			return (int)n + address_text(buf + n, size - (size_t)n, slots, true);
		if (key == KEY_DSO_DADDR)
			return snprintf(buf, size, "%s", *slots ? last_name(pointer(*slots)) : "[unknown]");
		if (key == KEY_CGROUP_ID)
			return snprintf(buf, size, "%llu/0x%llx", (unsigned long long)slots[0], (unsigned long long)slots[1]);
		if (key == KEY_SRCLINE)
			return line_text(buf, size, slots, cfg);
		if (key == KEY_SOCKET)
			return snprintf(buf, size, "%.3lld", (long long)*slots);
		if (key == KEY_TIME)
			return time_text(buf, size, *slots, cfg);
		if (key == KEY_TRACE)
			return snprintf(buf, size, "%s", *slots ? pointer(*slots) : "N/A");
		if (label_key_is(key))
			return snprintf(buf, size, "%s", *slots ? pointer(*slots) : "[none]");
		if (key == KEY_PARENT)
			return snprintf(buf, size, "%s", *slots ? pointer(*slots) : "[other]");
		return snprintf(buf, size, "%s", *slots ? short_file(pointer(*slots), cfg) : ".");
	}
	if (cell_number(r, key, &n))
		return snprintf(buf, size, "%0*lld", key == KEY_CPU ? 3 : 1, (long long)n);
	if (key == KEY_EVENT && !cfg->event_names)
		return snprintf(buf, size, "%u", r->event);
	if (key == KEY_COMM)
		return snprintf(buf, size, "%s", r->comm ? r->comm : "");
	if (key == KEY_DSO)
		return object_text(buf, size, r->dso);
	if (key == KEY_SYM)
		return snprintf(buf, size, "%s", r->sym ? r->sym : "[unknown]");
	if (key == KEY_EVENT)
		return snprintf(buf, size, "%s", cfg->event_names[r->event]);
	return snprintf(buf, size, "-"); /* of a CPU */
}

static const char *level(bool is_kernel)
{
	return is_kernel ? "[k] " : "[.] ";
}

int cell_text(char *buf, size_t size, const struct report *t, const struct report_row *r, enum report_column key, const struct report_cfg *cfg)
{
	int n = 0;

	if (key == KEY_PID || key == KEY_TID)
		return snprintf(buf, size, "%7d:%s", (int)(key == KEY_PID ? r->pid : r->tid), r->task ? r->task : "");
	if (key == KEY_PARALLELISM)
		return snprintf(buf, size, "%*llu", (int)strlen(report_columns[key].heading), (unsigned long long)*report_slots(t, r, key));
	if (key == KEY_SYM_FROM || key == KEY_SYM_TO) /* of other symbols the column is cell_level()'s */
		n = snprintf(buf, size, "%s", level(report_slots(t, r, key)[1]));
	if (address_key_is(key)) {
		n = level_text(buf, size, report_slots(t, r, key));
		return n + address_text(buf + n, size - (size_t)n, report_slots(t, r, key), false);
	}
	return n + cell_plain(buf + n, size - (size_t)n, t, r, key, cfg);
}

const char *cell_level(const struct report_row *r)
{
	return level(r->is_kernel);
}

static int sum_text(char *buf, size_t size, uint64_t sum, uint64_t whole, enum report_column c, int width)
{
	if (c == SUM_SAMPLES || c == SUM_PERIOD)
		return snprintf(buf, size, "%*llu", width, (unsigned long long)sum);
	return snprintf(buf, size, "%*.2f%%", width ? width - 1 : 0, percent_of(sum, whole));
}

static bool is_latency(enum report_column c)
{
	return c == SUM_LATENCY || c == SUM_LATENCY_CHILDREN;
}

/* What 100 % is in a column of a table without a group. */
static uint64_t whole_of(const struct report *t, uint64_t whole, enum report_column c)
{
	return is_latency(c) ? t->whole_latency : c == SUM_NOW ? t->whole_now : whole;
}

/* Of each event, in columns of their own or after a blank. */
static size_t group_text(char *buf, size_t size, const struct report *t, const struct report_row *r, enum report_column c, const struct report_cfg *cfg)
{
	int width = cfg->separator ? 0 : report_columns[c].width;
	const uint64_t *wholes = is_latency(c) ? t->group.latencies : t->group.wholes;
	size_t n = 0;

	for (uint32_t i = 0; i < t->group.nr && n < size; i++) {
		n += i && !width && n + 1 < size ? (size_t)snprintf(buf + n, size - n, " ") : 0;
		n += (size_t)sum_text(buf + n, size - n, report_group_sum(t, r, c, i), wholes[i], c, width);
	}
	return n < size ? n : size - 1;
}

void cell_shown(char *shown, size_t size, const struct report *t, const struct report_row *r, uint64_t whole, enum report_column c,
		const struct report_cfg *cfg)
{
	char raw[CELL_BYTES];

	if (c < KEY_MAX) {
		cell_text(raw, sizeof(raw), t, r, c, cfg);
		text_escape(shown, size, raw);
	} else if (t->group.nr) {
		group_text(shown, size, t, r, c, cfg);
	} else {
		sum_text(shown, size, report_sum(r, c), whole_of(t, whole, c), c, 0);
	}
}
