/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of skep record that say into which files it writes. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cmd/record_files.h"
#include "util/num.h"

#define FILES_MAX 100000

/* A number with one of the letters after it, worth units[that]: as perf has sizes and times. False: it is none. */
static bool take_unit(const char *text, const char *letters, const uint64_t *units, uint64_t *ret_value)
{
	size_t digits = strspn(text, "0123456789");
	const char *letter = text[digits] ? strchr(letters, text[digits]) : NULL;
	uint64_t value;
	char number[24];

	if (!digits || digits >= sizeof(number) || !letter || text[digits + 1])
		return false;
	memcpy(number, text, digits);
	number[digits] = '\0';
	return !num_u64(number, UINT64_MAX, &value) && !__builtin_mul_overflow(value, units[letter - letters], ret_value) && *ret_value;
}

static bool take_size(const char *text, uint64_t *ret_bytes)
{
	static const uint64_t bytes[] = { 1, 1ull << 10, 1ull << 20, 1ull << 30 };

	return take_unit(text, "BKMG", bytes, ret_bytes);
}

static bool take_time(const char *text, uint64_t *ret_ns)
{
	static const uint64_t ns[] = { 1000000000ull, 60000000000ull, 3600000000000ull, 86400000000000ull };

	return take_unit(text, "smhd", ns, ret_ns);
}

static int set_switch(void *base, const char *text, struct err *err)
{
	struct record_files_cfg *cfg = base;

	cfg->is_split = true;
	cfg->by_signal = !text || !strcmp(text, "signal");
	if (cfg->by_signal || take_size(text, &cfg->switch_bytes) || take_time(text, &cfg->switch_ns))
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--switch-output': expected signal, a size or a time", text);
	err_hint(err, "a size ends with B, K, M or G, a time with s, m, h or d: --switch-output=100M");
	return -EINVAL;
}

static int take_files_max(struct record_files_cfg *cfg, const char *option, const char *text, struct err *err)
{
	int ret = num_u64(text, FILES_MAX, &cfg->files_max);

	if (!ret && cfg->files_max)
		return 0;
	return err_exit(err, -ERANGE, EXIT_USAGE, "bad value '%s' of '--%s': expected 1 to %d", text, option, FILES_MAX);
}

static int set_files_max(void *base, const char *text, struct err *err)
{
	return take_files_max(base, "switch-max-files", text, err);
}

static int set_keep(void *base, const char *text, struct err *err)
{
	return take_files_max(base, "keep", text, err);
}

static int set_bytes_max(void *base, const char *text, struct err *err)
{
	if (take_size(text, &((struct record_files_cfg *)base)->bytes_max))
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--max-size': expected a size", text);
	err_hint(err, "a size ends with B, K, M or G: --max-size 100M");
	return -EINVAL;
}

const struct opt record_files_opts[] = {
	{ 0, "switch-output", "[=WHEN]", OPT_CALL, 0,
	  "begin another file at each SIGUSR2 (signal, the default), after a size (100M) or a time (30s, 5m, 1h); each is "
	  "FILE.DATE and complete", set_switch },
	{ 0, "switch-max-files", "N", OPT_CALL, 0, "keep the last N of these files", set_files_max },
	{ 0, "last", "TIME", OPT_DURATION, offsetof(struct record_files_cfg, last_ns),
	  "keep the last TIME in memory, and write it to FILE.DATE at each SIGUSR2, or --trigger" },
	{ 0, "keep", "N", OPT_CALL, 0, "with --last: keep the last N files", set_keep },
	{ 0, "trigger-pause", "TIME", OPT_DURATION, offsetof(struct record_files_cfg, pause_ns),
	  "no file at a --trigger within TIME of one before (default: that of --last)" },
	{ 0, "timestamp-filename", NULL, OPT_FLAG, offsetof(struct record_files_cfg, is_dated), "name the file FILE.DATE" },
	{ 0, "max-size", "SIZE", OPT_CALL, 0, "stop when the file has SIZE (100M)", set_bytes_max },
	{ 0 },
};

const struct opt_rule record_files_rules[] = {
	{ "switch-max-files", .needs = "switch-output" },
	{ "last", .not_with = "switch-output|timestamp-filename|max-size|control|compression-level" },
	{ "keep", .needs = "last" },
	{ "trigger", .needs = "last" },
	{ "trigger-pause", .needs = "trigger" },
	{ "max-size", .not_with = "switch-output", .hint = "--switch-output=SIZE --switch-max-files N" },
	{ 0 },
};
