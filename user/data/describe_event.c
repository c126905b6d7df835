/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events and their attributes in perf's words: fields that are not 0, in the order in which perf prints them. */
#include <inttypes.h>
#include <time.h>

#include "data/describe.h"
#include "util/clock.h"

#define NS_PER_US UINT64_C(1000)

struct bit {
	uint64_t bit;
	const char *name;
};

static const struct bit sample_bits[] = {
	{ PERF_SAMPLE_IP, "IP" },		  { PERF_SAMPLE_TID, "TID" },		    { PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" },		  { PERF_SAMPLE_READ, "READ" },		    { PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_ID, "ID" },		  { PERF_SAMPLE_CPU, "CPU" },		    { PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" },	  { PERF_SAMPLE_RAW, "RAW" },		    { PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ PERF_SAMPLE_REGS_USER, "REGS_USER" },	  { PERF_SAMPLE_STACK_USER, "STACK_USER" }, { PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" },	  { PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },   { PERF_SAMPLE_AUX, "AUX" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" },	  { 1u << 22, "DATA_PAGE_SIZE" },	    { 1u << 23, "CODE_PAGE_SIZE" },
	{ 1u << 24, "WEIGHT_STRUCT" },		  { PERF_SAMPLE_WEIGHT, "WEIGHT" },	    { 0, NULL },
};

static const struct bit read_bits[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" }, { PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" }, { PERF_FORMAT_GROUP, "GROUP" }, { 1u << 4, "LOST" }, { 0, NULL },
};

/* As linux/perf_event.h counts them, from disabled on; two bits of one name are one number. */
static const char *const flags[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle", "mmap", "comm", "freq",
	"inherit_stat", "enable_on_exec", "task", "watermark", "precise_ip", NULL, "mmap_data", "sample_id_all", "exclude_host",
	"exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch",
	"write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread",
	"remove_on_exec", "sigtrap",
};
#define FLAGS_AT 40 /* after read_format */

static void bits(struct description *d, const char *name, uint64_t value, const struct bit *table)
{
	const char *sep = "";

	if (!value)
		return;
	fprintf(d->out, ", %s = ", name);
	for (; table->name; table++)
		if (value & table->bit) {
			fprintf(d->out, "%s%s", sep, table->name);
			sep = "|";
		}
}

static void number(struct description *d, const char *name, uint64_t value)
{
	if (value)
		fprintf(d->out, ", %s = %" PRIu64, name, value);
}

static void hex(struct description *d, const char *name, uint64_t value)
{
	if (value)
		fprintf(d->out, ", %s = %#" PRIx64, name, value);
}

static void attribute(struct description *d, const uint8_t *bytes, size_t size)
{
	struct perf_event_attr a = { 0 };
	uint64_t word;

	memcpy(&a, bytes, size < sizeof(a) ? size : sizeof(a));
	memcpy(&word, (const uint8_t *)&a + FLAGS_AT, sizeof(word));
	number(d, "type", a.type);
	number(d, "size", a.size);
	hex(d, "config", a.config);
	number(d, "{ sample_period, sample_freq }", a.sample_period);
	bits(d, "sample_type", a.sample_type, sample_bits);
	bits(d, "read_format", a.read_format, read_bits);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		bool wide = i + 1 < sizeof(flags) / sizeof(flags[0]) && !flags[i + 1];

		if (flags[i])
			number(d, flags[i], word >> i & (wide ? 3 : 1));
	}
	number(d, "{ wakeup_events, wakeup_watermark }", a.wakeup_events);
	number(d, "bp_type", a.bp_type);
	hex(d, "{ bp_addr, config1 }", a.bp_addr);
	hex(d, "{ bp_len, config2 }", a.bp_len);
	hex(d, "branch_sample_type", a.branch_sample_type);
	hex(d, "sample_regs_user", a.sample_regs_user);
	number(d, "sample_stack_user", a.sample_stack_user);
	if (a.clockid)
		fprintf(d->out, ", clockid = %d", a.clockid);
	hex(d, "sample_regs_intr", a.sample_regs_intr);
	number(d, "aux_watermark", a.aux_watermark);
	number(d, "sample_max_stack", a.sample_max_stack);
}
_Static_assert(offsetof(struct perf_event_attr, read_format) + 8 == FLAGS_AT, "the flags follow");

int describe_events(struct description *d, struct span s)
{
	uint32_t nr, attr_size, nr_ids;
	const uint8_t *attr, *ids;
	const char *name;
	size_t n;
	int ret = 0;

	if (!take_u32(&s, &nr) || !take_u32(&s, &attr_size))
		return 0;
	if (nr > (uint32_t)d->nr_events) /* an event is in one group at most */
		nr = (uint32_t)d->nr_events;
	while (nr-- && !ret && take(&s, attr_size, &attr) && take_u32(&s, &nr_ids) && take_string(&s, &name, &n) &&
	       nr_ids <= s.n / sizeof(uint64_t) && take(&s, nr_ids * sizeof(uint64_t), &ids)) {
		fputs("event : name = ", d->out);
		describe_text(d, name, n);
		fputs(", ", d->out);
		for (uint32_t i = 0; i < nr_ids; i++)
			fprintf(d->out, "%s%" PRIu64, i ? ", " : ", id = { ", get_u64(ids + i * sizeof(uint64_t)));
		if (nr_ids)
			fputs(" }", d->out);
		attribute(d, attr, attr_size);
		ret = describe_end(d);
	}
	return ret;
}

/* { "name", number of the leader, of members } each: these follow the leader. */
int describe_groups(struct description *d, struct span s)
{
	uint32_t nr, leader, members;
	const char *name;
	int ret = 0;
	size_t n;

	if (!take_u32(&s, &nr))
		return 0;
	while (nr-- && !ret && take_string(&s, &name, &n) && take_u32(&s, &leader) && take_u32(&s, &members)) {
		fputs("group: ", d->out);
		if (n != strlen(NO_GROUP_NAME) || memcmp(name, NO_GROUP_NAME, n) != 0)
			describe_text(d, name, n);
		for (uint32_t i = leader; i < (uint32_t)d->nr_events && i - leader < members; i++)
			fprintf(d->out, "%s%s", i == leader ? "{" : ",", d->events[i].name);
		fputc('}', d->out);
		ret = describe_end(d);
	}
	return ret;
}

static const char *clock_name(uint32_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_MONOTONIC_RAW:
		return "monotonic_raw";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	}
	return "(not found)";
}

int describe_clock(struct description *d, struct span s)
{
	uint32_t version, clock;
	uint64_t wall_ns, clock_ns;
	char when[64] = "";
	struct tm tm;
	time_t seconds;
	int ret;

	if (!take_u32(&s, &version) || version != CLOCK_DATA_VERSION || !take_u32(&s, &clock) || !take_u64(&s, &wall_ns) ||
	    !take_u64(&s, &clock_ns))
		return 0;
	fprintf(d->out, "clockid: %s (%u)", clock_name(clock), clock);
	ret = describe_end(d);
	if (ret)
		return ret;
	seconds = (time_t)(wall_ns / NS_PER_S);
	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%F %T", &tm);
	fprintf(d->out, "reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)", when,
		wall_ns % NS_PER_S / NS_PER_US, wall_ns / NS_PER_S, wall_ns % NS_PER_S / NS_PER_US, clock_ns / NS_PER_S, clock_ns % NS_PER_S,
		clock_name(clock));
	return describe_end(d);
}
