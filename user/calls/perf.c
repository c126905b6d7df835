/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct perf_event_attr: include/uapi/linux/perf_event.h */
#include <errno.h>

#include "calls/decode.h"

struct event_attr {
	uint32_t type, size;
	uint64_t config, period, sample_type, read_format, bits;
	uint32_t wakeup, breakpoint;
	uint64_t config1, config2, branches, user_regs;
	uint32_t user_stack;
	int32_t clock;
	uint64_t regs;
	uint32_t aux_watermark;
	uint16_t max_stack, unused;
	uint32_t aux_sample, unused_too;
	uint64_t signal_data;
};

#define ATTR_FIRST 64  /* bytes of the first version */
#define ATTR_SHORT 48  /* of what is always shown */
#define BIT_FREQ 10
#define BIT_WATERMARK 14
#define BIT_PRECISE 15 /* two of them */
#define BIT_CLOCK 25
#define BITS 38	       /* that have names */
#define BRANCH_STACK (1u << 11)
#define STACK_USER (1u << 13)

enum event_type { TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_CACHE, TYPE_RAW, TYPE_BREAKPOINT };

static void put_config(struct decode *d, const struct event_attr *a)
{
	uint32_t low = a->config;

	if ((a->type == TYPE_HARDWARE || a->type == TYPE_CACHE) && a->config >> 32)
		out_form(d->o, "%#x<<32|", (uint32_t)(a->config >> 32));
	switch (a->type) {
	case TYPE_HARDWARE:
		put_one(d, &names_perf_hardware, low);
		break;
	case TYPE_SOFTWARE:
		put_one(d, &names_perf_software, a->config);
		break;
	case TYPE_TRACEPOINT:
		out_decimal(d->o, a->config);
		break;
	case TYPE_CACHE:
		if (low >> 24)
			out_form(d->o, "%#x<<24|", low >> 24);
		put_one(d, &names_perf_cache_results, low >> 16 & 0xff);
		out_text(d->o, "<<16|");
		put_one(d, &names_perf_cache_operations, low >> 8 & 0xff);
		out_text(d->o, "<<8|");
		put_one(d, &names_perf_caches, low & 0xff);
		break;
	default:
		out_hex(d->o, a->config);
	}
}

static void put_bits(struct decode *d, uint64_t bits)
{
	static const char *const precise[] = { "arbitrary skid", "constant skid", "requested to have 0 skid", "must have 0 skid" };
	static const char *const names[BITS] = {
		"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle", "mmap", "comm", "freq",
		"inherit_stat", "enable_on_exec", "task", "watermark", "precise_ip", NULL, "mmap_data", "sample_id_all", "exclude_host",
		"exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch",
		"write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread",
		"remove_on_exec", "sigtrap",
	};

	for (unsigned i = 0; i < BITS; i++) {
		if (i == BIT_PRECISE)
			out_form(d->o, ", %s=%u /* %s */", names[i], (unsigned)(bits >> i & 3), precise[bits >> i & 3]);
		else if (names[i] && (bits >> i & 1 || d->style->is_whole))
			out_form(d->o, ", %s=%u", names[i], (unsigned)(bits >> i & 1));
	}
	if (bits >> BITS)
		out_form(d->o, ", __reserved_1=%#llx /* Bits 63..38 */", (unsigned long long)(bits >> BITS));
}

/* What is shown only of whole structures, as far as their size goes. */
static void put_attr_rest(struct decode *d, const struct event_attr *a, uint32_t size)
{
	bool is_breakpoint = a->type == TYPE_BREAKPOINT;

	out_form(d->o, ", %s=%u", a->bits >> BIT_WATERMARK & 1 ? "wakeup_watermark" : "wakeup_events", a->wakeup);
	if (is_breakpoint) {
		out_text(d->o, ", bp_type=");
		put_one(d, a->breakpoint <= 7 ? &names_breakpoints_wrong : &names_breakpoints, a->breakpoint);
	}
	out_text(d->o, is_breakpoint ? ", bp_addr=" : ", config1=");
	out_hex(d->o, a->config1);
	if (size <= 64)
		return;
	out_text(d->o, is_breakpoint ? ", bp_len=" : ", config2=");
	if (is_breakpoint)
		out_decimal(d->o, a->config2);
	else
		out_hex(d->o, a->config2);
	if (size <= 72)
		return;
	if (a->sample_type & BRANCH_STACK) {
		out_text(d->o, ", branch_sample_type=");
		put_flags(d, &names_perf_branches, a->branches);
	}
	if (size <= 80)
		return;
	out_text(d->o, ", sample_regs_user=");
	out_hex(d->o, a->user_regs);
	if (size <= 88)
		return;
	if (a->sample_type & STACK_USER)
		out_form(d->o, ", sample_stack_user=%#x", a->user_stack);
	if (a->bits >> BIT_CLOCK & 1) {
		if (size <= 92)
			return;
		out_text(d->o, ", clockid=");
		put_one(d, &names_clocks, (uint32_t)a->clock);
	}
	if (size <= 96)
		return;
	out_text(d->o, ", sample_regs_intr=");
	out_hex(d->o, a->regs);
	if (size <= 104)
		return;
	out_form(d->o, ", aux_watermark=%u", a->aux_watermark);
	if (size <= 108)
		return;
	out_form(d->o, ", sample_max_stack=%u", a->max_stack);
	if (size > 110 && a->unused)
		out_form(d->o, " /* bytes 110..111: %#x */", a->unused);
	if (size > 112)
		out_form(d->o, ", aux_sample_size=%u", a->aux_sample);
	if (size > 116 && a->unused_too)
		out_form(d->o, " /* bytes 116..119: %#x */", a->unused_too);
	if (size > 120) {
		out_text(d->o, ", sig_data=");
		out_hex(d->o, a->signal_data);
	}
}

/* As the caller has it; where its size is too much the kernel writes the one that it knows. */
void print_perf_attr(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	uint32_t before[2], size, now;
	struct event_attr a = { 0 };

	if (!memory_before(d, addr, before, sizeof(before))) {
		put_addr(d, addr);
		return;
	}
	size = before[1] ? before[1] : ATTR_FIRST;
	if (size > sizeof(a))
		size = sizeof(a);
	if (!d->style->is_whole && size >= ATTR_FIRST)
		size = ATTR_SHORT;
	else if (size < ATTR_FIRST)
		size = 0;
	if (!size || !memory_get(d, addr, &a, size)) {
		put_addr(d, addr);
		return;
	}
	a.size = before[1];
	out_text(d->o, "{type=");
	put_one(d, &names_perf_types, a.type);
	out_text(d->o, ", size=");
	put_one(d, &names_perf_sizes, a.size);
	if (call_error(d->e) == E2BIG) {
		out_text(d->o, " => ");
		if (memory_get(d, addr + 4, &now, 4))
			put_one(d, &names_perf_sizes, now);
		else
			out_text(d->o, "???");
	}
	out_text(d->o, ", config=");
	put_config(d, &a);
	out_text(d->o, a.bits >> BIT_FREQ & 1 ? ", sample_freq=" : ", sample_period=");
	out_decimal(d->o, a.period);
	out_text(d->o, ", sample_type=");
	put_flags(d, &names_perf_samples, a.sample_type);
	out_text(d->o, ", read_format=");
	put_flags(d, &names_perf_formats, a.read_format);
	put_bits(d, a.bits);
	if (d->style->is_whole)
		put_attr_rest(d, &a, size);
	out_text(d->o, (a.size ? a.size : ATTR_FIRST) > size ? ", ...}" : "}");
}
