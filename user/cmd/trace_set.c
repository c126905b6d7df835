/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_set.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "calls/calls.h"
#include "capture/source/trace.h"
#include "util/num.h"

#define WORD_MAX 32
#define SIGNAL_MAX 64
#define KERNEL_RTMIN 32 /* the C library keeps the first ones for itself */

/* A word's bits, or -EINVAL with err filled. is_not: it is one of those that are left out. */
typedef int (*set_word)(const char *word, bool is_not, uint64_t *ret_bits, struct err *err);

/* "A,B", "!A,B", "all", "none". */
static int parse_set(const char *text, const char *what, uint64_t all, set_word each, uint64_t *ret_bits, struct err *err)
{
	bool is_not = *text == '!';
	uint64_t bits = 0;
	char word[WORD_MAX];

	for (text += is_not;; text++) {
		size_t n = strcspn(text, ",");
		uint64_t of = 0;
		int ret;

		if (!n || n >= sizeof(word))
			return err_exit(err, -EINVAL, EXIT_USAGE, n ? "bad %s: '%s' is too long" : "bad %s: a name is missing", what, text);
		memcpy(word, text, n);
		word[n] = '\0';
		if (!strcmp(word, "all"))
			of = all;
		ret = of || !strcmp(word, "none") ? 0 : each(word, is_not, &of, err);
		if (ret)
			return ret;
		bits |= of;
		text += n;
		if (!*text)
			break;
	}
	*ret_bits = is_not ? all & ~bits : bits;
	return 0;
}

/* "CHLD", "SIGCHLD", "chld", "RTMIN", "RT_2", "17". 0: none. */
static uint64_t signal_number(const char *word)
{
	const char *name = strncasecmp(word, "SIG", 3) ? word : word + 3;
	uint64_t n;

	if (!num_u64(word, SIGNAL_MAX, &n))
		return n;
	if (!strcasecmp(name, "RTMIN"))
		return KERNEL_RTMIN;
	if (!strncasecmp(name, "RT_", 3) && !num_u64(name + 3, SIGNAL_MAX - KERNEL_RTMIN, &n))
		return KERNEL_RTMIN + n;
	for (int sig = 1; sig < KERNEL_RTMIN; sig++)
		if (sigabbrev_np(sig) && !strcasecmp(sigabbrev_np(sig), name))
			return sig;
	return !strcasecmp(name, "IO") ? SIGIO : !strcasecmp(name, "IOT") ? SIGABRT : !strcasecmp(name, "CLD") ? SIGCHLD : 0;
}

static int one_signal(const char *word, bool is_not, uint64_t *ret_bits, struct err *err)
{
	uint64_t sig = signal_number(word);

	(void)is_not;
	if (!sig)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: '%s' is no signal: SIGCHLD, chld, 17, RT_1, all or none", word);
	*ret_bits = 1ull << (sig - 1);
	return 0;
}

int trace_signals(const char *text, uint64_t *ret_signals, struct err *err)
{
	return parse_set(text, "-e signal", ~0ull, one_signal, ret_signals, err);
}

static int one_status(const char *word, bool is_not, uint64_t *ret_bits, struct err *err)
{
	static const struct {
		const char *word;
		uint32_t results;
		const char *why; /* there are none here */
	} words[] = {
		{ "successful", TRACE_DONE, NULL }, { "failed", TRACE_FAILED, NULL }, { "unfinished", TRACE_UNFINISHED, NULL },
		{ "unavailable", 0, "the result of each call that returns is known" },
		{ "detached", 0, "nothing is attached to a process: calls that wait at the end are shown as <unfinished ...>" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(word, words[i].word))
			continue;
		if (words[i].why && !is_not)
			return err_exit(err, -EINVAL, EXIT_USAGE, "-e status=%s selects nothing: %s", word, words[i].why);
		*ret_bits = words[i].results;
		return 0;
	}
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad -e: there is no status '%s': successful, failed, unfinished or all", word);
}

int trace_statuses(const char *text, uint32_t *results, struct err *err)
{
	uint64_t bits;
	int ret = *results ? err_exit(err, -EINVAL, EXIT_USAGE, "-e status=%s: results are selected twice", text) :
			     parse_set(text, "-e status", TRACE_ALL_RESULTS, one_status, &bits, err);

	if (ret)
		return ret;
	if (!bits) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-e status=%s selects no call", text);
		err_hint(err, "-e none shows signals and the ends of threads alone");
		return -EINVAL;
	}
	*results = bits;
	return 0;
}

int trace_errnos(const char *text, struct trace_cfg *cfg, struct err *err)
{
	char word[WORD_MAX];

	if (cfg->results)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--errno %s: results are selected twice", text);
	for (;; text++) {
		size_t n = strcspn(text, ",");
		uint64_t error = 0;

		if (!n || n >= sizeof(word))
			return err_exit(err, -EINVAL, EXIT_USAGE, n ? "bad --errno: '%s' is too long" : "bad --errno: a name is missing", text);
		memcpy(word, text, n);
		word[n] = '\0';
		if (word[0] >= '0' && word[0] <= '9') {
			if (num_u64(word, SYSCALL_ERRNO_MAX, &error))
				error = 0;
		} else {
			for (int i = 1; i <= SYSCALL_ERRNO_MAX && !error; i++)
				if (call_error_name(i) && !strcmp(call_error_name(i), word))
					error = i;
		}
		if (!error)
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad --errno: '%s' is no error: ENOENT, EAGAIN, 110", word);
		cfg->errnos[error / 64] |= 1ull << (error % 64);
		text += n;
		if (!*text)
			break;
	}
	cfg->results = TRACE_ERRNOS;
	return 0;
}

/* Of strace's messages only the ends of threads are lines here. */
static int one_message(const char *word, bool is_not, uint64_t *ret_bits, struct err *err)
{
	static const char *const others[] = { "attach", "path-resolution", "path-resolve", "personality", "thread-execve", "superseded" };

	(void)is_not;
	if (!strcmp(word, "exit") || !strcmp(word, "exits")) {
		*ret_bits = 1;
		return 0;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(word, others[i]))
			return 0;
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad --quiet '%s': exit, attach, path-resolution, personality, thread-execve or all", word);
}

int trace_quiet(const char *text, bool *ret_ends, struct err *err)
{
	uint64_t bits;
	int ret = parse_set(text, "--quiet", 1, one_message, &bits, err);

	if (!ret)
		*ret_ends = bits;
	return ret;
}
