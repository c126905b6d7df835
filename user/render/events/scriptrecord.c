/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of perf.data that are no samples, as perf prints them (perf_event__fprintf(), tools/perf/util/event.c; layouts:
 * uapi/linux/perf_event.h). A record that is shorter than its fields shows its name only.
 */
#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "render/events/script.h"

#define HEX_BYTES 16
#define TEXT_MAX 4096

#define MISC_BUILD_ID (1u << 14)

static uint32_t u32(const uint8_t *bytes, size_t at)
{
	uint32_t v;

	memcpy(&v, bytes + at, sizeof(v));
	return v;
}

static uint64_t u64(const uint8_t *bytes, size_t at)
{
	uint64_t v;

	memcpy(&v, bytes + at, sizeof(v));
	return v;
}

/* The string from `at` to its NUL or the end. */
static void put_string(struct textbuf *b, const uint8_t *bytes, size_t at, size_t body)
{
	char text[TEXT_MAX];
	size_t n = at < body ? strnlen((const char *)bytes + at, body - at) : 0;

	n = n < sizeof(text) ? n : sizeof(text) - 1;
	memcpy(text, bytes + at, n);
	text[n] = '\0';
	textbuf_foreign(b, text);
}

static void put_mmap(struct textbuf *b, uint16_t misc, const uint8_t *p, size_t body)
{
	textbuf_printf(b, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 "]: %c ", (int)u32(p, 8), (int)u32(p, 12), u64(p, 16), u64(p, 24),
		       u64(p, 32), misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	put_string(b, p, 40, body);
}

static void put_mmap2(struct textbuf *b, uint16_t misc, const uint8_t *p, size_t body)
{
	uint32_t prot = u32(p, 64), flags = u32(p, 68);

	textbuf_printf(b, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 " ", (int)u32(p, 8), (int)u32(p, 12), u64(p, 16), u64(p, 24),
		       u64(p, 32));
	if (misc & MISC_BUILD_ID) {
		textbuf_char(b, '<');
		for (size_t i = 0; i < p[40] && i < 20; i++)
			textbuf_printf(b, "%02x", p[44 + i]);
		textbuf_char(b, '>');
	} else {
		textbuf_printf(b, "%02x:%02x %" PRIu64 " %" PRIu64, u32(p, 40), u32(p, 44), u64(p, 48), u64(p, 56));
	}
	textbuf_printf(b, "]: %c%c%c%c ", prot & PROT_READ ? 'r' : '-', prot & PROT_WRITE ? 'w' : '-', prot & PROT_EXEC ? 'x' : '-',
		       flags & MAP_SHARED ? 's' : 'p');
	put_string(b, p, 72, body);
}

static void put_comm(struct textbuf *b, uint16_t misc, const uint8_t *p, size_t body)
{
	textbuf_text(b, misc & PERF_RECORD_MISC_COMM_EXEC ? " exec: " : ": ");
	put_string(b, p, 16, body);
	textbuf_printf(b, ":%d/%d", (int)u32(p, 8), (int)u32(p, 12));
}

static void put_switch(struct textbuf *b, uint16_t misc, const uint8_t *p, bool of_cpu)
{
	bool out = misc & PERF_RECORD_MISC_SWITCH_OUT;

	textbuf_printf(b, " %s", !out ? "IN         " : misc & SCRIPT_MISC_PREEMPT ? "OUT preempt" : "OUT        ");
	if (of_cpu)
		textbuf_printf(b, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev", (int)u32(p, 8), (int)u32(p, 12));
}

static void put_namespaces(struct textbuf *b, const uint8_t *p, size_t body)
{
	static const char *const kinds[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	uint64_t nr = u64(p, 16), room = (body - 24) / 16;

	textbuf_printf(b, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[", (int)u32(p, 8), (int)u32(p, 12), nr);
	nr = nr < room ? nr : room;
	for (uint64_t i = 0; i < nr; i++)
		textbuf_printf(b, "%s%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s", i && i % 4 == 0 ? "\n\t\t " : "", i,
			       i < sizeof(kinds) / sizeof(kinds[0]) ? kinds[i] : "unknown", u64(p, 24 + i * 16), u64(p, 32 + i * 16),
			       i + 1 < nr ? ", " : "]");
}

static void put_ksymbol(struct textbuf *b, const uint8_t *p, size_t body)
{
	textbuf_printf(b, " addr %" PRIx64 " len %u type %u flags 0x%x name ", u64(p, 8), u32(p, 16), u32(p, 20) & UINT16_MAX, u32(p, 20) >> 16);
	put_string(b, p, 24, body);
}

static void put_aux(struct textbuf *b, const uint8_t *p)
{
	uint64_t flags = u64(p, 24);

	textbuf_printf(b, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s]", u64(p, 8), u64(p, 16), flags,
		       flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "", flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
		       flags & PERF_AUX_FLAG_PARTIAL ? "P" : "");
}

/* Bytes that the fields of a type need. */
static size_t least(uint16_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		return 40;
	case PERF_RECORD_MMAP2:
		return 72;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_AUX:
		return 32;
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_LOST:
	case PERF_RECORD_KSYMBOL:
		return 24;
	case PERF_RECORD_BPF_EVENT:
		return 20;
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_COMM:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_LOST_SAMPLES:
		return 16;
	}
	return sizeof(struct perf_event_header);
}

static void put_fields(struct textbuf *b, uint16_t type, uint16_t misc, const uint8_t *p, size_t body)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		return put_mmap(b, misc, p, body);
	case PERF_RECORD_MMAP2:
		return put_mmap2(b, misc, p, body);
	case PERF_RECORD_COMM:
		return put_comm(b, misc, p, body);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return textbuf_printf(b, "(%d:%d):(%d:%d)", (int)u32(p, 8), (int)u32(p, 16), (int)u32(p, 12), (int)u32(p, 20));
	case PERF_RECORD_LOST:
		return textbuf_printf(b, " lost %" PRIu64, u64(p, 16));
	case PERF_RECORD_LOST_SAMPLES:
		return textbuf_printf(b, " lost %" PRIu64, u64(p, 8));
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return put_switch(b, misc, p, type == PERF_RECORD_SWITCH_CPU_WIDE);
	case PERF_RECORD_NAMESPACES:
		return put_namespaces(b, p, body);
	case PERF_RECORD_KSYMBOL:
		return put_ksymbol(b, p, body);
	case PERF_RECORD_BPF_EVENT:
		return textbuf_printf(b, " type %u, flags %u, id %u", u32(p, 8) & UINT16_MAX, u32(p, 8) >> 16, u32(p, 12));
	case PERF_RECORD_CGROUP:
		textbuf_printf(b, " cgroup: %" PRIu64 " ", u64(p, 8));
		return put_string(b, p, 16, body);
	case PERF_RECORD_ITRACE_START:
		return textbuf_printf(b, " pid: %u tid: %u", u32(p, 8), u32(p, 12));
	case PERF_RECORD_AUX:
		return put_aux(b, p);
	}
}

void script_record(struct textbuf *b, const char *name, uint16_t type, uint16_t misc, const uint8_t *bytes, size_t body)
{
	textbuf_text(b, "PERF_RECORD_");
	textbuf_text(b, name ? name : "UNKNOWN");
	if (body >= least(type))
		put_fields(b, type, misc, bytes, body);
	textbuf_char(b, '\n');
}

void script_hex(struct textbuf *b, const uint8_t *bytes, size_t n)
{
	for (size_t at = 0; at < n; at += HEX_BYTES) {
		textbuf_printf(b, ".  %04zx: ", at);
		for (size_t i = at; i < at + HEX_BYTES; i++)
			i < n ? textbuf_printf(b, " %02x", bytes[i]) : textbuf_put(b, "   ", 3);
		textbuf_put(b, "  ", 2);
		for (size_t i = at; i < at + HEX_BYTES; i++)
			textbuf_char(b, i >= n ? ' ' : isprint(bytes[i]) ? (char)bytes[i] : '.');
		textbuf_char(b, '\n');
	}
}
