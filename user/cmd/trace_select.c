/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_select.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "cmd/trace_set.h"
#include "cmd/trace_strace.h"
#include "event/syscalls.h"
#include "util/near.h"
#include "util/num.h"

#define WORD_MAX 256

typedef uint64_t wanted_bits[SYSCALL_ABIS][SYSCALL_NR_MAX / 64];

static void want(wanted_bits bits, int abi, uint32_t nr)
{
	bits[abi][nr / 64] |= 1ull << (nr % 64);
}

/* Adds those for which is() is true; returns how many. */
static unsigned want_all(wanted_bits bits, bool (*is)(const void *arg, int abi, uint32_t nr, const char *name), const void *arg)
{
	unsigned n = 0;

	for (int abi = 0; abi < SYSCALL_ABIS; abi++)
		for (uint32_t nr = 0; nr < SYSCALL_NR_MAX; nr++) {
			const char *name = syscall_call_name(abi == SYSCALL_X32 ? SYSCALL_NATIVE : abi, nr);

			if (name && is(arg, abi, nr, name)) {
				want(bits, abi, nr);
				n++;
			}
		}
	return n;
}

static bool has_name(const void *arg, int abi, uint32_t nr, const char *name)
{
	(void)abi;
	(void)nr;
	return !strcmp(arg, name);
}

static bool is_any(const void *arg, int abi, uint32_t nr, const char *name)
{
	(void)arg;
	(void)abi;
	(void)nr;
	(void)name;
	return true;
}

static bool matches(const void *arg, int abi, uint32_t nr, const char *name)
{
	(void)abi;
	(void)nr;
	return !regexec(arg, name, 0, NULL, 0);
}

static bool is_of_class(const void *arg, int abi, uint32_t nr, const char *name)
{
	(void)name;
	return call_is_of(arg, abi, nr) > 0;
}

static int bad_name(const char *word, struct err *err)
{
	struct near near;

	near_init(&near, word, strlen(word));
	for (uint32_t nr = 0; nr < SYSCALL_NR_MAX; nr++) {
		const char *name = syscall_call_name(SYSCALL_NATIVE, nr);

		if (name)
			near_offer(&near, name, strlen(name));
	}
	err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: no system call is called '%s'", word);
	near_hint(&near, err);
	return -EINVAL;
}

/* Operations of io_uring, which are no calls. */
#define URING "io_uring"

static bool is_uring(const char *word)
{
	return !strcmp(word[0] == '%' ? word + 1 : word, URING) || !strcmp(word, "all");
}

static int select_word(const char *word, wanted_bits bits, struct err *err)
{
	bool may_miss = word[0] == '?';
	uint64_t nr;
	regex_t re;
	unsigned n;

	word += may_miss;
	if (!strcmp(word, "all")) {
		want_all(bits, is_any, NULL);
		return 0;
	}
	if (!strcmp(word, "none") || is_uring(word))
		return 0;
	if (word[0] == '/') {
		if (regcomp(&re, word + 1, REG_EXTENDED | REG_NOSUB))
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: '%s' is no regular expression", word + 1);
		n = want_all(bits, matches, &re);
		regfree(&re);
		return n || may_miss ? 0 : err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: no system call matches '%s'", word + 1);
	}
	if (word[0] == '%') {
		if (call_is_of(word + 1, SYSCALL_NATIVE, 0) >= 0)
			return want_all(bits, is_of_class, word + 1), 0;
		err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: there is no class '%s'", word);
		err_hint(err, "%%file %%desc %%network %%process %%memory %%signal %%ipc %%creds %%clock %%pure %%stat %%lstat %%fstat %%statfs %%fstatfs");
		return -EINVAL;
	}
	if (word[0] >= '0' && word[0] <= '9') {
		if (num_u64(word, SYSCALL_NR_MAX - 1, &nr))
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: '%s' is no number of a system call: those end at %d", word, SYSCALL_NR_MAX - 1);
		want(bits, SYSCALL_NATIVE, nr);
		return 0;
	}
	n = want_all(bits, has_name, word);
	if (!n && call_is_of(word, SYSCALL_NATIVE, 0) >= 0) /* of old: trace=file */
		n = want_all(bits, is_of_class, word);
	return n || may_miss ? 0 : bad_name(word, err);
}

static bool is_empty(const uint64_t bits[SYSCALL_ABIS][SYSCALL_NR_MAX / 64])
{
	static const wanted_bits none;

	return !memcmp(bits, none, sizeof(none));
}

bool trace_has_call(const struct trace_cfg *cfg, enum syscall_abi abi, uint32_t nr)
{
	return cfg->all_calls || (nr < SYSCALL_NR_MAX && cfg->wanted[abi][nr / 64] >> (nr % 64) & 1);
}

bool trace_has_signal(const struct trace_cfg *cfg, uint32_t sig)
{
	return sig && sig <= 64 && cfg->signals >> (sig - 1) & 1;
}

bool trace_is_uring(const struct trace_cfg *cfg)
{
	return cfg->uring && !cfg->all_calls && is_empty(cfg->wanted);
}

