/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is it JSON, is it a trace of Perfetto's? For tests and fuzzers, of writers that get any bytes as names. */
#ifndef SKEP_TESTS_FORMATS_H
#define SKEP_TESTS_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "pprof/wire.h"
#include "render/viewers/perfetto.h"
#include "util/text.h"

static inline const char *json_blank(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static inline const char *json_string_end(const char *p)
{
	if (*p++ != '"')
		return NULL;
	for (; *p != '"'; p++)
		if ((unsigned char)*p < 0x20 || (*p == '\\' && !*++p))
			return NULL;
	return p + 1;
}

/* Behind the value at p, or NULL where it is not JSON (RFC 8259): a comma too many, a key without a value. */
static inline const char *json_value_end(const char *p)
{
	const char *words[] = { "true", "false", "null" }, *end;
	bool object = *p == '{';

	if (*p == '"')
		return json_string_end(p);
	if (*p == '-' || (*p >= '0' && *p <= '9'))
		return p + strspn(p, "-+.eE0123456789");
	for (int i = 0; i < 3; i++)
		if (!strncmp(p, words[i], strlen(words[i])))
			return p + strlen(words[i]);
	if (!object && *p != '[')
		return NULL;
	end = json_blank(p + 1);
	if (*end == (object ? '}' : ']'))
		return end + 1;
	for (p = end;; p = json_blank(end + 1)) {
		if (object) {
			end = json_string_end(p);
			end = end ? json_blank(end) : NULL;
			if (!end || *end != ':')
				return NULL;
			p = json_blank(end + 1);
		}
		end = json_value_end(p);
		end = end ? json_blank(end) : NULL;
		if (!end || *end != ',')
			return end && *end == (object ? '}' : ']') ? end + 1 : NULL;
	}
}

static inline bool is_json(const char *text)
{
	const char *end = json_value_end(text);

	return end && !*json_blank(end);
}

static inline bool is_utf8(struct wire_reader text)
{
	char buf[5] = "";
	uint32_t code;

	while (text.p < text.end) {
		size_t n = (size_t)(text.end - text.p) < 4 ? (size_t)(text.end - text.p) : 4;
		int len;

		memset(buf, 0, sizeof(buf));
		memcpy(buf, text.p, n);
		len = *buf ? utf8_decode(buf, &code) : 1;
		if (!len)
			return false;
		text.p += len;
	}
	return true;
}

#define TRACE_IDS 4096u
#define TRACE_SEQUENCES 16u

/* What a trace has, and what its sequences have written: ids that a test's trace has, no more. */
struct trace_seen {
	uint64_t samples, events, switches, tracks, clocks;
	bool functions[TRACE_SEQUENCES][TRACE_IDS], paths[TRACE_SEQUENCES][TRACE_IDS], mappings[TRACE_SEQUENCES][TRACE_IDS];
	bool frames[TRACE_SEQUENCES][TRACE_IDS], stacks[TRACE_SEQUENCES][TRACE_IDS], begun[TRACE_SEQUENCES];
};

/* The fields of one number of a message: the last number and bytes, and how many. */
struct trace_field {
	uint64_t value, n;
	struct wire_reader bytes;
};

static inline bool trace_fields(struct wire_reader message, struct trace_field *ret_fields, uint32_t max)
{
	struct wire_field f;
	int ret;

	memset(ret_fields, 0, max * sizeof(*ret_fields));
	while ((ret = wire_next(&message, &f)) > 0) {
		if (f.number >= max)
			continue;
		ret_fields[f.number].value = f.value;
		ret_fields[f.number].bytes = f.bytes;
		ret_fields[f.number].n++;
	}
	return !ret;
}

static inline bool trace_id(bool *seen, uint64_t id)
{
	return id && id < TRACE_IDS && seen[id];
}

/* One of what packets refer to: it has not been there, and what it refers to has. */
static inline bool trace_interned(struct trace_seen *t, uint64_t seq, const struct wire_field *f)
{
	struct trace_field all[16];
	struct wire_reader r = f->bytes;
	struct wire_field part;
	bool *seen = f->number == INTERNED_FUNCTION ? t->functions[seq] : f->number == INTERNED_PATH ? t->paths[seq] : f->number == INTERNED_FRAME ? t->frames[seq] :
		     f->number == INTERNED_CALLSTACK ? t->stacks[seq] : f->number == INTERNED_MAPPING ? t->mappings[seq] : NULL;
	uint64_t id;

	if (!trace_fields(r, all, 16))
		return false;
	id = all[1].value;
	if (f->number == INTERNED_BUILD_ID)
		return id != 0;
	if (!seen || !id || id >= TRACE_IDS || seen[id])
		return false;
	seen[id] = true;
	if (f->number == INTERNED_FUNCTION || f->number == INTERNED_PATH)
		return is_utf8(all[STRING_BYTES].bytes);
	if (f->number == INTERNED_MAPPING)
		return trace_id(t->paths[seq], all[MAPPING_PATH].value);
	if (f->number == INTERNED_FRAME)
		return trace_id(t->functions[seq], all[FRAME_FUNCTION].value) && trace_id(t->mappings[seq], all[FRAME_MAPPING].value) && all[FRAME_PC].n;
	while (wire_next(&r, &part) > 0)
		if (part.number == CALLSTACK_FRAMES && !trace_id(t->frames[seq], part.value))
			return false;
	return true;
}

static inline bool trace_packet(struct trace_seen *t, struct wire_reader packet)
{
	struct trace_field all[PACKET_SAMPLE + 1], part[32];
	uint64_t seq;
	struct wire_field f;
	struct wire_reader r;

	if (!trace_fields(packet, all, PACKET_SAMPLE + 1))
		return false;
	seq = all[PACKET_SEQUENCE].value;
	if (!seq || seq >= TRACE_SEQUENCES)
		return false;
	t->begun[seq] |= all[PACKET_FLAGS].value == PACKET_STATE_CLEARED;
	t->clocks += all[PACKET_CLOCKS].n;
	t->tracks += all[PACKET_TRACK].n;
	t->switches += all[PACKET_FTRACE].n;
	r = all[PACKET_INTERNED].bytes;
	while (wire_next(&r, &f) > 0)
		if (!t->begun[seq] || !trace_interned(t, seq, &f))
			return false;
	if (all[PACKET_TRACK_EVENT].n) {
		t->events++;
		return trace_fields(all[PACKET_TRACK_EVENT].bytes, part, 32) && is_utf8(part[EVENT_TITLE].bytes);
	}
	if (!all[PACKET_SAMPLE].n)
		return true;
	t->samples++;
	return t->begun[seq] && trace_fields(all[PACKET_SAMPLE].bytes, part, 32) &&
	       (!part[SAMPLE_CALLSTACK].n || trace_id(t->stacks[seq], part[SAMPLE_CALLSTACK].value));
}

/* Is each packet whole, each text UTF-8, and what it refers to written before in its sequence? */
static inline bool is_trace(const char *bytes, size_t n, struct trace_seen *ret_seen)
{
	struct wire_reader r = { bytes, bytes + n };
	struct wire_field f;
	int ret;

	memset(ret_seen, 0, sizeof(*ret_seen));
	while ((ret = wire_next(&r, &f)) > 0)
		if (f.number != TRACE_PACKET || f.type != WIRE_BYTES || !trace_packet(ret_seen, f.bytes))
			return false;
	return !ret;
}

#endif
