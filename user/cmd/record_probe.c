/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/record_probe.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct trace_entry, include/linux/trace_events.h */
#define COMMON                                                           \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"       \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"       \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PID_AT 4
#define IP_AT 8
#define ARGS_AT 16 /* each a word: a number, or the place and length of a text */
#define WORD 8
#ifdef __x86_64__
#define BREAKPOINT_BYTES 1
#else
#define BREAKPOINT_BYTES 0 /* the registers are at it */
#endif
#define FAULT_TEXT "(fault)" /* FAULT_STRING, kernel/trace/trace_probe.h */

static const struct site *site_of(const struct probe *probe)
{
	return &probe->sites.all.data[0]; /* the others are alike */
}

/* Fields that are there before the arguments: COMMON, and the place of the probe. */
static bool is_own_field(const char *name)
{
	return !strncmp(name, "common_", strlen("common_")) || !strcmp(name, "__probe_ip");
}

/* A name that readers of formats take: of letters, digits and _, and no other field's. */
static void put_name(FILE *f, const struct bound_probe *bound, int arg)
{
	const char *name = bound->args[arg].name;
	bool is_plain = !isdigit((unsigned char)*name) && *name && !is_own_field(name);

	for (const char *c = name; *c; c++)
		is_plain &= isalnum((unsigned char)*c) || *c == '_';
	for (int i = 0; i < bound->nr_args; i++)
		is_plain &= i == arg || strcmp(name, bound->args[i].name);
	if (!is_plain)
		fprintf(f, "arg%d_", arg + 1);
	for (const char *c = name; *c; c++)
		fputc(isalnum((unsigned char)*c) ? *c : '_', f);
}

static bool is_signed(const struct bound_arg *a)
{
	return a->show == VALUE_SIGNED || a->show == VALUE_ENUM || a->show == VALUE_CHAR;
}

static void put_field(FILE *f, const struct bound_probe *bound, int arg)
{
	const struct bound_arg *a = &bound->args[arg];
	bool is_text = a->show == VALUE_TEXT;

	fprintf(f, "\tfield:%s ", is_text ? "__data_loc char[]" : is_signed(a) ? "s64" : "u64");
	put_name(f, bound, arg);
	fprintf(f, ";\toffset:%d;\tsize:%d;\tsigned:%d;\n", ARGS_AT + arg * WORD, is_text ? 4 : WORD, is_text || is_signed(a));
}

static void put_print(FILE *f, const struct bound_probe *bound)
{
	fputs("\nprint fmt: \"(%lx)", f);
	for (int i = 0; i < bound->nr_args; i++) {
		const struct bound_arg *a = &bound->args[i];

		fputc(' ', f);
		put_name(f, bound, i);
		fprintf(f, "=%s", a->show == VALUE_TEXT ? "\\\"%s\\\"" : is_signed(a) ? "%lld" : a->show == VALUE_HEX || a->show == VALUE_SYMBOL ? "0x%llx" : "%llu");
	}
	fputs("\", REC->__probe_ip", f);
	for (int i = 0; i < bound->nr_args; i++) {
		fputs(bound->args[i].show == VALUE_TEXT ? ", __get_str(" : ", REC->", f);
		put_name(f, bound, i);
		fputs(bound->args[i].show == VALUE_TEXT ? ")" : "", f);
	}
	fputc('\n', f);
}

char *record_probe_format(const struct probe *probe, uint16_t id)
{
	const struct bound_probe *bound = &site_of(probe)->bound;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fputs("name: ", f);
	for (const char *c = probe->spec.name; *c; c++)
		fputc(isalnum((unsigned char)*c) ? *c : '_', f);
	fprintf(f, "\nID: %u\nformat:\n" COMMON "\tfield:unsigned long __probe_ip;\toffset:%d;\tsize:%d;\tsigned:0;\n", id, IP_AT, WORD);
	for (int i = 0; i < bound->nr_args; i++)
		put_field(f, bound, i);
	put_print(f, bound);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

size_t record_probe_size(const struct probe *probe)
{
	return ARGS_AT + (size_t)site_of(probe)->bound.nr_args * (WORD + PROBE_TEXT_DEFAULT);
}

/* Returns where the data of texts ends. */
static size_t put_text(const char *text, uint8_t *to, size_t word_at, size_t end)
{
	size_t n = strnlen(text, PROBE_TEXT_DEFAULT - 1) + 1;
	uint32_t location = (uint32_t)end | (uint32_t)n << 16;

	memcpy(to + word_at, &location, sizeof(location));
	memcpy(to + end, text, n - 1);
	to[end + n - 1] = '\0';
	return end + n;
}

/*
 * The place of the probe, as the kernel's own probes have it in their records. At a hit in x86's kernel the registers are after the breakpoint,
 * also where the kernel has put something faster there (kprobe_ftrace_handler(), arch/x86/kernel/kprobes/ftrace.c).
 */
static uint64_t place_of(const struct probe *probe, const struct sample *s)
{
	uint64_t ip = s->ip ? s->ip : sample_leaf(s);
	bool is_after = probe->spec.kind == PROBE_KERNEL && !probe->spec.is_return && probe->sites.all.n == 1;

	return ip && is_after ? ip - BREAKPOINT_BYTES : ip;
}

size_t record_probe_put(const struct probe *probe, uint16_t id, const struct sample *s, uint8_t *to, struct record_probe_gaps *gaps)
{
	const struct bound_probe *bound = &site_of(probe)->bound;
	uint64_t ip = place_of(probe, s);
	size_t end = ARGS_AT + (size_t)bound->nr_args * WORD;
	int32_t tid = (int32_t)s->tid;

	memcpy(to, &id, sizeof(id));
	memcpy(to + PID_AT, &tid, sizeof(tid));
	memcpy(to + IP_AT, &ip, sizeof(ip));
	for (int i = 0; i < bound->nr_args && (uint32_t)i < s->nr_values; i++) {
		const struct sample_value *v = &s->values[i];
		size_t at = ARGS_AT + (size_t)i * WORD;

		gaps->nr_faults += v->is_fault;
		if (bound->args[i].show != VALUE_TEXT) {
			memcpy(to + at, &v->num, sizeof(v->num));
			continue;
		}
		gaps->nr_full += !v->is_fault && v->text && strlen(v->text) >= PROBE_TEXT_DEFAULT - 1;
		end = put_text(v->is_fault || !v->text ? FAULT_TEXT : v->text, to, at, end);
	}
	return end;
}