int trace_select_calls(const char *text, struct trace_cfg *cfg, struct err *err)
{
	bool is_not = *text == '!';
	wanted_bits bits = { 0 };
	char word[WORD_MAX];
	bool uring = false;
	int ret = 0;

	text += is_not;
	while (!ret) {
		size_t n = strcspn(text, ",");

		if (!n || n >= sizeof(word))
			return err_exit(err, -EINVAL, EXIT_USAGE, n ? "bad -e: a word of %zu characters" : "bad -e: a name is missing", n);
		memcpy(word, text, n);
		word[n] = '\0';
		uring |= is_uring(word);
		ret = select_word(word, bits, err);
		if (!text[n])
			break;
		text += n + 1;
	}
	if (ret)
		return ret;
	cfg->uring = uring != is_not;
	cfg->all_calls = is_not && is_empty((const void *)bits);
	for (int abi = 0; abi < SYSCALL_ABIS; abi++)
		for (int i = 0; i < SYSCALL_NR_MAX / 64; i++)
			cfg->wanted[abi][i] = is_not ? ~bits[abi][i] : bits[abi][i];
	return 0;
}

/* "fault=..." is what --fault is. */
static int refuse(const char *text, size_t len, struct err *err)
{
	for (const struct opt_other *o = trace_others; o->word; o++) {
		if (strlen(o->word) != len + 2 || strncmp(o->word, "--", 2) || strncmp(o->word + 2, text, len))
			continue;
		err_exit(err, -EINVAL, EXIT_USAGE, "'-e %.*s=' %s", (int)len, text, o->why);
		err_hint(err, "%s", o->hint);
		return -EINVAL;
	}
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: '%s': trace=CALLS, signal=SET or status=SET", text);
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(text, word, len);
}

int trace_select(const char *text, struct trace_cfg *cfg, struct err *err)
{
	const char *is = strchr(text, '=');
	size_t len = is ? is - text : 0;

	if (!is)
		return trace_select_calls(text, cfg, err);
	if (is_word(text, len, "trace") || is_word(text, len, "t"))
		return trace_select_calls(is + 1, cfg, err);
	if (is_word(text, len, "signal") || is_word(text, len, "signals") || is_word(text, len, "s"))
		return trace_signals(is + 1, &cfg->signals, err);
	if (is_word(text, len, "status"))
		return trace_statuses(is + 1, &cfg->results, err);
	return refuse(text, len, err);
}

static int add_glob(const char *text, struct trace_cfg *cfg, struct err *err)
{
	if (strlen(text) >= TRACE_GLOB_BYTES || !*text)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad --path '%.40s': 1 to %d characters", text, TRACE_GLOB_BYTES - 1);
	if (cfg->nr_globs == TRACE_GLOBS_MAX)
		return err_exit(err, -EINVAL, EXIT_USAGE, "too many paths: at most %d, where one that leads elsewhere counts twice", TRACE_GLOBS_MAX);
	strcpy(cfg->globs[cfg->nr_globs++], text);
	cfg->select |= TRACE_BY_PATH;
	return 0;
}

int trace_path(const char *text, struct trace_cfg *cfg, struct err *err)
{
	int ret = add_glob(text, cfg, err);
	char *real = ret || strpbrk(text, "*?") ? NULL : realpath(text, NULL);

	if (real && strcmp(real, text))
		ret = add_glob(real, cfg, err);
	free(real);
	return ret;
}

int trace_fds(const char *text, struct trace_cfg *cfg, struct err *err)
{
	const char *at = text;

	for (;;) {
		char word[16];
		size_t n = strcspn(at, ",");
		uint64_t fd;

		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		if (n >= sizeof(word) || num_u64(word, TRACE_FDS_MAX - 1, &fd))
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad --fd '%s': numbers from 0 to %d", text, TRACE_FDS_MAX - 1);
		cfg->fds[fd / 64] |= 1ull << (fd % 64);
		if (!at[n])
			break;
		at += n + 1;
	}
	cfg->select |= TRACE_BY_FD;
	return 0;
}

static bool can_match(const struct trace_cfg *cfg, int abi, uint32_t nr)
{
	struct trace_plan plan;

	cfg->plan(abi == SYSCALL_COMPAT ? SYSCALL_COMPAT : SYSCALL_NATIVE, nr, &plan);
	for (int i = 0; i < TRACE_STEPS && cfg->select & TRACE_BY_PATH; i++)
		if (plan.steps[i].read && plan.steps[i].when & TRACE_IS_PATH)
			return true;
	return plan.fds;
}

void trace_select_plans(struct trace_cfg *cfg)
{
	for (int abi = 0; abi < SYSCALL_ABIS; abi++)
		for (uint32_t nr = 0; nr < SYSCALL_NR_MAX; nr++) {
			uint64_t bit = 1ull << (nr % 64), *bits = &cfg->wanted[abi][nr / 64];

			if (cfg->all_calls || *bits & bit)
				*bits = can_match(cfg, abi, nr) ? *bits | bit : *bits & ~bit;
		}
	cfg->all_calls = false;
}
