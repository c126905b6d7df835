/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/storespan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sample.h"
#include "util/clock.h"
#include "util/num.h"
#include "util/text.h"

#define AGO_MAX_S (20ull * 365 * 86400)

static int set_store(void *base, const char *text, struct err *err)
{
	(void)err;
	((struct store_options *)base)->path = text ? text : STORE_DEFAULT;
	return 0;
}

const struct opt store_opts[] = {
	{ 0, "store", "[=DIR|URL]", OPT_CALL, 0,
	  "what skep agent keeps in DIR (default: " STORE_DEFAULT "), or has sent to " CLICKHOUSE_SCHEMES ", instead of a file", set_store, .takes_next = true },
	{ 0, "since", "TIME", OPT_TEXT, offsetof(struct store_options, since),
	  "of the store: from TIME on, as 10m (ago), 14:03, 14:03:20 or '2026-11-27 14:03' (default: all; of skep top the last 5m)" },
	{ 0, "until", "TIME", OPT_TEXT, offsetof(struct store_options, until), "of the store: up to TIME" },
	{ 0, "label", "KEY[!]=PATTERN,...", OPT_TEXT, offsetof(struct store_options, label),
	  "of the store: only what has these labels: unit, comm, cgroup, container, container_name, image, exe, build_id (URL: host)" },
	{ 0, "view", "NAME", OPT_TEXT, offsetof(struct store_options, view), "of the store: the event, as offcpu-time (default: cpu-clock, or what comes first by its name)" },
	{ 0 },
};

const struct opt_rule store_rules[] = {
	{ "since|until|view|label", .needs = "store" },
	{ 0 },
};

/* Today's date stays where the form has none, and it is midnight where it has no time. Local time, or UTC where a Z follows. */
static bool parse_clock(const char *text, const char *form, uint64_t now_s, uint64_t *ret_s)
{
	bool is_utc = text_ends(text, strlen(text), "Z");
	time_t t = (time_t)now_s;
	struct tm tm, asked;
	const char *end;

	if (!(is_utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm)))
		return false;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	end = strptime(text, form, &tm);
	if (!end || strcmp(end, is_utc ? "Z" : "") != 0)
		return false;
	asked = tm;
	t = is_utc ? timegm(&tm) : mktime(&tm);
	*ret_s = (uint64_t)t;
	return t >= 0 && tm.tm_mday == asked.tm_mday && tm.tm_mon == asked.tm_mon; /* there is no 30 February */
}

bool store_moment(const char *text, uint64_t now_s, uint64_t *ret_s)
{
	static const char *const forms[] = { "%H:%M", "%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S",
					"%Y-%m-%d", "%Y%m%dT%H%M%S" };
	uint64_t ns;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (parse_clock(text, forms[i], now_s, ret_s))
			return true;
	if (num_duration(text, &ns) || ns / NS_PER_S > AGO_MAX_S) /* so large is a time since 1970 */
		return false;
	*ret_s = ns / NS_PER_S < now_s ? now_s - ns / NS_PER_S : 0;
	return true;
}

static int moment(const char *name, const char *text, uint64_t now_s, uint64_t *ret_s, struct err *err)
{
	if (!text || store_moment(text, now_s, ret_s))
		return 0;
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--%s': expected a time such as 10m (ago), 14:03 or '2026-11-27 14:03'", text, name);
}

static bool is_label(const char *key)
{
	static const char *const others[] = { "comm", "cgroup", "pid" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(key, others[i]))
			return true;
	for (int i = 0; i < LABEL_MAX; i++)
		if (!strcmp(key, sample_label_name((enum sample_label)i)))
			return true;
	return false;
}

int store_labels(const char *text, const char *option, char **ret_words, struct store_span *span, struct err *err)
{
	char *next = NULL;

	*ret_words = text ? strdup(text) : NULL;
	if (text && !*ret_words)
		return err_set(err, -ENOMEM, "out of memory");
	span->nr_labels = 0;
	for (char *word = text ? strtok_r(*ret_words, ",", &next) : NULL; word; word = strtok_r(NULL, ",", &next)) {
		char *equals = strchr(word, '='), *key_end = equals && equals > word && equals[-1] == '!' ? equals - 1 : equals;

		if (!equals || key_end == word || !equals[1])
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--%s': expected KEY=PATTERN or KEY!=PATTERN, as unit=nginx.service", word, option);
		if (span->nr_labels == STORE_LABELS_MAX)
			return err_exit(err, -E2BIG, EXIT_USAGE, "more than %d labels", STORE_LABELS_MAX);
		*key_end = '\0';
		if (!is_label(word))
			return err_exit(err, -EINVAL, EXIT_USAGE, "no label '%s': there are comm, pid, cgroup, " SAMPLE_LABELS_LISTED, word);
		span->labels[span->nr_labels++] = (struct store_label){ word, equals + 1, key_end < equals };
	}
	return 0;
}

void store_options_free(struct store_options *o)
{
	free(o->words);
	o->words = NULL;
}

struct store_span store_earlier(const struct store_span *span, uint64_t s)
{
	struct store_span earlier = *span;

	earlier.since_s = span->since_s > s ? span->since_s - s : 0;
	earlier.until_s = span->until_s > s ? span->until_s - s : 1;
	return earlier;
}

static int take_url(struct store_options *o, struct err *err)
{
	if (!o->path || o->span.url || !strstr(o->path, "://"))
		return 0;
	push_shown(o->path, o->shown, sizeof(o->shown));
	if (!clickhouse_is(o->path))
		return err_exit(err, -EINVAL, EXIT_USAGE, "cannot read '%s': --store is a directory, or " CLICKHOUSE_SCHEMES, o->shown);
	o->span.url = o->path;
	o->path = o->shown;
	return 0;
}

int store_options_end(struct store_options *o, struct err *err)
{
	uint64_t now_s = clock_ns(CLOCK_REALTIME) / NS_PER_S;
	int ret = take_url(o, err);

	if (!ret)
		ret = moment("since", o->since, now_s, &o->span.since_s, err);

	if (!ret)
		ret = moment("until", o->until, now_s, &o->span.until_s, err);
	if (!ret && o->until && o->span.until_s <= o->span.since_s)
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "--until %s is not after --since %s", o->until, o->since ? o->since : "the beginning");
	o->span.view = o->view;
	return ret ? ret : store_labels(o->label, "label", &o->words, &o->span, err);
}
